// How it looks: dark, light, high contrast, and colours that every reader can tell apart.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { readFileSync } from 'node:fs';
import { assertAccessible, assertContrast } from './accessible.mjs';
import { example, join, root, scenario, Workbench } from './workbench.mjs';

const looks = [
  { name: 'dark', settings: {} },
  { name: 'light', settings: { 'workbench.colorTheme': 'Default Light Modern' } },
  { name: 'high-contrast', settings: { 'workbench.colorTheme': 'Default High Contrast' } },
  { name: 'colour-blind-safe', settings: { 'tilewright.view.palette': 'colourBlindSafe' } },
];

for (const { name, settings } of looks) {
  describe(name, () => {
    let w;
    after(() => w?.close());

    scenario(test, () => w, `linked lines and panels in ${name}`, async () => {
      w = await Workbench.open({ files: { 'scopes.py': example('gmem_smem_scopes.py'), 'banks.py': readFileSync(join(root, 'tests/lsp/features/banks.py'), 'utf8') }, settings });
      await w.openFile('scopes.py');
      await w.command('View: Toggle Primary Side Bar Visibility');
      await w.goTo(38);
      await w.page.locator('.statusbar-item', { hasText: /by_warp · sm_90a/ }).waitFor();
      await w.command('Tilewright: Show CUDA Beside the Script');
      await w.line('by_warp_kernel').waitFor();
      await w.line('Tx.warp.copy(A_smem[:, :], A[:, :])', w.editor('scopes.py')).click();
      const edges = await w.until(async () => {
        const found = await w.editor('by_warp.cu').evaluate((group) => [...group.querySelectorAll('.view-overlays .cdr')].map((one) => getComputedStyle(one))
          .filter((s) => s.borderLeftWidth === '3px').map((s) => [s.borderLeftColor, s.backgroundColor]));
        return new Set(found.map(([edge]) => edge)).size >= 5 && found;
      }, 'five statements have an edge of their own colour each');
      // In high contrast nothing lies behind the text.
      if (name === 'high-contrast') assert.deepEqual([...new Set(edges.map(([, background]) => background))], ['rgba(0, 0, 0, 0)']);
      if (name === 'colour-blind-safe') assert.ok(edges.every(([edge]) => edge.includes('0.95')), 'Okabe and Ito’s colours');
      // The lines of the kernel that emit nothing are told from the others, and can be read in high contrast.
      const unused = await w.until(() => w.line('T.thread_id([32])', w.editor('scopes.py')).evaluate((line) => {
        const top = line.getBoundingClientRect().top;
        const edges = [...line.closest('.monaco-editor').querySelectorAll('.view-overlays .cdr')].filter((one) => Math.abs(one.getBoundingClientRect().top - top) < 3);
        const opacity = Math.min(...[...line.querySelectorAll('span')].map((one) => Number(getComputedStyle(one).opacity)));
        const dotted = edges.some((one) => getComputedStyle(one).borderLeftStyle === 'dotted');
        return (opacity < 1 || dotted) && { opacity, dotted };
      }).catch(() => undefined), 'a line that emits nothing is marked');
      if (name === 'high-contrast') {
        assert.deepEqual(unused, { opacity: 1, dotted: true });
        await assertContrast(w.page, '.view-lines');
      } else {
        assert.ok(!unused.dotted && unused.opacity > 0.6, JSON.stringify(unused));
      }
      // The colours of the language come a moment after the text.
      await w.until(async () => (await w.line('extern "C"', w.editor('by_warp.cu')).locator('span span').count()) > 3, 'CUDA has its colours');
      await w.shot(`linked-${name}`);
      await w.command('View: Close All Editors');
      await w.openFile('banks.py');
      await w.goTo(16, 6);
      await w.page.locator('.statusbar-item', { hasText: /plain · sm_/ }).waitFor();
      await w.command('Tilewright: Show Layout Under the Cursor');
      const layout = await w.frame('.grid td');
      await w.shot(`layout-${name}`);
      await assertAccessible(layout, `the Layout view in ${name}`);
      await w.command('View: Close All Editors');
      await w.openFile('scopes.py');
      await w.goTo(38);
      await w.command('Tilewright: Run the Entry');
      const run = await w.frame('#verdict');
      await assertAccessible(run, `the Run view in ${name}`);
      await w.shot(`run-${name}`);
    });
  });
}
