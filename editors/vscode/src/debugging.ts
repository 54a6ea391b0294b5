/** The debugger: the adapter is `kripke dap`. */

import * as path from 'node:path';
import * as vscode from 'vscode';

import { LANGUAGES, checkArguments, program } from './program';

/** Starts the adapter. */
export const adapter: vscode.DebugAdapterDescriptorFactory = {
	createDebugAdapterDescriptor() {
		return new vscode.DebugAdapterExecutable(program(), ['dap']);
	},
};

/** Completes configurations; without launch.json, the model in the active editor is checked. */
export const configurations: vscode.DebugConfigurationProvider = {
	resolveDebugConfiguration(_folder, configuration) {
		const document = vscode.window.activeTextEditor?.document;
		if (!configuration.type && document && LANGUAGES.includes(document.languageId)) {
			Object.assign(configuration, { type: 'kripke', request: 'launch', name: 'Kripke', program: document.uri.fsPath });
		}
		return configuration.program ? configuration : undefined;
	},
	resolveDebugConfigurationWithSubstitutedVariables(_folder, configuration) {
		const file = vscode.Uri.file(configuration.program);
		configuration.mode ??= 'check';
		configuration.cwd ??= path.dirname(file.fsPath);
		if (configuration.mode === 'check') {
			configuration.args ??= checkArguments(file);
		}
		return configuration;
	},
};

/** Starts to debug a model. */
export async function debug(file: vscode.Uri, configuration: Record<string, unknown>): Promise<boolean> {
	const folder = vscode.workspace.getWorkspaceFolder(file);
	const name = `Kripke: ${path.basename(file.fsPath)}`;
	return vscode.debug.startDebugging(folder, {
		type: 'kripke',
		request: 'launch',
		name,
		program: file.fsPath,
		cwd: path.dirname(file.fsPath),
		...configuration,
	});
}

interface Move {
	move: number;
	process: string;
	statement: string;
	line: number;
	next: boolean;
}

/** Lets the user choose one of the enabled moves. */
export async function chooseMove(): Promise<void> {
	const session = vscode.debug.activeDebugSession;
	if (session?.type !== 'kripke') {
		return;
	}
	const { moves } = (await session.customRequest('kripke/moves')) as { moves: Move[] };
	if (moves.length === 0) {
		await vscode.window.showInformationMessage('No process can move.');
		return;
	}
	const items = moves.map((each) => ({
		label: `${each.process}: ${each.statement}`,
		description: each.next ? `line ${each.line}, the next step of the run` : `line ${each.line}`,
		move: each.move,
	}));
	const chosen = await vscode.window.showQuickPick(items, { placeHolder: 'The next move' });
	if (chosen) {
		await session.customRequest('kripke/take', { move: chosen.move });
	}
}
