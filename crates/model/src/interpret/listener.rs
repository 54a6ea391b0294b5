//! The moves of an expansion, as they are told to a listener.

use super::Partner;
use super::step::Log;
use super::world::World;
use crate::ir::{EdgeId, ProcessId};
use crate::successors::Finding;

/// The processes that may move.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Who {
    All,
    One(usize),
    /// A process, with so many edges of its location from this one on.
    Edges(usize, usize, usize),
}

/// The process and the edge of a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Step {
    /// The number of the process.
    pub pid: u8,
    /// The type of the process.
    pub process: ProcessId,
    /// The edge.
    pub edge: EdgeId,
}

/// An executed move.
pub(crate) struct Taken<'a> {
    /// The process and the edge.
    pub step: Step,
    /// The receiver of a rendezvous.
    pub partner: Option<Partner>,
    /// The other processes, in a synchronous system.
    pub others: &'a [Partner],
    /// The resulting state; `None` after a fault.
    pub world: Option<&'a World>,
    /// The process that keeps control in an atomic sequence.
    pub control: Option<u8>,
    /// Findings, output and executed chain of the move.
    pub log: &'a Log,
}

impl Clone for Taken<'_> {
    fn clone(&self) -> Self {
        *self
    }
}

impl Copy for Taken<'_> {}

/// A receiver of the events of an expansion.
pub(crate) trait Listener {
    /// Identifies a point inside an atomic sequence.
    type Node: Copy;

    /// A move to a point inside an atomic sequence.
    fn inner(&mut self, from: Option<Self::Node>, taken: &Taken<'_>) -> Self::Node;
    /// A move with a fault or with findings. In the second case another event follows.
    fn findings(&mut self, from: Option<Self::Node>, taken: &Taken<'_>);
    /// A move to a state that will be stored.
    fn successor(&mut self, from: Option<Self::Node>, taken: &Taken<'_>, world: &World);
    /// An atomic sequence that is blocked: this point is a state that will be stored.
    fn blocked(&mut self, node: Self::Node, world: &World);
    /// An atomic sequence that exceeded the limit of steps.
    fn endless(&mut self, node: Self::Node, finding: Finding);
    /// Whether nothing else is wanted, so that the remaining moves need not be executed.
    #[inline]
    fn is_done(&self) -> bool {
        false
    }
}
