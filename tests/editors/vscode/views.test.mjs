// Lowered views: linked with their script both ways, live while typing, compared, and never out of date unmarked.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { example, scenario, Workbench } from './workbench.mjs';

let w;
before(async () => (w = await Workbench.open({ files: { 'scopes.py': example('gmem_smem_scopes.py'), 'other.py': example('vector_add.py') } })));
after(() => w?.close());
const step = (name, run) => scenario(test, () => w, name, run);

// How a line of an editor is drawn: its background, and whether it stands out.
async function drawn(title, text) {
  const editor = w.editor(title);
  const line = w.line(text, editor);
  await line.waitFor();
  // Lines are made again while they are painted: what is measured is one that still stands there.
  return w.until(() => line.evaluate((node) => {
    if (!node.closest('.monaco-editor')) return undefined;
    const top = node.getBoundingClientRect().top;
    const layers = [...node.closest('.monaco-editor').querySelectorAll('.view-overlays .cdr')]
      .filter((one) => Math.abs(one.getBoundingClientRect().top - top) < 3);
    const styles = layers.map((one) => getComputedStyle(one));
    const seen = styles.filter((s) => s.backgroundColor !== 'rgba(0, 0, 0, 0)' && s.borderLeftWidth === '3px');
    return { colour: seen[0]?.borderLeftColor, standsOut: styles.some((s) => s.borderLeftWidth === '5px') };
  }).catch(() => undefined), `the line ${text} is drawn`);
}

step('lines of the script and of its CUDA have the same colours', async () => {
  await w.openFile('scopes.py');
  await w.goTo(38);
  await w.page.locator('.statusbar-item', { hasText: /by_warp · sm_90a/ }).waitFor();
  await w.command('Tilewright: Show CUDA Beside the Script');
  await w.line('by_warp_kernel').waitFor();
  const first = await w.until(async () => {
    const found = await drawn('scopes.py', 'Tx.warp.copy(A_smem[:, :], A[:, :])');
    return found.colour && found;
  }, 'a copy has a colour');
  const second = await drawn('scopes.py', 'Tx.warp.copy(B[:, :], A_smem[:, :])');
  assert.notEqual(first.colour, second.colour, 'two statements, two colours');
  assert.equal((await drawn('by_warp.cu', 'tvm_builtin_cuda_copy_128b(&A_smem')).colour, first.colour);
  assert.equal((await drawn('by_warp.cu', 'tvm_builtin_cuda_copy_128b(&B')).colour, second.colour);
});

step('a line of the script leads to its CUDA, and a line of the CUDA back', async () => {
  await w.line('Tx.warp.copy(A_smem[:, :], A[:, :])', w.editor('scopes.py')).click();
  await w.until(async () => (await drawn('by_warp.cu', 'tvm_builtin_cuda_copy_128b(&A_smem')).standsOut, 'the lines of CUDA stand out');
  assert.equal((await drawn('by_warp.cu', 'tvm_builtin_cuda_copy_128b(&B')).standsOut, false);
  await w.shot('linked');
  await w.line('tvm_builtin_cuda_copy_128b(&B', w.editor('by_warp.cu')).click();
  await w.until(async () => (await drawn('scopes.py', 'Tx.warp.copy(B[:, :], A_smem[:, :])')).standsOut, 'the statement stands out');
  assert.equal((await drawn('scopes.py', 'Tx.warp.copy(A_smem[:, :], A[:, :])')).standsOut, false);
  await w.page.keyboard.press('F12');
  await w.page.locator('.editor-group-container.active .tab.active[data-resource-name="scopes.py"]').waitFor();
  assert.ok(await w.page.locator('.statusbar-item', { hasText: 'Ln 40' }).count(), 'the cursor is on the statement');
  // And there again by the keyboard.
  await w.page.keyboard.press('Control+K');
  await w.page.keyboard.press('j');
  await w.page.locator('.editor-group-container.active .tab.active[data-resource-name="by_warp.cu"]').waitFor();
});

step('the view follows while the user types', async () => {
  await w.page.locator('.tab', { hasText: 'scopes.py' }).click();
  // A tile of 64 by 64 becomes one of 32 by 32.
  await w.goTo(11, 14);
  await w.page.keyboard.press('Shift+End');
  await w.page.keyboard.type('32, 32');
  await w.until(async () => /A_smem\[1024\]/.test(await w.text('by_warp.cu')), 'the CUDA is of the new size');
  await w.until(async () => !(await w.outOfDate('by_warp.cu')), 'and it is current');
  await w.shot('typed');
  await w.command('Tilewright: Compare with What Was Saved');
  await w.page.locator('.tab', { hasText: 'as saved ↔ now' }).waitFor();
  await w.page.locator('.monaco-diff-editor .line-insert').first().waitFor();
  await w.shot('compared-with-saved');
});

step('two architectures are compared', async () => {
  await w.page.locator('.tab[data-resource-name="scopes.py"]').first().click();
  await w.page.keyboard.press('Control+S');
  await w.page.locator('.tab.dirty').first().waitFor({ state: 'detached' });
  await w.command('View: Close All Editors');
  await w.openFile('scopes.py');
  await w.goTo(38);
  await w.command('Tilewright: Show PTX Beside the Script');
  await w.until(async () => /sm_90a/.test(await w.text('by_warp.ptx')), 'the PTX is there');
  await w.shot('ptx');
  await w.command('Tilewright: Compare with Another Architecture');
  await w.pick('sm_80');
  await w.page.locator('.tab', { hasText: 'sm_90a ↔ sm_80' }).waitFor();
  await w.page.locator('.monaco-diff-editor .line-delete').first().waitFor();
  await w.shot('compared-architectures');
});
