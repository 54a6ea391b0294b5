//! The values of all subformulas in all reachable states, as sets of states: the textbook fixpoints (Clarke, Emerson and Sistla,
//! 1986), each computed backwards from the states in which the operand holds, by all workers.

use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

use super::super::Search;
use super::super::work_sharing::WorkSharing;
use super::formula::{CtlFormula, Operator, SubformulaId};
use super::transition_graph::{TransitionGraph, in_parallel};
use crate::store::Store;

/// Words of a set that a worker takes at once.
const CHUNK: usize = 64;

/// States between two looks at the limits and at idle workers.
const LOOK: usize = 1 << 10;

/// A set of states, by number.
struct StateSet(Vec<AtomicU64>);

impl StateSet {
    fn new(states: usize) -> StateSet {
        StateSet((0..states.div_ceil(64)).map(|_| AtomicU64::new(0)).collect())
    }

    fn contains(&self, state: u32) -> bool {
        self.0[state as usize / 64].load(Ordering::Relaxed) >> (state % 64) & 1 == 1
    }

    /// Adds a state. Returns whether it was not in the set.
    fn insert(&self, state: u32) -> bool {
        let (word, bit) = (&self.0[state as usize / 64], 1 << (state % 64));
        word.load(Ordering::Relaxed) & bit == 0 && word.fetch_or(bit, Ordering::Relaxed) & bit == 0
    }

    /// The states of some of its words.
    fn states(&self, words: std::ops::Range<usize>) -> impl Iterator<Item = u32> {
        words.flat_map(|at| {
            let word = self.0[at].load(Ordering::Relaxed);
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| at as u32 * 64 + bit)
        })
    }

    fn bytes(&self) -> u64 {
        (self.0.len() * size_of::<u64>()) as u64
    }
}

/// The set of states of each subformula.
pub(super) struct Values(Vec<StateSet>);

/// The data of one computation.
struct Computation<'c, 's, S> {
    graph: &'c TransitionGraph,
    search: &'s Search<'s, S>,
    values: Values,
}

impl Values {
    /// The values of all subformulas of a formula without fairness. They are valid unless the search was stopped.
    pub fn compute<S: Store>(formula: &CtlFormula, graph: &TransitionGraph, search: &Search<'_, S>) -> Values {
        let mut computation = Computation { graph, search, values: Values(Vec::new()) };
        // Operands precede the subformulas that they are part of.
        for subformula in formula.subformulas() {
            let set = computation.set(formula.operator(subformula));
            computation.values.0.push(set);
        }
        computation.values
    }

    /// Whether a subformula holds in a state.
    pub fn holds(&self, subformula: SubformulaId, state: u32) -> bool {
        self.0[subformula.index()].contains(state)
    }

    pub fn bytes(&self) -> u64 {
        self.0.iter().map(StateSet::bytes).sum()
    }
}

impl<S: Store> Computation<'_, '_, S> {
    fn of(&self, subformula: SubformulaId) -> &StateSet {
        &self.values.0[subformula.index()]
    }

    /// The states in which an operator holds.
    fn set(&self, operator: Operator) -> StateSet {
        let set = StateSet::new(self.graph.len());
        match operator {
            Operator::Constant(value) => self.combine(&set, |_| if value { u64::MAX } else { 0 }),
            Operator::Atom(bit) => self.for_each_state(|state| {
                if state.labels >> bit & 1 == 1 {
                    set.insert(state.number);
                }
            }),
            Operator::Not(x) => self.combine(&set, |at| !self.word(x, at)),
            Operator::And(x, y) => self.combine(&set, |at| self.word(x, at) & self.word(y, at)),
            Operator::ExistsNext(x) => self.exists_next(&set, self.of(x)),
            Operator::ExistsUntil(x, y) => {
                let x = self.of(x);
                self.close_backwards(&set, self.of(y), |state| x.contains(state));
            }
            Operator::AllUntil(x, y) => self.all_until(&set, self.of(x), self.of(y)),
            Operator::ExistsGlobally(_) => unreachable!("fair paths are searched by one worker"),
        }
        set
    }

    fn word(&self, subformula: SubformulaId, at: usize) -> u64 {
        self.of(subformula).0[at].load(Ordering::Relaxed)
    }

    /// Sets each word of a set. Bits of numbers that no state has are arbitrary: no transition leads to them.
    fn combine(&self, set: &StateSet, word: impl Fn(usize) -> u64 + Sync) {
        self.for_each_chunk(set, |words| words.for_each(|at| set.0[at].store(word(at), Ordering::Relaxed)));
    }

    /// Calls `part` with all words of a set, in chunks, until the search is stopped.
    fn for_each_chunk(&self, set: &StateSet, part: impl Fn(std::ops::Range<usize>) + Sync) {
        let next = AtomicUsize::new(0);
        in_parallel(self.search.threads, |number| {
            while let Some(words) = take_chunk(&next, set) {
                part(words);
                self.check(number);
            }
        });
    }

    fn for_each_state(&self, part: impl Fn(&super::transition_graph::LoggedState) + Sync) {
        in_parallel(self.search.threads, |number| self.graph.states_of(number).iter().for_each(&part));
    }

    /// `EX x`
    fn exists_next(&self, set: &StateSet, x: &StateSet) {
        self.for_each_chunk(x, |words| {
            for state in x.states(words).filter(|state| (*state as usize) < self.graph.len()) {
                self.graph.predecessors(state).for_each(|before| {
                    set.insert(before);
                });
            }
        });
    }

    /// `A[x U y]`: a state with `x` is added when the last of its transitions leads to the set.
    fn all_until(&self, set: &StateSet, x: &StateSet, y: &StateSet) {
        let left: Vec<AtomicU32> = (0..self.graph.len()).map(|_| AtomicU32::new(0)).collect();
        self.for_each_state(|state| left[state.number as usize].store(state.transitions, Ordering::Relaxed));
        self.close_backwards(set, y, |state| {
            x.contains(state) && !y.contains(state) && left[state as usize].fetch_sub(1, Ordering::Relaxed) == 1
        });
    }

    /// Adds the seeds to a set and, for each transition to a state of the set, its source if `admits` returns true. It is called
    /// once for each such transition, unless the source is in the set already.
    fn close_backwards(&self, set: &StateSet, seeds: &StateSet, admits: impl Fn(u32) -> bool + Sync) {
        let (next, work) = (AtomicUsize::new(0), WorkSharing::<Vec<u32>>::new(self.search.threads, Vec::new()));
        in_parallel(self.search.threads, |number| {
            let _end = work.end_on_drop();
            let mut stack = Vec::new();
            while let Some(words) = take_chunk(&next, seeds) {
                let seeds = seeds.states(words).filter(|state| (*state as usize) < self.graph.len());
                stack.extend(seeds.filter(|state| set.insert(*state)));
                self.descend(number, &mut stack, set, &work, &admits);
            }
            while !self.search.is_stopped()
                && let Some(taken) = work.take()
            {
                stack = taken;
                self.descend(number, &mut stack, set, &work, &admits);
            }
        });
    }

    /// Follows transitions backwards from the states on a stack.
    fn descend(
        &self,
        number: usize,
        stack: &mut Vec<u32>,
        set: &StateSet,
        work: &WorkSharing<Vec<u32>>,
        admits: &impl Fn(u32) -> bool,
    ) {
        let mut steps = 0;
        while let Some(state) = stack.pop() {
            let before = self.graph.predecessors(state);
            stack.extend(before.filter(|before| !set.contains(*before) && admits(*before) && set.insert(*before)));
            steps += 1;
            if steps % LOOK == 0 {
                self.check(number);
                if self.search.is_stopped() {
                    return stack.clear();
                }
                if work.is_wanted() && stack.len() > 1 {
                    work.offer(|| Some(stack.drain(..stack.len() / 2).collect()));
                }
            }
        }
    }

    /// Checks the limits.
    fn check(&self, worker: usize) {
        if worker == 0 {
            self.search.check(self.graph.bytes() + self.values.bytes(), 0);
        }
    }
}

/// The next words of a set that no worker has taken.
fn take_chunk(next: &AtomicUsize, set: &StateSet) -> Option<std::ops::Range<usize>> {
    let first = next.fetch_add(CHUNK, Ordering::Relaxed);
    (first < set.0.len()).then(|| first..(first + CHUNK).min(set.0.len()))
}
