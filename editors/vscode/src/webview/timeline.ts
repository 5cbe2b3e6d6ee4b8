// The timeline of a run: what each warp did, waited for and had under way, over the simulator's steps or measured time. Ctrl and
// the wheel zoom at the pointer, the wheel moves along; the buttons do the same.
import type { Timeline } from '../protocol';
import { h, hue, number, send, svg } from './dom';

const rowHeight = 20, labelWidth = 150, axisHeight = 22;

export function timeline(t: Timeline, uri: string): HTMLElement {
  const end = Math.max(1, ...t.spans.map((s) => s.end));
  const rows = t.tracks.filter((track) => t.spans.some((s) => s.process === track.process && s.track === track.id));
  const rowOf = new Map(rows.map((track, i) => [`${track.process}/${track.id}`, i]));
  const processes = new Map(t.processes.map((p) => [p.id, p.name]));
  const unit = t.unit === 'ns' ? 'ns' : 'steps';
  let from = 0, to = end, width = Math.max(480, document.documentElement.clientWidth - 44);
  const drawing = svg('svg', { class: 'timeline', height: axisHeight + rows.length * rowHeight, role: 'group', 'aria-label': 'Timeline of the run' });
  const about = h('p', { role: 'status', class: 'code' }, 'Point at a bar, or reach it with Tab, to see what it is.');
  const draw = () => drawing.replaceChildren(...paint());
  const zoom = (factor: number, at = (from + to) / 2) => {
    from = Math.max(0, at - (at - from) * factor);
    to = Math.min(end, Math.max(from + 1, at + (to - at) * factor));
    draw();
  };
  const move = (by: number) => {
    const step = Math.min(end - to, Math.max(-from, (to - from) * by));
    from += step;
    to += step;
    draw();
  };
  const x = (time: number) => labelWidth + ((time - from) / (to - from)) * (width - labelWidth);
  drawing.addEventListener('wheel', (event) => {
    event.preventDefault();
    const box = drawing.getBoundingClientRect();
    const at = from + (Math.max(0, ((event.clientX - box.left) / box.width) * width - labelWidth) / (width - labelWidth)) * (to - from);
    if (event.ctrlKey || event.metaKey) zoom(event.deltaY > 0 ? 1.25 : 0.8, at);
    else move(Math.sign(event.deltaX || event.deltaY) * 0.1);
  }, { passive: false });

  function paint(): SVGElement[] {
    const out: SVGElement[] = [];
    const ticks = Math.max(2, Math.floor((width - labelWidth) / 110));
    for (let i = 0; i <= ticks; i++) {
      const time = from + ((to - from) * i) / ticks;
      out.push(svg('line', { class: 'axis', x1: x(time), x2: x(time), y1: axisHeight - 4, y2: axisHeight + rows.length * rowHeight }));
      if (i < ticks) out.push(svg('text', { x: x(time) + 3, y: 13 }, number(time)));
    }
    for (const [i, track] of rows.entries()) {
      const name = `${processes.get(track.process) ?? ''} ${track.name}`.trim();
      out.push(svg('text', { x: 4, y: axisHeight + i * rowHeight + 14 }, name.length > 22 ? name.slice(0, 21) + '…' : name));
    }
    for (const span of t.spans) {
      const row = rowOf.get(`${span.process}/${span.track}`);
      if (row === undefined || span.end < from || span.begin > to) continue;
      const left = Math.max(labelWidth, x(span.begin)), right = Math.min(width, x(span.end));
      const line = span.line;
      const what = `${span.name}${span.detail ? `: ${span.detail}` : ''}, ${unit} ${number(span.begin)} to ${number(span.end)}${line === undefined ? '' : `, line ${line + 1}`}`;
      const tell = () => (about.textContent = what);
      const go = () => line !== undefined && send({ goTo: { uri, line } });
      out.push(svg('rect', {
        class: 'span', x: left, y: axisHeight + row * rowHeight + 2, width: Math.max(1.5, right - left), height: rowHeight - 4, rx: 2,
        fill: `hsl(${hue(hash(span.name))} 62% 58%)`, tabindex: 0, role: 'button', 'aria-label': what,
        mouseenter: tell, focus: tell, click: go, keydown: (event: Event) => (event as KeyboardEvent).key === 'Enter' && go(),
      }));
    }
    for (const arrow of t.arrows) {
      const a = rowOf.get(`${arrow.from.process}/${arrow.from.track}`), b = rowOf.get(`${arrow.to.process}/${arrow.to.track}`);
      if (a === undefined || b === undefined || arrow.to.time < from || arrow.from.time > to || arrow.from.time < from || arrow.to.time > to) continue;
      const y = (row: number) => axisHeight + row * rowHeight + rowHeight / 2;
      out.push(svg('path', { class: 'link-arrow', d: `M${x(arrow.from.time)} ${y(a)} L${x(arrow.to.time)} ${y(b)}` }));
    }
    return out;
  }
  draw();
  // Drawn at the size that it is shown in, so that its words stay readable.
  new ResizeObserver(([entry]) => {
    const now = Math.max(480, Math.floor(entry.contentRect.width));
    if (Math.abs(now - width) < 8) return;
    width = now;
    draw();
  }).observe(drawing);
  const button = (text: string, label: string, click: () => void) => h('button', { class: 'more', type: 'button', 'aria-label': label, title: label, click }, text);
  return h('section', {}, h('div', { class: 'row spread' }, h('h2', {}, 'Timeline'), h('span', { class: 'row' },
    button('−', 'Zoom out', () => zoom(2)), button('+', 'Zoom in', () => zoom(0.5)), button('←', 'Earlier', () => move(-0.25)), button('→', 'Later', () => move(0.25)))),
    h('p', {}, `${number(end)} ${t.unit === 'ns' ? 'ns, measured with marks in the kernel' : 'steps of the simulator'}` + (t.left_out > 0 ? `; ${number(t.left_out)} events are left out` : '')), drawing as unknown as Node, about);
}

function hash(text: string): number {
  let n = 0;
  for (const c of text) n = (n * 31 + c.charCodeAt(0)) % 997;
  return n;
}
