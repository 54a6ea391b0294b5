//! Execution of one edge.

use super::Machine;
use super::channel::Channel;
use super::eval::{Env, Eval, fault};
use super::world::World;
use crate::ir::{
    Direction, Edge, EdgeId, Effect, EnumId, Expr, Guard, Init, LocId, Model, Piece, Place, Print, ProcessId, Sync,
    Then, VarRef,
};
use crate::layout::MAX_ALIVE;
use crate::successors::{Fault, Finding, FindingKind, Within};

/// The number of steps after which an indivisible sequence is reported as infinite.
const MAX_CHAIN: u32 = 10_000_000;

/// The side results of executed edges: findings, output and coverage.
#[derive(Debug)]
pub(crate) struct Log {
    /// Whether output and the edges of indivisible sequences are recorded.
    pub tracing: bool,
    /// The findings.
    pub findings: Vec<Finding>,
    /// The printed output.
    pub output: String,
    /// The edges of the indivisible sequence.
    pub chain: Vec<EdgeId>,
    /// A message was offered on a rendezvous channel, whether or not it was received.
    pub offered: bool,
    /// Coverage: whether an edge was ever executed, by `[process][edge]`.
    pub covered: Vec<Vec<bool>>,
    /// The edge that is being executed.
    at: (u8, ProcessId, EdgeId),
    /// The message of the current channel operation.
    pub message: Vec<i32>,
}

/// The way in which an enabled edge is taken.
#[derive(Clone, Copy)]
pub(crate) enum Ready<'m> {
    /// Without a channel operation.
    Alone,
    /// By a send to a buffer.
    Send(Channel<'m>),
    /// By receiving this message of a buffer.
    Receive(Channel<'m>, usize),
    /// By a send on a rendezvous channel, which needs a receiver.
    Handshake(Channel<'m>),
}

impl Log {
    pub(crate) fn new(model: &Model) -> Log {
        Log {
            tracing: false,
            findings: Vec::new(),
            output: String::new(),
            chain: Vec::new(),
            offered: false,
            covered: model.processes.iter().map(|p| vec![false; p.edges.len()]).collect(),
            at: (0, ProcessId(0), EdgeId(0)),
            message: Vec::new(),
        }
    }

    /// An empty log with the same settings.
    pub(crate) fn quiet(&self) -> Log {
        Log {
            covered: Vec::new(),
            findings: Vec::new(),
            output: String::new(),
            chain: Vec::new(),
            message: Vec::new(),
            ..*self
        }
    }

    pub(crate) fn clear(&mut self) {
        self.findings.clear();
        self.output.clear();
        self.chain.clear();
    }

    pub(crate) fn enter(&mut self, pid: usize, process: u32, edge: EdgeId) {
        self.at = (pid as u8, ProcessId(process), edge);
    }
}

impl Machine {
    pub(crate) fn edge(&self, process: u32, edge: EdgeId) -> &Edge {
        &self.model.process(ProcessId(process)).edges[edge.index()]
    }

    /// Records a finding at the edge that is being executed.
    #[cold]
    pub(crate) fn find(&self, log: &mut Log, kind: FindingKind) {
        let (pid, process, edge) = log.at;
        let span = self.edge(process.0, edge).span;
        log.findings.push(Finding { kind, pid, process, edge, span, within: Within::Edge });
    }

    #[inline]
    fn complain(&self, log: &mut Log, kind: Option<FindingKind>) {
        if let Some(kind) = kind {
            self.find(log, kind);
        }
    }

    /// Whether the edge is enabled, apart from a chain that it starts. The caller decides about `else`.
    #[inline(always)]
    pub(crate) fn ready(&self, edge: &Edge, env: &Env<'_>) -> Eval<Option<Ready<'_>>> {
        match &edge.guard {
            Guard::Always | Guard::Else => {}
            Guard::When(condition) => {
                if self.eval(condition, env)? == 0 {
                    return Ok(None);
                }
            }
            Guard::Youngest => {
                if env.pid + 1 != env.world.processes() {
                    return Ok(None);
                }
            }
        }
        edge.sync.as_ref().map_or(Ok(Some(Ready::Alone)), |sync| self.ready_to(sync, env))
    }

    /// Whether the channel operation is enabled.
    fn ready_to(&self, sync: &Sync, env: &Env<'_>) -> Eval<Option<Ready<'_>>> {
        match sync {
            Sync::Send { channel, .. } => {
                let channel = self.channel(channel, env)?;
                Ok(match channel.buffer.capacity {
                    0 => Some(Ready::Handshake(channel)),
                    _ if channel.is_full(env.world) => None,
                    _ => Some(Ready::Send(channel)),
                })
            }
            Sync::Receive { channel, args, anywhere, keep, condition } => {
                let channel = self.channel(channel, env)?;
                let Some(slot) = self.matching(channel, args, *anywhere, env)? else { return Ok(None) };
                if let Some(condition) = condition {
                    let mut message = Vec::new();
                    channel.read(slot, env.world, &mut message);
                    let mut world = env.world.clone();
                    if !keep {
                        channel.take(&mut world, slot);
                    }
                    if !self.agrees(world, env.pid, args, &message, condition)? {
                        return Ok(None);
                    }
                }
                Ok(Some(Ready::Receive(channel, slot)))
            }
        }
    }

    /// Whether the condition holds after the message is received. Faults of the receive itself are found by the step.
    pub(crate) fn agrees(
        &self,
        mut world: World,
        pid: usize,
        args: &[crate::ir::Pattern],
        message: &[i32],
        condition: &Expr,
    ) -> Eval<bool> {
        if self.receive(&mut world, pid, args, message).is_err() {
            return Ok(true);
        }
        Ok(self.eval(condition, &Env::new(&world, pid, false))? != 0)
    }

    /// The first enabled edge of a location inside an indivisible sequence.
    #[inline]
    pub(crate) fn chain_step(&self, env: &Env<'_>, at: LocId, log: &mut Log) -> Eval<Option<(EdgeId, Ready<'_>)>> {
        let process = env.at.process;
        for &id in &self.model.processes[process as usize].locations[at.index()].edges {
            log.enter(env.pid, process, id);
            match self.ready(self.edge(process, id), env)? {
                None => {}
                Some(Ready::Handshake(_)) => return fault(Fault::HandshakeInChain),
                Some(ready) => return Ok(Some((id, ready))),
            }
        }
        Ok(None)
    }

    /// Takes an enabled edge.
    #[inline]
    pub(crate) fn apply(
        &self,
        world: &mut World,
        pid: usize,
        id: EdgeId,
        ready: Ready<'_>,
        timeout: bool,
        log: &mut Log,
    ) -> Eval<()> {
        let at = world.process(pid);
        let edge = self.edge(at.process, id);
        log.enter(pid, at.process, id);
        match (&edge.sync, ready) {
            (Some(Sync::Send { args, sorted, .. }), Ready::Send(channel)) => {
                self.message(channel.buffer, args, &Env::new(world, pid, timeout), &mut log.message)?;
                channel.put(world, &log.message, *sorted);
                self.complain(log, channel.buffer.complain_of_fewer(args.len()));
                self.watch(world, pid, Direction::Send, channel.number, log);
            }
            (Some(Sync::Receive { args, keep, .. }), Ready::Receive(channel, slot)) => {
                channel.read(slot, world, &mut log.message);
                self.complain(log, channel.buffer.complain_of_fewer(args.len()));
                self.watch(world, pid, Direction::Receive, channel.number, log);
                if !keep {
                    channel.take(world, slot);
                }
                self.receive(world, pid, args, &log.message)?;
            }
            _ => {}
        }
        self.rest(world, pid, edge, timeout, log)?;
        log.covered[at.process as usize][id.index()] = true;
        Ok(())
    }

    /// Executes the part of an edge after its channel operation.
    #[inline]
    fn rest(&self, world: &mut World, pid: usize, edge: &Edge, timeout: bool, log: &mut Log) -> Eval<()> {
        let Some(entry) = edge.chain else { return self.finish(world, pid, edge, timeout, log) };
        match self.chain_step(&Env::new(world, pid, timeout), entry, log)? {
            Some(first) => self.run_chain(world, pid, first, timeout, log),
            None => fault(Fault::BlockedChain),
        }
    }

    /// Executes the effects of an edge and moves to its target.
    pub(crate) fn finish(&self, world: &mut World, pid: usize, edge: &Edge, timeout: bool, log: &mut Log) -> Eval<()> {
        for effect in &edge.effects {
            self.effect(world, pid, effect, timeout, log)?;
        }
        if let Some(&at) = world.shape.processes.get(pid) {
            self.layout.set_location(&mut world.bytes, at, edge.target);
        }
        // Inside an indivisible sequence `_last` is still the process that moved before it.
        if let Some(last) = self.layout.last
            && edge.then != Then::Chain
        {
            world.bytes[last] = pid as u8;
        }
        Ok(())
    }

    /// The message of a rendezvous. It is evaluated even if there is no receiver.
    pub(crate) fn offered(
        &self,
        world: &World,
        pid: usize,
        id: EdgeId,
        channel: Channel<'_>,
        log: &mut Log,
    ) -> Eval<Vec<i32>> {
        let at = world.process(pid);
        let edge = self.edge(at.process, id);
        log.enter(pid, at.process, id);
        let mut message = Vec::new();
        if let Some(Sync::Send { args, .. }) = &edge.sync {
            self.message(channel.buffer, args, &Env::new(world, pid, false), &mut message)?;
            self.complain(log, channel.buffer.complain_of_fewer(args.len()));
        }
        Ok(message)
    }

    /// Executes the sender's half of a rendezvous.
    pub(crate) fn offer(&self, world: &mut World, pid: usize, id: EdgeId, log: &mut Log) -> Eval<()> {
        self.finish(world, pid, self.edge(world.process(pid).process, id), false, log)
    }

    /// Executes the receiver's half of a rendezvous.
    pub(crate) fn accept(&self, world: &mut World, pid: usize, id: EdgeId, message: &[i32], log: &mut Log) -> Eval<()> {
        let at = world.process(pid);
        let edge = self.edge(at.process, id);
        log.enter(pid, at.process, id);
        if let Some(Sync::Receive { args, .. }) = &edge.sync {
            self.receive(world, pid, args, message)?;
        }
        self.rest(world, pid, edge, false, log)?;
        log.covered[at.process as usize][id.index()] = true;
        Ok(())
    }

    /// Executes an indivisible sequence (see [`Edge::chain`]) from its first edge, which is enabled.
    pub(crate) fn run_chain(
        &self,
        world: &mut World,
        pid: usize,
        first: (EdgeId, Ready<'_>),
        timeout: bool,
        log: &mut Log,
    ) -> Eval<()> {
        let process = world.process(pid).process;
        let mut next = first;
        let mut mark = Mark::default();
        for step in 0..MAX_CHAIN {
            let (id, ready) = next;
            self.apply(world, pid, id, ready, timeout, log)?;
            if log.tracing {
                log.chain.push(id);
            }
            let edge = self.edge(process, id);
            if edge.then != Then::Chain {
                return Ok(());
            }
            if mark.seen(step, &world.bytes) {
                break;
            }
            match self.chain_step(&Env::new(world, pid, timeout), edge.target, log)? {
                Some(step) => next = step,
                None => return fault(Fault::BlockedChain),
            }
        }
        Err(Box::new(FindingKind::EndlessSequence))
    }

    pub(crate) fn effect(
        &self,
        world: &mut World,
        pid: usize,
        effect: &Effect,
        timeout: bool,
        log: &mut Log,
    ) -> Eval<()> {
        let env = &Env::new(world, pid, timeout);
        match effect {
            Effect::Assign(place, value) => {
                let value = self.eval(value, env)?;
                self.assign(world, pid, place, value)
            }
            Effect::Assert(condition) => {
                if self.eval(condition, env)? == 0 {
                    self.find(log, FindingKind::Assertion);
                }
                Ok(())
            }
            Effect::Require { condition, message } => {
                if self.eval(condition, env)? == 0 {
                    return fault(Fault::Required(message.clone()));
                }
                Ok(())
            }
            Effect::Print(print) => {
                if log.tracing {
                    self.print(print, env, &mut log.output);
                }
                Ok(())
            }
            Effect::Run { process, args, priority, result } => {
                let args = args.iter().map(|a| self.eval(a, env)).collect::<Eval<Vec<i32>>>()?;
                let declared = self.model.processes[process.index()].priority;
                let priority = priority.as_ref().map_or(Ok(declared), |p| self.eval(p, env))?;
                let child = self.create(world, *process, &args, priority)?;
                result.as_ref().map_or(Ok(()), |place| self.assign(world, pid, place, child as i32))
            }
            Effect::SetPriority { pid: whose, priority } => {
                let (whose, priority) = (self.eval(whose, env)?, self.eval(priority, env)?);
                self.set_priority(world, whose, priority)
            }
            Effect::Remove => {
                let at = world.process(pid);
                let channels = self.layout.frames[at.process as usize].channels.len();
                world.bytes.truncate(at.offset as usize);
                let shape = world.reshape();
                shape.processes.truncate(pid);
                shape.channels.truncate(shape.channels.len() - channels);
                Ok(())
            }
        }
    }

    #[inline]
    pub(crate) fn assign(&self, world: &mut World, pid: usize, place: &Place, value: i32) -> Eval<()> {
        let env = &Env::new(world, pid, false);
        let (slot, at) = self.address(place, env, env.at)?;
        if let Some(range @ (low, high)) = slot.range
            && !(low..=high).contains(&value)
        {
            return fault(Fault::ValueOutOfRange { var: self.name_of(place.var, env.at), value, range });
        }
        slot.width.store(&mut world.bytes, at, slot.ty.wrap(value));
        Ok(())
    }

    fn set_priority(&self, world: &mut World, pid: i32, priority: i32) -> Eval<()> {
        let Some(&at) = usize::try_from(pid).ok().and_then(|pid| world.shape.processes.get(pid)) else {
            return Ok(());
        };
        if !(1..=255).contains(&priority) {
            return fault(Fault::BadPriority(priority));
        }
        if let Some(offset) = self.layout.frames[at.process as usize].priority {
            world.bytes[at.offset as usize + offset] = priority as u8;
        }
        Ok(())
    }

    /// Creates a process and returns its number.
    pub(crate) fn create(&self, world: &mut World, process: ProcessId, args: &[i32], priority: i32) -> Eval<usize> {
        let pid = world.processes();
        if pid >= MAX_ALIVE {
            return fault(Fault::TooManyProcesses);
        }
        let frame = &self.layout.frames[process.index()];
        if world.shape.channels.len() + frame.channels.len() > MAX_ALIVE {
            return fault(Fault::TooManyChannels);
        }
        let base = world.bytes.len();
        let first_channel = world.shape.channels.len() + 1;
        world.bytes.resize(base + frame.size, 0);
        world.bytes[base] = process.0 as u8;
        self.layout.enter(process.index(), base, world.reshape());
        if let Some(offset) = frame.priority {
            if !(1..=255).contains(&priority) {
                return fault(Fault::BadPriority(priority));
            }
            world.bytes[base + offset] = priority as u8;
        }
        let declared = &self.model.processes[process.index()];
        let at = world.process(pid);
        self.layout.set_location(&mut world.bytes, at, declared.entry);
        for (slot, value) in frame.locals.iter().zip(args) {
            world.store(slot, base, 0, *value);
        }
        let mut channel = first_channel;
        for (i, var) in declared.locals.iter().enumerate() {
            self.initialise(world, pid, VarRef::Local(crate::ir::VarId(i as u32)), &var.init, &mut channel)?;
        }
        Ok(pid)
    }

    /// Initialises a variable. `channel` is the number of the next channel it may name.
    pub(crate) fn initialise(
        &self,
        world: &mut World,
        pid: usize,
        var: VarRef,
        init: &Init,
        channel: &mut usize,
    ) -> Eval<()> {
        let (slot, base) = match var {
            VarRef::Global(id) => (&self.layout.globals[id.index()], 0),
            VarRef::Local(id) => {
                let at = world.process(pid);
                (&self.layout.frames[at.process as usize].locals[id.index()], at.offset as usize)
            }
        };
        let len: usize = slot.dims.iter().map(|d| *d as usize).product();
        let value = |world: &World, e: &Expr| {
            let env = if world.processes() == 0 { Env::outside(world) } else { Env::new(world, pid, false) };
            let env = &env;
            self.eval(e, env)
        };
        match init {
            Init::Zero | Init::Param => {}
            Init::All(expr) => {
                let value = value(world, expr)?;
                (0..len).for_each(|i| world.store(slot, base, i, value));
            }
            Init::List(exprs) => {
                for (i, expr) in exprs.iter().enumerate().take(len) {
                    let value = value(world, expr)?;
                    world.store(slot, base, i, value);
                }
            }
            Init::Channels(_) => {
                for i in 0..len {
                    world.store(slot, base, i, *channel as i32);
                    *channel += 1;
                }
            }
        }
        Ok(())
    }

    /// Appends the printed text. Arguments that may be a fault are evaluated by a separate effect, so printing never
    /// fails.
    fn print(&self, print: &Print, env: &Env<'_>, text: &mut String) {
        for piece in &print.pieces {
            let (Piece::Value(_, expr) | Piece::Symbol(_, expr)) = piece else {
                if let Piece::Text(literal) = piece {
                    text.push_str(literal);
                }
                continue;
            };
            let Ok(value) = self.eval(expr, env) else {
                text.push('?');
                continue;
            };
            text.push_str(&match piece {
                Piece::Value('x', _) => format!("{value:x}"),
                Piece::Value('o', _) => format!("{value:o}"),
                Piece::Value('u', _) => format!("{}", value as u32),
                Piece::Value('c', _) => char::from(value as u8).to_string(),
                Piece::Symbol(kind, _) => self.symbol(*kind, value),
                Piece::Value(..) | Piece::Text(_) => value.to_string(),
            });
        }
    }

    /// The name of a value of an enumeration.
    fn symbol(&self, kind: EnumId, value: i32) -> String {
        let symbols = &self.model.enums[kind.index()].symbols;
        let name = symbols.iter().find(|(_, v)| *v == value).map(|(name, _)| name.clone());
        name.unwrap_or_else(|| value.to_string())
    }
}

/// Brent's cycle detection: compares each state with the state at the last power of two.
#[derive(Clone, Default, Debug)]
pub(crate) struct Mark(Option<std::sync::Arc<[u8]>>);

impl Mark {
    /// Whether the state after step `step` occurred before. Short sequences are not tested.
    pub(crate) fn seen(&mut self, step: u32, bytes: &[u8]) -> bool {
        const FIRST: u32 = 256;
        if step < FIRST {
            return false;
        }
        if self.0.as_deref() == Some(bytes) {
            return true;
        }
        if step.is_power_of_two() {
            self.0 = Some(bytes.into());
        }
        false
    }
}
