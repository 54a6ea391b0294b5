//! Coverage after partial-order reduction.
//!
//! A reduced search finds every error, but it may leave out statements for ever where they can't contribute to one. If statements
//! were not executed, a bounded search of all interleavings decides whether they can be, unless their process can't even come to them.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use kripke_model::ir::{Edge, Effect, Guard, Model, Process};
use kripke_report::coverage::unreached;
use kripke_search::End;

use crate::answer::Answer;
use crate::error::Error;
use crate::memory;
use crate::monitor::Monitor;
use crate::plan::QuestionPlan;
use crate::request::Request;
use crate::run::Session;
use crate::task::{Kind, Task};

/// The largest number of states of a bounded search.
pub(crate) const MOST_STATES: u64 = 300_000;
/// A bounded search may always visit so many states.
pub(crate) const FEW_STATES: u64 = 10_000;
/// States in words pay off from this number of states on.
const WORTH_ANALYSING: u64 = 100_000;

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
pub(crate) fn explaining(request: &Request) -> Request {
    let mut request = request.clone();
    request.reductions.audit = None;
    request.search.gpu = None;
    (request.search.ranks, request.search.distributed) = (None, None);
    request
}

/// The plan of a search that only explains an answer. The analysis that states in words need takes longer than they save in a small
/// search.
pub(crate) fn explaining_plan(plan: QuestionPlan, most: u64) -> QuestionPlan {
    QuestionPlan { ranks: None, gpu: None, word_bits: plan.word_bits.filter(|_| most > WORTH_ANALYSING), ..plan }
}

/// The executed edges, and those that no execution of the model can have: the end of a process that has created processes which never
/// end. Processes end in the reverse order of their creation, so that one waits for ever, like `init` in most models.
fn without_outlived(model: &Model, executed: &[Vec<bool>]) -> Vec<Vec<bool>> {
    let is_end = |edge: &Edge| edge.effects.iter().any(|effect| matches!(effect, Effect::Remove));
    let is_endless = |process: &Process| !leaving(process, |_| true).into_iter().any(is_end);
    let endless: Vec<bool> = model.processes.iter().map(is_endless).collect();
    let runs_endless = |effect: &Effect| matches!(effect, Effect::Run { process, .. } if endless[process.index()]);
    let mut out = executed.to_vec();
    for (process, executed) in model.processes.iter().zip(&mut out) {
        let reached = leaving(process, |edge| !edge.effects.iter().any(runs_endless));
        let is_possible = |edge: &Edge| reached.iter().any(|other| std::ptr::eq(*other, edge));
        for (edge, executed) in process.edges.iter().zip(executed) {
            *executed |= matches!(edge.guard, Guard::Youngest) && !is_possible(edge);
        }
    }
    out
}

/// The edges at the locations that a process can come to along some of its edges, by its control flow alone.
fn leaving(process: &Process, goes: impl Fn(&Edge) -> bool) -> Vec<&Edge> {
    let mut reached = vec![false; process.locations.len()];
    let (mut open, mut edges) = (vec![process.entry], Vec::new());
    while let Some(at) = open.pop() {
        if std::mem::replace(&mut reached[at.index()], true) {
            continue;
        }
        for edge in process.locations[at.index()].edges.iter().map(|id| &process.edges[id.index()]) {
            edges.push(edge);
            if goes(edge) {
                open.extend(edge.chain);
                open.push(edge.target);
            }
        }
    }
    edges
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
        if unreached(&answer.task.model, &without_outlived(&answer.task.model, &answer.covered)).is_empty() {
            answer.left_out = false;
            return Ok(());
        }
        let most = bound(answer.outcome.statistics.states);
        let request = explaining(self.request);
        let monitor = Hushed(self.monitor);
        let session = Session { request: &request, limits: self.explaining_limits(most), monitor: &monitor, ..*self };
        let all = QuestionPlan { partial_order: None, partial_order_with_symmetry: None, ..plan.clone() };
        let plan = explaining_plan(all, most);
        let other = session.answer(unmerged.clone(), None, &plan)?;
        answer.left_out = !matches!(other.outcome.end, End::Exhausted(_));
        for (edge, executed) in answer.covered.iter_mut().flatten().zip(other.covered.iter().flatten()) {
            *edge |= executed;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    struct Text(&'static str);

    impl kripke_lang::source::Loader for Text {
        fn read(&self, _: &Path) -> std::io::Result<Vec<u8>> {
            Ok(self.0.into())
        }
    }

    /// Whether the end of the first process is known to be impossible.
    fn is_outlived(text: &'static str) -> bool {
        let loaded = kripke_lang::load(Path::new("model.pml"), &Text(text), &Default::default());
        let model = loaded.model.expect("the model is right");
        let nothing: Vec<Vec<bool>> = model.processes.iter().map(|process| vec![false; process.edges.len()]).collect();
        let name = |process: &Process| process.name == "init";
        let first = model.processes.iter().position(name).expect("the model has an init process");
        without_outlived(&model, &nothing)[first].contains(&true)
    }

    #[test]
    fn a_process_does_not_end_before_those_that_it_has_created() {
        assert!(is_outlived("init { run p() } proctype p() { do :: skip od }"));
        assert!(is_outlived(
            "init { if :: run p() :: atomic { run p(); run q() } fi } proctype p() { do :: skip od } proctype q() { skip }"
        ));
        assert!(!is_outlived("init { run p() } proctype p() { do :: skip :: break od }"));
        assert!(!is_outlived("init { if :: run p() :: skip fi } proctype p() { do :: skip od }"));
        assert!(!is_outlived("init { skip } active proctype p() { do :: skip od }"));
    }
}
