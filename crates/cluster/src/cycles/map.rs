//! MAP: maximal accepting predecessors.
//!
//! L. Brim, I. Černá, P. Moravec and J. Šimša, "Accepting predecessors are better than back edges in distributed LTL model-checking",
//! FMCAD 2004.
//!
//! States are ordered. The maximal accepting predecessor of a state is the greatest accepting state from which a path of at least one
//! step leads to it. A state that is its own one is on an accepting cycle. If there is none, the states that are maximal accepting
//! predecessors are on no accepting cycle: all of the cycle would have a greater one. They no longer count as accepting, and the
//! values are computed again, until there are none. The first computation explores the states, so a cycle may be found before all
//! states are known.
//!
//! The number of computations depends on the order: L. Brim, I. Černá, P. Moravec and J. Šimša, "How to order vertices for distributed
//! LTL model-checking based on accepting predecessors", PDMC 2005. [`VertexOrder`] has orders that need no more than the
//! reference of a state: the numbers of a rank follow the order in which it has reached its states.

use std::collections::HashSet;

use super::{Verdict, owcty};
use crate::partition::hash;
use crate::rank::{Phase, Rank, StateRef, Stop};
use crate::wire::Reader;

const VALUE: u8 = 1;
const REMOVE: u8 = 2;

/// The value of a state without an accepting predecessor. Others are the number of the reference, plus one.
const NONE: u64 = 0;

/// The order of the states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VertexOrder {
    /// By their owner, then in the order in which it has reached them.
    Owner,
    /// In the order in which their owner has reached them: later ones are greater.
    Visit,
    /// The reverse: earlier ones are greater.
    ReversedVisit,
}

impl VertexOrder {
    /// The value of a state: greater for greater states, and never [`NONE`].
    fn value_of(self, StateRef { rank, number }: StateRef) -> u64 {
        match self {
            VertexOrder::Owner => StateRef { rank, number }.to_number() + 1,
            VertexOrder::Visit => StateRef { rank: number, number: rank }.to_number() + 1,
            VertexOrder::ReversedVisit => StateRef { rank: u32::MAX - number, number: rank }.to_number() + 1,
        }
    }

    fn state_of(self, value: u64) -> StateRef {
        let StateRef { rank, number } = StateRef::from_number(value - 1);
        match self {
            VertexOrder::Owner => StateRef { rank, number },
            VertexOrder::Visit => StateRef { rank: number, number: rank },
            VertexOrder::ReversedVisit => StateRef { rank: number, number: u32::MAX - rank },
        }
    }
}

/// What a rank knows about its states.
struct Map {
    order: VertexOrder,
    /// Whether a state still counts as accepting; none before it is expanded.
    accepting: Vec<Option<bool>>,
    /// The maximal accepting predecessor.
    value: Vec<u64>,
    /// Whether a state is in the queue.
    waiting: Vec<bool>,
    queue: Vec<u32>,
    found: Option<StateRef>,
}

pub(super) fn run(rank: &mut Rank<'_>, order: VertexOrder) -> Result<Verdict, Stop> {
    let (accepting, value, waiting, queue) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut map = Map { order, accepting, value, waiting, queue, found: None };
    let initial = rank.initial();
    let (owner, hash) = rank.owner(&initial);
    if owner == rank.net.rank() {
        let (number, _) = rank.intern(&initial, hash, StateRef::NONE)?;
        map.push(number);
    }
    loop {
        let is_done = rank.run(&mut Propagate(&mut map))?;
        if rank.has_errors()? {
            return Ok(Verdict::Error);
        }
        if is_done {
            let found = rank.least(map.found)?;
            return Ok(found.map_or(Verdict::NoCycle(None), Verdict::Cycle));
        }
        rank.observe_states()?;
        let mut remove = Remove { map: &mut map, next: 0, told: HashSet::new() };
        rank.run(&mut remove)?;
        let [removed] = rank.net.sum([remove.told.len() as u64])?;
        if removed == 0 {
            return owcty::certificate(rank);
        }
        map.begin_again();
    }
}

impl Map {
    /// Puts a state into the queue, unless it is there.
    fn push(&mut self, number: u32) {
        let number = number as usize;
        if self.value.len() <= number {
            self.value.resize(number + 1, NONE);
            self.waiting.resize(number + 1, false);
            self.accepting.resize(number + 1, None);
        }
        if !std::mem::replace(&mut self.waiting[number], true) {
            self.queue.push(number as u32);
        }
    }

    fn begin_again(&mut self) {
        self.value.fill(NONE);
        let accepting: Vec<u32> =
            (0..self.accepting.len() as u32).filter(|number| self.accepting[*number as usize] == Some(true)).collect();
        accepting.into_iter().for_each(|number| self.push(number));
    }
}

/// Sends values to successors until they do not change. States that are new are explored.
struct Propagate<'p>(&'p mut Map);

impl Phase for Propagate<'_> {
    fn take(&mut self, rank: &mut Rank<'_>, from: u32, mut record: Reader<'_>) -> Result<(), Stop> {
        let map = &mut *self.0;
        let (Some(VALUE), Some(parent), Some(value)) = (record.byte(), record.number(), record.number()) else {
            return Ok(());
        };
        let hash = hash(record.rest());
        let parent = StateRef { rank: from, number: parent as u32 };
        let (number, new) = rank.intern(record.rest(), hash, parent)?;
        if new {
            map.push(number);
        }
        let at = rank.reference(number);
        if value == map.order.value_of(at) && map.found.is_none() {
            map.found = Some(at);
            rank.end_phase()?;
        } else if value > map.value[number as usize] {
            map.value[number as usize] = value;
            map.push(number);
        }
        Ok(())
    }

    fn work(&mut self, rank: &mut Rank<'_>) -> Result<bool, Stop> {
        let map = &mut *self.0;
        let Some(number) = map.queue.pop() else { return Ok(false) };
        map.waiting[number as usize] = false;
        let is_new = map.accepting[number as usize].is_none();
        let (flags, batch) = if is_new { rank.expand_until_error(number)? } else { rank.expand(number) };
        let accepting = *map.accepting[number as usize].get_or_insert(flags.accepting);
        let own = if accepting { map.order.value_of(rank.reference(number)) } else { NONE };
        let value = own.max(map.value[number as usize]);
        for state in batch.states() {
            rank.send_state(VALUE, &[u64::from(number), value], state)?;
        }
        rank.recycle(batch);
        rank.appendix_bytes = 11 * map.value.capacity() as u64;
        Ok(true)
    }
}

/// Tells the maximal accepting predecessors that they no longer count as accepting.
struct Remove<'p> {
    map: &'p mut Map,
    next: usize,
    told: HashSet<u64>,
}

impl Phase for Remove<'_> {
    fn take(&mut self, _: &mut Rank<'_>, _: u32, mut record: Reader<'_>) -> Result<(), Stop> {
        if let (Some(REMOVE), Some(number)) = (record.byte(), record.number()) {
            self.map.accepting[number as usize] = Some(false);
        }
        Ok(())
    }

    fn work(&mut self, rank: &mut Rank<'_>) -> Result<bool, Stop> {
        let Some(value) = self.map.value.get(self.next).copied() else { return Ok(false) };
        self.next += 1;
        if value != NONE && self.told.insert(value) {
            rank.send_number(REMOVE, &[], self.map.order.state_of(value))?;
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_denote_states_and_follow_the_order() {
        let state = |rank, number| StateRef { rank, number };
        let (first, second, third) = (state(1, 0), state(0, 5), state(1, 5));
        for order in [VertexOrder::Owner, VertexOrder::Visit, VertexOrder::ReversedVisit] {
            for at in [first, second, third, state(0, 0)] {
                assert_eq!(order.state_of(order.value_of(at)), at);
                assert_ne!(order.value_of(at), NONE);
            }
        }
        assert!(VertexOrder::Owner.value_of(first) > VertexOrder::Owner.value_of(second));
        assert!(VertexOrder::Visit.value_of(first) < VertexOrder::Visit.value_of(second));
        assert!(VertexOrder::Visit.value_of(second) < VertexOrder::Visit.value_of(third));
        assert!(VertexOrder::ReversedVisit.value_of(first) > VertexOrder::ReversedVisit.value_of(third));
    }
}
