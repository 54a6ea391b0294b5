//! Depth-first order, more or less, for lossy stores: what was found last is expanded first.
//!
//! States are taken from the stack in bunches, so that memory can be on its way for all their successors at once. With
//! several workers each has a [stack](Pile), and gives half of it, the end that is nearest to the initial state, to who has
//! none.

use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::error_collector::Findings;
use super::worker::Worker;
use super::{Factory, Search, trail};
use crate::budget::Limit;
use crate::store::{Filter, Handle, LossyStore, Pile, Piles, spawn};
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

/// Steps of all trails that are kept together, except that the first is always kept.
const STEPS: usize = 1 << 24;

/// What is kept of each error: the choices that lead there, unless there was no room for them.
pub(super) type Way = Option<Vec<u32>>;

/// How far a search got.
#[derive(Default)]
pub(super) struct Descent {
    pub depth: u32,
    /// The most that waiting states took.
    pub bytes: u64,
    pub findings: Findings<Way>,
    pub stop: Option<Limit>,
    /// What was left when the search was to pause, or was stopped.
    pub piles: Vec<Pile>,
}

/// What workers share.
struct Team {
    pool: Board<Pool>,
    /// Workers without work.
    hungry: AtomicUsize,
    findings: Mutex<Findings<Way>>,
    /// What the stacks take now, and what they took at most.
    bytes: AtomicU64,
    most: AtomicU64,
    deepest: AtomicU32,
}

#[derive(Default)]
struct Pool {
    spare: Vec<Pile>,
    waiting: usize,
    over: bool,
}

/// A store for a search in this order.
type Stacked<F> = LossyStore<F, Piles>;

pub(super) fn run<F: Filter>(search: &Search<'_, Stacked<F>>, factory: Factory<'_, '_>, max_depth: u32) -> Descent {
    let mut leader = Worker::new(search, 0, factory());
    match leader.begin() {
        Ok(_) => leader.handle.keeper.settle(max_depth, |_| ()),
        Err(limit) => search.stop(limit),
    }
    work(search, factory, leader, Descent::default(), max_depth)
}

/// Goes on where a search has paused.
pub(super) fn resume<F: Filter>(
    search: &Search<'_, Stacked<F>>,
    factory: Factory<'_, '_>,
    mut descent: Descent,
    max_depth: u32,
) -> Descent {
    let mut leader = Worker::new(search, 0, factory());
    leader.handle.enter();
    leader.handle.keeper = descent.piles.pop().unwrap_or_default();
    work(search, factory, leader, descent, max_depth)
}

/// Each worker begins with one of the stacks, if there is one; the leader has one.
fn work<'a, F: Filter>(
    search: &'a Search<'a, Stacked<F>>,
    factory: Factory<'_, '_>,
    mut leader: Worker<'a, '_, Stacked<F>>,
    mut before: Descent,
    max_depth: u32,
) -> Descent {
    let mut piles = std::mem::take(&mut before.piles);
    let team = Team {
        pool: Board::new(Pool { spare: piles.split_off(piles.len().min(search.threads - 1)), ..Pool::default() }),
        hungry: AtomicUsize::new(0),
        findings: Mutex::new(before.findings),
        bytes: AtomicU64::new(0),
        most: AtomicU64::new(before.bytes),
        deepest: AtomicU32::new(before.depth),
    };
    let mut piles = std::thread::scope(|scope| {
        let team = &team;
        let help = |number, pile: Option<Pile>| {
            move || {
                let mut worker = Worker::new(search, number, factory());
                worker.handle.keeper = pile.unwrap_or_default();
                worker.handle.enter();
                descend(search, team, &mut worker, max_depth);
                std::mem::take(&mut worker.handle.keeper)
            }
        };
        let mut piles = piles.into_iter();
        let helpers: Vec<_> = (1..search.threads).map(|number| spawn(scope, help(number, piles.next()))).collect();
        descend(search, team, &mut leader, max_depth);
        let own = std::iter::once(std::mem::take(&mut leader.handle.keeper));
        let others = helpers.into_iter().map(|h| h.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        own.chain(others).collect::<Vec<_>>()
    });
    piles.extend(team.pool.change(|pool| std::mem::take(&mut pool.spare)));
    piles.retain(|pile| pile.waiting() > 0);
    let (depth, bytes) = (team.deepest.into_inner(), team.most.into_inner());
    search.depth.store(u64::from(depth), Ordering::Relaxed);
    search.report(bytes, piles.iter().map(Pile::waiting).sum());
    let findings = team.findings.into_inner().unwrap_or_else(PoisonError::into_inner);
    Descent { depth, bytes, findings, stop: search.take_limit(), piles }
}

/// A worker's part: until nobody has work, or the search is stopped.
fn descend<F: Filter>(
    search: &Search<'_, Stacked<F>>,
    team: &Team,
    worker: &mut Worker<'_, '_, Stacked<F>>,
    max_depth: u32,
) {
    let _end = Leaving(team);
    let mut random = match search.options.bias {
        Bias::Random(seed) => seed | 1,
        _ => 1,
    };
    let (mut deepest, mut told) = (0, 0);
    let goes_on = || !search.is_stopped() && !search.is_to_pause();
    while goes_on() && (worker.handle.keeper.waiting() > 0 || team.find_work(search, worker)) {
        if let Err(limit) = bunch(worker, &mut deepest) {
            search.stop(limit);
        }
        if !worker.judge.is_content() {
            team.collect(worker);
            if !search.options.all_errors {
                search.halt();
            }
        }
        let pile = &mut worker.handle.keeper;
        pile.settle(max_depth, |fresh| match search.options.bias {
            Bias::Forward => fresh.reverse(),
            Bias::Backward => {}
            Bias::Random(_) => shuffle(fresh, &mut random),
        });
        if team.hungry.load(Ordering::Relaxed) > 0 && pile.waiting() > 2 * BUNCH as u64 {
            team.share(pile);
        }
        if worker.is_due(CHECK) {
            let pile = &worker.handle.keeper;
            let bytes = team.tell(pile.bytes(), &mut told);
            search.depth.fetch_max(u64::from(deepest), Ordering::Relaxed);
            search.check(bytes, pile.waiting());
        }
    }
    team.tell(worker.handle.keeper.bytes(), &mut told);
    team.deepest.fetch_max(deepest, Ordering::Relaxed);
    worker.handle.leave();
    team.collect(worker);
}

/// Expands the states on top of the stack.
fn bunch<F: Filter>(worker: &mut Worker<'_, '_, Stacked<F>>, deepest: &mut u32) -> Result<(), Limit> {
    worker.round.work.clear();
    worker.handle.keeper.take(BUNCH, &mut worker.round.work);
    for &id in &worker.round.work {
        *deepest = (*deepest).max(worker.handle.keeper.depth(id));
    }
    while !worker.round.work.is_empty() {
        let turned = worker.turn(|_| (), |_, _| false)?;
        worker.round.work.drain(..turned);
    }
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
    fn find_work<F: Filter>(&self, search: &Search<'_, Stacked<F>>, worker: &mut Worker<'_, '_, Stacked<F>>) -> bool {
        if search.threads == 1 {
            return false;
        }
        worker.handle.leave();
        self.hungry.fetch_add(1, Ordering::Relaxed);
        self.pool.change(|pool| pool.waiting += 1);
        let pile = &mut worker.handle.keeper;
        let found = self.pool.wait(|pool| {
            if pool.over || pool.waiting == search.threads && pool.spare.is_empty() {
                pool.over = true;
                return Some(false);
            }
            pool.spare.pop().map(|spare| {
                pool.waiting -= 1;
                *pile = spare;
                true
            })
        });
        self.hungry.fetch_sub(1, Ordering::Relaxed);
        worker.handle.enter();
        found
    }

    /// Puts half of a stack where others find it.
    fn share(&self, pile: &mut Pile) {
        self.pool.change(|pool| {
            if pool.spare.is_empty() {
                pool.spare.extend(pile.divide());
            }
        });
    }

    /// What all stacks take, when one takes so much.
    fn tell(&self, bytes: u64, told: &mut u64) -> u64 {
        let more = bytes.wrapping_sub(*told);
        *told = bytes;
        let all = self.bytes.fetch_add(more, Ordering::Relaxed).wrapping_add(more);
        self.most.fetch_max(all, Ordering::Relaxed);
        all
    }

    /// Takes what a worker has found, and the way to each error that is new; the states are still in its stack.
    fn collect<F: Filter>(&self, worker: &mut Worker<'_, '_, Stacked<F>>) {
        let mut findings = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
        let known = findings.kept.len();
        findings.collect(worker.judge.hand_over(), || None);
        for at in known..findings.kept.len() {
            let path = worker.handle.keeper.path(findings.kept[at].0.id);
            let steps = findings.kept.iter().filter_map(|(_, way)| way.as_ref()).map(Vec::len).sum::<usize>();
            if at == 0 || steps + path.len() <= STEPS {
                findings.kept[at].1 = Some(trail::choices_along(&path, &mut *worker.successors));
            }
        }
    }
}

fn shuffle(ids: &mut [usize], random: &mut u64) {
    for i in (1..ids.len()).rev() {
        // Xorshift (Marsaglia): any order will do.
        *random ^= *random << 13;
        *random ^= *random >> 7;
        *random ^= *random << 17;
        ids.swap(i, (*random % (i as u64 + 1)) as usize);
    }
}
