//! Values as digits of variable-radix numbers.
//!
//! A number of as many digits as fit 64 bits is a cell, written with as few bytes as its largest value needs. The first
//! digit counts least, so that values come out in the order in which they lie in the state.

use super::ranges::Interval;
use crate::layout::Width;

/// One value of a state.
#[derive(Clone, Copy, Debug)]
struct Digit {
    offset: u32,
    width: Width,
    low: i32,
    /// 2 at least, 2^32 at most.
    radix: u64,
    /// 2^64 / radix: a product instead of a division.
    inverse: u64,
}

#[derive(Clone, Copy, Debug)]
struct Cell {
    /// Where its digits end.
    end: usize,
    bytes: usize,
    /// The product of their radices.
    values: u128,
}

/// How some values of a state become bytes.
#[derive(Clone, Default, Debug)]
pub(super) struct Packing {
    digits: Vec<Digit>,
    cells: Vec<Cell>,
    /// How many there are together.
    pub bytes: usize,
}

impl Packing {
    /// Adds a value that is in this interval. (One that has only one value needs no digit.)
    pub fn add(&mut self, offset: usize, width: Width, values: Interval) {
        let radix = values.count();
        if radix == 1 {
            return;
        }
        let inverse = ((1u128 << 64) / u128::from(radix)) as u64;
        self.digits.push(Digit { offset: offset as u32, width, low: values.low as i32, radix, inverse });
        let end = self.digits.len();
        match self.cells.last_mut() {
            Some(cell) if cell.values * u128::from(radix) <= 1 << 64 => {
                *cell = Cell { end, values: cell.values * u128::from(radix), ..*cell };
            }
            _ => self.cells.push(Cell { end, bytes: 0, values: u128::from(radix) }),
        }
        if let Some(cell) = self.cells.last_mut() {
            self.bytes -= cell.bytes;
            cell.bytes = (128 - (cell.values - 1).leading_zeros() as usize).div_ceil(8);
            self.bytes += cell.bytes;
        }
    }

    /// How much the values together tell.
    pub fn bits(&self) -> f64 {
        self.digits.iter().map(|digit| (digit.radix as f64).log2()).sum()
    }

    /// Appends the values in `from`.
    ///
    /// # Panics
    /// If one is not in its interval.
    #[inline]
    pub fn pack(&self, from: &[u8], out: &mut Vec<u8>) {
        let mut start = 0;
        for cell in &self.cells {
            let mut number = 0u64;
            for digit in self.digits[start..cell.end].iter().rev() {
                let value = digit.width.load(from, digit.offset as usize);
                let value = u64::from(value.wrapping_sub(digit.low) as u32);
                assert!(value < digit.radix, "a value that its variable can't have");
                number = number * digit.radix + value;
            }
            out.extend_from_slice(&number.to_le_bytes()[..cell.bytes]);
            start = cell.end;
        }
    }

    /// Puts the values that `from` begins with where they belong.
    #[inline]
    pub fn unpack(&self, from: &[u8], to: &mut [u8]) {
        let (mut start, mut at) = (0, 0);
        for cell in &self.cells {
            let mut bytes = [0; 8];
            bytes[..cell.bytes].copy_from_slice(&from[at..at + cell.bytes]);
            let mut number = u64::from_le_bytes(bytes);
            for digit in &self.digits[start..cell.end] {
                let (rest, value) = digit.split(number);
                digit.width.store(to, digit.offset as usize, digit.low.wrapping_add(value as i32));
                number = rest;
            }
            at += cell.bytes;
            start = cell.end;
        }
    }
}

impl Digit {
    /// Quotient and remainder.
    #[inline]
    fn split(&self, number: u64) -> (u64, u64) {
        // At most one too small, since the inverse is less than one too small.
        let quotient = (u128::from(number) * u128::from(self.inverse) >> 64) as u64;
        let rest = number - quotient * self.radix;
        if rest >= self.radix { (quotient + 1, rest - self.radix) } else { (quotient, rest) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_are_exact() {
        for radix in [2u64, 3, 5, 7, 10, 255, 256, 257, 65_535, 65_536, 1_000_003, (1 << 32) - 1, 1 << 32] {
            let digit = Digit {
                offset: 0,
                width: Width::U8,
                low: 0,
                radix,
                inverse: ((1u128 << 64) / u128::from(radix)) as u64,
            };
            for number in [0, 1, radix - 1, radix, radix + 1, radix * 3 - 1, u64::MAX / 2, u64::MAX - 1, u64::MAX] {
                assert_eq!(digit.split(number), (number / radix, number % radix), "{number} / {radix}");
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
                let values = match width {
                    Width::U8 => Interval { low: 0, high: 4 },
                    Width::I8 => Interval { low: -128, high: 127 },
                    Width::U16 => Interval { low: 3, high: 65_535 },
                    Width::I16 => Interval { low: -7, high: 7 },
                    Width::I32 => Interval { low: i64::from(i32::MIN), high: i64::from(i32::MAX) },
                };
                packing.add(offset, width, values);
                places.push((offset, width, values, round));
                offset += width.bytes();
            }
        }
        for pick in 0..4 {
            let mut state = vec![0; offset];
            for &(at, width, values, round) in &places {
                let choices = [values.low, values.high, (values.low + values.high) / 2, values.low + round];
                width.store(&mut state, at, choices[pick] as i32);
            }
            let (mut packed, mut back) = (Vec::new(), vec![0xee; offset]);
            packing.pack(&state, &mut packed);
            assert_eq!(packed.len(), packing.bytes);
            packing.unpack(&packed, &mut back);
            assert_eq!(back, state);
        }
    }

    /// The example of Geldenhuys's thesis, section 3.4.3.
    #[test]
    fn three_small_variables_take_seven_bits() {
        let mut packing = Packing::default();
        for (offset, high) in [4, 2, 6].into_iter().enumerate() {
            packing.add(offset, Width::U8, Interval { low: 0, high });
        }
        assert_eq!((packing.bits().ceil() as u32, packing.bytes), (7, 1));
        let mut packed = Vec::new();
        packing.pack(&[4, 2, 6], &mut packed);
        assert_eq!(packed, [5 * 3 * 7 - 1]);
    }
}
