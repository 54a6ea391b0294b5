//! The options of a search: its order, its engine and its machines.

use clap::{Args, ValueEnum};

use super::Storing;

/// How to search.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Search")]
pub struct Searching {
    /// Breadth-first (shortest counterexamples) or depth-first search [default: bfs, with a depth-first probe if no error is
    /// found soon; dfs for bitstate and cache stores]
    #[arg(long, value_enum, value_name = "bfs|dfs", hide_possible_values = true)]
    pub search: Option<Order>,
    #[command(flatten)]
    pub storing: Storing,
    /// Execute the model as generated machine code or with the reference interpreter
    #[arg(long, value_enum, default_value_t = Engine::Compile, value_name = "compile|interpret", hide_possible_values = true)]
    pub engine: Engine,
    /// Pack each state into the fewest bits that its variables' ranges need: less memory, slower
    #[arg(long)]
    pub compact: bool,
    /// No partial-order reduction: explore all interleavings, also of independent transitions
    #[arg(long)]
    pub no_partial_order: bool,
    /// No sleep sets: look up the target of every transition. With them, all states and transitions are found and counted, too
    #[arg(long)]
    pub no_sleep_sets: bool,
    /// Symmetry reduction: explore one representative of states that are equal up to permuting identical processes.
    /// Symmetric processes are detected automatically
    #[arg(long)]
    pub symmetry: bool,
    /// Test the ample set in one of N reduced states (partial-order reduction); slower [default N: 16]
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "16",
        value_parser = clap::value_parser!(u32).range(1..))]
    pub audit: Option<u32>,
    /// Number of threads [default: number of cores; one for CTL, and for a depth-first safety search whose store is not lossy]
    #[arg(short = 'j', long = "threads", value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// Distributed search by N ranks of this process, which each own a part of the states and have --threads workers
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub ranks: Option<u16>,
    /// Search on an NVIDIA GPU, level by level and without partial-order reduction; --gpu=require refuses what the GPU can't search
    #[arg(long, value_enum, value_name = "auto|require", num_args = 0..=1, require_equals = true, default_missing_value = "auto",
        hide_possible_values = true)]
    pub gpu: Option<Gpu>,
}

/// The use of a GPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Gpu {
    /// If there is one that can search
    Auto,
    /// In any case
    Require,
}

impl From<Gpu> for kripke::request::Gpu {
    fn from(gpu: Gpu) -> kripke::request::Gpu {
        match gpu {
            Gpu::Auto => kripke::request::Gpu::Prefer,
            Gpu::Require => kripke::request::Gpu::Require,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Order {
    Bfs,
    Dfs,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Engine {
    /// As machine code
    Compile,
    /// By the reference interpreter
    Interpret,
}

impl From<Order> for kripke::request::Order {
    fn from(order: Order) -> kripke::request::Order {
        match order {
            Order::Bfs => kripke::request::Order::BreadthFirst,
            Order::Dfs => kripke::request::Order::DepthFirst,
        }
    }
}

impl From<Engine> for kripke::request::Engine {
    fn from(engine: Engine) -> kripke::request::Engine {
        match engine {
            Engine::Compile => kripke::request::Engine::Compile,
            Engine::Interpret => kripke::request::Engine::Interpret,
        }
    }
}
