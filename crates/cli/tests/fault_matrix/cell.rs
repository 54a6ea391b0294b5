//! A cell of the matrix: a model, a command line, and what has to come of it.

/// A model with the options it is checked with.
#[derive(Clone, Debug)]
pub struct Cell {
    pub name: String,
    /// The ending of the file name, which selects the language.
    pub ending: &'static str,
    pub text: String,
    pub options: Vec<String>,
    pub expect: Expect,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expect {
    /// A finding of this kind, at this line of the model, or anywhere (a formula of the command line).
    Fault(&'static str, Option<usize>),
    /// No finding, exit status 0.
    Holds,
}

/// The cells of one generator.
#[derive(Default)]
pub struct Matrix {
    pub cells: Vec<Cell>,
    /// Combinations that are no model, and why.
    pub left_out: Vec<(String, &'static str)>,
}

/// Where the expression goes in a text.
pub const PLACE: &str = "{E}";

/// The line, counted from 1, with the mark.
pub fn line_of(text: &str, mark: &str) -> usize {
    let at = text.find(mark).unwrap_or_else(|| panic!("no {mark} in {text}"));
    text[..at].matches('\n').count() + 1
}

pub fn strings(options: &[&str]) -> Vec<String> {
    options.iter().map(|o| o.to_string()).collect()
}
