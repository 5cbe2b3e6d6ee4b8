// Which documents are tile scripts: those the server is told of. Other Python files stay the Python extension's alone.
import * as vscode from 'vscode';

// As the server decides it: a file that speaks of the dialect's package, its decorator, or to Tilewright in a comment.
const marks = /\btvm\b|prim_func|tilewright:/;

export function speaksTile(document: vscode.TextDocument): boolean {
  return document.uri.path.endsWith('.tile.py') || marks.test(document.getText());
}

// Files of this machine, texts that have no file yet, and files elsewhere that an extension brings into the editor: of
// those the server knows what is open. Old versions in a comparison and other read-only texts are not worked on.
function worksOn(uri: vscode.Uri): boolean {
  return uri.scheme === 'file' || uri.scheme === 'untitled' || vscode.workspace.fs.isWritableFileSystem(uri.scheme) === true;
}

export function isPython(document: vscode.TextDocument): boolean {
  if (!worksOn(document.uri)) return false;
  return document.languageId === 'python' || document.uri.path.endsWith('.tile.py');
}

export function isScript(document: vscode.TextDocument): boolean {
  return isPython(document) && speaksTile(document);
}

// The script that the user works on: the active editor's, or the last one where a view or a panel is active now.
export class ActiveScript implements vscode.Disposable {
  private last: vscode.TextDocument | undefined;
  private readonly changed = new vscode.EventEmitter<vscode.TextDocument | undefined>();
  readonly onDidChange = this.changed.event;
  private readonly subscriptions: vscode.Disposable[];

  constructor() {
    const look = () => {
      const document = vscode.window.activeTextEditor?.document;
      if (document && isScript(document) && document !== this.last) this.set(document);
    };
    this.subscriptions = [
      vscode.window.onDidChangeActiveTextEditor(look),
      vscode.workspace.onDidChangeTextDocument((event) => {
        if (event.document === vscode.window.activeTextEditor?.document) look();
      }),
      vscode.workspace.onDidCloseTextDocument((closed) => {
        if (closed === this.last) this.set(undefined);
      }),
    ];
    look();
  }

  get document(): vscode.TextDocument | undefined {
    return this.last;
  }

  // The editor of the script, if it is visible.
  get editor(): vscode.TextEditor | undefined {
    return vscode.window.visibleTextEditors.find((editor) => editor.document === this.last);
  }

  dispose(): void {
    for (const one of this.subscriptions) one.dispose();
    this.changed.dispose();
  }

  private set(document: vscode.TextDocument | undefined): void {
    this.last = document;
    void vscode.commands.executeCommand('setContext', 'tilewright.hasScript', document !== undefined);
    this.changed.fire(document);
  }
}
