//! How many different states several searches have seen together, and how many none of them has.
//!
//! A search keeps the hashes of a sample of its states: of those whose hash ends in so many zeros that the sample stays
//! small. All searches choose alike, so what one has and another has not tells what they miss.

use std::collections::HashMap;

/// Hashes in a sample, at most.
const SIZE: usize = 1 << 16;

/// Some of the states that a search has seen.
#[derive(Clone, Default, Debug)]
pub struct Sample {
    /// Hashes end in so many zeros.
    zeros: u32,
    hashes: Vec<u64>,
}

impl Sample {
    #[inline]
    pub(super) fn add(&mut self, hash: u64) {
        if hash.trailing_zeros() >= self.zeros {
            self.hashes.push(hash);
            while self.hashes.len() > SIZE {
                self.zeros += 1;
                self.hashes.retain(|hash| hash.trailing_zeros() >= self.zeros);
            }
        }
    }
}

/// What several samples have in common.
#[derive(Clone, Default, Debug)]
pub struct CaptureRecapture {
    zeros: u32,
    /// How many have seen each state.
    counts: HashMap<u64, u32>,
}

impl CaptureRecapture {
    pub fn add(&mut self, sample: &Sample) {
        self.zeros = self.zeros.max(sample.zeros);
        for &hash in &sample.hashes {
            *self.counts.entry(hash).or_default() += 1;
        }
        self.shrink();
        while self.counts.len() > 2 * SIZE {
            self.zeros += 1;
            self.shrink();
        }
    }

    fn shrink(&mut self) {
        let zeros = self.zeros;
        self.counts.retain(|hash, _| hash.trailing_zeros() >= zeros);
    }

    /// About how many different states were seen.
    pub fn states(&self) -> u64 {
        (self.counts.len() as u64) << self.zeros
    }

    /// About which part of all states that is, if there were several searches: from how many states were seen once and how
    /// many twice (Chao, *Nonparametric estimation of the number of classes in a population*, 1984, for samples that are
    /// not alike: there are at least as many more). Where states are hard to find for all searches, it is less.
    pub fn coverage(&self) -> f64 {
        let seen = |times| self.counts.values().filter(|&&count| count == times).count() as f64;
        let (once, twice, all) = (seen(1), seen(2), self.counts.len() as f64);
        if all == 0.0 { 0.0 } else { all / (all + once * (once - 1.0).max(0.0) / (2.0 * (twice + 1.0))) }
    }
}

#[cfg(all(test, not(shuttle)))]
mod tests {
    use super::super::pool::mix;
    use super::*;

    /// Searches of so many states, each of which sees any with this probability.
    fn estimate(states: u64, searches: u64, percent: u64) -> CaptureRecapture {
        let mut estimate = CaptureRecapture::default();
        for search in 0..searches {
            let mut sample = Sample::default();
            let seen = (0..states).filter(|n| mix(n ^ mix(search)) % 100 < percent);
            seen.for_each(|n| sample.add(mix(n)));
            estimate.add(&sample);
        }
        estimate
    }

    #[test]
    fn counts_and_coverage_are_about_right() {
        for (states, searches, percent) in [(1000, 4, 70), (400_000, 5, 50), (300_000, 12, 20), (200_000, 3, 99)] {
            let estimate = estimate(states, searches, percent);
            let part = 1.0 - (1.0 - percent as f64 / 100.0).powi(searches as i32);
            let (found, wanted) = (estimate.states() as f64, states as f64 * part);
            assert!((found / wanted - 1.0).abs() < 0.03, "{found} of {wanted} states");
            assert!((estimate.coverage() - part).abs() < 0.03, "{} instead of {part}", estimate.coverage());
        }
    }

    #[test]
    fn one_search_tells_nothing_about_what_it_misses() {
        let alone = estimate(10_000, 1, 80);
        assert!(alone.coverage() < 0.01, "{}", alone.coverage());
        assert_eq!((CaptureRecapture::default().states(), CaptureRecapture::default().coverage()), (0, 0.0));
    }
}
