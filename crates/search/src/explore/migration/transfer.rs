//! The transfer of all states from one store to another.
//!
//! Memory never suffices for both stores. The hash table of the old store is dropped first: it is a third to a half
//! of the store, and the transfer does not need it. Then the open states are moved, because the search needs their
//! new ids, and after that all others. The memory of moved states is freed block by block and granted to the new
//! store.

use std::ops::Range;

use kripke_model::{Batch, State};

use super::super::MAX_SUCCESSOR_BYTES;
use super::super::dfs::FRAME;
use crate::budget::{Budget, Limit};
use crate::store::{DissolvedStore, Handle, Queue, StateDrain, StateId, spawn};

/// States moved together.
pub(super) const TRANSFER_BATCH: usize = 1 << 10;

/// The parameters of a transfer.
pub(super) struct Transfer<'a> {
    pub budget: &'a Budget,
    /// Adds bytes to the quota of the new store.
    pub allow: &'a (dyn Fn(u64) + Sync),
}

/// States that are moved together.
#[derive(Default)]
struct TransferBatch {
    batch: Batch,
    visited: Vec<bool>,
    ids: Vec<StateId>,
}

impl TransferBatch {
    fn push(&mut self, state: &State, visited: bool) {
        self.batch.push(state);
        self.visited.push(visited);
    }

    fn is_full(&self) -> bool {
        self.visited.len() >= TRANSFER_BATCH || self.batch.bytes() > MAX_SUCCESSOR_BYTES
    }

    /// Interns the states and leaves their new ids in `self.ids`.
    fn intern(&mut self, handle: &mut impl Handle, budget: &Budget) -> Result<(), Limit> {
        self.ids.clear();
        let ids = &mut self.ids;
        handle.intern(&self.batch, &[], |seen| ids.push(seen.id)).map_err(|full| budget.limit(full))?;
        for (&id, _) in self.ids.iter().zip(&self.visited).filter(|(_, visited)| **visited) {
            handle.visit(id);
        }
        self.batch.clear();
        self.visited.clear();
        Ok(())
    }
}

impl Transfer<'_> {
    /// Moves all states, with one worker per handle. Appends the new ids of the states at these positions of `from`
    /// to `to`.
    pub fn queue<H: Handle, Q: Queue>(
        &self,
        dissolved: DissolvedStore,
        (from, positions): (&impl Queue, Range<u64>),
        to: &mut Q,
        handles: &mut Vec<&mut H>,
    ) -> Result<(), Limit> {
        let mut old = Vec::new();
        let chunks =
            positions.clone().step_by(TRANSFER_BATCH).map(|at| at..positions.end.min(at + TRANSFER_BATCH as u64));
        self.while_entered(handles[0], |handle| {
            for chunk in chunks {
                old.clear();
                from.copy(chunk, &mut old);
                self.move_ids(&dissolved, &mut old, handle)?;
                old.iter().for_each(|&id| to.push(id));
            }
            Ok(())
        })?;
        self.drain_all(&dissolved.drain(), handles)
    }

    /// Moves all states, and replaces the ids on the stack by the new ones.
    pub fn stack<H: Handle>(
        &self,
        dissolved: DissolvedStore,
        stack: &mut [StateId],
        handle: &mut H,
    ) -> Result<(), Limit> {
        self.while_entered(handle, |handle| {
            for entries in stack.chunks_mut(TRANSFER_BATCH) {
                let mut ids: Vec<StateId> = entries.iter().copied().filter(|&id| id != FRAME).collect();
                self.move_ids(&dissolved, &mut ids, handle)?;
                entries.iter_mut().filter(|id| **id != FRAME).zip(ids).for_each(|(old, new)| *old = new);
            }
            Ok(())
        })?;
        self.drain_all(&dissolved.drain(), &mut vec![handle])
    }

    /// Moves a few states and replaces their ids.
    fn move_ids(&self, dissolved: &DissolvedStore, ids: &mut [StateId], handle: &mut impl Handle) -> Result<(), Limit> {
        let (mut batch, mut moved) = (TransferBatch::default(), 0);
        for at in 0..ids.len() {
            batch.push(dissolved.get(ids[at]), false);
            if batch.is_full() || at + 1 == ids.len() {
                batch.intern(handle, self.budget)?;
                ids[moved..=at].copy_from_slice(&batch.ids);
                moved = at + 1;
            }
        }
        Ok(())
    }

    fn drain_all<H: Handle>(&self, drain: &StateDrain, handles: &mut Vec<&mut H>) -> Result<(), Limit> {
        std::thread::scope(|scope| {
            let workers: Vec<_> = handles
                .iter_mut()
                .map(|handle| spawn(scope, || self.while_entered(*handle, |handle| self.drain_blocks(drain, handle))))
                .collect();
            let moved: Vec<_> = workers
                .into_iter()
                .map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect();
            moved.into_iter().collect()
        })
    }

    fn drain_blocks(&self, drain: &StateDrain, handle: &mut impl Handle) -> Result<(), Limit> {
        let mut batch = TransferBatch::default();
        loop {
            let piece = drain.next(|state, visited| {
                batch.push(state, visited);
                if batch.is_full() { batch.intern(handle, self.budget) } else { Ok(()) }
            });
            let Some(bytes) = piece else { break };
            (self.allow)(bytes?);
            self.budget.check(0)?;
        }
        batch.intern(handle, self.budget)
    }

    /// Runs `work` inside the store and leaves it in any case, because other workers wait for those that have
    /// entered.
    fn while_entered<H: Handle>(
        &self,
        handle: &mut H,
        work: impl FnOnce(&mut H) -> Result<(), Limit>,
    ) -> Result<(), Limit> {
        handle.enter();
        let done = work(handle);
        handle.leave();
        done
    }
}
