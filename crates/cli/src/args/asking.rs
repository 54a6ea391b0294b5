//! The properties to check.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use kripke_search::{Algorithm, Fairness};

/// The properties to check.
#[derive(Args, Clone, PartialEq, Default, Debug)]
#[command(next_help_heading = "Properties [default: safety, then each property stated in the model]")]
pub struct Asking {
    /// Check safety (failed assertions, invalid end states, faults) in addition to other properties
    #[arg(long)]
    pub safety: bool,
    /// Check only the property with this name
    #[arg(short = 'N', long, value_name = "NAME")]
    pub property: Vec<String>,
    /// Check a formula of linear temporal logic: '[] (want -> <> have)', 'G (want -> F have)'
    #[arg(long, value_name = "FORMULA", allow_hyphen_values = true)]
    pub ltl: Vec<String>,
    /// Check the LTL formulas of a file: a single formula, or lines `#define name condition` and `#property formula`
    #[arg(long, value_name = "FILE")]
    pub ltl_file: Vec<PathBuf>,
    /// Check that no run is accepted by the Büchi automaton in this HOA file; its propositions are conditions
    #[arg(long, value_name = "FILE")]
    pub hoa: Vec<PathBuf>,
    /// Check a formula of computation tree logic: 'AG (want -> EF have)', 'A[x U y]'
    #[arg(long, value_name = "FORMULA", allow_hyphen_values = true)]
    pub ctl: Vec<String>,
    /// Report states that satisfy a condition, written in the language of the model, as errors
    #[arg(long, value_name = "CONDITION", allow_hyphen_values = true)]
    pub reach: Vec<String>,
    /// Check that a condition, written in the language of the model, holds in every state
    #[arg(long, value_name = "CONDITION", allow_hyphen_values = true)]
    pub invariant: Vec<String>,
    /// Check for acceptance cycles: runs that visit `accept` labels infinitely often (also those of a never claim). Failed
    /// assertions, faults and, without a claim, invalid end states are errors, too
    #[arg(short = 'a', long)]
    pub acceptance: bool,
    /// Check for non-progress cycles: runs that visit `progress` labels only finitely often. Failed assertions, faults and
    /// invalid end states are errors, too
    #[arg(short = 'l', long)]
    pub non_progress: bool,
    /// Fairness assumption: every process that is enabled from some point on (weak), that is enabled infinitely often
    /// (strong), or every process (impartial) moves infinitely often; strong-transitions: every transition that is
    /// enabled infinitely often is taken infinitely often
    #[arg(
        long,
        value_enum,
        default_value_t,
        value_name = "none|weak|strong|strong-transitions|impartial",
        hide_possible_values = true
    )]
    pub fair: Fair,
    /// Same as --fair weak
    #[arg(short = 'f', conflicts_with = "fair")]
    pub weak: bool,
    /// Algorithm for acceptance cycles: strongly connected components (scc; ufscc in parallel), nested depth-first search
    /// (nested; cndfs in parallel), or the one that fits best (auto); distributed, with --ranks or one rank for each thread:
    /// one-way-catch-them-young (owcty, owcty-reversed), maximal accepting predecessors (map; map-visit and map-reversed with
    /// other orders of the states), negative cycle detection (ncd), nested depth-first search by components of the property
    /// (pd-ndfs) or with a token (token-ndfs), back-level edges (ble), dependency structure (deps)
    #[arg(long, value_parser = algorithm(), default_value = "auto", value_name = "ALGORITHM", hide_possible_values = true)]
    pub cycles: CycleAlgorithm,
}

/// An algorithm for acceptance cycles: of one process, or of several ranks.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct CycleAlgorithm {
    pub local: Algorithm,
    pub distributed: Option<&'static str>,
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

/// The parser of the name of a cycle algorithm.
fn algorithm() -> impl TypedValueParser<Value = CycleAlgorithm> {
    let distributed = kripke_cluster::Algorithm::ALL.map(kripke_cluster::Algorithm::word);
    let names = PossibleValuesParser::new(Algorithm::ALL.map(Algorithm::word).into_iter().chain(distributed));
    names.try_map(|name| match Algorithm::named(&name) {
        Some(local) => Ok(CycleAlgorithm { local, distributed: None }),
        None => {
            let distributed = kripke_cluster::Algorithm::named(&name).ok_or("unknown algorithm")?.word();
            Ok::<_, &str>(CycleAlgorithm { local: Algorithm::Auto, distributed: Some(distributed) })
        }
    })
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
}
