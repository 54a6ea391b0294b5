//! The exact store: a tag table and a packed arena.

use kripke_model::{Batch, State};

use super::arena::{Arena, ArenaWriter};
use super::memory_quota::{Allowance, MemoryQuota};
use super::migration::{DissolvedStore, VisitedBits};
use super::queue::Runs;
use super::reserved_memory::FillPattern;
use super::resize_barrier::{ResizeBarrier, SharedAccess};
use super::table::{Addition, Probe, Refusal, Table, Vacancy};
use super::table_segments::UnreportedCounts;
use super::{Capacity, Full, Handle, Omission, Seen, StateId, Store};

/// States whose memory accesses overlap: enough to hide the latency, few enough for their lines to stay in the cache.
const WINDOW: usize = 128;
const SEGMENTS: usize = if cfg!(shuttle) { 1 } else { 64 };
/// Lines in which all numbers find room.
const ROOM: usize = 12 << 20;

/// Keeps every state in full, at about twelve bytes more than its own length. Grows by itself.
#[derive(Debug)]
pub struct ExactStore {
    barrier: ResizeBarrier,
    table: Table,
    arena: Arena,
    quota: MemoryQuota,
    /// Bytes at the start of states that do not count.
    hidden_prefix: usize,
}

impl ExactStore {
    /// A store for so many workers.
    pub fn new(capacity: Capacity, workers: usize) -> ExactStore {
        let table = Table::new(SEGMENTS, ROOM, workers);
        let quota = MemoryQuota::new(capacity, workers, table.bytes());
        let (barrier, arena) = (ResizeBarrier::new(), Arena::new(FillPattern::Dense));
        ExactStore { barrier, table, arena, quota, hidden_prefix: 0 }
    }

    /// States that differ only in so many bytes at their start are one.
    #[must_use]
    pub fn with_hidden_prefix(self, bytes: usize) -> ExactStore {
        ExactStore { hidden_prefix: bytes, ..self }
    }

    /// Some states, evenly spread over all, in runs of such that were found one after the other. All handles must have
    /// left.
    pub(crate) fn sample(&self, one_of: usize, each: impl FnMut(&State)) {
        const RUN: usize = 256;
        let numbers = (0..self.arena.blocks()).flat_map(|block| self.arena.numbers(block));
        let chosen = numbers.enumerate().filter(|(i, _)| (i / RUN).is_multiple_of(one_of));
        chosen.map(|(_, number)| self.arena.get(number)).for_each(each);
    }

    /// Keeps only the states, to be moved elsewhere, and what was visited of them.
    pub(crate) fn dissolve(self, visited: VisitedBits) -> DissolvedStore {
        let bytes = self.quota.bytes();
        DissolvedStore::new(self.arena, visited, bytes)
    }

    /// Whether this is that state.
    #[inline(always)]
    fn is(&self, number: u32, state: &State) -> bool {
        let known = self.arena.get(number);
        if self.hidden_prefix == 0 {
            same(known, state)
        } else {
            known[self.hidden_prefix..] == state[self.hidden_prefix..]
        }
    }

    #[cold]
    fn grow(&self, access: &mut SharedAccess<'_>) -> Result<(), Full> {
        let ExactStore { table, quota, .. } = self;
        if access.resize(
            |exclusive| table.plan(exclusive, |bytes| quota.reserve(bytes)),
            |exclusive| table.grow(exclusive, |bytes| quota.release(bytes)),
        ) {
            Ok(())
        } else {
            Err(Full::Memory)
        }
    }
}

impl Store for ExactStore {
    type Handle<'a> = ExactHandle<'a>;
    type Queue = Runs;

    fn handle(&self) -> ExactHandle<'_> {
        ExactHandle {
            store: self,
            access: None,
            writer: ArenaWriter::new(&self.arena),
            allowance: self.quota.allowance(),
            unreported: self.table.unreported(),
            hashes: Vec::new(),
            visited: VisitedBits::default(),
        }
    }

    fn len(&self) -> u64 {
        self.quota.states()
    }

    fn longest(&self) -> u64 {
        self.quota.longest()
    }

    fn bytes(&self) -> u64 {
        self.table.bytes() + self.arena.bytes() + self.quota.bytes()
    }

    fn omission(&self) -> Omission {
        Omission::Exact
    }
}

/// A worker's access to an exact store.
#[derive(Debug)]
pub struct ExactHandle<'a> {
    store: &'a ExactStore,
    access: Option<SharedAccess<'a>>,
    writer: ArenaWriter<'a>,
    allowance: Allowance<'a>,
    unreported: UnreportedCounts,
    /// Of the states in the batch that is to be interned next.
    hashes: Vec<u64>,
    visited: VisitedBits,
}

impl<'a> ExactHandle<'a> {
    fn intern_all(
        &mut self,
        access: &mut SharedAccess<'a>,
        batch: &Batch,
        mut each: impl FnMut(Seen),
    ) -> Result<(), Full> {
        let mut hashes = std::mem::take(&mut self.hashes);
        let mut done = Ok(());
        for (window, hashes) in hashes.chunks(WINDOW).enumerate() {
            done = done.and_then(|()| self.intern_window(access, batch, window * WINDOW, hashes, &mut each));
        }
        hashes.clear();
        self.hashes = hashes;
        done
    }

    /// In stages, each of which finds in the cache what the one before has asked for.
    #[inline(always)]
    fn intern_window(
        &mut self,
        access: &mut SharedAccess<'a>,
        batch: &Batch,
        first: usize,
        hashes: &[u64],
        each: &mut impl FnMut(Seen),
    ) -> Result<(), Full> {
        if access.is_requested() {
            self.store.grow(access)?;
        }
        let ExactStore { table, arena, .. } = self.store;
        for &hash in hashes {
            table.prefetch(access, hash);
        }
        let mut probes = [Probe::VOID; WINDOW];
        let (mut further, mut count) = ([0; WINDOW], 0);
        for (i, &hash) in hashes.iter().enumerate() {
            let probe = table.probe(access, hash);
            arena.prefetch(probe.guess());
            probes[i % WINDOW] = probe;
            further[count % WINDOW] = i as u8;
            count += usize::from(probe.goes_on());
        }
        for &i in &further[..count] {
            let i = usize::from(i);
            probes[i % WINDOW] = table.probe_next(access, hashes[i]);
            arena.prefetch(probes[i % WINDOW].guess());
        }
        for (i, &hash) in hashes.iter().enumerate() {
            let state = batch.state(first + i);
            let probe = probes[i % WINDOW];
            let (number, new) = match probe.candidate() {
                Some(number) if self.store.is(number, state) => (number, false),
                None if let Some(vacancy) = probe.vacancy()
                    && let Some(added) = self.add_at(access, state, hash, vacancy)? =>
                {
                    added
                }
                _ => self.find_or_add(access, state, hash, &mut probes)?,
            };
            each(Seen { id: StateId(u64::from(number)), new });
        }
        Ok(())
    }

    /// Adds a state where there was room at the first look. None if something else is there now.
    #[inline(always)]
    fn add_at(
        &mut self,
        access: &SharedAccess<'a>,
        state: &State,
        hash: u64,
        at: Vacancy,
    ) -> Result<Option<(u32, bool)>, Full> {
        let store = self.store;
        Ok(match store.table.add_at(access, hash, at, || self.write(state))? {
            Addition::Made(number) => {
                self.keep(access, state, hash);
                Some((number, true))
            }
            Addition::Like(number) if store.is(number, state) => Some((number, false)),
            Addition::Like(_) | Addition::None => None,
        })
    }

    /// Looks again, and adds the state if it is not there. Probes are void when that makes the table grow.
    #[inline(never)]
    fn find_or_add(
        &mut self,
        access: &mut SharedAccess<'a>,
        state: &State,
        hash: u64,
        probes: &mut [Probe; WINDOW],
    ) -> Result<(u32, bool), Full> {
        let store = self.store;
        loop {
            match store.table.find_or_add(access, hash, |number| store.is(number, state), || self.write(state)) {
                Ok((number, new)) => {
                    if new {
                        self.keep(access, state, hash);
                    }
                    return Ok((number, new));
                }
                Err(Refusal::Full(full)) => return Err(full),
                Err(Refusal::SegmentFull) => {
                    access.request();
                    store.grow(access)?;
                    *probes = [Probe::VOID; WINDOW];
                }
            }
        }
    }

    /// Writes a state down, if there is room for it; its number is not taken yet.
    #[inline(always)]
    fn write(&mut self, state: &State) -> Result<u32, Full> {
        self.allowance.check(state.len() as u64)?;
        self.writer.write(state)
    }

    /// Keeps the state written last.
    #[inline(always)]
    fn keep(&mut self, access: &SharedAccess<'a>, state: &State, hash: u64) {
        self.writer.keep();
        self.allowance.spend(state.len() as u64, state.len() as u64);
        self.store.table.count(access, hash, &mut self.unreported);
    }
}

impl ExactHandle<'_> {
    /// Takes what this handle has visited along.
    pub(crate) fn into_visited(self) -> VisitedBits {
        self.visited
    }
}

impl Handle for ExactHandle<'_> {
    fn enter(&mut self) {
        if self.access.is_none() {
            self.access = Some(self.store.barrier.enter());
        }
    }

    fn leave(&mut self) {
        self.writer.publish();
        self.access = None;
    }

    fn open<'s>(&'s mut self, id: StateId, _: &'s mut Vec<u8>) -> &'s State {
        self.store.arena.get(id.number())
    }

    #[inline]
    fn prefetch(&mut self, batch: &Batch) {
        for state in batch.states_from(self.hashes.len()) {
            self.hashes.push(super::hash(&state[self.store.hidden_prefix..]));
        }
    }

    #[inline]
    fn intern(&mut self, batch: &Batch, _: &[usize], each: impl FnMut(Seen)) -> Result<(), Full> {
        self.prefetch(batch);
        let mut access = self.access.take().expect("a handle has entered when it interns");
        let interned = self.intern_all(&mut access, batch, each);
        self.access = Some(access);
        self.allowance.publish();
        interned
    }

    fn fetch(&mut self, id: StateId, into: &mut Vec<u8>) {
        into.clear();
        into.extend_from_slice(self.store.arena.get(id.number()));
    }

    #[inline]
    fn is_visited(&self, id: StateId) -> bool {
        self.visited.has(id.number())
    }

    fn visit(&mut self, id: StateId) {
        let more = self.visited.add(id.number());
        if more > 0 {
            self.allowance.overspend(more);
        }
    }
}

/// Whether two states are equal. Most are short, and for these that is faster than a call.
#[inline(always)]
fn same(a: &State, b: &State) -> bool {
    fn ends<const N: usize>(state: &State) -> Option<([u8; N], [u8; N])> {
        Some((*state.first_chunk()?, *state.last_chunk()?))
    }
    match a.len() {
        length if length != b.len() => false,
        0..8 => a == b,
        8..=16 => ends::<8>(a) == ends::<8>(b),
        17..=32 => ends::<16>(a) == ends::<16>(b),
        33..=64 => ends::<32>(a) == ends::<32>(b),
        _ => a == b,
    }
}
