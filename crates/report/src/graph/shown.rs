//! The graph that is shown: a state graph as it is, projected onto some variables, or minimised.

use std::collections::{BTreeSet, HashMap};

use kripke_search::graph::{HIDDEN, Lts};

use super::values::Value;
use super::{ACCEPTING, DEADLOCK, ERROR, ModelGraph, Naming, Patterns};
use crate::diagram::Role;

/// A graph that is shown.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// The nodes. The first one is initial.
    pub nodes: Vec<ShownNode>,
    /// The transitions.
    pub steps: Vec<ShownStep>,
    /// The names of processes, by the number of their colour.
    pub processes: Vec<(usize, String)>,
    /// Whether pictures leave out values that are the same in all states.
    pub brief: bool,
}

/// A node of a graph that is shown.
#[derive(Clone, Debug, Default)]
pub struct ShownNode {
    /// The values in the state, or what all states of the node have in common.
    pub values: Vec<Value>,
    /// The number of states.
    pub states: usize,
    /// The kind of the state.
    pub role: Role,
    /// Whether a state is accepting.
    pub accepting: bool,
    /// Whether some successors are not shown.
    pub cut: bool,
}

/// A transition of a graph that is shown.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ShownStep {
    /// The source.
    pub from: usize,
    /// The target.
    pub to: usize,
    /// The name of the process that moves.
    pub process: String,
    /// The statements.
    pub label: String,
    /// The number of the colour.
    pub ink: Option<usize>,
    /// Whether the step belongs to a counterexample.
    pub on_trail: bool,
}

/// The graph as it is: one node for each state, one step for each transition.
pub fn whole(graph: &ModelGraph, naming: Naming<'_>) -> Shown {
    let out = graph.graph.outgoing();
    let node = |state: usize| {
        let ends = out[state].is_empty() && !graph.graph.cut[state];
        ShownNode { values: graph.values(state, None), ..plain(graph, state, ends) }
    };
    let on_trail: BTreeSet<(u32, u32)> = graph.trail.windows(2).map(|pair| (pair[0], pair[1])).collect();
    let number: Vec<usize> = (0..graph.graph.states.len()).collect();
    let steps = renumbered(graph, &number, naming)
        .map(|step| ShownStep { on_trail: on_trail.contains(&(step.from as u32, step.to as u32)), ..step });
    let nodes = (0..graph.graph.states.len()).map(node).collect();
    Shown { nodes, steps: steps.collect(), processes: processes(graph), brief: true }
}

impl Shown {
    /// The names of the values that are the same in all states, if there are several states.
    pub(super) fn constants(&self) -> BTreeSet<&str> {
        let Some((first, others)) = self.nodes.split_first().filter(|(_, others)| !others.is_empty()) else {
            return BTreeSet::new();
        };
        let constant = |value: &&Value| others.iter().all(|node| node.values.contains(value));
        first.values.iter().filter(constant).map(|(name, _)| name.as_str()).collect()
    }
}

/// The processes that move, with the numbers of their colours.
fn processes(graph: &ModelGraph) -> Vec<(usize, String)> {
    let movers = graph.graph.steps.iter();
    let all: BTreeSet<(usize, String)> = movers
        .filter_map(|step| Some((graph.ink(step.by)?, graph.actions[step.action as usize].process.clone())))
        .collect();
    all.into_iter().collect()
}

/// A node without values. `ends` says that the state has no steps.
fn plain(graph: &ModelGraph, state: usize, ends: bool) -> ShownNode {
    let mark = graph.mark(state);
    let on_trail = graph.trail.contains(&(state as u32));
    let role = match role(mark) {
        Role::Plain if on_trail => Role::Trail,
        Role::Plain if ends => Role::End,
        role => role,
    };
    ShownNode { role, accepting: mark & ACCEPTING > 0, cut: graph.graph.cut[state], states: 1, values: Vec::new() }
}

fn role(mark: u32) -> Role {
    match mark {
        mark if mark & ERROR > 0 => Role::Error,
        mark if mark & DEADLOCK > 0 => Role::Deadlock,
        _ => Role::Plain,
    }
}

/// The graph with one node for all states that have the same values of some variables. Steps that change none of these values are
/// left out, and equal steps are one.
pub fn projected(graph: &ModelGraph, patterns: &Patterns, naming: Naming<'_>) -> Shown {
    let mut known: HashMap<Vec<Value>, usize> = HashMap::new();
    let mut shown = Shown { processes: processes(graph), ..Shown::default() };
    let mut number = Vec::new();
    for state in 0..graph.graph.states.len() {
        let values = graph.values(state, Some(patterns));
        let at = *known.entry(values.clone()).or_insert(shown.nodes.len());
        let mark = graph.mark(state);
        if at == shown.nodes.len() {
            shown.nodes.push(ShownNode { values, ..ShownNode::default() });
        }
        let node = &mut shown.nodes[at];
        node.states += 1;
        node.accepting |= mark & ACCEPTING > 0;
        node.cut |= graph.graph.cut[state];
        node.role = match (node.role, role(mark)) {
            (Role::Error, _) | (_, Role::Error) => Role::Error,
            (Role::Deadlock, _) | (_, Role::Deadlock) => Role::Deadlock,
            _ if graph.trail.contains(&(state as u32)) => Role::Trail,
            (role, _) => role,
        };
        number.push(at);
    }
    let steps: BTreeSet<ShownStep> = renumbered(graph, &number, naming).filter(|step| step.from != step.to).collect();
    shown.steps = steps.into_iter().collect();
    shown
}

/// The steps between nodes with these numbers.
fn renumbered<'a>(
    graph: &'a ModelGraph,
    number: &'a [usize],
    naming: Naming<'a>,
) -> impl Iterator<Item = ShownStep> + 'a {
    graph.graph.steps.iter().map(move |step| {
        let action = &graph.actions[step.action as usize];
        ShownStep {
            from: number[step.from as usize],
            to: number[step.to as usize],
            process: action.process.clone(),
            label: naming.beside_process(action),
            ink: graph.ink(step.by),
            on_trail: false,
        }
    })
}

/// A labelled transition system: numbers and labels.
pub fn minimised(lts: &Lts) -> Shown {
    let lts = lts.reachable();
    let mut ends = vec![true; lts.states as usize];
    lts.edges.iter().for_each(|edge| ends[edge.from as usize] = false);
    let node = |state: u32| {
        let role = match role(lts.mark(state)) {
            Role::Plain if ends[state as usize] => Role::End,
            role => role,
        };
        ShownNode { states: 1, role, accepting: lts.mark(state) & ACCEPTING > 0, ..ShownNode::default() }
    };
    let steps = lts.edges.iter().map(|edge| ShownStep {
        from: edge.from as usize,
        to: edge.to as usize,
        process: String::new(),
        label: if edge.label == HIDDEN { "i".to_string() } else { lts.labels[edge.label as usize].clone() },
        ink: None,
        on_trail: false,
    });
    Shown { nodes: (0..lts.states).map(node).collect(), steps: steps.collect(), ..Shown::default() }
}
