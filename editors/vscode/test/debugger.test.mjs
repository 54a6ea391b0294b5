// The debug adapter through the client library of the protocol's authors, @vscode/debugadapter-testsupport. The state at each step of a
// counterexample, forwards and backwards, equals that of `kripke replay --format json`.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const { DebugClient } = require('@vscode/debugadapter-testsupport');

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
const kripke = process.env.KRIPKE ?? path.join(root, 'target/debug/kripke');

/** model, options of the check, and a part of the name of the error. */
const CASES = [
	['examples/mutex-naive.pml', [], 'assertion'],
	['examples/dining-philosophers.pml', [], 'end-state'],
	['tests/promela/array-index-fault.pml', [], 'fault'],
	['examples/fair-weak.pml', ['--ltl', '<> open'], 'property'],
	['examples/fair-weak.pml', ['--non-progress'], 'property'],
	['examples/mutex-naive.pml', ['--ctl', 'AG (critical < 2)'], 'property'],
	['examples/mutex-naive.pml', ['--reach', 'critical == 2'], 'property'],
	['examples/dining-philosophers.mdve', ['-DN=3'], 'end-state'],
	['examples/fairness.dve', ['--ltl', 'F bell.rings'], 'property'],
	['tests/esml/deadlock.esml', [], 'end-state'],
	['tests/esml/division-fault.esml', [], 'fault'],
];

function run(args) {
	const done = spawnSync(kripke, args, { encoding: 'utf8' });
	assert.ok(done.status !== null && done.status < 2, `${args.join(' ')}: ${done.error ?? done.stderr}`);
	return done.stdout;
}

/** The number, truth value or symbol of a trace as the debugger shows it. */
function shown(value) {
	if (typeof value === 'boolean') return value ? '1' : '0';
	return typeof value === 'string' ? value : value['#bigint'];
}

/** All values of variables: name without indices, then indices. */
function flat(name, value, indices, out) {
	if (Array.isArray(value)) value.forEach((part, n) => flat(name, part, [...indices, n], out));
	else if (value['#tup']) flat(name, value['#tup'], indices, out);
	else out[`${name} ${indices}`] = shown(value);
}

async function collect(client, reference, above, indices, out) {
	const { body } = await client.variablesRequest({ variablesReference: reference });
	for (const { name, value, variablesReference } of body.variables) {
		const index = /^\[(\d+)\]$/.exec(name);
		const inner = index ? above : above ? `${above}.${name}` : name;
		const at = index ? [...indices, Number(index[1])] : indices;
		if (variablesReference > 0) await collect(client, variablesReference, inner, at, out);
		else out[`${inner} ${at}`] = value;
	}
}

/** Compares the state that the client sees with one of the trace. */
async function compare(client, state, context) {
	const { body } = await client.threadsRequest();
	const processes = state.processes['#map'];
	assert.deepEqual(body.threads.map((thread) => String(thread.id - 1)), processes.map(([pid]) => pid['#bigint']), context);
	for (const [n, thread] of body.threads.entries()) {
		const stack = await client.stackTraceRequest({ threadId: thread.id });
		const scopes = (await client.scopesRequest({ frameId: stack.body.stackFrames[0].id })).body.scopes;
		const locals = {};
		await collect(client, scopes[0].variablesReference, '', [], locals);
		const { type, location, ...wanted } = processes[n][1];
		const expected = {};
		Object.entries(wanted).forEach(([name, value]) => flat(name, value, [], expected));
		assert.deepEqual(locals, expected, `${context}, ${thread.name}`);
		if (n > 0) continue;
		const globals = {};
		await collect(client, scopes[1].variablesReference, '', [], globals);
		const channels = (await client.variablesRequest({ variablesReference: scopes[2].variablesReference })).body.variables;
		const global = {};
		for (const [name, value] of Object.entries(state)) {
			if (name === '#meta' || name === 'processes') continue;
			if (channels.some((channel) => channel.name === name)) {
				const messages = value.map((message) => message['#tup'].map(shown).join(','));
				assert.equal(channels.find((channel) => channel.name === name).value, `[${messages.join(' ')}]`, context);
			} else flat(name, value, [], global);
		}
		assert.deepEqual(globals, global, context);
	}
}

async function move(client, request) {
	const [stopped] = await Promise.all([client.waitForEvent('stopped'), client.send(request, { threadId: 1 })]);
	return stopped.body;
}

for (const [model, args, error] of CASES) {
	test(`${model} ${args.join(' ')}`, async () => {
		const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'kripke-'));
		const trail = path.join(folder, 't.json');
		const program = path.join(root, model);
		run(['check', program, ...args, '--trail', trail, '-q']);
		const { states } = JSON.parse(run(['replay', program, trail, '--format', 'json']));
		const client = new DebugClient(kripke, 'dap', 'kripke');
		await client.start();
		try {
			const launched = client.launch({ program, mode: 'replay', trail });
			await Promise.all([launched, client.configurationSequence(), client.waitForEvent('stopped')]);
			for (let step = 0; step < states.length; step += 1) {
				await compare(client, states[step], `step ${step}`);
				if (step + 1 < states.length) await move(client, 'next');
			}
			const info = await client.send('exceptionInfo', { threadId: 1 });
			assert.equal(info.body.exceptionId, error);
			for (let step = states.length - 2; step >= 0; step -= 1) {
				assert.equal((await move(client, 'stepBack')).reason, 'step');
				await compare(client, states[step], `back at step ${step}`);
			}
			const stopped = await move(client, 'continue');
			assert.equal(stopped.reason, 'exception', JSON.stringify(stopped));
			await compare(client, states.at(-1), 'the end');
		} finally {
			await client.stop();
			fs.rmSync(folder, { recursive: true });
		}
	});
}
