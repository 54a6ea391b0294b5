//! Which parts of a state the moves of a process from one location can read and change.
//!
//! The analysis follows every edge that a move may execute: those of the location, of atomic and indivisible sequences that
//! begin there, and those of processes that may receive in a rendezvous. It is an over-approximation.

use std::collections::HashSet;
use std::ops::Range;

use kripke_model::Model;
use kripke_model::ir::{Edge, Effect, Expr, Guard, LocId, Pattern, Piece, Place, Process, Sync, Then, VarRef};
use kripke_model::layout::{ChannelAt, Layout, Shape, Slot};
use kripke_model::words::WordLayout;

use crate::facts::Facts;

/// The footprint of moves, as bits of a state in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Footprint {
    /// The bits that decide about the moves, and about the bits that they change.
    pub key: Vec<u64>,
    /// All bits that the moves can change.
    pub changed: Vec<u64>,
}

/// What is known about the states of one shape.
pub(super) struct Footprints<'a> {
    model: &'a Model,
    layout: &'a Layout,
    facts: &'a Facts,
    words: &'a WordLayout,
    tag: usize,
    /// A packed state with this shape. Where all such states have the same byte, it has this byte.
    template: Vec<u8>,
    shape: Shape,
    /// Processes meet in rendezvous.
    meets: bool,
}

/// A point of control that moves may pass: the process, the location, and whether the process keeps control after the indivisible
/// sequence that it is in.
type Point = (usize, LocId, bool);

/// The bytes that moves read and change.
struct Visit<'a, 'm> {
    of: &'a Footprints<'m>,
    /// The bytes that decide about the moves, and those that they change in a way that does not depend on their old value.
    key: Vec<bool>,
    changed: Vec<bool>,
    seen: HashSet<Point>,
    /// Points of control that moves may pass.
    open: Vec<Point>,
    /// The moves have a footprint: nothing in them depends on the state in other ways.
    bounded: bool,
    /// Some move creates a process.
    creates: bool,
}

/// Consecutive edges of a location, by their positions, with the footprint of their moves. Nothing if it has no bounds.
pub(super) type Groups = Vec<(Range<usize>, Option<Footprint>)>;

/// Edges whose keys together have so many bits are in one group: short keys make small tables, but each group takes a look into
/// its table. If there are more than a few groups, they may have more bits.
const FEW_BITS: [u32; 3] = [12, 14, 16];
const FEW_GROUPS: usize = 4;

impl Footprint {
    fn key_bits(&self) -> u32 {
        self.key.iter().map(|word| word.count_ones()).sum()
    }

    fn add(&mut self, other: &Footprint) {
        self.key.iter_mut().zip(&other.key).for_each(|(bits, more)| *bits |= more);
        self.changed.iter_mut().zip(&other.changed).for_each(|(bits, more)| *bits |= more);
    }

    /// Puts consecutive edges into one group if their keys together have at most so many bits, or not more than one of them.
    fn group(footprints: &[Option<Footprint>], bits: u32) -> Groups {
        let mut groups: Groups = Vec::new();
        for (i, footprint) in footprints.iter().enumerate() {
            if let (Some((range, Some(last))), Some(more)) = (groups.last_mut(), footprint) {
                let mut both = last.clone();
                both.add(more);
                if both.key_bits() <= bits.max(last.key_bits()).max(more.key_bits()) {
                    (range.end, *last) = (i + 1, both);
                    continue;
                }
            }
            groups.push((i..i + 1, footprint.clone()));
        }
        groups
    }
}

impl<'a> Footprints<'a> {
    /// The footprints in states with this shape, of which `template` is one.
    pub fn new(
        model: &'a Model,
        (layout, facts): (&'a Layout, &'a Facts),
        (words, tag): (&'a WordLayout, usize),
        template: Vec<u8>,
    ) -> Footprints<'a> {
        let mut shape = Shape::default();
        layout.shape(&template, &mut shape);
        let meets = model.channels.iter().any(|channel| channel.capacity == 0);
        Footprints { model, layout, facts, words, tag, template, shape, meets }
    }

    /// The processes of the shape.
    pub fn processes(&self) -> usize {
        self.shape.processes.len()
    }

    /// The type of a process.
    pub fn process(&self, pid: usize) -> &'a Process {
        &self.model.processes[self.shape.processes[pid].process as usize]
    }

    /// The number of the type of a process.
    pub fn process_type(&self, pid: usize) -> u32 {
        self.shape.processes[pid].process
    }

    /// The offset of the location of a process in packed states.
    pub fn location_at(&self, pid: usize) -> usize {
        self.shape.processes[pid].offset as usize + 1
    }

    /// The location of a process in the template.
    pub fn location(&self, pid: usize) -> LocId {
        self.layout.location(&self.template, self.shape.processes[pid])
    }

    /// The edges of a location of a process in groups of consecutive ones, with the footprint of each group, or nothing if it has no
    /// bounds. Edges are in one group if one decides about another, or if their keys together have few bits.
    pub fn groups(&self, pid: usize, at: LocId) -> Groups {
        let edges: Vec<&Edge> = self.edges(pid, at).collect();
        let independent = edges.iter().all(|edge| edge.level == edges[0].level && !matches!(edge.guard, Guard::Else));
        if !independent || edges.is_empty() {
            return vec![(0..edges.len(), self.of(pid, &edges))];
        }
        let footprints: Vec<Option<Footprint>> = edges.iter().map(|edge| self.of(pid, &[edge])).collect();
        let grouped = |bits| Footprint::group(&footprints, bits);
        let few = FEW_BITS.into_iter().map(grouped).find(|groups| groups.len() <= FEW_GROUPS);
        few.unwrap_or_else(|| grouped(FEW_BITS[FEW_BITS.len() - 1]))
    }

    /// The footprint of the moves of a process by these edges of a location. Nothing if it has no bounds. The location is no part of
    /// the key.
    fn of(&self, pid: usize, edges: &[&Edge]) -> Option<Footprint> {
        let none = vec![false; self.template.len()];
        let mut visit = Visit {
            of: self,
            key: none.clone(),
            changed: none,
            seen: HashSet::new(),
            open: Vec::new(),
            bounded: true,
            creates: false,
        };
        visit.permission(pid);
        edges.iter().for_each(|edge| visit.edge(pid, edge, false));
        while let Some(point) = visit.open.pop() {
            if visit.seen.insert(point) && visit.bounded {
                visit.point(point);
            }
        }
        let Visit { key, changed, bounded, creates, .. } = visit;
        // A process that was just created could receive.
        (bounded && !(creates && self.meets)).then(|| {
            let location = self.location_at(pid);
            Footprint {
                key: self.bits(|at| key[at] && at != location),
                changed: self.bits(|at| key[at] || changed[at]),
            }
        })
    }

    /// The bits of the fields that begin at these bytes.
    fn bits(&self, chosen: impl Fn(usize) -> bool) -> Vec<u64> {
        let mut bits = vec![0; self.words.word_count()];
        for (offset, position) in self.words.fields(self.tag).filter(|(offset, _)| chosen(*offset)) {
            debug_assert!(offset < self.template.len());
            for bit in position.first..position.first + position.bits {
                bits[bit as usize / 64] |= 1 << (bit % 64);
            }
        }
        bits
    }

    /// The value of an expression, if it is the same in all states of the shape, also between the stored ones.
    fn known(&self, expr: &Expr, pid: usize) -> Option<i32> {
        match expr {
            Expr::Const(value) => Some(*value),
            Expr::Pid => Some(pid as i32),
            Expr::Unary(op, a) => Some(op.apply(self.known(a, pid)?)),
            Expr::Binary(op, a, b) => op.apply(self.known(a, pid)?, self.known(b, pid)?),
            Expr::Load(place) if !self.facts.is_written(self.shape.processes[pid].process, place.var) => {
                let (slot, base) = self.slot(place.var, pid);
                let element = self.element(place, slot, pid)?;
                let at = base + slot.offset + element * slot.width.bytes();
                let mut bytes = at..at + slot.width.bytes();
                bytes.all(|at| self.words.is_constant(self.tag, at)).then(|| slot.width.load(&self.template, at))
            }
            _ => None,
        }
    }

    /// The number of an element, if it is known.
    fn element(&self, place: &Place, slot: &Slot, pid: usize) -> Option<usize> {
        let mut element = 0;
        for (index, &len) in place.index.iter().zip(&slot.dims) {
            let index = usize::try_from(self.known(index, pid)?).ok().filter(|index| *index < len as usize)?;
            element = element * len as usize + index;
        }
        Some(element)
    }

    fn slot(&self, var: VarRef, pid: usize) -> (&Slot, usize) {
        match var {
            VarRef::Global(id) => (&self.layout.globals[id.index()], 0),
            VarRef::Local(id) => {
                let at = self.shape.processes[pid];
                (&self.layout.frames[at.process as usize].locals[id.index()], at.offset as usize)
            }
        }
    }

    /// The channels that an expression can denote.
    fn channels(&self, channel: &Expr, pid: usize) -> Vec<ChannelAt> {
        match self.known(channel, pid) {
            Some(number) => {
                let index = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
                index.and_then(|index| self.shape.channels.get(index)).copied().into_iter().collect()
            }
            None => self.shape.channels.clone(),
        }
    }

    fn capacity(&self, channel: ChannelAt) -> usize {
        self.layout.buffers[channel.declaration as usize].capacity
    }

    fn edges(&self, pid: usize, at: LocId) -> impl Iterator<Item = &'a Edge> + use<'a> {
        let process = self.process(pid);
        process.locations[at.index()].edges.iter().map(|id| &process.edges[id.index()])
    }
}

impl Visit<'_, '_> {
    fn point(&mut self, (pid, at, keeps): Point) {
        self.permission(pid);
        self.of.edges(pid, at).for_each(|edge| self.edge(pid, edge, keeps));
    }

    /// What decides whether the process may move, besides its edges.
    fn permission(&mut self, pid: usize) {
        self.control(pid);
        self.of.process(pid).provided.iter().for_each(|clause| self.read(clause, pid));
    }

    /// The location of a process.
    fn control(&mut self, pid: usize) {
        self.decide(self.of.location_at(pid), 1);
    }

    fn edge(&mut self, pid: usize, edge: &Edge, keeps: bool) {
        match &edge.guard {
            Guard::When(condition) => self.read(condition, pid),
            // In states of one shape the youngest process is always the same.
            Guard::Always | Guard::Else | Guard::Youngest => {}
        }
        match &edge.sync {
            Some(Sync::Send { channel, args, sorted }) => {
                args.iter().for_each(|arg| self.read(arg, pid));
                self.send(channel, *sorted, pid);
            }
            Some(Sync::Receive { channel, args, condition, .. }) => {
                self.message(args, pid);
                condition.iter().for_each(|condition| self.read(condition, pid));
                self.content(channel, pid);
            }
            None => {}
        }
        edge.effects.iter().for_each(|effect| self.effect(effect, pid));
        let keeps = keeps || edge.then == Then::Keep;
        match (edge.chain, edge.then) {
            (Some(entry), _) => self.open.push((pid, entry, keeps)),
            (None, Then::Chain) => self.open.push((pid, edge.target, keeps)),
            (None, _) if keeps => self.open.push((pid, edge.target, false)),
            (None, _) => {}
        }
    }

    /// A message that is put behind others changes only bytes that are zero before: bytes of the buffer that decide nothing.
    fn send(&mut self, channel: &Expr, sorted: bool, pid: usize) {
        self.read(channel, pid);
        let channels = self.of.channels(channel, pid);
        for &at in &channels {
            let buffer = &self.of.layout.buffers[at.declaration as usize];
            let start = at.offset as usize;
            if sorted {
                self.decide(start, buffer.size);
            } else if buffer.capacity > 0 {
                self.decide(start, 1);
                self.changed[start..start + buffer.size].fill(true);
            }
        }
        let met: Vec<ChannelAt> = channels.into_iter().filter(|channel| self.of.capacity(*channel) == 0).collect();
        if !met.is_empty() {
            (0..self.of.processes()).filter(|other| *other != pid).for_each(|other| self.receiver(other, &met));
        }
    }

    /// A process that may receive in a rendezvous on one of these channels, from any of its locations.
    fn receiver(&mut self, pid: usize, met: &[ChannelAt]) {
        let of = self.of;
        let receives = |edge: &&Edge| {
            let Some(Sync::Receive { channel, .. }) = &edge.sync else { return false };
            of.channels(channel, pid).iter().any(|channel| met.contains(channel))
        };
        let process = of.process(pid);
        let mut found = false;
        for edge in process.edges.iter().filter(receives) {
            found = true;
            self.edge(pid, edge, false);
        }
        if found {
            self.permission(pid);
        }
    }

    /// All messages of a channel.
    fn content(&mut self, channel: &Expr, pid: usize) {
        self.read(channel, pid);
        for at in self.of.channels(channel, pid) {
            self.decide(at.offset as usize, self.of.layout.buffers[at.declaration as usize].size);
        }
    }

    fn message(&mut self, args: &[Pattern], pid: usize) {
        for arg in args {
            match arg {
                Pattern::Match(value) => self.read(value, pid),
                Pattern::Store(place) => self.place(place, pid),
                Pattern::Any => {}
            }
        }
    }

    fn effect(&mut self, effect: &Effect, pid: usize) {
        match effect {
            Effect::Assign(place, value) => {
                self.read(value, pid);
                self.place(place, pid);
            }
            Effect::Assert(condition) | Effect::Require { condition, .. } => self.read(condition, pid),
            Effect::Print(print) => print.pieces.iter().for_each(|piece| match piece {
                Piece::Text(_) => {}
                Piece::Value(_, value) | Piece::Symbol(_, value) => self.read(value, pid),
            }),
            Effect::Run { process, args, priority, result } => {
                self.creates = true;
                args.iter().chain(priority).for_each(|arg| self.read(arg, pid));
                let created = &self.of.model.processes[process.index()];
                let initial = created.locals.iter().flat_map(|local| local.init.exprs());
                initial.for_each(|value| value.walk(&mut |part| self.initial(part)));
                result.iter().for_each(|place| self.place(place, pid));
            }
            Effect::Remove => {
                let at = self.of.shape.processes[pid];
                self.decide(at.offset as usize, self.of.layout.frames[at.process as usize].size);
            }
            Effect::SetPriority { .. } => self.bounded = false,
        }
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

    /// An element of a variable of the process or of the model that is read or changed, and its indices.
    fn place(&mut self, place: &Place, pid: usize) {
        place.index.iter().for_each(|index| self.read(index, pid));
        let (slot, base) = self.of.slot(place.var, pid);
        let (start, width) = (base + slot.offset, slot.width.bytes());
        match self.of.element(place, slot, pid) {
            Some(element) => self.decide(start + element * width, width),
            None => self.decide(start, slot.len() * width),
        }
    }

    fn read(&mut self, expr: &Expr, pid: usize) {
        let of = self.of;
        match expr {
            Expr::Const(_) | Expr::Pid | Expr::ProcessCount | Expr::Timeout | Expr::Input | Expr::Fault(_) => {}
            Expr::Load(place) => self.place(place, pid),
            Expr::Unary(_, a) => self.read(a, pid),
            Expr::Binary(_, a, b) => {
                self.read(a, pid);
                self.read(b, pid);
            }
            Expr::Cond(parts) => parts.iter().for_each(|part| self.read(part, pid)),
            Expr::Channel(_, channel) => self.content(channel, pid),
            Expr::Poll { channel, args, .. } => {
                self.message(args, pid);
                self.content(channel, pid);
            }
            Expr::Location(of_whom) => {
                self.read(of_whom, pid);
                (0..of.processes()).for_each(|other| self.control(other));
            }
            Expr::At { process, pid: number, .. } => {
                number.iter().for_each(|number| self.read(number, pid));
                self.each_of(process.0, |this, other| this.control(other));
            }
            Expr::Remote { process, pid: number, place } => {
                number.iter().for_each(|number| self.read(number, pid));
                place.index.iter().for_each(|index| self.read(index, pid));
                self.each_of(process.0, |this, other| {
                    let (slot, base) = this.of.slot(place.var, other);
                    this.decide(base + slot.offset, slot.len() * slot.width.bytes());
                });
            }
            Expr::Last | Expr::NonProgress | Expr::Enabled(_) | Expr::Priority(_) | Expr::ObserverAt(_) => {
                self.bounded = false;
            }
        }
    }

    fn each_of(&mut self, process: u32, mut see: impl FnMut(&mut Self, usize)) {
        let of = self.of;
        let these = (0..of.processes()).filter(|pid| of.shape.processes[*pid].process == process);
        these.for_each(|pid| see(self, pid));
    }

    /// These bytes decide about the moves, or are changed.
    fn decide(&mut self, start: usize, bytes: usize) {
        self.key[start..start + bytes].fill(true);
    }
}
