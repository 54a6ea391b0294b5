//! The exact store: a tag table and a packed arena.

use std::ops::Range;

use kripke_model::{Batch, State};

use super::arena::Arena;
use super::table::Table;
use super::{Capacity, Full, Omission, Seen, StateId, Store};

/// States whose memory accesses overlap: enough to hide the latency, few enough for their lines to stay in the cache.
const WINDOW: usize = 64;

/// Keeps every state in full, at about twelve bytes more than its own length. Grows by itself.
#[derive(Debug)]
pub struct ExactStore {
    table: Table,
    arena: Arena,
    capacity: Capacity,
    /// So many bytes at the start of each state are kept but not compared.
    uncompared: usize,
}

impl ExactStore {
    pub fn new(capacity: Capacity) -> ExactStore {
        let states = capacity.states.min(StateId::CAPACITY);
        ExactStore {
            table: Table::new(),
            arena: Arena::default(),
            capacity: Capacity { states, ..capacity },
            uncompared: 0,
        }
    }

    /// States that differ only in so many of their first bytes are one: the one that came first.
    #[must_use]
    pub fn without_comparing(self, uncompared: usize) -> ExactStore {
        ExactStore { uncompared, ..self }
    }

    #[inline]
    fn is(&self, id: StateId, state: &State) -> bool {
        same(&self.arena.get(id)[self.uncompared..], &state[self.uncompared..])
    }

    /// In three stages, each of which finds in the cache what the one before has asked for.
    fn intern_window(&mut self, batch: &Batch, window: Range<usize>, seen: &mut Vec<Seen>) -> Result<(), Full> {
        let mut hashes = [0; WINDOW];
        for (hash, i) in hashes.iter_mut().zip(window.clone()) {
            *hash = super::hash(&batch.state(i)[self.uncompared..]);
            self.table.prefetch(*hash);
        }
        let mut candidates = [None; WINDOW];
        for (candidate, &hash) in candidates.iter_mut().zip(&hashes[..window.len()]) {
            *candidate = self.table.candidate(hash);
            if let Some(id) = *candidate {
                self.arena.prefetch(id);
            }
        }
        for ((i, &hash), &candidate) in window.zip(&hashes).zip(&candidates) {
            let state = batch.state(i);
            seen.push(match candidate {
                Some(id) if self.is(id, state) => Seen { id, new: false },
                _ => self.find_or_add(state, hash)?,
            });
        }
        Ok(())
    }

    fn find_or_add(&mut self, state: &State, hash: u64) -> Result<Seen, Full> {
        let vacancy = match self.table.find(hash, |id| self.is(id, state)) {
            Ok(id) => return Ok(Seen { id, new: false }),
            Err(vacancy) => vacancy,
        };
        let id = StateId::new(self.arena.len()).ok_or(Full::States)?;
        if self.arena.len() >= self.capacity.states {
            return Err(Full::States);
        }
        if self.bytes() + self.table.growth(vacancy) + state.len() as u64 > self.capacity.bytes {
            return Err(Full::Memory);
        }
        self.table.insert(vacancy, id);
        self.arena.push(state);
        Ok(Seen { id, new: true })
    }
}

impl Default for ExactStore {
    fn default() -> ExactStore {
        ExactStore::new(Capacity::UNLIMITED)
    }
}

impl Store for ExactStore {
    fn intern(&mut self, batch: &Batch, seen: &mut Vec<Seen>) -> Result<(), Full> {
        seen.clear();
        seen.reserve(batch.len());
        for start in (0..batch.len()).step_by(WINDOW) {
            self.intern_window(batch, start..batch.len().min(start + WINDOW), seen)?;
        }
        Ok(())
    }

    fn fetch(&self, id: StateId, into: &mut Vec<u8>) {
        into.clear();
        into.extend_from_slice(self.arena.get(id));
    }

    fn len(&self) -> u64 {
        self.arena.len()
    }

    fn longest(&self) -> u64 {
        self.arena.longest()
    }

    fn bytes(&self) -> u64 {
        self.table.bytes() + self.arena.bytes()
    }

    fn omission(&self) -> Omission {
        Omission::Exact
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
