//! What to check.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use kripke_search::{Algorithm, Fairness};

/// What to check.
#[derive(Args, Clone, PartialEq, Default, Debug)]
#[command(next_help_heading = "What to check [default: safety, then each property that the model states]")]
pub struct Asking {
    /// Failed assertions, invalid end states and faults, whatever else is asked for
    #[arg(long)]
    pub safety: bool,
    /// Only the property with this name
    #[arg(short = 'N', long, value_name = "NAME")]
    pub property: Vec<String>,
    /// A formula of linear temporal logic: '[] (want -> <> have)', 'G (want -> F have)'
    #[arg(long, value_name = "FORMULA", allow_hyphen_values = true)]
    pub ltl: Vec<String>,
    /// Formulas of linear temporal logic in a file: one, or several after `#property`, with names by `#define`
    #[arg(long, value_name = "FILE")]
    pub ltl_file: Vec<PathBuf>,
    /// An automaton of what must not happen, in HOA format; its propositions are conditions
    #[arg(long, value_name = "FILE")]
    pub hoa: Vec<PathBuf>,
    /// A formula of computation tree logic: 'AG (want -> EF have)', 'A[x U y]'
    #[arg(long, value_name = "FORMULA", allow_hyphen_values = true)]
    pub ctl: Vec<String>,
    /// Can a state be reached in which this holds? A condition in the language of the model
    #[arg(long, value_name = "CONDITION", allow_hyphen_values = true)]
    pub reach: Vec<String>,
    /// Runs that visit `accept` labels infinitely often (with a never claim: of the claim, too); failed assertions, faults and,
    /// without a claim, invalid end states are errors, too
    #[arg(short = 'a', long)]
    pub acceptance: bool,
    /// Runs that visit `progress` labels only finitely often; failed assertions, faults and invalid end states are errors, too
    #[arg(short = 'l', long)]
    pub non_progress: bool,
    /// Only runs that are fair: processes that can move all the time do (weak), that can again and again do (strong), every
    /// transition that can be taken again and again is (strong-transitions), all processes move again and again (impartial)
    #[arg(
        long,
        value_enum,
        default_value_t,
        value_name = "none|weak|strong|strong-transitions|impartial",
        hide_possible_values = true
    )]
    pub fair: Fair,
    /// The same as --fair weak
    #[arg(short = 'f', conflicts_with = "fair")]
    pub weak: bool,
    /// How to look for endless runs: component by component (scc; ufscc on all cores), or by a second, nested search (nested;
    /// cndfs on all cores)
    #[arg(long, value_enum, default_value_t, value_name = "auto|scc|nested|cndfs|ufscc", hide_possible_values = true)]
    pub cycles: By,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, ValueEnum)]
pub enum Fair {
    #[default]
    None,
    Weak,
    Strong,
    StrongTransitions,
    Impartial,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, ValueEnum)]
pub enum By {
    #[default]
    Auto,
    Scc,
    Nested,
    Cndfs,
    Ufscc,
}

impl Asking {
    pub fn fairness(&self) -> Fairness {
        match self.fair {
            _ if self.weak => Fairness::Weak,
            Fair::None => Fairness::None,
            Fair::Weak => Fairness::Weak,
            Fair::Strong => Fairness::Strong,
            Fair::StrongTransitions => Fairness::StrongTransitions,
            Fair::Impartial => Fairness::Impartial,
        }
    }

    /// The algorithm that finds accepting cycles.
    pub fn algorithm(&self) -> Algorithm {
        match self.cycles {
            By::Auto => Algorithm::Auto,
            By::Scc => Algorithm::Scc,
            By::Nested => Algorithm::Nested,
            By::Cndfs => Algorithm::Cndfs,
            By::Ufscc => Algorithm::Ufscc,
        }
    }
}
