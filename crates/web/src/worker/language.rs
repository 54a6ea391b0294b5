//! The language service.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kripke_lang::diagnostic::{Diagnostic, Label, Severity};
use kripke_lang::source::Span;
use kripke_lang::symbols::SymbolKind;
use kripke_lsp::service::{Analysis, CompletionKind, Edit, Outlined, TOKEN_TYPES};
use kripke_lsp::text::{Encoding, Lines, Position};
use serde_json::{Value, json};

use super::Answer;
use super::failure::Failure;
use super::files::Named;

/// The last analysis, with the texts that it is about.
#[derive(Default)]
pub(super) struct Service {
    last: Option<(PathBuf, BTreeMap<PathBuf, String>, Arc<Analysis>)>,
}

impl Service {
    pub fn answer(&mut self, what: &str, request: &Value) -> Answer {
        let named = Named::of(request)?;
        // Files of the disk may have changed when the text is looked at anew.
        let fresh = matches!(what, "all" | "diagnostics" | "definition" | "rename" | "references");
        let known = self.last.as_ref().filter(|(file, texts, _)| {
            !fresh && *file == named.file && texts == named.files.texts() && texts.contains_key(file)
        });
        let analysis = match known {
            Some((.., analysis)) => Arc::clone(analysis),
            None => Arc::new(Analysis::new(&named.file, Arc::from(named.text()?), &named.files)),
        };
        self.last = Some((named.file.clone(), named.files.texts().clone(), Arc::clone(&analysis)));
        let lines = Lines::new(analysis.text());
        Asked { analysis: &analysis, file: &named.file, lines: &lines }.answer(what, request)
    }
}

/// A question about an analysis.
struct Asked<'a> {
    analysis: &'a Analysis,
    file: &'a Path,
    lines: &'a Lines<'a>,
}

impl Asked<'_> {
    fn answer(&self, what: &str, request: &Value) -> Answer {
        let at = || self.lines.offset(position(&request["position"]), Encoding::Utf16);
        Ok(match what {
            "all" => self.all(),
            "diagnostics" => {
                json!({ "diagnostics": self.diagnostics(), "language": self.analysis.language.name() })
            }
            "completion" => self.completion(at()),
            "hover" => match self.analysis.hover(at()) {
                Some((text, span)) => json!({ "text": text, "range": self.range(span) }),
                None => Value::Null,
            },
            "definition" => self.places(&self.analysis.definition(at())),
            "references" => self.places(&self.analysis.references(at(), true)),
            "rename" => {
                let name = request["name"].as_str().unwrap_or_default();
                let edits = self.analysis.rename(at(), name).map_err(|why| Failure::wrong(&why))?;
                json!({ "edits": self.edits(&edits) })
            }
            "signature" => match self.analysis.signature(at()) {
                Some(s) => json!({ "label": s.label, "parameters": s.parameters, "active": s.active }),
                None => Value::Null,
            },
            "symbols" => self.symbols(&self.analysis.outline()),
            "tokens" => self.tokens(),
            "folds" => self.folds(),
            "format" => json!({ "text": self.analysis.formatted() }),
            "hints" => self.hints(&request["range"]),
            _ => return Err(Failure::new(404, "the language service has no such request")),
        })
    }

    fn all(&self) -> Value {
        json!({
            "diagnostics": self.diagnostics(),
            "language": self.analysis.language.name(),
            "symbols": self.symbols(&self.analysis.outline()),
            "tokens": self.tokens(),
            "folds": self.folds(),
        })
    }

    fn position(&self, offset: usize) -> Value {
        at(self.lines.position(offset, Encoding::Utf16))
    }

    /// The range of a place of the text.
    fn range(&self, span: Span) -> Value {
        json!({ "start": self.position(span.start as usize), "end": self.position(span.end as usize) })
    }

    /// The path and the range of a place of any file.
    fn place(&self, span: Span) -> (String, Value) {
        if span.file.index() == 0 {
            return (self.file.display().to_string(), self.range(span));
        }
        let file = self.analysis.sources.file(span.file);
        let lines = Lines::new(&file.text);
        let of = |offset: u32| at(lines.position(offset as usize, Encoding::Utf16));
        let path = super::files::plain(Path::new(&file.name)).map_or(file.name.clone(), |p| p.display().to_string());
        (path, json!({ "start": of(span.start), "end": of(span.end) }))
    }

    fn places(&self, spans: &[Span]) -> Value {
        spans
            .iter()
            .map(|span| {
                let (path, range) = self.place(*span);
                json!({ "path": path, "range": range })
            })
            .collect()
    }

    fn edits(&self, edits: &[Edit]) -> Value {
        edits
            .iter()
            .map(|edit| {
                let (path, range) = self.place(edit.span);
                json!({ "path": path, "range": range, "text": edit.text })
            })
            .collect()
    }

    fn diagnostics(&self) -> Value {
        let mut fixes: BTreeMap<usize, Vec<Value>> = BTreeMap::new();
        for fix in self.analysis.fixes(0, self.analysis.text().len()) {
            let edits = self.edits(std::slice::from_ref(&fix.edit));
            fixes.entry(fix.diagnostic).or_default().push(json!({ "title": fix.title, "edits": edits }));
        }
        let all = self.analysis.diagnostics.iter().enumerate();
        all.map(|(index, d)| self.diagnostic(d, fixes.remove(&index).unwrap_or_default())).collect()
    }

    fn diagnostic(&self, diagnostic: &Diagnostic, fixes: Vec<Value>) -> Value {
        let own = diagnostic.labels.first();
        let (path, range) = own.map_or_else(
            || (self.file.display().to_string(), json!({ "start": self.position(0), "end": self.position(0) })),
            |label| self.place(label.span),
        );
        let note = own.map_or("", |label| label.text.as_str());
        let message = match note {
            "" => diagnostic.message.clone(),
            note => format!("{} ({note})", diagnostic.message),
        };
        let related = |label: &Label| {
            let (path, range) = self.place(label.span);
            let message = if label.text.is_empty() { "here" } else { &label.text };
            json!({ "path": path, "range": range, "message": message })
        };
        json!({
            "path": path,
            "range": range,
            "severity": if diagnostic.severity == Severity::Error { "error" } else { "warning" },
            "message": message,
            "help": diagnostic.help,
            "related": diagnostic.labels.iter().skip(1).map(related).collect::<Vec<_>>(),
            "fixes": fixes,
        })
    }

    fn completion(&self, offset: usize) -> Value {
        let list = self.analysis.completion(offset);
        list.iter()
            .map(|c| {
                let kind = match c.kind {
                    CompletionKind::Keyword => "keyword",
                    CompletionKind::Predefined => "predefined",
                    CompletionKind::Symbol(kind) => word(kind),
                };
                json!({ "label": c.label, "kind": kind, "detail": c.detail })
            })
            .collect()
    }

    fn symbols(&self, entries: &[Outlined]) -> Value {
        entries
            .iter()
            .map(|e| {
                json!({
                    "name": e.name,
                    "kind": word(e.kind),
                    "detail": e.detail,
                    "range": self.range(e.extent),
                    "selection": self.range(e.span),
                    "children": self.symbols(&e.children),
                })
            })
            .collect()
    }

    fn tokens(&self) -> Value {
        let mut data = Vec::new();
        for token in self.analysis.tokens() {
            let at = self.lines.position(token.start, Encoding::Utf16);
            let end = self.lines.position(token.end, Encoding::Utf16);
            let length = end.character.saturating_sub(at.character);
            data.extend([at.line, at.character, length, token.kind as u32, u32::from(token.declares)]);
        }
        json!({ "types": TOKEN_TYPES, "data": data })
    }

    fn folds(&self) -> Value {
        let line = |offset| self.lines.position(offset, Encoding::Utf16).line;
        let folds = self.analysis.folds();
        folds.iter().map(|f| json!({ "start": line(f.start), "end": line(f.end), "comment": f.is_comment })).collect()
    }

    fn hints(&self, range: &Value) -> Value {
        let of = |value: &Value| self.lines.offset(position(value), Encoding::Utf16);
        let (start, end) = match range.is_object() {
            true => (of(&range["start"]), of(&range["end"])),
            false => (0, self.analysis.text().len()),
        };
        let hints = self.analysis.hints(start, end);
        hints
            .iter()
            .map(|h| json!({ "position": self.position(h.offset), "label": h.label, "parameter": h.is_parameter }))
            .collect()
    }
}

fn position(value: &Value) -> Position {
    let number = |name: &str| u32::try_from(value[name].as_u64().unwrap_or_default()).unwrap_or(u32::MAX);
    Position { line: number("line"), character: number("character") }
}

fn at(position: Position) -> Value {
    json!({ "line": position.line, "character": position.character })
}

fn word(kind: SymbolKind) -> &'static str {
    match kind {
        SymbolKind::Process => "process",
        SymbolKind::Global | SymbolKind::Local => "variable",
        SymbolKind::Channel => "channel",
        SymbolKind::Label => "label",
        SymbolKind::Property => "property",
        SymbolKind::Macro => "macro",
        SymbolKind::Constant => "constant",
        SymbolKind::Type => "type",
        SymbolKind::Field => "field",
    }
}
