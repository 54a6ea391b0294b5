//! Guards that can be evaluated in a packed state.
//!
//! A step behind a false guard is disabled until some process makes the guard true: a comparison of globals, a
//! message in a channel, room in a channel, a partner for a rendezvous. If only members of the ample set can do that,
//! the steps behind the guard need not be considered. The resources that must change are the necessary enabling set
//! of the guard (Valmari; Laarman, Pater, van de Pol and Hansen, *Guard-based partial-order reduction*, 2013).

use std::collections::HashMap;

use super::access::Analysis;
use super::instances::Element;
use super::resources::{Aspect, Resources};
use kripke_model::State;
use kripke_model::ir::{BinaryOp, Direction, Edge, Expr, Guard, Pattern, Place, Process, Sync, UnaryOp, VarRef};
use kripke_model::layout::{Layout, Width};

/// A set of guards by their numbers.
pub(super) type GuardSet = u128;

/// The most guards that are numbered; all others count as true.
const MAX_GUARDS: usize = GuardSet::BITS as usize;

/// A conjunct of an edge's guard.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum StateGuard {
    /// A comparison of globals and constants.
    Compare(Side, BinaryOp, Side),
    /// A channel, by number, is not empty or not full.
    NonEmpty(usize),
    NonFull(usize),
    /// The channel is empty, or its first message has this value in this field.
    Head {
        channel: usize,
        field: usize,
        value: i32,
    },
    /// Some process is ready to execute this operation of a rendezvous on a channel.
    Partner(usize, Direction),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Side {
    Const(i32),
    /// A global and the number of its element.
    Global(usize, usize),
}

impl Analysis<'_> {
    /// Necessary conditions for an edge. None if the evaluation of a guard may fail: such a fault must be found.
    pub fn guards(&self, process: &Process, edge: &Edge) -> Vec<StateGuard> {
        let mut edges = vec![edge];
        if let Some(chain) = edge.chain.filter(|_| edge.sync.is_none()) {
            // The edge is enabled only if the first edge of the sequence is.
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
            edge.sync.iter().for_each(|sync| self.sync_guards(sync, &mut out));
        }
        for condition in conditions {
            condition.walk(&mut |part| fails |= self.may_fail(part));
            self.condition_guards(condition, &mut out);
        }
        if fails { Vec::new() } else { out }
    }

    fn condition_guards(&self, condition: &Expr, out: &mut Vec<StateGuard>) {
        let side = |expr| self.side(expr);
        match condition {
            Expr::Binary(BinaryOp::And, a, b) => {
                self.condition_guards(a, out);
                self.condition_guards(b, out);
            }
            Expr::Binary(op, a, b) if is_comparison(*op) => {
                out.extend(side(a).zip(side(b)).map(|(a, b)| StateGuard::Compare(a, *op, b)));
            }
            Expr::Unary(UnaryOp::Not, e) => {
                out.extend(side(e).map(|e| StateGuard::Compare(e, BinaryOp::Eq, Side::Const(0))));
            }
            e => out.extend(side(e).map(|e| StateGuard::Compare(e, BinaryOp::Ne, Side::Const(0)))),
        }
    }

    fn side(&self, expr: &Expr) -> Option<Side> {
        if let Some(value) = self.instances.value(self.model, expr, self.instance) {
            return Some(Side::Const(value));
        }
        let Expr::Load(place @ Place { var: VarRef::Global(id), .. }) = expr else { return None };
        match self.instances.element(self.model, place, self.instance) {
            Element::One(at) if !self.model.globals[id.index()].hidden => Some(Side::Global(id.index(), at)),
            _ => None,
        }
    }

    fn sync_guards(&self, sync: &Sync, out: &mut Vec<StateGuard>) {
        let (Sync::Send { channel, .. } | Sync::Receive { channel, .. }) = sync;
        let Some(number) = self.single_channel(channel) else { return };
        let Some(declaration) = self.declaration(number) else { return };
        match sync {
            Sync::Send { .. } if declaration.capacity == 0 => out.push(StateGuard::Partner(number, Direction::Receive)),
            Sync::Receive { .. } if declaration.capacity == 0 => out.push(StateGuard::Partner(number, Direction::Send)),
            Sync::Send { .. } => out.push(StateGuard::NonFull(number)),
            Sync::Receive { args, anywhere, .. } => {
                out.push(StateGuard::NonEmpty(number));
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
                        && let Some(value) = self.instances.value(self.model, e, self.instance)
                    {
                        out.push(StateGuard::Head { channel: number, field, value });
                    }
                }
            }
        }
    }

    /// The rendezvous operations that an edge offers to other processes.
    pub fn offers(&self, edge: &Edge, out: &mut Vec<StateGuard>) {
        let (channel, direction) = match &edge.sync {
            Some(Sync::Send { channel, .. }) => (channel, Direction::Send),
            Some(Sync::Receive { channel, .. }) => (channel, Direction::Receive),
            None => return,
        };
        for number in self.channels(channel) {
            if self.declaration(number).is_none_or(|c| c.capacity == 0) {
                out.push(StateGuard::Partner(number, direction));
            }
        }
    }
}

fn is_comparison(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge)
}

/// All guards of a model, numbered.
#[derive(Default, Debug)]
pub(super) struct GuardTable {
    numbers: HashMap<StateGuard, usize>,
    probes: Vec<Probe>,
    /// The guards that depend on one byte of a state, by that byte.
    by_byte: Vec<ByteProbe>,
    /// The guards that are evaluated by their probes.
    others: GuardSet,
    /// The guards of rendezvous. They depend on the control points of the processes.
    pub partners: GuardSet,
}

/// All guards that depend on the same byte of a state.
#[derive(Debug)]
struct ByteProbe {
    at: usize,
    /// The byte with the length of a channel. If that is 0, all the guards are true.
    length: Option<usize>,
    guards: GuardSet,
    /// The guards that are false, for each value of the byte.
    disabled: Box<[GuardSet]>,
}

/// How a guard is evaluated on the bytes of a state.
#[derive(Clone, Copy, Debug)]
enum Probe {
    Compare(Value, BinaryOp, Value),
    Less(usize, u8),
    NonEmpty(usize),
    Head {
        length: usize,
        field: (usize, Width),
        value: i32,
    },
    /// It depends on the control points of the processes.
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

impl GuardTable {
    /// The number of a guard. None if it cannot be evaluated in a state, or if there are too many.
    pub fn number(&mut self, guard: &StateGuard, layout: &Layout) -> Option<usize> {
        if let Some(number) = self.numbers.get(guard) {
            return Some(*number);
        }
        if self.probes.len() == MAX_GUARDS {
            return None;
        }
        let probe = Probe::new(guard, layout)?;
        self.probes.push(probe);
        self.numbers.insert(guard.clone(), self.probes.len() - 1);
        Some(self.probes.len() - 1)
    }

    pub fn is_empty(&self) -> bool {
        self.probes.is_empty()
    }

    pub fn get(&self, guard: &StateGuard) -> Option<usize> {
        self.numbers.get(guard).copied()
    }

    pub fn iter(&self) -> impl Iterator<Item = (&StateGuard, usize)> {
        self.numbers.iter().map(|(guard, number)| (guard, *number))
    }

    /// Prepares the evaluation of the guards that were numbered.
    pub fn finish(&mut self) {
        let mut by_byte: HashMap<(usize, Option<usize>), GuardSet> = HashMap::new();
        for (number, probe) in self.probes.iter().enumerate() {
            match (probe, probe.byte()) {
                (Probe::Partner, _) => self.partners |= 1 << number,
                (_, Some(byte)) => *by_byte.entry(byte).or_default() |= 1 << number,
                (_, None) => self.others |= 1 << number,
            }
        }
        let probe = |((at, length), guards)| self.byte_probe(at, length, guards);
        self.by_byte = by_byte.into_iter().map(probe).collect();
        self.by_byte.sort_by_key(|probe| (probe.at, probe.length));
    }

    fn byte_probe(&self, at: usize, length: Option<usize>, guards: GuardSet) -> ByteProbe {
        let mut state = vec![0; at.max(length.unwrap_or(0)) + 1];
        length.iter().for_each(|length| state[*length] = 1);
        let disabled = (0..=u8::MAX).map(|value| {
            state[at] = value;
            self.disabled_by_probes(&state, guards)
        });
        ByteProbe { at, length, guards, disabled: disabled.collect() }
    }

    /// Those of some guards that are false in a state, and the number of evaluations that it took. Guards of a rendezvous
    /// are not among them.
    #[inline]
    pub fn disabled(&self, state: &State, guards: GuardSet) -> (GuardSet, u32) {
        let mut disabled = self.disabled_by_probes(state, guards & self.others);
        let mut evaluations = (guards & self.others).count_ones();
        for probe in self.by_byte.iter().filter(|probe| probe.guards & guards != 0) {
            let holds = probe.length.is_some_and(|length| state[length] == 0);
            disabled |= if holds { 0 } else { probe.disabled[usize::from(state[probe.at])] };
            evaluations += 1;
        }
        (disabled & guards, evaluations)
    }

    fn disabled_by_probes(&self, state: &State, guards: GuardSet) -> GuardSet {
        let (mut left, mut disabled) = (guards, 0);
        while left != 0 {
            let number = left.trailing_zeros();
            left &= left - 1;
            disabled |= GuardSet::from(!self.probes[number as usize].holds(state)) << number;
        }
        disabled
    }
}

impl Probe {
    /// True if the guard holds in a state.
    fn holds(&self, state: &State) -> bool {
        match *self {
            Probe::Compare(a, op, b) => op.apply(a.read(state), b.read(state)) != Some(0),
            Probe::Less(at, capacity) => state[at] < capacity,
            Probe::NonEmpty(at) => state[at] > 0,
            Probe::Head { length, field: (at, width), value } => state[length] == 0 || width.load(state, at) == value,
            Probe::Partner => true,
        }
    }

    /// The only byte that the guard depends on, and the byte with the length of its channel for a message in a channel.
    fn byte(&self) -> Option<(usize, Option<usize>)> {
        match *self {
            Probe::Compare(Value::At(at, width), _, Value::Const(_))
            | Probe::Compare(Value::Const(_), _, Value::At(at, width)) => (width.bytes() == 1).then_some((at, None)),
            Probe::Less(at, _) | Probe::NonEmpty(at) => Some((at, None)),
            Probe::Head { length, field: (at, width), .. } => (width.bytes() == 1).then_some((at, Some(length))),
            Probe::Compare(..) | Probe::Partner => None,
        }
    }

    /// Globals and their channels have fixed offsets. The locals and channels of processes have not.
    fn new(guard: &StateGuard, layout: &Layout) -> Option<Probe> {
        let value = |side: &Side| match *side {
            Side::Const(value) => Value::Const(value),
            Side::Global(var, element) => {
                let slot = &layout.globals[var];
                Value::At(slot.offset + element * slot.width.bytes(), slot.width)
            }
        };
        let channel = |number: usize| layout.global_channels.get(number - 1);
        Some(match guard {
            StateGuard::Compare(a, op, b) => Probe::Compare(value(a), *op, value(b)),
            StateGuard::NonEmpty(number) => Probe::NonEmpty(channel(*number)?.offset as usize),
            StateGuard::NonFull(number) => {
                let at = channel(*number)?;
                let capacity = layout.buffers[at.declaration as usize].capacity;
                Probe::Less(at.offset as usize, u8::try_from(capacity).ok()?)
            }
            StateGuard::Head { channel: number, field, value } => {
                let at = channel(*number)?;
                let slot = layout.buffers[at.declaration as usize].fields.get(*field)?;
                let length = at.offset as usize;
                Probe::Head { length, field: (length + 1 + slot.offset, slot.width), value: *value }
            }
            StateGuard::Partner(..) => Probe::Partner,
        })
    }
}

impl StateGuard {
    /// The necessary enabling set: every step that makes the guard true writes or adds to one of these resources.
    pub fn enabled_by(&self, resources: &Resources) -> Vec<usize> {
        let side = |side: &Side| match *side {
            Side::Const(_) => 0..0,
            Side::Global(var, at) => resources.global(kripke_model::ir::VarId(var as u32), Element::One(at)),
        };
        match self {
            StateGuard::Compare(a, _, b) => side(a).chain(side(b)).collect(),
            StateGuard::NonEmpty(number) => vec![resources.channel(*number, Aspect::NonEmpty)],
            StateGuard::NonFull(number) => vec![resources.channel(*number, Aspect::NonFull)],
            StateGuard::Head { channel, .. } => vec![resources.channel(*channel, Aspect::Head)],
            // Processes enable it by reaching a control point.
            StateGuard::Partner(..) => Vec::new(),
        }
    }
}
