//! A depth-first probe beside a breadth-first search.
//!
//! An error may be far from the initial state and yet on most long runs: a depth-first search meets it at once, a breadth-first
//! search only after the millions of states that are nearer. A breadth-first search that has found no error among its first
//! states therefore pauses, and a depth-first search looks at some thousand states. If it finds an error, the breadth-first
//! search continues for a bounded number of states, for a shorter counterexample; if it finds none, the search continues as if
//! nothing had happened.

use super::bfs::{self, Levels};
use super::{Factory, Options, Order, PartialTrail, Search, StoreKind, conclude_levels, depth_first, dfs, max_depth};
use crate::budget::Budget;
use crate::outcome::{End, Outcome, ProbeUse, Statistics, Violation};
use crate::progress::Progress;
use crate::store::{ExactStore, Store};

/// The number of states after which the breadth-first search pauses.
const PAUSE: u64 = 100_000;
/// The number of states of the probe.
const STATES: u64 = 20_000;
/// The number of states up to which a breadth-first search looks for a shorter counterexample.
const CONTINUED: u64 = 1_000_000;

/// What a probe has found.
#[derive(Default)]
pub(super) struct Probe {
    states: Option<u64>,
    found: Option<(Violation, Statistics)>,
}

/// A breadth-first search with a probe, if the options want one. It pauses at these numbers of bytes and states, or if the probe
/// has found an error and the search no shorter one: then [`Probe::is_final`] holds.
pub(super) fn levels<'a, 'm, S: Store>(
    search: &'a Search<'a, S>,
    factory: Factory<'_, 'm>,
    [bytes, states]: [u64; 2],
) -> (Levels<'a, 'm, S>, Probe) {
    let wanted = search.options.probe;
    search.pause_at(bytes, if wanted { states.min(PAUSE) } else { states });
    let depth = max_depth(search.budget);
    let mut levels = bfs::run(search, factory, depth, false);
    let is_early = |levels: &Levels<'_, '_, S>| !levels.remaining.is_empty() && search.store.len() < states;
    if !wanted || !is_early(&levels) || search.store.len() < PAUSE {
        return (levels, Probe::default());
    }
    let probe = Probe::run(search.options, factory, search.budget);
    search.pause_at(bytes, if probe.found.is_some() { states.min(CONTINUED) } else { states });
    levels = bfs::resume(search, factory, levels, depth, false);
    if probe.found.is_some() && is_early(&levels) && levels.level_findings.iter().any(|level| !level.is_empty()) {
        // The search has found an error, too, and completes the level.
        search.pause_at(bytes, states);
        levels = bfs::resume(search, factory, levels, depth, false);
    }
    (levels, probe)
}

impl Probe {
    fn run(options: &Options, factory: Factory<'_, '_>, budget: &Budget) -> Probe {
        let options =
            Options { order: Order::DepthFirst, store: StoreKind::Exact, threads: Some(1), ..options.clone() };
        let budget = Budget { max_states: Some(STATES), ..budget.clone() };
        let store = ExactStore::new(budget.capacity(), 1);
        let progress = Progress::new();
        let search = Search::new(&store, &options, &budget, &progress);
        let outcome = depth_first(&search, dfs::run(&search, factory, max_depth(&budget)));
        let states = Some(outcome.statistics.states);
        let violation = outcome.violations.into_iter().next().filter(|_| matches!(outcome.end, End::Violation));
        Probe { states, found: violation.map(|violation| (violation, outcome.statistics)) }
    }

    /// Whether the probe has found an error, and the search has paused without another.
    pub fn is_final<S: Store>(&self, levels: &Levels<'_, '_, S>) -> bool {
        self.found.is_some() && !levels.remaining.is_empty()
    }

    /// The outcome of the search, or of the probe if only that has found an error.
    pub fn conclude<S: Store>(
        self,
        search: &Search<'_, S>,
        levels: &mut Levels<'_, '_, S>,
    ) -> (Outcome, Vec<PartialTrail>) {
        let (mut outcome, trails) = conclude_levels(search, levels);
        let Some(states) = self.states else { return (outcome, trails) };
        let is_used = trails.is_empty() && outcome.violations.is_empty();
        let found = self.found.filter(|_| is_used);
        outcome.statistics.probe = Some(ProbeUse { states, is_used: found.is_some() });
        if let Some((violation, statistics)) = found {
            outcome.statistics.errors = statistics.errors;
            outcome.statistics.depth = statistics.depth;
            outcome.end = End::Violation;
            outcome.violations.push(violation);
        }
        (outcome, trails)
    }
}
