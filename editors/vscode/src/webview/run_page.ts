// The page of the Run view.
import type { RunReport, Samples, Tensor, Timing } from '../protocol';
import type { RunState } from '../run/panel';
import { h, number, onState, place, send, svg } from './dom';
import { timeline } from './timeline';

const verdicts: Record<string, [string, string]> = {
  verified: ['good', 'Everything that was expected came.'],
  partial: ['warn', 'What was expected came, of the part that ran.'],
  unverified: ['warn', 'It ran; nothing was expected of its outputs.'],
  review: ['warn', 'The simulator warns of something.'],
  silenced: ['warn', 'The simulator found something, and the script says why it is meant.'],
  incomplete: ['warn', 'Something is not modelled, or a limit was met: this is no pass.'],
  failed: ['bad', 'It did not do what was expected.'],
};

onState<RunState>((state, page) => {
  page.replaceChildren(h('h1', {}, state.script ? `Run ${state.script}` : 'Run'), controls(state));
  if (state.running) page.append(progress(state.running));
  else if (state.last) page.append(outcome(state.last));
  if (state.history.length > 0) page.append(history(state));
});

function controls(state: RunState): HTMLElement {
  if (!state.trusted) return h('p', { class: 'warn', role: 'status' }, 'This workspace is not trusted: scripts are read and explained, and nothing is run.');
  if (state.entries.length === 0) return h('p', {}, 'Open a tile script with an entry to run it.');
  const choose = (label: string, options: string[], chosen?: string) => {
    const id = `choose-${label}`;
    const select = h('select', { id }, ...options.map((name) => h('option', { value: name, selected: name === chosen }, name))) as HTMLSelectElement;
    return { select, both: h('span', { class: 'row' }, h('label', { for: id }, label), select) };
  };
  const entry = choose('Entry', state.entries, state.running?.entry ?? state.entry);
  const on = choose('on', state.targets, state.running?.on ?? state.on);
  const profile = h('input', { id: 'choose-profile', type: 'checkbox', checked: state.profile }) as HTMLInputElement;
  const run = () => send({ run: { entry: entry.select.value, on: on.select.value, profile: profile.checked } });
  return h('div', { class: 'row' }, entry.both, on.both,
    h('span', { class: 'row' }, profile, h('label', { for: 'choose-profile' }, 'where its time goes')),
    h('button', { class: 'main', type: 'button', disabled: state.running !== undefined, click: run }, 'Run'),
    state.running && h('button', { class: 'more', type: 'button', click: () => send({ cancel: true }) }, 'Cancel'));
}

function progress(running: NonNullable<RunState['running']>): HTMLElement {
  return h('div', { role: 'status' },
    h('p', {}, running.steps.at(-1) ?? `Starting ${running.entry} on ${running.on}…`),
    h('progress', { 'aria-label': 'The kernel is running' }),
    running.steps.length > 1 && h('ol', {}, ...running.steps.slice(0, -1).map((step) => h('li', {}, step))));
}

function outcome(last: NonNullable<RunState['last']>): HTMLElement {
  const out = h('section', { class: last.old ? 'old' : undefined });
  if (last.old) out.append(h('p', { class: 'warn', role: 'status' }, 'Out of date: the script has changed since this run.'));
  const report = last.result?.report;
  if (!report) {
    out.append(h('h2', {}, `${last.entry} on ${last.on}`), h('p', { class: last.problem === 'cancelled' ? 'warn' : 'bad' }, last.problem === 'cancelled' ? 'Cancelled.' : 'It was not run.'));
    const why = last.problem && last.problem !== 'cancelled' ? last.problem : last.result?.messages;
    if (why) out.append(h('pre', {}, why));
    return out;
  }
  const [tone, meaning] = verdicts[report.verdict ?? ''] ?? ['warn', ''];
  out.append(h('h2', {}, `${report.kernel} on ${report.device?.name ?? last.on} (${report.arch})`),
    h('div', { class: 'row' }, h('span', { class: `badge ${tone}`, id: 'verdict' }, report.verdict ?? report.status), h('span', {}, meaning)));
  if (report.error) out.append(h('p', { class: 'bad' }, report.error));
  for (const note of [...strings(report.problems), ...strings(report.notes)]) out.append(h('p', {}, note));
  out.append(launch(report));
  if (report.timing) out.append(timing(report.timing));
  if (report.samples) out.append(sampled(report.samples, last.uri));
  if (report.profile) out.append(costs(report.profile.lines, last.uri));
  out.append(findings(report, last.uri), tensors(report.tensors ?? [], last.uri));
  if (last.result?.timeline && last.result.timeline.spans.length > 0) out.append(timeline(last.result.timeline, last.uri));
  if (last.result?.messages) out.append(h('details', {}, h('summary', {}, 'Messages'), h('pre', {}, last.result.messages)));
  return out;
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
}

function card(name: string, value: string): HTMLElement {
  return h('div', { class: 'card' }, name, h('b', {}, value));
}

function launch(report: RunReport): HTMLElement {
  const cards = h('div', { class: 'cards' });
  const l = report.launch;
  if (l) {
    cards.append(card('grid', l.grid.join(' × ')), card('block', l.block.join(' × ')));
    if (l.cluster && l.cluster.some((n) => n !== 1)) cards.append(card('cluster', l.cluster.join(' × ')));
    if (l.dynamic_shared_bytes) cards.append(card('dynamic shared memory', `${number(Number(l.dynamic_shared_bytes))} B`));
  }
  return cards;
}

function timing(t: Timing): HTMLElement {
  const bandwidth = t.bytes / t.median_us / 1000; // GB/s
  const cards = h('div', { class: 'cards' }, card('median', `${number(t.median_us, 2)} µs`), card('bandwidth', `${number(bandwidth)} GB/s`),
    card('middle three fifths', `${number(t.p20_us, 2)} – ${number(t.p80_us, 2)} µs`), card('launches', t.stable ? 'stable' : 'not stable'));
  const out = h('div', {}, h('h2', {}, 'Time'), cards);
  if (t.suspect) out.append(h('p', { class: 'bad' }, 'Faster than memory could be: suspect.'));
  const most = Math.max(...t.launches);
  const width = 1000 / t.launches.length;
  out.append(svg('svg', { class: 'bars', viewBox: '0 0 1000 60', preserveAspectRatio: 'none', role: 'img', 'aria-label': `Time of each of ${t.launches.length} launches, at most ${number(most, 2)} µs` },
    ...t.launches.map((us, i) => svg('rect', { x: i * width, y: 60 - (60 * us) / most, width: Math.max(1, width - 2), height: (60 * us) / most }))));
  const roof = (what: string, part: number) => h('div', {}, h('p', {}, `${number(part * 100, 1)} % ${what}`),
    h('div', { class: 'roof', role: 'meter', 'aria-valuemin': 0, 'aria-valuemax': 100, 'aria-valuenow': Math.round(part * 100), 'aria-label': what },
      h('i', { style: `width:${Math.min(100, part * 100)}%` })));
  if (t.floor_us) out.append(roof('of the memory’s peak', t.floor_us / t.median_us));
  if (t.copy?.fraction) out.append(roof('of the speed of the driver’s copy', t.copy.fraction));
  return out;
}

const mostLines = 12, mostWaits = 3;

function percent(part: number, all: number): string {
  return `${number((100 * part) / Math.max(1, all), 1)} %`;
}

// By samples of a GPU: the share of each line, and what its warps waited for.
function sampled(samples: Samples, uri: string): HTMLElement {
  const out = h('div', { id: 'samples' }, h('h2', {}, 'Where the time goes'));
  const why = samples.absent ?? samples.missing;
  if (why) out.append(h('p', { class: 'warn' }, `Not available: ${why}`));
  const all = samples.samples ?? 0;
  const rows = (samples.lines ?? []).slice(0, mostLines).map((line) => h('tr', {}, h('td', {}, place(`line ${line.line}`, { uri, line: line.line - 1 })),
    h('td', { class: 'num' }, percent(line.samples, all)), h('td', { class: 'code' }, line.text.trim()),
    h('td', {}, line.primitive ? `${line.primitive} ${line.variant ?? ''}` : ''),
    h('td', {}, ...line.waits.slice(0, mostWaits).map((w) => h('p', { title: w.advice ?? undefined }, `${percent(w.samples, line.samples)} ${w.words}`)))));
  if (rows.length > 0) out.append(h('p', {}, `Counted by the GPU: ${number(all)} samples of its warps.`), h('table', {}, head('line', 'of all', '', 'by', 'its warps wait for'), h('tbody', {}, ...rows)));
  return out;
}

// By the simulator: the share of each line in what the kernel asks of memory and arithmetic.
function costs(lines: { line: number; text: string; cost: number }[], uri: string): HTMLElement {
  const all = lines.reduce((sum, line) => sum + line.cost, 0);
  const rows = lines.slice(0, mostLines).map((line) => h('tr', {}, h('td', {}, place(`line ${line.line}`, { uri, line: line.line - 1 })),
    h('td', { class: 'num' }, percent(line.cost, all)), h('td', { class: 'code' }, line.text.trim())));
  return h('div', { id: 'profile' }, h('h2', {}, 'What it asks of the hardware'), h('p', {}, 'Counted by the simulator; the shares are modelled.'),
    h('table', {}, head('line', 'of all', ''), h('tbody', {}, ...rows)));
}

function findings(report: RunReport, uri: string): HTMLElement {
  const list = report.findings ?? [];
  if (list.length === 0) return h('div');
  return h('div', {}, h('h2', {}, `Findings (${list.length})`), h('ul', {}, ...list.map((f) => h('li', {},
    h('span', { class: f.severity === 'error' ? 'bad' : 'warn' }, `${f.code} `),
    f.range ? place(`line ${f.range.start.line}`, { uri, line: f.range.start.line - 1, character: f.range.start.column - 1 }) : '', f.range ? `: ${f.message}` : f.message,
    f.hint && h('p', {}, f.hint)))));
}

function verdictOf(t: Tensor): [string, string] {
  const c = t.comparison as { mismatches: number; elements: number; expected_from: string; max_absolute: number; first: { element: number; index: number[]; got: number | null; expected: number | null } | null } | undefined;
  if (Number(t.bytes_outside) > 0) return ['bad', `${number(Number(t.bytes_outside))} bytes written outside of it`];
  if (Number(t.bytes_changed) > 0) return ['bad', 'an input that was changed'];
  if (!c) return t.role === 'input' ? ['', String(t.source)] : ['warn', 'nothing was expected'];
  if (c.mismatches === 0) return ['good', `as expected (${c.expected_from})`];
  const first = c.first ? `; the first, ${c.first.index.length > 0 ? `[${c.first.index.join(', ')}]` : `element ${c.first.element}`}, is ${c.first.got} instead of ${c.first.expected}` : '';
  return ['bad', `${number(c.mismatches)} of ${number(c.elements)} elements are wrong${first}`];
}

function tensors(list: Tensor[], uri: string): HTMLElement {
  if (list.length === 0) return h('div');
  const rows = list.map((t) => {
    const [tone, text] = verdictOf(t);
    const producer = (t.comparison as { producer?: { range: { start: { line: number } } } } | undefined)?.producer;
    return h('tr', {}, h('td', { class: 'code' }, t.name), h('td', {}, String(t.role)), h('td', { class: 'code' }, `${t.dtype} (${t.shape.join(', ')})`),
      h('td', { class: tone }, text, producer && h('span', {}, ' written at ', place(`line ${producer.range.start.line}`, { uri, line: producer.range.start.line - 1 }))));
  });
  return h('div', {}, h('h2', {}, 'Tensors'), h('table', {}, head('name', 'role', 'what', 'contents'), h('tbody', {}, ...rows)));
}

function head(...names: string[]): HTMLElement {
  return h('thead', {}, h('tr', {}, ...names.map((name) => h('th', { scope: 'col' }, name))));
}

function history(state: RunState): HTMLElement {
  const rows = state.history.map((p) => h('tr', {}, h('td', {}, new Date(p.when).toLocaleString()),
    h('td', { class: 'code' }, p.entry), h('td', {}, p.on + (p.architecture ? ` (${p.architecture})` : '')),
    h('td', { class: verdicts[p.verdict]?.[0] ?? 'warn' }, p.verdict),
    h('td', { class: 'num' }, p.medianUs === undefined ? '–' : `${number(p.medianUs, 2)} µs`),
    h('td', { class: 'num' }, p.fraction === undefined ? '–' : `${number(p.fraction * 100, 1)} %`)));
  return h('section', {}, h('div', { class: 'row spread' }, h('h2', {}, 'History'), h('button', { class: 'more', type: 'button', click: () => send({ clear: true }) }, 'Clear')),
    h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'History of runs' },
      h('table', {}, head('when', 'entry', 'on', 'verdict', 'median', 'of a copy'), h('tbody', {}, ...rows))));
}
