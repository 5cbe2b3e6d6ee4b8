// What the URI of a view says: tilewright://KIND/ARCHITECTURE/KERNEL.EXT?document=URI&entry=EXPRESSION
import * as vscode from 'vscode';
import { type ViewKind, viewKinds } from '../protocol';

export const viewScheme = 'tilewright';

export interface ViewName {
  kind: ViewKind;
  architecture: string;
  file: string; // the kernel's name with the kind's suffix
  document: string; // the script's URI
  entry: string;
}

export function parseView(uri: vscode.Uri): ViewName | undefined {
  if (uri.scheme !== viewScheme || !(viewKinds as readonly string[]).includes(uri.authority)) return undefined;
  const [, architecture, file] = uri.path.split('/');
  const at = uri.query.lastIndexOf('&entry=');
  if (!architecture || !file || !uri.query.startsWith('document=') || at < 0) return undefined;
  return {
    kind: uri.authority as ViewKind,
    architecture,
    file,
    document: uri.query.slice('document='.length, at),
    entry: uri.query.slice(at + '&entry='.length),
  };
}

// As the server writes it; an editor's Uri decodes and encodes in its own way.
export function serverUri(name: ViewName): string {
  return `${viewScheme}://${name.kind}/${name.architecture}/${encode(name.file)}?document=${encode(name.document)}&entry=${encode(name.entry)}`;
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (c) => '%' + c.charCodeAt(0).toString(16).toUpperCase());
}

export function viewUri(name: ViewName): vscode.Uri {
  return vscode.Uri.parse(serverUri(name));
}

export const viewTitles: Record<ViewKind, string> = {
  report: 'Dispatch Report',
  tirx: 'Evaluated Kernel',
  lowered: 'Lowered IR',
  cuda: 'CUDA',
  ptx: 'PTX',
  sass: 'SASS',
  plan: 'Launch Plan',
};
