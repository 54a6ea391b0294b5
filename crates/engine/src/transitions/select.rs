//! Selection of bits: the bits of a number at the ones of a mask, end to end.

/// A way to select bits.
pub(super) trait SelectBits {
    /// The bits of a number at the ones of a mask, end to end.
    fn select(number: u64, mask: u64) -> u64;
}

/// Some bits of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct BitMask<const N: usize> {
    /// The bits of each word, and the number of them in the words before.
    bits: [u64; N],
    before: [u8; N],
    /// The first two words that have such bits, and whether others have some.
    words: [u8; 2],
    more: bool,
}

impl<const N: usize> BitMask<N> {
    pub fn new(bits: [u64; N]) -> BitMask<N> {
        let (mut before, mut count) = ([0; N], 0u32);
        for (word, before) in bits.iter().zip(&mut before) {
            *before = count.min(63) as u8;
            count += word.count_ones();
        }
        let mut some = (0..N).filter(|i| bits[*i] != 0).map(|i| i as u8);
        // A word without such bits does no harm.
        let empty = (0..N).find(|i| bits[*i] == 0).unwrap_or(0) as u8;
        let words = [some.next().unwrap_or(empty), some.next().unwrap_or(empty)];
        BitMask { bits, before, words, more: some.next().is_some() }
    }

    /// The bits of each word.
    pub fn bits(&self) -> &[u64; N] {
        &self.bits
    }

    /// The number of these bits.
    pub fn count(&self) -> u32 {
        self.bits.iter().map(|word| word.count_ones()).sum()
    }

    /// These bits and others.
    pub fn with(&self, other: &BitMask<N>) -> BitMask<N> {
        BitMask::new(std::array::from_fn(|i| self.bits[i] | other.bits[i]))
    }

    /// The selected bits of a state, if they are not more than 64.
    #[inline(always)]
    pub fn select<S: SelectBits>(&self, state: &[u64; N]) -> u64 {
        if N == 1 {
            return S::select(state[0], self.bits[0]);
        }
        let of = |i: usize| S::select(state[i], self.bits[i]) << self.before[i];
        if N > 2 && !self.more {
            let [one, other] = self.words;
            return of(usize::from(one)) | of(usize::from(other));
        }
        (0..N).fold(0, |selected, i| selected | of(i))
    }
}

/// Bits selected by shifts and masks, run by run.
#[derive(Debug)]
pub(super) struct ByShifts;

impl SelectBits for ByShifts {
    #[inline(always)]
    fn select(number: u64, mut mask: u64) -> u64 {
        let (mut selected, mut filled) = (0, 0);
        while mask != 0 {
            let start = mask.trailing_zeros();
            let ones = (mask >> start).trailing_ones();
            let run = u64::MAX >> (64 - ones) << start;
            selected |= (number & run) >> start << filled;
            filled += ones;
            mask &= !run;
        }
        selected
    }
}

/// Bits selected by the instruction of BMI2. Only code that has found this instruction on the processor may use this type.
#[cfg(target_arch = "x86_64")]
#[derive(Debug)]
pub(super) struct ByInstruction;

#[cfg(target_arch = "x86_64")]
impl SelectBits for ByInstruction {
    #[inline(always)]
    fn select(number: u64, mask: u64) -> u64 {
        // SAFETY: the processor has the instruction, as the comment of the type requires.
        unsafe { std::arch::x86_64::_pext_u64(number, mask) }
    }
}
