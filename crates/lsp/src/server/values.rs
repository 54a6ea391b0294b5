//! Plain data as values of the protocol.

use std::cell::OnceCell;

use kripke_lang::diagnostic::{Diagnostic, Severity};
use kripke_lang::source::{FileId, Span};
use kripke_lang::symbols::SymbolKind;
use serde_json::{Map, Value, json};

use super::documents::{self, Snapshot};
use crate::service::{Analysis, Edit, Outlined};
use crate::text::{Encoding, Lines, Position};

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

/// The places of an analysis as values of the protocol.
pub(super) struct Places<'a> {
    analysis: &'a Analysis,
    snapshot: &'a Snapshot,
    encoding: Encoding,
    /// The address and the lines of each file that was needed.
    files: Vec<OnceCell<(String, Lines<'a>)>>,
}

impl<'a> Places<'a> {
    pub fn new(analysis: &'a Analysis, snapshot: &'a Snapshot, encoding: Encoding) -> Places<'a> {
        let files = analysis.sources.files().iter().map(|_| OnceCell::new()).collect();
        Places { analysis, snapshot, encoding, files }
    }

    fn file(&self, file: FileId) -> &(String, Lines<'a>) {
        let find = || {
            let address = documents::address(self.snapshot, &self.analysis.path_of(file));
            (address, Lines::new(&self.analysis.sources.file(file).text))
        };
        self.files[file.index()].get_or_init(find)
    }

    /// The address of the file of a place, and its range.
    fn address(&self, span: Span) -> (&str, Value) {
        let (address, lines) = self.file(span.file);
        (address, range(lines, (span.start as usize, span.end as usize), self.encoding))
    }

    /// A place with its file.
    pub fn location(&self, span: Span) -> Value {
        let (uri, range) = self.address(span);
        json!({ "uri": uri, "range": range })
    }

    /// The diagnostics of the document. One that is about an included file stands at the start of the text.
    pub fn diagnostics(&self) -> Vec<Value> {
        self.analysis.diagnostics.iter().map(|diagnostic| self.diagnostic(diagnostic)).collect()
    }

    pub fn diagnostic(&self, diagnostic: &Diagnostic) -> Value {
        let own = diagnostic.labels.iter().find(|label| label.span.file.index() == 0);
        let place = own.map_or(Span { file: FileId(0), start: 0, end: 0 }, |label| label.span);
        let is_own = |label: &kripke_lang::diagnostic::Label| own.is_some_and(|own| std::ptr::eq(own, label));
        let mut message = diagnostic.message.clone();
        let note = own.map_or("", |label| label.text.as_str());
        if !note.is_empty() {
            message.push_str(&format!(" ({note})"));
        }
        if let Some(help) = &diagnostic.help {
            message.push_str(&format!("\nhelp: {help}"));
        }
        let related = diagnostic.labels.iter().filter(|label| !is_own(label)).map(|label| {
            let message = if label.text.is_empty() { "here" } else { &label.text };
            json!({ "location": self.location(label.span), "message": message })
        });
        json!({
            "range": self.address(place).1,
            "severity": if diagnostic.severity == Severity::Error { 1 } else { 2 },
            "source": "kripke",
            "message": message,
            "relatedInformation": related.collect::<Vec<Value>>(),
        })
    }

    /// Adds edits to the changes of a workspace. A place that is changed already is left out.
    pub fn add_edits(&self, edits: &[Edit], changes: &mut Map<String, Value>) {
        for edit in edits {
            let (uri, range) = self.address(edit.span);
            let change = json!({ "range": range, "newText": edit.text });
            let list = changes.entry(uri).or_insert_with(|| json!([]));
            if let Some(list) = list.as_array_mut().filter(|list| !list.contains(&change)) {
                list.push(change);
            }
        }
    }
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
