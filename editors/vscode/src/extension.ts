// Where everything is put together. The server starts with the first tile script that is seen, never before.
import * as vscode from 'vscode';
import { Choice } from './choice';
import { LayoutPanel } from './panels/layout';
import { PipelinePanel } from './panels/pipeline';
import { RunPanel } from './run/panel';
import { Remotes } from './run/remotes';
import { Runs } from './run/runs';
import { Tests } from './run/tests';
import { ActiveScript, isScript } from './scripts';
import { Server } from './server';
import { ViewCommands } from './views/commands';
import { watchLines } from './views/decorate';
import { Links, ViewDefinitions } from './views/links';
import { viewScheme } from './views/name';
import { messageOf, Views } from './views/views';

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  context.subscriptions.push(watchLines());
  const active = new ActiveScript();
  // The server calls back only once something has asked it, when all of these are there.
  const parts = {} as { choice: Choice; views: ViewCommands; run: RunPanel };
  const server = new Server(context, {
    command: (name, argument) => carryOut(parts, name, argument),
    settings: (section) => trusted(parts.choice.settings(section)),
  });
  parts.choice = new Choice(server, active);
  const views = new Views(server);
  parts.views = new ViewCommands(views, parts.choice, active);
  const runs = new Runs(server, context.workspaceState);
  parts.run = new RunPanel(context, runs, parts.choice, active);
  const layout = new LayoutPanel(context, server, active);
  const pipeline = new PipelinePanel(context, server, parts.choice, active);
  const remotes = new Remotes(server, runs, active);
  const wake = (document: vscode.TextDocument) => {
    if (isScript(document)) server.wake();
  };
  const command = (name: string, run: (argument: never) => Promise<unknown>) =>
    vscode.commands.registerCommand(name, (argument) => tell(() => run(argument as never)));
  context.subscriptions.push(
    parts.views, views, parts.choice, active, parts.run, runs, layout, pipeline, remotes, server,
    new Links(views),
    new Tests(server, runs, active),
    vscode.languages.registerDefinitionProvider({ scheme: viewScheme }, new ViewDefinitions(views)),
    command('tilewright.chooseEntry', () => parts.choice.pick()),
    command('tilewright.showLayout', () => layout.open()),
    command('tilewright.showPipeline', () => pipeline.open()),
    command('tilewright.showRun', () => parts.run.open()),
    command('tilewright.trustSettings', () => parts.run.trust()),
    command('tilewright.runEntry', () => parts.run.runChosen()),
    command('tilewright.runOn', () => parts.run.chooseTarget()),
    command('tilewright.runOnTarget', (node: { target: { name: string } }) => parts.run.runChosen(node.target.name)),
    command('tilewright.checkRemote', (node: never) => remotes.check(node)),
    command('tilewright.cancelRun', async () => runs.now?.cancel.cancel()),
    command('tilewright.restartServer', () => server.restart()),
    command('tilewright.showLog', async () => server.log.show()),
    vscode.workspace.onDidOpenTextDocument(wake),
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      wake(document);
      server.touched(document);
    }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('tilewright.server.path') && server.health.kind !== 'off') void server.restart();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void server.connection?.sendNotification('workspace/didChangeConfiguration', { settings: null })),
  );
  for (const document of vscode.workspace.textDocuments) wake(document);
}

// Commands of code lenses, which the editor carries out rather than the server.
async function carryOut(parts: { choice: Choice; views: ViewCommands; run: RunPanel }, name: string, argument: unknown): Promise<boolean> {
  if (name === 'tilewright.entries') {
    await tell(() => parts.choice.pick());
  } else if (name === 'tilewright.view') {
    await tell(() => parts.views.openUri(vscode.Uri.parse((argument as { uri: string }).uri)));
  } else if (name === 'tilewright.run') {
    const { textDocument, entry, on } = argument as { textDocument: { uri: string }; entry: string; on: string };
    await tell(() => parts.run.run(vscode.Uri.parse(textDocument.uri), entry, on));
  } else if (name === 'tilewright.trust') {
    await tell(() => parts.run.trust(argument as { textDocument: { uri: string } } | undefined));
  } else {
    return false;
  }
  return true;
}

// In a workspace that is not trusted yet, scripts are read and explained, and nothing of them is executed: not on the
// simulator either, and NVIDIA's compiler sees none of it by itself.
function trusted(section: Record<string, unknown>): Record<string, unknown> {
  if (vscode.workspace.isTrusted) return section;
  return { ...section, simulate: false, toolchain: { ...(section.toolchain as object | undefined), check: 'off' } };
}

async function tell(what: () => Promise<unknown>): Promise<void> {
  try {
    await what();
  } catch (error) {
    void vscode.window.showErrorMessage(`Tilewright: ${messageOf(error)}`);
  }
}
