//! Which parts of a state the moves of a process from one location can read and change.
//!
//! The analysis follows every edge that a move may execute: those of the location, of atomic and indivisible sequences that
//! begin there, and those of processes that may receive in a rendezvous. It is an over-approximation. The more is known about the
//! state, the less it has to assume: with the value of an index it has one element instead of an array. So a footprint that is too
//! large says which bits should be known first.

use std::ops::Range;

use kripke_model::Model;
use kripke_model::ir::{Edge, Guard, LocId, Process, VarId, VarRef};
use kripke_model::layout::{ChannelAt, Layout, Shape, Slot, Width};
use kripke_model::words::{Position, WordLayout};

use super::knowledge::Knowledge;
use super::visit::{Visit, location_width};
use crate::facts::Facts;

/// The footprint of moves, as bits of a state in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Footprint {
    /// The bits that decide about the moves. Without those that are known.
    pub key: Vec<u64>,
    /// Other bits that the moves may overwrite or copy to other places. In a successor, each of the bits that can be changed either
    /// follows from the key or has the value that one of these had in the state.
    pub free: Vec<u64>,
    /// All bits that the moves can change.
    pub changed: Vec<u64>,
    /// The bits of the key that should be known before the others are determined. There are none if the key is short.
    pub first: Vec<u64>,
}

/// The parts of packed states of one shape.
#[derive(Debug)]
pub(super) struct Fields {
    /// The offsets of those that vary, and their places in the words.
    varying: Vec<(usize, Position)>,
    /// The places in the words by offset.
    at: Vec<Option<Position>>,
    /// Whether a byte is the same in all states.
    constant: Vec<bool>,
}

impl Fields {
    pub fn new(words: &WordLayout, tag: usize) -> Fields {
        let length = words.lengths().nth(tag).unwrap_or(0);
        let constant = (0..length).map(|at| words.is_constant(tag, at)).collect();
        let varying: Vec<(usize, Position)> = words.fields(tag).collect();
        let mut at = vec![None; length];
        varying.iter().for_each(|(offset, position)| at[*offset] = Some(*position));
        Fields { varying, at, constant }
    }
}

/// What is known about the states of one shape.
pub(super) struct Footprints<'a> {
    pub model: &'a Model,
    pub layout: &'a Layout,
    facts: &'a Facts,
    fields: &'a Fields,
    /// A packed state with this shape, in which everything has its value that is known. Where all such states have the same byte, it
    /// has this byte.
    pub template: Vec<u8>,
    /// The bits whose values are known.
    known: &'a [u64],
    pub shape: Shape,
    /// Processes meet in rendezvous.
    meets: bool,
}

/// Consecutive edges of a location, by their positions, with the footprint of their moves. Nothing if it has no bounds.
pub(super) type Groups = Vec<(Range<usize>, Option<Footprint>)>;

/// Edges whose keys together have so many bits are in one group: short keys make small tables, but each group takes a look into
/// its table. If there are more than a few groups, they may have more bits.
const FEW_BITS: [u32; 3] = [12, 14, 16];
const FEW_GROUPS: usize = 4;

/// Bits that are overwritten or copied are part of a key if it then has at most so many bits, and other bits are known.
const PLAIN_REST: u32 = 12;
/// A key of so many bits is not divided, and neither is one of so many if other bits are known.
const WHOLE_KEY: u32 = 24;
const WHOLE_REST: u32 = 24;
/// The most bits that should be known first.
const FIRST_BITS: u32 = 24;

fn count(bits: &[u64]) -> u32 {
    bits.iter().map(|word| word.count_ones()).sum()
}

fn add(bits: &mut [u64], more: &[u64]) {
    bits.iter_mut().zip(more).for_each(|(bits, more)| *bits |= more);
}

fn remove(bits: &mut [u64], less: &[u64]) {
    bits.iter_mut().zip(less).for_each(|(bits, less)| *bits &= !less);
}

impl Footprint {
    fn add(&mut self, other: &Footprint) {
        add(&mut self.key, &other.key);
        add(&mut self.free, &other.free);
        remove(&mut self.free, &self.key);
        add(&mut self.changed, &other.changed);
        add(&mut self.first, &other.first);
    }

    /// Footprints of one form can be joined.
    fn form(&self) -> (bool, bool) {
        (count(&self.first) > 0, count(&self.free) > 0)
    }

    fn is_divided(&self) -> bool {
        count(&self.first) > 0
    }

    /// Whether two footprints can be one if keys have at most so many bits, or not more than one of them.
    fn joins(&self, other: &Footprint, bits: u32) -> bool {
        let mut both = self.clone();
        both.add(other);
        match self.is_divided() {
            true => count(&both.first) <= FIRST_BITS,
            false => count(&both.key) <= bits.max(count(&self.key)).max(count(&other.key)),
        }
    }

    /// Puts consecutive edges into groups.
    fn group(footprints: &[Option<Footprint>], bits: u32) -> Groups {
        let mut groups: Groups = Vec::new();
        for (i, footprint) in footprints.iter().enumerate() {
            if let (Some((range, Some(last))), Some(more)) = (groups.last_mut(), footprint)
                && last.form() == more.form()
                && last.joins(more, bits)
            {
                range.end = i + 1;
                last.add(more);
                continue;
            }
            groups.push((i..i + 1, footprint.clone()));
        }
        groups
    }
}

impl<'a> Footprints<'a> {
    /// The footprints in states with this shape, of which `template` is one, with the values of these bits.
    pub fn new(
        model: &'a Model,
        (layout, facts): (&'a Layout, &'a Facts),
        fields: &'a Fields,
        (template, known): (Vec<u8>, &'a [u64]),
    ) -> Footprints<'a> {
        let mut shape = Shape::default();
        layout.shape(&template, &mut shape);
        let meets = model.channels.iter().any(|channel| channel.capacity == 0);
        Footprints { model, layout, facts, fields, template, known, shape, meets }
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

    /// The form of the location of a process in packed states.
    pub fn location_width(&self, pid: usize) -> Width {
        location_width(self.layout.frames[self.shape.processes[pid].process as usize].wide_location)
    }

    /// These edges of a location of a process in groups of consecutive ones, with the footprint of each group, or nothing if it has no
    /// bounds. Edges are in one group if one decides about another, or if their keys together have few bits.
    pub fn groups(&self, pid: usize, at: LocId, chosen: Option<Range<usize>>) -> Groups {
        let mut edges: Vec<&Edge> = self.edges(pid, at).collect();
        let chosen = chosen.unwrap_or(0..edges.len());
        edges = edges[chosen.clone()].to_vec();
        let independent = edges.iter().all(|edge| edge.level == edges[0].level && !matches!(edge.guard, Guard::Else));
        if !independent || edges.is_empty() {
            return vec![(chosen, self.of(pid, at, &edges))];
        }
        let footprints: Vec<Option<Footprint>> = edges.iter().map(|edge| self.of(pid, at, &[edge])).collect();
        let grouped = |bits| Footprint::group(&footprints, bits);
        let few = FEW_BITS.into_iter().map(grouped).find(|groups| groups.len() <= FEW_GROUPS);
        let mut groups = few.unwrap_or_else(|| grouped(FEW_BITS[FEW_BITS.len() - 1]));
        groups.iter_mut().for_each(|(range, _)| *range = range.start + chosen.start..range.end + chosen.start);
        groups
    }

    /// The footprint of the moves of a process by these edges of a location. Nothing if it has no bounds. The location is no part of
    /// the key.
    fn of(&self, pid: usize, at: LocId, edges: &[&Edge]) -> Option<Footprint> {
        let walk = Visit::new(self, pid, edges, &self.knowledge(pid, at));
        let (walk, is_whole) = match walk {
            Some(walk) => (walk, false),
            None => (Visit::new(self, pid, edges, &self.lasting())?, true),
        };
        let Visit { key, free, changed, bounded, creates, needed, decisive, .. } = walk;
        if !bounded || creates && self.meets {
            // A process that was just created could receive.
            return None;
        }
        let location = self.location_at(pid);
        let changed = self.bits(|at| key[at] || free[at] || changed[at]);
        let mut key = self.bits(|at| key[at] && at != location);
        let mut free = self.bits(|at| free[at]);
        remove(&mut key, self.known);
        remove(&mut free, self.known);
        remove(&mut free, &key);
        let plain = if count(self.known) > 0 { PLAIN_REST } else { WHOLE_KEY };
        if count(&key) + count(&free) <= plain {
            add(&mut key, &free);
            free.fill(0);
        }
        let mut first = self.first(&key, needed.into_iter().filter(|_| !is_whole));
        if count(&first) == 0 {
            first = self.first(&key, decisive.into_iter().filter(|_| !is_whole));
        }
        Some(Footprint { key, free, changed, first })
    }

    /// The bits that should be known first, of the fields at these offsets.
    fn first(&self, key: &[u64], fields: impl Iterator<Item = usize>) -> Vec<u64> {
        let whole = if count(self.known) > 0 { WHOLE_REST } else { WHOLE_KEY };
        let mut first = vec![0; key.len()];
        if count(key) <= whole {
            return first;
        }
        for at in fields {
            let mut more = self.bits(|other| other == at);
            more.iter_mut().zip(key).for_each(|(more, key)| *more &= key);
            add(&mut more, &first);
            if count(&more) <= FIRST_BITS {
                first = more;
            }
        }
        first
    }

    /// What is known about a state in which a process is at a location.
    fn knowledge(&self, pid: usize, at: LocId) -> Knowledge {
        let mut known = self.fields.constant.clone();
        for &(offset, position) in &self.fields.varying {
            let mut bits = position.first..position.first + position.bits;
            let is_known = bits.all(|bit| self.known[bit as usize / 64] >> (bit % 64) & 1 == 1);
            known[offset..offset + position.bytes].fill(is_known);
        }
        let mut knowledge = Knowledge::new(&self.template, |at| known[at]);
        knowledge.store(self.location_width(pid), self.location_at(pid), Some(at.0 as i32));
        knowledge
    }

    /// What is known about all states, also between the stored ones: variables that no move writes.
    fn lasting(&self) -> Knowledge {
        let mut known = vec![false; self.template.len()];
        let globals = (0..self.layout.globals.len()).map(|i| (0, VarRef::Global(VarId(i as u32))));
        let locals = (0..self.processes()).flat_map(|pid| {
            let count = self.process(pid).locals.len();
            (0..count).map(move |i| (pid, VarRef::Local(VarId(i as u32))))
        });
        for (pid, var) in globals.chain(locals) {
            let process = self.shape.processes.get(pid).map_or(0, |at| at.process);
            if !self.facts.is_written(process, var) {
                let (slot, base) = self.slot(var, pid);
                let start = base + slot.offset;
                let bytes = start..start + slot.len() * slot.width.bytes();
                known[bytes.clone()].copy_from_slice(&self.fields.constant[bytes]);
            }
        }
        Knowledge::lasting(&self.template, |at| known[at])
    }

    /// Whether two elements have the same form in the words, so that one can be copied to the place of the other.
    pub fn is_alike(&self, a: usize, b: usize) -> bool {
        let form = |at: usize| self.fields.at[at].map(|Position { bytes, least, bits, .. }| (bytes, least, bits));
        form(a).is_some() && form(a) == form(b)
    }

    /// The bits of the fields that begin at these bytes.
    fn bits(&self, chosen: impl Fn(usize) -> bool) -> Vec<u64> {
        let mut bits = vec![0; self.known.len()];
        for (offset, position) in self.fields.varying.iter().filter(|(offset, _)| chosen(*offset)) {
            debug_assert!(*offset < self.template.len());
            for bit in position.first..position.first + position.bits {
                bits[bit as usize / 64] |= 1 << (bit % 64);
            }
        }
        bits
    }

    /// The place of a variable of the model or of a process, and the offset that it counts from.
    pub fn slot(&self, var: VarRef, pid: usize) -> (&'a Slot, usize) {
        match var {
            VarRef::Global(id) => (&self.layout.globals[id.index()], 0),
            VarRef::Local(id) => {
                let at = self.shape.processes[pid];
                (&self.layout.frames[at.process as usize].locals[id.index()], at.offset as usize)
            }
        }
    }

    pub fn capacity(&self, channel: ChannelAt) -> usize {
        self.layout.buffers[channel.declaration as usize].capacity
    }

    pub fn edges(&self, pid: usize, at: LocId) -> impl Iterator<Item = &'a Edge> + use<'a> {
        let process: &'a Process = &self.model.processes[self.shape.processes[pid].process as usize];
        process.locations[at.index()].edges.iter().map(|id| &process.edges[id.index()])
    }
}
