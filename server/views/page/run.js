// The page of a run: where its time goes by line, and what each warp did when.
'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const at = (id) => document.getElementById(id);
const number = (n, digits = 0) => n.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
const el = (name, attributes = {}, ...children) => {
  const out = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) out.setAttribute(key, value);
  out.append(...children);
  return out;
};
const lines = data.source.split('\n');

at('facts').textContent = data.facts;
at('report').textContent = data.report;

if (data.costs) {
  at('costs').hidden = false;
  at('costs-source').textContent = data.costs.source;
  const rows = data.costs.lines.map((l) => el('tr', {}, el('td', { class: 'number' }, String(l.line + 1)), el('td', { class: 'number' }, `${number(100 * l.share, 1)} %`),
    el('td', { class: 'code' }, l.text.trim()), el('td', {}, l.by ?? ''), el('td', {}, l.words ?? '')));
  at('costs-table').append(el('table', {}, el('thead', {}, el('tr', {}, ...['line', 'share', '', 'by', data.costs.last].map((t) => el('th', { scope: 'col' }, t)))), el('tbody', {}, ...rows)));
}

if (data.timeline) draw(data.timeline);

function draw(timeline) {
  const kRow = 20, kLabel = 170, kAxis = 20, kWidth = 1200;
  const unit = timeline.unit === 'ns' ? 'ns' : 'steps';
  at('timeline').hidden = false;
  at('timeline-source').textContent = (timeline.unit === 'ns' ? 'Measured on the GPU, by a build with marks of its own.' : 'Steps of the simulator: an order, no time.')
    + (timeline.left_out > 0 ? ` ${number(timeline.left_out)} stretches are left out.` : '');
  const choice = at('process');
  for (const p of timeline.processes) choice.append(el('option', { value: String(p.id) }, p.name));
  const end = Math.max(1, ...timeline.spans.map((s) => s.end));
  let from = 0, to = end;
  const colours = new Map();
  const colour = (name) => {
    const key = name.replace(/\[\d+\]$/, '');
    if (!colours.has(key)) colours.set(key, colours.size % 8);
    return colours.get(key);
  };
  const svg = (name, attributes, ...children) => {
    const out = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes)) out.setAttribute(key, value);
    out.append(...children);
    return out;
  };
  const tell = (s) => {
    const line = s.line === undefined || s.line === null ? '' : `, line ${s.line + 1}: ${(lines[s.line] ?? '').trim()}`;
    at('about').textContent = `${s.name}: ${number(s.end - s.begin)} ${unit}, from ${number(s.begin)} to ${number(s.end)}${line}`;
  };
  const paint = () => {
    const process = Number(choice.value);
    const spans = timeline.spans.filter((s) => s.process === process);
    const tracks = timeline.tracks.filter((t) => t.process === process && spans.some((s) => s.track === t.id));
    const height = kAxis + tracks.length * kRow;
    const x = (time) => kLabel + ((time - from) / (to - from)) * (kWidth - kLabel);
    const out = svg('svg', { viewBox: `0 0 ${kWidth} ${height}`, role: 'group', 'aria-label': 'Timeline of the CTA' });
    for (let i = 0; i <= 8; ++i) {
      const time = from + ((to - from) * i) / 8;
      out.append(svg('line', { class: 'tick', x1: x(time), x2: x(time), y1: kAxis - 4, y2: height }), svg('text', { x: Math.min(x(time), kWidth - 60), y: 12 }, i === 0 ? `${number(time)} ${unit}` : number(time)));
    }
    tracks.forEach((track, row) => {
      out.append(svg('text', { x: 4, y: kAxis + row * kRow + 14 }, track.name.length > 25 ? `${track.name.slice(0, 24)}…` : track.name));
      for (const s of spans) {
        if (s.track !== track.id || s.end < from || s.begin > to) continue;
        const begin = Math.max(x(s.begin), kLabel), width = Math.max(0.5, Math.min(x(s.end), kWidth) - begin);
        const waits = s.name.startsWith('wait');
        const bar = svg('rect', { x: begin, y: kAxis + row * kRow + 2, width, height: kRow - 4, class: `f${colour(s.name)}${waits ? ' waits' : ''}`, tabindex: width > 3 ? 0 : -1, 'aria-label': s.name });
        bar.addEventListener('pointerenter', () => tell(s));
        bar.addEventListener('focus', () => tell(s));
        out.append(bar);
      }
    });
    at('drawing').replaceChildren(out);
  };
  const zoom = (factor) => {
    const middle = (from + to) / 2, half = ((to - from) / 2) * factor;
    [from, to] = [Math.max(0, middle - half), Math.min(end, Math.max(middle + half, middle - half + 1))];
    paint();
  };
  const move = (by) => {
    const step = Math.min(end - to, Math.max(-from, (to - from) * by));
    [from, to] = [from + step, to + step];
    paint();
  };
  choice.addEventListener('change', paint);
  at('in').addEventListener('click', () => zoom(0.5));
  at('out').addEventListener('click', () => zoom(2));
  at('left').addEventListener('click', () => move(-0.5));
  at('right').addEventListener('click', () => move(0.5));
  at('all').addEventListener('click', () => { [from, to] = [0, end]; paint(); });
  paint();
}
