//! Effects and channel operations of edges.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, types};
use kripke_model::ir::{Direction, Edge, Effect, Expr, Pattern, Then};
use kripke_model::layout::Width;

use super::channel::Channel;
use super::value::{Int, Num};
use super::{Env, Gen};
use crate::runtime::Call;

/// A channel operation that is known to be enabled.
#[derive(Debug)]
pub(super) enum Operation<'m> {
    None,
    Put { channel: Channel, message: Vec<Int>, sorted: bool },
    Get { channel: Channel, slot: Num, args: &'m [Pattern], keep: bool, condition: Option<&'m Expr> },
}

impl Gen<'_, '_> {
    pub(super) fn operate(&mut self, operation: &Operation<'_>, env: Env) {
        match operation {
            Operation::None => {}
            Operation::Put { channel, message, sorted } => {
                self.put(*channel, message, *sorted, env.world);
                self.check_claims(Direction::Send, channel.number, env);
                self.watch(Direction::Send, channel.number, message, env);
            }
            Operation::Get { channel, slot, args, keep, .. } => {
                if args.len() != self.buffer(*channel).fields.len() {
                    self.never();
                }
                let message = self.read(*channel, *slot, env.world);
                self.check_claims(Direction::Receive, channel.number, env);
                self.watch(Direction::Receive, channel.number, &message, env);
                if !keep {
                    self.take(*channel, *slot, env.world);
                }
                self.receive(args, &message, env);
            }
        }
    }

    /// Moves the trace automaton. A violation is left to the interpreter.
    pub(super) fn watch(&mut self, direction: Direction, number: Int, message: &[Int], env: Env) {
        if self.plan.model.trace.is_none() {
            return;
        }
        self.change_any();
        self.set_message(message);
        let len = self.len(env.world);
        let (len, number) = (self.num(len), self.int(number));
        let fields = self.int(Int::Const(message.len() as i32));
        let send = self.int(Int::Const(i32::from(direction == Direction::Send)));
        let args = [self.ctx, env.world.bytes, len, number, fields, send];
        let violated = self.call(Call::Follow, &args);
        let rare = self.rare;
        self.leave_if(violated, rare);
    }

    /// Stores the received fields from left to right.
    pub(super) fn receive(&mut self, args: &[Pattern], message: &[Int], env: Env) {
        for (arg, value) in args.iter().zip(message) {
            if let Pattern::Store(place) = arg {
                self.store(place, *value, env);
            }
        }
    }

    /// Executes the effects of an edge and moves to its target.
    pub(super) fn finish(&mut self, edge: &Edge, env: Env) {
        let mut removed = false;
        for effect in &edge.effects {
            self.effect(effect, env);
            removed |= matches!(effect, Effect::Remove);
        }
        let flags = self.flags(env.world);
        if !removed {
            let target = self.fb.ins().iconst(types::I32, i64::from(edge.target.0));
            let at = self.add(env.site.base, Num::known(1));
            let (pointer, offset) = self.pointer(env.world.bytes, at);
            let width = if self.frame(env.site.process).wide_location {
                self.fb.ins().istore16(flags, target, pointer, offset);
                Width::U16
            } else {
                self.fb.ins().istore8(flags, target, pointer, offset);
                Width::U8
            };
            self.change(at, width, Int::Const(edge.target.0 as i32));
        }
        if let Some(last) = self.plan.layout.last
            && edge.then != Then::Chain
        {
            let pid = self.num(env.site.pid);
            self.fb.ins().istore8(flags, pid, env.world.bytes, last as i32);
            let pid = self.narrow(env.site.pid);
            self.change(Num::known(last as i64), Width::U8, pid);
        }
    }

    fn effect(&mut self, effect: &Effect, env: Env) {
        match effect {
            Effect::Assign(place, value) => {
                let value = self.eval(value, env);
                self.store(place, value, env);
            }
            Effect::Assert(condition) | Effect::Require { condition, .. } => {
                let rare = self.rare;
                self.require_expr(condition, env, rare);
            }
            Effect::Print(_) => {}
            Effect::Run { process, args, priority, result } => {
                if self.plan.facts.fixed {
                    return self.never();
                }
                let args: Vec<Int> = args.iter().map(|a| self.eval(a, env)).collect();
                let declared = Int::Const(self.plan.model.processes[process.index()].priority);
                let priority = priority.as_ref().map_or(declared, |p| self.eval(p, env));
                let child = self.create(*process, &args, priority, env);
                if let Some(place) = result {
                    self.store(place, child, env);
                }
            }
            Effect::SetPriority { pid, priority } => self.set_priority(pid, priority, env),
            Effect::Remove if self.plan.facts.fixed => self.mark_gone(env),
            Effect::Remove => self.remove(env),
        }
    }

    fn set_priority(&mut self, pid: &Expr, priority: &Expr, env: Env) {
        self.change_any();
        let pid = self.eval(pid, env);
        let priority = self.eval(priority, env);
        let (pid, priority) = (self.int(pid), self.int(priority));
        let count = self.processes(env.world);
        let count = self.num(count);
        let args = [self.ctx, env.world.bytes, count, pid, priority];
        let failed = self.call(Call::SetPriority, &args);
        let rare = self.rare;
        self.leave_if(failed, rare);
    }

    /// Leaves the state to the interpreter if another process has an exclusive-access claim on the channel.
    fn check_claims(&mut self, direction: Direction, number: Int, env: Env) {
        if !self.plan.claims {
            return;
        }
        if !self.plan.facts.fixed {
            let number = self.int(number);
            let direction = self.fb.ins().iconst(types::I32, i64::from(direction == Direction::Send));
            let pid = self.num(env.site.pid);
            let count = self.processes(env.world);
            let count = self.num(count);
            let args = [self.ctx, env.world.bytes, count, pid, number, direction];
            let violated = self.call(Call::Claimed, &args);
            let rare = self.rare;
            return self.leave_if(violated, rare);
        }
        for other in 0..self.plan.facts.sites.len() {
            self.check_claims_of(other, direction, number, env);
        }
    }

    fn check_claims_of(&mut self, other: usize, direction: Direction, number: Int, env: Env) {
        let process = self.plan.facts.sites[other].process as usize;
        let claims = &self.plan.model.processes[process].claims;
        if env.site.pid == Num::known(other as i64) || !claims.iter().any(|c| c.direction == direction) {
            return;
        }
        let end = self.fb.create_block();
        if env.site.pid.as_known().is_none() {
            let differs = self.compare(IntCC::NotEqual, env.site.pid, Num::known(other as i64));
            self.require(differs, end);
        }
        let site = self.site_of(other);
        for claim in claims.iter().filter(|c| c.direction == direction) {
            let theirs = self.eval(&claim.channel, Env { site, timeout: false, ..env });
            if let (Int::Const(a), Int::Const(b)) = (theirs, number)
                && a != b
            {
                continue;
            }
            let (theirs, number) = (self.int(theirs), self.int(number));
            let same = self.fb.ins().icmp(IntCC::Equal, theirs, number);
            let rare = self.rare;
            self.leave_if(same, rare);
        }
        self.jump(end);
        self.fb.switch_to_block(end);
    }
}
