//! Answers: what a search says about one question, and what a check says about a model.

use std::sync::Arc;
use std::time::Duration;

use kripke_model::trail::Replayed;
use kripke_model::{Interpreter, Model};
use kripke_reduce::state_values::StateValues;
use kripke_report::evidence::Tree;
use kripke_report::json;
use kripke_report::verdict::Verdict;
use kripke_search::{End, Fairness, Options, Outcome};

use crate::accelerated::Used;
use crate::overflow::Cut;
use crate::plan::{Note, QuestionPlan};
use crate::question::Logic;
use crate::question::ctl::Wording;
use crate::request::Limits;
use crate::symmetric;
use crate::task::Task;
use crate::vacuity::Vacuity;

/// The answers to all questions about a model.
#[derive(Debug)]
pub struct Results {
    /// The model as it was read.
    pub model: Arc<Model>,
    /// One for each question, in order. There is at least one.
    pub answers: Vec<Answer>,
    /// The parts of the model that no question covers, in words.
    pub not_checked: Vec<String>,
    /// Options that had no effect on some questions.
    pub notes: Vec<Note>,
    /// The seconds that each phase took.
    pub seconds: json::Seconds,
    /// The limits in force.
    pub limits: Limits,
    /// The constants that are cut where they are stored, and the first place where another value is; empty if they are not looked
    /// for.
    pub cuts: Vec<Cut>,
}

/// The answer to one question.
#[derive(Debug)]
pub struct Answer {
    /// The question.
    pub task: Task,
    /// The interpreter of the model as counterexamples show it.
    pub interpreter: Interpreter,
    /// The interpreter of the searched model.
    pub searched: Interpreter,
    /// The values that states of the searched model can have, if the search needed them.
    pub values: Option<Arc<StateValues>>,
    /// The outcome of the search.
    pub outcome: Outcome,
    /// The verdict, judged.
    pub verdict: Verdict,
    /// The options of the search.
    pub search: Options,
    /// The plan of the search.
    pub plan: QuestionPlan,
    /// The figures of each rank of a distributed search.
    pub ranks: Vec<json::Rank>,
    /// The use of a GPU, if one was wanted.
    pub gpu: Option<Used>,
    /// Whether states were stored in words.
    pub in_words: bool,
    /// The name of the engine.
    pub engine: &'static str,
    /// Why the model was not compiled though that was wanted.
    pub not_compiled: Option<String>,
    /// `[process][edge]`: whether the edge was executed.
    pub covered: Vec<Vec<bool>>,
    /// Whether partial-order reduction left out moves, so that an edge that was not executed may be executable.
    pub left_out: bool,
    /// The time that the answer took.
    pub elapsed: Duration,
    /// The part of it before the search, and the time in which code was generated during the search.
    pub compile: Duration,
    /// The runs that show why a CTL formula is true or false.
    pub tree: Option<Tree>,
    /// Why partial-order reduction was not applied though it was wanted.
    pub no_partial_order: Option<&'static str>,
    /// The symmetries, or why there are none, if symmetry reduction was wanted.
    pub symmetry: Option<symmetric::Found>,
    /// Whether no counterexample is shorter.
    pub shortest: bool,
    /// The number of audited states, if there was an audit.
    pub audited: Option<u64>,
    /// Why the formula holds vacuously, if that was looked for.
    pub vacuity: Option<Vacuity>,
}

impl Results {
    /// The answer that decides the verdict on the model: the first violation, or the first that is inconclusive.
    pub fn decisive(&self) -> &Answer {
        let violated = self.answers.iter().find(|a| matches!(a.verdict, Verdict::Violated(_)));
        let unsure = self.answers.iter().find(|a| matches!(a.verdict, Verdict::Inconclusive(_)));
        violated.or(unsure).unwrap_or(&self.answers[0])
    }

    /// The parts of the model that neither this answer nor any other covers.
    pub fn not_checked_by(&self, answer: &Answer) -> Vec<String> {
        let early = !self.has_safety() && matches!(answer.outcome.end, End::Decided(_));
        let mut all = self.not_checked.clone();
        if early {
            all.push("errors in states that the answer does not need".to_string());
        }
        all
    }
}

impl Answer {
    /// The reductions that were applied: names for machines, words for people.
    pub fn reductions(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let order = self.search.reduces.then_some(("partial-order", "partial-order reduction"));
        let symmetric = matches!(self.symmetry, Some(Ok(_)));
        let symmetric = symmetric.then_some(("symmetry", "symmetry reduction"));
        self.task.reductions().chain(order).chain(symmetric)
    }

    /// The fairness assumption of the answer.
    pub fn fairness(&self) -> Fairness {
        let cycles = self.search.cycles.map(|c| c.fairness);
        cycles.or(self.search.ctl.as_ref().map(|b| b.fairness())).unwrap_or_default()
    }

    /// The CTL formula, for messages about its parts.
    pub fn wording(&self) -> Option<Wording<'_>> {
        match (&self.task.question.as_ref()?.logic, &self.task.ctl) {
            (Logic::Branching(ctl), Some(translated)) => Some(Wording { ctl, translated }),
            _ => None,
        }
    }

    /// A run that shows why a CTL formula is true, if there is one.
    pub fn witness(&self) -> Option<&Replayed> {
        let tree = self.tree.as_ref().filter(|_| matches!(self.verdict, Verdict::Holds(_)))?;
        tree.runs().first()
    }
}
