//! The work of one thread in every search: expand states, collect errors, intern successors.

use std::collections::HashMap;
use std::sync::atomic::Ordering;

use kripke_model::{Arrival, Batch, Choice, Flags, Mover, Movers, State, Successors};

use super::Search;
use super::bfs::CLAIM;
use super::error_collector::{ErrorCollector, LevelFindings};
use crate::budget::Limit;
use crate::peers::{Peers, Routed};
use crate::store::{Handle, Queue, Seen, StateId, Store};

/// A worker: its successor generator, its store handle and its counts.
pub(super) struct Worker<'a, 'm, S: Store + 'a> {
    search: &'a Search<'a, S>,
    /// The number of the worker. Worker 0 is the leader.
    number: usize,
    pub successors: Box<dyn Successors + 'm>,
    pub handle: S::Handle<'a>,
    pub errors: ErrorCollector,
    pub round: Round,
    transitions: u64,
    expanded: u64,
    /// The transitions that sleep sets have left out.
    asleep: u64,
    /// States expanded since the last check of the budget.
    unchecked: usize,
    /// Rounds until the last postponed successors are considered out of date.
    reducing: u32,
    /// The number of processes in the initial state, once it is known.
    at_start: Option<usize>,
}

/// The buffers of one round of expansions.
#[derive(Default)]
pub(super) struct Round {
    /// States that are to be expanded.
    pub work: Vec<StateId>,
    /// The transitions by which they were discovered, in a search that uses sleep sets.
    pub arrivals: Vec<Arrival>,
    batch: Batch,
    /// The successors before those are left out that other processes own.
    routed: Batch,
    /// The end of the successors of each expanded state in the batch.
    pub ends: Vec<usize>,
    state: Vec<u8>,
    /// Expanded states that must stay available.
    held: Vec<StateId>,
    /// Postponed successors, which are outside of the ample sets, and their end for each expanded state.
    postponed: Batch,
    postponed_ends: Vec<usize>,
    /// Whether an expanded state satisfies the cycle proviso: it has a successor that is new or open.
    reaches_open: Vec<bool>,
    /// Successors that are not new, with the index of the expanded state.
    revisited: Vec<(usize, StateId)>,
}

/// After so many rounds without postponed successors, partial-order reduction is considered ineffective.
const REDUCING_ROUNDS: u32 = 64;

/// Bytes of successors that count as one state for the check interval.
const WEIGHT: usize = 1 << 14;

/// Expands a state: its ample set if the search `reduces`, all successors otherwise.
fn expand(
    successors: &mut dyn Successors,
    reduces: bool,
    state: &kripke_model::State,
    out: &mut Batch,
    postponed: &mut Batch,
) -> Flags {
    if reduces { successors.expand_ample(state, out, postponed) } else { successors.expand(state, Choice::All, out) }
}

/// The agents of a state for fairness: processes, or transitions for fairness of transitions.
#[derive(Default)]
pub(super) struct Agents {
    /// The successors of the state.
    pub successors: Vec<StateId>,
    /// The agents that make the transition to each successor. None if the observer moves alone.
    pub movers: Vec<MovedBy>,
    /// The agents with an enabled transition.
    pub enabled: Vec<usize>,
    /// Upper bound of agent numbers.
    pub count: usize,
}

/// The agents that make one transition.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MovedBy {
    None,
    One(usize),
    All,
}

impl<'a, 'm, S: Store> Worker<'a, 'm, S> {
    pub fn new(search: &'a Search<'a, S>, number: usize, successors: Box<dyn Successors + 'm>) -> Self {
        Worker {
            search,
            number,
            successors,
            handle: search.store.handle(),
            errors: ErrorCollector::new(search.options),
            round: Round::default(),
            transitions: 0,
            expanded: 0,
            asleep: 0,
            unchecked: 0,
            reducing: 0,
            at_start: None,
        }
    }

    /// Interns the initial state.
    pub fn begin(&mut self) -> Result<StateId, Limit> {
        self.handle.enter();
        self.round.batch.clear();
        self.successors.initial(&mut self.round.batch);
        assert_eq!(self.round.batch.len(), 1, "a model has one initial state");
        let mut root = StateId::NONE;
        self.intern(|seen| root = seen.id)?;
        // The initial state is not the target of a transition.
        self.transitions = 0;
        Ok(root)
    }

    /// Interns states of another store whose ids are the states.
    pub fn intern_again(&mut self, queue: &S::Queue) -> Result<(), Limit> {
        assert!(S::IDS_ARE_STATES, "ids mean the same in each store");
        self.handle.enter();
        let (mut ids, mut state) = (Vec::new(), Vec::new());
        for start in (0..queue.len()).step_by(CLAIM as usize) {
            ids.clear();
            queue.copy(start..queue.len().min(start + CLAIM), &mut ids);
            self.round.batch.clear();
            for &id in &ids {
                self.handle.fetch(id, &mut state);
                self.round.batch.push(&state);
            }
            self.round.ends.clear();
            self.handle.prefetch(&self.round.batch);
            let interned = self.handle.intern(&self.round.batch, &[], |seen| debug_assert!(seen.new));
            interned.map_err(|full| self.search.budget.limit(full))?;
        }
        Ok(())
    }

    /// Interns the initial state if this process owns it.
    pub fn begin_part(&mut self) -> Result<Option<StateId>, Limit> {
        self.round.batch.clear();
        self.successors.initial(&mut self.round.batch);
        match self.search.peers {
            Some(peers) if !peers.owns(self.round.batch.state(0)) => {
                self.handle.enter();
                Ok(None)
            }
            _ => self.begin().map(Some),
        }
    }

    /// Interns states that other processes have sent. It calls `each` with every state. Returns whether there were any.
    pub fn receive(&mut self, peers: &dyn Peers, each: impl FnMut(Seen)) -> Result<bool, Limit> {
        let Round { batch, ends, .. } = &mut self.round;
        batch.clear();
        ends.clear();
        if !peers.receive(self.number, batch) {
            return Ok(false);
        }
        self.search.tallies[self.number].received.fetch_add(batch.len() as u64, Ordering::Relaxed);
        if self.search.is_stopped() {
            return Ok(true);
        }
        self.handle.prefetch(&self.round.batch);
        let transitions = self.transitions;
        let interned = self.intern(each);
        self.transitions = transitions;
        interned.map(|()| true)
    }

    /// The errors of these states.
    pub fn inspect_again(&mut self, states: &[Vec<u8>]) -> Option<LevelFindings> {
        let (mut errors, mut batch) = (ErrorCollector::new(self.search.options), Batch::new());
        for state in states {
            batch.clear();
            let flags = self.successors.expand(state, Choice::All, &mut batch);
            errors.inspect((StateId::NONE, state), flags, batch.findings(), || self.successors.decode(state));
        }
        errors.take_findings()
    }

    /// Expands the first states of the round, collects their errors and interns their successors. It calls `each`
    /// with every successor and the transition to it, or with `ONLY_NEW` ones if that is all that the search wants to know; then also
    /// with its index in the batch, unless successors were postponed. `is_open`
    /// decides for a successor that is not new whether it is certain to be expanded later. Returns the number of expanded states:
    /// all, unless they have very many successors.
    pub fn expand_round<const ONLY_NEW: bool>(
        &mut self,
        mut each: impl FnMut(usize, Seen, Arrival),
        is_open: impl Fn(&S::Handle<'a>, StateId) -> bool,
    ) -> Result<usize, Limit> {
        let routes = self.search.peers.is_some();
        let Round { batch, routed, ends, postponed, postponed_ends, .. } = &mut self.round;
        batch.clear();
        routed.clear();
        ends.clear();
        postponed.clear();
        postponed_ends.clear();
        match if routes { 0 } else { self.full_expansions() } {
            0 => self.expand_one_by_one(),
            states => self.expand_together(states),
        }
        let Round { batch, routed, ends, postponed, .. } = &mut self.round;
        if let Some(peers) = self.search.peers {
            assert!(postponed.is_empty(), "the open set of one process is not that of all");
            let Routed { remote, sent } = peers.route(self.number, routed, ends, batch);
            self.transitions += remote;
            self.search.tallies[self.number].sent.fetch_add(sent, Ordering::Relaxed);
            self.handle.prefetch(batch);
        }
        let count = ends.len();
        self.expanded += count as u64;
        self.unchecked += count + batch.bytes() / WEIGHT;
        self.reducing = if postponed.is_empty() { self.reducing.saturating_sub(1) } else { REDUCING_ROUNDS };
        let interned = match (postponed.is_empty(), ONLY_NEW) {
            (true, true) => self.intern_new(each),
            (true, false) => self.intern(|seen| each(0, seen, Arrival::UNKNOWN)),
            (false, _) => self.intern_ample(&mut |seen| each(0, seen, Arrival::UNKNOWN), is_open),
        };
        self.search.tallies[self.number].set([self.transitions, self.expanded, self.asleep]);
        interned?;
        for &id in &self.round.work[..count] {
            self.handle.release(id);
        }
        Ok(count)
    }

    /// The number of states at the start of the round that are to be expanded fully.
    fn full_expansions(&mut self) -> usize {
        let states = self.round.work.len();
        if self.search.options.reduces { self.successors.full_expansions(states) } else { states }
    }

    /// Expands the first states of the round fully until the batch is large.
    fn expand_together(&mut self, states: usize) {
        let Round { work, arrivals, batch, ends, state, held, .. } = &mut self.round;
        let work = &work[..states];
        held.clear();
        {
            let (one, many);
            let states: &[&State] = match *work {
                [id] => {
                    one = [self.handle.open(id, state)];
                    &one
                }
                _ => {
                    many = self.handle.open_all(work, state);
                    &many
                }
            };
            while ends.len() < states.len() && !batch.is_large() {
                let found = batch.findings().len();
                let open = &states[ends.len()..];
                let flags = match arrivals.get(ends.len()..) {
                    Some(known) if !known.is_empty() => self.successors.expand_awake(open, known, batch, ends),
                    _ => self.successors.expand_all(open, batch, ends),
                };
                let last = ends.len() - 1;
                let decode = || self.successors.decode(states[last]);
                if self.errors.inspect((work[last], states[last]), flags, &batch.findings()[found..], decode) {
                    held.push(work[last]);
                }
            }
        }
        held.iter().for_each(|id| self.handle.hold(*id));
        self.handle.prefetch(batch);
    }

    /// Expands the states of the round until the batch is large, with partial-order reduction or for other processes.
    fn expand_one_by_one(&mut self) {
        let (reduces, routes) = (self.search.options.reduces, self.search.peers.is_some());
        let Round { work, batch, routed, ends, state, postponed, postponed_ends, .. } = &mut self.round;
        for &id in &*work {
            let all = if routes { &mut *routed } else { &mut *batch };
            if all.is_large() {
                break;
            }
            let found = all.findings().len();
            let state = self.handle.open(id, state);
            let flags = expand(&mut *self.successors, reduces, state, all, postponed);
            let decode = || self.successors.decode(state);
            if self.errors.inspect((id, state), flags, &all.findings()[found..], decode) {
                self.handle.hold(id);
            }
            ends.push(all.len());
            postponed_ends.push(postponed.len());
            self.handle.prefetch(batch);
        }
    }

    /// Interns the ample sets, and then the postponed successors of every state that violates the open-set proviso,
    /// because none of its ample successors is new or open. From every state, open successors thus lead to a fully
    /// expanded state, so that no transition is ignored.
    fn intern_ample(
        &mut self,
        each: &mut impl FnMut(Seen),
        is_open: impl Fn(&S::Handle<'a>, StateId) -> bool,
    ) -> Result<(), Limit> {
        let Round { batch, ends, reaches_open, revisited, .. } = &mut self.round;
        revisited.clear();
        reaches_open.clear();
        reaches_open.resize(ends.len(), false);
        let (mut of, mut at) = (0, 0);
        let interned = self.handle.intern(batch, ends, |seen| {
            while at == ends[of] {
                of += 1;
            }
            at += 1;
            reaches_open[of] |= seen.new;
            if !reaches_open[of] {
                revisited.push((of, seen.id));
            }
            each(seen);
        });
        self.transitions += at as u64;
        interned.map_err(|full| self.search.budget.limit(full))?;
        for &(of, id) in &*revisited {
            reaches_open[of] = reaches_open[of] || is_open(&self.handle, id);
        }
        let Round { work, batch, postponed, postponed_ends, state, ends, reaches_open, .. } = &mut self.round;
        batch.clear();
        ends.clear();
        let mut start = 0;
        for ((&id, reaches_open), &end) in work.iter().zip(&*reaches_open).zip(&*postponed_ends) {
            if !reaches_open && end > start {
                self.handle.open(id, state);
                (start..end).for_each(|i| batch.push(postponed.state(i)));
                ends.push(batch.len());
            }
            start = end;
        }
        self.successors.note_explored(batch.len());
        self.handle.prefetch(&self.round.batch);
        self.intern(each)
    }

    /// Expands one state and interns its successors.
    pub fn expand(&mut self, id: StateId, each: impl FnMut(Seen)) -> Result<Flags, Limit> {
        let Round { batch, ends, state, postponed, .. } = &mut self.round;
        batch.clear();
        ends.clear();
        let state = self.handle.open(id, state);
        let flags = expand(&mut *self.successors, self.search.options.reduces, state, batch, postponed);
        debug_assert!(postponed.is_empty(), "only safety searches postpone successors");
        ends.push(batch.len());
        let decode = || self.successors.decode(state);
        self.errors.inspect((id, state), flags, batch.findings(), decode);
        self.expanded += 1;
        self.unchecked += 1;
        let interned = self.intern(each);
        self.search.tallies[self.number].set([self.transitions, self.expanded, self.asleep]);
        interned.map(|()| flags)
    }

    /// Expands a state again, or a part of it, without counting.
    pub fn expand_again(&mut self, id: StateId, choice: Choice, mut each: impl FnMut(Seen)) -> Result<Flags, Limit> {
        let Round { batch, ends, state, postponed, .. } = &mut self.round;
        batch.clear();
        ends.clear();
        let state = self.handle.open(id, state);
        let flags = match choice {
            Choice::All => expand(&mut *self.successors, self.search.options.reduces, state, batch, postponed),
            _ => self.successors.expand(state, choice, batch),
        };
        ends.push(batch.len());
        self.handle.prefetch(batch);
        let interned = self.handle.intern(batch, ends, &mut each);
        interned.map_err(|full| self.search.budget.limit(full)).map(|()| flags)
    }

    /// The id of a state that was interned before.
    pub fn id_of(&mut self, state: &State) -> Option<StateId> {
        let Round { batch, .. } = &mut self.round;
        batch.clear();
        batch.push(state);
        let mut id = None;
        self.handle.enter();
        self.handle.intern(batch, &[], |seen| id = Some(seen.id)).ok()?;
        id
    }

    /// Converts choices that number the successors of ample sets, from a state on, into choices that number all
    /// successors, as trails require.
    pub fn renumber_choices(&mut self, from: StateId, choices: &mut [u32]) {
        if !self.search.options.reduces {
            return;
        }
        let (mut state, mut labels) = (Vec::new(), Vec::new());
        let (mut some, mut postponed, mut all) = (Batch::new(), Batch::new(), Batch::new());
        self.handle.fetch(from, &mut state);
        for choice in choices {
            [&mut some, &mut postponed, &mut all].into_iter().for_each(Batch::clear);
            labels.clear();
            expand(&mut *self.successors, true, &state, &mut some, &mut postponed);
            self.successors.expand(&state, Choice::All, &mut all);
            self.successors.acceptance_marks(&state, &mut labels);
            // With acceptance marks on edges, the edge of the observer must be the same.
            let (number, edges) = (*choice as usize, labels.len().max(1));
            let same = |(n, next): &(usize, &State)| *next == some.state(number) && n % edges == number % edges;
            let (found, _) = all.states().enumerate().find(same).expect("ample successors are successors");
            *choice = found as u32;
            state.clear();
            state.extend_from_slice(some.state(number));
        }
    }

    /// The state labels: a bit for each atomic proposition that holds.
    pub fn state_labels(&mut self, id: StateId) -> Option<u64> {
        self.successors.state_labels(self.handle.open(id, &mut self.round.state))
    }

    /// The acceptance marks of the edges of the observer. Successors take them cyclically.
    pub fn acceptance_marks(&mut self, id: StateId, out: &mut Vec<u32>) {
        out.clear();
        self.successors.acceptance_marks(self.handle.open(id, &mut self.round.state), out);
    }

    /// The processes as agents. Fairness requires full expansion.
    pub fn process_agents(&mut self, id: StateId) -> Result<Agents, Limit> {
        let mut agents = self.without_agents(id)?;
        let mut movers = Movers::default();
        self.handle.fetch(id, &mut self.round.state);
        self.successors.movers(&self.round.state, &mut movers);
        self.check_agents(movers.by.len(), &agents);
        agents.movers.clear();
        agents.movers.extend(movers.by.iter().map(|by| match by {
            Mover::Observer => MovedBy::None,
            Mover::Process(pid) => MovedBy::One(usize::from(*pid)),
            Mover::Everybody => MovedBy::All,
        }));
        agents.movers.resize(agents.successors.len(), MovedBy::None);
        agents.enabled.extend(movers.enabled.iter().map(|pid| usize::from(*pid)));
        agents.count = usize::from(movers.alive);
        Ok(agents)
    }

    /// Every successor has an agent. In words, a successor that does not fit is left out; no result of the search is valid
    /// then.
    fn check_agents(&self, agents: usize, expanded: &Agents) {
        let successors = expanded.successors.len();
        let is_left_out = agents > successors && self.successors.word_bits().is_some();
        assert!(agents == successors || is_left_out, "{agents} agents make {successors} successors");
    }

    /// The number of processes in the initial state.
    pub fn processes_at_start(&mut self) -> usize {
        if self.at_start.is_none() {
            let (mut initial, mut movers) = (Batch::new(), Movers::default());
            self.successors.initial(&mut initial);
            self.successors.movers(initial.state(0), &mut movers);
            self.at_start = Some(usize::from(movers.alive));
        }
        self.at_start.unwrap_or(0)
    }

    /// The transitions as agents, numbered in the order in which they are found.
    pub fn transition_agents(&mut self, id: StateId, numbers: &mut HashMap<Vec<u32>, usize>) -> Result<Agents, Limit> {
        let mut agents = self.without_agents(id)?;
        let mut steps = Vec::new();
        self.handle.fetch(id, &mut self.round.state);
        self.successors.action_labels(&self.round.state, &mut steps);
        self.check_agents(steps.len(), &agents);
        let mut number = |step: Vec<u32>| {
            let next = numbers.len();
            *numbers.entry(step).or_insert(next)
        };
        agents.movers.clear();
        for step in steps {
            let transition = (!step.is_empty()).then(|| number(step));
            agents.enabled.extend(transition);
            agents.movers.push(transition.map_or(MovedBy::None, MovedBy::One));
        }
        agents.movers.resize(agents.successors.len(), MovedBy::None);
        agents.count = numbers.len();
        Ok(agents)
    }

    /// The successors of a state without agents.
    pub fn without_agents(&mut self, id: StateId) -> Result<Agents, Limit> {
        let mut agents = Agents::default();
        self.expand_again(id, Choice::All, |seen| agents.successors.push(seen.id))?;
        agents.movers.resize(agents.successors.len(), MovedBy::None);
        Ok(agents)
    }

    fn intern(&mut self, mut each: impl FnMut(Seen)) -> Result<(), Limit> {
        let Round { batch, ends, .. } = &mut self.round;
        let mut count = 0;
        let interned = self.handle.intern(batch, ends, |seen| {
            count += 1;
            each(seen);
        });
        self.transitions += count;
        interned.map_err(|full| self.search.budget.limit(full))
    }

    fn intern_new(&mut self, mut each: impl FnMut(usize, Seen, Arrival)) -> Result<(), Limit> {
        let Round { batch, ends, .. } = &mut self.round;
        let (batch, handle) = (&*batch, &mut self.handle);
        let (count, interned) = if !batch.has_arrivals() {
            handle.intern_new(batch, ends, |i, seen| each(i, seen, Arrival::UNKNOWN))
        } else {
            handle.intern_new(batch, ends, |i, seen| each(i, seen, batch.arrival(i)))
        };
        self.transitions += count + batch.asleep();
        self.asleep += batch.asleep();
        interned.map_err(|full| self.search.budget.limit(full))
    }

    /// Whether successors were postponed recently.
    pub fn is_reducing(&self) -> bool {
        self.reducing > 0
    }

    /// Whether the search has one worker.
    pub fn is_alone(&self) -> bool {
        self.search.threads == 1
    }

    /// The number of the worker.
    pub fn number(&self) -> usize {
        self.number
    }

    /// Whether this worker is the leader.
    pub fn leads(&self) -> bool {
        self.number == 0
    }

    /// Whether the budget should be checked, after so many expanded states.
    pub fn is_due(&mut self, every: usize) -> bool {
        let due = self.unchecked >= every;
        if due {
            self.unchecked = 0;
        }
        due
    }
}
