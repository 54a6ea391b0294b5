//! The checksum of trail files: the hash function FNV-1a.
//!
//! Each byte is applied by a bijection, so texts of equal length that differ in one byte never collide.
//!
//! A byte changes the lowest eight bits of the sum alone before the sum is multiplied. What a text of `n` bytes does to a sum is
//! therefore known from these bits: the sum is multiplied by the `n`-th power of the prime, and a number is added that depends on
//! them and on the text. A text that is often repeated is summed once for each value of these bits.

use std::fmt;

const PRIME: u64 = 0x0000_0100_0000_01b3;

/// A sum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Fnv {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    pub fn add(&mut self, bytes: &[u8]) {
        for b in bytes {
            self.0 = (self.0 ^ u64::from(*b)).wrapping_mul(PRIME);
        }
    }
}

impl fmt::Display for Fnv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// A text that is added to a sum many times.
#[derive(Debug)]
pub(super) struct Repeated {
    text: String,
    /// The power of the prime by which a sum is multiplied.
    power: u64,
    /// What is added then, by the lowest eight bits of the sum before, as far as it is known.
    added: Vec<Option<u64>>,
}

impl Repeated {
    pub fn new(text: String) -> Repeated {
        let power = text.bytes().fold(1, |power: u64, _| power.wrapping_mul(PRIME));
        Repeated { text, power, added: Vec::new() }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Adds the text to a sum.
    pub fn add_to(&mut self, sum: &mut Fnv) {
        let Repeated { text, power, added } = self;
        let low = sum.0 & 0xff;
        added.resize(256, None);
        let added = *added[low as usize].get_or_insert_with(|| {
            let mut from_low = Fnv(low);
            from_low.add(text.as_bytes());
            from_low.0.wrapping_sub(low.wrapping_mul(*power))
        });
        sum.0 = sum.0.wrapping_mul(*power).wrapping_add(added);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_text_gives_the_same_sum() {
        for text in ["", "x", "a longer text, with bytes beyond ASCII: →"] {
            let mut repeated = Repeated::new(text.to_string());
            for n in 0..5_000_u64 {
                let mut sum = Fnv(n.wrapping_mul(0x9e37_79b9_7f4a_7c15));
                let mut same = sum;
                sum.add(text.as_bytes());
                repeated.add_to(&mut same);
                assert_eq!(sum, same, "{text} after {n}");
            }
        }
    }

    #[test]
    fn sums_are_those_of_the_function() {
        let sum = |text: &str| {
            let mut sum = Fnv::default();
            sum.add(text.as_bytes());
            sum.to_string()
        };
        assert_eq!(
            (&*sum(""), &*sum("a"), &*sum("foobar")),
            ("cbf29ce484222325", "af63dc4c8601ec8c", "85944171f73967e8")
        );
    }
}
