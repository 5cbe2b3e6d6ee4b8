// The server and what may befall it: it is missing, ends, stops answering, or is replaced by another version.
import { type ChildProcess, spawn } from 'node:child_process';
import { unwatchFile, watchFile } from 'node:fs';
import * as vscode from 'vscode';
import {
  CloseAction, ErrorAction, LanguageClient, type LanguageClientOptions, ResponseError, RevealOutputChannelOn, State,
} from 'vscode-languageclient/node';
import { type Binary, findBinary, stampOf } from './binary';
import { Gate } from './gate';
import { isScript } from './scripts';

export type Health =
  | { kind: 'off' } // nothing wanted it yet
  | { kind: 'starting' }
  | { kind: 'running'; version: string; warning?: string }
  | { kind: 'silent' } // does not answer
  | { kind: 'missing'; why: string }
  | { kind: 'ended'; why: string };

// How long an answer to a question that needs no work may take, and how often it is asked while the user works.
const patience = 10_000;
const heartbeat = 5_000;
// More ends than this within the time are not met with another start.
const endsAllowed = 4;
const endsWithin = 180_000;

const methodNotFound = -32601;
// The server dropped a question because the text changed under it: asked again, it answers about the new one.
const contentModified = -32801, serverCancelled = -32802;

export interface ServerHooks {
  // Commands of code lenses that the editor carries out itself; true: done.
  command(name: string, argument: unknown): Promise<boolean>;
  // Settings as the server shall see them.
  settings(section: Record<string, unknown>): Record<string, unknown>;
}

// What the library says of a server that ends is ours to say.
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

export class Server implements vscode.Disposable {
  readonly log = vscode.window.createOutputChannel('Tilewright', { log: true });
  private readonly healthChanged = new vscode.EventEmitter<Health>();
  readonly onDidChangeHealth = this.healthChanged.event;
  private readonly viewsChanged = new vscode.EventEmitter<string>();
  readonly onViewChanged = this.viewsChanged.event;

  private current: Health = { kind: 'off' };
  private readonly gate = new Gate();
  private client: LanguageClient | undefined;
  private child: ChildProcess | undefined;
  private binary: Binary | undefined;
  private starting: Promise<void> | undefined;
  private ends: number[] = [];
  private beat: NodeJS.Timeout | undefined;
  private busySince = false;
  private stopping = false;

  constructor(private readonly context: vscode.ExtensionContext, private readonly hooks: ServerHooks) {}

  get health(): Health {
    return this.current;
  }

  get binaryPath(): string | undefined {
    return this.binary?.path;
  }

  // Starts it if it is wanted for the first time; what is on the way or has failed stays as it is.
  wake(): void {
    if (this.current.kind === 'off') void this.start();
  }

  start(): Promise<void> {
    this.starting ??= this.startOnce().finally(() => (this.starting = undefined));
    return this.starting;
  }

  async restart(): Promise<void> {
    this.ends = [];
    await this.stop();
    await this.start();
  }

  // Asks, and waits for a server that is starting. Throws an Error whose message is for people.
  async request<R>(method: string, params: unknown, token?: vscode.CancellationToken): Promise<R> {
    this.wake();
    await this.starting;
    if (!this.client || this.client.state !== State.Running) throw new Error(this.absence());
    this.busySince = true;
    try {
      return await this.ask<R>(this.client, method, params, token);
    } catch (error) {
      if (error instanceof ResponseError && error.code === methodNotFound) {
        throw new Error(`the server at ${this.binary?.path} is older than this extension and does not know ${method}; update it, ` +
          'or clear the setting tilewright.server.path');
      }
      throw error;
    }
  }

  private async ask<R>(client: LanguageClient, method: string, params: unknown, token?: vscode.CancellationToken): Promise<R> {
    for (let tries = 0; ; tries++) {
      try {
        // An absent token would be sent as a second parameter.
        return await (token ? client.sendRequest<R>(method, params, token) : client.sendRequest<R>(method, params));
      } catch (error) {
        const again = error instanceof ResponseError && (error.code === contentModified || error.code === serverCancelled);
        if (!again || tries === 4 || this.client !== client) throw error;
      }
    }
  }

  // The connection itself, for progress and conversions.
  get connection(): LanguageClient | undefined {
    return this.client?.state === State.Running ? this.client : undefined;
  }

  knows(document: vscode.TextDocument): boolean {
    return this.gate.knows(document);
  }

  async stop(): Promise<void> {
    this.stopping = true;
    this.watch(undefined);
    const { client, child } = this;
    this.client = this.child = undefined;
    // A server that hangs answers no shutdown.
    const kill = setTimeout(() => child?.kill('SIGKILL'), 1500);
    await client?.stop(2000).catch(() => undefined);
    await client?.dispose(1).catch(() => undefined);
    clearTimeout(kill);
    if (child && child.exitCode === null) child.kill('SIGKILL');
    this.stopping = false;
    this.set({ kind: 'off' });
  }

  dispose(): void {
    void this.stop();
    this.healthChanged.dispose();
    this.viewsChanged.dispose();
    this.log.dispose();
  }

  private absence(): string {
    switch (this.current.kind) {
      case 'missing':
        return `there is no Tilewright server: ${this.current.why}`;
      case 'ended':
        return `the Tilewright server has ended: ${this.current.why}`;
      default:
        return 'the Tilewright server is not running';
    }
  }

  private set(health: Health): void {
    this.current = health;
    this.healthChanged.fire(health);
  }

  private async startOnce(): Promise<void> {
    this.set({ kind: 'starting' });
    const found = await findBinary(this.context);
    if (typeof found === 'string') {
      this.log.error(found);
      this.set({ kind: 'missing', why: found });
      void this.offer(`Tilewright has no server: ${found}.`, 'Open Settings', 'Try Again');
      return;
    }
    this.binary = found;
    this.log.info(`starting ${found.path} (from ${found.from})`);
    this.gate.forget();
    const client: LanguageClient = new QuietClient('tilewright', 'Tilewright', () => this.spawn(found.path), this.options(() => client));
    this.client = client;
    client.onNotification('$/tilewright/status', ({ health, message }: { health: string; message: string }) => {
      if (this.current.kind !== 'running') return;
      this.set({ ...this.current, warning: health === 'ok' ? undefined : message });
    });
    client.onNotification('tilewright/viewChanged', ({ uri }: { uri: string }) => this.viewsChanged.fire(uri));
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Running) {
        this.set({ kind: 'running', version: client.initializeResult?.serverInfo?.version ?? '' });
      } else if (newState === State.Starting && this.current.kind !== 'starting') {
        this.set({ kind: 'starting' });
      }
    });
    try {
      await client.start();
      this.watch(found);
    } catch (error) {
      if (this.client !== client) return;
      const why = error instanceof Error ? error.message : String(error);
      this.log.error(`it could not be started: ${why}`);
      this.set({ kind: 'ended', why });
      void this.offer(`The Tilewright server could not be started: ${why}`, 'Restart', 'Show Log');
    }
  }

  private async spawn(path: string): Promise<ChildProcess> {
    const child = spawn(path, ['lsp'], { stdio: ['pipe', 'pipe', 'pipe'] });
    await new Promise<void>((ready, failed) => {
      child.once('spawn', ready);
      child.once('error', failed);
    });
    child.stdin.on('error', () => undefined); // its end is told by the connection
    this.child = child;
    return child;
  }

  private options(self: () => LanguageClient): LanguageClientOptions {
    return {
      documentSelector: [
        { language: 'python' },
        { pattern: '**/*.tile.py' },
      ],
      initializationOptions: { status: true },
      outputChannel: this.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      diagnosticPullOptions: { onChange: true, onTabs: false },
      middleware: {
        ...this.gate.middleware(self),
        executeCommand: async (command, args, next) => ((await this.hooks.command(command, args[0])) ? undefined : next(command, args)),
        workspace: {
          configuration: async (params, token, next) => {
            const values = await next(params, token);
            if (!Array.isArray(values)) return values;
            return values.map((value, i) => (params.items[i].section === 'tilewright' ? this.hooks.settings(value ?? {}) : value));
          },
        },
      },
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => (this.client === self() ? this.ended() : { action: CloseAction.DoNotRestart, handled: true }),
      },
    };
  }

  private ended() {
    const how = this.child?.signalCode ? `signal ${this.child.signalCode}` : `status ${this.child?.exitCode ?? 'unknown'}`;
    if (this.stopping) return { action: CloseAction.DoNotRestart, handled: true };
    this.log.error(`the server ended with ${how}`);
    this.gate.forget();
    const now = Date.now();
    this.ends = [...this.ends.filter((at) => now - at < endsWithin), now];
    if (this.ends.length <= endsAllowed) return { action: CloseAction.Restart, handled: true };
    this.watch(undefined);
    const why = `${how}, ${this.ends.length} times within three minutes`;
    this.set({ kind: 'ended', why });
    void this.offer(`The Tilewright server ended again and again (${how}). What you type is safe; its answers stop here.`, 'Restart', 'Show Log');
    return { action: CloseAction.DoNotRestart, handled: true };
  }

  // Sees that the program was replaced, and that the process still answers.
  private watch(binary: Binary | undefined): void {
    clearInterval(this.beat);
    if (this.binary) unwatchFile(this.binary.path);
    if (!binary) return;
    watchFile(binary.path, { interval: 3000 }, () => void this.replaced(binary));
    this.beat = setInterval(() => void this.listen(), heartbeat);
  }

  private async replaced(was: Binary): Promise<void> {
    const stamp = await stampOf(was.path);
    // Not there for a moment: it is being replaced. Another call follows.
    if (!stamp || stamp === was.stamp || this.binary !== was) return;
    was.stamp = stamp;
    const choice = await vscode.window.showInformationMessage('The Tilewright server was replaced by another version.', 'Restart Server', 'Later');
    if (choice === 'Restart Server') await this.restart();
  }

  private async listen(): Promise<void> {
    const client = this.connection;
    if (!client || !this.busySince || this.stopping) return;
    this.busySince = false;
    let silent: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => (silent = setTimeout(() => resolve('late'), patience)));
    const answer = client.sendRequest('$/tilewright/memory').then(() => 'answered' as const, () => 'answered' as const);
    if ((await Promise.race([answer, late])) === 'late' && this.client === client && this.current.kind === 'running') {
      const before = this.current;
      this.set({ kind: 'silent' });
      void answer.then(() => this.current.kind === 'silent' && this.client === client && this.set(before));
      void this.offer(`The Tilewright server has not answered for ${patience / 1000} s.`, 'Restart', 'Wait');
    }
    clearTimeout(silent);
  }

  // Typing keeps the heartbeat going even where no request of ours does.
  touched(document: vscode.TextDocument): void {
    if (isScript(document)) this.busySince = true;
  }

  private async offer(message: string, ...choices: string[]): Promise<void> {
    switch (await vscode.window.showErrorMessage(message, ...choices)) {
      case 'Open Settings':
        await vscode.commands.executeCommand('workbench.action.openSettings', 'tilewright.server.path');
        break;
      case 'Try Again':
      case 'Restart':
        await this.restart();
        break;
      case 'Show Log':
        this.log.show();
        break;
    }
  }
}
