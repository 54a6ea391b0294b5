//! Pseudo-random numbers that are the same on every machine: a seed names a simulation, a search order, a random model.
//!
//! All crates and their tests share this generator. It is in the crate that all others use. Only the second opinion of the
//! tests has its own, since it uses no code of what it judges.

/// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014, figure 16).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The sequence of a case of a test, by the seed of the test and the number of the case.
    pub fn of_case(seed: u64, number: usize) -> Random {
        Random(Random(seed).next_u64().wrapping_add(number as u64))
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from 0 to `n` - 1, or 0 if there is none. The bias is below `n` / 2^64.
    pub fn below(&mut self, n: usize) -> usize {
        self.below_u64(n as u64) as usize
    }

    /// A number from 0 to `n` - 1, or 0 if there is none.
    pub fn below_u64(&mut self, n: u64) -> u64 {
        self.next_u64() % n.max(1)
    }

    /// True with a probability of 1 / `n`.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// True with a probability of `n` percent.
    pub fn percent(&mut self, n: usize) -> bool {
        self.below(100) < n
    }

    /// An item of a list that is not empty.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// A copy of an item of a list that is not empty.
    pub fn one_of<T: Copy>(&mut self, items: &[T]) -> T {
        *self.pick(items)
    }

    /// Permutes a list (Fisher and Yates).
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for i in (1..list.len()).rev() {
            list.swap(i, self.below(i + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_names_a_sequence() {
        let mut random = Random::new(1_234_567);
        assert_eq!(random.next_u64(), 6_457_827_717_110_365_317);
        assert_eq!(random.next_u64(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn cases_differ() {
        let first = |seed, number| Random::of_case(seed, number).next_u64();
        assert_eq!(first(1, 2), first(1, 2));
        assert!(first(1, 2) != first(1, 3) && first(1, 2) != first(2, 2) && first(1, 2) != first(2, 1));
    }

    #[test]
    fn a_shuffled_list_has_the_same_items() {
        let mut list: Vec<usize> = (0..100).collect();
        Random::new(1).shuffle(&mut list);
        assert_ne!(list, (0..100).collect::<Vec<_>>());
        list.sort_unstable();
        assert_eq!(list, (0..100).collect::<Vec<_>>());
    }
}
