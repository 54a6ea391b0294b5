//! Runs that never end well: cycles with accepting states, and the lassos that show them.
//!
//! The states are those of the system together with an observer, so all that is asked here is whether some reachable
//! cycle has an accepting state, and under an assumption of fairness whether that cycle is fair. An algorithm only has
//! to find one state on such a cycle (or its component): [`lasso`] finds the way there and around, as short as may be.

mod cndfs;
mod colours;
pub(super) mod fair_cycle;
pub(super) mod lasso;
mod nested_dfs;
mod parallel;
mod scc;
mod ufscc;
pub(super) mod union_find;

use std::sync::atomic::Ordering;

use kripke_model::trail::Ending;
use kripke_model::{Flags, Trail};

use super::error_collector::{Findings, FoundError};
use super::worker::Worker;
use super::{Factory, ROUND, Search};
use crate::budget::Limit;
use crate::outcome::{End, Outcome, Violation, Wrong};
use crate::store::{StateId, Store};

/// How cycles are looked for.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Cycles {
    pub algorithm: Algorithm,
    pub fairness: Fairness,
    /// The acceptance sets of edges that a cycle has to meet, if that is what counts; only components tell.
    pub marks: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Algorithm {
    /// Whatever suits the number of threads and the kind of fairness.
    #[default]
    Auto,
    /// Component by component, each state expanded once.
    Scc,
    /// A second search from accepting states, nested in the first.
    Nested,
    /// The same, by several threads at once.
    Cndfs,
    /// Components, by several threads at once.
    Ufscc,
}

impl Cycles {
    /// As it will be done with so many threads, and whether all errors are wanted.
    pub(super) fn algorithm(self, threads: usize, all_errors: bool) -> Algorithm {
        let simple = self.fairness == Fairness::None && !all_errors;
        match self.algorithm {
            Algorithm::Auto if simple && threads > 1 && self.marks == 0 => Algorithm::Cndfs,
            Algorithm::Auto if simple && threads > 1 => Algorithm::Ufscc,
            Algorithm::Auto => Algorithm::Scc,
            Algorithm::Ufscc if simple => Algorithm::Ufscc,
            chosen if simple && self.marks == 0 => chosen,
            // Only whole components can tell.
            _ => Algorithm::Scc,
        }
    }
}

impl Cycles {
    /// What a state has of what a cycle has to meet.
    fn marks(self, flags: Flags) -> u32 {
        u32::from(self.marks == 0 && flags.accepting)
    }

    /// Whether edges count, not states.
    fn by_edges(self) -> bool {
        self.marks != 0
    }

    fn all_marks(self) -> u32 {
        if self.marks == 0 { 1 } else { self.marks }
    }
}

/// The mark of the edge to a successor, by its number: the edges of the observer take turns.
fn label(marks: &[u32], number: usize) -> u32 {
    if marks.is_empty() { 0 } else { marks[number % marks.len()] }
}

/// Which cycles count.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Fairness {
    /// All.
    #[default]
    None,
    /// Those in which no process can move all the time and never does.
    Weak,
    /// Those in which no process can move again and again and never does.
    Strong,
    /// Those in which no step can be taken again and again and never is: the same for the steps of a process.
    StrongTransitions,
    /// Those in which every process moves.
    Impartial,
}

/// What the algorithms have in common.
pub(super) struct LivenessSearch<'w, 'm, 's, S: Store + 'w> {
    search: &'s Search<'s, S>,
    worker: Worker<'w, 'm, S>,
    cycles: Cycles,
    findings: Findings<StateId>,
    /// A state on an accepting cycle, where that is all there is to say.
    found: Vec<StateId>,
    /// Cycles known step by step: the first state, and which successor is taken from each on.
    fair_cycles: Vec<(StateId, Vec<u32>)>,
    max_depth: u32,
    depth: u32,
    bytes: u64,
}

impl<'s, S: Store> LivenessSearch<'_, '_, 's, S> {
    /// The first cycle will do, whatever it is like.
    fn stops_early(&self) -> bool {
        self.cycles.fairness == Fairness::None && !self.search.options.all_errors
    }

    /// To be called after each expansion: looks at limits and at what was found on the way. True if the search is over.
    fn check_limits(&mut self, depth: u32, bytes: impl Fn() -> u64, waiting: u64) -> Result<bool, Limit> {
        if self.worker.is_due(ROUND) {
            self.search.depth.store(u64::from(depth), Ordering::Relaxed);
            self.search.check(bytes(), waiting);
            if let Some(limit) = self.search.take_limit() {
                return Err(limit);
            }
        }
        if !self.worker.errors.is_empty() {
            self.findings.collect_in_states(self.worker.errors.take_findings());
            return Ok(!self.search.options.all_errors && !self.findings.kept.is_empty());
        }
        Ok(false)
    }

    /// A whole component with an accepting state: does it have a cycle that counts? True if the search is over.
    fn check_component(&mut self, states: &[(StateId, u32)]) -> Result<bool, Limit> {
        if let Some(cycle) = fair_cycle::find(&mut self.worker, states, self.cycles)? {
            self.findings.errors.cycles += 1;
            self.fair_cycles.push(cycle);
            return Ok(!self.search.options.all_errors);
        }
        Ok(false)
    }

    fn conclude(mut self, root: Option<StateId>, mut stop: Option<Limit>) -> Outcome {
        self.findings.collect_in_states(self.worker.errors.take_findings());
        self.findings.errors.cycles += self.found.len() as u64;
        let cycles = !self.found.is_empty() || !self.fair_cycles.is_empty();
        let end = if cycles && !self.search.options.all_errors {
            End::Violation
        } else {
            self.search.end(stop.take(), &mut self.findings)
        };
        self.search.depth.store(u64::from(self.depth), Ordering::Relaxed);
        self.search.report(self.bytes, 0);
        let statistics = self.search.statistics(self.depth, self.findings.errors, self.bytes);
        let mut outcome = Outcome::new(end, Vec::new(), statistics);
        match root.map_or(Ok(Vec::new()), |root| self.violations(root)) {
            Ok(violations) => outcome.violations = violations,
            Err(limit) => outcome.end = End::Stopped(limit),
        }
        outcome
    }

    /// The ways to all that was found.
    fn violations(&mut self, root: StateId) -> Result<Vec<Violation>, Limit> {
        let mut out = Vec::new();
        for (FoundError { wrong, ending, .. }, at) in std::mem::take(&mut self.findings.kept) {
            let mut choices = lasso::stem(&mut self.worker, root, at)?;
            self.worker.renumber_choices(root, &mut choices);
            out.push(Violation { wrong, trail: Trail { choices, ending } });
        }
        let found = std::mem::take(&mut self.found);
        for id in found {
            let around = lasso::cycle_through(&mut self.worker, id)?;
            self.fair_cycles.push((id, around));
        }
        for (id, around) in std::mem::take(&mut self.fair_cycles) {
            let mut choices = lasso::stem(&mut self.worker, root, id)?;
            let ending = Ending::Cycle(choices.len() as u32);
            choices.extend(around);
            self.worker.renumber_choices(root, &mut choices);
            out.push(Violation { wrong: Wrong::Cycle, trail: Trail { choices, ending } });
        }
        Ok(out)
    }
}

/// Looks for cycles.
pub(super) fn check<S: Store>(search: &Search<'_, S>, factory: Factory<'_, '_>, cycles: Cycles) -> Outcome {
    let mut liveness = LivenessSearch {
        search,
        worker: Worker::new(search, 0, factory()),
        cycles,
        findings: Findings::new(),
        found: Vec::new(),
        fair_cycles: Vec::new(),
        max_depth: search.budget.max_depth.unwrap_or(u32::MAX),
        depth: 0,
        bytes: 0,
    };
    let root = match liveness.worker.begin() {
        Ok(root) => root,
        Err(limit) => return liveness.conclude(None, Some(limit)),
    };
    let stop = match cycles.algorithm(search.threads, search.options.all_errors) {
        Algorithm::Nested => nested_dfs::run(&mut liveness, root),
        Algorithm::Cndfs => cndfs::run(&mut liveness, factory, root),
        Algorithm::Ufscc => ufscc::run(&mut liveness, factory, root),
        Algorithm::Auto | Algorithm::Scc => scc::run(&mut liveness, root),
    }
    .err();
    liveness.conclude(Some(root), stop)
}
