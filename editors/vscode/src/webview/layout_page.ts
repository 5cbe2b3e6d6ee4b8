// The page of the Layout view: a table of elements, coloured by who owns them or by their bank.
import type { LayoutState } from '../panels/layout';
import type { Access, Grid, Layout } from '../protocol';
import { h, hue, number, onState, place, send, svg } from './dom';

onState<LayoutState>((state, page) => {
  page.replaceChildren();
  const layout = state.layout;
  if (!layout) return page.append(h('h1', {}, 'Layout'), h('p', { role: 'status' }, state.note ?? 'Put the cursor on a buffer or a layout.'));
  if (state.note) page.append(h('p', { class: 'warn', role: 'status' }, state.note));
  const of = [layout.dtype, layout.shape.length > 0 && `(${layout.shape.join(', ')})`, layout.scope, layout.bytes !== undefined && `${number(layout.bytes)} bytes`].filter(Boolean).join(' · ');
  page.append(
    h('div', { class: 'row spread' }, h('div', {}, h('h1', { class: 'code' }, layout.name || 'layout'), h('p', {}, of)), choices(state)),
    h('p', { class: 'code' }, layout.layout),
    h('details', {}, h('summary', {}, 'What each part does'), h('pre', {}, layout.words)));
  if (layout.grid) page.append(picture(layout, layout.grid));
  else page.append(h('p', { class: 'warn' }, layout.grid_problem ?? 'It has no picture.'));
  page.append(accesses(layout));
});

function choices(state: LayoutState): HTMLElement {
  const one = (by: LayoutState['by'], text: string) =>
    h('button', { class: 'more', type: 'button', 'aria-pressed': state.by === by ? 'true' : 'false', click: () => send({ by }) }, text);
  return h('div', { class: 'row', role: 'group', 'aria-label': 'Colours' }, one('auto', 'Automatic'), one('thread', 'By thread'), one('bank', 'By bank'));
}

// By what elements belong together: the same thread, bank, or column of tensor memory.
function groups(grid: Grid): number[] | undefined {
  switch (grid.coloured_by) {
    case 'thread': return grid.thread;
    case 'bank': return grid.bank;
    case 'column': return grid.column;
    default: return undefined;
  }
}

function picture(layout: Layout, grid: Grid): HTMLElement {
  const group = groups(grid);
  const name = { thread: 'thread', bank: 'bank', column: 'column of tensor memory', none: '' }[grid.coloured_by];
  const about = h('p', { role: 'status', class: 'code' }, name ? `Point at an element to see all of its ${name}; the arrow keys move.` : 'Each element’s place in memory.');
  const cells: HTMLElement[] = [];
  const table = h('table', { class: `grid${group ? '' : ' plain'}`, 'aria-label': `Elements of ${layout.name || 'the layout'}` });
  const ask = (i: number) => {
    table.classList.toggle('asking', i >= 0 && group !== undefined);
    const wanted = i >= 0 && group ? group[i] : undefined;
    let count = 0;
    cells.forEach((cell, j) => {
      const mate = wanted !== undefined && group?.[j] === wanted;
      cell.classList.toggle('mate', mate);
      if (mate) count++;
    });
    if (i >= 0) about.textContent = said(layout, grid, i, name, count);
  };
  table.append(h('thead', {}, h('tr', {}, h('td'), ...range(grid.shown_columns).map((c) => h('th', { scope: 'col' }, String(c))))));
  const body = h('tbody');
  for (const r of range(grid.shown_rows)) {
    const row = h('tr', {}, h('th', { scope: 'row' }, String(r)));
    for (const c of range(grid.shown_columns)) {
      const i = r * grid.shown_columns + c;
      const owner = group?.[i] ?? -1;
      const cell = h('td', { tabindex: i === 0 ? 0 : -1, style: owner >= 0 ? `background:hsl(${hue(owner)} 60% ${owner % 2 ? 72 : 80}%)` : undefined,
        mouseenter: () => ask(i), focus: () => ask(i), keydown: (event: Event) => walk(event as KeyboardEvent, cells, i, grid) }, grid.label[i]);
      cells.push(cell);
      row.append(cell);
    }
    body.append(row);
  }
  table.append(body);
  table.addEventListener('mouseleave', () => ask(-1));
  return h('section', {}, h('h2', {}, name ? `Coloured by ${name}` : 'Places'), grid.left_out && h('p', {}, grid.left_out), about,
    h('div', { class: 'scroll', role: 'region', 'aria-label': 'Picture of the layout', tabindex: 0 }, table));
}

function said(layout: Layout, grid: Grid, i: number, name: string, count: number): string {
  const at = `[${Math.floor(i / grid.shown_columns)}, ${i % grid.shown_columns}]`;
  const thread = grid.thread?.[i];
  const parts = [at];
  if (thread !== undefined && thread >= 0) {
    const owners = layout.owners.map((more) => thread + more);
    parts.push(`thread${owners.length > 1 ? 's' : ''} ${owners.slice(0, 8).join(', ')}${owners.length > 8 ? ', …' : ''}`);
    if (grid.address) parts.push(`register ${grid.address[i]}`);
  } else if (grid.address) parts.push(`element ${grid.address[i]} in memory`);
  if (grid.bank && grid.bank[i] >= 0) parts.push(`bank ${grid.bank[i]}`);
  if (grid.lane && grid.lane[i] >= 0) parts.push(`lane ${grid.lane[i]}`);
  if (grid.column && grid.column[i] >= 0) parts.push(`column ${grid.column[i]}`);
  if (name && count > 0) parts.push(`${count} shown elements of this ${name}`);
  return parts.join(' · ');
}

function walk(event: KeyboardEvent, cells: HTMLElement[], i: number, grid: Grid): void {
  const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -grid.shown_columns, ArrowDown: grid.shown_columns }[event.key];
  const next = by === undefined ? undefined : cells[i + by];
  if (!next) return;
  event.preventDefault();
  cells[i].tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}

function accesses(layout: Layout): HTMLElement {
  if (layout.accesses.length === 0) return h('div');
  const rows = layout.accesses.map((a) => h('tr', {},
    h('td', {}, a.location ? place(a.call, { uri: a.location.uri, line: a.location.range.start.line, character: a.location.range.start.character }) : a.call),
    h('td', {}, [a.reads && 'reads', a.writes && 'writes'].filter(Boolean).join(', ')), conflict(a)));
  const where = layout.entry ? ` in ${layout.entry}${layout.architecture ? ` for ${layout.architecture}` : ''}` : '';
  const out = h('section', {}, h('h2', {}, `Accesses${where}`), h('table', {}, h('thead', {}, h('tr', {}, ...['what', '', 'banks'].map((n) => (n ? h('th', { scope: 'col' }, n) : h('td'))))), h('tbody', {}, ...rows)));
  if (layout.accesses_left_out > 0) out.append(h('p', {}, `${layout.accesses_left_out} more are left out.`));
  const worst = layout.accesses.filter((a) => a.worst && (a.degree ?? 0) > 1)[0];
  if (worst) out.append(banks(worst));
  return out;
}

function conflict(a: Access): HTMLElement {
  if (a.degree === null) return h('td', {}, `not known: ${a.why ?? ''}`);
  if (a.degree <= 1) return h('td', { class: 'good' }, 'no conflict');
  return h('td', { class: 'bad' }, `${a.degree}-way conflict` + (a.worst ? `: ${a.worst.wavefronts} wavefronts instead of ${a.worst.ideal}` : ''));
}

// How many words each bank delivers in the worst phase.
function banks(a: Access): HTMLElement {
  const phase = [...(a.worst?.phases ?? [])].sort((p, q) => q.degree - p.degree)[0];
  if (!phase) return h('div');
  const most = Math.max(1, ...phase.words);
  const last = phase.first_lane + phase.lanes - 1;
  return h('div', {}, h('p', {}, `The worst phase of ${a.call}, lanes ${phase.first_lane} to ${last}: words that each of the 32 banks delivers one after the other`),
    svg('svg', { class: 'banks', viewBox: '0 0 320 64', preserveAspectRatio: 'none', role: 'img', 'aria-label': `Words of each bank: ${phase.words.join(', ')}` },
      ...phase.words.map((n, i) => svg('rect', { class: n > 1 ? 'hot' : undefined, x: i * 10 + 1, y: 62 - (60 * n) / most, width: 8, height: (60 * n) / most })),
      svg('line', { x1: 0, x2: 320, y1: 63, y2: 63 })) as unknown as Node);
}

const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i);
