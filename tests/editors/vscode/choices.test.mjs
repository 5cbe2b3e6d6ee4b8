// What a user chooses: the entry and the architecture in the status bar, what is compared, the end of a run, the
// walkthrough; and what stands in panels while the script goes on.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readFileSync } from 'node:fs';
import { example, join, root, scenario, Workbench } from './workbench.mjs';

// A kernel that the simulator is busy with for longer than a user waits.
const slow = `# tilewright: arch sm_90a
from tvm.script import tirx as T


@T.prim_func
def endless(A_ptr: T.handle):
    A = T.match_buffer(A_ptr, (32,), "float32")
    T.device_entry()
    T.cta_id([1])
    lane = T.thread_id([32])
    for step in range(100000000):
        A[lane] = A[lane] * 1.5 + 1.0
`;

let w;
before(async () => (w = await Workbench.open({
  files: {
    'scopes.py': example('gmem_smem_scopes.py'), 'slow.py': slow, 'pipeline.py': example('tma_pipeline.py'),
    'banks.py': readFileSync(join(root, 'tests/lsp/features/banks.py'), 'utf8'),
  },
  // Nothing but what is asked for makes the machine busy.
  settings: { 'tilewright.simulate': false },
})));
after(() => w?.close());
const step = (name, run) => scenario(test, () => w, name, run);
const row = (entry, architecture) => w.page.locator('.quick-input-list .monaco-list-row', { hasText: entry }).filter({ hasText: architecture }).first();
const choice = (text) => w.page.locator('.statusbar-item', { hasText: text });

step('an entry is chosen in the status bar, and its view takes the place of the one before', async () => {
  await w.openFile('scopes.py');
  await w.goTo(38);
  await choice(/by_warp · sm_90a/).waitFor();
  await w.command('Tilewright: Show CUDA Beside the Script');
  await w.line('by_warp_kernel').waitFor();
  await choice(/by_warp · sm_90a/).click();
  await row('by_thread', 'sm_90a').waitFor();
  await w.shot('choice');
  await row('by_thread', 'sm_90a').click();
  await choice(/by_thread · sm_90a/).waitFor();
  await w.line('by_thread_kernel').waitFor();
  await w.page.locator('.tab', { hasText: 'by_warp.cu' }).waitFor({ state: 'detached' });
});

step('an architecture that the script does not name is chosen there', async () => {
  await choice(/by_thread · sm_90a/).click();
  await w.pick('Another architecture');
  await w.pick('sm_120a');
  await choice(/by_thread · sm_120a/).waitFor();
  await w.page.locator('.tab[data-resource-name="scopes.py"]').first().click();
  await w.command('Tilewright: Show PTX Beside the Script');
  await w.until(async () => /\.target sm_120a/.test(await w.text('by_thread.ptx')), 'the PTX is for the other architecture');
  await w.shot('another-architecture');
});

step('two entries are compared', async () => {
  await w.page.locator('.tab[data-resource-name="scopes.py"]').first().click();
  await w.command('View: Close Other Editors in Group');
  await w.command('Tilewright: Show CUDA Beside the Script');
  await w.until(async () => /by_thread_kernel/.test(await w.text('by_thread.cu')), 'the CUDA is there');
  await w.page.locator('.tab[data-resource-name="scopes.py"]').first().click();
  await w.command('Tilewright: Compare with Another Entry');
  await row('by_warp', 'sm_120a').click();
  await w.page.locator('.tab', { hasText: 'by_thread ↔ by_warp' }).waitFor();
  const difference = w.page.locator('.monaco-diff-editor');
  await difference.locator('.line-delete').first().waitFor();
  await difference.locator('.line-insert').first().waitFor();
  await w.shot('compared-entries');
});

step('panels say that they are out of date until they have followed', async () => {
  await w.command('View: Close All Editors');
  await w.openFile('pipeline.py');
  await choice(/sm_/).first().waitFor();
  await w.command('Tilewright: Show Pipeline of the Kernel');
  const pipeline = await w.frame('.flow');
  const [server] = w.processes();
  const old = (page) => page.locator('[role="status"]', { hasText: 'Out of date' });
  const typed = async (page, name) => {
    await w.page.locator(`.tab[data-resource-name="${name}"]`).first().click();
    await w.goTo(1);
    process.kill(server, 'SIGSTOP');
    try {
      await w.page.keyboard.type('# ');
      await old(page).waitFor();
      await w.shot(`out-of-date-${name}`);
    } finally {
      process.kill(server, 'SIGCONT');
    }
    await old(page).waitFor({ state: 'detached' });
  };
  await typed(pipeline, 'pipeline.py');
  await w.command('File: Revert File');
  await w.command('View: Close All Editors');
  await w.openFile('banks.py');
  await w.goTo(16, 6);
  await choice(/plain · sm_/).waitFor();
  await w.command('Tilewright: Show Layout Under the Cursor');
  const layout = await w.frame('.grid td');
  await typed(layout, 'banks.py');
  await w.command('File: Revert File');
  await w.command('View: Close All Editors');
});

step('a run that takes too long is cancelled, and the next one goes its way', async () => {
  await w.openFile('slow.py');
  await choice(/endless · sm_90a/).waitFor();
  await w.command('Tilewright: Run the Entry');
  const page = await w.frame('progress');
  await w.shot('running');
  await page.locator('button', { hasText: 'Cancel' }).click();
  await page.locator('p.warn', { hasText: 'Cancelled.' }).waitFor();
  await w.shot('cancelled');
  assert.equal(await page.locator('progress').count(), 0);
  assert.equal(await page.locator('button.main').isEnabled(), true, 'another run can be started');
  // By its command, too.
  await page.locator('button.main').click();
  await page.locator('progress').waitFor();
  await w.command('Tilewright: Cancel the Run');
  await page.locator('progress').waitFor({ state: 'detached' });
  await w.command('View: Close All Editors');
  await w.openFile('scopes.py');
  await w.goTo(38);
  await choice(/by_thread · sm_120a/).waitFor();
  await w.command('Tilewright: Run the Entry');
  const next = await w.frame('#verdict');
  assert.equal(await next.locator('#verdict').textContent(), 'verified');
  // What was run is another text as soon as the user types.
  await w.page.locator('.tab[data-resource-name="scopes.py"]').first().click();
  await w.goTo(1);
  await w.page.keyboard.type('# ');
  await next.locator('[role="status"]', { hasText: 'Out of date' }).waitFor();
  await w.command('File: Revert File');
});

step('the walkthrough leads to the first view', async () => {
  await w.command('View: Close All Editors');
  await w.openFile('scopes.py');
  await choice(/sm_/).first().waitFor();
  await w.command('Welcome: Open Walkthrough...');
  await w.pick('Get Started with Tilewright');
  const tour = w.page.locator('.gettingStartedContainer');
  for (const title of ['Open a tile script', 'See what it becomes', 'Look at a layout', 'Run it']) await tour.locator('.getting-started-step', { hasText: title }).first().waitFor();
  const see = tour.locator('.getting-started-step', { hasText: 'See what it becomes' }).first();
  await see.click();
  await w.shot('walkthrough');
  await see.locator('a, .monaco-button', { hasText: 'Open Lowered View' }).first().click();
  await w.pick('CUDA');
  await w.line('__global__').waitFor();
  await w.page.locator('.tab', { hasText: 'Walkthrough' }).first().click();
  await tour.locator('.getting-started-step', { hasText: 'See what it becomes' }).first().locator('.codicon-getting-started-step-checked.complete').first().waitFor();
});
