// A panel that draws a page of ours beside the script. The page gets one object that says all it shows, and sends back what
// the user chose in it; it has no access to anything else.
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';

export class Panel<ToPage, FromPage> implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private last: ToPage | undefined;
  private readonly closed = new vscode.EventEmitter<void>();
  readonly onDidClose = this.closed.event;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly page: string, // the bundle dist/PAGE_page.js
    private readonly title: string,
    private readonly received: (message: FromPage) => void,
  ) {}

  get visible(): boolean {
    return this.panel?.visible ?? false;
  }

  get open(): boolean {
    return this.panel !== undefined;
  }

  // Opens it, or brings it to the front.
  reveal(preserveFocus = true): void {
    if (this.panel) {
      if (!this.panel.visible) this.panel.reveal(undefined, preserveFocus);
      return;
    }
    const root = vscode.Uri.joinPath(this.context.extensionUri, 'dist');
    const media = vscode.Uri.joinPath(this.context.extensionUri, 'media');
    const panel = vscode.window.createWebviewPanel(`tilewright.${this.page}`, this.title, { viewColumn: vscode.ViewColumn.Beside, preserveFocus }, {
      enableScripts: true,
      enableFindWidget: true,
      localResourceRoots: [root, media],
    });
    panel.iconPath = vscode.Uri.joinPath(media, 'icon.svg');
    panel.webview.onDidReceiveMessage((message: FromPage | 'ready') => {
      // A page that was hidden is made again and asks for what it had shown.
      if (message !== 'ready') this.received(message);
      else if (this.last) void panel.webview.postMessage(this.last);
    });
    panel.onDidDispose(() => {
      this.panel = undefined;
      this.closed.fire();
    });
    const script = panel.webview.asWebviewUri(vscode.Uri.joinPath(root, `${this.page}_page.js`));
    const style = panel.webview.asWebviewUri(vscode.Uri.joinPath(media, 'panel.css'));
    const nonce = randomBytes(16).toString('base64');
    panel.webview.html = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${panel.webview.cspSource} 'unsafe-inline'; script-src 'nonce-${nonce}'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${this.title}</title>
<link rel="stylesheet" href="${style}">
</head>
<body class="tilewright-${this.page}"><main id="page"></main><script nonce="${nonce}" src="${script}"></script></body>
</html>`;
    this.panel = panel;
  }

  show(what: ToPage): void {
    this.last = what;
    void this.panel?.webview.postMessage(what);
  }

  dispose(): void {
    this.panel?.dispose();
    this.closed.dispose();
  }
}

// A place in a script that was clicked.
export interface Place {
  uri: string;
  line: number; // from 0
  character?: number;
}

export async function goTo(place: Place): Promise<void> {
  const uri = vscode.Uri.parse(place.uri);
  const shown = vscode.window.visibleTextEditors.find((editor) => editor.document.uri.toString() === uri.toString());
  const at = new vscode.Position(place.line, place.character ?? 0);
  await vscode.window.showTextDocument(uri, { viewColumn: shown?.viewColumn ?? vscode.ViewColumn.One, selection: new vscode.Range(at, at) });
}
