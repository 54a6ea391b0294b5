//! The exact store: a tag table and a packed arena.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use kripke_model::{Batch, State};

use super::arena::{Arena, Pen};
use super::ledger::{Account, Ledger};
use super::meeting::{Meeting, Seat};
use super::queue::Runs;
use super::segments::Untold;
use super::table::{Refusal, Table};
use super::{Capacity, Full, Handle, Omission, Seen, StateId, Store};

/// States whose memory accesses overlap: enough to hide the latency, few enough for their lines to stay in the cache.
const WINDOW: usize = 64;
const SEGMENTS: usize = if cfg!(shuttle) { 1 } else { 256 };

/// Keeps every state in full, at about twelve bytes more than its own length. Grows by itself.
#[derive(Debug)]
pub struct ExactStore {
    meeting: Meeting,
    table: Table,
    arena: Arena,
    ledger: Ledger,
    workers: usize,
    handles: AtomicUsize,
}

impl ExactStore {
    /// A store for so many workers.
    pub fn new(capacity: Capacity, workers: usize) -> ExactStore {
        let table = Table::new(SEGMENTS, workers);
        let ledger = Ledger::new(capacity, workers, table.bytes());
        let (meeting, arena) = (Meeting::new(), Arena::new());
        ExactStore { meeting, table, arena, ledger, workers, handles: AtomicUsize::new(0) }
    }
}

impl Store for ExactStore {
    type Handle<'a> = ExactHandle<'a>;
    type Queue = Runs;

    fn handle(&self) -> ExactHandle<'_> {
        let worker = self.handles.fetch_add(1, Ordering::Relaxed);
        assert!(worker < self.workers, "a store for {} workers", self.workers);
        ExactHandle {
            store: self,
            seat: None,
            pen: Pen::new(&self.arena),
            account: self.ledger.account(worker),
            untold: self.table.untold(),
            visited: Vec::new(),
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
    /// A bit for each state.
    visited: Vec<u64>,
}

impl<'a> ExactHandle<'a> {
    /// In three stages, each of which finds in the cache what the one before has asked for.
    fn intern_window(
        &mut self,
        seat: &mut Seat<'a>,
        batch: &Batch,
        window: Range<usize>,
        seen: &mut Vec<Seen>,
    ) -> Result<(), Full> {
        if seat.is_called() {
            self.grow(seat)?;
        }
        let ExactStore { table, arena, .. } = self.store;
        let mut hashes = [0; WINDOW];
        for (hash, i) in hashes.iter_mut().zip(window.clone()) {
            *hash = super::hash(batch.state(i));
            table.prefetch(seat, *hash);
        }
        let mut candidates = [None; WINDOW];
        for (candidate, &hash) in candidates.iter_mut().zip(&hashes[..window.len()]) {
            *candidate = table.candidate(seat, hash);
            if let Some(number) = *candidate {
                arena.prefetch(number);
            }
        }
        for ((i, &hash), &candidate) in window.zip(&hashes).zip(&candidates) {
            let state = batch.state(i);
            seen.push(match candidate {
                Some(number) if same(arena.get(number), state) => Seen { id: StateId(u64::from(number)), new: false },
                _ => self.find_or_add(seat, state, hash)?,
            });
        }
        Ok(())
    }

    fn find_or_add(&mut self, seat: &mut Seat<'a>, state: &State, hash: u64) -> Result<Seen, Full> {
        let ExactStore { table, arena, .. } = self.store;
        let bytes = state.len() as u64;
        loop {
            let make = || {
                self.account.check(bytes)?;
                self.pen.write(state)
            };
            match table.find_or_add(seat, hash, |number| same(arena.get(number), state), make) {
                Ok((number, new)) => {
                    if new {
                        self.pen.keep();
                        self.account.spend(bytes, bytes);
                        table.count(seat, hash, &mut self.untold);
                    }
                    return Ok(Seen { id: StateId(u64::from(number)), new });
                }
                Err(Refusal::Full(full)) => return Err(full),
                Err(Refusal::Crowded) => {
                    seat.call();
                    self.grow(seat)?;
                }
            }
        }
    }

    #[cold]
    fn grow(&self, seat: &mut Seat<'a>) -> Result<(), Full> {
        let ExactStore { table, ledger, .. } = self.store;
        if seat.attend(
            |sitting| table.plan(sitting, |bytes| ledger.reserve(bytes)),
            |sitting| table.grow(sitting, |bytes| ledger.release(bytes)),
        ) {
            Ok(())
        } else {
            Err(Full::Memory)
        }
    }

    fn intern_all(&mut self, seat: &mut Seat<'a>, batch: &Batch, seen: &mut Vec<Seen>) -> Result<(), Full> {
        for start in (0..batch.len()).step_by(WINDOW) {
            self.intern_window(seat, batch, start..batch.len().min(start + WINDOW), seen)?;
        }
        Ok(())
    }
}

impl Handle for ExactHandle<'_> {
    fn enter(&mut self) {
        if self.seat.is_none() {
            self.seat = Some(self.store.meeting.enter());
        }
    }

    fn leave(&mut self) {
        self.seat = None;
    }

    fn intern(&mut self, batch: &Batch, _: &[usize], seen: &mut Vec<Seen>) -> Result<(), Full> {
        seen.clear();
        seen.reserve(batch.len());
        let mut seat = self.seat.take().expect("a handle has entered when it interns");
        let interned = self.intern_all(&mut seat, batch, seen);
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
        let number = id.number() as usize;
        self.visited.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    fn visit(&mut self, id: StateId) {
        let number = id.number() as usize;
        if number / 64 >= self.visited.len() {
            let before = self.visited.capacity();
            self.visited.resize(number / 64 + 1, 0);
            self.account.overspend(((self.visited.capacity() - before) * size_of::<u64>()) as u64);
        }
        self.visited[number / 64] |= 1 << (number % 64);
    }
}

/// Whether two states are equal. Most are short, and for these a loop is faster than a call.
#[inline]
fn same(a: &State, b: &State) -> bool {
    const WORD: usize = 8;
    if a.len() != b.len() || a.len() < WORD {
        return a == b;
    }
    let mut words = a.as_chunks::<WORD>().0.iter().zip(b.as_chunks::<WORD>().0);
    a.last_chunk::<WORD>() == b.last_chunk::<WORD>() && words.all(|(a, b)| a == b)
}
