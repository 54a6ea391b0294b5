//! Certificates of searches elsewhere: accepted where the set of states is closed, and refused where one state is missing.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::graph::{Graph, ProcessGraph, Random, decode, encode};
use kripke_model::trail::Ending;
use kripke_model::{Batch, Choice, State, Successors, Trail};
use kripke_search::{Answer, CycleAlgorithm, Unproved, explore_cycles};
use kripke_search::{Budget, ClosedSet, Cycles, End, Factory, Limit, NotClosed, Options, Progress};
use kripke_search::{Rank, RankedSet, certify, certify_acyclic};

struct Set(HashSet<Vec<u8>>);

impl ClosedSet for Set {
    fn for_each(&self, each: &mut dyn FnMut(&State)) {
        self.0.iter().for_each(|state| each(state));
    }

    fn contains(&self, state: &State) -> bool {
        self.0.contains(state)
    }
}

/// A search that this crate knows nothing of: depth first, with a set of states.
fn search(graph: &mut Graph) -> Set {
    let (mut seen, mut stack, mut batch) = (HashSet::new(), Vec::new(), Batch::new());
    graph.initial(&mut batch);
    stack.push(batch.state(0).to_vec());
    seen.insert(batch.state(0).to_vec());
    while let Some(state) = stack.pop() {
        batch.clear();
        graph.expand(&state, Choice::All, &mut batch);
        for successor in batch.states() {
            if seen.insert(successor.to_vec()) {
                stack.push(successor.to_vec());
            }
        }
    }
    Set(seen)
}

#[test]
fn closed_sets_are_accepted_with_their_errors() {
    let (mut random, mut faulty) = (Random::new(5), 0);
    for _ in 0..100 {
        let mut graph = Graph::random(&mut random, 40, 4);
        let count = random.below_u64(4);
        graph.add_random_findings(&mut random, count);
        graph.invalid_ends = random.below_u64(2) == 0;
        let set = search(&mut graph);
        let options = Options { all_errors: true, threads: Some(1), ..Options::default() };
        let certified = certify(&set, &mut graph, &options).expect("the set is closed");
        let outcome = crate::graph::run(&graph, &options, &Budget::default());
        let End::Exhausted(exhausted) = outcome.end else { panic!("the graph is small") };
        assert_eq!(certified, exhausted);
        faulty += u32::from(certified.error_free().is_none());
    }
    assert!((10..90).contains(&faulty), "{faulty} of 100 graphs have errors");
}

#[test]
fn a_missing_state_is_noticed() {
    let mut random = Random::new(9);
    for _ in 0..20 {
        let mut graph = Graph::random(&mut random, 30, 4);
        let whole = search(&mut graph);
        for missing in &whole.0 {
            let part = Set(whole.0.iter().filter(|state| *state != missing).cloned().collect());
            let refused = certify(&part, &mut graph, &Options::default()).unwrap_err();
            match refused {
                NotClosed::Initial => assert_eq!(crate::graph::decode(missing), 0),
                NotClosed::Successor { missing: found, .. } => assert_eq!(found, *missing),
                other => panic!("{other}"),
            }
        }
    }
}

/// The nodes of a graph with the number of nodes that each can reach. Along a transition the number does not increase, and it is
/// the same only within a strongly connected component.
struct Ranked(ProcessGraph);

impl ClosedSet for Ranked {
    fn for_each(&self, each: &mut dyn FnMut(&State)) {
        (0..self.0.edges.len() as u32).for_each(|node| each(&encode(node)));
    }

    fn contains(&self, _: &State) -> bool {
        true
    }
}

impl RankedSet for Ranked {
    fn rank(&self, state: &State) -> Rank {
        let (graph, node) = (&self.0, decode(state) as usize);
        let all = vec![true; graph.edges.len()];
        let reached = graph.reach(node, &all);
        let component: Vec<bool> =
            (0..all.len()).map(|other| reached[other] && graph.reach(other, &all)[node]).collect();
        let edges = (0..all.len()).filter(|node| component[*node]).flat_map(|node| {
            let inside = graph.edges[node].iter().enumerate().filter(|(_, (_, to))| component[*to as usize]);
            inside.map(move |(number, _)| graph.mark(node, number))
        });
        let (marks, every) = (edges.fold(0, |marks, edge| marks | edge), graph.all_marks.max(1));
        Rank { number: reached.iter().filter(|there| **there).count() as u64, absent: every & !marks }
    }
}

/// Options of a search for the accepting cycles of a graph.
fn options(graph: &ProcessGraph) -> Options {
    let cycles = Cycles { marks: graph.all_marks, ..Cycles::default() };
    Options { cycles: Some(cycles), threads: Some(1), ..Options::default() }
}

/// A random graph with acceptance on nodes, or with two or three acceptance marks on edges.
fn random_graph(random: &mut Random) -> ProcessGraph {
    let nodes = 1 + random.below_u64(12);
    let mut graph = ProcessGraph::random(random, nodes);
    graph.all_marks = random.one_of(&[0, 0b11, 0b111]);
    graph.accepting = (0..nodes).map(|_| random.one_in(4)).collect();
    let all = graph.all_marks;
    let mut marks = || (0..1 + random.below(3)).map(|_| random.below(8) as u32 & all).collect();
    graph.marks = (0..nodes).map(|_| marks()).collect();
    graph
}

/// All nodes of a graph, whether or not they are reachable: the graph with an initial state that leads to each of them.
fn from_everywhere(graph: &ProcessGraph) -> ProcessGraph {
    let mut graph = graph.clone();
    let nodes = graph.edges.len() as u32;
    graph.edges.insert(0, (1..=nodes).map(|to| (0, to)).collect());
    graph.edges[1..].iter_mut().flatten().for_each(|(_, to)| *to += 1);
    graph.accepting.insert(0, false);
    graph.marks.insert(0, Vec::new());
    graph.atoms.insert(0, 0);
    graph
}

#[test]
fn ranks_are_accepted_if_and_only_if_no_cycle_is_accepting() {
    let (mut random, mut accepted) = (Random::new(21), 0);
    for _ in 0..400 {
        let mut graph = from_everywhere(&random_graph(&mut random));
        let options = options(&graph);
        let certified = certify_acyclic(&Ranked(graph.clone()), &mut graph, &options);
        let outcome = crate::graph::run(&graph, &options, &Budget::default());
        match certified {
            Ok(certified) => assert!(matches!(outcome.end, End::Exhausted(end) if end == certified), "{graph:?}"),
            Err(NotClosed::Rank { .. }) => assert!(matches!(outcome.end, End::Violation), "{graph:?}"),
            Err(other) => panic!("{other}"),
        }
        accepted += u32::from(outcome.violations.is_empty());
        // Without ranks nothing is said about cycles.
        assert_eq!(certify(&Ranked(graph.clone()), &mut graph, &options), Err(NotClosed::Question));
    }
    assert!((50..350).contains(&accepted), "{accepted} of 400 graphs have no accepting cycle");
}

/// An algorithm that this crate does not have: OWCTY, one way catch them young (Černá, Pelánek: Distributed explicit fair cycle
/// detection, SPIN 2003). It removes states until all that are left are reachable from an accepting state and have a
/// predecessor. The order of removal is a ranking.
struct Owcty;

/// The reachable part of a state graph, by numbers.
#[derive(Default)]
struct Explicit {
    numbers: HashMap<Vec<u8>, usize>,
    edges: Vec<Vec<usize>>,
    accepting: Vec<bool>,
    ranks: Vec<u64>,
}

impl ClosedSet for Explicit {
    fn for_each(&self, each: &mut dyn FnMut(&State)) {
        self.numbers.keys().for_each(|state| each(state));
    }

    fn contains(&self, state: &State) -> bool {
        self.numbers.contains_key(state)
    }
}

impl RankedSet for Explicit {
    fn rank(&self, state: &State) -> Rank {
        Rank { number: self.ranks[self.numbers[state]], absent: 1 }
    }
}

impl Explicit {
    fn explore(successors: &mut dyn Successors, budget: &Budget) -> Result<Explicit, Limit> {
        let (mut graph, mut states, mut batch) = (Explicit::default(), Vec::new(), Batch::new());
        successors.initial(&mut batch);
        let mut next = 0;
        let mut number = |state: &State, states: &mut Vec<Vec<u8>>| {
            *graph.numbers.entry(state.to_vec()).or_insert_with(|| {
                states.push(state.to_vec());
                states.len() - 1
            })
        };
        number(batch.state(0), &mut states);
        while next < states.len() {
            budget.check(64 * states.len() as u64)?;
            batch.clear();
            let flags = successors.expand(&states[next].clone(), Choice::All, &mut batch);
            graph.edges.push(batch.states().map(|state| number(state, &mut states)).collect());
            graph.accepting.push(flags.accepting);
            next += 1;
        }
        graph.ranks = vec![0; states.len()];
        Ok(graph)
    }

    /// The choices of a shortest path with at least one step from a state to another.
    fn path(&self, from: usize, to: usize) -> Option<Vec<u32>> {
        let (mut paths, mut seen) = (VecDeque::from([(from, Vec::new())]), HashSet::new());
        while let Some((state, path)) = paths.pop_front() {
            for (choice, next) in self.edges[state].iter().enumerate() {
                let path = [&path[..], &[choice as u32]].concat();
                if *next == to {
                    return Some(path);
                }
                if seen.insert(*next) {
                    paths.push_back((*next, path));
                }
            }
        }
        None
    }

    /// Removes states as long as possible, each with a rank below those before. Returns the states that are left.
    fn eliminate(&mut self) -> HashSet<usize> {
        let (mut left, mut rank) = ((0..self.edges.len()).collect::<HashSet<usize>>(), 2 * self.edges.len() as u64 + 2);
        loop {
            let mut reached: HashSet<usize> = left.iter().copied().filter(|state| self.accepting[*state]).collect();
            let mut stack: Vec<usize> = reached.iter().copied().collect();
            while let Some(state) = stack.pop() {
                stack.extend(self.edges[state].iter().filter(|to| left.contains(to) && reached.insert(**to)));
            }
            left.difference(&reached).for_each(|state| self.ranks[*state] = rank);
            let before = left.len();
            left = reached;
            while let Some(state) =
                left.iter().copied().find(|state| !left.iter().any(|s| self.edges[*s].contains(state)))
            {
                rank -= 1;
                self.ranks[state] = rank;
                left.remove(&state);
            }
            rank -= 1;
            if left.len() == before || left.is_empty() {
                return left;
            }
        }
    }
}

impl CycleAlgorithm for Owcty {
    fn name(&self) -> &'static str {
        "owcty"
    }

    fn search(&self, successors: Factory<'_, '_>, _: &Options, budget: &Budget, _: &Progress) -> Answer {
        let mut graph = match Explicit::explore(&mut *successors(), budget) {
            Ok(graph) => graph,
            Err(limit) => return Answer::Stopped(limit),
        };
        let left = graph.eliminate();
        let accepting = left.iter().filter(|state| graph.accepting[**state]);
        let Some((state, around)) = accepting.filter_map(|state| Some((*state, graph.path(*state, *state)?))).next()
        else {
            return Answer::NoCycle(Box::new(graph));
        };
        let mut choices = if state == 0 { Vec::new() } else { graph.path(0, state).expect("it is reachable") };
        let ending = Ending::Cycle(choices.len() as u32);
        choices.extend(around);
        Answer::Lasso(Trail { choices, ending })
    }
}

#[test]
fn an_algorithm_of_another_crate_gives_the_same_answers() {
    let (mut random, mut cycles) = (Random::new(22), 0);
    for _ in 0..200 {
        let graph = ProcessGraph { all_marks: 0, ..random_graph(&mut random) };
        let (options, progress) = (options(&graph), Progress::new());
        let factory = || -> Box<dyn Successors> { Box::new(graph.clone()) };
        let ours = crate::graph::run(&graph, &options, &Budget::default());
        let theirs = explore_cycles(&Owcty, &factory, &options, &Budget::default(), &progress).expect("an answer");
        match (ours.end, theirs.end) {
            (End::Violation, End::Violation) => {
                cycles += 1;
                is_lasso(&graph, &theirs.violations[0].trail);
            }
            (End::Exhausted(ours), End::Exhausted(theirs)) => assert_eq!(ours, theirs),
            ends => panic!("{ends:?}\n{graph:?}"),
        }
    }
    assert!((40..160).contains(&cycles), "{cycles} of 200 graphs have an accepting cycle");
}

/// Follows a lasso to an accepting cycle.
fn is_lasso(graph: &ProcessGraph, trail: &Trail) {
    let mut nodes = vec![0];
    for choice in &trail.choices {
        nodes.push(graph.edges[nodes[nodes.len() - 1]][*choice as usize].1 as usize);
    }
    let Ending::Cycle(start) = trail.ending else { panic!("{trail:?} is no lasso") };
    let (start, last) = (start as usize, nodes.len() - 1);
    assert!(start < last && nodes[start] == nodes[last], "{trail:?} does not come back");
    assert!(nodes[start..last].iter().any(|node| graph.accepting[*node]), "no accepting state in {trail:?}");
}

/// An algorithm with a mistake: it finds no cycle, and all its ranks are equal.
struct Mistaken;

impl CycleAlgorithm for Mistaken {
    fn name(&self) -> &'static str {
        "mistaken"
    }

    fn search(&self, successors: Factory<'_, '_>, _: &Options, budget: &Budget, _: &Progress) -> Answer {
        Answer::NoCycle(Box::new(Explicit::explore(&mut *successors(), budget).expect("the graph is small")))
    }
}

#[test]
fn a_wrong_answer_of_an_algorithm_is_no_proof() {
    let mut graph = ProcessGraph::random(&mut Random::new(1), 2);
    (graph.edges, graph.accepting) = (vec![vec![(0, 1)], vec![(0, 0)]], vec![true, false]);
    let factory = || -> Box<dyn Successors> { Box::new(graph.clone()) };
    let search = |options: &Options| explore_cycles(&Mistaken, &factory, options, &Budget::default(), &Progress::new());
    assert!(matches!(search(&options(&graph)), Err(Unproved::Certificate(NotClosed::Rank { .. }))));
    assert!(matches!(search(&Options::default()), Err(Unproved::NoCycles)));
}
