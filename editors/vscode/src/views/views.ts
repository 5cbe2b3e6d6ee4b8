// The texts of the views that are open, kept up with their scripts. A text is current only while it was made from the
// version that the script has now: between an edit and the answer to it, everything shown is out of date and says so.
import * as vscode from 'vscode';
import type { Lines, Link, View, ViewState } from '../protocol';
import type { Server } from '../server';
import { changes } from './changes';
import { parseView, serverUri, type ViewName, viewScheme } from './name';

// Requests of one view under way at once: the first may be about a version that was typed over.
const underWayAtMost = 2;

export class ShownView {
  text: string | undefined;
  state: ViewState = 'pending';
  map: Link[] = [];
  kernel: Lines | undefined;
  // Of the script that text and map are made from, and that the server was last asked about.
  version = -1;
  lastSaved: string | undefined; // the text while the script had no unsaved edits
  problem: string | undefined; // why the last answer did not come
  notShownYet = false; // the editor still has the text before this one
  replacing = false; // the editor is given this text
  underWay = 0;
  again = false;
  asked = 0;
  answered = 0;

  constructor(readonly uri: vscode.Uri, readonly name: ViewName) {}

  script(): vscode.TextDocument | undefined {
    return vscode.workspace.textDocuments.find((d) => d.uri.toString() === vscode.Uri.parse(this.name.document).toString());
  }

  // Empty: what is shown is what the script becomes as it stands.
  outOfDate(): string {
    if (this.text === undefined) return 'not made yet';
    const script = this.script();
    if (script && script.version !== this.version) return this.problem ?? 'the script has changed since';
    if (this.problem) return this.problem;
    if (this.state === 'pending') return 'NVIDIA’s tools are at work';
    return this.notShownYet ? 'the script has changed since' : '';
  }
}

export class Views implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly contentChanged = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.contentChanged.event;
  private readonly updated = new vscode.EventEmitter<ShownView>();
  // What is shown of a view, or whether that is current, may be another than before.
  readonly onDidUpdate = this.updated.event;
  private readonly shown = new Map<string, ShownView>();
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly server: Server) {
    this.subscriptions = [
      vscode.workspace.registerTextDocumentContentProvider(viewScheme, this),
      vscode.workspace.onDidOpenTextDocument((document) => this.opened(document)),
      vscode.workspace.onDidChangeTextDocument((event) => this.documentChanged(event)),
      vscode.workspace.onDidSaveTextDocument((document) => this.each(document, (view) => this.keepSaved(view))),
      vscode.workspace.onDidCloseTextDocument((document) => this.shown.delete(document.uri.toString())),
      server.onViewChanged((uri) => this.refresh(this.shown.get(vscode.Uri.parse(uri).toString()))),
      server.onDidChangeHealth((health) => this.healthChanged(health.kind)),
    ];
  }

  dispose(): void {
    for (const one of this.subscriptions) one.dispose();
    this.contentChanged.dispose();
    this.updated.dispose();
  }

  get(uri: vscode.Uri): ShownView | undefined {
    return this.shown.get(uri.toString());
  }

  of(script: vscode.TextDocument): ShownView[] {
    return [...this.shown.values()].filter((view) => view.script() === script);
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const name = parseView(uri);
    if (!name) return this.fixed(uri);
    let view = this.get(uri);
    if (!view) this.shown.set(uri.toString(), (view = new ShownView(uri, name)));
    if (view.text === undefined) await this.refresh(view);
    view.notShownYet = false;
    setTimeout(() => this.updated.fire(view)); // once the editor has it
    return view.text ?? `// ${view.problem ?? 'not made yet'}\n`;
  }

  // What the server's own documents say: pages of codes, the prelude.
  private async fixed(uri: vscode.Uri): Promise<string> {
    try {
      return (await this.server.request<View>('tilewright/view', { uri: uri.toString(true) })).text;
    } catch (error) {
      return messageOf(error) + '\n';
    }
  }

  // A text that came while the editor was opening the one before it.
  private opened(document: vscode.TextDocument): void {
    const view = this.get(document.uri);
    if (!view || view.text === undefined || says(document, view.text)) return;
    view.notShownYet = true;
    void this.replace(view);
  }

  private documentChanged(event: vscode.TextDocumentChangeEvent): void {
    const view = this.get(event.document.uri);
    if (view) {
      if (view.text === undefined || says(event.document, view.text)) this.arrived(view);
      return;
    }
    if (event.contentChanges.length === 0) return;
    this.each(event.document, (one) => {
      this.updated.fire(one); // out of date from this moment on
      void this.refresh(one);
    });
  }

  private each(script: vscode.TextDocument, what: (view: ShownView) => void): void {
    for (const view of this.of(script)) what(view);
  }

  private healthChanged(kind: string): void {
    for (const view of this.shown.values()) {
      if (kind === 'running') {
        view.problem = undefined;
        void this.refresh(view);
      } else if (kind === 'silent' || kind === 'ended' || kind === 'missing' || kind === 'off') {
        view.problem = kind === 'silent' ? 'the server does not answer' : 'the server is not running';
      }
      this.updated.fire(view);
    }
  }

  async refresh(view: ShownView | undefined): Promise<void> {
    if (!view) return;
    if (view.underWay >= underWayAtMost) {
      view.again = true;
      return;
    }
    view.underWay++;
    const number = ++view.asked;
    const version = view.script()?.version ?? -1;
    try {
      const answer = await this.server.request<View>('tilewright/view', { uri: serverUri(view.name), map: true });
      if (number > view.answered) {
        view.answered = number;
        this.take(view, answer, typeof answer.version === 'number' ? answer.version : version);
      }
    } catch (error) {
      if (number > view.answered) {
        view.problem = messageOf(error);
        if (view.text === undefined) view.version = version;
      }
    } finally {
      view.underWay--;
    }
    this.updated.fire(view);
    if (view.again) {
      view.again = false;
      void this.refresh(view);
    }
  }

  private take(view: ShownView, answer: View, version: number): void {
    view.problem = undefined;
    view.state = answer.state;
    // While NVIDIA's tools work, what they made before stays to be read, as out of date.
    if (answer.state === 'pending' && view.text !== undefined) return;
    view.version = version;
    view.map = answer.map ?? [];
    view.kernel = answer.kernel;
    if (view.text === answer.text) {
      this.keepSaved(view);
      return;
    }
    const first = view.text === undefined;
    view.text = answer.text;
    this.keepSaved(view);
    view.notShownYet = true;
    if (!first) void this.replace(view);
  }

  // Gives the editor the lines that are others than before. The way for read-only texts, onDidChange, sends the
  // whole text and compares it in a worker of the editor, which takes longer than all the rest; it is taken where the
  // editor refuses the short one.
  private async replace(view: ShownView): Promise<void> {
    if (view.replacing) return; // it goes on with the newest text
    const document = vscode.workspace.textDocuments.find((d) => d.uri.toString() === view.uri.toString());
    if (!document) return this.contentChanged.fire(view.uri);
    view.replacing = true;
    let applied = true;
    try {
      while (applied && view.text !== undefined && !document.isClosed && !says(document, view.text)) {
        const text = view.text;
        const applying = vscode.workspace.applyEdit(changeInto(document, text));
        // What is said in the next turn reaches the editor as a message of its own behind the edit: colours and marks of
        // the new text are drawn with it, and wait for no confirmation.
        setTimeout(() => view.replacing && view.text === text && this.arrived(view));
        applied = (await applying) && says(document, text);
      }
    } catch {
      applied = false; // closed meanwhile, or not allowed
    } finally {
      view.replacing = false;
    }
    if (applied) return;
    view.notShownYet = true;
    this.updated.fire(view);
    this.contentChanged.fire(view.uri);
  }

  private arrived(view: ShownView): void {
    view.notShownYet = false;
    this.updated.fire(view);
  }

  private keepSaved(view: ShownView): void {
    const script = view.script();
    if ((!script || !script.isDirty) && view.state === 'ready' && view.outOfDate() === '') view.lastSaved = view.text;
    else if ((!script || !script.isDirty) && view.state === 'ready' && script?.version === view.version) view.lastSaved = view.text;
  }
}

// As an editor ends lines.
function linesOf(text: string): string[] {
  return text.split(/\r\n|\n|\r/);
}

function linesIn(document: vscode.TextDocument): string[] {
  return Array.from({ length: document.lineCount }, (_, line) => document.lineAt(line).text);
}

function says(document: vscode.TextDocument, text: string): boolean {
  const lines = linesOf(text);
  return lines.length === document.lineCount && lines.every((line, i) => document.lineAt(i).text === line);
}

function changeInto(document: vscode.TextDocument, text: string): vscode.WorkspaceEdit {
  const edit = new vscode.WorkspaceEdit();
  for (const { from, to, put } of changes(linesIn(document), linesOf(text))) edit.replace(document.uri, new vscode.Range(...from, ...to), put);
  return edit;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
