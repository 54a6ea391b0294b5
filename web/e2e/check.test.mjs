// The way of one person through the page: open, break, mend, check, look at the counterexample, simulate, graph, teach.
import assert from 'node:assert/strict';
import { after, before, beforeEach, afterEach, test } from 'node:test';
import { browser, example, folder, join, open, rmSync, tab, text, typeAfter, ui } from './harness.mjs';

let chrome, server, place, page;
before(async () => {
  place = folder();
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

async function checked(verdict) {
  await page.getByRole('region', { name: 'Progress and results' }).locator('.badge', { hasText: verdict }).first().waitFor();
}

test('an example is opened, broken, mended, and checked', async () => {
  await example(page, 'mutex-naive.pml');
  await text(page).getByText('critical').first().waitFor();
  await typeAfter(page, 'critical++', ' +');
  const problems = page.getByRole('list', { name: 'Problems' });
  await problems.waitFor();
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Backspace');
  await problems.waitFor({ state: 'detached' });
  await page.keyboard.press('Control+Enter');
  await checked('violated');
  await page.getByText('assertion violated: assert(critical==1)').first().waitFor();
});

test('a misspelt name is mended by the fix that the message offers', async () => {
  await example(page, 'mutex-naive.pml');
  await typeAfter(page, '\t   critical--;', '\n\t   critcal = 0;');
  await page.getByRole('list', { name: 'Problems' }).getByText('critcal').first().waitFor();
  await page.getByRole('list', { name: 'Problems' }).locator('button.fix').first().click();
  await page.getByRole('list', { name: 'Problems' }).waitFor({ state: 'detached' });
  assert.match(await text(page).innerText(), /critical = 0;/);
});

test('names are completed, and F12 leads to the definition', async () => {
  await example(page, 'mutex-naive.pml');
  await typeAfter(page, '\t   critical--;', '\n\t   crit');
  await page.keyboard.press('Control+Space');
  await page.locator('.cm-tooltip-autocomplete li', { hasText: 'critical' }).first().waitFor();
  // The list takes no key in its first moments, so that a fast typist does not choose by accident.
  await page.waitForTimeout(200);
  await page.keyboard.press('Enter');
  await page.locator('.cm-tooltip-autocomplete').waitFor({ state: 'detached' });
  await page.keyboard.press('F12');
  await page.locator('.cm-activeLine', { hasText: 'byte critical' }).waitFor();
});

test('changes that are not saved are discarded only if the user says so', async () => {
  const asked = [];
  let answer = false;
  page.on('dialog', async (dialog) => {
    asked.push(dialog.message());
    await (answer ? dialog.accept() : dialog.dismiss());
  });
  const close = page.getByRole('button', { name: 'Close fair-weak.pml' });
  await example(page, 'fair-weak.pml');
  await close.click();
  await close.waitFor({ state: 'detached' });
  assert.deepEqual(asked, [], 'an example without changes can be opened again');
  await example(page, 'fair-weak.pml');
  await text(page).click();
  await page.keyboard.type('/* mine */');
  await close.click();
  await page.getByRole('button', { name: 'Open an example…' }).click();
  await page.getByRole('searchbox', { name: 'Filter examples' }).fill('fair-weak.pml');
  await page.getByRole('dialog').getByRole('button', { name: 'fair-weak.pml' }).first().click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  assert.match(await text(page).innerText(), /mine/);
  assert.equal(asked.length, 2);
  answer = true;
  await close.click();
  await close.waitFor({ state: 'detached' });
  assert.equal(asked.length, 3);
});

test('what is typed while a file is saved is not saved', async () => {
  await page.getByRole('navigation').getByRole('button', { name: 'mutex-peterson.pml' }).click();
  await page.locator('.file.current', { hasText: 'mutex-peterson.pml' }).waitFor();
  await text(page).click();
  await page.keyboard.type('/* one */');
  let go;
  const held = new Promise((resolve) => (go = resolve));
  await page.route('**/api/file', async (route) => {
    await held;
    await route.continue();
  });
  await page.keyboard.press('Control+s');
  await page.keyboard.type('/* two */');
  go();
  await page.getByText('mutex-peterson.pml saved').waitFor();
  await page.locator('.file.current .dirty').waitFor();
  await page.unroute('**/api/file');
  await page.keyboard.press('Control+s');
  await page.locator('.file.current .dirty').waitFor({ state: 'detached' });
  rmSync(join(place, 'mutex-peterson.pml'));
  await page.keyboard.type('/* three */');
  await page.keyboard.press('Control+s');
  await page.getByText('Save again to overwrite it').waitFor();
  await page.keyboard.press('Control+s');
  await page.locator('.file.current .dirty').waitFor({ state: 'detached' });
});

test('the automata of a counterexample are those of the text that was checked', async () => {
  await example(page, 'mutex-naive.pml');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('button', { name: /^Counterexample,/ }).click();
  await page.getByRole('grid').waitFor();
  await typeAfter(page, 'critical++', '; critical = 77');
  await page.getByRole('button', { name: 'Automata', exact: true }).click();
  await page.locator('.drawing svg').waitFor();
  const drawn = await page.locator('.drawing svg').textContent();
  assert.match(drawn, /critical/);
  assert.doesNotMatch(drawn, /77/);
});

test('the outline and the automata follow the text', async () => {
  await page.getByRole('navigation').getByRole('button', { name: 'mutex-naive.pml' }).click();
  await page.getByRole('navigation').getByRole('button', { name: 'user' }).click();
  const drawing = page.locator('.drawing svg');
  await drawing.waitFor();
  assert.ok((await drawing.locator('[data-node]').count()) > 3);
  await typeAfter(page, 'assert(critical', '');
  await drawing.locator('.arrow.linked').first().waitFor();
});

test('a counterexample is stepped through by keyboard; table, chart, source and automata agree', async () => {
  await example(page, 'mutex-naive.pml');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('button', { name: /^Counterexample,/ }).click();
  const grid = page.getByRole('grid');
  await grid.waitFor();
  await grid.getByRole('row', { selected: true }).getByText('assert(critical==1)').waitFor();
  await page.locator('.cm-step-error', { hasText: 'assert(critical == 1)' }).waitFor();
  await grid.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  const row = grid.getByRole('row', { selected: true });
  assert.match(await row.getAttribute('id'), /step-2$/);
  await page.locator('.cm-step').waitFor();
  await page.locator('.frame svg .row.now').waitFor();
  await page.getByRole('button', { name: 'Automata', exact: true }).click();
  await page.locator('.drawing .here').first().waitFor();
  await page.getByRole('button', { name: 'Why', exact: true }).click();
  await page.locator('.why').waitFor();
});

test('expressions are watched, processes filtered, files exported', async () => {
  await example(page, 'mutex-naive.pml');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('button', { name: /^Counterexample,/ }).click();
  await page.getByPlaceholder(/Watch an expression/).fill('critical * 2');
  await page.getByRole('button', { name: 'Watch', exact: true }).click();
  await page.getByRole('columnheader', { name: 'critical * 2' }).waitFor();
  await page.getByPlaceholder(/Watch an expression/).fill('nothing +');
  await page.getByRole('button', { name: 'Watch', exact: true }).click();
  await page.locator('form.watch [role="alert"]').waitFor();
  const before = await page.getByRole('row').count();
  await page.getByRole('button', { name: 'Filter' }).click();
  await page.locator('.filters input[type=checkbox]').first().uncheck();
  assert.ok((await page.getByRole('row').count()) < before);
  for (const format of ['trail', 'itf', 'svg', 'png', 'markdown', 'mermaid', 'text']) {
    const download = page.waitForEvent('download');
    await page.locator('select', { hasText: 'Export…' }).selectOption(format);
    assert.ok((await download).suggestedFilename().length > 3, format);
  }
});

test('a link carries the model and the run to another browser', async () => {
  await example(page, 'mutex-naive.pml');
  await typeAfter(page, '/* Mutual exclusion', ' (changed)');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('button', { name: /^Counterexample,/ }).click();
  await page.getByRole('grid').waitFor();
  await page.getByRole('button', { name: 'First step' }).click();
  await page.getByRole('button', { name: 'Step forward' }).click();
  await page.getByRole('button', { name: 'Link', exact: true }).click();
  await page.getByText('The link is copied').waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  const token = /token=[^&]+/.exec(server.address)[0];
  const other = await open(chrome, `${link}&${token}`);
  await other.getByRole('grid').waitFor();
  assert.match(await other.getByRole('row', { selected: true }).getAttribute('id'), /step-1$/);
  assert.match(await text(other).innerText(), /Mutual exclusion \(changed\)/);
  assert.doesNotMatch(other.url(), /token/);
  assert.deepEqual(other.troubles, []);
  await other.context().close();
});

test('a model is simulated: moves, changed variables, histories, random, until', async () => {
  await example(page, 'mutex-naive.pml');
  await tab(page, 'Simulate').click();
  await page.getByRole('button', { name: 'Start the simulation' }).click();
  const moves = page.getByRole('region', { name: 'Enabled moves' });
  await moves.getByRole('button').first().waitFor();
  await page.keyboard.press('1');
  await page.getByRole('heading', { name: 'Step 1' }).waitFor();
  await page.keyboard.press('1');
  await page.getByRole('heading', { name: 'Step 2' }).waitFor();
  await page.locator('tr.fresh').first().waitFor();
  await page.keyboard.press('Backspace');
  await page.getByRole('heading', { name: 'Step 1' }).waitFor();
  await moves.getByRole('button').nth(1).click();
  await page.getByRole('heading', { name: 'Step 2' }).waitFor();
  assert.equal(await page.getByRole('region', { name: 'History' }).getByRole('listitem').count(), 4);
  await page.getByRole('button', { name: 'To the start' }).click();
  await page.getByPlaceholder('random until: x == 3').fill('critical == 1');
  await page.getByRole('button', { name: 'Until' }).click();
  await page.locator('tr', { hasText: 'critical' }).getByText('1').first().waitFor();
  await page.getByRole('button', { name: 'Random', exact: true }).click();
  await page.getByText(/steps? taken|moves/).first().waitFor();
});

test('channels are drawn as queues', async () => {
  await example(page, 'alternating-bit.pml');
  await tab(page, 'Simulate').click();
  await page.getByRole('button', { name: 'Start the simulation' }).click();
  await page.getByRole('spinbutton', { name: 'Number of random steps' }).fill('6');
  await page.getByRole('button', { name: 'Random', exact: true }).click();
  await page.locator('.queue').first().waitFor();
});

test('the state graph grows, and a simulation starts from one of its states', async () => {
  await example(page, 'mutex-naive.pml');
  await tab(page, 'State graph').click();
  await page.getByRole('button', { name: 'Start from the initial state' }).click();
  await page.getByText(/^1 state /).waitFor();
  const canvas = page.getByRole('application');
  await canvas.focus();
  await page.keyboard.press('Enter');
  await page.getByText(/^3 states/).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByText(/^[4-9] states/).waitFor();
  await page.getByRole('button', { name: 'Grow' }).click();
  await page.getByText(/ 0 open/).waitFor();
  await page.getByPlaceholder('project on: x, P*').fill('critical');
  await page.getByRole('button', { name: 'Project' }).click();
  await page.getByText(/^3 states/).waitFor();
  await page.getByRole('button', { name: 'All variables' }).click();
  await canvas.focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.getByRole('button', { name: 'Simulate from here' }).click();
  await page.getByRole('heading', { name: /^Step [1-9]/ }).waitFor();
});

for (const order of ['Breadth-first', 'Depth-first', 'Nested DFS']) {
  test(`teach mode plays a search: ${order}`, async () => {
    await example(page, 'mutex-naive.pml');
    await tab(page, 'Teach').click();
    await page.getByRole('button', { name: order }).click();
    if (order === 'Nested DFS') await page.getByPlaceholder(/or a formula/).fill('<> (critical == 2)');
    await page.getByRole('button', { name: 'Prepare the search' }).click();
    await page.locator('.drawing svg').waitFor();
    await page.getByRole('button', { name: 'One event forward' }).click();
    await page.locator('.t-current').waitFor();
    await page.locator('select', { hasText: 'events/s' }).selectOption('1000');
    await page.getByRole('button', { name: '▶ Play' }).click();
    await page.locator('.t-error').first().waitFor();
  });
}
