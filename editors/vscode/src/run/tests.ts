// The Test Explorer: each entry of a script that expects something of its results is a test, run on the simulator or where
// its profile says.
import * as vscode from 'vscode';
import type { Entry } from '../protocol';
import { type ActiveScript, isScript } from '../scripts';
import type { Server } from '../server';
import { messageOf } from '../views/views';
import type { Done, Runs } from './runs';

// A comment that names a reference speaks of the kernels below it, and of all where it names none of them.
const expects = /#\s*tilewright:\s*(reference\b|run\b.*\b(reference=|expected\.))/;

export class Tests implements vscode.Disposable {
  private readonly controller = vscode.tests.createTestController('tilewright', 'Tilewright');
  private readonly subscriptions: vscode.Disposable[];
  private waiting = new Map<string, NodeJS.Timeout>();
  private readonly places = new Map<string, vscode.TestRunProfile>();

  constructor(private readonly server: Server, private readonly runs: Runs, private readonly active: ActiveScript) {
    this.profile('On the simulator', 'sim', true);
    this.profile('On a GPU of this machine', 'gpu', false);
    this.controller.resolveHandler = async (item) => {
      if (!item) await this.findAll();
    };
    this.controller.refreshHandler = () => this.findAll();
    this.subscriptions = [
      this.controller,
      vscode.workspace.onDidOpenTextDocument((document) => this.later(document)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.later(document)),
      vscode.workspace.onDidDeleteFiles(({ files }) => files.forEach((file) => this.controller.items.delete(file.toString()))),
      vscode.workspace.onDidRenameFiles(({ files }) => files.forEach((file) => this.controller.items.delete(file.oldUri.toString()))),
      server.onDidChangeHealth((health) => {
        if (health.kind !== 'running') return;
        vscode.workspace.textDocuments.forEach((document) => this.later(document));
        void this.findPlaces();
      }),
      active.onDidChange(() => void this.findPlaces()),
      ...watched(() => void this.findPlaces()),
    ];
  }

  private profile(label: string, on: string, first: boolean): vscode.TestRunProfile {
    return this.controller.createRunProfile(label, vscode.TestRunProfileKind.Run, (request, token) => this.run(request, on, token), first);
  }

  // A profile for each machine and pool that the settings of the script name; none of them is reached for that.
  private async findPlaces(): Promise<void> {
    const script = this.active.document;
    if (!script || this.server.health.kind !== 'running') return;
    let names: string[];
    try {
      const { targets } = await this.runs.targets(script.uri);
      names = targets.filter(({ kind }) => kind !== 'local').map(({ name }) => name);
    } catch {
      return; // settings that are wrong are told where runs are made; what there was stays
    }
    for (const [name, profile] of this.places) {
      if (names.includes(name)) continue;
      profile.dispose();
      this.places.delete(name);
    }
    for (const name of names) {
      if (!this.places.has(name)) this.places.set(name, this.profile(`On ${name}`, name, false));
    }
  }

  dispose(): void {
    for (const timer of this.waiting.values()) clearTimeout(timer);
    for (const one of this.subscriptions) one.dispose();
  }

  private later(document: vscode.TextDocument): void {
    if (!isScript(document) || document.uri.scheme !== 'file' || this.server.health.kind !== 'running') return;
    const key = document.uri.toString();
    clearTimeout(this.waiting.get(key));
    this.waiting.set(key, setTimeout(() => {
      this.waiting.delete(key);
      void this.find(document);
    }, 500));
  }

  // Also of scripts that are not open.
  private async findAll(): Promise<void> {
    for (const file of await vscode.workspace.findFiles('**/*.py', undefined, 500)) {
      const text = Buffer.from(await vscode.workspace.fs.readFile(file)).toString('utf8');
      if (expects.test(text)) await this.find(await vscode.workspace.openTextDocument(file));
    }
  }

  private async find(document: vscode.TextDocument): Promise<void> {
    const key = document.uri.toString();
    if (document.isClosed || !expects.test(document.getText())) return this.controller.items.delete(key);
    let entries: Entry[];
    try {
      entries = await this.server.request<Entry[]>('tilewright/entries', { textDocument: { uri: key } });
    } catch {
      return; // what there was stays
    }
    const file = this.controller.items.get(key) ?? this.controller.createTestItem(key, vscode.workspace.asRelativePath(document.uri), document.uri);
    const tests = new Map(entries.map((e) => [e.entry, e]));
    file.children.replace([...tests.values()].map((e) => {
      const item = this.controller.createTestItem(`${key}#${e.entry}`, e.entry, document.uri);
      if (e.range) item.range = new vscode.Range(e.range.start.line, e.range.start.character, e.range.end.line, e.range.end.character);
      return item;
    }));
    if (file.children.size > 0) this.controller.items.add(file);
    else this.controller.items.delete(key);
  }

  private async run(request: vscode.TestRunRequest, on: string, token: vscode.CancellationToken): Promise<void> {
    const run = this.controller.createTestRun(request);
    const wanted: vscode.TestItem[] = [];
    const collect = (item: vscode.TestItem) => {
      if (request.exclude?.includes(item)) return;
      if (item.children.size === 0) wanted.push(item);
      else item.children.forEach(collect);
    };
    if (request.include) request.include.forEach(collect);
    else this.controller.items.forEach(collect);
    wanted.forEach((item) => run.enqueued(item));
    for (const item of wanted) {
      if (token.isCancellationRequested || !item.uri) {
        run.skipped(item);
        continue;
      }
      run.started(item);
      const began = Date.now();
      try {
        judge(run, item, await this.runs.run(item.uri, item.label, on, token), Date.now() - began);
      } catch (error) {
        run.errored(item, new vscode.TestMessage(messageOf(error)));
      }
    }
    run.end();
  }
}

// Settings are read from the disk: what is written there counts, also by other programs.
function watched(changed: () => void): vscode.Disposable[] {
  const files = vscode.workspace.createFileSystemWatcher('**/tilewright.toml');
  return [files, files.onDidChange(changed), files.onDidCreate(changed), files.onDidDelete(changed)];
}

function judge(run: vscode.TestRun, item: vscode.TestItem, done: Done, milliseconds: number): void {
  const report = done.result?.report;
  run.appendOutput(`${item.label} on ${done.on}: ${report?.verdict ?? done.problem ?? 'not run'}\r\n`, undefined, item);
  if (done.result?.messages) run.appendOutput(done.result.messages.replace(/\r?\n/g, '\r\n') + '\r\n', undefined, item);
  if (!report) {
    if (done.problem === 'cancelled') run.skipped(item);
    else run.errored(item, new vscode.TestMessage(done.problem ?? done.result?.messages ?? 'it was not run'), milliseconds);
    return;
  }
  if (report.verdict === 'verified') return run.passed(item, milliseconds);
  if (report.verdict === 'unverified') return run.skipped(item);
  const messages = (report.findings ?? []).map((f) => {
    const message = new vscode.TestMessage(`${f.code}: ${f.message}`);
    if (item.uri && f.range) message.location = new vscode.Location(item.uri, new vscode.Position(f.range.start.line - 1, f.range.start.column - 1));
    return message;
  });
  for (const tensor of report.tensors ?? []) {
    const comparison = tensor.comparison as { mismatches: number; elements: number } | undefined;
    if (comparison && comparison.mismatches > 0) {
      messages.push(new vscode.TestMessage(`${comparison.mismatches} of ${comparison.elements} elements of ${tensor.name} are not as expected`));
    }
  }
  if (messages.length === 0) messages.push(new vscode.TestMessage(`the verdict is ${report.verdict}${report.error ? `: ${report.error}` : ''}`));
  run.failed(item, messages, milliseconds);
}
