//! Property-driven NDFS: nested depth-first searches in the components of the property automaton.
//!
//! J. Barnat, L. Brim and I. Černá, "Property driven distribution of nested DFS", VCL 2002.
//!
//! The states are [partitioned](crate::components) so that every cycle is on one rank. A component without accepting states has no
//! accepting cycle: its states are spread over all ranks by their hash and only explored. All other components belong to one rank each,
//! which runs a nested depth-first search in it: the search does not leave the component, and a state of another one is sent to its
//! owner, where it is the root of another search. No more ranks have work than there are such components.

use std::collections::VecDeque;

use kripke_model::State;

use super::{Verdict, owcty};
use crate::components::Component;
use crate::partition::hash;
use crate::rank::{Phase, Rank, StateRef, Stop};
use crate::wire::Reader;

const ROOT: u8 = 1;

/// A state on a search stack, with its successors in the same component.
struct Frame {
    number: u32,
    successors: Vec<u32>,
}

/// What a rank knows about its states.
#[derive(Default)]
struct LocalSearches {
    visited: Vec<bool>,
    accepting: Vec<bool>,
    /// Whether a nested search has visited a state.
    nested: Vec<bool>,
    roots: VecDeque<u32>,
    outer_stack: Vec<Frame>,
    nested_stack: Vec<Frame>,
    seed: u32,
    found: Option<StateRef>,
}

pub(super) fn run(rank: &mut Rank<'_>) -> Result<Verdict, Stop> {
    let mut searches = LocalSearches::default();
    let initial = rank.initial();
    let (owner, hash) = rank.owner(&initial);
    if owner == rank.net.rank() {
        let (number, _) = rank.intern(&initial, hash, StateRef::NONE)?;
        searches.roots.push_back(number);
    }
    let is_done = rank.run(&mut searches)?;
    if rank.has_errors()? {
        return Ok(Verdict::Error);
    }
    if is_done {
        let found = rank.least(searches.found)?;
        return Ok(found.map_or(Verdict::NoCycle(None), Verdict::Cycle));
    }
    rank.observe_states()?;
    owcty::certificate(rank)
}

impl LocalSearches {
    /// Begins to search from a state that the outer search has not visited.
    fn visit(&mut self, rank: &mut Rank<'_>, number: u32) -> Result<(), Stop> {
        self.visited.resize(rank.table.len(), false);
        self.accepting.resize(rank.table.len(), false);
        if std::mem::replace(&mut self.visited[number as usize], true) {
            return Ok(());
        }
        let state = rank.table.get(number).to_vec();
        let component = rank.component(&state);
        let (flags, batch) = rank.expand_until_error(number)?;
        self.accepting[number as usize] = flags.accepting;
        let mut successors = Vec::new();
        for state in batch.states() {
            successors.extend(self.follow(rank, (number, component), state)?);
        }
        rank.recycle(batch);
        rank.appendix_bytes = 3 * self.visited.capacity() as u64;
        self.outer_stack.push(Frame { number, successors });
        Ok(())
    }

    /// The number of a successor in the same component. A state of another component, or of one without accepting states, is sent to
    /// its owner.
    fn follow(
        &mut self,
        rank: &mut Rank<'_>,
        (number, component): (u32, Option<Component>),
        state: &State,
    ) -> Result<Option<u32>, Stop> {
        let to = rank.component(state);
        if to != component || to.is_some_and(|to| !to.is_accepting) {
            rank.send_state(ROOT, &[u64::from(number)], state)?;
            return Ok(None);
        }
        let parent = rank.reference(number);
        Ok(Some(rank.intern(state, hash(state), parent)?.0))
    }

    fn go_on(&mut self, rank: &mut Rank<'_>) -> Result<(), Stop> {
        let Some(frame) = self.outer_stack.last_mut() else { return Ok(()) };
        if let Some(next) = frame.successors.pop() {
            return self.visit(rank, next);
        }
        let number = frame.number;
        self.outer_stack.pop();
        if self.accepting[number as usize] {
            self.seed = number;
            self.visit_nested(rank, number)?;
        }
        Ok(())
    }

    /// Continues the nested search with the successors of a state in the same component.
    fn visit_nested(&mut self, rank: &mut Rank<'_>, number: u32) -> Result<(), Stop> {
        let state = rank.table.get(number).to_vec();
        let component = rank.component(&state);
        let (_, batch) = rank.expand(number);
        let mut successors = Vec::new();
        for state in batch.states() {
            if rank.component(state) == component {
                successors.extend(rank.table.find(state, hash(state)));
            }
        }
        rank.recycle(batch);
        self.nested_stack.push(Frame { number, successors });
        Ok(())
    }

    fn go_on_nested(&mut self, rank: &mut Rank<'_>) -> Result<(), Stop> {
        let Some(next) = self.nested_stack.last_mut().and_then(|frame| frame.successors.pop()) else {
            self.nested_stack.pop();
            return Ok(());
        };
        if next == self.seed {
            self.found = Some(rank.reference(next));
            return Ok(rank.end_phase()?);
        }
        self.nested.resize(rank.table.len(), false);
        if !std::mem::replace(&mut self.nested[next as usize], true) {
            self.visit_nested(rank, next)?;
        }
        Ok(())
    }
}

impl Phase for LocalSearches {
    fn take(&mut self, rank: &mut Rank<'_>, from: u32, mut record: Reader<'_>) -> Result<(), Stop> {
        if let (Some(ROOT), Some(parent)) = (record.byte(), record.number()) {
            let parent = StateRef { rank: from, number: parent as u32 };
            let (number, new) = rank.intern(record.rest(), hash(record.rest()), parent)?;
            if new {
                self.roots.push_back(number);
            }
        }
        Ok(())
    }

    fn work(&mut self, rank: &mut Rank<'_>) -> Result<bool, Stop> {
        if !self.nested_stack.is_empty() {
            self.go_on_nested(rank)?;
        } else if !self.outer_stack.is_empty() {
            self.go_on(rank)?;
        } else if let Some(root) = self.roots.pop_front() {
            self.visit(rank, root)?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }
}
