//! The trace automaton, in the form that the runtime uses.

use kripke_model::Model;
use kripke_model::ir::{Direction, Edge, Expr, LocId, Pattern, Sync, VarRef};
use kripke_model::layout::{Layout, Slot};

use crate::Unsupported;

/// An automaton over channel operations.
#[derive(Debug)]
pub(crate) struct TraceAutomaton {
    /// The offset of its location in the state.
    pub at: usize,
    /// The edges. An edge without an operation is never taken.
    pub edges: Vec<Option<Operation>>,
    /// The edges of each location.
    pub locations: Vec<Vec<usize>>,
    /// The final location.
    pub end: LocId,
    /// Whether the automaton describes the forbidden sequences of operations.
    pub negated: bool,
}

/// A channel operation and the target of the edge.
#[derive(Debug)]
pub(crate) struct Operation {
    pub direction: Direction,
    pub channel: Channel,
    /// The fields of the message; `None` matches any value.
    pub args: Vec<Option<i32>>,
    /// The target of the edge.
    pub target: LocId,
}

/// The channel of an operation.
#[derive(Debug)]
pub(crate) enum Channel {
    Number(i32),
    Named(Slot),
}

impl TraceAutomaton {
    /// The trace automaton of a model, if it has one.
    pub(crate) fn new(model: &Model, layout: &Layout) -> Result<Option<TraceAutomaton>, Unsupported> {
        let (Some(trace), Some(at)) = (&model.trace, layout.event) else { return Ok(None) };
        let operation = |e: &Edge| e.sync.as_ref().map_or(Some(None), |sync| operation(sync, e, layout).map(Some));
        let edges = trace.automaton.edges.iter().map(operation).collect::<Option<Vec<_>>>();
        let edges = edges.ok_or_else(|| Unsupported("a trace automaton with computed operations".to_string()))?;
        let locations = trace.automaton.locations.iter().map(|l| l.edges.iter().map(|e| e.index()).collect()).collect();
        Ok(Some(TraceAutomaton { at, edges, locations, end: trace.end, negated: trace.negated }))
    }

    /// Moves the automaton. Returns false if the operation violates it.
    pub(crate) fn follow(&self, state: &mut [u8], direction: Direction, number: i32, message: &[i32]) -> bool {
        let here = LocId(u32::from(u16::from_le_bytes([state[self.at], state[self.at + 1]])));
        if here == self.end || !self.edges.iter().flatten().any(|e| e.is_about(state, direction, number)) {
            return true;
        }
        let mut edges = self.locations[here.index()].iter().filter_map(|i| self.edges[*i].as_ref());
        let taken = edges.find(|e| e.is_about(state, direction, number) && e.fits(message));
        let next = taken.map(|e| e.target);
        let to = next.unwrap_or(if self.negated { self.end } else { here });
        state[self.at..self.at + 2].copy_from_slice(&(to.0 as u16).to_le_bytes());
        if self.negated { next != Some(self.end) } else { next.is_some() }
    }
}

impl Operation {
    fn is_about(&self, state: &[u8], direction: Direction, number: i32) -> bool {
        let mine = match &self.channel {
            Channel::Number(n) => *n,
            Channel::Named(slot) => slot.width.load(state, slot.offset),
        };
        self.direction == direction && mine == number
    }

    fn fits(&self, message: &[i32]) -> bool {
        self.args.iter().zip(message).all(|(arg, field)| arg.is_none_or(|arg| arg == *field))
    }
}

fn operation(sync: &Sync, edge: &Edge, layout: &Layout) -> Option<Operation> {
    let (direction, channel, args) = match sync {
        Sync::Send { channel, args, .. } => {
            let arg = |e: &Expr| match e {
                Expr::Input => Some(None),
                Expr::Const(c) => Some(Some(*c)),
                _ => None,
            };
            (Direction::Send, channel, args.iter().map(arg).collect::<Option<Vec<_>>>()?)
        }
        Sync::Receive { channel, args, .. } => {
            let arg = |p: &Pattern| match p {
                Pattern::Match(Expr::Const(c)) => Some(Some(*c)),
                Pattern::Match(_) => None,
                Pattern::Store(_) | Pattern::Any => Some(None),
            };
            (Direction::Receive, channel, args.iter().map(arg).collect::<Option<Vec<_>>>()?)
        }
    };
    Some(Operation { direction, channel: named(channel, layout)?, args, target: edge.target })
}

fn named(channel: &Expr, layout: &Layout) -> Option<Channel> {
    let Expr::Load(place) = channel else {
        return if let Expr::Const(n) = channel { Some(Channel::Number(*n)) } else { None };
    };
    let VarRef::Global(id) = place.var else { return None };
    let mut slot = layout.globals[id.index()].clone();
    match (&place.index[..], &slot.dims[..]) {
        ([], _) => {}
        ([Expr::Const(i)], [len]) if (0..i64::from(*len)).contains(&i64::from(*i)) => {
            slot.offset += *i as usize * slot.width.bytes();
        }
        _ => return None,
    }
    Some(Channel::Named(slot))
}
