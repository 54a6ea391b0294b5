//! One counterexample for one question: that of a search for cycles depends on the order in which threads visit states. A lasso is
//! replaced by a shortest one, in steps of the model without merged statements and without partial-order reduction; what is no
//! lasso, or too large for that, by the counterexample of a search with one thread. Either is the same each time, whatever the
//! number of threads.

use std::time::Instant;

use kripke_model::Trail;
use kripke_model::trail::Ending;
use kripke_report::verdict::Verdict;
use kripke_search::{ErrorKind, Fairness, LassoBounds, Options, Outcome, Statistics, Violation, minimal_lasso};

use crate::answer::Answer;
use crate::error::Error;
use crate::layers::{Layers, Parts};
use crate::memory;
use crate::plan::QuestionPlan;
use crate::run::Session;
use crate::task::Task;

/// The most states of a graph in which a shortest lasso is searched.
const STATES: usize = 1_000_000;
/// The most bytes of these states.
const BYTES: u64 = 256 << 20;
/// The most transitions that are followed.
const WORK: u64 = 20_000_000;

impl Answer {
    /// Whether the counterexample is a cycle of a search for cycles.
    pub(crate) fn is_cycle(&self) -> bool {
        self.search.cycles.is_some()
            && matches!(&self.verdict, Verdict::Violated(violated) if *violated.first.error() == ErrorKind::Cycle)
    }

    fn steps(&self) -> usize {
        match &self.verdict {
            Verdict::Violated(violated) => violated.first.replayed().moves().len(),
            _ => 0,
        }
    }

    /// This answer with the counterexample of another one.
    fn with_run(self, other: Answer) -> Answer {
        let elapsed = self.elapsed + other.elapsed;
        let Answer { mut task, interpreter, searched, values, verdict, shortest, .. } = other;
        task.merged = self.task.merged;
        let statistics = Statistics { errors: other.outcome.statistics.errors, ..self.outcome.statistics };
        let outcome = Outcome { violations: other.outcome.violations, statistics, ..self.outcome };
        Answer { task, interpreter, searched, values, verdict, outcome, shortest, elapsed, ..self }
    }
}

impl Session<'_> {
    /// The answer with a counterexample that does not depend on the order of the search.
    pub(crate) fn settled(&self, answer: Answer, unmerged: Task, plan: &QuestionPlan) -> Result<Answer, Error> {
        let plain = answer.search.cycles.is_some_and(|cycles| cycles.fairness == Fairness::None);
        let marked = unmerged.model.observer.as_ref().is_some_and(|observer| observer.all_marks() != 0);
        if matches!(answer.symmetry, Some(Ok(_))) {
            return Ok(answer);
        }
        let is_cycle = answer.is_cycle();
        let answer = match is_cycle && plain && !marked {
            true => match self.minimal(answer, &unmerged)? {
                (answer, true) => return Ok(answer),
                (answer, false) => answer,
            },
            false => answer,
        };
        if answer.search.workers() == 1 {
            return Ok(answer);
        }
        let search = Options { threads: Some(1), ..plan.search.clone() };
        let alone = QuestionPlan { search, gpu: None, ..plan.clone() };
        let other = self.within(u32::MAX).answer(unmerged, None, &alone)?;
        let is_other = if is_cycle { other.is_cycle() } else { matches!(other.verdict, Verdict::Violated(_)) };
        Ok(if is_other { answer.with_run(other) } else { answer })
    }

    /// The answer with a shortest lasso, if the graph is small enough, and whether it is.
    fn minimal(&self, answer: Answer, unmerged: &Task) -> Result<(Answer, bool), Error> {
        let start = Instant::now();
        let refused = |_| Error::Bug(format!("{}: the model can't be started again", self.file.display()));
        let parts = Parts { independence: None, permutations: None, word_bits: None, distributed: false };
        let (system, _) = Layers::new(&unmerged.searched, self.request, parts).map_err(refused)?;
        let system = system.asking(&unmerged.conditions);
        if system.hidden_prefix() > 0 {
            return Ok((answer, false));
        }
        let free = self.limits.memory.map_or(BYTES, |most| most.saturating_sub(memory::now()) / 4);
        let bounds = LassoBounds {
            length: answer.steps(),
            states: STATES,
            bytes: BYTES.min(free) as usize,
            work: WORK,
            interrupt: self.monitor.interrupt(),
            deadline: self.deadline,
        };
        let Some(lasso) = minimal_lasso(&mut *system.worker(), &bounds) else { return Ok((answer, false)) };
        let transitions = lasso.stem.len() + lasso.cycle.len();
        let ending = Ending::Cycle(lasso.stem.len() as u32);
        let trail = Trail { choices: [lasso.stem, lasso.cycle].concat(), ending };
        let violations = vec![Violation { error: ErrorKind::Cycle, trail }];
        let outcome = Outcome { violations, ..answer.outcome };
        let mut interpreter = self.interpreter(&unmerged.model).map_err(refused)?;
        let mut searched = system.finish().0;
        let (verdict, _) =
            self.judge(unmerged, &outcome, [&mut interpreter, &mut searched]).map_err(|e| self.bug(&e))?;
        let mut task = unmerged.clone();
        task.merged = answer.task.merged;
        let elapsed = answer.elapsed + start.elapsed();
        let answer = Answer { task, interpreter, searched, values: None, verdict, outcome, elapsed, ..answer };
        // A transition has at least one step: a lasso with one step for each is a shortest one. An observer with several
        // locations may come back later than the model does, so that the model alone may have a shorter one.
        let alone = unmerged.model.observer.as_ref().is_some_and(|observer| observer.automaton.locations.len() == 1);
        let shortest = alone && lasso.shortest && answer.steps() == transitions;
        Ok((Answer { shortest, ..answer }, true))
    }
}
