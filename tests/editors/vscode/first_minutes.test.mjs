// The first minutes with the extension: a script is opened, an error typed and fixed by its quick fix, a call hovered.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { example, scenario, Workbench } from './workbench.mjs';

let w;
before(async () => (w = await Workbench.open({ files: { 'scopes.py': example('gmem_smem_scopes.py'), 'plain.py': 'def tile():\n    return undefined_name\n' } })));
after(() => w?.close());

scenario(test, () => w, 'from opening a script to its hover, an error, its fix, and CUDA beside it', async () => {
  const { page } = w;
  await w.openFile('scopes.py');
  const opened = Date.now();

  // The hover tells the variant that was chosen. It is asked for as a hand would: again, until the server answers.
  const call = w.line('Tx.warp.copy(A_smem[:, :], A[:, :])');
  await w.goTo(30);
  const hover = page.locator('.monaco-hover:visible', { hasText: 'gmem_smem' });
  await w.until(async () => {
    await page.mouse.move(5, 5);
    await call.locator('span', { hasText: /^copy$/ }).first().hover({ timeout: 1000 }).catch(() => undefined);
    return hover.first().waitFor({ timeout: 900 }).then(() => true, () => false);
  }, 'a hover names the variant');
  console.log(`from the script in the editor to the first hover with a variant: ${Date.now() - opened} ms`);
  await page.locator('.statusbar-item', { hasText: /by_warp · sm_/ }).waitFor();
  await w.shot('hover');
  await page.keyboard.press('Escape');

  // A name is misspelt, the finding stands there, its fix is preferred.
  await w.goTo(40, 28);
  await page.keyboard.type('x');
  await page.locator('.squiggly-error').first().waitFor();
  await w.shot('error');
  await page.keyboard.press('Control+.');
  const fix = page.locator('.action-widget .monaco-list-row', { hasText: /A_smem/ }).first();
  await fix.waitFor();
  await w.shot('quick-fix');
  await page.keyboard.press('Enter');
  await page.locator('.squiggly-error').first().waitFor({ state: 'detached' });
  assert.match(await w.text('scopes.py'), /Tx\.warp\.copy\(B\[:, :\], A_smem\[:, :\]\)/);

  // What it becomes, beside it.
  await w.command('Tilewright: Show CUDA Beside the Script');
  await w.line('__global__').waitFor();
  await w.shot('cuda');
  assert.equal(w.processes().length, 1, 'one server, out of the extension');
});
