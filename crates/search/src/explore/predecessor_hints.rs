//! Approximate predecessors: for each claim of a level, the position in the queue where its successors begin.
//!
//! A worker claims several states of a level at once, and their new successors are adjacent in the queue. Recording
//! one position per claim costs almost nothing. To find the parent of a state, only the few hundred states of one
//! claim must be expanded again.

/// The new successors of the claim that begins at position `from` begin at position `at`.
#[derive(Clone, Copy, Debug)]
struct Hint {
    at: u64,
    from: u64,
}

/// The hints, ordered by the positions of successors.
#[derive(Default, Debug)]
pub(super) struct PredecessorHints(Vec<Hint>);

impl PredecessorHints {
    /// Records that states from position `at` on are successors of the claim that begins at `from`.
    #[inline]
    pub fn record(&mut self, at: u64, from: u64) {
        match self.0.last_mut() {
            // The previous claim has no new successors.
            Some(last) if last.at == at => last.from = from,
            _ => self.0.push(Hint { at, from }),
        }
    }

    /// Appends the hints of a worker whose states now begin at `start`.
    pub fn append(&mut self, noted: &PredecessorHints, start: u64) {
        noted.0.iter().for_each(|hint| self.record(start + hint.at, hint.from));
    }

    /// The start of the claim that contains the parent of the state at this position, if it is recorded.
    pub fn of(&self, position: u64) -> Option<u64> {
        let after = self.0.partition_point(|hint| hint.at <= position);
        Some(self.0[after.checked_sub(1)?].from)
    }

    /// Declares that positions before this one are no longer needed.
    pub fn forget(&mut self, before: u64) {
        let gone = self.0.partition_point(|hint| hint.at <= before).saturating_sub(1);
        self.0.drain(..gone);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_has_the_claim_of_its_parent() {
        let (mut all, mut one, mut other) =
            (PredecessorHints::default(), PredecessorHints::default(), PredecessorHints::default());
        one.record(0, 10);
        one.record(3, 12);
        one.record(3, 14);
        other.record(0, 11);
        other.record(2, 13);
        all.append(&one, 20);
        // Two states follow the last hint.
        all.append(&other, 25);
        let of = |hints: &PredecessorHints| (19..29).map(|at| hints.of(at)).collect::<Vec<_>>();
        let told = [10, 10, 10, 14, 14, 11, 11, 13, 13].map(Some);
        assert_eq!(of(&all), [&[None][..], &told].concat());
        all.forget(24);
        assert_eq!(of(&all)[5..], told[4..]);
        assert_eq!(all.of(22), None);
    }
}
