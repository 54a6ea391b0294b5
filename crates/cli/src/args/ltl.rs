//! The arguments of `kripke ltl`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

pub const EXAMPLES: &str = "\
Examples:
  kripke ltl '[] (p -> <> q)'                    never claim of the runs that satisfy the formula
  kripke ltl --negate '[] (x > 3 -> <> done)'    never claim of the runs that violate it
  kripke ltl 'G F p' --format hoa                HOA format, for other tools
  kripke ltl 'p U q' --format svg > a.svg        picture
  kripke ltl 'p W q' --format summary            size and class of the automaton
  kripke ltl --from-hoa a.hoa                    automaton of another tool as a never claim

Operators by increasing precedence:
  -> <->      implies, equivalent
  ||          or
  &&          and
  U V W       until, release (also R), weak until
  ! [] <> X   not, always (also G), eventually (also F), next
Anything else is a proposition: an expression in the language of the model.

Exit status:
  0  the automaton was written
  2  bad input or usage
  3  the automaton would be too large";

#[derive(Args, Debug)]
pub struct Ltl {
    /// LTL formula
    #[arg(value_name = "FORMULA", required_unless_present_any = ["from_never", "from_hoa"], allow_hyphen_values = true)]
    pub formula: Option<String>,
    /// Translate the negation of the formula
    #[arg(long, conflicts_with_all = ["from_never", "from_hoa"])]
    pub negate: bool,
    /// Read a never claim instead of a formula
    #[arg(long, value_name = "FILE", conflicts_with_all = ["formula", "from_hoa"])]
    pub from_never: Option<PathBuf>,
    /// Read an automaton in HOA format instead of a formula
    #[arg(long, value_name = "FILE", conflicts_with = "formula")]
    pub from_hoa: Option<PathBuf>,
    /// Never claim, HOA format, Graphviz file, picture, or size and class of the automaton
    #[arg(
        long,
        value_enum,
        default_value_t = LtlFormat::Never,
        value_name = "never|hoa|dot|svg|summary",
        hide_possible_values = true
    )]
    pub format: LtlFormat,
    /// Generalised Büchi automaton: acceptance sets on edges instead of accepting states (hoa, dot and svg)
    #[arg(long)]
    pub generalised: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum LtlFormat {
    Never,
    Hoa,
    Dot,
    Svg,
    Summary,
}
