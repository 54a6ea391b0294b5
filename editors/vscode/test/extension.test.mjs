// The extension against a double of the module `vscode` (vscode.cjs), with the real program: commands, tasks, debug configurations, the
// panel, and the problem matchers on what the program prints.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import Module, { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(here, '../../..');
const kripke = process.env.KRIPKE ?? path.join(root, 'target/debug/kripke');
const manifest = require('../package.json');

// `require('vscode')` is the double; the client library of the language server is not started here.
const double = require('./vscode.cjs');
const load = Module._load;
Module._load = (name, ...rest) => (name === 'vscode' ? withDefaults(double) : load(name, ...rest));

/** The double, with an empty class for each name that the client library extends. */
function withDefaults(known) {
	return new Proxy(known, { get: (target, name) => (name in target ? target[name] : class {}) });
}
const extension = require('../dist/extension.js');
const { log } = double;
log.settings = { path: kripke, checkArguments: [], languageServer: false };

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'kripke-'));
test.after(() => fs.rmSync(folder, { recursive: true }));

/** Opens a model in the editor. */
function open(model, languageId = 'promela') {
	const file = path.join(folder, path.basename(model));
	fs.copyFileSync(path.join(root, model), file);
	double.window.activeTextEditor = { document: { uri: double.Uri.file(file), languageId, isDirty: false } };
	return file;
}

await extension.activate({ subscriptions: [] });

test('every command of the manifest is registered', () => {
	const declared = manifest.contributes.commands.map((each) => each.command).sort();
	assert.deepEqual(Object.keys(log.commands).sort(), declared);
});

test('commands need a model', async () => {
	double.window.activeTextEditor = undefined;
	await log.commands['kripke.checkFile']();
	assert.match(log.errors.pop(), /Open a model/);
});

test('a check is a task', async () => {
	const file = open('examples/mutex-naive.pml');
	log.settings.checkArguments = ['-DN=4'];
	await log.commands['kripke.checkFile']();
	const task = log.tasks.pop();
	assert.deepEqual([task.execution.process, ...task.execution.args], [kripke, '--color', 'never', 'check', '-DN=4', '--', file]);
	assert.deepEqual(task.problemMatchers, ['$kripke', '$kripke-violation']);
	log.settings.checkArguments = [];
	const own = { definition: { type: 'kripke', file, args: ['-a'] } };
	assert.deepEqual(log.providers.task.resolveTask(own).execution.args.slice(3), ['-a', '--', file]);
	assert.equal(log.providers.task.provideTasks().length, 1);
});

test('the debugger starts the adapter on the model', async () => {
	const file = open('examples/mutex-naive.pml');
	await log.commands['kripke.debugCounterexample']();
	const started = log.debug.pop();
	assert.deepEqual([started.type, started.mode, started.program], ['kripke', 'check', file]);
	const adapter = log.providers.adapter.createDebugAdapterDescriptor();
	assert.deepEqual([adapter.command, adapter.args], [kripke, ['dap']]);
	const { resolveDebugConfiguration, resolveDebugConfigurationWithSubstitutedVariables } = log.providers.configuration;
	const empty = resolveDebugConfiguration(undefined, {});
	assert.equal(empty.program, file);
	assert.equal(resolveDebugConfigurationWithSubstitutedVariables(undefined, empty).mode, 'check');
});

test('a move is chosen', async () => {
	const moves = [{ move: 1, process: 'p', statement: 'x = 1', line: 3, next: true }, { move: 2, process: 'q', statement: 'y', line: 4, next: false }];
	const requests = [];
	double.debug.activeDebugSession = {
		type: 'kripke',
		customRequest: async (...request) => (requests.push(request), { moves }),
	};
	log.pick = 1;
	await log.commands['kripke.chooseMove']();
	assert.deepEqual(requests, [['kripke/moves'], ['kripke/take', { move: 2 }]]);
	assert.equal(log.picked[0].label, 'p: x = 1');
	log.pick = 0;
});

test('a property is chosen', async () => {
	const file = path.join(folder, 'property.pml');
	fs.writeFileSync(file, 'byte x; active proctype p() { x = 1 }\nltl done { <> (x == 1) }\n');
	double.window.activeTextEditor = { document: { uri: double.Uri.file(file), languageId: 'promela', isDirty: false } };
	await log.commands['kripke.checkProperty']();
	const args = log.tasks.pop()?.execution.args;
	assert.ok(args?.includes('--property') && args.at(-1) === file, `${log.errors}`);
	open('examples/mutex-naive.pml');
	await log.commands['kripke.checkProperty']();
	assert.match(log.errors.pop(), /no properties/);
});

test('the panel has the views, and a strict policy', async () => {
	const file = open('examples/mutex-naive.pml');
	await log.commands['kripke.showCounterexample']();
	assert.match(log.errors.pop(), /can't read the trail/);
	spawnSync(kripke, ['check', file, '-q'], { cwd: folder });
	await log.commands['kripke.showCounterexample']();
	const { html } = log.panels.pop().webview;
	const [, policy] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html);
	assert.match(policy, /^default-src 'none'; img-src data:; style-src 'nonce-\w{32}'; script-src 'nonce-\w{32}'$/);
	assert.ok(!/ on\w+=|style="|src="(?!data:)/.test(html), 'inline handlers, inline styles or foreign sources');
	assert.deepEqual([...html.matchAll(/<button data-view="\d">([^<]*)</g)].map((match) => match[1]), ['Chart', 'Table', 'user']);
	const pictures = [...html.matchAll(/base64,([^"]*)"/g)].map((match) => Buffer.from(match[1], 'base64').toString());
	assert.ok(pictures.length === 2 && pictures.every((picture) => picture.startsWith('<svg')), pictures.map((p) => p.slice(0, 60)).join());
	assert.match(html, /assertion violated/);
});

test('the problem matchers find the places that the program prints', () => {
	const [text, violation] = manifest.contributes.problemMatchers;
	const bad = path.join(folder, 'bad.pml');
	fs.writeFileSync(bad, 'active proctype p() {\n\tx = 1\n}\n');
	const lines = spawnSync(kripke, ['--color', 'never', 'check', bad], { encoding: 'utf8' }).stderr.split('\n');
	const first = lines.findIndex((line) => new RegExp(text.pattern[0].regexp).test(line));
	const place = new RegExp(text.pattern[1].regexp).exec(lines[first + 1]);
	assert.deepEqual(place.slice(1), [bad, '2', '2'], lines.join('\n'));
	const file = open('examples/mutex-naive.pml');
	const report = spawnSync(kripke, ['--color', 'never', 'check', file, '--no-trail'], { encoding: 'utf8' }).stdout.split('\n');
	const found = report.map((line) => new RegExp(violation.pattern.regexp).exec(line)).filter(Boolean);
	assert.equal(found.length, 1, report[0]);
	assert.deepEqual(found[0].slice(1), ['assertion violated: assert(critical==1)', file, '18']);
});
