//! The arguments of `kripke graph` and `kripke compare`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use kripke_report::graph::Labels;
use kripke_report::number::parse_count;
use kripke_search::graph::{Equivalence, Walk};

use super::Reading;

pub const EXAMPLES: &str = "\
Examples:
  kripke graph model.pml -o model.svg                    picture of the state graph
  kripke graph model.pml --project 'x,q*' -o x.svg       only the values of x and of names that begin with q
  kripke graph model.pml --trail m.trail.json -o t.svg   the states around a counterexample
  kripke graph model.pml -o model.aut                    Aldebaran file, for CADP, mCRL2 and LTSmin
  kripke graph model.aut --minimise branching -o m.aut   minimisation
  kripke graph model.pml --steps dfs -o search.html      the search, step by step
  kripke graph model.pml --ltl '<> p' --steps nested -o search.html
                                                         the search for an acceptance cycle";

pub const COMPARE_EXAMPLES: &str = "\
Examples:
  kripke compare spec.aut model.pml --by trace
  kripke compare a.pml b.pml --by branching --visible '*: out!*'

Exit status:
  0  the graphs are equivalent
  1  they are not; a formula or a trace tells them apart
  2  bad input or usage
  3  a graph is too large";

#[derive(Args, Debug)]
pub struct Graph {
    /// Model, or labelled transition system in the Aldebaran format (.aut)
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Graphviz file, SVG, Aldebaran file, JSON, or a page that plays the search [default: by the name of the output file, or dot]
    #[arg(long, value_enum, value_name = "dot|svg|aut|json|html", hide_possible_values = true)]
    pub format: Option<GraphFormat>,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Overwrite existing files, also those that Kripke did not write
    #[arg(long)]
    pub force: bool,
    /// One node for all states with the same values of these variables, processes and channels: 'x,q*,P.*'
    #[arg(long, value_name = "NAMES", conflicts_with_all = ["minimise", "steps"])]
    pub project: Option<String>,
    /// Minimise the graph: strong bisimulation, branching bisimulation or trace equivalence
    #[arg(
        long,
        value_enum,
        value_name = "bisim|branching|trace",
        hide_possible_values = true,
        conflicts_with = "steps"
    )]
    pub minimise: Option<By>,
    /// Only the states around the counterexample in this trail file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["minimise", "steps"])]
    pub trail: Option<PathBuf>,
    /// With --trail: the number of steps from the counterexample [default: 1]
    #[arg(long, value_name = "N", requires = "trail")]
    pub around: Option<u32>,
    /// One picture for each step of a search up to the first error: depth-first, breadth-first, or nested depth-first for the
    /// acceptance cycles of a property
    #[arg(long, value_enum, value_name = "dfs|bfs|nested", hide_possible_values = true)]
    pub steps: Option<Steps>,
    /// With --steps: continue after the first error
    #[arg(long, requires = "steps")]
    pub all_errors: bool,
    #[command(flatten)]
    pub exploring: Exploring,
    /// The product with the property of this name
    #[arg(short = 'N', long, value_name = "NAME", conflicts_with_all = ["ltl", "reach", "acceptance", "trail"])]
    pub property: Option<String>,
    /// The product with the automaton of the runs that violate an LTL formula
    #[arg(long, value_name = "FORMULA", allow_hyphen_values = true, conflicts_with_all = ["reach", "acceptance", "trail"])]
    pub ltl: Option<String>,
    /// Show states that satisfy this condition as errors
    #[arg(long, value_name = "CONDITION", allow_hyphen_values = true, conflicts_with_all = ["acceptance", "trail"])]
    pub reach: Option<String>,
    /// Show states with `accept` labels as accepting
    #[arg(short = 'a', long, conflicts_with = "trail")]
    pub acceptance: bool,
    #[command(flatten)]
    pub reading: Reading,
}

/// How to explore a model and to label its steps.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Graph")]
pub struct Exploring {
    /// Maximum number of states: 5k, 1M [default: 500 for svg and html, 5k for dot, 1M for aut, json and comparisons]
    #[arg(long, value_name = "N", value_parser = parse_count)]
    pub max_states: Option<u64>,
    /// Labels of steps: process and statement, one of them, or the same label for all
    #[arg(long, value_enum, default_value_t = LabelForm::Full, value_name = "full|statement|process|none", hide_possible_values = true)]
    pub labels: LabelForm,
    /// Hide all steps whose labels are none of these; `*` stands for any text
    #[arg(long, value_name = "LABELS")]
    pub visible: Option<String>,
    /// The graph that `check` explores without partial-order and symmetry reduction: statements merged, dead variables reset, sliced
    #[arg(long, conflicts_with = "raw")]
    pub reduced: bool,
}

#[derive(Args, Debug)]
pub struct Compare {
    /// Model, or labelled transition system in the Aldebaran format (.aut)
    #[arg(value_name = "A")]
    pub first: PathBuf,
    /// The one to compare it with
    #[arg(value_name = "B")]
    pub second: PathBuf,
    /// Equivalence: strong bisimulation, branching bisimulation or equality of traces
    #[arg(long, value_enum, default_value_t = By::Bisim, value_name = "bisim|branching|trace", hide_possible_values = true)]
    pub by: By,
    #[command(flatten)]
    pub exploring: Exploring,
    #[command(flatten)]
    pub reading: Reading,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum GraphFormat {
    Dot,
    Svg,
    Aut,
    Json,
    Html,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum By {
    Bisim,
    Branching,
    Trace,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Steps {
    Dfs,
    Bfs,
    Nested,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum LabelForm {
    Full,
    Statement,
    Process,
    None,
}

impl From<By> for Equivalence {
    fn from(by: By) -> Equivalence {
        match by {
            By::Bisim => Equivalence::Strong,
            By::Branching => Equivalence::Branching,
            By::Trace => Equivalence::Trace,
        }
    }
}

impl From<Steps> for Walk {
    fn from(steps: Steps) -> Walk {
        match steps {
            Steps::Dfs => Walk::Depth,
            Steps::Bfs => Walk::Breadth,
            Steps::Nested => Walk::Nested,
        }
    }
}

impl From<LabelForm> for Labels {
    fn from(form: LabelForm) -> Labels {
        match form {
            LabelForm::Full => Labels::Full,
            LabelForm::Statement => Labels::Statement,
            LabelForm::Process => Labels::Process,
            LabelForm::None => Labels::None,
        }
    }
}
