//! The arguments of `kripke plot`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use kripke_report::plot::Quantity;

pub const EXAMPLES: &str = "\
Examples:
  kripke check m.pml --log m.log && kripke plot m.log -o m.svg    rate, queue, memory and depth over time
  kripke plot j1.log j2.log j4.log -o threads.svg                 several runs; also the speed-up
  kripke plot m.log --of states --of memory > m.svg               chosen quantities";

#[derive(Args, Debug)]
pub struct Plot {
    /// Logs that `kripke check --log` has written
    #[arg(required = true, value_name = "LOG")]
    pub logs: Vec<PathBuf>,
    /// Quantity to plot; may be repeated [default: rate, queue, memory, depth; speed-up and cache if the runs differ in that]
    #[arg(long = "of", value_name = "rate|states|queue|memory|depth|speed-up|cache", value_parser = quantity(), hide_possible_values = true)]
    pub of: Vec<Quantity>,
    /// File to write; `-` is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub output: PathBuf,
    /// Overwrite an existing file, also if Kripke did not write it
    #[arg(long)]
    pub force: bool,
}

/// The parser of the name of a quantity.
fn quantity() -> impl TypedValueParser<Value = Quantity> {
    let names = PossibleValuesParser::new(Quantity::ALL.map(Quantity::word));
    names.try_map(|name| Quantity::named(&name).ok_or("unknown quantity"))
}
