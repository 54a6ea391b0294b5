//! The store of visited states.

use clap::Args;
use kripke::request::StoreKind;
use kripke_report::number::parse_count;
use kripke_search::store::{Bits, HashStore};

/// The store of visited states.
#[derive(Args, Clone, Debug)]
pub struct Storing {
    /// Store of visited states: states of one or two words in a compact hash table (words), if they have at most 127 bits;
    /// complete states (exact); tree compression (tree), less memory but slower; words if states have at most 64 bits, or
    /// exact and then tree when memory runs low (auto); state caching in bounded memory (cache), which revisits replaced states; hash compaction (hash) and bitstate
    /// hashing (bitstate), which may omit states and so cannot prove a property [default: auto]
    #[arg(long, value_name = "auto|words|exact|tree|cache|hash|bitstate", value_parser = parse_store)]
    pub store: Option<StoreKind>,
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
    /// With --store cache: replace a state after N collisions [default: 100]
    #[arg(long, value_name = "N")]
    pub cache_collisions: Option<u32>,
    /// With --store cache: stop as inconclusive after N probes that find no replaceable state [default: 200]
    #[arg(long, value_name = "N")]
    pub cache_probes: Option<u32>,
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
    /// With --store hash or bitstate: seed of the hash functions; other seeds omit other states [default: 0]
    #[arg(long, value_name = "N")]
    pub hash_seed: Option<u64>,
    /// Swarm verification: N bitstate searches, one per core at a time, with different hash functions and search orders
    /// [default N: as many as --timeout allows, or two per thread and at least 8]
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, value_parser = clap::value_parser!(u64).range(1..))]
    pub swarm: Option<Option<u64>>,
}

const BITS: std::ops::RangeInclusive<i64> = Bits::LEAST as i64..=Bits::MOST as i64;
const HASH_BITS: std::ops::RangeInclusive<i64> = HashStore::LEAST as i64..=HashStore::MOST as i64;

/// The store with a name.
fn parse_store(text: &str) -> Result<StoreKind, String> {
    let names = || StoreKind::all().map(StoreKind::word).join(", ");
    StoreKind::named(text).ok_or_else(|| format!("possible values: {}", names()))
}

fn parse_slots(text: &str) -> Result<u32, String> {
    let n = parse_count(text)?;
    u32::try_from(n)
        .ok()
        .filter(|n| (1..=u32::MAX / 2).contains(n))
        .ok_or_else(|| format!("{n} is not within 1 and 2^31"))
}
