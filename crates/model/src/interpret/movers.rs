//! The process of each successor, the enabled processes, and the executed transitions of a state. They are computed
//! by listeners of the expansion, so their order is that of the successors.

use super::Interpreter;
use super::expand::{Listener, Taken};
use super::world::World;
use crate::batch::Batch;
use crate::ir::Scheduling;
use crate::successors::{Choice, Fault, Finding, FindingKind, Mover, Movers, Parts, State};

impl Interpreter {
    /// Computes the process of each successor and the enabled processes.
    pub(super) fn tell_movers(&mut self, state: &State, out: &mut Movers) {
        let Interpreter { machine, scratch, .. } = self;
        scratch.root.load(&machine.layout, state);
        out.clear();
        out.alive = scratch.root.processes() as u8;
        let together = machine.model.scheduling == Scheduling::Synchronous;
        machine.expand(scratch, Choice::All, &mut MoversListener { out, together });
        if together && out.by.contains(&Mover::Everybody) {
            out.enabled = (0..out.alive).collect();
        }
        out.enabled.sort_unstable();
        out.enabled.dedup();
    }

    /// Computes the transitions executed on the way to each successor; empty for a stutter step.
    pub(super) fn tell_steps(&mut self, state: &State, out: &mut Vec<Vec<u32>>) {
        let Interpreter { machine, scratch, .. } = self;
        scratch.root.load(&machine.layout, state);
        scratch.log.tracing = true;
        machine.expand(scratch, Choice::All, &mut StepsListener { inner: Vec::new(), out });
        scratch.log.tracing = false;
    }
}

/// A listener that records the process that starts each step.
struct MoversListener<'a> {
    out: &'a mut Movers,
    together: bool,
}

impl MoversListener<'_> {
    /// The process that started the step.
    fn first(from: Option<u8>, taken: &Taken<'_>) -> u8 {
        from.unwrap_or(taken.step.pid)
    }

    fn enable(&mut self, pid: u8) {
        if pid < self.out.alive && self.out.enabled.last() != Some(&pid) {
            self.out.enabled.push(pid);
        }
    }
}

impl Listener for MoversListener<'_> {
    /// The process that started the atomic sequence.
    type Node = u8;

    fn inner(&mut self, from: Option<u8>, taken: &Taken<'_>) -> u8 {
        let first = MoversListener::first(from, taken);
        self.enable(first);
        first
    }

    fn findings(&mut self, from: Option<u8>, taken: &Taken<'_>) {
        let poll = FindingKind::Fault(Fault::PollRendezvous);
        if taken.world.is_some() || taken.log.findings.iter().any(|finding| finding.kind != poll) {
            self.enable(MoversListener::first(from, taken));
        }
    }

    fn successor(&mut self, from: Option<u8>, taken: &Taken<'_>, _world: &World) {
        let first = MoversListener::first(from, taken);
        self.enable(first);
        self.out.by.push(match first {
            u8::MAX => Mover::Observer,
            _ if self.together => Mover::Everybody,
            pid => Mover::Process(pid),
        });
    }

    fn blocked(&mut self, node: u8, _world: &World) {
        self.out.by.push(Mover::Process(node));
    }

    fn endless(&mut self, _node: u8, _finding: Finding) {}
}

/// A listener that appends successors to a batch and records the ranges of each process. A process may have several
/// ranges, since successors of atomic sequences follow all others.
pub(super) struct PartsListener<'a> {
    /// The batch.
    pub out: &'a mut Batch,
    /// The ranges of each process.
    pub parts: &'a mut Parts,
}

impl PartsListener<'_> {
    fn push(&mut self, pid: u8, world: &World) {
        self.out.push(&world.bytes);
        match self.parts.ends.last_mut() {
            Some((last, end)) if *last == pid => *end = self.out.len(),
            _ => self.parts.ends.push((pid, self.out.len())),
        }
    }
}

impl Listener for PartsListener<'_> {
    /// The process that started the atomic sequence.
    type Node = u8;

    fn inner(&mut self, from: Option<u8>, taken: &Taken<'_>) -> u8 {
        from.unwrap_or(taken.step.pid)
    }

    fn findings(&mut self, _from: Option<u8>, taken: &Taken<'_>) {
        taken.log.findings.iter().for_each(|finding| self.out.find(finding.clone()));
    }

    fn successor(&mut self, from: Option<u8>, taken: &Taken<'_>, world: &World) {
        self.push(from.unwrap_or(taken.step.pid), world);
    }

    fn blocked(&mut self, node: u8, world: &World) {
        self.push(node, world);
    }

    fn endless(&mut self, _node: u8, finding: Finding) {
        self.out.find(finding);
    }
}

/// A listener that records the edges executed in each step, with their processes.
struct StepsListener<'a> {
    /// The edges up to each point inside an atomic sequence.
    inner: Vec<Vec<u32>>,
    out: &'a mut Vec<Vec<u32>>,
}

impl StepsListener<'_> {
    /// The edges up to a point, with those of one more move.
    fn extended(&self, from: Option<usize>, taken: &Taken<'_>) -> Vec<u32> {
        let mut edges = from.map_or_else(Vec::new, |node| self.inner[node].clone());
        // Edges of the observer are not transitions of the system.
        if taken.step.pid != u8::MAX {
            edges.extend([u32::from(taken.step.pid), taken.step.process.0, taken.step.edge.0]);
            for other in taken.partner.iter().chain(taken.others) {
                edges.extend([u32::from(other.pid), other.process.0, other.edge.0]);
            }
            edges.extend(taken.log.chain.iter().map(|edge| edge.0));
        }
        edges
    }
}

impl Listener for StepsListener<'_> {
    type Node = usize;

    fn inner(&mut self, from: Option<usize>, taken: &Taken<'_>) -> usize {
        self.inner.push(self.extended(from, taken));
        self.inner.len() - 1
    }

    fn findings(&mut self, _from: Option<usize>, _taken: &Taken<'_>) {}

    fn successor(&mut self, from: Option<usize>, taken: &Taken<'_>, _world: &World) {
        let edges = self.extended(from, taken);
        self.out.push(edges);
    }

    fn blocked(&mut self, node: usize, _world: &World) {
        self.out.push(self.inner[node].clone());
    }

    fn endless(&mut self, _node: usize, _finding: Finding) {}
}

impl Interpreter {
    /// Adds the executions of each edge in the moves of a state to `counts`, by `[process][edge]`. A move that is a fault does not
    /// count.
    pub fn count_executions(&mut self, state: &State, counts: &mut [Vec<u64>]) {
        let Interpreter { machine, scratch, .. } = self;
        scratch.root.load(&machine.layout, state);
        scratch.log.tracing = true;
        machine.expand(scratch, Choice::All, &mut ExecutionsListener { model: &machine.model, counts });
        scratch.log.tracing = false;
    }
}

/// A listener that counts the executions of edges.
struct ExecutionsListener<'a> {
    model: &'a crate::ir::Model,
    counts: &'a mut [Vec<u64>],
}

impl ExecutionsListener<'_> {
    fn count(&mut self, process: usize, edge: usize) {
        if let Some(count) = self.counts.get_mut(process).and_then(|edges| edges.get_mut(edge)) {
            *count += 1;
        }
    }

    fn count_move(&mut self, taken: &Taken<'_>) {
        let Some(process) = self.model.processes.get(taken.step.process.index()) else { return };
        let own = &process.edges[taken.step.edge.index()];
        // The statements of an indivisible sequence without a channel operation are those of the sequence.
        if own.sync.is_some() || taken.log.chain.is_empty() {
            self.count(taken.step.process.index(), taken.step.edge.index());
        }
        for other in taken.partner.iter().chain(taken.others) {
            self.count(other.process.index(), other.edge.index());
        }
        let sequence = taken.partner.map_or(taken.step.process, |partner| partner.process);
        taken.log.chain.iter().for_each(|edge| self.count(sequence.index(), edge.index()));
    }
}

impl Listener for ExecutionsListener<'_> {
    type Node = ();

    fn inner(&mut self, _from: Option<()>, taken: &Taken<'_>) {
        self.count_move(taken);
    }

    fn findings(&mut self, _from: Option<()>, _taken: &Taken<'_>) {}

    fn successor(&mut self, _from: Option<()>, taken: &Taken<'_>, _world: &World) {
        self.count_move(taken);
    }

    fn blocked(&mut self, _node: (), _world: &World) {}

    fn endless(&mut self, _node: (), _finding: Finding) {}
}
