//! Migration of a depth-first search to lossy stores, by the rules of [`lossy_bfs`](super::lossy_bfs).
//!
//! The stack of ids becomes a [stack of states](PackedStack): the states of the current path and, above each, its
//! successors that are not yet visited. Every error therefore has a complete trail.

use super::super::dfs::{Descent, FRAME};
use super::super::lossy_dfs;
use super::super::{Factory, Options, Search, StoreKind, conclude_descent, max_depth};
use super::lossy_bfs::{bitstate_size, insert_all_known, lossy_store_kind, pause_when_tight};
use super::prior_work;
use crate::budget::{Budget, Limit};
use crate::outcome::Outcome;
use crate::progress::Progress;
use crate::store::{BitStore, Filter, Handle, HashStore, LossyStore, PackedStack, PackedStacks, Store, TreeStore};

/// A paused depth-first search whose states are in a lossy store.
pub(super) struct LossyDfs {
    options: Options,
    prior: super::PriorWork,
    descent: lossy_dfs::Descent,
    store: LossyStage,
}

/// The lossy store of the next stage.
enum LossyStage {
    Hashes(HashStore<PackedStacks>),
    Bits(BitStore<PackedStacks>),
}

impl LossyDfs {
    /// Moves all states of a search with a tree store. Earlier errors are counted; their trails must be constructed
    /// before.
    pub fn new(search: &Search<'_, TreeStore>, mut descent: Descent<'_, '_, TreeStore>) -> Result<LossyDfs, Limit> {
        let options = Options { store: lossy_store_kind(search), ..search.options.clone() };
        let mut capacity = search.budget.capacity();
        capacity.states = capacity.states.saturating_sub(search.store.len());
        // One more worker moves the states.
        let workers = options.workers() + 1;
        let stack = packed_stack(&mut descent);
        descent.worker.handle.leave();
        let store = match options.store {
            StoreKind::Bitstate(size) => LossyStage::Bits(fill(
                BitStore::new(size, capacity, workers).seeded(options.seed).hashed_by(options.hash_function),
                search,
            )?),
            _ => {
                let store = HashStore::new(HashStore::BITS, capacity, workers)
                    .seeded(options.seed)
                    .hashed_by(options.hash_function);
                LossyStage::Hashes(fill(store, search)?)
            }
        };
        let findings = descent.findings.map(|_| None);
        let (depth, bytes) = (descent.stack.deepest, stack.bytes());
        let descent = lossy_dfs::Descent { depth, bytes, findings, stop: None, stacks: vec![stack] };
        Ok(LossyDfs { options, prior: prior_work(search, StoreKind::Tree), descent, store })
    }

    pub fn run(self, factory: Factory<'_, '_>, budget: &Budget, progress: &Progress) -> Outcome {
        let LossyDfs { mut options, mut prior, mut descent, store } = self;
        let store = match store {
            LossyStage::Bits(store) => store,
            LossyStage::Hashes(store) => {
                {
                    let search = Search { prior, ..Search::new(&store, &options, budget, progress) };
                    pause_when_tight(&search);
                    descent = lossy_dfs::resume(&search, factory, descent, max_depth(budget));
                    let over = descent.stacks.is_empty() || descent.stop.is_some() || !search.should_pause();
                    if over || descent.findings.suffice(search.options) {
                        return conclude_descent(&search, descent);
                    }
                    prior = prior_work(&search, options.store);
                }
                let size = bitstate_size(budget, store.bytes());
                options.store = StoreKind::Bitstate(size);
                BitStore::replacing(store, size, budget.capacity(), options.workers())
            }
        };
        let search = Search { prior, ..Search::new(&store, &options, budget, progress) };
        let descent = lossy_dfs::resume(&search, factory, descent, max_depth(budget));
        conclude_descent(&search, descent)
    }
}

fn fill<F: Filter>(
    mut store: LossyStore<F, PackedStacks>,
    search: &Search<'_, TreeStore>,
) -> Result<LossyStore<F, PackedStacks>, Limit> {
    let known = insert_all_known(&mut store.handle(), search.store);
    known.map_err(|full| search.budget.limit(full))?;
    store.mark_exact(search.store.len());
    Ok(store)
}

/// The stack as full states. Among several entries of an unvisited state, the uppermost is kept.
fn packed_stack(descent: &mut Descent<'_, '_, TreeStore>) -> PackedStack {
    let (entries, handle) = (&descent.stack.entries, &mut descent.worker.handle);
    let is_path = |at: usize| entries.get(at + 1) == Some(&FRAME);
    let mut is_open = vec![false; entries.len()];
    for (at, &id) in entries.iter().enumerate().rev() {
        if id != FRAME && !is_path(at) && !handle.is_visited(id) {
            handle.visit(id);
            is_open[at] = true;
        }
    }
    let (mut stack, mut state) = (PackedStack::default(), Vec::new());
    let (mut origin, mut last, mut depth) = (None, None, 0);
    for (at, &id) in entries.iter().enumerate() {
        if id == FRAME {
            (origin, depth) = (last, depth + 1);
        } else if is_open[at] || is_path(at) {
            handle.fetch(id, &mut state);
            last = Some(stack.push(&state, origin, depth, is_open[at]));
        }
    }
    stack
}
