//! Components on all cores (UFSCC: Bloemen, Laarman, van de Pol).
//!
//! Every worker searches depth first, each in another order. They share sets of states that are known to lie on common
//! cycles ([`Sets`]), and the work in each: a worker in a set expands whichever of its states nobody has finished. A set all of whose
//! states are finished is a component, and nobody goes there again. A worker who comes to a set where it has been before
//! has closed a cycle: all sets on its path from there on are one.

use kripke_model::{Choice, Flags};

use super::super::Factory;
use super::super::worker::Worker;
use super::parallel::{Going, Standing, Team, shuffle};
use super::union_find::{CYCLE, Claim, Sets};
use super::{Cycles, Live, fair_cycle, label};
use crate::budget::Limit;
use crate::store::{StateId, Store};

/// A set on the path, by the state it was entered with, and which of its states is being looked at.
struct Frame {
    state: StateId,
    picked: StateId,
    /// Where the successors still to be looked at begin.
    first: usize,
    /// The marks of the edge that leads to it.
    label: u32,
}

struct Searcher<'l, 'w, 'm, 's, S: Store + 'w> {
    team: &'l Team<'s, S>,
    sets: &'l Sets,
    cycles: Cycles,
    worker: &'l mut Worker<'w, 'm, S>,
    number: usize,
    frames: Vec<Frame>,
    /// Successors of all frames, and the marks of the edge to each, if edges count.
    entries: Vec<StateId>,
    labels: Vec<u32>,
    /// Of the sets on the path those that are not known to be one, with the marks of the edge to each.
    roots: Vec<(StateId, u32)>,
    /// Of the edges of the observer.
    marks: Vec<u32>,
    deepest: u32,
    random: u64,
}

pub(super) fn run<S: Store>(
    live: &mut Live<'_, '_, '_, S>,
    factory: Factory<'_, '_>,
    root: StateId,
) -> Result<(), Limit> {
    let (team, sets, cycles) = (Team::new(live), Sets::new(), live.cycles);
    team.work(live, factory, |worker, number| {
        let mut searcher = Searcher {
            team: &team,
            sets: &sets,
            cycles,
            worker,
            number,
            frames: Vec::new(),
            entries: Vec::new(),
            labels: Vec::new(),
            roots: Vec::new(),
            marks: Vec::new(),
            deepest: 0,
            random: 1 + number as u64,
        };
        let going = searcher.search(root);
        let deepest = searcher.deepest;
        team.part(going, worker, deepest);
    });
    let bytes = sets.bytes();
    let done = team.conclude(live, bytes);
    if cycles.by_edges() {
        // Any state of the component was found, and the component has all that is needed.
        for id in std::mem::take(&mut live.found) {
            let component = fair_cycle::component(&mut live.worker, id)?;
            live.judge_component(&component)?;
        }
    }
    // An accepting state is wanted.
    for found in &mut live.found {
        *found = sets.marked(*found, cycles.all_marks()).expect("the set was marked by one of its states");
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
                let label = self.labels.pop().unwrap_or(0);
                self.look_at(state, next, label)?;
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
            Claim::New => self.enter(id, 0),
            Claim::Known | Claim::Dead => Ok(()),
        }
    }

    fn enter(&mut self, id: StateId, label: u32) -> Going {
        self.roots.push((id, label));
        self.frames.push(Frame { state: id, picked: id, first: self.entries.len(), label });
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
                let (state, label) = (frame.state, frame.label);
                self.frames.pop();
                if self.roots.last().is_some_and(|(root, _)| *root == state) {
                    self.roots.pop();
                }
                self.leave(state, label)
            }
        }
    }

    /// The set that was left may have become one with the set before it by the work of others.
    fn leave(&self, state: StateId, label: u32) -> Going {
        match self.frames.last() {
            Some(frame) if label != 0 && self.sets.same(frame.state, state) => {
                self.judge(state, self.sets.mark(state, label | CYCLE))
            }
            _ => Ok(()),
        }
    }

    fn expand(&mut self, state: StateId, picked: StateId) -> Going {
        let first = self.entries.len();
        let (by_edges, mut number) = (self.cycles.by_edges(), 0);
        if by_edges {
            self.worker.marks(picked, &mut self.marks);
        }
        let Searcher { entries, labels, marks, .. } = self;
        let mut add = |id: StateId| {
            entries.push(id);
            if by_edges {
                labels.push(label(marks, number));
            }
            number += 1;
        };
        let expanded = match self.sets.first(picked) {
            true => self.worker.expand(picked, |seen| add(seen.id)),
            false => self.worker.expand_again(picked, Choice::All, |seen| add(seen.id)),
        };
        let flags: Flags = expanded.map_err(|limit| self.team.stop(limit))?;
        // The same order for both.
        let mut again = self.random;
        shuffle(&mut self.entries[first..], &mut self.random);
        if by_edges {
            shuffle(&mut self.labels[first..], &mut again);
        }
        let marks = self.cycles.marks(flags);
        if marks != 0 {
            let marks = self.sets.mark_state(picked, marks);
            self.judge(state, marks)?;
        }
        self.look_around()
    }

    /// A successor of the state that is being looked at.
    fn look_at(&mut self, state: StateId, next: StateId, label: u32) -> Going {
        if self.frames.len() as u32 >= self.team.max_depth && !self.sets.has(next, self.number) {
            return Ok(());
        }
        match self.sets.claim(next, self.number) {
            Claim::Dead => Ok(()),
            Claim::New => self.enter(next, label),
            Claim::Known => {
                let mut marks = label | CYCLE;
                while !self.sets.same(next, state) {
                    let Some((last, label)) = self.roots.pop() else { break };
                    let Some(&(before, _)) = self.roots.last() else { break };
                    self.sets.unite(before, last);
                    marks |= label;
                }
                self.judge(state, self.sets.mark(state, marks))
            }
        }
    }

    /// A set with a cycle has a cycle that meets all of it.
    fn judge(&self, state: StateId, marks: u32) -> Going {
        let wanted = CYCLE | self.cycles.all_marks();
        if marks & wanted == wanted { Err(self.team.find(state)) } else { Ok(()) }
    }

    fn look_around(&mut self) -> Going {
        let Searcher { team, sets: shared, worker, number, frames, entries, labels, roots, deepest, .. } = self;
        let standing = || {
            let stacks = entries.capacity() * size_of::<StateId>() + labels.capacity() * size_of::<u32>();
            let sets = roots.capacity() * size_of::<(StateId, u32)>() + frames.capacity() * size_of::<Frame>();
            let own = (stacks + sets) as u64;
            let waiting = entries.len() as u64;
            Standing { number: *number, deepest: *deepest, waiting, own, shared: shared.bytes() }
        };
        team.look_around(worker, standing)
    }
}
