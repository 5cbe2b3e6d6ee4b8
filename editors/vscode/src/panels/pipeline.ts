// The Pipeline view: the buffers and barriers of a kernel, and who fills and drains them.
import * as vscode from 'vscode';
import type { Choice } from '../choice';
import type { Pipeline } from '../protocol';
import type { ActiveScript } from '../scripts';
import type { Server } from '../server';
import { messageOf } from '../views/views';
import { goTo, Panel, type Place } from './panel';

export interface PipelineState {
  pipeline?: Pipeline;
  note?: string;
}
export type FromPipelinePage = { goTo: Place };

export class PipelinePanel implements vscode.Disposable {
  private readonly panel: Panel<PipelineState, FromPipelinePage>;
  private readonly subscriptions: vscode.Disposable[];
  private shown: PipelineState = {};
  private asked = 0;
  private waiting: NodeJS.Timeout | undefined;

  constructor(context: vscode.ExtensionContext, private readonly server: Server, private readonly choice: Choice, private readonly active: ActiveScript) {
    this.panel = new Panel(context, 'pipeline', 'Tilewright Pipeline', (message) => void goTo(message.goTo));
    this.subscriptions = [
      this.panel,
      choice.onDidChange(() => this.later(0)),
      active.onDidChange(() => this.later(0)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (!this.panel.open || document !== this.active.document) return;
        if (this.shown.pipeline) this.show({ ...this.shown, note: 'Out of date: the script has changed since.' });
        this.later(100);
      }),
    ];
  }

  dispose(): void {
    clearTimeout(this.waiting);
    for (const one of this.subscriptions) one.dispose();
  }

  async open(): Promise<void> {
    if (!this.active.document) throw new Error('open a tile script first');
    this.panel.reveal();
    await this.look();
  }

  private later(delay: number): void {
    if (!this.panel.open) return;
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => void this.look(), delay);
  }

  private async look(): Promise<void> {
    const script = this.active.document;
    if (!script) return;
    const number = ++this.asked;
    try {
      const entry = await this.choice.current(script);
      if (!entry) return this.show({ note: 'The script has no entry.' });
      const pipeline = await this.server.request<Pipeline>('tilewright/pipeline', {
        textDocument: { uri: script.uri.toString() }, entry: entry.entry, architecture: entry.architecture,
      });
      if (number !== this.asked) return;
      const current = pipeline.version === null || pipeline.version === script.version;
      this.show({ pipeline, note: current ? undefined : 'Out of date: the script has changed since.' });
    } catch (error) {
      if (number === this.asked) this.show({ ...this.shown, note: messageOf(error) });
    }
  }

  private show(state: PipelineState): void {
    this.shown = state;
    this.panel.show(state);
  }
}
