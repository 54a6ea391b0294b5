//! The transitions by which the states in the queue of a breadth-first search were discovered.

use std::ops::Range;

use kripke_model::Arrival;

use crate::store::Pieces;

/// Transitions by the positions of states in a queue. They take memory only from the first one on that is known.
#[derive(Default, Debug)]
pub(super) struct Arrivals {
    /// The position of the first one that is known.
    first: u64,
    known: Pieces<Arrival>,
}

impl Arrivals {
    /// Transitions from this position on are unknown.
    fn end(&self) -> u64 {
        self.first + self.known.item_count()
    }

    /// Puts a transition at a position behind all others.
    #[inline]
    pub fn put(&mut self, position: u64, arrival: Arrival) {
        if arrival != Arrival::UNKNOWN {
            self.fill(position);
            self.known.push_item(arrival);
        }
    }

    /// Lets those that are known end here.
    #[inline]
    fn fill(&mut self, position: u64) {
        if self.known.item_count() == 0 {
            self.first = position;
        }
        while self.end() < position {
            self.known.push_item(Arrival::UNKNOWN);
        }
    }

    /// Moves the transitions of another queue here, whose states are appended to this queue at a position.
    pub fn append(&mut self, position: u64, other: &mut Arrivals) {
        if other.known.item_count() > 0 {
            self.fill(position + other.first);
            self.known.append_items(&mut other.known);
        }
    }

    /// Appends the transitions at these positions to `into`.
    pub fn copy(&self, positions: Range<u64>, into: &mut Vec<Arrival>) {
        let all = into.len() + (positions.end - positions.start) as usize;
        let (start, end) = (positions.start.max(self.first), positions.end.min(self.end()));
        if start < end {
            into.resize(into.len() + (start - positions.start) as usize, Arrival::UNKNOWN);
            self.known.for_items(start - self.first..end - self.first, |known| into.extend_from_slice(known));
        }
        into.resize(all, Arrival::UNKNOWN);
    }

    /// Frees the memory of those before a position.
    pub fn forget(&mut self, end: u64) {
        self.known.forget_items(0..end.min(self.end()).saturating_sub(self.first));
    }

    /// Memory, in bytes.
    pub fn bytes(&self) -> u64 {
        self.known.item_bytes()
    }
}

#[cfg(test)]
mod tests {
    use kripke_model::Random;

    use super::*;

    #[test]
    fn every_position_has_its_transition() {
        let random = &mut Random::new(5);
        for round in 0..40 {
            let (mut arrivals, mut all) = (Arrivals::default(), vec![Arrival::UNKNOWN; random.below(3) * 5000]);
            let often = random.one_of(&[1, 3, 50]);
            while all.len() < 30_000 {
                let (mut part, count) = (Arrivals::default(), random.below(20_000));
                let position = all.len() as u64;
                for i in 0..count {
                    let arrival = Arrival(if random.one_in(often) { random.below(4) as u32 } else { 0 });
                    part.put(i as u64, arrival);
                    all.push(arrival);
                }
                arrivals.append(position, &mut part);
                assert_eq!(part.bytes(), 0);
            }
            let mut from = 0;
            while from < all.len() {
                let (to, mut got) = ((from + 1 + random.below(9000)).min(all.len()), vec![Arrival(7)]);
                arrivals.copy(from as u64..to as u64, &mut got);
                assert_eq!(got[1..], all[from..to], "round {round}");
                from += random.below(9000);
                arrivals.forget(from as u64);
            }
        }
    }
}
