//! ESML, the Extended State Machine Language: text to tokens, tokens to syntax tree, syntax tree to model.
//!
//! Where the two descriptions of the language differ, the printed models decide; `docs/src/esml.md` has the list.

pub mod ast;
mod lex;
mod lower;
mod names;
mod outline;
mod parse;
mod token;

use std::rc::Rc;

use kripke_model::Model;
use kripke_model::ir::Expr;

use crate::Tree;
use crate::diagnostic::{Diagnostic, has_errors};
use crate::format::Style;
use crate::front_end::{Conditions, FrontEnd, Input, Preprocessed, Reading};
use crate::lexemes::{Comments, Lexeme, LexemeKind};
use crate::promela::numbering::Numbering;
use crate::source::{FileId, Sources, Span, read_text};
use token::TokenKind;

/// ESML.
pub(crate) struct Esml;

impl FrontEnd for Esml {
    fn name(&self) -> &'static str {
        "esml"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["esml"]
    }

    fn read(&self, input: &Input<'_>) -> Reading {
        let mut reading = Reading::default();
        let text = match read_text(input.path, input.loader) {
            Ok(text) => text,
            Err(what) => {
                reading.diagnostics.push(Diagnostic::general(what));
                return reading;
            }
        };
        let file = reading.sources.add(input.path.display().to_string(), text.clone());
        input.options.preprocess.warn_unused(file, "ESML has no macros", None, &mut reading.diagnostics);
        let Some(program) = parse(file, &text, &mut reading.diagnostics) else { return reading };
        let program = Rc::new(program);
        reading.symbols = outline::symbols(&program);
        reading.occurrences = names::occurrences(&program, &reading.sources);
        reading.tree = Some(Tree::Esml(Rc::clone(&program)));
        if !has_errors(&reading.diagnostics) {
            let lowered = lower::lower(&program, &text, (&[], &[]), &mut reading.diagnostics);
            reading.model = lowered.map(|(model, _)| model);
        }
        reading.conditions = Some(Box::new(Text { file, program }));
        reading
    }

    fn lexemes(&self, text: &str) -> Vec<Lexeme> {
        let lexeme = |token: token::Token| Lexeme {
            kind: match token.kind {
                TokenKind::Name => LexemeKind::Name,
                TokenKind::Keyword(_) => LexemeKind::Keyword,
                TokenKind::Number => LexemeKind::Number,
                TokenKind::Str => LexemeKind::Text,
                TokenKind::Punct(_) => LexemeKind::Symbol,
                TokenKind::Unknown | TokenKind::Eof => LexemeKind::Unknown,
            },
            start: token.span.start as usize,
            end: token.span.end as usize,
        };
        let tokens = lex::lex(FileId(0), text, &mut Vec::new());
        Comments { line: None, block: ("(*", "*)"), nested: true }
            .insert(text, tokens.into_iter().map(lexeme).collect())
    }

    fn style(&self) -> &'static dyn Style {
        &crate::format::esml::Esml
    }

    fn keywords(&self) -> &'static [&'static str] {
        token::Keyword::ALL
    }

    /// The text itself.
    fn preprocessed(&self, input: &Input<'_>) -> Preprocessed {
        let mut out = Preprocessed::default();
        match read_text(input.path, input.loader) {
            Ok(text) => out.text = text,
            Err(what) => out.diagnostics.push(Diagnostic::general(what)),
        }
        out
    }
}

/// The syntax tree, as far as the text is one.
fn parse(file: FileId, text: &str, diagnostics: &mut Vec<Diagnostic>) -> Option<ast::Model> {
    let tokens = lex::lex(file, text, diagnostics);
    if tokens.is_empty() {
        if !has_errors(diagnostics) {
            let span = Span { file, start: 0, end: 0 };
            let what = "there is no model in this file";
            diagnostics.push(Diagnostic::error(span, what, "nothing but white space and comments"));
        }
        return None;
    }
    parse::model(file, text, tokens, diagnostics)
}

/// A correct text, as far as conditions need it.
#[derive(Debug)]
struct Text {
    file: FileId,
    program: Rc<ast::Model>,
}

impl Conditions for Text {
    /// Lowers the model again, with the conditions.
    fn read(
        &self,
        texts: &[String],
        values: usize,
        (model, _): (&mut Model, &mut Option<Numbering>),
        sources: &mut Sources,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<Vec<Expr>> {
        let mut parsed = Vec::new();
        for text in texts {
            let file = sources.add(format!("condition `{text}`"), text.clone());
            sources.ask(file);
            let tokens = lex::lex(file, text, diagnostics);
            parsed.extend(parse::condition(file, text, tokens, diagnostics));
        }
        if has_errors(diagnostics) {
            return None;
        }
        let text = &sources.file(self.file).text;
        let (conditions, values) = parsed.split_at(parsed.len() - values);
        let (lowered, conditions) = lower::lower(&self.program, text, (conditions, values), diagnostics)?;
        *model = lowered;
        Some(conditions)
    }
}
