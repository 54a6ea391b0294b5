/** Tasks that check a model. The problem matchers show errors in the text, and violated properties, at their places. */

import * as path from 'node:path';
import * as vscode from 'vscode';

import { LANGUAGES, checkArguments, program } from './program';

const TYPE = 'kripke';
const MATCHERS = ['$kripke', '$kripke-violation'];

/** The task that checks a model. */
export function checkTask(file: vscode.Uri, args: string[], definition?: vscode.TaskDefinition): vscode.Task {
	const given = definition ?? { type: TYPE, file: file.fsPath, args };
	const name = `check ${path.basename(file.fsPath)}`;
	const folder = vscode.workspace.getWorkspaceFolder(file) ?? vscode.TaskScope.Workspace;
	const execution = new vscode.ProcessExecution(
		program(),
		['--color', 'never', 'check', ...checkArguments(file), ...args, '--', file.fsPath],
		{ cwd: path.dirname(file.fsPath) },
	);
	const task = new vscode.Task(given, folder, name, 'kripke', execution, MATCHERS);
	task.group = vscode.TaskGroup.Build;
	task.presentationOptions = { clear: true, showReuseMessage: false };
	return task;
}

/** A task for the model in the active editor, and those of the user's tasks.json. */
export const provider: vscode.TaskProvider = {
	provideTasks() {
		const document = vscode.window.activeTextEditor?.document;
		return document && LANGUAGES.includes(document.languageId) ? [checkTask(document.uri, [])] : [];
	},
	resolveTask(task) {
		const { file, args } = task.definition as unknown as { file?: string; args?: string[] };
		const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
		return file ? checkTask(vscode.Uri.file(path.resolve(folder, file)), args ?? [], task.definition) : undefined;
	},
};
