//! Büchi automata: the public result types of this crate.

use crate::atoms::Atoms;
use crate::guard::Guard;
use crate::lasso::Lasso;

/// The number of a state of an automaton.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StateId(pub u32);

impl StateId {
    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A set of acceptance sets: bit `i` is set on the edges of acceptance set `i`.
pub type Marks = u64;

/// A transition of a [`Generalised`] automaton. It reads a valuation that satisfies the guard.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MarkedEdge {
    /// The condition on the valuation.
    pub guard: Guard,
    /// The acceptance sets that contain the edge.
    pub marks: Marks,
    /// The target state.
    pub to: StateId,
}

/// A transition-based generalised Büchi automaton (TGBA). It accepts a word if some run takes edges of every
/// acceptance set infinitely often. Without acceptance sets, every infinite run is accepting.
#[derive(Clone, PartialEq, Debug)]
pub struct Generalised {
    /// The propositions that guards refer to.
    pub atoms: Atoms,
    /// The number of acceptance sets.
    pub sets: u32,
    /// The initial state.
    pub initial: StateId,
    /// The outgoing edges of each state.
    pub states: Vec<Vec<MarkedEdge>>,
}

/// A transition of a [`Buchi`] automaton.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// The condition on the valuation.
    pub guard: Guard,
    /// The target state.
    pub to: StateId,
}

/// A state of a [`Buchi`] automaton.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct State {
    /// Whether the state is accepting.
    pub accepting: bool,
    /// The outgoing edges.
    pub edges: Vec<Edge>,
}

/// A state-based Büchi automaton. It accepts a word if some run visits accepting states infinitely often.
#[derive(Clone, PartialEq, Debug)]
pub struct Buchi {
    /// The propositions that guards refer to.
    pub atoms: Atoms,
    /// The initial state.
    pub initial: StateId,
    /// All states.
    pub states: Vec<State>,
}

impl Generalised {
    /// The set of all acceptance sets.
    pub fn all_marks(&self) -> Marks {
        all_marks(self.sets)
    }

    /// The outgoing edges of a state.
    pub fn edges(&self, state: StateId) -> &[MarkedEdge] {
        &self.states[state.index()]
    }

    /// The number of edges.
    pub fn edge_count(&self) -> usize {
        self.states.iter().map(Vec::len).sum()
    }

    /// Whether the automaton accepts a word.
    pub fn accepts(&self, word: &Lasso) -> bool {
        crate::lasso::accepts(word, self.initial, self.states.len(), self.sets, |state, valuation| {
            self.edges(state).iter().filter(move |e| e.guard.holds(valuation)).map(|e| (e.to, e.marks)).collect()
        })
    }
}

impl Buchi {
    /// The state with this number.
    pub fn state(&self, state: StateId) -> &State {
        &self.states[state.index()]
    }

    /// The number of edges.
    pub fn edge_count(&self) -> usize {
        self.states.iter().map(|s| s.edges.len()).sum()
    }

    /// Whether the automaton accepts a word.
    pub fn accepts(&self, word: &Lasso) -> bool {
        crate::lasso::accepts(word, self.initial, self.states.len(), 1, |state, valuation| {
            let State { accepting, edges } = self.state(state);
            edges.iter().filter(|e| e.guard.holds(valuation)).map(|e| (e.to, u64::from(*accepting))).collect()
        })
    }

    /// The automaton with acceptance on edges: the edges of accepting states form the only acceptance set.
    pub fn generalised(&self) -> Generalised {
        let marked = |state: &State| {
            let edge = |e: &Edge| MarkedEdge { guard: e.guard.clone(), marks: u64::from(state.accepting), to: e.to };
            state.edges.iter().map(edge).collect()
        };
        Generalised {
            atoms: self.atoms.clone(),
            sets: 1,
            initial: self.initial,
            states: self.states.iter().map(marked).collect(),
        }
    }
}

pub(crate) fn all_marks(sets: u32) -> Marks {
    if sets >= u64::BITS { u64::MAX } else { (1 << sets) - 1 }
}
