//! Evaluation by several workers, for state spaces that are not small: they explore all reachable states, record the
//! transitions between them, and compute the [values](Values) of all subformulas in all states.
//!
//! States are denoted by the numbers that the [evaluator](Evaluator) uses. The worker that claims a number first expands the
//! state. States that the evaluator has expanded are expanded again, but not counted again.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use kripke_model::Choice;

use super::super::error_collector::Findings;
use super::super::liveness::numbers::{NumberBlock, Numbering};
use super::super::liveness::pages::Pages;
use super::super::work_sharing::WorkSharing;
use super::super::worker::Worker;
use super::super::{Factory, ROUND, Search};
use super::Stop;
use super::evaluate::{EXPANDED, Evaluator};
use super::transition_graph::{TransitionGraph, TransitionLog};
use super::values::Values;
use crate::budget::Limit;
use crate::store::{Handle, Seen, StateId, Store, spawn};

/// States that a worker expands between two checks of the budget.
const CHECK: usize = 1 << 10;

/// Data that the workers share.
struct Exploration<'e, 's, S> {
    search: &'s Search<'s, S>,
    /// Flags of the states that the evaluator knows, by number.
    flags: &'e [u8],
    numbering: Numbering,
    claimed: Pages<AtomicU8>,
    work: WorkSharing<Vec<StateId>>,
    findings: Mutex<Findings<StateId>>,
    /// An error was found, or an atomic proposition has no value.
    over: AtomicBool,
    undefined: AtomicBool,
    /// Memory of each worker, in bytes.
    bytes: Vec<AtomicU64>,
}

/// The stack and the results of one worker.
struct Part {
    stack: Vec<StateId>,
    log: TransitionLog,
    block: NumberBlock,
    successors: Vec<Seen>,
    expanded: usize,
}

/// The values of all subformulas in all reachable states.
pub(super) fn values<S: Store>(
    evaluator: &mut Evaluator<'_, '_, '_, S>,
    factory: Factory<'_, '_>,
    root: StateId,
) -> Result<Values, Stop> {
    let logs = explore(evaluator, factory, root)?;
    let search = evaluator.search;
    let peak = TransitionGraph::bytes_to_build(&logs);
    evaluator.keep_peak(peak);
    search.check(peak, 0);
    if let Some(limit) = search.take_limit() {
        return Err(Stop::Limit(limit));
    }
    let graph = TransitionGraph::new(logs, search.threads);
    let values = Values::compute(evaluator.formula, &graph, search);
    match search.take_limit() {
        Some(limit) => Err(Stop::Limit(limit)),
        None => Ok(values),
    }
}

fn explore<S: Store>(
    evaluator: &mut Evaluator<'_, '_, '_, S>,
    factory: Factory<'_, '_>,
    root: StateId,
) -> Result<Vec<TransitionLog>, Stop> {
    let (search, numbered) = (evaluator.search, evaluator.numbered_with(root));
    let Evaluator { worker: leader, flags, findings, .. } = evaluator;
    let exploration = Exploration {
        search,
        flags,
        numbering: Numbering::after(numbered),
        claimed: Pages::new(),
        work: WorkSharing::new(search.threads, vec![vec![root]]),
        findings: Mutex::new(std::mem::take(findings)),
        over: AtomicBool::new(false),
        undefined: AtomicBool::new(false),
        bytes: (0..search.threads).map(|_| AtomicU64::new(0)).collect(),
    };
    exploration.claim(exploration.number_of(&leader.handle, root));
    leader.handle.leave();
    let logs = std::thread::scope(|scope| {
        let exploration = &exploration;
        let others: Vec<_> = (1..search.threads)
            .map(|number| {
                spawn(scope, move || {
                    let mut worker = Worker::new(search, number, factory());
                    exploration.run(&mut worker)
                })
            })
            .collect();
        let mut logs = vec![exploration.run(leader)];
        logs.extend(
            others.into_iter().map(|other| other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))),
        );
        logs
    });
    leader.handle.enter();
    let undefined = exploration.undefined.into_inner();
    *findings = exploration.findings.into_inner().unwrap_or_else(PoisonError::into_inner);
    match evaluator.stops_at_findings() {
        Some(stop) => Err(stop),
        None if undefined => Err(Stop::Error),
        None => search.take_limit().map_or(Ok(logs), |limit| Err(Stop::Limit(limit))),
    }
}

impl<S: Store> Exploration<'_, '_, S> {
    /// The work of one worker, until no worker has any.
    fn run(&self, worker: &mut Worker<'_, '_, S>) -> TransitionLog {
        let _end = self.work.end_on_drop();
        let mut part = Part {
            stack: Vec::new(),
            log: TransitionLog::default(),
            block: NumberBlock::default(),
            successors: Vec::new(),
            expanded: 0,
        };
        while let Some(stack) = self.work.take() {
            part.stack = stack;
            worker.handle.enter();
            self.descend(worker, &mut part);
            worker.handle.leave();
            if self.is_over() {
                break;
            }
        }
        part.log
    }

    fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed) || self.search.is_stopped()
    }

    /// Expands states until the stack is empty.
    fn descend(&self, worker: &mut Worker<'_, '_, S>, part: &mut Part) {
        while !self.is_over()
            && let Some(id) = part.stack.pop()
        {
            if let Err(limit) = self.expand(worker, part, id) {
                self.search.stop(limit);
            }
            part.expanded += 1;
            if part.expanded.is_multiple_of(ROUND) {
                self.offer(part);
            }
            if part.expanded.is_multiple_of(CHECK) {
                self.check(worker, part);
            }
        }
        // The next piece replaces the stack.
        part.stack.clear();
    }

    /// Records the labels and the transitions of a state, and claims its successors.
    fn expand(&self, worker: &mut Worker<'_, '_, S>, part: &mut Part, id: StateId) -> Result<(), Limit> {
        let Part { stack, log, block, successors, .. } = part;
        let number = self.number_of(&worker.handle, id);
        let labels = worker.state_labels(id);
        successors.clear();
        let known = self.flags.get(number as usize).is_some_and(|flags| flags & EXPANDED != 0);
        match known {
            true => worker.expand_again(id, Choice::All, |seen| successors.push(seen))?,
            false => worker.expand(id, |seen| successors.push(seen))?,
        };
        for &seen in &*successors {
            let next = self.number_of_successor(&worker.handle, seen, block);
            log.push_target(next);
            if self.claim(next) {
                stack.push(seen.id);
            }
        }
        log.close_state(number, labels.unwrap_or(0));
        if labels.is_none() {
            self.undefined.store(true, Ordering::Relaxed);
            self.over.store(true, Ordering::Relaxed);
        }
        if !worker.errors.is_empty() {
            self.collect(worker);
        }
        Ok(())
    }

    /// Whether no worker has claimed the state before.
    fn claim(&self, number: u32) -> bool {
        let claimed = self.claimed.get(number);
        claimed.load(Ordering::Relaxed) == 0 && claimed.swap(1, Ordering::Relaxed) == 0
    }

    /// The number of a state that has one. Notes count from 1.
    fn number_of(&self, handle: &S::Handle<'_>, id: StateId) -> u32 {
        if S::NOTES { handle.note(id) - 1 } else { id.number() }
    }

    fn number_of_successor(&self, handle: &S::Handle<'_>, seen: Seen, block: &mut NumberBlock) -> u32 {
        self.numbering.of::<S>(handle, seen, block, |_| {}) - u32::from(S::NOTES)
    }

    fn collect(&self, worker: &mut Worker<'_, '_, S>) {
        let mut findings = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
        findings.collect_in_states(worker.errors.take_findings());
        if findings.endless.is_some() || super::suffice(&findings, self.search.options) {
            self.over.store(true, Ordering::Relaxed);
        }
    }

    /// Offers the states that were found first.
    fn offer(&self, part: &mut Part) {
        if self.work.is_wanted() && part.stack.len() > 1 {
            self.work.offer(|| Some(part.stack.drain(..part.stack.len() / 2).collect()));
        }
    }

    /// Checks the budget.
    fn check(&self, worker: &Worker<'_, '_, S>, part: &Part) {
        let own = part.log.bytes() + (part.stack.capacity() * size_of::<StateId>()) as u64;
        self.bytes[worker.number()].store(own, Ordering::Relaxed);
        let all: u64 = self.bytes.iter().map(|bytes| bytes.load(Ordering::Relaxed)).sum();
        self.search.check(all + self.claimed.bytes(), part.stack.len() as u64);
    }
}
