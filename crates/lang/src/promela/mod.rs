//! Promela, as SPIN 6.5.2 reads it: text to tokens, tokens to syntax tree, syntax tree to model.

pub mod ast;
mod lex;
mod lower;
mod names;
pub mod numbering;
mod outline;
mod parse;
mod preprocess;
mod relocate;
mod token;

use std::path::Path;
use std::rc::Rc;

use kripke_model::Model;
use kripke_model::ir::Expr;

use self::numbering::Numbering;
use relocate::relocate;

use crate::Tree;
use crate::diagnostic::{Diagnostic, has_errors};
use crate::format::Style;
use crate::front_end::{Conditions, FrontEnd, Input, Preprocessed, Reading};
use crate::lexemes::{Comments, Lexeme, LexemeKind};
use crate::preprocess::Preprocess;
use crate::source::{FileId, Loader, Sources, Span};
use crate::symbols::Symbols;
use token::TokenKind;

/// Promela.
pub(crate) struct Promela;

/// Options of Promela: choices that the language leaves open.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Whether the inner escape of nested `unless` is tried first instead of the outer one.
    pub reverse_escapes: bool,
    /// Whether jumps inside atomic sequences are steps of their own, as they are in SPIN's verifiers.
    pub every_step: bool,
    /// Whether a message that is sent to a full channel is lost; otherwise the send waits.
    pub lossy: bool,
}

/// A parsed file.
#[derive(Debug)]
pub struct Parsed {
    /// All files read.
    pub sources: Sources,
    /// The program. If a diagnostic is an error, it is incomplete.
    pub program: Rc<ast::Program>,
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
    end: End,
}

/// The macros and names in force at the end of a text.
#[derive(Debug)]
struct End {
    macros: preprocess::Macros,
    names: parse::Names,
}

impl FrontEnd for Promela {
    fn name(&self) -> &'static str {
        "promela"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["pml", "pm", "prom", "promela"]
    }

    fn read(&self, input: &Input<'_>) -> Reading {
        let parsed = parse(input.path, input.loader, &input.options.preprocess);
        let symbols = parsed.symbols();
        let occurrences = names::occurrences(&parsed.program, &parsed.sources);
        let Parsed { sources, program, mut diagnostics, end } = parsed;
        let options = &input.options.promela;
        let correct = !has_errors(&diagnostics);
        let lowered = if correct { lower::lower(&program, &[], &sources, options, &mut diagnostics) } else { None };
        relocate(&sources, &mut diagnostics);
        let tree = Some(Tree::Promela(Rc::clone(&program)));
        let (model, numbering) = lowered.map(|lowered| (lowered.model, lowered.numbering)).unzip();
        let conditions = Some(Box::new(Text { program, end, options: options.clone() }) as Box<dyn Conditions>);
        Reading { sources, diagnostics, symbols, occurrences, tree, model, numbering, conditions }
    }

    fn lexemes(&self, text: &str) -> Vec<Lexeme> {
        let lexeme = |token: token::Token| Lexeme {
            kind: match token.kind {
                TokenKind::Ident if token::Keyword::from_text(&token.text).is_some() => LexemeKind::Keyword,
                TokenKind::Ident => LexemeKind::Name,
                TokenKind::Number => LexemeKind::Number,
                TokenKind::Str | TokenKind::Char => LexemeKind::Text,
                TokenKind::Punct(_) => LexemeKind::Symbol,
                TokenKind::Unknown | TokenKind::Eof => LexemeKind::Unknown,
            },
            start: token.span.start as usize,
            end: token.span.end as usize,
        };
        let tokens = lex::lex(FileId(0), text, &mut Vec::new());
        Comments::C.insert(text, tokens.into_iter().map(lexeme).collect())
    }

    fn style(&self) -> &'static dyn Style {
        &crate::format::promela::Promela
    }

    fn keywords(&self) -> &'static [&'static str] {
        token::Keyword::ALL
    }

    fn preprocessed(&self, input: &Input<'_>) -> Preprocessed {
        let (mut sources, mut diagnostics) = (Sources::default(), Vec::new());
        let options = &input.options.preprocess;
        let tokens = preprocess::preprocess(input.path, input.loader, options, &mut sources, &mut diagnostics).0;
        let text = preprocess::text(&tokens, &sources);
        Preprocessed { sources, diagnostics, text }
    }
}

/// Reads, preprocesses and parses the file at `path`.
pub fn parse(path: &Path, loader: &dyn Loader, options: &Preprocess) -> Parsed {
    let mut sources = Sources::default();
    let mut diagnostics = Vec::new();
    let (tokens, macros) = preprocess::preprocess(path, loader, options, &mut sources, &mut diagnostics);
    let empty = tokens.is_empty();
    let readable = !has_errors(&diagnostics) || !empty;
    let (program, names) = parse::parse(tokens, &mut sources, &mut diagnostics);
    if empty && readable {
        let span = Span { file: FileId(0), start: 0, end: 0 };
        let what = "there is no program in this file";
        diagnostics.push(Diagnostic::error(span, what, "nothing but white space, comments and directives"));
    }
    relocate(&sources, &mut diagnostics);
    Parsed { sources, program: Rc::new(program), diagnostics, end: End { macros, names } }
}

impl Parsed {
    fn symbols(&self) -> Symbols {
        let End { macros, names } = &self.end;
        let definitions = macros.definitions().chain(names.inlines()).collect();
        outline::symbols(&self.program, definitions)
    }
}

/// A correct text, as far as conditions need it.
#[derive(Debug)]
struct Text {
    program: Rc<ast::Program>,
    end: End,
    options: Options,
}

impl Conditions for Text {
    /// Lowers the program again: labels and predefined variables that a condition mentions become part of the state.
    fn read(
        &self,
        texts: &[String],
        _: usize,
        (model, numbering): (&mut Model, &mut Option<Numbering>),
        sources: &mut Sources,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<Vec<Expr>> {
        let End { macros, names } = &self.end;
        let tokens = preprocess::preprocess_conditions(texts, macros, sources, diagnostics);
        let parsed = parse::parse_conditions(tokens, names, sources, diagnostics);
        if has_errors(diagnostics) {
            return None;
        }
        let lowered = lower::lower(&self.program, &parsed, sources, &self.options, diagnostics)?;
        *model = lowered.model;
        *numbering = Some(lowered.numbering);
        Some(lowered.conditions)
    }
}
