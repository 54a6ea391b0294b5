//! Multi-core nested depth-first search (CNDFS: Evangelista, Laarman, Petrucci, van de Pol, *Improved multi-core
//! nested depth-first search*, 2012).
//!
//! Each worker runs a nested search in its own order. Workers share completed states: a state is blue when a worker
//! has left it in its first (blue) search, and red when no accepting cycle through a seed that was left before visits
//! it. A worker that has completed its second (red) search waits until the accepting states visited by it are red.
//! Other workers are about to make them red.

use kripke_model::{Choice, Flags, Random};

use super::super::Factory;
use super::super::worker::Worker;
use super::LivenessSearch;
use super::colours::{Colours, Set};
use super::parallel::{Ended, OrEnded, ParallelSearch, WorkerStatus};
use crate::budget::Limit;
use crate::store::{Handle, Seen, StateId, Store};

const BLUE: u8 = 1;
const RED: u8 = 2;
const EXPANDED: u8 = 4;
const ACCEPTING: u8 = 8;

/// Entry above each state of the current path.
const FRAME: StateId = StateId::NONE;

/// The number of looks at colours, in a worker that waits for others, between two checks of the limits.
const WAITED: u32 = 256;

/// Data that the workers share.
struct Shared<'s, S> {
    parallel: ParallelSearch<'s, S>,
    colours: Colours,
}

struct Searcher<'l, 'w, 'm, 's, S: Store + 'w> {
    shared: &'l Shared<'s, S>,
    worker: &'l mut Worker<'w, 'm, S>,
    number: usize,
    /// States on the path of the blue search.
    cyan: Set,
    /// States visited by the red search.
    pink: Set,
    blue: Vec<StateId>,
    depth: u32,
    deepest: u32,
    red: Vec<StateId>,
    met: Vec<StateId>,
    /// Successors that other workers have expanded.
    deferred: Vec<StateId>,
    random: Random,
}

pub(super) fn run<S: Store>(
    liveness: &mut LivenessSearch<'_, '_, '_, S>,
    factory: Factory<'_, '_>,
    root: StateId,
) -> Result<(), Limit> {
    let shared = Shared { parallel: ParallelSearch::new(liveness), colours: Colours::new() };
    shared.parallel.run_workers(liveness, factory, |worker, number| Searcher::new(&shared, worker, number).start(root));
    let bytes = shared.colours.bytes();
    shared.parallel.conclude(liveness, bytes)
}

impl<'l, 'w, 'm, 's, S: Store> Searcher<'l, 'w, 'm, 's, S> {
    fn new(shared: &'l Shared<'s, S>, worker: &'l mut Worker<'w, 'm, S>, number: usize) -> Self {
        Searcher {
            shared,
            worker,
            number,
            cyan: Set::new::<S>(),
            pink: Set::new::<S>(),
            blue: Vec::new(),
            depth: 0,
            deepest: 0,
            red: Vec::new(),
            met: Vec::new(),
            deferred: Vec::new(),
            random: Random::new(number as u64),
        }
    }

    fn start(&mut self, root: StateId) {
        self.blue.push(root);
        let result = self.search();
        self.shared.parallel.finish_worker(result, self.worker, self.deepest);
    }

    fn search(&mut self) -> OrEnded {
        while let Some(&top) = self.blue.last() {
            if top == FRAME {
                self.blue.pop();
                if let Some(id) = self.blue.pop() {
                    self.depth -= 1;
                    self.leave(id)?;
                }
                continue;
            }
            let colour = self.colours(top);
            // A state on the path is expanded.
            let is_known = colour & BLUE != 0 || colour & EXPANDED != 0 && self.cyan.contains(top);
            if is_known || self.depth >= self.shared.parallel.max_depth {
                if !is_known {
                    self.shared.parallel.limit_depth();
                }
                self.blue.pop();
                continue;
            }
            self.cyan.insert(top);
            let mut stack = std::mem::take(&mut self.blue);
            stack.push(FRAME);
            let expanded = self.expand(top, &mut stack);
            self.blue = stack;
            let flags = expanded?;
            if flags.accepting {
                self.colour(top, ACCEPTING);
            }
            self.depth += 1;
            self.deepest = self.deepest.max(self.depth);
            self.check_limits()?;
        }
        Ok(())
    }

    fn colours(&self, id: StateId) -> u8 {
        self.shared.colours.get::<S>(&self.worker.handle, id)
    }

    /// Sets colours of a state, and returns the previous ones.
    fn colour(&self, id: StateId, bits: u8) -> u8 {
        self.shared.colours.set::<S>(&self.worker.handle, id, bits)
    }

    /// Pushes the successors of a state in the order of this worker. The worker that comes first collects the errors
    /// and counts.
    ///
    /// Workers that follow each other would repeat the same work. Each worker therefore prefers states that no worker
    /// has expanded, and visits the others in a random order.
    fn expand(&mut self, id: StateId, stack: &mut Vec<StateId>) -> OrEnded<Flags> {
        let first = stack.len();
        let known = self.colour(id, EXPANDED) & EXPANDED != 0;
        let (colours, deferred) = (&self.shared.colours, &mut self.deferred);
        let sort = |seen: Seen| {
            let taken = !seen.new && colours.of_seen::<S>(seen) & EXPANDED != 0;
            if taken { deferred.push(seen.id) } else { stack.push(seen.id) }
        };
        let expanded = match known {
            false => self.worker.expand(id, sort),
            true => self.worker.expand_again(id, Choice::All, sort),
        };
        // The last entry is visited first: states that no worker has expanded.
        self.random.shuffle(&mut stack[first..]);
        self.random.shuffle(&mut self.deferred);
        stack.splice(first..first, self.deferred.drain(..));
        expanded.map_err(|limit| self.shared.parallel.stop(limit))
    }

    /// Checks limits and findings.
    fn check_limits(&mut self) -> OrEnded {
        let Searcher { shared, worker, number, cyan, pink, blue, red, met, deepest, .. } = self;
        let status = || {
            let stacks = (blue.capacity() + red.capacity() + met.capacity()) * size_of::<StateId>();
            let own = cyan.bytes() + pink.bytes() + stacks as u64;
            let waiting = blue.len() as u64;
            WorkerStatus { number: *number, deepest: *deepest, waiting, own, shared: shared.colours.bytes() }
        };
        shared.parallel.check_limits(worker, status)
    }

    /// Completes a state of the blue search.
    fn leave(&mut self, id: StateId) -> OrEnded {
        let colour = self.colour(id, BLUE);
        if colour & (ACCEPTING | RED) == ACCEPTING {
            self.search_red(id)?;
            self.wait(id)?;
            let mut met = std::mem::take(&mut self.met);
            for id in met.drain(..) {
                self.colour(id, RED);
                self.pink.remove(id);
            }
            self.met = met;
        }
        self.cyan.remove(id);
        Ok(())
    }

    /// The red search.
    fn search_red(&mut self, seed: StateId) -> OrEnded {
        self.red.push(seed);
        let mut first = true;
        while let Some(top) = self.red.pop() {
            let colour = self.colours(top);
            let is_expanded = colour & EXPANDED != 0;
            if is_expanded && !first && self.cyan.contains(top) {
                return Err(self.shared.parallel.report_cycle(seed));
            }
            let is_beyond_limit = colour & BLUE == 0 && self.shared.parallel.is_depth_limited();
            if colour & RED != 0 || is_expanded && self.pink.contains(top) || is_beyond_limit {
                continue;
            }
            first = false;
            self.pink.insert(top);
            self.met.push(top);
            let mut stack = std::mem::take(&mut self.red);
            let expanded = self.expand(top, &mut stack);
            self.red = stack;
            if expanded?.accepting {
                self.colour(top, ACCEPTING);
            }
            self.check_limits()?;
        }
        Ok(())
    }

    /// Waits until the other accepting states in `met` are red, unless the depth limit prevents it: a state that was skipped may
    /// never become red. The worker leaves the store between two looks at the colours.
    fn wait(&mut self, seed: StateId) -> OrEnded {
        let (mut at, mut rounds) = (0, 0u32);
        loop {
            let open = |id: &StateId| *id != seed && self.colours(*id) & (ACCEPTING | RED) == ACCEPTING;
            at += self.met[at..].iter().take_while(|id| !open(id)).count();
            if at == self.met.len() || self.shared.parallel.is_depth_limited() {
                return Ok(());
            }
            if self.shared.parallel.is_over() || self.shared.parallel.search.is_stopped() {
                return Err(Ended);
            }
            self.worker.handle.leave();
            std::thread::yield_now();
            self.worker.handle.enter();
            rounds = rounds.wrapping_add(1);
            if rounds.is_multiple_of(WAITED) && self.worker.leads() {
                self.shared.parallel.check_limits_in_wait(self.shared.colours.bytes());
            }
        }
    }
}
