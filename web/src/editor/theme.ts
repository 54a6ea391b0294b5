// The editor's looks. Colours are the page's custom properties, so that both themes need one definition.
import { HighlightStyle } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

export const highlighting = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--keyword)', fontWeight: '600' },
  { tag: tags.typeName, color: 'var(--type)' },
  { tag: [tags.number, tags.atom], color: 'var(--number)' },
  { tag: tags.string, color: 'var(--string)' },
  { tag: tags.comment, color: 'var(--comment)', fontStyle: 'italic' },
  { tag: tags.definition(tags.variableName), color: 'var(--def)', fontWeight: '600' },
  { tag: tags.standard(tags.variableName), color: 'var(--type)' },
  { tag: tags.operator, color: 'var(--op)' },
  { tag: tags.meta, color: 'var(--number)' },
]);

export const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--ink)', backgroundColor: 'var(--bg)', fontSize: '13px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5', overflow: 'auto' },
  '.cm-content': { padding: '8px 0', caretColor: 'var(--ink)' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--ink)', borderLeftWidth: '2px' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--bg-select)',
  },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--bg-sunk) 70%, transparent)' },
  '.cm-gutters': { backgroundColor: 'var(--bg)', color: 'var(--ink-faint)', border: 'none' },
  '.cm-activeLineGutter': { backgroundColor: 'var(--bg-sunk)', color: 'var(--ink)' },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 8px 0 6px' },
  '.cm-coverage': { width: '6px' },
  '.cm-unreached': { height: '100%', margin: '0 1px', borderRadius: '2px', backgroundColor: 'var(--warn)' },
  '.cm-line.cm-step': { backgroundColor: 'var(--step-line)', boxShadow: 'inset 3px 0 0 var(--warn)' },
  '.cm-line.cm-step-error': { backgroundColor: 'var(--bad-soft)', boxShadow: 'inset 3px 0 0 var(--bad)' },
  '.cm-line.cm-was-unreached': { opacity: '0.75', textDecoration: 'underline dotted var(--warn)' },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--accent-soft)', outline: '1px solid var(--accent)' },
  '.cm-searchMatch': { backgroundColor: 'var(--changed)' },
  '.cm-selectionMatch': { backgroundColor: 'var(--accent-soft)' },
  '.cm-panels': { backgroundColor: 'var(--bg-side)', color: 'var(--ink)', borderColor: 'var(--line)' },
  '.cm-panel input, .cm-panel button': { font: 'inherit', borderRadius: '4px', color: 'var(--ink)' },
  '.cm-button': { backgroundImage: 'none', backgroundColor: 'var(--bg)', border: '1px solid var(--line)' },
  '.cm-textfield': { backgroundColor: 'var(--bg)', border: '1px solid var(--line-strong)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--bg)', color: 'var(--ink)', border: '1px solid var(--line)', borderRadius: '6px',
    boxShadow: 'var(--shadow)', maxWidth: 'min(560px, 90vw)', font: '13px/1.45 var(--sans)',
  },
  '.cm-tooltip-hover pre': { font: '12.5px var(--mono)', whiteSpace: 'pre-wrap', margin: '0', padding: '6px 10px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', fontSize: '12.5px', maxHeight: '16em' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--bg-select)', color: 'var(--ink)' },
  '.cm-completionDetail': { color: 'var(--ink-faint)', fontStyle: 'normal', marginLeft: '1.2em' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '700', color: 'var(--accent)' },
  '.cm-diagnostic': { padding: '6px 10px' },
  '.cm-diagnostic-error': { borderLeft: '4px solid var(--bad)' },
  '.cm-diagnostic-warning': { borderLeft: '4px solid var(--warn)' },
  '.cm-diagnosticAction': {
    backgroundColor: 'var(--accent)', color: 'var(--accent-ink)', borderRadius: '4px', padding: '2px 8px', margin: '4px 6px 0 0',
    font: '600 12px var(--sans)',
  },
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--bad)', textUnderlineOffset: '3px' },
  '.cm-lintRange-warning': { backgroundImage: 'none', textDecoration: 'underline wavy var(--warn)', textUnderlineOffset: '3px' },
  '.cm-lintPoint:after': { borderBottomColor: 'var(--bad)' },
});
