//! NCD: negative cycle detection.
//!
//! L. Brim, I. Černá, P. Krčál and R. Pelánek, "Distributed LTL model checking based on negative cycle detection", FSTTCS 2001.
//!
//! Transitions from accepting states have the length -1, all others 0. A cycle is accepting if and only if its length is negative.
//! Distances from the initial state are computed as by Bellman and Ford, round by round; every state refers to the predecessor that
//! its distance comes from. If these references form a cycle, it is a negative one; and if there is a negative cycle, distances do not
//! stop to change, and the references form a cycle at some time (B. Cherkassky and A. Goldberg, "Negative-cycle detection algorithms",
//! Mathematical Programming 85, 1999). The references are examined after 1, 2, 4, … rounds: states that no state refers to are
//! removed as long as there are any, and what is left is on cycles.
//!
//! If distances stop to change, they are the certificate: no transition increases them, and one from an accepting state decreases them.

use super::Verdict;
use crate::partition::hash;
use crate::rank::{Phase, Rank, StateRef, Stop};
use crate::wire::Reader;

const DISTANCE: u8 = 1;
const REFER: u8 = 2;
const RELEASE: u8 = 3;

/// What a rank knows about its states.
#[derive(Default)]
struct Distances {
    /// The negated distance.
    distance: Vec<u64>,
    expanded: Vec<bool>,
    /// The predecessor that the distance comes from.
    parents: Vec<StateRef>,
    waiting: Vec<bool>,
    /// The states whose distance has changed in the last round.
    queue: Vec<u32>,
    /// Those of this round.
    next: Vec<u32>,
}

pub(super) fn run(rank: &mut Rank<'_>) -> Result<Verdict, Stop> {
    let mut distances = Distances::default();
    let initial = rank.initial();
    let (owner, hash) = rank.owner(&initial);
    if owner == rank.net.rank() {
        let (number, _) = rank.intern(&initial, hash, StateRef::NONE)?;
        distances.add(number, StateRef::NONE);
    }
    let mut round = 0_u64;
    loop {
        distances.queue = std::mem::take(&mut distances.next);
        let [open] = rank.net.sum([distances.queue.len() as u64])?;
        if open == 0 {
            return Ok(Verdict::NoCycle(Some(distances.certificate())));
        }
        rank.run(&mut Relax(&mut distances))?;
        if rank.has_errors()? {
            return Ok(Verdict::Error);
        }
        round += 1;
        rank.depth = round;
        if round.is_power_of_two()
            && let Some(state) = distances.cycle(rank)?
        {
            return distances.accepting_on(rank, state);
        }
        rank.observe_states()?;
    }
}

impl Distances {
    /// Adds a new state.
    fn add(&mut self, number: u32, parent: StateRef) {
        let states = number as usize + 1;
        self.distance.resize(states, 0);
        self.expanded.resize(states, false);
        self.parents.resize(states, StateRef::NONE);
        self.waiting.resize(states, false);
        self.parents[number as usize] = parent;
        self.push(number);
    }

    fn push(&mut self, number: u32) {
        if !std::mem::replace(&mut self.waiting[number as usize], true) {
            self.next.push(number);
        }
    }

    fn certificate(self) -> Vec<u64> {
        self.distance.into_iter().map(|distance| u64::MAX - distance).collect()
    }

    /// A state on a cycle of references, if there is one.
    fn cycle(&self, rank: &mut Rank<'_>) -> Result<Option<StateRef>, Stop> {
        let states = self.parents.len();
        let mut trim = Trim { parents: &self.parents, referring: vec![0; states], next: 0, queue: Vec::new() };
        rank.run(&mut trim)?;
        trim.queue = (0..states as u32).filter(|number| trim.referring[*number as usize] == 0).collect();
        trim.next = states;
        rank.run(&mut trim)?;
        let left = trim.referring.iter().position(|referring| *referring > 0);
        Ok(rank.least(left.map(|number| rank.reference(number as u32)))?)
    }

    /// An accepting state on a cycle of references.
    fn accepting_on(&self, rank: &mut Rank<'_>, first: StateRef) -> Result<Verdict, Stop> {
        for (at, state) in rank.follow(first, &self.parents)? {
            if rank.expand_state(&state).0.accepting {
                return Ok(Verdict::Cycle(at));
            }
        }
        Ok(Verdict::NoCycle(None))
    }
}

/// One round: the states whose distance has changed tell their successors.
struct Relax<'d>(&'d mut Distances);

impl Phase for Relax<'_> {
    fn take(&mut self, rank: &mut Rank<'_>, from: u32, mut record: Reader<'_>) -> Result<(), Stop> {
        let distances = &mut *self.0;
        let (Some(DISTANCE), Some(parent), Some(value)) = (record.byte(), record.number(), record.number()) else {
            return Ok(());
        };
        let hash = hash(record.rest());
        let parent = StateRef { rank: from, number: parent as u32 };
        let (number, new) = rank.intern(record.rest(), hash, parent)?;
        if new {
            distances.add(number, parent);
            distances.distance[number as usize] = value;
        } else if value > distances.distance[number as usize] {
            distances.distance[number as usize] = value;
            distances.parents[number as usize] = parent;
            distances.push(number);
        }
        Ok(())
    }

    fn work(&mut self, rank: &mut Rank<'_>) -> Result<bool, Stop> {
        let distances = &mut *self.0;
        let Some(number) = distances.queue.pop() else { return Ok(false) };
        let index = number as usize;
        distances.waiting[index] = false;
        let is_new = !std::mem::replace(&mut distances.expanded[index], true);
        let (flags, batch) = if is_new { rank.expand_first(number) } else { rank.expand(number) };
        let value = distances.distance[index] + u64::from(flags.accepting);
        for state in batch.states() {
            rank.send_state(DISTANCE, &[u64::from(number), value], state)?;
        }
        rank.recycle(batch);
        rank.appendix_bytes = 19 * distances.distance.capacity() as u64;
        Ok(true)
    }
}

/// Counts the references to each state, then removes states that no state refers to.
struct Trim<'p> {
    parents: &'p [StateRef],
    referring: Vec<u32>,
    next: usize,
    queue: Vec<u32>,
}

impl Phase for Trim<'_> {
    fn take(&mut self, _: &mut Rank<'_>, _: u32, mut record: Reader<'_>) -> Result<(), Stop> {
        let (Some(tag), Some(number)) = (record.byte(), record.number()) else { return Ok(()) };
        let referring = &mut self.referring[number as usize];
        match tag {
            REFER => *referring += 1,
            RELEASE => {
                *referring -= 1;
                if *referring == 0 {
                    self.queue.push(number as u32);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn work(&mut self, rank: &mut Rank<'_>) -> Result<bool, Stop> {
        let (number, tag) = match self.queue.pop() {
            Some(number) => (number as usize, RELEASE),
            None if self.next < self.parents.len() => (self.next, REFER),
            None => return Ok(false),
        };
        self.next += usize::from(tag == REFER);
        let parent = self.parents[number];
        if parent != StateRef::NONE {
            rank.send_number(tag, &[], parent)?;
        }
        Ok(true)
    }
}
