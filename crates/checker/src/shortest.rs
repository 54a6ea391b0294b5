//! The shortest counterexample.
//!
//! A breadth-first search finds an error that is the fewest *transitions* away. What is shown are steps: a transition has
//! several where statements are merged or atomic, so another error may be fewer steps away. Each transition has at least one:
//! a run with one step for each is a shortest one. Otherwise the model is searched once more with nothing merged.

use kripke_model::Interpreter;
use kripke_model::trail::{Ending, Trail};
use kripke_report::verdict::{Counterexample, Verdict};
use kripke_search::{End, Limit, Order, Outcome};

use crate::answer::Answer;
use crate::error::Error;
use crate::memory;
use crate::plan::QuestionPlan;
use crate::run::{MOST_SHORTENED, SHORTEN, Session};
use crate::task::Task;

/// The fewest steps that a run with as many transitions can have.
fn fewest_steps(found: &Counterexample) -> usize {
    fewest(found.trail())
}

fn fewest(trail: &Trail) -> usize {
    trail.choices.len() + usize::from(matches!(trail.ending, Ending::Finding(_)))
}

fn steps(found: &Counterexample) -> usize {
    found.replayed().moves().len()
}

/// The counterexample of an answer that may not be a shortest one.
fn longer(answer: &Answer) -> Option<&Counterexample> {
    match &answer.verdict {
        Verdict::Violated(violated) if steps(&violated.first) > fewest_steps(&violated.first) => Some(&violated.first),
        _ => None,
    }
}

/// Whether the first counterexample has several steps in some transition. The interpreter is that of the model as it is shown.
pub(crate) fn has_merged(outcome: &Outcome, interpreter: &mut Interpreter) -> bool {
    let replayed = outcome.violations.first().map(|violation| (&violation.trail, violation.trail.replay(interpreter)));
    replayed.is_some_and(|(trail, run)| run.is_ok_and(|run| run.moves().len() > fewest(trail)))
}

impl Session<'_> {
    /// The answer with a shortest counterexample, if a small search without reductions finds one. Otherwise the counterexample
    /// is not called shortest.
    pub(crate) fn shortest(&self, mut answer: Answer, unmerged: Task, plan: &QuestionPlan) -> Result<Answer, Error> {
        let is_violated = matches!(answer.verdict, Verdict::Violated(_));
        if answer.search.cycles.is_some() && is_violated && !answer.search.all_errors {
            return self.settled(answer, unmerged, plan);
        }
        let nearest = answer.search.order == Order::BreadthFirst
            && answer.search.cycles.is_none()
            && answer.search.ctl.is_none()
            && !answer.search.store.is_lossy()
            && !answer.outcome.statistics.probe.is_some_and(|probe| probe.is_used);
        let Some(length) = longer(&answer).filter(|_| nearest).map(steps) else { return Ok(answer) };
        answer.shortest = false;
        let is_large = answer.outcome.statistics.states > MOST_SHORTENED;
        if answer.search.all_errors || answer.task.merged == 0 || is_large {
            return Ok(answer);
        }
        let depth = u32::try_from(length).unwrap_or(u32::MAX);
        // No reduction that changes the number of steps.
        let unreduced = QuestionPlan {
            merging: Err("merged statements are several steps"),
            partial_order: None,
            partial_order_with_symmetry: None,
            gpu: None,
            ..plan.clone()
        };
        let other = self.within(depth).answer(unmerged, None, &unreduced)?;
        Ok(answer.or_shorter(other))
    }

    /// A session for a search up to a depth.
    pub(crate) fn within(&self, depth: u32) -> Session<'_> {
        let mut limits = self.limits;
        limits.max_depth = Some(limits.max_depth.map_or(depth, |max| max.min(depth)));
        limits.max_states = Some(limits.max_states.map_or(SHORTEN, |max| max.min(SHORTEN)));
        // The answer is known: a shorter run is not worth the memory that showing this one may take.
        let used = memory::now();
        limits.memory = limits.memory.map(|most| used + most.saturating_sub(used) / 2);
        Session { limits, ..*self }
    }
}

impl Answer {
    /// Takes the counterexample of another search for the same that has left no interleaving out.
    fn or_shorter(self, other: Answer) -> Answer {
        let elapsed = self.elapsed + other.elapsed;
        let ours = longer(&self).map_or(0, steps);
        let Verdict::Violated(violated) = &other.verdict else {
            // Up to this depth there is none.
            let shortest = matches!(other.outcome.end, End::Exhausted(_) | End::Stopped(Limit::Depth(_)));
            return Answer { shortest, elapsed, ..self };
        };
        let (theirs, fewest) = (steps(&violated.first), fewest_steps(&violated.first));
        if theirs >= ours {
            return Answer { shortest: other.shortest && fewest >= ours, elapsed, ..self };
        }
        let shortest = other.shortest && theirs == fewest;
        let Answer { mut task, interpreter, searched, values, verdict, .. } = other;
        task.merged = self.task.merged;
        let outcome = Outcome { violations: other.outcome.violations, ..self.outcome };
        Answer { task, interpreter, searched, values, verdict, outcome, shortest, elapsed, ..self }
    }
}
