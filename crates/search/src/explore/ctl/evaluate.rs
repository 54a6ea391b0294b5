//! Evaluation of CTL subformulas in states.

use kripke_model::{Choice, Successors};

use super::super::error_collector::Findings;
use super::super::liveness::notes::StateNotes;
use super::super::liveness::{Cycles, Fairness, fair_cycle};
use super::super::worker::Worker;
use super::super::{ROUND, Search};
use super::formula::{CtlFormula, Operator, SubformulaId};
use super::values::Values;
use super::{Stop, suffice};
use crate::budget::Limit;
use crate::store::{StateId, Store};

/// The known value of a subformula in a state: unknown, true, false, or (any other number) being evaluated.
const UNKNOWN: u32 = 0;
const YES: u32 = u32::MAX;
const NO: u32 = u32::MAX - 1;

/// Entry above each state of the current path.
const FRAME: StateId = StateId::NONE;

/// Flags of a state: its labels are known; it was expanded.
const LABELLED: u8 = 1;
pub(super) const EXPANDED: u8 = 2;

/// The evaluation of a formula: known values, labels and fair cycles.
pub(super) struct Evaluator<'w, 'm, 'f, S: Store + 'w> {
    pub search: &'w Search<'w, S>,
    pub worker: Worker<'w, 'm, S>,
    pub formula: &'f CtlFormula,
    pub findings: Findings<StateId>,
    /// Fair cycles found, with the subformula that asked for them.
    pub fair_cycles: Vec<(SubformulaId, StateId, Vec<u32>)>,
    pub depth: u32,
    max_depth: u32,
    /// The numbers of states in a store that does not number them, counted from 1, and the greatest.
    numbers: StateNotes<u32>,
    numbered: u32,
    /// The number of states that are expanded before several workers take over, less those that were.
    pub alone: u64,
    /// The values of all subformulas in all states, if several workers have computed them.
    values: Option<Values>,
    /// Flags and labels of states, by state number.
    pub flags: Vec<u8>,
    labels: Vec<u64>,
    /// Known values, by subformula and state number.
    known: Vec<Vec<u32>>,
    /// Maximum memory of the stacks, in bytes.
    stack_bytes: u64,
}

/// A depth-first search for a path, component by component (as in [`scc`](super::super::liveness)).
struct PathSearch {
    subformula: SubformulaId,
    /// The current path, with frames of successors that are not yet visited.
    entries: Vec<StateId>,
    /// States of components that are not complete.
    open: Vec<StateId>,
    /// The number of the first state of each of these components.
    roots: Vec<u32>,
    depth: u32,
}

/// The end of the path that a search looks for.
#[derive(Clone, Copy)]
enum Target {
    /// A state in which this subformula holds.
    State(SubformulaId),
    /// A fair cycle, or a state without successors.
    FairCycle,
}

impl<'w, 'm, 'f, S: Store> Evaluator<'w, 'm, 'f, S> {
    pub fn new(search: &'w Search<'w, S>, successors: Box<dyn Successors + 'm>, formula: &'f CtlFormula) -> Self {
        // A state that is first found at the depth limit may have a shorter path.
        let goes_parallel = search.threads > 1 && search.budget.max_depth.is_none();
        Evaluator {
            search,
            worker: Worker::new(search, 0, successors),
            formula,
            findings: Findings::new(),
            fair_cycles: Vec::new(),
            depth: 0,
            max_depth: search.budget.max_depth.unwrap_or(u32::MAX),
            numbers: StateNotes::default(),
            numbered: 0,
            alone: if goes_parallel { search.options.on_the_fly } else { u64::MAX },
            values: None,
            flags: Vec::new(),
            labels: Vec::new(),
            known: vec![Vec::new(); formula.len()],
            stack_bytes: 0,
        }
    }

    /// Memory besides the store, in bytes.
    pub fn bytes(&self) -> u64 {
        let known: usize = self.known.iter().map(|k| k.capacity() * size_of::<u32>()).sum();
        (known + self.flags.capacity() + self.labels.capacity() * size_of::<u64>()) as u64
            + self.numbers.bytes()
            + self.values.as_ref().map_or(0, Values::bytes)
            + self.stack_bytes
    }

    /// The greatest number that the evaluator has assigned, after assigning one to a state.
    pub fn numbered_with(&mut self, id: StateId) -> u32 {
        self.assign_number(id);
        self.numbered
    }

    /// Counts memory of the parallel evaluation.
    pub fn keep_peak(&mut self, bytes: u64) {
        self.stack_bytes = self.stack_bytes.max(bytes);
    }

    /// Uses values that several workers have computed.
    pub fn use_values(&mut self, values: Values) {
        self.values = Some(values);
        self.known.iter_mut().for_each(|known| *known = Vec::new());
    }

    /// Why the findings end the evaluation, if they do.
    pub fn stops_at_findings(&mut self) -> Option<Stop> {
        if let Some(endless) = self.findings.endless.take() {
            return Some(Stop::Limit(Limit::EndlessSequence(endless)));
        }
        suffice(&self.findings, self.search.options).then_some(Stop::Error)
    }

    /// Whether a subformula holds in a state.
    pub fn evaluate(&mut self, subformula: SubformulaId, id: StateId) -> Result<bool, Stop> {
        match self.formula.operator(subformula) {
            Operator::Constant(value) => Ok(value),
            Operator::Atom(bit) => Ok(self.state_labels(id)? >> bit & 1 == 1),
            Operator::Not(x) => Ok(!self.evaluate(x, id)?),
            Operator::And(x, y) if self.formula.is_simple(subformula) => {
                Ok(self.evaluate(x, id)? && self.evaluate(y, id)?)
            }
            // The value is kept: formulas may share subformulas at every level, and evaluation would take exponential
            // time.
            Operator::And(x, y) => {
                if self.known(subformula, id) == UNKNOWN {
                    let both = self.evaluate(x, id)? && self.evaluate(y, id)?;
                    self.set_known(subformula, id, if both { YES } else { NO });
                }
                Ok(self.known(subformula, id) == YES)
            }
            Operator::ExistsNext(x) => {
                if self.known(subformula, id) == UNKNOWN {
                    let some = self.next_with(x, id)?.is_some();
                    self.set_known(subformula, id, if some { YES } else { NO });
                }
                Ok(self.known(subformula, id) == YES)
            }
            Operator::ExistsUntil(x, y) => self.exists_path(subformula, x, Target::State(y), id),
            Operator::ExistsGlobally(x) => self.exists_path(subformula, x, Target::FairCycle, id),
            Operator::AllUntil(x, y) => self.all_until(subformula, x, y, id),
        }
    }

    /// The first successor in which a subformula holds, and its number.
    pub fn next_with(&mut self, subformula: SubformulaId, id: StateId) -> Result<Option<(u32, StateId)>, Stop> {
        for (number, next) in self.successors(id)?.into_iter().enumerate() {
            if self.evaluate(subformula, next)? {
                return Ok(Some((number as u32, next)));
            }
        }
        Ok(None)
    }

    /// The successors of a state. The first call for a state counts as its expansion.
    pub fn successors(&mut self, id: StateId) -> Result<Vec<StateId>, Stop> {
        let mut next = Vec::new();
        if self.flags_of(id) & EXPANDED != 0 {
            self.worker.expand_again(id, Choice::All, |seen| next.push(seen.id))?;
            return Ok(next);
        }
        self.worker.expand(id, |seen| next.push(seen.id))?;
        *self.flags_mut(id) |= EXPANDED;
        if self.worker.is_due(ROUND) {
            self.search.depth.store(u64::from(self.depth), std::sync::atomic::Ordering::Relaxed);
            self.search.check(self.bytes(), 0);
            if let Some(limit) = self.search.take_limit() {
                return Err(Stop::Limit(limit));
            }
        }
        if !self.worker.errors.is_empty() {
            self.findings.collect_in_states(self.worker.errors.take_findings());
            if let Some(stop) = self.stops_at_findings() {
                return Err(stop);
            }
        }
        self.alone = self.alone.saturating_sub(1);
        if self.alone == 0 { Err(Stop::Large) } else { Ok(next) }
    }

    fn flags_of(&self, id: StateId) -> u8 {
        self.number(id).and_then(|at| self.flags.get(at).copied()).unwrap_or(0)
    }

    fn flags_mut(&mut self, id: StateId) -> &mut u8 {
        let at = self.assign_number(id);
        room(&mut self.flags, at)
    }

    /// The number of a state, if it has one.
    fn number(&self, id: StateId) -> Option<usize> {
        if S::NOTES {
            return (self.numbers.get::<S>(&self.worker.handle, id) as usize).checked_sub(1);
        }
        Some(id.number() as usize)
    }

    /// The number of a state. It gets one if it has none.
    fn assign_number(&mut self, id: StateId) -> usize {
        self.number(id).unwrap_or_else(|| {
            self.numbered = self.numbered.checked_add(1).expect("fewer than 2^32 states have values");
            self.numbers.set_first::<S>(&mut self.worker.handle, id, self.numbered);
            self.numbered as usize - 1
        })
    }

    /// The state labels. If evaluating a proposition is a fault, the formula has no value.
    fn state_labels(&mut self, id: StateId) -> Result<u64, Stop> {
        let at = self.assign_number(id);
        if self.flags.get(at).is_none_or(|flags| flags & LABELLED == 0) {
            let Some(labels) = self.worker.state_labels(id) else {
                self.successors(id)?;
                return Err(Stop::Error);
            };
            *room(&mut self.labels, at) = labels;
            *room(&mut self.flags, at) |= LABELLED;
        }
        Ok(self.labels[at])
    }

    fn known(&self, subformula: SubformulaId, id: StateId) -> u32 {
        if let (Some(values), Some(number)) = (&self.values, self.number(id)) {
            return if values.holds(subformula, number as u32) { YES } else { NO };
        }
        let known = &self.known[subformula.index()];
        self.number(id).and_then(|at| known.get(at).copied()).unwrap_or(UNKNOWN)
    }

    /// Whether a subformula is known to have this value in a state.
    pub fn is_known(&self, subformula: SubformulaId, value: bool, id: StateId) -> bool {
        self.known(subformula, id) == if value { YES } else { NO }
    }

    fn set_known(&mut self, subformula: SubformulaId, id: StateId, what: u32) {
        let at = self.assign_number(id);
        *room(&mut self.known[subformula.index()], at) = what;
    }

    fn reach(&mut self, depth: u32) -> Result<(), Stop> {
        self.depth = self.depth.max(depth);
        if depth > self.max_depth { Err(Stop::Limit(Limit::Depth(self.max_depth))) } else { Ok(()) }
    }

    /// `E[x U target]`, by a search for strongly connected components.
    fn exists_path(
        &mut self,
        subformula: SubformulaId,
        x: SubformulaId,
        target: Target,
        start: StateId,
    ) -> Result<bool, Stop> {
        match self.known(subformula, start) {
            YES => return Ok(true),
            NO => return Ok(false),
            _ => {}
        }
        let mut path_search =
            PathSearch { subformula, entries: vec![start], open: Vec::new(), roots: Vec::new(), depth: 0 };
        while let Some(&top) = path_search.entries.last() {
            let reached = if top == FRAME {
                self.close(&mut path_search, target)?
            } else {
                match self.known(subformula, top) {
                    UNKNOWN => self.open(&mut path_search, x, target, top)?,
                    YES => true,
                    NO => {
                        path_search.entries.pop();
                        false
                    }
                    order => {
                        path_search.entries.pop();
                        while path_search.roots.last().is_some_and(|root| *root > order) {
                            path_search.roots.pop();
                        }
                        false
                    }
                }
            };
            if reached {
                // Every open state has a path to the current path, and so to its end.
                path_search.open.iter().for_each(|id| self.set_known(subformula, *id, YES));
                return Ok(true);
            }
        }
        self.stack_bytes = self.stack_bytes.max(path_search.bytes());
        Ok(false)
    }

    /// Visits a new state. Returns whether it is the target.
    fn open(
        &mut self,
        path_search: &mut PathSearch,
        x: SubformulaId,
        target: Target,
        id: StateId,
    ) -> Result<bool, Stop> {
        if let Target::State(y) = target
            && self.evaluate(y, id)?
        {
            self.set_known(path_search.subformula, id, YES);
            return Ok(true);
        }
        if !self.evaluate(x, id)? {
            self.set_known(path_search.subformula, id, NO);
            path_search.entries.pop();
            return Ok(false);
        }
        self.reach(path_search.depth)?;
        let next = self.successors(id)?;
        if next.is_empty() && matches!(target, Target::FairCycle) && self.formula.fairness() != Fairness::Impartial {
            self.set_known(path_search.subformula, id, YES);
            return Ok(true);
        }
        path_search.open.push(id);
        let order = path_search.open.len() as u32;
        self.set_known(path_search.subformula, id, order);
        path_search.roots.push(order);
        path_search.entries.push(FRAME);
        path_search.entries.extend(next.into_iter().rev());
        path_search.depth += 1;
        Ok(false)
    }

    /// Completes the last state of the path, whose successors were all visited. Returns whether it closes a target
    /// cycle.
    fn close(&mut self, path_search: &mut PathSearch, target: Target) -> Result<bool, Stop> {
        path_search.entries.pop();
        let id = path_search.entries.pop().expect("a frame is above a state");
        path_search.depth -= 1;
        let order = self.known(path_search.subformula, id);
        if path_search.roots.last() != Some(&order) {
            return Ok(false);
        }
        let first = order as usize - 1;
        if let Target::FairCycle = target {
            let states: Vec<(StateId, u32)> = path_search.open[first..].iter().map(|id| (*id, 1)).collect();
            let cycles = Cycles { fairness: self.formula.fairness(), ..Cycles::default() };
            if let Some((at, cycle)) = fair_cycle::find(&mut self.worker, &states, cycles)? {
                self.fair_cycles.push((path_search.subformula, at, cycle));
                return Ok(true);
            }
        }
        path_search.roots.pop();
        for id in path_search.open.drain(first..) {
            self.set_known(path_search.subformula, id, NO);
        }
        Ok(false)
    }

    /// `A[x U y]` without fairness. It is false if a path returns to itself or ends before `y` holds.
    fn all_until(
        &mut self,
        subformula: SubformulaId,
        x: SubformulaId,
        y: SubformulaId,
        start: StateId,
    ) -> Result<bool, Stop> {
        const ON_PATH: u32 = 1;
        let (mut entries, mut depth) = (vec![start], 0);
        while let Some(&top) = entries.last() {
            if top == FRAME {
                entries.pop();
                let id = entries.pop().expect("a frame is above a state");
                depth -= 1;
                self.set_known(subformula, id, YES);
                continue;
            }
            if self.known(subformula, top) == UNKNOWN {
                if self.evaluate(y, top)? {
                    self.set_known(subformula, top, YES);
                } else if !self.evaluate(x, top)? {
                    self.set_known(subformula, top, NO);
                } else {
                    self.reach(depth)?;
                    let next = self.successors(top)?;
                    if !next.is_empty() {
                        self.set_known(subformula, top, ON_PATH);
                        depth += 1;
                        entries.push(FRAME);
                        entries.extend(next.into_iter().rev());
                        continue;
                    }
                    self.set_known(subformula, top, NO);
                }
            }
            if self.known(subformula, top) != YES {
                let path = entries.windows(2).filter(|pair| pair[1] == FRAME).map(|pair| pair[0]);
                path.for_each(|id| self.set_known(subformula, id, NO));
                return Ok(false);
            }
            entries.pop();
        }
        self.stack_bytes = self.stack_bytes.max((entries.capacity() * size_of::<StateId>()) as u64);
        Ok(true)
    }
}

impl PathSearch {
    fn bytes(&self) -> u64 {
        let ids = self.entries.capacity() + self.open.capacity();
        (ids * size_of::<StateId>() + self.roots.capacity() * size_of::<u32>()) as u64
    }
}

/// The element for a state in a vector indexed by state number. The vector grows on demand.
fn room<T: Clone + Default>(list: &mut Vec<T>, at: usize) -> &mut T {
    if at >= list.len() {
        list.resize((at + 1).next_power_of_two(), T::default());
    }
    &mut list[at]
}
