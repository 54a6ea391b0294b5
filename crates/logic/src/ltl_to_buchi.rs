//! Translation of LTL formulas to Büchi automata.
//!
//! formula → negation normal form, simplified (`nnf.rs`) → very weak alternating automaton (`alternating.rs`) →
//! transition-based generalised Büchi automaton (this file) → reduced (`reduce/`) → state-based Büchi automaton
//! (`degeneralise.rs`) → reduced.

mod alternating;
mod degeneralise;
mod weak_deterministic;

use std::collections::HashMap;

use crate::atoms::Atoms;
use crate::automaton::{Buchi, Generalised};
use crate::bdd::Bdds;
use crate::formula::Formula;
use crate::graph::{Accepting, Graph, Link, merge_links};
use crate::limits;
use crate::nnf::{TermId, Terms};
use crate::parse::Ltl;
use crate::problem::TooLarge;
use crate::reduce::{self, Marking};
use alternating::{Alternating, Move, Obligations};

/// Number of states above which no deterministic automaton is constructed.
const MANY_STATES: usize = 100;

/// The automata of one formula. Both accept exactly the words on which it holds.
#[derive(Clone, PartialEq, Debug)]
pub struct Translation {
    /// The generalised automaton, with acceptance sets of edges.
    pub generalised: Generalised,
    /// The degeneralised automaton, with accepting states.
    pub buchi: Buchi,
}

/// Translates a formula.
pub fn translate(ltl: &Ltl) -> Result<Translation, TooLarge> {
    let mut bdds = Bdds::new();
    let graph = graph(&ltl.formula, &ltl.atoms, &mut bdds)?;
    let reduced = reduce::variants(&graph, &mut bdds)?;
    let weak = weak_deterministic(ltl, &reduced, &mut bdds)?;
    both(reduced, weak, &ltl.atoms, &mut bdds)
}

/// Reduces an automaton of another tool, and degeneralises it.
pub fn simplify(automaton: &Generalised) -> Result<Translation, TooLarge> {
    let mut bdds = Bdds::new();
    let graph = Graph::of_generalised(automaton, &mut bdds);
    let reduced = reduce::variants(&graph, &mut bdds)?;
    both(reduced, None, &automaton.atoms, &mut bdds)
}

/// The minimal weak deterministic automaton, if it exists. If the automaton of the negated formula is too large,
/// there is no result, and no error.
fn weak_deterministic(ltl: &Ltl, reduced: &[Graph], bdds: &mut Bdds) -> Result<Option<Graph>, TooLarge> {
    let Some(reduced) = reduced.iter().min_by_key(|g| (g.sets, g.size())) else { return Ok(None) };
    // A cycle that needs several acceptance sets indicates that the language is not weak.
    if reduced.states.len() > MANY_STATES || reduced.sets > 1 {
        return Ok(None);
    }
    let Ok(negation) = graph(&ltl.negated().formula, &ltl.atoms, bdds) else {
        return bdds.check().map(|()| None);
    };
    // The product with the weak automaton needs one more acceptance set.
    if negation.states.len() > MANY_STATES || negation.sets as usize >= limits::MAX_SETS {
        return Ok(None);
    }
    let Some(weak) = weak_deterministic::minimal(reduced, &negation, bdds) else { return Ok(None) };
    bdds.check()?;
    Ok(Some(reduce::trim(&weak, Marking::Many, bdds)))
}

/// The automata of both kinds. The deterministic one is used unless it is larger.
fn both(graphs: Vec<Graph>, weak: Option<Graph>, atoms: &Atoms, bdds: &mut Bdds) -> Result<Translation, TooLarge> {
    let mut degeneralised = Vec::new();
    for graph in &graphs {
        degeneralised.push(degeneralise::smallest(graph, bdds)?);
    }
    let mut finished = |graphs: Vec<Graph>| {
        let small = reduce::smallest(graphs);
        let deterministic = weak.clone().filter(|w| w.states.len() <= small.states.len());
        reduce::trim(&deterministic.unwrap_or(small), Marking::Many, bdds)
    };
    let (generalised, buchi) = (finished(graphs), finished(degeneralised));
    Ok(Translation { generalised: generalised.generalised(atoms, bdds)?, buchi: buchi.buchi(atoms, bdds)? })
}

fn graph(formula: &Formula, atoms: &Atoms, bdds: &mut Bdds) -> Result<Graph, TooLarge> {
    if atoms.len() > limits::MAX_ATOMS {
        let most = limits::MAX_ATOMS;
        return Err(TooLarge::new(format!("the formula has more than {most} different propositions")));
    }
    let mut terms = Terms::new();
    let root = terms.translate(formula)?;
    Construction::new(Alternating::new(&mut terms, bdds)).run(root)
}

/// The construction of the generalised automaton: its states are sets of obligations.
struct Construction<'a> {
    alternating: Alternating<'a>,
    numbers: HashMap<Obligations, usize>,
    sets: Vec<Obligations>,
    moves: Vec<Vec<(usize, Move)>>,
    edges: usize,
}

impl<'a> Construction<'a> {
    fn new(alternating: Alternating<'a>) -> Construction<'a> {
        Construction { alternating, numbers: HashMap::new(), sets: Vec::new(), moves: Vec::new(), edges: 0 }
    }

    fn run(mut self, root: TermId) -> Result<Graph, TooLarge> {
        // The initial state has the moves of the whole formula. It need not be a set of obligations.
        let first = self.alternating.moves(root)?.to_vec();
        self.sets.push(Obligations::MAX);
        if let [one] = self.alternating.alternatives(root)?.as_slice() {
            self.numbers.insert(*one, 0);
        }
        self.add(first)?;
        while self.moves.len() < self.sets.len() {
            let moves = self.alternating.moves_of_set(self.sets[self.moves.len()])?;
            self.add(moves)?;
        }
        Ok(self.graph())
    }

    fn add(&mut self, moves: Vec<Move>) -> Result<(), TooLarge> {
        self.edges += moves.len();
        let numbered = moves.into_iter().map(|m| (self.number(m.to), m)).collect();
        self.moves.push(numbered);
        if self.sets.len() > limits::MAX_STATES || self.edges > limits::MAX_EDGES {
            let most = limits::MAX_STATES;
            return Err(TooLarge::new(format!("the automaton of this formula would be too large: over {most} states")));
        }
        Ok(())
    }

    fn number(&mut self, set: Obligations) -> usize {
        let next = self.sets.len();
        let number = *self.numbers.entry(set).or_insert(next);
        if number == next {
            self.sets.push(set);
        }
        number
    }

    fn graph(self) -> Graph {
        let sets = self.alternating.until_count();
        let all = crate::automaton::all_marks(sets);
        let bdds = self.alternating.bdds;
        let mut states: Vec<Vec<Link>> = Vec::with_capacity(self.moves.len());
        for moves in &self.moves {
            let link = |(to, m): &(usize, Move)| Link { to: *to, marks: all & !m.pending, label: m.label };
            let mut links = moves.iter().map(link).collect();
            merge_links(&mut links, bdds);
            states.push(links);
        }
        Graph { accepting: Accepting::Links, sets, initial: 0, states }
    }
}
