// Small means to build a page: elements, buttons, links to places of a script.
import type { Place } from '../panels/panel';

interface Host {
  postMessage(message: unknown): void;
}
declare function acquireVsCodeApi(): Host;
const host = acquireVsCodeApi();

export const send = (message: unknown): void => host.postMessage(message);

type Child = Node | string | undefined | null | false;
type Attributes = Record<string, string | number | boolean | ((event: Event) => void) | undefined>;

// An element; an attribute that is a function listens to the event of its name.
export function h(tag: string, attributes: Attributes = {}, ...children: Child[]): HTMLElement {
  const out = document.createElement(tag);
  fill(out, attributes, children);
  return out;
}

export function svg(tag: string, attributes: Attributes = {}, ...children: Child[]): SVGElement {
  const out = document.createElementNS('http://www.w3.org/2000/svg', tag);
  fill(out, attributes, children);
  return out;
}

function fill(out: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') out.addEventListener(name, value);
    else if (value === true) out.setAttribute(name, '');
    else if (value !== undefined && value !== false) out.setAttribute(name, String(value));
  }
  for (const child of children) if (child) out.append(child);
}

// A link to a place of a script.
export function place(text: string, to: Place | undefined, title = 'Show it in the script'): HTMLElement {
  if (!to) return h('span', {}, text);
  return h('button', { class: 'link', type: 'button', title, click: () => send({ goTo: to }) }, text);
}

// Shows what the extension sends, and asks for what was shown before this page was made again.
export function onState<State>(draw: (state: State, page: HTMLElement) => void): void {
  const page = document.getElementById('page') as HTMLElement;
  window.addEventListener('message', (event: MessageEvent<State>) => {
    try {
      draw(event.data, page);
    } catch (error) {
      // An answer of another version of the server, say: what was drawn so far is not taken for all.
      page.append(h('p', { class: 'bad', role: 'alert' }, `The rest could not be drawn: ${error instanceof Error ? error.message : String(error)}`));
    }
  });
  send('ready');
}

export function number(value: number, digits = 0): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: digits });
}

// Colours for many owners: hues far apart for neighbours, light enough for dark text.
export function hue(n: number): number {
  return (n * 137.508) % 360;
}
