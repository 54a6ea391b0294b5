// A double of the module `vscode`, as far as the extension uses it: it records what is registered, executed and shown.

const path = require('node:path');

const log = { commands: {}, tasks: [], debug: [], panels: [], errors: [], infos: [], settings: {}, providers: {}, requests: [] };
const disposable = { dispose() {} };

class Uri {
	constructor(fsPath) {
		this.fsPath = fsPath;
		this.scheme = 'file';
	}
	static file(name) {
		return new Uri(path.resolve(name));
	}
}
class ProcessExecution {
	constructor(process, args, options) {
		Object.assign(this, { process, args, options });
	}
}
class Task {
	constructor(definition, scope, name, source, execution, problemMatchers) {
		Object.assign(this, { definition, scope, name, source, execution, problemMatchers });
	}
}
class DebugAdapterExecutable {
	constructor(command, args) {
		Object.assign(this, { command, args });
	}
}

module.exports = {
	log,
	Uri,
	ProcessExecution,
	Task,
	DebugAdapterExecutable,
	TaskScope: { Workspace: 2 },
	TaskGroup: { Build: 'build' },
	ViewColumn: { Beside: -2 },
	commands: {
		registerCommand(name, action) {
			log.commands[name] = action;
			return disposable;
		},
	},
	tasks: {
		registerTaskProvider(type, provider) {
			log.providers.task = provider;
			return disposable;
		},
		async executeTask(task) {
			log.tasks.push(task);
		},
	},
	debug: {
		activeDebugSession: undefined,
		registerDebugAdapterDescriptorFactory(type, factory) {
			log.providers.adapter = factory;
			return disposable;
		},
		registerDebugConfigurationProvider(type, provider) {
			log.providers.configuration = provider;
			return disposable;
		},
		async startDebugging(folder, configuration) {
			log.debug.push(configuration);
			return true;
		},
	},
	window: {
		activeTextEditor: undefined,
		async showErrorMessage(text) {
			log.errors.push(text);
		},
		async showInformationMessage(text) {
			log.infos.push(text);
		},
		async showQuickPick(items) {
			log.picked = items;
			return items[log.pick ?? 0];
		},
		createWebviewPanel(type, title, column, options) {
			const panel = { type, title, column, options, webview: { html: '' } };
			log.panels.push(panel);
			return panel;
		},
	},
	workspace: {
		workspaceFolders: undefined,
		getWorkspaceFolder: () => undefined,
		getConfiguration: () => ({ get: (name) => log.settings[name] }),
	},
};
