//! Liveness: the search for accepting cycles, and the lassos that show them.
//!
//! States are those of the product of system and observer. The question is whether a reachable cycle is accepting
//! and, under a fairness assumption, fair. An algorithm has to find one state of such a cycle or its strongly
//! connected component; [`lasso`] then constructs a shortest stem and cycle.

mod cndfs;
mod colours;
pub(super) mod fair_cycle;
pub(super) mod lasso;
mod nested_dfs;
pub(super) mod notes;
pub(super) mod numbers;
pub(super) mod pages;
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
use crate::outcome::{End, ErrorKind, Errors, Outcome, Violation};
use crate::store::{StateId, Store};

/// The parameters of a search for accepting cycles.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Cycles {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The fairness assumption.
    pub fairness: Fairness,
    /// The acceptance marks of edges (generalised Büchi acceptance), all of which a cycle must contain. Zero: a cycle
    /// must contain an accepting state. Only searches for components support marks.
    pub marks: u32,
}

/// The algorithms.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Algorithm {
    /// The algorithm that suits the number of threads and the fairness.
    #[default]
    Auto,
    /// Strongly connected components (Tarjan), each state expanded once.
    Scc,
    /// Nested depth-first search.
    Nested,
    /// Multi-core nested depth-first search.
    Cndfs,
    /// Multi-core strongly connected components by union-find.
    Ufscc,
}

impl Algorithm {
    /// Every algorithm.
    pub const ALL: [Algorithm; 5] =
        [Algorithm::Auto, Algorithm::Scc, Algorithm::Nested, Algorithm::Cndfs, Algorithm::Ufscc];

    /// The algorithm with this name.
    pub fn named(name: &str) -> Option<Algorithm> {
        Algorithm::ALL.into_iter().find(|algorithm| algorithm.word() == name)
    }

    /// The name of the algorithm.
    pub fn word(self) -> &'static str {
        match self {
            Algorithm::Auto => "auto",
            Algorithm::Scc => "scc",
            Algorithm::Nested => "nested",
            Algorithm::Cndfs => "cndfs",
            Algorithm::Ufscc => "ufscc",
        }
    }
}

impl Cycles {
    /// The algorithm to use, given the number of threads and whether all errors are requested.
    pub(super) fn algorithm(self, threads: usize, all_errors: bool) -> Algorithm {
        let simple = self.fairness == Fairness::None && !all_errors;
        match self.algorithm {
            Algorithm::Auto if simple && threads > 1 && self.marks == 0 => Algorithm::Cndfs,
            Algorithm::Auto if simple && threads > 1 => Algorithm::Ufscc,
            Algorithm::Auto => Algorithm::Scc,
            Algorithm::Ufscc if simple => Algorithm::Ufscc,
            chosen if simple && self.marks == 0 => chosen,
            // Fairness and marks require whole components.
            _ => Algorithm::Scc,
        }
    }
}

impl Cycles {
    /// The acceptance marks of a state.
    pub(crate) fn marks(self, flags: Flags) -> u32 {
        u32::from(self.marks == 0 && flags.accepting)
    }

    /// Whether acceptance is defined on edges.
    pub(crate) fn by_edges(self) -> bool {
        self.marks != 0
    }

    /// The marks that a cycle must contain.
    pub(crate) fn all_marks(self) -> u32 {
        if self.marks == 0 { 1 } else { self.marks }
    }
}

/// The acceptance marks of the edge to a successor. Successors take the edges of the observer cyclically.
pub(crate) fn label(marks: &[u32], number: usize) -> u32 {
    if marks.is_empty() { 0 } else { marks[number % marks.len()] }
}

/// Fairness assumptions: the cycles that count.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Fairness {
    /// All cycles.
    #[default]
    None,
    /// Weak fairness: every process that is continuously enabled moves infinitely often.
    Weak,
    /// Strong fairness: every process that is enabled infinitely often moves infinitely often.
    Strong,
    /// Strong fairness of transitions: every transition that is enabled infinitely often is taken infinitely often.
    StrongTransitions,
    /// Impartiality: every process moves infinitely often.
    Impartial,
}

impl Fairness {
    /// The name of the assumption.
    pub fn word(self) -> &'static str {
        match self {
            Fairness::None => "none",
            Fairness::Weak => "weak",
            Fairness::Strong => "strong",
            Fairness::StrongTransitions => "strong-transitions",
            Fairness::Impartial => "impartial",
        }
    }
}

/// Data that all algorithms share.
pub(super) struct LivenessSearch<'w, 'm, 's, S: Store + 'w> {
    search: &'s Search<'s, S>,
    worker: Worker<'w, 'm, S>,
    cycles: Cycles,
    findings: Findings<StateId>,
    /// States on accepting cycles, whose cycles are still to be constructed.
    found: Vec<StateId>,
    /// Known cycles: the first state, and the choices from there on.
    fair_cycles: Vec<(StateId, Vec<u32>)>,
    max_depth: u32,
    /// The depth limit cut off an edge to a state that was not visited then. If that state is visited later on a shorter path,
    /// all states are expanded, but the cycles through the edge were not seen.
    depth_limited: bool,
    depth: u32,
    bytes: u64,
}

impl<'s, S: Store> LivenessSearch<'_, '_, 's, S> {
    /// Whether any accepting cycle ends the search.
    fn stops_early(&self) -> bool {
        self.cycles.fairness == Fairness::None && !self.search.options.all_errors
    }

    /// Checks limits and findings after an expansion. Returns whether the search has ended.
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
            return Ok(self.findings.suffice(self.search.options));
        }
        Ok(false)
    }

    /// Examines a complete component with all acceptance marks. Returns whether the search has ended.
    fn check_component(&mut self, states: &[(StateId, u32)]) -> Result<bool, Limit> {
        if let Some(cycle) = fair_cycle::find(&mut self.worker, states, self.cycles)? {
            self.findings.errors.cycles += 1;
            self.fair_cycles.push(cycle);
            return Ok(!self.search.options.all_errors || self.findings.suffice(self.search.options));
        }
        Ok(false)
    }

    fn conclude(mut self, root: Option<StateId>, mut stop: Option<Limit>) -> Outcome {
        self.findings.collect_in_states(self.worker.errors.take_findings());
        self.findings.errors.cycles += self.found.len() as u64;
        if self.depth_limited {
            stop = stop.or(Some(Limit::Depth(self.max_depth)));
        }
        let cycles = !self.found.is_empty() || !self.fair_cycles.is_empty();
        let end = if cycles && !self.search.options.all_errors {
            self.keep_cycle();
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

    /// Reduces errors that several workers have found to one cycle.
    fn keep_cycle(&mut self) {
        self.findings.kept.clear();
        self.findings.errors = Errors { cycles: 1, ..Errors::default() };
        self.fair_cycles.truncate(1);
        self.found.truncate(1 - self.fair_cycles.len());
    }

    /// The violations with their trails.
    fn violations(&mut self, root: StateId) -> Result<Vec<Violation>, Limit> {
        let mut out = Vec::new();
        for (FoundError { error, ending, .. }, at) in std::mem::take(&mut self.findings.kept) {
            let mut choices = lasso::stem(&mut self.worker, root, at)?;
            self.worker.renumber_choices(root, &mut choices);
            out.push(Violation { error, trail: Trail { choices, ending } });
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
            out.push(Violation { error: ErrorKind::Cycle, trail: Trail { choices, ending } });
        }
        Ok(out)
    }
}

/// Searches for accepting cycles.
pub(super) fn check<S: Store>(search: &Search<'_, S>, factory: Factory<'_, '_>, cycles: Cycles) -> Outcome {
    let mut liveness = LivenessSearch {
        search,
        worker: Worker::new(search, 0, factory()),
        cycles,
        findings: Findings::new(),
        found: Vec::new(),
        fair_cycles: Vec::new(),
        max_depth: search.budget.max_depth.unwrap_or(u32::MAX),
        depth_limited: false,
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
