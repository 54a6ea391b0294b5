//! The partition of states: which rank owns a state.

use kripke_model::State;

/// The hash of a state, equal on every machine and in every run: two words of eight bytes at a time are multiplied to 16 bytes, whose
/// halves are combined (Wang Yi, "wyhash", 2019), with a final mixture of the bits. It has nothing in common with the hash functions of
/// stores, so the states of one rank spread over its table.
#[inline]
pub fn hash(state: &State) -> u64 {
    let mut hash = START ^ state.len() as u64;
    let (pairs, rest) = state.as_chunks::<16>();
    for pair in pairs {
        let pair = u128::from_le_bytes(*pair);
        hash = fold(pair as u64 ^ FIRST, (pair >> 64) as u64 ^ hash);
    }
    let (words, rest) = rest.as_chunks::<8>();
    for word in words {
        hash ^= u64::from_le_bytes(*word);
        hash = hash.wrapping_mul(PRIME) ^ hash >> 29;
    }
    for byte in rest {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(PRIME);
    }
    mix(hash)
}

const START: u64 = 0xcbf2_9ce4_8422_2325;
const FIRST: u64 = 0xa076_1d64_78bd_642f;
const PRIME: u64 = 0x9e37_79b9_7f4a_7c15;

/// Both halves of a product, combined.
#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

/// The finaliser of SplitMix64 (Steele, Lea and Flood, 2014).
#[inline]
fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

/// The rank that owns a state with this hash.
#[inline]
pub fn owner(hash: u64, ranks: usize) -> usize {
    ((u128::from(hash) * ranks as u128) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The hash is the same on every machine. (Ranks with different programs are refused, so a new version may have another one.)
    #[test]
    fn the_hash_is_stable() {
        let states = [&b""[..], b"a", b"eight by", b"twelve bytes", b"a state of thirty-seven bytes, or so"];
        assert_eq!(
            states.map(hash),
            [
                0xf52a_15e9_a9b5_e89b,
                0xe4c1_0c7e_267f_0aa2,
                0x4eca_727b_e257_7149,
                0x8b95_09af_d4d8_86a5,
                0xd484_4717_d1aa_637c
            ]
        );
    }

    /// Long states that differ in one byte only.
    #[test]
    fn long_states_spread_evenly() {
        for at in [0, 7, 8, 15, 16, 31, 39] {
            let (mut state, mut counts) = ([7_u8; 40], [0_usize; 16]);
            for byte in 0..=255 {
                state[at] = byte;
                counts[owner(hash(&state), 16)] += 1;
            }
            assert!(counts.iter().all(|count| (4..40).contains(count)), "byte {at}: {counts:?}");
        }
    }

    #[test]
    fn states_spread_evenly() {
        for ranks in 1..=5 {
            let mut counts = vec![0_usize; ranks];
            (0..10_000_u32).for_each(|n| counts[owner(hash(&n.to_le_bytes()), ranks)] += 1);
            let fair = 10_000 / ranks;
            assert!(counts.iter().all(|count| count.abs_diff(fair) < fair / 10 + 1), "{counts:?}");
        }
    }
}
