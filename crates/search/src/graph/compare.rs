//! Comparison of two labelled transition systems.

use super::branching::{contracted, refined};
use super::formula::{Distinguisher, Formula, Formulas};
use super::lts::{Equivalence, Lts};
use super::partition::{rounds, signature};
use super::traces;

/// Rounds of refinement up to which a formula is constructed.
const DEEPEST: usize = 3000;

/// The result of a comparison.
#[derive(Clone, Debug)]
pub enum Comparison {
    /// The initial states are equivalent.
    Equivalent,
    /// They are not.
    Different(Difference),
}

/// The reason why two systems are not equivalent. Numbers of labels are those of `labels`.
#[derive(Clone, Debug)]
pub enum Difference {
    /// A formula that is true in the initial state of the first system and false in that of the second one.
    Formula {
        /// The formulas that it consists of.
        formulas: Formulas,
        /// The formula.
        formula: Formula,
        /// The names of the actions.
        labels: Vec<String>,
    },
    /// A trace that only one system has.
    Trace {
        /// The actions.
        trace: Vec<String>,
        /// Whether the first system has it.
        first: bool,
    },
    /// The formula would have this depth, and was not constructed.
    Deep(usize),
}

/// Compares two systems. An error is the number of states at which a comparison of traces was given up.
pub fn compare(a: &Lts, b: &Lts, equivalence: Equivalence, most: usize) -> Result<Comparison, usize> {
    let (lts, other) = a.reachable().beside(&b.reachable());
    let (first, second) = (lts.initial, other);
    if equivalence == Equivalence::Trace {
        return Ok(match traces::difference(&lts, first, second, most)? {
            None => Comparison::Equivalent,
            Some((trace, first)) => {
                let trace = trace.iter().map(|label| lts.labels[*label as usize].clone()).collect();
                Comparison::Different(Difference::Trace { trace, first })
            }
        });
    }
    let branching = equivalence == Equivalence::Branching;
    let (lts, first, second) = if branching {
        let contracted = contracted(&lts);
        let at = |state: u32| contracted.state[state as usize];
        (contracted.lts.clone(), at(first), at(second))
    } else {
        (lts, first, second)
    };
    let out = lts.outgoing();
    let rounds = if branching {
        refined(&lts)
    } else {
        rounds(&lts, |block| out.iter().map(|steps| signature(steps, block)).collect())
    };
    let apart = rounds.iter().position(|round| round.block[first as usize] != round.block[second as usize]);
    let Some(round) = apart else { return Ok(Comparison::Equivalent) };
    if round > DEEPEST {
        return Ok(Comparison::Different(Difference::Deep(round)));
    }
    let block = &rounds[round].block;
    let mut distinguisher = Distinguisher::new(&lts, &rounds, branching);
    let formula = distinguisher.formula(round, block[first as usize], block[second as usize]);
    let formulas = distinguisher.formulas;
    Ok(Comparison::Different(Difference::Formula { formulas, formula, labels: lts.labels.clone() }))
}
