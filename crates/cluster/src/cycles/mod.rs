//! Distributed algorithms for accepting cycles: those of DiVinE's comparison, one in each file.
//!
//! An algorithm runs on every rank. It finds an accepting state on a cycle, or none; the lasso through that state is then constructed
//! across ranks. A state is expanded again whenever an algorithm needs its successors, as in DiVinE: what an algorithm knows about
//! states (its *appendix*) is in vectors beside the table.
//!
//! "No accepting cycle" needs a certificate: numbers of states that never increase along a transition and decrease at accepting
//! states. [`owcty`], [`owcty_reversed`], [`negative_cycle`] and [`token_ndfs`] give the numbers that they have computed anyway; the
//! others give the numbers of an elimination by [`owcty`] afterwards.

pub(crate) mod back_level_edges;
pub(crate) mod dependency_structure;
mod elimination;
pub(crate) mod map;
pub(crate) mod negative_cycle;
pub(crate) mod owcty;
pub(crate) mod owcty_reversed;
pub(crate) mod property_driven_ndfs;
pub(crate) mod token_ndfs;

use kripke_model::Flags;

pub use map::VertexOrder;

use crate::components::Components;
use crate::levels::{Expanded, Explored, explore};
use crate::rank::{Rank, StateRef, Stop};
use crate::rank_result::{RankResult, Reached};
use crate::transport::Failure;

/// The algorithms, by the names of DiVinE's comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Algorithm {
    /// One-way-catch-them-young.
    Owcty,
    /// One-way-catch-them-young on the reversed graph.
    OwctyReversed,
    /// Maximal accepting predecessors, with an order of the states.
    Map(VertexOrder),
    /// Negative cycle detection.
    NegativeCycle,
    /// Property-driven nested depth-first search.
    PropertyDrivenNdfs,
    /// Token-based nested depth-first search.
    TokenNdfs,
    /// Back-level edges.
    BackLevelEdges,
    /// Dependency structure.
    DependencyStructure,
}

impl Algorithm {
    /// Every algorithm, and MAP with every order.
    pub const ALL: [Algorithm; 10] = [
        Algorithm::Owcty,
        Algorithm::OwctyReversed,
        Algorithm::Map(VertexOrder::Owner),
        Algorithm::Map(VertexOrder::Visit),
        Algorithm::Map(VertexOrder::ReversedVisit),
        Algorithm::NegativeCycle,
        Algorithm::PropertyDrivenNdfs,
        Algorithm::TokenNdfs,
        Algorithm::BackLevelEdges,
        Algorithm::DependencyStructure,
    ];

    /// The name of the algorithm, as a user writes it.
    pub fn word(self) -> &'static str {
        match self {
            Algorithm::Owcty => "owcty",
            Algorithm::OwctyReversed => "owcty-reversed",
            Algorithm::Map(VertexOrder::Owner) => "map",
            Algorithm::Map(VertexOrder::Visit) => "map-visit",
            Algorithm::Map(VertexOrder::ReversedVisit) => "map-reversed",
            Algorithm::NegativeCycle => "ncd",
            Algorithm::PropertyDrivenNdfs => "pd-ndfs",
            Algorithm::TokenNdfs => "token-ndfs",
            Algorithm::BackLevelEdges => "ble",
            Algorithm::DependencyStructure => "deps",
        }
    }

    /// The algorithm with this name.
    pub fn named(name: &str) -> Option<Algorithm> {
        Algorithm::ALL.into_iter().find(|algorithm| algorithm.word() == name)
    }

    /// Whether the algorithm uses the components of the property automaton.
    pub(crate) fn uses_components(self) -> bool {
        matches!(self, Algorithm::PropertyDrivenNdfs | Algorithm::BackLevelEdges)
    }

    /// Whether each component with accepting states belongs to one rank.
    pub(crate) fn partitions_components(self) -> bool {
        self == Algorithm::PropertyDrivenNdfs
    }

    /// The part of one rank in the search.
    pub(crate) fn run(self, rank: &mut Rank<'_>) -> Result<Verdict, Stop> {
        match self {
            Algorithm::Owcty => owcty::run(rank),
            Algorithm::OwctyReversed => owcty_reversed::run(rank),
            Algorithm::Map(order) => map::run(rank, order),
            Algorithm::NegativeCycle => negative_cycle::run(rank),
            Algorithm::PropertyDrivenNdfs => property_driven_ndfs::run(rank),
            Algorithm::TokenNdfs => token_ndfs::run(rank),
            Algorithm::BackLevelEdges => back_level_edges::run(rank),
            Algorithm::DependencyStructure => dependency_structure::run(rank),
        }
    }
}

/// What an algorithm has found. All ranks have the same.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    /// An accepting state that is on a cycle.
    Cycle(StateRef),
    /// No cycle is accepting. The numbers of the states of this rank are the certificate, if the algorithm has any.
    NoCycle(Option<Vec<u64>>),
    /// Another error ends the search.
    Error,
    /// The depth limit was reached.
    Depth,
}

/// Which states of a rank are accepting.
#[derive(Clone, Default, Debug)]
pub(crate) struct Accepting(pub Vec<bool>);

impl Expanded for Accepting {
    fn note(&mut self, number: u32, flags: Flags) {
        let number = number as usize;
        if self.0.len() <= number {
            self.0.resize(number + 1, false);
        }
        self.0[number] = flags.accepting;
    }
}

/// Explores all states and notes which are accepting. Another error, or the depth limit, ends the search.
pub(crate) fn accepting_states(rank: &mut Rank<'_>) -> Result<Result<Vec<bool>, Verdict>, Stop> {
    let mut accepting = Accepting::default();
    let explored = explore(rank, &mut accepting)?;
    accepting.0.resize(rank.table.len(), false);
    Ok(match explored {
        Explored::All => Ok(accepting.0),
        Explored::Error => Err(Verdict::Error),
        Explored::Depth => Err(Verdict::Depth),
    })
}

/// The answer of a search for cycles. All ranks have the same, but for the certificate.
#[derive(Clone, Debug)]
pub(crate) enum Found {
    /// A run into an accepting cycle and around it; the cycle begins after so many choices.
    Lasso(Vec<u32>, usize),
    /// No cycle is accepting; the numbers of the states of this rank.
    NoCycle(Vec<u64>),
    /// Another error, or a limit that the states have.
    Other(Reached),
    /// The algorithm contradicts itself: an error of ours.
    Contradiction(&'static str),
}

/// The part of one rank in a search for cycles.
pub(crate) fn search<'m>(
    (algorithm, components): (Algorithm, Option<&'m Components>),
    mut rank: Rank<'m>,
) -> Result<RankResult<Found>, Failure> {
    if let Some(components) = components {
        rank.set_components(components, algorithm.partitions_components());
    }
    let answer = find(algorithm, &mut rank);
    rank.conclude(answer)
}

fn find(algorithm: Algorithm, rank: &mut Rank<'_>) -> Result<Found, Stop> {
    let verdict = match algorithm.run(rank)? {
        Verdict::NoCycle(None) => owcty::certificate(rank)?,
        verdict => verdict,
    };
    if let Some(endless) = rank.errors.endless.clone() {
        return Ok(Found::Other(rank.endless(&endless)?));
    }
    Ok(match verdict {
        Verdict::NoCycle(Some(numbers)) => Found::NoCycle(numbers),
        Verdict::NoCycle(None) => Found::Contradiction("no state is left, and some are"),
        Verdict::Cycle(state) => lasso(rank, state)?,
        Verdict::Depth => Found::Other(Reached::Depth),
        Verdict::Error => {
            rank.errors.keep_first();
            Found::Other(Reached::Error(rank.trails()?))
        }
    })
}

/// A shortest cycle through a state, and the path of first parents to it.
fn lasso(rank: &mut Rank<'_>, state: StateRef) -> Result<Found, Stop> {
    let mut choices = rank.choices_to(state)?;
    let stem = choices.len();
    Ok(match rank.path(state, state)? {
        Some(around) => {
            choices.extend(rank.choices(&around)?);
            Found::Lasso(choices, stem)
        }
        None => Found::Contradiction("the state is on no cycle"),
    })
}

/// Finds an accepting state on a cycle by following references from any accepting state to another: each leads to an accepting state
/// that reaches it, or that it reaches. A state that comes again is on a cycle.
pub(crate) fn repeated(rank: &mut Rank<'_>, first: StateRef, origins: &[StateRef]) -> Result<Option<StateRef>, Stop> {
    let path = rank.follow(first, origins)?;
    let Some((last, _)) = path.last() else { return Ok(None) };
    // The references end where one comes again. The last state refers to it, so it is on the cycle as well.
    Ok(Some(*last))
}
