//! The arguments of `kripke fmt` and `kripke lsp`.

use std::path::PathBuf;

use clap::Args;
use kripke_lang::Language;

use super::{LANGUAGES, language};

pub const EXAMPLES: &str = "\
Examples:
  kripke fmt model.pml                  format a file in place
  kripke fmt --check *.pml              name the files that are not formatted; exit status 1 if there are any
  kripke fmt - --lang dve < model.dve   format standard input to standard output";

#[derive(Args, Debug)]
pub struct Fmt {
    /// Models to format in place; `-` formats standard input to standard output
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Write nothing; name the files that are not formatted
    #[arg(long)]
    pub check: bool,
    /// Language of the models [default: by the file name's extension]
    #[arg(long, value_parser = language(), value_name = LANGUAGES.as_str(), hide_possible_values = true)]
    pub lang: Option<Language>,
}
