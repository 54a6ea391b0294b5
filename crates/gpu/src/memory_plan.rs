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

/// The parts of the memory of a device, in order: counters, table, ring, the list of states for the host, the list of states from the host, and
/// in a search for cycles the marks of places and two queues.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryPlan {
    /// Bytes of all parts.
    pub bytes: u64,
    /// The number of buckets of the table.
    pub buckets: u64,
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

/// A search begins with a part of the memory, since clearing and using much takes longer, and takes more when it is full.
const STAGES: [u64; 2] = [12 << 30, 48 << 30];

/// The part of the slots of a table that a search can rely on.
const FILLED_PERCENT: u64 = 85;

/// Bytes for the counters.
pub(crate) const COUNTER_BYTES: u64 = 256;

impl MemoryPlan {
    /// Divides so many bytes. Nothing if they are too few for any search.
    ///
    /// If the table has the keys, the ring needs room for two levels. Otherwise it holds all keys, and the table has an entry of eight bytes for
    /// each, a tenth of which is empty.
    pub fn new(bytes: u64, model: &ModelText, swaps_128_bits: bool) -> Option<MemoryPlan> {
        let (key_words, keys_in_table) = (model.key_words(), model.keys_in_table(swaps_128_bits));
        let key = 8 * key_words as u64;
        let listed = (bytes / LISTS / key).clamp(16, MOST_LISTED);
        let queued = if model.cycles { (bytes / QUEUES / (2 * QUEUED)).max(16) } else { 0 };
        let rest = bytes.checked_sub(COUNTER_BYTES + 2 * listed * key + 2 * queued * QUEUED + 8 * 256)?;
        let mark = if model.cycles { MARK } else { 0 };
        // A slot of the table, or a key of the ring, has a mark.
        let buckets = match keys_in_table {
            true => rest / 8 * 7 / (BUCKET + BUCKET / key * mark),
            false => rest / ((key + mark) * 9 + 80) * 80 / BUCKET,
        };
        let (table, slots) = (buckets * BUCKET, buckets * BUCKET / key);
        let ring_size = match keys_in_table {
            true => (rest - table - slots * mark) / key,
            false => (rest - table) / (key + mark),
        };
        let passes = (table + slots * mark).div_ceil(ONE_PASS);
        let plan = MemoryPlan { bytes, buckets, ring_size, listed, key_words, keys_in_table, passes, queued };
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
        let smaller = STAGES.into_iter().filter(|stage| *stage < bytes / 2);
        smaller.chain([bytes]).filter_map(|bytes| MemoryPlan::new(bytes, model, swaps_128_bits)).collect()
    }

    /// The number of states that the device can hold: a fuller table may count as full, since a search for an empty slot is given up some time.
    pub fn most_states(&self) -> u64 {
        let slots = self.buckets * BUCKET / if self.keys_in_table { 8 * self.key_words as u64 } else { 8 };
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
                for (swaps, cycles) in [(false, false), (true, false), (false, true), (true, true)] {
                    let bytes = (1_u64 << shift) + 12_345;
                    let Some(plan) = MemoryPlan::new(bytes, &ModelText { cycles, ..model(bits) }, swaps) else {
                        assert!(shift < 16, "{bits} bits in {bytes} bytes");
                        continue;
                    };
                    let lists = 2 * plan.listed * plan.key_bytes() + plan.mark_bytes() + 2 * plan.queue_bytes();
                    let sum = COUNTER_BYTES + plan.buckets * BUCKET + plan.ring_size * plan.key_bytes() + lists;
                    assert!(sum + 7 * 255 <= bytes, "{plan:?}");
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
