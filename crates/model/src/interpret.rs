//! The reference interpreter: the definition of what a model does.

use std::sync::Arc;

use crate::ir::{EdgeId, Model, ProcessId};
use crate::layout::{Layout, LayoutError};
use crate::successors::{Batch, Choice, Finding, Flags, State, Successors};

/// Where an execution stands: a state, and who must move next if somebody keeps control.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Point {
    pub state: Vec<u8>,
    pub control: Option<u8>,
}

/// One visible step: of a process, of two at a rendezvous, or a whole indivisible sequence.
#[derive(Clone, Debug)]
pub struct Move {
    pub pid: u8,
    pub process: ProcessId,
    pub edge: EdgeId,
    /// The receiver of a rendezvous.
    pub partner: Option<Partner>,
    /// The edges of the indivisible sequence, in the order executed; empty for an ordinary edge.
    pub chain: Vec<EdgeId>,
    /// What was printed.
    pub output: String,
    pub findings: Vec<Finding>,
    /// Where the move leads; none after a fault.
    pub to: Option<Point>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Partner {
    pub pid: u8,
    pub process: ProcessId,
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

#[derive(Debug)]
pub struct Interpreter {
    model: Arc<Model>,
    layout: Layout,
}

impl Interpreter {
    pub fn new(model: Arc<Model>) -> Result<Interpreter, LayoutError> {
        let layout = Layout::new(&model)?;
        Ok(Interpreter { model, layout })
    }

    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The moves possible at a point, in the order `expand` tries them. If the process in control is blocked, control
    /// is free and these are the moves of everybody.
    pub fn moves(&mut self, _at: &Point) -> Vec<Move> {
        todo!()
    }

    /// The moves from `state` to one of its successors, or up to and including the one with a finding.
    pub fn explain(&mut self, _state: &State, _target: Target) -> Option<Vec<Move>> {
        todo!()
    }

    /// The edges executed so far by `expand` of this interpreter: `[process][edge]`.
    pub fn coverage(&self) -> &[Vec<bool>] {
        todo!()
    }

    /// No process can move from here, and not all are at end locations.
    pub fn invalid_end(&mut self, _state: &State) -> bool {
        todo!()
    }
}

impl Successors for Interpreter {
    fn initial(&mut self, _out: &mut Batch) {
        todo!()
    }

    fn expand(&mut self, _state: &State, _choice: Choice, _out: &mut Batch) -> Flags {
        todo!()
    }
}
