//! Depth-first order, more or less, for stores that know the way to a state: what was found last is expanded first.
//!
//! States are taken from the stack in bunches, so that memory can be on its way for all their successors at once. With
//! several workers each has a stack, and gives half of it, the end that is nearest to the initial state, to who has none.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::judge::Findings;
use super::worker::Worker;
use super::{Factory, Search};
use crate::budget::Limit;
use crate::store::{Handle, Seen, StateId, Store};
use crate::sync::Board;

/// States taken at once: more hide latency no better, and leave more states waiting.
const BUNCH: usize = 16;
/// States expanded between two looks at the budget.
const CHECK: usize = 256;

/// In which order successors of a state are taken.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Bias {
    /// The first one first.
    #[default]
    Forward,
    /// The last one first.
    Backward,
    /// Any, by this seed.
    Random(u64),
}

/// How far a search got.
pub(super) struct Descent<'a, 'm, S: Store + 'a> {
    pub depth: u32,
    pub bytes: u64,
    pub findings: Findings<()>,
    pub stop: Option<Limit>,
    /// One of the workers.
    pub worker: Worker<'a, 'm, S>,
}

/// What workers share.
struct Team {
    pool: Board<Pool>,
    /// Workers without work.
    hungry: AtomicUsize,
    findings: Mutex<Findings<()>>,
}

#[derive(Default)]
struct Pool {
    spare: Vec<StateId>,
    waiting: usize,
    over: bool,
}

/// What waits, for one worker.
#[derive(Default)]
struct Stack {
    entries: Vec<StateId>,
    fresh: Vec<StateId>,
    deepest: u32,
}

impl Stack {
    fn bytes(&self) -> u64 {
        (self.entries.capacity() * size_of::<StateId>()) as u64
    }
}

pub(super) fn run<'a, 'm, S: Store>(
    search: &'a Search<'a, S>,
    factory: Factory<'_, 'm>,
    max_depth: u32,
) -> Descent<'a, 'm, S> {
    let team =
        Team { pool: Board::new(Pool::default()), hungry: AtomicUsize::new(0), findings: Mutex::new(Findings::new()) };
    let mut leader = Worker::new(search, 0, factory());
    let mut stack = Stack::default();
    match leader.begin() {
        Ok(root) => stack.entries.push(root),
        Err(limit) => search.stop(limit),
    }
    let stacks = std::thread::scope(|scope| {
        let team = &team;
        let help = |number| {
            move || {
                let mut worker = Worker::new(search, number, factory());
                worker.handle.enter();
                let mut stack = Stack::default();
                descend(search, team, &mut worker, &mut stack, max_depth);
                stack
            }
        };
        let helpers: Vec<_> = (1..search.threads).map(|number| scope.spawn(help(number))).collect();
        descend(search, team, &mut leader, &mut stack, max_depth);
        let others = helpers.into_iter().map(|h| h.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        std::iter::once(stack).chain(others).collect::<Vec<_>>()
    });
    let findings = team.findings.into_inner().unwrap_or_else(PoisonError::into_inner);
    let depth = stacks.iter().map(|stack| stack.deepest).max().unwrap_or(0);
    let bytes = stacks.iter().map(Stack::bytes).sum();
    search.depth.store(u64::from(depth), Ordering::Relaxed);
    search.report(bytes, stacks.iter().map(|stack| stack.entries.len() as u64).sum());
    Descent { depth, bytes, findings, stop: search.take_limit(), worker: leader }
}

/// A worker's part: until nobody has work, or the search is stopped.
fn descend<S: Store>(
    search: &Search<'_, S>,
    team: &Team,
    worker: &mut Worker<'_, '_, S>,
    stack: &mut Stack,
    max_depth: u32,
) {
    let _end = Leaving(team);
    let mut random = match search.options.bias {
        Bias::Random(seed) => seed | 1,
        _ => 1,
    };
    while !search.is_stopped() && (!stack.entries.is_empty() || team.find_work(search, worker, stack)) {
        if let Err(limit) = bunch(worker, stack, max_depth) {
            search.stop(limit);
        }
        match search.options.bias {
            Bias::Forward => stack.fresh.reverse(),
            Bias::Backward => {}
            Bias::Random(_) => shuffle(&mut stack.fresh, &mut random),
        }
        stack.entries.append(&mut stack.fresh);
        if !worker.judge.is_content() {
            let mut findings = team.findings.lock().unwrap_or_else(PoisonError::into_inner);
            findings.collect(worker.judge.hand_over(), || ());
            if !search.options.all_errors {
                search.halt();
            }
        }
        if team.hungry.load(Ordering::Relaxed) > 0 && stack.entries.len() > 2 * BUNCH {
            team.share(stack);
        }
        if worker.is_due(CHECK) {
            search.depth.fetch_max(u64::from(stack.deepest), Ordering::Relaxed);
            search.check(stack.bytes(), stack.entries.len() as u64);
        }
    }
    worker.handle.leave();
    let mut findings = team.findings.lock().unwrap_or_else(PoisonError::into_inner);
    findings.collect(worker.judge.hand_over(), || ());
}

/// Expands the states on top of the stack. New ones are in `fresh` afterwards.
fn bunch<S: Store>(worker: &mut Worker<'_, '_, S>, stack: &mut Stack, max_depth: u32) -> Result<(), Limit> {
    let Stack { entries, fresh, deepest, .. } = stack;
    let from = entries.len() - entries.len().min(BUNCH);
    worker.round.work.clear();
    worker.round.work.extend(entries.drain(from..).rev());
    for &id in &worker.round.work {
        *deepest = (*deepest).max(worker.handle.depth(id));
    }
    while !worker.round.work.is_empty() {
        let each = |seen: Seen| {
            if seen.new {
                fresh.push(seen.id);
            }
        };
        let turned = worker.turn(each, |_, _| false)?;
        worker.round.work.drain(..turned);
    }
    let handle = &mut worker.handle;
    fresh.retain(|&id| {
        let within = handle.depth(id) <= max_depth;
        if !within {
            handle.release(id);
        }
        within
    });
    Ok(())
}

/// A worker that leaves ends the search for all: there is no more work, or it was stopped, or something went wrong.
struct Leaving<'a>(&'a Team);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.0.pool.change(|pool| pool.over = true);
    }
}

impl Team {
    /// Waits until there is work for one who has none. False when there will be no more.
    fn find_work<S: Store>(&self, search: &Search<'_, S>, worker: &mut Worker<'_, '_, S>, stack: &mut Stack) -> bool {
        if search.threads == 1 {
            return false;
        }
        worker.handle.leave();
        self.hungry.fetch_add(1, Ordering::Relaxed);
        self.pool.change(|pool| pool.waiting += 1);
        let found = self.pool.wait(|pool| {
            if pool.over || pool.waiting == search.threads && pool.spare.is_empty() {
                pool.over = true;
                return Some(false);
            }
            (!pool.spare.is_empty()).then(|| {
                pool.waiting -= 1;
                stack.entries.append(&mut pool.spare);
                true
            })
        });
        self.hungry.fetch_sub(1, Ordering::Relaxed);
        worker.handle.enter();
        found
    }

    /// Puts half of a stack where others find it.
    fn share(&self, stack: &mut Stack) {
        self.pool.change(|pool| {
            if pool.spare.is_empty() {
                pool.spare.extend(stack.entries.drain(..stack.entries.len() / 2));
            }
        });
    }
}

fn shuffle(ids: &mut [StateId], random: &mut u64) {
    for i in (1..ids.len()).rev() {
        // Xorshift (Marsaglia): any order will do.
        *random ^= *random << 13;
        *random ^= *random >> 7;
        *random ^= *random << 17;
        ids.swap(i, (*random % (i as u64 + 1)) as usize);
    }
}
