//! The arguments of `kripke list`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Reading;

pub const EXAMPLES: &str = "\
Examples:
  kripke list model.pml                                   symbols, processes, locations, edges, properties
  kripke list model.pml --process P --format svg -o p.svg  picture of a process automaton
  kripke list model.pml --ir                              the model in the text form of the IR
  kripke list model.mdve --preprocessed                   the text after macros";

#[derive(Args, Debug)]
pub struct List {
    /// Model to list
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Text, JSON, or the automaton of one process or property as Graphviz file or SVG
    #[arg(long, value_enum, default_value_t = ListFormat::Text, value_name = "text|json|dot|svg", hide_possible_values = true)]
    pub format: ListFormat,
    /// Only this process type; with dot and svg also a property, whose Büchi automaton is drawn
    #[arg(long, value_name = "NAME")]
    pub process: Option<String>,
    /// Print the model in the text form of the intermediate representation (IR)
    #[arg(long, conflicts_with_all = ["preprocessed", "process", "format"])]
    pub ir: bool,
    /// Print the text of the model after macros and includes
    #[arg(long, conflicts_with_all = ["process", "format"])]
    pub preprocessed: bool,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Overwrite the file of --output, also if Kripke did not write it
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub reading: Reading,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ListFormat {
    Text,
    Json,
    Dot,
    Svg,
}
