//! DVE, the language of DiVinE and of the BEEM benchmark: text to tokens, tokens to syntax tree, syntax tree to model.

pub mod ast;
mod lex;
mod lower;
mod m4;
mod names;
mod outline;
mod parse;
pub mod properties;
mod text;
mod token;

use std::collections::HashSet;
use std::io;
use std::path::Path;

use kripke_model::Model;
use kripke_model::ir::Expr;

use crate::Tree;
use crate::diagnostic::{Diagnostic, has_errors};
use crate::format::Style;
use crate::front_end::{Conditions, FrontEnd, Input, Preprocessed, Reading};
use crate::lexemes::{Comments, Lexeme, LexemeKind};
use crate::limits;
use crate::preprocess::{MacroOption, Preprocess};
use crate::promela::numbering::Numbering;
use crate::source::{FileId, Loader, Sources, Span};
use lex::{Plain, Typed};
use token::Token;
use token::TokenKind;

/// DVE.
pub(crate) struct Dve;

/// The ending of files with m4 macros.
pub(crate) const MACRO_ENDING: &str = "mdve";

impl FrontEnd for Dve {
    fn name(&self) -> &'static str {
        "dve"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["dve", MACRO_ENDING]
    }

    fn read(&self, input: &Input<'_>) -> Reading {
        let (mut sources, mut diagnostics) = (Sources::default(), Vec::new());
        let Some((tokens, macros)) = tokens(input, &mut sources, &mut diagnostics) else {
            return Reading { sources, diagnostics, ..Reading::default() };
        };
        let system = parse::parse(tokens, &mut diagnostics);
        let symbols = outline::symbols(&system, &macros);
        let occurrences = names::occurrences(&system, &macros, &sources);
        let correct = !has_errors(&diagnostics);
        let model = if correct { lower::lower(&system, &sources, &mut diagnostics) } else { None };
        remove_repetitions(&mut diagnostics);
        let (tree, conditions) = (Some(Tree::Dve(system)), Some(Box::new(Names) as Box<dyn Conditions>));
        Reading { sources, diagnostics, symbols, occurrences, tree, model, numbering: None, conditions }
    }

    fn lexemes(&self, text: &str) -> Vec<Lexeme> {
        let tokens = lex::lex(&Plain { text, file: FileId(0) }, &mut Vec::new());
        let lexeme = |token: Token| Lexeme {
            kind: match token.kind {
                TokenKind::Ident => LexemeKind::Name,
                TokenKind::Keyword => LexemeKind::Keyword,
                TokenKind::Number => LexemeKind::Number,
                TokenKind::Symbol => LexemeKind::Symbol,
                TokenKind::Unknown | TokenKind::Eof => LexemeKind::Unknown,
            },
            start: token.span.start as usize,
            end: token.span.end as usize,
        };
        let words = tokens.into_iter().filter(|token| token.kind != TokenKind::Eof);
        Comments::C.insert(text, words.map(lexeme).collect())
    }

    fn style(&self) -> &'static dyn Style {
        &crate::format::dve::Dve
    }

    fn keywords(&self) -> &'static [&'static str] {
        token::KEYWORDS
    }

    fn preprocessed(&self, &Input { path, loader, options }: &Input<'_>) -> Preprocessed {
        let (mut sources, mut diagnostics) = (Sources::default(), Vec::new());
        let mut text = String::new();
        if let Some(file) = read(path, loader, &mut sources, &mut diagnostics) {
            text.clone_from(&sources.file(file).text);
            if path.extension().is_some_and(|e| e == MACRO_ENDING) {
                let expanded = m4::expand((file, path), &options.preprocess, loader, &mut sources, &mut diagnostics);
                text = expanded.map(|expanded| expanded.text().to_string()).unwrap_or_default();
            }
        }
        Preprocessed { sources, diagnostics, text }
    }
}

/// The names of macros and the places of their definitions.
type Definitions = Vec<(String, Span)>;

/// The tokens of a file and the macros that it defines. A file that ends in `.mdve` has macros.
fn tokens(
    input: &Input<'_>,
    sources: &mut Sources,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<(Vec<Token>, Definitions)> {
    let &Input { path, loader, options } = input;
    let file = read(path, loader, sources, diagnostics)?;
    if path.extension().is_some_and(|e| e == MACRO_ENDING) {
        let mut expanded = m4::expand((file, path), &options.preprocess, loader, sources, diagnostics)?;
        let definitions = std::mem::take(&mut expanded.definitions);
        return Some((lex::lex(&expanded, diagnostics), definitions));
    }
    let help = "files that end in .mdve are expanded with m4's macros";
    options.preprocess.warn_unused(file, "this file has no macros", Some(help), diagnostics);
    Some((lex::lex(&Plain { text: &sources.file(file).text, file }, diagnostics), Definitions::new()))
}

fn read(path: &Path, loader: &dyn Loader, sources: &mut Sources, diagnostics: &mut Vec<Diagnostic>) -> Option<FileId> {
    let name = path.display().to_string();
    let wrong = match loader.read(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => format!("there is no file `{name}`"),
        Err(e) => format!("cannot read `{name}`: {e}"),
        Ok(bytes) if bytes.len() > limits::MAX_FILE_BYTES => {
            format!("`{name}` is too large: over {} MiB", limits::MAX_FILE_BYTES >> 20)
        }
        Ok(bytes) => return Some(sources.add(name, String::from_utf8_lossy(&bytes).into_owned())),
    };
    diagnostics.push(Diagnostic::general(wrong));
    None
}

/// Removes all but the first of equal diagnostics at one place: an error inside a loop of macros is one error.
fn remove_repetitions(diagnostics: &mut Vec<Diagnostic>) {
    let mut told = HashSet::new();
    diagnostics.retain(|d| told.insert((d.message.clone(), d.labels.first().map(|l| l.span))));
}

/// Expands the macros of a text, as in an `.mdve` file.
pub fn expand(text: &str, macros: &[MacroOption]) -> Result<String, Diagnostic> {
    struct Nothing;
    impl Loader for Nothing {
        fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
            Err(io::ErrorKind::NotFound.into())
        }
    }
    let (mut sources, mut diagnostics) = (Sources::default(), Vec::new());
    let file = sources.add("text".to_string(), text.to_string());
    let options = Preprocess { macros: macros.to_vec(), include_dirs: Vec::new() };
    let expanded = m4::expand((file, Path::new("")), &options, &Nothing, &mut sources, &mut diagnostics);
    let wrong = || diagnostics.pop().unwrap_or_else(|| Diagnostic::general("the macros can't be expanded"));
    expanded.map(|e| e.text().to_string()).ok_or_else(wrong)
}

/// Reads conditions with the names of the model, which has all that the text declares.
#[derive(Debug)]
struct Names;

impl Conditions for Names {
    fn read(
        &self,
        texts: &[String],
        _: usize,
        (model, _): (&mut Model, &mut Option<Numbering>),
        sources: &mut Sources,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<Vec<Expr>> {
        let read = texts.iter().map(|text| condition(text, model, sources, diagnostics)).collect();
        remove_repetitions(diagnostics);
        read
    }
}

/// Reads a condition over the variables and states of a model: `P.critical and Q->x > 3`. The text becomes a file of
/// `sources`, for the diagnostics.
fn condition(text: &str, model: &Model, sources: &mut Sources, diagnostics: &mut Vec<Diagnostic>) -> Option<Expr> {
    let file = sources.add("condition".to_string(), text.to_string());
    sources.ask(file);
    let tokens = lex::lex(&Plain { text, file }, diagnostics);
    let expr = parse::parse_expression(tokens, diagnostics)?;
    let lowered = lower::lower_condition(&expr, model, diagnostics)?;
    (!has_errors(diagnostics)).then_some(lowered)
}
