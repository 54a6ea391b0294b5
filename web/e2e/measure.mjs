// Figures of the page in the browser: npm run measure. It prints them and judges none, since machines differ.
import { writeFileSync } from 'node:fs';
import { browser, folder, join, open, rmSync, tab, text, ui } from './harness.mjs';

/// A model of about a thousand lines: processes that pass a token on.
function long(lines) {
  const out = ['byte turn;', 'chan pass[2] = [2] of { byte, byte };'];
  for (let p = 0; out.length < lines - 14; p += 1) {
    out.push(`byte n${p};`, `active proctype P${p}() {`, '\tbyte seen, from;', '\tdo', `\t:: turn == ${p % 200} ->`, '\t\tatomic {', `\t\t\tn${p} = (n${p} + 1) % 4;`,
      '\t\t\tif', `\t\t\t:: nfull(pass[${p % 2}]) -> pass[${p % 2}]!seen,${p % 200}`, '\t\t\t:: else -> skip', '\t\t\tfi;', `\t\t\tturn = (turn + 1) % ${20}`, '\t\t}', `\t:: pass[${p % 2}]?seen,from -> seen++`, '\tod', '}');
  }
  return `${out.join('\n')}\n`;
}

// A counterexample of 5,001 steps, and a graph of 2,000 states and more.
const DEEP = 'short n;\nactive proctype count() {\n\tdo\n\t:: n < 5000 -> n++\n\t:: n >= 5000 -> assert(n < 5000)\n\tod\n}\n';
const WIDE = 'byte a, b, c;\nactive proctype A() { do :: a < 12 -> a++ od }\nactive proctype B() { do :: b < 12 -> b++ od }\nactive proctype C() { do :: c < 12 -> c++ od }\n';

const place = folder([]);
writeFileSync(join(place, 'long.pml'), long(1000));
writeFileSync(join(place, 'deep.pml'), DEEP);
writeFileSync(join(place, 'wide.pml'), WIDE);
const server = await ui(place, ['long.pml']);
const chrome = await browser();
const middle = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
const say = (name, value) => console.log(`${name.padEnd(58)} ${value}`);

async function load() {
  const page = await open(chrome, 'about:blank');
  let bytes = 0;
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Network.enable');
  cdp.on('Network.loadingFinished', (event) => (bytes += event.encodedDataLength));
  const times = [];
  for (let run = 0; run < 5; run += 1) {
    bytes = 0;
    await page.goto('about:blank');
    const start = performance.now();
    await page.goto(server.address);
    await page.locator('.cm-line').first().waitFor();
    times.push(performance.now() - start);
  }
  say('page load to text in the editor, median of 5', `${middle(times).toFixed(0)} ms`);
  say('bytes of the page on the wire', `${(bytes / 1024).toFixed(0)} KiB`);
  await page.context().close();
}

async function diagnostics() {
  const page = await open(chrome, server.address);
  await text(page).waitFor();
  await page.locator('.cm-line', { hasText: 'byte turn;' }).click();
  await page.keyboard.press('End');
  await page.waitForTimeout(1500);
  const times = [];
  for (let run = 0; run < 20; run += 1) {
    await page.evaluate(() => {
      performance.clearMarks();
      addEventListener('keydown', () => performance.mark('key'), { capture: true, once: true });
    });
    await page.keyboard.press(run % 2 ? 'Backspace' : 'x');
    await page.waitForFunction(() => performance.getEntriesByName('kripke-diagnosed').length > 0);
    times.push(await page.evaluate(() => performance.getEntriesByName('kripke-diagnosed').at(-1).startTime - performance.getEntriesByName('key')[0].startTime));
    await page.waitForTimeout(600);
  }
  say('key press to diagnostics, 1,000 lines, median and worst of 20', `${middle(times).toFixed(0)} ms, ${Math.max(...times).toFixed(0)} ms`);
  await page.context().close();
}

/// Frames a second and the longest one, while something goes on.
const frames = (page, work) => page.evaluate(async (body) => {
  const step = new Function('frame', body);
  const start = performance.now();
  let [count, worst, last] = [0, 0, start];
  return new Promise((done) => {
    const next = () => {
      const now = performance.now();
      [worst, last, count] = [Math.max(worst, now - last), now, count + 1];
      step(count);
      if (now - start < 4000) requestAnimationFrame(next);
      else done({ rate: (1000 * count) / (now - start), worst });
    };
    requestAnimationFrame(next);
  });
}, work);

async function counterexample() {
  const page = await open(chrome, server.address.replace('long.pml', 'deep.pml'));
  await text(page).waitFor();
  await page.getByRole('button', { name: 'Check', exact: true }).first().click();
  await page.getByRole('button', { name: /^Counterexample,/ }).click();
  await page.getByRole('grid').getByRole('row').nth(3).waitFor();
  await page.waitForTimeout(1000);
  const steps = (await page.locator('.at').first().innerText()).split('/')[1].trim();
  const { rate, worst } = await frames(page, "document.querySelector('[role=grid]').scrollTop = (frame * 330) % 120000");
  say(`scrolling a counterexample of ${steps} steps`, `${rate.toFixed(0)} frames/s, longest ${worst.toFixed(0)} ms`);
  await page.context().close();
}

async function graph() {
  const page = await open(chrome, server.address.replace('long.pml', 'wide.pml'));
  await text(page).waitFor();
  await tab(page, 'State graph').click();
  await page.getByRole('button', { name: 'Start from the initial state' }).click();
  await page.locator('label', { hasText: 'States to add' }).locator('select').selectOption('2000');
  await page.getByRole('button', { name: 'Grow' }).click();
  await page.getByText(/[12].\d\d\d states/).waitFor();
  await page.waitForTimeout(800);
  const count = await page.locator('[role=status].num').innerText();
  const box = await page.locator('canvas').boundingBox();
  const running = frames(page, '');
  await page.mouse.move(box.x + 300, box.y + 300);
  await page.mouse.down();
  for (let i = 0; i < 160; i += 1) await page.mouse.move(box.x + 300 + 120 * Math.sin(i / 9), box.y + 300 + 90 * Math.cos(i / 7));
  await page.mouse.up();
  const { rate, worst } = await running;
  say(`dragging a graph of ${count.split('·')[0].trim()}`, `${rate.toFixed(0)} frames/s, longest ${worst.toFixed(0)} ms`);
  await page.context().close();
}

for (const part of [load, diagnostics, counterexample, graph]) await part();
await chrome.close();
await server.stop();
rmSync(place, { recursive: true, force: true });
