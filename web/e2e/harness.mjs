// Starts the real program and Debian's Chromium for a test, and ends both.
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
export const KRIPKE = process.env.KRIPKE ?? join(root, 'target/debug/kripke');
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
export const WIDE = { width: 1440, height: 900 };
export const NARROW = { width: 390, height: 844 };

/// Counters that do not touch each other: many states, and no error.
export const LONG = `byte a, b, c, d;
active proctype A() { do :: a++ od }
active proctype B() { do :: b++ od }
active proctype C() { do :: c++ od }
active proctype D() { do :: d++ od }
active proctype E() { do :: a == b && c == d -> skip od }
`;

/// A folder with some of the examples.
export function folder(files = ['mutex-naive.pml', 'mutex-peterson.pml', 'fair-weak.pml'], name = 'models') {
  const path = join(mkdtempSync(join(tmpdir(), 'kripke-page-')), name);
  mkdirSync(path);
  for (const file of files) cpSync(join(root, 'examples', file), join(path, file));
  return path;
}

/// Starts the program and waits for a line of its output. Its end is awaited by `stop`.
export async function program(args, cwd, wanted) {
  if (!existsSync(KRIPKE)) throw new Error(`${KRIPKE} is missing: cargo build first`);
  const child = spawn(KRIPKE, args, { cwd, stdio: ['pipe', 'pipe', 'pipe'] });
  let output = '';
  const found = await new Promise((done, fail) => {
    const hear = (chunk) => {
      output += chunk;
      const match = wanted.exec(output);
      if (match) done(match);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.on('exit', (code) => fail(new Error(`kripke ${args.join(' ')} ended with ${code}: ${output}`)));
  });
  const ended = new Promise((done) => child.on('exit', done));
  const stop = async (signal = 'SIGTERM') => {
    child.kill(signal);
    await ended;
  };
  return { found, stop, child };
}

export async function ui(cwd, more = []) {
  const { found, stop } = await program(['ui', '--no-open', '--port', '0', ...more], cwd, /http:\/\/[\d.:]+\/#\S+/);
  return { address: found[0], stop };
}

export async function browser() {
  return chromium.launch({ executablePath: CHROMIUM, headless: true, args: FLAGS });
}

/// A page that fails the test if a script throws or the policy refuses something.
export async function open(chrome, address, options = {}) {
  const context = await chrome.newContext({ viewport: WIDE, permissions: ['clipboard-read', 'clipboard-write'], ...options });
  const page = await context.newPage();
  page.troubles = [];
  page.on('pageerror', (error) => page.troubles.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) page.troubles.push(message.text());
  });
  await page.goto(address);
  return page;
}

export const text = (page) => page.locator('.cm-content');
export const tab = (page, name) => page.getByRole('tab', { name, exact: true });

/// Puts the cursor of the editor behind the first occurrence of a text and types.
export async function typeAfter(page, anchor, typed) {
  await page.evaluate((wanted) => {
    const content = document.querySelector('.editor').shadowRoot.querySelector('.cm-content');
    const view = content.cmView?.view ?? content.cmTile?.view;
    const at = view.state.doc.toString().indexOf(wanted);
    if (at < 0) throw new Error(`the text does not contain ${wanted}`);
    view.dispatch({ selection: { anchor: at + wanted.length }, scrollIntoView: true });
    view.focus();
  }, anchor);
  await page.keyboard.type(typed);
}

/// Opens one of the examples that the program brings along.
export async function example(page, name) {
  await page.getByRole('button', { name: 'Open an example…' }).click();
  await page.getByRole('searchbox', { name: 'Filter examples' }).fill(name);
  await page.getByRole('dialog').getByRole('button', { name }).first().click();
  await page.locator('.file.current', { hasText: name }).waitFor();
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/// The serious and critical violations of axe's rules on a page. The script is evaluated by the debugger: the policy of the page
/// allows no other script.
export async function violations(page, where) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Runtime.evaluate', { expression: axe });
  const found = await page.evaluate(async () => (await globalThis.axe.run(document, { resultTypes: ['violations'] })).violations);
  return found
    .filter((v) => v.impact === 'serious' || v.impact === 'critical')
    .map((v) => `${where}: ${v.id}: ${v.nodes.map((n) => `${n.target.join(' ')} ${n.any.map((a) => a.message).join('; ')}`).slice(0, 4).join(' | ')}`);
}

export { existsSync, join, mkdirSync, rmSync };
