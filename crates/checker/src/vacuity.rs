//! Vacuity: whether a formula that holds would also hold if a part of it were replaced by a constant.
//!
//! Each stronger formula of [`kripke_logic::vacuity`] is checked by a bounded search of its own. Most searches end soon, since most
//! stronger formulas are violated. A search that exceeds its bound says nothing.

use kripke_logic::vacuity::{Part, Stronger};
use kripke_model::Model;
use kripke_report::verdict::Verdict;

use crate::answer::Answer;
use crate::coverage::{FEW_STATES, Hushed, MOST_STATES, explaining};
use crate::error::Error;
use crate::plan::QuestionPlan;
use crate::question::{Logic, Question};
use crate::request::Request;
use crate::run::{Session, facts};
use crate::task;

/// The largest number of stronger formulas that are checked.
const MOST_CHECKS: usize = 8;

/// Why a formula holds vacuously.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Vacuity {
    /// The premise is never true.
    Premise(String),
    /// The formula also holds with this proposition replaced by a constant.
    Irrelevant {
        /// The text of the proposition.
        proposition: String,
        /// The constant.
        value: bool,
    },
}

impl std::fmt::Display for Vacuity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Vacuity::Premise(text) => write!(f, "`{text}` is never true"),
            Vacuity::Irrelevant { proposition, value } => {
                write!(f, "it would hold with `{proposition}` replaced by {value}, too")
            }
        }
    }
}

impl Session<'_> {
    /// Why the formula of an answer holds vacuously. None if it does not hold, if it does not hold vacuously, or if that could not
    /// be decided within bounds.
    pub(crate) fn vacuity(&self, answer: &Answer, model: &Model) -> Result<Option<Vacuity>, Error> {
        let (Verdict::Holds(_), Some(question)) = (&answer.verdict, &answer.task.question) else { return Ok(None) };
        let most = (2 * answer.outcome.statistics.states).clamp(FEW_STATES, MOST_STATES);
        let request = Request { coverage: false, ..explaining(self.request) };
        let plain = Model { observer: None, goal: None, ..model.clone() };
        for (question, part) in stronger(question) {
            if self.holds_within(most, &question, &plain, &request)? {
                return Ok(Some(part));
            }
        }
        Ok(None)
    }

    /// Whether a search of so many states proves that a formula holds.
    fn holds_within(&self, most: u64, question: &Question, plain: &Model, request: &Request) -> Result<bool, Error> {
        let limits = self.explaining_limits(most);
        // A stronger formula whose automaton is too large is left out.
        let Ok(task) = task::simplified(plain, question, request) else { return Ok(false) };
        let facts = facts(std::slice::from_ref(&task), &limits);
        let plan = QuestionPlan::new(request, &facts, &facts.questions[0]);
        let monitor = Hushed(self.monitor);
        let session = Session { request, limits, monitor: &monitor, ..*self };
        let answer = session.answer(task, None, &plan)?;
        Ok(matches!(answer.verdict, Verdict::Holds(_)))
    }
}

/// The stronger questions, each with what it means if it holds.
fn stronger(question: &Question) -> Vec<(Question, Vacuity)> {
    let text = |atom: kripke_logic::AtomId| question.propositions().get(atom.0 as usize).cloned().unwrap_or_default();
    let meaning = |part: Part| match part {
        Part::Premise(text) => Vacuity::Premise(text),
        Part::Proposition(atom, value) => Vacuity::Irrelevant { proposition: text(atom), value },
    };
    let with = |logic: Logic| {
        let mut other = question.clone();
        other.logic = logic;
        other
    };
    match &question.logic {
        Logic::Linear(ltl) => {
            let all = ltl.stronger(MOST_CHECKS).into_iter();
            all.map(|Stronger { formula, part }| (with(Logic::Linear(formula)), meaning(part))).collect()
        }
        Logic::Branching(ctl) => {
            let all = ctl.stronger(MOST_CHECKS).into_iter();
            all.map(|Stronger { formula, part }| (with(Logic::Branching(formula)), meaning(part))).collect()
        }
        Logic::Automaton(_) => Vec::new(),
    }
}
