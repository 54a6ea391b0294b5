//! Values as digits of variable-radix numbers.
//!
//! A cell is a number of as many digits as fit 64 bits, written with as few bytes as its largest value needs. The
//! factor of a digit is the product of the radices before it. If a digit changes, its cell changes by the factor
//! times the difference, so a state that differs little from another is packed quickly.

use crate::value_sets::ValueSet;
use kripke_model::ir::Type;
use kripke_model::layout::Width;

/// The values of a digit: `count` numbers from `base` on, modulo 2^bits of the type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbers {
    pub base: i32,
    pub count: u64,
    ty: Type,
}

impl Numbers {
    /// The numbers from 0 to `count - 1`.
    pub fn below(count: usize) -> Numbers {
        Numbers { base: 0, count: count.max(1) as u64, ty: Type::number(32, true) }
    }

    /// The shortest interval that covers the values of a variable, which may wrap around.
    pub fn of(values: &ValueSet, ty: Type) -> Numbers {
        let (base, count) = values.wrapped(ty.bits);
        Numbers { base, count, ty }
    }
}

/// One value of a state.
#[derive(Clone, Copy, Debug)]
struct Digit {
    offset: u32,
    width: Width,
    base: i32,
    /// The bits of the type.
    mask: u32,
    /// The sign bit of the type; 0 for an unsigned one.
    sign: u32,
    cell: u32,
    /// From 2 to 2^32.
    radix: u64,
    factor: u64,
    above: Divisor,
}

/// The factor of the next digit, as a divisor.
#[derive(Clone, Copy, Debug)]
struct Divisor {
    by: u64,
    /// 2^64 / by: division becomes multiplication.
    inverse: u64,
}

#[derive(Clone, Copy, Debug)]
struct Cell {
    /// The range of its digits.
    start: usize,
    end: usize,
    bytes: usize,
    /// The product of their radices.
    values: u128,
}

/// Marks a byte that belongs to no digit.
const NONE: u32 = u32::MAX;

/// The packing of some values of a state.
#[derive(Clone, Default, Debug)]
pub(super) struct Packing {
    digits: Vec<Digit>,
    cells: Vec<Cell>,
    /// The digit to which each byte of a state belongs.
    digit_of: Vec<u32>,
    /// The bytes of all cells.
    pub bytes: usize,
}

impl Packing {
    /// Adds a value after the others. A value with one possibility needs no digit.
    pub fn add(&mut self, offset: usize, width: Width, values: Numbers) {
        let radix = values.count;
        if radix == 1 {
            return;
        }
        let wide = u128::from(radix);
        if self.cells.last().is_none_or(|cell| cell.values * wide > 1 << 64) {
            let start = self.digits.len();
            self.cells.push(Cell { start, end: start, bytes: 0, values: 1 });
        }
        let number = self.cells.len() - 1;
        let cell = &mut self.cells[number];
        let (factor, above) = (cell.values as u64, Divisor::new(cell.values * wide));
        self.digit_of.resize(offset, NONE);
        self.digit_of.resize(offset + width.bytes(), self.digits.len() as u32);
        self.digits.push(Digit {
            offset: offset as u32,
            width,
            base: values.base,
            mask: u32::MAX >> (32 - values.ty.bits),
            sign: if values.ty.signed { 1 << (values.ty.bits - 1) } else { 0 },
            cell: number as u32,
            radix,
            factor,
            above,
        });
        cell.end += 1;
        cell.values *= wide;
        self.bytes -= cell.bytes;
        cell.bytes = (128 - (cell.values - 1).leading_zeros() as usize).div_ceil(8);
        self.bytes += cell.bytes;
    }

    /// The information content of all values, in bits.
    pub fn bits(&self) -> f64 {
        self.digits.iter().map(|digit| (digit.radix as f64).log2()).sum()
    }

    /// Appends the values in `from`.
    ///
    /// # Panics
    /// If a value is none of its digit.
    pub fn pack(&self, from: &[u8], out: &mut Vec<u8>) {
        for cell in &self.cells {
            let digits = self.digits[cell.start..cell.end].iter();
            let number: u64 = digits.map(|digit| digit.load(from) * digit.factor).sum();
            out.extend_from_slice(&number.to_le_bytes()[..cell.bytes]);
        }
    }

    /// Appends the values in `from`, given another state and its cells, which are updated to those of `from`. The first
    /// `skip` bytes are not compared.
    ///
    /// # Panics
    /// If a value is none of its digit, or if the states differ in a byte that belongs to no value.
    #[inline]
    pub fn pack_difference(&self, like: &[u8], numbers: &mut [u64], from: &[u8], skip: usize, out: &mut Vec<u8>) {
        let mut last = NONE;
        let mut change = |byte: usize| {
            let number = self.digit_of[byte];
            if number != last {
                last = number;
                let digit = &self.digits[number as usize];
                let more = digit.factor.wrapping_mul(digit.load(from).wrapping_sub(digit.load(like)));
                numbers[digit.cell as usize] = numbers[digit.cell as usize].wrapping_add(more);
            }
        };
        let (old, new) = (like[skip..].as_chunks::<8>(), from[skip..].as_chunks::<8>());
        for (i, (a, b)) in old.0.iter().zip(new.0).enumerate() {
            let mut differ = u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
            while differ != 0 {
                let byte = differ.trailing_zeros() as usize / 8;
                differ &= !(0xff << (8 * byte));
                change(skip + 8 * i + byte);
            }
        }
        let done = skip + 8 * old.0.len();
        for (i, (a, b)) in old.1.iter().zip(new.1).enumerate() {
            if a != b {
                change(done + i);
            }
        }
        self.write(numbers, out);
    }

    /// Writes whole words, each over the excess bytes of the one before.
    #[inline]
    fn write(&self, numbers: &[u64], out: &mut Vec<u8>) {
        let mut at = out.len();
        let end = at + self.bytes;
        out.resize(end + 8, 0);
        for (cell, number) in self.cells.iter().zip(numbers) {
            out[at..at + 8].copy_from_slice(&number.to_le_bytes());
            at += cell.bytes;
        }
        out.truncate(end);
    }

    /// Stores the values at the beginning of `from` in `to`, and the cells in `numbers`.
    #[inline]
    pub fn unpack(&self, from: &[u8], to: &mut [u8], numbers: &mut Vec<u64>) {
        numbers.clear();
        let mut at = 0;
        for cell in &self.cells {
            let number = cell.read(&from[at..]);
            numbers.push(number);
            at += cell.bytes;
            let mut rest = number;
            for (i, digit) in self.digits[cell.start..cell.end].iter().enumerate() {
                // Quotients of the whole number do not depend on each other.
                let above = if cell.start + i + 1 == cell.end { 0 } else { digit.above.divide(number) };
                let value = rest - above * digit.radix;
                digit.width.store(to, digit.offset as usize, digit.value(value));
                rest = above;
            }
        }
    }
}

impl Cell {
    #[inline]
    fn read(&self, from: &[u8]) -> u64 {
        if let Some(word) = from.first_chunk::<8>() {
            return u64::from_le_bytes(*word) & (u64::MAX >> (64 - 8 * self.bytes));
        }
        let mut word = [0; 8];
        word[..self.bytes].copy_from_slice(&from[..self.bytes]);
        u64::from_le_bytes(word)
    }
}

impl Digit {
    #[inline]
    fn load(&self, from: &[u8]) -> u64 {
        let value = self.width.load(from, self.offset as usize).wrapping_sub(self.base);
        let digit = u64::from(value as u32 & self.mask);
        assert!(digit < self.radix, "a value that its variable can't have");
        digit
    }

    /// The value that a digit stands for.
    #[inline]
    fn value(&self, digit: u64) -> i32 {
        let bits = (self.base as u32).wrapping_add(digit as u32) & self.mask;
        (bits ^ self.sign).wrapping_sub(self.sign) as i32
    }
}

impl Divisor {
    /// From 2 to 2^64; no number is divided by 2^64.
    fn new(by: u128) -> Divisor {
        Divisor { by: by as u64, inverse: ((1 << 64) / by) as u64 }
    }

    #[inline]
    fn divide(&self, number: u64) -> u64 {
        // The quotient is at most one too small, since the inverse is less than one too small.
        let quotient = ((u128::from(number) * u128::from(self.inverse)) >> 64) as u64;
        quotient + u64::from(number - quotient * self.by >= self.by)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_are_exact() {
        for by in
            [2u64, 3, 5, 7, 10, 255, 256, 257, 65_535, 65_536, 1_000_003, 1 << 32, 1 << 63, u64::MAX / 3, u64::MAX]
        {
            let divisor = Divisor::new(by.into());
            for number in [0, 1, by - 1, by, by.saturating_add(1), by.saturating_mul(3) - 1, u64::MAX - 1, u64::MAX] {
                assert_eq!(divisor.divide(number), number / by, "{number} / {by}");
            }
        }
    }

    #[test]
    fn values_come_back() {
        let mut packing = Packing::default();
        let widths = [Width::U8, Width::I8, Width::U16, Width::I16, Width::I32];
        let mut offset = 0;
        let mut places = Vec::new();
        for round in 0..6 {
            for width in widths {
                let (base, count, bits, signed) = match width {
                    Width::U8 => (6, 4, 3, false),
                    Width::I8 => (-128, 256, 8, true),
                    Width::U16 => (3, 65_533, 16, false),
                    Width::I16 => (32_760, 15, 16, true),
                    Width::I32 => (i32::MIN, 1 << 32, 32, true),
                };
                let values = Numbers { base, count, ty: Type::number(bits, signed) };
                packing.add(offset, width, values);
                places.push((offset, width, values, round));
                offset += width.bytes();
            }
        }
        let (mut numbers, mut before, mut before_packed) = (Vec::new(), Vec::new(), Vec::new());
        for pick in [0, 0, 1, 2, 3, 0, 3] {
            let mut state = vec![0; offset];
            for &(at, width, values, round) in &places {
                let choices = [0, values.count - 1, values.count / 2, round.min(values.count - 1)];
                let value = values.base.wrapping_add(choices[pick] as u32 as i32);
                width.store(&mut state, at, values.ty.wrap(value));
            }
            let (mut packed, mut back) = (Vec::new(), vec![0xee; offset]);
            packing.pack(&state, &mut packed);
            assert_eq!(packed.len(), packing.bytes);
            packing.unpack(&packed, &mut back, &mut numbers);
            assert_eq!(back, state);
            if before.is_empty() {
                (before, before_packed) = (state.clone(), packed.clone());
            }
            let mut again = Vec::new();
            packing.pack_difference(&state, &mut numbers.clone(), &before, 0, &mut again);
            assert_eq!(again, before_packed);
            (before, before_packed) = (state, packed);
        }
    }

    /// The example of Geldenhuys's thesis, section 3.4.3.
    #[test]
    fn three_small_variables_take_seven_bits() {
        let mut packing = Packing::default();
        for (offset, high) in [4, 2, 6].into_iter().enumerate() {
            packing.add(offset, Width::U8, Numbers::below(high + 1));
        }
        assert_eq!((packing.bits().ceil() as u32, packing.bytes), (7, 1));
        let mut packed = Vec::new();
        packing.pack(&[4, 2, 6], &mut packed);
        assert_eq!(packed, [5 * 3 * 7 - 1]);
    }
}
