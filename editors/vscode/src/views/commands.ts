// Commands that open views beside their script, compare them, and lead between the two.
import * as vscode from 'vscode';
import type { Choice, Chosen } from '../choice';
import { type Entry, type ViewKind, viewKinds } from '../protocol';
import type { ActiveScript } from '../scripts';
import { linesOf, ownersOf, sourceOf } from './links';
import { parseView, type ViewName, viewTitles, viewUri } from './name';
import { messageOf, type ShownView, type Views } from './views';

const beforeScheme = 'tilewright-before';

export class ViewCommands implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly kept = new Map<string, string>(); // texts from before edits, by URI
  private readonly subscriptions: vscode.Disposable[];
  private lastKind: ViewKind = 'cuda';

  constructor(private readonly views: Views, private readonly choice: Choice, private readonly active: ActiveScript) {
    const command = (name: string, run: (...args: never[]) => Promise<unknown>) =>
      vscode.commands.registerCommand(name, async (...args) => {
        try {
          await run(...(args as never[]));
        } catch (error) {
          void vscode.window.showErrorMessage(`Tilewright: ${messageOf(error)}`);
        }
      });
    this.subscriptions = [
      vscode.workspace.registerTextDocumentContentProvider(beforeScheme, this),
      command('tilewright.showView', () => this.pickKind()),
      ...viewKinds.map((kind) => command(`tilewright.show.${kind}`, () => this.open(kind))),
      command('tilewright.compareArchitectures', () => this.compareArchitectures()),
      command('tilewright.compareEntries', () => this.compareEntries()),
      command('tilewright.compareBefore', () => this.compareBefore()),
      command('tilewright.goToView', () => this.goToView()),
      command('tilewright.goToScript', () => this.goToScript()),
      choice.onDidChange(({ script, from, to }) => void this.follow(script, from, to)),
      vscode.workspace.onDidRenameFiles(({ files }) => void this.renamed(files)),
      vscode.workspace.onDidCloseTextDocument((document) => document.uri.scheme === beforeScheme && this.kept.delete(document.uri.toString())),
    ];
  }

  dispose(): void {
    for (const one of this.subscriptions) one.dispose();
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.kept.get(uri.toString()) ?? '// What stood here was kept for the last session only.\n';
  }

  async openUri(uri: vscode.Uri, column: vscode.ViewColumn = vscode.ViewColumn.Beside, preserveFocus = true): Promise<void> {
    const name = parseView(uri);
    if (name) this.lastKind = name.kind;
    const document = await vscode.workspace.openTextDocument(uri);
    // A view that is open already is shown where it is.
    const open = vscode.window.tabGroups.all.find((group) =>
      group.tabs.some((tab) => tab.input instanceof vscode.TabInputText && tab.input.uri.toString() === uri.toString()));
    await vscode.window.showTextDocument(document, { viewColumn: open?.viewColumn ?? column, preserveFocus, preview: false });
  }

  private async open(kind: ViewKind): Promise<void> {
    const shown = this.activeView();
    if (shown) {
      // From a view: the same kernel, in its place.
      const entry = await this.entryOf(shown.name);
      const old = viewTabs().find(({ tab }) => tab.isActive && tab.group.isActive)?.tab;
      await this.openUri(vscode.Uri.parse(entry.views[kind]), vscode.ViewColumn.Active, false);
      if (old && kind !== shown.name.kind) await closeTab(old);
      return;
    }
    const script = this.script();
    const entry = await this.choice.current(script);
    if (!entry) return void (await vscode.commands.executeCommand('tilewright.chooseEntry'));
    await this.openUri(vscode.Uri.parse(entry.views[kind]));
  }

  private async pickKind(): Promise<void> {
    const details: Record<ViewKind, string> = {
      cuda: 'the CUDA source that the kernel becomes',
      ptx: 'as NVIDIA’s compiler makes it',
      sass: 'the instructions of the GPU',
      lowered: 'after layouts are applied and buffers flattened',
      tirx: 'as the script evaluates, before tile primitives are dispatched',
      report: 'why each call became what it is',
      plan: 'grid, parameters, shared memory, tensor maps',
    };
    const order: ViewKind[] = ['cuda', 'ptx', 'sass', 'lowered', 'tirx', 'report', 'plan'];
    const picked = await vscode.window.showQuickPick(
      order.map((kind) => ({ label: viewTitles[kind], description: details[kind], kind_: kind, picked: kind === this.lastKind })),
      { title: 'Lowered View', placeHolder: 'What shall stand beside the script?' },
    );
    if (picked) await this.open(picked.kind_);
  }

  private script(): vscode.TextDocument {
    const script = this.activeView()?.script() ?? this.active.document;
    if (!script) throw new Error('open a tile script first');
    return script;
  }

  private activeView(): ShownView | undefined {
    const editor = vscode.window.activeTextEditor;
    return editor && this.views.get(editor.document.uri);
  }

  private async entryOf(name: ViewName): Promise<Entry> {
    const script = await vscode.workspace.openTextDocument(vscode.Uri.parse(name.document));
    const found = (await this.choice.entries(script)).find((e) => e.entry === name.entry && e.architecture === name.architecture);
    if (!found) throw new Error(`the script has no entry ${name.entry} for ${name.architecture} any more`);
    return found;
  }

  private async diff(left: vscode.Uri, right: vscode.Uri, title: string): Promise<void> {
    await vscode.commands.executeCommand('vscode.diff', left, right, title, { preview: true, viewColumn: vscode.ViewColumn.Beside });
  }

  private async here(): Promise<{ script: vscode.TextDocument; entries: Entry[]; now: Entry; kind: ViewKind }> {
    const script = this.script();
    // What is looked at: this view, or the one that stands beside the script.
    const beside = vscode.window.visibleTextEditors.map((editor) => this.views.get(editor.document.uri));
    const view = this.activeView() ?? beside.find((one) => one?.script() === script);
    const entries = await this.choice.entries(script);
    const now = view ? await this.entryOf(view.name) : await this.choice.current(script);
    if (!now) throw new Error('the script has no entry to compare');
    return { script, entries, now, kind: view?.name.kind ?? this.lastKind };
  }

  private async compareArchitectures(): Promise<void> {
    const { script, entries, now, kind } = await this.here();
    const others = entries.filter((e) => e.entry === now.entry && e.architecture !== now.architecture).map((e) => e.architecture);
    const known = others.map((label) => ({ label, description: 'looked at already' }));
    const more = ['sm_80', 'sm_89', 'sm_90a', 'sm_100a', 'sm_120a'].filter((a) => a !== now.architecture && !others.includes(a));
    const picked = await vscode.window.showQuickPick([...known, ...more.map((label) => ({ label, description: '' }))], {
      title: `Compare ${now.entry} for ${now.architecture} with…`,
    });
    if (!picked) return;
    const right = await this.choice.obtain(script, now.entry, picked.label, entries);
    await this.diff(vscode.Uri.parse(now.views[kind]), vscode.Uri.parse(right.views[kind]),
      `${viewTitles[kind]} of ${now.entry}: ${now.architecture} ↔ ${picked.label}`);
  }

  private async compareEntries(): Promise<void> {
    const { entries, now, kind } = await this.here();
    const others = entries.filter((e) => e !== now && (e.entry !== now.entry || e.architecture !== now.architecture));
    if (others.length === 0) throw new Error(`the script has no other entry than ${now.entry}`);
    const picked = await vscode.window.showQuickPick(others.map((e) => ({ label: e.entry, description: e.architecture, e })), {
      title: `Compare ${now.entry} with…`,
    });
    if (!picked) return;
    await this.diff(vscode.Uri.parse(now.views[kind]), vscode.Uri.parse(picked.e.views[kind]), `${viewTitles[kind]}: ${now.entry} ↔ ${picked.e.entry}`);
  }

  // What the kernel became when the script was last saved, beside what it becomes now.
  private async compareBefore(): Promise<void> {
    const { now, kind } = await this.here();
    const uri = vscode.Uri.parse(now.views[kind]);
    await vscode.workspace.openTextDocument(uri);
    const view = this.views.get(uri);
    if (view?.lastSaved === undefined) {
      throw new Error('what the script became before these edits is not known: the view was opened after them. Save the script; the next edits are compared with that');
    }
    const before = uri.with({ scheme: beforeScheme });
    this.kept.set(before.toString(), view.lastSaved);
    await this.diff(before, uri, `${viewTitles[kind]} of ${now.entry}: as saved ↔ now`);
  }

  private async goToView(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (!editor || this.activeView()) return;
    const line = editor.selection.active.line;
    let views = this.views.of(editor.document);
    if (views.length === 0) {
      await this.open(this.lastKind);
      views = this.views.of(editor.document);
    }
    for (const view of views) {
      const statement = ownersOf(view).ofLine.get(line);
      const lines = statement === undefined ? [] : linesOf(view, statement);
      if (lines.length === 0) continue;
      const shown = vscode.window.visibleTextEditors.find((e) => e.document.uri.toString() === view.uri.toString());
      await vscode.window.showTextDocument(view.uri, {
        viewColumn: shown?.viewColumn ?? vscode.ViewColumn.Beside,
        selection: new vscode.Range(lines[0], 0, lines[0], 0),
      });
      return;
    }
    vscode.window.setStatusBarMessage('Tilewright: nothing was emitted for this line', 4000);
  }

  private async goToScript(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const view = this.activeView();
    if (!editor || !view) return;
    const source = view.outOfDate() ? undefined : sourceOf(view, editor.selection.active.line);
    if (!source) return void vscode.window.setStatusBarMessage('Tilewright: no statement of the script is behind this line', 4000);
    const script = vscode.Uri.parse(view.name.document);
    const shown = vscode.window.visibleTextEditors.find((e) => e.document.uri.toString() === script.toString());
    await vscode.window.showTextDocument(script, {
      viewColumn: shown?.viewColumn ?? vscode.ViewColumn.Beside,
      selection: new vscode.Range(source.start, 0, source.start, 0),
    });
  }

  // Views that showed the entry that was chosen before show the new one.
  private async follow(script: vscode.TextDocument, from: Chosen | undefined, to: Chosen): Promise<void> {
    if (!from) return;
    for (const { tab, name } of viewTabs()) {
      if (vscode.Uri.parse(name.document).toString() !== script.uri.toString()) continue;
      if (name.entry !== from.entry || name.architecture !== from.architecture) continue;
      try {
        const entry = await this.choice.obtain(script, to.entry, to.architecture, await this.choice.entries(script));
        await this.openUri(vscode.Uri.parse(entry.views[name.kind]), tab.group.viewColumn);
        await closeTab(tab);
      } catch (error) {
        void vscode.window.showErrorMessage(`Tilewright: ${messageOf(error)}`);
      }
    }
  }

  private async renamed(files: readonly { oldUri: vscode.Uri; newUri: vscode.Uri }[]): Promise<void> {
    for (const { tab, name } of viewTabs()) {
      const file = files.find(({ oldUri }) => oldUri.toString() === vscode.Uri.parse(name.document).toString());
      if (!file) continue;
      await this.openUri(viewUri({ ...name, document: file.newUri.toString() }), tab.group.viewColumn);
      await closeTab(tab);
    }
  }
}

// Opening another one may make all tabs again: what is closed is the tab that shows the same in the same place now.
async function closeTab(old: vscode.Tab): Promise<void> {
  const shows = (tab: vscode.Tab) => (tab.input instanceof vscode.TabInputText ? tab.input.uri.toString() : undefined);
  const now = vscode.window.tabGroups.all.flatMap((group) => group.tabs).find((tab) =>
    tab.group.viewColumn === old.group.viewColumn && shows(tab) !== undefined && shows(tab) === shows(old));
  if (now) await vscode.window.tabGroups.close(now, true);
}

function viewTabs(): { tab: vscode.Tab; name: ViewName }[] {
  const out: { tab: vscode.Tab; name: ViewName }[] = [];
  for (const tab of vscode.window.tabGroups.all.flatMap((group) => group.tabs)) {
    const name = tab.input instanceof vscode.TabInputText ? parseView(tab.input.uri) : undefined;
    if (name) out.push({ tab, name });
  }
  return out;
}
