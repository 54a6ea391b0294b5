//! Capture-recapture estimate of the states visited by a swarm: how many distinct states its searches have visited
//! together, and how many none of them has.
//!
//! Each search keeps the hashes of a sample of its states: those that end in so many zero bits that the sample stays
//! small. All searches select by the same rule, so the overlap of their samples estimates the overlap of their
//! states.

use std::collections::HashMap;

/// Maximum number of hashes in a sample.
const SIZE: usize = 1 << 16;

/// A sample of the states that a search has visited.
#[derive(Clone, Default, Debug)]
pub struct Sample {
    /// Number of zero bits at the end of every hash in the sample.
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

/// The combined samples of several searches.
#[derive(Clone, Default, Debug)]
pub struct CaptureRecapture {
    zeros: u32,
    /// For each hash, the number of samples that contain it.
    counts: HashMap<u64, u32>,
}

impl CaptureRecapture {
    /// Adds the sample of one search.
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

    /// Estimated number of distinct states visited.
    pub fn states(&self) -> u64 {
        (self.counts.len() as u64) << self.zeros
    }

    /// Estimated fraction of the reachable states that was visited, from the numbers of states seen once and twice
    /// (Chao, *Nonparametric estimation of the number of classes in a population*, 1984, which is a lower bound on
    /// the unseen states for unequal samples). If some states are hard to reach for every search, the true fraction
    /// is smaller.
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

    /// An estimate from simulated searches, each of which visits a state with the given probability.
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
    fn one_search_gives_no_coverage() {
        let alone = estimate(10_000, 1, 80);
        assert!(alone.coverage() < 0.01, "{}", alone.coverage());
        assert_eq!((CaptureRecapture::default().states(), CaptureRecapture::default().coverage()), (0, 0.0));
    }
}
