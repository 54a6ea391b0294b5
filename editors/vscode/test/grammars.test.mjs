// The TextMate grammars, with the tokenizer of VS Code. Every model of the repository is read: no token of the language may be inside
// a comment or a string that does not end, keywords are keywords wherever they are, and some lines have the scopes that are listed.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const { INITIAL, Registry, parseRawGrammar } = require('vscode-textmate');
const { OnigScanner, OnigString, loadWASM } = require('vscode-oniguruma');

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(here, '../../..');
await loadWASM(fs.readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm')).buffer);
const registry = new Registry({
	onigLib: Promise.resolve({
		createOnigScanner: (sources) => new OnigScanner(sources),
		createOnigString: (text) => new OnigString(text),
	}),
	loadGrammar: async (scope) => {
		const file = path.join(here, '../syntaxes', `${scope.replace('source.', '')}.tmLanguage.json`);
		return parseRawGrammar(fs.readFileSync(file, 'utf8'), file);
	},
});

/** The tokens of a text: text and innermost scope, for each line; and how many rules are open at the end. */
async function tokens(language, text) {
	const grammar = await registry.loadGrammar(`source.${language}`);
	let stack = INITIAL;
	const lines = text.split(/\r?\n/).map((line) => {
		const result = grammar.tokenizeLine(line, stack);
		stack = result.ruleStack;
		return result.tokens.map((token) => [line.slice(token.startIndex, token.endIndex), token.scopes.at(-1), token.scopes]);
	});
	return { lines, depth: stack.depth };
}

const CASES = [
	['promela', 'active [2] proctype user() {', [['active', 'keyword.declaration.process'], ['proctype', 'keyword.declaration.process'], ['user', 'entity.name.function.process']]],
	['promela', 'ltl p0 { [] (want -> <> have) }', [['ltl', 'keyword.declaration.ltl'], ['p0', 'entity.name.type.property'], ['[]', 'keyword.operator.temporal'], ['<>', 'keyword.operator.temporal']]],
	['promela', 'chan c = [2] of { mtype, byte }; /* x */ // do', [['chan', 'storage.type'], ['2', 'constant.numeric'], ['of', 'keyword.control'], ['byte', 'storage.type'], ['// do', 'comment.line']]],
	['promela', ':: c?request(x) -> progress: x++', [['::', 'keyword.control.option'], ['?', 'keyword.operator.channel'], ['->', 'keyword.operator.arrow'], ['progress', 'entity.name.label.special']]],
	['promela', '#define N 4', [['define', 'keyword.control.directive'], ['4', 'constant.numeric']]],
	['promela', 'printf("do %d\\n", i)', [['printf', 'support.function'], ['%d', 'constant.other.placeholder']]],
	['promela', 'inline enter(n) { d_step { skip } }', [['inline', 'keyword.declaration.inline'], ['enter', 'entity.name.function.inline'], ['d_step', 'keyword.control']]],
	['dve', 'process P { state a, b; init a;', [['process', 'keyword.declaration.process'], ['P', 'entity.name.function.process'], ['state', 'keyword.declaration'], ['init', 'keyword.declaration']]],
	['dve', '  a -> b { guard x == 1 and not y; sync c!{1}; effect x = 2; }', [['a', 'entity.name.label.state'], ['guard', 'keyword.control'], ['and', 'keyword.operator.logical'], ['!', 'keyword.operator.channel'], ['effect', 'keyword.control']]],
	['esml', 'PROCESS Door(IN d: signal);', [['PROCESS', 'keyword.declaration.process'], ['Door', 'entity.name.function.process'], ['IN', 'storage.modifier']]],
	['esml', 'DO TRUE -> c!ping(n); n := n + 1 END (* a (* b *) DO *)', [['DO', 'keyword.control'], ['TRUE', 'constant.language'], [':=', 'keyword.operator.assignment'], [' DO ', 'comment.block']]],
];

for (const [language, line, wanted] of CASES) {
	test(`${language}: ${line}`, async () => {
		const { lines } = await tokens(language, line);
		for (const [text, scope] of wanted) {
			const found = lines[0].find((token) => token[0] === text);
			assert.ok(found, `no token ${text} in ${JSON.stringify(lines[0].map((token) => token[0]))}`);
			assert.ok(found[1].startsWith(`${scope}`), `${text}: ${found[1]}, not ${scope}`);
		}
	});
}

/** The words that the program takes as keywords, from the source of its lexers. */
function keywords(language) {
	const text = fs.readFileSync(path.join(root, 'crates/lang/src', language, 'token.rs'), 'utf8');
	const start = text.indexOf(language === 'dve' ? 'const KEYWORDS' : '\nkeywords! {');
	const part = text.slice(start, text.indexOf(language === 'dve' ? '];' : '\n}\n', start));
	return [...part.matchAll(/"(\w+)"/g)].map((match) => match[1]);
}

const MODELS = { promela: ['examples', 'tests/promela'], dve: ['examples', 'tests/twins'], esml: ['examples', 'tests/esml'] };
const ENDINGS = { promela: ['.pml'], dve: ['.dve', '.mdve'], esml: ['.esml'] };
for (const [language, folders] of Object.entries(MODELS)) {
	test(`${language}: every keyword of the language has a scope`, async () => {
		const words = keywords(language);
		assert.ok(words.length > 20, `${words}`);
		for (const word of words) {
			const { lines } = await tokens(language, `x ${word} y`);
			const found = lines[0].find((token) => token[0] === word);
			assert.ok(found && !/^source\./.test(found[1]), `${word}: ${JSON.stringify(lines[0].map((token) => token.slice(0, 2)))}`);
		}
	});

	test(`${language}: the models of the repository`, async () => {
		const known = new Set(keywords(language).filter((word) => word.length > 2));
		let models = 0;
		for (const folder of folders) {
			for (const name of fs.readdirSync(path.join(root, folder))) {
				if (!ENDINGS[language].includes(path.extname(name))) continue;
				models += 1;
				const { lines, depth } = await tokens(language, `${fs.readFileSync(path.join(root, folder, name), 'utf8')}\n`);
				// One model tests a comment without end.
				assert.equal(depth, name.includes('unterminated-comment') ? 2 : 1, `${name}: something is open at the end`);
				for (const [number, line] of lines.entries()) {
					for (const [text, scope] of line) {
						assert.ok(!(known.has(text.trim()) && /^source\./.test(scope)), `${name}:${number + 1}: ${text} has no scope`);
					}
				}
			}
		}
		assert.ok(models > 3, `${models} models`);
	});
}
