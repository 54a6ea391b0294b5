//! Graphs as models, and a simple reference search.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};

pub use kripke_model::Random;
use kripke_model::ir::{EdgeId, FileId, ProcessId, Span};
use kripke_model::trail::{Ending, Trail};
use kripke_model::{
    AcceptanceMarks, ActionLabels, Mover, Movers, Parts, ProcessStructure, Representation, StateLabels,
};
use kripke_model::{Batch, Choice, Fault, Finding, FindingKind, Flags, State, Successors, Within};
use kripke_search::{Budget, Errors, Fairness, Options, Order, Outcome, Progress, StoreKind, explore};

/// Implements the capabilities of a system that has none.
macro_rules! without_capabilities {
    ($system:ty) => {
        $crate::graph::without_capabilities!($system, None);
    };
    ($system:ty, $word_bits:expr) => {
        impl kripke_model::Representation for $system {
            fn hidden_prefix(&self) -> usize {
                0
            }

            fn word_bits(&self) -> Option<u32> {
                $word_bits
            }

            fn decode<'s>(&mut self, state: &'s kripke_model::State) -> std::borrow::Cow<'s, kripke_model::State> {
                std::borrow::Cow::Borrowed(state)
            }
        }

        impl kripke_model::StateLabels for $system {
            fn state_labels(&mut self, _: &kripke_model::State) -> Option<u64> {
                Some(0)
            }
        }

        impl kripke_model::ActionLabels for $system {
            fn action_labels(&mut self, _: &kripke_model::State, _: &mut Vec<Vec<u32>>) {}
        }

        impl kripke_model::AcceptanceMarks for $system {
            fn acceptance_marks(&mut self, _: &kripke_model::State, _: &mut Vec<u32>) {}
        }

        impl kripke_model::ProcessStructure for $system {
            fn movers(&mut self, _: &kripke_model::State, _: &mut kripke_model::Movers) {}

            fn expand_parts(
                &mut self,
                state: &kripke_model::State,
                out: &mut Batch,
                parts: &mut kripke_model::Parts,
            ) -> Flags {
                parts.ends.clear();
                self.expand(state, Choice::All, out)
            }

            fn expand_ample(&mut self, state: &kripke_model::State, out: &mut Batch, _: &mut Batch) -> Flags {
                self.expand(state, Choice::All, out)
            }

            /// A search that reduces expands a part of the states together and the others one by one.
            fn full_expansions(&mut self, most: usize) -> usize {
                2 * most / 3
            }

            fn note_explored(&mut self, _: usize) {}
        }
    };
}
pub(crate) use without_capabilities;

/// Nodes with their successors and findings. Node 0 is the initial state.
#[derive(Clone, Default, Debug)]
pub struct Graph {
    pub edges: Vec<Vec<u32>>,
    pub findings: HashMap<u32, Vec<Finding>>,
    pub invalid_ends: bool,
    /// Nodes in the order of expansion, by this graph and its clones.
    pub expanded: Arc<Mutex<Vec<u32>>>,
}

impl Graph {
    /// A random graph with parallel edges and self-loops.
    pub fn random(random: &mut Random, nodes: u64, max_degree: u64) -> Graph {
        let edges =
            (0..nodes).map(|_| (0..random.below_u64(max_degree + 1)).map(|_| random.below_u64(nodes) as u32).collect());
        Graph { edges: edges.collect(), ..Graph::default() }
    }

    pub fn add(&mut self, node: u32, kind: FindingKind, place: u32) {
        self.findings.entry(node).or_default().push(finding(kind, place));
    }

    /// Adds random findings of all kinds except endless sequences.
    pub fn add_random_findings(&mut self, random: &mut Random, count: u64) {
        for _ in 0..count {
            let node = random.below_u64(self.edges.len() as u64) as u32;
            let kind = match random.below_u64(3) {
                0 => FindingKind::Assertion,
                1 => FindingKind::Fault(Fault::DivisionByZero),
                _ => FindingKind::Fault(Fault::BlockedChain),
            };
            self.add(node, kind, random.below_u64(5) as u32);
        }
    }
}

/// All configurations of a search with this order, or with any.
pub fn configurations(order: Option<Order>) -> Vec<Options> {
    let mut configurations = Vec::new();
    let stores =
        [(StoreKind::Exact, None), (StoreKind::Tree, None), (StoreKind::Auto, Some(40)), (StoreKind::Auto, Some(700))];
    for (store, migrate_at) in stores {
        let with = Options { store, migrate_at, ..Options::default() };
        if order != Some(Order::BreadthFirst) {
            configurations.push(Options { order: Order::DepthFirst, ..with.clone() });
        }
        if order != Some(Order::DepthFirst) {
            configurations.extend([1, 2, 4].map(|threads| Options { threads: Some(threads), ..with.clone() }));
        }
    }
    configurations
}

/// Explores with a copy of the model for each worker, and checks that the last reported progress equals the
/// statistics.
pub fn run<M: Successors + Clone + Sync>(model: &M, options: &Options, budget: &Budget) -> Outcome {
    let progress = Progress::new();
    let outcome = explore(&|| Box::new(model.clone()), options, budget, &progress);
    let last = progress.snapshot();
    let s = &outcome.statistics;
    assert_eq!((last.states, last.transitions, last.depth), (s.states, s.transitions, s.depth), "{options:?}");
    outcome
}

pub fn finding(kind: FindingKind, place: u32) -> Finding {
    let span = Span { file: FileId(0), start: place, end: place + 1 };
    Finding { kind, pid: 0, process: ProcessId(0), edge: EdgeId(0), span, within: Within::Edge }
}

/// States of different lengths; some are prefixes of others.
pub fn encode(node: u32) -> Vec<u8> {
    let mut bytes = node.to_le_bytes().to_vec();
    bytes.resize(4 + node as usize % 11 * 9, 0);
    bytes
}

pub fn decode(state: &State) -> u32 {
    u32::from_le_bytes(state[..4].try_into().unwrap())
}

impl Successors for Graph {
    fn initial(&mut self, out: &mut Batch) {
        out.push(&encode(0));
    }

    fn expand(&mut self, state: &State, _: Choice, out: &mut Batch) -> Flags {
        let node = decode(state);
        self.expanded.lock().unwrap().push(node);
        for &next in &self.edges[node as usize] {
            out.push(&encode(next));
        }
        for finding in self.findings.get(&node).into_iter().flatten() {
            out.find(finding.clone());
        }
        Flags { invalid_end: self.invalid_ends && self.edges[node as usize].is_empty(), ..Flags::default() }
    }
}

without_capabilities!(Graph);

/// The properties of a graph.
#[derive(Default, PartialEq, Eq, Debug)]
pub struct Known {
    pub states: u64,
    pub transitions: u64,
    pub errors: Errors,
    pub state_bytes: u64,
    /// The longest distance from the initial node.
    pub depth: u64,
    /// The shortest distance of an error, if there is one.
    pub nearest_error: Option<u64>,
    /// Nodes in depth-first order.
    pub preorder: Vec<u32>,
    pub stack: u64,
}

pub fn known(graph: &Graph) -> Known {
    let mut known = Known::default();
    let mut distance = HashMap::from([(0, 0)]);
    let mut queue = VecDeque::from([0]);
    while let Some(node) = queue.pop_front() {
        let depth: u64 = distance[&node];
        let before = known.errors.total();
        known.states += 1;
        known.depth = depth;
        known.state_bytes = known.state_bytes.max(encode(node).len() as u64);
        known.transitions += graph.edges[node as usize].len() as u64;
        for finding in graph.findings.get(&node).into_iter().flatten() {
            match finding.kind {
                FindingKind::Assertion => known.errors.assertions += 1,
                FindingKind::Fault(_) => known.errors.faults += 1,
                FindingKind::EndlessSequence => {}
            }
        }
        known.errors.invalid_ends += u64::from(graph.invalid_ends && graph.edges[node as usize].is_empty());
        if known.errors.total() > before {
            known.nearest_error.get_or_insert(depth);
        }
        for &next in &graph.edges[node as usize] {
            distance.entry(next).or_insert_with(|| {
                queue.push_back(next);
                depth + 1
            });
        }
    }
    visit(graph, 0, 0, &mut vec![false; graph.edges.len()], &mut known);
    known
}

fn visit(graph: &Graph, node: u32, depth: u64, visited: &mut [bool], known: &mut Known) {
    visited[node as usize] = true;
    known.preorder.push(node);
    known.stack = known.stack.max(depth);
    for &next in &graph.edges[node as usize] {
        if !visited[next as usize] {
            visit(graph, next, depth + 1, visited, known);
        }
    }
}

/// Follows a trail, checks its end, and returns its last node.
pub fn follow(graph: &Graph, trail: &Trail) -> u32 {
    let node = trail.choices.iter().fold(0, |node, &choice| graph.edges[node as usize][choice as usize]);
    match trail.ending {
        Ending::State => {}
        Ending::Finding(n) => assert!((n as usize) < graph.findings[&node].len(), "no finding {n} at {node}"),
        Ending::Goal | Ending::BadPrefix | Ending::Cycle(_) => panic!("nothing like that is in the graph"),
        Ending::InvalidEnd => assert!(graph.edges[node as usize].is_empty(), "{node} is no end"),
    }
    node
}

/// All fairness assumptions.
pub const FAIRNESS: [Fairness; 5] =
    [Fairness::None, Fairness::Weak, Fairness::Strong, Fairness::StrongTransitions, Fairness::Impartial];

/// A few processes on a graph: for each node the moves, as process and target, the youngest process first. Node 0 is the
/// initial state.
#[derive(Clone, Default, Debug)]
pub struct ProcessGraph {
    pub edges: Vec<Vec<(u8, u32)>>,
    pub processes: u8,
    /// Atomic propositions of each node, as bits.
    pub atoms: Vec<u64>,
    pub accepting: Vec<bool>,
    /// Acceptance marks of edges, which the moves of a node take cyclically. Empty: acceptance is defined on nodes.
    pub marks: Vec<Vec<u32>>,
    /// All acceptance marks.
    pub all_marks: u32,
    /// The number of bits of states in words, if states are words.
    pub word_bits: Option<u32>,
}

/// The stores of searches for cycles and CTL, with the number of bits of states that are words.
pub const FORMS: [(StoreKind, Option<u32>); 5] = [
    (StoreKind::Exact, None),
    (StoreKind::Words, Some(37)),
    (StoreKind::Tree, None),
    (StoreKind::Words, Some(64)),
    (StoreKind::Words, Some(101)),
];

/// Explores a graph with one of the [stores](FORMS).
pub fn run_in(form: u64, system: &ProcessGraph, options: &Options) -> Outcome {
    let (store, word_bits) = FORMS[form as usize % FORMS.len()];
    let system = ProcessGraph { word_bits, ..system.clone() };
    let outcome = run(&system, &Options { store, ..options.clone() }, &Budget::default());
    assert_eq!(outcome.statistics.store, store);
    outcome
}

/// The action label of a move. Each process has two kinds of actions.
pub fn action((process, to): &(u8, u32)) -> Vec<u32> {
    vec![u32::from(*process), to % 2]
}

impl ProcessGraph {
    /// Random moves of one to three processes, without propositions and acceptance.
    pub fn random(random: &mut Random, nodes: u64) -> ProcessGraph {
        let processes = 1 + random.below_u64(3) as u8;
        let mut edges = Vec::new();
        for _ in 0..nodes {
            let mut here: Vec<(u8, u32)> = (0..random.below_u64(4))
                .map(|_| (random.below_u64(u64::from(processes)) as u8, random.below_u64(nodes) as u32))
                .collect();
            here.sort_by_key(|(process, _)| std::cmp::Reverse(*process));
            edges.push(here);
        }
        let count = nodes as usize;
        let (atoms, accepting, marks) = (vec![0; count], vec![false; count], vec![Vec::new(); count]);
        ProcessGraph { edges, processes, atoms, accepting, marks, all_marks: 0, word_bits: None }
    }

    /// A node as a state. All its bits vary if it consists of words.
    fn encode(&self, node: u32) -> Vec<u8> {
        let mixed = u128::from(node).wrapping_mul(0x9e37_79b9_7f4a_7c15_2545_f491_4f6c_dd1d) >> 32 << 32;
        let word = |bits: u32| (mixed | u128::from(node)) & (u128::MAX >> (128 - bits));
        match self.word_bits {
            None => encode(node),
            Some(bits) if bits <= 64 => (word(bits) as u64).to_le_bytes().into(),
            Some(bits) if bits <= 128 => word(bits).to_le_bytes().into(),
            Some(bits) => {
                let word = |n: u32| (mixed as u64 | u64::from(node)).rotate_left(17 * n);
                let kept = |n: u32| u64::MAX >> (64 * (n + 1)).saturating_sub(bits);
                (0..bits.div_ceil(64)).flat_map(|n| (word(n) & kept(n)).to_le_bytes()).collect()
            }
        }
    }

    /// The acceptance marks of a move: mark 1 for those of an accepting node if acceptance is defined on nodes.
    pub fn mark(&self, node: usize, number: usize) -> u32 {
        let marks = &self.marks[node];
        match self.all_marks {
            0 => u32::from(self.accepting[node]),
            _ if marks.is_empty() => 0,
            _ => marks[number % marks.len()],
        }
    }

    /// The nodes that are reachable from a node inside a set.
    pub fn reach(&self, from: usize, within: &[bool]) -> Vec<bool> {
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

    /// Whether a fair infinite run can visit exactly these nodes infinitely often.
    pub fn supports(&self, set: &[bool], fairness: Fairness) -> bool {
        let members: Vec<usize> = (0..set.len()).filter(|node| set[*node]).collect();
        let all = || members.iter().flat_map(|node| &self.edges[*node]);
        let taken: Vec<&(u8, u32)> = all().filter(|(_, to)| set[*to as usize]).collect();
        let connected = members.iter().all(|node| {
            let reached = self.reach(*node, set);
            members.iter().all(|other| reached[*other])
        });
        let able = |node: usize, process: u8| self.edges[node].iter().any(|(p, _)| *p == process);
        let every_action = || all().all(|edge| taken.iter().any(|other| action(other) == action(edge)));
        !taken.is_empty()
            && connected
            && (fairness != Fairness::StrongTransitions || every_action())
            && (0..self.processes).all(|process| {
                taken.iter().any(|(p, _)| *p == process)
                    || match fairness {
                        Fairness::None | Fairness::StrongTransitions => true,
                        Fairness::Weak => members.iter().any(|node| !able(*node, process)),
                        Fairness::Strong => members.iter().all(|node| !able(*node, process)),
                        Fairness::Impartial => false,
                    }
            })
    }
}

impl Successors for ProcessGraph {
    fn initial(&mut self, out: &mut Batch) {
        out.push(&self.encode(0));
    }

    fn expand(&mut self, state: &State, choice: Choice, out: &mut Batch) -> Flags {
        let node = decode(state) as usize;
        for &(process, to) in &self.edges[node] {
            if choice == Choice::All || choice == Choice::One(process) {
                out.push(&self.encode(to));
            }
        }
        Flags { accepting: self.accepting[node], ..Flags::default() }
    }
}

impl Representation for ProcessGraph {
    fn hidden_prefix(&self) -> usize {
        0
    }

    fn word_bits(&self) -> Option<u32> {
        self.word_bits
    }

    fn decode<'s>(&mut self, state: &'s State) -> Cow<'s, State> {
        Cow::Borrowed(state)
    }
}

impl StateLabels for ProcessGraph {
    fn state_labels(&mut self, state: &State) -> Option<u64> {
        Some(self.atoms[decode(state) as usize])
    }
}

impl ActionLabels for ProcessGraph {
    fn action_labels(&mut self, state: &State, out: &mut Vec<Vec<u32>>) {
        out.extend(self.edges[decode(state) as usize].iter().map(action));
    }
}

impl AcceptanceMarks for ProcessGraph {
    fn acceptance_marks(&mut self, state: &State, out: &mut Vec<u32>) {
        out.extend(self.marks.get(decode(state) as usize).into_iter().flatten());
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

    fn full_expansions(&mut self, most: usize) -> usize {
        most
    }

    fn note_explored(&mut self, _: usize) {}

    fn expand_ample(&mut self, state: &State, out: &mut Batch, _: &mut Batch) -> Flags {
        self.expand(state, Choice::All, out)
    }
}
