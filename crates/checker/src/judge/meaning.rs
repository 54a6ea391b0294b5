//! Judging replayed runs by what a formula means, and whether they are fair, without any of the search.

use std::collections::HashMap;

use kripke_logic::partial::{self, Given, Node, PartialStructure};
use kripke_logic::{Ctl, Lasso, Ltl, Valuation, lasso};
use kripke_model::ir::Expr;
use kripke_model::trail::{Ending, Replayed, Trail};
use kripke_model::{Batch, Choice, Interpreter, Successors};
use kripke_report::evidence::Tree;
use kripke_report::verdict::Counterexample;
use kripke_search::Fairness;

use super::fairness::is_fair;
use crate::question::ctl::Translated;
use crate::question::{Logic, Question};

impl Question {
    /// Is the formula false on this run, as far as a run alone can tell? A run that ends goes on as it is, which can't help
    /// a formula that is already lost.
    pub fn is_broken_by(&self, found: &Counterexample, fairness: Fairness, interpreter: &mut Interpreter) -> bool {
        let (trail, replayed) = (found.trail(), found.replayed());
        match &self.logic {
            Logic::Automaton(_) => is_fair(replayed, fairness, interpreter),
            Logic::Linear(ltl) => {
                is_fair(replayed, fairness, interpreter) && is_false_on(ltl, &self.conditions, replayed, interpreter)
            }
            Logic::Branching(ctl) => {
                let graph = self.structure(&[(trail, replayed)], fairness, interpreter);
                partial::judge(ctl, &graph, &[]) == Some(false)
            }
        }
    }

    /// What several runs say of a formula about branching, given what they leave open.
    pub fn settled_by(
        &self,
        tree: &Tree,
        (ctl, translated): (&Ctl, &Translated),
        fairness: Fairness,
        interpreter: &mut Interpreter,
    ) -> Option<bool> {
        let runs: Vec<(&Trail, &Replayed)> = tree.evidence().runs.iter().map(|r| &r.trail).zip(tree.runs()).collect();
        let graph = self.structure(&runs, fairness, interpreter);
        let numbers = numbers(&runs);
        let open = tree.evidence().open.iter();
        let given: Option<Vec<Given>> = open
            .map(|(place, claim)| {
                let state = tree.runs()[place.run].state(place.steps as usize);
                Some((numbers[&state], translated.original(claim.subformula)?, claim.value))
            })
            .collect();
        partial::judge(ctl, &graph, &given?)
    }

    /// The states of the runs, with all edges between them.
    fn structure(
        &self,
        runs: &[(&Trail, &Replayed)],
        fairness: Fairness,
        interpreter: &mut Interpreter,
    ) -> PartialStructure {
        let numbers = numbers(runs);
        let mut nodes = vec![Node::default(); numbers.len()];
        let mut batch = Batch::new();
        for (state, at) in &numbers {
            batch.clear();
            interpreter.expand(state, Choice::All, &mut batch);
            let next: Vec<usize> = batch.states().filter_map(|next| numbers.get(next).copied()).collect();
            let complete = next.len() == batch.len();
            nodes[*at] = Node { atoms: valuation(&self.conditions, state, interpreter), next, complete };
        }
        let mut cycles = Vec::new();
        for (_, replayed) in runs {
            if let Ending::Cycle(start) = replayed.ending()
                && is_fair(replayed, fairness, interpreter)
            {
                cycles.push(replayed.states().skip(start as usize).map(|state| numbers[&state]).collect());
            }
        }
        PartialStructure { nodes, cycles, fair_paths_only: fairness == Fairness::Impartial }
    }
}

/// The states of the runs are numbered in the order in which they are met.
fn numbers(runs: &[(&Trail, &Replayed)]) -> HashMap<Vec<u8>, usize> {
    let mut numbers = HashMap::new();
    for state in runs.iter().flat_map(|(_, replayed)| replayed.states()) {
        let next = numbers.len();
        numbers.entry(state).or_insert(next);
    }
    numbers
}

/// A condition whose evaluation is a fault counts as false. The search found no fault in the states whose conditions it needed, so
/// that is a state at the end of a run, and a condition that this run says nothing about.
fn valuation(conditions: &[Expr], state: &[u8], interpreter: &mut Interpreter) -> Valuation {
    let bits = conditions.iter().enumerate();
    bits.filter(|(_, c)| interpreter.holds(c, state) == Some(true)).fold(0, |word, (i, _)| word | 1 << i)
}

fn is_false_on(ltl: &Ltl, conditions: &[Expr], replayed: &Replayed, interpreter: &mut Interpreter) -> bool {
    let word: Vec<Valuation> = replayed.states().map(|state| valuation(conditions, &state, interpreter)).collect();
    let (stem, cycle) = match replayed.ending() {
        // The last state is the first of the cycle again.
        Ending::Cycle(start) => word[..word.len() - 1].split_at(start as usize),
        _ => word.split_at(word.len() - 1),
    };
    Lasso::new(stem, cycle).is_some_and(|run| !lasso::holds(&ltl.formula, &run))
}

#[cfg(test)]
mod tests;
