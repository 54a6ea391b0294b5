//! Sets of small numbers.

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Set(Vec<u64>);

impl Set {
    /// An empty one, for numbers below `len`.
    pub fn new(len: usize) -> Set {
        Set(vec![0; len.div_ceil(64)])
    }

    pub fn meets(&self, other: &Set) -> bool {
        self.0.iter().zip(&other.0).any(|(mine, theirs)| mine & theirs != 0)
    }

    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    pub fn contains(&self, i: usize) -> bool {
        self.0[i / 64] >> (i % 64) & 1 == 1
    }

    /// True if it was not there before.
    pub fn insert(&mut self, i: usize) -> bool {
        let new = !self.contains(i);
        self.0[i / 64] |= 1 << (i % 64);
        new
    }

    pub fn add(&mut self, i: usize) {
        self.insert(i);
    }

    pub fn remove(&mut self, i: usize) {
        self.0[i / 64] &= !(1 << (i % 64));
    }

    /// True if that made it larger.
    pub fn include(&mut self, other: &Set) -> bool {
        let mut grown = false;
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            grown |= theirs & !*mine != 0;
            *mine |= theirs;
        }
        grown
    }
}
