// Colours that link the lines of a script with the lines of its views, as Compiler Explorer does: what came from one
// statement has one colour on both sides, what the cursor is on stands out on both, and lines of the kernel that emit
// nothing are dimmed.
import * as vscode from 'vscode';
import { isScript } from '../scripts';
import { parseView } from './name';
import { decorate } from './decorate';
import type { ShownView, Views } from './views';
import { palette, paletteSize } from './palette';

export interface Owners {
  // By line of the script: the statement that it belongs to, named by its first line; the innermost one.
  ofLine: Map<number, number>;
  // The colour of each statement.
  colour: Map<number, number>;
}

// Which statement each line of the script belongs to, by the places that a view's lines came from.
export function ownersOf(view: Pick<ShownView, 'map'>): Owners {
  const size = new Map<number, number>();
  const ofLine = new Map<number, number>();
  for (const { source } of view.map) {
    for (let line = source.start; line < source.end; line++) {
      const known = size.get(line);
      if (known !== undefined && known <= source.end - source.start) continue;
      size.set(line, source.end - source.start);
      ofLine.set(line, source.start);
    }
  }
  const colour = new Map<number, number>();
  for (const statement of [...new Set(ofLine.values())].sort((a, b) => a - b)) colour.set(statement, colour.size % paletteSize);
  return { ofLine, colour };
}

interface Painted {
  lines: Map<number, number>; // line → colour
  active: Set<number>;
}

export class Links implements vscode.Disposable {
  private colours = palette();
  private dim = dimmed();
  // Drawn beside the text and not over it: a keystroke marks a view and unmarks it, and the text itself is not drawn again.
  private readonly old = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    borderWidth: '0 0 0 3px',
    borderStyle: 'solid',
    borderColor: new vscode.ThemeColor('editorWarning.foreground'),
  });
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly views: Views) {
    this.subscriptions = [
      views.onDidUpdate((view) => this.viewUpdated(view)),
      vscode.window.onDidChangeVisibleTextEditors(() => this.paintAll()),
      vscode.window.onDidChangeTextEditorSelection((event) => this.selected(event)),
      vscode.window.onDidChangeTextEditorVisibleRanges((event) => this.scrolled(event)),
      vscode.window.onDidChangeActiveColorTheme(() => {
        this.dim.dispose();
        this.dim = dimmed();
        this.paintAll();
      }),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (!event.affectsConfiguration('tilewright.view')) return;
        this.colours.dispose();
        this.colours = palette();
        this.paintAll();
      }),
    ];
  }

  dispose(): void {
    for (const one of [...this.subscriptions, this.dim, this.old, this.colours]) one.dispose();
  }

  private viewUpdated(view: ShownView): void {
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document.uri.toString() === view.uri.toString()) this.paintView(editor, view);
      else if (editor.document === view.script()) this.paintScript(editor);
    }
  }

  private paintAll(): void {
    for (const editor of vscode.window.visibleTextEditors) this.paint(editor);
  }

  private paint(editor: vscode.TextEditor): void {
    const view = this.views.get(editor.document.uri);
    if (view) this.paintView(editor, view);
    else if (isScript(editor.document)) this.paintScript(editor);
  }

  // The line of the script that is looked at: its cursor's, or what the cursor of a view came from.
  private lookedAt: { script: string; statement: number } | undefined;

  private paintView(editor: vscode.TextEditor, view: ShownView): void {
    const why = view.outOfDate();
    const painted: Painted = { lines: new Map(), active: new Set() };
    if (why) return this.markOld(editor, why); // with the colours that it had
    const owners = ownersOf(view);
    const active = this.statementFor(view);
    for (const { lines, source } of view.map) {
      const statement = owners.ofLine.get(source.start) ?? source.start;
      for (let line = lines.start; line < lines.end; line++) {
        if (!painted.lines.has(line)) painted.lines.set(line, owners.colour.get(statement) ?? 0);
        if (statement === active) painted.active.add(line);
      }
    }
    this.colours.apply(editor, painted.lines, painted.active);
    this.markOld(editor, '');
  }

  private markOld(editor: vscode.TextEditor, why: string): void {
    if (!why) return decorate(editor, this.old, []);
    // Where the user looks, however far it is scrolled.
    const first = editor.visibleRanges[0]?.start.line ?? 0;
    const begin = new vscode.Position(Math.min(first, editor.document.lineCount - 1), 0);
    const note = { contentText: `⟳ out of date: ${why}`, color: new vscode.ThemeColor('editorWarning.foreground'), fontStyle: 'italic', margin: '0 1.5em 0 0.5em' };
    const all = new vscode.Range(0, 0, editor.document.lineCount, 0);
    decorate(editor, this.old, [{ range: all }, { range: new vscode.Range(begin, begin), renderOptions: { before: note } }]);
  }

  private paintScript(editor: vscode.TextEditor): void {
    const visible = this.visibleViews(editor.document);
    const current = visible.find((view) => !view.outOfDate());
    if (visible.length > 0 && !current) return; // the colours move with the text until the views have caught up
    const painted: Painted = { lines: new Map(), active: new Set() };
    const unused: vscode.Range[] = [];
    if (current?.state === 'ready' && current.map.length > 0) {
      const owners = ownersOf(current);
      const active = this.statementFor(current);
      for (const [line, statement] of owners.ofLine) {
        painted.lines.set(line, owners.colour.get(statement) ?? 0);
        if (statement === active) painted.active.add(line);
      }
      const { start, end } = current.kernel ?? { start: 0, end: 0 };
      for (let line = start; line < Math.min(end, editor.document.lineCount); line++) {
        if (!owners.ofLine.has(line) && !editor.document.lineAt(line).isEmptyOrWhitespace) unused.push(editor.document.lineAt(line).range);
      }
    }
    this.colours.apply(editor, painted.lines, painted.active);
    const wanted = vscode.workspace.getConfiguration('tilewright').get('view.dimUnused', true);
    decorate(editor, this.dim, wanted ? unused : []);
  }

  private visibleViews(script: vscode.TextDocument): ShownView[] {
    return vscode.window.visibleTextEditors
      .map((editor) => this.views.get(editor.document.uri))
      .filter((view): view is ShownView => view !== undefined && view.script() === script);
  }

  private statementFor(view: ShownView): number | undefined {
    return this.lookedAt && this.lookedAt.script === view.script()?.uri.toString() ? this.lookedAt.statement : undefined;
  }

  private scrolled(event: vscode.TextEditorVisibleRangesChangeEvent): void {
    const view = this.views.get(event.textEditor.document.uri);
    if (view?.outOfDate()) this.markOld(event.textEditor, view.outOfDate());
  }

  private selected(event: vscode.TextEditorSelectionChangeEvent): void {
    const editor = event.textEditor;
    if (editor !== vscode.window.activeTextEditor) return;
    const line = event.selections[0].active.line;
    const view = this.views.get(editor.document.uri);
    if (view) this.selectedInView(view, line);
    else if (isScript(editor.document)) this.selectedInScript(editor.document, line);
  }

  private selectedInScript(script: vscode.TextDocument, line: number): void {
    const views = this.visibleViews(script).filter((view) => !view.outOfDate());
    if (views.length === 0) return;
    const statement = ownersOf(views[0]).ofLine.get(line);
    this.lookedAt = statement === undefined ? undefined : { script: script.uri.toString(), statement };
    this.paintAll();
    if (statement === undefined || !following()) return;
    for (const view of views) this.reveal(view, linesOf(view, statement));
  }

  private selectedInView(view: ShownView, line: number): void {
    const script = view.script();
    if (!script || view.outOfDate()) return;
    const source = sourceOf(view, line);
    const statement = source && (ownersOf(view).ofLine.get(source.start) ?? source.start);
    this.lookedAt = statement === undefined ? undefined : { script: script.uri.toString(), statement };
    this.paintAll();
    if (!source || !following()) return;
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document === script) editor.revealRange(new vscode.Range(source.start, 0, source.end - 1, 0), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    }
    for (const other of this.visibleViews(script)) {
      if (other !== view && !other.outOfDate() && statement !== undefined) this.reveal(other, linesOf(other, statement));
    }
  }

  private reveal(view: ShownView, lines: number[]): void {
    if (lines.length === 0) return;
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document.uri.toString() !== view.uri.toString()) continue;
      const seen = editor.visibleRanges.some((range) => range.start.line <= lines[0] && lines[0] <= range.end.line);
      if (!seen) editor.revealRange(new vscode.Range(lines[0], 0, lines[0], 0), vscode.TextEditorRevealType.InCenter);
    }
  }
}

// How lines that emit nothing are drawn. Who chose high contrast wants to read them, too: there they keep their colours, and
// are told by dots at their edge.
function dimmed(): vscode.TextEditorDecorationType {
  const { kind } = vscode.window.activeColorTheme;
  if (kind !== vscode.ColorThemeKind.HighContrast && kind !== vscode.ColorThemeKind.HighContrastLight) {
    return vscode.window.createTextEditorDecorationType({ opacity: '0.667', isWholeLine: true });
  }
  return vscode.window.createTextEditorDecorationType({
    isWholeLine: true, borderWidth: '0 0 0 3px', borderStyle: 'dotted', borderColor: new vscode.ThemeColor('editorLineNumber.foreground'),
  });
}

function following(): boolean {
  return vscode.workspace.getConfiguration('tilewright').get('view.followCursor', true);
}

// The place that a line of the view came from: where there are several, the shortest.
export function sourceOf(view: Pick<ShownView, 'map'>, line: number) {
  const found = view.map.filter(({ lines }) => lines.start <= line && line < lines.end).map(({ source }) => source);
  return found.sort((a, b) => a.end - a.start - (b.end - b.start))[0];
}

// The lines of the view that a statement of the script became.
export function linesOf(view: Pick<ShownView, 'map'>, statement: number): number[] {
  const { ofLine } = ownersOf(view);
  return view.map
    .filter(({ source }) => (ofLine.get(source.start) ?? source.start) === statement)
    .map(({ lines }) => lines.start)
    .sort((a, b) => a - b);
}

// Go to Definition in a view leads to the script.
export class ViewDefinitions implements vscode.DefinitionProvider {
  constructor(private readonly views: Views) {}

  provideDefinition(document: vscode.TextDocument, position: vscode.Position): vscode.LocationLink[] {
    const view = this.views.get(document.uri);
    const name = parseView(document.uri);
    const source = view && !view.outOfDate() ? sourceOf(view, position.line) : undefined;
    if (!source || !name) return [];
    const target = new vscode.Range(source.start, 0, source.end - 1, Number.MAX_SAFE_INTEGER);
    return [{ originSelectionRange: document.lineAt(position.line).range, targetUri: vscode.Uri.parse(name.document), targetRange: target }];
  }
}
