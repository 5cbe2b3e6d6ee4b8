// Typing in a script of 2,000 lines with a view open: how soon the view follows, and how soon it says that it is out of
// date. The figures are printed; what is asserted is that it follows each keystroke, and is marked until it has.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { scenario, Workbench } from './workbench.mjs';

const kernels = 140;
const kernel = (i) => `
@T.prim_func
def kernel_${i}(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (64, 64), "float16")
    B = T.match_buffer(B_ptr, (64, 64), "float16")
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    A_smem = T.alloc_buffer((64, 64), "float16", scope="shared")
    for step in range(4${i}):
        Tx.warp.copy(A_smem[:, :], A[:, :])
    T.cuda.cta_sync()
    Tx.warp.copy(B[:, :], A_smem[:, :])
`;
const script = `# tilewright: arch sm_90a
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
${Array.from({ length: kernels }, (_, i) => kernel(i)).join('\n')}`;

let w;
before(async () => (w = await Workbench.open({ files: { 'long.py': script }, settings: { 'editor.inlayHints.enabled': 'off', 'tilewright.simulate': false } })));
after(() => w?.close());

scenario(test, () => w, 'the view follows each keystroke', async () => {
  const lines = script.split('\n');
  assert.ok(lines.length >= 1960, `${lines.length} lines`);
  const line = lines.findIndex((text) => text.includes('range(470)'));
  await w.openFile('long.py');
  await w.goTo(line + 1);
  await w.page.locator('.statusbar-item', { hasText: /kernel_70 · sm_90a/ }).waitFor();
  await w.command('Tilewright: Show CUDA Beside the Script');
  await w.until(async () => /kernel_70_kernel/.test(await w.text('kernel_70.cu')), 'the view is there');
  await w.line('range(470)', w.editor('long.py')).click();
  await w.goTo(line + 1, lines[line].indexOf('470') + 4);
  // Measured in the window itself, from the key to the frame in which the view has the new text.
  await w.page.evaluate(() => {
    const view = [...document.querySelectorAll('.editor-group-container')].find((g) => [...g.querySelectorAll('.tab')].some((t) => t.textContent.includes('kernel_70.cu')));
    globalThis.figures = [];
    globalThis.expectIn = (wanted) => {
      const start = performance.now();
      const one = { wanted, followed: 0, marked: 0 };
      globalThis.figures.push(one);
      const look = () => {
        const text = view.querySelector('.view-lines').textContent.replace(/\u00a0/g, ' ');
        const marked = [...view.querySelectorAll('.view-line span[class*="ced-"]')].some((span) => getComputedStyle(span, '::before').content.includes('out of date'));
        if (marked && !one.marked) one.marked = performance.now() - start;
        if (text.includes(wanted) && !marked) one.followed = performance.now() - start;
        else requestAnimationFrame(look);
      };
      addEventListener('keydown', () => requestAnimationFrame(look), { once: true, capture: true });
    };
  });
  for (let i = 0; i < 30; i++) {
    const typing = i % 2 === 0;
    await w.page.evaluate((wanted) => globalThis.expectIn(wanted), typing ? '< 4705;' : '< 470;');
    await w.page.keyboard.press(typing ? '5' : 'Backspace');
    await w.until(() => w.page.evaluate(() => globalThis.figures.at(-1).followed > 0), `the view follows keystroke ${i + 1}`);
  }
  const figures = await w.page.evaluate(() => globalThis.figures);
  assert.ok(figures.some((f) => f.marked > 0), 'between key and answer it says that it is out of date');
  const told = (name) => {
    const all = figures.map((f) => f[name]).filter((ms) => ms > 0).sort((a, b) => a - b).map(Math.round);
    return `${all[Math.floor(all.length / 2)]} ms in the middle, ${all.at(-1)} ms at most, of ${all.length}`;
  };
  console.log(`${lines.length} lines: the view has followed after ${told('followed')}`);
  console.log(`it says that it is out of date after ${told('marked')}`);
  await w.shot('typing');
});
