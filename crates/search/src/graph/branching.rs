//! Branching bisimulation: the signature of a state has the actions of the states that it reaches by hidden transitions within its
//! block (Blom and Orzan 2003). Cycles of hidden transitions are contracted first, so that these transitions have an order.

use super::adjacency::Adjacency;
use super::lts::{Edge, HIDDEN, Lts};
use super::partition::{Round, Signature, rounds};

/// A system without cycles of hidden transitions.
#[derive(Debug)]
pub(super) struct Contracted {
    /// The system.
    pub lts: Lts,
    /// The state of each original state.
    pub state: Vec<u32>,
}

/// The blocks of branching bisimulation.
pub(super) fn partition(lts: &Lts) -> Vec<u32> {
    let contracted = contracted(lts);
    let rounds = refined(&contracted.lts);
    let last = &rounds[rounds.len() - 1].block;
    contracted.state.iter().map(|state| last[*state as usize]).collect()
}

/// The rounds of refinement of a contracted system.
pub(super) fn refined(lts: &Lts) -> Vec<Round> {
    let out = lts.outgoing();
    rounds(lts, |block| signatures(&out, block))
}

/// Contracts the cycles of hidden transitions between states with the same mark. The numbers of the new states are such that hidden
/// transitions between states with the same mark lead to smaller numbers.
pub(super) fn contracted(lts: &Lts) -> Contracted {
    let hidden = |e: &&Edge| e.label == HIDDEN && lts.mark(e.from) == lts.mark(e.to);
    let mut next = vec![Vec::new(); lts.states as usize];
    lts.edges.iter().filter(hidden).for_each(|e| next[e.from as usize].push(e.to));
    let mut graph = Adjacency::default();
    next.into_iter().for_each(|targets: Vec<u32>| graph.push(targets));
    let state = graph.components().of;
    let states = state.iter().copied().max().map_or(0, |most| most + 1);
    let image = |e: &Edge| Edge { from: state[e.from as usize], label: e.label, to: state[e.to as usize] };
    let mut edges: Vec<Edge> = lts.edges.iter().map(image).filter(|e| e.label != HIDDEN || e.from != e.to).collect();
    edges.sort_unstable();
    edges.dedup();
    let mut marks = Vec::new();
    if !lts.marks.is_empty() {
        marks = vec![0; states as usize];
        state.iter().zip(&lts.marks).for_each(|(s, mark)| marks[*s as usize] = *mark);
    }
    let initial = state[lts.initial as usize];
    Contracted { lts: Lts { initial, states, labels: lts.labels.clone(), edges, marks }, state }
}

/// The signatures of all states. A hidden transition within a block leads to a smaller number.
fn signatures(out: &[Vec<(u32, u32)>], block: &[u32]) -> Vec<Signature> {
    let mut all: Vec<Signature> = Vec::with_capacity(out.len());
    for (state, steps) in out.iter().enumerate() {
        let mut signature = Signature::new();
        for &(label, to) in steps {
            if label == HIDDEN && block[to as usize] == block[state] {
                signature.extend_from_slice(&all[to as usize]);
            } else {
                signature.push((label, block[to as usize]));
            }
        }
        signature.sort_unstable();
        signature.dedup();
        all.push(signature);
    }
    all
}
