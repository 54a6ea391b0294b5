//! A test of ample sets during a search.
//!
//! [`Independence`](super::Independence) claims C1 and C2 for all executions of the processes outside of an ample
//! set. An audit executes a few of these and checks that the enabled transitions and findings of the ample set stay
//! the same, that its transitions commute with those of the other processes, and that they are invisible.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use kripke_model::Representation;
use kripke_model::interpret::Interpreter;
use kripke_model::ir::{Expr, Guard, Model, Process, Then};
use kripke_model::layout::{ObserverAt, StartError};
use kripke_model::{Batch, Choice, State, Successors};

/// The length of the executions of the other processes.
const MAX_DEPTH: usize = 4;
/// The most states that are checked for one ample set.
const MAX_STATES: usize = 48;
/// The most successors that are followed from each state but the first.
const MAX_SUCCESSORS: usize = 3;

/// The result of the audits of all threads.
#[derive(Default, Debug)]
pub struct Record {
    audited: AtomicU64,
    /// Set by the first failure. The search has to stop then.
    pub wrong: Arc<AtomicBool>,
    failure: OnceLock<String>,
}

impl Record {
    /// The number of audited states.
    pub fn audited(&self) -> u64 {
        self.audited.load(Ordering::Relaxed)
    }

    /// The description of the first failure.
    pub fn failure(&self) -> Option<&str> {
        self.failure.get().map(String::as_str)
    }
}

/// Audits some of the ample sets of a search.
#[derive(Debug)]
pub struct Audit {
    /// The model without its property.
    interpreter: Interpreter,
    /// The bytes of the observer, which are removed from states for the interpreter.
    observer: Option<ObserverAt>,
    /// The conditions that the property reads.
    conditions: Vec<Expr>,
    labels: bool,
    /// Some process can be blocked in the middle of an atomic sequence.
    atomic: bool,
    /// `[process type][location]`: the location is in the middle of an atomic sequence.
    inner: Arc<[Vec<bool>]>,
    /// One of this number of states is audited.
    every: u32,
    passed: u32,
    record: Arc<Record>,
}

/// The transitions of a process in a state.
struct Transitions {
    successors: Batch,
    findings: usize,
}

/// A state that the other processes have reached, and the number of their steps.
struct Node {
    state: Vec<u8>,
    depth: usize,
}

/// For each location whether an edge that keeps control leads there.
fn inner_locations(process: &Process) -> Vec<bool> {
    let mut inner = vec![false; process.locations.len()];
    process.edges.iter().filter(|edge| edge.then == Then::Keep).for_each(|edge| inner[edge.target.index()] = true);
    inner
}

impl Audit {
    /// An audit for the searched model, of one in `every` states.
    pub fn new(model: &Model, every: u32, record: Arc<Record>) -> Result<Audit, StartError> {
        let mut conditions: Vec<Expr> = model.goal.iter().map(|goal| goal.condition.clone()).collect();
        for edge in model.observer.iter().flat_map(|observer| &observer.automaton.edges) {
            if let Guard::When(condition) = &edge.guard {
                conditions.push(condition.clone());
            }
        }
        let observer = Interpreter::new(Arc::new(model.clone()))?.layout().observer;
        let labels = model.observer.as_ref().is_some_and(|observer| observer.labels);
        let inner: Arc<[Vec<bool>]> = model.processes.iter().map(inner_locations).collect();
        let atomic = inner.iter().flatten().any(|inner| *inner);
        let bare = Model { observer: None, goal: None, properties: Vec::new(), ..model.clone() };
        let interpreter = Interpreter::new(Arc::new(bare))?;
        Ok(Audit { interpreter, observer, conditions, labels, atomic, inner, every, passed: 0, record })
    }

    /// A copy for another thread of the same search.
    #[must_use]
    pub fn for_thread(&self) -> Audit {
        Audit {
            interpreter: self.interpreter.for_thread(),
            observer: self.observer,
            conditions: self.conditions.clone(),
            labels: self.labels,
            atomic: self.atomic,
            inner: self.inner.clone(),
            every: self.every,
            passed: 0,
            record: self.record.clone(),
        }
    }

    /// Audits the ample set of a decoded state, if it is this state's turn.
    pub(super) fn check(&mut self, state: &State, ample: u64) {
        let turn = self.passed.is_multiple_of(self.every.max(1));
        self.passed = self.passed.wrapping_add(1);
        if !turn || self.record.wrong.load(Ordering::Relaxed) {
            return;
        }
        self.record.audited.fetch_add(1, Ordering::Relaxed);
        let bare = self.without_observer(state);
        if let Err(what) = self.check_state(&bare, ample) {
            let text = format!("partial-order reduction: {what}, {}", self.describe(&bare, ample));
            // Only the first failure is kept.
            let _ = self.record.failure.set(text);
            self.record.wrong.store(true, Ordering::Relaxed);
        }
    }

    fn without_observer(&self, state: &State) -> Vec<u8> {
        let mut bare = state.to_vec();
        if let Some(ObserverAt { offset, wide }) = self.observer {
            bare.drain(offset..offset + 1 + usize::from(wide));
        }
        bare
    }

    fn check_state(&mut self, first: &State, ample: u64) -> Result<(), String> {
        let pids: Vec<u8> = (0..self.interpreter.processes(first)).collect();
        let (members, others): (Vec<u8>, Vec<u8>) = pids.into_iter().partition(|pid| ample >> pid & 1 == 1);
        let initially: Vec<Transitions> = members.iter().map(|&pid| self.transitions(first, pid)).collect();
        self.check_invisible(first, &members, &initially)?;
        let mut nodes = vec![Node { state: first.to_vec(), depth: 0 }];
        let mut checked = 0;
        while let Some(Node { state, depth }) = nodes.pop() {
            checked += 1;
            let transitions: Vec<Transitions> = members.iter().map(|&pid| self.transitions(&state, pid)).collect();
            self.check_unaffected(&members, &initially, &transitions)?;
            if depth == MAX_DEPTH || checked == MAX_STATES {
                continue;
            }
            let mut followed = 0;
            for &other in &others {
                let own = self.transitions(&state, other);
                for (&member, transitions) in members.iter().zip(&transitions) {
                    self.check_commutes(&own, other, member, transitions)?;
                }
                // The last ones are followed first.
                let most = if depth == 0 { MAX_STATES } else { MAX_SUCCESSORS };
                for next in own.successors.states().take(most.saturating_sub(followed)) {
                    nodes.push(Node { state: next.to_vec(), depth: depth + 1 });
                    followed += 1;
                }
            }
        }
        Ok(())
    }

    /// The transitions of a process, expanded alone.
    fn transitions(&mut self, state: &State, pid: u8) -> Transitions {
        let mut successors = Batch::new();
        if pid < self.interpreter.processes(state) {
            self.interpreter.expand(state, Choice::Part(pid), &mut successors);
        }
        let findings = successors.findings().len();
        Transitions { successors, findings }
    }

    /// Checks that the transitions of other processes neither enable nor disable a transition of the ample set, nor
    /// change its findings. They may unblock an atomic sequence that was blocked in the middle; the rest of it is
    /// then a step of its own.
    fn check_unaffected(&self, members: &[u8], initially: &[Transitions], later: &[Transitions]) -> Result<(), String> {
        for ((&pid, first), later) in members.iter().zip(initially).zip(later) {
            if self.pauses(pid, &first.successors) {
                continue;
            }
            let (before, after) = (first.successors.len(), later.successors.len());
            if before != after {
                return Err(format!(
                    "process {pid} has {before} transitions, but {after} after transitions of other processes"
                ));
            }
            if first.findings != later.findings {
                return Err(format!("the findings of process {pid} change after transitions of other processes"));
            }
        }
        Ok(())
    }

    /// Checks that a transition of another process commutes with those of a member.
    fn check_commutes(
        &mut self,
        own: &Transitions,
        other: u8,
        member: u8,
        transitions: &Transitions,
    ) -> Result<(), String> {
        let (skip, pauses) = (self.interpreter.hidden_prefix(), self.pauses(member, &transitions.successors));
        let after_member: Vec<Transitions> =
            transitions.successors.states().map(|next| self.transitions(next, other)).collect();
        if after_member.iter().any(|then| then.findings < own.findings) {
            return Err(format!("a finding of process {other} is lost after a transition of process {member}"));
        }
        for after in own.successors.states() {
            let later = self.transitions(after, member);
            for (number, wanted) in later.successors.states().enumerate() {
                // A blocked atomic sequence may continue in several ways.
                let first = if pauses { &after_member[..] } else { after_member.get(number..=number).unwrap_or(&[]) };
                let same = |state: &State| state[skip..] == wanted[skip..];
                let commutes = first.is_empty()
                    || first.iter().any(|then| then.successors.states().any(same))
                    || first.iter().any(|then| self.completes_pause(&then.successors, wanted, [member, other]));
                if !commutes {
                    return Err(format!("transitions of processes {member} and {other} do not commute"));
                }
            }
        }
        Ok(())
    }

    /// True if a transition of the process ends in the middle of an atomic sequence.
    fn pauses(&self, pid: u8, successors: &Batch) -> bool {
        let is_inner = |state: &State| {
            let view = self.interpreter.layout().view(state);
            let process = view.processes.iter().find(|process| process.pid == pid);
            process.is_some_and(|p| self.inner[p.process.index()][p.location.index()])
        };
        self.atomic && successors.states().any(is_inner)
    }

    /// True if one more step of one of the processes leads from one state to the other: an atomic sequence that was
    /// blocked in the middle in one order was not in the other.
    fn completes_pause(&mut self, ends: &Batch, wanted: &State, pids: [u8; 2]) -> bool {
        let skip = self.interpreter.hidden_prefix();
        self.atomic
            && pids.into_iter().any(|pid| {
                let leads = |from: &State, to: &State, this: &mut Audit| {
                    this.transitions(from, pid).successors.states().any(|state| state[skip..] == to[skip..])
                };
                ends.states().any(|end| leads(end, wanted, self) || leads(wanted, end, self))
            })
    }

    /// Checks that the transitions of the ample set are invisible.
    fn check_invisible(&mut self, first: &State, members: &[u8], transitions: &[Transitions]) -> Result<(), String> {
        let before = self.valuation(first);
        for (pid, transitions) in members.iter().zip(transitions) {
            for next in transitions.successors.states() {
                if self.valuation(next) != before {
                    return Err(format!("a transition of process {pid} is visible"));
                }
            }
        }
        Ok(())
    }

    /// The truth values of the conditions in a state; none where the evaluation fails.
    fn valuation(&mut self, state: &State) -> Vec<Option<bool>> {
        let Audit { interpreter, conditions, labels, .. } = self;
        let mut valuation: Vec<Option<bool>> = conditions.iter().map(|c| interpreter.holds(c, state)).collect();
        if *labels {
            let view = interpreter.layout().view(state);
            let process = |number: usize| &interpreter.model().processes[number];
            let accepts =
                |p: &kripke_model::layout::ProcessView| process(p.process.index()).locations[p.location.index()].accept;
            valuation.push(Some(view.processes.iter().any(accepts)));
        }
        valuation
    }

    /// The ample set and the state, for a message.
    fn describe(&self, state: &State, ample: u64) -> String {
        let (view, model) = (self.interpreter.layout().view(state), self.interpreter.model());
        let mut out = String::from("ample set:");
        for process in &view.processes {
            if ample >> process.pid & 1 == 1 {
                let _ = write!(out, " {} {}", model.processes[process.process.index()].name, process.pid);
            }
        }
        out.push_str("; in the state");
        for (var, values) in model.globals.iter().zip(&view.globals) {
            let _ = write!(out, " {}={values:?}", var.name);
        }
        for process in &view.processes {
            let name = &model.processes[process.process.index()].name;
            let _ = write!(out, "; {name} {} at {} {:?}", process.pid, process.location.0, process.locals);
        }
        for channel in &view.channels {
            let _ = write!(out, "; {} {:?}", model.channels[channel.declaration.index()].name, channel.messages);
        }
        out
    }
}
