//! How the memory of a device is divided.

use crate::source::ModelText;

/// Bytes of a bucket of the table.
pub(crate) const BUCKET: u64 = 32;

/// Beyond this size of a table random accesses to all of it are several times slower, since the device has no address translations at hand. A
/// level is then expanded in passes, each of which inserts the states of one part of the table.
const ONE_PASS: u64 = 64 << 30;

/// The part of the memory for lists of states between host and device.
const LISTS: u64 = 64;

/// The most keys of such a list.
const MOST_LISTED: u64 = 1 << 22;

/// The part of the memory for the two queues of places in a search for cycles, and bytes of a place there.
const QUEUES: u64 = 16;
const QUEUED: u64 = 8;

/// Bytes of the mark of a place in a search for cycles.
pub(crate) const MARK: u64 = 4;

/// The parts of the memory of a device, in order: counters, the list of states for the host, the first table if there is one, the table, the
/// ring, the list of states from the host, and in a search for cycles the marks of places and two queues.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryPlan {
    /// Bytes of all parts.
    pub bytes: u64,
    /// The number of buckets of the table.
    pub buckets: u64,
    /// The number of buckets of a table that a search begins with, or 0: it is sooner cleared, and faster.
    pub first_buckets: u64,
    /// The number of keys in the ring.
    pub ring_size: u64,
    /// The number of keys in each list.
    pub listed: u64,
    /// The number of words of a key.
    pub key_words: usize,
    /// Whether the table itself has the keys.
    pub keys_in_table: bool,
    /// The number of passes over a level.
    pub passes: u64,
    /// The number of places in each queue of a search for cycles; 0 in other searches.
    pub queued: u64,
}

/// The first table is so many times smaller than the table of the same plan.
const FIRST: u64 = 32;

/// The part of the slots of the first table that may be used before a search takes the other one, and that of the other one before it takes
/// more memory, which takes longer.
const FIRST_PERCENT: u64 = 75;
const GROWS_PERCENT: u64 = 90;

/// A search begins with a part of the memory, since taking and using much takes longer, and takes more when it is full.
const STAGES: [u64; 2] = [12 << 30, 48 << 30];
const LONG_STAGES: [u64; 2] = [24 << 30, 56 << 30];

/// The part of the slots of a table that a search can rely on.
const FILLED_PERCENT: u64 = 85;

/// Bytes for the counters.
pub(crate) const COUNTER_BYTES: u64 = 512;

impl MemoryPlan {
    /// Divides so many bytes. Nothing if they are too few for any search.
    ///
    /// If the table has the keys, the ring needs room for two levels. Otherwise it holds all keys, and the table has an entry of eight bytes for
    /// each, a tenth of which is empty.
    pub fn new(bytes: u64, model: &ModelText, swaps_128_bits: bool) -> Option<MemoryPlan> {
        MemoryPlan::with_first(bytes, model, swaps_128_bits, false)
    }

    /// Divides so many bytes, with a first table or without one.
    fn with_first(bytes: u64, model: &ModelText, swaps_128_bits: bool, has_first: bool) -> Option<MemoryPlan> {
        let (key_words, keys_in_table) = (model.key_words(), model.keys_in_table(swaps_128_bits));
        let key = 8 * key_words as u64;
        let listed = (bytes / LISTS / key).clamp(16, MOST_LISTED);
        let queued = if model.cycles { (bytes / QUEUES / (2 * QUEUED)).max(16) } else { 0 };
        let rest = bytes.checked_sub(COUNTER_BYTES + 2 * listed * key + 2 * queued * QUEUED + 8 * 256)?;
        let mark = if model.cycles { MARK } else { 0 };
        // A slot of the table, or a key of the ring, has a mark. The first table is a part of what the table would have.
        let buckets = match keys_in_table {
            true => rest / 8 * 7 / (BUCKET + BUCKET / key * mark),
            false => rest / ((key + mark) * 9 + 80) * 80 / BUCKET,
        };
        let first_buckets = if has_first && !model.cycles { buckets / FIRST } else { 0 };
        let (buckets, rest) = (buckets - first_buckets, rest - first_buckets * BUCKET);
        let (table, slots) = (buckets * BUCKET, buckets * BUCKET / key);
        let ring_size = match keys_in_table {
            true => (rest - table - slots * mark) / key,
            false => (rest - table) / (key + mark),
        };
        let passes = (table + slots * mark).div_ceil(ONE_PASS);
        let plan =
            MemoryPlan { bytes, buckets, first_buckets, ring_size, listed, key_words, keys_in_table, passes, queued };
        (buckets >= 16 && ring_size >= 64).then_some(plan)
    }

    /// The number of places of keys: slots of the table, or positions in the ring.
    pub(crate) fn places(&self) -> u64 {
        if self.keys_in_table { self.buckets * BUCKET / self.key_bytes() } else { self.ring_size }
    }

    /// Bytes of the marks of all places, whole words.
    pub(crate) fn mark_bytes(&self) -> u64 {
        if self.queued == 0 { 0 } else { (self.places() * MARK).next_multiple_of(8) }
    }

    /// Bytes of a queue.
    pub(crate) fn queue_bytes(&self) -> u64 {
        self.queued * QUEUED
    }

    /// The plans of a search with at most so many bytes, in order. There is none if they are too few.
    pub fn stages(bytes: u64, model: &ModelText, swaps_128_bits: bool) -> Vec<MemoryPlan> {
        // Longer keys have buckets of fewer slots, in which a key is found soon if many are empty.
        let stages = if model.key_words() == 1 { STAGES } else { LONG_STAGES };
        let smaller = stages.into_iter().filter(|stage| *stage < bytes / 2);
        let plan = |(number, bytes)| MemoryPlan::with_first(bytes, model, swaps_128_bits, number == 0);
        smaller.chain([bytes]).enumerate().filter_map(plan).collect()
    }

    /// The number of keys that may be stored in a table of so many buckets before a search takes a larger one.
    pub(crate) fn enough(&self, buckets: u64) -> u64 {
        let percent = if buckets == self.buckets { GROWS_PERCENT } else { FIRST_PERCENT };
        let slots = buckets * BUCKET / self.slot_bytes() * percent / 100;
        if self.keys_in_table { slots } else { slots.min(self.ring_size) }
    }

    /// Bytes of a slot of the table: a key, or an entry that refers to one.
    pub(crate) fn slot_bytes(&self) -> u64 {
        if self.keys_in_table { self.key_bytes() } else { 8 }
    }

    /// The number of states that the device can hold: a fuller table may count as full, since a search for an empty slot is given up some time.
    pub fn most_states(&self) -> u64 {
        let slots = self.buckets * BUCKET / self.slot_bytes();
        let most = slots * FILLED_PERCENT / 100;
        if self.keys_in_table { most } else { most.min(self.ring_size) }
    }

    pub(crate) fn key_bytes(&self) -> u64 {
        8 * self.key_words as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(bits: u32) -> ModelText {
        ModelText { text: String::new(), words: bits.div_ceil(64) as usize, bits, cycles: false }
    }

    #[test]
    fn parts_fit() {
        for bits in [1, 63, 64, 127, 128, 255] {
            for shift in 14..38 {
                for number in 0..8 {
                    let (swaps, cycles, has_first) = (number & 1 != 0, number & 2 != 0, number & 4 != 0);
                    let (bytes, model) = ((1_u64 << shift) + 12_345, ModelText { cycles, ..model(bits) });
                    let Some(plan) = MemoryPlan::with_first(bytes, &model, swaps, has_first) else {
                        assert!(shift < 16, "{bits} bits in {bytes} bytes");
                        continue;
                    };
                    assert_eq!(plan.first_buckets > 0, has_first && !cycles, "{plan:?}");
                    let lists = 2 * plan.listed * plan.key_bytes() + plan.mark_bytes() + 2 * plan.queue_bytes();
                    let tables = (plan.first_buckets + plan.buckets) * BUCKET;
                    let sum = COUNTER_BYTES + tables + plan.ring_size * plan.key_bytes() + lists;
                    assert!(sum + 8 * 255 <= bytes, "{plan:?}");
                    assert_eq!(plan.mark_bytes() > 0, cycles);
                    assert!(sum > bytes / 10 * 9, "{plan:?}");
                }
            }
        }
    }

    #[test]
    fn not_all_slots_are_promised() {
        for (bits, swaps, slot) in [(63, false, 8), (100, true, 16), (100, false, 8), (200, true, 8)] {
            let plan = MemoryPlan::new(1 << 30, &model(bits), swaps).expect("enough memory");
            let slots = plan.buckets * BUCKET / slot;
            assert!((84..=85).contains(&(plan.most_states() * 100 / slots)), "{bits} bits: {plan:?}");
            assert!(plan.keys_in_table || plan.most_states() <= plan.ring_size, "{bits} bits: {plan:?}");
        }
    }

    #[test]
    fn large_tables_have_passes() {
        let passes = |gib: u64| MemoryPlan::new(gib << 30, &model(60), true).map(|plan| plan.passes);
        assert_eq!((passes(32), passes(130)), (Some(1), Some(2)));
        let stages = MemoryPlan::stages(130 << 30, &model(60), true);
        assert_eq!(stages.iter().map(|plan| plan.bytes >> 30).collect::<Vec<_>>(), [12, 48, 130]);
        assert_eq!(MemoryPlan::stages(1 << 20, &model(60), true).len(), 1);
        assert_eq!(MemoryPlan::stages(100, &model(60), true).len(), 0);
    }
}
