//! Limits that a rank reaches and all ranks report.

use kripke_search::Limit;

use crate::rank::{Rank, Stop};
use crate::transport::Failure;
use crate::wire::{Reader, put_number};

/// The limits of a rank as two numbers. Limits with more to tell are found by all ranks.
fn encode(limit: &Limit) -> [u64; 2] {
    match limit {
        Limit::Depth(depth) => [1, u64::from(*depth)],
        Limit::States(states) => [2, *states],
        Limit::Memory(bytes) => [3, *bytes],
        Limit::Time => [4, 0],
        Limit::StateNumbers => [5, 0],
        Limit::LossyStore => [6, 0],
        _ => [7, 0],
    }
}

fn decode([kind, number]: [u64; 2]) -> Option<Limit> {
    Some(match kind {
        0 => return None,
        1 => Limit::Depth(u32::try_from(number).unwrap_or(u32::MAX)),
        2 => Limit::States(number),
        3 => Limit::Memory(number),
        4 => Limit::Time,
        5 => Limit::StateNumbers,
        6 => Limit::LossyStore,
        _ => Limit::Interrupted,
    })
}

impl Rank<'_> {
    /// The limit of the first rank that has reached one. All ranks get the same.
    pub fn agree_on_limit(&mut self) -> Result<Limit, Failure> {
        let mut mine = Vec::new();
        let limit = self.limit().map_or([0, 0], encode);
        limit.iter().for_each(|number| put_number(&mut mine, *number));
        let all = self.net.gather(mine)?;
        let limits = all.iter().filter_map(|bytes| {
            let mut reader = Reader::new(bytes);
            decode([reader.number()?, reader.number()?])
        });
        Ok(limits.into_iter().next().unwrap_or(Limit::Interrupted))
    }

    /// The stop of a search in which all ranks together have too many states.
    pub fn agree_on_states(&mut self) -> Stop {
        let most = self.budget().max_states.unwrap_or(u64::MAX);
        self.set_limit(Limit::States(most));
        Stop::Limit
    }
}
