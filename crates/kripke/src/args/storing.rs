//! The store of visited states.

use clap::{Args, ValueEnum};
use kripke_report::number::parse_count;
use kripke_search::store::{Bits, HashStore, Tolerance};
use kripke_search::{CacheSize, StoreKind};

/// Bytes of a bitstate store if neither its size nor the memory is given: more would take longer to be handed out than
/// most searches take.
const USUAL: u64 = 1 << 30;

/// States of a cache if neither their number nor the memory is given.
const USUAL_CACHE: u32 = 4_000_000;

/// The store of visited states.
#[derive(Args, Clone, Debug)]
pub struct Storing {
    /// Store of visited states: complete states (exact); tree compression (tree), less memory but slower; exact, then tree
    /// when memory runs low (auto); state caching in bounded memory (cache), which revisits replaced states; hash
    /// compaction (hash) and bitstate hashing (bitstate), which may omit states and so cannot prove a property
    /// [default: auto]
    #[arg(long, value_enum, value_name = "auto|exact|tree|cache|hash|bitstate", hide_possible_values = true)]
    pub store: Option<Store>,
    /// With --store auto: if tree compression does not fit into memory either, continue with hash compaction, then with
    /// bitstate hashing; the search may then omit states
    #[arg(long)]
    pub lossy: bool,
    /// With --store auto: migrate to tree compression at N states, regardless of memory
    #[arg(long, value_name = "N", value_parser = parse_count, hide = true)]
    pub change_at: Option<u64>,
    /// With --store cache: size of the cache in states: 50k, 2M [default: what fits into --mem, or 4M]
    #[arg(long, value_name = "N", value_parser = parse_slots)]
    pub cache_states: Option<u32>,
    /// With --store cache: replace a state after N collisions
    #[arg(long, value_name = "N", default_value_t = Tolerance::default().collisions)]
    pub cache_collisions: u32,
    /// With --store cache: stop as inconclusive after N probes that find no replaceable state
    #[arg(long, value_name = "N", default_value_t = Tolerance::default().probes)]
    pub cache_probes: u32,
    /// With --store bitstate: size of the bit array, 2^N bits; with --swarm, of each search [default: 3/4 of --mem, or
    /// 1 GiB]
    #[arg(short = 'w', long = "bits", value_name = "N", value_parser = clap::value_parser!(u8).range(BITS))]
    pub bits: Option<u8>,
    /// With --store bitstate: number of hash functions, bits set per state [default: 3]
    #[arg(short = 'k', long = "hashes", value_name = "N", value_parser = clap::value_parser!(u8).range(1..=64))]
    pub hashes: Option<u8>,
    /// With --store hash: bits of the hash stored per state, 8 to 64 [default: 48]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(HASH_BITS))]
    pub hash_bits: Option<u8>,
    /// With --store hash or bitstate: seed of the hash functions; other seeds omit other states
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub hash_seed: u64,
    /// Swarm verification: N bitstate searches, one per core at a time, with different hash functions and search orders
    /// [default N: as many as --timeout allows, or two per thread and at least 8]
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, value_parser = clap::value_parser!(u64).range(1..))]
    pub swarm: Option<Option<u64>>,
}

const BITS: std::ops::RangeInclusive<i64> = Bits::LEAST as i64..=Bits::MOST as i64;
const HASH_BITS: std::ops::RangeInclusive<i64> = HashStore::LEAST as i64..=HashStore::MOST as i64;

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Store {
    /// Exact until memory runs low, then tree compression
    Auto,
    /// Complete states
    Exact,
    /// Tree compression
    Tree,
    /// State caching
    Cache,
    /// Hash compaction
    Hash,
    /// Bitstate hashing
    Bitstate,
}

fn parse_slots(text: &str) -> Result<u32, String> {
    let n = parse_count(text)?;
    u32::try_from(n)
        .ok()
        .filter(|n| (1..=u32::MAX / 2).contains(n))
        .ok_or_else(|| format!("{n} is not within 1 and 2^31"))
}

impl Storing {
    /// What can't be used together.
    pub fn complaint(&self, search: Option<super::Order>) -> Option<&'static str> {
        if self.swarm.is_some() && self.store() != Store::Bitstate {
            return Some("--swarm uses bitstate stores: leave out --store");
        }
        if self.lossy && self.store() != Store::Auto {
            return Some("--lossy goes with --store auto; otherwise choose --store bitstate");
        }
        if !self.forgets() {
            return None;
        }
        if search == Some(super::Order::Bfs) {
            return Some(
                "--store cache needs --search dfs: what is replaced must not be waiting, and the stack is not",
            );
        }
        (self.cache_collisions > self.cache_probes)
            .then_some("--cache-collisions must not be more than --cache-probes: after these it gives up")
    }

    /// Whether it may forget states.
    pub fn forgets(&self) -> bool {
        self.store() == Store::Cache
    }

    /// Whether only what has happened can be judged, not what goes on for ever.
    pub fn is_for_safety(&self) -> bool {
        self.is_lossy() || self.forgets()
    }

    fn tolerance(&self) -> Tolerance {
        Tolerance { collisions: self.cache_collisions, probes: self.cache_probes }
    }

    fn store(&self) -> Store {
        self.store.unwrap_or(if self.swarm.is_some() { Store::Bitstate } else { Store::Auto })
    }

    pub fn is_lossy(&self) -> bool {
        matches!(self.store(), Store::Hash | Store::Bitstate)
    }

    /// How many searches to make, if it is not just one, with so many threads.
    pub fn searches(&self, timed: bool, threads: u64) -> Option<u64> {
        self.swarm.map(|searches| match searches {
            Some(searches) => searches,
            None if timed => u64::MAX,
            None => 2 * threads.max(4),
        })
    }

    /// What this means, where the user has left so much memory, or where there is so much, for so many at a time.
    pub fn kind(&self, search: Option<super::Order>, left: Option<u64>, there: Option<u64>, parts: u64) -> StoreKind {
        match self.store() {
            Store::Auto => StoreKind::Auto,
            Store::Exact => StoreKind::Exact,
            Store::Tree => StoreKind::Tree,
            Store::Cache => {
                let states = self.cache_states.or(left.is_none().then_some(USUAL_CACHE));
                StoreKind::Cache(CacheSize { states, tolerance: self.tolerance() })
            }
            Store::Hash => StoreKind::Hash { bits: self.hash_bits.unwrap_or(HashStore::BITS) },
            Store::Bitstate => {
                // States that wait are packed in a stack, and in full in a queue.
                let quarters = if search == Some(super::Order::Bfs) { 2 } else { 3 };
                let share = |memory: u64| memory / 4 * quarters / parts;
                let bytes = left.map(share).unwrap_or_else(|| there.map_or(USUAL, share).min(USUAL));
                let hashes = self.hashes.unwrap_or(Bits::HASHES);
                StoreKind::Bitstate(match self.bits {
                    Some(bits) => Bits::power(bits, hashes),
                    None => Bits::within(bytes, hashes),
                })
            }
        }
    }
}
