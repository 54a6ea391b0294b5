//! Token-based NDFS: nested depth-first search over the states of all ranks, by the rank that has the token.
//!
//! J. Barnat, "Distributed Memory LTL Model Checking", Masaryk University 2004; the nested search is that of C. Courcoubetis, M. Vardi,
//! P. Wolper and M. Yannakakis, "Memory-efficient algorithms for the verification of temporal properties", FMSD 1, 1992.
//!
//! The memory is distributed, the search is not: one rank at a time has the token, and follows transitions as long as they stay on
//! it. The token goes with a transition to the owner of the successor, and back to the owner of the parent. The search stack is the chain of
//! parents; a rank has its part of it, and comes back to the state that it has pushed last. When the outer search leaves an accepting
//! state, a nested search looks for a path back to it. What a search has visited stays visited, so the token does not go again to
//! a state to which this rank has [sent](SentCache) it lately. (The state that a nested search looks for is none of these: an earlier nested
//! search that had visited it would have found a cycle, since its own state is on the search stack of the outer one.)
//!
//! The certificate: the number of a state is that of the nested search that has visited it, or the greatest number if none has. A
//! nested search visits all successors that no earlier one has visited, so numbers do not increase. An accepting state is
//! left before its own nested search, which visits its successors and not itself, so the number decreases there.

use kripke_model::{Batch, State};

use super::Verdict;
use crate::partition::hash;
use crate::rank::{Phase, Rank, StateRef, Stop};
use crate::sent_cache::SentCache;
use crate::transport::Failure;
use crate::wire::Reader;

const VISIT: u8 = 1;
const RETURN: u8 = 2;

/// The number of a state that no nested search has visited.
const UNVISITED: u64 = u64::MAX;

/// Which of both searches has the token.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Search {
    Outer,
    Nested,
}

/// Where the token is.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Token {
    /// At a state that a transition leads to.
    Visit { number: u32, parent: StateRef },
    /// Back at a state, from a successor.
    Return { number: u32 },
}

/// A state of this rank on a search stack, with its successors end to end.
#[derive(Default)]
struct Frame {
    number: u32,
    parent: StateRef,
    successors: Vec<u8>,
    ends: Vec<usize>,
    next: usize,
}

impl Frame {
    /// The next successor.
    fn next(&mut self) -> Option<&State> {
        let end = *self.ends.get(self.next)?;
        let start = if self.next == 0 { 0 } else { self.ends[self.next - 1] };
        self.next += 1;
        Some(&self.successors[start..end])
    }
}

/// What a rank knows about one of both searches.
#[derive(Default)]
struct Stack {
    frames: Vec<Frame>,
    /// Frames whose memory is used again.
    spare: Vec<Frame>,
    sent: SentCache,
}

impl Stack {
    fn push<'s>(&mut self, number: u32, parent: StateRef, successors: impl Iterator<Item = &'s State>) {
        let mut frame = self.spare.pop().unwrap_or_default();
        (frame.number, frame.parent, frame.next) = (number, parent, 0);
        frame.successors.clear();
        frame.ends.clear();
        for state in successors {
            frame.successors.extend_from_slice(state);
            frame.ends.push(frame.successors.len());
        }
        self.frames.push(frame);
    }

    /// Removes the state that was pushed last. Returns its parent.
    fn pop(&mut self) -> StateRef {
        let Some(frame) = self.frames.pop() else { return StateRef::NONE };
        let parent = frame.parent;
        self.spare.push(frame);
        parent
    }
}

/// What a rank knows. The nested search and its seed travel with the token.
#[derive(Default)]
struct TokenSearch {
    visited: Vec<bool>,
    accepting: Vec<bool>,
    certificate: Vec<u64>,
    /// The stacks of both searches.
    stacks: [Stack; 2],
    /// A copy of the successor that is followed.
    successor: Vec<u8>,
    token: Option<(Search, Token)>,
    /// The number of nested searches so far, and the state that the last one looks for.
    nested: u64,
    seed: u64,
    found: Option<StateRef>,
}

pub(super) fn run(rank: &mut Rank<'_>) -> Result<Verdict, Stop> {
    let mut search = TokenSearch::default();
    let initial = rank.initial();
    let (owner, hash) = rank.owner(&initial);
    if owner == rank.net.rank() {
        let (number, _) = rank.intern(&initial, hash, StateRef::NONE)?;
        search.resize(rank);
        search.token = Some((Search::Outer, Token::Visit { number, parent: StateRef::NONE }));
    }
    let is_done = rank.run(&mut search)?;
    if rank.has_errors()? {
        return Ok(Verdict::Error);
    }
    if is_done {
        let found = rank.least(search.found)?;
        return Ok(found.map_or(Verdict::NoCycle(None), Verdict::Cycle));
    }
    rank.observe_states()?;
    search.resize(rank);
    Ok(Verdict::NoCycle(Some(search.certificate)))
}

impl TokenSearch {
    fn resize(&mut self, rank: &mut Rank<'_>) {
        let states = rank.table.len();
        if self.visited.len() < states {
            self.visited.resize(states, false);
            self.accepting.resize(states, false);
            self.certificate.resize(states, UNVISITED);
            rank.appendix_bytes = 10 * states as u64;
        }
    }

    /// Begins to search from a state. A state that this search has visited before is left at once.
    fn visit(&mut self, rank: &mut Rank<'_>, search: Search, number: u32, parent: StateRef) -> Result<(), Stop> {
        let index = number as usize;
        let is_known = match search {
            Search::Outer => std::mem::replace(&mut self.visited[index], true),
            Search::Nested => self.certificate[index] != UNVISITED,
        };
        if is_known {
            return self.leave(rank, search, parent);
        }
        let batch = match search {
            Search::Outer => {
                let (flags, batch) = rank.expand_until_error(number)?;
                self.accepting[index] = flags.accepting;
                batch
            }
            Search::Nested => {
                self.certificate[index] = self.nested;
                rank.expand(number).1
            }
        };
        self.push(search, number, parent, &batch);
        rank.recycle(batch);
        self.token = Some((search, Token::Return { number }));
        Ok(())
    }

    fn push(&mut self, search: Search, number: u32, parent: StateRef, successors: &Batch) {
        self.stacks[search as usize].push(number, parent, successors.states());
    }

    /// Goes on from the state of this rank that was pushed last: to its next successor, or back.
    fn go_on(&mut self, rank: &mut Rank<'_>, search: Search, number: u32) -> Result<(), Stop> {
        let stack = &mut self.stacks[search as usize];
        let Some(frame) = stack.frames.last_mut().filter(|frame| frame.number == number) else {
            return Err(Failure::Protocol(rank.net.rank(), "the token came back to another state").into());
        };
        if let Some(successor) = frame.next() {
            self.successor.clear();
            self.successor.extend_from_slice(successor);
            return self.follow(rank, search, number);
        }
        let parent = stack.pop();
        match search {
            Search::Outer if self.accepting[number as usize] => self.begin_nested(rank, number, parent),
            _ => self.leave(rank, search, parent),
        }
    }

    /// Begins the nested search of an accepting state that the outer search is about to leave.
    fn begin_nested(&mut self, rank: &mut Rank<'_>, number: u32, parent: StateRef) -> Result<(), Stop> {
        self.nested += 1;
        self.seed = rank.reference(number).to_number();
        // The outer search goes on here when the nested one is over: the state is not accepting for it any more.
        self.accepting[number as usize] = false;
        self.stacks[Search::Outer as usize].push(number, parent, std::iter::empty());
        let (_, batch) = rank.expand(number);
        self.push(Search::Nested, number, StateRef::NONE, &batch);
        rank.recycle(batch);
        self.token = Some((Search::Nested, Token::Return { number }));
        Ok(())
    }

    /// Takes the token to the successor, unless this rank knows that it was visited.
    fn follow(&mut self, rank: &mut Rank<'_>, search: Search, number: u32) -> Result<(), Stop> {
        let to = std::mem::take(&mut self.successor);
        let (owner, hash) = rank.owner(&to);
        if owner == rank.net.rank() {
            self.come(rank, (search, rank.reference(number)), &to, hash)?;
        } else if self.stacks[search as usize].sent.is_new(&to, hash) {
            let numbers = [search as u64, self.nested, self.seed, u64::from(number)];
            rank.send_state(VISIT, &numbers, &to)?;
        } else {
            self.token = Some((search, Token::Return { number }));
        }
        self.successor = to;
        Ok(())
    }

    /// The token has come to a state of this rank.
    fn come(
        &mut self,
        rank: &mut Rank<'_>,
        (search, parent): (Search, StateRef),
        state: &State,
        hash: u64,
    ) -> Result<(), Stop> {
        let (number, _) = rank.intern(state, hash, parent)?;
        self.resize(rank);
        let at = rank.reference(number);
        if search == Search::Nested && at.to_number() == self.seed {
            self.found = Some(at);
            return Ok(rank.end_phase()?);
        }
        self.token = Some((search, Token::Visit { number, parent }));
        Ok(())
    }

    /// Takes the token back to a parent. A nested search that leaves its seed is over.
    fn leave(&mut self, rank: &mut Rank<'_>, search: Search, parent: StateRef) -> Result<(), Stop> {
        if parent.rank == rank.number() {
            self.token = Some((search, Token::Return { number: parent.number }));
        } else if parent != StateRef::NONE {
            rank.send_number(RETURN, &[search as u64, self.nested, self.seed], parent)?;
        } else if search == Search::Nested {
            let number = StateRef::from_number(self.seed).number;
            self.token = Some((Search::Outer, Token::Return { number }));
        }
        Ok(())
    }

    /// The search of a record, which brings the token with its numbers.
    fn arrive(&mut self, record: &mut Reader<'_>) -> Option<Search> {
        let search = if record.number()? == 0 { Search::Outer } else { Search::Nested };
        (self.nested, self.seed) = (record.number()?, record.number()?);
        Some(search)
    }
}

impl Phase for TokenSearch {
    fn take(&mut self, rank: &mut Rank<'_>, from: u32, mut record: Reader<'_>) -> Result<(), Stop> {
        let (Some(tag), Some(search), Some(number)) = (record.byte(), self.arrive(&mut record), record.number()) else {
            return Ok(());
        };
        if tag == RETURN {
            self.token = Some((search, Token::Return { number: number as u32 }));
            return Ok(());
        }
        let parent = StateRef { rank: from, number: number as u32 };
        self.come(rank, (search, parent), record.rest(), hash(record.rest()))
    }

    fn work(&mut self, rank: &mut Rank<'_>) -> Result<bool, Stop> {
        match self.token.take() {
            None => return Ok(false),
            Some((search, Token::Visit { number, parent })) => self.visit(rank, search, number, parent)?,
            Some((search, Token::Return { number })) => self.go_on(rank, search, number)?,
        }
        Ok(true)
    }
}
