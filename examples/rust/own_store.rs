//! A store of your own: a hash map behind a lock. Searches on any number of threads use it as they use the stores of Kripke.
//!
//! `cargo run -p kripke --example own_store`

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use kripke::Error;
use kripke::transition_system::{Steps, SystemCheck, TransitionSystem};
use kripke_model::{Batch, State};
use kripke_search::store::{Full, Handle, Omission, Pieces, Seen, StateId, Store};

/// States in the order in which they were found, and their numbers.
#[derive(Default, Debug)]
struct Table {
    numbers: HashMap<Vec<u8>, u64>,
    states: Vec<Vec<u8>>,
}

/// A set of states behind a lock.
#[derive(Default, Debug)]
pub struct LockedStore {
    table: Mutex<Table>,
}

impl LockedStore {
    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for LockedStore {
    type Handle<'a> = LockedHandle<'a>;
    type Queue = Pieces;

    fn handle(&self) -> LockedHandle<'_> {
        LockedHandle { store: self, visited: HashSet::new() }
    }

    fn len(&self) -> u64 {
        self.lock().states.len() as u64
    }

    fn longest(&self) -> u64 {
        self.lock().states.iter().map(Vec::len).max().unwrap_or(0) as u64
    }

    fn bytes(&self) -> u64 {
        self.lock().states.iter().map(|state| 2 * state.len() as u64 + 64).sum()
    }

    fn omission(&self) -> Omission {
        Omission::Exact
    }
}

/// The access of one worker.
#[derive(Debug)]
pub struct LockedHandle<'a> {
    store: &'a LockedStore,
    visited: HashSet<StateId>,
}

impl Handle for LockedHandle<'_> {
    fn enter(&mut self) {}

    fn leave(&mut self) {}

    fn intern(&mut self, batch: &Batch, _ends: &[usize], mut each: impl FnMut(Seen)) -> Result<(), Full> {
        let mut table = self.store.lock();
        for state in batch.states() {
            let next = table.states.len() as u64;
            let number = *table.numbers.entry(state.to_vec()).or_insert(next);
            if number == next {
                table.states.push(state.to_vec());
            }
            each(Seen::plain(StateId::new(number), number == next));
        }
        Ok(())
    }

    fn fetch(&mut self, id: StateId, into: &mut Vec<u8>) {
        let table = self.store.lock();
        let state: &State = &table.states[id.get() as usize];
        into.clear();
        into.extend_from_slice(state);
    }

    fn is_visited(&self, id: StateId) -> bool {
        self.visited.contains(&id)
    }

    fn visit(&mut self, id: StateId) -> bool {
        self.visited.insert(id)
    }
}

/// Counters, each of which goes up to a limit.
#[derive(Debug)]
pub struct Counters {
    pub counters: usize,
    pub limit: u8,
}

impl TransitionSystem for Counters {
    type State = Vec<u8>;

    fn initial(&self) -> Vec<u8> {
        vec![0; self.counters]
    }

    fn expand(&self, state: &Vec<u8>, steps: &mut Steps<'_, Vec<u8>>) {
        for (process, _) in state.iter().enumerate().filter(|(_, value)| **value < self.limit) {
            let mut next = state.clone();
            next[process] += 1;
            steps.add(process as u8, 0, next);
        }
    }

    fn propositions(&self) -> &[&str] {
        &["bounded"]
    }

    fn holds(&self, _: usize, state: &Vec<u8>) -> bool {
        state.iter().all(|value| *value <= self.limit)
    }
}

pub fn main() -> Result<(), Error> {
    let counters = Counters { counters: 4, limit: 7 };
    let check = SystemCheck::new(&counters).threads(2);
    let ours = check.invariant_with("bounded", LockedStore::default)?;
    println!("with a store of our own: {ours:?}");
    println!("with the usual store:    {:?}", check.invariant("bounded")?);
    Ok(())
}
