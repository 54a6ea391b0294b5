//! Whether moves that were put aside may really wait, tried out.
//!
//! What [`Independence`](super::Independence) claims of a state and some of its processes is about all that the others
//! may do. Here a few walks of the others are taken, and the claims checked along them: nobody chosen gains or loses
//! a move or goes wrong, their moves can just as well come first, and they do not change what the property speaks of.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use kripke_model::interpret::Interpreter;
use kripke_model::ir::{Expr, Guard, Model, Process, Then};
use kripke_model::layout::{ObserverAt, StartError};
use kripke_model::{Batch, Choice, State, Successors};

/// Steps that the others take.
const DEPTH: usize = 4;
/// States in which somebody is tried out, for each state that is audited.
const STATES: usize = 48;
/// Ways that are followed from each of these, but for the first.
const BREADTH: usize = 3;

/// What the audits of all threads have found.
#[derive(Default, Debug)]
pub struct Record {
    audited: AtomicU64,
    /// Set when the search has nothing more to say.
    pub wrong: Arc<AtomicBool>,
    failure: OnceLock<String>,
}

impl Record {
    /// How many states were audited.
    pub fn audited(&self) -> u64 {
        self.audited.load(Ordering::Relaxed)
    }

    /// What is wrong with Kripke, if anything is.
    pub fn failure(&self) -> Option<&str> {
        self.failure.get().map(String::as_str)
    }
}

/// Audits some of the states of which moves are put aside.
#[derive(Debug)]
pub struct Audit {
    /// Of the model without a property.
    interpreter: Interpreter,
    /// What is cut out of states for it.
    observer: Option<ObserverAt>,
    /// What the property speaks of.
    conditions: Vec<Expr>,
    labels: bool,
    /// Some sequences are atomic: processes may rest in the middle.
    atomic: bool,
    /// For each process type and location whether that is in the middle of an atomic sequence.
    inner: Arc<[Vec<bool>]>,
    /// One in so many states is audited.
    every: u32,
    passed: u32,
    record: Arc<Record>,
}

/// What a process can do in a state.
struct Doing {
    moves: Batch,
    findings: usize,
}

/// A state on the way of the others, and how many steps they took.
struct Node {
    state: Vec<u8>,
    depth: usize,
}

/// For each location of a process whether it is entered by a step that keeps control.
fn inner_locations(process: &Process) -> Vec<bool> {
    let mut inner = vec![false; process.locations.len()];
    process.edges.iter().filter(|edge| edge.then == Then::Keep).for_each(|edge| inner[edge.target.index()] = true);
    inner
}

impl Audit {
    /// Of the model that is searched.
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

    /// Another one for the same search.
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

    /// Looks at a whole state in which only these processes are to move, if it is its turn.
    pub(super) fn look(&mut self, state: &State, chosen: u64) {
        let turn = self.passed.is_multiple_of(self.every.max(1));
        self.passed = self.passed.wrapping_add(1);
        if !turn || self.record.wrong.load(Ordering::Relaxed) {
            return;
        }
        self.record.audited.fetch_add(1, Ordering::Relaxed);
        let bare = self.without_observer(state);
        if let Err(what) = self.try_out(&bare, chosen) {
            let text = format!("partial-order reduction: {what}, {}", self.circumstances(&bare, chosen));
            // Whoever comes first has said enough.
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

    fn try_out(&mut self, first: &State, chosen: u64) -> Result<(), String> {
        let pids: Vec<u8> = (0..self.interpreter.processes(first)).collect();
        let (members, others): (Vec<u8>, Vec<u8>) = pids.into_iter().partition(|pid| chosen >> pid & 1 == 1);
        let at_first: Vec<Doing> = members.iter().map(|&pid| self.doing(first, pid)).collect();
        self.see_nothing(first, &members, &at_first)?;
        let mut nodes = vec![Node { state: first.to_vec(), depth: 0 }];
        let mut looked = 0;
        while let Some(Node { state, depth }) = nodes.pop() {
            looked += 1;
            let doing: Vec<Doing> = members.iter().map(|&pid| self.doing(&state, pid)).collect();
            self.compare(&members, &at_first, &doing)?;
            if depth == DEPTH || looked == STATES {
                continue;
            }
            let mut ways = 0;
            for &other in &others {
                let own = self.doing(&state, other);
                for (&member, doing) in members.iter().zip(&doing) {
                    self.commute(&own, other, member, doing)?;
                }
                // Later ones are followed first, each time others.
                let most = if depth == 0 { STATES } else { BREADTH };
                for next in own.moves.states().take(most.saturating_sub(ways)) {
                    nodes.push(Node { state: next.to_vec(), depth: depth + 1 });
                    ways += 1;
                }
            }
        }
        Ok(())
    }

    /// What a process can do while others can move.
    fn doing(&mut self, state: &State, pid: u8) -> Doing {
        let mut moves = Batch::new();
        if pid < self.interpreter.processes(state) {
            self.interpreter.expand(state, Choice::Part(pid), &mut moves);
        }
        let findings = moves.findings().len();
        Doing { moves, findings }
    }

    /// What others do makes no move of those chosen possible, impossible or wrong. It may let an atomic sequence go on that
    /// rests in the middle otherwise, and does the rest in a step of its own.
    fn compare(&self, members: &[u8], at_first: &[Doing], later: &[Doing]) -> Result<(), String> {
        for ((&pid, first), later) in members.iter().zip(at_first).zip(later) {
            if self.rests(pid, &first.moves) {
                continue;
            }
            let (before, after) = (first.moves.len(), later.moves.len());
            if before != after {
                return Err(format!("process {pid} has {before} moves, but {after} when others have moved"));
            }
            if first.findings != later.findings {
                return Err(format!("what process {pid} does goes wrong or not as others have moved"));
            }
        }
        Ok(())
    }

    /// If somebody else moves and then a member, that could be the other way round.
    fn commute(&mut self, own: &Doing, other: u8, member: u8, doing: &Doing) -> Result<(), String> {
        let (skip, rests) = (self.interpreter.uncompared(), self.rests(member, &doing.moves));
        let members_turn: Vec<Doing> = doing.moves.states().map(|next| self.doing(next, other)).collect();
        if members_turn.iter().any(|then| then.findings < own.findings) {
            return Err(format!("process {other} does nothing wrong any more when process {member} has moved"));
        }
        for after in own.moves.states() {
            let later = self.doing(after, member);
            for (number, wanted) in later.moves.states().enumerate() {
                // One that rests may have several ways to go on.
                let first = if rests { &members_turn[..] } else { members_turn.get(number..=number).unwrap_or(&[]) };
                let same = |state: &State| state[skip..] == wanted[skip..];
                let exchanged = first.is_empty()
                    || first.iter().any(|then| then.moves.states().any(same))
                    || first.iter().any(|then| self.catches_up(&then.moves, wanted, [member, other]));
                if !exchanged {
                    return Err(format!("moves of processes {member} and {other} can't be exchanged"));
                }
            }
        }
        Ok(())
    }

    /// Whether one of the moves of a process ends in the middle of an atomic sequence.
    fn rests(&self, pid: u8, moves: &Batch) -> bool {
        let is_inner = |state: &State| {
            let view = self.interpreter.layout().view(state);
            let process = view.processes.iter().find(|process| process.pid == pid);
            process.is_some_and(|p| self.inner[p.process.index()][p.location.index()])
        };
        self.atomic && moves.states().any(is_inner)
    }

    /// A process that rests in the middle of an atomic sequence, because what it does next was not possible yet, is as
    /// good as there: one more step takes one of two states to the other.
    fn catches_up(&mut self, ends: &Batch, wanted: &State, pids: [u8; 2]) -> bool {
        let skip = self.interpreter.uncompared();
        self.atomic
            && pids.into_iter().any(|pid| {
                let leads = |from: &State, to: &State, this: &mut Audit| {
                    this.doing(from, pid).moves.states().any(|state| state[skip..] == to[skip..])
                };
                ends.states().any(|end| leads(end, wanted, self) || leads(wanted, end, self))
            })
    }

    /// Those chosen do nothing that the property would see.
    fn see_nothing(&mut self, first: &State, members: &[u8], doing: &[Doing]) -> Result<(), String> {
        let before = self.seen(first);
        for (pid, doing) in members.iter().zip(doing) {
            for next in doing.moves.states() {
                if self.seen(next) != before {
                    return Err(format!("process {pid} changes what the property speaks of"));
                }
            }
        }
        Ok(())
    }

    /// What is true of a state; none for what can't be evaluated there.
    fn seen(&mut self, state: &State) -> Vec<Option<bool>> {
        let Audit { interpreter, conditions, labels, .. } = self;
        let mut seen: Vec<Option<bool>> = conditions.iter().map(|c| interpreter.holds(c, state)).collect();
        if *labels {
            let view = interpreter.layout().view(state);
            let process = |number: usize| &interpreter.model().processes[number];
            let accepts =
                |p: &kripke_model::layout::ProcessView| process(p.process.index()).locations[p.location.index()].accept;
            seen.push(Some(view.processes.iter().any(accepts)));
        }
        seen
    }

    /// The state, and who was chosen.
    fn circumstances(&self, state: &State, chosen: u64) -> String {
        let (view, model) = (self.interpreter.layout().view(state), self.interpreter.model());
        let mut out = String::from("if these go first:");
        for process in &view.processes {
            if chosen >> process.pid & 1 == 1 {
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
