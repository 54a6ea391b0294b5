// Screenshots of every screen for the guide: npm run screens
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { browser, folder, join, KRIPKE, LONG, NARROW, open, program, rmSync, tab, ui, WIDE } from './harness.mjs';
import { fileURLToPath } from 'node:url';

const out = process.argv[2] ?? resolve(dirname(fileURLToPath(import.meta.url)), '../../docs/src');
const place = folder(['mutex-naive.pml', 'mutex-peterson.pml', 'alternating-bit.pml', 'fair-weak.pml']);
const server = await ui(place, ['mutex-naive.pml']);
const chrome = await browser();

async function tour(page, shot, isNarrow) {
  if (isNarrow) await shot('text');
  await tab(page, 'Model').click();
  await page.locator('.drawing svg').waitFor();
  await shot('model');
  await tab(page, 'Properties').click();
  await page.getByRole('textbox', { name: 'Formula' }).fill('[] (wants[0] -> <> (critical == 1))');
  await page.locator('.sheet .drawing svg').waitFor();
  await shot('properties');
  await page.getByRole('button', { name: 'Check', exact: true }).first().click();
  await page.getByRole('button', { name: /^Counterexample,/ }).waitFor();
  await shot('run');
  await page.getByRole('button', { name: /^Counterexample,/ }).click();
  await page.locator('.frame svg .row').first().waitFor();
  await shot('counterexample');
  await tab(page, 'Simulate').click();
  await page.getByRole('button', { name: 'Start the simulation' }).click();
  for (let step = 1; step <= 4; step += 1) {
    await page.getByRole('region', { name: 'Enabled moves' }).getByRole('button').last().click();
    await page.getByRole('heading', { name: `Step ${step}` }).waitFor();
  }
  await shot('simulate');
  await tab(page, 'State graph').click();
  await page.getByRole('button', { name: 'Start from the initial state' }).click();
  await page.getByRole('button', { name: 'Grow' }).click();
  await page.getByText(/ 0 open/).waitFor();
  await shot('graph');
  await tab(page, 'Teach').click();
  await page.getByRole('button', { name: 'Prepare the search' }).click();
  await page.locator('.drawing svg').waitFor();
  for (let event = 0; event < 24; event += 1) await page.keyboard.press('ArrowRight');
  await shot('teach');
}

/// Screens of a group: login, jobs, comparison, projects, load.
async function group() {
  const config = join(place, 'kripke.toml');
  writeFileSync(config, `address = '127.0.0.1:${20000 + (process.pid % 20000)}'\ndata = 'data'\n[limits]\njobs = 1\ncores = 1\n`);
  for (const [name, more] of [['ann', ['--admin']], ['bob', []]]) spawnSync(KRIPKE, ['serve', '--config', config, '--add-user', name, ...more], { input: 'correct horse battery\n' });
  const serving = await program(['serve', '--config', config], place, /https?:\/\/\S+/);
  for (const [size, viewport] of [['wide', WIDE], ['narrow', NARROW]]) {
    for (const colorScheme of ['light', 'dark']) {
      const page = await open(chrome, serving.found[0], { viewport, colorScheme, reducedMotion: 'reduce' });
      await page.getByLabel('Name').fill('ann');
      await page.screenshot({ path: join(out, `page-login-${size}-${colorScheme}.png`) });
      await page.getByLabel('Password').fill('correct horse battery');
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.locator('.file.current').waitFor({ state: 'attached' });
      for (const order of ['bfs', 'dfs']) {
        await tab(page, 'Run').click();
        await page.getByLabel('search', { exact: true }).selectOption(order);
        await page.getByRole('button', { name: 'Check', exact: true }).click();
        await page.getByRole('button', { name: /^Counterexample,/ }).waitFor();
      }
      await page.evaluate(async (text) => {
        const body = JSON.stringify({ file: 'long.pml', texts: { 'long.pml': text }, options: { timeout: '20s' } });
        for (let job = 0; job < 2; job += 1) await fetch('/api/jobs', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
      }, LONG);
      await page.waitForTimeout(3000);
      await tab(page, 'Group').click();
      for (const [part, name] of [['Jobs', 'jobs'], ['History', 'history'], ['Projects', 'projects'], ['Machines and load', 'load'], ['Users', 'users']]) {
        await page.getByRole('group', { name: 'Parts' }).getByRole('button', { name: part, exact: true }).click();
        await page.waitForTimeout(600);
        if (part === 'History') {
          await page.getByRole('checkbox').nth(0).check();
          await page.getByRole('checkbox').nth(1).check();
          await page.getByRole('button', { name: 'Compare', exact: true }).click();
          await page.waitForTimeout(400);
        }
        await page.screenshot({ path: join(out, `page-${name}-${size}-${colorScheme}.png`) });
      }
      await page.evaluate(async () => {
        for (const job of await (await fetch('/api/jobs')).json()) if (job.state === 'running' || job.state === 'queued') await fetch(`/api/jobs/${job.id}/stop`, { method: 'POST' });
      });
      for (const trouble of page.troubles) console.error(trouble);
      await page.context().close();
    }
  }
  await serving.stop();
}

for (const [size, viewport] of [['wide', WIDE], ['narrow', NARROW]]) {
  for (const colorScheme of ['light', 'dark']) {
    const page = await open(chrome, server.address, { viewport, colorScheme, reducedMotion: 'reduce' });
    await page.locator('.cm-line').first().waitFor({ state: 'attached' });
    const shot = async (name) => {
      await page.mouse.move(0, 0);
      await page.waitForTimeout(500);
      await page.screenshot({ path: join(out, `page-${name}-${size}-${colorScheme}.png`) });
    };
    await tour(page, shot, size === 'narrow');
    for (const trouble of page.troubles) console.error(trouble);
    await page.context().close();
  }
}
await server.stop();
await group();
await chrome.close();
rmSync(place, { recursive: true, force: true });
