// What the extension asks the server beside the Language Server Protocol: protocol/README.md of Tilewright describes each
// request. Positions are the protocol's: from 0, columns in UTF-16 units.
import type * as lsp from 'vscode-languageclient/node';

export const viewKinds = ['report', 'tirx', 'lowered', 'cuda', 'ptx', 'sass', 'plan'] as const;
export type ViewKind = (typeof viewKinds)[number];
export type ViewState = 'ready' | 'pending' | 'failed';

export interface Entry {
  entry: string;
  kind: string;
  kernel: string;
  architecture: string;
  dialect?: { release: string; source: string; why: string }; // which release, and what says so
  failed: boolean;
  range?: lsp.Range;
  views: Record<ViewKind, string>;
}

export interface Lines {
  start: number;
  end: number; // exclusive
}

// Lines of a view, and lines of its script that they came from.
export interface Link {
  lines: Lines;
  source: Lines;
}

export interface View {
  uri: string;
  languageId: string;
  state: ViewState;
  text: string;
  version?: number | null; // of the script that it was made from
  map?: Link[]; // ascending by lines; several may have the same
  kernel?: Lines; // lines of the script that belong to the kernel
}

export interface RunResult {
  status: number;
  report: RunReport | null;
  messages: string;
  timeline?: Timeline | null;
}

// As protocol/schema/run.json, where a single entry was run.
export interface RunReport {
  kernel: string;
  entry: string;
  arch: string;
  device?: { name: string; arch: string };
  launch?: { grid: (number | string)[]; block: (number | string)[]; cluster?: (number | string)[]; dynamic_shared_bytes?: number | string };
  status: string;
  error?: string;
  verdict?: string;
  findings?: Finding[];
  tensors?: Tensor[];
  timing?: Timing | null;
  samples?: Samples;
  profile?: Profile;
  [other: string]: unknown;
}
// Where the warps of a GPU were found, by line.
export interface Samples {
  counted_by: string | null;
  absent?: string; // why there are none
  missing?: string | null; // why they are at no line
  samples?: number;
  lines?: { file: string; line: number; text: string; primitive: string | null; variant: string | null; samples: number; waits: Wait[] }[];
}
export interface Wait {
  reason: string;
  words: string;
  advice: string | null;
  samples: number;
}
// What each line asks of the hardware, by the simulator.
export interface Profile {
  lines: { file: string; line: number; text: string; cost: number }[];
  [other: string]: unknown;
}
export interface Finding {
  code: string;
  severity: string;
  message: string;
  range: { file: string; start: { line: number; column: number }; end: { line: number; column: number } } | null; // from 1; null: nowhere
  hint?: string;
}
export interface Tensor {
  name: string;
  dtype: string;
  shape: number[];
  [other: string]: unknown;
}
export interface Timing {
  launches: number[];
  median_us: number;
  min_us: number;
  max_us: number;
  p20_us: number;
  p80_us: number;
  stable: boolean;
  bytes: number;
  floor_us: number | null;
  suspect: boolean;
  copy?: { median_us: number; bytes?: number; fraction?: number } | null;
  [other: string]: unknown;
}
export interface Timeline {
  unit: 'step' | 'ns';
  processes: { id: number; name: string }[];
  tracks: { process: number; id: number; name: string }[];
  spans: { process: number; track: number; begin: number; end: number; name: string; detail?: string; line?: number }[];
  arrows: { name: string; from: TimelinePoint; to: TimelinePoint }[];
  left_out: number;
}
export interface TimelinePoint {
  process: number;
  track: number;
  time: number;
}

export interface Targets {
  settings: string | null;
  targets: { name: string; kind: 'local' | 'remote' | 'pool'; address?: string; members?: string[]; trusted?: boolean; does?: string }[];
}
export interface Trust {
  settings: string | null;
  trusted: boolean;
}

// ---- layouts ----
export type Extent = number | string;
export interface Layout {
  name: string;
  kind: 'buffer' | 'region' | 'layout';
  range: lsp.Range;
  version: number;
  layout: string;
  printed: string;
  words: string;
  text: string;
  bits: number;
  dtype?: string;
  scope?: string;
  bytes?: number;
  shape: Extent[];
  grid: Grid | null;
  grid_problem?: string;
  owners: number[];
  entry?: string;
  architecture?: string;
  accesses: Access[];
  accesses_left_out: number;
}
export interface Grid {
  rows: number;
  columns: number;
  shown_rows: number;
  shown_columns: number;
  left_out: string;
  coloured_by: 'thread' | 'bank' | 'column' | 'none';
  thread?: number[];
  address?: number[];
  bank?: number[];
  lane?: number[];
  column?: number[];
  label: string[];
}
export interface Access {
  call: string;
  reads: boolean;
  writes: boolean;
  location: lsp.Location | null;
  degree: number | null;
  why?: string;
  worst?: {
    bits: number;
    wavefronts: number;
    ideal: number;
    phases: { first_lane: number; lanes: number; degree: number; bank: number; words: number[] }[];
    address: number[];
  };
}

// ---- pipelines ----
export interface Use {
  what: string;
  kind: 'fill' | 'drain' | 'init' | 'arrive' | 'expect' | 'complete' | 'wait' | 'sync' | 'other';
  who: string;
  under: string[];
  bytes: number | null;
  barrier: string | null;
  location: lsp.Location | null;
  times: number;
}
export interface Pipeline {
  entry: string;
  kernel: string;
  architecture: string;
  version: number | null;
  text: string;
  buffers: { name: string; other_names: string[]; scope: string; dtype: string; shape: string; bytes?: number | null; location: lsp.Location | null; fills: Use[]; drains: Use[] }[];
  barriers: { name: string; count?: number | null; location: lsp.Location | null; arrivals?: string | null; uses: Use[] }[];
  syncs: Use[];
  left_out: number;
}
