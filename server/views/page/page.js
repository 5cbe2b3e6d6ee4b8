// The page: the script on the left, one view of one kernel on the right, and which line became what.
//
// Everything that comes from the script is put in as text, never as markup. Lines count from 0 here, and from 1 where people see them.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const TITLES = {cuda: "CUDA", ptx: "PTX", sass: "SASS", tirx: "IR", lowered: "Lowered", plan: "Plan", report: "Report"};
  const COLOURS = 8;
  const $ = (id) => document.getElementById(id);

  function make(tag, className, text) {
    const out = document.createElement(tag);
    if (className) out.className = className;
    if (text !== undefined) out.textContent = text;
    return out;
  }

  function linesOf(text) {
    const lines = text.split(/\r\n|\n|\r/);
    if (lines.length > 1 && lines[lines.length - 1] === "") lines.pop();
    return lines;
  }

  // ---- words of the languages: enough that a reader finds the way, by weight and slant and not by colour ------------

  const PYTHON = /(#.*$)|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|\b(def|for|in|if|elif|else|while|with|return|import|from|as|class|and|or|not|is|lambda|None|True|False|range)\b/g;
  const C = /(\/\/.*$)|("(?:[^"\\]|\\.)*")|\b(__global__|__device__|__shared__|__forceinline__|__launch_bounds__|__restrict__|extern|void|int|float|half|const|for|if|else|while|do|return|struct|static|inline|alignas|asm|volatile|unsigned|char|bool)\b/g;
  const ASSEMBLY = /(\/\/.*$)|("(?:[^"\\]|\\.)*")|((?:^|\s)\.[a-z][\w.]*)/g;
  const LANGUAGES = {script: PYTHON, tirx: PYTHON, lowered: PYTHON, cuda: C, ptx: ASSEMBLY, sass: ASSEMBLY};

  // Which lines begin inside of a string over several lines, or hold a whole part of one: they have no words of a language.
  function inLongString(lines) {
    let open = "";
    return lines.map((text) => {
      let inside = open !== "";
      for (const [quotes] of text.matchAll(/"""|\'\'\'/g)) {
        inside = true;
        if (!open) open = quotes; else if (open === quotes) open = "";
      }
      return inside;
    });
  }

  function writeLine(into, text, language) {
    if (!language) { into.textContent = text; return; }
    let at = 0;
    for (const found of text.matchAll(language)) {
      if (!found[1] && !found[3]) continue;
      if (found.index > at) into.append(text.slice(at, found.index));
      into.append(make("span", found[1] ? "c" : "k", found[0]));
      at = found.index + found[0].length;
    }
    into.append(text.slice(at));
  }

  // ---- what came from where -------------------------------------------------------------------------------------------

  // Of one view: for each of its lines the stretches of the script that it came from, for each line of the script the lines that it became.
  class Links {
    constructor(flat, sourceCount, viewCount, colourOf) {
      this.sources = Array.from({length: viewCount}, () => []);
      this.views = Array.from({length: sourceCount}, () => []);
      this.colour = new Array(sourceCount).fill(-1);
      this.statement = new Map();  // of a line of the script: the narrowest stretch around it
      for (let i = 0; i < flat.length; i += 4) {
        const [from, to, first, end] = flat.slice(i, i + 4);
        for (let v = from; v < Math.min(to, viewCount); ++v) this.sources[v].push([first, end]);
        for (let s = first; s < Math.min(end, sourceCount); ++s) {
          for (let v = from; v < Math.min(to, viewCount); ++v) this.views[s].push(v);
          const known = this.statement.get(s);
          if (!known || end - first < known[1] - known[0]) this.statement.set(s, [first, end]);
        }
      }
      for (const [s, [first]] of this.statement) this.colour[s] = colourOf(first);
    }
    get none() { return this.colour.every((c) => c < 0); }
    // Everything that belongs together with a line of either side.
    around(side, line) {
      const sources = new Set(), views = new Set();
      if (side === "source") {
        const [first, end] = this.statement.get(line) ?? [line, line + 1];
        for (let s = first; s < end; ++s) sources.add(s);
        for (const v of this.views[line] ?? []) views.add(v);
      } else {
        views.add(line);
        for (const [first, end] of this.sources[line] ?? []) {
          for (let s = first; s < end; ++s) sources.add(s);
        }
        for (const s of sources) for (const v of this.views[s] ?? []) views.add(v);
      }
      return {source: sources, view: views};
    }
  }

  // A line has one colour in all views of a kernel, and neighbours differ: statements take the colours in turn, in the order of the script.
  function coloursOf(kernel) {
    const begins = new Set();
    for (const shown of Object.values(kernel.views)) {
      const flat = shown.problem === undefined ? data.texts[shown.links] : [];
      for (let i = 2; i < flat.length; i += 4) begins.add(flat[i]);
    }
    const inTurn = new Map([...begins].sort((a, b) => a - b).map((begin, i) => [begin, i % COLOURS]));
    return (begin) => inTurn.get(begin);
  }

  // What the tools write for debuggers stands beside the lines already: which lines of a text are shown.
  const NOISE = {sass: /^\s*\/\/## /, ptx: /^\s*\.loc\b/};
  function shownLines(kind, texts, flat) {
    const noise = NOISE[kind];
    const numbers = [], place = new Map();
    texts.forEach((text, i) => { if (!noise?.test(text)) { place.set(i, numbers.length); numbers.push(i); } });
    if (numbers.length === texts.length) return {numbers, texts, flat};
    const links = [];
    for (let i = 0; i < flat.length; i += 4) {
      for (let v = flat[i]; v < flat[i + 1]; ++v) {
        if (place.has(v)) links.push(place.get(v), place.get(v) + 1, flat[i + 2], flat[i + 3]);
      }
    }
    return {numbers, texts: numbers.map((i) => texts[i]), flat: links};
  }

  // ---- a column of lines ----------------------------------------------------------------------------------------------

  class Column {
    constructor(side, element, label) {
      this.side = side;
      this.element = element;
      this.lines = [];
      this.at = -1;
      element.setAttribute("aria-label", label);
      element.addEventListener("keydown", (event) => this.key(event));
      element.addEventListener("focus", () => { if (this.at < 0 && this.lines.length) this.move(this.firstShown(), false); });
      element.addEventListener("mouseover", (event) => {
        const line = this.lineOf(event.target);
        if (line >= 0) highlight(this.side, line);
      });
      element.addEventListener("mouseleave", () => highlight(null));
      element.addEventListener("click", (event) => {
        const line = this.lineOf(event.target);
        if (line >= 0 && getSelection().isCollapsed) { this.move(line, false); pin(this.side, line); }
      });
    }
    fill(texts, language, decorate, numbers) {
      const box = make("div", "lines");
      box.setAttribute("role", "presentation");
      const plain = language === PYTHON ? inLongString(texts) : [];
      this.lines = texts.map((text, i) => {
        const line = make("div", "l");
        line.id = this.side[0] + i;
        line.setAttribute("role", "option");
        line.setAttribute("aria-selected", "false");
        line.append(make("span", "n", String((numbers ? numbers[i] : i) + 1)));
        if (this.side === "view") line.append(make("span", "o"));
        const words = make("span", "x");
        writeLine(words, text, plain[i] ? null : language);
        line.append(words);
        box.append(line);
        return line;
      });
      this.element.replaceChildren(box);
      this.at = -1;
      this.element.removeAttribute("aria-activedescendant");
      this.decorate(decorate);
    }
    decorate(decorate) { this.lines.forEach((line, i) => decorate(line, i)); }
    lineOf(target) {
      const line = target.closest?.(".l");
      return line ? Number(line.id.slice(1)) : -1;
    }
    firstShown() {
      const top = this.element.getBoundingClientRect().top;
      const found = this.lines.findIndex((line) => line.getBoundingClientRect().bottom > top + 2);
      return Math.max(found, 0);
    }
    move(line, follow) {
      line = Math.max(0, Math.min(this.lines.length - 1, line));
      this.lines[this.at]?.classList.remove("at");
      this.at = line;
      this.lines[line].classList.add("at");
      this.element.setAttribute("aria-activedescendant", this.lines[line].id);
      this.show(line, "nearest");
      highlight(this.side, line);
      if (follow) other(this.side).showFirst(current.links.around(this.side, line)[other(this.side).side]);
    }
    show(line, block) { this.lines[line]?.scrollIntoView({block, inline: "nearest"}); }
    showFirst(set) {
      const first = Math.min(...set);
      if (Number.isFinite(first)) this.show(first, "center");
    }
    key(event) {
      if (event.ctrlKey || event.metaKey || event.altKey || !this.lines.length) return;
      const page = Math.max(1, Math.floor(this.element.clientHeight / (this.lines[0].offsetHeight || 19)) - 2);
      const steps = {ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity};
      if (event.key in steps) this.move(this.at + steps[event.key], true);
      else if (event.key === "n" || event.key === "p") this.toLinked(event.key === "n" ? 1 : -1);
      else if (event.key === "Enter" || event.key === " ") { if (this.at >= 0) pin(this.side, this.at, true); }
      else if (event.key === "Escape") unpin();
      else return;
      event.preventDefault();
    }
    toLinked(step) {
      for (let i = this.at + step; i >= 0 && i < this.lines.length; i += step) {
        if (this.lines[i].classList.contains("linked")) { this.move(i, true); return; }
      }
      say("no further line that emits");
    }
  }

  // ---- what is shown ---------------------------------------------------------------------------------------------------

  const sourceLines = linesOf(data.source);
  const current = {kernel: null, kind: "cuda", links: new Links([], sourceLines.length, 0), pinned: null};
  const script = new Column("source", $("source"), "Lines of " + data.file);
  let view = null;  // the column on the right, where a view has one

  const other = (side) => side === "source" ? view ?? script : script;
  const say = (words) => { $("status").textContent = words; };

  // Marks of findings, by line; the gravest wins.
  const marks = new Map();
  for (const f of data.findings) {
    if (f.line === null || (f.severity !== "error" && f.severity !== "warning")) continue;
    const known = marks.get(f.line);
    if (!known || (known.severity === "warning" && f.severity === "error")) marks.set(f.line, f);
  }

  function decorateSource(line, i) {
    const links = current.links, linked = links.colour[i] >= 0;
    line.className = "l" + (linked ? " linked c" + links.colour[i] : links.none ? "" : " dim");
    const mark = marks.get(i);
    const number = line.firstChild;
    number.textContent = String(i + 1);
    if (mark) {
      const sign = make("span", "mark " + mark.severity, mark.severity === "error" ? "✖ " : "▲ ");
      sign.title = mark.severity + " " + mark.code + ": " + mark.message;
      number.prepend(sign);
    }
  }

  function decorateView(line, i) {
    const links = current.links, from = links.sources[i];
    const first = from.length ? from[0][0] : -1;
    const colour = first >= 0 ? links.colour[first] : -1;
    line.className = "l" + (colour >= 0 ? " linked c" + colour : links.none ? "" : " dim");
    const places = [...new Set(from.map(([s]) => s + 1))];
    line.children[1].textContent = !places.length ? "" : ":" + places[0] + (places.length > 1 ? " +" + (places.length - 1) : "");
  }

  let hot = [];
  function highlight(side, line) {
    for (const l of hot) { l.classList.remove("hot"); l.setAttribute("aria-selected", "false"); }
    hot = [];
    const group = side ? current.links.around(side, line) : current.pinned ? current.links.around(...current.pinned) : null;
    if (!group || !group.source.size || !group.view.size) return;
    for (const [column, set] of [[script, group.source], [view, group.view]]) {
      for (const i of set) {
        const l = column?.lines[i];
        if (!l) continue;
        l.classList.add("hot");
        l.setAttribute("aria-selected", "true");
        hot.push(l);
      }
    }
  }

  // "10 to 14, 20".
  function stretches(set, numbers) {
    const sorted = [...set].map((i) => numbers ? numbers[i] : i).sort((a, b) => a - b), out = [];
    for (const i of sorted) {
      const last = out[out.length - 1];
      if (last && last[1] === i - 1) last[1] = i; else out.push([i, i]);
    }
    const words = out.slice(0, 6).map(([a, b]) => a === b ? String(a + 1) : (a + 1) + " to " + (b + 1)).join(", ");
    return words + (out.length > 6 ? " and " + (out.length - 6) + " more places" : "");
  }

  function pin(side, line, takeFocus) {
    unpin();
    const group = current.links.around(side, line);
    if (!view || !group.source.size || !group.view.size) {
      say("line " + ((side === "view" ? view.numbers[line] : line) + 1) + (side === "source" ? " emits nothing here" : " came from no line of the script"));
      return;
    }
    current.pinned = [side, line];
    highlight(side, line);
    for (const l of hot) l.classList.add("pin");
    const there = other(side), set = group[there.side];
    there.showFirst(set);
    say("script " + stretches(group.source) + " · " + TITLES[current.kind] + " " + stretches(group.view, view.numbers));
    if (takeFocus) { there.element.focus(); there.move(Math.min(...set), false); }
    remember();
  }

  function unpin() {
    current.pinned = null;
    for (const l of document.querySelectorAll(".l.pin")) l.classList.remove("pin");
    highlight(null);
    say("");
    remember();
  }

  function goTo(line) {
    script.move(line, false);
    script.show(line, "center");
    if (view) pin("source", line);
    $("source").focus({preventScroll: true});
  }

  function lineButton(line, words) {
    const button = make("button", "go", words ?? "line " + (line + 1));
    button.type = "button";
    button.addEventListener("click", () => goTo(line));
    return button;
  }

  // ---- the panel on the right --------------------------------------------------------------------------------------------

  function showText(kind, shown) {
    const box = make("div", "code");
    box.setAttribute("role", "listbox");
    box.tabIndex = 0;
    $("panel").replaceChildren(box);
    const {numbers, texts, flat} = shownLines(kind, linesOf(data.texts[shown.text]), data.texts[shown.links]);
    current.links = new Links(flat, sourceLines.length, texts.length, current.colourOf);
    view = new Column("view", box, "Lines of " + TITLES[kind]);
    view.numbers = numbers;
    view.fill(texts, LANGUAGES[kind], decorateView, numbers);
    // What all kernels share stands above the kernel: one begins where the script's own lines are.
    const first = current.links.sources.findIndex((from) => from.length);
    if (first > 3) view.show(first - 3, "start");
  }

  function showProse(parts) {
    const box = make("div", "prose");
    box.tabIndex = 0;
    box.setAttribute("role", "region");
    box.setAttribute("aria-label", "Details");
    box.append(...parts);
    $("panel").replaceChildren(box);
    current.links = new Links([], sourceLines.length, 0);
    view = null;
  }

  function findingParts() {
    const said = make("p", "note", (data.findings.length ? "" : "Nothing was found. ") + data.checked);
    return [said, ...data.findings.map(findingBox)];
  }

  function findingBox(f) {
    const box = make("div", "finding " + f.severity);
    const head = make("p");
    head.append(make("strong", "", f.severity + " " + f.code), " ");
    if (f.line !== null) head.append(lineButton(f.line));
    else if (f.elsewhere) head.append(f.elsewhere);
    box.append(head, make("pre", "", f.message));
    for (const r of f.related) {
      const one = make("p", "note", r.message + " ");
      if (r.line !== null) one.append(lineButton(r.line));
      box.append(one);
    }
    if (f.hint) box.append(make("p", "", "hint: " + f.hint));
    return box;
  }

  // Dark blue to yellow by even steps of lightness, which every kind of colour vision orders alike (after cividis).
  const RAMP = [[0, 34, 78], [18, 53, 112], [59, 73, 108], [87, 93, 109], [112, 113, 115], [138, 134, 120], [166, 157, 117], [196, 181, 108], [228, 207, 91], [254, 232, 56]];
  function rampColour(part) {
    const x = Math.max(0, Math.min(1, part)) * (RAMP.length - 1), i = Math.min(Math.floor(x), RAMP.length - 2);
    return RAMP[i].map((c, k) => Math.round(c + (RAMP[i + 1][k] - c) * (x - i)));
  }
  function isDark([r, g, b]) {
    const linear = (c) => { c /= 255; return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
    return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b) < 0.18;
  }

  function gridPicture(layout) {
    const grid = layout.grid, box = make("div", "scroll"), cells = make("div", "grid");
    box.tabIndex = 0;
    box.setAttribute("role", "region");
    box.setAttribute("aria-label", "Picture of " + layout.name);
    cells.setAttribute("role", "img");
    const owner = {thread: "thread", bank: "bank of shared memory", lane: "lane of tensor memory"}[grid.by];
    cells.setAttribute("aria-label", grid.rows + " by " + grid.columns + " elements, coloured by " + owner + "; the first row: " + grid.labels.slice(0, Math.min(8, grid.columns)).join(", "));
    cells.style.gridTemplateColumns = "repeat(" + grid.columns + ", auto)";
    const most = Math.max(1, ...grid.groups);
    const by = new Map();
    grid.labels.forEach((label, i) => {
      const cell = make("div", "", label), group = grid.groups[i];
      if (group >= 0) {
        const colour = rampColour((grid.by === "bank" ? group % 32 / 31 : group / most));
        cell.style.backgroundColor = "rgb(" + colour.join(",") + ")";
        cell.style.color = isDark(colour) ? "#fff" : "#000";
      }
      cell.title = label + (grid.by === "bank" ? ", bank " + group : "");
      if (!by.has(group)) by.set(group, []);
      by.get(group).push(cell);
      cell.dataset.group = group;
      cells.append(cell);
    });
    // Pointing at an element shows who else has the same owner, or comes from the same bank.
    const all = [...cells.children];
    cells.addEventListener("mouseover", (event) => {
      const group = event.target.dataset?.group;
      if (group === undefined) return;
      for (const cell of all) cell.classList.toggle("dull", cell.dataset.group !== group);
    });
    cells.addEventListener("mouseleave", () => { for (const cell of all) cell.classList.remove("dull"); });
    box.append(cells);
    return box;
  }

  function layoutParts(kernel) {
    if (!kernel.layouts.length) return [make("p", "note", "This kernel has no buffer with a layout outside of global memory.")];
    return kernel.layouts.map((index) => {
      const l = data.layouts[index], box = make("div", "layout");
      box.append(make("h3", "", l.name + "  " + l.dtype + " (" + l.shape.join(", ") + ") " + l.scope + (l.bytes ? ", " + l.bytes + " bytes" : "")));
      box.append(make("pre", "", l.words));
      if (l.accesses.length) {
        const list = make("ul");
        for (const a of l.accesses) {
          const item = make("li", "", a.does + ": " + a.what + " ");
          if (a.line !== null) item.append(lineButton(a.line));
          item.append(make("span", a.degree > 1 ? "conflict" : "note", " " + a.banks));
          list.append(item);
        }
        box.append(list);
      }
      if (l.more) box.append(make("p", "note", l.more + " more accesses"));
      if (l.grid) {
        box.append(gridPicture(l));
        if (l.grid.left_out) box.append(make("p", "note", l.grid.left_out));
      } else if (l.problem) {
        box.append(make("p", "note", l.problem));
      }
      return box;
    });
  }

  // What an instruction does to a barrier; words of ours say it themselves.
  const DOES = {init: "initialised", expect: "expects", arrive: "arrives", complete: "completes", wait: "waits"};

  function usesList(uses, none) {
    if (!uses.length) return make("p", "note", none);
    const list = make("ul", "uses");
    for (const u of uses) {
      const item = make("li", u.kind), head = make("p"), about = [];
      if (DOES[u.kind] && /^(ptx|cuda)\./.test(u.what)) head.append(make("strong", "", DOES[u.kind]), " ");
      head.append(make("code", "", u.what), " ");
      if (u.location !== null) head.append(lineButton(u.location));
      if (u.who) about.push(u.who);
      about.push(...u.under);
      if (u.bytes !== null) about.push(u.bytes.toLocaleString("en") + " bytes");
      if (u.times > 1) about.push(u.times + " places");
      if (u.barrier) about.push("completes " + u.barrier);
      item.append(head);
      if (about.length) item.append(make("p", "note", about.join(" · ")));
      list.append(item);
    }
    return list;
  }

  function titled(words, line) {
    const out = make("h3", "", words + " ");
    if (line !== null) out.append(lineButton(line));
    return out;
  }

  function bufferPart(b) {
    const box = make("div", "flow"), middle = make("div", "buffer"), outside = b.scope === "global";
    const column = (title, list) => { const out = make("div"); out.append(make("p", "side", title), list); return out; };
    middle.append(titled(b.name, b.location));
    if (b.other_names.length) middle.append(make("p", "note", "also " + b.other_names.join(", ")));
    middle.append(make("code", "", b.dtype + " " + b.shape), make("p", "note", b.scope + (b.bytes === null ? "" : ", " + b.bytes.toLocaleString("en") + " bytes")));
    const arrow = () => { const out = make("div", "arrow", "→"); out.setAttribute("aria-hidden", "true"); return out; };
    box.append(column("filled by", usesList(b.fills, outside ? "from outside" : "nothing")), arrow(), middle, arrow(),
      column("drained by", usesList(b.drains, outside ? "to outside" : "nothing")));
    return box;
  }

  function pipelineParts(kernel) {
    const p = kernel.pipeline;
    if (!p) return [make("p", "note", "The kernel has errors: see the findings.")];
    const out = [];
    if (p.left_out) out.push(make("p", "note", p.left_out + " more uses are left out."));
    out.push(make("h2", "", "Buffers"), ...p.buffers.map(bufferPart));
    if (p.barriers.length) out.push(make("h2", "", "Barriers"));
    for (const b of p.barriers) {
      const about = [b.count > 1 && b.count + " barriers", b.arrivals !== null && b.arrivals + " arrivals complete a phase"].filter(Boolean);
      out.push(titled(b.name, b.location));
      if (about.length) out.push(make("p", "note", about.join(" · ")));
      out.push(usesList(b.uses, "not used"));
    }
    if (p.syncs.length) out.push(make("h2", "", "Where threads meet"), usesList(p.syncs, ""));
    return out;
  }

  // What is known of the kernel's speed without a run on a GPU.
  function speedParts(kernel) {
    const time = kernel.time, out = time.head.map((words) => make("p", "", words));
    const lines = (title, list) => {
      if (!list.length) return;
      out.push(make("h2", "", title));
      for (const one of list) {
        const item = make("p");
        item.append(lineButton(one.line), " ", [].concat(one.words).join(" · "));
        out.push(item);
      }
    };
    if (time.advice.length) out.push(make("h2", "", "Advice"), ...time.advice.map(findingBox));
    lines("Waits of warps", time.waits);
    lines("By line", time.lines);
    return out;
  }

  function showPanel() {
    const kernel = current.kernel, kind = current.kind;
    current.pinned = null;
    hot = [];
    const shown = kernel?.views[kind];
    if (kind === "findings") showProse(findingParts());
    else if (kind === "pipeline") showProse(kernel ? pipelineParts(kernel) : []);
    else if (kind === "speed") showProse(kernel ? speedParts(kernel) : []);
    else if (kind === "layouts") showProse(kernel ? layoutParts(kernel) : []);
    else if (!shown) showProse([make("p", "note", "There is no kernel to show.")]);
    else if (shown.problem !== undefined) showProse([make("h3", "", "Not in this page"), make("pre", "", shown.problem)]);
    else showText(kind, shown);
    script.decorate(decorateSource);
    if (script.at >= 0) script.lines[script.at].classList.add("at");
    $("panel").setAttribute("aria-labelledby", "tab-" + kind);
    say("");
  }

  // ---- choosing --------------------------------------------------------------------------------------------------------------

  const tabKinds = () => [...Object.keys(TITLES).filter((kind) => data.kernels[0] && kind in data.kernels[0].views), "layouts", "pipeline", "speed", "findings"];

  function makeTabs() {
    const names = {...TITLES, layouts: "Layouts", pipeline: "Pipeline", speed: "Speed", findings: "Findings (" + data.findings.length + ")"};
    for (const kind of tabKinds()) {
      const tab = make("button", "", names[kind]);
      tab.type = "button";
      tab.id = "tab-" + kind;
      tab.setAttribute("role", "tab");
      tab.setAttribute("aria-controls", "panel");
      tab.addEventListener("click", () => choose({kind}));
      tab.addEventListener("keydown", (event) => {
        const kinds = tabKinds(), step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
        if (!step) return;
        choose({kind: kinds[(kinds.indexOf(kind) + step + kinds.length) % kinds.length]});
        $("tab-" + current.kind).focus();
      });
      $("tabs").append(tab);
    }
  }

  function fillSelect(select, values, chosen) {
    select.replaceChildren(...values.map((value) => {
      const option = make("option", "", value.words);
      option.value = value.value;
      option.selected = value.value === chosen;
      return option;
    }));
    select.disabled = values.length < 2;
  }

  // An entry may make several kernels; its name then tells them apart.
  const entryKey = (k) => k.entry + "\u0000" + k.name;
  function choose(wanted) {
    const kernels = data.kernels, before = current.kernel;
    const entry = wanted.entry ?? (before ? entryKey(before) : kernels[0] && entryKey(kernels[0]));
    const of = kernels.filter((k) => entryKey(k) === entry);
    const arch = wanted.arch ?? before?.arch;
    current.kernel = of.find((k) => k.arch === arch) ?? of[0] ?? null;
    current.colourOf = current.kernel ? coloursOf(current.kernel) : () => 0;
    if (wanted.kind && tabKinds().includes(wanted.kind)) current.kind = wanted.kind;
    if (!tabKinds().includes(current.kind)) current.kind = tabKinds()[0];
    const keys = new Map(kernels.map((k) => [entryKey(k), k.entry === k.name ? k.entry : k.entry + " → " + k.name]));
    fillSelect($("entry"), [...keys].map(([value, words]) => ({value, words})), entry);
    fillSelect($("arch"), of.map((k) => ({value: k.arch, words: k.arch_words})), current.kernel?.arch);
    $("facts").textContent = current.kernel?.resources || "";
    $("facts").title = current.kernel?.resources || "";
    for (const tab of $("tabs").children) {
      const kind = tab.id.slice(4), chosen = kind === current.kind;
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
      tab.classList.toggle("absent", current.kernel?.views[kind]?.problem !== undefined);
    }
    showPanel();
    remember();
  }

  // ---- what a link to the page says ---------------------------------------------------------------------------------------------

  function remember() {
    if (!current.ready) return;
    const words = new URLSearchParams({view: current.kind});
    if (current.kernel) { words.set("entry", current.kernel.entry); words.set("arch", current.kernel.arch); }
    if (current.pinned) words.set(current.pinned[0] === "source" ? "line" : "row", current.pinned[1] + 1);
    try { history.replaceState(null, "", "#" + words); } catch { /* a frame that has no address */ }
  }

  function recall() {
    const words = new URLSearchParams(location.hash.slice(1));
    const kernel = data.kernels.find((k) => k.entry === words.get("entry") && k.arch === words.get("arch"))
      ?? data.kernels.find((k) => k.entry === words.get("entry")) ?? data.kernels[0];
    const broken = data.findings.some((f) => f.severity === "error");
    choose({entry: kernel && entryKey(kernel), arch: kernel?.arch, kind: words.get("view") ?? (broken ? "findings" : "cuda")});
    const line = Number(words.get("line")) - 1, row = Number(words.get("row")) - 1;
    if (line >= 0 && line < sourceLines.length) { script.move(line, false); script.show(line, "center"); pin("source", line); }
    else if (view && row >= 0 && row < view.lines.length) { view.move(row, false); view.show(row, "center"); pin("view", row); }
    current.ready = true;
  }

  // ---- theme and width --------------------------------------------------------------------------------------------------------------

  const THEMES = ["system", "light", "dark"];
  function theme(name) {
    if (name === "system") delete document.documentElement.dataset.theme; else document.documentElement.dataset.theme = name;
    $("theme").textContent = "Theme: " + name;
    try { localStorage.setItem("tilewright-theme", name); } catch { /* a page that may keep nothing */ }
  }
  function makeTheme() {
    let name = "system";
    try { name = localStorage.getItem("tilewright-theme") ?? name; } catch { /* as above */ }
    theme(THEMES.includes(name) ? name : "system");
    $("theme").addEventListener("click", () => {
      const now = document.documentElement.dataset.theme ?? "system";
      theme(THEMES[(THEMES.indexOf(now) + 1) % THEMES.length]);
    });
  }

  function makeSplitter() {
    const bar = $("splitter"), panes = $("panes");
    const set = (percent) => {
      percent = Math.round(Math.max(20, Math.min(80, percent)));
      panes.style.setProperty("--left", percent + "%");
      bar.setAttribute("aria-valuenow", String(percent));
    };
    set(46);
    bar.addEventListener("keydown", (event) => {
      const step = {ArrowLeft: -2, ArrowRight: 2}[event.key];
      if (!step) return;
      set(Number(bar.getAttribute("aria-valuenow")) + step);
      event.preventDefault();
    });
    bar.addEventListener("pointerdown", (event) => {
      bar.setPointerCapture(event.pointerId);
      const drag = (e) => set((e.clientX - panes.getBoundingClientRect().left) / panes.clientWidth * 100);
      bar.addEventListener("pointermove", drag);
      bar.addEventListener("pointerup", () => bar.removeEventListener("pointermove", drag), {once: true});
    });
  }

  // ---- begin -----------------------------------------------------------------------------------------------------------------------

  makeTheme();
  makeSplitter();
  makeTabs();
  $("file").textContent = data.file;
  $("left-title").textContent = "Script · dialect " + data.dialect;
  $("entry").addEventListener("change", () => choose({entry: $("entry").value}));
  $("arch").addEventListener("change", () => choose({arch: $("arch").value}));
  script.fill(sourceLines, PYTHON, () => {});
  recall();
})();
