//! The arguments of `kripke bench`.

use std::path::PathBuf;

use clap::Args;

use super::Format;

pub const EXAMPLES: &str = "\
Examples:
  kripke bench *.pml                                       how long each takes, and how much memory
  kripke bench m.pml --with -j1 --with '-j1 --store tree'  two ways of checking it, side by side
  kripke bench m.pml --with -DN=3 --with -DN=4 -- --raw    --raw in both
  kripke bench *.pml --repeat 5 --csv out.csv              the best of five runs, also for programs
  kripke bench *.pml --expect counts.tsv -- --all-errors   fail if a count is not as expected

Every run is a process of its own: `kripke check` with these options. Sets of options that read the
model alike and look for the same errors must count alike.

Exit status:
  0  everything was measured
  1  counts differ, from each other or from those expected
  2  bad input or usage
  3  a search was not complete: a limit, a timeout, an interrupt";

#[derive(Args, Debug)]
pub struct Bench {
    /// The models
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Measure with these options of `kripke check`; may be given again
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    pub with: Vec<String>,
    /// Options of `kripke check` for every run
    #[arg(last = true, value_name = "OPTIONS")]
    pub always: Vec<String>,
    /// Best of so many runs
    #[arg(short = 'n', long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub repeat: u32,
    /// Compare with the counts in this file: model, states, transitions, errors, with tabs between; `-` for any
    #[arg(long, value_name = "FILE")]
    pub expect: Option<PathBuf>,
    /// Also write a table for programs; `-` is standard output
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Replace the file of --csv, even if Kripke did not write it
    #[arg(long, requires = "csv")]
    pub force: bool,
    /// For people or for programs
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "text|json", hide_possible_values = true)]
    pub format: Format,
}
