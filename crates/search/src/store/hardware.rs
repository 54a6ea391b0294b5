//! What the processor can do for a table: load ahead of time, and compare several slots at once.
#![allow(unsafe_code)]

/// Slots in a line of the cache.
pub(super) const SLOTS: usize = 8;

/// Starts to load the cache line that holds `items[index]`; does nothing for an index out of range.
#[inline(always)]
pub(super) fn prefetch<T>(items: &[T], index: usize) {
    if let Some(item) = items.get(index) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the instruction is in every x86-64 processor, reads nothing the program can observe and never
        // faults; the pointer comes from a live reference.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(item).cast());
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = item;
    }
}

/// A bit for each slot whose upper half is the tag.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn matches(slots: &[u64; SLOTS], tag: u32) -> u32 {
    use std::arch::x86_64::{
        _mm_castps_si128, _mm_castsi128_ps, _mm_cmpeq_epi32, _mm_movemask_ps, _mm_set_epi64x, _mm_set1_epi32,
        _mm_shuffle_ps,
    };
    let pair = |at: usize| (slots[at + 1] as i64, slots[at] as i64);
    let four = |at: usize| {
        let ((b, a), (d, c)) = (pair(at), pair(at + 2));
        // SAFETY: SSE2 is in every x86-64 processor, and none of these touches memory.
        unsafe {
            let lower = _mm_castsi128_ps(_mm_set_epi64x(b, a));
            let upper = _mm_castsi128_ps(_mm_set_epi64x(d, c));
            let tags = _mm_castps_si128(_mm_shuffle_ps::<0b11_01_11_01>(lower, upper));
            _mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(tags, _mm_set1_epi32(tag as i32)))) as u32
        }
    };
    four(0) | (four(4) << 4)
}

/// A bit for each slot whose upper half is the tag.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(super) fn matches(slots: &[u64; SLOTS], tag: u32) -> u32 {
    slots.iter().rev().fold(0, |hits, slot| (hits << 1) | u32::from((slot >> 32) as u32 == tag))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_the_upper_halves() {
        let slots: [u64; SLOTS] = std::array::from_fn(|i| ((i as u64 % 3) << 32) | 1);
        for (tag, expected) in [(0, 0b0100_1001), (1, 0b1001_0010), (2, 0b0010_0100), (3, 0), (u32::MAX, 0)] {
            assert_eq!(matches(&slots, tag), expected, "tag {tag}");
        }
        assert_eq!(matches(&[u64::MAX; SLOTS], u32::MAX), 0b1111_1111);
        prefetch(&slots, SLOTS);
    }
}
