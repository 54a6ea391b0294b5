//! Indivisible sequences without a choice. They are determined in advance and executed without searching for enabled
//! edges.

use super::Machine;
use super::eval::{Env, Eval, fault};
use super::step::Log;
use super::world::World;
use crate::ir::{Edge, EdgeId, Guard, Model, Process, Then};
use crate::successors::Fault;

/// The edges of the sequence that an edge starts, if it has no choice and no channel operation, by `[process][edge]`.
pub(crate) type Straight = Vec<Vec<Option<Box<[EdgeId]>>>>;

pub(crate) fn find(model: &Model) -> Straight {
    let of = |p: &Process| p.edges.iter().map(|e| sequence(p, e)).collect();
    model.processes.iter().map(of).collect()
}

fn sequence(process: &Process, edge: &Edge) -> Option<Box<[EdgeId]>> {
    let mut at = edge.chain.filter(|_| edge.sync.is_none() && matches!(edge.guard, Guard::Always))?;
    let mut edges = Vec::new();
    loop {
        let [id] = process.locations[at.index()].edges[..] else { return None };
        let edge = &process.edges[id.index()];
        let plain = matches!(edge.guard, Guard::Always | Guard::When(_)) && edge.sync.is_none() && edge.chain.is_none();
        if !plain || edges.contains(&id) {
            return None;
        }
        edges.push(id);
        if edge.then != Then::Chain {
            return Some(edges.into());
        }
        at = edge.target;
    }
}

impl Machine {
    /// Whether an edge of a straight sequence is enabled.
    #[inline]
    fn goes(&self, id: EdgeId, env: &Env<'_>, log: &mut Log) -> Eval<bool> {
        log.enter(env.pid, env.at.process, id);
        match &self.edge(env.at.process, id).guard {
            Guard::When(condition) => Ok(self.eval(condition, env)? != 0),
            _ => Ok(true),
        }
    }

    /// Executes a straight sequence from `world` to `next`. Returns false if its first edge is disabled.
    #[inline]
    pub(crate) fn run_straight(&self, edges: &[EdgeId], env: &Env<'_>, next: &mut World, log: &mut Log) -> Eval<bool> {
        let (pid, process) = (env.pid, env.at.process);
        log.clear();
        if !self.goes(edges[0], env, log)? {
            return Ok(false);
        }
        next.clone_from(env.world);
        for (i, &id) in edges.iter().enumerate() {
            if i > 0 && !self.goes(id, &Env::new(next, pid, env.timeout), log)? {
                return fault(Fault::BlockedChain);
            }
            self.finish(next, pid, self.edge(process, id), env.timeout, log)?;
            log.covered[process as usize][id.index()] = true;
            if log.tracing {
                log.chain.push(id);
            }
        }
        Ok(true)
    }
}
