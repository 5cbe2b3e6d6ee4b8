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
  failed: boolean;
  range?: lsp.Range;
  views: Record<ViewKind, string>;
}

export interface Lines {
  start: number;
  end: number; // exclusive
}

export interface View {
  uri: string;
  languageId: string;
  state: ViewState;
  text: string;
  version?: number | null; // of the script that it was made from
  map?: { lines: Lines; source: lsp.Range }[];
  kernel?: Lines[]; // lines of the script that belong to the kernel
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
  [other: string]: unknown;
}
export interface Finding {
  code: string;
  severity: string;
  message: string;
  range: { file: string; start: { line: number; column: number }; end: { line: number; column: number } }; // from 1
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
