// Properties and longer runs: LTL with fairness, stop, reload in the middle.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { browser, folder, join, LONG, open, rmSync, tab, text, typeAfter, ui } from './harness.mjs';

// A branch that is never taken, and a formula that holds because of it.
const IDLE = `#include "lib.h"
byte x;
ltl idle { [] (x == 9 -> <> (x == 0)) }
active proctype P() {
	do
	:: x < TOP -> x++
	:: x == 7 -> x = 9
	:: x == TOP -> x = 0
	od
}
`;

let chrome, server, place, page;
before(async () => {
  place = folder();
  writeFileSync(join(place, 'long.pml'), LONG);
  writeFileSync(join(place, 'idle.pml'), IDLE);
  writeFileSync(join(place, 'lib.h'), '#define TOP 3\n');
  server = await ui(place);
  chrome = await browser();
});
after(async () => {
  await chrome?.close();
  await server?.stop();
  rmSync(place, { recursive: true, force: true });
});
beforeEach(async () => {
  page = await open(chrome, server.address);
  await text(page).waitFor();
});
afterEach(async () => {
  const { troubles } = page;
  await page.context().close();
  assert.deepEqual(troubles, []);
});

const files = () => page.getByRole('navigation');
/// Opens a file of the project and waits until it is in the editor.
async function choose(name) {
  await files().getByRole('button', { name }).click();
  await page.locator('.file.current', { hasText: name }).waitFor();
}
const results = () => page.getByRole('region', { name: 'Progress and results' });

test('a pattern of the catalogue becomes a formula, and a wrong formula is pointed out', async () => {
  await choose('fair-weak.pml');
  await tab(page, 'Properties').click();
  await page.getByLabel('Pattern').selectOption('Response');
  await page.getByLabel('P', { exact: true }).fill('tick == 1');
  await page.getByLabel('S', { exact: true }).fill('open');
  await page.getByRole('button', { name: 'Use' }).click();
  assert.match(await page.getByRole('textbox', { name: 'Formula' }).inputValue(), /\[\].*\(tick == 1\).*->.*<>.*open/);
  await page.getByRole('img', { name: 'Büchi automaton of the formula' }).waitFor();
  await page.getByRole('textbox', { name: 'Formula' }).fill('<> ((');
  await page.getByRole('region', { name: 'Formula' }).getByRole('alert').waitFor();
});

test('an LTL formula is violated by an unfair run, a lasso, and holds under weak fairness', async () => {
  await choose('fair-weak.pml');
  await tab(page, 'Properties').click();
  await page.getByRole('textbox', { name: 'Formula' }).fill('<> open');
  await page.getByRole('button', { name: 'Check formula' }).click();
  await results().getByRole('button', { name: /^Counterexample,/ }).click();
  await page.getByRole('grid').locator('.cycle').first().waitFor();
  await page.getByRole('button', { name: /cycle/ }).click();
  await tab(page, 'Properties').click();
  await page.getByLabel('Fairness').selectOption('weak');
  await page.getByRole('button', { name: 'Check formula' }).click();
  await results().locator('.verdicts .badge', { hasText: 'holds' }).first().waitFor();
});

test('code that no run reaches is marked in the margin, and a vacuous formula is said to be one', async () => {
  await choose('idle.pml');
  await page.keyboard.press('Control+Enter');
  await results().getByText('2 statements never executed').waitFor();
  await results().getByText(/vacuous: .*is never true/).waitFor();
  assert.equal(await page.locator('.cm-unreached').count(), 1);
});

test('the definition of a name of an included file opens that file', async () => {
  await choose('idle.pml');
  await text(page).getByText('TOP').first().waitFor();
  await typeAfter(page, 'x < TO', '');
  await page.keyboard.press('F12');
  await page.locator('.file.current', { hasText: 'lib.h' }).waitFor();
  await page.locator('.cm-activeLine', { hasText: 'define TOP' }).waitFor();
});

test('stop ends a long run, which then is inconclusive', async () => {
  await choose('long.pml');
  await page.keyboard.press('Control+Enter');
  await results().locator('.charts .u-over').first().waitFor();
  await results().getByRole('button', { name: 'Stop' }).click();
  await results().locator('.badge', { hasText: /stopped|inconclusive/ }).first().waitFor();
});

test('a reload in the middle of a run finds it again, with unsaved text', async () => {
  await choose('long.pml');
  await page.locator('.cm-line', { hasText: 'byte a, b' }).click();
  await page.keyboard.press('End');
  await page.keyboard.type(' /* mine */');
  await page.keyboard.press('Control+Enter');
  await results().getByText(/states ·/).waitFor();
  await page.reload();
  await page.getByText('mine').waitFor();
  await tab(page, 'Run').click();
  await results().locator('.badge', { hasText: 'running' }).waitFor();
  const before = await results().locator('.live').innerText();
  await page.waitForFunction((old) => document.querySelector('.live')?.innerText !== old, before);
  await results().getByRole('button', { name: 'Stop' }).click();
  await results().locator('.badge', { hasText: /stopped|inconclusive/ }).first().waitFor();
});
