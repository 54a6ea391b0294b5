//! A node table of the tree compression: a set of pairs with consecutive numbers.
#![allow(unsafe_code)]

use std::sync::OnceLock;

use super::Full;
use super::hardware::prefetch;
use super::memory_quota::Allowance;
use super::resize_barrier::{ExclusiveAccess, SharedAccess};
use super::table::{Refusal, Table};
use super::table_segments::UnreportedCounts;
use crate::sync::{AtomicU64, Ordering};

const SEGMENTS: usize = if cfg!(shuttle) { 1 } else { 4 };
/// Lines per segment that hold all numbers.
const ROOM: usize = 12 << 20;
/// Bits of a number.
pub(super) const NUMBER_BITS: u32 = 28;
/// Pairs in the first chunk, as a power of two.
const FIRST_BITS: u32 = 8;
/// Number of pairs above which the pool no longer fits into a cache near the processor.
const LARGE: u64 = 1 << 15;
/// What a worker remembers in place of a number at first.
const NO_NUMBER: u32 = u32::MAX;
const CHUNKS: usize = (NUMBER_BITS - FIRST_BITS + 1) as usize;

/// A set of pairs of 32 bits each, shared by several workers.
#[derive(Debug)]
pub(super) struct Pool {
    table: Table,
    pairs: Pairs,
    next: AtomicU64,
}

/// The data of one worker in a pool.
#[derive(Debug)]
pub(super) struct PoolWriter {
    unreported: UnreportedCounts,
    /// A claimed number whose pair another worker has inserted first.
    spare: Option<u32>,
    /// Pairs that were numbered a short time ago, with their numbers. There are a power of two.
    recent: Box<[(u64, u32)]>,
}

impl Pool {
    pub fn new(workers: usize) -> Pool {
        Pool { table: Table::new(SEGMENTS, ROOM, workers), pairs: Pairs::default(), next: AtomicU64::new(0) }
    }

    /// The data of one worker, which remembers about so many pairs.
    pub fn writer(&self, recent: usize) -> PoolWriter {
        PoolWriter {
            unreported: self.table.unreported(),
            spare: None,
            recent: vec![(0, NO_NUMBER); recent.next_power_of_two()].into(),
        }
    }

    pub fn bytes(&self) -> u64 {
        self.table.bytes()
    }

    /// The pair with this number.
    #[inline]
    pub fn get(&self, number: u32) -> u64 {
        self.pairs.get(number)
    }

    /// Prefetches the table line of a pair.
    #[inline]
    pub fn prefetch(&self, access: &SharedAccess<'_>, pair: u64) {
        self.table.prefetch(access, mix(pair));
    }

    /// Prefetches the pair itself. It is called after [`Pool::prefetch`].
    #[inline]
    pub fn prefetch_pair(&self, access: &SharedAccess<'_>, pair: u64) {
        if let Some(number) = self.table.probe(access, mix(pair)).candidate() {
            self.pairs.prefetch(number);
        }
    }

    /// Whether prefetching is worthwhile. Small pools are in the cache.
    pub fn is_large(&self) -> bool {
        self.next.load(Ordering::Relaxed) > LARGE
    }

    /// The number of a pair, which is inserted if it is new.
    #[inline]
    pub fn number(
        &self,
        pair: u64,
        access: &SharedAccess<'_>,
        writer: &mut PoolWriter,
        allowance: &mut Allowance<'_>,
    ) -> Result<u32, Refusal> {
        let hash = mix(pair);
        let PoolWriter { unreported, spare, recent } = writer;
        let at = hash as usize & (recent.len() - 1);
        let recent = &mut recent[at];
        if recent.0 == pair && recent.1 != NO_NUMBER {
            return Ok(recent.1);
        }
        let make = || {
            let number = match spare.take() {
                Some(number) => number,
                None => self.claim(allowance)?,
            };
            self.pairs.set(number, pair);
            *spare = Some(number);
            Ok(number)
        };
        let (number, new) = self.table.find_or_add(access, hash, |number| self.pairs.get(number) == pair, make)?;
        if new {
            *spare = None;
            self.table.count(access, hash, unreported);
        }
        *recent = (pair, number);
        Ok(number)
    }

    /// Claims the next number. It refuses numbers that do not fit, in release builds too: a truncated number would
    /// merge states silently.
    #[cold]
    fn claim(&self, allowance: &mut Allowance<'_>) -> Result<u32, Full> {
        allowance.take_bytes(size_of::<u64>() as u64)?;
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        if number < 1 << NUMBER_BITS { Ok(number as u32) } else { Err(Full::States) }
    }

    pub fn plan(&self, exclusive: &ExclusiveAccess<'_>, reserve: impl FnMut(u64) -> bool) -> bool {
        self.table.plan(exclusive, reserve)
    }

    pub fn grow(&self, exclusive: &ExclusiveAccess<'_>, release: impl FnMut(u64)) {
        self.table.grow(exclusive, release);
    }
}

/// Pairs by number, in chunks that never move. Each chunk is as large as all previous ones together.
#[derive(Default, Debug)]
struct Pairs {
    chunks: [OnceLock<Box<[AtomicU64]>>; CHUNKS],
}

impl Pairs {
    /// The chunk of a number, the position in it, and the size of the chunk.
    #[inline]
    fn place(number: u32) -> (usize, usize, usize) {
        let bits = (number >> FIRST_BITS).checked_ilog2().map_or(0, |bits| bits + 1);
        let size = 1 << (FIRST_BITS + bits.saturating_sub(1));
        (bits as usize, if bits == 0 { number as usize } else { number as usize - size }, size)
    }

    #[inline]
    fn get(&self, number: u32) -> u64 {
        let (chunk, at, _) = Pairs::place(number);
        self.chunks[chunk].get().expect("the number was issued by this pool")[at].load(Ordering::Relaxed)
    }

    #[inline]
    fn prefetch(&self, number: u32) {
        let (chunk, at, _) = Pairs::place(number);
        if let Some(chunk) = self.chunks[chunk].get() {
            prefetch(&chunk[at]);
        }
    }

    fn set(&self, number: u32, pair: u64) {
        let (chunk, at, size) = Pairs::place(number);
        self.chunks[chunk].get_or_init(|| zeros(size))[at].store(pair, Ordering::Relaxed);
    }
}

/// Allocates memory that is not touched before its first use.
#[cfg(not(shuttle))]
fn zeros(size: usize) -> Box<[AtomicU64]> {
    // SAFETY: all bits zero are the number zero.
    unsafe { Box::<[AtomicU64]>::new_zeroed_slice(size).assume_init() }
}

#[cfg(shuttle)]
fn zeros(size: usize) -> Box<[AtomicU64]> {
    (0..size).map(|_| AtomicU64::new(0)).collect()
}

/// A hash function on 64-bit numbers.
#[inline]
pub(super) fn mix(pair: u64) -> u64 {
    let product = u128::from(pair ^ 0x9e37_79b9_7f4a_7c15).wrapping_mul(0xd1b5_4a32_d192_ed03_a5a3_564c_9d2f_1b65);
    let folded = product as u64 ^ (product >> 64) as u64;
    folded ^ (folded >> 29)
}

#[cfg(all(test, not(shuttle)))]
mod tests {
    use super::super::Capacity;
    use super::super::memory_quota::MemoryQuota;
    use super::super::resize_barrier::ResizeBarrier;
    use super::*;

    #[test]
    fn numbers_are_dense_and_pairs_come_back() {
        let (barrier, pool, quota) = (ResizeBarrier::new(), Pool::new(1), MemoryQuota::new(Capacity::UNLIMITED, 1, 0));
        let (mut writer, mut access, mut allowance) = (pool.writer(64), barrier.enter(), quota.allowance());
        let pair = |n: u64| ((n % 300) << 32) | (n / 300);
        for n in (0..100_000).chain(0..100_000) {
            let number = loop {
                match pool.number(pair(n), &access, &mut writer, &mut allowance) {
                    Ok(number) => break number,
                    Err(_) => access.request_resize(),
                }
                access.resize(|exclusive| pool.plan(exclusive, |_| true), |exclusive| pool.grow(exclusive, |_| ()));
            };
            assert_eq!(u64::from(number), n);
        }
        for n in 0..100_000 {
            assert_eq!(pool.get(n as u32), pair(n));
        }
    }

    #[test]
    fn numbers_are_not_truncated() {
        let (barrier, pool, quota) = (ResizeBarrier::new(), Pool::new(1), MemoryQuota::new(Capacity::UNLIMITED, 1, 0));
        let (mut writer, access, mut allowance) = (pool.writer(64), barrier.enter(), quota.allowance());
        pool.next.store((1 << NUMBER_BITS) - 1, Ordering::Relaxed);
        assert_eq!(pool.number(1, &access, &mut writer, &mut allowance).unwrap(), (1 << NUMBER_BITS) - 1);
        for pair in 2..5 {
            let refusal = pool.number(pair, &access, &mut writer, &mut allowance);
            assert!(matches!(refusal, Err(Refusal::Full(Full::States))));
        }
    }
}
