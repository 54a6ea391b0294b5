//! Checks of channel operations: exclusive-access claims and the trace automaton.
//!
//! Findings of these checks do not stop the step.

use super::Machine;
use super::eval::Env;
use super::step::Log;
use super::world::World;
use crate::ir::{Direction, Expr, LocId, Pattern, Sync};
use crate::successors::{Fault, FindingKind};

impl Machine {
    /// Checks an operation. It is called after a send, and before a received message is removed; the message is in
    /// the log.
    pub(crate) fn watch(&self, world: &mut World, pid: usize, direction: Direction, number: i32, log: &mut Log) {
        if self.claims {
            self.check_claims(world, pid, direction, number, log);
        }
        if self.model.trace.is_some() {
            let message = std::mem::take(&mut log.message);
            self.follow(world, direction, number, &message, log);
            log.message = message;
        }
    }

    /// Checks whether another process has an exclusive-access claim on this channel.
    fn check_claims(&self, world: &World, pid: usize, direction: Direction, number: i32, log: &mut Log) {
        for (other, at) in world.shape.processes.iter().enumerate() {
            if other == pid {
                continue;
            }
            for claim in &self.model.processes[at.process as usize].claims {
                let claimed = claim.direction == direction
                    && self.eval(&claim.channel, &Env::new(world, other, false)).is_ok_and(|n| n == number);
                if claimed {
                    self.find(log, FindingKind::Fault(Fault::ClaimViolated { claim: claim.span }));
                }
            }
        }
    }

    /// Moves the trace automaton. A `notrace` automaton stops at the first operation that it has no edge for.
    pub(crate) fn follow(&self, world: &mut World, direction: Direction, number: i32, message: &[i32], log: &mut Log) {
        let (Some(trace), Some(at)) = (&self.model.trace, self.layout.event) else { return };
        let location = LocId(u32::from(u16::from_le_bytes([world.bytes[at], world.bytes[at + 1]])));
        if location == trace.end {
            return;
        }
        let env = &Env::outside(world);
        let about = |sync: &Option<Sync>| match sync {
            Some(Sync::Send { channel, .. }) => direction == Direction::Send && self.eval(channel, env) == Ok(number),
            Some(Sync::Receive { channel, .. }) => {
                direction == Direction::Receive && self.eval(channel, env) == Ok(number)
            }
            None => false,
        };
        let fits = |sync: &Option<Sync>| match sync {
            Some(Sync::Send { args, .. }) => {
                args.iter().zip(message).all(|(a, m)| matches!(a, Expr::Input) || self.eval(a, env) == Ok(*m))
            }
            Some(Sync::Receive { args, .. }) => args.iter().zip(message).all(|(a, m)| match a {
                Pattern::Match(e) => self.eval(e, env) == Ok(*m),
                Pattern::Store(_) | Pattern::Any => true,
            }),
            None => false,
        };
        let edges = &trace.automaton.edges;
        if !edges.iter().any(|e| about(&e.sync)) {
            return;
        }
        let here = &trace.automaton.locations[location.index()].edges;
        let next = here.iter().map(|id| &edges[id.index()]).find(|e| about(&e.sync) && fits(&e.sync)).map(|e| e.target);
        let violated = if trace.negated { next == Some(trace.end) } else { next.is_none() };
        let next = next.unwrap_or(if trace.negated { trace.end } else { location });
        world.bytes[at..at + 2].copy_from_slice(&(next.0 as u16).to_le_bytes());
        if violated {
            self.find(log, FindingKind::Fault(Fault::TraceViolated));
        }
    }
}
