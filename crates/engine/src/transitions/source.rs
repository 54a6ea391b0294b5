//! What the table of transitions is made from: footprints, and the moves that the interpreter finds.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use kripke_model::ir::LocId;
use kripke_model::layout::Layout;
use kripke_model::words::{MAX_WORDS, Position};
use kripke_model::{Batch, Model};

use super::footprint::{Fields, Footprints, Groups};
use super::sites::Site;
use super::table::Table;
use crate::facts::Facts;
use crate::words::Words;

/// Where the results come from.
#[derive(Debug)]
pub(super) struct Source {
    model: Arc<Model>,
    layout: Arc<Layout>,
    facts: Arc<Facts>,
    pub words: Arc<Words>,
    fields: HashMap<usize, Fields>,
    pub packed: Vec<u8>,
    pub batch: Batch,
    /// The number of results made, and the time that it has taken.
    pub asked: u64,
    pub took: Duration,
}

/// What counts at most of the time that a result takes. Most take some microseconds.
const LONGEST: Duration = Duration::from_micros(400);

/// A footprint takes about as long as so many questions.
const ANALYSIS: u64 = 1;

impl Source {
    pub fn new(model: Arc<Model>, layout: Arc<Layout>, facts: Arc<Facts>, words: Arc<Words>) -> Source {
        let (packed, batch) = (Vec::new(), Batch::new());
        Source { model, layout, facts, words, fields: HashMap::new(), packed, batch, asked: 0, took: Duration::ZERO }
    }

    /// Counts the time that a result has taken. Of one that took very long only a part counts: other work may have had the processor
    /// meanwhile, and what the cache does should not depend on that.
    pub fn spend(&mut self, time: Duration) {
        self.took += time.min(LONGEST);
    }

    /// The packed state of a shape with these bits; all others are zero.
    fn template(&mut self, tag: usize, bits: &[u64]) -> Vec<u8> {
        let mut words = [0; MAX_WORDS];
        words[..bits.len()].copy_from_slice(bits);
        words[0] |= tag as u64;
        self.words.decode(&words, &mut self.packed);
        self.packed.clone()
    }

    pub fn sites<const N: usize>(&mut self, tag: usize, table: &mut Table<N>) -> Vec<Site> {
        let template = self.template(tag, &[0; N]);
        let Source { model, layout, facts, words, fields, .. } = self;
        let known = [0; N];
        let fields = fields.entry(tag).or_insert_with(|| Fields::new(words.layout(), tag));
        let footprints = Footprints::new(model, (layout, facts), fields, (template, &known));
        (0..footprints.processes())
            .rev()
            .enumerate()
            .map(|(place, pid)| {
                let constant = Position { bytes: 1, least: 0, bits: 0, first: 0 };
                let position = words.layout().position(tag, footprints.location_at(pid));
                let least = position.map_or(footprints.location(pid).0, |position| position.least);
                let Position { bits, first, .. } = position.unwrap_or(constant);
                Site {
                    word: first as usize / 64,
                    shift: first % 64,
                    mask: (1 << bits) - 1,
                    first_row: table.add_rows(1 << bits),
                    least,
                    pid,
                    place,
                    process: footprints.process_type(pid),
                }
            })
            .collect()
    }

    /// The footprints of the moves of a process by these edges of a location, or all, for groups of them, in states that agree with
    /// this one in these bits.
    pub fn footprints<const N: usize>(
        &mut self,
        tag: usize,
        (pid, location): (usize, u32),
        edges: Option<Range<usize>>,
        (state, known): (&[u64; N], &[u64; N]),
    ) -> Groups {
        self.asked += ANALYSIS;
        let bits: [u64; N] = std::array::from_fn(|i| state[i] & known[i]);
        let template = self.template(tag, &bits);
        let Source { model, layout, facts, words, fields, .. } = self;
        let fields = fields.entry(tag).or_insert_with(|| Fields::new(words.layout(), tag));
        let footprints = Footprints::new(model, (layout, facts), fields, (template, known));
        if location as usize >= footprints.process(pid).locations.len() {
            return vec![(0..0, None)];
        }
        footprints.groups(pid, LocId(location), edges)
    }

    /// Whether fields that are in states of both shapes have the same places.
    pub fn keeps_places(&self, before: usize, after: usize) -> bool {
        let layout = self.words.layout();
        let length = layout.lengths().nth(after).unwrap_or(0);
        layout
            .fields(before)
            .filter(|(offset, _)| *offset < length)
            .all(|(offset, position)| layout.position(after, offset) == Some(position))
    }
}
