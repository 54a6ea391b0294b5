//! Plain data as values of the protocol.

use std::path::Path;

use kripke_lang::diagnostic::{Diagnostic, Severity};
use kripke_lang::source::Span;
use kripke_lang::symbols::SymbolKind;
use serde_json::{Value, json};

use crate::service::{Analysis, Edit, Outlined};
use crate::text::{Encoding, Lines, Position};
use crate::uri;

/// A position of the protocol.
pub(super) fn position(value: &Value) -> Position {
    let number = |name: &str| u32::try_from(value[name].as_u64().unwrap_or_default()).unwrap_or(u32::MAX);
    Position { line: number("line"), character: number("character") }
}

/// The range of bytes of a text.
pub(super) fn range(lines: &Lines<'_>, (start, end): (usize, usize), encoding: Encoding) -> Value {
    let at = |offset| {
        let Position { line, character } = lines.position(offset, encoding);
        json!({ "line": line, "character": character })
    };
    json!({ "start": at(start), "end": at(end) })
}

/// The address of the file of a place, and its range.
pub(super) fn location(analysis: &Analysis, own: &str, span: Span, encoding: Encoding) -> (String, Value) {
    let file = analysis.sources.file(span.file);
    let address = if span.file.index() == 0 { own.to_string() } else { uri::uri(Path::new(&file.name)) };
    let range = range(&Lines::new(&file.text), (span.start as usize, span.end as usize), encoding);
    (address, range)
}

/// The diagnostics of a document. One that is about an included file stands at the start of the text.
pub(super) fn diagnostics(analysis: &Analysis, uri: &str, encoding: Encoding) -> Vec<Value> {
    let lines = Lines::new(analysis.text());
    analysis.diagnostics.iter().map(|d| diagnostic(analysis, d, (uri, &lines), encoding)).collect()
}

pub(super) fn diagnostic(
    analysis: &Analysis,
    diagnostic: &Diagnostic,
    (uri, lines): (&str, &Lines<'_>),
    encoding: Encoding,
) -> Value {
    let own = diagnostic.labels.iter().find(|label| label.span.file.index() == 0);
    let place = own.map_or((0, 0), |label| (label.span.start as usize, label.span.end as usize));
    let is_own = |label: &kripke_lang::diagnostic::Label| own.is_some_and(|own| std::ptr::eq(own, label));
    let mut message = diagnostic.message.clone();
    let note = own.map_or("", |label| label.text.as_str());
    if !note.is_empty() {
        message.push_str(&format!(" ({note})"));
    }
    if let Some(help) = &diagnostic.help {
        message.push_str(&format!("\nhelp: {help}"));
    }
    let related: Vec<Value> = diagnostic
        .labels
        .iter()
        .filter(|label| !is_own(label))
        .map(|label| {
            let (uri, range) = location(analysis, uri, label.span, encoding);
            let message = if label.text.is_empty() { "here" } else { &label.text };
            json!({ "location": { "uri": uri, "range": range }, "message": message })
        })
        .collect();
    let severity = if diagnostic.severity == Severity::Error { 1 } else { 2 };
    json!({
        "range": range(lines, place, encoding),
        "severity": severity,
        "source": "kripke",
        "message": message,
        "relatedInformation": related,
    })
}

/// Edits as a change of the workspace.
pub(super) fn workspace_edit(analysis: &Analysis, own: &str, edits: &[Edit], encoding: Encoding) -> Value {
    let mut changes = serde_json::Map::new();
    for edit in edits {
        let (uri, range) = location(analysis, own, edit.span, encoding);
        let list = changes.entry(uri).or_insert_with(|| json!([]));
        if let Some(list) = list.as_array_mut() {
            list.push(json!({ "range": range, "newText": edit.text }));
        }
    }
    json!({ "changes": changes })
}

/// The protocol's number of a kind of symbols.
pub(super) fn symbol_kind(kind: SymbolKind) -> u32 {
    match kind {
        SymbolKind::Process => 5,
        SymbolKind::Global | SymbolKind::Local => 13,
        SymbolKind::Channel => 24,
        SymbolKind::Label => 20,
        SymbolKind::Property => 17,
        SymbolKind::Macro => 12,
        SymbolKind::Constant => 14,
        SymbolKind::Type => 23,
        SymbolKind::Field => 8,
    }
}

/// The outline of a document.
pub(super) fn outline(entries: &[Outlined], lines: &Lines<'_>, encoding: Encoding) -> Value {
    let entry = |e: &Outlined| {
        let span = |span: Span| range(lines, (span.start as usize, span.end as usize), encoding);
        json!({
            "name": e.name,
            "detail": e.detail,
            "kind": symbol_kind(e.kind),
            "range": span(e.extent),
            "selectionRange": span(e.span),
            "children": outline(&e.children, lines, encoding),
        })
    };
    entries.iter().map(entry).collect()
}
