//! Coverage after partial-order reduction.
//!
//! A reduced search finds every error, but it may leave out statements for ever where they can't contribute to one. If statements
//! were not executed, a bounded search of all interleavings decides whether they can be.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use kripke_report::coverage::unreached;
use kripke_search::End;

use crate::answer::Answer;
use crate::error::Error;
use crate::memory;
use crate::monitor::Monitor;
use crate::plan::QuestionPlan;
use crate::request::{Engine, Request};
use crate::run::Session;
use crate::task::{Kind, Task};

/// The largest number of states of a bounded search.
pub(crate) const MOST_STATES: u64 = 300_000;
/// A bounded search may always visit so many states.
pub(crate) const FEW_STATES: u64 = 10_000;
/// Machine code pays off from this number of states on.
const WORTH_COMPILING: u64 = 20_000;

/// Hears nothing, but stops as the monitor says.
pub(crate) struct Hushed<'a>(pub &'a dyn Monitor);

impl Monitor for Hushed<'_> {
    fn interrupt(&self) -> Option<Arc<AtomicBool>> {
        self.0.interrupt()
    }

    fn memory_full(&self) -> Option<Arc<AtomicBool>> {
        self.0.memory_full()
    }
}

/// The bound of a search that only explains an answer, by the number of states of the answer: it must not take long in
/// comparison.
pub(crate) fn bound(states: u64) -> u64 {
    (states / 20).clamp(FEW_STATES, MOST_STATES)
}

/// The request of a search that only explains an answer. Each process explains for itself, so none waits for another one.
pub(crate) fn explaining(request: &Request, most: u64) -> Request {
    let mut request = request.clone();
    request.reductions.audit = None;
    request.search.gpu = None;
    (request.search.ranks, request.search.distributed) = (None, None);
    if most <= WORTH_COMPILING {
        request.search.engine = Engine::Interpret;
    }
    request
}

impl Session<'_> {
    /// The limits of a search that only explains an answer.
    pub(crate) fn explaining_limits(&self, most: u64) -> crate::request::Limits {
        let mut limits = self.limits;
        limits.max_states = Some(limits.max_states.map_or(most, |max| max.min(most)));
        let used = memory::now();
        limits.memory = limits.memory.map(|most| used + most.saturating_sub(used) / 2);
        limits
    }

    /// Completes the coverage of an answer.
    pub(crate) fn cover(&self, answer: &mut Answer, unmerged: &Task, plan: &QuestionPlan) -> Result<(), Error> {
        let complete = matches!(answer.outcome.end, End::Exhausted(_));
        let told = self.request.coverage && complete && answer.task.kind == Kind::Safety;
        if !told || !answer.left_out || unreached(&answer.task.model, &answer.covered).is_empty() {
            return Ok(());
        }
        let most = bound(answer.outcome.statistics.states);
        let request = explaining(self.request, most);
        let monitor = Hushed(self.monitor);
        let session = Session { request: &request, limits: self.explaining_limits(most), monitor: &monitor, ..*self };
        let alone = QuestionPlan { ranks: None, gpu: None, ..plan.clone() };
        let plan = QuestionPlan { partial_order: None, partial_order_with_symmetry: None, ..alone };
        let other = session.answer(unmerged.clone(), None, &plan)?;
        answer.left_out = !matches!(other.outcome.end, End::Exhausted(_));
        for (edge, executed) in answer.covered.iter_mut().flatten().zip(other.covered.iter().flatten()) {
            *edge |= executed;
        }
        Ok(())
    }
}
