//! State graphs as data: built from a successor generator, walked step by step, minimised and compared.
//!
//! A [`StateGraph`] has the states of a system as bytes. A [`Lts`] is a labelled transition system: numbers and the names of
//! actions, as Aldebaran files have them. Equivalences are about labelled transition systems.

mod adjacency;
mod branching;
mod build;
mod compare;
mod formula;
mod lts;
mod nested;
mod partition;
mod space;
mod traces;
mod walk;

pub use adjacency::{Adjacency, Components, DepthFirst};
pub use build::{Builder, Seeds, StateGraph, Step, TooManyStates, build};
pub use compare::{Comparison, Difference, compare};
pub use formula::{Formula, Formulas, Term};
pub use lts::{Edge, Equivalence, HIDDEN, Lts};
pub use space::{Space, space};
pub use walk::{Event, Walk, walk};

/// The smallest labelled transition system that is equivalent to this one. An error is the number of states at which the
/// construction for trace equivalence was given up.
pub fn minimise(lts: &Lts, equivalence: Equivalence, most: usize) -> Result<Lts, usize> {
    let lts = lts.reachable();
    match equivalence {
        Equivalence::Strong => Ok(lts.quotient(&partition::strong(&lts), false)),
        Equivalence::Branching => Ok(lts.quotient(&branching::partition(&lts), true)),
        Equivalence::Trace => {
            let deterministic = traces::deterministic(&lts, most)?;
            Ok(deterministic.quotient(&partition::strong(&deterministic), false))
        }
    }
}

#[cfg(test)]
mod tests;
