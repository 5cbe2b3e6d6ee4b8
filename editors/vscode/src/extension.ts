// Where everything is put together. The server starts with the first tile script that is seen, never before.
import * as vscode from 'vscode';
import { Choice } from './choice';
import { ActiveScript, isScript } from './scripts';
import { Server } from './server';
import { ViewCommands } from './views/commands';
import { Links, ViewDefinitions } from './views/links';
import { viewScheme } from './views/name';
import { messageOf, Views } from './views/views';

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const active = new ActiveScript();
  let choice: Choice | undefined;
  let commands: ViewCommands | undefined;
  const server = new Server(context, {
    command: async (name, argument) => {
      switch (name) {
        case 'tilewright.entries':
          await vscode.commands.executeCommand('tilewright.chooseEntry');
          return true;
        case 'tilewright.view':
          await commands?.openUri(vscode.Uri.parse((argument as { uri: string }).uri));
          return true;
        default:
          return false;
      }
    },
    settings: (section) => trusted(choice ? choice.settings(section) : section),
  });
  choice = new Choice(server, active);
  const views = new Views(server);
  commands = new ViewCommands(views, choice, active);
  const wake = (document: vscode.TextDocument | undefined) => {
    if (document && isScript(document)) server.wake();
  };
  context.subscriptions.push(
    commands, views, choice, active, server,
    new Links(views),
    vscode.languages.registerDefinitionProvider({ scheme: viewScheme }, new ViewDefinitions(views)),
    vscode.commands.registerCommand('tilewright.chooseEntry', () => tell(() => choice.pick())),
    vscode.commands.registerCommand('tilewright.restartServer', () => tell(() => server.restart())),
    vscode.commands.registerCommand('tilewright.showLog', () => server.log.show()),
    vscode.workspace.onDidOpenTextDocument(wake),
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      wake(document);
      server.touched(document);
    }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('tilewright.server.path') && server.health.kind !== 'off') void server.restart();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      if (server.health.kind !== 'off') void server.connection?.sendNotification('workspace/didChangeConfiguration', { settings: null });
    }),
  );
  for (const document of vscode.workspace.textDocuments) wake(document);
}

// In a workspace that nobody has trusted yet, scripts are read and explained, and nothing of them is executed: not on the
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
