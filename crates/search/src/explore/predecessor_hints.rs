//! From where the states of a level were found, roughly.
//!
//! A worker takes some states of a level at once, and those it finds from them lie together in the queue. To know where
//! in the queue that begins for each such claim costs next to nothing, and leaves a few hundred states to be expanded once
//! more to find from which one another was found.

/// States found from the claim that begins at position `from` begin at position `at`.
#[derive(Clone, Copy, Debug)]
struct Hint {
    at: u64,
    from: u64,
}

/// Where claims begin, and what was found from them, in the order of what was found.
#[derive(Default, Debug)]
pub(super) struct PredecessorHints(Vec<Hint>);

impl PredecessorHints {
    /// What is found from now on, beginning at position `at`, is found from a claim that begins at `from`.
    #[inline]
    pub fn record(&mut self, at: u64, from: u64) {
        match self.0.last_mut() {
            // Nothing was found from the last one.
            Some(last) if last.at == at => last.from = from,
            _ => self.0.push(Hint { at, from }),
        }
    }

    /// Takes what a worker has noted, whose states now begin at `start`.
    pub fn append(&mut self, noted: &PredecessorHints, start: u64) {
        noted.0.iter().for_each(|hint| self.record(start + hint.at, hint.from));
    }

    /// Where the claim begins from which the state at this position was found, if that was noted.
    pub fn of(&self, position: u64) -> Option<u64> {
        let after = self.0.partition_point(|hint| hint.at <= position);
        Some(self.0[after.checked_sub(1)?].from)
    }

    /// Positions before this one are not asked for any more.
    pub fn forget(&mut self, before: u64) {
        let gone = self.0.partition_point(|hint| hint.at <= before).saturating_sub(1);
        self.0.drain(..gone);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_has_the_claim_it_was_found_from() {
        let (mut all, mut one, mut other) =
            (PredecessorHints::default(), PredecessorHints::default(), PredecessorHints::default());
        one.record(0, 10);
        one.record(3, 12);
        one.record(3, 14);
        other.record(0, 11);
        other.record(2, 13);
        all.append(&one, 20);
        // It has found two states after the last hint.
        all.append(&other, 25);
        let of = |hints: &PredecessorHints| (19..29).map(|at| hints.of(at)).collect::<Vec<_>>();
        let told = [10, 10, 10, 14, 14, 11, 11, 13, 13].map(Some);
        assert_eq!(of(&all), [&[None][..], &told].concat());
        all.forget(24);
        assert_eq!(of(&all)[5..], told[4..]);
        assert_eq!(all.of(22), None);
    }
}
