//! A random number generator that is the same on every machine, so that a seed names a run.

use std::time::{SystemTime, UNIX_EPOCH};

/// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, figure 16).
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    pub fn new(seed: u64) -> Random {
        Random { state: seed }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, which is not 0. Multiplying instead of dividing is unbiased enough for choosing moves.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }
}

/// A random seed, short enough to be typed.
pub fn fresh_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Random::new(now.as_nanos() as u64).next() % 1_000_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_names_a_sequence_for_ever() {
        let mut random = Random::new(1234567);
        assert_eq!(random.next(), 6_457_827_717_110_365_317);
        assert_eq!(random.next(), 3_203_168_211_198_807_973);
        let mut again = Random::new(42);
        let picks: Vec<usize> = (0..8).map(|_| again.below(10)).collect();
        assert!(picks.iter().all(|p| *p < 10));
        assert_eq!(picks, {
            let mut r = Random::new(42);
            (0..8).map(|_| r.below(10)).collect::<Vec<_>>()
        });
    }
}
