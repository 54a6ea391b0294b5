//! Which bits of a state a move copies, and to where.
//!
//! The footprint of a move says that each bit of a successor follows from the key or is a copy of a *free* bit. To find out which,
//! the interpreter makes the move from several states that differ in the free bits alone: each of these has another sequence of
//! values in them, its code. A bit of the successor with this sequence is a copy.

use super::results::{Change, Copied};

/// The codes of free bits.
#[derive(Debug)]
pub(super) struct Codes<const N: usize> {
    free: [u64; N],
    /// The positions of the free bits. The code of each is its position in this list, plus 1.
    bits: Vec<usize>,
}

impl<const N: usize> Codes<N> {
    pub fn new(free: &[u64; N]) -> Codes<N> {
        let is_free = |bit: &usize| free[bit / 64] >> (bit % 64) & 1 == 1;
        Codes { free: *free, bits: (0..64 * N).filter(is_free).collect() }
    }

    /// The number of states. No code has the same value in all of them.
    pub fn runs(&self) -> u32 {
        usize::BITS - (self.bits.len() + 1).leading_zeros()
    }

    /// The state of a run: one with the codes in place of the free bits.
    pub fn state(&self, state: &[u64; N], run: u32) -> [u64; N] {
        let mut state: [u64; N] = std::array::from_fn(|i| state[i] & !self.free[i]);
        for (i, bit) in self.bits.iter().enumerate() {
            state[bit / 64] |= ((i as u64 + 1) >> run & 1) << (bit % 64);
        }
        state
    }

    /// The change that leads to these successors, one for each run. Nothing if there is none.
    pub fn change(&self, state: &[u64; N], after: &[[u64; N]]) -> Option<Change<N>> {
        let ones: [u64; N] = std::array::from_fn(|i| after.iter().fold(u64::MAX, |all, words| all & words[i]));
        let some: [u64; N] = std::array::from_fn(|i| after.iter().fold(0, |any, words| any | words[i]));
        let varying: [u64; N] = std::array::from_fn(|i| some[i] & !ones[i]);
        let mut overwritten: [u64; N] = std::array::from_fn(|i| self.free[i] & !varying[i]);
        let mut copies: Vec<Copied> = Vec::new();
        for bit in (0..64 * N).filter(|bit| varying[bit / 64] >> (bit % 64) & 1 == 1) {
            let value = |words: &[u64; N]| (words[bit / 64] >> (bit % 64) & 1) as usize;
            let code = after.iter().rev().fold(0, |code, words| code << 1 | value(words));
            let from = *self.bits.get(code.checked_sub(1)?)?;
            if from != bit {
                overwritten[bit / 64] |= 1 << (bit % 64);
                add(&mut copies, from, bit);
            }
        }
        let kept = |i: usize| state[i] & !overwritten[i] & !varying[i];
        let difference = std::array::from_fn(|i| kept(i) ^ ones[i]);
        Some(Change { overwritten, difference, copies: copies.into() })
    }
}

/// One more bit is copied.
fn add(copies: &mut Vec<Copied>, from: usize, to: usize) {
    let rotation = ((to % 64 + 64 - from % 64) % 64) as u8;
    let (from, bits) = ((from / 64) as u8, 1 << (to % 64));
    let to = (to / 64) as u8;
    match copies.iter_mut().find(|copied| (copied.from, copied.to, copied.rotation) == (from, to, rotation)) {
        Some(copied) => copied.bits |= bits,
        None => copies.push(Copied { from, to, rotation, bits }),
    }
}

impl<const N: usize> Change<N> {
    /// Whether the difference is all that the change is.
    pub fn is_difference(&self) -> bool {
        self.overwritten == [0; N] && self.copies.is_empty()
    }

    /// The bits that may be changed.
    pub fn bits(&self) -> [u64; N] {
        let mut bits: [u64; N] = std::array::from_fn(|i| self.overwritten[i] | self.difference[i]);
        self.copies.iter().for_each(|copied| bits[usize::from(copied.to)] |= copied.bits);
        bits
    }
}
