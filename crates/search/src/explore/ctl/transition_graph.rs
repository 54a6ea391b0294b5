//! The transitions between the reachable states, as lists of predecessors.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::store::spawn;

/// What one worker has recorded: its states with their labels and numbers of transitions, and the targets of these.
#[derive(Default)]
pub(super) struct TransitionLog {
    states: Vec<LoggedState>,
    targets: Vec<u32>,
    /// The targets before the current state.
    closed: usize,
}

/// A state with its labels and the number of its transitions.
#[derive(Clone, Copy)]
pub(super) struct LoggedState {
    pub number: u32,
    pub transitions: u32,
    pub labels: u64,
}

impl TransitionLog {
    /// Adds a transition of the current state.
    pub fn push_target(&mut self, target: u32) {
        self.targets.push(target);
    }

    /// Completes the current state.
    pub fn close_state(&mut self, number: u32, labels: u64) {
        let transitions = (self.targets.len() - self.closed) as u32;
        self.closed = self.targets.len();
        self.states.push(LoggedState { number, transitions, labels });
    }

    pub fn bytes(&self) -> u64 {
        (self.states.capacity() * size_of::<LoggedState>() + self.targets.capacity() * size_of::<u32>()) as u64
    }

    /// Each transition, as source and target.
    fn transitions(&self) -> impl Iterator<Item = (u32, u32)> {
        let sources = self.states.iter().flat_map(|s| std::iter::repeat_n(s.number, s.transitions as usize));
        sources.zip(self.targets.iter().copied())
    }
}

/// The transition graph of all reachable states.
pub(super) struct TransitionGraph {
    logs: Vec<Vec<LoggedState>>,
    /// The position of the first predecessor of each state, and of the end of the last.
    starts: Vec<AtomicU64>,
    predecessors: Vec<AtomicU32>,
}

/// An upper bound of the numbers of states, and the number of transitions.
fn sizes(logs: &[TransitionLog]) -> (usize, usize) {
    let greatest = logs.iter().flat_map(|log| log.states.iter().map(|state| state.number)).max().unwrap_or(0);
    (greatest as usize + 1, logs.iter().map(|log| log.targets.len()).sum())
}

impl TransitionGraph {
    /// The memory that the logs and the graph take together.
    pub fn bytes_to_build(logs: &[TransitionLog]) -> u64 {
        let (states, transitions) = sizes(logs);
        let lists = states * size_of::<u64>() + transitions * size_of::<u32>();
        logs.iter().map(TransitionLog::bytes).sum::<u64>() + lists as u64
    }

    pub fn new(logs: Vec<TransitionLog>, threads: usize) -> TransitionGraph {
        let (states, transitions) = sizes(&logs);
        let starts: Vec<AtomicU64> = (0..=states).map(|_| AtomicU64::new(0)).collect();
        let predecessors: Vec<AtomicU32> = (0..transitions).map(|_| AtomicU32::new(0)).collect();
        in_parallel(threads, |number| {
            for &target in logs.get(number).map_or(&[][..], |log| &log.targets) {
                starts[target as usize].fetch_add(1, Ordering::Relaxed);
            }
        });
        // Each position becomes the end of the list, and then, entry by entry, its start.
        let mut end = 0;
        for start in &starts {
            end += start.load(Ordering::Relaxed);
            start.store(end, Ordering::Relaxed);
        }
        in_parallel(threads, |number| {
            for (source, target) in logs.get(number).into_iter().flat_map(TransitionLog::transitions) {
                let at = starts[target as usize].fetch_sub(1, Ordering::Relaxed) - 1;
                predecessors[at as usize].store(source, Ordering::Relaxed);
            }
        });
        TransitionGraph { logs: logs.into_iter().map(|log| log.states).collect(), starts, predecessors }
    }

    /// An upper bound of the numbers of states.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The states that one worker has recorded.
    pub fn states_of(&self, worker: usize) -> &[LoggedState] {
        self.logs.get(worker).map_or(&[], Vec::as_slice)
    }

    /// The predecessors of a state, one for each transition.
    pub fn predecessors(&self, state: u32) -> impl Iterator<Item = u32> {
        let at = |number: usize| self.starts[number].load(Ordering::Relaxed) as usize;
        let list = &self.predecessors[at(state as usize)..at(state as usize + 1)];
        list.iter().map(|predecessor| predecessor.load(Ordering::Relaxed))
    }

    pub fn bytes(&self) -> u64 {
        let states: usize = self.logs.iter().map(Vec::capacity).sum();
        let lists = self.starts.len() * size_of::<u64>() + self.predecessors.len() * size_of::<u32>();
        (states * size_of::<LoggedState>() + lists) as u64
    }
}

/// Runs `part` with each number below `threads`, in a thread each.
pub(super) fn in_parallel(threads: usize, part: impl Fn(usize) + Sync) {
    let part = &part;
    std::thread::scope(|scope| {
        for number in 1..threads {
            spawn(scope, move || part(number));
        }
        part(0);
    });
}
