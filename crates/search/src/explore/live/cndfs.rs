//! Nested depth-first search on all cores (CNDFS: Evangelista, Laarman, Petrucci, van de Pol).
//!
//! Every worker does a nested search of its own, each in another order. They share what is finished: a state is blue when
//! some worker has left it in its first search, and red when no cycle through an accepting state that was left before
//! comes by it. A worker that has done its second search waits until the accepting states it met on the way are red, too:
//! another worker is about to make them so.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use kripke_model::{Choice, Flags};

use super::super::judge::Findings;
use super::super::worker::Worker;
use super::super::{Factory, ROUND, Search};
use super::Live;
use super::colours::{Colours, Set};
use crate::budget::Limit;
use crate::store::{Handle, Seen, StateId, Store};

const BLUE: u8 = 1;
const RED: u8 = 2;
const EXPANDED: u8 = 4;
const ACCEPTING: u8 = 8;

/// Above each state of the current path in the stack.
const FRAME: StateId = StateId::NONE;

/// What the workers share.
struct Shared<'s, S> {
    search: &'s Search<'s, S>,
    colours: Colours,
    found: Mutex<Vec<StateId>>,
    findings: Mutex<Findings<StateId>>,
    /// A cycle or an error was found, or a limit met.
    over: AtomicBool,
    depth: AtomicU32,
    max_depth: u32,
    /// Memory of each worker.
    bytes: Vec<AtomicU64>,
}

struct Searcher<'l, 'w, 'm, 's, S: Store + 'w> {
    shared: &'l Shared<'s, S>,
    worker: &'l mut Worker<'w, 'm, S>,
    number: usize,
    /// On the path of its first search.
    cyan: Set,
    /// Met by its second search.
    pink: Set,
    blue: Vec<StateId>,
    depth: u32,
    deepest: u32,
    red: Vec<StateId>,
    met: Vec<StateId>,
    /// Successors where others have been.
    later: Vec<StateId>,
    random: u64,
}

/// Any order will do; the same in every run with one worker.
fn shuffle(states: &mut [StateId], random: &mut u64) {
    for i in (1..states.len()).rev() {
        *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        states.swap(i, ((*random >> 33) % (i as u64 + 1)) as usize);
    }
}

/// The search is over for this worker.
struct Over;

type Going<T = ()> = Result<T, Over>;

pub(super) fn run<S: Store>(
    live: &mut Live<'_, '_, '_, S>,
    factory: Factory<'_, '_>,
    root: StateId,
) -> Result<(), Limit> {
    let search = live.search;
    let shared = Shared {
        search,
        colours: Colours::new(),
        found: Mutex::default(),
        findings: Mutex::new(Findings::new()),
        over: AtomicBool::new(false),
        depth: AtomicU32::new(0),
        max_depth: live.max_depth,
        bytes: (0..search.threads).map(|_| AtomicU64::new(0)).collect(),
    };
    std::thread::scope(|scope| {
        for number in 1..search.threads {
            let shared = &shared;
            scope.spawn(move || {
                let mut worker = Worker::new(search, number, factory());
                worker.handle.enter();
                Searcher::new(shared, &mut worker, number).start(root);
                worker.handle.leave();
            });
        }
        Searcher::new(&shared, &mut live.worker, 0).start(root);
        live.worker.handle.leave();
    });
    live.worker.handle.enter();
    live.depth = shared.depth.load(Ordering::Relaxed);
    live.bytes = shared.bytes();
    live.found = shared.found.into_inner().unwrap_or_else(PoisonError::into_inner);
    live.found.truncate(1);
    live.findings = shared.findings.into_inner().unwrap_or_else(PoisonError::into_inner);
    match search.take_limit() {
        Some(limit) if live.found.is_empty() && live.findings.kept.is_empty() => Err(limit),
        _ => Ok(()),
    }
}

impl<S> Shared<'_, S> {
    fn bytes(&self) -> u64 {
        self.colours.bytes() + self.bytes.iter().map(|b| b.load(Ordering::Relaxed)).sum::<u64>()
    }

    fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }
}

impl<'l, 'w, 'm, 's, S: Store> Searcher<'l, 'w, 'm, 's, S> {
    fn new(shared: &'l Shared<'s, S>, worker: &'l mut Worker<'w, 'm, S>, number: usize) -> Self {
        Searcher {
            shared,
            worker,
            number,
            cyan: Set::default(),
            pink: Set::default(),
            blue: Vec::new(),
            depth: 0,
            deepest: 0,
            red: Vec::new(),
            met: Vec::new(),
            later: Vec::new(),
            random: 1 + number as u64,
        }
    }

    fn start(&mut self, root: StateId) {
        self.blue.push(root);
        if self.search().is_err() {
            self.shared.over.store(true, Ordering::Relaxed);
        }
        self.shared.depth.fetch_max(self.deepest, Ordering::Relaxed);
        let mut findings = self.shared.findings.lock().unwrap_or_else(PoisonError::into_inner);
        findings.collect(self.worker.judge.hand_over(), || root);
    }

    fn search(&mut self) -> Going {
        while let Some(&top) = self.blue.last() {
            if top == FRAME {
                self.blue.pop();
                if let Some(id) = self.blue.pop() {
                    self.depth -= 1;
                    self.leave(id)?;
                }
                continue;
            }
            let colour = self.shared.colours.get(top);
            if self.cyan.contains(top) || colour & BLUE != 0 || self.depth >= self.shared.max_depth {
                self.blue.pop();
                continue;
            }
            self.cyan.insert(top);
            let mut stack = std::mem::take(&mut self.blue);
            stack.push(FRAME);
            let expanded = self.expand(top, &mut stack);
            self.blue = stack;
            let flags = expanded?;
            if flags.accepting {
                self.shared.colours.set(top, ACCEPTING);
            }
            self.depth += 1;
            self.deepest = self.deepest.max(self.depth);
            self.look_around(top)?;
        }
        Ok(())
    }

    /// Puts the successors on a stack, in an order of this worker's own. Who comes first judges and counts.
    ///
    /// Workers who follow each other do the same work: each goes where nobody has been, and everybody by another way.
    fn expand(&mut self, id: StateId, stack: &mut Vec<StateId>) -> Going<Flags> {
        let first = stack.len();
        let known = self.shared.colours.set(id, EXPANDED) & EXPANDED != 0;
        let (colours, later) = (&self.shared.colours, &mut self.later);
        let sort = |seen: Seen| {
            let taken = !seen.new && colours.get(seen.id) & EXPANDED != 0;
            if taken { later.push(seen.id) } else { stack.push(seen.id) }
        };
        let expanded = match known {
            false => self.worker.expand(id, sort),
            true => self.worker.expand_again(id, Choice::All, sort),
        };
        // The last goes first: those where nobody has been, in any order.
        shuffle(&mut stack[first..], &mut self.random);
        shuffle(&mut self.later, &mut self.random);
        stack.splice(first..first, self.later.drain(..));
        expanded.map_err(|limit| {
            self.shared.search.stop(limit);
            Over
        })
    }

    /// Looks at limits and at what was found on the way.
    fn look_around(&mut self, id: StateId) -> Going {
        if self.worker.is_due(ROUND) {
            let own = self.cyan.bytes() + self.pink.bytes();
            let stacks = (self.blue.capacity() + self.red.capacity() + self.met.capacity()) * size_of::<StateId>();
            self.shared.bytes[self.number].store(own + stacks as u64, Ordering::Relaxed);
            let search = self.shared.search;
            // Not more often: it is one place in memory for all.
            if self.worker.leads() {
                self.shared.depth.fetch_max(self.deepest, Ordering::Relaxed);
                search.depth.store(u64::from(self.shared.depth.load(Ordering::Relaxed)), Ordering::Relaxed);
                search.check(self.shared.bytes(), self.blue.len() as u64);
            }
            if search.is_stopped() || self.shared.is_over() {
                return Err(Over);
            }
        }
        if !self.worker.judge.is_content() {
            let mut findings = self.shared.findings.lock().unwrap_or_else(PoisonError::into_inner);
            findings.collect(self.worker.judge.hand_over(), || id);
            if !findings.kept.is_empty() {
                return Err(Over);
            }
        }
        Ok(())
    }

    /// The first search leaves a state.
    fn leave(&mut self, id: StateId) -> Going {
        self.shared.colours.set(id, BLUE);
        if self.shared.colours.get(id) & (ACCEPTING | RED) == ACCEPTING {
            self.search_red(id)?;
            self.wait(id)?;
            for met in self.met.drain(..) {
                self.shared.colours.set(met, RED);
                self.pink.remove(met);
            }
        }
        self.cyan.remove(id);
        Ok(())
    }

    /// The second search.
    fn search_red(&mut self, seed: StateId) -> Going {
        self.red.push(seed);
        let mut first = true;
        while let Some(top) = self.red.pop() {
            if self.cyan.contains(top) && !first {
                self.shared.found.lock().unwrap_or_else(PoisonError::into_inner).push(seed);
                return Err(Over);
            }
            if self.pink.contains(top) || self.shared.colours.get(top) & RED != 0 {
                continue;
            }
            first = false;
            self.pink.insert(top);
            self.met.push(top);
            let mut stack = std::mem::take(&mut self.red);
            let expanded = self.expand(top, &mut stack);
            self.red = stack;
            if expanded?.accepting {
                self.shared.colours.set(top, ACCEPTING);
            }
            self.look_around(top)?;
        }
        Ok(())
    }

    /// Until the other accepting states met are red. Meanwhile the store may do without this worker.
    fn wait(&mut self, seed: StateId) -> Going {
        let colours = &self.shared.colours;
        let open = |id: &StateId| *id != seed && colours.get(*id) & (ACCEPTING | RED) == ACCEPTING;
        let mut at = 0;
        if !self.met.iter().any(open) {
            return Ok(());
        }
        self.worker.handle.leave();
        let mut over = false;
        while at < self.met.len() && !over {
            if open(&self.met[at]) {
                std::thread::yield_now();
                over = self.shared.is_over() || self.shared.search.is_stopped();
            } else {
                at += 1;
            }
        }
        self.worker.handle.enter();
        if over { Err(Over) } else { Ok(()) }
    }
}
