//! Building the state graph of a system.

use std::collections::{HashMap, VecDeque};

use kripke_model::{Batch, Choice, Finding, Flags, Mover, Movers, State, Successors};

/// The reachable states of a system, or some of them, and the transitions between these.
#[derive(Clone, Debug, Default)]
pub struct StateGraph {
    /// The states, in the order of a breadth-first search. The first one is initial.
    pub states: Vec<Vec<u8>>,
    /// The properties of each state.
    pub flags: Vec<Flags>,
    /// The errors in the expansion of each state.
    pub findings: Vec<Vec<Finding>>,
    /// Whether some successors of each state are not part of the graph.
    pub cut: Vec<bool>,
    /// The transitions, by source and then by number of the successor.
    pub steps: Vec<Step>,
    /// For each action a step that executes it, as an index of `steps`.
    pub actions: Vec<usize>,
}

/// A transition between stored states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// The source.
    pub from: u32,
    /// The number of the successor in the expansion of the source.
    pub successor: u32,
    /// The target.
    pub to: u32,
    /// The process that moves.
    pub by: Mover,
    /// The number of the action: the statements that are executed.
    pub action: u32,
}

/// The states from which a graph is built.
#[derive(Clone, Debug, Default)]
pub struct Seeds {
    /// These states in addition to the initial one.
    pub states: Vec<Vec<u8>>,
    /// The number of steps from the seeds up to which states belong to the graph; no limit if there is none.
    pub radius: Option<u32>,
}

/// A graph has more states than it may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooManyStates {
    /// The largest number allowed.
    pub most: usize,
}

/// Adds states and transitions to a graph, one expansion at a time. All calls must have the same system and graph.
#[derive(Clone, Debug)]
pub struct Builder {
    number: HashMap<Vec<u8>, u32>,
    actions: HashMap<Vec<u32>, u32>,
    hidden: usize,
    most: usize,
}

/// Builds the graph of a system, with at most this number of states.
pub fn build(system: &mut dyn Successors, seeds: &Seeds, most: usize) -> Result<StateGraph, TooManyStates> {
    let mut initial = Batch::new();
    system.initial(&mut initial);
    let hidden = system.hidden_prefix();
    let (mut builder, mut graph) = (Builder::new(hidden, most), StateGraph::default());
    let mut queue = VecDeque::new();
    for state in std::iter::once(initial.state(0)).chain(seeds.states.iter().map(|s| &s[..])) {
        if let (number, true) = builder.known(&mut graph, state)? {
            queue.push_back((number, 0));
        }
    }
    // The states at the border are expanded last: only their steps to states of the graph count.
    let mut border = Vec::new();
    while let Some((state, depth)) = queue.pop_front() {
        if seeds.radius.is_some_and(|radius| depth >= radius) {
            border.push(state);
            continue;
        }
        for new in builder.expand(system, &mut graph, state, true)? {
            queue.push_back((new, depth + 1));
        }
    }
    for state in border {
        builder.expand(system, &mut graph, state, false)?;
    }
    if seeds.radius.is_some() {
        graph.sort();
    }
    Ok(graph)
}

impl Builder {
    /// A builder of an empty graph with at most this number of states. Bytes before `hidden` do not distinguish states.
    pub fn new(hidden: usize, most: usize) -> Builder {
        Builder { number: HashMap::new(), actions: HashMap::new(), hidden, most }
    }

    /// The number of a state, and whether it is new.
    pub fn known(&mut self, graph: &mut StateGraph, state: &State) -> Result<(u32, bool), TooManyStates> {
        let key = state[self.hidden.min(state.len())..].to_vec();
        if let Some(&number) = self.number.get(&key) {
            return Ok((number, false));
        }
        if graph.states.len() >= self.most {
            return Err(TooManyStates { most: self.most });
        }
        let number = graph.states.len() as u32;
        self.number.insert(key, number);
        graph.states.push(state.to_vec());
        graph.flags.push(Flags::default());
        graph.findings.push(Vec::new());
        graph.cut.push(false);
        Ok((number, true))
    }

    /// Adds the steps of a state, and the states that they lead to if these may be `new`. Returns the new ones.
    pub fn expand(
        &mut self,
        system: &mut dyn Successors,
        graph: &mut StateGraph,
        from: u32,
        new: bool,
    ) -> Result<Vec<u32>, TooManyStates> {
        let state = graph.states[from as usize].clone();
        let (mut batch, mut movers, mut labels) = (Batch::new(), Movers::default(), Vec::new());
        graph.flags[from as usize] = system.expand(&state, Choice::All, &mut batch);
        graph.findings[from as usize] = batch.findings().to_vec();
        system.movers(&state, &mut movers);
        system.action_labels(&state, &mut labels);
        let mut found = Vec::new();
        for (i, target) in batch.states().enumerate() {
            let key = &target[self.hidden.min(target.len())..];
            if !new && !self.number.contains_key(key) {
                graph.cut[from as usize] = true;
                continue;
            }
            let (to, is_new) = self.known(graph, target)?;
            found.extend(is_new.then_some(to));
            let by = movers.by.get(i).copied().unwrap_or(Mover::Observer);
            let label = labels.get(i).cloned().unwrap_or_default();
            let next = self.actions.len() as u32;
            let action = *self.actions.entry(label).or_insert(next);
            if action == next {
                graph.actions.push(graph.steps.len());
            }
            graph.steps.push(Step { from, successor: i as u32, to, by, action });
        }
        Ok(found)
    }
}

impl StateGraph {
    /// Sorts the steps by their sources.
    fn sort(&mut self) {
        let mut order: Vec<usize> = (0..self.steps.len()).collect();
        order.sort_by_key(|i| (self.steps[*i].from, self.steps[*i].successor));
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(new, old)| place[*old] = new);
        self.steps = order.iter().map(|i| self.steps[*i]).collect();
        self.actions.iter_mut().for_each(|step| *step = place[*step]);
    }

    /// Whether something is wrong in a state or its expansion.
    pub fn is_bad(&self, state: usize) -> bool {
        self.flags[state].is_bad() || !self.findings[state].is_empty()
    }

    /// The steps of each state, as a range of `steps`.
    pub fn outgoing(&self) -> Vec<std::ops::Range<usize>> {
        let mut out = vec![0..0; self.states.len()];
        let mut at = 0;
        for (state, range) in out.iter_mut().enumerate() {
            let start = at;
            while self.steps.get(at).is_some_and(|step| step.from as usize == state) {
                at += 1;
            }
            *range = start..at;
        }
        out
    }
}
