//! Evaluating a part of a formula in a state.

use kripke_model::{Choice, Successors};

use super::super::error_collector::Findings;
use super::super::liveness::{Cycles, Fairness, fair_cycle};
use super::super::worker::Worker;
use super::super::{ROUND, Search};
use super::Stop;
use super::formula::{Branching, Part, PartId};
use crate::budget::Limit;
use crate::store::{StateId, Store};

/// What is known of a state and a part: nothing, an answer, or (any other number) that it is being looked at.
const UNKNOWN: u32 = 0;
const YES: u32 = u32::MAX;
const NO: u32 = u32::MAX - 1;

/// Above each state of the current path in a stack.
const FRAME: StateId = StateId::NONE;

/// Of a state: its atoms are known; it was expanded.
const JUDGED: u8 = 1;
const EXPANDED: u8 = 2;

pub(super) struct Evaluator<'w, 'm, 'f, S: Store + 'w> {
    pub search: &'w Search<'w, S>,
    pub worker: Worker<'w, 'm, S>,
    pub formula: &'f Branching,
    pub findings: Findings<StateId>,
    /// Fair cycles that were met, and by which part.
    pub tours: Vec<(PartId, StateId, Vec<u32>)>,
    pub depth: u32,
    max_depth: u32,
    /// Per state, in the order of their numbers.
    facts: Vec<u8>,
    atoms: Vec<u64>,
    /// Per part with a temporal operator, and state.
    known: Vec<Vec<u32>>,
    /// Of all stacks, as far as they grew.
    stack_bytes: u64,
}

/// A search for a way on which something holds, component by component (as in [`scc`](super::super::liveness)).
struct Hunt {
    part: PartId,
    /// Successors still to be looked at, and the path.
    entries: Vec<StateId>,
    /// States of components that are not done.
    open: Vec<StateId>,
    /// The number of the first state of each of these.
    roots: Vec<u32>,
    depth: u32,
}

/// What a hunt is for.
#[derive(Clone, Copy)]
enum Prey {
    /// A state with this.
    State(PartId),
    /// A cycle that is fair, or an end.
    FairCycle,
}

impl<'w, 'm, 'f, S: Store> Evaluator<'w, 'm, 'f, S> {
    pub fn new(search: &'w Search<'w, S>, successors: Box<dyn Successors + 'm>, formula: &'f Branching) -> Self {
        Evaluator {
            search,
            worker: Worker::new(search, 0, successors),
            formula,
            findings: Findings::new(),
            tours: Vec::new(),
            depth: 0,
            max_depth: search.budget.max_depth.unwrap_or(u32::MAX),
            facts: Vec::new(),
            atoms: Vec::new(),
            known: vec![Vec::new(); formula.len()],
            stack_bytes: 0,
        }
    }

    /// Memory beside the store.
    pub fn bytes(&self) -> u64 {
        let known: usize = self.known.iter().map(|k| k.capacity() * size_of::<u32>()).sum();
        (known + self.facts.capacity() + self.atoms.capacity() * size_of::<u64>()) as u64 + self.stack_bytes
    }

    /// Whether a part holds in a state.
    pub fn judge(&mut self, part: PartId, id: StateId) -> Result<bool, Stop> {
        match self.formula.part(part) {
            Part::Constant(value) => Ok(value),
            Part::Atom(bit) => Ok(self.atoms(id)? >> bit & 1 == 1),
            Part::Not(x) => Ok(!self.judge(x, id)?),
            Part::And(x, y) if self.formula.is_simple(part) => Ok(self.judge(x, id)? && self.judge(y, id)?),
            // Formulas may use the same part twice on every level.
            Part::And(x, y) => {
                if self.known(part, id) == UNKNOWN {
                    let both = self.judge(x, id)? && self.judge(y, id)?;
                    self.learn(part, id, if both { YES } else { NO });
                }
                Ok(self.known(part, id) == YES)
            }
            Part::Next(x) => {
                if self.known(part, id) == UNKNOWN {
                    let some = self.next_with(x, id)?.is_some();
                    self.learn(part, id, if some { YES } else { NO });
                }
                Ok(self.known(part, id) == YES)
            }
            Part::Until(x, y) => self.hunt(part, x, Prey::State(y), id),
            Part::Stays(x) => self.hunt(part, x, Prey::FairCycle, id),
            Part::Inevitable(x, y) => self.inevitable(part, x, y, id),
        }
    }

    /// The first successor with this, and its number.
    pub fn next_with(&mut self, part: PartId, id: StateId) -> Result<Option<(u32, StateId)>, Stop> {
        for (number, next) in self.successors(id)?.into_iter().enumerate() {
            if self.judge(part, next)? {
                return Ok(Some((number as u32, next)));
            }
        }
        Ok(None)
    }

    pub fn successors(&mut self, id: StateId) -> Result<Vec<StateId>, Stop> {
        let mut next = Vec::new();
        if self.fact(id) & EXPANDED != 0 {
            self.worker.expand_again(id, Choice::All, |seen| next.push(seen.id))?;
            return Ok(next);
        }
        self.worker.expand(id, |seen| next.push(seen.id))?;
        *self.fact_mut(id) |= EXPANDED;
        if self.worker.is_due(ROUND) {
            self.search.depth.store(u64::from(self.depth), std::sync::atomic::Ordering::Relaxed);
            self.search.check(self.bytes(), 0);
            if let Some(limit) = self.search.take_limit() {
                return Err(Stop::Limit(limit));
            }
        }
        if !self.worker.judge.is_content() {
            self.findings.collect_in_states(self.worker.judge.hand_over());
            if let Some(endless) = self.findings.endless.take() {
                return Err(Stop::Limit(Limit::EndlessSequence(endless)));
            }
            let kept = &self.findings.kept;
            if !self.search.options.all_errors && !kept.is_empty() || kept.iter().any(|(found, _)| found.is_of_goal()) {
                return Err(Stop::Found);
            }
        }
        Ok(next)
    }

    fn fact(&self, id: StateId) -> u8 {
        self.facts.get(id.number() as usize).copied().unwrap_or(0)
    }

    fn fact_mut(&mut self, id: StateId) -> &mut u8 {
        room(&mut self.facts, id)
    }

    /// Where evaluating them is a fault, the formula has no answer.
    fn atoms(&mut self, id: StateId) -> Result<u64, Stop> {
        if self.fact(id) & JUDGED == 0 {
            let Some(atoms) = self.worker.atoms(id) else {
                self.successors(id)?;
                return Err(Stop::Found);
            };
            *room(&mut self.atoms, id) = atoms;
            *self.fact_mut(id) |= JUDGED;
        }
        Ok(self.atoms[id.number() as usize])
    }

    fn known(&self, part: PartId, id: StateId) -> u32 {
        self.known[part.index()].get(id.number() as usize).copied().unwrap_or(UNKNOWN)
    }

    /// Whether it was found out that a part has this value in a state.
    pub fn knows(&self, part: PartId, value: bool, id: StateId) -> bool {
        self.known(part, id) == if value { YES } else { NO }
    }

    fn learn(&mut self, part: PartId, id: StateId, what: u32) {
        *room(&mut self.known[part.index()], id) = what;
    }

    fn reach(&mut self, depth: u32) -> Result<(), Stop> {
        self.depth = self.depth.max(depth);
        if depth > self.max_depth { Err(Stop::Limit(Limit::Depth(self.max_depth))) } else { Ok(()) }
    }

    /// On some path `x` until there is what is hunted for.
    fn hunt(&mut self, part: PartId, x: PartId, prey: Prey, start: StateId) -> Result<bool, Stop> {
        match self.known(part, start) {
            YES => return Ok(true),
            NO => return Ok(false),
            _ => {}
        }
        let mut hunt = Hunt { part, entries: vec![start], open: Vec::new(), roots: Vec::new(), depth: 0 };
        while let Some(&top) = hunt.entries.last() {
            let caught = if top == FRAME {
                self.close(&mut hunt, prey)?
            } else {
                match self.known(part, top) {
                    UNKNOWN => self.open(&mut hunt, x, prey, top)?,
                    YES => true,
                    NO => {
                        hunt.entries.pop();
                        false
                    }
                    order => {
                        hunt.entries.pop();
                        while hunt.roots.last().is_some_and(|root| *root > order) {
                            hunt.roots.pop();
                        }
                        false
                    }
                }
            };
            if caught {
                // From every open state there is a way to the path, and so to its end.
                hunt.open.iter().for_each(|id| self.learn(part, *id, YES));
                return Ok(true);
            }
        }
        self.stack_bytes = self.stack_bytes.max(hunt.bytes());
        Ok(false)
    }

    /// A state that was not seen by this hunt. Whether it is where the hunt ends.
    fn open(&mut self, hunt: &mut Hunt, x: PartId, prey: Prey, id: StateId) -> Result<bool, Stop> {
        if let Prey::State(y) = prey
            && self.judge(y, id)?
        {
            self.learn(hunt.part, id, YES);
            return Ok(true);
        }
        if !self.judge(x, id)? {
            self.learn(hunt.part, id, NO);
            hunt.entries.pop();
            return Ok(false);
        }
        self.reach(hunt.depth)?;
        let next = self.successors(id)?;
        if next.is_empty() && matches!(prey, Prey::FairCycle) && self.formula.fairness() != Fairness::Impartial {
            self.learn(hunt.part, id, YES);
            return Ok(true);
        }
        hunt.open.push(id);
        let order = hunt.open.len() as u32;
        self.learn(hunt.part, id, order);
        hunt.roots.push(order);
        hunt.entries.push(FRAME);
        hunt.entries.extend(next.into_iter().rev());
        hunt.depth += 1;
        Ok(false)
    }

    /// All successors of the last state of the path have been looked at. Whether that ends the hunt.
    fn close(&mut self, hunt: &mut Hunt, prey: Prey) -> Result<bool, Stop> {
        hunt.entries.pop();
        let id = hunt.entries.pop().expect("a frame is above a state");
        hunt.depth -= 1;
        let order = self.known(hunt.part, id);
        if hunt.roots.last() != Some(&order) {
            return Ok(false);
        }
        let first = order as usize - 1;
        if let Prey::FairCycle = prey {
            let states: Vec<(StateId, u32)> = hunt.open[first..].iter().map(|id| (*id, 1)).collect();
            let cycles = Cycles { fairness: self.formula.fairness(), ..Cycles::default() };
            if let Some((at, tour)) = fair_cycle::tour(&mut self.worker, &states, cycles)? {
                self.tours.push((hunt.part, at, tour));
                return Ok(true);
            }
        }
        hunt.roots.pop();
        for id in hunt.open.drain(first..) {
            *room(&mut self.known[hunt.part.index()], id) = NO;
        }
        Ok(false)
    }

    /// On all paths `x` until `y`, which comes. Lost where a path comes back to itself or ends before.
    fn inevitable(&mut self, part: PartId, x: PartId, y: PartId, start: StateId) -> Result<bool, Stop> {
        const ON_PATH: u32 = 1;
        let (mut entries, mut depth) = (vec![start], 0);
        while let Some(&top) = entries.last() {
            if top == FRAME {
                entries.pop();
                let id = entries.pop().expect("a frame is above a state");
                depth -= 1;
                self.learn(part, id, YES);
                continue;
            }
            if self.known(part, top) == UNKNOWN {
                if self.judge(y, top)? {
                    self.learn(part, top, YES);
                } else if !self.judge(x, top)? {
                    self.learn(part, top, NO);
                } else {
                    self.reach(depth)?;
                    let next = self.successors(top)?;
                    if !next.is_empty() {
                        self.learn(part, top, ON_PATH);
                        depth += 1;
                        entries.push(FRAME);
                        entries.extend(next.into_iter().rev());
                        continue;
                    }
                    self.learn(part, top, NO);
                }
            }
            if self.known(part, top) != YES {
                let path = entries.windows(2).filter(|pair| pair[1] == FRAME).map(|pair| pair[0]);
                path.for_each(|id| *room(&mut self.known[part.index()], id) = NO);
                return Ok(false);
            }
            entries.pop();
        }
        self.stack_bytes = self.stack_bytes.max((entries.capacity() * size_of::<StateId>()) as u64);
        Ok(true)
    }
}

impl Hunt {
    fn bytes(&self) -> u64 {
        let ids = self.entries.capacity() + self.open.capacity();
        (ids * size_of::<StateId>() + self.roots.capacity() * size_of::<u32>()) as u64
    }
}

/// The place of a state in a list by numbers, which grows if need be.
fn room<T: Clone + Default>(list: &mut Vec<T>, id: StateId) -> &mut T {
    let at = id.number() as usize;
    if at >= list.len() {
        list.resize((at + 1).next_power_of_two(), T::default());
    }
    &mut list[at]
}
