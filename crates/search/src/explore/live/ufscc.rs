//! Components on all cores (UFSCC: Bloemen, Laarman, van de Pol).
//!
//! Every worker searches depth first, each in another order. They share sets of states that are known to lie on common
//! cycles ([`Sets`]), and the work in each: a worker in a set expands whichever of its states nobody has finished. A set all of whose
//! states are finished is a component, and nobody goes there again. A worker who comes to a set where it has been before
//! has closed a cycle: all sets on its path from there on are one.

use kripke_model::{Choice, Flags};

use super::super::Factory;
use super::super::worker::Worker;
use super::Live;
use super::sets::{CYCLE, Claim, Sets};
use super::team::{Going, Standing, Team, shuffle};
use crate::budget::Limit;
use crate::store::{StateId, Store};

/// The mark of accepting states.
const ACCEPTING: u32 = 1;

/// A set on the path, by the state it was entered with, and which of its states is being looked at.
struct Frame {
    state: StateId,
    picked: StateId,
    /// Where the successors still to be looked at begin.
    first: usize,
}

struct Searcher<'l, 'w, 'm, 's, S: Store + 'w> {
    team: &'l Team<'s, S>,
    sets: &'l Sets,
    worker: &'l mut Worker<'w, 'm, S>,
    number: usize,
    frames: Vec<Frame>,
    /// Successors of all frames.
    entries: Vec<StateId>,
    /// Of the sets on the path those that are not known to be one.
    roots: Vec<StateId>,
    deepest: u32,
    random: u64,
}

pub(super) fn run<S: Store>(
    live: &mut Live<'_, '_, '_, S>,
    factory: Factory<'_, '_>,
    root: StateId,
) -> Result<(), Limit> {
    let (team, sets) = (Team::new(live), Sets::new());
    team.work(live, factory, |worker, number| {
        let mut searcher = Searcher {
            team: &team,
            sets: &sets,
            worker,
            number,
            frames: Vec::new(),
            entries: Vec::new(),
            roots: Vec::new(),
            deepest: 0,
            random: 1 + number as u64,
        };
        let going = searcher.search(root);
        let deepest = searcher.deepest;
        team.part(going, worker, deepest, root);
    });
    let bytes = sets.bytes();
    let done = team.conclude(live, bytes);
    // Any state of the set was found; one that is accepting is wanted.
    for found in &mut live.found {
        *found = *sets.marked(*found, ACCEPTING).first().expect("the set was marked by one of its states");
    }
    done
}

impl<S: Store> Searcher<'_, '_, '_, '_, S> {
    fn search(&mut self, root: StateId) -> Going {
        self.visit(root)?;
        while let Some(frame) = self.frames.last() {
            if self.entries.len() > frame.first {
                let state = frame.state;
                let next = self.entries.pop().expect("there is one above the first");
                self.look_at(state, next)?;
            } else {
                self.sets.finish(frame.picked);
                self.go_on()?;
            }
        }
        Ok(())
    }

    /// Enters the set of a state, if it is not complete.
    fn visit(&mut self, id: StateId) -> Going {
        match self.sets.claim(id, self.number) {
            Claim::New => self.enter(id),
            Claim::Known | Claim::Dead => Ok(()),
        }
    }

    fn enter(&mut self, id: StateId) -> Going {
        self.roots.push(id);
        self.frames.push(Frame { state: id, picked: id, first: self.entries.len() });
        self.deepest = self.deepest.max(self.frames.len() as u32);
        self.go_on()
    }

    /// Goes on with the next state of the last set on the path, or leaves it.
    fn go_on(&mut self) -> Going {
        let Some(frame) = self.frames.last_mut() else { return Ok(()) };
        match self.sets.pick(frame.state) {
            Some(picked) => {
                frame.picked = picked;
                let state = frame.state;
                self.expand(state, picked)
            }
            None => {
                if self.roots.last() == Some(&frame.state) {
                    self.roots.pop();
                }
                self.frames.pop();
                Ok(())
            }
        }
    }

    fn expand(&mut self, state: StateId, picked: StateId) -> Going {
        let first = self.entries.len();
        let entries = &mut self.entries;
        let expanded = match self.sets.first(picked) {
            true => self.worker.expand(picked, |seen| entries.push(seen.id)),
            false => self.worker.expand_again(picked, Choice::All, |seen| entries.push(seen.id)),
        };
        let flags: Flags = expanded.map_err(|limit| self.team.stop(limit))?;
        shuffle(&mut self.entries[first..], &mut self.random);
        if flags.accepting {
            let marks = self.sets.mark_state(picked, ACCEPTING);
            self.judge(state, marks)?;
        }
        self.look_around(picked)
    }

    /// A successor of the state that is being looked at.
    fn look_at(&mut self, state: StateId, next: StateId) -> Going {
        if self.frames.len() as u32 >= self.team.max_depth && !self.sets.has(next, self.number) {
            return Ok(());
        }
        match self.sets.claim(next, self.number) {
            Claim::Dead => Ok(()),
            Claim::New => self.enter(next),
            Claim::Known => {
                while !self.sets.same(next, state) {
                    let Some(last) = self.roots.pop() else { break };
                    let Some(&before) = self.roots.last() else { break };
                    self.sets.unite(before, last);
                }
                let marks = self.sets.mark(state, CYCLE);
                self.judge(state, marks)
            }
        }
    }

    /// A set with a cycle and an accepting state has a cycle with one.
    fn judge(&self, state: StateId, marks: u32) -> Going {
        let wanted = CYCLE | ACCEPTING;
        if marks & wanted == wanted { Err(self.team.find(state)) } else { Ok(()) }
    }

    fn look_around(&mut self, id: StateId) -> Going {
        let Searcher { team, sets, worker, number, frames, entries, roots, deepest, .. } = self;
        let standing = || {
            let stacks = (entries.capacity() + roots.capacity()) * size_of::<StateId>();
            let own = (stacks + frames.capacity() * size_of::<Frame>()) as u64;
            let waiting = entries.len() as u64;
            Standing { number: *number, deepest: *deepest, waiting, own, shared: sets.bytes() }
        };
        team.look_around(worker, id, standing)
    }
}
