//! Hash functions of states for lossy stores, to compare them: the set of omitted states depends on the function.
//!
//! Each function gives 64 bits. Except for ours, a bijection spreads them afterwards, since stores use the highest bits: two states
//! have the same value exactly if the function gives them the same.

use std::fmt;

use kripke_model::State;

use super::pool::mix;

/// A hash function of states.
#[derive(Clone, Copy, Default)]
pub enum HashFunction {
    /// The function of all exact stores: multiplications of 64-bit words.
    #[default]
    Ours,
    /// `lookup3` by Bob Jenkins (`hashlittle2`, 2006).
    Jenkins,
    /// `SuperFastHash` by Paul Hsieh (2004), twice with different starting values: it has 32 bits.
    Hsieh,
    /// FNV-1a by Glenn Fowler, Landon Curt Noll and Kiem-Phong Vo, with 64 bits.
    Fnv1a,
    /// Another function of a state and a seed.
    Custom {
        /// Its name. Functions with the same name are taken for equal.
        name: &'static str,
        /// The function.
        function: fn(&State, u64) -> u64,
    },
}

impl HashFunction {
    /// All functions with a name of their own.
    pub const ALL: [HashFunction; 4] =
        [HashFunction::Ours, HashFunction::Jenkins, HashFunction::Hsieh, HashFunction::Fnv1a];

    /// The name.
    pub fn word(self) -> &'static str {
        match self {
            HashFunction::Ours => "ours",
            HashFunction::Jenkins => "jenkins",
            HashFunction::Hsieh => "hsieh",
            HashFunction::Fnv1a => "fnv1a",
            HashFunction::Custom { name, .. } => name,
        }
    }

    /// The function with a name.
    pub fn named(name: &str) -> Option<HashFunction> {
        HashFunction::ALL.into_iter().find(|function| function.word() == name)
    }

    /// The hash of a state.
    #[inline(always)]
    pub fn seeded(self, state: &State, seed: u64) -> u64 {
        match self {
            HashFunction::Ours => mix(super::hash(state) ^ seed),
            other => other.other_seeded(state, seed),
        }
    }

    /// The same for a function that is not ours.
    #[inline(never)]
    fn other_seeded(self, state: &State, seed: u64) -> u64 {
        match self {
            HashFunction::Ours => self.seeded(state, seed),
            HashFunction::Jenkins => spread(jenkins(state, seed)),
            HashFunction::Hsieh => {
                let low = hsieh(state, seed as u32);
                let high = hsieh(state, (seed >> 32) as u32 ^ 0x9e37_79b9);
                spread(u64::from(high) << 32 | u64::from(low))
            }
            HashFunction::Fnv1a => spread(fnv1a(state, seed)),
            HashFunction::Custom { function, .. } => spread(function(state, seed)),
        }
    }
}

impl PartialEq for HashFunction {
    fn eq(&self, other: &HashFunction) -> bool {
        self.word() == other.word()
    }
}

impl Eq for HashFunction {}

impl fmt::Debug for HashFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A bijection of 64-bit numbers (the finaliser of splitmix64).
fn spread(hash: u64) -> u64 {
    let hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

fn fnv1a(state: &State, seed: u64) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325 ^ seed;
    state.iter().fold(start, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

fn jenkins(state: &State, seed: u64) -> u64 {
    let start = 0xdead_beefu32.wrapping_add(state.len() as u32).wrapping_add(seed as u32);
    let (mut a, mut b, mut c) = (start, start, start.wrapping_add((seed >> 32) as u32));
    let word = |bytes: &[u8], at: usize| {
        let mut four = [0; 4];
        let from = bytes.get(at..).unwrap_or(&[]);
        let taken = from.len().min(4);
        four[..taken].copy_from_slice(&from[..taken]);
        u32::from_le_bytes(four)
    };
    let mut rest = state;
    while rest.len() > 12 {
        (a, b, c) = (a.wrapping_add(word(rest, 0)), b.wrapping_add(word(rest, 4)), c.wrapping_add(word(rest, 8)));
        (a, b, c) = jenkins_mix(a, b, c);
        rest = &rest[12..];
    }
    if !rest.is_empty() {
        (a, b, c) = (a.wrapping_add(word(rest, 0)), b.wrapping_add(word(rest, 4)), c.wrapping_add(word(rest, 8)));
        (b, c) = jenkins_final(a, b, c);
    }
    u64::from(b) << 32 | u64::from(c)
}

fn jenkins_mix(mut a: u32, mut b: u32, mut c: u32) -> (u32, u32, u32) {
    let step = |x: u32, y: u32, bits: u32| x.wrapping_sub(y) ^ y.rotate_left(bits);
    for bits in [[4, 6, 8], [16, 19, 4]] {
        a = step(a, c, bits[0]);
        c = c.wrapping_add(b);
        b = step(b, a, bits[1]);
        a = a.wrapping_add(c);
        c = step(c, b, bits[2]);
        b = b.wrapping_add(a);
    }
    (a, b, c)
}

fn jenkins_final(mut a: u32, mut b: u32, mut c: u32) -> (u32, u32) {
    let step = |x: &mut u32, y: u32, bits: u32| *x = (*x ^ y).wrapping_sub(y.rotate_left(bits));
    step(&mut c, b, 14);
    step(&mut a, c, 11);
    step(&mut b, a, 25);
    step(&mut c, b, 16);
    step(&mut a, c, 4);
    step(&mut b, a, 14);
    step(&mut c, b, 24);
    (b, c)
}

fn hsieh(state: &State, seed: u32) -> u32 {
    let two = |bytes: &[u8]| u32::from(u16::from_le_bytes([bytes[0], bytes[1]]));
    let signed = |byte: u8| i32::from(byte as i8) as u32;
    let mut hash = (state.len() as u32).wrapping_add(seed);
    let (fours, rest) = state.split_at(state.len() / 4 * 4);
    for four in fours.chunks_exact(4) {
        hash = hash.wrapping_add(two(four));
        let other = (two(&four[2..]) << 11) ^ hash;
        hash = (hash << 16) ^ other;
        hash = hash.wrapping_add(hash >> 11);
    }
    match rest {
        [_, _, last] => {
            hash = hash.wrapping_add(two(rest));
            hash ^= hash << 16;
            hash ^= signed(*last) << 18;
            hash = hash.wrapping_add(hash >> 11);
        }
        [_, _] => {
            hash = hash.wrapping_add(two(rest));
            hash ^= hash << 11;
            hash = hash.wrapping_add(hash >> 17);
        }
        [byte] => {
            hash = hash.wrapping_add(signed(*byte));
            hash ^= hash << 10;
            hash = hash.wrapping_add(hash >> 1);
        }
        _ => {}
    }
    hash ^= hash << 3;
    hash = hash.wrapping_add(hash >> 5);
    hash ^= hash << 4;
    hash = hash.wrapping_add(hash >> 17);
    hash ^= hash << 25;
    hash.wrapping_add(hash >> 6)
}

#[cfg(all(test, not(shuttle)))]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn published_values_are_reproduced() {
        assert_eq!(fnv1a(b"", 0), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"a", 0), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a(b"foobar", 0), 0x8594_4171_f739_67e8);
        assert_eq!(jenkins(b"", 0), 0xdead_beef_dead_beef);
        assert_eq!(jenkins(b"Four score and seven years ago", 0), 0xce72_26e6_1777_0551);
        assert_eq!(jenkins(b"Four score and seven years ago", 1 << 32), 0xbd37_1de4_e360_7cae);
    }

    #[test]
    fn every_byte_counts_in_every_function() {
        for function in HashFunction::ALL {
            for length in 1..40 {
                let state = vec![7; length];
                let mut hashes = HashSet::from([function.seeded(&state, 1), function.seeded(&state, 2)]);
                for at in 0..length {
                    let mut other = state.clone();
                    other[at] ^= 1;
                    hashes.insert(function.seeded(&other, 1));
                }
                assert_eq!(hashes.len(), length + 2, "{function:?}, length {length}");
            }
            assert_eq!(HashFunction::named(function.word()), Some(function));
        }
    }

    #[test]
    fn a_function_may_be_given() {
        let constant = HashFunction::Custom { name: "constant", function: |_, _| 5 };
        assert_eq!(constant.seeded(b"a", 0), constant.seeded(b"b", 0));
        assert_ne!(constant, HashFunction::Ours);
    }
}
