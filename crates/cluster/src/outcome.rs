//! From the results of ranks to the outcome of a search.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use kripke_model::trail::Ending;
use kripke_model::{Batch, Choice, Successors, Trail};
use kripke_search::{
    Answer, Budget, CycleAlgorithm, ErrorKind, Factory, Fairness, Limit, NotClosed, Options, Outcome, Progress,
    Unproved, Violation, explore_cycles,
};

use crate::certificate::Certificate;
use crate::components::Components;
use crate::cycles::{self, Algorithm, Found};
use crate::findings::Candidate;
use crate::rank::Rank;
use crate::rank_result::{RankFigures, RankResult, Reached};
use crate::ranks::Cluster;
use crate::transport::Failure;

/// Why a search over several ranks has no outcome.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failed {
    /// The ranks could not go on together: the result is inconclusive.
    Network(Failure),
    /// The states that the ranks have submitted are no proof: an error of ours.
    Unproved(NotClosed),
    /// A trail of the ranks is no run: an error of ours.
    NoTrail,
    /// The model has hidden variables: which of several equal states is stored depends on the order of the search.
    HiddenVariables,
    /// The question is not one for these algorithms: fairness, acceptance sets, CTL, or all errors.
    Question,
    /// An algorithm contradicts itself: an error of ours.
    Contradiction(&'static str),
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failed::Network(failure) => failure.fmt(f),
            Failed::Unproved(why) => write!(f, "the states of the ranks are no proof: {why}"),
            Failed::NoTrail => f.write_str("a trail across ranks is no run"),
            Failed::Question => f.write_str("the distributed algorithms do not answer this question"),
            Failed::Contradiction(what) => write!(f, "a distributed algorithm contradicts itself: {what}"),
            Failed::HiddenVariables => f.write_str("a model with hidden variables is searched by one rank"),
        }
    }
}

impl std::error::Error for Failed {}

impl From<Failure> for Failed {
    fn from(failure: Failure) -> Failed {
        Failed::Network(failure)
    }
}

/// The outcome of a search over several ranks, or why there is none.
pub type Result<T> = std::result::Result<T, Failed>;

/// A search over several ranks.
#[derive(Debug)]
pub struct Searched {
    /// The outcome.
    pub outcome: Outcome,
    /// The figures of each rank.
    pub ranks: Vec<RankFigures>,
}

/// Searches for accepting cycles with one of the distributed algorithms. There is no fairness, and acceptance is defined on states. The
/// components are those of the property automaton; [`Algorithm::PropertyDrivenNdfs`] and [`Algorithm::BackLevelEdges`] use them, and all
/// states are in one component if there are none.
pub fn accepting_cycles(
    (cluster, algorithm, components): (&Cluster, Algorithm, Option<&Components>),
    successors: Factory<'_, '_>,
    options: &Options,
    budget: &Budget,
    progress: &Progress,
) -> Result<Searched> {
    let single = Components::single();
    let components = algorithm.uses_components().then(|| components.unwrap_or(&single));
    let search = CycleSearch { cluster, algorithm, components, results: Mutex::new(Ok((Vec::new(), 0))) };
    let outcome = explore_cycles(&search, successors, options, budget, progress);
    let (ranks, longest) = search.results.into_inner().unwrap_or_else(PoisonError::into_inner)?;
    match outcome {
        Ok(mut outcome) => {
            outcome.statistics.state_bytes = longest;
            Ok(Searched { outcome, ranks })
        }
        Err(Unproved::Certificate(why)) => Err(Failed::Unproved(why)),
        Err(Unproved::NoLasso) => Err(Failed::NoTrail),
        Err(Unproved::NoCycles) => Err(Failed::Question),
    }
}

/// The figures of all ranks, and the length of the longest state.
type Figures = (Vec<RankFigures>, u64);

/// A distributed algorithm, as the search crate sees it. The figures of ranks, or the failure, are kept beside the answer.
struct CycleSearch<'c> {
    cluster: &'c Cluster,
    algorithm: Algorithm,
    components: Option<&'c Components>,
    results: Mutex<Result<Figures>>,
}

impl CycleAlgorithm for CycleSearch<'_> {
    fn name(&self) -> &'static str {
        self.algorithm.word()
    }

    fn search(&self, successors: Factory<'_, '_>, options: &Options, budget: &Budget, progress: &Progress) -> Answer {
        let answer = self.answer(successors, options, budget, progress);
        let mut results = self.results.lock().unwrap_or_else(PoisonError::into_inner);
        match answer {
            Ok((answer, ranks)) => {
                *results = Ok(ranks);
                answer
            }
            Err(failed) => {
                *results = Err(failed);
                Answer::Stopped(Limit::Interrupted)
            }
        }
    }
}

impl CycleSearch<'_> {
    fn answer(
        &self,
        successors: Factory<'_, '_>,
        options: &Options,
        budget: &Budget,
        progress: &Progress,
    ) -> Result<(Answer, Figures)> {
        let plain = options.cycles.is_some_and(|cycles| cycles.fairness == Fairness::None && cycles.marks == 0);
        if !plain || options.all_errors {
            return Err(Failed::Question);
        }
        if successors().hidden_prefix() > 0 {
            return Err(Failed::HiddenVariables);
        }
        let body = |rank: Rank<'_>| cycles::search((self.algorithm, self.components), rank);
        let results = self.cluster.run((successors, options), (budget, progress), body)?;
        let results = self.cluster.share(results, progress)?;
        let ranks = results.iter().map(|result| result.figures.clone()).collect();
        let longest = results.iter().map(|result| result.table.longest()).max().unwrap_or(0);
        Ok((
            cycle_answer(results, !self.algorithm.partitions_components(), &mut *successors(), budget)?,
            (ranks, longest),
        ))
    }
}

/// The answer that ranks have agreed on.
fn cycle_answer(
    results: Vec<RankResult<Found>>,
    by_hash: bool,
    successors: &mut dyn Successors,
    budget: &Budget,
) -> Result<Answer> {
    let (mut tables, mut numbers) = (Vec::new(), Vec::new());
    for RankResult { table, answer, .. } in results {
        match answer {
            Err(limit) => return Ok(Answer::Stopped(whole_limit(limit, budget))),
            Ok(Found::Lasso(choices, stem)) => {
                return Ok(Answer::Lasso(Trail { choices, ending: Ending::Cycle(stem as u32) }));
            }
            Ok(Found::Other(Reached::Depth)) => {
                return Ok(Answer::Stopped(Limit::Depth(budget.max_depth.unwrap_or(u32::MAX))));
            }
            Ok(Found::Other(Reached::Endless(state, number))) => {
                return endless(successors, &state, number).map(Answer::Stopped).ok_or(Failed::NoTrail);
            }
            Ok(Found::Other(Reached::Error(trails))) => {
                let violation = violations(successors, trails)?.into_iter().next();
                return violation.map(Answer::Error).ok_or(Failed::NoTrail);
            }
            Ok(Found::Contradiction(what)) => return Err(Failed::Contradiction(what)),
            Ok(Found::NoCycle(of_rank)) => {
                tables.push(table);
                numbers.push(of_rank);
            }
        }
    }
    Ok(Answer::NoCycle(Box::new(Certificate { tables, numbers, by_hash })))
}

/// A rank has a part of the memory; the user has set the limit of all.
pub(crate) fn whole_limit(limit: Limit, budget: &Budget) -> Limit {
    match limit {
        Limit::Memory(part) => Limit::Memory(budget.memory.unwrap_or(part)),
        other => other,
    }
}

/// The errors that trails lead to, found again by executing the trails.
fn violations(successors: &mut dyn Successors, trails: Vec<(Candidate, Vec<u32>)>) -> Result<Vec<Violation>> {
    let violation = |(candidate, choices): (Candidate, Vec<u32>)| {
        let error = error_at(successors, &choices, candidate.ending())?;
        Some(Violation { error, trail: Trail { choices, ending: candidate.ending() } })
    };
    trails.into_iter().map(violation).collect::<Option<_>>().ok_or(Failed::NoTrail)
}

fn error_at(successors: &mut dyn Successors, choices: &[u32], ending: Ending) -> Option<ErrorKind> {
    let mut batch = Batch::new();
    successors.initial(&mut batch);
    let mut state = batch.state(0).to_vec();
    for choice in choices {
        batch.clear();
        successors.expand(&state, Choice::All, &mut batch);
        state = batch.states().nth(*choice as usize)?.to_vec();
    }
    batch.clear();
    successors.expand(&state, Choice::All, &mut batch);
    Some(match ending {
        Ending::Finding(number) => ErrorKind::Finding(batch.findings().get(number as usize)?.clone()),
        Ending::InvalidEnd => ErrorKind::InvalidEnd,
        Ending::Goal => ErrorKind::Goal,
        Ending::BadPrefix => ErrorKind::BadPrefix,
        Ending::State | Ending::Cycle(_) => return None,
    })
}

fn endless(successors: &mut dyn Successors, state: &[u8], number: u32) -> Option<Limit> {
    let mut batch = Batch::new();
    successors.expand(state, Choice::All, &mut batch);
    Some(Limit::EndlessSequence(batch.findings().get(number as usize)?.clone()))
}
