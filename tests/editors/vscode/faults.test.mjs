// What befalls a server and a workspace: each is told with a way on, and nothing that was typed is lost.
import assert from 'node:assert/strict';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { example, join, scenario, Workbench } from './workbench.mjs';

const files = { 'scopes.py': example('gmem_smem_scopes.py') };
const running = /by_thread · sm_/;

describe('a server that ends or hangs', () => {
  let w;
  after(() => w?.close());
  const step = (name, run) => scenario(test, () => w, name, run);
  const kill = (signal) => w.processes().forEach((pid) => process.kill(pid, signal));
  const toast = (text) => w.page.locator('.notification-toast', { hasText: text });

  step('one that is killed is started again, and views go on', async () => {
    w = await Workbench.open({ files });
    await w.openFile('scopes.py');
    await w.page.locator('.statusbar-item', { hasText: running }).waitFor();
    await w.command('Tilewright: Show CUDA Beside the Script');
    await w.line('by_thread_kernel').waitFor();
    const before = w.processes();
    kill('SIGKILL');
    await w.until(() => w.processes().length === 1 && w.processes()[0] !== before[0], 'another server has started');
    await w.page.locator('.tab', { hasText: 'scopes.py' }).first().click();
    await w.goTo(15);
    await w.page.keyboard.press('End');
    await w.page.keyboard.type('  ');
    await w.until(async () => !(await w.outOfDate('by_thread.cu')), 'the view is current again');
  });

  step('one that hangs is told of, its views are out of date, and it is restarted on request', async () => {
    kill('SIGSTOP');
    await w.goTo(15);
    await w.page.keyboard.press('End');
    await w.page.keyboard.type(' ');
    await w.until(() => w.outOfDate('by_thread.cu'), 'the view says that it is out of date');
    await toast('has not answered').waitFor();
    await w.shot('hanging');
    assert.match(await w.text('scopes.py'), /def by_thread/, 'what is typed stays');
    await toast('has not answered').locator('a.monaco-button', { hasText: 'Restart' }).click();
    await w.page.locator('.statusbar-item', { hasText: running }).waitFor();
    await w.until(async () => !(await w.outOfDate('by_thread.cu')), 'the view is current again');
  });

  step('one that is replaced by another version is restarted when the user says so', async () => {
    const binary = join(w.extensionFolder(), 'bin/tilewright'), other = binary + '.new';
    copyFileSync(binary, other);
    chmodSync(other, 0o755);
    renameSync(other, binary);
    const before = w.processes()[0];
    await toast('replaced by another version').locator('a.monaco-button', { hasText: 'Restart Server' }).click();
    await w.until(() => w.processes().length === 1 && w.processes()[0] !== before, 'the other version runs');
  });

  step('one that ends again and again is given up, with a way to start it', async () => {
    for (let i = 0; i < 5; i++) {
      const [pid] = await w.until(() => w.processes().length === 1 && w.processes(), 'a server runs', 20_000);
      await new Promise((next) => setTimeout(next, 700));
      process.kill(pid, 'SIGKILL');
      await w.until(() => !w.processes().includes(pid), 'it has ended');
    }
    await toast('ended again and again').waitFor();
    await w.page.locator('.statusbar-item', { hasText: 'server ended' }).waitFor();
    await w.shot('given-up');
    await toast('ended again and again').locator('a.monaco-button', { hasText: 'Restart' }).click();
    await w.page.locator('.statusbar-item', { hasText: running }).waitFor();
  });

  step('a script that is renamed keeps its view; one that is deleted leaves no trace', async () => {
    await w.command('File: Save');
    await w.page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'scopes.py' }).click();
    await w.page.keyboard.press('F2');
    const box = w.page.locator('.explorer-folders-view input');
    await box.fill('renamed.py');
    await w.page.keyboard.press('Enter');
    await w.page.locator('.tab[data-resource-name="renamed.py"]').waitFor();
    await w.page.locator('.statusbar-item', { hasText: running }).waitFor();
    await w.page.locator('.tab[data-resource-name="renamed.py"]').first().click();
    await w.goTo(15);
    await w.page.keyboard.press('End');
    await w.page.keyboard.type(' ');
    await w.until(async () => /by_thread_kernel/.test(await w.text('by_thread.cu')), 'the view is of the renamed script');
    await w.until(async () => !(await w.outOfDate('by_thread.cu')), 'and current');
    await w.command('File: Save');
    await w.command('View: Close All Editors');
    rmSync(join(w.folder, 'renamed.py'));
    await w.until(async () => (await w.page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'renamed.py' }).count()) === 0, 'it is gone');
    assert.equal(await w.page.locator('[id="status.problems"]', { hasText: /[1-9]/ }).count(), 0, 'no finding is left');
  });
});

describe('no server', () => {
  let w;
  after(() => w?.close());

  scenario(test, () => w, 'is told, and one that the setting names is taken', async () => {
    w = await Workbench.open({ files, extension: (folder) => renameSync(join(folder, 'bin'), join(folder, 'elsewhere')) });
    await w.openFile('scopes.py');
    await w.page.locator('.notification-toast', { hasText: 'has no server' }).waitFor();
    await w.page.locator('.statusbar-item', { hasText: 'no server' }).waitFor();
    await w.shot('missing');
    w.write('.vscode/settings.json', JSON.stringify({ 'tilewright.server.path': join(w.extensionFolder(), 'elsewhere/tilewright') }));
    await w.page.locator('.statusbar-item', { hasText: running }).waitFor();
  });
});

describe('a workspace that is not trusted', () => {
  let w;
  after(() => w?.close());

  scenario(test, () => w, 'is read and explained, and nothing is run', async () => {
    // A program that the folder's settings would have started.
    const marker = '.started';
    w = await Workbench.open({ files: { ...files, 'race.py': readFileSync(join(import.meta.dirname, '../../../docs/race.py'), 'utf8') }, trust: false });
    mkdirSync(join(w.folder, '.vscode'));
    w.write('evil', `#!/bin/sh\ntouch ${join(w.folder, marker)}\n`);
    chmodSync(join(w.folder, 'evil'), 0o755);
    w.write('.vscode/settings.json', JSON.stringify({ 'tilewright.server.path': join(w.folder, 'evil') }));
    w.write('tilewright.toml', `[remotes.evil]\nat = "exec:${join(w.folder, 'evil')}"\n`);
    await w.page.reload();
    const refuse = w.page.locator('.monaco-dialog-box a.monaco-button, .monaco-dialog-box .monaco-button', { hasText: 'No, I' });
    await refuse.click({ timeout: 15_000 }).catch(() => undefined);
    await w.openFile('race.py');
    await w.page.locator('.statusbar-item', { hasText: /turned · sm_/ }).waitFor();
    await w.page.locator('.view-line', { hasText: 'gmem_smem' }).first().waitFor(); // explained
    await w.command('Tilewright: Run the Entry');
    await w.page.locator('.notification-toast', { hasText: 'not trusted' }).waitFor();
    await w.shot('not-trusted');
    assert.equal(await w.page.locator('.squiggly-error').count(), 0, 'not tried on the simulator');
    assert.throws(() => readFileSync(join(w.folder, marker)), 'nothing that the folder names was started');
  });
});
