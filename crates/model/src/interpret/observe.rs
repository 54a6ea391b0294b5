//! The observer: an automaton that moves with every step of the system.

use super::Machine;
use super::eval::{Env, Eval, NO_PROCESS};
use super::expand::{Listener, Step, Taken};
use super::step::Log;
use super::world::World;
use crate::ir::{EdgeId, Effect, Guard, Observer};
use crate::layout::ProcessAt;
use crate::successors::{Finding, FindingKind, Flags};

/// Buffers for the observer's part of a step.
#[derive(Debug)]
pub(crate) struct Seat {
    world: World,
    log: Log,
    /// The enabled edges of the observer in the state under expansion, and the faults of the others.
    edges: Vec<(EdgeId, Eval<()>)>,
}

impl Seat {
    pub(crate) fn new(log: Log) -> Seat {
        Seat { world: World::default(), log, edges: Vec::new() }
    }
}

/// A listener that combines each step of the system with every enabled edge of the observer.
pub(crate) struct Joined<'a, L> {
    machine: &'a Machine,
    seat: &'a mut Seat,
    listener: &'a mut L,
}

impl<'a, L: Listener> Joined<'a, L> {
    /// The listener for a state; `None` if the observer is blocked, which blocks the system.
    pub(crate) fn new(
        machine: &'a Machine,
        observer: &Observer,
        (root, stuck): (&World, bool),
        seat: &'a mut Seat,
        listener: &'a mut L,
    ) -> Option<Joined<'a, L>> {
        seat.log.tracing = false;
        seat.edges.clear();
        machine.observer_edges(observer, &Env::watching(root, stuck), &mut seat.edges);
        (!seat.edges.is_empty()).then_some(Joined { machine, seat, listener })
    }

    /// Evaluates the observer's assertions and reports (if wanted) failed assertions and faults of guards. Edges with
    /// such findings are disabled.
    pub(crate) fn judge(&mut self, (root, stuck): (&World, bool), tell: bool) {
        let Seat { log, edges, .. } = &mut *self.seat;
        for (id, judged) in edges.iter_mut() {
            let step = self.machine.observer_step(*id);
            let effects = &self.machine.edge(step.process.0, *id).effects;
            if judged.is_ok() && effects.is_empty() {
                continue;
            }
            log.clear();
            log.enter(NO_PROCESS, step.process.0, *id);
            for effect in effects {
                let (Effect::Assert(condition), Ok(())) = (effect, &*judged) else { continue };
                match self.machine.eval(condition, &Env::watching(root, stuck)) {
                    Ok(0) => self.machine.find(log, FindingKind::Assertion),
                    Ok(_) => {}
                    Err(kind) => *judged = Err(kind),
                }
            }
            if let Err(kind) = &*judged {
                self.machine.find(log, (**kind).clone());
            }
            if tell && !log.findings.is_empty() {
                let taken = Taken { step, partner: None, others: &[], world: None, control: None, log };
                self.listener.findings(None, &taken);
            }
        }
    }

    /// The moves of the observer after a step of the system to `world`.
    fn each(&mut self, world: &World, mut hear: impl FnMut(&mut L, Result<&World, &Taken<'_>>)) {
        let Seat { world: room, log, edges } = &mut *self.seat;
        for (id, _) in edges.iter().filter(|(_, judged)| judged.is_ok()) {
            let step = self.machine.observer_step(*id);
            log.clear();
            log.enter(NO_PROCESS, step.process.0, *id);
            room.clone_from(world);
            let moved = self.machine.observer_moves(room, *id, log);
            if let Err(kind) = &moved {
                self.machine.find(log, (**kind).clone());
            }
            if !log.findings.is_empty() {
                let taken = Taken { step, partner: None, others: &[], world: None, control: None, log };
                hear(self.listener, Err(&taken));
            }
            if moved.is_ok() {
                hear(self.listener, Ok(room));
            }
        }
    }

    /// A stutter step: only the observer moves.
    pub(crate) fn alone(&mut self, root: &World) {
        let Some(&(id, _)) = self.seat.edges.first() else { return };
        let step = self.machine.observer_step(id);
        let quiet = self.seat.log.quiet();
        self.each(root, |listener, heard| match heard {
            Ok(world) => {
                let taken = Taken { step, partner: None, others: &[], world: Some(world), control: None, log: &quiet };
                listener.successor(None, &taken, world);
            }
            Err(taken) => listener.findings(None, taken),
        });
    }
}

impl<L: Listener> Listener for Joined<'_, L> {
    type Node = L::Node;

    fn inner(&mut self, from: Option<L::Node>, taken: &Taken<'_>) -> L::Node {
        self.listener.inner(from, taken)
    }

    fn findings(&mut self, from: Option<L::Node>, taken: &Taken<'_>) {
        self.listener.findings(from, taken);
    }

    fn successor(&mut self, from: Option<L::Node>, taken: &Taken<'_>, world: &World) {
        self.each(world, |listener, heard| match heard {
            Ok(world) => listener.successor(from, &Taken { world: Some(world), ..*taken }, world),
            Err(taken) => listener.findings(from, taken),
        });
    }

    fn blocked(&mut self, node: L::Node, world: &World) {
        self.each(world, |listener, heard| match heard {
            Ok(world) => listener.blocked(node, world),
            Err(taken) => listener.findings(Some(node), taken),
        });
    }

    fn endless(&mut self, node: L::Node, finding: Finding) {
        self.listener.endless(node, finding);
    }

    fn is_done(&self) -> bool {
        self.listener.is_done()
    }
}

impl Machine {
    /// The enabled edges of the observer, and those whose guard is a fault. `else` is enabled if no other edge is.
    fn observer_edges(&self, observer: &Observer, env: &Env<'_>, edges: &mut Vec<(EdgeId, Eval<()>)>) {
        let automaton = &observer.automaton;
        let Some(at) = self.layout.observer_location(&env.world.bytes) else { return };
        for &id in &automaton.locations[at.index()].edges {
            let can = match &automaton.edges[id.index()].guard {
                Guard::Always => Ok(true),
                Guard::When(condition) => self.eval(condition, env).map(|v| v != 0),
                Guard::Else => Ok(edges.is_empty()),
                Guard::Youngest => Ok(false),
            };
            match can {
                Ok(true) => edges.push((id, Ok(()))),
                Ok(false) => {}
                Err(kind) => edges.push((id, Err(kind))),
            }
        }
    }

    /// The acceptance sets of the enabled edges of the observer.
    pub(super) fn observer_marks(&self, observer: &Observer, env: &Env<'_>, out: &mut Vec<u32>) {
        let mut edges = Vec::new();
        self.observer_edges(observer, env, &mut edges);
        out.extend(edges.iter().filter(|(_, judged)| judged.is_ok()).map(|(id, _)| observer.marks[id.index()]));
    }

    /// The flags of a state that the observer determines.
    pub(super) fn observed(&self, observer: &Observer, world: &World) -> Flags {
        let at = self.layout.observer_location(&world.bytes).map(|at| &observer.automaton.locations[at.index()]);
        let accepts = |at: &ProcessAt| {
            let location = self.layout.location(&world.bytes, *at);
            self.model.processes[at.process as usize].locations[location.index()].accept
        };
        Flags {
            bad_prefix: at.is_some_and(|l| l.end),
            accepting: at.is_some_and(|l| l.accept) || observer.labels && world.shape.processes.iter().any(accepts),
            ..Flags::default()
        }
    }

    fn observer_step(&self, edge: EdgeId) -> Step {
        Step { pid: u8::MAX, process: self.model.observer_id(), edge }
    }

    fn observer_moves(&self, world: &mut World, id: EdgeId, log: &mut Log) -> Eval<()> {
        let edge = self.edge(self.model.observer_id().0, id);
        for effect in edge.effects.iter().filter(|e| !matches!(e, Effect::Assert(_))) {
            self.effect(world, NO_PROCESS, effect, false, log)?;
        }
        self.layout.set_observer_location(&mut world.bytes, edge.target);
        Ok(())
    }
}
