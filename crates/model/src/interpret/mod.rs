//! The reference interpreter, which defines the semantics of a model.
//!
//! Simulation, replay and the confirmation of counterexamples use it. Compiled code must give the same successors in
//! the same order. Read the files in this order: `eval.rs`, `channel.rs`, `step.rs` (one edge), `expand.rs` (all moves of
//! a state).

mod channel;
mod eval;
mod expand;
mod explain;
mod listener;
mod movers;
mod observe;
mod permission;
mod step;
mod straight;
mod together;
mod watch;
mod world;

use crate::{AcceptanceMarks, ActionLabels, ProcessStructure, Representation, StateLabels};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use crate::batch::Batch;
use crate::ir::{EdgeId, Expr, FileId, Goal, Model, Span, VarId, VarRef};
use crate::layout::{Layout, StartError};
use crate::successors::{Choice, Finding, FindingKind, Flags, Movers, Parts, Standing, State, Successors, Within};
use eval::{Env, Eval};
use expand::{Listener, Scratch, Taken, Who};
use movers::PartsListener;
use straight::Straight;
use world::World;

pub use explain::{Move, Partner, Point, Target};

/// The constant part of the interpreter: the model and its layout.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    model: Arc<Model>,
    layout: Layout,
    /// Whether exclusive-access claims are checked.
    claims: bool,
    /// Whether `provided` clauses or priorities can disable a process.
    gated: bool,
    /// Whether some locations are committed.
    committed: bool,
    /// Whether the observer or the goal reads `timeout`.
    asks_timeout: bool,
    straight: Straight,
}

/// The reference interpreter.
#[derive(Debug)]
pub struct Interpreter {
    machine: Machine,
    initial: Vec<u8>,
    scratch: Scratch,
}

impl Interpreter {
    /// An interpreter of a model. It is an error if the model is too large or its initial state can't be computed.
    pub fn new(model: Arc<Model>) -> Result<Interpreter, StartError> {
        let layout = Layout::new(&model)?;
        let scratch = Scratch::new(&model);
        let claims = model.processes.iter().any(|p| !p.claims.is_empty());
        let gated = model.uses_priorities || model.processes.iter().any(|p| p.provided.is_some());
        let committed = model.processes.iter().flat_map(|p| &p.locations).any(|l| l.committed);
        let straight = straight::find(&model);
        let asks_timeout = model.asks_timeout();
        let machine = Machine { model, layout, claims, gated, committed, asks_timeout, straight };
        let mut interpreter = Interpreter { initial: Vec::new(), machine, scratch };
        interpreter.initial = interpreter.machine.start()?.bytes;
        Ok(interpreter)
    }

    /// An interpreter for the same model with empty coverage, for another thread.
    #[must_use]
    pub fn for_thread(&self) -> Interpreter {
        let scratch = Scratch::new(&self.machine.model);
        Interpreter { machine: self.machine.clone(), initial: self.initial.clone(), scratch }
    }

    /// The interpreter without checks of exclusive-access claims on channels.
    #[must_use]
    pub fn without_claims(mut self) -> Interpreter {
        self.machine.claims = false;
        self
    }

    /// The model that is interpreted.
    pub fn model(&self) -> &Arc<Model> {
        &self.machine.model
    }

    /// The layout of the model's states.
    pub fn layout(&self) -> &Layout {
        &self.machine.layout
    }

    /// The initial state of the model.
    pub fn initial_state(&self) -> &State {
        &self.initial
    }

    /// The edges executed so far by this interpreter: `[process][edge]`.
    pub fn coverage(&self) -> &[Vec<bool>] {
        &self.scratch.log.covered
    }

    /// The value of a condition without an evaluating process. `None` if the evaluation is a fault.
    pub fn holds(&mut self, condition: &Expr, state: &State) -> Option<bool> {
        self.scratch.root.load(&self.machine.layout, state);
        self.machine.eval(condition, &Env::outside(&self.scratch.root)).ok().map(|v| v != 0)
    }

    /// The value of an expression that this process evaluates, or none. `None` if the process is not alive or the
    /// evaluation is a fault.
    pub fn value(&mut self, expr: &Expr, pid: Option<u8>, state: &State) -> Option<i32> {
        self.scratch.root.load(&self.machine.layout, state);
        let world = &self.scratch.root;
        let env = match pid.map(usize::from) {
            None => Env::outside(world),
            Some(pid) if pid < world.processes() => Env::new(world, pid, false),
            Some(_) => return None,
        };
        self.machine.eval(expr, &env).ok()
    }

    /// The number of processes alive in a state.
    pub fn processes(&mut self, state: &State) -> u8 {
        self.scratch.root.load(&self.machine.layout, state);
        self.scratch.root.processes() as u8
    }

    /// Appends the successors to which one process moves by these edges of its location, where `timeout` is false. Returns how many
    /// of them no atomic sequence leads to: [`Choice::All`] has these successors of all processes before the others.
    pub fn moves_of(&mut self, state: &State, pid: u8, edges: Range<usize>, out: &mut Batch) -> usize {
        let Interpreter { machine, scratch, .. } = self;
        scratch.root.load(&machine.layout, state);
        let mut direct = Direct { collect: Collect { out }, count: 0 };
        let who = Who::Edges(usize::from(pid), edges.start, edges.len());
        machine.expand_moves(scratch, (who, false), &mut direct);
        direct.count
    }

    /// Whether the observer accepts in a state.
    pub(crate) fn is_accepting(&mut self, state: &State) -> bool {
        let Interpreter { machine, scratch, .. } = self;
        scratch.root.load(&machine.layout, state);
        machine.model.observer.as_ref().is_some_and(|observer| machine.observed(observer, &scratch.root).accepting)
    }

    /// Whether a state is an invalid end state: no process can move, and some process is not at an end location.
    pub fn invalid_end(&mut self, state: &State) -> bool {
        self.expand(state, Choice::All, &mut Batch::new()).invalid_end
    }
}

impl Machine {
    /// The initial state.
    fn start(&self) -> Result<World, StartError> {
        let mut world = World::default();
        world.load(&self.layout, &vec![0; self.layout.fixed]);
        let mut channel = 1;
        for (i, var) in self.model.globals.iter().enumerate() {
            self.initialise(&mut world, 0, VarRef::Global(VarId(i as u32)), &var.init, &mut channel)
                .map_err(|kind| start_error(&format!("initial value of `{}`", var.name), &kind, var.span))?;
        }
        if let (Some(trace), Some(at)) = (&self.model.trace, self.layout.event) {
            world.bytes[at..at + 2].copy_from_slice(&(trace.automaton.entry.0 as u16).to_le_bytes());
        }
        if let Some(observer) = &self.model.observer {
            self.layout.set_observer_location(&mut world.bytes, observer.automaton.entry);
        }
        for start in &self.model.start {
            let process = &self.model.processes[start.process.index()];
            let args = start.args.iter().map(|a| self.eval(a, &Env::outside(&world))).collect::<Eval<Vec<i32>>>();
            args.and_then(|args| self.create(&mut world, start.process, &args, start.priority))
                .map_err(|kind| start_error(&format!("start of `{}`", process.name), &kind, process.span))?;
        }
        Ok(world)
    }
}

impl Machine {
    /// The flags of the state in `scratch.root`.
    fn flags(&self, root: &World, goal: bool, moved: bool) -> Flags {
        let watched = self.model.observer.as_ref().map(|o| self.observed(o, root));
        Flags { invalid_end: !moved && !self.valid_end(root), goal, ..watched.unwrap_or_default() }
    }

    /// Whether the goal holds in the state in `scratch.root`. An error is a fault of its evaluation.
    #[inline]
    fn reaches_goal(&self, scratch: &mut Scratch) -> Result<bool, Finding> {
        let Some(goal) = &self.model.goal else { return Ok(false) };
        let stuck = self.is_stuck(scratch);
        let value = self.eval(&goal.condition, &Env::watching(&scratch.root, stuck));
        value.map(|v| v != 0).map_err(|kind| self.broken_goal(goal, *kind))
    }

    #[cold]
    fn broken_goal(&self, goal: &Goal, kind: FindingKind) -> Finding {
        let span = goal.span.unwrap_or(Span { file: FileId(0), start: 0, end: 0 });
        let (pid, process, edge) = (u8::MAX, self.model.observer_id(), EdgeId(0));
        Finding { kind, pid, process, edge, span, within: Within::Goal }
    }
}

fn start_error(what: &str, kind: &FindingKind, span: Span) -> StartError {
    let why = match kind {
        FindingKind::Fault(fault) => fault.to_string(),
        FindingKind::Assertion | FindingKind::EndlessSequence => "it has no end".to_string(),
    };
    StartError { message: format!("{what}: {why}"), span: Some(span) }
}

impl Successors for Interpreter {
    fn initial(&mut self, out: &mut Batch) {
        out.push(&self.initial);
    }

    fn expand(&mut self, state: &State, choice: Choice, out: &mut Batch) -> Flags {
        let Interpreter { machine, scratch, .. } = self;
        scratch.root.load(&machine.layout, state);
        if choice != Choice::All {
            machine.expand(scratch, choice, &mut Collect { out });
            return Flags::default();
        }
        match machine.reaches_goal(scratch) {
            Ok(goal) => {
                let moved = machine.expand(scratch, choice, &mut Collect { out });
                machine.flags(&scratch.root, goal, moved)
            }
            Err(finding) => {
                out.find(finding);
                Flags::default()
            }
        }
    }
}

impl Representation for Interpreter {
    fn hidden_prefix(&self) -> usize {
        self.machine.layout.hidden
    }

    fn word_bits(&self) -> Option<u32> {
        None
    }

    fn decode<'s>(&mut self, state: &'s State) -> Cow<'s, State> {
        Cow::Borrowed(state)
    }
}

impl StateLabels for Interpreter {
    /// It was given no conditions.
    fn state_labels(&mut self, _: &State) -> Option<u64> {
        Some(0)
    }
}

impl ActionLabels for Interpreter {
    fn action_labels(&mut self, state: &State, out: &mut Vec<Vec<u32>>) {
        self.tell_steps(state, out);
    }
}

impl AcceptanceMarks for Interpreter {
    fn acceptance_marks(&mut self, state: &State, out: &mut Vec<u32>) {
        let Interpreter { machine, scratch, .. } = self;
        if let Some(observer) = machine.model.observer.as_ref().filter(|o| !o.marks.is_empty()) {
            scratch.root.load(&machine.layout, state);
            let stuck = machine.is_stuck(scratch);
            machine.observer_marks(observer, &Env::watching(&scratch.root, stuck), out);
        }
    }
}

impl ProcessStructure for Interpreter {
    fn movers(&mut self, state: &State, out: &mut Movers) {
        self.tell_movers(state, out);
    }

    fn expand_parts(&mut self, state: &State, out: &mut Batch, parts: &mut Parts) -> Flags {
        let Interpreter { machine, scratch, .. } = self;
        parts.first = out.len();
        parts.ends.clear();
        parts.standing.clear();
        scratch.root.load(&machine.layout, state);
        for pid in 0..scratch.root.processes() {
            let at = scratch.root.process(pid);
            let location = machine.layout.location(state, at).0;
            parts.standing.push(Standing { process: at.process, location });
        }
        let goal = match machine.reaches_goal(scratch) {
            Ok(goal) => goal,
            Err(finding) => {
                out.find(finding);
                return Flags::default();
            }
        };
        let moved = machine.expand(scratch, Choice::All, &mut PartsListener { out, parts });
        if !moved || machine.needs_timeout(scratch) {
            parts.ends.clear();
        }
        machine.flags(&scratch.root, goal, moved)
    }

    fn expand_ample(&mut self, state: &State, out: &mut Batch, _: &mut Batch) -> Flags {
        self.expand(state, Choice::All, out)
    }

    fn full_expansions(&mut self, most: usize) -> usize {
        most
    }

    fn note_explored(&mut self, _: usize) {}
}

/// A listener that appends successors to a batch.
struct Collect<'a> {
    out: &'a mut Batch,
}

impl Listener for Collect<'_> {
    type Node = ();

    fn inner(&mut self, _from: Option<()>, _taken: &Taken<'_>) {}

    fn findings(&mut self, _from: Option<()>, taken: &Taken<'_>) {
        for finding in &taken.log.findings {
            self.out.find(finding.clone());
        }
    }

    #[inline]
    fn successor(&mut self, _from: Option<()>, _taken: &Taken<'_>, world: &World) {
        self.out.push(&world.bytes);
    }

    fn blocked(&mut self, (): (), world: &World) {
        self.out.push(&world.bytes);
    }

    fn endless(&mut self, (): (), finding: Finding) {
        self.out.find(finding);
    }
}

/// A listener that appends successors to a batch, and counts those that no atomic sequence leads to.
struct Direct<'a> {
    collect: Collect<'a>,
    count: usize,
}

impl Listener for Direct<'_> {
    type Node = ();

    fn inner(&mut self, _from: Option<()>, _taken: &Taken<'_>) {}

    fn findings(&mut self, from: Option<()>, taken: &Taken<'_>) {
        self.collect.findings(from, taken);
    }

    fn successor(&mut self, from: Option<()>, taken: &Taken<'_>, world: &World) {
        self.count += usize::from(from.is_none());
        self.collect.successor(from, taken, world);
    }

    fn blocked(&mut self, node: (), world: &World) {
        self.collect.blocked(node, world);
    }

    fn endless(&mut self, node: (), finding: Finding) {
        self.collect.endless(node, finding);
    }
}
