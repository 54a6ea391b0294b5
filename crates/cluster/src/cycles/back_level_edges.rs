//! Back-level edges: breadth-first search with a search for cycles after each level.
//!
//! J. Barnat, L. Brim and J. Chaloupka, "Parallel breadth-first search LTL model-checking", ASE 2003, and "From distributed memory cycle
//! detection to parallel LTL model checking", ENTCS 133, 2005.
//!
//! A *back-level edge* leads to a state that is not farther from the initial state than its source. Every cycle has one, from a state
//! of its greatest distance. So after each level the algorithm looks for accepting cycles through the sources of back-level edges of
//! this level, among the states found so far. The nested searches of all sources go on at once: each state knows the greatest source
//! from which a path leads to it, and whether an accepting state is on such a path. A source that is reached by itself, with an
//! accepting state on the way, is on an accepting cycle. The greatest sources that are not are removed, and the search is repeated
//! for the others, as greater sources hide smaller ones.
//!
//! All states of a cycle are in one component of the property automaton (J. Barnat, L. Brim and I. Černá, "Property driven distribution of
//! nested DFS", VCL 2002), so edges between components, and components without accepting states, are left out. What is left
//! is searched again after each level: the time is quadratic if there are many levels with back-level edges.

use std::collections::{HashSet, VecDeque};

use kripke_model::State;

use super::{Verdict, owcty};
use crate::components::Component;
use crate::partition::hash;
use crate::rank::{Phase, Rank, StateRef, Stop};
use crate::wire::Reader;

const STATE: u8 = 1;
const BACK: u8 = 2;
const VALUE: u8 = 3;
const REMOVE: u8 = 4;

/// The greatest source from which a path leads to a state, and an accepting state on such a path. Both are none at first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
struct Value {
    source: Option<StateRef>,
    accepting: Option<StateRef>,
}

impl Value {
    /// Whether this value is to replace another one. Accepting states are not compared.
    fn replaces(self, old: Value) -> bool {
        (self.source, self.accepting.is_some()) > (old.source, old.accepting.is_some())
    }
}

/// A reference that may be none, as a number.
fn encode(reference: Option<StateRef>) -> u64 {
    reference.map_or(0, |reference| reference.to_number() + 1)
}

fn decode(number: u64) -> Option<StateRef> {
    number.checked_sub(1).map(StateRef::from_number)
}

/// What a rank knows about its states.
#[derive(Default)]
struct Levels {
    accepting: Vec<bool>,
    accepting_states: u64,
    /// The component of the property automaton, plus one; zero if it has no accepting state.
    component: Vec<u32>,
    /// The states of this level begin and end here; states of the next level follow.
    start: u32,
    end: u32,
    /// The states of this level with a back-level edge that may be on an accepting cycle.
    sources: HashSet<u32>,
    value: Vec<Value>,
    waiting: Vec<bool>,
    /// The states that have a value.
    valued: Vec<u32>,
    queue: VecDeque<u32>,
    found: Option<StateRef>,
}

pub(super) fn run(rank: &mut Rank<'_>) -> Result<Verdict, Stop> {
    let mut levels = Levels::default();
    let initial = rank.initial();
    let (owner, hash) = rank.owner(&initial);
    if owner == rank.net.rank() {
        rank.intern(&initial, hash, StateRef::NONE)?;
        levels.add(rank, &initial);
    }
    loop {
        levels.end = rank.table.len() as u32;
        let next = levels.start;
        rank.run(&mut Expand { levels: &mut levels, next })?;
        if rank.has_errors()? {
            return Ok(Verdict::Error);
        }
        if let Some(found) = levels.find_cycle(rank)? {
            return Ok(Verdict::Cycle(found));
        }
        rank.observe_states()?;
        levels.start = levels.end;
        let [open] = rank.net.sum([rank.table.len() as u64 - u64::from(levels.end)])?;
        if open == 0 {
            return owcty::certificate(rank);
        }
        if rank.budget().max_depth.is_some_and(|most| rank.depth >= u64::from(most)) {
            return Ok(Verdict::Depth);
        }
        rank.depth += 1;
    }
}

impl Levels {
    /// An accepting state on a cycle through a source of this level.
    fn find_cycle(&mut self, rank: &mut Rank<'_>) -> Result<Option<StateRef>, Stop> {
        loop {
            let [sources, accepting] = rank.net.sum([self.sources.len() as u64, self.accepting_states])?;
            if sources == 0 {
                return Ok(None);
            }
            // All states of this level and of those before are expanded: without an accepting one there is no such cycle yet.
            if accepting == 0 {
                self.sources.clear();
                return Ok(None);
            }
            self.begin();
            if rank.run(&mut Propagate(self))? {
                return Ok(rank.least(self.found.take())?);
            }
            let valued = self.valued.iter().map(|number| self.value[*number as usize]);
            let greatest: HashSet<StateRef> = valued.filter_map(|value| value.source).collect();
            let mut remove = Remove { levels: self, greatest: greatest.into_iter().collect() };
            rank.run(&mut remove)?;
        }
    }

    fn begin(&mut self) {
        let states = self.end as usize;
        for number in self.valued.drain(..) {
            self.value[number as usize] = Value::default();
        }
        self.value.resize(states, Value::default());
        // The search before may have ended early.
        self.queue.drain(..).for_each(|number| self.waiting[number as usize] = false);
        self.waiting.resize(states, false);
        self.queue.extend(&self.sources);
        self.queue.iter().for_each(|number| self.waiting[*number as usize] = true);
    }

    /// Notes the component of a state that is new.
    fn add(&mut self, rank: &mut Rank<'_>, state: &State) {
        let accepting = |component: Component| if component.is_accepting { component.number + 1 } else { 0 };
        self.component.push(rank.component(state).map_or(1, accepting));
    }
}

/// Expands a level, and asks for each transition whether it is a back-level edge.
struct Expand<'l> {
    levels: &'l mut Levels,
    next: u32,
}

impl Phase for Expand<'_> {
    fn take(&mut self, rank: &mut Rank<'_>, from: u32, mut record: Reader<'_>) -> Result<(), Stop> {
        let (Some(tag), Some(number)) = (record.byte(), record.number()) else { return Ok(()) };
        if tag == BACK {
            self.levels.sources.insert(number as u32);
            return Ok(());
        }
        let Some(component) = record.number() else { return Ok(()) };
        let hash = hash(record.rest());
        let parent = StateRef { rank: from, number: number as u32 };
        let (to, new) = rank.intern(record.rest(), hash, parent)?;
        if new {
            self.levels.add(rank, record.rest());
        }
        let may_be_on_cycle = component > 0 && component == u64::from(self.levels.component[to as usize]);
        if to < self.levels.end && may_be_on_cycle {
            rank.send_number(BACK, &[], parent)?;
        }
        Ok(())
    }

    fn work(&mut self, rank: &mut Rank<'_>) -> Result<bool, Stop> {
        if self.next == self.levels.end {
            return Ok(false);
        }
        let number = self.next;
        self.next += 1;
        let (flags, batch) = rank.expand_first(number);
        self.levels.accepting.push(flags.accepting);
        self.levels.accepting_states += u64::from(flags.accepting);
        let component = u64::from(self.levels.component[number as usize]);
        for state in batch.states() {
            rank.send_state(STATE, &[u64::from(number), component], state)?;
        }
        rank.recycle(batch);
        rank.appendix_bytes = 38 * self.levels.value.capacity() as u64;
        Ok(true)
    }
}

/// Sends values to successors that are known, until they do not change.
struct Propagate<'l>(&'l mut Levels);

impl Phase for Propagate<'_> {
    fn take(&mut self, rank: &mut Rank<'_>, _: u32, mut record: Reader<'_>) -> Result<(), Stop> {
        let levels = &mut *self.0;
        let (Some(VALUE), Some(component)) = (record.byte(), record.number()) else { return Ok(()) };
        let (Some(source), Some(accepting)) = (record.number(), record.number()) else { return Ok(()) };
        let hash = hash(record.rest());
        let is_inside =
            |number: &u32| *number < levels.end && u64::from(levels.component[*number as usize]) == component;
        let Some(number) = rank.table.find(record.rest(), hash).filter(is_inside) else { return Ok(()) };
        let value = Value { source: decode(source), accepting: decode(accepting) };
        if value.source == Some(rank.reference(number)) && value.accepting.is_some() {
            levels.found = value.accepting;
            rank.end_phase()?;
        } else if value.replaces(levels.value[number as usize]) {
            if std::mem::replace(&mut levels.value[number as usize], value) == Value::default() {
                levels.valued.push(number);
            }
            if !std::mem::replace(&mut levels.waiting[number as usize], true) {
                levels.queue.push_back(number);
            }
        }
        Ok(())
    }

    fn work(&mut self, rank: &mut Rank<'_>) -> Result<bool, Stop> {
        let levels = &mut *self.0;
        let Some(number) = levels.queue.pop_front() else { return Ok(false) };
        levels.waiting[number as usize] = false;
        let own = rank.reference(number);
        let mut value = levels.value[number as usize];
        if levels.sources.contains(&number) && value.source < Some(own) {
            value = Value { source: Some(own), accepting: None };
        }
        if levels.accepting[number as usize] {
            value.accepting = value.accepting.or(Some(own));
        }
        let component = u64::from(levels.component[number as usize]);
        rank.send_to_successors(number, VALUE, &[component, encode(value.source), encode(value.accepting)])?;
        Ok(true)
    }
}

/// Tells the greatest sources that they are on no accepting cycle.
struct Remove<'l> {
    levels: &'l mut Levels,
    greatest: Vec<StateRef>,
}

impl Phase for Remove<'_> {
    fn take(&mut self, _: &mut Rank<'_>, _: u32, mut record: Reader<'_>) -> Result<(), Stop> {
        if let (Some(REMOVE), Some(number)) = (record.byte(), record.number()) {
            self.levels.sources.remove(&(number as u32));
        }
        Ok(())
    }

    fn work(&mut self, rank: &mut Rank<'_>) -> Result<bool, Stop> {
        let Some(source) = self.greatest.pop() else { return Ok(false) };
        rank.send_number(REMOVE, &[], source)?;
        Ok(true)
    }
}
