// Every screen, light and dark, wide and narrow, has no serious or critical violation of axe's rules; and the page is used by
// keyboard alone.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { browser, folder, NARROW, open, rmSync, tab, ui, violations, WIDE } from './harness.mjs';

let chrome, server, place;
before(async () => {
  place = folder();
  server = await ui(place, ['mutex-naive.pml']);
  chrome = await browser();
});
after(async () => {
  await chrome?.close();
  await server?.stop();
  rmSync(place, { recursive: true, force: true });
});

/// Brings each screen to a state with something on it.
const SCREENS = {
  Model: async (page) => page.locator('.drawing svg').waitFor(),
  Properties: async (page) => {
    await page.getByRole('textbox', { name: 'Formula' }).fill('[] (critical < 2)');
    await page.locator('.sheet .drawing svg').waitFor();
  },
  Run: async (page) => {
    await page.getByRole('button', { name: 'Check', exact: true }).first().click();
    await page.getByRole('button', { name: /^Counterexample,/ }).waitFor();
  },
  Counterexample: async (page) => {
    await page.getByRole('button', { name: /^Show the counterexample/ }).click();
    await page.getByRole('grid').waitFor();
  },
  Simulate: async (page) => {
    await page.getByRole('button', { name: 'Start the simulation' }).click();
    await page.getByRole('heading', { name: 'Step 0' }).waitFor();
  },
  'State graph': async (page) => {
    await page.getByRole('button', { name: 'Start from the initial state' }).click();
    await page.getByRole('button', { name: 'Grow' }).click();
    await page.getByText(/ 0 open/).waitFor();
  },
  Teach: async (page) => {
    await page.getByRole('button', { name: 'Prepare the search' }).click();
    await page.locator('.drawing svg').waitFor();
  },
};

for (const [size, viewport] of [['wide', WIDE], ['narrow', NARROW]]) {
  for (const colorScheme of ['light', 'dark']) {
    test(`no serious violation: ${size}, ${colorScheme}`, async () => {
      const page = await open(chrome, server.address, { viewport, colorScheme });
      const found = [];
      if (size === 'narrow') {
        for (const name of ['Files', 'Text']) {
          await tab(page, name).click();
          found.push(...(await violations(page, name)));
        }
      }
      for (const [name, prepare] of Object.entries(SCREENS)) {
        await tab(page, name).click();
        await prepare(page);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(overflow <= 0, `${name} is ${overflow} pixels too wide`);
        found.push(...(await violations(page, name)));
      }
      assert.deepEqual(found, []);
      assert.deepEqual(page.troubles, []);
      await page.context().close();
    });
  }
}

test('by keyboard alone: open an example, check it, step through the counterexample', async () => {
  const page = await open(chrome, server.address);
  await page.locator('.cm-content').waitFor();
  const { keyboard } = page;
  const focused = () => page.evaluate(() => {
    let at = document.activeElement;
    while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
    return `${at?.getAttribute('aria-label') ?? ''} ${at?.innerText ?? ''}`.trim();
  });
  const tabTo = async (wanted) => {
    for (let presses = 0; presses < 80; presses += 1) {
      if (wanted.test(await focused())) return;
      await keyboard.press('Tab');
    }
    assert.fail(`Tab does not reach ${wanted}; it stays at ${await focused()}`);
  };
  await tabTo(/^Open an example/);
  await keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await tabTo(/^Filter examples/);
  await keyboard.type('mutex-naive');
  await tabTo(/^mutex-naive\.pml/);
  await keyboard.press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  for (let presses = 0; presses < 5 && !/Text of/.test(await focused()); presses += 1) await keyboard.press('F6');
  assert.match(await focused(), /Text of mutex-naive\.pml/);
  await keyboard.press('Control+End');
  await keyboard.type('\n/* typed */');
  await keyboard.press('Control+Enter');
  await page.getByRole('button', { name: /^Counterexample,/ }).waitFor();
  // The first Escape may close a list of completions.
  await keyboard.press('Escape');
  await keyboard.press('Escape');
  await tabTo(/^Counterexample, \d+ steps/);
  await keyboard.press('Enter');
  await page.getByRole('grid').waitFor();
  await tabTo(/^Steps of the counterexample/);
  await keyboard.press('Home');
  await keyboard.press('ArrowDown');
  assert.match(await page.getByRole('row', { selected: true }).getAttribute('id'), /step-1$/);
  await keyboard.press('Alt+5');
  assert.equal(await tab(page, 'Simulate').getAttribute('aria-selected'), 'true');
  await keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  await keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.context().close();
});
