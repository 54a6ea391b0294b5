//! Synchronous systems: all processes move in every step.

use super::eval::Env;
use super::expand::{Rooms, Step, Taken};
use super::step::Ready;
use super::world::World;
use super::{Machine, Partner};
use crate::ir::{EdgeId, Guard, ProcessId};

impl Machine {
    /// Executes every joint step of all processes. Returns false if there is none.
    pub(crate) fn moves_together(
        &self,
        world: &World,
        timeout: bool,
        rooms: &mut Rooms<'_>,
        receive: &mut impl FnMut(&Taken<'_>),
    ) -> bool {
        let mut ways: Vec<Vec<(EdgeId, Ready<'_>)>> = Vec::new();
        for pid in 0..world.processes() {
            match self.ways(world, pid, timeout) {
                Ok(mine) => ways.push(mine),
                Err((id, kind)) => {
                    let step = self.step_of(world, pid, id);
                    rooms.log.clear();
                    rooms.log.enter(pid, step.process.0, id);
                    return self.failed(*kind, step, None, rooms, receive);
                }
            }
        }
        // The test comes after the loop, so faults in guards are found even if another process is blocked.
        if ways.is_empty() || ways.iter().any(Vec::is_empty) {
            return false;
        }
        let mut chosen = vec![0; ways.len()];
        loop {
            self.move_together(world, &ways, &chosen, timeout, rooms, receive);
            if rooms.done.get() {
                return true;
            }
            let Some(turn) = (0..ways.len()).rev().find(|&pid| chosen[pid] + 1 < ways[pid].len()) else { return true };
            chosen[turn] += 1;
            chosen[turn + 1..].fill(0);
        }
    }

    fn step_of(&self, world: &World, pid: usize, edge: EdgeId) -> Step {
        Step { pid: pid as u8, process: ProcessId(world.process(pid).process), edge }
    }

    /// The enabled edges of one process. A rendezvous has no possible partner.
    #[allow(clippy::type_complexity)]
    fn ways(
        &self,
        world: &World,
        pid: usize,
        timeout: bool,
    ) -> Result<Vec<(EdgeId, Ready<'_>)>, (EdgeId, Box<crate::FindingKind>)> {
        let at = world.process(pid);
        let process = &self.model.processes[at.process as usize];
        let location = self.layout.location(&world.bytes, at);
        let mut ways = Vec::new();
        for &id in &process.locations[location.index()].edges {
            let edge = &process.edges[id.index()];
            if matches!(edge.guard, Guard::Else) && !ways.is_empty() {
                continue;
            }
            match self.ready(edge, &Env::new(world, pid, timeout)) {
                Ok(None | Some(Ready::Handshake(_))) => {}
                Ok(Some(ready)) => ways.push((id, ready)),
                Err(kind) => return Err((id, kind)),
            }
        }
        Ok(ways)
    }

    fn move_together(
        &self,
        world: &World,
        ways: &[Vec<(EdgeId, Ready<'_>)>],
        chosen: &[usize],
        timeout: bool,
        rooms: &mut Rooms<'_>,
        receive: &mut impl FnMut(&Taken<'_>),
    ) {
        rooms.log.clear();
        rooms.next.clone_from(world);
        let step = self.step_of(world, 0, ways[0][chosen[0]].0);
        let mut others = Vec::new();
        for (pid, (ways, &way)) in ways.iter().zip(chosen).enumerate() {
            let (id, ready) = ways[way];
            if pid > 0 {
                let process = ProcessId(world.process(pid).process);
                others.push(Partner { pid: pid as u8, process, edge: id });
            }
            if let Err(kind) = self.apply(rooms.next, pid, id, ready, timeout, rooms.log) {
                self.failed(*kind, self.step_of(world, pid, id), None, rooms, receive);
                return;
            }
        }
        let world = Some(&*rooms.next);
        receive(&Taken { step, partner: None, others: &others, world, control: None, log: rooms.log });
    }
}
