//! How states are kept.

use clap::{Args, ValueEnum};
use kripke::request::StoreName;
use kripke_report::number::parse_count;
use kripke_search::store::{Bits, HashStore};

/// How states are kept.
#[derive(Args, Clone, Debug)]
pub struct Storing {
    /// Keep states in full (exact), as trees that share their parts (a fraction of the memory, slower), or in full until
    /// memory gets tight and from then on as trees (auto). In bounded memory (cache) states replace each other, and are
    /// visited again where need be. With a hash of each state (hash) or a few bits (bitstate) some states
    /// may be missed: that finds errors, but proves nothing [default: auto]
    #[arg(long, value_enum, value_name = "auto|exact|tree|cache|hash|bitstate", hide_possible_values = true)]
    pub store: Option<Store>,
    /// With --store auto: when trees do not fit, either, go on with hashes as --store hash, and then with bits as --store
    /// bitstate; some states may then be missed
    #[arg(long)]
    pub lossy: bool,
    /// Change over from full states to trees at so many states, however much memory there is
    #[arg(long, value_name = "N", value_parser = parse_count, hide = true)]
    pub change_at: Option<u64>,
    /// With --store cache: room for N states: 50k, 2M [default: as many as fit into --mem, or 4M]
    #[arg(long, value_name = "N", value_parser = parse_slots)]
    pub cache_states: Option<u32>,
    /// With --store cache: replace a state after N collisions [default: 100]
    #[arg(long, value_name = "N")]
    pub cache_collisions: Option<u32>,
    /// With --store cache: give up after N collisions with states of the search stack, or with any [default: 200]
    #[arg(long, value_name = "N")]
    pub cache_probes: Option<u32>,
    /// With --store bitstate: 2^N bits in all, or for each search of a swarm [default: three quarters of
    /// --mem, or 1 GiB if that is not given]
    #[arg(short = 'w', long = "bits", value_name = "N", value_parser = clap::value_parser!(u8).range(BITS))]
    pub bits: Option<u8>,
    /// With --store bitstate: N bits for each state [default: 3]
    #[arg(short = 'k', long = "hashes", value_name = "N", value_parser = clap::value_parser!(u8).range(1..=64))]
    pub hashes: Option<u8>,
    /// With --store hash: N bits for each state, 8 to 64 [default: 48]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(HASH_BITS))]
    pub hash_bits: Option<u8>,
    /// With --store hash or bitstate: hash differently, and so miss other states
    #[arg(long, value_name = "N")]
    pub hash_seed: Option<u64>,
    /// Many bitstate searches, one on each core at a time, each with other hashes and another order: N of them, or as many
    /// as there is time for (--timeout)
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, value_parser = clap::value_parser!(u64).range(1..))]
    pub swarm: Option<Option<u64>>,
}

const BITS: std::ops::RangeInclusive<i64> = Bits::LEAST as i64..=Bits::MOST as i64;
const HASH_BITS: std::ops::RangeInclusive<i64> = HashStore::LEAST as i64..=HashStore::MOST as i64;

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Store {
    /// In full until memory gets tight, then as trees
    Auto,
    /// In full
    Exact,
    /// As trees that share their parts
    Tree,
    /// In full, replacing each other
    Cache,
    /// By a hash
    Hash,
    /// By a few bits
    Bitstate,
}

fn parse_slots(text: &str) -> Result<u32, String> {
    let n = parse_count(text)?;
    u32::try_from(n)
        .ok()
        .filter(|n| (1..=u32::MAX / 2).contains(n))
        .ok_or_else(|| format!("{n} is not within 1 and 2^31"))
}

impl From<Store> for StoreName {
    fn from(store: Store) -> StoreName {
        match store {
            Store::Auto => StoreName::Auto,
            Store::Exact => StoreName::Exact,
            Store::Tree => StoreName::Tree,
            Store::Cache => StoreName::Cache,
            Store::Hash => StoreName::Hash,
            Store::Bitstate => StoreName::Bitstate,
        }
    }
}
