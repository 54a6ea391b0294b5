//! Searches over several ranks, which another crate provides.
//!
//! This library plans such a search and judges its outcome like any other: a proof is a certificate that the search crate has checked,
//! and trails are replayed.

use kripke_model::Interpreter;
use kripke_report::json;
use kripke_search::{Budget, Factory, Limit, Options, Outcome, Progress};

use crate::plan::Ranks;

/// A search to be carried out by ranks.
#[allow(missing_debug_implementations)]
pub struct Work<'w, 'm> {
    /// The ranks, and the algorithm for accepting cycles if the question is about cycles.
    pub ranks: Ranks,
    /// Makes the successor generator of a rank.
    pub successors: Factory<'w, 'm>,
    /// The interpreter of the model that is searched.
    pub interpreter: &'w Interpreter,
    /// The question.
    pub options: &'w Options,
    /// The limits of all ranks together.
    pub budget: &'w Budget,
    /// The counters of all ranks together.
    pub progress: &'w Progress,
}

/// The outcome of a search over ranks.
#[derive(Debug)]
pub struct Searched {
    /// The outcome. A lost rank is a [limit](kripke_search::Limit::LostRank).
    pub outcome: Outcome,
    /// The figures of each rank.
    pub ranks: Vec<json::Rank>,
}

/// Searches over several ranks.
pub trait DistributedSearch: Sync {
    /// Searches. A text is the description of an error in the search itself.
    fn search(&self, work: &Work<'_, '_>) -> Result<Searched, String>;

    /// Gives every process the coverage of all: the statements that any of them has executed, and whether the ample sets of any have
    /// left out a move. Threads of one process share it anyway. All processes call it after each search that has not lost a rank. The
    /// error is a lost rank.
    fn share_coverage(&self, covered: &mut [Vec<bool>], left_out: &mut bool) -> Result<(), Limit>;
}
