// Which entry of a script, for which architecture, views and runs are about; chosen in the status bar.
import * as vscode from 'vscode';
import type { Entry } from './protocol';
import type { ActiveScript } from './scripts';
import type { Health, Server } from './server';
import { messageOf } from './views/views';

export interface Chosen {
  entry: string;
  architecture: string;
}

// How long the server may take to look at another architecture.
const patience = 10_000;
// What a user may want to see beside what a script says.
const knownArchitectures = ['sm_75', 'sm_80', 'sm_86', 'sm_89', 'sm_90a', 'sm_100a', 'sm_103a', 'sm_120a'];

export class Choice implements vscode.Disposable {
  private readonly chosen = new Map<string, Chosen>();
  private readonly changed = new vscode.EventEmitter<{ script: vscode.TextDocument; from?: Chosen; to: Chosen }>();
  readonly onDidChange = this.changed.event;
  // By the URI of a script, the architectures that the user asked for, and those that it has by itself.
  private readonly wanted = new Map<string, string[]>();
  private readonly item = vscode.window.createStatusBarItem('tilewright.choice', vscode.StatusBarAlignment.Right, 110);
  private readonly subscriptions: vscode.Disposable[];
  private looking: NodeJS.Timeout | undefined;

  constructor(private readonly server: Server, private readonly active: ActiveScript) {
    this.item.name = 'Tilewright: Entry and Architecture';
    this.subscriptions = [
      active.onDidChange(() => this.look(0)),
      server.onDidChangeHealth(() => this.look(0)),
      vscode.workspace.onDidChangeTextDocument((event) => {
        if (event.document === active.document) this.look(400);
      }),
      vscode.window.onDidChangeTextEditorSelection((event) => {
        if (event.textEditor.document === active.document) this.look(200);
      }),
      this.item,
    ];
  }

  dispose(): void {
    clearTimeout(this.looking);
    for (const one of this.subscriptions) one.dispose();
    this.changed.dispose();
  }

  entries(script: vscode.TextDocument): Promise<Entry[]> {
    return this.server.request<Entry[]>('tilewright/entries', { textDocument: { uri: script.uri.toString() } });
  }

  // The chosen entry among those that there are now; the first where none was chosen or it is gone.
  async current(script: vscode.TextDocument): Promise<Entry | undefined> {
    return this.among(script, await this.entries(script));
  }

  private among(script: vscode.TextDocument, entries: Entry[]): Entry | undefined {
    const chosen = this.chosen.get(script.uri.toString());
    // Without a choice it is the kernel that the cursor is in.
    const wanted = entries.some((e) => e.entry === chosen?.entry) ? chosen?.entry : this.underCursor(script, entries)?.entry;
    const architecture = chosen?.architecture ?? 'sm_90a';
    const same = entries.filter((e) => e.entry === wanted);
    return same.find((e) => e.architecture === architecture) ?? same[0] ?? entries.find((e) => e.architecture === architecture) ?? entries[0];
  }

  private underCursor(script: vscode.TextDocument, entries: Entry[]): Entry | undefined {
    const line = this.active.editor?.document === script ? this.active.editor.selection.active.line : 0;
    // The name of a kernel stands at its top.
    const above = entries.filter((e) => e.range && e.range.start.line <= line + 1);
    return above.sort((a, b) => (b.range?.start.line ?? 0) - (a.range?.start.line ?? 0))[0];
  }

  set(script: vscode.TextDocument, to: Chosen, from?: Chosen): void {
    const before = this.chosen.get(script.uri.toString()) ?? from;
    if (before?.entry === to.entry && before.architecture === to.architecture) return;
    this.chosen.set(script.uri.toString(), to);
    this.changed.fire({ script, from: before, to });
    this.look(0);
  }

  async pick(): Promise<void> {
    const script = this.active.document;
    if (!script) return void vscode.window.showInformationMessage('Open a tile script first: the entry and the architecture are chosen for each.');
    const entries = await this.entries(script);
    if (entries.length === 0) return this.explainNone();
    const now = this.among(script, entries);
    type Item = vscode.QuickPickItem & { to?: Chosen; more?: boolean };
    const items: Item[] = entries.map((e) => ({
      label: `${e === now ? '$(check) ' : '$(blank) '}${e.entry}`,
      description: e.architecture,
      detail: e.failed ? '$(error) it has errors' : undefined,
      to: { entry: e.entry, architecture: e.architecture },
    }));
    items.push({ label: '', kind: vscode.QuickPickItemKind.Separator }, { label: '$(add) Another architecture…', more: true, alwaysShow: true });
    const picked = await vscode.window.showQuickPick(items, {
      title: 'Entry and Architecture',
      placeHolder: 'Which entry, for which architecture, shall views and runs show?',
      matchOnDescription: true,
    });
    if (picked?.to) this.set(script, picked.to, now);
    else if (picked?.more && now) await this.pickArchitecture(script, now, entries);
  }

  async pickArchitecture(script: vscode.TextDocument, now: Chosen, entries: Entry[]): Promise<void> {
    const known = architecturesOf(entries);
    const architecture = await vscode.window.showQuickPick(
      [...new Set([...known, ...knownArchitectures])].map((name) => ({ label: name, description: known.has(name) ? 'looked at already' : undefined })),
      { title: 'Architecture', placeHolder: 'Also compile the scripts for…' },
    );
    if (!architecture) return;
    const there = await this.obtain(script, now.entry, architecture.label, entries);
    this.set(script, there, now);
  }

  // The entry for an architecture, which from now on the server looks at for this script, too; it will take that up.
  async obtain(script: vscode.TextDocument, entry: string, architecture: string, entries: Entry[]): Promise<Entry> {
    const known = architecturesOf(entries);
    if (!known.has(architecture)) {
      this.wanted.set(script.uri.toString(), [...known, architecture]);
      void this.server.connection?.sendNotification('workspace/didChangeConfiguration', { settings: null });
    }
    for (const end = Date.now() + patience; ; await new Promise((resolve) => setTimeout(resolve, 100))) {
      const found = (await this.entries(script)).find((e) => e.entry === entry && e.architecture === architecture);
      if (found) return found;
      if (Date.now() > end) throw new Error(`the server does not compile ${entry} for ${architecture}`);
    }
  }

  // What the server is told: the settings, and the architectures that were asked for.
  settings(section: Record<string, unknown>): Record<string, unknown> {
    if (this.wanted.size === 0) return section;
    return { ...section, documents: Object.fromEntries([...this.wanted].map(([uri, architectures]) => [uri, { architectures }])) };
  }

  private async explainNone(): Promise<void> {
    const how = 'Add a comment such as # tilewright: entry make(128, 64) above the factory.';
    await vscode.window.showInformationMessage(`This script has no entry: no kernel at module level, and none whose arguments are known. ${how}`);
  }

  private look(delay: number): void {
    clearTimeout(this.looking);
    this.looking = setTimeout(() => void this.show(), delay);
  }

  private async show(): Promise<void> {
    const script = this.active.document;
    const health = this.server.health;
    if (!script && health.kind !== 'missing' && health.kind !== 'ended') return this.item.hide();
    const trouble = troubleOf(health);
    this.item.backgroundColor = trouble ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    if (trouble) {
      this.item.text = `$(warning) Tilewright: ${trouble.short}`;
      this.item.tooltip = trouble.long;
      this.item.command = 'tilewright.restartServer';
      return this.item.show();
    }
    this.item.command = 'tilewright.chooseEntry';
    if (health.kind !== 'running' || !script) {
      this.item.text = '$(loading~spin) Tilewright';
      this.item.tooltip = 'The server is starting';
      return this.item.show();
    }
    await this.showEntry(script, health.version);
  }

  private async showEntry(script: vscode.TextDocument, version: string): Promise<void> {
    try {
      const entries = await this.entries(script);
      const now = this.among(script, entries);
      if (this.active.document !== script) return;
      this.item.text = now ? `$(circuit-board) ${now.entry} · ${now.architecture}` : '$(circuit-board) no entry';
      const tip = new vscode.MarkdownString(undefined, true);
      tip.appendMarkdown(`**Tilewright ${version}**\n\n`);
      tip.appendMarkdown(now ? `${entries.length} of entry and architecture; click to choose another.` : 'This script has no entry; click to see what makes one.');
      const dialect = now?.dialect;
      if (dialect) tip.appendText(`\n\nDialect ${dialect.release}: ${dialect.why}`);
      this.item.tooltip = tip;
    } catch (error) {
      this.item.text = '$(circuit-board) Tilewright';
      this.item.tooltip = messageOf(error);
      this.server.log.warn(`entries of ${script.uri.fsPath}: ${messageOf(error)}`);
    }
    this.item.show();
  }
}

const architecturesOf = (entries: Entry[]): Set<string> => new Set(entries.map((e) => e.architecture));

function troubleOf(health: Health): { short: string; long: string } | undefined {
  switch (health.kind) {
    case 'missing':
      return { short: 'no server', long: `${health.why}. Click to look for it again.` };
    case 'ended':
      return { short: 'server ended', long: `${health.why}. Click to start it again.` };
    case 'silent':
      return { short: 'not answering', long: 'The server does not answer. Click to restart it.' };
    case 'running':
      return health.warning ? { short: 'warning', long: health.warning } : undefined;
    default:
      return undefined;
  }
}
