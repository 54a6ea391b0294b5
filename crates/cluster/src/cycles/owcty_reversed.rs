//! OWCTY reversed: one-way-catch-them-young on the reversed graph.
//!
//! The algorithm of [`owcty`](super::owcty), with the [elimination](super::elimination) against the direction of the transitions: states
//! that reach no accepting state of the set are removed, and states without a successor in the set. States keep references to their
//! predecessors, so no state is expanded again and records have no states in them. That takes more memory and less time: P. Šimeček,
//! "DiVinE – distributed verification environment", Masaryk University 2006, section 4.3.

use super::elimination::{Direction, Elimination};
use super::{Verdict, accepting_states};
use crate::partition::hash;
use crate::rank::{Phase, Rank, StateRef, Stop};
use crate::wire::Reader;

const EDGE: u8 = 1;

pub(super) fn run(rank: &mut Rank<'_>) -> Result<Verdict, Stop> {
    let accepting = match accepting_states(rank)? {
        Ok(accepting) => accepting,
        Err(verdict) => return Ok(verdict),
    };
    let mut edges = Edges { next: 0, predecessors: vec![Vec::new(); accepting.len()] };
    rank.run(&mut edges)?;
    Elimination::new(accepting, Direction::Backward(edges.predecessors)).decide(rank)
}

/// Collects the predecessors of all states, one for each transition.
struct Edges {
    next: u32,
    predecessors: Vec<Vec<StateRef>>,
}

impl Phase for Edges {
    fn take(&mut self, rank: &mut Rank<'_>, from: u32, mut record: Reader<'_>) -> Result<(), Stop> {
        if let (Some(EDGE), Some(number)) = (record.byte(), record.number()) {
            let hash = hash(record.rest());
            if let Some(to) = rank.table.find(record.rest(), hash) {
                self.predecessors[to as usize].push(StateRef { rank: from, number: number as u32 });
            }
        }
        Ok(())
    }

    fn work(&mut self, rank: &mut Rank<'_>) -> Result<bool, Stop> {
        if self.next as usize == self.predecessors.len() {
            return Ok(false);
        }
        rank.send_to_successors(self.next, EDGE, &[u64::from(self.next)])?;
        self.next += 1;
        Ok(true)
    }
}
