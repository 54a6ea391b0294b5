//! The kinds of stores, by name.

use super::cached_dfs::CacheSize;
use crate::store::{Bits, HashStore, LinkedOpenSet, Tolerance};

/// The default size of a bitstate store: initialising more would take longer than most searches.
const DEFAULT_BITSTATE_BYTES: u64 = 1 << 30;

/// The kinds of stores.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum StoreKind {
    /// The word store if states are words. Otherwise the exact store while memory permits, then the tree store.
    #[default]
    Auto,
    /// States of one or two words, without the bits that their place in the table tells. The exact store if states are
    /// longer.
    Words,
    /// States in full.
    Exact,
    /// States as trees with shared nodes: less memory, more time.
    Tree,
    /// A bounded cache of full states. New states replace old ones, which are then revisited. The search is
    /// depth-first.
    Cache(CacheSize),
    /// Hash compaction: a fingerprint of so many bits per state.
    Hash {
        /// Bits of a fingerprint.
        bits: u8,
    },
    /// Bitstate hashing: a few bits per state.
    Bitstate(Bits),
}

impl StoreKind {
    /// Every kind, with default sizes.
    pub fn all() -> [StoreKind; 7] {
        [
            StoreKind::Auto,
            StoreKind::Words,
            StoreKind::Exact,
            StoreKind::Tree,
            StoreKind::Cache(CacheSize { states: None, tolerance: Tolerance::default() }),
            StoreKind::Hash { bits: HashStore::<LinkedOpenSet>::BITS },
            StoreKind::Bitstate(Bits::within(DEFAULT_BITSTATE_BYTES, Bits::HASHES)),
        ]
    }

    /// The kind with this name, with its default size.
    pub fn named(name: &str) -> Option<StoreKind> {
        StoreKind::all().into_iter().find(|kind| kind.word() == name)
    }

    /// Whether the store can omit states.
    pub fn is_lossy(self) -> bool {
        matches!(self, StoreKind::Hash { .. } | StoreKind::Bitstate(_))
    }

    /// The name of the store.
    pub fn word(self) -> &'static str {
        match self {
            StoreKind::Auto => "auto",
            StoreKind::Words => "words",
            StoreKind::Exact => "exact",
            StoreKind::Tree => "tree",
            StoreKind::Cache(_) => "cache",
            StoreKind::Hash { .. } => "hash",
            StoreKind::Bitstate(_) => "bitstate",
        }
    }
}
