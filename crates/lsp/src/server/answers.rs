//! Answers to requests.

use kripke_lang::source::Span;
use kripke_lang::symbols::SymbolKind;
use serde_json::{Map, Value, json};

use super::documents::Snapshot;
use super::values::Places;
use super::{REQUEST_FAILED, Shared, values};
use crate::service::{Action, Analysis, CompletionKind, TOKEN_TYPES};
use crate::text::{Encoding, Lines, Position};

type Answer = Result<Value, (i32, String)>;

/// The encoding of positions: UTF-8 if the client offers it, otherwise UTF-16.
pub(super) fn encoding(params: &Value) -> Encoding {
    let offered = params["capabilities"]["general"]["positionEncodings"].as_array();
    let has_utf8 = offered.is_some_and(|list| list.iter().any(|encoding| encoding == "utf-8"));
    if has_utf8 { Encoding::Utf8 } else { Encoding::Utf16 }
}

/// What the server can do.
pub(super) fn capabilities(encoding: Encoding) -> Value {
    json!({
        "capabilities": {
            "positionEncoding": if encoding == Encoding::Utf8 { "utf-8" } else { "utf-16" },
            "textDocumentSync": { "openClose": true, "change": 2, "save": false },
            "completionProvider": { "triggerCharacters": [".", "@", ":", "!", "?", "#", ">"] },
            "hoverProvider": true,
            "signatureHelpProvider": { "triggerCharacters": ["(", ",", "!", "?"] },
            "definitionProvider": true,
            "referencesProvider": true,
            "documentHighlightProvider": true,
            "documentSymbolProvider": true,
            "workspaceSymbolProvider": true,
            "codeActionProvider": { "codeActionKinds": ["quickfix"] },
            "codeLensProvider": {},
            "documentFormattingProvider": true,
            "renameProvider": { "prepareProvider": true },
            "foldingRangeProvider": true,
            "inlayHintProvider": true,
            "semanticTokensProvider": {
                "legend": { "tokenTypes": TOKEN_TYPES, "tokenModifiers": ["declaration"] },
                "full": true,
            },
            "executeCommandProvider": { "commands": ["kripke.check", "kripke.simulate"] },
        },
        "serverInfo": { "name": "kripke", "version": env!("CARGO_PKG_VERSION") },
    })
}

/// Whether the server answers a method.
pub(super) fn is_known(method: &str) -> bool {
    let known = [
        "completion",
        "hover",
        "signatureHelp",
        "definition",
        "references",
        "documentHighlight",
        "documentSymbol",
        "codeAction",
        "codeLens",
        "formatting",
        "rename",
        "prepareRename",
        "foldingRange",
        "inlayHint",
        "semanticTokens/full",
    ];
    method.strip_prefix("textDocument/").is_some_and(|name| known.contains(&name))
}

/// A request about a document.
pub(super) struct Asked<'a> {
    pub analysis: &'a Analysis,
    pub uri: &'a str,
    pub encoding: Encoding,
    pub snapshot: &'a Snapshot,
    pub shared: &'a Shared,
}

impl Asked<'_> {
    /// The answer; none for an unknown method.
    pub fn answer(&self, method: &str, params: &Value) -> Option<Answer> {
        let lines = Lines::new(self.analysis.text());
        let offset = || lines.offset(values::position(&params["position"]), self.encoding);
        let bytes = || {
            let at = |end: &str| lines.offset(values::position(&params["range"][end]), self.encoding);
            (at("start"), at("end"))
        };
        Some(Ok(match method.strip_prefix("textDocument/")? {
            "completion" => self.completion(offset()),
            "hover" => self.hover(offset(), &lines),
            "signatureHelp" => self.signature(offset()),
            "definition" => self.locations(self.analysis.definition(offset())),
            "references" => {
                let declaration = params["context"]["includeDeclaration"].as_bool().unwrap_or(true);
                self.locations(self.analysis.references(offset(), declaration))
            }
            "documentHighlight" => self.highlights(offset(), &lines),
            "documentSymbol" => values::outline(&self.analysis.outline(), &lines, self.encoding),
            "codeAction" => self.actions(bytes()),
            "codeLens" => self.lenses(&lines),
            "formatting" => self.formatting(&lines),
            "prepareRename" => return Some(self.prepare_rename(offset(), &lines)),
            "rename" => return Some(self.rename(offset(), params["newName"].as_str().unwrap_or_default())),
            "foldingRange" => self.folds(&lines),
            "inlayHint" => self.hints(bytes(), &lines),
            "semanticTokens/full" => self.tokens(&lines),
            _ => return None,
        }))
    }

    fn places(&self) -> Places<'_> {
        Places::new(self.analysis, self.snapshot, self.encoding)
    }

    fn locations(&self, spans: Vec<Span>) -> Value {
        let places = self.places();
        spans.into_iter().map(|span| places.location(span)).collect()
    }

    fn position(&self, lines: &Lines<'_>, offset: usize) -> Value {
        let Position { line, character } = lines.position(offset, self.encoding);
        json!({ "line": line, "character": character })
    }

    fn completion(&self, offset: usize) -> Value {
        let item = |completion: &crate::service::Completion| {
            let kind = match completion.kind {
                CompletionKind::Keyword => 14,
                CompletionKind::Predefined => 21,
                CompletionKind::Symbol(kind) => completion_kind(kind),
            };
            json!({ "label": completion.label, "kind": kind, "detail": completion.detail })
        };
        let items: Vec<Value> = self.analysis.completion(offset).iter().map(item).collect();
        json!({ "isIncomplete": false, "items": items })
    }

    fn hover(&self, offset: usize, lines: &Lines<'_>) -> Value {
        let Some((text, span)) = self.analysis.hover(offset) else { return Value::Null };
        let range = values::range(lines, (span.start as usize, span.end as usize), self.encoding);
        json!({ "contents": { "kind": "markdown", "value": text }, "range": range })
    }

    fn signature(&self, offset: usize) -> Value {
        let Some(signature) = self.analysis.signature(offset) else { return Value::Null };
        let parameters: Vec<Value> = signature.parameters.iter().map(|label| json!({ "label": label })).collect();
        let one = json!({ "label": signature.label, "parameters": parameters, "activeParameter": signature.active });
        json!({ "signatures": [one], "activeSignature": 0, "activeParameter": signature.active })
    }

    fn highlights(&self, offset: usize, lines: &Lines<'_>) -> Value {
        let places = self.analysis.references(offset, true);
        let own = places.into_iter().filter(|span| span.file.index() == 0);
        own.map(|span| {
            let range = values::range(lines, (span.start as usize, span.end as usize), self.encoding);
            json!({ "range": range, "kind": 1 })
        })
        .collect()
    }

    fn actions(&self, (start, end): (usize, usize)) -> Value {
        let places = self.places();
        let fixes = self.analysis.fixes(start, end);
        fixes
            .iter()
            .map(|fix| {
                let mut changes = Map::new();
                places.add_edits(std::slice::from_ref(&fix.edit), &mut changes);
                json!({
                    "title": fix.title,
                    "kind": "quickfix",
                    "isPreferred": true,
                    "diagnostics": [places.diagnostic(&self.analysis.diagnostics[fix.diagnostic])],
                    "edit": { "changes": changes },
                })
            })
            .collect()
    }

    fn lenses(&self, lines: &Lines<'_>) -> Value {
        let lens = |lens: &crate::service::Lens| {
            let (title, command, property) = match &lens.action {
                Action::Check => ("check", "kripke.check", None),
                Action::CheckProperty(name) => ("check this ltl", "kripke.check", Some(name.clone())),
                Action::Simulate => ("simulate", "kripke.simulate", None),
            };
            let verdict = self.shared.checks.verdict(self.uri, &lens.action);
            let title = verdict.map_or(title.to_string(), |verdict| format!("{title} ({verdict})"));
            let arguments: Vec<String> = std::iter::once(self.uri.to_string()).chain(property).collect();
            let place = (lens.span.start as usize, lens.span.end as usize);
            json!({
                "range": values::range(lines, place, self.encoding),
                "command": { "title": title, "command": command, "arguments": arguments },
            })
        };
        self.analysis.lenses().iter().map(lens).collect()
    }

    fn formatting(&self, lines: &Lines<'_>) -> Value {
        let (old, new) = (self.analysis.text(), self.analysis.formatted());
        if old == new {
            return json!([]);
        }
        json!([{ "range": values::range(lines, (0, old.len()), self.encoding), "newText": new }])
    }

    fn prepare_rename(&self, offset: usize, lines: &Lines<'_>) -> Answer {
        let span = self.analysis.renameable(offset).map_err(|why| (REQUEST_FAILED, why))?;
        Ok(values::range(lines, (span.start as usize, span.end as usize), self.encoding))
    }

    /// Renames a name also in the other models that include its file.
    fn rename(&self, offset: usize, new: &str) -> Answer {
        let mut others = self.shared.workspace.including(self.snapshot);
        others.retain(|other| other.path != self.analysis.path);
        let renamed = self.analysis.rename_with(&others, offset, new).map_err(|why| (REQUEST_FAILED, why))?;
        let mut changes = Map::new();
        for analysis in std::iter::once(self.analysis).chain(others.iter().map(|other| &**other)) {
            let places = Places::new(analysis, self.snapshot, self.encoding);
            places.add_edits(&renamed.edits(analysis, new), &mut changes);
        }
        Ok(json!({ "changes": changes }))
    }

    fn folds(&self, lines: &Lines<'_>) -> Value {
        let line = |offset| lines.position(offset, self.encoding).line;
        let folds = self.analysis.folds();
        let fold = |fold: &crate::service::Fold| {
            let kind = if fold.is_comment { "comment" } else { "region" };
            json!({ "startLine": line(fold.start), "endLine": line(fold.end), "kind": kind })
        };
        folds.iter().map(fold).collect()
    }

    fn hints(&self, (start, end): (usize, usize), lines: &Lines<'_>) -> Value {
        let hint = |hint: &crate::service::Hint| {
            let kind = if hint.is_parameter { 2 } else { 1 };
            json!({ "position": self.position(lines, hint.offset), "label": hint.label, "kind": kind })
        };
        self.analysis.hints(start, end).iter().map(hint).collect()
    }

    fn tokens(&self, lines: &Lines<'_>) -> Value {
        let mut data = Vec::new();
        let mut last = Position::default();
        for token in self.analysis.tokens() {
            let at = lines.position(token.start, self.encoding);
            let length = lines.position(token.end, self.encoding).character - at.character;
            let character = if at.line == last.line { at.character - last.character } else { at.character };
            let modifiers = u32::from(token.declares);
            data.extend([at.line - last.line, character, length, token.kind as u32, modifiers]);
            last = at;
        }
        json!({ "data": data })
    }
}

/// The protocol's number of a kind of completions.
fn completion_kind(kind: SymbolKind) -> u32 {
    match kind {
        SymbolKind::Process => 7,
        SymbolKind::Global | SymbolKind::Local | SymbolKind::Channel => 6,
        SymbolKind::Label => 18,
        SymbolKind::Property => 3,
        SymbolKind::Macro => 3,
        SymbolKind::Constant => 20,
        SymbolKind::Type => 22,
        SymbolKind::Field => 5,
    }
}
