//! Throughput of search and store, on a hand-written mutual exclusion algorithm of N processes.
//!
//! `cargo run --release -p kripke-search --example throughput -- [N] [bfs|dfs] [threads] [exact|tree]`

use kripke_model::Parts;
use kripke_model::{AcceptanceMarks, ActionLabels, ProcessStructure, Representation, StateLabels};
use std::borrow::Cow;
use std::time::Instant;

use kripke_model::{Batch, Choice, Flags, Movers, State, Successors};
use kripke_search::{Budget, End, Options, Order, Progress, StoreKind, explore};

/// Peterson's algorithm for N processes, which checks the other processes one by one. A state has five bytes per
/// process: location, `j`, `k` and the shared `level[i]`, `last[i]`.
struct Peterson {
    processes: usize,
    state: Vec<u8>,
}

impl Peterson {
    /// Executes the statement of process `i`, if it is enabled.
    fn step(&mut self, i: usize) -> bool {
        let n = self.processes;
        let s = &mut self.state;
        let (pc, j, k, level, last) = (i * 3, i * 3 + 1, i * 3 + 2, n * 3, n * 4);
        match s[pc] {
            0 => (s[pc], s[j]) = (1, 1),
            1 => (s[pc], s[level + i]) = (2, s[j]),
            2 => {
                let at = last + s[j] as usize;
                (s[pc], s[k], s[at]) = (3, 0, i as u8);
            }
            3 if s[k] as usize == n => {
                s[j] += 1;
                s[k] = 0;
                s[pc] = if (s[j] as usize) < n { 1 } else { 4 };
            }
            3 => {
                let other = s[k] as usize;
                if other != i && s[level + other] >= s[j] && s[last + s[j] as usize] == i as u8 {
                    return false;
                }
                s[k] += 1;
            }
            _ => (s[pc], s[j], s[level + i]) = (0, 0, 0),
        }
        true
    }
}

impl Successors for Peterson {
    fn initial(&mut self, out: &mut Batch) {
        out.push(&vec![0; self.processes * 5]);
    }

    fn expand(&mut self, state: &State, _: Choice, out: &mut Batch) -> Flags {
        for i in 0..self.processes {
            self.state.clear();
            self.state.extend_from_slice(state);
            if self.step(i) {
                out.push(&self.state);
            }
        }
        Flags::default()
    }
}

impl Representation for Peterson {
    fn hidden_prefix(&self) -> usize {
        0
    }

    fn word_bits(&self) -> Option<u32> {
        None
    }

    fn decode<'s>(&mut self, state: &'s State) -> Cow<'s, State> {
        Cow::Borrowed(state)
    }
}

impl StateLabels for Peterson {
    fn state_labels(&mut self, _: &State) -> Option<u64> {
        Some(0)
    }
}

impl ActionLabels for Peterson {
    fn action_labels(&mut self, _: &State, _: &mut Vec<Vec<u32>>) {}
}

impl AcceptanceMarks for Peterson {
    fn acceptance_marks(&mut self, _: &State, _: &mut Vec<u32>) {}
}

impl ProcessStructure for Peterson {
    fn movers(&mut self, _: &State, _: &mut Movers) {}

    fn expand_parts(&mut self, state: &State, out: &mut Batch, parts: &mut Parts) -> Flags {
        parts.ends.clear();
        self.expand(state, Choice::All, out)
    }

    fn expand_ample(&mut self, state: &State, out: &mut Batch, _: &mut Batch) -> Flags {
        self.expand(state, Choice::All, out)
    }

    fn full_expansions(&mut self, most: usize) -> usize {
        most
    }

    fn note_explored(&mut self, _: usize) {}
}

fn main() {
    let mut args = std::env::args().skip(1);
    let processes = args.next().map_or(4, |n| n.parse().expect("the number of processes"));
    let order = if args.next().as_deref() == Some("dfs") { Order::DepthFirst } else { Order::BreadthFirst };
    let threads = args.next().map(|n| n.parse().expect("the number of threads"));
    let store = if args.next().as_deref() == Some("tree") { StoreKind::Tree } else { StoreKind::Exact };
    let start = Instant::now();
    let options = Options { order, threads, store, ..Options::default() };
    let model = || -> Box<dyn Successors> { Box::new(Peterson { processes, state: Vec::new() }) };
    let outcome = explore(&model, &options, &Budget::default(), &Progress::new());
    let seconds = start.elapsed().as_secs_f64();
    let s = outcome.statistics;
    assert!(matches!(outcome.end, End::Exhausted(_)));
    println!(
        "{} states, {} transitions, depth {}, {:.3} s, {:.2} M states/s, {:.1} ns per transition, {:.1} + {:.1} bytes \
         per state of {}",
        s.states,
        s.transitions,
        s.depth,
        seconds,
        s.states as f64 / seconds / 1e6,
        seconds * 1e9 / s.transitions as f64,
        s.store_bytes as f64 / s.states as f64 - s.state_bytes as f64,
        s.search_bytes as f64 / s.states as f64,
        s.state_bytes,
    );
}
