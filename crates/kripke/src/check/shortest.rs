//! The shortest counterexample.
//!
//! A breadth-first search finds an error that is the fewest *transitions* away. What is shown are steps: a transition has
//! several where statements are merged or atomic, so another error may be fewer steps away. Each transition has at least one:
//! a run with one step for each is a shortest one. Otherwise the model is searched once more with nothing merged.

use std::path::Path;

use kripke_model::trail::Ending;
use kripke_report::verdict::{Counterexample, Verdict};
use kripke_search::{End, Limit, Order, Outcome};

use super::done::{Answer, SHORTEN, Session, Stopped};
use crate::args::Reading;
use crate::memory;
use crate::tasks::{self, Asked, Task};

/// The fewest steps that a run with as many transitions can have.
fn fewest_steps(found: &Counterexample) -> usize {
    let last = usize::from(matches!(found.trail().ending, Ending::Finding(_)));
    found.trail().choices.len() + last
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

/// The task with nothing merged.
fn unmerged(file: &Path, asked: &Asked, session: &Session<'_>, name: &str) -> Option<Task> {
    let args = session.args;
    let reading = Reading { no_coarsening: true, ..args.reading.clone() };
    let all = tasks::tasks(file, asked.clone(), &reading, &args.asking, !args.looking.no_claim).ok()?;
    let mut task = all.into_iter().find(|task| task.name == name)?;
    task.arguments.push("--no-coarsening".to_string());
    Some(task)
}

impl Session<'_> {
    /// The answer with a shortest counterexample, if a small search finds one; it is not called a shortest one otherwise.
    pub fn shortest(&self, mut answer: Answer, asked: &Asked) -> Result<Answer, Stopped> {
        let nearest = answer.options.order == Order::BreadthFirst
            && answer.options.cycles.is_none()
            && answer.options.ctl.is_none()
            && !answer.options.store.is_lossy();
        let Some(length) = longer(&answer).filter(|_| nearest).map(steps) else { return Ok(answer) };
        answer.shortest = false;
        if answer.options.all_errors || answer.task.glued == 0 {
            return Ok(answer);
        }
        let Some(task) = unmerged(self.file, asked, self, &answer.task.name) else { return Ok(answer) };
        let depth = u32::try_from(length).unwrap_or(u32::MAX);
        let other = self.every_interleaving(depth).answer(task, None)?;
        Ok(answer.or_shorter(other))
    }

    /// For a search with no reduction that changes the number of steps, up to a depth.
    fn every_interleaving(&self, depth: u32) -> Session<'_> {
        let mut limits = self.limits;
        limits.max_depth = Some(limits.max_depth.map_or(depth, |max| max.min(depth)));
        limits.max_states = Some(limits.max_states.map_or(SHORTEN, |max| max.min(SHORTEN)));
        // The answer is known: a shorter run is not worth the memory that showing this one may take.
        let used = memory::now();
        limits.memory = limits.memory.map(|most| used + most.saturating_sub(used) / 2);
        Session { limits, interleaved: true, ..*self }
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
        let Answer { mut task, interpreter, searched, verdict, .. } = other;
        task.glued = self.task.glued;
        let outcome = Outcome { violations: other.outcome.violations, ..self.outcome };
        Answer { task, interpreter, searched, verdict, outcome, shortest, elapsed, ..self }
    }
}
