//! Selection of bits: the bits of a number at the ones of a mask, end to end.

/// A way to select bits.
pub(super) trait SelectBits {
    /// The bits of a number at the ones of a mask, end to end.
    fn select(number: u64, mask: u64) -> u64;
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
