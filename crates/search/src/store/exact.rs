//! The exact store: a tag table and a packed arena.

use kripke_model::{Batch, State};

use super::arena::{Arena, Pen};
use super::memory_quota::{Account, Ledger};
use super::migration::{Marks, Remains};
use super::queue::Runs;
use super::reserved_memory::Filled;
use super::resize_barrier::{Meeting, Seat};
use super::table::{Addition, Probe, Refusal, Table, Vacancy};
use super::table_segments::Untold;
use super::{Capacity, Full, Handle, Omission, Seen, StateId, Store};

/// States whose memory accesses overlap: enough to hide the latency, few enough for their lines to stay in the cache.
const WINDOW: usize = 128;
const SEGMENTS: usize = if cfg!(shuttle) { 1 } else { 64 };
/// Lines in which all numbers find room.
const ROOM: usize = 12 << 20;

/// Keeps every state in full, at about twelve bytes more than its own length. Grows by itself.
#[derive(Debug)]
pub struct ExactStore {
    meeting: Meeting,
    table: Table,
    arena: Arena,
    ledger: Ledger,
    /// Bytes at the start of states that do not count.
    uncompared: usize,
}

impl ExactStore {
    /// A store for so many workers.
    pub fn new(capacity: Capacity, workers: usize) -> ExactStore {
        let table = Table::new(SEGMENTS, ROOM, workers);
        let ledger = Ledger::new(capacity, workers, table.bytes());
        let (meeting, arena) = (Meeting::new(), Arena::new(Filled::Densely));
        ExactStore { meeting, table, arena, ledger, uncompared: 0 }
    }

    /// States that differ only in so many bytes at their start are one.
    #[must_use]
    pub fn without_comparing(self, bytes: usize) -> ExactStore {
        ExactStore { uncompared: bytes, ..self }
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
    pub(crate) fn dissolve(self, marks: Marks) -> Remains {
        let bytes = self.ledger.bytes();
        Remains::new(self.arena, marks, bytes)
    }

    /// Whether this is that state.
    #[inline(always)]
    fn is(&self, number: u32, state: &State) -> bool {
        let known = self.arena.get(number);
        if self.uncompared == 0 { same(known, state) } else { known[self.uncompared..] == state[self.uncompared..] }
    }

    #[cold]
    fn grow(&self, seat: &mut Seat<'_>) -> Result<(), Full> {
        let ExactStore { table, ledger, .. } = self;
        if seat.attend(
            |sitting| table.plan(sitting, |bytes| ledger.reserve(bytes)),
            |sitting| table.grow(sitting, |bytes| ledger.release(bytes)),
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
            seat: None,
            pen: Pen::new(&self.arena),
            account: self.ledger.account(),
            untold: self.table.untold(),
            hashes: Vec::new(),
            visited: Marks::default(),
        }
    }

    fn len(&self) -> u64 {
        self.ledger.states()
    }

    fn longest(&self) -> u64 {
        self.ledger.longest()
    }

    fn bytes(&self) -> u64 {
        self.table.bytes() + self.arena.bytes() + self.ledger.bytes()
    }

    fn omission(&self) -> Omission {
        Omission::Exact
    }
}

/// A worker's access to an exact store.
#[derive(Debug)]
pub struct ExactHandle<'a> {
    store: &'a ExactStore,
    seat: Option<Seat<'a>>,
    pen: Pen<'a>,
    account: Account<'a>,
    untold: Untold,
    /// Of the states in the batch that is to be interned next.
    hashes: Vec<u64>,
    visited: Marks,
}

impl<'a> ExactHandle<'a> {
    fn intern_all(&mut self, seat: &mut Seat<'a>, batch: &Batch, mut each: impl FnMut(Seen)) -> Result<(), Full> {
        let mut hashes = std::mem::take(&mut self.hashes);
        let mut done = Ok(());
        for (window, hashes) in hashes.chunks(WINDOW).enumerate() {
            done = done.and_then(|()| self.intern_window(seat, batch, window * WINDOW, hashes, &mut each));
        }
        hashes.clear();
        self.hashes = hashes;
        done
    }

    /// In stages, each of which finds in the cache what the one before has asked for.
    #[inline(always)]
    fn intern_window(
        &mut self,
        seat: &mut Seat<'a>,
        batch: &Batch,
        first: usize,
        hashes: &[u64],
        each: &mut impl FnMut(Seen),
    ) -> Result<(), Full> {
        if seat.is_called() {
            self.store.grow(seat)?;
        }
        let ExactStore { table, arena, .. } = self.store;
        for &hash in hashes {
            table.prefetch(seat, hash);
        }
        let mut probes = [Probe::VOID; WINDOW];
        let (mut further, mut count) = ([0; WINDOW], 0);
        for (i, &hash) in hashes.iter().enumerate() {
            let probe = table.probe(seat, hash);
            arena.prefetch(probe.guess());
            probes[i % WINDOW] = probe;
            further[count % WINDOW] = i as u8;
            count += usize::from(probe.goes_on());
        }
        for &i in &further[..count] {
            let i = usize::from(i);
            probes[i % WINDOW] = table.probe_next(seat, hashes[i]);
            arena.prefetch(probes[i % WINDOW].guess());
        }
        for (i, &hash) in hashes.iter().enumerate() {
            let state = batch.state(first + i);
            let probe = probes[i % WINDOW];
            let (number, new) = match probe.candidate() {
                Some(number) if self.store.is(number, state) => (number, false),
                None if let Some(vacancy) = probe.vacancy()
                    && let Some(added) = self.add_at(seat, state, hash, vacancy)? =>
                {
                    added
                }
                _ => self.find_or_add(seat, state, hash, &mut probes)?,
            };
            each(Seen { id: StateId(u64::from(number)), new });
        }
        Ok(())
    }

    /// Adds a state where there was room at the first look. None if something else is there now.
    #[inline(always)]
    fn add_at(&mut self, seat: &Seat<'a>, state: &State, hash: u64, at: Vacancy) -> Result<Option<(u32, bool)>, Full> {
        let store = self.store;
        Ok(match store.table.add_at(seat, hash, at, || self.write(state))? {
            Addition::Made(number) => {
                self.keep(seat, state, hash);
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
        seat: &mut Seat<'a>,
        state: &State,
        hash: u64,
        probes: &mut [Probe; WINDOW],
    ) -> Result<(u32, bool), Full> {
        let store = self.store;
        loop {
            match store.table.find_or_add(seat, hash, |number| store.is(number, state), || self.write(state)) {
                Ok((number, new)) => {
                    if new {
                        self.keep(seat, state, hash);
                    }
                    return Ok((number, new));
                }
                Err(Refusal::Full(full)) => return Err(full),
                Err(Refusal::Crowded) => {
                    seat.call();
                    store.grow(seat)?;
                    *probes = [Probe::VOID; WINDOW];
                }
            }
        }
    }

    /// Writes a state down, if there is room for it; its number is not taken yet.
    #[inline(always)]
    fn write(&mut self, state: &State) -> Result<u32, Full> {
        self.account.check(state.len() as u64)?;
        self.pen.write(state)
    }

    /// Keeps the state written last.
    #[inline(always)]
    fn keep(&mut self, seat: &Seat<'a>, state: &State, hash: u64) {
        self.pen.keep();
        self.account.spend(state.len() as u64, state.len() as u64);
        self.store.table.count(seat, hash, &mut self.untold);
    }
}

impl ExactHandle<'_> {
    /// Takes what this handle has visited along.
    pub(crate) fn into_marks(self) -> Marks {
        self.visited
    }
}

impl Handle for ExactHandle<'_> {
    fn enter(&mut self) {
        if self.seat.is_none() {
            self.seat = Some(self.store.meeting.enter());
        }
    }

    fn leave(&mut self) {
        self.pen.publish();
        self.seat = None;
    }

    fn open<'s>(&'s mut self, id: StateId, _: &'s mut Vec<u8>) -> &'s State {
        self.store.arena.get(id.number())
    }

    #[inline]
    fn expect(&mut self, batch: &Batch) {
        for state in batch.states_from(self.hashes.len()) {
            self.hashes.push(super::hash(&state[self.store.uncompared..]));
        }
    }

    #[inline]
    fn intern(&mut self, batch: &Batch, _: &[usize], each: impl FnMut(Seen)) -> Result<(), Full> {
        self.expect(batch);
        let mut seat = self.seat.take().expect("a handle has entered when it interns");
        let interned = self.intern_all(&mut seat, batch, each);
        self.seat = Some(seat);
        self.account.publish();
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
            self.account.overspend(more);
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
