//! The one search loop: take work, expand, judge, intern, sort new from seen, push.
//!
//! Orders of search differ only in their [`Frontier`].

mod bfs;
mod dfs;
mod judge;
mod trail;

use kripke_model::{Batch, Choice, Successors};

use crate::budget::{Budget, Limit};
use crate::outcome::{End, Exhausted, Outcome, Statistics};
use crate::progress::{Progress, Snapshot};
use crate::store::{ExactStore, Omission, Seen, StateId, Store};
use judge::Judge;

/// What to look for, and in which order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    pub order: Order,
    /// Count all errors instead of stopping at the first.
    pub all_errors: bool,
    /// Whether a failed assertion is an error.
    pub assertions: bool,
    /// Whether an invalid end state is an error.
    pub end_states: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Nearest first: the violation found has a shortest trail.
    BreadthFirst,
    /// The first successor not yet visited goes first.
    DepthFirst,
}

impl Default for Options {
    fn default() -> Options {
        Options { order: Order::BreadthFirst, all_errors: false, assertions: true, end_states: true }
    }
}

/// Explores with an exact store.
pub fn explore(successors: &mut dyn Successors, options: &Options, budget: &Budget, progress: &Progress) -> Outcome {
    let store = ExactStore::new(budget.capacity()).without_comparing(successors.uncompared());
    explore_with(store, successors, options, budget, progress)
}

/// Explores with a store of your own, empty so far, which should keep to [`Budget::capacity`].
pub fn explore_with(
    store: impl Store,
    successors: &mut dyn Successors,
    options: &Options,
    budget: &Budget,
    progress: &Progress,
) -> Outcome {
    let search = Search {
        successors,
        budget,
        progress,
        store,
        parents: Vec::new(),
        judge: Judge::new(options),
        transitions: 0,
        expanded: 0,
        unchecked: 0,
        round: Round::default(),
    };
    let max_depth = budget.max_depth.unwrap_or(u32::MAX);
    match options.order {
        Order::BreadthFirst => search.run(bfs::Levels::new(max_depth)),
        Order::DepthFirst => search.run(dfs::Stack::new(max_depth)),
    }
}

/// How many states are expanded before their successors are interned together, where the order allows it, and how
/// often the budget is checked.
const ROUND: usize = 32;

/// Successors after which they are interned in any case.
const CROWD: usize = 1 << 12;

/// The states that are known and wait to be expanded.
trait Frontier {
    fn start(&mut self, root: StateId);

    /// Appends up to [`ROUND`] states to be expanded now; none if there are no more.
    fn take(&mut self, work: &mut Vec<StateId>);

    /// Takes note of the successors of `parent`, one of the states taken last. `parents` has the link of every state
    /// known before and must get those of the new ones.
    fn push(&mut self, parent: StateId, successors: &[Seen], parents: &mut Vec<StateId>);

    /// The greatest depth of a state taken so far.
    fn depth(&self) -> u32;

    fn waiting(&self) -> u64;

    fn bytes(&self) -> u64;
}

/// Why the loop was left before the frontier ran empty.
enum Stop {
    Violation,
    Limit(Limit),
}

struct Search<'a, S> {
    successors: &'a mut dyn Successors,
    budget: &'a Budget,
    progress: &'a Progress,
    store: S,
    /// From where each state was reached; the initial state from itself.
    parents: Vec<StateId>,
    judge: Judge,
    transitions: u64,
    expanded: u64,
    /// States expanded since the budget was checked.
    unchecked: usize,
    round: Round,
}

/// What one turn of the loop works on. Reused from turn to turn.
#[derive(Default)]
struct Round {
    /// Still to be expanded.
    work: Vec<StateId>,
    batch: Batch,
    /// Where the successors of each state expanded end in the batch.
    ends: Vec<usize>,
    seen: Vec<Seen>,
    state: Vec<u8>,
}

impl<S: Store> Search<'_, S> {
    fn run(mut self, mut frontier: impl Frontier) -> Outcome {
        let end = match self.search(&mut frontier) {
            Ok(()) => self.conclude(),
            Err(Stop::Violation) => End::Violation,
            Err(Stop::Limit(limit)) => End::Stopped(limit),
        };
        self.report(&frontier);
        let statistics = Statistics {
            states: self.store.len(),
            depth: u64::from(frontier.depth()),
            errors: self.judge.errors(),
            state_bytes: self.store.longest(),
            store_bytes: self.store.bytes(),
            search_bytes: self.search_bytes(&frontier),
            transitions: self.transitions,
        };
        let violations = trail::rebuild(self.judge.found(), self.successors, &self.store, &self.parents);
        Outcome { end, violations, statistics }
    }

    fn search(&mut self, frontier: &mut impl Frontier) -> Result<(), Stop> {
        self.begin(frontier)?;
        loop {
            self.round.work.clear();
            frontier.take(&mut self.round.work);
            if self.round.work.is_empty() {
                return Ok(());
            }
            self.check(frontier)?;
            while !self.round.work.is_empty() {
                self.expand()?;
                self.intern()?;
                self.push(frontier);
            }
        }
    }

    fn begin(&mut self, frontier: &mut impl Frontier) -> Result<(), Stop> {
        self.successors.initial(&mut self.round.batch);
        assert_eq!(self.round.batch.len(), 1, "a model has one initial state");
        self.intern()?;
        // Not the end of an edge.
        self.transitions = 0;
        let root = self.round.seen[0].id;
        self.parents.push(root);
        frontier.start(root);
        Ok(())
    }

    fn check(&mut self, frontier: &impl Frontier) -> Result<(), Stop> {
        self.unchecked += self.round.work.len();
        if self.unchecked >= ROUND {
            self.unchecked = 0;
            self.report(frontier);
            let bytes = self.store.bytes() + self.search_bytes(frontier);
            self.budget.check(bytes).map_err(Stop::Limit)?;
        }
        Ok(())
    }

    /// Expands the states of the round, or the first of them if they have very many successors.
    fn expand(&mut self) -> Result<(), Stop> {
        let Round { work, batch, ends, state, .. } = &mut self.round;
        batch.clear();
        ends.clear();
        for &id in &*work {
            if batch.len() > CROWD {
                break;
            }
            let findings = batch.findings().len();
            self.store.fetch(id, state);
            let flags = self.successors.expand(state, Choice::All, batch);
            ends.push(batch.len());
            self.judge.judge(id, flags, &batch.findings()[findings..])?;
        }
        self.expanded += ends.len() as u64;
        Ok(())
    }

    fn intern(&mut self) -> Result<(), Stop> {
        let Round { batch, seen, .. } = &mut self.round;
        let interned = self.store.intern(batch, seen);
        self.transitions += seen.len() as u64;
        interned.map_err(|full| Stop::Limit(self.budget.limit(full)))
    }

    fn push(&mut self, frontier: &mut impl Frontier) {
        let Round { work, ends, seen, .. } = &mut self.round;
        let mut start = 0;
        for (parent, &end) in work.drain(..ends.len()).zip(&*ends) {
            frontier.push(parent, &seen[start..end], &mut self.parents);
            start = end;
        }
    }

    /// The frontier ran empty. That is a complete search if all states known were expanded, the store compares states
    /// in full, and no sequence was cut off.
    fn conclude(&mut self) -> End {
        if let Some(finding) = self.judge.take_endless() {
            End::Stopped(Limit::EndlessSequence(finding))
        } else if self.expanded != self.store.len() {
            End::Stopped(Limit::Depth(self.budget.max_depth.unwrap_or(u32::MAX)))
        } else if self.store.omission() != Omission::Exact {
            End::Stopped(Limit::LossyStore)
        } else {
            End::Exhausted(Exhausted::new(self.judge.errors()))
        }
    }

    fn search_bytes(&self, frontier: &impl Frontier) -> u64 {
        (self.parents.len() * size_of::<StateId>()) as u64 + frontier.bytes()
    }

    fn report(&self, frontier: &impl Frontier) {
        self.progress.set(Snapshot {
            states: self.store.len(),
            transitions: self.transitions,
            depth: u64::from(frontier.depth()),
            queue: frontier.waiting(),
            bytes: self.store.bytes() + self.search_bytes(frontier),
        });
    }
}
