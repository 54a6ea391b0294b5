//! The arguments of `kripke ltl`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

pub const EXAMPLES: &str = "\
Examples:
  kripke ltl '[] (p -> <> q)'                    a never claim that matches where the formula holds
  kripke ltl --negate '[] (x > 3 -> <> done)'    one that matches where it is violated, as for checking
  kripke ltl 'G F p' --format hoa                for other tools
  kripke ltl 'p U q' --format dot | dot -Tsvg    as a picture
  kripke ltl 'p W q' --format summary            what kind of property it is
  kripke ltl --from-hoa a.hoa                    another tool's automaton as a never claim

Operators, those that bind least first: -> <-> (implies, equivalent), || (or), && (and), U V W (until, release,
weakuntil; R for V), and before an operand ! [] <> X (not, always, eventually, next; G for [], F for <>).
Anything else is a proposition, an expression of the model's language.

Exit status:
  0  there is an automaton
  2  bad input or usage
  3  the automaton would be too large";

#[derive(Args, Debug)]
pub struct Ltl {
    /// The formula
    #[arg(value_name = "FORMULA", required_unless_present_any = ["from_never", "from_hoa"], allow_hyphen_values = true)]
    pub formula: Option<String>,
    /// The automaton of the negated formula
    #[arg(long, conflicts_with_all = ["from_never", "from_hoa"])]
    pub negate: bool,
    /// Take the automaton from a never claim
    #[arg(long, value_name = "FILE", conflicts_with_all = ["formula", "from_hoa"])]
    pub from_never: Option<PathBuf>,
    /// Take the automaton from a file in the HOA format
    #[arg(long, value_name = "FILE", conflicts_with = "formula")]
    pub from_hoa: Option<PathBuf>,
    /// A never claim, the HOA format, a picture for Graphviz, or a few facts
    #[arg(
        long,
        value_enum,
        default_value_t = LtlFormat::Never,
        value_name = "never|hoa|dot|summary",
        hide_possible_values = true
    )]
    pub format: LtlFormat,
    /// With several acceptance sets on edges instead of accepting states (hoa and dot)
    #[arg(long)]
    pub generalised: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum LtlFormat {
    Never,
    Hoa,
    Dot,
    Summary,
}
