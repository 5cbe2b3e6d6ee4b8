// Decorations that are set only where they are others than before. The editor moves them along with edits, so what was
// set counts until lines come or go.
import * as vscode from 'vscode';

const lastSet = new WeakMap<vscode.TextEditor, Map<vscode.TextEditorDecorationType, string>>();
const lineChanges = new WeakMap<vscode.TextDocument, number>();

// To be called before anything that decorates listens to the same event.
export function watchLines(): vscode.Disposable {
  return vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
    if (contentChanges.every(({ range, text }) => range.isSingleLine && !text.includes('\n'))) return;
    lineChanges.set(document, (lineChanges.get(document) ?? 0) + 1);
  });
}

export function decorate(editor: vscode.TextEditor, type: vscode.TextEditorDecorationType, ranges: vscode.Range[] | vscode.DecorationOptions[]): void {
  let known = lastSet.get(editor);
  if (!known) lastSet.set(editor, (known = new Map()));
  const now = ranges.length === 0 ? 'none' : `${lineChanges.get(editor.document) ?? 0} ${JSON.stringify(ranges)}`;
  if ((known.get(type) ?? 'none') === now) return;
  known.set(type, now);
  editor.setDecorations(type, ranges as vscode.DecorationOptions[]);
}
