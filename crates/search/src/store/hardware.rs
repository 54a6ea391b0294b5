//! Processor support for hash tables: prefetching, and comparison of several slots at once (SSE2, AVX-512).
#![allow(unsafe_code)]

#[cfg(all(target_arch = "x86_64", not(shuttle)))]
use std::arch::x86_64::{
    __m128i, __m512i, _mm_and_si128, _mm_castsi128_pd, _mm_cmpeq_epi16, _mm_cmpeq_epi32, _mm_movemask_epi8,
    _mm_movemask_pd, _mm_packs_epi16, _mm_packs_epi32, _mm_set1_epi16, _mm_set1_epi32, _mm_set1_epi64x,
    _mm_setzero_si128, _mm_shuffle_epi32, _mm512_and_si512, _mm512_cmpeq_epi16_mask, _mm512_cmpeq_epi32_mask,
    _mm512_cmpeq_epi64_mask, _mm512_set1_epi16, _mm512_set1_epi32, _mm512_set1_epi64, _mm512_test_epi16_mask,
    _mm512_test_epi32_mask, _mm512_test_epi64_mask, _mm512_testn_epi16_mask, _mm512_testn_epi32_mask,
    _mm512_testn_epi64_mask,
};

use crate::sync::{AtomicU64, Ordering};

/// Slots per cache line.
pub(super) const SLOTS: usize = 8;

/// Prefetches the cache line of a value.
#[inline(always)]
pub(super) fn prefetch<T>(item: &T) {
    prefetch_at(std::ptr::from_ref(item).cast());
}

/// Prefetches the cache line at an address; any address is allowed.
#[inline(always)]
pub(super) fn prefetch_at(place: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has the instruction. It has no effect that the program can observe and never
    // faults, whatever the address.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(place.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

/// Loads eight slots. Data that was written before a slot was filled can be read after this load (acquire).
#[cfg(all(target_arch = "x86_64", not(shuttle)))]
#[inline(always)]
fn load(slots: &[AtomicU64; SLOTS]) -> [__m128i; 4] {
    let (a, b, c, d): (__m128i, __m128i, __m128i, __m128i);
    // Where the program is compiled for AVX, mixing in instructions of the old encoding would be slow.
    macro_rules! load {
        ($move:literal) => {
            std::arch::asm!(
                concat!($move, " {a}, [{p}]"),
                concat!($move, " {b}, [{p} + 16]"),
                concat!($move, " {c}, [{p} + 32]"),
                concat!($move, " {d}, [{p} + 48]"),
                p = in(reg) slots.as_ptr(),
                a = out(xmm_reg) a,
                b = out(xmm_reg) b,
                c = out(xmm_reg) c,
                d = out(xmm_reg) d,
                options(readonly, nostack, preserves_flags),
            )
        };
    }
    // SAFETY: the eight slots are 64 contiguous bytes, read by unaligned vector loads. The processor loads each
    // aligned half of a vector, which is one slot, atomically, so this is eight relaxed atomic loads.
    unsafe {
        #[cfg(not(target_feature = "avx"))]
        load!("movdqu");
        #[cfg(target_feature = "avx")]
        load!("vmovdqu");
    }
    std::sync::atomic::fence(Ordering::Acquire);
    [a, b, c, d]
}

/// A snapshot of the slots of a line.
#[cfg(all(target_arch = "x86_64", not(shuttle)))]
pub(super) struct Scan([__m128i; 4]);

#[cfg(all(target_arch = "x86_64", not(shuttle)))]
impl Scan {
    #[inline(always)]
    pub fn new(slots: &[AtomicU64; SLOTS]) -> Scan {
        Scan(load(slots))
    }

    /// A bit for each slot whose upper half equals the tag.
    #[inline(always)]
    pub fn hits(&self, tag: u32) -> u32 {
        let Scan([a, b, c, d]) = *self;
        // SAFETY: every x86-64 processor has SSE2, and these instructions access no memory.
        unsafe {
            let tag = _mm_set1_epi32(tag as i32);
            let equal = |two| _mm_movemask_pd(_mm_castsi128_pd(_mm_cmpeq_epi32(two, tag))) as u32;
            equal(a) | equal(b) << 2 | equal(c) << 4 | equal(d) << 6
        }
    }

    /// A bit for each empty slot.
    #[inline(always)]
    pub fn vacant(&self) -> u32 {
        self.hits(0)
    }
}

/// A snapshot of the slots of a line.
#[cfg(any(not(target_arch = "x86_64"), shuttle))]
pub(super) struct Scan([u32; SLOTS]);

#[cfg(any(not(target_arch = "x86_64"), shuttle))]
impl Scan {
    pub fn new(slots: &[AtomicU64; SLOTS]) -> Scan {
        Scan(slots.each_ref().map(|slot| (slot.load(Ordering::Acquire) >> 32) as u32))
    }

    pub fn hits(&self, tag: u32) -> u32 {
        self.0.iter().enumerate().fold(0, |hits, (i, &upper)| hits | u32::from(upper == tag) << i)
    }

    pub fn vacant(&self) -> u32 {
        self.hits(0)
    }
}

/// The width of the lanes of a line. The top bit of a lane is not part of its value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Width {
    W16,
    W32,
    W64,
}

impl Width {
    #[inline]
    pub const fn bits(self) -> u32 {
        match self {
            Width::W16 => 16,
            Width::W32 => 32,
            Width::W64 => 64,
        }
    }

    /// The top bit of a lane. Values are less than it.
    #[inline]
    pub fn top(self) -> u64 {
        1 << (self.bits() - 1)
    }

    /// All bits of a lane.
    #[inline]
    pub fn mask(self) -> u64 {
        self.top() | (self.top() - 1)
    }

    /// Number of lanes in a line.
    #[inline]
    pub fn lanes(self) -> u32 {
        512 / self.bits()
    }

    /// The slot of a lane, and its shift inside the slot.
    #[inline]
    pub fn place(self, lane: u32) -> (usize, u32) {
        let bit = lane * self.bits();
        ((bit / 64) as usize % SLOTS, bit % 64)
    }
}

/// A snapshot of a line as lanes of one width.
pub(super) trait LineLanes {
    fn new(slots: &[AtomicU64; SLOTS]) -> Self;

    /// A bit for each lane that has the value, ignoring top bits.
    fn hits(&self, width: Width, value: u64) -> u32;

    /// A bit for each lane that is zero.
    fn vacant(&self, width: Width) -> u32;

    /// A bit for each lane whose top bit is set.
    fn marked(&self, width: Width) -> u32;
}

/// A snapshot of a line, for the instructions that every processor has.
#[cfg(all(target_arch = "x86_64", not(shuttle)))]
pub(super) struct Lanes([__m128i; 4]);

#[cfg(all(target_arch = "x86_64", not(shuttle)))]
impl LineLanes for Lanes {
    #[inline(always)]
    fn new(slots: &[AtomicU64; SLOTS]) -> Lanes {
        Lanes(load(slots))
    }

    #[inline(always)]
    fn hits(&self, width: Width, value: u64) -> u32 {
        // SAFETY: every x86-64 processor has SSE2, and these instructions access no memory.
        unsafe {
            let (value, mask) = match width {
                Width::W16 => (_mm_set1_epi16(value as i16), _mm_set1_epi16(i16::MAX)),
                Width::W32 => (_mm_set1_epi32(value as i32), _mm_set1_epi32(i32::MAX)),
                Width::W64 => (_mm_set1_epi64x(value as i64), _mm_set1_epi64x(i64::MAX)),
            };
            equal_lanes(self.0.map(|lanes| _mm_and_si128(lanes, mask)), width, value)
        }
    }

    #[inline(always)]
    fn vacant(&self, width: Width) -> u32 {
        // SAFETY: as above.
        let zero = unsafe { _mm_setzero_si128() };
        equal_lanes(self.0, width, zero)
    }

    #[inline(always)]
    fn marked(&self, width: Width) -> u32 {
        // SAFETY: as above.
        unsafe {
            let top = match width {
                Width::W16 => _mm_set1_epi16(i16::MIN),
                Width::W32 => _mm_set1_epi32(i32::MIN),
                Width::W64 => _mm_set1_epi64x(i64::MIN),
            };
            equal_lanes(self.0.map(|lanes| _mm_and_si128(lanes, top)), width, top)
        }
    }
}

/// A bit for each lane that equals the same lane of `value`.
#[cfg(all(target_arch = "x86_64", not(shuttle)))]
#[inline(always)]
fn equal_lanes(lanes: [__m128i; 4], width: Width, value: __m128i) -> u32 {
    // SAFETY: every x86-64 processor has SSE2, and these instructions access no memory.
    unsafe {
        match width {
            Width::W16 => {
                let [a, b, c, d] = lanes.map(|lanes| _mm_cmpeq_epi16(lanes, value));
                let half = |a, b| _mm_movemask_epi8(_mm_packs_epi16(a, b)) as u32;
                half(a, b) | half(c, d) << 16
            }
            Width::W32 => {
                let [a, b, c, d] = lanes.map(|lanes| _mm_cmpeq_epi32(lanes, value));
                _mm_movemask_epi8(_mm_packs_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, d))) as u32
            }
            Width::W64 => {
                // Both halves of a lane have to be equal.
                let [a, b, c, d] = lanes.map(|lanes| {
                    let halves = _mm_cmpeq_epi32(lanes, value);
                    _mm_and_si128(halves, _mm_shuffle_epi32::<0b10_11_00_01>(halves))
                });
                let bits = |two| _mm_movemask_pd(_mm_castsi128_pd(two)) as u32;
                bits(a) | bits(b) << 2 | bits(c) << 4 | bits(d) << 6
            }
        }
    }
}

/// A snapshot of a line as lanes of one width.
#[cfg(any(not(target_arch = "x86_64"), shuttle))]
pub(super) struct Lanes([u64; SLOTS]);

#[cfg(any(not(target_arch = "x86_64"), shuttle))]
impl LineLanes for Lanes {
    fn new(slots: &[AtomicU64; SLOTS]) -> Lanes {
        Lanes(slots.each_ref().map(|slot| slot.load(Ordering::Acquire)))
    }

    fn hits(&self, width: Width, value: u64) -> u32 {
        self.which(width, |lane| lane & (width.top() - 1) == value)
    }

    fn vacant(&self, width: Width) -> u32 {
        self.which(width, |lane| lane == 0)
    }

    fn marked(&self, width: Width) -> u32 {
        self.which(width, |lane| lane & width.top() != 0)
    }
}

#[cfg(any(not(target_arch = "x86_64"), shuttle))]
impl Lanes {
    fn which(&self, width: Width, wanted: impl Fn(u64) -> bool) -> u32 {
        (0..width.lanes()).fold(0, |bits, lane| {
            let (slot, shift) = width.place(lane);
            bits | u32::from(wanted(self.0[slot] >> shift & (width.top() | (width.top() - 1)))) << lane
        })
    }
}

/// A snapshot of a line in one register. Only functions that are compiled for these instructions may use it.
#[cfg(all(target_arch = "x86_64", not(shuttle)))]
pub(super) struct Lanes512(__m512i);

#[cfg(all(target_arch = "x86_64", not(shuttle)))]
impl Lanes512 {
    /// Whether the processor has the instructions.
    pub fn are_supported() -> bool {
        is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt")
    }
}

/// Loads eight slots.
///
/// # Safety
/// The processor must have the instruction.
#[cfg(all(target_arch = "x86_64", not(shuttle)))]
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn load_512(slots: &[AtomicU64; SLOTS]) -> __m512i {
    let lanes: __m512i;
    // SAFETY: the eight slots are 64 contiguous bytes. The processor loads each aligned eighth of the vector, which is one slot,
    // atomically, so this is eight relaxed atomic loads.
    unsafe {
        std::arch::asm!(
            "vmovdqu64 {lanes}, [{p}]",
            p = in(reg) slots.as_ptr(),
            lanes = out(zmm_reg) lanes,
            options(readonly, nostack, preserves_flags),
        );
    }
    lanes
}

#[cfg(all(target_arch = "x86_64", not(shuttle)))]
impl LineLanes for Lanes512 {
    #[inline(always)]
    fn new(slots: &[AtomicU64; SLOTS]) -> Lanes512 {
        // SAFETY: the callers have found the instructions on this processor.
        let lanes = unsafe { load_512(slots) };
        std::sync::atomic::fence(Ordering::Acquire);
        Lanes512(lanes)
    }

    #[inline(always)]
    fn hits(&self, width: Width, value: u64) -> u32 {
        // SAFETY: the callers have found the instructions on this processor, and they access no memory.
        unsafe {
            match width {
                Width::W16 => {
                    let values = _mm512_and_si512(self.0, _mm512_set1_epi16(i16::MAX));
                    _mm512_cmpeq_epi16_mask(values, _mm512_set1_epi16(value as i16))
                }
                Width::W32 => {
                    let values = _mm512_and_si512(self.0, _mm512_set1_epi32(i32::MAX));
                    _mm512_cmpeq_epi32_mask(values, _mm512_set1_epi32(value as i32)).into()
                }
                Width::W64 => {
                    let values = _mm512_and_si512(self.0, _mm512_set1_epi64(i64::MAX));
                    _mm512_cmpeq_epi64_mask(values, _mm512_set1_epi64(value as i64)).into()
                }
            }
        }
    }

    #[inline(always)]
    fn vacant(&self, width: Width) -> u32 {
        // SAFETY: as above.
        unsafe {
            match width {
                Width::W16 => _mm512_testn_epi16_mask(self.0, self.0),
                Width::W32 => _mm512_testn_epi32_mask(self.0, self.0).into(),
                Width::W64 => _mm512_testn_epi64_mask(self.0, self.0).into(),
            }
        }
    }

    #[inline(always)]
    fn marked(&self, width: Width) -> u32 {
        // SAFETY: as above.
        unsafe {
            match width {
                Width::W16 => _mm512_test_epi16_mask(self.0, _mm512_set1_epi16(i16::MIN)),
                Width::W32 => _mm512_test_epi32_mask(self.0, _mm512_set1_epi32(i32::MIN)).into(),
                Width::W64 => _mm512_test_epi64_mask(self.0, _mm512_set1_epi64(i64::MIN)).into(),
            }
        }
    }
}

/// A bit for each lane that has the value, ignoring top bits, and a bit for each lane that is zero.
#[inline]
pub(super) fn scan_lanes(slots: &[AtomicU64; SLOTS], width: Width, value: u64) -> (u32, u32) {
    let lanes = Lanes::new(slots);
    (lanes.hits(width, value), lanes.vacant(width))
}

#[cfg(all(test, not(shuttle)))]
mod tests {
    use super::*;

    #[test]
    fn compares_the_upper_halves() {
        let slots = std::array::from_fn(|i| AtomicU64::new(((i as u64 % 3) << 32) | 1));
        for (tag, expected) in [(0, 0b0100_1001), (1, 0b1001_0010), (2, 0b0010_0100), (3, 0), (u32::MAX, 0)] {
            assert_eq!(Scan::new(&slots).hits(tag), expected, "tag {tag}");
        }
        let ones = std::array::from_fn(|_| AtomicU64::new(u64::MAX));
        assert_eq!(Scan::new(&ones).hits(u32::MAX), 0b1111_1111);
        assert_eq!((Scan::new(&slots).vacant(), Scan::new(&ones).vacant()), (0b0100_1001, 0));
        prefetch(&slots);
        prefetch_at(std::ptr::null());
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn one_register_finds_the_same_lanes() {
        #[target_feature(enable = "avx512f,avx512bw")]
        fn scan(slots: &[AtomicU64; SLOTS], width: Width, value: u64) -> (u32, u32) {
            let lanes = Lanes512::new(slots);
            assert_eq!(lanes.marked(width), Lanes::new(slots).marked(width), "{width:?} {slots:?}");
            (lanes.hits(width, value), lanes.vacant(width))
        }
        if !Lanes512::are_supported() {
            return;
        }
        let mut random = kripke_model::Random::new(7);
        for _ in 0..2000 {
            // Few different values, so that lanes are often equal or empty.
            let mut byte = || [0, 0, 0, 1, 0x80, 0x81][random.below(6)];
            let slots: [AtomicU64; SLOTS] =
                std::array::from_fn(|_| AtomicU64::new(u64::from_le_bytes(std::array::from_fn(|_| byte()))));
            for width in [Width::W16, Width::W32, Width::W64] {
                let values = (0..width.lanes()).map(|lane| {
                    let (slot, shift) = width.place(lane);
                    slots[slot].load(Ordering::Relaxed) >> shift & (width.top() - 1)
                });
                for value in values.chain([0, 1, width.top() - 1]) {
                    // SAFETY: the processor has the instructions.
                    let found = unsafe { scan(&slots, width, value) };
                    assert_eq!(found, scan_lanes(&slots, width, value), "{width:?} {value:#x} {slots:?}");
                }
            }
        }
    }

    #[test]
    fn finds_lanes() {
        for width in [Width::W16, Width::W32, Width::W64] {
            for filled in 0..=width.lanes() {
                let slots: [AtomicU64; SLOTS] = Default::default();
                for lane in 0..filled {
                    let (slot, shift) = width.place(lane);
                    let value = u64::from(lane % 3 + 1) | if lane % 2 == 0 { width.top() } else { 0 };
                    slots[slot].fetch_or(value << shift, Ordering::Relaxed);
                }
                let expected =
                    |value| (0..filled).filter(|lane| lane % 3 + 1 == value).fold(0, |bits, lane| bits | 1 << lane);
                let vacant = (filled..width.lanes()).fold(0, |bits, lane| bits | 1u32 << lane);
                let marked = (0..filled).step_by(2).fold(0, |bits, lane| bits | 1u32 << lane);
                assert_eq!(Lanes::new(&slots).marked(width), marked, "{width:?} {filled}");
                for value in 1..5 {
                    assert_eq!(
                        scan_lanes(&slots, width, u64::from(value)),
                        (expected(value), vacant),
                        "{width:?} {filled}"
                    );
                }
            }
        }
    }
}
