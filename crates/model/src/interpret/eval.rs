//! Evaluation of expressions in a state.

use super::Machine;
use super::world::World;
use crate::ir::{BinaryOp, ChannelQuery, Expr, LocId, Pattern, Place, ProcessId, VarRef};
use crate::layout::{ProcessAt, Slot};
use crate::successors::{Fault, FindingKind};

/// A value or an error. The error is boxed, so the result of the common case fits into registers.
pub(crate) type Eval<T = i32> = Result<T, Box<FindingKind>>;

#[cold]
pub(crate) fn fault<T>(fault: Fault) -> Eval<T> {
    Err(Box::new(FindingKind::Fault(fault)))
}

/// The context of an evaluation: the process and the state.
#[derive(Clone, Copy)]
pub(crate) struct Env<'a> {
    /// The state.
    pub world: &'a World,
    /// The number of the process.
    pub pid: usize,
    /// The position of the process in the state.
    pub at: ProcessAt,
    /// Whether `timeout` is true: no process can move without it.
    pub timeout: bool,
    /// The evaluating process, in a chain of nested `enabled` queries.
    asker: usize,
    asked_by: Option<&'a Asker<'a>>,
}

/// A process that evaluates `enabled` for another one, with the chain of queries that led to it.
#[derive(Clone, Copy)]
pub(crate) struct Asker<'a> {
    pid: usize,
    asked_by: Option<&'a Asker<'a>>,
}

impl Asker<'_> {
    fn includes(&self, pid: usize) -> bool {
        self.pid == pid || self.asked_by.is_some_and(|asker| asker.includes(pid))
    }
}

/// The number used where no process evaluates: for the observer, goals and initial values.
pub(crate) const NO_PROCESS: usize = usize::MAX;

impl<'a> Env<'a> {
    #[inline]
    pub(crate) fn new(world: &'a World, pid: usize, timeout: bool) -> Env<'a> {
        if pid == NO_PROCESS {
            return Env::outside(world);
        }
        Env { world, pid, at: world.process(pid), timeout, asker: pid, asked_by: None }
    }

    /// The context within an `enabled` query.
    pub(crate) fn asked_by(self, asked_by: Option<&'a Asker<'a>>) -> Env<'a> {
        Env { asked_by, ..self }
    }

    /// The context for initial values of globals, the observer and the goal: no process evaluates.
    pub(crate) fn outside(world: &'a World) -> Env<'a> {
        let at = ProcessAt { process: 0, offset: 0 };
        Env { world, pid: 0, at, timeout: false, asker: NO_PROCESS, asked_by: None }
    }

    /// The context for the observer and the goal; `stuck` is the value of `timeout`.
    pub(crate) fn watching(world: &'a World, stuck: bool) -> Env<'a> {
        Env { timeout: stuck, ..Env::outside(world) }
    }
}

impl Machine {
    pub(crate) fn eval(&self, expr: &Expr, env: &Env<'_>) -> Eval {
        Ok(match expr {
            Expr::Const(v) => *v,
            Expr::Load(place) => {
                let (slot, at) = self.address(place, env, env.at)?;
                slot.width.load(&env.world.bytes, at)
            }
            Expr::Unary(op, a) => op.apply(self.eval(a, env)?),
            Expr::Binary(op, a, b) => return self.binary(*op, a, b, env),
            Expr::Cond(parts) => {
                let [test, yes, no] = &**parts;
                return self.eval(if self.eval(test, env)? != 0 { yes } else { no }, env);
            }
            Expr::Channel(query, channel) => return self.query(*query, channel, env),
            Expr::Poll { channel, args, anywhere } => return self.poll(channel, args, *anywhere, env),
            Expr::Pid => env.pid as i32,
            Expr::ProcessCount => env.world.processes() as i32,
            Expr::Last => self.layout.last.map_or(0, |at| i32::from(env.world.bytes[at])),
            Expr::Timeout => i32::from(env.timeout),
            Expr::NonProgress => i32::from(!self.any_progress(env.world)),
            Expr::Enabled(pid) => {
                let pid = self.eval(pid, env)?;
                let Some(pid) = self.alive(pid, env.world) else { return Ok(0) };
                let asker = Asker { pid: env.asker, asked_by: env.asked_by };
                if asker.includes(pid) {
                    return fault(Fault::CircularEnabled);
                }
                i32::from(self.enabled(env.world, pid, env.timeout, &asker)?)
            }
            Expr::Location(pid) => {
                let pid = self.eval(pid, env)?;
                self.alive(pid, env.world).map_or(0, |pid| self.location_of(env.world, pid).0 as i32)
            }
            Expr::Priority(pid) => {
                let pid = self.eval(pid, env)?;
                self.alive(pid, env.world).map_or(0, |pid| self.priority_of(env.world, pid))
            }
            Expr::At { process, pid, locations } => {
                let found = self.named(*process, pid.as_deref(), env)?;
                i32::from(found.is_some_and(|at| locations.contains(&self.layout.location(&env.world.bytes, at))))
            }
            Expr::Remote { process, pid, place } => match self.named(*process, pid.as_deref(), env)? {
                Some(at) => {
                    let (slot, at) = self.address(place, env, at)?;
                    slot.width.load(&env.world.bytes, at)
                }
                None => 0,
            },
            Expr::ObserverAt(locations) => {
                let at = self.layout.observer_location(&env.world.bytes);
                i32::from(at.is_some_and(|at| locations.contains(&at)))
            }
            // Standard input is always at its end.
            Expr::Input => -1,
            Expr::Fault(message) => return fault(Fault::Required(message.clone())),
        })
    }

    /// Evaluates constants and plain variables without a call, since most operands are of these kinds.
    #[inline(always)]
    fn operand(&self, expr: &Expr, env: &Env<'_>) -> Eval {
        match expr {
            Expr::Const(v) => Ok(*v),
            Expr::Load(place) if place.index.is_empty() => {
                let (slot, base) = self.slot(place.var, env.at);
                Ok(slot.width.load(&env.world.bytes, base + slot.offset))
            }
            _ => self.eval(expr, env),
        }
    }

    fn binary(&self, op: BinaryOp, a: &Expr, b: &Expr, env: &Env<'_>) -> Eval {
        let a = self.operand(a, env)?;
        match op {
            BinaryOp::And if a == 0 => return Ok(0),
            BinaryOp::Or if a != 0 => return Ok(1),
            _ => {}
        }
        let b = self.operand(b, env)?;
        op.apply(a, b).map_or_else(|| fault(Fault::DivisionByZero), Ok)
    }

    /// The slot of a variable and the offset of the element. Locals belong to the process at `owner`; indices are
    /// evaluated in `env`.
    #[inline]
    pub(crate) fn address(&self, place: &Place, env: &Env<'_>, owner: ProcessAt) -> Eval<(&Slot, usize)> {
        let (slot, base) = self.slot(place.var, owner);
        if place.index.is_empty() {
            return Ok((slot, base + slot.offset));
        }
        let element = self.element(place, slot, env, owner)?;
        Ok((slot, base + slot.offset + element * slot.width.bytes()))
    }

    #[inline]
    fn slot(&self, var: VarRef, owner: ProcessAt) -> (&Slot, usize) {
        match var {
            VarRef::Global(id) => (&self.layout.globals[id.index()], 0),
            VarRef::Local(id) => {
                (&self.layout.frames[owner.process as usize].locals[id.index()], owner.offset as usize)
            }
        }
    }

    fn element(&self, place: &Place, slot: &Slot, env: &Env<'_>, owner: ProcessAt) -> Eval<usize> {
        let mut element = 0;
        for (index, &len) in place.index.iter().zip(&slot.dims) {
            let index = self.operand(index, env)?;
            if index < 0 || index as u32 >= len {
                let var = self.name_of(place.var, owner);
                return fault(Fault::IndexOutOfRange { var, index, len });
            }
            element = element * len as usize + index as usize;
        }
        Ok(element)
    }

    /// The name of a variable in the text of the model.
    #[cold]
    pub(crate) fn name_of(&self, var: VarRef, owner: ProcessAt) -> String {
        let var = match var {
            VarRef::Global(id) => &self.model.globals[id.index()],
            VarRef::Local(id) => &self.model.processes[owner.process as usize].locals[id.index()],
        };
        var.name.clone()
    }

    /// The process with this number, if it is alive.
    fn alive(&self, pid: i32, world: &World) -> Option<usize> {
        usize::try_from(pid).ok().filter(|pid| *pid < world.processes())
    }

    /// The process of a remote reference: the process with this number if it has this type, or the first process of
    /// the type.
    fn named(&self, process: ProcessId, pid: Option<&Expr>, env: &Env<'_>) -> Eval<Option<ProcessAt>> {
        let all = &env.world.shape.processes;
        Ok(match pid {
            Some(pid) => self.alive(self.eval(pid, env)?, env.world).map(|pid| all[pid]),
            None => all.iter().find(|at| at.process == process.0).copied(),
        }
        .filter(|at| at.process == process.0))
    }

    pub(crate) fn location_of(&self, world: &World, pid: usize) -> LocId {
        self.layout.location(&world.bytes, world.process(pid))
    }

    pub(crate) fn priority_of(&self, world: &World, pid: usize) -> i32 {
        let at = world.process(pid);
        let frame = &self.layout.frames[at.process as usize];
        frame.priority.map_or(1, |p| i32::from(world.bytes[at.offset as usize + p]))
    }

    fn any_progress(&self, world: &World) -> bool {
        world.shape.processes.iter().any(|&at| {
            let location = self.layout.location(&world.bytes, at);
            self.model.processes[at.process as usize].locations[location.index()].progress
        })
    }

    fn query(&self, query: ChannelQuery, channel: &Expr, env: &Env<'_>) -> Eval {
        let channel = self.channel(channel, env)?;
        let buffer = channel.buffer;
        let len = channel.len(env.world);
        // A rendezvous channel is always empty and never full.
        let full = buffer.capacity > 0 && len == buffer.capacity;
        Ok(match query {
            ChannelQuery::Len => len as i32,
            ChannelQuery::Empty => i32::from(len == 0),
            ChannelQuery::NotEmpty => i32::from(len != 0),
            ChannelQuery::Full => i32::from(full),
            ChannelQuery::NotFull => i32::from(!full),
        })
    }

    fn poll(&self, channel: &Expr, args: &[Pattern], anywhere: bool, env: &Env<'_>) -> Eval {
        let channel = self.channel(channel, env)?;
        if channel.buffer.capacity == 0 {
            return fault(Fault::PollRendezvous);
        }
        Ok(i32::from(self.matching(channel, args, anywhere, env)?.is_some()))
    }
}
