//! Depth-first search with a [state cache](crate::store::Cache), in bounded memory (state-space caching: Godefroid,
//! Holzmann, Pirottin, *State-space caching revisited*, 1992). Replaced states may be visited again.
//!
//! A state that is on the stack is in the cache and cannot be replaced. Every visited state is expanded, and each of
//! its successors is either in the cache, so visited before, or visited later. All reachable states are therefore
//! visited when the stack is empty, whatever was replaced. The search terminates, because no state is on the stack
//! twice.

use kripke_model::{Batch, Choice, State, Successors, Trail};

use super::error_collector::{ErrorCollector, Findings};
use super::{Factory, Options, ROUND, max_depth};
use crate::budget::{Budget, Limit};
use crate::outcome::{CacheUse, End, Exhausted, Outcome, Statistics, Violation};
use crate::progress::{Progress, Snapshot};
use crate::store::{Cache, Insertion, StateId, Tolerance};

/// Maximum number of steps of all kept paths together. The first path is always kept.
const STEPS: usize = 1 << 24;
/// Steps of the walks that determine the typical length of states.
const WALK: usize = 1000;
/// Number of slots without a memory limit.
const MANY: u64 = 1 << 24;

/// The size of a cache.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct CacheSize {
    /// Number of slots. None means as many as fit into memory.
    pub states: Option<u32>,
    /// Parameters of the probe sequence.
    pub tolerance: Tolerance,
}

/// A state of the current path.
struct Frame {
    slot: u32,
    /// The number of this state among the successors of its parent.
    choice: u32,
    /// The position in the open stack where the successors of this state begin.
    waiting: usize,
}

/// Successors that are not yet visited, the next one last. Each is followed by its length and its number among the
/// successors of its parent.
#[derive(Default)]
struct OpenStack(Vec<u8>);

impl OpenStack {
    fn push(&mut self, state: &State, choice: u32) {
        self.0.extend_from_slice(state);
        self.0.extend((state.len() as u32).to_le_bytes());
        self.0.extend(choice.to_le_bytes());
    }

    fn pop(&mut self, into: &mut Vec<u8>) -> u32 {
        let word = |bytes: &mut Vec<u8>| {
            let at = bytes.len() - 4;
            let word = u32::from_le_bytes(bytes[at..].try_into().expect("four bytes"));
            bytes.truncate(at);
            word
        };
        let choice = word(&mut self.0);
        let length = word(&mut self.0) as usize;
        into.clear();
        into.extend(self.0.drain(self.0.len() - length..));
        choice
    }
}

/// The state of the search.
struct CachedSearch<'a, 'm> {
    options: &'a Options,
    budget: &'a Budget,
    progress: &'a Progress,
    successors: Box<dyn Successors + 'm>,
    cache: Cache,
    path: Vec<Frame>,
    waiting: OpenStack,
    errors: ErrorCollector,
    /// Errors with the choices that lead to them, if there was room.
    findings: Findings<Option<Vec<u32>>>,
    /// Steps of all kept paths.
    steps: usize,
    visits: u64,
    revisits: u64,
    transitions: u64,
    deepest: usize,
    /// Whether a successor was dropped because of the depth limit.
    depth_limited: bool,
    batch: Batch,
}

pub(super) fn explore(
    factory: Factory<'_, '_>,
    options: &Options,
    size: CacheSize,
    budget: &Budget,
    progress: &Progress,
) -> Outcome {
    let mut successors = factory();
    let stride = typical_length(&mut *successors);
    // The rest of the memory is for the open stack.
    let fits = budget.memory.map_or(MANY, |_| budget.capacity().bytes / 8 * 7 / Cache::slot_bytes(stride));
    let slots = size.states.map_or(fits, u64::from);
    let limit = if slots > fits && budget.memory.is_some() || fits == 0 {
        Some(Limit::Memory(budget.memory.unwrap_or(u64::MAX)))
    } else {
        None
    };
    let slots = u32::try_from(slots.min(fits)).unwrap_or(u32::MAX / 2).max(1);
    let mut search = CachedSearch {
        options,
        budget,
        progress,
        successors,
        cache: Cache::new(slots, stride, size.tolerance),
        path: Vec::new(),
        waiting: OpenStack::default(),
        errors: ErrorCollector::new(options),
        findings: Findings::new(),
        steps: 0,
        visits: 0,
        revisits: 0,
        transitions: 0,
        deepest: 0,
        depth_limited: false,
        batch: Batch::new(),
    };
    let stop = limit.map_or_else(|| search.run(), Err).err();
    search.conclude(stop)
}

/// The length of the longest state on a few walks. Longer states are stored at a higher cost.
fn typical_length(successors: &mut dyn Successors) -> usize {
    let mut batch = Batch::new();
    successors.initial(&mut batch);
    let initial = batch.state(0).to_vec();
    let mut longest = initial.len();
    for walk in [0, 1, 7] {
        let mut state = initial.clone();
        for step in 0..WALK {
            batch.clear();
            successors.expand(&state, Choice::All, &mut batch);
            if batch.is_empty() {
                break;
            }
            state.clear();
            state.extend_from_slice(batch.state(walk * step % batch.len()));
            longest = longest.max(state.len());
        }
    }
    longest
}

impl CachedSearch<'_, '_> {
    fn run(&mut self) -> Result<(), Limit> {
        let mut state = Vec::new();
        self.batch.clear();
        self.successors.initial(&mut self.batch);
        state.extend_from_slice(self.batch.state(0));
        self.visit(&state, 0)?;
        while let Some(frame) = self.path.last() {
            if self.is_over() {
                return Ok(());
            }
            if self.waiting.0.len() > frame.waiting {
                let choice = self.waiting.pop(&mut state);
                self.visit(&state, choice)?;
            } else {
                self.cache.close(frame.slot);
                self.path.pop();
            }
        }
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.findings.suffice(self.options) || !self.options.all_errors && self.findings.endless.is_some()
    }

    /// Pushes a state, and its successors that are not in the cache.
    fn visit(&mut self, state: &State, choice: u32) -> Result<(), Limit> {
        if let Some(most) = self.budget.max_states.filter(|&most| self.visits >= most) {
            return if self.cache.contains(state) { self.skip() } else { Err(Limit::States(most)) };
        }
        let slot = match self.cache.insert(state) {
            Insertion::New(slot) => slot,
            Insertion::Known => return self.skip(),
            Insertion::Full => return Err(Limit::Cache(self.cache.slots())),
        };
        self.visits += 1;
        self.path.push(Frame { slot, choice, waiting: self.waiting.0.len() });
        self.deepest = self.deepest.max(self.path.len() - 1);
        self.expand(state);
        if self.visits.is_multiple_of(ROUND as u64) { self.check() } else { Ok(()) }
    }

    fn skip(&mut self) -> Result<(), Limit> {
        self.revisits += 1;
        Ok(())
    }

    fn expand(&mut self, state: &State) {
        self.batch.clear();
        let flags = self.successors.expand(state, Choice::All, &mut self.batch);
        let decode = || self.successors.decode(state);
        self.errors.inspect((StateId::NONE, state), flags, self.batch.findings(), decode);
        if !self.errors.is_empty() {
            self.keep();
        }
        self.transitions += self.batch.len() as u64;
        let within = self.path.len() <= max_depth(self.budget) as usize;
        for n in (0..self.batch.len()).rev() {
            let successor = self.batch.state(n);
            if self.cache.contains(successor) {
                self.revisits += 1;
            } else if within {
                self.waiting.push(successor, n as u32);
            } else {
                self.depth_limited = true;
            }
        }
    }

    /// Keeps the errors found at the end of the path.
    fn keep(&mut self) {
        let path = &self.path;
        let room = self.findings.kept.is_empty() || self.steps + path.len() <= STEPS;
        let choices = || room.then(|| path.iter().skip(1).map(|frame| frame.choice).collect());
        self.findings.collect(self.errors.take_findings(), choices);
        self.steps += path.len();
    }

    fn search_bytes(&self) -> u64 {
        (self.waiting.0.capacity() + self.path.capacity() * size_of::<Frame>()) as u64
    }

    fn check(&self) -> Result<(), Limit> {
        self.report();
        self.budget.check(self.cache.bytes() + self.search_bytes())
    }

    fn report(&self) {
        self.progress.set(Snapshot {
            states: self.visits,
            transitions: self.transitions,
            depth: self.deepest as u64,
            queue: self.path.len() as u64,
            bytes: self.cache.bytes() + self.search_bytes(),
        });
    }

    fn conclude(mut self, stop: Option<Limit>) -> Outcome {
        self.findings.collect(self.errors.take_findings(), || None);
        self.report();
        let end = self.end(stop);
        let statistics = Statistics {
            states: self.visits,
            transitions: self.transitions,
            depth: self.deepest as u64,
            errors: self.findings.errors,
            store: self.options.store,
            state_bytes: self.cache.longest(),
            store_bytes: self.cache.bytes(),
            search_bytes: self.search_bytes(),
            cache: Some(CacheUse {
                slots: self.cache.slots(),
                replaced: self.cache.replaced(),
                revisits: self.revisits,
                probes: self.cache.furthest(),
            }),
            ..Statistics::default()
        };
        let kept = self.findings.kept.into_iter();
        let violations = kept.filter_map(|(found, choices)| {
            let trail = Trail { choices: choices?, ending: found.ending };
            Some(Violation { error: found.error, trail })
        });
        Outcome::new(end, violations.collect(), statistics)
    }

    fn end(&mut self, stop: Option<Limit>) -> End {
        if self.findings.suffice(self.options) {
            if !self.options.all_errors {
                self.findings.keep_first();
            }
            return End::Violation;
        }
        match (stop, self.findings.endless.take()) {
            (Some(limit), _) => End::Stopped(limit),
            (None, Some(finding)) => End::Stopped(Limit::EndlessSequence(finding)),
            (None, None) if self.depth_limited => End::Stopped(Limit::Depth(max_depth(self.budget))),
            (None, None) => End::Exhausted(Exhausted::new(self.findings.errors)),
        }
    }
}
