//! Trails across ranks: the path of first parents back to the initial state, and shortest paths between two states.

use std::collections::HashSet;

use crate::partition::hash;
use crate::rank::{Phase, Rank, StateRef, Stop};
use crate::transport::Failure;
use crate::wire::{Reader, put_bytes, put_number};

/// The first byte of a record with a state and the number of its parent.
const VISIT: u8 = 1;

/// The first byte of a record with the position of a state on a path and its number.
const STEP: u8 = 2;

impl Rank<'_> {
    /// The references that lead from a state on, until one is none or comes again: the states in the order of the references. All ranks
    /// get the same.
    pub fn follow(&mut self, from: StateRef, of: &[StateRef]) -> Result<Vec<(StateRef, Vec<u8>)>, Stop> {
        self.walk(from, None, of)
    }

    /// Follows references, at most to a state. Each rank follows those of its own states and passes the walk on, so a step takes one
    /// record at most; the states are gathered at the end.
    fn walk(
        &mut self,
        from: StateRef,
        to: Option<StateRef>,
        of: &[StateRef],
    ) -> Result<Vec<(StateRef, Vec<u8>)>, Stop> {
        let start = (from.rank == self.number()).then_some((0, from.number));
        let mut walk = Walk { of, to, at: start, known: HashSet::new(), path: Vec::new() };
        self.run(&mut walk)?;
        let mut mine = Vec::new();
        for (position, number) in walk.path {
            put_number(&mut mine, position);
            put_number(&mut mine, u64::from(number));
            put_bytes(&mut mine, self.table.get(number));
        }
        let mut path = Vec::new();
        for (rank, bytes) in self.net.gather(mine)?.iter().enumerate() {
            let mut reader = Reader::new(bytes);
            while let (Some(position), Some(number), Some(state)) = (reader.number(), reader.number(), reader.bytes()) {
                path.push((position, StateRef { rank: rank as u32, number: number as u32 }, state.to_vec()));
            }
        }
        path.sort_unstable_by_key(|(position, ..)| *position);
        match path.iter().zip(0..).all(|((position, ..), expected)| *position == expected) && !path.is_empty() {
            true => Ok(path.into_iter().map(|(_, at, state)| (at, state)).collect()),
            false => Err(Failure::Protocol(from.rank as usize, "a path has a gap").into()),
        }
    }

    /// The choices of a run from the initial state to a state.
    pub fn choices_to(&mut self, at: StateRef) -> Result<Vec<u32>, Stop> {
        let parents = std::mem::take(&mut self.parents);
        let path = self.follow(at, &parents);
        self.parents = parents;
        let states: Vec<Vec<u8>> = path?.into_iter().rev().map(|(_, state)| state).collect();
        Ok(self.choices(&states)?)
    }

    /// The number of the successor at each state of a path.
    pub fn choices(&mut self, path: &[Vec<u8>]) -> Result<Vec<u32>, Failure> {
        let gap = Failure::Protocol(self.net.rank(), "a path has a gap");
        path.windows(2)
            .map(|pair| {
                let (_, batch) = self.expand_state(&pair[0]);
                let choice = batch.states().position(|state| state == &pair[1][..]);
                choice.map(|choice| choice as u32).ok_or(gap.clone())
            })
            .collect()
    }

    /// The states of a shortest path with at least one step from a state to another. None if there is none.
    pub fn path(&mut self, from: StateRef, to: StateRef) -> Result<Option<Vec<Vec<u8>>>, Stop> {
        let mut visit = Visit { parents: vec![StateRef::NONE; self.table.len()], ..Visit::default() };
        if from.rank == self.number() {
            visit.next.push(from.number);
        }
        loop {
            visit.level = std::mem::take(&mut visit.next);
            let [open] = self.net.sum([visit.level.len() as u64])?;
            if open == 0 {
                return Ok(None);
            }
            self.run(&mut visit)?;
            let here = to.rank == self.number() && visit.parents.get(to.number as usize).is_some_and(is_some);
            if self.net.sum([u64::from(here)])? == [1] {
                break;
            }
        }
        let path = self.walk(to, Some(from), &visit.parents)?;
        Ok(Some(path.into_iter().rev().map(|(_, state)| state).collect()))
    }
}

fn is_some(reference: &StateRef) -> bool {
    *reference != StateRef::NONE
}

/// A walk along references. One rank has it at a time.
struct Walk<'r> {
    of: &'r [StateRef],
    to: Option<StateRef>,
    /// The position and the number of the state that the walk has come to.
    at: Option<(u64, u32)>,
    known: HashSet<u32>,
    path: Vec<(u64, u32)>,
}

impl Phase for Walk<'_> {
    fn take(&mut self, _: &mut Rank<'_>, _: u32, mut record: Reader<'_>) -> Result<(), Stop> {
        if let (Some(STEP), Some(position), Some(number)) = (record.byte(), record.number(), record.number()) {
            self.at = Some((position, number as u32));
        }
        Ok(())
    }

    fn work(&mut self, rank: &mut Rank<'_>) -> Result<bool, Stop> {
        let Some((position, number)) = self.at.take() else { return Ok(false) };
        let is_end = position > 0 && self.to == Some(rank.reference(number));
        if !self.known.insert(number) && !is_end {
            return Ok(true);
        }
        self.path.push((position, number));
        let next = self.of.get(number as usize).copied().unwrap_or(StateRef::NONE);
        if next == StateRef::NONE || is_end {
            return Ok(true);
        }
        if next.rank == rank.number() {
            self.at = Some((position + 1, next.number));
        } else {
            rank.send_number(STEP, &[position + 1], next)?;
        }
        Ok(true)
    }
}

/// A breadth-first search for a path. States that were not known before are added to the tables.
#[derive(Default)]
struct Visit {
    level: Vec<u32>,
    next: Vec<u32>,
    parents: Vec<StateRef>,
}

impl Phase for Visit {
    fn take(&mut self, rank: &mut Rank<'_>, from: u32, mut record: Reader<'_>) -> Result<(), Stop> {
        if let (Some(VISIT), Some(parent)) = (record.byte(), record.number()) {
            let hash = hash(record.rest());
            let parent = StateRef { rank: from, number: parent as u32 };
            let (number, _) = rank.intern(record.rest(), hash, parent)?;
            self.parents.resize(rank.table.len(), StateRef::NONE);
            let known = &mut self.parents[number as usize];
            if !is_some(known) {
                *known = parent;
                self.next.push(number);
            }
        }
        Ok(())
    }

    fn work(&mut self, rank: &mut Rank<'_>) -> Result<bool, Stop> {
        let Some(number) = self.level.pop() else { return Ok(false) };
        rank.send_to_successors(number, VISIT, &[u64::from(number)])?;
        Ok(true)
    }
}
