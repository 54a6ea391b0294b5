// The extension in a real editor: VS Code as code-server, in a headless browser. It debugs a counterexample forwards and backwards, shows
// the panel, and writes pictures.
//
//   node run.mjs CODE_SERVER CHROMIUM [PICTURES]
//
// CODE_SERVER is out/node/entry.js of the npm package `code-server`, CHROMIUM the browser, PICTURES a directory. `playwright-core`
// is in the directory $NODE_PATH. The extension is dist/kripke.vsix, the program $KRIPKE or target/debug/kripke.
//
// The scripts of `code-server` download from other places than the registry. It can be installed without them, for node 20:
//
//   npm install --ignore-scripts code-server@4.100.3
//   (cd node_modules/code-server/lib/vscode && npm install --omit=dev --ignore-scripts)
//
// and `argon2`, which it needs to start, is compiled with node-gyp. The search for files and the terminal are missing then.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(path.join(process.env.NODE_PATH ?? process.cwd(), 'x'));
const { chromium } = require('playwright-core');

const [server, browser, pictures] = process.argv.slice(2);
const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(here, '../../../..');
const kripke = process.env.KRIPKE ?? path.join(root, 'target/debug/kripke');
const port = 18_742;
const WAIT = { timeout: 60_000 };

const home = fs.mkdtempSync(path.join(os.tmpdir(), 'kripke-editor-'));
const workspace = path.join(home, 'models');
const model = path.join(workspace, 'mutex-naive.pml');
fs.mkdirSync(workspace);
fs.copyFileSync(path.join(root, 'examples/mutex-naive.pml'), model);
// The client of the language server is tested with a program that has one.
const hasServer = spawnSync(kripke, ['lsp', '--help']).status === 0;
fs.writeFileSync(path.join(workspace, 'mistaken.pml'), 'active proctype p() {\n\tx = 1\n}\n');
const settings = {
	'kripke.path': kripke,
	'kripke.languageServer': hasServer,
	'workbench.startupEditor': 'none',
	'workbench.tips.enabled': false,
	'workbench.colorTheme': 'Default Light Modern',
	'security.workspace.trust.enabled': false,
	'telemetry.telemetryLevel': 'off',
	'debug.toolBarLocation': 'docked',
	'extensions.ignoreRecommendations': true,
};
for (const scope of ['User', 'Machine']) {
	fs.mkdirSync(path.join(home, 'data', scope), { recursive: true });
	fs.writeFileSync(path.join(home, 'data', scope, 'settings.json'), JSON.stringify(settings));
}

const common = ['--extensions-dir', path.join(home, 'extensions'), '--user-data-dir', path.join(home, 'data')];
const vsix = path.join(here, '../../dist/kripke.vsix');
const installed = spawnSync('node', [server, ...common, '--install-extension', vsix], { encoding: 'utf8' });
assert.match(installed.stdout, /successfully installed/, installed.stdout + installed.stderr);
const child = spawn(
	'node',
	[server, ...common, '--auth', 'none', '--bind-addr', `127.0.0.1:${port}`, '--disable-telemetry', '--disable-update-check', workspace],
	{ stdio: ['ignore', 'pipe', 'inherit'] },
);
const window = await listening(child).then(() => chromium.launch({ executablePath: browser, args: ['--no-sandbox'] }));
const page = await window.newPage({ viewport: { width: 1280, height: 800 } });

try {
	await page.goto(`http://127.0.0.1:${port}/?folder=${workspace}`);
	await page.waitForSelector('.monaco-workbench', WAIT);
	await open('mutex-naive.pml');
	await seen('.statusbar-item:has-text("Promela")');
	console.log('ok - the language of the model');
	await highlighted('proctype');
	console.log('ok - its keywords have colours');

	if (hasServer) {
		await open('mistaken.pml');
		await seen('.squiggly-error');
		await seen('.statusbar-item[aria-label*="Errors: 1"], .statusbar-item[aria-label*="1 Problem"], #status\\.problems:has-text("1")');
		console.log('ok - the language server finds a mistake');
		await open('mutex-naive.pml');
	}

	await command('Kripke: Check, and Debug the Counterexample');
	await seen('.debug-toolbar, .debug-toolbar-action, [aria-label^="Step Back"]');
	await seen('.debug-call-stack .monaco-list-row:has-text("user(0)")');
	await seen('.debug-call-stack .monaco-list-row:has-text("user(1)")');
	console.log('ok - processes are threads');
	const start = await position();
	assert.match(start, /Step 0 of \d+/i);
	for (let step = 1; step <= 6; step += 1) {
		await page.keyboard.press('F10');
		await seen(`.debug-call-stack :text-matches("Step ${step} of", "i")`);
	}
	await expand('Globals');
	await page.locator('.debug-call-stack .monaco-list-row:has-text("user(1)")').first().click();
	const forward = await value('critical');
	console.log(`ok - six steps forward, critical is ${forward}`);
	await picture('vscode.png');
	await page.locator('[aria-label^="Step Back"]').first().click();
	await seen('.debug-call-stack :text-matches("Step 5 of", "i")');
	console.log('ok - one step back');
	await page.locator('[aria-label^="Reverse"]').first().click();
	await seen('.debug-call-stack :text-matches("Step 0 of", "i")');
	await page.locator('[aria-label^="Continue"]').first().click();
	await seen('.exception-widget, :text("assertion violated")');
	console.log('ok - continue stops at the failed assertion');
	await page.locator('[aria-label^="Stop"]').first().click();
	await page.waitForSelector('[aria-label^="Step Back"]', { ...WAIT, state: 'detached' });

	spawnSync(kripke, ['check', model, '-q'], { cwd: workspace });
	await page.locator('.tab:has-text("mutex-naive.pml")').first().click();
	await command('Kripke: Show Counterexample');
	const outer = page.frameLocator('iframe.webview.ready').frameLocator('iframe');
	await outer.locator('section.current img').waitFor(WAIT);
	const width = await outer.locator('section.current img').evaluate((image) => image.naturalWidth);
	assert.ok(width > 100, `the chart is ${width} wide`);
	await outer.locator('button:has-text("Table")').click();
	await outer.locator('section.current pre:has-text("assertion violated")').waitFor(WAIT);
	await outer.locator('button:has-text("Chart")').click();
	console.log('ok - the panel has the chart and the table');
	await page.keyboard.press('Control+J');
	await page.waitForTimeout(1000);
	await picture('vscode-panel.png');
	console.log('passed');
} catch (error) {
	await page.screenshot({ path: path.join(pictures ?? os.tmpdir(), 'failed.png') });
	throw error;
} finally {
	await window.close();
	child.kill();
	fs.rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 500 });
}

function listening(process) {
	return new Promise((resolve, reject) => {
		process.stdout.on('data', (data) => String(data).includes('HTTP server listening') && resolve());
		process.on('exit', (status) => reject(new Error(`the server ended with status ${status}`)));
	});
}

async function seen(selector) {
	await page.locator(selector).first().waitFor(WAIT);
}

async function open(name) {
	await page.locator(`.explorer-folders-view .monaco-list-row:has-text("${name}")`).first().dblclick(WAIT);
	await seen(`.tab.active:has-text("${name}")`);
}

async function command(title) {
	await page.keyboard.press('F1');
	await page.locator('.quick-input-widget input').first().fill(`>${title}`);
	await seen(`.quick-input-list .monaco-list-row:has-text("${title}")`);
	await page.keyboard.press('Enter');
}

/** Waits until a word has a colour of its own. */
async function highlighted(word) {
	await page.waitForFunction(
		(text) => [...document.querySelectorAll('.view-line span span')].some((part) => part.textContent.trim() === text),
		word,
		WAIT,
	);
}

async function position() {
	await seen('.debug-call-stack :text-matches("Step \\\\d+ of", "i")');
	return page.locator('.debug-call-stack').innerText();
}

async function expand(scope) {
	const row = page.locator(`.debug-variables .monaco-list-row:has-text("${scope}")`).first();
	await row.waitFor(WAIT);
	// The view is drawn again after each step, which may undo a click.
	for (let attempt = 0; attempt < 20 && (await row.getAttribute('aria-expanded')) !== 'true'; attempt += 1) {
		await row.click();
		await page.waitForTimeout(500);
	}
}

async function value(name) {
	const row = page.locator(`.debug-variables .monaco-list-row:has-text("${name}")`).first();
	await row.waitFor(WAIT);
	return (await row.innerText()).split(/=|:/).pop().trim();
}

async function picture(name) {
	if (pictures) await page.screenshot({ path: path.join(pictures, name) });
}
