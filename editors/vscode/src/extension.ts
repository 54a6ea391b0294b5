/** The extension: commands, tasks, the debugger, and the client of the language server. */

import * as vscode from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';

import { adapter, chooseMove, configurations, debug } from './debugging';
import { showCounterexample } from './panel';
import { LANGUAGES, activeModel, program, run } from './program';
import { checkTask, provider } from './tasks';

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
	const command = (name: string, action: () => unknown) =>
		context.subscriptions.push(vscode.commands.registerCommand(`kripke.${name}`, reporting(action)));
	command('checkFile', () => withModel((file) => vscode.tasks.executeTask(checkTask(file, []))));
	command('checkProperty', () => withModel(checkProperty));
	command('simulateFile', () => withModel((file) => debug(file, { mode: 'simulate', seed: 1 })));
	command('debugCounterexample', () => withModel((file) => debug(file, { mode: 'check' })));
	command('showCounterexample', () => withModel((file) => showCounterexample(file)));
	command('chooseMove', chooseMove);
	command('restartServer', async () => {
		await client?.stop();
		await startServer();
	});
	context.subscriptions.push(
		vscode.tasks.registerTaskProvider('kripke', provider),
		vscode.debug.registerDebugAdapterDescriptorFactory('kripke', adapter),
		vscode.debug.registerDebugConfigurationProvider('kripke', configurations),
	);
	if (vscode.workspace.getConfiguration('kripke').get<boolean>('languageServer')) {
		await startServer();
	}
}

export async function deactivate(): Promise<void> {
	await client?.stop();
}

/** An action whose failure is shown. */
function reporting(action: () => unknown): () => Promise<void> {
	return async () => {
		try {
			await action();
		} catch (error) {
			await vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
		}
	};
}

async function withModel(action: (file: vscode.Uri) => unknown): Promise<void> {
	const file = await activeModel();
	if (file) {
		await action(file);
	}
}

/** Checks a property of the model that the user chooses. */
async function checkProperty(file: vscode.Uri): Promise<void> {
	const listed = await run(['list', file.fsPath, '--format', 'json'], file);
	if (listed.status !== 0) {
		throw new Error(listed.err.trim());
	}
	const { properties } = JSON.parse(listed.out) as { properties?: { name: string; formula?: string }[] };
	const items = (properties ?? []).map((each) => ({ label: each.name, description: each.formula }));
	if (items.length === 0) {
		throw new Error('The model states no properties.');
	}
	const chosen = await vscode.window.showQuickPick(items, { placeHolder: 'The property to check' });
	if (chosen) {
		await vscode.tasks.executeTask(checkTask(file, ['--property', chosen.label]));
	}
}

/** Starts `kripke lsp`. A program without a language server leaves everything else working. */
async function startServer(): Promise<void> {
	const documentSelector = LANGUAGES.map((language) => ({ scheme: 'file', language }));
	client = new LanguageClient('kripke', 'Kripke', { command: program(), args: ['lsp'] }, { documentSelector });
	try {
		await client.start();
	} catch (error) {
		client.outputChannel.appendLine(`the language server does not start: ${error}`);
		client = undefined;
	}
}
