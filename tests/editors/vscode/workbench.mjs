// A real VS Code workbench in a browser, with the packaged extension installed into it and nothing else: no tilewright on
// PATH, settings and folders of its own. Every figure of a screenshot or a wait is of what a user would see.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

export const here = dirname(fileURLToPath(import.meta.url));
export const root = resolve(here, '../../..');
const installed = process.env.TILEWRIGHT_WORKBENCH ?? join(root, 'build/workbench');
const vsix = process.env.TILEWRIGHT_VSIX ?? join(root, 'build/tilewright.vsix');
const pictures = process.env.TILEWRIGHT_SCREENSHOTS ?? join(root, 'build/screenshots');
const entry = join(installed, 'node_modules/code-server/out/node/entry.js');
const patience = 60_000;

const browserArguments = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--force-color-profile=srgb'];

function freePort() {
  return new Promise((done) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => done(port));
    });
  });
}

export class Workbench {
  // `files`: by name in the workspace, their text; `settings`: of the user; `trust`: whether the folder is trusted;
  // `extension`: what to do with the folder of the installed extension before anything starts.
  // `beside`: files of other extensions.
  static async open({ files = {}, settings = {}, trust = true, extension = undefined, path = undefined, beside = [] } = {}) {
    const self = new Workbench();
    self.home = mkdtempSync(join(tmpdir(), 'tilewright-workbench-'));
    self.folder = join(self.home, 'kernels');
    mkdirSync(self.folder);
    for (const [name, text] of Object.entries(files)) self.write(name, text);
    const user = join(self.home, 'user/User');
    mkdirSync(user, { recursive: true });
    const plain = {
      'workbench.startupEditor': 'none', 'extensions.autoCheckUpdates': false, 'extensions.autoUpdate': false, 'update.mode': 'none',
      'telemetry.telemetryLevel': 'off', 'files.autoSave': 'off', 'editor.minimap.enabled': false, 'chat.commandCenter.enabled': false,
      'workbench.layoutControl.enabled': false, 'editor.accessibilitySupport': 'off', 'git.enabled': false, 'editor.cursorBlinking': 'solid',
      'workbench.tips.enabled': false, 'workbench.colorTheme': 'Default Dark Modern', 'workbench.secondarySideBar.defaultVisibility': 'hidden',
    };
    writeFileSync(join(user, 'settings.json'), JSON.stringify({ 'tilewright.dialect': '0.25', ...plain, ...settings }));
    // Of PATH stays what Node and the shell need; a tilewright there would hide that the packaged one is not found.
    self.environment = {
      ...process.env, HOME: self.home, XDG_CONFIG_HOME: join(self.home, 'config'), XDG_DATA_HOME: join(self.home, 'data'),
      XDG_CACHE_HOME: join(self.home, 'cache'), PATH: [path, dirname(process.execPath), '/usr/bin', '/bin'].filter(Boolean).join(':'),
    };
    delete self.environment.VSCODE_IPC_HOOK_CLI;
    const folders = ['--user-data-dir', join(self.home, 'user'), '--extensions-dir', join(self.home, 'extensions')];
    for (const file of [vsix, ...beside]) execFileSync(process.execPath, [entry, ...folders, '--install-extension', file], { env: self.environment, stdio: 'pipe' });
    if (extension) extension(self.extensionFolder());
    self.port = await freePort();
    const more = trust ? ['--disable-workspace-trust'] : [];
    self.server = spawn(process.execPath, [entry, '--auth', 'none', '--bind-addr', `127.0.0.1:${self.port}`, ...folders, '--disable-telemetry',
      '--disable-update-check', ...more, self.folder], { env: self.environment, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    self.output = '';
    for (const stream of [self.server.stdout, self.server.stderr]) stream.on('data', (data) => (self.output += data));
    await self.until(() => self.output.includes('HTTP server listening'), 'the workbench listens');
    self.browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: browserArguments });
    const context = await self.browser.newContext({ viewport: { width: 1440, height: 900 } });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    self.page = await context.newPage();
    self.page.setDefaultTimeout(30_000);
    await self.page.goto(`http://127.0.0.1:${self.port}/?folder=${encodeURIComponent(self.folder)}`);
    await self.page.locator('.monaco-workbench .part.statusbar').waitFor();
    return self;
  }

  extensionFolder() {
    const list = JSON.parse(readFileSync(join(this.home, 'extensions/extensions.json'), 'utf8'));
    const found = list.find((one) => one.identifier.id === 'tilewright.tilewright');
    return found.location.path;
  }

  write(name, text) {
    mkdirSync(dirname(join(this.folder, name)), { recursive: true });
    writeFileSync(join(this.folder, name), text);
  }

  read(name) {
    return readFileSync(join(this.folder, name), 'utf8');
  }

  async until(met, what, timeout = patience) {
    const end = Date.now() + timeout;
    for (;;) {
      const value = await met();
      if (value) return value;
      if (Date.now() > end) {
        if (this.page) await this.shot('failed').catch(() => undefined);
        assert.fail(`it did not come to this within ${timeout / 1000} s: ${what}`);
      }
      await new Promise((next) => setTimeout(next, 50));
    }
  }

  async close() {
    await this.browser?.close();
    if (this.server?.exitCode === null) {
      const ended = new Promise((done) => this.server.once('exit', done));
      process.kill(-this.server.pid, 'SIGTERM');
      const hard = setTimeout(() => process.kill(-this.server.pid, 'SIGKILL'), 5000);
      await ended;
      clearTimeout(hard);
    }
    if (!process.env.TILEWRIGHT_KEEP) rmSync(this.home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }

  // A picture of the whole window, kept as an artefact.
  async shot(name) {
    mkdirSync(pictures, { recursive: true });
    await this.page.screenshot({ path: join(pictures, `${name}.png`) });
  }

  // Quick Open; the first press can be lost while the workbench starts.
  async quick(text, key = 'Control+P') {
    const input = this.page.locator('.quick-input-widget input[type="text"]');
    if (await input.isVisible()) {
      await this.page.keyboard.press('Escape');
      await input.waitFor({ state: 'hidden' });
    }
    for (let tries = 0; tries < 20 && !(await input.isVisible()); tries++) {
      await this.page.keyboard.press(key);
      await input.waitFor({ timeout: 1500 }).catch(() => undefined);
    }
    // A notification or a view that takes the focus can close it once more.
    if (!(await input.fill(text, { timeout: 3000 }).then(() => true, () => false))) return this.quick(text, key);
    return input;
  }

  async openFile(name) {
    await this.quick(name);
    await this.page.locator('.quick-input-list .monaco-list-row', { hasText: name.split('/').at(-1) }).first().click();
    await this.page.locator(`.tab.active[data-resource-name="${name.split('/').at(-1)}"]`).waitFor();
    await this.page.locator('.editor-group-container.active .view-line').first().waitFor();
  }

  async command(title) {
    await this.quick(`>${title}`, 'F1');
    // The command itself, not one used before whose name begins alike.
    const named = [title, `${title}…`].flatMap((name) => [`[aria-label="${name}"]`, `[aria-label^="${name}, "]`]);
    await this.page.locator(named.map((one) => `.quick-input-list .monaco-list-row${one}`).join(', ')).first().click();
  }

  // Chooses a row of the open quick pick.
  async pick(text) {
    const row = this.page.locator('.quick-input-list .monaco-list-row', { hasText: text }).first();
    await row.waitFor();
    await row.click();
  }

  async goTo(line, column = 1) {
    const input = await this.quick(`:${line}:${column}`, 'Control+G');
    await this.page.keyboard.press('Enter');
    await input.waitFor({ state: 'hidden' });
  }

  editor(title) {
    return this.page.locator('.editor-group-container', { has: this.page.locator('.tab', { hasText: title }) }).first();
  }

  // The line of an editor that holds this text, as it is drawn.
  line(text, within = this.page) {
    // Blanks in lines are drawn as no-break spaces.
    return within.locator('.view-line').filter({ hasText: new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/ /g, '\\s')) }).first();
  }

  // What the editor of this title shows of its text.
  async text(title) {
    const lines = await this.editor(title).locator('.view-line').evaluateAll((all) =>
      all.map((line) => [parseInt(line.style.top, 10), line.textContent]).sort((a, b) => a[0] - b[0]).map(([, text]) => text));
    return lines.join('\n').replace(/\u00a0/g, ' ');
  }

  // Does the view of this title say that it is out of date? The words are drawn by a style, so they are in no text.
  outOfDate(title) {
    return this.editor(title).evaluate((group) =>
      [...group.querySelectorAll('.view-line span[class*="ced-"]')].some((span) => getComputedStyle(span, '::before').content.includes('out of date')));
  }

  status() {
    return this.page.locator('.statusbar-item[id="tilewright.tilewright.tilewright.choice"], .statusbar-item', { hasText: /sm_|Tilewright|no entry/ }).first();
  }

  // The frame that a panel of the extension draws in; `title`: of its tab or heading.
  async frame(inside) {
    return this.until(async () => {
      for (const frame of this.page.frames()) {
        if (await frame.locator(inside).count().catch(() => 0)) return frame;
      }
      return undefined;
    }, `a panel shows ${inside}`);
  }

  processes() {
    const found = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' });
    return found.split('\n').filter((line) => line.includes(this.home) && / lsp$/.test(line)).map((line) => parseInt(line, 10));
  }
}

export const example = (name) => readFileSync(join(root, 'examples', name), 'utf8');
export { cpSync, existsSync, join };

// A scenario of `node:test` that leaves a picture where it fails.
export function scenario(test, workbench, name, run) {
  test(name, async () => {
    try {
      await run();
    } catch (error) {
      await workbench()?.shot(`failed-${name.replace(/\W+/g, '-').slice(0, 40)}`).catch(() => undefined);
      throw error;
    }
  });
}
