/** A panel with the views of a counterexample: message sequence chart, table, automata. */

import { randomBytes } from 'node:crypto';
import * as path from 'node:path';
import * as vscode from 'vscode';

import { run } from './program';

/** A view: its title, and the arguments of the program that prints it. */
interface View {
	title: string;
	content: string;
	isPicture: boolean;
}

/** Shows the newest counterexample of a model, or that of a trail. */
export async function showCounterexample(file: vscode.Uri, trail?: string): Promise<vscode.WebviewPanel | undefined> {
	const views = await collect(file, trail);
	if (views.length === 0) {
		return undefined;
	}
	const title = `Counterexample: ${path.basename(file.fsPath)}`;
	const panel = vscode.window.createWebviewPanel('kripke.counterexample', title, vscode.ViewColumn.Beside, {
		enableScripts: true,
		localResourceRoots: [],
	});
	panel.webview.html = page(title, views, randomBytes(16).toString('hex'));
	return panel;
}

/** The views of a trail. */
async function collect(file: vscode.Uri, trail?: string): Promise<View[]> {
	const named = trail ? [trail] : [];
	const model = file.fsPath;
	const table = await run(['replay', model, ...named, '--full'], file);
	if (table.status > 1) {
		await vscode.window.showErrorMessage(table.err.trim() || 'There is no counterexample.');
		return [];
	}
	const views = [{ title: 'Table', content: table.out, isPicture: false }];
	const chart = await run(['replay', model, ...named, '--chart', 'svg'], file);
	if (chart.status <= 1) {
		views.unshift({ title: 'Chart', content: chart.out, isPicture: true });
	}
	const listed = await run(['list', model, '--format', 'json'], file);
	for (const name of listed.status === 0 ? processes(listed.out) : []) {
		const picture = await run(['list', model, '--process', name, '--format', 'svg'], file);
		if (picture.status === 0) {
			views.push({ title: name, content: picture.out, isPicture: true });
		}
	}
	return views;
}

/** The names of the process types in a listing. */
function processes(text: string): string[] {
	const listing = JSON.parse(text) as { processes?: { name: string }[] };
	return (listing.processes ?? []).map((process) => process.name);
}

function escaped(text: string): string {
	const signs: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
	return text.replace(/[&<>"']/g, (sign) => signs[sign]);
}

/**
 * The page. Nothing is loaded, scripts and styles need the nonce; pictures are images, in which no script is executed.
 */
export function page(title: string, views: View[], nonce: string): string {
	const policy = `default-src 'none'; img-src data:; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'`;
	const tabs = views.map((view, n) => `<button data-view="${n}">${escaped(view.title)}</button>`).join('');
	const bodies = views.map((view, n) => {
		const picture = () => `data:image/svg+xml;base64,${Buffer.from(view.content).toString('base64')}`;
		const inner = view.isPicture ? `<img alt="${escaped(view.title)}" src="${picture()}">` : `<pre>${escaped(view.content)}</pre>`;
		return `<section id="view-${n}">${inner}</section>`;
	});
	return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${escaped(title)}</title>
<style nonce="${nonce}">
body { padding: 0.5em; }
nav { margin-bottom: 0.5em; }
button { border: none; padding: 0.3em 0.8em; margin-right: 0.3em; cursor: pointer;
	background: var(--vscode-button-secondaryBackground); color: var(--vscode-button-secondaryForeground); }
button.current { background: var(--vscode-button-background); color: var(--vscode-button-foreground); }
section { display: none; overflow: auto; }
section.current { display: block; }
pre { font-family: var(--vscode-editor-font-family); }
img { background: white; max-width: none; }
</style>
</head>
<body>
<nav>${tabs}</nav>
${bodies.join('\n')}
<script nonce="${nonce}">
const show = (n) => {
	document.querySelectorAll('section').forEach((part) => part.classList.toggle('current', part.id === 'view-' + n));
	document.querySelectorAll('button').forEach((tab) => tab.classList.toggle('current', tab.dataset.view === String(n)));
};
document.querySelectorAll('button').forEach((tab) => tab.addEventListener('click', () => show(tab.dataset.view)));
show(0);
</script>
</body>
</html>
`;
}
