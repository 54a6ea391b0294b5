//! A simulated network. A seed decides which rank goes on, which frame arrives next and how long a frame takes.
//!
//! Ranks are threads, but only one runs at a time, so a seed gives the same run each time. Time is the number of calls that ranks
//! have made. A rank can be made to stall or to end at a given time.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kripke_model::Random;

use super::{Failure, Frame, Transport, Urgency};

/// A run with more calls than this does not end.
const MOST_CALLS: u64 = 20_000_000;

/// Frames that may wait between two ranks; few, so that backpressure happens.
const CAPACITY: usize = 4;

/// A simulated mishap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mishap {
    /// The rank ends at this time.
    Dies {
        /// The rank.
        rank: usize,
        /// The number of calls before.
        at: u64,
    },
    /// The rank does nothing from this time on.
    Stalls {
        /// The rank.
        rank: usize,
        /// The number of calls before.
        at: u64,
        /// How long it stalls.
        calls: u64,
    },
}

/// How a simulated network behaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Schedule {
    /// The seed of all choices.
    pub seed: u64,
    /// The most calls that a frame takes to arrive.
    pub delay: usize,
    /// What goes wrong.
    pub mishap: Option<Mishap>,
}

#[derive(Debug)]
struct World {
    random: Random,
    schedule: Schedule,
    /// The rank that runs.
    running: usize,
    calls: u64,
    /// `[to][from]`: the frames that wait, each with the time from which on it can arrive.
    frames: Vec<Vec<VecDeque<(u64, Frame)>>>,
    /// Ranks that have ended.
    gone: Vec<bool>,
}

impl World {
    fn is_able(&self, rank: usize) -> bool {
        let stalled = match self.schedule.mishap {
            Some(Mishap::Stalls { rank: r, at, calls }) => r == rank && (at..at + calls).contains(&self.calls),
            _ => false,
        };
        !self.gone[rank] && !stalled
    }

    /// Chooses the rank that runs next. Time passes while all ranks that are left stall.
    fn choose(&mut self) {
        loop {
            self.calls += 1;
            let able: Vec<usize> = (0..self.gone.len()).filter(|rank| self.is_able(*rank)).collect();
            if !able.is_empty() {
                self.running = able[self.random.below(able.len())];
                return;
            }
            if self.gone.iter().all(|gone| *gone) {
                return;
            }
        }
    }

    fn is_dying(&self, rank: usize) -> bool {
        matches!(self.schedule.mishap, Some(Mishap::Dies { rank: r, at }) if r == rank && self.calls >= at)
    }
}

#[derive(Debug)]
struct Shared {
    world: Mutex<World>,
    turns: Vec<Condvar>,
}

/// One rank of a simulated network.
#[derive(Debug)]
pub struct Simulated {
    rank: usize,
    shared: Arc<Shared>,
}

impl Simulated {
    /// The transports of so many ranks.
    pub fn new(ranks: usize, schedule: Schedule) -> Vec<Simulated> {
        let world = World {
            random: Random::new(schedule.seed),
            schedule,
            running: 0,
            calls: 0,
            frames: vec![vec![VecDeque::new(); ranks]; ranks],
            gone: vec![false; ranks],
        };
        let shared = Arc::new(Shared { world: Mutex::new(world), turns: (0..ranks).map(|_| Condvar::new()).collect() });
        (0..ranks).map(|rank| Simulated { rank, shared: shared.clone() }).collect()
    }

    /// The world when it is the turn of this rank.
    fn turn(&self) -> MutexGuard<'_, World> {
        let world = self.shared.world.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = self.shared.turns[self.rank].wait_while(world, |world| world.running != self.rank);
        waiting.unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a call: lets another rank run first with this chance in percent.
    fn call(&self, percent: usize) -> Result<MutexGuard<'_, World>, Failure> {
        let mut world = self.turn();
        world.calls += 1;
        assert!(world.calls < MOST_CALLS, "the simulated run does not end: {:?}", world.schedule);
        if world.random.below(100) < percent || !world.is_able(self.rank) {
            world.choose();
            if world.running != self.rank {
                self.shared.turns[world.running].notify_one();
                drop(world);
                world = self.turn();
            }
        }
        if world.is_dying(self.rank) { Err(Failure::Killed) } else { Ok(world) }
    }
}

impl Transport for Simulated {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.shared.turns.len()
    }

    fn send(&mut self, to: usize, frame: Frame, urgency: Urgency) -> Result<Option<Frame>, Failure> {
        let mut world = self.call(10)?;
        let (now, most) = (world.calls, world.schedule.delay);
        let delay = world.random.below(most + 1) as u64;
        let waiting = &mut world.frames[to][self.rank];
        if urgency == Urgency::Normal && waiting.len() >= CAPACITY {
            return Ok(Some(frame));
        }
        waiting.push_back((now + delay, frame));
        Ok(None)
    }

    fn receive(&mut self) -> Result<Option<(usize, Frame)>, Failure> {
        let mut world = self.call(25)?;
        let now = world.calls;
        let is_ready = |frames: &VecDeque<(u64, Frame)>| frames.front().is_some_and(|(at, _)| *at <= now);
        let ready: Vec<usize> = (0..self.ranks()).filter(|from| is_ready(&world.frames[self.rank][*from])).collect();
        if ready.is_empty() || world.random.below(100) < 20 {
            return Ok(None);
        }
        let from = ready[world.random.below(ready.len())];
        Ok(world.frames[self.rank][from].pop_front().map(|(_, frame)| (from, frame)))
    }

    fn wait(&mut self) -> Result<(), Failure> {
        self.call(100).map(drop)
    }

    fn now(&self) -> Duration {
        Duration::from_millis(self.shared.world.lock().unwrap_or_else(PoisonError::into_inner).calls)
    }

    fn leave(&mut self) {}
}

impl Drop for Simulated {
    fn drop(&mut self) {
        // A rank that panics while it waits for its turn does not hold it.
        let mut world = self.shared.world.lock().unwrap_or_else(PoisonError::into_inner);
        world.gone[self.rank] = true;
        if world.running == self.rank {
            world.choose();
            self.shared.turns[world.running].notify_one();
        }
    }
}
