//! The exact store: a hash table of tags and numbers, and an arena of packed states.
//!
//! States in words all have one length, which the store is told. For these the loops over a batch exist once for each number of words,
//! so that hashing, comparing and copying a state are a few instructions without branches.

use kripke_model::words::MAX_WORDS;
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

/// States interned together, so that their memory accesses overlap: enough to hide the latency, few enough for their
/// cache lines to stay in the cache.
const WINDOW: usize = 128;
const SEGMENTS: usize = if cfg!(shuttle) { 1 } else { 64 };
/// Lines per segment that hold all 32-bit numbers.
const ROOM: usize = 12 << 20;

/// Keeps every state in full, in about twelve bytes more than its length. It grows on demand.
#[derive(Debug)]
pub struct ExactStore {
    barrier: ResizeBarrier,
    table: Table,
    arena: Arena,
    quota: MemoryQuota,
    /// Length of the hidden prefix: bytes at the start of a state that are stored but not compared.
    hidden_prefix: usize,
    /// The number of words of every state, if states are words.
    words: Option<usize>,
}

impl ExactStore {
    /// A store for this number of workers.
    pub fn new(capacity: Capacity, workers: usize) -> ExactStore {
        let table = Table::new(SEGMENTS, ROOM, workers);
        let quota = MemoryQuota::new(capacity, workers, table.bytes());
        // The arena has no gaps, but huge pages pay only for several workers.
        let (barrier, arena) = (ResizeBarrier::new(), Arena::new(FillPattern::Sparse { workers }));
        ExactStore { barrier, table, arena, quota, hidden_prefix: 0, words: None }
    }

    /// A store that ignores so many bytes at the start of states when it compares them.
    #[must_use]
    pub fn with_hidden_prefix(self, bytes: usize) -> ExactStore {
        ExactStore { hidden_prefix: bytes, ..self }
    }

    /// A store of states in words of so many bits, if they are words: each has the same number of words.
    #[must_use]
    pub fn with_words(self, bits: Option<u32>) -> ExactStore {
        ExactStore { words: bits.map(|bits| bits.div_ceil(u64::BITS).max(1) as usize), ..self }
    }

    /// Calls `each` with one of `one_of` states, in runs of consecutive numbers spread evenly over the store. All
    /// handles must have left.
    pub(crate) fn sample(&self, one_of: usize, each: impl FnMut(&State)) {
        const RUN: usize = 256;
        let numbers = (0..self.arena.blocks()).flat_map(|block| self.arena.numbers(block));
        let chosen = numbers.enumerate().filter(|(i, _)| (i / RUN).is_multiple_of(one_of));
        chosen.map(|(_, number)| self.arena.get(number)).for_each(each);
    }

    /// Drops the hash table and keeps the states and their visited bits, to be moved to another store.
    pub(crate) fn dissolve(self, visited: VisitedBits) -> DissolvedStore {
        let bytes = self.quota.bytes();
        DissolvedStore::new(self.arena, visited, bytes)
    }

    /// Whether the state with this number equals `state`.
    #[inline(always)]
    fn is(&self, number: u32, state: &State) -> bool {
        let known = self.arena.get(number);
        if self.hidden_prefix == 0 {
            equal_states(known, state)
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
            found: Vec::new(),
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

/// The states of a batch that are interned together, from one on, and their hashes.
#[derive(Clone, Copy)]
struct Window<'b> {
    batch: &'b Batch,
    first: usize,
    hashes: &'b [u64],
}

/// How the states of a window are read, and compared with states of the store.
trait States<'b>: Copy {
    /// The states of a window.
    fn of(window: Window<'b>) -> Self;

    /// The state at a position of the window.
    fn state(self, at: usize) -> &'b State;

    /// Whether the state of the store with this number equals the state at a position.
    fn is(self, store: &ExactStore, number: u32, at: usize) -> bool;

    /// Prefetches a state of the store.
    fn prefetch(arena: &Arena, number: u32);
}

/// States of any length.
#[derive(Clone, Copy)]
struct AnyLength<'b>(Window<'b>);

impl<'b> States<'b> for AnyLength<'b> {
    #[inline(always)]
    fn of(window: Window<'b>) -> Self {
        AnyLength(window)
    }

    #[inline(always)]
    fn state(self, at: usize) -> &'b State {
        self.0.batch.state(self.0.first + at)
    }

    #[inline(always)]
    fn is(self, store: &ExactStore, number: u32, at: usize) -> bool {
        store.is(number, self.state(at))
    }

    #[inline(always)]
    fn prefetch(arena: &Arena, number: u32) {
        arena.prefetch(number);
    }
}

/// States of one length, without a hidden prefix.
#[derive(Clone, Copy)]
struct Chunks<'b, const LENGTH: usize>(&'b [[u8; LENGTH]]);

impl<'b, const LENGTH: usize> States<'b> for Chunks<'b, LENGTH> {
    #[inline(always)]
    fn of(window: Window<'b>) -> Self {
        Chunks(&window.batch.chunks_from(window.first)[..window.hashes.len()])
    }

    #[inline(always)]
    fn state(self, at: usize) -> &'b State {
        &self.0[at]
    }

    #[inline(always)]
    fn is(self, store: &ExactStore, number: u32, at: usize) -> bool {
        store.arena.get_as::<LENGTH>(number) == &self.0[at]
    }

    #[inline(always)]
    fn prefetch(arena: &Arena, number: u32) {
        arena.prefetch_as::<LENGTH>(number);
    }
}

/// The access of one worker to an exact store.
#[derive(Debug)]
pub struct ExactHandle<'a> {
    store: &'a ExactStore,
    access: Option<SharedAccess<'a>>,
    writer: ArenaWriter<'a>,
    allowance: Allowance<'a>,
    unreported: UnreportedCounts,
    /// Hashes of the states in the batch that is interned next.
    hashes: Vec<u64>,
    /// The numbers of the states in words that were interned last, and whether they are new.
    found: Vec<(u32, bool)>,
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
            let window = Window { batch, first: window * WINDOW, hashes };
            done = done.and_then(|()| match self.store.words {
                Some(words) => self.intern_words(access, window, words, &mut each),
                None => self.intern_window::<AnyLength<'_>>(access, window, |number, new| each(seen(number, new))),
            });
        }
        hashes.clear();
        self.hashes = hashes;
        done
    }

    /// Interns a window of states of so many words.
    #[inline(always)]
    fn intern_words(
        &mut self,
        access: &mut SharedAccess<'a>,
        window: Window<'_>,
        words: usize,
        each: &mut impl FnMut(Seen),
    ) -> Result<(), Full> {
        let done = match words {
            1 => self.intern_chunks::<8>(access, window),
            2 => self.intern_chunks::<16>(access, window),
            3 => self.intern_chunks::<24>(access, window),
            4 => self.intern_chunks::<32>(access, window),
            5 => self.intern_chunks::<40>(access, window),
            6 => self.intern_chunks::<48>(access, window),
            7 => self.intern_chunks::<56>(access, window),
            8 => self.intern_chunks::<64>(access, window),
            _ => unreachable!("a state has at most {MAX_WORDS} words"),
        };
        self.found.iter().for_each(|(number, new)| each(seen(*number, *new)));
        done
    }

    /// Interns a window of states of this length, and collects the results: the code exists once for all callers.
    #[inline(never)]
    fn intern_chunks<const LENGTH: usize>(
        &mut self,
        access: &mut SharedAccess<'a>,
        window: Window<'_>,
    ) -> Result<(), Full> {
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        let done = self.intern_window::<Chunks<'_, LENGTH>>(access, window, |number, new| found.push((number, new)));
        self.found = found;
        done
    }

    /// Interns a window of states in stages. Each stage finds in the cache what the stage before has prefetched.
    #[inline(always)]
    fn intern_window<'b, S: States<'b>>(
        &mut self,
        access: &mut SharedAccess<'a>,
        window: Window<'b>,
        mut each: impl FnMut(u32, bool),
    ) -> Result<(), Full> {
        if access.resize_is_requested() {
            self.store.grow(access)?;
        }
        let (ExactStore { table, arena, .. }, hashes, states) = (self.store, window.hashes, S::of(window));
        for &hash in hashes {
            table.prefetch(access, hash);
        }
        let mut probes = [Probe::VOID; WINDOW];
        let (mut further, mut count) = ([0; WINDOW], 0);
        for (i, &hash) in hashes.iter().enumerate() {
            let probe = table.probe(access, hash);
            S::prefetch(arena, probe.guess());
            probes[i % WINDOW] = probe;
            further[count % WINDOW] = i as u8;
            count += usize::from(probe.continues());
        }
        for &i in &further[..count] {
            let i = usize::from(i);
            probes[i % WINDOW] = table.probe_next(access, hashes[i]);
            S::prefetch(arena, probes[i % WINDOW].guess());
        }
        for (i, &hash) in hashes.iter().enumerate() {
            let state = states.state(i);
            let probe = probes[i % WINDOW];
            let (number, new) = match probe.candidate() {
                Some(number) if states.is(self.store, number, i) => (number, false),
                None if let Some(vacancy) = probe.vacancy()
                    && let Some(added) = self.add_at(access, state, hash, vacancy)? =>
                {
                    added
                }
                _ => self.find_or_add(access, state, hash, &mut probes)?,
            };
            each(number, new);
        }
        Ok(())
    }

    /// Adds a state at the slot that its probe found vacant. Returns none if another state has taken the slot.
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
            Addition::Added(number) => {
                self.keep(access, state, hash);
                Some((number, true))
            }
            Addition::SameTag(number) if store.is(number, state) => Some((number, false)),
            Addition::SameTag(_) | Addition::None => None,
        })
    }

    /// Looks a state up again and adds it if it is absent. All probes become void if the table is resized.
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
                    access.request_resize();
                    store.grow(access)?;
                    *probes = [Probe::VOID; WINDOW];
                }
            }
        }
    }

    /// Writes a state to the arena if the quota permits; its number is not used up yet.
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
    /// Hashes the states that were added to a batch, all of this length.
    #[inline(always)]
    fn hash_chunks<const LENGTH: usize>(&mut self, batch: &Batch) {
        let states = batch.chunks_from::<LENGTH>(self.hashes.len());
        self.hashes.extend(states.iter().map(|state| super::hash(state)));
    }

    /// The visited bits of this handle.
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

    fn open_all<'s>(&'s mut self, ids: &[StateId], _: &'s mut Vec<u8>) -> Vec<&'s State> {
        ids.iter().map(|id| self.store.arena.get(id.number())).collect()
    }

    #[inline]
    fn prefetch(&mut self, batch: &Batch) {
        match self.store.words {
            Some(3) => self.hash_chunks::<24>(batch),
            Some(4) => self.hash_chunks::<32>(batch),
            Some(5) => self.hash_chunks::<40>(batch),
            Some(6) => self.hash_chunks::<48>(batch),
            Some(7) => self.hash_chunks::<56>(batch),
            Some(8) => self.hash_chunks::<64>(batch),
            _ => {
                for state in batch.states_from(self.hashes.len()) {
                    self.hashes.push(super::hash(&state[self.store.hidden_prefix..]));
                }
            }
        }
    }

    #[inline]
    fn intern(&mut self, batch: &Batch, _: &[usize], each: impl FnMut(Seen)) -> Result<(), Full> {
        self.prefetch(batch);
        let mut access = self.access.take().expect("a handle enters before it interns");
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

    fn visit(&mut self, id: StateId) -> bool {
        if self.is_visited(id) {
            return false;
        }
        let more = self.visited.add(id.number());
        if more > 0 {
            self.allowance.overspend(more);
        }
        true
    }
}

#[inline(always)]
fn seen(number: u32, new: bool) -> Seen {
    Seen::plain(StateId::numbered(number), new)
}

/// Compares two states. For short states, which are most, this is faster than a call to `memcmp`.
#[inline(always)]
fn equal_states(a: &State, b: &State) -> bool {
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
