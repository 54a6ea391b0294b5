//! Hashes of numbers that determine the numbers, and their order.

/// A number that a table can hold.
pub(super) trait Word: Copy {
    /// The bits of a hash that are stored in full.
    type Rest: Copy + std::fmt::Debug + Into<Rest> + Send + Sync;

    /// The number of words of 64 bits.
    const WORDS: usize = size_of::<Self>() / 8;

    /// The hash of a number that has so many bits at most.
    fn hash(self, bits: u32) -> WordHash<Self::Rest>;

    /// The bits of its hash that are stored in full.
    fn rest(self) -> Self::Rest;
}

/// The hash of a number. It determines the number.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct WordHash<R> {
    /// The hash of the first 64 bits, or of all if there are fewer: the same number of bits.
    pub order: u64,
    /// The other bits.
    pub rest: R,
}

/// The bits of a number after the first 64.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Rest(pub u64);

/// No bits.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct NoRest;

impl From<NoRest> for Rest {
    #[inline(always)]
    fn from(_: NoRest) -> Rest {
        Rest(0)
    }
}

impl Word for u64 {
    type Rest = NoRest;

    #[inline(always)]
    fn hash(self, bits: u32) -> WordHash<NoRest> {
        WordHash { order: permute(self, bits), rest: NoRest }
    }

    #[inline(always)]
    fn rest(self) -> NoRest {
        NoRest
    }
}

impl Word for u128 {
    type Rest = Rest;

    /// Adding a hash of the rest is a permutation of the first 64 bits, for each rest.
    #[inline(always)]
    fn hash(self, _: u32) -> WordHash<Rest> {
        let Rest(rest) = self.rest();
        let product = (rest ^ REST_OFFSET).wrapping_mul(REST_FACTOR);
        let mixed = product ^ product >> 32;
        WordHash { order: permute((self as u64).wrapping_add(mixed), 64), rest: Rest(rest) }
    }

    #[inline(always)]
    fn rest(self) -> Rest {
        Rest((self >> 64) as u64)
    }
}

/// The factors of [`permute`].
pub(super) const FACTORS: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93];

/// What the bits after the first 64 are mixed with.
pub(super) const REST_OFFSET: u64 = 0xe703_7ed1_a0b4_28db;
pub(super) const REST_FACTOR: u64 = 0x8ebc_6af0_9c88_c6e3;

/// A permutation of the numbers of so many bits: multiplications by odd numbers and these shifts are permutations.
/// [`Places`](super::located::Places) computes hashes of several numbers at once.
#[inline(always)]
fn permute(number: u64, bits: u32) -> u64 {
    let (mask, half) = (u64::MAX >> (64 - bits), bits / 2);
    let mut hash = number.wrapping_mul(FACTORS[0]) & mask;
    hash ^= hash >> half;
    hash = hash.wrapping_mul(FACTORS[1]) & mask;
    hash ^ hash >> half
}

impl<R: Into<Rest>> WordHash<R> {
    #[inline(always)]
    pub fn whole(self) -> WordHash<Rest> {
        WordHash { order: self.order, rest: self.rest.into() }
    }
}

/// The least hash that belongs to each line, from the last line to the first: the number of the line times the number of
/// hashes, divided by the number of lines and rounded up. It is computed without a division for each line.
pub(super) struct LeastHashes {
    lines: u64,
    /// The quotient and the remainder of the number of hashes.
    step: (u64, u64),
    /// Those of the next line.
    next: (u64, u64),
}

impl LeastHashes {
    /// The hashes have so many bits.
    pub fn new(lines: usize, bits: u32) -> LeastHashes {
        let (all, of) = (1u128 << bits, lines as u128);
        let divided = |number: u128| ((number / of) as u64, (number % of) as u64);
        LeastHashes { lines: lines as u64, step: divided(all), next: divided(all * (of - 1)) }
    }
}

impl Iterator for LeastHashes {
    type Item = u64;

    #[inline]
    fn next(&mut self) -> Option<u64> {
        let (quotient, remainder) = self.next;
        let borrow = u64::from(remainder < self.step.1);
        let before = quotient.wrapping_sub(self.step.0 + borrow);
        self.next = (before, (remainder + borrow * self.lines).wrapping_sub(self.step.1));
        Some(quotient + u64::from(remainder != 0))
    }
}

#[cfg(all(test, not(shuttle)))]
mod tests {
    use super::*;

    #[test]
    fn least_hashes_are_quotients_rounded_up() {
        for (lines, bits) in [(1, 12), (7, 60), (4, 58), (1000, 60), (12_345, 20), (3, 64)] {
            let expected = |line: usize| ((line as u128) << bits).div_ceil(lines as u128) as u64;
            let least = LeastHashes::new(lines, bits).take(lines);
            assert!(least.eq((0..lines).rev().map(expected)), "{lines} lines, {bits} bits");
        }
    }
}
