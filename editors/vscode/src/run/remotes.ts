// The tree of machines where kernels can be run. What tilewright.toml names is shown without asking it anything; a machine
// is reached when the user asks for its state.
import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import * as vscode from 'vscode';
import type { Targets } from '../protocol';
import type { ActiveScript } from '../scripts';
import type { Server } from '../server';
import { messageOf } from '../views/views';
import type { Runs } from './runs';

// As protocol/schema/remotes.json.
interface Report {
  remotes: {
    name: string; kind: string; address: string; healthy: boolean; problem: string; remedy: string; host?: string; version?: string;
    executes?: string; gpus?: { name: string; compute_capability: string }[]; slots?: number; running?: number; queued?: number; latency_ms?: number;
  }[];
}
type Machine = Report['remotes'][number];
type Target = Targets['targets'][number];
type Node = { target: Target } | { detail: string; icon?: string; tooltip?: string };

export class Remotes implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<Node | undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly known = new Map<string, Machine | 'asking' | { failed: string }>();
  private settings: string | null = null;
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly server: Server, private readonly runs: Runs, private readonly active: ActiveScript) {
    this.subscriptions = [
      vscode.window.registerTreeDataProvider('tilewright.remotes', this),
      active.onDidChange(() => this.changed.fire(undefined)),
      server.onDidChangeHealth(() => this.changed.fire(undefined)),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.changed.fire(undefined)),
      vscode.workspace.onDidSaveTextDocument((document) => {
        if (!document.uri.path.endsWith('/tilewright.toml')) return;
        this.known.clear();
        this.changed.fire(undefined);
      }),
    ];
  }

  dispose(): void {
    for (const one of this.subscriptions) one.dispose();
    this.changed.dispose();
  }

  async getChildren(node?: Node): Promise<Node[]> {
    if (!node) return this.targets();
    return 'target' in node ? this.details(node.target) : [];
  }

  private async targets(): Promise<Node[]> {
    const script = this.active.document;
    if (!script || this.server.health.kind !== 'running') return [];
    try {
      const found = await this.runs.targets(script.uri);
      this.settings = found.settings;
      return found.targets.map((target) => ({ target }));
    } catch (error) {
      return [{ detail: messageOf(error), icon: 'error' }];
    }
  }

  getTreeItem(node: Node): vscode.TreeItem {
    if (!('target' in node)) {
      const item = new vscode.TreeItem(node.detail);
      item.iconPath = node.icon ? new vscode.ThemeIcon(node.icon) : undefined;
      item.tooltip = node.tooltip ?? node.detail;
      return item;
    }
    const { target } = node;
    const machine = this.known.get(target.name);
    const state = target.kind === 'local' ? vscode.TreeItemCollapsibleState.None : vscode.TreeItemCollapsibleState.Collapsed;
    const item = new vscode.TreeItem(target.name, state);
    item.contextValue = target.kind;
    item.description = target.kind === 'local' ? (target.name === 'sim' ? 'the simulator here' : 'a GPU here') : (target.address ?? `pool of ${target.members?.join(', ')}`);
    item.tooltip = item.description;
    if (target.trusted === false) {
      item.description = `not trusted · ${item.description}`;
      item.tooltip = `Not trusted: ${target.does ?? target.address ?? ''}`;
    }
    item.iconPath = iconOf(target, machine);
    return item;
  }

  private details(target: Target): Node[] {
    if (target.kind === 'pool') return (target.members ?? []).map((member) => ({ detail: member, icon: 'server' }));
    const machine = this.known.get(target.name);
    if (machine === 'asking') return [{ detail: 'asking…', icon: 'loading~spin' }];
    if (!machine) return [{ detail: 'not asked yet: “Check” reaches it', icon: 'circle-outline' }];
    if ('failed' in machine) return [{ detail: machine.failed, icon: 'error' }];
    if (!machine.healthy) {
      return [{ detail: machine.problem, icon: 'error' }, ...(machine.remedy ? [{ detail: machine.remedy, icon: 'lightbulb' }] : [])];
    }
    const gpus = (machine.gpus ?? []).map((g) => ({ detail: `${g.name} (${g.compute_capability})`, icon: 'chip' }));
    const slots = machine.slots === undefined ? [] : [{ detail: `${machine.running ?? 0} of ${machine.slots} slots busy, ${machine.queued ?? 0} waiting`, icon: 'list-ordered' }];
    return [
      ...gpus,
      ...slots,
      { detail: `${machine.host ?? machine.address}, version ${machine.version ?? 'unknown'}`, icon: 'vm' },
      ...(machine.executes ? [{ detail: `runs on ${machine.executes === 'sim' ? 'its simulator' : machine.executes === 'gpu' ? 'its GPUs' : 'nothing: it only compiles'}`, icon: 'play' }] : []),
      ...(machine.latency_ms === undefined ? [] : [{ detail: `${machine.latency_ms.toFixed(1)} ms away`, icon: 'pulse' }]),
    ];
  }

  // Reaches a machine, as `tilewright remotes NAME` does.
  async check(node: Node): Promise<void> {
    if (!('target' in node)) return;
    if (!vscode.workspace.isTrusted) throw new Error('no machine is reached from a workspace that is not trusted');
    const { name } = node.target;
    const binary = this.server.binaryPath;
    if (!binary || !this.settings) throw new Error('there is no tilewright.toml that names it');
    this.known.set(name, 'asking');
    this.changed.fire(undefined);
    const folder = dirname(vscode.Uri.parse(this.settings).fsPath);
    this.known.set(name, await ask(binary, name, folder));
    this.changed.fire(undefined);
  }
}

function ask(binary: string, name: string, cwd: string): Promise<Machine | { failed: string }> {
  return new Promise((resolve) => {
    execFile(binary, ['remotes', '--json', name], { cwd, timeout: 60_000, maxBuffer: 1 << 20 }, (error, stdout, stderr) => {
      try {
        const machine = (JSON.parse(stdout) as Report).remotes[0];
        resolve(machine ?? { failed: stderr.trim() || `nothing was said of ${name}` });
      } catch {
        resolve({ failed: stderr.trim() || (error ? messageOf(error) : 'its answer was not understood') });
      }
    });
  });
}

function iconOf(target: Target, machine: Machine | 'asking' | { failed: string } | undefined): vscode.ThemeIcon {
  if (target.kind === 'local') return new vscode.ThemeIcon(target.name === 'sim' ? 'beaker' : 'chip');
  if (target.kind === 'pool') return new vscode.ThemeIcon('server-environment');
  if (machine === 'asking') return new vscode.ThemeIcon('loading~spin');
  if (!machine) return new vscode.ThemeIcon('server');
  const well = !('failed' in machine) && machine.healthy;
  return well ? new vscode.ThemeIcon('pass', new vscode.ThemeColor('testing.iconPassed')) : new vscode.ThemeIcon('error', new vscode.ThemeColor('testing.iconFailed'));
}
