//! Accepting cycles, with and without fairness, compared with a search through all sets of states.

use crate::graph::{FAIRNESS, FORMS, ProcessGraph, Random, action, run_in};
use kripke_model::trail::{Ending, Trail};
use kripke_search::{Algorithm, Cycles, End, ErrorKind, Fairness, Options};

/// A random graph in which about every fourth node is accepting.
fn random_graph(random: &mut Random, nodes: u64) -> ProcessGraph {
    let graph = ProcessGraph::random(random, nodes);
    ProcessGraph { accepting: (0..nodes).map(|_| random.below_u64(4) == 0).collect(), ..graph }
}

impl ProcessGraph {
    fn reachable(&self) -> Vec<bool> {
        self.reach(0, &vec![true; self.edges.len()])
    }

    /// Whether a run that visits exactly these nodes infinitely often is accepted.
    fn accepts(&self, set: &[bool]) -> bool {
        let members = || (0..set.len()).filter(|node| set[*node]);
        let inside = members().flat_map(|node| {
            let kept = self.edges[node].iter().enumerate().filter(|(_, (_, to))| set[*to as usize]);
            kept.map(move |(number, _)| self.mark(node, number))
        });
        let met = inside.fold(0, |all, marks| all | marks);
        met == self.all_marks.max(1)
    }

    fn has_cycle(&self, fairness: Fairness) -> bool {
        let reachable = self.reachable();
        (1u32..1 << self.edges.len()).any(|bits| {
            let set: Vec<bool> = (0..self.edges.len()).map(|node| bits >> node & 1 == 1).collect();
            set.iter().zip(&reachable).all(|(wanted, there)| !wanted || *there)
                && self.supports(&set, fairness)
                && self.accepts(&set)
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
        let met = taken.fold(0, |all, (node, choice)| all | self.mark(*node, *choice as usize));
        assert_eq!(met, self.all_marks.max(1), "{trail:?} is not accepting");
        if fairness == Fairness::StrongTransitions {
            let taken: Vec<Vec<u32>> =
                moved.iter().zip(&nodes[start + 1..]).map(|(process, to)| action(&(*process, *to as u32))).collect();
            let able = cycle.iter().flat_map(|node| self.edges[*node].iter().map(action));
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
        let mut random = Random::new(seed);
        let nodes = 1 + random.below_u64(7);
        let system = random_graph(&mut random, nodes);
        for (fairness, found) in FAIRNESS.into_iter().zip(&mut found) {
            let expected = system.has_cycle(fairness);
            *found += u32::from(expected);
            for (form, (algorithm, threads)) in (seed..).zip(CONFIGURATIONS) {
                for all_errors in [false, true] {
                    let options = Options { all_errors, threads: Some(threads), ..options(algorithm, fairness) };
                    let outcome = run_in(form, &system, &options);
                    let what = format!("seed {seed} {form} {algorithm:?} {fairness:?}\n{system:?}");
                    assert_eq!(!outcome.violations.is_empty(), expected, "{what}");
                    let complete = matches!(&outcome.end, End::Exhausted(e) if e.error_free().is_some() != expected);
                    assert_eq!(complete, !expected || all_errors, "{what}");
                    for violation in &outcome.violations {
                        assert_eq!(violation.error, ErrorKind::Cycle);
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
        let mut random = Random::new(1000 + seed);
        let nodes = 1 + random.below_u64(7);
        let mut system = random_graph(&mut random, nodes);
        system.all_marks = [0b11, 0b111][random.below_u64(2) as usize];
        let mut some = || (0..1 + random.below_u64(3)).map(|_| random.below_u64(8) as u32 & system.all_marks).collect();
        system.marks = (0..nodes).map(|_| some()).collect();
        for (fairness, found) in FAIRNESS.into_iter().zip(&mut found) {
            let expected = system.has_cycle(fairness);
            *found += u32::from(expected);
            for (form, (algorithm, threads)) in (seed..).zip(CONFIGURATIONS) {
                let cycles = Cycles { algorithm, fairness, marks: system.all_marks };
                let options = Options { cycles: Some(cycles), threads: Some(threads), ..Options::default() };
                let outcome = run_in(form, &system, &options);
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
        let mut random = Random::new(seed);
        let nodes = 200 + random.below_u64(3000);
        let mut system = random_graph(&mut random, nodes);
        // Few accepting nodes, so that not every graph has an accepting cycle.
        system.accepting = (0..nodes).map(|_| random.below_u64(1 + nodes / 3) == 0).collect();
        let reachable = system.reachable();
        let all = vec![true; system.edges.len()];
        let on_cycle = |node: usize| system.edges[node].iter().any(|(_, to)| system.reach(*to as usize, &all)[node]);
        let expected = (0..system.edges.len()).any(|node| system.accepting[node] && reachable[node] && on_cycle(node));
        let forms = 0..FORMS.len() as u64;
        for ((algorithm, threads), form) in CONFIGURATIONS.into_iter().flat_map(|c| forms.clone().map(move |f| (c, f)))
        {
            let options = Options { threads: Some(threads), ..options(algorithm, Fairness::None) };
            let outcome = run_in(form, &system, &options);
            assert_eq!(!outcome.violations.is_empty(), expected, "seed {seed} {form} {algorithm:?}");
            outcome.violations.iter().for_each(|v| system.follow(&v.trail, Fairness::None));
            if !expected {
                let states = reachable.iter().filter(|there| **there).count() as u64;
                let edges: usize = (0..reachable.len()).filter(|n| reachable[*n]).map(|n| system.edges[n].len()).sum();
                let s = outcome.statistics;
                assert_eq!(
                    (s.states, s.transitions),
                    (states, edges as u64),
                    "seed {seed} {form} {algorithm:?} {threads}"
                );
            }
        }
    }
}
