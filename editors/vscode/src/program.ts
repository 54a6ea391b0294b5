/** Running the program `kripke`. */

import { execFile } from 'node:child_process';
import * as path from 'node:path';
import * as vscode from 'vscode';

export const LANGUAGES = ['promela', 'dve', 'esml'];

/** What the program has printed. */
export interface Said {
	status: number;
	out: string;
	err: string;
}

export function program(): string {
	return vscode.workspace.getConfiguration('kripke').get<string>('path') || 'kripke';
}

export function checkArguments(file: vscode.Uri): string[] {
	return vscode.workspace.getConfiguration('kripke', file).get<string[]>('checkArguments') ?? [];
}

/** Runs the program in the directory of a file. A program that can't be started is an error. */
export function run(args: string[], file: vscode.Uri): Promise<Said> {
	const options = { cwd: path.dirname(file.fsPath), maxBuffer: 64 << 20 };
	return new Promise((resolve, reject) => {
		execFile(program(), ['--color', 'never', ...args], options, (error, out, err) => {
			if (error && typeof error.code !== 'number') {
				reject(new Error(`can't start ${program()}: ${error.message}; the setting kripke.path names the program`));
			} else {
				resolve({ status: error ? Number(error.code) : 0, out, err });
			}
		});
	});
}

/** The model in the active editor, saved. */
export async function activeModel(): Promise<vscode.Uri | undefined> {
	const document = vscode.window.activeTextEditor?.document;
	if (!document || !LANGUAGES.includes(document.languageId)) {
		await vscode.window.showErrorMessage('Open a model in Promela, DVE or ESML first.');
		return undefined;
	}
	if (document.isDirty && !(await document.save())) {
		return undefined;
	}
	return document.uri;
}
