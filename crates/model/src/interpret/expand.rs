//! Enumerating moves: who can do what in a state, and the successors that gives.

use super::eval::{Env, Eval};
use super::observe::{Joined, Seat};
use super::step::{Log, Mark, Ready};
use super::world::World;
use super::{Machine, Partner};
use crate::ir::{Edge, EdgeId, Guard, LocId, Model, ProcessId, Scheduling, Sync, Then};
use crate::successors::{Choice, Fault, Finding, FindingKind, Within};

/// An atomic sequence longer than this is taken to be endless.
const MAX_ATOMIC: u32 = 1_000_000;
/// The same for all the ways through the atomic sequences that start in one state, taken together.
const MAX_INNER: u32 = 20_000_000;

/// Who may move.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Who {
    All,
    One(usize),
}

/// The process and edge that moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Step {
    pub pid: u8,
    pub process: ProcessId,
    pub edge: EdgeId,
}

/// One move that was made.
pub(crate) struct Taken<'a> {
    pub step: Step,
    pub partner: Option<Partner>,
    /// The other processes, where all move at once.
    pub others: &'a [Partner],
    /// The state it leads to; none after a fault.
    pub world: Option<&'a World>,
    /// Who keeps control.
    pub control: Option<u8>,
    pub log: &'a Log,
}

impl Clone for Taken<'_> {
    fn clone(&self) -> Self {
        *self
    }
}

impl Copy for Taken<'_> {}

/// Is told of everything found while a state is expanded.
pub(crate) trait Listener {
    /// Names a point inside an atomic sequence.
    type Node: Copy;

    /// A move to a point inside an atomic sequence.
    fn inner(&mut self, from: Option<Self::Node>, taken: &Taken<'_>) -> Self::Node;
    /// A move that ended in a fault or (also told by the other calls) had findings.
    fn findings(&mut self, from: Option<Self::Node>, taken: &Taken<'_>);
    /// A move to a state that will be stored.
    fn successor(&mut self, from: Option<Self::Node>, taken: &Taken<'_>, world: &World);
    /// An atomic sequence is blocked here: this point is a state that will be stored.
    fn blocked(&mut self, node: Self::Node, world: &World);
    /// An atomic sequence does not seem to end.
    fn endless(&mut self, node: Self::Node, finding: Finding);
}

/// Room to work in, kept between calls.
#[derive(Debug)]
pub(crate) struct Scratch {
    pub root: World,
    next: World,
    half: World,
    spare: Vec<World>,
    pub log: Log,
    /// The log of moves that are tried only to learn whether there is one.
    probe: Log,
    seat: Option<Box<Seat>>,
}

/// A point inside an atomic sequence whose moves are still to be made.
struct Pending<N> {
    world: World,
    control: usize,
    node: N,
    last: Step,
    depth: u32,
    mark: Mark,
}

impl Machine {
    /// Makes every move from the state in `scratch.root`, through atomic sequences, up to states that are stored.
    /// False if no process can move. Where the observer can't go on, that is not found out, and true.
    pub(crate) fn expand<L: Listener>(&self, scratch: &mut Scratch, choice: Choice, listener: &mut L) -> bool {
        let (Some(observer), Some(mut seat)) = (&self.model.observer, scratch.seat.take()) else {
            return self.expand_system(scratch, choice, listener);
        };
        let stuck = self.is_stuck(scratch);
        let root = scratch.root.clone();
        let mut moved = true;
        if let Some(mut joined) = Joined::new(self, observer, (&root, stuck), &mut seat, listener) {
            joined.judge((&root, stuck), choice == Choice::All);
            moved = self.expand_system(scratch, choice, &mut joined);
            if !moved && observer.stutters && choice == Choice::All {
                joined.alone(&root);
            }
        }
        scratch.seat = Some(seat);
        moved
    }

    /// Whether processes move in the state in `scratch.root` only by `timeout`.
    pub(crate) fn needs_timeout(&self, scratch: &mut Scratch) -> bool {
        self.model.uses_timeout && self.is_blocked(scratch)
    }

    /// The value of `timeout` for the observer and the goal. Only found out where one of them asks.
    pub(crate) fn is_stuck(&self, scratch: &mut Scratch) -> bool {
        self.asks_timeout && self.is_blocked(scratch)
    }

    /// Whether no process can move in the state in `scratch.root` without `timeout`. The question covers no edge.
    fn is_blocked(&self, scratch: &mut Scratch) -> bool {
        let Scratch { root, next, half, probe, .. } = scratch;
        let mut rooms = Rooms { next, half, log: probe, restricted: false };
        !self.moves(root, Who::All, false, &mut rooms, &mut |_| {})
    }

    fn expand_system<L: Listener>(&self, scratch: &mut Scratch, choice: Choice, listener: &mut L) -> bool {
        let Scratch { root, next, half, spare, log, .. } = scratch;
        let mut rooms = Rooms { next, half, log, restricted: false };
        let mut pending: Vec<Pending<L::Node>> = Vec::new();
        let who = match choice {
            Choice::All => Who::All,
            Choice::One(pid) | Choice::Part(pid) => Who::One(usize::from(pid)),
        };
        let mut receive = |taken: &Taken<'_>| {
            if !taken.log.findings.is_empty() {
                listener.findings(None, taken);
            }
            match (taken.world, taken.control) {
                (Some(world), None) => listener.successor(None, taken, world),
                (Some(world), Some(control)) => {
                    let node = listener.inner(None, taken);
                    pending.push(Pending::new(world, control, node, taken.step, spare));
                }
                (None, _) => {}
            }
        };
        let mut moved = self.moves(root, who, false, &mut rooms, &mut receive);
        if !moved && self.model.uses_timeout && !matches!(choice, Choice::Part(_)) {
            moved = self.moves(root, who, true, &mut rooms, &mut receive);
        }
        if !pending.is_empty() {
            pending.reverse();
            self.expand_inner(pending, spare, &mut rooms, listener);
        }
        moved
    }

    /// Follows atomic sequences, depth first.
    fn expand_inner<L: Listener>(
        &self,
        mut pending: Vec<Pending<L::Node>>,
        spare: &mut Vec<World>,
        rooms: &mut Rooms<'_>,
        listener: &mut L,
    ) {
        let mut total = 0;
        while let Some(mut point) = pending.pop() {
            total += 1;
            if point.depth >= MAX_ATOMIC || total >= MAX_INNER || point.mark.seen(point.depth, &point.world.bytes) {
                let Step { pid, process, edge } = point.last;
                let span = self.edge(process.0, edge).span;
                let kind = FindingKind::EndlessSequence;
                listener.endless(point.node, Finding { kind, pid, process, edge, span, within: Within::Edge });
                return;
            }
            let first = pending.len();
            let node = point.node;
            let mut receive = |taken: &Taken<'_>| {
                if !taken.log.findings.is_empty() {
                    listener.findings(Some(node), taken);
                }
                match (taken.world, taken.control) {
                    (Some(world), None) => listener.successor(Some(node), taken, world),
                    (Some(world), Some(control)) => {
                        let node = listener.inner(Some(node), taken);
                        let mut inner = Pending::new(world, control, node, taken.step, spare);
                        inner.depth = point.depth + 1;
                        inner.mark = point.mark.clone();
                        pending.push(inner);
                    }
                    (None, _) => {}
                }
            };
            if !self.moves(&point.world, Who::One(point.control), false, rooms, &mut receive) {
                listener.blocked(node, &point.world);
            }
            pending[first..].reverse();
            spare.push(point.world);
        }
    }

    /// Makes every single move possible in a state. False if there is none.
    pub(crate) fn moves(
        &self,
        world: &World,
        who: Who,
        timeout: bool,
        rooms: &mut Rooms<'_>,
        receive: &mut impl FnMut(&Taken<'_>),
    ) -> bool {
        if self.model.scheduling == Scheduling::Synchronous {
            return self.moves_together(world, timeout, rooms, receive);
        }
        let urgent = self.committed && (0..world.processes()).any(|pid| self.is_committed(world, pid));
        rooms.restricted = urgent;
        let mut moves_of = |pid: usize| {
            (!urgent || self.is_committed(world, pid)) && self.moves_of(world, pid, timeout, rooms, receive)
        };
        match who {
            Who::One(pid) => pid < world.processes() && moves_of(pid),
            Who::All => {
                let mut moved = false;
                for pid in (0..world.processes()).rev() {
                    moved |= moves_of(pid);
                }
                moved
            }
        }
    }

    fn is_committed(&self, world: &World, pid: usize) -> bool {
        let at = world.process(pid);
        let location = self.layout.location(&world.bytes, at);
        self.model.processes[at.process as usize].locations[location.index()].committed
    }

    /// The moves of one process. Lower levels win; `else` comes last.
    #[inline]
    fn moves_of(
        &self,
        world: &World,
        pid: usize,
        timeout: bool,
        rooms: &mut Rooms<'_>,
        receive: &mut impl FnMut(&Taken<'_>),
    ) -> bool {
        let at = world.process(pid);
        let location = self.layout.location(&world.bytes, at);
        if self.gated {
            match self.may_move(world, pid, timeout, None) {
                Ok(true) => {}
                Ok(false) => return false,
                Err(kind) => {
                    rooms.log.clear();
                    return self.failed_clause(*kind, world, pid, rooms, receive);
                }
            }
        }
        let mut won = None;
        for &id in &self.model.processes[at.process as usize].locations[location.index()].edges {
            let edge = self.edge(at.process, id);
            if won.is_some_and(|level| level != edge.level) || (won.is_some() && matches!(edge.guard, Guard::Else)) {
                continue;
            }
            if self.try_edge(world, pid, id, edge, timeout, rooms, receive) {
                won = Some(edge.level);
            }
        }
        won.is_some()
    }

    #[allow(clippy::too_many_arguments)]
    #[inline]
    fn try_edge(
        &self,
        world: &World,
        pid: usize,
        id: EdgeId,
        edge: &Edge,
        timeout: bool,
        rooms: &mut Rooms<'_>,
        receive: &mut impl FnMut(&Taken<'_>),
    ) -> bool {
        let process = world.process(pid).process;
        let step = Step { pid: pid as u8, process: ProcessId(process), edge: id };
        let env = &Env::new(world, pid, timeout);
        if let Some(edges) = &self.straight[process as usize][id.index()] {
            let ran = self.run_straight(edges, env, rooms.next, rooms.log);
            rooms.log.covered[process as usize][id.index()] |= matches!(ran, Ok(true));
            return match ran {
                Ok(false) => false,
                Ok(true) => self.taken(step, edge, rooms, receive),
                Err(kind) => self.failed(*kind, step, None, rooms, receive),
            };
        }
        // A chain that begins an edge decides whether the edge is ready; after a channel operation it is too late.
        let chain = edge.chain.filter(|_| edge.sync.is_none());
        let ready = match (self.ready(edge, env), chain) {
            (Ok(None), _) => return false,
            (Ok(Some(Ready::Handshake(channel))), _) => {
                return self.handshake(world, step, channel, timeout, rooms, receive);
            }
            (Ok(Some(ready)), None) => Ok((id, ready)),
            (Ok(Some(_)), Some(entry)) => match self.chain_step(env, entry, rooms.log) {
                Ok(None) => return false,
                Ok(Some(first)) => Ok(first),
                Err(kind) => Err(kind),
            },
            (Err(kind), _) => {
                rooms.log.enter(pid, process, id);
                Err(kind)
            }
        };
        rooms.log.clear();
        let result = ready.and_then(|(first, ready)| {
            rooms.next.clone_from(world);
            if chain.is_none() {
                return self.apply(rooms.next, pid, id, ready, timeout, rooms.log);
            }
            rooms.log.covered[process as usize][id.index()] = true;
            self.run_chain(rooms.next, pid, (first, ready), timeout, rooms.log)
        });
        match result {
            Ok(()) => self.taken(step, edge, rooms, receive),
            Err(kind) => self.failed(*kind, step, None, rooms, receive),
        }
    }

    /// Hands on the move to `rooms.next`.
    #[inline]
    fn taken(&self, step: Step, edge: &Edge, rooms: &mut Rooms<'_>, receive: &mut impl FnMut(&Taken<'_>)) -> bool {
        let control = (edge.then == Then::Keep).then_some(step.pid);
        receive(&Taken { step, partner: None, others: &[], world: Some(rooms.next), control, log: rooms.log });
        true
    }

    /// Hands on a move that failed. False if that means that it could not be made: polling where nothing can ever be is
    /// reported, and then is simply not executable.
    #[cold]
    pub(super) fn failed(
        &self,
        kind: FindingKind,
        step: Step,
        partner: Option<Partner>,
        rooms: &mut Rooms<'_>,
        receive: &mut impl FnMut(&Taken<'_>),
    ) -> bool {
        let moved = kind != FindingKind::Fault(Fault::PollRendezvous);
        self.find(rooms.log, kind);
        receive(&Taken { step, partner, others: &[], world: None, control: None, log: rooms.log });
        moved
    }

    /// A send on a rendezvous channel: one move per receive that fits it. The receiver decides what happens to control.
    fn handshake(
        &self,
        world: &World,
        step: Step,
        channel: super::channel::Channel<'_>,
        timeout: bool,
        rooms: &mut Rooms<'_>,
        receive: &mut impl FnMut(&Taken<'_>),
    ) -> bool {
        let sender = usize::from(step.pid);
        rooms.log.clear();
        rooms.half.clone_from(world);
        let message = match self.offered(rooms.half, sender, step.edge, channel, rooms.log) {
            Ok(message) => message,
            Err(kind) => return self.failed(*kind, step, None, rooms, receive),
        };
        if let Err(kind) = self.offer(rooms.half, sender, step.edge, rooms.log) {
            // What the sender does besides is done only if somebody receives.
            let met = self.is_awaited(world, sender, channel, &message, (timeout, rooms.restricted));
            return met && self.failed(*kind, step, None, rooms, receive);
        }
        let mut moved = false;
        let (said, found) = (rooms.log.output.len(), rooms.log.findings.len());
        for pid in (0..rooms.half.processes()).rev().filter(|pid| *pid != sender) {
            if self.gated && self.awaits(rooms.half, pid, timeout, channel.number) {
                match self.may_move(rooms.half, pid, timeout, Some(channel.number)) {
                    Ok(true) => {}
                    Ok(false) => continue,
                    Err(kind) => {
                        rooms.log.findings.truncate(found);
                        let half = std::mem::take(rooms.half);
                        moved |= self.failed_clause(*kind, &half, pid, rooms, receive);
                        *rooms.half = half;
                        continue;
                    }
                }
            }
            if rooms.restricted && !self.is_committed(rooms.half, pid) {
                continue;
            }
            let at = rooms.half.process(pid);
            let location = self.layout.location(&rooms.half.bytes, at);
            let mut won = None;
            for &id in &self.model.processes[at.process as usize].locations[location.index()].edges {
                let edge = self.edge(at.process, id);
                if won.is_some_and(|level| level != edge.level) {
                    break;
                }
                // A process that the sender has just created was not there before.
                let before = if pid < world.processes() { world } else { &*rooms.half };
                let (before, env) = (Env::new(before, pid, timeout), Env::new(rooms.half, pid, timeout));
                let accepted = self.accepts(edge, channel, &message, &before, &env);
                if matches!(accepted, Ok(false)) {
                    continue;
                }
                let partner = Partner { pid: pid as u8, process: ProcessId(at.process), edge: id };
                rooms.log.output.truncate(said);
                rooms.log.findings.truncate(found);
                rooms.log.chain.clear();
                if let Err(kind) = accepted {
                    rooms.log.enter(pid, at.process, id);
                    if self.failed(*kind, step, Some(partner), rooms, receive) {
                        won = Some(edge.level);
                    }
                    continue;
                }
                won = Some(edge.level);
                rooms.next.clone_from(rooms.half);
                match self.meet(rooms.next, step, partner, channel.number, &message, rooms.log) {
                    Ok(()) => {
                        let control = (edge.then == Then::Keep).then_some(partner.pid);
                        let world = Some(&*rooms.next);
                        receive(&Taken { step, partner: Some(partner), others: &[], world, control, log: rooms.log });
                    }
                    Err(kind) => {
                        self.failed(*kind, step, Some(partner), rooms, receive);
                    }
                }
            }
            moved |= won.is_some();
        }
        if moved {
            rooms.log.covered[step.process.index()][step.edge.index()] = true;
        }
        moved
    }

    /// Is the edge a receive on this channel that fits this message? Its guard is judged in the state before the step,
    /// the rest in the one after the sender's half.
    fn accepts(
        &self,
        edge: &Edge,
        channel: super::channel::Channel<'_>,
        message: &[i32],
        before: &Env<'_>,
        env: &Env<'_>,
    ) -> Eval<bool> {
        let Some(Sync::Receive { channel: mine, args, condition, .. }) = &edge.sync else { return Ok(false) };
        let mine = self.eval(mine, env);
        if mine.as_ref().is_ok_and(|number| *number != channel.number) {
            return Ok(false);
        }
        if let Guard::When(condition) = &edge.guard
            && self.eval(condition, before)? == 0
        {
            return Ok(false);
        }
        mine?;
        if !self.fits(channel.buffer, args, |i| message[i], env)? {
            return Ok(false);
        }
        let agrees = |condition| self.agrees(env.world.clone(), env.pid, args, message, condition);
        condition.as_ref().map_or(Ok(true), agrees)
    }

    /// Does a process accept the message in a state, as it is before the sender's half of the rendezvous?
    #[cold]
    fn is_awaited(
        &self,
        world: &World,
        sender: usize,
        channel: super::channel::Channel<'_>,
        message: &[i32],
        (timeout, restricted): (bool, bool),
    ) -> bool {
        (0..world.processes()).filter(|pid| *pid != sender).any(|pid| {
            let (at, env) = (world.process(pid), Env::new(world, pid, timeout));
            let process = &self.model.processes[at.process as usize];
            let edges = &process.locations[self.layout.location(&world.bytes, at).index()].edges;
            let may = !self.gated || self.may_move(world, pid, timeout, Some(channel.number)).unwrap_or(true);
            let accepts =
                |id: &EdgeId| self.accepts(self.edge(at.process, *id), channel, message, &env, &env).unwrap_or(true);
            may && (!restricted || self.is_committed(world, pid)) && edges.iter().any(accepts)
        })
    }

    /// The receiver's half of a rendezvous, watched.
    fn meet(
        &self,
        world: &mut World,
        sender: Step,
        receiver: Partner,
        number: i32,
        message: &[i32],
        log: &mut Log,
    ) -> Eval<()> {
        log.enter(usize::from(sender.pid), sender.process.0, sender.edge);
        self.follow(world, crate::ir::Direction::Send, number, message, log);
        log.enter(usize::from(receiver.pid), receiver.process.0, receiver.edge);
        self.follow(world, crate::ir::Direction::Receive, number, message, log);
        self.accept(world, usize::from(receiver.pid), receiver.edge, message, log)
    }

    /// Nobody can move from here: is every process, and the trace, at a place where it may end?
    pub(crate) fn valid_end(&self, world: &World) -> bool {
        let resting = world.shape.processes.iter().all(|&at| {
            let location = self.layout.location(&world.bytes, at);
            self.model.processes[at.process as usize].locations[location.index()].end
        });
        let traced = match (&self.model.trace, self.layout.event) {
            (Some(trace), Some(at)) if world.processes() > 0 => {
                let location = LocId(u32::from(u16::from_le_bytes([world.bytes[at], world.bytes[at + 1]])));
                location == trace.end || trace.automaton.locations[location.index()].end
            }
            _ => true,
        };
        resting && traced
    }
}

/// The working states of one enumeration.
pub(crate) struct Rooms<'a> {
    pub next: &'a mut World,
    half: &'a mut World,
    pub log: &'a mut Log,
    /// Some process is at a committed location, so that only such processes take part in a step.
    restricted: bool,
}

impl Scratch {
    pub(crate) fn new(model: &Model) -> Scratch {
        let room = World::default;
        let seat = model.observer.as_ref().map(|_| Box::new(Seat::new(Log::new(model))));
        let (log, probe) = (Log::new(model), Log::new(model));
        Scratch { root: room(), next: room(), half: room(), spare: Vec::new(), log, probe, seat }
    }

    /// The state to start from, and room for the rest.
    pub(crate) fn split(&mut self) -> (&mut World, Rooms<'_>) {
        (&mut self.root, Rooms { next: &mut self.next, half: &mut self.half, log: &mut self.log, restricted: false })
    }
}

impl<N> Pending<N> {
    fn new(world: &World, control: u8, node: N, last: Step, spare: &mut Vec<World>) -> Pending<N> {
        let mut copy = spare.pop().unwrap_or_default();
        copy.clone_from(world);
        Pending { world: copy, control: usize::from(control), node, last, depth: 0, mark: Mark::default() }
    }
}
