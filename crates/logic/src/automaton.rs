//! Büchi automata, as the rest of the world sees them.

use crate::atoms::Atoms;
use crate::guard::Guard;
use crate::lasso::Lasso;

/// A state of an automaton.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StateId(pub u32);

impl StateId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The acceptance sets an edge belongs to, a bit each.
pub type Marks = u64;

/// A move of a [`Generalised`] automaton: it reads one valuation for which the guard holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MarkedEdge {
    pub guard: Guard,
    pub marks: Marks,
    pub to: StateId,
}

/// A transition-based generalised Büchi automaton: it accepts a word if some run takes edges of every acceptance set
/// infinitely often. Without sets, every infinite run accepts.
#[derive(Clone, PartialEq, Debug)]
pub struct Generalised {
    pub atoms: Atoms,
    pub sets: u32,
    pub initial: StateId,
    pub states: Vec<Vec<MarkedEdge>>,
}

/// A move of a [`Buchi`] automaton.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    pub guard: Guard,
    pub to: StateId,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct State {
    pub accepting: bool,
    pub edges: Vec<Edge>,
}

/// A Büchi automaton: it accepts a word if some run visits accepting states infinitely often.
#[derive(Clone, PartialEq, Debug)]
pub struct Buchi {
    pub atoms: Atoms,
    pub initial: StateId,
    pub states: Vec<State>,
}

impl Generalised {
    pub fn all_marks(&self) -> Marks {
        all_marks(self.sets)
    }

    pub fn edges(&self, state: StateId) -> &[MarkedEdge] {
        &self.states[state.index()]
    }

    pub fn edge_count(&self) -> usize {
        self.states.iter().map(Vec::len).sum()
    }

    /// Whether it accepts a word.
    pub fn accepts(&self, word: &Lasso) -> bool {
        crate::lasso::accepts(word, self.initial, self.states.len(), self.sets, |state, valuation| {
            self.edges(state).iter().filter(move |e| e.guard.holds(valuation)).map(|e| (e.to, e.marks)).collect()
        })
    }
}

impl Buchi {
    pub fn state(&self, state: StateId) -> &State {
        &self.states[state.index()]
    }

    pub fn edge_count(&self) -> usize {
        self.states.iter().map(|s| s.edges.len()).sum()
    }

    /// Whether it accepts a word.
    pub fn accepts(&self, word: &Lasso) -> bool {
        crate::lasso::accepts(word, self.initial, self.states.len(), 1, |state, valuation| {
            let State { accepting, edges } = self.state(state);
            edges.iter().filter(|e| e.guard.holds(valuation)).map(|e| (e.to, u64::from(*accepting))).collect()
        })
    }

    /// The same automaton with its acceptance on edges.
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
