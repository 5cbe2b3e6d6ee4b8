// A script that is no file of this machine, but one that another extension brings from elsewhere: it is understood as it
// stands in the editor, what needs a file says so, and a connection that breaks loses nothing.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { after, before, test } from 'node:test';
import { example, here, join, root, scenario, Workbench } from './workbench.mjs';

let w, made;
before(async () => {
  made = mkdtempSync(join(tmpdir(), 'tilewright-elsewhere-'));
  const file = join(made, 'elsewhere.vsix');
  const vsce = join(root, 'editors/vscode/node_modules/.bin/vsce');
  execFileSync(vsce, ['package', '--no-dependencies', '--skip-license', '--allow-missing-repository', '--out', file], { cwd: join(here, 'elsewhere'), stdio: 'pipe' });
  w = await Workbench.open({ files: { '.elsewhere/kernels.py': example('gmem_smem_scopes.py') }, beside: [file] });
});
after(async () => {
  await w?.close();
  rmSync(made, { recursive: true, force: true });
});
const step = (name, run) => scenario(test, () => w, name, run);

step('errors, variants and views are those of any script', async () => {
  await w.page.locator('.tab.active[data-resource-name="kernels.py"]').waitFor();
  await w.goTo(38);
  await w.page.locator('.statusbar-item', { hasText: /by_warp · sm_90a/ }).waitFor();
  await w.command('Tilewright: Show CUDA Beside the Script');
  await w.line('by_warp_kernel').waitFor();
  await w.line('Tx.warp.copy(B[:, :], A_smem[:, :])', w.editor('kernels.py')).click();
  await w.goTo(40, 28);
  await w.page.keyboard.type('x');
  await w.page.locator('.squiggly-error').first().waitFor();
  await w.page.keyboard.press('Backspace');
  await w.page.locator('.squiggly-error').first().waitFor({ state: 'detached' });
  await w.until(async () => !(await w.outOfDate('by_warp.cu')), 'the view is current');
  await w.shot('elsewhere');
});

step('a run says what it needs', async () => {
  await w.command('Tilewright: Run the Entry');
  const toast = w.page.locator('.notification-toast', { hasText: 'a file of this machine' });
  await toast.waitFor();
  assert.match(await toast.textContent(), /Save As/);
  await w.shot('elsewhere-run');
  await w.command('Notifications: Clear All Notifications');
});

step('a connection that breaks loses nothing', async () => {
  await w.page.locator('.tab[data-resource-name="kernels.py"]').first().click();
  await w.goTo(1);
  w.write('.elsewhere/gone', '');
  await w.page.keyboard.type('# typed while it was gone');
  await w.page.keyboard.press('Enter');
  await w.page.keyboard.press('Control+S');
  await w.page.locator('.notification-toast', { hasText: 'kernels.py' }).first().waitFor();
  await w.page.locator('.tab.dirty[data-resource-name="kernels.py"]').first().waitFor();
  await w.until(async () => !(await w.outOfDate('by_warp.cu')), 'the view follows all the same');
  rmSync(join(w.folder, '.elsewhere/gone'));
  await w.command('File: Save');
  await w.page.locator('.tab.dirty').first().waitFor({ state: 'detached' });
  assert.match(w.read('.elsewhere/kernels.py'), /^# typed while it was gone\n/);
});
