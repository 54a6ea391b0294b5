//! Single moves: the visible steps between stored states.

use std::cell::Cell;

use super::Interpreter;
use super::expand::{Listener, Taken, Who};
use super::world::World;
use crate::batch::Batch;
use crate::ir::{EdgeId, ProcessId};
use crate::successors::{Choice, Finding, State, Successors};

/// A point of an execution: a state, and the process that keeps control.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Point {
    /// The state, which need not be a stored one.
    pub state: Vec<u8>,
    /// The process that moves next if it can, inside an atomic sequence.
    pub control: Option<u8>,
}

/// A visible step: a step of one process, a rendezvous of two, or an indivisible sequence.
#[derive(Clone, Debug)]
pub struct Move {
    /// The process that moves; 255 for the observer.
    pub pid: u8,
    /// The type of the process.
    pub process: ProcessId,
    /// The edge that the process takes; the send at a rendezvous.
    pub edge: EdgeId,
    /// The receiver of a rendezvous.
    pub partner: Option<Partner>,
    /// The other processes, in a synchronous system.
    pub others: Vec<Partner>,
    /// The edges of the indivisible sequence in execution order; empty for an ordinary edge. In a rendezvous they
    /// belong to the receiver.
    pub chain: Vec<EdgeId>,
    /// The printed output.
    pub output: String,
    /// The errors found in this move.
    pub findings: Vec<Finding>,
    /// The resulting point; `None` after a fault.
    pub to: Option<Point>,
}

/// A process that moves together with another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Partner {
    /// The process number.
    pub pid: u8,
    /// The type of the process.
    pub process: ProcessId,
    /// The edge that the process takes.
    pub edge: EdgeId,
}

/// The part of an expansion to explain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// The successor with this number in the batch.
    Successor(usize),
    /// The finding with this number.
    Finding(usize),
}

impl Point {
    /// A point at which every process may move.
    pub fn free(state: Vec<u8>) -> Point {
        Point { state, control: None }
    }
}

impl Interpreter {
    /// The initial point.
    pub fn initial_point(&mut self) -> Point {
        let mut batch = Batch::new();
        self.initial(&mut batch);
        Point::free(batch.state(0).to_vec())
    }

    /// Whether a process has offered a message on a rendezvous channel since the last call, received or not.
    pub fn take_offered(&mut self) -> bool {
        std::mem::take(&mut self.scratch.log.offered)
    }

    /// The moves at a point, in the order of `expand`. If the process in control is blocked, control is released and
    /// these are the moves of all processes.
    pub fn moves(&mut self, at: &Point) -> Vec<Move> {
        let Interpreter { machine, scratch, .. } = self;
        let mut moves = Vec::new();
        scratch.root.load(&machine.layout, &at.state);
        scratch.log.tracing = true;
        let done = Cell::new(false);
        let (root, mut rooms) = scratch.split(&done);
        let mut receive = |taken: &Taken<'_>| moves.push(describe(taken));
        let mut moved = false;
        if let Some(pid) = at.control {
            moved = machine.moves(root, Who::One(usize::from(pid)), false, &mut rooms, &mut receive);
        }
        if !moved {
            moved = machine.moves(root, Who::All, false, &mut rooms, &mut receive);
        }
        if !moved && machine.model.uses_timeout {
            machine.moves(root, Who::All, true, &mut rooms, &mut receive);
        }
        scratch.log.tracing = false;
        moves
    }

    /// The moves of the process in control; empty if it is blocked or no process is in control.
    pub fn moves_in_control(&mut self, at: &Point) -> Vec<Move> {
        let Interpreter { machine, scratch, .. } = self;
        let mut moves = Vec::new();
        let Some(pid) = at.control else { return moves };
        scratch.root.load(&machine.layout, &at.state);
        scratch.log.tracing = true;
        let done = Cell::new(false);
        let (root, mut rooms) = scratch.split(&done);
        let mut receive = |taken: &Taken<'_>| moves.push(describe(taken));
        machine.moves(root, Who::One(usize::from(pid)), false, &mut rooms, &mut receive);
        scratch.log.tracing = false;
        moves
    }

    /// The moves from `state` to one of its successors, or up to the move with a finding. `None` if the target does
    /// not exist, or if the goal has a fault. Moves after the target are not executed.
    pub fn explain(&mut self, state: &State, target: Target) -> Option<Vec<Move>> {
        let mut moves = Vec::new();
        self.explain_into(state, target, &mut moves).then_some(moves)
    }

    /// Replaces `moves` by those that [`Interpreter::explain`] gives. Returns whether there are such.
    pub(crate) fn explain_into(&mut self, state: &State, target: Target, moves: &mut Vec<Move>) -> bool {
        let Interpreter { machine, scratch, .. } = self;
        scratch.root.load(&machine.layout, state);
        if machine.reaches_goal(scratch).is_err() {
            return false;
        }
        scratch.log.tracing = true;
        let mut listener = Explain { target, nodes: Vec::new(), successors: 0, findings: 0, found: false, moves };
        machine.expand(scratch, Choice::All, &mut listener);
        scratch.log.tracing = false;
        listener.found
    }
}

/// The visible step of an executed move.
fn describe(taken: &Taken<'_>) -> Move {
    let to = taken.world.map(|world| Point { state: world.bytes.clone(), control: taken.control });
    Move {
        pid: taken.step.pid,
        process: taken.step.process,
        edge: taken.step.edge,
        partner: taken.partner,
        others: taken.others.to_vec(),
        chain: taken.log.chain.clone(),
        output: taken.log.output.clone(),
        findings: taken.log.findings.clone(),
        to,
    }
}

/// Describes a move in place of another one, without allocation if the capacities suffice.
fn describe_again(step: &mut Move, taken: &Taken<'_>) {
    (step.pid, step.process, step.edge) = (taken.step.pid, taken.step.process, taken.step.edge);
    step.partner = taken.partner;
    step.others.clear();
    step.others.extend_from_slice(taken.others);
    step.chain.clone_from(&taken.log.chain);
    step.output.clone_from(&taken.log.output);
    step.findings.clone_from(&taken.log.findings);
    match (&mut step.to, taken.world) {
        (Some(to), Some(world)) => {
            to.state.clone_from(&world.bytes);
            to.control = taken.control;
        }
        (to, world) => *to = world.map(|world| Point { state: world.bytes.clone(), control: taken.control }),
    }
}

/// A listener that records the path to every point inside atomic sequences, up to the target.
struct Explain<'a> {
    target: Target,
    nodes: Vec<(Option<usize>, Move)>,
    successors: usize,
    findings: usize,
    found: bool,
    /// The moves to the target, once it is found.
    moves: &'a mut Vec<Move>,
}

impl Explain<'_> {
    /// The target is found: the moves to a point lead there, and then this one.
    fn find(&mut self, node: Option<usize>, last: Option<&Taken<'_>>) {
        self.found = true;
        match (node, last, &mut self.moves[..]) {
            (None, Some(last), [only]) => describe_again(only, last),
            _ => {
                self.moves.clear();
                self.add_path(node);
                self.moves.extend(last.map(describe));
            }
        }
    }

    /// Appends the moves to a point.
    fn add_path(&mut self, mut node: Option<usize>) {
        let first = self.moves.len();
        while let Some(i) = node {
            self.moves.push(self.nodes[i].1.clone());
            node = self.nodes[i].0;
        }
        self.moves[first..].reverse();
    }

    /// Counts a successor. Returns true for the target.
    fn is_target(&mut self) -> bool {
        self.successors += 1;
        self.target == Target::Successor(self.successors - 1)
    }
}

impl Listener for Explain<'_> {
    type Node = usize;

    fn inner(&mut self, from: Option<usize>, taken: &Taken<'_>) -> usize {
        self.nodes.push((from, describe(taken)));
        self.nodes.len() - 1
    }

    fn findings(&mut self, from: Option<usize>, taken: &Taken<'_>) {
        for i in 0..taken.log.findings.len() {
            self.findings += 1;
            if self.target == Target::Finding(self.findings - 1) {
                self.find(from, Some(taken));
                if let Some(last) = self.moves.last_mut() {
                    last.findings.truncate(i + 1);
                }
            }
        }
    }

    fn successor(&mut self, from: Option<usize>, taken: &Taken<'_>, _world: &World) {
        if self.is_target() {
            self.find(from, Some(taken));
        }
    }

    fn blocked(&mut self, node: usize, world: &World) {
        if self.is_target() {
            self.find(Some(node), None);
            if let Some(point) = self.moves.last_mut().and_then(|m| m.to.as_mut()) {
                *point = Point::free(world.bytes.clone());
            }
        }
    }

    fn endless(&mut self, node: usize, finding: Finding) {
        self.findings += 1;
        if self.target == Target::Finding(self.findings - 1) {
            self.find(Some(node), None);
            if let Some(last) = self.moves.last_mut() {
                last.findings.push(finding);
            }
        }
    }

    fn is_done(&self) -> bool {
        self.found
    }
}
