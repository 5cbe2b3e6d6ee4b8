// The page of the Pipeline view: a row for each buffer, from who fills it to who drains it; then barriers with their uses.
import type { PipelineState } from '../panels/pipeline';
import type { Pipeline, Use } from '../protocol';
import { h, number, onState, place } from './dom';

const words: Partial<Record<Use['kind'], string>> = { sync: 'synchronises', init: 'initialised', expect: 'expects', arrive: 'arrives', complete: 'completes', wait: 'waits' };

onState<PipelineState>(({ pipeline, note }, page) => {
  page.replaceChildren();
  page.append(h('h1', {}, pipeline ? `Pipeline of ${pipeline.kernel}` : 'Pipeline'));
  if (pipeline) page.append(h('p', {}, `entry ${pipeline.entry}, ${pipeline.architecture}`));
  if (note) page.append(h('p', { class: 'warn', role: 'status' }, note));
  if (!pipeline) return;
  if (pipeline.left_out > 0) page.append(h('p', {}, `${number(pipeline.left_out)} more are left out.`));
  page.append(h('h2', {}, 'Buffers'), ...pipeline.buffers.map(buffer));
  if (pipeline.barriers.length > 0) page.append(h('h2', {}, 'Barriers'), ...pipeline.barriers.map(barrier));
  if (pipeline.syncs.length > 0) page.append(h('h2', {}, 'Synchronisation of threads'), uses(pipeline.syncs));
});

function at(location: Use['location']) {
  return location ? { uri: location.uri, line: location.range.start.line, character: location.range.start.character } : undefined;
}

function use(u: Use): HTMLElement {
  const more = [u.who, ...u.under, typeof u.bytes === 'number' && `${number(u.bytes)} bytes`, u.times > 1 && `${u.times} places`].filter(Boolean).join(' · ');
  return h('li', { class: sideOf(u.kind) }, place(u.what, at(u.location)), h('p', {}, more), u.barrier && h('p', {}, 'completes ', h('span', { class: 'code' }, u.barrier)));
}

function sideOf(kind: Use['kind']): string {
  return kind === 'sync' || kind === 'other' ? 'wait' : kind;
}

function buffer(b: Pipeline['buffers'][number]): HTMLElement {
  const side = (list: Use[], none: string) => (list.length === 0 ? h('p', {}, none) : h('ul', {}, ...list.map(use)));
  const names = b.other_names.length > 0 ? h('p', {}, `also ${b.other_names.join(', ')}`) : undefined;
  return h('div', { class: 'flow' },
    side(b.fills, b.scope === 'global' ? 'from outside' : 'never filled'), h('div', { class: 'arrow', 'aria-hidden': 'true' }, '→'),
    h('div', { class: 'card' }, place(b.name, at(b.location)), names, h('p', { class: 'code' }, `${b.dtype} ${b.shape}`),
      h('p', {}, b.scope + (typeof b.bytes === 'number' ? `, ${number(b.bytes)} bytes` : ''))),
    h('div', { class: 'arrow', 'aria-hidden': 'true' }, '→'), side(b.drains, b.scope === 'global' ? 'to outside' : 'never drained'));
}

function barrier(b: Pipeline['barriers'][number]): HTMLElement {
  const about = [typeof b.count === 'number' && b.count !== 1 && `${b.count} barriers`, b.arrivals && `${b.arrivals} arrivals complete a phase`].filter(Boolean).join(' · ');
  return h('section', {}, h('p', {}, place(b.name, at(b.location)), about ? ` — ${about}` : ''), uses(b.uses));
}

function uses(list: Use[]): HTMLElement {
  return h('ul', { class: 'uses' }, ...list.map((u) => {
    const item = use(u);
    item.prepend(h('div', { class: 'kind' }, words[u.kind] ?? u.kind));
    return item;
  }));
}
