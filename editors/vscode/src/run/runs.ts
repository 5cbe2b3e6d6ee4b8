// Runs of kernels: one at a time for each script, with progress, cancellation and a history that outlives the window.
import * as vscode from 'vscode';
import { WorkDoneProgress } from 'vscode-languageclient/node';
import type { RunResult, Targets, Trust } from '../protocol';
import type { Server } from '../server';
import { messageOf } from '../views/views';

export interface Past {
  when: number; // milliseconds since 1970
  script: string; // URI
  entry: string;
  on: string;
  architecture: string;
  verdict: string;
  medianUs?: number;
  fraction?: number; // of the speed of the driver's copy
  seconds: number;
}

export interface Running {
  script: vscode.Uri;
  entry: string;
  on: string;
  profile: boolean; // where its time goes is asked, too
  steps: string[];
  cancel: vscode.CancellationTokenSource;
}

export interface Done {
  script: vscode.Uri;
  entry: string;
  on: string;
  result?: RunResult;
  problem?: string; // why there is no result
  version: number; // of the script that was run; another one since then makes it out of date
}

const historyKey = 'tilewright.history';
const kept = 100;
// Events of a timeline: what a page can draw at once.
const eventsAtMost = 4000;

export class Runs implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;
  now: Running | undefined;
  last: Done | undefined;
  private count = 0;

  constructor(private readonly server: Server, private readonly memory: vscode.Memento) {}

  dispose(): void {
    this.now?.cancel.cancel();
    this.changed.dispose();
  }

  get history(): Past[] {
    return this.memory.get<Past[]>(historyKey, []);
  }

  async clearHistory(): Promise<void> {
    await this.memory.update(historyKey, []);
    this.changed.fire();
  }

  targets(script: vscode.Uri): Promise<Targets> {
    return this.server.request<Targets>('tilewright/targets', { textDocument: { uri: script.toString() } });
  }

  // The server asks, with all that the remotes of the script's settings would execute.
  trust(script: vscode.Uri): Promise<Trust> {
    if (!vscode.workspace.isTrusted) throw new Error('nothing is trusted in a workspace that is not; “Workspaces: Manage Workspace Trust” changes that');
    this.server.wake();
    return this.server.request<Trust>('tilewright/trust', { textDocument: { uri: script.toString() } });
  }

  // Runs an entry of a script; what came of it, and is `last` from then on.
  async run(script: vscode.Uri, entry: string, on: string, outer?: vscode.CancellationToken, profile = false): Promise<Done> {
    if (!vscode.workspace.isTrusted) throw new Error('nothing is run in a workspace that is not trusted; “Workspaces: Manage Workspace Trust” changes that');
    if (script.scheme !== 'file' && script.scheme !== 'untitled') {
      throw new Error(`what is run is a file of this machine, and this script is at ${script.scheme}:. “File: Save As…” makes a copy here that can be run`);
    }
    if (this.now) throw new Error(`${this.now.entry} is still running on ${this.now.on}; wait for it, or cancel it`);
    const cancel = new vscode.CancellationTokenSource();
    const linked = outer?.onCancellationRequested(() => cancel.cancel());
    const running: Running = { script, entry, on, profile, steps: [], cancel };
    this.now = running;
    this.changed.fire();
    const began = Date.now();
    try {
      const document = await vscode.workspace.openTextDocument(script);
      if (document.isDirty && !(await document.save())) throw new Error('the script could not be saved, and what is run is the saved script');
      const version = document.version;
      const done: Done = { script, entry, on, version };
      try {
        done.result = await this.ask(running);
        await this.remember(done, (Date.now() - began) / 1000);
      } catch (error) {
        done.problem = cancel.token.isCancellationRequested ? 'cancelled' : messageOf(error);
      }
      this.last = done;
      return done;
    } finally {
      linked?.dispose();
      this.now = undefined;
      this.changed.fire();
    }
  }

  private async ask(running: Running): Promise<RunResult> {
    const token = `tilewright-run-${++this.count}`;
    this.server.wake();
    const listening = this.server.connection?.onProgress(WorkDoneProgress.type, token, (value) => {
      const text = 'message' in value ? value.message : undefined;
      if (!text || running.steps.at(-1) === text) return;
      running.steps.push(text);
      this.changed.fire();
    });
    try {
      return await this.server.request<RunResult>('tilewright/run', {
        textDocument: { uri: running.script.toString() },
        entry: running.entry,
        on: running.on,
        timeline: eventsAtMost,
        profile: running.profile,
        workDoneToken: token,
      }, running.cancel.token);
    } finally {
      listening?.dispose();
    }
  }

  private async remember(done: Done, seconds: number): Promise<void> {
    const report = done.result?.report;
    const past: Past = {
      when: Date.now(),
      script: done.script.toString(),
      entry: done.entry,
      on: done.on,
      architecture: report?.arch ?? '',
      verdict: report?.verdict ?? 'not run',
      medianUs: report?.timing?.median_us,
      fraction: report?.timing?.copy?.fraction,
      seconds,
    };
    await this.memory.update(historyKey, [past, ...this.history].slice(0, kept));
  }
}
