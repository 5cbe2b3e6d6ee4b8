// Where the server's program is: named by the setting, inside the extension, or on PATH.
import { access, constants, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import * as vscode from 'vscode';

export interface Binary {
  path: string;
  from: 'the setting tilewright.server.path' | 'the extension' | 'PATH';
  stamp: string; // another one after the file was replaced
}

async function usable(path: string): Promise<string | undefined> {
  try {
    await access(path, constants.X_OK);
    const { ino, mtimeMs, size } = await stat(path);
    return `${ino}:${mtimeMs}:${size}`;
  } catch {
    return undefined;
  }
}

export async function stampOf(path: string): Promise<string | undefined> {
  return usable(path);
}

// A text says why there is none.
export async function findBinary(context: vscode.ExtensionContext): Promise<Binary | string> {
  const named = vscode.workspace.getConfiguration('tilewright').get<string>('server.path', '').trim();
  if (named) {
    const path = named.startsWith('~/') ? join(homedir(), named.slice(2)) : named;
    const stamp = isAbsolute(path) ? await usable(path) : undefined;
    if (stamp) return { path, from: 'the setting tilewright.server.path', stamp };
    return `the setting tilewright.server.path names ${named}, which is no program that can be started`;
  }
  const bundled = context.asAbsolutePath(join('bin', 'tilewright'));
  const stamp = await usable(bundled);
  if (stamp) return { path: bundled, from: 'the extension', stamp };
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    if (!isAbsolute(folder)) continue; // never out of the workspace
    const path = join(folder, 'tilewright');
    const found = await usable(path);
    if (found) return { path, from: 'PATH', stamp: found };
  }
  return 'this extension was packaged without a server for this system, and there is none on PATH';
}
