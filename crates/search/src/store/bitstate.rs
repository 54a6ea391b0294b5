//! The bitstate store (supertrace): each state sets a few bits at positions given by its hash (Holzmann, *An analysis
//! of bitstate hashing*, 1998; a Bloom filter). A state whose bits are all set is taken for a visited one.
//!
//! All bits of a state are in one page of memory, so that a lookup needs one address translation. The effect on the
//! omission probability is negligible: a page holds thousands of states, so all pages are about equally full.
//! Restricting the bits to one cache line is hardly faster and omits more states, because the load of lines varies.
#![allow(unsafe_code)]

use super::hardware::prefetch;
use super::hash_compaction::HashStore;
use super::lossy::{Filter, LossyStore, OpenSet};
use super::omission::OmissionEstimate;
use super::open_set::LinkedOpenSet;
use super::pool::mix;
use super::reserved_memory::ReservedMemory;
use super::resize_barrier::{ExclusiveAccess, SharedAccess};
use super::table::Refusal;
use super::{Capacity, Full};
use crate::sync::{AtomicU64, Ordering};

/// Bits of a cache line, a page and a word, as powers of two.
const LINE: u32 = 9;
const PAGE: u32 = 15;
const WORD: u32 = 6;
/// Words of a page.
const PAGE_WORDS: usize = 1 << (PAGE - WORD);
/// Positions in a page that one 64-bit hash provides.
const PLACES: u32 = 64 / PAGE;
/// Number of workers passed to the memory reservation: it makes pages huge, which this store always wants.
const LARGE: usize = 3;

/// The size of a bitstate store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bits {
    bytes: u64,
    /// Bits set per state (SPIN's `-k`).
    pub hashes: u8,
}

impl Bits {
    /// The smallest logarithm of a size.
    pub const LEAST: u8 = PAGE as u8;
    /// The largest logarithm of a size.
    pub const MOST: u8 = 45;
    /// The default. With three bits per state the store still works when there are twice as many states as expected;
    /// with more, the bit array fills too early.
    pub const HASHES: u8 = 3;

    /// A bit array of 2^`power` bits.
    pub const fn power(power: u8, hashes: u8) -> Bits {
        let power = if power < Bits::LEAST { Bits::LEAST } else { power };
        Bits { bytes: 1 << (if power > Bits::MOST { Bits::MOST } else { power } - 3), hashes }
    }

    /// The largest bit array of whole pages within so many bytes.
    pub fn within(bytes: u64, hashes: u8) -> Bits {
        let page = 1 << (PAGE - 3);
        Bits { bytes: (bytes / page * page).clamp(page, 1 << (Bits::MOST - 3)), hashes }
    }

    /// The size of the bit array in bytes.
    pub fn bytes(self) -> u64 {
        self.bytes
    }

    /// The logarithm of the number of bits, rounded down.
    pub fn logarithm(self) -> u8 {
        self.bytes.ilog2() as u8 + 3
    }

    /// Whether the number of bits is a power of two.
    pub fn is_power(self) -> bool {
        self.bytes.is_power_of_two()
    }
}

/// A lossy store that keeps a few bits per state.
pub type BitStore<W = LinkedOpenSet> = LossyStore<BitField, W>;

#[expect(private_bounds, reason = "the open set is internal")]
impl<W: OpenSet> BitStore<W> {
    /// A store for this number of workers. The capacity covers the bit array and the open states.
    pub fn new(size: Bits, capacity: Capacity, workers: usize) -> BitStore<W> {
        LossyStore::with(BitField::new(size, workers), capacity, workers)
    }

    /// Replaces a hash-compaction store by a bitstate store with the same states.
    pub(crate) fn replacing(hashes: HashStore<W>, size: Bits, capacity: Capacity, workers: usize) -> BitStore<W> {
        let field = BitField { mask: hashes.filter().mask(), ..BitField::new(size, workers) };
        hashes.replace_filter(field, capacity, workers, |hashes, field, access| {
            hashes.each(access, |hash| {
                let _ = field.add(field.place(hash), access, &mut (), || Ok(()));
            });
        })
    }
}

/// The bit array.
#[derive(Debug)]
pub struct BitField {
    memory: ReservedMemory,
    pages: u64,
    hashes: u32,
    private: bool,
    /// The bits of a hash that are used: all, unless the states come from a store that kept fewer.
    mask: u64,
}

impl BitField {
    fn new(size: Bits, workers: usize) -> BitField {
        let lines = usize::try_from(size.bytes() >> (LINE - 3)).expect("the size is addressable");
        let memory = ReservedMemory::new(1, lines, LARGE).with_huge_pages();
        let pages = memory.segment(0).room() >> (PAGE - LINE);
        BitField {
            memory,
            pages: pages as u64,
            hashes: u32::from(size.hashes.max(1)),
            private: workers == 1,
            mask: u64::MAX,
        }
    }

    fn bits(&self) -> f64 {
        (self.pages << PAGE) as f64
    }

    /// The first line of the page for a hash.
    #[inline(always)]
    fn page(&self, hash: u64) -> usize {
        let page = (u128::from(hash) * u128::from(self.pages)) >> 64;
        (page as usize) << (PAGE - LINE)
    }

    /// The words of a page, by its first line.
    #[inline(always)]
    fn page_words(&self, page: usize) -> &[AtomicU64; PAGE_WORDS] {
        // SAFETY: the memory lives as long as this store, has one segment, and `page` is the first line of one of its pages.
        unsafe { self.memory.segment(0).numbers(page) }
    }

    /// The words of a place and the bit in each.
    #[inline(always)]
    fn words(&self, Place { page, positions }: Place) -> impl Iterator<Item = (&AtomicU64, u64)> {
        let words = self.page_words(page);
        positions_from(positions, self.hashes).map(move |at| word_and_bit(words, at))
    }

    /// The same if there are `N` hashes, all of whose positions are known.
    #[inline(always)]
    fn few_words<const N: usize>(&self, Place { page, positions }: Place) -> [(&AtomicU64, u64); N] {
        let words = self.page_words(page);
        std::array::from_fn(|n| word_and_bit(words, positions >> (n as u32 * PAGE)))
    }

    /// Adds hashes that have `N` positions each, for a single worker. Nothing is decided for one state, so that the processor need
    /// not guess which states are new.
    #[inline(always)]
    fn add_alone<const N: usize>(&self, places: &[Place], new: &mut Vec<u32>) -> usize {
        new.resize(places.len(), 0);
        let mut count = 0;
        for (at, &place) in places.iter().enumerate() {
            let words = self.few_words::<N>(place);
            let values = words.map(|(word, _)| word.load(Ordering::Relaxed));
            let missing = (0..N).fold(0, |missing, n| missing | !values[n] & words[n].1);
            // Two positions may be in the same word.
            for (word, bit) in words {
                word.store(word.load(Ordering::Relaxed) | bit, Ordering::Relaxed);
            }
            new[count] = at as u32;
            count += usize::from(missing != 0);
        }
        new.truncate(count);
        places.len()
    }
}

/// Where the bits of a state are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// The first line of the page.
    page: usize,
    /// The positions in the page.
    positions: u64,
}

/// The word for a position in a page, which the lowest bits of a number are, and its bit there.
#[inline(always)]
fn word_and_bit(words: &[AtomicU64; PAGE_WORDS], position: u64) -> (&AtomicU64, u64) {
    (&words[(position >> WORD) as usize % PAGE_WORDS], 1 << (position % 64))
}

/// The positions of so many bits in a page. The page depends on the leading bits of the hash, the positions on all bits.
#[inline(always)]
fn positions_from(first: u64, hashes: u32) -> impl Iterator<Item = u64> {
    let mut rest = first;
    (0..hashes).map(move |n| {
        if n > 0 && n % PLACES == 0 {
            rest = mix(rest);
        }
        rest >> (n % PLACES * PAGE)
    })
}

impl Filter for BitField {
    type Local = ();
    type Place = Place;

    fn local(&self) {}

    fn bytes(&self) -> u64 {
        self.pages << (PAGE - 3)
    }

    #[inline(always)]
    fn place(&self, hash: u64) -> Place {
        let hash = hash & self.mask;
        Place { page: self.page(hash), positions: mix(hash) }
    }

    #[inline(always)]
    fn prefetch(&self, place: Place, _: &SharedAccess<'_>) {
        if self.hashes == 3 {
            self.few_words::<3>(place).iter().for_each(|(word, _)| prefetch(*word));
        } else {
            self.words(place).for_each(|(word, _)| prefetch(word));
        }
    }

    #[inline(always)]
    fn add_all(&self, places: &[Place], access: &SharedAccess<'_>, (): &mut (), new: &mut Vec<u32>) -> usize {
        match self.hashes {
            1 if self.private => self.add_alone::<1>(places, new),
            2 if self.private => self.add_alone::<2>(places, new),
            3 if self.private => self.add_alone::<3>(places, new),
            4 if self.private => self.add_alone::<4>(places, new),
            _ => {
                let is_new = |place| self.add(place, access, &mut (), || Ok(())).is_ok_and(|new| new);
                new.extend((0..places.len() as u32).filter(|&at| is_new(places[at as usize])));
                places.len()
            }
        }
    }

    /// When several workers add the same state at once, the state is new to the worker that sets the last of its
    /// positions that was clear. Positions are set in order, so a worker that finds that position set has won none
    /// before. If another state sets the position at this moment, the state is new to no worker: it is omitted, as if
    /// it had come later.
    #[inline(always)]
    fn add(
        &self,
        place: Place,
        _: &SharedAccess<'_>,
        (): &mut (),
        mut may: impl FnMut() -> Result<(), Full>,
    ) -> Result<bool, Refusal> {
        let mut last = None;
        for (n, (word, bit)) in self.words(place).enumerate() {
            if word.load(Ordering::Acquire) & bit == 0 {
                last = Some((n, word, bit));
            }
        }
        let Some((count, last, last_bit)) = last else { return Ok(false) };
        may()?;
        let set = |word: &AtomicU64, bit| {
            if self.private {
                word.store(word.load(Ordering::Relaxed) | bit, Ordering::Relaxed);
                true
            } else {
                word.fetch_or(bit, Ordering::AcqRel) & bit == 0
            }
        };
        // Two positions of a state may coincide.
        let is_last = |word: &AtomicU64, bit| std::ptr::eq(word, last) && bit == last_bit;
        for (word, bit) in self.words(place).take(count).filter(|&(word, bit)| !is_last(word, bit)) {
            set(word, bit);
        }
        Ok(set(last, last_bit))
    }

    fn plan(&self, _: &ExclusiveAccess<'_>, _: impl FnMut(u64) -> bool) -> bool {
        true
    }

    fn grow(&self, _: &ExclusiveAccess<'_>, _: impl FnMut(u64)) {}

    /// A state is omitted if all its bits are set. A state that is inserted has at least one clear bit, so it sets
    /// more bits than an average state would.
    fn omissions(&self, known: u64, states: u64) -> OmissionEstimate {
        let (hashes, bits) = (f64::from(self.hashes), self.bits());
        let mut set = 0.0f64;
        let fill = |set: f64, states: f64| {
            let gain = hashes * (1.0 - set) / (1.0 - set.powf(hashes)).max(1e-9);
            (set + states * gain / bits).min(1.0)
        };
        OmissionEstimate::estimate(known, states, |piece| {
            let middle = fill(set, piece / 2.0);
            set = fill(set, piece);
            middle.powf(hashes)
        })
    }
}

#[cfg(all(test, not(shuttle)))]
mod tests {
    use super::super::resize_barrier::ResizeBarrier;
    use super::*;

    /// The number of distinct hashes that are taken for others, and the estimate of it.
    fn omitted(size: Bits, count: u64, seed: u64) -> (u64, OmissionEstimate) {
        let (field, barrier) = (BitField::new(size, 1), ResizeBarrier::new());
        let access = barrier.enter();
        let hash = |n: u64| mix(super::super::hash(&(n ^ seed << 40).to_le_bytes()));
        let new = (0..count).filter(|&n| field.add(field.place(hash(n)), &access, &mut (), || Ok(())).unwrap()).count()
            as u64;
        (count - new, field.omissions(0, new))
    }

    #[test]
    fn sizes_are_whole_pages() {
        let sizes = [0, 5000, 1 << 20, 3_000_000, u64::MAX].map(|bytes| Bits::within(bytes, 3));
        assert_eq!(sizes.map(Bits::bytes), [4096, 4096, 1 << 20, 732 * 4096, 1 << 42]);
        assert_eq!(sizes.map(Bits::logarithm), [15, 15, 23, 24, 45]);
        assert_eq!((sizes[2], sizes[3].is_power()), (Bits::power(23, 3), false));
        assert_eq!(Bits::power(3, 1).bytes(), 4096);
    }

    #[test]
    fn the_estimate_is_right_for_any_size() {
        let (missed, estimate) = omitted(Bits::within(100_000, 3), 60_000, 1);
        assert!((missed as f64 - estimate.states).abs() < 0.1 * estimate.states + 20.0, "{missed} {estimate:?}");
    }

    #[test]
    fn the_estimate_is_right() {
        for (bits, hashes, count) in [(20, 3, 30_000), (20, 3, 200_000), (22, 1, 100_000), (21, 8, 200_000)] {
            let size = Bits::power(bits, hashes);
            let runs: Vec<_> = (0..40).map(|seed| omitted(size, count, seed)).collect();
            let within = runs.iter().filter(|(missed, estimate)| *missed as f64 <= estimate.at_most).count();
            let (missed, expected) =
                runs.iter().fold((0.0, 0.0), |(m, e), (missed, estimate)| (m + *missed as f64, e + estimate.states));
            let what = format!("{size:?} {count}: {missed} missed, {expected} expected, {within} of 40 within");
            assert!(within >= 36 && (missed - expected).abs() < 0.05 * expected + 20.0, "{what}");
        }
    }
}
