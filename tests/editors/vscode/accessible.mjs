// What axe finds in a panel of the extension. The frame is the editor's; what is in it is ours.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export async function assertAccessible(frame, what) {
  await frame.evaluate(axe);
  const found = await frame.evaluate(() => globalThis.axe.run(document.body, { resultTypes: ['violations'] }));
  const serious = found.violations.filter((v) => v.impact === 'serious' || v.impact === 'critical');
  const told = serious.map((v) => `${v.id} (${v.impact}): ${v.nodes.slice(0, 3).map((n) => `${n.html} ${n.failureSummary}`).join('; ')}`);
  assert.deepEqual(told, [], `${what} has no serious finding`);
  assert.ok(found.passes.length > 3, `${what} was looked at`);
}

// Text of the workbench itself that cannot be told from what lies behind it.
export async function assertContrast(page, where) {
  await page.evaluate(axe);
  const found = await page.evaluate((where) => globalThis.axe.run(where, { runOnly: ['color-contrast'] }), where);
  assert.deepEqual(found.violations.flatMap((v) => v.nodes.map((n) => `${n.html} ${n.failureSummary}`)), [], `the text in ${where} can be read`);
  assert.ok(found.passes.some((one) => one.nodes.length > 0), `text in ${where} was looked at`);
}
