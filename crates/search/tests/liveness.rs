//! Accepting cycles, with and without fairness, compared with a search through all sets of states.

mod graph;

use graph::{Random, decode, encode, run};
use kripke_model::Parts;
use kripke_model::trail::{Ending, Trail};
use kripke_model::{AcceptanceMarks, ActionLabels, ProcessStructure, Representation, StateLabels};
use kripke_model::{Batch, Choice, Flags, Mover, Movers, State, Successors};
use kripke_search::{Algorithm, Budget, Cycles, End, Fairness, Options, Wrong};
use std::borrow::Cow;

/// A few processes on a graph: for each node the moves, as process and target, the youngest process first.
#[derive(Clone, Debug)]
struct ProcessGraph {
    edges: Vec<Vec<(u8, u32)>>,
    accepting: Vec<bool>,
    /// Acceptance marks of edges, which the moves of a node take cyclically. Empty: acceptance is defined on nodes.
    marks: Vec<Vec<u32>>,
    all: u32,
    processes: u8,
}

/// The action label of a move. Each process has two kinds of actions.
fn name(process: u8, to: u32) -> Vec<u32> {
    vec![u32::from(process), to % 2]
}

impl ProcessGraph {
    fn random(random: &mut Random, nodes: u64) -> ProcessGraph {
        let processes = 1 + random.below(3) as u8;
        let mut edges = Vec::new();
        for _ in 0..nodes {
            let mut here: Vec<(u8, u32)> = (0..random.below(4))
                .map(|_| (random.below(u64::from(processes)) as u8, random.below(nodes) as u32))
                .collect();
            here.sort_by_key(|(process, _)| std::cmp::Reverse(*process));
            edges.push(here);
        }
        let accepting = (0..nodes).map(|_| random.below(4) == 0).collect();
        ProcessGraph { edges, accepting, marks: vec![Vec::new(); nodes as usize], all: 0, processes }
    }

    /// Whether every action that is enabled in some node is taken inside the set.
    fn every_step_is_taken(&self, members: &[usize], inside: impl Fn(u32) -> bool) -> bool {
        let all = || members.iter().flat_map(|node| &self.edges[*node]);
        let taken: Vec<Vec<u32>> = all().filter(|(_, to)| inside(*to)).map(|(p, to)| name(*p, *to)).collect();
        all().all(|(p, to)| taken.contains(&name(*p, *to)))
    }

    fn label(&self, node: usize, number: usize) -> u32 {
        let marks = &self.marks[node];
        if marks.is_empty() { 0 } else { marks[number % marks.len()] }
    }

    fn reachable(&self) -> Vec<bool> {
        self.reach(0, &vec![true; self.edges.len()])
    }

    /// The nodes that are reachable from a node inside a set.
    fn reach(&self, from: usize, within: &[bool]) -> Vec<bool> {
        let mut seen = vec![false; self.edges.len()];
        seen[from] = true;
        let mut stack = vec![from];
        while let Some(node) = stack.pop() {
            for &(_, to) in &self.edges[node] {
                if within[to as usize] && !seen[to as usize] {
                    seen[to as usize] = true;
                    stack.push(to as usize);
                }
            }
        }
        seen
    }

    /// Whether a fair run visits exactly these nodes infinitely often, including an accepting one.
    fn supports(&self, set: &[bool], fairness: Fairness) -> bool {
        let members: Vec<usize> = (0..set.len()).filter(|node| set[*node]).collect();
        let steps: Vec<(usize, u8)> = members
            .iter()
            .flat_map(|&node| self.edges[node].iter().filter(|(_, to)| set[*to as usize]).map(move |(p, _)| (node, *p)))
            .collect();
        let connected = members.iter().all(|node| {
            let reached = self.reach(*node, set);
            members.iter().all(|other| reached[*other])
        });
        let inside = members.iter().flat_map(|&node| {
            let kept = self.edges[node].iter().enumerate().filter(|(_, (_, to))| set[*to as usize]);
            kept.map(move |(number, _)| self.label(node, number))
        });
        let met = inside.fold(0, |all, marks| all | marks);
        let accepts = met == self.all && (self.all != 0 || members.iter().any(|node| self.accepting[*node]));
        let able = |node: usize, process: u8| self.edges[node].iter().any(|(p, _)| *p == process);
        !steps.is_empty()
            && connected
            && accepts
            && (fairness != Fairness::StrongTransitions || self.every_step_is_taken(&members, |to| set[to as usize]))
            && (0..self.processes).all(|process| {
                steps.iter().any(|(_, p)| *p == process)
                    || match fairness {
                        Fairness::None | Fairness::StrongTransitions => true,
                        Fairness::Weak => members.iter().any(|node| !able(*node, process)),
                        Fairness::Strong => members.iter().all(|node| !able(*node, process)),
                        Fairness::Impartial => false,
                    }
            })
    }

    fn has_cycle(&self, fairness: Fairness) -> bool {
        let reachable = self.reachable();
        (1u32..1 << self.edges.len()).any(|bits| {
            let set: Vec<bool> = (0..self.edges.len()).map(|node| bits >> node & 1 == 1).collect();
            set.iter().zip(&reachable).all(|(wanted, there)| !wanted || *there) && self.supports(&set, fairness)
        })
    }

    /// Follows a lasso and checks that its cycle is accepting and fair.
    fn follow(&self, trail: &Trail, fairness: Fairness) {
        let Ending::Cycle(start) = trail.ending else { panic!("{trail:?} is no lasso") };
        let (mut nodes, mut moved) = (vec![0usize], Vec::new());
        for &choice in &trail.choices {
            let (process, to) = self.edges[nodes[nodes.len() - 1]][choice as usize];
            moved.push(process);
            nodes.push(to as usize);
        }
        let (start, end) = (start as usize, nodes.len() - 1);
        assert!(start < end && nodes[start] == nodes[end], "{trail:?} does not come back");
        let (cycle, moved) = (&nodes[start..end], &moved[start..]);
        let taken = cycle.iter().zip(&trail.choices[start..]);
        let met = taken.fold(0, |all, (node, choice)| all | self.label(*node, *choice as usize));
        assert_eq!(met, self.all, "not all is met by {trail:?}");
        assert!(self.all != 0 || cycle.iter().any(|node| self.accepting[*node]), "nothing accepting in {trail:?}");
        if fairness == Fairness::StrongTransitions {
            let taken: Vec<Vec<u32>> =
                moved.iter().zip(&nodes[start + 1..]).map(|(process, to)| name(*process, *to as u32)).collect();
            let able = cycle.iter().flat_map(|node| self.edges[*node].iter().map(|(p, to)| name(*p, *to)));
            able.for_each(|step| assert!(taken.contains(&step), "{step:?} is left out by {trail:?}\n{self:?}"));
        }
        for process in 0..self.processes {
            let able = |node: &usize| self.edges[*node].iter().any(|(p, _)| *p == process);
            let fair = match fairness {
                Fairness::None | Fairness::StrongTransitions => true,
                Fairness::Weak => !cycle.iter().all(able) || moved.contains(&process),
                Fairness::Strong => !cycle.iter().any(able) || moved.contains(&process),
                Fairness::Impartial => moved.contains(&process),
            };
            assert!(fair, "process {process} is treated unfairly by {trail:?}\n{self:?}");
        }
    }
}

impl Successors for ProcessGraph {
    fn initial(&mut self, out: &mut Batch) {
        out.push(&encode(0));
    }

    fn expand(&mut self, state: &State, choice: Choice, out: &mut Batch) -> Flags {
        let node = decode(state) as usize;
        for &(process, to) in &self.edges[node] {
            if choice == Choice::All || choice == Choice::One(process) {
                out.push(&encode(to));
            }
        }
        Flags { accepting: self.accepting[node], ..Flags::default() }
    }
}

impl Representation for ProcessGraph {
    fn hidden_prefix(&self) -> usize {
        0
    }

    fn decode<'s>(&mut self, state: &'s State) -> Cow<'s, State> {
        Cow::Borrowed(state)
    }
}

impl StateLabels for ProcessGraph {
    fn state_labels(&mut self, _: &State) -> Option<u64> {
        Some(0)
    }
}

impl ActionLabels for ProcessGraph {
    fn action_labels(&mut self, state: &State, out: &mut Vec<Vec<u32>>) {
        out.extend(self.edges[decode(state) as usize].iter().map(|(p, to)| name(*p, *to)));
    }
}

impl AcceptanceMarks for ProcessGraph {
    fn acceptance_marks(&mut self, state: &State, out: &mut Vec<u32>) {
        out.extend(&self.marks[decode(state) as usize]);
    }
}

impl ProcessStructure for ProcessGraph {
    fn movers(&mut self, state: &State, out: &mut Movers) {
        let edges = &self.edges[decode(state) as usize];
        out.clear();
        out.alive = self.processes;
        out.by.extend(edges.iter().map(|(process, _)| Mover::Process(*process)));
        out.enabled.extend((0..self.processes).filter(|pid| edges.iter().any(|(process, _)| process == pid)));
    }

    fn expand_parts(&mut self, state: &State, out: &mut Batch, parts: &mut Parts) -> Flags {
        parts.ends.clear();
        self.expand(state, Choice::All, out)
    }

    fn expand_ample(&mut self, state: &State, out: &mut Batch, _: &mut Batch) -> Flags {
        self.expand(state, Choice::All, out)
    }

    fn note_explored(&mut self, _: usize) {}
}

const FAIRNESS: [Fairness; 5] =
    [Fairness::None, Fairness::Weak, Fairness::Strong, Fairness::StrongTransitions, Fairness::Impartial];

const CONFIGURATIONS: [(Algorithm, usize); 8] = [
    (Algorithm::Auto, 1),
    (Algorithm::Scc, 1),
    (Algorithm::Nested, 1),
    (Algorithm::Cndfs, 1),
    (Algorithm::Cndfs, 3),
    (Algorithm::Ufscc, 1),
    (Algorithm::Ufscc, 3),
    (Algorithm::Ufscc, 8),
];

fn options(algorithm: Algorithm, fairness: Fairness) -> Options {
    Options { cycles: Some(Cycles { algorithm, fairness, marks: 0 }), ..Options::default() }
}

#[test]
fn accepting_cycles_are_found_if_and_only_if_they_exist() {
    let mut found = [0; 5];
    for seed in 0..600 {
        let mut random = Random(seed);
        let nodes = 1 + random.below(7);
        let system = ProcessGraph::random(&mut random, nodes);
        for (fairness, found) in FAIRNESS.into_iter().zip(&mut found) {
            let expected = system.has_cycle(fairness);
            *found += u32::from(expected);
            for (algorithm, threads) in CONFIGURATIONS {
                for all_errors in [false, true] {
                    let options = Options { all_errors, threads: Some(threads), ..options(algorithm, fairness) };
                    let outcome = run(&system, &options, &Budget::default());
                    let what = format!("seed {seed} {algorithm:?} {fairness:?}\n{system:?}");
                    assert_eq!(!outcome.violations.is_empty(), expected, "{what}");
                    let complete = matches!(&outcome.end, End::Exhausted(e) if e.error_free().is_some() != expected);
                    assert_eq!(complete, !expected || all_errors, "{what}");
                    for violation in &outcome.violations {
                        assert_eq!(violation.wrong, Wrong::Cycle);
                        system.follow(&violation.trail, fairness);
                    }
                }
            }
        }
    }
    assert!(found.iter().all(|n| (100..500).contains(n)), "{found:?}");
}

/// Generalised acceptance: a cycle must contain all marks, with and without fairness.
#[test]
fn all_acceptance_marks_are_required() {
    let mut found = [0; 5];
    for seed in 0..400 {
        let mut random = Random(1000 + seed);
        let nodes = 1 + random.below(7);
        let mut system = ProcessGraph::random(&mut random, nodes);
        system.all = [0b11, 0b111][random.below(2) as usize];
        let mut some = || (0..1 + random.below(3)).map(|_| random.below(8) as u32 & system.all).collect();
        system.marks = (0..nodes).map(|_| some()).collect();
        for (fairness, found) in FAIRNESS.into_iter().zip(&mut found) {
            let expected = system.has_cycle(fairness);
            *found += u32::from(expected);
            for (algorithm, threads) in CONFIGURATIONS {
                let cycles = Cycles { algorithm, fairness, marks: system.all };
                let options = Options { cycles: Some(cycles), threads: Some(threads), ..Options::default() };
                let outcome = run(&system, &options, &Budget::default());
                assert_eq!(!outcome.violations.is_empty(), expected, "{seed} {algorithm:?} {fairness:?}\n{system:?}");
                outcome.violations.iter().for_each(|v| system.follow(&v.trail, fairness));
            }
        }
    }
    assert!(found.iter().all(|n| (40..360).contains(n)), "{found:?}");
}

#[test]
fn larger_graphs_give_the_same_answers_by_all_algorithms() {
    for seed in 0..60 {
        let mut random = Random(seed);
        let nodes = 200 + random.below(3000);
        let mut system = ProcessGraph::random(&mut random, nodes);
        // Few accepting nodes, so that not every graph has an accepting cycle.
        system.accepting = (0..nodes).map(|_| random.below(1 + nodes / 3) == 0).collect();
        let reachable = system.reachable();
        let all = vec![true; system.edges.len()];
        let on_cycle = |node: usize| system.edges[node].iter().any(|(_, to)| system.reach(*to as usize, &all)[node]);
        let expected = (0..system.edges.len()).any(|node| system.accepting[node] && reachable[node] && on_cycle(node));
        for (algorithm, threads) in CONFIGURATIONS {
            let options = Options { threads: Some(threads), ..options(algorithm, Fairness::None) };
            let outcome = run(&system, &options, &Budget::default());
            assert_eq!(!outcome.violations.is_empty(), expected, "seed {seed} {algorithm:?}");
            outcome.violations.iter().for_each(|v| system.follow(&v.trail, Fairness::None));
            if !expected {
                let states = reachable.iter().filter(|there| **there).count() as u64;
                let edges: usize = (0..reachable.len()).filter(|n| reachable[*n]).map(|n| system.edges[n].len()).sum();
                let s = outcome.statistics;
                assert_eq!((s.states, s.transitions), (states, edges as u64), "seed {seed} {algorithm:?} {threads}");
            }
        }
    }
}
