// The Run view: what is running, what came of the last run, and of those before it.
import * as vscode from 'vscode';
import type { Choice } from '../choice';
import { goTo, Panel, type Place } from '../panels/panel';
import type { RunResult } from '../protocol';
import type { ActiveScript } from '../scripts';
import { messageOf } from '../views/views';
import type { Past, Runs } from './runs';

export interface RunState {
  script?: string; // its name
  uri?: string;
  entry?: string;
  entries: string[];
  on: string;
  profile: boolean;
  targets: string[];
  trusted: boolean;
  running?: { entry: string; on: string; steps: string[] };
  last?: { entry: string; on: string; result?: RunResult; problem?: string; old: boolean; uri: string };
  history: Past[];
}
export type FromRunPage = { run: { entry: string; on: string; profile: boolean } } | { cancel: true } | { goTo: Place } | { clear: true };

export class RunPanel implements vscode.Disposable {
  private readonly panel: Panel<RunState, FromRunPage>;
  private readonly subscriptions: vscode.Disposable[];
  private on = 'sim';
  private profile = false;
  private entries: string[] = [];
  private targets: string[] = ['sim', 'gpu'];
  private entry: string | undefined;

  constructor(context: vscode.ExtensionContext, private readonly runs: Runs, private readonly choice: Choice, private readonly active: ActiveScript) {
    this.panel = new Panel(context, 'run', 'Tilewright Run', (message) => void this.received(message));
    this.subscriptions = [
      this.panel,
      runs.onDidChange(() => this.show()),
      active.onDidChange(() => void this.look()),
      choice.onDidChange(() => void this.look()),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document.uri.toString() === runs.last?.script.toString()) this.show();
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.show()),
    ];
  }

  dispose(): void {
    for (const one of this.subscriptions) one.dispose();
  }

  async open(): Promise<void> {
    this.panel.reveal();
    await this.look();
  }

  // Opens the view and runs; without an entry the one that is chosen.
  async run(script: vscode.Uri, entry: string, on: string): Promise<void> {
    this.on = on;
    this.panel.reveal();
    void this.look();
    await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Window, title: `Running ${entry} on ${on}`, cancellable: true },
      async (progress, token) => {
        const telling = this.runs.onDidChange(() => progress.report({ message: this.runs.now?.steps.at(-1) }));
        try {
          await this.runs.run(script, entry, on, token, this.profile);
        } finally {
          telling.dispose();
        }
      },
    );
  }

  async runChosen(on?: string): Promise<void> {
    const script = this.active.document;
    if (!script) throw new Error('open a tile script first');
    const entry = await this.choice.current(script);
    if (!entry) return void (await vscode.commands.executeCommand('tilewright.chooseEntry'));
    await this.run(script.uri, entry.entry, on ?? this.on);
  }

  async trust(named?: { textDocument: { uri: string } }): Promise<void> {
    const script = named ? vscode.Uri.parse(named.textDocument.uri) : this.active.document?.uri;
    if (!script) throw new Error('open a tile script first');
    const { trusted } = await this.runs.trust(script);
    void vscode.window.showInformationMessage(trusted ? 'Tilewright: the remotes of this script’s settings are trusted' : 'Tilewright: not trusted');
  }

  async chooseTarget(): Promise<void> {
    const script = this.active.document;
    if (!script) throw new Error('open a tile script first');
    const { targets } = await this.runs.targets(script.uri);
    const picked = await vscode.window.showQuickPick(
      targets.map((t) => ({
        label: t.name,
        description: t.kind === 'local' ? (t.name === 'sim' ? 'the simulator on this machine' : 'a GPU of this machine') : `${t.trusted === false ? 'not trusted · ' : ''}${t.address ?? t.members?.join(', ')}`,
      })),
      { title: 'Run on…' },
    );
    if (picked) await this.runChosen(picked.label);
  }

  private async received(message: FromRunPage): Promise<void> {
    try {
      if ('goTo' in message) await goTo(message.goTo);
      else if ('cancel' in message) this.runs.now?.cancel.cancel();
      else if ('clear' in message) await this.runs.clearHistory();
      else if (this.active.document) {
        this.profile = message.run.profile;
        await this.run(this.active.document.uri, message.run.entry, message.run.on);
      }
    } catch (error) {
      void vscode.window.showErrorMessage(`Tilewright: ${messageOf(error)}`);
    }
  }

  // What can be run, and where.
  private async look(): Promise<void> {
    const script = this.active.document;
    if (!script || !this.panel.open) return this.show();
    try {
      const [entries, { targets }] = await Promise.all([this.choice.entries(script), this.runs.targets(script.uri)]);
      this.entries = [...new Set(entries.map((e) => e.entry))];
      this.entry = (await this.choice.current(script))?.entry;
      this.targets = targets.map((t) => t.name);
      if (!this.targets.includes(this.on)) this.on = 'sim';
    } catch {
      this.entries = []; // the server's trouble is told elsewhere
    }
    this.show();
  }

  private show(): void {
    const { last, now } = this.runs;
    const lastDocument = vscode.workspace.textDocuments.find((d) => d.uri.toString() === last?.script.toString());
    this.panel.show({
      script: this.active.document && vscode.workspace.asRelativePath(this.active.document.uri),
      uri: this.active.document?.uri.toString(),
      entry: this.entry,
      entries: this.entries,
      on: this.on,
      profile: this.profile,
      targets: this.targets,
      trusted: vscode.workspace.isTrusted,
      running: now && { entry: now.entry, on: now.on, steps: now.steps },
      last: last && {
        entry: last.entry,
        on: last.on,
        result: last.result,
        problem: last.problem,
        old: lastDocument !== undefined && lastDocument.version !== last.version,
        uri: last.script.toString(),
      },
      history: this.runs.history.slice(0, 20),
    });
  }
}
