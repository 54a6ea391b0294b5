//! The word store: states of one word in a compact hash set.
//!
//! A state of at most 63 bits is its own id. The [table](super::word_table) stores only the bits that the place of
//! a slot does not tell, and no other data: no arena, and one memory access for each state that is looked up. The open
//! states are the words in the queue.

use kripke_model::Batch;

use super::memory_quota::{Allowance, MemoryQuota};
use super::queue::Pieces;
use super::resize_barrier::{ResizeBarrier, SharedAccess};
use super::table::Refusal;
use super::table_segments::UnreportedCounts;
use super::word_table::{WordHash, WordTable};
use super::{Capacity, Full, Handle, Omission, Seen, StateId, Store};

/// States interned between two tests whether the table has to grow.
const WINDOW: usize = 64;

/// Keeps states of eight bytes, as one number each. It is exact and grows on demand.
#[derive(Debug)]
pub struct WordStore {
    barrier: ResizeBarrier,
    table: WordTable,
    quota: MemoryQuota,
}

impl WordStore {
    /// The most bits of a state.
    pub const MAX_BITS: u32 = 63;

    /// A store of states with so many bits, at most 63, for this number of workers.
    pub fn new(bits: u32, capacity: Capacity, workers: usize) -> WordStore {
        let table = WordTable::new(bits, workers);
        let quota = MemoryQuota::new(capacity, workers, table.bytes());
        WordStore { barrier: ResizeBarrier::new(), table, quota }
    }

    #[cold]
    fn grow(&self, access: &mut SharedAccess<'_>) -> Result<(), Full> {
        let WordStore { table, quota, .. } = self;
        let planned = access.resize(
            |exclusive| table.plan(exclusive, |bytes| quota.reserve(bytes)),
            |exclusive| table.grow(exclusive, |bytes| quota.release(bytes)),
        );
        if planned { Ok(()) } else { Err(Full::Memory) }
    }
}

impl Store for WordStore {
    type Handle<'a> = WordHandle<'a>;
    type Queue = Pieces;

    fn handle(&self) -> WordHandle<'_> {
        WordHandle {
            store: self,
            access: None,
            allowance: self.quota.allowance(),
            unreported: self.table.unreported(),
            hashes: Vec::new(),
        }
    }

    fn len(&self) -> u64 {
        self.quota.states()
    }

    fn longest(&self) -> u64 {
        self.quota.longest()
    }

    fn bytes(&self) -> u64 {
        self.table.bytes() + self.quota.bytes()
    }

    fn omission(&self) -> Omission {
        Omission::Exact
    }
}

/// The access of one worker to a word store.
#[derive(Debug)]
pub struct WordHandle<'a> {
    store: &'a WordStore,
    access: Option<SharedAccess<'a>>,
    allowance: Allowance<'a>,
    unreported: UnreportedCounts,
    /// The states of the batch that is interned next, and their hashes.
    hashes: Vec<(u64, WordHash)>,
}

impl<'a> WordHandle<'a> {
    #[inline(always)]
    fn intern_window(
        &mut self,
        access: &mut SharedAccess<'a>,
        window: &[(u64, WordHash)],
        each: &mut impl FnMut(Seen),
    ) -> Result<(), Full> {
        if access.resize_is_requested() {
            self.store.grow(access)?;
        }
        let table = &self.store.table;
        for &(word, hash) in window {
            let new = loop {
                match table.add(hash, access, &mut self.unreported, || self.allowance.check(0)) {
                    Ok(new) => break new,
                    Err(Refusal::Full(full)) => return Err(full),
                    Err(Refusal::SegmentFull) => {
                        access.request_resize();
                        self.store.grow(access)?;
                    }
                }
            };
            if new {
                self.allowance.spend(8, 0);
            }
            each(Seen { id: StateId(word), new });
        }
        Ok(())
    }

    fn access(&self) -> &SharedAccess<'a> {
        self.access.as_ref().expect("a handle enters before it is used")
    }
}

impl Handle for WordHandle<'_> {
    fn enter(&mut self) {
        if self.access.is_none() {
            self.access = Some(self.store.barrier.enter());
        }
    }

    fn leave(&mut self) {
        self.access = None;
    }

    #[inline]
    fn prefetch(&mut self, batch: &Batch) {
        let (table, access) = (&self.store.table, self.access.as_ref().expect("a handle enters before it is used"));
        self.hashes.extend(batch.words_from(self.hashes.len()).map(|word| {
            let hash = table.hash(word);
            table.prefetch(hash, access);
            (word, hash)
        }));
    }

    fn intern(&mut self, batch: &Batch, _: &[usize], mut each: impl FnMut(Seen)) -> Result<(), Full> {
        self.prefetch(batch);
        let mut access = self.access.take().expect("a handle enters before it interns");
        let mut hashes = std::mem::take(&mut self.hashes);
        let mut done = Ok(());
        for window in hashes.chunks(WINDOW) {
            done = done.and_then(|()| self.intern_window(&mut access, window, &mut each));
        }
        hashes.clear();
        self.hashes = hashes;
        self.access = Some(access);
        self.allowance.publish();
        done
    }

    fn fetch(&mut self, id: StateId, into: &mut Vec<u8>) {
        into.clear();
        into.extend_from_slice(&id.0.to_le_bytes());
    }

    fn is_visited(&self, id: StateId) -> bool {
        self.store.table.is_visited(self.store.table.hash(id.0), self.access())
    }

    fn visit(&mut self, id: StateId) {
        self.store.table.visit(self.store.table.hash(id.0), self.access());
    }
}
