// Typing in a script of 2,000 lines with a view open: how soon the view follows, and how soon it says that it is out of
// date. The figures are printed; what is asserted is that it follows each keystroke, and that where the server lets it wait
// it is marked until it has.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { loadavg } from 'node:os';
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
  // Measured in the window itself, from the key as the window was given it to the end of the frame in which the view has the
  // new text: asked only after something was drawn, so that asking makes no frames.
  await w.page.evaluate(() => {
    const group = (title) => [...document.querySelectorAll('.editor-group-container')].find((g) => [...g.querySelectorAll('.tab')].some((t) => t.textContent.includes(title)));
    const [view, typed] = [group('kernel_70.cu'), group('long.py')];
    const says = (where, text) => where.querySelector('.view-lines').textContent.replace(/\u00a0/g, ' ').includes(text);
    const notes = () => [...view.querySelectorAll('.view-line span[class*="ced-"]')];
    const outOfDate = () => notes().some((span) => getComputedStyle(span, '::before').content.includes('out of date'));
    globalThis.figures = [];
    let asked = false;
    const look = () => {
      asked = false;
      const one = globalThis.figures.at(-1);
      if (!one?.start || one.followed) return;
      const now = performance.now() - one.start;
      if (!one.typed && says(typed, one.inScript)) one.typed = now;
      const marked = outOfDate();
      if (marked && !one.marked) one.marked = now;
      if (!marked && says(view, one.inView)) one.followed = now;
    };
    new MutationObserver(() => {
      if (!asked) setTimeout(look);
      asked = true;
    }).observe(document.querySelector('.monaco-workbench'), { subtree: true, childList: true, characterData: true, attributes: true });
    globalThis.expectIn = (inScript, inView) => {
      const one = { inScript, inView, start: 0, typed: 0, followed: 0, marked: 0 };
      globalThis.figures.push(one);
      addEventListener('keydown', (event) => (one.start = event.timeStamp), { once: true, capture: true });
    };
  });
  for (let i = 0; i < 30; i++) {
    const typing = i % 2 === 0;
    await w.page.evaluate((wanted) => globalThis.expectIn(...wanted), typing ? ['range(4705)', '< 4705;'] : ['range(470)', '< 470;']);
    await w.page.keyboard.press(typing ? '5' : 'Backspace');
    await w.until(() => w.page.evaluate(() => globalThis.figures.at(-1).followed > 0), `the view follows keystroke ${i + 1}`);
  }
  const figures = await w.page.evaluate(() => globalThis.figures);
  // How long a text that is not current any more was seen beside what was typed, and did not say so.
  for (const f of figures) f.unmarked = Math.max(0, (f.marked || f.followed) - f.typed);
  const told = (name) => {
    const all = figures.map((f) => f[name]).sort((a, b) => a - b).map(Math.round);
    const soon = all.filter((ms) => ms <= 100).length;
    return `${all[Math.floor(all.length / 2)]} ms in the middle, ${all.at(-1)} ms at most, ${soon} of ${all.length} within 100 ms`;
  };
  console.log(`${lines.length} lines, load ${loadavg()[0].toFixed(1)}: what was typed is seen after ${told('typed')}`);
  if (process.env.TILEWRIGHT_FIGURES) console.log(figures.map((f) => `${Math.round(f.typed)}/${Math.round(f.followed)}`).join(' '));
  console.log(`the view has followed after ${told('followed')}`);
  console.log(`until it said that it is out of date, or had followed, it stood beside what was typed for ${told('unmarked')}`);
  await w.shot('typing');
});

scenario(test, () => w, 'while the server lets it wait it says that it is out of date', async () => {
  const [server] = w.processes();
  for (let i = 0; i < 4; i++) {
    const typing = i % 2 === 0;
    process.kill(server, 'SIGSTOP');
    try {
      await w.page.evaluate((wanted) => globalThis.expectIn(...wanted), typing ? ['range(4706)', '< 4706;'] : ['range(470)', '< 470;']);
      await w.page.keyboard.press(typing ? '6' : 'Backspace');
      await w.until(() => w.page.evaluate(() => globalThis.figures.at(-1).marked > 0), 'it is marked');
      assert.match(await w.text('kernel_70.cu'), typing ? /< 470;/ : /< 4706;/, 'what it shows is of the text before');
      if (typing) await w.shot('out-of-date');
    } finally {
      process.kill(server, 'SIGCONT');
    }
    await w.until(() => w.page.evaluate(() => globalThis.figures.at(-1).followed > 0), 'it follows, and the mark is gone');
  }
  const marked = (await w.page.evaluate(() => globalThis.figures)).slice(-4).map((f) => Math.round(f.marked));
  console.log(`marked ${marked.join(', ')} ms after the key`);
});
