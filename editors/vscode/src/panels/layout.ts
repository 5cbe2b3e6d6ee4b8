// The Layout view: the picture of the layout under the cursor, following it.
import * as vscode from 'vscode';
import type { Layout } from '../protocol';
import { type ActiveScript, isScript } from '../scripts';
import type { Server } from '../server';
import { messageOf } from '../views/views';
import { goTo, Panel, type Place } from './panel';

export interface LayoutState {
  layout?: Layout;
  uri?: string;
  by: 'auto' | 'thread' | 'bank';
  note?: string; // why there is none, or that it is out of date
}
export type FromLayoutPage = { goTo: Place } | { by: LayoutState['by'] };

const rowsAtMost = 64, columnsAtMost = 64;

export class LayoutPanel implements vscode.Disposable {
  private readonly panel: Panel<LayoutState, FromLayoutPage>;
  private readonly subscriptions: vscode.Disposable[];
  private by: LayoutState['by'] = 'auto';
  private at: { document: vscode.TextDocument; position: vscode.Position } | undefined;
  private shown: LayoutState = { by: 'auto' };
  private asked = 0;
  private waiting: NodeJS.Timeout | undefined;

  constructor(context: vscode.ExtensionContext, private readonly server: Server, private readonly active: ActiveScript) {
    this.panel = new Panel(context, 'layout', 'Tilewright Layout', (message) => {
      if ('goTo' in message) return void goTo(message.goTo);
      this.by = message.by;
      void this.look();
    });
    this.subscriptions = [
      this.panel,
      vscode.window.onDidChangeTextEditorSelection(({ textEditor, selections }) => {
        if (!this.panel.open || !isScript(textEditor.document)) return;
        this.at = { document: textEditor.document, position: selections[0].active };
        this.later(60);
      }),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (!this.panel.open || document !== this.at?.document) return;
        if (this.shown.layout) this.show({ ...this.shown, note: 'Out of date: the script has changed since.' });
        this.later(60);
      }),
    ];
  }

  dispose(): void {
    clearTimeout(this.waiting);
    for (const one of this.subscriptions) one.dispose();
  }

  async open(): Promise<void> {
    const editor = this.active.editor;
    if (!editor) throw new Error('open a tile script first');
    this.at = { document: editor.document, position: editor.selection.active };
    this.panel.reveal();
    await this.look();
  }

  private later(delay: number): void {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => void this.look(), delay);
  }

  private async look(): Promise<void> {
    if (!this.at) return;
    const { document, position } = this.at;
    const number = ++this.asked;
    try {
      const layout = await this.server.request<Layout | null>('tilewright/layout', {
        textDocument: { uri: document.uri.toString() }, position: { line: position.line, character: position.character }, rows: rowsAtMost, columns: columnsAtMost, by: this.by,
      });
      if (number !== this.asked) return;
      if (layout) this.show({ layout, uri: document.uri.toString(), by: this.by, note: layout.version === document.version ? undefined : 'Out of date: the script has changed since.' });
      // Between two layouts the last one stays, while it still is one of this text.
      else if (this.shown.layout?.version !== document.version || this.shown.uri !== document.uri.toString()) {
        this.show({ by: this.by, note: 'Nothing under the cursor has a layout. Put it on a buffer, a region of one, or a layout expression.' });
      }
    } catch (error) {
      if (number === this.asked) this.show({ ...this.shown, note: messageOf(error) });
    }
  }

  private show(state: LayoutState): void {
    this.shown = state;
    this.panel.show(state);
  }
}
