// The colours of linked lines. Those of the theme can be set by any colour customisation; the colour-blind-safe
// ones are Okabe and Ito's. In high contrast the theme's are borders, not backgrounds.
import * as vscode from 'vscode';
import { decorate } from './decorate';

export const paletteSize = 8;
const safe = ['230,159,0', '86,180,233', '0,158,115', '240,228,66', '0,114,178', '213,94,0', '204,121,167', '140,140,140'];

export interface Palette extends vscode.Disposable {
  // By line: its colour, and the lines that stand out.
  apply(editor: vscode.TextEditor, lines: Map<number, number>, active: Set<number>): void;
}

export function palette(): Palette {
  const choice = vscode.workspace.getConfiguration('tilewright').get<string>('view.palette', 'theme');
  const types = Array.from({ length: paletteSize }, (_, i) => {
    const background = choice === 'colourBlindSafe' ? `rgba(${safe[i]},0.16)` : new vscode.ThemeColor(`tilewright.line${i + 1}`);
    const edge = choice === 'colourBlindSafe' ? `rgba(${safe[i]},0.95)` : new vscode.ThemeColor(`tilewright.line${i + 1}Edge`);
    return vscode.window.createTextEditorDecorationType({
      isWholeLine: true,
      backgroundColor: background,
      borderColor: edge,
      borderStyle: 'solid',
      borderWidth: '0 0 0 3px',
      rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
    });
  });
  const active = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor('tilewright.activeLine'),
    borderColor: new vscode.ThemeColor('tilewright.activeLineBorder'),
    borderStyle: 'solid',
    borderWidth: '0 0 0 5px',
    overviewRulerColor: new vscode.ThemeColor('tilewright.activeLineBorder'),
    overviewRulerLane: vscode.OverviewRulerLane.Full,
  });
  return {
    apply(editor, lines, standingOut) {
      const ranges: vscode.Range[][] = types.map(() => []);
      if (choice !== 'none') {
        for (const [from, to, colour] of runs(lines)) ranges[colour].push(new vscode.Range(from, 0, to, 0));
      }
      types.forEach((type, i) => decorate(editor, type, ranges[i]));
      const marks = runs(new Map([...standingOut].map((line) => [line, 0])));
      decorate(editor, active, marks.map(([from, to]) => new vscode.Range(from, 0, to, 0)));
    },
    dispose: () => [...types, active].forEach((type) => type.dispose()),
  };
}

// Neighbouring lines of one colour as one range: [first, last, colour].
export function runs(lines: Map<number, number>): [number, number, number][] {
  const out: [number, number, number][] = [];
  for (const [line, colour] of [...lines].sort(([a], [b]) => a - b)) {
    const last = out.at(-1);
    if (last && last[1] === line - 1 && last[2] === colour) last[1] = line;
    else out.push([line, line, colour]);
  }
  return out;
}
