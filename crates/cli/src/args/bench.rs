//! The arguments of `kripke bench`.

use std::path::PathBuf;

use clap::Args;
use kripke_report::survey::condition::Condition;

use super::Format;
use crate::bench::Peer;

pub const EXAMPLES: &str = "\
Examples:
  kripke bench *.pml                                       time and memory of each model
  kripke bench m.pml --with -j1 --with '-j1 --store tree'  two sets of options side by side
  kripke bench m.pml --with -DN=3 --with -DN=4 -- --raw    --raw in both sets
  kripke bench *.pml --repeat 5 --csv out.csv              best of five runs, also as CSV
  kripke bench *.pml --expect counts.tsv -- --all-errors   compare counts with expected ones
  kripke bench examples --characteristics                  state spaces of a catalogue of models
  kripke bench examples --where 'states > 1000 && back_edges = 0'
                                                           measure the larger acyclic ones
  kripke bench examples --peer spin --plot times.svg       side by side with SPIN, as a picture

A catalogue is a folder with a table expected.tsv of models, parameters, properties and expected
results. Each run is a separate process; runs with different options alternate. Sets of options that
read the model in the same way and check the same property must give equal counts.

Exit status:
  0  all runs were measured, whatever the verdicts
  1  results or counts differ from each other or from the expected ones
  2  bad input or usage
  3  a search was incomplete: a limit, a timeout, an interrupt";

#[derive(Args, Debug)]
pub struct Bench {
    /// Models to measure; a folder stands for the rows of its table expected.tsv, and a file NAME.tsv for its own
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
    #[arg(long, conflicts_with_all = ["with", "expect", "peer"])]
    pub characteristics: bool,
    /// Only models whose state space satisfies a condition: 'states > 10000 && back_edges = 0'; may be repeated
    #[arg(long = "where", value_name = "CONDITION", value_parser = parse_condition)]
    pub select: Vec<Condition>,
    /// Also measure another program, with options: spin, 'spin -DNOREDUCE -O3', ltsmin; may be repeated
    #[arg(long, value_name = "PROGRAM", value_parser = parse_peer)]
    pub peer: Vec<Peer>,
    /// Compare results with a tab-separated file: model, states, transitions, errors, or the columns of its header; `-`
    /// matches any count
    #[arg(long, value_name = "FILE")]
    pub expect: Option<PathBuf>,
    /// Also write the results as CSV; `-` is standard output
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Also write plots over the number of states as SVG: time, memory, rate, speed; of --characteristics: levels,
    /// transitions, components, diameter
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// Overwrite the files of --csv and --plot, also if Kripke did not write them
    #[arg(long)]
    pub force: bool,
    /// Output format: text, or JSON for scripts
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "text|json", hide_possible_values = true)]
    pub format: Format,
}

fn parse_condition(text: &str) -> Result<Condition, String> {
    text.parse()
}

fn parse_peer(text: &str) -> Result<Peer, String> {
    text.parse()
}
