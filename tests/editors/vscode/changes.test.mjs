// The changes that turn one text of a view into the next: applied to the first they make the second, and touch no line
// that both have alike where only lines were changed.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { join, root } from './workbench.mjs';

const extension = join(root, 'editors/vscode');
const { buildSync } = createRequire(join(extension, 'package.json'))('esbuild');
const built = buildSync({ entryPoints: [join(extension, 'src/views/changes.ts')], bundle: true, write: false, format: 'esm' });
const { changes } = await import(`data:text/javascript,${encodeURIComponent(built.outputFiles[0].text)}`);

// As an editor does it: all places are of the text before.
function applied(before, edits) {
  let text = before.join('\n');
  const offset = ([line, column]) => {
    assert.ok(line < before.length && column <= before[line].length, `${line}:${column} lies in the text`);
    return before.slice(0, line).reduce((sum, one) => sum + one.length + 1, 0) + column;
  };
  for (const { from, to, put } of [...edits].reverse()) text = text.slice(0, offset(from)) + put + text.slice(offset(to));
  return text.split('\n');
}

// Numbers that are the same in every run.
function numbers(seed) {
  return (below) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
}

test('random texts become one another', () => {
  const next = numbers(7);
  const text = () => Array.from({ length: 1 + next(7) }, () => ['', 'a', 'b', 'cc'][next(4)]);
  for (let i = 0; i < 20000; i++) {
    const [before, after] = [text(), text()];
    assert.deepEqual(applied(before, changes(before, after)), after, JSON.stringify([before, after]));
  }
});

test('lines that stay are not touched', () => {
  const before = ['a', 'b', 'c', 'd', 'e', 'f'];
  assert.deepEqual(changes(before, before), []);
  assert.deepEqual(changes(before, ['a', 'B', 'c', 'd', 'E', 'F']).map(({ from, to }) => [from[0], to[0]]), [[1, 2], [3, 5]]);
  assert.deepEqual(changes(before, ['a', 'b', 'new', 'c', 'd', 'e', 'f']), [{ from: [2, 0], to: [2, 0], put: 'new\n' }]);
  assert.deepEqual(changes(before, before.slice(0, 4)), [{ from: [3, 1], to: [5, 1], put: '' }]);
});
