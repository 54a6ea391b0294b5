//! The walk along all moves that edges of a process may lead to, with what is known about the state. It finds the bytes that
//! decide about the moves, and those that they change.
//!
//! Each path through an atomic or indivisible sequence has a [`Knowledge`] of its own: an edge whose guard is known to be false is
//! not followed, and an assignment of a known value is known afterwards.

use std::collections::{BTreeSet, HashSet};

use kripke_model::ir::{Edge, Effect, Expr, Guard, LocId, Pattern, Place, Sync, Then, VarRef};
use kripke_model::layout::{ChannelAt, Slot, Width};

use super::evaluate::{Env, Stop, Transfer};
use super::footprint::Footprints;
use super::knowledge::Knowledge;

/// The most edges of a walk. More are followed with less knowledge, so that different paths meet.
const MOST_EDGES: usize = 300;
/// The most reads of elements that are not known, with those that were read for what has been written.
pub(super) const MOST_UNKNOWN: usize = 1 << 14;

/// A point of control that moves may pass.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Point {
    pid: usize,
    at: LocId,
    /// The process keeps control after the indivisible sequence that it is in.
    keeps: bool,
    /// The point is in an indivisible sequence: the first executable edge is taken.
    chained: bool,
    state: Knowledge,
}

/// The bytes that moves read and change.
pub(super) struct Visit<'a, 'm> {
    pub of: &'a Footprints<'m>,
    /// The bytes that decide about the moves.
    pub key: Vec<bool>,
    /// The elements that are overwritten, and those that are copied. If they are not in the key, their values decide about nothing
    /// else.
    pub free: Vec<bool>,
    /// The bytes that are changed by a difference that does not depend on their old values.
    pub changed: Vec<bool>,
    /// The moves have a footprint: nothing in them depends on the state in other ways.
    pub bounded: bool,
    /// Some move creates a process.
    pub creates: bool,
    /// The offsets of elements that are not known, but decide which others matter: indices, channels, locations of receivers.
    pub needed: Vec<usize>,
    /// Those that decide whether an edge is executable.
    pub decisive: Vec<usize>,
    /// The elements that are not known, in the order in which they were read.
    pub unknown: Vec<usize>,
    /// Those from which values of others were computed.
    pub copied: BTreeSet<usize>,
    /// The bytes that were copied into channels.
    pub sent: Vec<usize>,
    seen: HashSet<Point>,
    open: Vec<Point>,
    edges: usize,
}

impl<'a, 'm> Visit<'a, 'm> {
    /// Follows the moves of a process by these edges of a location. Nothing if they are too many.
    pub fn new(of: &'a Footprints<'m>, pid: usize, edges: &[&Edge], state: &Knowledge) -> Option<Visit<'a, 'm>> {
        let none = vec![false; of.template.len()];
        let mut visit = Visit {
            of,
            key: none.clone(),
            free: none.clone(),
            changed: none,
            bounded: true,
            creates: false,
            needed: Vec::new(),
            decisive: Vec::new(),
            unknown: Vec::new(),
            copied: BTreeSet::new(),
            sent: Vec::new(),
            seen: HashSet::new(),
            open: Vec::new(),
            edges: 0,
        };
        visit.permission((pid, state));
        visit.edges(edges, &Point { pid, at: LocId(0), keeps: false, chained: false, state: state.clone() });
        while let Some(point) = visit.open.pop() {
            if visit.bounded && visit.seen.insert(point.clone()) {
                visit.permission((point.pid, &point.state));
                let edges: Vec<&Edge> = of.edges(point.pid, point.at).collect();
                visit.edges(&edges, &point);
            }
            if visit.is_too_long() && !state.is_lasting() {
                return None;
            }
        }
        (!visit.is_too_long() || state.is_lasting()).then_some(visit)
    }

    fn is_too_long(&self) -> bool {
        self.edges > MOST_EDGES || self.unknown.len() > MOST_UNKNOWN
    }

    /// What decides whether the process may move, besides its edges.
    fn permission(&mut self, env: Env<'_>) {
        self.control(env.0);
        self.of.process(env.0).provided.iter().for_each(|clause| self.perhaps(clause, env));
    }

    /// Edges of a location, in their order. An edge that is surely executable may exclude others.
    fn edges(&mut self, edges: &[&Edge], point: &Point) {
        let mut sure: Option<u8> = None;
        for edge in edges {
            let excluded = sure.is_some_and(|level| level != edge.level || edge.guard == Guard::Else || point.chained);
            if !excluded && self.edge(edge, point) {
                sure = sure.or(Some(edge.level));
            }
        }
    }

    /// One edge. Returns whether it is surely executable.
    fn edge(&mut self, edge: &Edge, point: &Point) -> bool {
        self.edges += 1;
        let env = (point.pid, &point.state);
        let holds = match &edge.guard {
            Guard::When(condition) => self.holds(condition, env),
            Guard::Always => Some(true),
            // In states of one shape the youngest process is always the same.
            Guard::Else | Guard::Youngest => None,
        };
        if holds == Some(false) {
            return false;
        }
        // A fault in a channel operation is a finding.
        let _ = match &edge.sync {
            Some(Sync::Send { channel, args, sorted }) => self.send(edge, (channel, args, *sorted), point),
            Some(Sync::Receive { channel, keep, .. }) => self.receive(edge, (channel, *keep), point),
            None => {
                self.follow(edge, point.clone());
                Ok(())
            }
        };
        holds == Some(true) && edge.sync.is_none() && edge.chain.is_none()
    }

    /// The part of an edge after its channel operation.
    fn follow(&mut self, edge: &Edge, mut point: Point) {
        let keeps = point.keeps || edge.then == Then::Keep;
        let (at, keeps, chained) = match (edge.chain, edge.then) {
            (Some(entry), _) => (entry, keeps, true),
            _ if self.effects(edge, point.pid, &mut point.state).is_err() => return,
            (None, Then::Chain) => (edge.target, keeps, true),
            (None, _) if keeps => (edge.target, false, false),
            (None, _) => return,
        };
        self.open.push(Point { at, keeps, chained, ..point });
    }

    /// The effects of an edge, and the new location of the process.
    fn effects(&mut self, edge: &Edge, pid: usize, state: &mut Knowledge) -> Result<(), Stop> {
        edge.effects.iter().try_for_each(|effect| self.effect(effect, pid, state))?;
        let width = self.of.location_width(pid);
        state.store(width, self.of.location_at(pid), Some(edge.target.0 as i32));
        Ok(())
    }

    /// A message that is put behind others changes only bytes that are zero before: bytes of the buffer that decide nothing.
    fn send(
        &mut self,
        edge: &Edge,
        (channel, args, sorted): (&Expr, &[Expr], bool),
        point: &Point,
    ) -> Result<(), Stop> {
        let env = (point.pid, &point.state);
        let channels = self.channels(channel, env)?;
        let message: Vec<Transfer> = args.iter().map(|arg| self.transfer(arg, env)).collect::<Result<_, Stop>>()?;
        let met: Vec<ChannelAt> = channels.iter().copied().filter(|at| self.of.capacity(*at) == 0).collect();
        if let Some(at) = met.first() {
            let message = self.message(&message, *at, met.len() == 1);
            self.meet(edge, (&met, &message), point);
        }
        let (mut next, mut goes, is_only) = (point.clone(), channels.is_empty(), channels.len() == 1);
        for at in channels.into_iter().filter(|at| self.of.capacity(*at) > 0) {
            let buffer = &self.of.layout.buffers[at.declaration as usize];
            let (start, before) = (at.offset as usize, self.unknown.len());
            let len = self.channel_len(at, &point.state);
            self.decisive.extend_from_slice(&self.unknown[before..]);
            if len == Some(buffer.capacity) {
                continue;
            }
            goes = true;
            let message = self.message(&message, at, is_only && !sorted);
            self.put(at, len, &message);
            if sorted {
                self.content(at, &point.state);
            }
            self.changed[start..start + buffer.size].fill(true);
            next.state.forget(start, buffer.size);
            let len = len.filter(|_| is_only).map(|len| len as i32 + 1);
            next.state.store(Width::U8, start, len);
        }
        if goes {
            self.follow(edge, next);
        }
        Ok(())
    }

    /// The fields of a message in a channel. Copies only if they are permitted.
    fn message(&mut self, values: &[Transfer], at: ChannelAt, copies: bool) -> Vec<Transfer> {
        let of = self.of;
        let fields = &of.layout.buffers[at.declaration as usize].fields;
        let settled = |this: &mut Self, value| this.settle(value).map_or(Transfer::Unknown, Transfer::Known);
        let one = |(value, field): (&Transfer, &Slot)| match copies {
            true => self.wrapped(*value, field.ty),
            false => settled(self, *value),
        };
        values.iter().zip(fields).map(one).collect()
    }

    /// A message is put into a channel of this length.
    fn put(&mut self, at: ChannelAt, len: Option<usize>, message: &[Transfer]) {
        let of = self.of;
        let buffer = &of.layout.buffers[at.declaration as usize];
        let slots = len.map_or(0..buffer.capacity, |len| len..len + 1);
        for (field, value) in buffer.fields.iter().zip(message) {
            let Transfer::Copy(from, width, _) = *value else { continue };
            let place = |slot: usize| at.offset as usize + 1 + slot * buffer.message + field.offset;
            if slots.clone().all(|slot| of.is_alike(from, place(slot))) {
                self.free[from..from + width.bytes()].fill(true);
                self.sent.extend(from..from + width.bytes());
            } else {
                self.settle(*value);
            }
        }
    }

    /// A rendezvous on one of these channels. Afterwards the receiver has control.
    fn meet(&mut self, edge: &Edge, message: (&[ChannelAt], &[Transfer]), point: &Point) {
        let mut after = point.state.clone();
        // If an effect is a fault, it matters whether there is a receiver.
        let _ = self.effects(edge, point.pid, &mut after);
        let others = (0..self.of.processes()).filter(|other| *other != point.pid);
        others.for_each(|other| self.receiver(other, message, (&point.state, &after)));
    }

    /// A process that may receive in a rendezvous on one of these channels, from any location that it may be at. Guards are evaluated
    /// in the state before the sender's half.
    fn receiver(
        &mut self,
        pid: usize,
        (met, message): (&[ChannelAt], &[Transfer]),
        (before, after): (&Knowledge, &Knowledge),
    ) {
        let of = self.of;
        let location = after.load(of.location_width(pid), of.location_at(pid));
        let edges: Vec<&Edge> = match location {
            Some(at) => of.edges(pid, LocId(at as u32)).collect(),
            None => of.process(pid).edges.iter().collect(),
        };
        let mut found = false;
        for edge in edges {
            let Some(Sync::Receive { channel, .. }) = &edge.sync else { continue };
            self.edges += 1;
            let channels = self.channels(channel, (pid, after));
            found |= channels.is_err();
            if channels.is_ok_and(|channels| channels.iter().any(|at| met.contains(at))) {
                found = true;
                self.accept(edge, message, pid, (before, after));
            }
        }
        if found {
            self.permission((pid, after));
            if location.is_none() {
                self.needed.push(of.location_at(pid));
            }
        }
    }

    /// The receiver's half of a rendezvous.
    fn accept(&mut self, edge: &Edge, message: &[Transfer], pid: usize, (before, after): (&Knowledge, &Knowledge)) {
        if let Guard::When(condition) = &edge.guard
            && self.holds(condition, (pid, before)) == Some(false)
        {
            return;
        }
        self.take(edge, message, Point { pid, at: edge.target, keeps: false, chained: false, state: after.clone() });
    }

    /// A receive from a buffer.
    fn receive(&mut self, edge: &Edge, (channel, keep): (&Expr, bool), point: &Point) -> Result<(), Stop> {
        let mut channels = self.channels(channel, (point.pid, &point.state))?;
        let (from_new, is_only) = (channels.is_empty(), channels.len() == 1);
        let before = self.unknown.len();
        channels.retain(|at| self.of.capacity(*at) > 0 && self.channel_len(*at, &point.state) != Some(0));
        self.decisive.extend_from_slice(&self.unknown[before..]);
        if !channels.is_empty() || from_new {
            let Some(Sync::Receive { anywhere, .. }) = &edge.sync else { return Ok(()) };
            let mut next = point.clone();
            let moves = is_only && !anywhere && !point.state.is_lasting();
            let message = match channels[..] {
                [at] if moves && !self.is_touched(at, &point.state) => {
                    self.shift(at, keep, &point.state);
                    self.first_message(edge, at, &point.state)
                }
                _ => {
                    channels.iter().for_each(|at| self.content(*at, &point.state));
                    Vec::new()
                }
            };
            for &at in channels.iter().filter(|_| !keep) {
                let start = at.offset as usize;
                next.state.forget(start, self.of.layout.buffers[at.declaration as usize].size);
                let len = point.state.load(Width::U8, start).filter(|_| is_only);
                next.state.store(Width::U8, start, len.map(|len| len - 1));
            }
            self.take(edge, &message, next);
        }
        Ok(())
    }

    /// The first message is taken from a channel, and all others move up.
    fn shift(&mut self, at: ChannelAt, keep: bool, state: &Knowledge) {
        let of = self.of;
        let (buffer, start) = (&of.layout.buffers[at.declaration as usize], at.offset as usize);
        let slots = self.channel_len(at, state).map_or(buffer.capacity, |len| len.min(buffer.capacity));
        if keep {
            return;
        }
        self.free[start + 1..start + 1 + slots * buffer.message].fill(true);
        for slot in 1..slots {
            for field in &buffer.fields {
                let from = start + 1 + slot * buffer.message + field.offset;
                if !of.is_alike(from, from - buffer.message) {
                    self.decide(from, field.width.bytes());
                }
            }
        }
    }

    /// The message that a receive takes from a channel, as far as it is known.
    fn first_message(&mut self, edge: &Edge, at: ChannelAt, state: &Knowledge) -> Vec<Transfer> {
        let Some(Sync::Receive { args, .. }) = &edge.sync else { return Vec::new() };
        let buffer = &self.of.layout.buffers[at.declaration as usize];
        let mut message = Vec::new();
        for (field, arg) in buffer.fields.iter().zip(args) {
            let (from, before) = (at.offset as usize + 1 + field.offset, self.unknown.len());
            message.push(match (arg, state.load(field.width, from)) {
                (_, Some(value)) => Transfer::Known(value),
                (Pattern::Store(_), None) => Transfer::Copy(from, field.width, field.ty),
                (Pattern::Match(_), None) => {
                    self.load(field.width, from, state);
                    self.decide(from, field.width.bytes());
                    self.decisive.extend_from_slice(&self.unknown[before..]);
                    Transfer::Unknown
                }
                (Pattern::Any, None) => Transfer::Unknown,
            });
        }
        message
    }

    /// The process receives a message, of which some fields may be known, unless it does not match.
    fn take(&mut self, edge: &Edge, message: &[Transfer], mut point: Point) {
        let Some(Sync::Receive { args, condition, .. }) = &edge.sync else { return };
        let field = |i: usize| message.get(i).copied().unwrap_or(Transfer::Unknown);
        for (i, value) in self.matches(args, (point.pid, &point.state)).into_iter().enumerate() {
            if matches!(args[i], Pattern::Match(_)) {
                let there = self.settle(field(i));
                if value.zip(there).is_some_and(|(a, b)| a != b) {
                    return;
                }
            }
        }
        for (i, arg) in args.iter().enumerate() {
            if let Pattern::Store(place) = arg
                && self.assign(place, field(i), point.pid, &mut point.state).is_err()
            {
                return;
            }
        }
        if let Some(condition) = condition
            && self.holds(condition, (point.pid, &point.state)) == Some(false)
        {
            return;
        }
        self.follow(edge, point);
    }

    fn effect(&mut self, effect: &Effect, pid: usize, state: &mut Knowledge) -> Result<(), Stop> {
        match effect {
            Effect::Assign(place, value) => {
                let value = self.transfer(value, (pid, state))?;
                self.assign(place, value, pid, state)?;
            }
            Effect::Assert(condition) | Effect::Require { condition, .. } => {
                if self.holds(condition, (pid, state)) == Some(false) {
                    return Err(Stop);
                }
            }
            // What is printed is no part of a move.
            Effect::Print(_) => {}
            Effect::Run { process, args, priority, result } => {
                self.creates = true;
                for arg in args.iter().chain(priority) {
                    self.value(arg, (pid, state))?;
                }
                let created = &self.of.model.processes[process.index()];
                let initial = created.locals.iter().flat_map(|local| local.init.exprs());
                initial.for_each(|value| value.walk(&mut |part| self.initial(part, state)));
                if let Some(place) = result {
                    self.assign(place, Transfer::Unknown, pid, state)?;
                }
            }
            Effect::Remove => {
                let at = self.of.shape.processes[pid];
                self.decide(at.offset as usize, self.of.layout.frames[at.process as usize].size);
            }
            Effect::SetPriority { .. } => self.bounded = false,
        }
        Ok(())
    }

    /// A part of an initial value of a process that is created. Its own variables follow from the arguments.
    fn initial(&mut self, part: &Expr, state: &Knowledge) {
        match part {
            Expr::Load(Place { var: VarRef::Global(id), .. }) => {
                let slot = &self.of.layout.globals[id.index()];
                self.read(slot.offset, slot.len() * slot.width.bytes(), state);
            }
            Expr::Load(_) | Expr::Const(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Cond(_) | Expr::Pid => {}
            _ => self.bounded = false,
        }
    }

    /// A value is stored in an element.
    fn assign(&mut self, place: &Place, value: Transfer, pid: usize, state: &mut Knowledge) -> Result<(), Stop> {
        let of = self.of;
        let (bytes, only, width) = self.place(place, (pid, state))?;
        let (slot, _) = of.slot(place.var, pid);
        self.free[bytes.clone()].fill(true);
        if let (Transfer::Copy(from, ..), Some(at), None) = (self.wrapped(value, slot.ty), only, slot.range)
            && of.is_alike(from, at)
        {
            self.free[from..from + width.bytes()].fill(true);
            state.copy(width, at, from);
            return Ok(());
        }
        let value = self.settle(value);
        let outside = |value: &i32| slot.range.is_some_and(|(low, high)| !(low..=high).contains(value));
        if value.as_ref().is_some_and(outside) {
            return Err(Stop);
        }
        match only {
            Some(at) => state.store(width, at, value.map(|value| slot.ty.wrap(value))),
            None => state.forget(bytes.start, bytes.len()),
        }
        Ok(())
    }
}

/// The form of a location in packed states.
pub(super) fn location_width(wide: bool) -> Width {
    if wide { Width::U16 } else { Width::U8 }
}
