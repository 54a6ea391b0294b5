//! The [last resorts](super::lossy_bfs) of a depth-first search.
//!
//! The stack of ids becomes a [pile](Pile) of states: those of the current path, and above each those that were found from it
//! and are not visited yet. So every error has its whole way, without looking for any part of it again.

use super::super::dfs::{Descent, FRAME};
use super::super::lossy_dfs;
use super::super::{Factory, Options, Search, StoreKind, conclude_descent, max_depth};
use super::lossy_bfs::{be_patient, bits, know, past, refuge};
use crate::budget::{Budget, Limit};
use crate::outcome::Outcome;
use crate::progress::Progress;
use crate::store::{BitStore, Filter, Handle, HashStore, LossyStore, Pile, Piles, Store, TreeStore};

/// A search that has paused, and all its states in another store.
pub(super) struct Plunge {
    options: Options,
    past: super::Past,
    descent: lossy_dfs::Descent,
    store: Refuge,
}

enum Refuge {
    Hashes(HashStore<Piles>),
    Bits(BitStore<Piles>),
}

impl Plunge {
    /// Takes over what a search with trees has seen. Errors found so far are counted, but the ways to them are gone.
    pub fn new(search: &Search<'_, TreeStore>, mut descent: Descent<'_, '_, TreeStore>) -> Result<Plunge, Limit> {
        let options = Options { store: refuge(search), ..search.options.clone() };
        let mut capacity = search.budget.capacity();
        capacity.states = capacity.states.saturating_sub(search.store.len());
        // One more worker, who moves states.
        let workers = options.workers() + 1;
        let pile = pile(&mut descent);
        descent.worker.handle.leave();
        let store = match options.store {
            StoreKind::Bitstate(size) => {
                Refuge::Bits(enter(BitStore::new(size, capacity, workers).seeded(options.seed), search)?)
            }
            _ => {
                let store = HashStore::new(HashStore::BITS, capacity, workers).seeded(options.seed);
                Refuge::Hashes(enter(store, search)?)
            }
        };
        let findings = descent.findings.map(|_| None);
        let (depth, bytes) = (descent.stack.deepest, pile.bytes());
        let descent = lossy_dfs::Descent { depth, bytes, findings, stop: None, piles: vec![pile] };
        Ok(Plunge { options, past: past(search, StoreKind::Tree), descent, store })
    }

    pub fn run(self, factory: Factory<'_, '_>, budget: &Budget, progress: &Progress) -> Outcome {
        let Plunge { mut options, mut past, mut descent, store } = self;
        let store = match store {
            Refuge::Bits(store) => store,
            Refuge::Hashes(store) => {
                {
                    let search = Search { past, ..Search::new(&store, &options, budget, progress) };
                    be_patient(&search);
                    descent = lossy_dfs::resume(&search, factory, descent, max_depth(budget));
                    let over = descent.piles.is_empty() || descent.stop.is_some() || !search.is_to_pause();
                    if over || !search.options.all_errors && !descent.findings.kept.is_empty() {
                        return conclude_descent(&search, descent);
                    }
                    past = super::lossy_bfs::past(&search, options.store);
                }
                let size = bits(budget);
                options.store = StoreKind::Bitstate(size);
                BitStore::instead_of(store, size, budget.capacity(), options.workers())
            }
        };
        let search = Search { past, ..Search::new(&store, &options, budget, progress) };
        let descent = lossy_dfs::resume(&search, factory, descent, max_depth(budget));
        conclude_descent(&search, descent)
    }
}

fn enter<F: Filter>(
    mut store: LossyStore<F, Piles>,
    search: &Search<'_, TreeStore>,
) -> Result<LossyStore<F, Piles>, Limit> {
    let known = know(&mut store.handle(), search.store);
    known.map_err(|full| search.budget.limit(full))?;
    store.vouch(search.store.len());
    Ok(store)
}

/// The stack as states. Of several entries for a state that is not visited, the uppermost counts.
fn pile(descent: &mut Descent<'_, '_, TreeStore>) -> Pile {
    let (entries, handle) = (&descent.stack.entries, &mut descent.worker.handle);
    let is_path = |at: usize| entries.get(at + 1) == Some(&FRAME);
    let mut waits = vec![false; entries.len()];
    for (at, &id) in entries.iter().enumerate().rev() {
        if id != FRAME && !is_path(at) && !handle.is_visited(id) {
            handle.visit(id);
            waits[at] = true;
        }
    }
    let (mut pile, mut state) = (Pile::default(), Vec::new());
    let (mut origin, mut last, mut depth) = (None, None, 0);
    for (at, &id) in entries.iter().enumerate() {
        if id == FRAME {
            (origin, depth) = (last, depth + 1);
        } else if waits[at] || is_path(at) {
            handle.fetch(id, &mut state);
            last = Some(pile.put(&state, origin, depth, waits[at]));
        }
    }
    pile
}
