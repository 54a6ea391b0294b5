//! Enumeration of the moves and the successors of a state.

use std::cell::Cell;
use std::ops::Range;

use super::eval::{Env, Eval};
pub(crate) use super::listener::{Listener, Step, Taken, Who};
use super::observe::{Joined, Seat};
use super::step::{Log, Mark, Ready};
use super::world::World;
use super::{Machine, Partner};
use crate::ir::{Edge, EdgeId, Guard, LocId, Model, ProcessId, Scheduling, Sync, Then};
use crate::successors::{Choice, Fault, Finding, FindingKind, Within};

/// The number of steps after which an atomic sequence is reported as infinite.
const MAX_ATOMIC: u32 = 1_000_000;
/// The number of steps after which all paths through the atomic sequences of one state together are reported as
/// infinite.
const MAX_INNER: u32 = 20_000_000;

/// Buffers that are reused between calls.
#[derive(Debug)]
pub(crate) struct Scratch {
    /// The state to expand.
    pub root: World,
    next: World,
    half: World,
    spare: Vec<World>,
    /// The log of the current move.
    pub log: Log,
    /// The log of moves that are only tested for enabledness.
    probe: Log,
    seat: Option<Box<Seat>>,
}

/// A point inside an atomic sequence that is still to be expanded.
struct Pending<N> {
    world: World,
    control: usize,
    node: N,
    last: Step,
    depth: u32,
    mark: Mark,
}

impl Machine {
    /// Executes every move from the state in `scratch.root`, through atomic sequences, up to states that are stored.
    /// Returns false if no process can move. If the observer is blocked, processes are not tested, and the result is
    /// true.
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

    /// The value of `timeout` for the observer and the goal. It is computed only if one of them reads it.
    pub(crate) fn is_stuck(&self, scratch: &mut Scratch) -> bool {
        self.asks_timeout && self.is_blocked(scratch)
    }

    /// Whether no process can move in the state in `scratch.root` without `timeout`. The test does not count for
    /// coverage.
    fn is_blocked(&self, scratch: &mut Scratch) -> bool {
        let Scratch { root, next, half, probe, .. } = scratch;
        let mut rooms = Rooms { next, half, log: probe, restricted: false, done: &Cell::new(false) };
        !self.moves(root, Who::All, false, &mut rooms, &mut |_| {})
    }

    fn expand_system<L: Listener>(&self, scratch: &mut Scratch, choice: Choice, listener: &mut L) -> bool {
        let who = match choice {
            Choice::All => Who::All,
            Choice::One(pid) | Choice::Part(pid) => Who::One(usize::from(pid)),
        };
        self.expand_moves(scratch, (who, !matches!(choice, Choice::Part(_))), listener)
    }

    /// Executes the moves of these processes, also those by `timeout` if that is wanted.
    pub(super) fn expand_moves<L: Listener>(
        &self,
        scratch: &mut Scratch,
        (who, by_timeout): (Who, bool),
        listener: &mut L,
    ) -> bool {
        let Scratch { root, next, half, spare, log, .. } = scratch;
        let done = Cell::new(false);
        let mut rooms = Rooms { next, half, log, restricted: false, done: &done };
        let mut pending: Vec<Pending<L::Node>> = Vec::new();
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
            done.set(listener.is_done());
        };
        let mut moved = self.moves(root, who, false, &mut rooms, &mut receive);
        if !moved && self.model.uses_timeout && by_timeout {
            moved = self.moves(root, who, true, &mut rooms, &mut receive);
        }
        if !pending.is_empty() {
            pending.reverse();
            self.expand_inner(pending, spare, &mut rooms, listener);
        }
        moved
    }

    /// Executes atomic sequences in depth-first order.
    fn expand_inner<L: Listener>(
        &self,
        mut pending: Vec<Pending<L::Node>>,
        spare: &mut Vec<World>,
        rooms: &mut Rooms<'_>,
        listener: &mut L,
    ) {
        let mut total = 0;
        let done = rooms.done;
        while !done.get()
            && let Some(mut point) = pending.pop()
        {
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
                done.set(listener.is_done());
            };
            if !self.moves(&point.world, Who::One(point.control), false, rooms, &mut receive) {
                listener.blocked(node, &point.world);
                done.set(listener.is_done());
            }
            pending[first..].reverse();
            spare.push(point.world);
        }
        spare.extend(pending.into_iter().map(|point| point.world));
    }

    /// Executes every single move of a state. Returns false if there is none.
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
        let (all, done) = (0..usize::MAX, rooms.done);
        let mut moves_of = |pid: usize, edges| {
            (!urgent || self.is_committed(world, pid)) && self.moves_of(world, (pid, edges), timeout, rooms, receive)
        };
        match who {
            Who::One(pid) => pid < world.processes() && moves_of(pid, all),
            Who::Edges(pid, first, count) => pid < world.processes() && moves_of(pid, first..first + count),
            Who::All => {
                let mut moved = false;
                for pid in (0..world.processes()).rev() {
                    moved |= moves_of(pid, all.clone());
                    if done.get() {
                        break;
                    }
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

    /// Executes the moves of one process by these edges of its location. Lower levels take precedence; `else` is tried last.
    #[inline]
    fn moves_of(
        &self,
        world: &World,
        (pid, edges): (usize, Range<usize>),
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
        let all = &self.model.processes[at.process as usize].locations[location.index()].edges;
        for &id in &all[edges.start.min(all.len())..edges.end.min(all.len())] {
            let edge = self.edge(at.process, id);
            if won.is_some_and(|level| level != edge.level) || (won.is_some() && matches!(edge.guard, Guard::Else)) {
                continue;
            }
            if self.try_edge(&Env::new(world, pid, timeout), id, rooms, receive) {
                won = Some(edge.level);
            }
            if rooms.done.get() {
                break;
            }
        }
        won.is_some()
    }

    /// Executes an edge if it is enabled. Returns whether it is.
    #[inline]
    fn try_edge(&self, env: &Env<'_>, id: EdgeId, rooms: &mut Rooms<'_>, receive: &mut impl FnMut(&Taken<'_>)) -> bool {
        let (world, pid, timeout) = (env.world, env.pid, env.timeout);
        let process = env.at.process;
        let edge = self.edge(process, id);
        let step = Step { pid: pid as u8, process: ProcessId(process), edge: id };
        if let Some(edges) = &self.straight[process as usize][id.index()] {
            let ran = self.run_straight(edges, env, rooms.next, rooms.log);
            rooms.log.covered[process as usize][id.index()] |= matches!(ran, Ok(true));
            return match ran {
                Ok(false) => false,
                Ok(true) => self.taken(step, edge, rooms, receive),
                Err(kind) => self.failed(*kind, step, None, rooms, receive),
            };
        }
        // A chain without a channel operation in front decides by its first edge whether the edge is enabled. After a
        // channel operation it can't block any more.
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

    /// Reports the move to `rooms.next`.
    #[inline]
    fn taken(&self, step: Step, edge: &Edge, rooms: &mut Rooms<'_>, receive: &mut impl FnMut(&Taken<'_>)) -> bool {
        let control = (edge.then == Then::Keep).then_some(step.pid);
        receive(&Taken { step, partner: None, others: &[], world: Some(rooms.next), control, log: rooms.log });
        true
    }

    /// Reports a move that failed. Returns false if the move counts as not executable: polling a rendezvous channel
    /// is a fault, and the statement is disabled.
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

    /// Executes a send on a rendezvous channel: one move per matching receive. The receiver determines control
    /// afterwards.
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
        rooms.log.offered = true;
        if let Err(kind) = self.offer(rooms.half, sender, step.edge, rooms.log) {
            // The effects of the sender are executed only if there is a receiver.
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
                // A process that the sender has just created did not exist in the state before.
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
            if rooms.done.get() {
                break;
            }
        }
        if moved {
            rooms.log.covered[step.process.index()][step.edge.index()] = true;
        }
        moved
    }

    /// Whether the edge is a receive on this channel that matches the message. Its guard is evaluated in the state
    /// before the step, everything else in the state after the sender's half.
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

    /// Whether a process accepts the message in the state before the sender's half of the rendezvous.
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

    /// Executes the receiver's half of a rendezvous, with claims and trace checked.
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

    /// Whether a state without moves is a valid end state: every process and the trace automaton is at an end
    /// location.
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
    /// The state under construction.
    pub next: &'a mut World,
    half: &'a mut World,
    /// The log of the current move.
    pub log: &'a mut Log,
    /// Whether some process is at a committed location, so that only such processes take part in a step.
    restricted: bool,
    /// Whether the listener wants nothing else: see [`Listener::is_done`].
    pub done: &'a Cell<bool>,
}

impl Scratch {
    pub(crate) fn new(model: &Model) -> Scratch {
        let room = World::default;
        let seat = model.observer.as_ref().map(|_| Box::new(Seat::new(Log::new(model))));
        let (log, probe) = (Log::new(model), Log::new(model));
        Scratch { root: room(), next: room(), half: room(), spare: Vec::new(), log, probe, seat }
    }

    /// The state to expand, and the remaining buffers.
    pub(crate) fn split<'a>(&'a mut self, done: &'a Cell<bool>) -> (&'a mut World, Rooms<'a>) {
        let Scratch { root, next, half, log, .. } = self;
        (root, Rooms { next, half, log, restricted: false, done })
    }
}

impl<N> Pending<N> {
    fn new(world: &World, control: u8, node: N, last: Step, spare: &mut Vec<World>) -> Pending<N> {
        let mut copy = spare.pop().unwrap_or_default();
        copy.clone_from(world);
        Pending { world: copy, control: usize::from(control), node, last, depth: 0, mark: Mark::default() }
    }
}
