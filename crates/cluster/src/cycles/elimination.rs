//! The elimination that both directions of OWCTY share.
//!
//! A set of states that contains every accepting cycle is made smaller in turn by two steps: states are removed that no accepting state
//! of the set [reaches](Elimination::reach), and states that nothing in the set [precedes](Elimination::eliminate). If the set is
//! empty, there is no accepting cycle. If it does not change, there is one: each state is then reached by an accepting state of the
//! set, which has a predecessor in the set, and so on. On the reversed graph, "reaches" and "precedes" mean the opposite.
//!
//! The order of removal is a certificate. In the original direction a transition never leads to a state that was removed earlier. The
//! states of one elimination are numbered by the longest chain of eliminated states before them. The states that an accepting state
//! does not reach have equal numbers, and none of them is accepting.

use super::{Verdict, repeated};
use crate::partition::hash;
use crate::rank::{Phase, Rank, StateRef, Stop};
use crate::wire::Reader;

const REACH: u8 = 1;
const ELIMINATE: u8 = 2;
const ORIGIN: u8 = 3;

/// The direction in which records travel.
pub(super) enum Direction {
    /// To the successors of a state, which is expanded again. Records have states in them.
    Forward,
    /// To the predecessors of a state, which are known, one for each transition. Records have numbers in them.
    Backward(Vec<Vec<StateRef>>),
}

impl Direction {
    fn tell(&self, rank: &mut Rank<'_>, number: u32, tag: u8, numbers: &[u64]) -> Result<(), Stop> {
        match self {
            Direction::Forward => rank.send_to_successors(number, tag, numbers)?,
            Direction::Backward(predecessors) => {
                let to = &predecessors[number as usize];
                to.iter().try_for_each(|to| rank.send_number(tag, numbers, *to))?;
            }
        }
        Ok(())
    }

    /// The number of the state that a record is about. States that a search did not find are of no interest.
    fn number_of(&self, rank: &Rank<'_>, mut record: Reader<'_>) -> Option<usize> {
        match self {
            Direction::Forward => {
                let hash = hash(record.rest());
                rank.table.find(record.rest(), hash).map(|number| number as usize)
            }
            Direction::Backward(_) => record.number().map(|number| number as usize),
        }
    }

    /// The number of a state in the certificate, given the step and the chain with which it was removed.
    fn certificate(&self, step: u32, chain: u32) -> u64 {
        match self {
            Direction::Forward => u64::from(u32::MAX - step) << 32 | u64::from(u32::MAX - chain),
            Direction::Backward(_) => u64::from(step) << 32 | u64::from(chain),
        }
    }
}

/// What a rank knows about its states.
pub(super) struct Elimination {
    direction: Direction,
    accepting: Vec<bool>,
    /// Whether a state is in the set.
    inside: Vec<bool>,
    reached: Vec<bool>,
    /// The transitions from states before this one that are in the set, were reached and are not eliminated.
    before: Vec<u32>,
    /// The longest chain of eliminated states before a state.
    chain: Vec<u32>,
    certificate: Vec<u64>,
    queue: Vec<u32>,
    /// The number of steps so far; equal on all ranks.
    steps: u32,
}

impl Elimination {
    pub fn new(accepting: Vec<bool>, direction: Direction) -> Elimination {
        let states = accepting.len();
        Elimination {
            direction,
            accepting,
            inside: vec![true; states],
            reached: vec![false; states],
            before: vec![0; states],
            chain: vec![0; states],
            certificate: vec![0; states],
            queue: Vec::new(),
            steps: 0,
        }
    }

    /// Bytes of the appendix.
    pub fn memory(&self) -> u64 {
        let references = match &self.direction {
            Direction::Forward => 0,
            Direction::Backward(lists) => lists.iter().map(|list| 24 + 8 * list.capacity()).sum(),
        };
        (references + 23 * self.inside.len()) as u64
    }

    /// Removes states until none is left or the set does not change.
    pub fn decide(mut self, rank: &mut Rank<'_>) -> Result<Verdict, Stop> {
        rank.appendix_bytes = self.memory();
        let [mut before] = rank.net.sum([self.inside.len() as u64])?;
        loop {
            self.reach(rank)?;
            self.eliminate(rank)?;
            let [now] = rank.net.sum([self.inside.iter().filter(|inside| **inside).count() as u64])?;
            if now == 0 {
                return Ok(Verdict::NoCycle(Some(self.certificate)));
            }
            if now == before {
                return self.locate(rank);
            }
            before = now;
        }
    }

    /// Removes states that no accepting state reaches.
    fn reach(&mut self, rank: &mut Rank<'_>) -> Result<(), Stop> {
        self.reached.fill(false);
        self.before.fill(0);
        let starts = (0..self.inside.len()).filter(|n| self.inside[*n] && self.accepting[*n]);
        self.queue = starts.map(|number| number as u32).collect();
        self.queue.iter().for_each(|number| self.reached[*number as usize] = true);
        rank.run(&mut Reach(self))?;
        for number in 0..self.inside.len() {
            if self.inside[number] && !self.reached[number] {
                self.remove(number, 0);
            }
        }
        self.steps += 1;
        Ok(())
    }

    /// Removes states without a predecessor in the set.
    fn eliminate(&mut self, rank: &mut Rank<'_>) -> Result<(), Stop> {
        self.chain.fill(0);
        let starts = (0..self.inside.len()).filter(|n| self.inside[*n] && self.before[*n] == 0);
        self.queue = starts.map(|number| number as u32).collect();
        rank.run(&mut Eliminate(self))?;
        self.steps += 1;
        Ok(())
    }

    /// The number of the state that a record is about, if it is in the set.
    fn number_of(&self, rank: &Rank<'_>, record: Reader<'_>) -> Option<usize> {
        self.direction.number_of(rank, record).filter(|number| self.inside[*number])
    }

    fn remove(&mut self, number: usize, chain: u32) {
        self.inside[number] = false;
        self.certificate[number] = self.direction.certificate(self.steps, chain);
    }

    /// An accepting state on a cycle: every state of the set has an accepting state of the set before it, and references to those
    /// lead round a cycle.
    fn locate(&mut self, rank: &mut Rank<'_>) -> Result<Verdict, Stop> {
        let starts: Vec<u32> =
            (0..self.inside.len()).filter(|n| self.inside[*n] && self.accepting[*n]).map(|n| n as u32).collect();
        let first = starts.first().map(|number| rank.reference(*number));
        let origins = vec![StateRef::NONE; self.inside.len()];
        let mut phase = Origins { set: self, origins, queue: starts };
        rank.run(&mut phase)?;
        let origins = phase.origins;
        let first = rank.least(first)?;
        let found = first.map_or(Ok(None), |first| repeated(rank, first, &origins))?;
        Ok(found.map_or(Verdict::NoCycle(None), Verdict::Cycle))
    }
}

struct Reach<'o>(&'o mut Elimination);

impl Phase for Reach<'_> {
    fn take(&mut self, rank: &mut Rank<'_>, _: u32, mut record: Reader<'_>) -> Result<(), Stop> {
        let set = &mut *self.0;
        if let (Some(REACH), Some(number)) = (record.byte(), set.number_of(rank, record)) {
            set.before[number] += 1;
            if !std::mem::replace(&mut set.reached[number], true) {
                set.queue.push(number as u32);
            }
        }
        Ok(())
    }

    fn work(&mut self, rank: &mut Rank<'_>) -> Result<bool, Stop> {
        let Some(number) = self.0.queue.pop() else { return Ok(false) };
        self.0.direction.tell(rank, number, REACH, &[])?;
        Ok(true)
    }
}

struct Eliminate<'o>(&'o mut Elimination);

impl Phase for Eliminate<'_> {
    fn take(&mut self, rank: &mut Rank<'_>, _: u32, mut record: Reader<'_>) -> Result<(), Stop> {
        let set = &mut *self.0;
        let (Some(ELIMINATE), Some(chain)) = (record.byte(), record.number()) else { return Ok(()) };
        if let Some(number) = set.number_of(rank, record) {
            set.chain[number] = set.chain[number].max(chain as u32);
            set.before[number] -= 1;
            if set.before[number] == 0 {
                set.queue.push(number as u32);
            }
        }
        Ok(())
    }

    fn work(&mut self, rank: &mut Rank<'_>) -> Result<bool, Stop> {
        let Some(number) = self.0.queue.pop() else { return Ok(false) };
        let chain = self.0.chain[number as usize];
        self.0.remove(number as usize, chain);
        self.0.direction.tell(rank, number, ELIMINATE, &[u64::from(chain) + 1])?;
        Ok(true)
    }
}

/// Finds for each state of the set an accepting state of the set from which a path of at least one step leads to it.
struct Origins<'o> {
    set: &'o Elimination,
    origins: Vec<StateRef>,
    queue: Vec<u32>,
}

impl Phase for Origins<'_> {
    fn take(&mut self, rank: &mut Rank<'_>, _: u32, mut record: Reader<'_>) -> Result<(), Stop> {
        let (Some(ORIGIN), Some(origin)) = (record.byte(), record.number()) else { return Ok(()) };
        if let Some(number) = self.set.number_of(rank, record)
            && self.origins[number] == StateRef::NONE
        {
            self.origins[number] = StateRef::from_number(origin);
            // Accepting states are in the queue from the start.
            if !self.set.accepting[number] {
                self.queue.push(number as u32);
            }
        }
        Ok(())
    }

    fn work(&mut self, rank: &mut Rank<'_>) -> Result<bool, Stop> {
        let Some(number) = self.queue.pop() else { return Ok(false) };
        let is_accepting = self.set.accepting[number as usize];
        let origin = if is_accepting { rank.reference(number) } else { self.origins[number as usize] };
        self.set.direction.tell(rank, number, ORIGIN, &[origin.to_number()])?;
        Ok(true)
    }
}
