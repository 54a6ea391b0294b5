// A group: two users, rights in a project, the queue of jobs, comparison, a restart of the server.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { deflateRawSync } from 'node:zlib';
import { after, before, test } from 'node:test';
import { browser, example, join, KRIPKE, LONG, NARROW, open, program, rmSync, tab, text, typeAfter, violations, WIDE } from './harness.mjs';

const PASSWORD = 'correct horse battery';
let chrome, server, place, config, address;

async function start() {
  server = await program(['serve', '--config', config], place, /https?:\/\/\S+/);
  address = server.found[0];
}

before(async () => {
  place = mkdtempSync(join(tmpdir(), 'kripke-group-'));
  config = join(place, 'kripke.toml');
  const port = 20000 + (process.pid % 20000);
  writeFileSync(config, `address = '127.0.0.1:${port}'\ndata = 'data'\n[limits]\njobs = 1\ncores = 1\nmemory = 1073741824\nseconds = 3600\nqueued = 20\n[total]\ncores = 1\n`);
  for (const [name, more] of [['ann', ['--admin']], ['bob', []]]) {
    const added = spawnSync(KRIPKE, ['serve', '--config', config, '--add-user', name, ...more], { input: `${PASSWORD}\n`, encoding: 'utf8' });
    assert.equal(added.status, 0, added.stderr);
  }
  await start();
  chrome = await browser();
});
after(async () => {
  await chrome?.close();
  await server?.stop();
  rmSync(place, { recursive: true, force: true });
});

async function login(name, password = PASSWORD, options = {}, fragment = '') {
  const page = await open(chrome, address + fragment, options);
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
  return page;
}

/// Puts a text into the project under a name.
async function write(page, name, model) {
  await page.getByRole('button', { name: 'New file' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill(name);
  await page.getByRole('button', { name: 'Create' }).click();
  await page.locator('.file.current', { hasText: name }).waitFor();
  await text(page).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(model);
  await page.keyboard.press('Control+s');
  await page.getByText(`${name} saved`).waitFor();
}

const part = (page, name) => page.getByRole('group', { name: 'Parts' }).getByRole('button', { name, exact: true }).click();
const row = (page, id) => page.locator('table.jobs tbody tr').filter({ has: page.locator(`td.mono:text-is("${id}")`) });

test('a wrong password is refused', async () => {
  for (const options of [{}, { viewport: NARROW, colorScheme: 'dark' }]) {
    const page = await login('ann', 'wrong password', options);
    await page.getByRole('alert').waitFor();
    assert.deepEqual(await violations(page, 'Login'), []);
    await page.context().close();
  }
});

test('a link is opened after the login', async () => {
  const model = JSON.stringify({ file: 'linked.pml', texts: { 'linked.pml': 'byte linked;\nactive proctype P() { linked = 1 }\n' } });
  const page = await login('bob', PASSWORD, {}, `#model=${deflateRawSync(model).toString('base64url')}`);
  await page.locator('.file.current', { hasText: 'linked.pml' }).waitFor();
  await text(page).getByText('byte linked').waitFor();
  await page.context().close();
});

test('two users: a project is shared for reading, then for writing', async () => {
  const ann = await login('ann');
  await tab(ann, 'Group').click();
  await part(ann, 'Projects');
  await ann.getByLabel('New project').fill('shared');
  await ann.getByRole('button', { name: 'Create' }).click();
  const card = ann.locator('section.card', { hasText: 'shared' });
  await card.getByLabel('Add a member').fill('bob');
  await card.getByRole('button', { name: 'Add', exact: true }).click();
  await card.getByText('bob', { exact: true }).waitFor();
  await card.getByRole('button', { name: 'Open' }).click();
  await tab(ann, 'Model').click();
  await write(ann, 'mine.pml', 'byte x;\nactive proctype P() { x = 1; assert(x == 0) }\n');

  const bob = await login('bob');
  await tab(bob, 'Group').click();
  await bob.getByLabel('Project').selectOption({ label: 'shared (ann)' });
  await tab(bob, 'Model').click();
  await text(bob).getByText('assert').waitFor();
  await typeAfter(bob, 'byte x;', ' byte y;');
  await bob.keyboard.press('Control+s');
  await bob.locator('.message.isbad').waitFor();

  await tab(ann, 'Group').click();
  await part(ann, 'Projects');
  await card.getByLabel('Right of bob').selectOption('write');
  await bob.getByRole('button', { name: 'Dismiss' }).click();
  await text(bob).click();
  for (let tries = 0; tries < 20 && !(await bob.getByText('mine.pml saved').isVisible()); tries += 1) {
    await bob.keyboard.press('Control+s');
    await bob.waitForTimeout(200);
  }
  await bob.getByText('mine.pml saved').waitFor();
  await ann.context().close();
  await bob.context().close();
});

test('no serious violation on the screens of a group', async () => {
  for (const viewport of [WIDE, NARROW]) {
    for (const colorScheme of ['light', 'dark']) {
      const page = await login('ann', PASSWORD, { viewport, colorScheme });
      await tab(page, 'Group').click();
      const found = [];
      for (const name of ['Jobs', 'History', 'Projects', 'Machines and load', 'Users', 'Account']) {
        await part(page, name);
        await page.waitForTimeout(300);
        found.push(...(await violations(page, name)));
      }
      assert.deepEqual(found, []);
      await page.context().close();
    }
  }
});

test('jobs wait in a queue, finished ones are compared, a restart keeps what is finished and marks what was running', async () => {
  const ann = await login('ann');
  await text(ann).waitFor({ state: 'attached' });
  await example(ann, 'mutex-peterson.pml');
  const ids = [];
  for (const order of ['bfs', 'dfs']) {
    await tab(ann, 'Run').click();
    await ann.getByLabel('search', { exact: true }).selectOption(order);
    const answer = ann.waitForResponse((r) => r.url().endsWith('/api/jobs') && r.request().method() === 'POST');
    await ann.getByRole('button', { name: 'Check', exact: true }).click();
    ids.push((await (await answer).json()).id);
    await ann.getByRole('region', { name: 'Progress and results' }).locator('.badge', { hasText: 'holds' }).first().waitFor();
  }
  await tab(ann, 'Group').click();
  await part(ann, 'History');
  for (const id of ids) await ann.getByRole('checkbox', { name: `Compare job ${id}` }).check();
  await ann.getByRole('button', { name: 'Compare', exact: true }).click();
  await ann.getByRole('row', { name: /search.*bfs.*dfs/ }).waitFor();

  await tab(ann, 'Model').click();
  await write(ann, 'long.pml', LONG);
  const started = [];
  for (let each = 0; each < 2; each += 1) {
    const answer = ann.waitForResponse((r) => r.url().endsWith('/api/jobs') && r.request().method() === 'POST');
    await text(ann).click();
    await ann.keyboard.press('Control+Enter');
    started.push((await (await answer).json()).id);
  }
  await tab(ann, 'Group').click();
  await part(ann, 'Jobs');
  await row(ann, started[0]).getByText('running').waitFor();
  await row(ann, started[1]).getByText('queued').waitFor();
  await part(ann, 'Machines and load');
  await ann.getByText('1 running, 1 queued').waitFor();

  await server.stop('SIGKILL');
  await start();
  await ann.reload();
  await tab(ann, 'Group').click();
  await part(ann, 'Jobs');
  await row(ann, ids[0]).getByText('holds').waitFor();
  await row(ann, started[0]).getByText('interrupted').waitFor();
  await row(ann, started[1]).getByText(/running|queued/).waitFor();
  await row(ann, started[1]).getByRole('button', { name: 'Stop' }).click();
  await row(ann, started[1]).getByText(/stopped|inconclusive/).waitFor();
  await row(ann, started[0]).getByRole('button', { name: 'Run again' }).click();
  await ann.locator('table.jobs').getByText('running').first().waitFor();
  await ann.locator('table.jobs tr', { hasText: 'running' }).getByRole('button', { name: 'Stop' }).click();

  const bob = await login('bob');
  await tab(bob, 'Group').waitFor();
  const foreign = await bob.evaluate(async (id) => (await fetch(`/api/jobs/${id}`)).status, ids[0]);
  assert.ok(foreign === 403 || foreign === 404, `another user's job: ${foreign}`);
  await bob.context().close();
  await ann.context().close();
});
