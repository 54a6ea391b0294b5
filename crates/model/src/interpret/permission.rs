//! Whether a process may move at all: `provided` clauses, priorities, and what `enabled` asks.

use super::Machine;
use super::eval::{Env, Eval};
use super::expand::{Rooms, Step, Taken};
use super::world::World;
use crate::ir::{Edge, LocId, ProcessId, Sync};
use crate::successors::{Finding, FindingKind, Within};

impl Machine {
    /// Do its clause and its priority let the process move? `handshake` is the channel of a rendezvous that waits for
    /// its receiver. A fault in its clause is one; a process of higher priority goes first if something of its own is a fault,
    /// which is found when it does.
    pub(super) fn may_move(&self, world: &World, pid: usize, timeout: bool, handshake: Option<i32>) -> Eval<bool> {
        let provided = |pid: usize| {
            let clause = &self.model.processes[world.process(pid).process as usize].provided;
            let holds = |e| self.eval(e, &Env::new(world, pid, timeout)).map(|v| v != 0);
            clause.as_ref().map_or(Ok(true), holds)
        };
        if !provided(pid)? {
            return Ok(false);
        }
        if !self.model.uses_priorities {
            return Ok(true);
        }
        let mine = self.priority_of(world, pid);
        Ok(!(0..world.processes()).any(|other| {
            other != pid
                && self.priority_of(world, other) > mine
                && provided(other).unwrap_or(true)
                && self.could_move(world, other, timeout, handshake).unwrap_or(true)
        }))
    }

    pub(crate) fn enabled(&self, world: &World, pid: usize, timeout: bool) -> Eval<bool> {
        self.could_move(world, pid, timeout, None)
    }

    /// What `enabled` and the priority rule ask, which is less than being able to move: a send on a rendezvous channel
    /// counts whether or not somebody waits for it, and so does `else`.
    fn could_move(&self, world: &World, pid: usize, timeout: bool, handshake: Option<i32>) -> Eval<bool> {
        let at = world.process(pid);
        let process = &self.model.processes[at.process as usize];
        let env = &Env::new(world, pid, timeout);
        let edges = |at: LocId| process.locations[at.index()].edges.iter().map(|id| &process.edges[id.index()]);
        let ready = |edge: &Edge| Ok(self.ready(edge, env)?.is_some());
        for edge in edges(self.layout.location(&world.bytes, at)) {
            let could = match (handshake, &edge.sync) {
                (Some(number), Some(Sync::Receive { channel, .. })) => self.eval(channel, env)? == number,
                (Some(_), _) => false,
                // A chain that begins an edge decides, by its first step.
                (None, None) if edge.chain.is_some() => {
                    ready(edge)? && edge.chain.map_or(Ok(false), |entry| is_any_ready(edges(entry), ready))?
                }
                (None, _) => ready(edge)?,
            };
            if could {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Is the process where it receives from this channel, as far as one can tell?
    pub(super) fn awaits(&self, world: &World, pid: usize, timeout: bool, number: i32) -> bool {
        self.could_move(world, pid, timeout, Some(number)).unwrap_or(true)
    }

    /// Hands on a fault in the clause of a process. Where the process has nothing to do, nobody asks for its clause.
    #[cold]
    pub(super) fn failed_clause(
        &self,
        kind: FindingKind,
        world: &World,
        pid: usize,
        rooms: &mut Rooms<'_>,
        receive: &mut impl FnMut(&Taken<'_>),
    ) -> bool {
        let process = &self.model.processes[world.process(pid).process as usize];
        let Some(&edge) = process.locations[self.location_of(world, pid).index()].edges.first() else { return false };
        let step = Step { pid: pid as u8, process: ProcessId(world.process(pid).process), edge };
        rooms.log.findings.push(Finding {
            kind,
            pid: step.pid,
            process: step.process,
            edge,
            span: process.span,
            within: Within::Provided,
        });
        receive(&Taken { step, partner: None, others: &[], world: None, control: None, log: rooms.log });
        true
    }
}

/// Whether one of the edges is ready, or what is wrong with the first that is neither ready nor not.
fn is_any_ready<'e>(edges: impl Iterator<Item = &'e Edge>, ready: impl Fn(&Edge) -> Eval<bool>) -> Eval<bool> {
    for edge in edges {
        if ready(edge)? {
            return Ok(true);
        }
    }
    Ok(false)
}
