//! The places of the numbers of a batch in a [table of words](super::word_table), computed for several numbers at once.
#![allow(unsafe_code)]

#[cfg(all(target_arch = "x86_64", not(shuttle)))]
use std::arch::x86_64::*;

use super::hardware::prefetch_at;
use super::reserved_memory::Line;
use super::word_hash::Word;
#[cfg(all(target_arch = "x86_64", not(shuttle)))]
use super::word_hash::{FACTORS, REST_FACTOR, REST_OFFSET};

/// The place where a number belongs: a segment, and a line of it. It changes when the table grows. A segment has an address range of
/// less than 2^32 lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub(super) struct Home(u64);

impl Home {
    #[inline(always)]
    pub fn new(segment: usize, line: usize) -> Home {
        Home(segment as u64 | (line as u64) << 32)
    }

    #[inline(always)]
    pub fn segment(self) -> usize {
        self.0 as u32 as usize
    }

    #[inline(always)]
    pub fn line(self) -> usize {
        (self.0 >> 32) as usize
    }
}

/// A number, its place, and the first part of what a slot there has to hold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Located<W> {
    pub number: W,
    pub first: u64,
    pub home: Home,
}

/// Numbers with their places.
#[derive(Debug)]
pub(super) struct LocatedNumbers<W> {
    numbers: Vec<W>,
    firsts: Vec<u64>,
    homes: Vec<Home>,
}

/// Some of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window<'a, W> {
    numbers: &'a [W],
    firsts: &'a [u64],
    homes: &'a [Home],
}

/// Segments whose places are in one register each.
const FEW_SEGMENTS: usize = 8;

/// Where numbers belong in each segment: a copy for one worker, which is made again when the table has grown.
#[derive(Default, Debug)]
pub(super) struct Places {
    /// By segment: the address of its lines, the number of lines where numbers belong, the last bits of a hash, which slots hold, and the
    /// number of bits for a distance. There are as many as a register has room for, or more.
    lines: Vec<u64>,
    homes: Vec<u64>,
    low: Vec<u64>,
    distance_bits: Vec<u64>,
    /// The number of bits of a hash, and of those after the number of the segment.
    bits: u32,
    segment_bits: u32,
    /// Some segment has so few slots in a line that many are full and their numbers in the next one.
    overflows: bool,
    /// The processor has the instructions that compute eight places at once.
    together: bool,
}

/// What [`Places`] have of a segment.
pub(super) struct SegmentPlace {
    pub address: usize,
    pub homes: usize,
    pub low: u64,
    pub distance_bits: u32,
    pub overflows: bool,
}

impl Places {
    /// The places of numbers with hashes of so many bits, and so many after the number of the segment.
    pub fn set(&mut self, [bits, segment_bits]: [u32; 2], segments: impl Iterator<Item = SegmentPlace>) {
        let Places { lines, homes, low, distance_bits, overflows, .. } = self;
        [&mut *lines, homes, low, distance_bits].into_iter().for_each(Vec::clear);
        *overflows = false;
        for segment in segments {
            lines.push(segment.address as u64);
            homes.push(segment.homes as u64);
            low.push(segment.low);
            distance_bits.push(segment.distance_bits.into());
            *overflows |= segment.overflows;
        }
        let room = lines.len().max(FEW_SEGMENTS);
        [lines, homes, low, distance_bits].into_iter().for_each(|list| list.resize(room, 0));
        (self.bits, self.segment_bits) = (bits, segment_bits);
        #[cfg(all(target_arch = "x86_64", not(shuttle)))]
        {
            self.together = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq");
        }
    }

    /// Computes the place of a hash, and prefetches the line there.
    #[inline(always)]
    fn locate(&self, order: u64) -> (u64, Home) {
        // Without segments there are no bits before those of a segment, and one shift would be by too many.
        let segment = (order >> 1 >> (self.segment_bits - 1)) as usize;
        let line = (u128::from(order << (64 - self.segment_bits)) * u128::from(self.homes[segment])) >> 64;
        let address = self.lines[segment].wrapping_add(line as u64 * size_of::<Line>() as u64);
        self.prefetch(address);
        ((order & self.low[segment]) << self.distance_bits[segment] | 1, Home::new(segment, line as usize))
    }

    /// Prefetches the line where a number belongs.
    #[inline]
    pub fn prefetch_number<W: Word>(&self, number: W) {
        self.locate(number.hash(self.bits).order);
    }

    #[inline(always)]
    fn prefetch(&self, address: u64) {
        prefetch_at(std::ptr::without_provenance(address as usize));
        if self.overflows {
            prefetch_at(std::ptr::without_provenance(address as usize + size_of::<Line>()));
        }
    }

    /// Appends the places of as many of these numbers as are computed together. Returns how many these are.
    #[inline(always)]
    fn locate_together<W: Word>(&self, numbers: &[W], firsts: &mut Vec<u64>, homes: &mut Vec<Home>) -> usize {
        #[cfg(all(target_arch = "x86_64", not(shuttle)))]
        if self.together && numbers.len() >= 8 {
            // SAFETY: the processor has these instructions, or the value would be another.
            return unsafe { self.locate_eights(numbers, firsts, homes) };
        }
        let _ = (numbers, firsts, homes);
        0
    }

    #[cfg(all(target_arch = "x86_64", not(shuttle)))]
    #[target_feature(enable = "avx512f,avx512dq")]
    fn locate_eights<W: Word>(&self, numbers: &[W], firsts: &mut Vec<u64>, homes: &mut Vec<Home>) -> usize {
        let (eights, _) = numbers.as_chunks::<8>();
        let count = eights.len() * 8;
        firsts.reserve(count);
        homes.reserve(count);
        let mut to_firsts: *mut u64 = firsts.spare_capacity_mut().as_mut_ptr().cast();
        let mut to_homes: *mut u64 = homes.spare_capacity_mut().as_mut_ptr().cast();
        let number = |number: u64| _mm512_set1_epi64(number as i64);
        let distance = |bits: u32| _mm_cvtsi64_si128(i64::from(bits));
        let (mask, half) = (number(u64::MAX >> (64 - self.bits)), distance(self.bits / 2));
        let [one, other] = FACTORS.map(number);
        let [rest_offset, rest_factor] = [REST_OFFSET, REST_FACTOR].map(number);
        let even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
        let odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
        let shift = distance(64 - self.segment_bits);
        let after_segment = distance(self.segment_bits);
        for eight in eights {
            let words: *const u64 = eight.as_ptr().cast();
            // SAFETY: there are eight numbers of so many words.
            let word = |i: usize| unsafe { _mm512_loadu_si512(words.add(8 * i).cast()) };
            let mut words = word(0);
            if W::WORDS == 2 {
                let (low, high) =
                    (_mm512_permutex2var_epi64(words, even, word(1)), _mm512_permutex2var_epi64(words, odd, word(1)));
                let product = _mm512_mullo_epi64(_mm512_xor_si512(high, rest_offset), rest_factor);
                words = _mm512_add_epi64(low, _mm512_xor_si512(product, _mm512_srli_epi64::<32>(product)));
            }
            let mut hash = _mm512_and_si512(_mm512_mullo_epi64(words, one), mask);
            hash = _mm512_xor_si512(hash, _mm512_srl_epi64(hash, half));
            hash = _mm512_and_si512(_mm512_mullo_epi64(hash, other), mask);
            hash = _mm512_xor_si512(hash, _mm512_srl_epi64(hash, half));
            let segment = _mm512_srl_epi64(hash, after_segment);
            // The upper half of a product of 64 bits and 32 bits.
            let (order, count) = (_mm512_sll_epi64(hash, shift), self.of_segments(&self.homes, segment));
            let lower = _mm512_srli_epi64::<32>(_mm512_mul_epu32(order, count));
            let upper = _mm512_mul_epu32(_mm512_srli_epi64::<32>(order), count);
            let line = _mm512_srli_epi64::<32>(_mm512_add_epi64(lower, upper));
            let low = _mm512_and_si512(hash, self.of_segments(&self.low, segment));
            let first = _mm512_sllv_epi64(low, self.of_segments(&self.distance_bits, segment));
            let home = _mm512_or_si512(segment, _mm512_slli_epi64::<32>(line));
            const { assert!(size_of::<Line>() == 1 << 6) };
            let address = _mm512_add_epi64(self.of_segments(&self.lines, segment), _mm512_slli_epi64::<6>(line));
            let mut addresses = [0u64; 8];
            // SAFETY: memory for so many was reserved, and a home is its number.
            unsafe {
                _mm512_storeu_si512(to_firsts.cast(), _mm512_or_si512(first, number(1)));
                _mm512_storeu_si512(to_homes.cast(), home);
                _mm512_storeu_si512(addresses.as_mut_ptr().cast(), address);
                (to_firsts, to_homes) = (to_firsts.add(8), to_homes.add(8));
            }
            addresses.into_iter().for_each(|address| self.prefetch(address));
        }
        // SAFETY: so many were written.
        unsafe {
            firsts.set_len(firsts.len() + count);
            homes.set_len(homes.len() + count);
        }
        count
    }

    /// The values of eight segments.
    #[cfg(all(target_arch = "x86_64", not(shuttle)))]
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    fn of_segments(&self, values: &[u64], segments: __m512i) -> __m512i {
        // SAFETY: there is a value for each segment, and for at least eight.
        unsafe {
            if values.len() == FEW_SEGMENTS {
                return _mm512_permutexvar_epi64(segments, _mm512_loadu_si512(values.as_ptr().cast()));
            }
            _mm512_i64gather_epi64::<8>(segments, values.as_ptr().cast())
        }
    }
}

impl<W> Default for LocatedNumbers<W> {
    fn default() -> Self {
        LocatedNumbers { numbers: Vec::new(), firsts: Vec::new(), homes: Vec::new() }
    }
}

impl<W: Word> LocatedNumbers<W> {
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    pub fn clear(&mut self) {
        self.numbers.clear();
        self.firsts.clear();
        self.homes.clear();
    }

    /// Appends numbers, and prefetches the lines where they belong.
    #[inline(always)]
    pub fn locate(&mut self, numbers: impl Iterator<Item = W>, places: &Places) {
        let first = self.numbers.len();
        self.numbers.extend(numbers);
        let LocatedNumbers { numbers, firsts, homes } = self;
        let done = places.locate_together(&numbers[first..], firsts, homes);
        for number in &numbers[first + done..] {
            let (first, home) = places.locate(number.hash(places.bits).order);
            firsts.push(first);
            homes.push(home);
        }
    }

    /// So many at a time.
    pub fn windows(&self, length: usize) -> impl Iterator<Item = Window<'_, W>> {
        let LocatedNumbers { numbers, firsts, homes } = self;
        let windows = numbers.chunks(length).zip(firsts.chunks(length)).zip(homes.chunks(length));
        windows.map(|((numbers, firsts), homes)| Window { numbers, firsts, homes })
    }
}

impl<'a, W: Copy> Window<'a, W> {
    #[inline(always)]
    pub fn len(self) -> usize {
        self.numbers.len()
    }

    #[inline(always)]
    pub fn get(self, index: usize) -> Located<W> {
        Located { number: self.numbers[index], first: self.firsts[index], home: self.homes[index] }
    }

    /// Those from this one on.
    #[inline(always)]
    pub fn from(self, index: usize) -> Window<'a, W> {
        Window { numbers: &self.numbers[index..], firsts: &self.firsts[index..], homes: &self.homes[index..] }
    }

    #[inline(always)]
    pub fn iter(self) -> impl Iterator<Item = Located<W>> + 'a {
        let Window { numbers, firsts, homes } = self;
        numbers.iter().zip(firsts).zip(homes).map(|((&number, &first), &home)| Located { number, first, home })
    }

    pub fn numbers(self) -> &'a [W] {
        self.numbers
    }
}

#[cfg(all(test, not(shuttle)))]
mod tests {
    use super::*;

    fn check<W: Word + std::fmt::Debug + PartialEq>(bits: u32, segments: usize, numbers: &[W]) {
        let random = &mut kripke_model::Random::new(u64::from(bits) + segments as u64);
        let mut segment = |_| {
            let size = random.below(32);
            SegmentPlace {
                address: random.below(1 << 40) * 64,
                homes: 1 + random.below(1 << size),
                low: u64::MAX >> random.below(64),
                distance_bits: random.below(6) as u32,
                overflows: random.one_in(2),
            }
        };
        let mut places = Places::default();
        places.set([bits, bits - segments.ilog2()], (0..segments).map(&mut segment));
        let (mut alone, mut together) = (LocatedNumbers::default(), LocatedNumbers::default());
        together.locate(numbers.iter().copied(), &places);
        places.together = false;
        alone.locate(numbers.iter().copied(), &places);
        assert_eq!((alone.len(), together.len()), (numbers.len(), numbers.len()));
        for (one, other) in alone.windows(64).zip(together.windows(64)) {
            assert_eq!(one.numbers, other.numbers);
            assert_eq!((one.firsts, one.homes), (other.firsts, other.homes), "{bits} bits, {segments} segments");
        }
    }

    #[test]
    fn numbers_are_located_alone_as_they_are_together() {
        let random = &mut kripke_model::Random::new(5);
        let words: Vec<u64> = (0..1000).map(|_| random.next_u64()).collect();
        for segments in [4, 8, 16, 64] {
            for bits in [16, 17, 31, 32, 33, 38, 52, 63, 64] {
                let numbers: Vec<u64> = words.iter().map(|word| word >> (64 - bits)).collect();
                for count in [0, 1, 7, 8, 9, 63, 64, 65, 1000] {
                    check(bits, segments, &numbers[..count]);
                }
            }
            let wide: Vec<u128> = words.chunks(2).map(|two| u128::from(two[0]) << 63 | u128::from(two[1])).collect();
            check(64, segments, &wide);
        }
    }
}
