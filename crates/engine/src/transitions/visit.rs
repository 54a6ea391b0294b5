//! The walk along all moves that edges of a process may lead to, with what is known about the state. It finds the bytes that
//! decide about the moves, and those that they change.
//!
//! Each path through an atomic or indivisible sequence has a [`Knowledge`] of its own: an edge whose guard is known to be false is
//! not followed, and an assignment of a known value is known afterwards.

use std::collections::HashSet;

use kripke_model::ir::{Edge, Effect, Expr, Guard, LocId, Pattern, Place, Sync, Then, VarRef};
use kripke_model::layout::{ChannelAt, Width};

use super::evaluate::{Env, Stop};
use super::footprint::Footprints;
use super::knowledge::Knowledge;

/// The most edges of a walk. More are followed with less knowledge, so that different paths meet.
const MOST_EDGES: usize = 300;

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
    /// The elements that are overwritten with values that do not depend on their old values.
    pub written: Vec<bool>,
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
    /// Those whose values were assigned to others.
    pub copied: Vec<usize>,
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
            written: none.clone(),
            changed: none,
            bounded: true,
            creates: false,
            needed: Vec::new(),
            decisive: Vec::new(),
            unknown: Vec::new(),
            copied: Vec::new(),
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
            if visit.edges > MOST_EDGES && !state.is_lasting() {
                return None;
            }
        }
        Some(visit)
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
        let before = self.unknown.len();
        let message: Vec<Option<i32>> = args.iter().map(|arg| self.value(arg, env)).collect::<Result<_, Stop>>()?;
        self.copied.extend_from_slice(&self.unknown[before..]);
        let met: Vec<ChannelAt> = channels.iter().copied().filter(|at| self.of.capacity(*at) == 0).collect();
        match met[..] {
            [] => {}
            [at] => {
                let fields = &self.of.layout.buffers[at.declaration as usize].fields;
                let values = message.iter().zip(fields).map(|(value, field)| value.map(|value| field.ty.wrap(value)));
                self.meet(edge, (&met, &values.collect::<Vec<_>>()), point);
            }
            _ => self.meet(edge, (&met, &[]), point),
        }
        let (mut next, mut goes, is_only) = (point.clone(), channels.is_empty(), channels.len() == 1);
        for at in channels.into_iter().filter(|at| self.of.capacity(*at) > 0) {
            let buffer = &self.of.layout.buffers[at.declaration as usize];
            let (start, before) = (at.offset as usize, self.unknown.len());
            if self.channel_len(at, &point.state) == Some(buffer.capacity) {
                continue;
            }
            self.decisive.extend_from_slice(&self.unknown[before..]);
            goes = true;
            if sorted {
                self.content(at, &point.state);
            }
            self.changed[start..start + buffer.size].fill(true);
            next.state.forget(start, buffer.size);
            let len = point.state.load(Width::U8, start);
            next.state.store(Width::U8, start, len.filter(|_| is_only).map(|len| len + 1));
        }
        if goes {
            self.follow(edge, next);
        }
        Ok(())
    }

    /// A rendezvous on one of these channels. Afterwards the receiver has control.
    fn meet(&mut self, edge: &Edge, message: (&[ChannelAt], &[Option<i32>]), point: &Point) {
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
        (met, message): (&[ChannelAt], &[Option<i32>]),
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
            found = true;
            self.edges += 1;
            let meets = |at: &ChannelAt| met.contains(at);
            if self.channels(channel, (pid, after)).is_ok_and(|channels| channels.iter().any(meets)) {
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
    fn accept(&mut self, edge: &Edge, message: &[Option<i32>], pid: usize, (before, after): (&Knowledge, &Knowledge)) {
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
            let mut next = point.clone();
            for &at in &channels {
                self.content(at, &point.state);
                if !keep {
                    let start = at.offset as usize;
                    next.state.forget(start, self.of.layout.buffers[at.declaration as usize].size);
                    let len = point.state.load(Width::U8, start).filter(|_| is_only);
                    next.state.store(Width::U8, start, len.map(|len| len - 1));
                }
            }
            let message = self.first_message(edge, &channels, &point.state);
            self.take(edge, &message, next);
        }
        Ok(())
    }

    /// The message that a receive takes from one of these channels, as far as it is known.
    fn first_message(&mut self, edge: &Edge, channels: &[ChannelAt], state: &Knowledge) -> Vec<Option<i32>> {
        let ([at], Some(Sync::Receive { anywhere: false, args, .. })) = (channels, &edge.sync) else {
            return Vec::new();
        };
        let buffer = &self.of.layout.buffers[at.declaration as usize];
        let mut message = Vec::new();
        for (i, field) in buffer.fields.iter().enumerate() {
            let before = self.unknown.len();
            message.push(self.load(field.width, at.offset as usize + 1 + field.offset, state));
            match args.get(i) {
                Some(Pattern::Match(_)) => self.decisive.extend_from_slice(&self.unknown[before..]),
                Some(Pattern::Store(_)) => self.copied.extend_from_slice(&self.unknown[before..]),
                _ => {}
            }
        }
        message
    }

    /// The process receives a message, of which some fields may be known, unless it does not match.
    fn take(&mut self, edge: &Edge, message: &[Option<i32>], mut point: Point) {
        let Some(Sync::Receive { args, condition, .. }) = &edge.sync else { return };
        let field = |i: usize| message.get(i).copied().flatten();
        let wanted = self.matches(args, (point.pid, &point.state));
        let differs = |(i, value): (usize, &Option<i32>)| value.zip(field(i)).is_some_and(|(a, b)| a != b);
        if wanted.iter().enumerate().any(differs) {
            return;
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
                let before = self.unknown.len();
                let value = self.value(value, (pid, state))?;
                self.copied.extend_from_slice(&self.unknown[before..]);
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
                initial.for_each(|value| value.walk(&mut |part| self.initial(part)));
                if let Some(place) = result {
                    self.assign(place, None, pid, state)?;
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
    fn initial(&mut self, part: &Expr) {
        match part {
            Expr::Load(Place { var: VarRef::Global(id), .. }) => {
                let slot = &self.of.layout.globals[id.index()];
                self.decide(slot.offset, slot.len() * slot.width.bytes());
            }
            Expr::Load(_) | Expr::Const(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Cond(_) | Expr::Pid => {}
            _ => self.bounded = false,
        }
    }

    /// A value is stored in an element.
    fn assign(&mut self, place: &Place, value: Option<i32>, pid: usize, state: &mut Knowledge) -> Result<(), Stop> {
        let of = self.of;
        let (bytes, only, _) = self.place(place, (pid, state))?;
        self.written[bytes].fill(true);
        let (slot, base) = of.slot(place.var, pid);
        let outside = |value: &i32| slot.range.is_some_and(|(low, high)| !(low..=high).contains(value));
        if value.as_ref().is_some_and(outside) {
            return Err(Stop);
        }
        match only {
            Some(at) => state.store(slot.width, at, value.map(|value| slot.ty.wrap(value))),
            None => state.forget(base + slot.offset, slot.len() * slot.width.bytes()),
        }
        Ok(())
    }
}

/// The form of a location in packed states.
pub(super) fn location_width(wide: bool) -> Width {
    if wide { Width::U16 } else { Width::U8 }
}
