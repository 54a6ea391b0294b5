//! A set of small numbers as 64-bit words, shared by all analyses of this crate.
//!
//! The analyses are fixpoints, so [`BitSet::union_with`] reports whether the set grew. Partial-order reduction copies the
//! words into its dependence rows.

/// A set of numbers below a bound that is fixed when the set is made.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct BitSet(Vec<u64>);

impl BitSet {
    /// The empty set of numbers below `len`.
    pub fn new(len: usize) -> BitSet {
        BitSet(vec![0; len.div_ceil(64)])
    }

    /// The set of all numbers below `len`.
    pub fn full(len: usize) -> BitSet {
        let mut set = BitSet::new(len);
        (0..len).for_each(|n| set.insert(n));
        set
    }

    /// Adds a number.
    pub fn insert(&mut self, n: usize) {
        self.0[n / 64] |= 1 << (n % 64);
    }

    /// Adds a number. True if it was absent.
    pub fn insert_new(&mut self, n: usize) -> bool {
        let absent = !self.contains(n);
        self.insert(n);
        absent
    }

    /// Removes a number.
    pub fn remove(&mut self, n: usize) {
        self.0[n / 64] &= !(1 << (n % 64));
    }

    pub fn contains(&self, n: usize) -> bool {
        self.0[n / 64] >> (n % 64) & 1 == 1
    }

    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    /// Adds all numbers of the other set. True if this set grew.
    pub fn union_with(&mut self, other: &BitSet) -> bool {
        let mut grown = false;
        for (word, more) in self.0.iter_mut().zip(&other.0) {
            grown |= *more & !*word != 0;
            *word |= more;
        }
        grown
    }

    /// True if the sets have a number in common.
    pub fn intersects(&self, other: &BitSet) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    /// The words; bit `n % 64` of word `n / 64` is number `n`.
    pub fn words(&self) -> &[u64] {
        &self.0
    }

    /// The numbers in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(at, &word)| {
            std::iter::successors((word != 0).then_some(word), |w| Some(w & (w - 1)).filter(|w| *w != 0))
                .map(move |w| at * 64 + w.trailing_zeros() as usize)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_across_word_boundaries() {
        let mut set = BitSet::new(130);
        assert!(set.is_empty());
        [0, 63, 64, 129].into_iter().for_each(|n| set.insert(n));
        assert!(!set.insert_new(64) && set.insert_new(1));
        set.remove(63);
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 1, 64, 129]);
        let mut other = BitSet::new(130);
        other.insert(63);
        assert!(!set.intersects(&other) && other.union_with(&set) && !other.union_with(&set));
        assert!(other.contains(129) && other.intersects(&set));
        assert_eq!(BitSet::full(70).iter().count(), 70);
    }
}
