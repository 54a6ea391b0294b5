//! Hash compaction: the store keeps a fingerprint of some bits per state (Wolper and Leroy, *Reliable hashing without
//! collision detection*, 1993). States with equal fingerprints are taken for one.
//!
//! The fingerprints are kept exactly, in a [quotient set](super::quotient). The omission probability therefore
//! depends only on the numbers of states and bits, not on the load of the table or its growth.

use super::lossy::{Filter, LossyStore, OpenSet};
use super::omission::OmissionEstimate;
use super::open_set::LinkedOpenSet;
use super::quotient::QuotientSet;
use super::resize_barrier::{ExclusiveAccess, SharedAccess};
use super::table::Refusal;
use super::table_segments::UnreportedCounts;
use super::word_table::Added;
use super::{Capacity, Full};

/// A lossy store that keeps a fingerprint per state.
pub type HashStore<W = LinkedOpenSet> = LossyStore<Hashes, W>;

impl HashStore {
    /// The smallest fingerprint, in bits.
    pub const LEAST: u8 = 8;
    /// The largest fingerprint, in bits.
    pub const MOST: u8 = 64;
    /// The default: four bytes per state in a table of millions of states, with less than one expected omission.
    pub const BITS: u8 = 48;
}

#[expect(private_bounds, reason = "the open set is internal")]
impl<W: OpenSet> HashStore<W> {
    /// A store for this number of workers that keeps so many bits per state.
    pub fn new(bits: u8, capacity: Capacity, workers: usize) -> HashStore<W> {
        let bits = u32::from(bits.clamp(<HashStore>::LEAST, <HashStore>::MOST));
        LossyStore::with(Hashes { set: QuotientSet::new(workers, false), bits }, capacity, workers)
    }
}

/// The set of fingerprints.
#[derive(Debug)]
pub struct Hashes {
    set: QuotientSet,
    bits: u32,
}

impl Hashes {
    fn cut(&self, hash: u64) -> u64 {
        hash >> (64 - self.bits)
    }

    /// The bits of a hash that are kept.
    pub(super) fn mask(&self) -> u64 {
        u64::MAX << (64 - self.bits)
    }

    /// Calls `each` with all fingerprints, as hashes whose other bits are zero.
    pub(super) fn each(&self, access: &SharedAccess<'_>, mut each: impl FnMut(u64)) {
        let done: Result<(), std::convert::Infallible> = self.set.each(access, |cut| {
            each(cut << (64 - self.bits));
            Ok(())
        });
        match done {
            Ok(()) => {}
        }
    }
}

impl Filter for Hashes {
    type Local = UnreportedCounts;
    /// The fingerprint.
    type Place = u64;

    fn local(&self) -> UnreportedCounts {
        self.set.unreported()
    }

    fn bytes(&self) -> u64 {
        self.set.bytes()
    }

    #[inline(always)]
    fn place(&self, hash: u64) -> u64 {
        self.cut(hash)
    }

    #[inline]
    fn prefetch(&self, place: u64, access: &SharedAccess<'_>) {
        self.set.prefetch(place, access);
    }

    #[inline]
    fn add(
        &self,
        place: u64,
        access: &SharedAccess<'_>,
        local: &mut UnreportedCounts,
        may: impl FnMut() -> Result<(), Full>,
    ) -> Result<bool, Refusal> {
        self.set.add(place, access, local, may).map(Added::is_new)
    }

    fn plan(&self, exclusive: &ExclusiveAccess<'_>, reserve: impl FnMut(u64) -> bool) -> bool {
        self.set.plan(exclusive, reserve)
    }

    fn grow(&self, exclusive: &ExclusiveAccess<'_>, release: impl FnMut(u64)) {
        self.set.grow(exclusive, release);
    }

    /// A state is omitted if its fingerprint is in the set.
    fn omissions(&self, known: u64, states: u64) -> OmissionEstimate {
        let mut there = 0.0;
        OmissionEstimate::estimate(known, states, |piece| {
            there += piece;
            (there - piece / 2.0) / 2f64.powi(self.bits as i32)
        })
    }
}
