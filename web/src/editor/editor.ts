// The editor as an object without framework: texts, diagnostics, marked lines. It lives in a shadow root, where CodeMirror
// adopts constructed style sheets; the content security policy can then forbid inline styles.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab, toggleComment } from '@codemirror/commands';
import { bracketMatching, foldGutter, foldKeymap, indentOnInput, indentUnit, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, lintKeymap, nextDiagnostic, setDiagnostics, type Diagnostic } from '@codemirror/lint';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { EditorState, StateEffect, StateField, type Extension } from '@codemirror/state';
import {
  Decoration, EditorView, GutterMarker, drawSelection, gutter, highlightActiveLine, highlightActiveLineGutter, hoverTooltip,
  keymap, lineNumbers, type DecorationSet, type Tooltip,
} from '@codemirror/view';
import { languageOf } from './languages';
import { highlighting, theme } from './theme';

/// What the editor asks of the page. Offsets are those of CodeMirror: UTF-16 units of a text with `\n` line ends.
export interface Host {
  changed(text: string): void;
  moved(line: number, offset: number): void;
  complete(offset: number, explicit: boolean): Promise<{ from: number; options: { label: string; type: string; detail: string }[] } | null>;
  hover(offset: number): Promise<{ text: string; from: number; to: number } | null>;
  define(offset: number): void;
  check(): void;
  save(): void;
}

/// Lines with a meaning: those of the current step, and those that no run reaches.
export interface Marks {
  step: number[];
  error: number[];
  unreached: number[];
}

const setMarks = StateEffect.define<Marks>();
const NO_MARKS: Marks = { step: [], error: [], unreached: [] };

const marks = StateField.define<{ marks: Marks; lines: DecorationSet }>({
  create: () => ({ marks: NO_MARKS, lines: Decoration.none }),
  update(value, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(setMarks)) return { marks: effect.value, lines: decorations(transaction.state, effect.value) };
    }
    return transaction.docChanged ? { ...value, lines: value.lines.map(transaction.changes) } : value;
  },
  provide: (field) => EditorView.decorations.from(field, (value) => value.lines),
});

function decorations(state: EditorState, { step, error, unreached }: Marks): DecorationSet {
  const classes = new Map<number, string>();
  for (const line of unreached) classes.set(line, 'cm-was-unreached');
  for (const line of step) classes.set(line, 'cm-step');
  for (const line of error) classes.set(line, 'cm-step-error');
  const known = [...classes].filter(([line]) => line >= 1 && line <= state.doc.lines).sort(([a], [b]) => a - b);
  return Decoration.set(known.map(([line, name]) => Decoration.line({ class: name }).range(state.doc.line(line).from)));
}

class Unreached extends GutterMarker {
  override toDOM() {
    const mark = document.createElement('div');
    mark.className = 'cm-unreached';
    mark.title = 'never executed';
    return mark;
  }
}
const UNREACHED = new Unreached();

const coverage = gutter({
  class: 'cm-coverage',
  lineMarker(view, block) {
    const line = view.state.doc.lineAt(block.from).number;
    return view.state.field(marks).marks.unreached.includes(line) ? UNREACHED : null;
  },
  lineMarkerChange: (update) => update.startState.field(marks).marks !== update.state.field(marks).marks,
});

function hoverFrom(host: Host): Extension {
  return hoverTooltip(async (_view, offset): Promise<Tooltip | null> => {
    const found = await host.hover(offset);
    if (!found) return null;
    return {
      pos: found.from,
      end: found.to,
      create() {
        const dom = document.createElement('pre');
        dom.textContent = found.text;
        return { dom };
      },
    };
  });
}

function completionFrom(host: Host): Extension {
  const source = async (context: CompletionContext): Promise<CompletionResult | null> => {
    const word = context.matchBefore(/[\w#]+/);
    if (!word && !context.explicit) return null;
    const found = await host.complete(context.pos, context.explicit);
    if (!found) return null;
    return { from: word?.from ?? found.from, options: found.options, validFor: /^\w*$/ };
  };
  return autocompletion({ override: [source], icons: false });
}

export class Editor {
  readonly view: EditorView;
  private readonly states = new Map<string, EditorState>();
  private path = '';
  private quiet = false;

  constructor(parent: HTMLElement, private readonly host: Host) {
    const root = parent.shadowRoot ?? parent.attachShadow({ mode: 'open' });
    this.view = new EditorView({ parent: root, root, state: this.fresh('', '') });
  }

  private fresh(path: string, text: string): EditorState {
    const { host } = this;
    const keys = keymap.of([
      { key: 'F12', run: (view) => (host.define(view.state.selection.main.head), true) },
      { key: 'Mod-Enter', run: () => (host.check(), true) },
      { key: 'Mod-s', run: () => (host.save(), true) },
      { key: 'F8', run: nextDiagnostic },
      { key: 'Mod-/', run: toggleComment },
      ...closeBracketsKeymap, ...completionKeymap, ...searchKeymap, ...foldKeymap, ...lintKeymap, ...historyKeymap, ...defaultKeymap, indentWithTab,
    ]);
    return EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(), coverage, marks, lintGutter(), foldGutter({ openText: '⌄', closedText: '›' }), history(), drawSelection(), indentOnInput(), bracketMatching(),
        closeBrackets(), highlightActiveLine(), highlightActiveLineGutter(), highlightSelectionMatches(),
        indentUnit.of('\t'), EditorState.tabSize.of(4), syntaxHighlighting(highlighting), theme,
        languageOf(path), completionFrom(host), hoverFrom(host), keys,
        EditorView.contentAttributes.of({ tabindex: '0', 'aria-label': path ? `Text of ${path}` : 'Text of the model' }),
        EditorView.domEventHandlers({ mousedown: (event, view) => this.clicked(event, view) }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !this.quiet) host.changed(update.state.doc.toString());
          if (update.selectionSet && !this.quiet) this.tellMoved();
        }),
      ],
    });
  }

  private clicked(event: MouseEvent, view: EditorView): boolean {
    if (!(event.ctrlKey || event.metaKey)) return false;
    const offset = view.posAtCoords({ x: event.clientX, y: event.clientY });
    if (offset === null) return false;
    this.host.define(offset);
    return true;
  }

  private tellMoved() {
    const { head } = this.view.state.selection.main;
    this.host.moved(this.view.state.doc.lineAt(head).number, head);
  }

  /// Shows a file. The undo history and the cursor of each file are kept.
  open(path: string, text: string) {
    if (path === this.path && text === this.text()) return;
    this.quiet = true;
    if (this.path) this.states.set(this.path, this.view.state);
    const kept = this.states.get(path);
    this.path = path;
    this.view.setState(kept && kept.doc.toString() === text ? kept : this.fresh(path, text));
    this.quiet = false;
  }

  text(): string {
    return this.view.state.doc.toString();
  }

  diagnose(found: Diagnostic[]) {
    const end = this.view.state.doc.length;
    const inside = found.map((d) => ({ ...d, from: Math.min(d.from, end), to: Math.min(Math.max(d.to, d.from), end) }));
    this.view.dispatch(setDiagnostics(this.view.state, inside));
  }

  mark(next: Marks) {
    this.view.dispatch({ effects: setMarks.of(next) });
  }

  /// Brings a line into view without moving the cursor.
  reveal(line: number) {
    if (line < 1 || line > this.view.state.doc.lines) return;
    const { from } = this.view.state.doc.line(line);
    this.view.dispatch({ effects: EditorView.scrollIntoView(from, { y: 'nearest', yMargin: 60 }) });
  }

  /// Moves the cursor to a range and gives the editor the keyboard.
  select(from: number, to = from) {
    const end = this.view.state.doc.length;
    const range = { anchor: Math.min(from, end), head: Math.min(to, end) };
    this.view.dispatch({ selection: range, effects: EditorView.scrollIntoView(range.anchor, { y: 'center' }) });
    this.view.focus();
  }

  selectLine(line: number) {
    if (line < 1 || line > this.view.state.doc.lines) return;
    this.select(this.view.state.doc.line(line).from);
  }

  replace(from: number, to: number, text: string) {
    this.view.dispatch({ changes: { from, to, insert: text }, userEvent: 'input' });
  }

  destroy() {
    this.view.destroy();
  }
}
