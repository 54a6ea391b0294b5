//! What steps wait for that can be seen in a state.
//!
//! A step behind a gate that is shut can't be taken before somebody opens it: a condition on globals, a message that is
//! not there, room in a channel, somebody to meet. If only those can open it who have been chosen to move first, then
//! what lies behind it need not be thought of.

use std::collections::HashMap;

use super::access::Reader;
use super::instances::Element;
use super::resources::{Aspect, Resources};
use kripke_model::State;
use kripke_model::ir::{BinaryOp, Direction, Edge, Expr, Guard, Pattern, Place, Process, Sync, UnaryOp, VarRef};
use kripke_model::layout::{Layout, Width};

/// A set of gates by their numbers.
pub(super) type Set = u128;

/// More gates than this are not looked at.
const MOST: usize = Set::BITS as usize;

/// Something that steps wait for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Gate {
    /// A comparison of globals and constants.
    Compare(Side, BinaryOp, Side),
    /// There is a message in a channel, or room for one.
    Filled(usize),
    Space(usize),
    /// If there is a message in this channel, then the first one has this value in this field.
    Head {
        channel: usize,
        field: usize,
        value: i32,
    },
    /// Somebody is there to do this with a channel, in a rendezvous.
    Partner(usize, Direction),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Side {
    Const(i32),
    /// A global's element.
    Global(usize, usize),
}

impl Reader<'_> {
    /// What must be so for an edge to be taken. Nothing, where asking could go wrong: that must not be overlooked.
    pub fn gates(&self, process: &Process, edge: &Edge) -> Vec<Gate> {
        let mut edges = vec![edge];
        if let Some(chain) = edge.chain.filter(|_| edge.sync.is_none()) {
            // Whether the sequence can begin decides whether the step can be taken.
            if let [only] = process.locations[chain.index()].edges[..] {
                edges.push(&process.edges[only.index()]);
            }
        }
        let mut out = Vec::new();
        let mut fails = false;
        let mut conditions: Vec<&Expr> = process.provided.iter().collect();
        for edge in edges {
            if let Guard::When(condition) = &edge.guard {
                conditions.push(condition);
            }
            edge.sync.iter().for_each(|sync| self.sync_gates(sync, &mut out));
        }
        for condition in conditions {
            condition.walk(&mut |part| fails |= self.may_fail(part));
            self.condition_gates(condition, &mut out);
        }
        if fails { Vec::new() } else { out }
    }

    fn condition_gates(&self, condition: &Expr, out: &mut Vec<Gate>) {
        let side = |expr| self.side(expr);
        match condition {
            Expr::Binary(BinaryOp::And, a, b) => {
                self.condition_gates(a, out);
                self.condition_gates(b, out);
            }
            Expr::Binary(op, a, b) if is_comparison(*op) => {
                out.extend(side(a).zip(side(b)).map(|(a, b)| Gate::Compare(a, *op, b)));
            }
            Expr::Unary(UnaryOp::Not, e) => {
                out.extend(side(e).map(|e| Gate::Compare(e, BinaryOp::Eq, Side::Const(0))));
            }
            e => out.extend(side(e).map(|e| Gate::Compare(e, BinaryOp::Ne, Side::Const(0)))),
        }
    }

    fn side(&self, expr: &Expr) -> Option<Side> {
        if let Some(value) = self.cast.value(self.model, expr, self.actor) {
            return Some(Side::Const(value));
        }
        let Expr::Load(place @ Place { var: VarRef::Global(id), .. }) = expr else { return None };
        match self.cast.element(self.model, place, self.actor) {
            Element::One(at) if !self.model.globals[id.index()].hidden => Some(Side::Global(id.index(), at)),
            _ => None,
        }
    }

    fn sync_gates(&self, sync: &Sync, out: &mut Vec<Gate>) {
        let (Sync::Send { channel, .. } | Sync::Receive { channel, .. }) = sync;
        let Some(number) = self.one(channel) else { return };
        let Some(declaration) = self.declaration(number) else { return };
        match sync {
            Sync::Send { .. } if declaration.capacity == 0 => out.push(Gate::Partner(number, Direction::Receive)),
            Sync::Receive { .. } if declaration.capacity == 0 => out.push(Gate::Partner(number, Direction::Send)),
            Sync::Send { .. } => out.push(Gate::Space(number)),
            Sync::Receive { args, anywhere, .. } => {
                out.push(Gate::Filled(number));
                let mut fails = false;
                args.iter().for_each(|pattern| match pattern {
                    Pattern::Match(e) => e.walk(&mut |part| fails |= self.may_fail(part)),
                    Pattern::Store(_) | Pattern::Any => {}
                });
                if fails || *anywhere || args.len() != declaration.fields.len() {
                    return;
                }
                for (field, pattern) in args.iter().enumerate() {
                    if let Pattern::Match(e) = pattern
                        && let Some(value) = self.cast.value(self.model, e, self.actor)
                    {
                        out.push(Gate::Head { channel: number, field, value });
                    }
                }
            }
        }
    }

    /// Whom an edge could be taken with, in a rendezvous: what is done with which channels.
    pub fn offers(&self, edge: &Edge, out: &mut Vec<Gate>) {
        let (channel, direction) = match &edge.sync {
            Some(Sync::Send { channel, .. }) => (channel, Direction::Send),
            Some(Sync::Receive { channel, .. }) => (channel, Direction::Receive),
            None => return,
        };
        for number in self.channels(channel) {
            if self.declaration(number).is_none_or(|c| c.capacity == 0) {
                out.push(Gate::Partner(number, direction));
            }
        }
    }
}

fn is_comparison(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge)
}

/// All gates of a model, numbered.
#[derive(Default, Debug)]
pub(super) struct Gates {
    numbers: HashMap<Gate, usize>,
    probes: Vec<Probe>,
}

/// How to see whether a gate is open.
#[derive(Clone, Copy, Debug)]
enum Probe {
    Compare(Value, BinaryOp, Value),
    Less(usize, u8),
    Filled(usize),
    Head {
        length: usize,
        field: (usize, Width),
        value: i32,
    },
    /// It is seen from where processes are.
    Partner,
}

#[derive(Clone, Copy, Debug)]
enum Value {
    Const(i32),
    At(usize, Width),
}

impl Value {
    #[inline]
    fn read(self, state: &State) -> i32 {
        match self {
            Value::Const(value) => value,
            Value::At(offset, width) => width.load(state, offset),
        }
    }
}

impl Gates {
    /// The number of a gate; none if it can't be seen, or there are too many.
    pub fn number(&mut self, gate: &Gate, layout: &Layout) -> Option<usize> {
        if let Some(number) = self.numbers.get(gate) {
            return Some(*number);
        }
        if self.probes.len() == MOST {
            return None;
        }
        let probe = Probe::new(gate, layout)?;
        self.probes.push(probe);
        self.numbers.insert(gate.clone(), self.probes.len() - 1);
        Some(self.probes.len() - 1)
    }

    pub fn is_empty(&self) -> bool {
        self.probes.is_empty()
    }

    pub fn known(&self, gate: &Gate) -> Option<usize> {
        self.numbers.get(gate).copied()
    }

    pub fn iter(&self) -> impl Iterator<Item = (&Gate, usize)> {
        self.numbers.iter().map(|(gate, number)| (gate, *number))
    }

    /// Which gates are shut in a state, where these offer themselves for a rendezvous.
    pub fn shut(&self, state: &State, offered: Set) -> Set {
        let mut shut = 0;
        for (number, probe) in self.probes.iter().enumerate() {
            let open = match *probe {
                Probe::Compare(a, op, b) => op.apply(a.read(state), b.read(state)) != Some(0),
                Probe::Less(at, capacity) => state[at] < capacity,
                Probe::Filled(at) => state[at] > 0,
                Probe::Head { length, field: (at, width), value } => {
                    state[length] == 0 || width.load(state, at) == value
                }
                Probe::Partner => offered >> number & 1 == 1,
            };
            shut |= Set::from(!open) << number;
        }
        shut
    }
}

impl Probe {
    /// Globals and their channels are where they are in every state; what belongs to processes is not.
    fn new(gate: &Gate, layout: &Layout) -> Option<Probe> {
        let value = |side: &Side| match *side {
            Side::Const(value) => Value::Const(value),
            Side::Global(var, element) => {
                let slot = &layout.globals[var];
                Value::At(slot.offset + element * slot.width.bytes(), slot.width)
            }
        };
        let channel = |number: usize| layout.global_channels.get(number - 1);
        Some(match gate {
            Gate::Compare(a, op, b) => Probe::Compare(value(a), *op, value(b)),
            Gate::Filled(number) => Probe::Filled(channel(*number)?.offset as usize),
            Gate::Space(number) => {
                let at = channel(*number)?;
                let capacity = layout.buffers[at.declaration as usize].capacity;
                Probe::Less(at.offset as usize, u8::try_from(capacity).ok()?)
            }
            Gate::Head { channel: number, field, value } => {
                let at = channel(*number)?;
                let slot = layout.buffers[at.declaration as usize].fields.get(*field)?;
                let length = at.offset as usize;
                Probe::Head { length, field: (length + 1 + slot.offset, slot.width), value: *value }
            }
            Gate::Partner(..) => Probe::Partner,
        })
    }
}

impl Gate {
    /// What must be changed, or added to, to open it.
    pub fn opened_by(&self, resources: &Resources) -> Vec<usize> {
        let side = |side: &Side| match *side {
            Side::Const(_) => 0..0,
            Side::Global(var, at) => resources.global(kripke_model::ir::VarId(var as u32), Element::One(at)),
        };
        match self {
            Gate::Compare(a, _, b) => side(a).chain(side(b)).collect(),
            Gate::Filled(number) => vec![resources.channel(*number, Aspect::Filled)],
            Gate::Space(number) => vec![resources.channel(*number, Aspect::Space)],
            Gate::Head { channel, .. } => vec![resources.channel(*channel, Aspect::Head)],
            // By being there.
            Gate::Partner(..) => Vec::new(),
        }
    }
}
