//! OWCTY: one-way-catch-them-young.
//!
//! I. Černá and R. Pelánek, "Distributed explicit fair cycle detection (set based approach)", SPIN 2003; the symbolic algorithm is that
//! of K. Fisler et al., "Is there a best symbolic cycle-detection algorithm?", TACAS 2001. The [elimination](super::elimination) goes
//! along the transitions, and states are expanded again in every step, so a state takes few bytes more than in a search for states.

use super::elimination::{Direction, Elimination};
use super::{Verdict, accepting_states};
use crate::rank::{Rank, Stop};

pub(super) fn run(rank: &mut Rank<'_>) -> Result<Verdict, Stop> {
    match accepting_states(rank)? {
        Ok(accepting) => Elimination::new(accepting, Direction::Forward).decide(rank),
        Err(verdict) => Ok(verdict),
    }
}

/// The certificate of a graph without accepting cycles, all of whose states are in the tables.
pub(super) fn certificate(rank: &mut Rank<'_>) -> Result<Verdict, Stop> {
    let states = rank.table.len() as u32;
    let is_accepting = |number| {
        let (flags, batch) = rank.expand(number);
        rank.recycle(batch);
        flags.accepting
    };
    let accepting = (0..states).map(is_accepting).collect();
    Elimination::new(accepting, Direction::Forward).decide(rank)
}
