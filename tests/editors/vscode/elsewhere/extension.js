// A filesystem that is not of this machine: elsewhere:/NAME. Its contents are kept in the folder .elsewhere of the
// workspace, where the test puts and finds them; the file .elsewhere/gone breaks the connection. Its script kernels.py is opened.
const { existsSync, readFileSync, statSync, writeFileSync } = require('node:fs');
const { basename, join } = require('node:path');
const vscode = require('vscode');

exports.activate = (context) => {
  const folder = join(vscode.workspace.workspaceFolders[0].uri.fsPath, '.elsewhere');
  const changed = new vscode.EventEmitter();
  const place = (uri) => {
    if (existsSync(join(folder, 'gone'))) throw vscode.FileSystemError.Unavailable('the connection is gone');
    return join(folder, basename(uri.path));
  };
  const found = (uri) => {
    const file = place(uri);
    if (!existsSync(file)) throw vscode.FileSystemError.FileNotFound(uri);
    return file;
  };
  const provider = {
    onDidChangeFile: changed.event,
    watch: () => new vscode.Disposable(() => undefined),
    stat: (uri) => {
      if (uri.path === '/') return { type: vscode.FileType.Directory, ctime: 0, mtime: 0, size: 0 };
      const { ctimeMs, mtimeMs, size } = statSync(found(uri));
      return { type: vscode.FileType.File, ctime: ctimeMs, mtime: mtimeMs, size };
    },
    readDirectory: () => [],
    readFile: (uri) => readFileSync(found(uri)),
    writeFile: (uri, content) => writeFileSync(place(uri), content),
    createDirectory: () => undefined,
    delete: () => undefined,
    rename: () => undefined,
  };
  context.subscriptions.push(vscode.workspace.registerFileSystemProvider('elsewhere', provider, { isCaseSensitive: true }));
  void vscode.window.showTextDocument(vscode.Uri.parse('elsewhere:/kernels.py'));
};
