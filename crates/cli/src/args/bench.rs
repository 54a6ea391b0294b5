//! The arguments of `kripke bench`.

use std::path::PathBuf;

use clap::Args;
use kripke_report::survey::Condition;

use super::Format;

pub const EXAMPLES: &str = "\
Examples:
  kripke bench *.pml                                       time and memory of each model
  kripke bench m.pml --with -j1 --with '-j1 --store tree'  two sets of options side by side
  kripke bench m.pml --with -DN=3 --with -DN=4 -- --raw    --raw in both sets
  kripke bench *.pml --repeat 5 --csv out.csv              best of five runs, also as CSV
  kripke bench *.pml --expect counts.tsv -- --all-errors   compare counts with expected ones
  kripke bench examples --characteristics                  state spaces of a catalogue of models
  kripke bench examples --select 'states>1000' -- --raw    measure the larger ones

Each run is a separate `kripke check` process. Sets of options that read the model in the same way and
check the same property must give equal counts.

Exit status:
  0  all runs were measured, whatever the verdicts
  1  counts differ from each other or from the expected ones
  2  bad input or usage
  3  a search was incomplete: a limit, a timeout, an interrupt";

#[derive(Args, Debug)]
pub struct Bench {
    /// Models to measure; a folder stands for the models in its table expected.tsv
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Measure with this set of `kripke check` options; may be repeated
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    pub with: Vec<String>,
    /// Options of `kripke check` for all runs
    #[arg(last = true, value_name = "OPTIONS")]
    pub always: Vec<String>,
    /// Report the best of N runs
    #[arg(short = 'n', long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub repeat: u32,
    /// Print the characteristics of the state spaces instead of measuring: degrees, levels, components, diameter, length of states
    #[arg(long, conflicts_with_all = ["with", "expect"])]
    pub characteristics: bool,
    /// Only models whose state space satisfies a condition: states>=1000, components<10; may be repeated
    #[arg(long, value_name = "CONDITION", value_parser = parse_condition)]
    pub select: Vec<Condition>,
    /// Compare counts with a tab-separated file: model, states, transitions, errors; `-` matches any count
    #[arg(long, value_name = "FILE")]
    pub expect: Option<PathBuf>,
    /// Also write the results as CSV; `-` is standard output
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Overwrite the file of --csv, also if Kripke did not write it
    #[arg(long, requires = "csv")]
    pub force: bool,
    /// Output format: text, or JSON for scripts
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "text|json", hide_possible_values = true)]
    pub format: Format,
}

fn parse_condition(text: &str) -> Result<Condition, String> {
    text.parse()
}
