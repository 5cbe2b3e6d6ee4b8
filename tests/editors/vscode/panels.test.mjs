// Panels: a run on the simulator and on a worker elsewhere, findings, history and timeline; layouts and pipelines; tests.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { assertAccessible } from './accessible.mjs';
import { example, join, root, scenario, Workbench } from './workbench.mjs';
import { readFileSync } from 'node:fs';

const race = readFileSync(join(root, 'docs/race.py'), 'utf8');
let w;
before(async () => {
  w = await Workbench.open({ files: {
    'scopes.py': example('gmem_smem_scopes.py'), 'pipeline.py': example('tma_pipeline.py'), 'race.py': race,
    'fixed.tile.py': race.replace("    B[column", '    T.cuda.cta_sync()\n    B[column'),
    'banks.py': readFileSync(join(root, 'tests/lsp/features/banks.py'), 'utf8'),
  } });
  // A machine elsewhere: the worker of the same binary, behind a command.
  w.write('tilewright.toml', `[remotes.lab]\nat = "exec:${join(w.extensionFolder(), 'bin/tilewright')} worker --stdio --on sim"\n[pools]\nall = ["lab"]\n`);
  execFileSync(join(w.extensionFolder(), 'bin/tilewright'), ['trust', w.folder, '--yes'], { env: w.environment });
});
after(() => w?.close());
const step = (name, run) => scenario(test, () => w, name, run);

step('a race is found while typing, without a run', async () => {
  await w.openFile('fixed.tile.py');
  await w.line('T.cuda.cta_sync()').waitFor();
  await w.page.locator('.statusbar-item', { hasText: /turned · sm_/ }).waitFor();
  assert.equal(await w.page.locator('.squiggly-error').count(), 0);
  await w.line('T.cuda.cta_sync()').click();
  await w.page.keyboard.press('Control+Shift+K');
  await w.page.locator('.squiggly-error').first().waitFor();
  await w.command('Problems: Focus on Problems View');
  await w.page.locator('.markers-panel', { hasText: 'TW5020' }).waitFor();
  await w.shot('race');
  await w.command('View: Hide Panel');
  await w.command('View: Focus Active Editor Group');
  await w.page.keyboard.press('Control+Z');
  await w.page.locator('.squiggly-error').first().waitFor({ state: 'detached' });
});

step('a kernel runs on the simulator: verdict, tensors, timeline, history', async () => {
  await w.openFile('scopes.py');
  await w.goTo(38);
  await w.page.locator('.statusbar-item', { hasText: /by_warp · sm_90a/ }).waitFor();
  await w.command('Tilewright: Run the Entry');
  const page = await w.frame('#verdict');
  assert.equal(await page.locator('#verdict').textContent(), 'verified');
  await page.locator('td', { hasText: 'as expected (reference plain(ROWS, COLS)' }).waitFor();
  await page.locator('.timeline .span').first().waitFor();
  await page.locator('h2', { hasText: 'History' }).waitFor();
  await w.shot('run');
  await assertAccessible(page, 'the Run view');
  // A bar of the timeline leads to its line.
  await page.locator('.timeline .span[aria-label*="line"]').last().press('Enter');
  await w.page.locator('.editor-group-container.active .tab.active[data-resource-name="scopes.py"]').waitFor();
});

step('and on a worker elsewhere that tilewright.toml names', async () => {
  await w.command('Tilewright: Run the Entry on');
  await w.pick('lab');
  const page = await w.frame('#verdict');
  await w.until(async () => (await page.locator('table').last().textContent()).includes('lab'), 'the history has the run');
  await w.until(async () => (await page.locator('#verdict').textContent().catch(() => '')) === 'verified', 'it is verified');
  await w.page.locator('.activitybar .action-label[aria-label*="Tilewright"]').first().click();
  const row = w.page.locator('.pane-body .monaco-list-row', { hasText: 'lab' }).first();
  await row.waitFor();
  await row.click();
  await row.hover();
  await row.locator('.action-label[aria-label*="Check"]').click();
  await w.page.locator('.pane-body .monaco-list-row', { hasText: 'slots busy' }).waitFor();
  await w.shot('remotes');
});

step('a failing run shows its findings at their lines', async () => {
  await w.page.locator('.activitybar .action-label[aria-label*="Explorer"]').first().click();
  await w.command('View: Close All Editors');
  await w.openFile('race.py');
  await w.page.locator('.statusbar-item', { hasText: /turned · sm_/ }).waitFor();
  await w.command('Tilewright: Run the Entry');
  const page = await w.frame('#verdict');
  await w.until(async () => (await page.locator('#verdict').textContent().catch(() => '')) === 'failed', 'it fails');
  await page.locator('li', { hasText: 'TW5020' }).first().waitFor();
  await page.locator('li button.link').first().click();
  await w.page.locator('.statusbar-item', { hasText: 'Ln 15' }).waitFor();
  await w.shot('findings');
  await assertAccessible(page, 'the Run view with findings');
});

step('the layout under the cursor, by owner and by bank', async () => {
  await w.command('View: Close All Editors');
  await w.openFile('banks.py');
  const lines = readFileSync(join(root, 'tests/lsp/features/banks.py'), 'utf8').split('\n');
  const line = lines.findIndex((text) => /alloc/.test(text));
  await w.goTo(line + 1, lines[line].search(/\w/) + 1);
  await w.page.locator('.statusbar-item', { hasText: /sm_/ }).first().waitFor();
  await w.command('Tilewright: Show Layout Under the Cursor');
  const page = await w.frame('.grid td');
  await page.locator('.grid tbody td').nth(5).hover();
  await page.locator('.grid td.mate').first().waitFor();
  await w.shot('layout');
  await assertAccessible(page, 'the Layout view');
});

step('the pipeline of a kernel', async () => {
  await w.command('View: Close All Editors');
  await w.openFile('pipeline.py');
  await w.page.locator('.statusbar-item', { hasText: /sm_/ }).first().waitFor();
  await w.command('Tilewright: Show Pipeline of the Kernel');
  const page = await w.frame('.flow');
  await page.locator('.uses li.wait').first().waitFor();
  await w.shot('pipeline');
  await assertAccessible(page, 'the Pipeline view');
  await page.locator('.flow button.link').first().click();
  await w.page.locator('.editor-group-container.active .tab.active[data-resource-name="pipeline.py"]').waitFor();
});

step('each entry with a reference is a test', async () => {
  await w.command('View: Close All Editors');
  await w.openFile('scopes.py');
  await w.command('Test: Run Tests in Current File');
  await w.command('Testing: Focus on Test Explorer View');
  await w.page.locator('.test-explorer .monaco-list-row', { hasText: 'scopes.py' }).waitFor();
  await w.until(async () => (await w.page.locator('.test-explorer .monaco-list-row .codicon-testing-passed-icon').count()) >= 1, 'tests have passed');
  await w.shot('tests');
});

step('and can be run where tilewright.toml says', async () => {
  await w.openFile('scopes.py');
  await w.command('Testing: Focus on Test Explorer View');
  const row = w.page.locator('.test-explorer .monaco-list-row', { hasText: 'scopes.py' }).first();
  await row.click({ button: 'right' });
  const item = w.page.locator('.monaco-menu .action-item', { hasText: /Using Profile/ }).first();
  await item.waitFor();
  const choices = w.page.locator('.quick-input-list .monaco-list-row', { hasText: 'On the simulator' });
  // A menu takes no click that comes together with its opening, which on a busy machine may be late.
  await w.until(async () => {
    if (await item.isVisible()) await item.click({ timeout: 1000 }).catch(() => undefined);
    return choices.isVisible();
  }, 'the places to run are offered');
  await w.pick('On lab');
  await w.command('Tilewright: Show Run View');
  const page = await w.frame('#verdict');
  await w.until(async () => /lab/.test(await page.locator('table').last().locator('tr').nth(1).textContent()), 'the last run was on the lab machine');
  await w.shot('tests-elsewhere');
});
