//! The states of all ranks as a certificate: the search crate expands every state once more before it accepts a proof.

use kripke_model::State;
use kripke_search::{ClosedSet, Rank as RankOfState, RankedSet};

use crate::partition::{hash, owner};
use crate::state_table::StateTable;

/// The tables of all ranks, with the ranks of the states in the sense of [`RankedSet`].
#[derive(Debug)]
pub(crate) struct Certificate {
    pub tables: Vec<StateTable>,
    /// `[rank of the cluster][number]`: the rank of the state in the proof.
    pub numbers: Vec<Vec<u64>>,
    /// Whether the hash of a state decides who owns it.
    pub by_hash: bool,
}

impl ClosedSet for Certificate {
    fn for_each(&self, each: &mut dyn FnMut(&State)) {
        for table in &self.tables {
            (0..table.len() as u32).for_each(|number| each(table.get(number)));
        }
    }

    fn contains(&self, state: &State) -> bool {
        self.find(state).is_some()
    }
}

impl RankedSet for Certificate {
    fn rank(&self, state: &State) -> RankOfState {
        let number = self.find(state).map(|(owner, number)| self.numbers[owner][number as usize]);
        RankOfState { number: number.unwrap_or(u64::MAX), absent: 1 }
    }
}

impl Certificate {
    /// Where a state is. If states are not partitioned by their hash, it may be with any rank.
    fn find(&self, state: &State) -> Option<(usize, u32)> {
        let (hash, ranks) = (hash(state), self.tables.len());
        let first = owner(hash, ranks);
        let others = (0..ranks).filter(|other| *other != first && !self.by_hash);
        let at = |owner: usize| Some((owner, self.tables[owner].find(state, hash)?));
        std::iter::once(first).chain(others).find_map(at)
    }
}
