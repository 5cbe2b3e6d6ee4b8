// Decorations that are set only where they are others than before. The editor moves them along with edits, so what was
// set counts for that version of the text alone.
import type * as vscode from 'vscode';

const lastSet = new WeakMap<vscode.TextEditor, Map<vscode.TextEditorDecorationType, string>>();

export function decorate(editor: vscode.TextEditor, type: vscode.TextEditorDecorationType, ranges: vscode.Range[] | vscode.DecorationOptions[]): void {
  let known = lastSet.get(editor);
  if (!known) lastSet.set(editor, (known = new Map()));
  const now = ranges.length === 0 ? 'none' : `${editor.document.version} ${JSON.stringify(ranges)}`;
  if ((known.get(type) ?? 'none') === now) return;
  known.set(type, now);
  editor.setDecorations(type, ranges as vscode.DecorationOptions[]);
}
