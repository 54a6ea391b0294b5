//! What a rank gives back at the end of a search for cycles.

use std::time::Duration;

use kripke_search::Limit;

use crate::findings::Candidate;
use crate::network::Traffic;
use crate::rank::{Rank, Stop};
use crate::state_table::StateTable;
use crate::transport::Failure;
use crate::wire::{Reader, put_number};

/// What a rank gives back.
#[derive(Debug)]
pub(crate) struct RankResult<T> {
    pub table: StateTable,
    pub figures: RankFigures,
    /// The answer; all ranks have the same.
    pub answer: Result<T, Limit>,
}

/// The figures of one rank.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct RankFigures {
    /// The states that the rank owns.
    pub states: u64,
    /// The transitions from them.
    pub transitions: u64,
    /// Memory of the states and of what the algorithm knows about them, in bytes.
    pub memory: u64,
    /// The length of the longest state, in bytes.
    pub longest_state: u64,
    /// What the rank has sent.
    pub traffic: Traffic,
}

impl RankFigures {
    /// Appends the figures as numbers.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let RankFigures { states, transitions, memory, longest_state, traffic } = self;
        let Traffic { records, frames, bytes, idle } = *traffic;
        let numbers = [*states, *transitions, *memory, *longest_state, records, frames, bytes, idle.as_micros() as u64];
        numbers.iter().for_each(|number| put_number(out, *number));
    }

    /// Reads what [`RankFigures::write`] has written.
    pub(crate) fn read(from: &mut Reader<'_>) -> Option<RankFigures> {
        let mut number = || from.number();
        let (states, transitions, memory, longest_state) = (number()?, number()?, number()?, number()?);
        let traffic =
            Traffic { records: number()?, frames: number()?, bytes: number()?, idle: Duration::from_micros(number()?) };
        Some(RankFigures { states, transitions, memory, longest_state, traffic })
    }
}

/// The answer of a search that ended before it was decided whether there is a cycle.
#[derive(Clone, Debug)]
pub(crate) enum Reached {
    /// An error and a run to it end the search.
    Error(Vec<(Candidate, Vec<u32>)>),
    Depth,
    /// The expansion of this state does not end.
    Endless(Vec<u8>, u32),
}

impl Rank<'_> {
    /// The errors that are kept, each with a run to it.
    pub fn trails(&mut self) -> Result<Vec<(Candidate, Vec<u32>)>, Stop> {
        let kept = self.errors.kept.clone();
        kept.into_iter().map(|candidate| Ok((candidate.clone(), self.choices_to(candidate.at)?))).collect()
    }

    /// The state whose expansion does not end, and the number of the finding.
    pub fn endless(&mut self, candidate: &Candidate) -> Result<Reached, Stop> {
        let state = self.follow(candidate.at, &[])?.swap_remove(0).1;
        let (_, batch) = self.expand_state(&state);
        let number = batch.findings().iter().position(|f| f.kind == kripke_model::FindingKind::EndlessSequence);
        Ok(Reached::Endless(state, number.unwrap_or(0) as u32))
    }

    /// Agrees on a limit if there is one, waits for all ranks, and gives back what this one has.
    pub fn conclude<T>(mut self, answer: Result<T, Stop>) -> Result<RankResult<T>, Failure> {
        let answer = match answer {
            Ok(answer) => Ok(answer),
            Err(Stop::Failure(failure)) => return Err(failure),
            Err(Stop::Limit) => Err(self.agree_on_limit()?),
        };
        self.report();
        self.net.finish()?;
        let (states, transitions, memory) = (self.table.len() as u64, self.transitions, self.memory());
        let (longest_state, traffic) = (self.table.longest(), self.net.traffic());
        let figures = RankFigures { states, transitions, memory, longest_state, traffic };
        Ok(RankResult { table: self.table, figures, answer })
    }
}
