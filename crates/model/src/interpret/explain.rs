//! Telling what happened: single moves, and the moves that make up a step between stored states.

use super::Interpreter;
use super::expand::{Listener, Taken, Who};
use super::world::World;
use crate::ir::{EdgeId, ProcessId};
use crate::successors::{Batch, Choice, Finding, State, Successors};

/// Where an execution stands: a state, and who must move next if somebody keeps control.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Point {
    /// The state, which need not be a stored one.
    pub state: Vec<u8>,
    /// The process that moves next if it can, inside an atomic sequence.
    pub control: Option<u8>,
}

/// One visible step: of a process, of two at a rendezvous, or a whole indivisible sequence.
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
    /// The other processes, where all move at once.
    pub others: Vec<Partner>,
    /// The edges of the indivisible sequence, in the order executed; empty for an ordinary edge. At a rendezvous they
    /// are the receiver's.
    pub chain: Vec<EdgeId>,
    /// What was printed.
    pub output: String,
    /// The errors found in this move.
    pub findings: Vec<Finding>,
    /// Where the move leads; none after a fault.
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

/// What to explain about the expansion of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// The entry with this number in the batch.
    Successor(usize),
    /// The finding with this number.
    Finding(usize),
}

impl Point {
    /// A state in which everybody may move.
    pub fn free(state: Vec<u8>) -> Point {
        Point { state, control: None }
    }
}

impl Interpreter {
    /// Where every execution begins.
    pub fn initial_point(&mut self) -> Point {
        let mut batch = Batch::new();
        self.initial(&mut batch);
        Point::free(batch.state(0).to_vec())
    }

    /// The moves possible at a point, in the order `expand` tries them. If the process in control is blocked, control
    /// is free and these are the moves of everybody.
    pub fn moves(&mut self, at: &Point) -> Vec<Move> {
        let Interpreter { machine, scratch, .. } = self;
        let mut moves = Vec::new();
        scratch.root.load(&machine.layout, &at.state);
        scratch.log.tracing = true;
        let (root, mut rooms) = scratch.split();
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

    /// The moves of the process in control at a point; none if it is blocked or nobody is in control.
    pub fn moves_in_control(&mut self, at: &Point) -> Vec<Move> {
        let Interpreter { machine, scratch, .. } = self;
        let mut moves = Vec::new();
        let Some(pid) = at.control else { return moves };
        scratch.root.load(&machine.layout, &at.state);
        scratch.log.tracing = true;
        let (root, mut rooms) = scratch.split();
        let mut receive = |taken: &Taken<'_>| moves.push(describe(taken));
        machine.moves(root, Who::One(usize::from(pid)), false, &mut rooms, &mut receive);
        scratch.log.tracing = false;
        moves
    }

    /// The moves from `state` to one of its successors, or up to and including the one with a finding. None if there is no such
    /// thing, or a fault in the goal comes before every move.
    pub fn explain(&mut self, state: &State, target: Target) -> Option<Vec<Move>> {
        let Interpreter { machine, scratch, .. } = self;
        scratch.root.load(&machine.layout, state);
        if machine.reaches_goal(scratch).is_err() {
            return None;
        }
        scratch.log.tracing = true;
        let mut listener = Explain { target, nodes: Vec::new(), successors: 0, findings: 0, found: None };
        machine.expand(scratch, Choice::All, &mut listener);
        scratch.log.tracing = false;
        listener.found
    }
}

/// A move as people see it.
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

/// Remembers how every point inside atomic sequences was reached, until the target comes by.
struct Explain {
    target: Target,
    nodes: Vec<(Option<usize>, Move)>,
    successors: usize,
    findings: usize,
    found: Option<Vec<Move>>,
}

impl Explain {
    /// The moves that led to a point.
    fn path(&self, mut node: Option<usize>) -> Vec<Move> {
        let mut moves = Vec::new();
        while let Some(i) = node {
            moves.push(self.nodes[i].1.clone());
            node = self.nodes[i].0;
        }
        moves.reverse();
        moves
    }

    /// Counts a successor; true if it is the one looked for.
    fn is_target(&mut self) -> bool {
        self.successors += 1;
        self.target == Target::Successor(self.successors - 1)
    }
}

impl Listener for Explain {
    type Node = usize;

    fn inner(&mut self, from: Option<usize>, taken: &Taken<'_>) -> usize {
        self.nodes.push((from, describe(taken)));
        self.nodes.len() - 1
    }

    fn findings(&mut self, from: Option<usize>, taken: &Taken<'_>) {
        for i in 0..taken.log.findings.len() {
            self.findings += 1;
            if self.target == Target::Finding(self.findings - 1) {
                let mut last = describe(taken);
                last.findings.truncate(i + 1);
                let mut moves = self.path(from);
                moves.push(last);
                self.found = Some(moves);
            }
        }
    }

    fn successor(&mut self, from: Option<usize>, taken: &Taken<'_>, _world: &World) {
        if self.is_target() {
            let mut moves = self.path(from);
            moves.push(describe(taken));
            self.found = Some(moves);
        }
    }

    fn blocked(&mut self, node: usize, world: &World) {
        if self.is_target() {
            let mut moves = self.path(Some(node));
            if let Some(point) = moves.last_mut().and_then(|m| m.to.as_mut()) {
                *point = Point::free(world.bytes.clone());
            }
            self.found = Some(moves);
        }
    }

    fn endless(&mut self, node: usize, finding: Finding) {
        self.findings += 1;
        if self.target == Target::Finding(self.findings - 1) {
            let mut moves = self.path(Some(node));
            if let Some(last) = moves.last_mut() {
                last.findings.push(finding);
            }
            self.found = Some(moves);
        }
    }
}
