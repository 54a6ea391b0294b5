//! Larger tables in the middle of a search.
//!
//! A search begins with the first table of its plan, which is cleared sooner. When many slots are used, the keys move to the table of the plan,
//! and then to that of a larger plan, if the device has memory for both. Otherwise the search begins again, as does one for cycles, whose
//! marks belong to places of the table.
//!
//! A table may be full before a level has ended. All keys that were inserted are then in the ring, too, so after the move the level is expanded
//! once more: successors that are stored are not new. That is not so if the ring is full and the table has the keys: a key may
//! be in the table alone.

use kripke_search::AcceleratorFailure;

use crate::device::{Address, Device, DeviceError, Kernel, Parameters};
use crate::explorer::{Counters, Explorer, NOT_STORED, RING_FULL, lay_out, lost};
use crate::memory_plan::BUCKET;

impl<D: Device> Explorer<D> {
    /// Whether the table is the first one of its plan.
    fn has_first_table(&self) -> bool {
        self.base.buckets != self.plan.buckets
    }

    /// Whether there may be a larger table.
    fn can_grow(&self) -> bool {
        self.plan.queued == 0 && (self.has_first_table() || self.has_more_memory && !self.larger.is_empty())
    }

    /// The number of keys that may be stored before the table grows.
    pub(crate) fn room_before_growth(&self) -> u64 {
        match self.can_grow() {
            true => self.plan.enough(self.base.buckets).saturating_sub(self.level().end()),
            false => u64::MAX,
        }
    }

    /// The number of places of a level whose successors have room in the ring before it grows.
    pub(crate) fn places_before_growth(&self) -> u64 {
        if self.can_grow() && self.plan.keys_in_table { self.plan.ring_size * 2 / 5 } else { u64::MAX }
    }

    /// Grows before the last level is expanded, if its successors may be too many.
    pub(crate) fn make_room(&mut self) -> Result<(), AcceleratorFailure> {
        let expected = self.level().places * 3 / 2;
        while self.can_grow() && (expected > self.room_before_growth() || expected > self.room()) {
            if !self.grow_with_states(0)? {
                break;
            }
        }
        Ok(())
    }

    /// Grows after the table was full in the middle of a level. The counters are then those of the keys that were appended.
    pub(crate) fn grow_in_level(&mut self) -> Result<(), AcceleratorFailure> {
        let Counters { appended, holes, full, .. } = self.counters;
        let appended = appended.min(self.room());
        let is_known = full < NOT_STORED && !(self.plan.keys_in_table && full & RING_FULL != 0);
        if !is_known || !self.grow_with_states(appended)? {
            return self.check_full(full);
        }
        self.reset_counters(appended, holes)
    }

    /// Moves all keys to a larger table, with so many keys behind the last level. Returns false if there is no larger one.
    fn grow_with_states(&mut self, appended: u64) -> Result<bool, AcceleratorFailure> {
        if !self.can_grow() {
            return Ok(false);
        }
        let end = self.level().end() + appended;
        if self.has_first_table() {
            let (from, slots) = (self.base.table, self.base.buckets * BUCKET / self.plan.slot_bytes());
            self.take_whole_table();
            return self.move_keys(from, slots, end).map(|()| true);
        }
        match self.device.allocate(self.larger[0].bytes) {
            Ok(memory) => self.move_all(memory, end).map(|()| true),
            Err(DeviceError::OutOfMemory(_)) => {
                self.has_more_memory = false;
                Ok(false)
            }
            Err(error) => Err(lost(error)),
        }
    }

    /// Goes on from the first table of the plan to the other one, which is behind it.
    fn take_whole_table(&mut self) {
        if self.has_first_table() {
            self.base.table = (self.base.table + self.base.buckets * BUCKET).next_multiple_of(256);
            self.base.buckets = self.plan.buckets;
        }
    }

    /// Moves everything to the memory of the next plan.
    fn move_all(&mut self, memory: Address, end: u64) -> Result<(), AcceleratorFailure> {
        let (old, before, plan) = (self.base, self.plan, self.larger.remove(0));
        let old_memory = std::mem::replace(&mut self.memory, memory);
        (self.base, self.plan) = (lay_out(&plan, memory), plan);
        self.take_whole_table();
        let listed = self.left.listed.min(before.listed) * plan.key_bytes();
        self.device.copy(old.left, self.base.left, listed).map_err(lost)?;
        self.copy_ring(old.ring, before.ring_size, end)?;
        self.move_keys(old.table, old.buckets * BUCKET / before.slot_bytes(), end)?;
        self.device.free(old_memory).map_err(lost)
    }

    /// Copies the keys of the ring. A position is the same in a larger ring, modulo another size.
    fn copy_ring(&mut self, from: Address, size: u64, end: u64) -> Result<(), AcceleratorFailure> {
        self.oldest = self.oldest.max(end.saturating_sub(size));
        let (key, mut at) = (self.plan.key_bytes(), self.oldest);
        while at < end {
            let (old, new) = (at % size, at % self.plan.ring_size);
            let count = (end - at).min(size - old).min(self.plan.ring_size - new);
            self.device.copy(from + old * key, self.base.ring + new * key, count * key).map_err(lost)?;
            at += count;
        }
        Ok(())
    }

    /// Moves keys to the table, which has none: those in so many slots of another table, or those before this position of the ring if the
    /// table refers to it.
    fn move_keys(&mut self, from: Address, slots: u64, end: u64) -> Result<(), AcceleratorFailure> {
        self.device.clear(self.base.table, self.base.buckets * BUCKET).map_err(lost)?;
        self.reset_counters(0, 0)?;
        let (from_count, passes) = (if self.plan.keys_in_table { slots } else { end }, self.plan.passes);
        for pass in 0..passes {
            let parameters = Parameters { from, from_count, passes, pass, ..self.parameters(self.level()) };
            self.device.launch(Kernel::MoveKeys, from_count, &parameters).map_err(lost)?;
        }
        self.read_counters()?;
        self.check_full(self.counters.full)
    }
}
