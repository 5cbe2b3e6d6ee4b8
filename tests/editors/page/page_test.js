// The page of `tilewright view` in Chromium. run.py makes the pages and says where they are.
'use strict';
const {test, before, after, afterEach} = require('node:test');
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const {chromium} = require('playwright-core');
const {AxeBuilder} = require('@axe-core/playwright');

const PAGES = process.env.TILEWRIGHT_PAGES;
const PICTURES = path.join(PAGES, 'screenshots');
let browser;

before(async () => {
  fs.mkdirSync(PICTURES, {recursive: true});
  browser = await chromium.launch({
    executablePath: process.env.TILEWRIGHT_CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
});
after(() => browser.close());
afterEach(() => Promise.all(browser.contexts().map((context) => context.close())));

// A page in a browser of its own; what it asks the network for, and what goes wrong in it, is kept.
async function open(name, {hash = '', ...options} = {}) {
  const context = await browser.newContext({viewport: {width: 1280, height: 720}, ...options});
  const page = await context.newPage();
  page.setDefaultTimeout(15000);
  page.asked = [];
  page.problems = [];
  page.on('request', (r) => page.asked.push(r.url()));
  page.on('pageerror', (e) => page.problems.push(String(e)));
  page.on('console', (m) => { if (m.type() === 'error') page.problems.push(m.text()); });
  page.on('dialog', (d) => { page.problems.push('dialog: ' + d.message()); d.dismiss(); });
  await page.goto('file://' + path.join(PAGES, name + '.html') + hash);
  await page.waitForSelector('[role=tab][aria-selected=true]');
  return page;
}

const lineWith = (page, side, words) => page.locator(`#${side} .l`, {hasText: words}).first();
const hotTexts = (page, side) => page.locator(`#${side} .l.hot .x`).allTextContents();
const isShown = (locator) => locator.evaluate((e) => {
  const box = e.getBoundingClientRect(), pane = e.closest('.code').getBoundingClientRect();
  return box.top >= pane.top - 1 && box.bottom <= pane.bottom + 1;
});
async function show(page, kind) {
  await page.click('#tab-' + kind);
  await page.mouse.move(2, 2);
}

test('pointing at a line of the script shows what it became, and the other way round', async () => {
  const page = await open('wgmma_gemm', {hash: '#view=cuda'});
  await lineWith(page, 'source', 'T.cuda.cta_sync()').hover();
  assert.deepEqual((await hotTexts(page, 'panel')).map((t) => t.trim()), ['__syncthreads();']);
  await page.mouse.move(2, 2);
  assert.deepEqual(await hotTexts(page, 'panel'), []);
  await lineWith(page, 'panel', '// copy_async -> tma: A[').hover();
  const source = await hotTexts(page, 'source');
  assert.equal(source[0].trim(), 'Tx.copy_async(');
  assert.equal(source.length, 6, 'the whole call, over its lines');
  assert.equal(await page.locator('#source .l.hot').first().getAttribute('aria-selected'), 'true');
});

test('a click holds the link, brings the other side into sight, and is in the address', async () => {
  const page = await open('wgmma_gemm', {hash: '#view=sass'});
  await lineWith(page, 'source', 'Tx.copy_async(').click();
  assert.ok((await hotTexts(page, 'panel')).length > 5);
  assert.ok(await isShown(page.locator('#panel .l.hot').first()));
  await page.mouse.move(2, 2);
  assert.ok((await hotTexts(page, 'panel')).length > 5, 'still held');
  assert.match(await page.locator('#status').textContent(), /^script 45 to 50 · SASS \d+/);
  const again = await open('wgmma_gemm', {hash: new URL(page.url()).hash});
  assert.deepEqual(await hotTexts(again, 'source'), await hotTexts(page, 'source'));
  await again.screenshot({path: path.join(PICTURES, 'linked.png')});
});

test('each instruction says its line, lines of debug information are left out', async () => {
  const page = await open('wgmma_gemm', {hash: '#view=sass'});
  const shown = await page.locator('#panel .l.linked').evaluateAll((all) => all.map((l) => [l.children[1].textContent, l.children[2].textContent]));
  assert.ok(shown.length > 100);
  for (const [line] of shown) assert.match(line, /^:\d+( \+\d+)?$/);
  assert.ok(shown.some(([, text]) => /HGMMA/.test(text)));
  assert.equal(await page.locator('#panel .l', {hasText: '//## File'}).count(), 0);
});

test('a line has the colour of what it became; lines that emit nothing are dim', async () => {
  const page = await open('wgmma_gemm', {hash: '#view=cuda'});
  const colour = (l) => l.evaluate((e) => [...e.classList].find((c) => /^c\d$/.test(c)));
  const source = lineWith(page, 'source', 'T.ptx.fence.mbarrier_init()');
  const view = lineWith(page, 'panel', 'tvm_builtin_ptx_fence_mbarrier_init();');
  assert.equal(await colour(source), await colour(view));
  const before = await colour(source);
  await show(page, 'sass');
  assert.equal(await colour(source), before, 'the same in every view');
  const dim = lineWith(page, 'source', 'pool.commit()');
  assert.ok(await dim.evaluate((e) => e.classList.contains('dim') && !e.classList.contains('linked')));
  const neighbours = await page.locator('#source .l.linked').evaluateAll((all) => all.map((e) => [Number(e.id.slice(1)), e.className.match(/c\d/)[0]]));
  assert.ok(new Set(neighbours.map(([, c]) => c)).size >= 6);
});

test('everything by keys', async () => {
  const page = await open('wgmma_gemm', {hash: '#view=cuda'});
  await page.focus('#source');
  await page.keyboard.press('Home');
  await page.keyboard.press('n');
  const at = () => page.locator('#source .l.at .x').textContent();
  assert.match(await at(), /def kernel/);
  for (let i = 0; i < 40 && !/cta_sync/.test(await at()); ++i) await page.keyboard.press('n');
  assert.match(await at(), /cta_sync/);
  assert.ok(await isShown(page.locator('#panel .l.hot').first()), 'the other side follows');
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement.parentElement.id), 'panel');
  assert.match(await page.locator('#panel .l.at').textContent(), /__syncthreads/);
  assert.equal(await page.evaluate(() => document.getElementById(document.activeElement.getAttribute('aria-activedescendant')).className.includes('at')), true);
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'source');
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('.l.pin').count(), 0);
  await page.focus('#tab-cuda');
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.locator('[role=tab][aria-selected=true]').textContent(), 'PTX');
  await page.focus('#splitter');
  const width = () => page.locator('#left').evaluate((e) => e.getBoundingClientRect().width);
  const wide = await width();
  for (let i = 0; i < 5; ++i) await page.keyboard.press('ArrowLeft');
  assert.ok(await width() < wide - 50);
});

test('entries and architectures can be chosen', async () => {
  const page = await open('gmem_smem_swizzle', {hash: '#view=report'});
  assert.equal(await page.locator('#entry option').count(), 5);
  assert.deepEqual(await page.locator('#arch option').allTextContents(), ['sm_80', 'sm_90a']);
  const text = () => page.locator('#panel').textContent();
  assert.match(await text(), /Z\(3,3,3\)/);
  await page.selectOption('#entry', {label: 'make(3, 1, 3) → swizzled'});
  assert.match(await text(), /Z\(3,1,3\)/);
  await show(page, 'ptx');
  assert.match(await text(), /\.target sm_80/);
  await page.selectOption('#arch', {label: 'sm_90a'});
  assert.match(await text(), /\.target sm_90a/);
  assert.match(await page.locator('#facts').textContent(), /registers/);
  assert.match(page.url(), /entry=make%283%2C\+1%2C\+3%29&arch=sm_90a/);
});

test('layouts are drawn, and an element shows who shares its bank', async () => {
  const page = await open('gmem_smem_swizzle', {hash: '#view=layouts'});
  await page.screenshot({path: path.join(PICTURES, 'layouts.png')});
  const cells = page.locator('.grid > div');
  assert.equal(await cells.count(), 32 * 32);
  const fill = (i) => cells.nth(i).evaluate((e) => getComputedStyle(e).backgroundColor);
  assert.equal(await fill(0), await fill(1), 'two halves of one bank');
  assert.notEqual(await fill(0), await fill(2));
  await cells.nth(0).hover();
  const bright = await page.locator('.grid > div:not(.dull)').allTextContents();
  assert.ok(bright.includes('0') && bright.includes('1') && bright.includes('64') && !bright.includes('2'), bright.slice(0, 9).join());
  await page.locator('.layout .go').first().click();
  assert.match(await page.locator('#source .l.at').textContent(), /Tx\.cta\.copy\(A_smem/);
});

test('the speed of a kernel says what bounds it, with lines that lead to the script', async () => {
  const page = await open('wgmma_gemm', {hash: '#view=speed'});
  const words = await page.locator('#panel').textContent();
  for (const said of ['modelled', 'occupancy', 'of the path', 'roofline', 'waits for the product of line'])
    assert.ok(words.includes(said), said + ': ' + words.slice(0, 600));
  await page.locator('#panel p', {hasText: 'operations, counted'}).locator('.go').first().click();
  assert.match(await page.locator('#source .l.at').textContent(), /wgmma\.mma_async/);
});

test('the pipeline says who fills and drains each buffer, and who waits', async () => {
  const page = await open('wgmma_gemm', {hash: '#view=pipeline'});
  const flow = (name) => page.locator('.flow', {has: page.locator('.buffer h3', {hasText: name})}).first();
  const a = flow('a_tiles');
  assert.match(await a.locator('.uses .fill').first().textContent(), /copy_async.* bytes .*completes /s);
  assert.ok(await a.locator('.uses .drain').count() > 0, 'what was copied is read');
  assert.ok(await page.locator('.uses .wait').count() > 0, 'a thread waits');
  await page.screenshot({path: path.join(PICTURES, 'pipeline.png')});
  await a.locator('.uses .fill .go').first().click();
  assert.match(await page.locator('#source .l.at').textContent(), /Tx\.copy_async/);
  // On paper nothing of it is cut off.
  await page.emulateMedia({media: 'print'});
  const cut = await page.locator('.prose').evaluate((e) => e.scrollHeight - e.clientHeight);
  assert.ok(cut <= 1, `${cut} pixels are cut off`);
  await page.screenshot({path: path.join(PICTURES, 'pipeline-print.png'), fullPage: true});
  await page.setViewportSize({width: 600, height: 800});
  await page.emulateMedia({media: 'screen'});
  const wide = await page.locator('.prose').evaluate((e) => e.scrollWidth - e.clientWidth);
  assert.ok(wide <= 1, `${wide} pixels wider than a narrow window`);
});

test('findings stand in the script and in their list', async () => {
  const page = await open('copy');
  assert.equal(await page.locator('[role=tab][aria-selected=true]').textContent(), 'Findings (2)');
  assert.equal(await page.locator('#source .mark.error').count(), 2);
  await page.locator('.finding .go').first().click();
  assert.match(await page.locator('#source .l.at').textContent(), /copy_async/);
  await show(page, 'cuda');
  assert.match(await page.locator('#panel').textContent(), /The kernel has errors/);
});

test('of a script without a kernel there are its findings', async () => {
  const page = await open('broken');
  assert.match(await page.locator('[role=tab][aria-selected=true]').textContent(), /^Findings \([1-9]/);
  assert.ok(await page.locator('#source .mark.error').count() > 0);
  await show(page, 'layouts');
  await page.locator('#source .l').first().click();
  assert.deepEqual(page.problems, []);
});

test('a hostile script is text, and nothing is asked of the network', async () => {
  const page = await open('hostile', {hash: '#view=cuda'});
  for (const kind of ['cuda', 'ptx', 'sass', 'tirx', 'lowered', 'plan', 'report', 'layouts', 'pipeline', 'speed', 'findings']) await show(page, kind);
  await show(page, 'cuda');
  await lineWith(page, 'source', 'onmouseover').hover();
  await page.waitForTimeout(100);
  assert.equal(await page.title(), 'hostile.py · Tilewright');
  assert.equal(await page.locator('#source img, #source b, #source svg, #panel svg').count(), 0);
  assert.match(await page.locator('#source').textContent(), /<img src=x onerror=/);
  assert.deepEqual(page.asked.filter((url) => !url.startsWith('file:') && !url.startsWith('data:')), []);
  assert.deepEqual(page.problems, []);
  // Even markup that was put into the page by other means would not run: its policy knows one script.
  await page.evaluate(() => { const s = document.createElement('script'); s.textContent = "document.title = 'broken'"; document.body.append(s); });
  assert.equal(await page.title(), 'hostile.py · Tilewright');
});

test('light and dark, by the system and by the button', async () => {
  const ground = (page) => page.evaluate(() => getComputedStyle(document.getElementById('source')).backgroundColor);
  const light = await open('wgmma_gemm', {colorScheme: 'light', hash: '#view=sass&line=45'});
  const dark = await open('wgmma_gemm', {colorScheme: 'dark', hash: '#view=sass&line=45'});
  assert.notEqual(await ground(light), await ground(dark));
  await light.screenshot({path: path.join(PICTURES, 'light.png')});
  await dark.screenshot({path: path.join(PICTURES, 'dark.png')});
  await light.click('#theme');
  await light.click('#theme');
  assert.equal(await light.locator('#theme').textContent(), 'Theme: dark');
  assert.equal(await ground(light), await ground(dark));
  await light.reload();
  assert.equal(await light.locator('#theme').textContent(), 'Theme: dark');
});

for (const look of [{colorScheme: 'light'}, {colorScheme: 'dark'}, {colorScheme: 'light', contrast: 'more'}, {colorScheme: 'dark', forcedColors: 'active'}]) {
  test('accessibility: ' + Object.values(look).join(', '), async () => {
    // Short pages: what is checked is the same, and each element costs.
    const usual = !look.contrast && !look.forcedColors;
    for (const [name, kinds] of [['hostile', usual ? ['cuda', 'sass', 'plan', 'findings'] : ['cuda']], ['gmem_smem_swizzle', usual ? ['report', 'layouts', 'pipeline'] : ['pipeline']]]) {
      if (!kinds.length) continue;
      const page = await open(name, look);
      for (const kind of kinds) {
        await show(page, kind);
        if (kind === 'cuda') await lineWith(page, 'source', 'A[t] = A[t]').click();
        const found = await new AxeBuilder({page}).analyze();
        assert.deepEqual(found.violations.map((v) => `${name} ${kind}: ${v.id} (${v.impact}) ${v.nodes[0].target}`), []);
      }
    }
  });
}

// ---- colours -----------------------------------------------------------------------------------------------------------

const linear = (c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
const luminance = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
function contrast(a, b) {
  const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p);
  return (x + 0.05) / (y + 0.05);
}
// How colours look without one kind of cones (Machado, Oliveira and Fernandes 2009, severity 1), in linear RGB.
const VISION = {
  usual: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  protanopia: [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  deuteranopia: [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
  tritanopia: [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039],
};
function lab(rgb, m) {
  const l = rgb.map(linear);
  const [r, g, b] = [0, 3, 6].map((i) => Math.max(0, Math.min(1, m[i] * l[0] + m[i + 1] * l[1] + m[i + 2] * l[2])));
  const f = (t) => t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116;
  const x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505), y = f(0.2126 * r + 0.7152 * g + 0.0722 * b), z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

for (const colorScheme of ['light', 'dark']) {
  test('the palette: ' + colorScheme, async () => {
    const page = await open('wgmma_gemm', {colorScheme});
    const colours = await page.evaluate(() => {
      const probe = document.createElement('div'), out = {};
      document.body.append(probe);
      for (const name of ['text', 'page', 'quiet', 'hot', ...[...Array(8).keys()].flatMap((i) => ['s' + i, 't' + i])]) {
        probe.style.color = `var(--${name})`;
        out[name] = getComputedStyle(probe).color.match(/\d+/g).map(Number);
      }
      return out;
    });
    for (let i = 0; i < 8; ++i) {
      assert.ok(contrast(colours.text, colours['t' + i]) >= 7, `text on tint ${i}`);
      assert.ok(contrast(colours['s' + i], colours.page) >= 1.9, `stripe ${i} on the page`);
      for (const [vision, matrix] of Object.entries(VISION)) {
        const a = lab(colours['s' + i], matrix), b = lab(colours['s' + (i + 1) % 8], matrix);
        const distance = Math.hypot(...a.map((x, k) => x - b[k]));
        assert.ok(distance >= 25, `stripes ${i} and ${(i + 1) % 8} with ${vision}: ${distance.toFixed(1)}`);
      }
    }
    assert.ok(contrast(colours.quiet, colours.page) >= 4.5);
    assert.ok(contrast(colours.hot, colours.page) >= 7);
  });
}
