//! Whether a process may move: `provided` clauses, priorities and `enabled`.

use super::Machine;
use super::eval::{Asker, Env, Eval};
use super::expand::{Rooms, Step, Taken};
use super::world::World;
use crate::ir::{Edge, LocId, ProcessId, Sync};
use crate::successors::{Finding, FindingKind, Within};

impl Machine {
    /// Whether `provided` clause and priority allow a process to move. `handshake` is the channel of a pending
    /// rendezvous. A fault in the clause is reported. A process of higher priority with a fault in its statements
    /// takes precedence; the fault is found when it moves.
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
                && self.could_move(&Env::new(world, other, timeout), handshake).unwrap_or(true)
        }))
    }

    pub(crate) fn enabled(&self, world: &World, pid: usize, timeout: bool, asker: &Asker<'_>) -> Eval<bool> {
        self.could_move(&Env::new(world, pid, timeout).asked_by(Some(asker)), None)
    }

    /// The value of `enabled`, which the priority rule uses, too. It is weaker than being able to move: a send on a
    /// rendezvous channel and `else` always count. A circular query is a fault.
    fn could_move(&self, env: &Env<'_>, handshake: Option<i32>) -> Eval<bool> {
        let process = &self.model.processes[env.at.process as usize];
        let edges = |at: LocId| process.locations[at.index()].edges.iter().map(|id| &process.edges[id.index()]);
        let ready = |edge: &Edge| Ok(self.ready(edge, env)?.is_some());
        for edge in edges(self.layout.location(&env.world.bytes, env.at)) {
            let could = match (handshake, &edge.sync) {
                (Some(number), Some(Sync::Receive { channel, .. })) => self.eval(channel, env)? == number,
                (Some(_), _) => false,
                // A chain without a channel operation in front is enabled if its first edge is.
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

    /// Whether a process is at a location where it may receive from this channel. The test is an over-approximation.
    pub(super) fn awaits(&self, world: &World, pid: usize, timeout: bool, number: i32) -> bool {
        self.could_move(&Env::new(world, pid, timeout), Some(number)).unwrap_or(true)
    }

    /// Reports a fault in the `provided` clause of a process, unless the process has no statement to execute.
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

/// Whether one of the edges is enabled, or the first fault if none is.
fn is_any_ready<'e>(edges: impl Iterator<Item = &'e Edge>, ready: impl Fn(&Edge) -> Eval<bool>) -> Eval<bool> {
    for edge in edges {
        if ready(edge)? {
            return Ok(true);
        }
    }
    Ok(false)
}
