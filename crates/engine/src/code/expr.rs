//! Expressions.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use kripke_model::ir::{BinaryOp, ChannelQuery, Expr, LocId, Pattern, ProcessId, UnaryOp};

use super::value::{Int, Num};
use super::{Env, Gen, Site, World};
use crate::context::{Context, question};
use crate::runtime::Call;

impl Gen<'_, '_> {
    pub(super) fn eval(&mut self, expr: &Expr, env: Env) -> Int {
        match expr {
            Expr::Const(c) => Int::Const(*c),
            Expr::Load(place) => self.load(place, env),
            Expr::Unary(op, a) => {
                let a = self.eval(a, env);
                self.unary(*op, a)
            }
            Expr::Binary(BinaryOp::And | BinaryOp::Or, ..) => self.truth(expr, env),
            Expr::Binary(op, a, b) => {
                let a = self.eval(a, env);
                let b = self.eval(b, env);
                self.binary(*op, a, b)
            }
            Expr::Cond(parts) => self.select(parts, env),
            Expr::Channel(query, channel) => self.query(*query, channel, env),
            Expr::Poll { channel, args, anywhere } => self.poll(channel, args, *anywhere, env),
            Expr::Pid => self.narrow(env.site.pid),
            Expr::ProcessCount => {
                let count = self.processes(env.world);
                self.narrow(count)
            }
            Expr::Last => match self.plan.layout.last {
                Some(at) => Int::Value(self.byte(env.world, Num::known(at as i64))),
                None => Int::Const(0),
            },
            Expr::Timeout if env.timeout && self.plan.model.uses_timeout => {
                Int::Value(self.context(types::I32, offset_of!(Context, timeout)))
            }
            Expr::Timeout => Int::Const(0),
            Expr::NonProgress => self.ask(question::NON_PROGRESS, env, Int::Const(0)),
            // The query may be circular, which the interpreter detects.
            Expr::Enabled(_) if !self.outside => {
                let (always, rare) = (self.fb.ins().iconst(types::I32, 1), self.rare);
                self.leave_if(always, rare);
                Int::Const(0)
            }
            Expr::Enabled(pid) => {
                let pid = self.eval(pid, env);
                if !env.timeout && self.plan.model.uses_timeout {
                    // The query would be evaluated with another value of `timeout`.
                    let (timeout, rare) = (self.context(types::I32, offset_of!(Context, timeout)), self.rare);
                    self.leave_if(timeout, rare);
                }
                self.ask(question::ENABLED, env, pid)
            }
            Expr::Location(pid) => {
                let pid = self.eval(pid, env);
                self.ask(question::LOCATION, env, pid)
            }
            Expr::Priority(pid) => {
                let pid = self.eval(pid, env);
                self.ask(question::PRIORITY, env, pid)
            }
            Expr::At { process, pid, locations } => self.at(*process, pid.as_deref(), locations, env),
            Expr::Remote { process, pid, place } => self.either(|code, missing, join| {
                let owner = code.named(*process, pid.as_deref(), env, missing);
                let value = code.load_from(place, env, owner);
                code.join(join, value);
            }),
            Expr::ObserverAt(locations) => self.observer_at(locations, env),
            // Standard input is always at its end.
            Expr::Input => Int::Const(-1),
            Expr::Fault(_) => {
                let (always, rare) = (self.fb.ins().iconst(types::I8, 1), self.rare);
                self.leave_if(always, rare);
                Int::Const(0)
            }
        }
    }

    /// Branches on an expression: to `yes` if it is not 0, to `no` otherwise. The current block is terminated.
    pub(super) fn branch(&mut self, expr: &Expr, env: Env, yes: Block, no: Block) {
        match expr {
            Expr::Binary(BinaryOp::And, a, b) => {
                let more = self.fb.create_block();
                self.branch(a, env, more, no);
                self.fb.switch_to_block(more);
                self.branch(b, env, yes, no);
            }
            Expr::Binary(BinaryOp::Or, a, b) => {
                let more = self.fb.create_block();
                self.branch(a, env, yes, more);
                self.fb.switch_to_block(more);
                self.branch(b, env, yes, no);
            }
            Expr::Unary(UnaryOp::Not, a) => self.branch(a, env, no, yes),
            _ => match self.eval(expr, env) {
                Int::Const(0) => self.jump(no),
                Int::Const(_) => self.jump(yes),
                Int::Value(v) => {
                    self.fb.ins().brif(v, yes, &[], no, &[]);
                }
            },
        }
    }

    /// Goes to `otherwise` if the expression is 0; continues in a new block.
    pub(super) fn require_expr(&mut self, expr: &Expr, env: Env, otherwise: Block) {
        let next = self.fb.create_block();
        self.branch(expr, env, next, otherwise);
        self.fb.switch_to_block(next);
    }

    /// The truth value, 0 or 1, by branches.
    fn truth(&mut self, expr: &Expr, env: Env) -> Int {
        let (yes, no, join) = (self.fb.create_block(), self.fb.create_block(), self.join_block());
        self.branch(expr, env, yes, no);
        self.fb.switch_to_block(yes);
        self.join(join, Int::Const(1));
        self.fb.switch_to_block(no);
        self.join(join, Int::Const(0));
        self.joined(join)
    }

    fn select(&mut self, parts: &[Expr; 3], env: Env) -> Int {
        let [test, first, second] = parts;
        let (yes, no, join) = (self.fb.create_block(), self.fb.create_block(), self.join_block());
        self.branch(test, env, yes, no);
        for (block, expr) in [(yes, first), (no, second)] {
            self.fb.switch_to_block(block);
            let value = self.eval(expr, env);
            self.join(join, value);
        }
        self.joined(join)
    }

    pub(super) fn join_block(&mut self) -> Block {
        let join = self.fb.create_block();
        self.fb.append_block_param(join, types::I32);
        join
    }

    pub(super) fn join(&mut self, join: Block, value: Int) {
        let value = self.int(value);
        self.fb.ins().jump(join, &[value.into()]);
    }

    pub(super) fn joined(&mut self, join: Block) -> Int {
        self.fb.switch_to_block(join);
        Int::Value(self.fb.block_params(join)[0])
    }

    /// The value computed by `found`, or 0 if it goes to the block for missing values.
    fn either(&mut self, found: impl FnOnce(&mut Self, Block, Block)) -> Int {
        let (missing, join) = (self.fb.create_block(), self.join_block());
        found(self, missing, join);
        self.fb.switch_to_block(missing);
        self.join(join, Int::Const(0));
        self.joined(join)
    }

    fn unary(&mut self, op: UnaryOp, a: Int) -> Int {
        match (op, a) {
            (UnaryOp::Neg, Int::Const(a)) => Int::Const(a.wrapping_neg()),
            (UnaryOp::Not, Int::Const(a)) => Int::Const(i32::from(a == 0)),
            (UnaryOp::Complement, Int::Const(a)) => Int::Const(!a),
            (UnaryOp::Neg, Int::Value(a)) => Int::Value(self.fb.ins().ineg(a)),
            (UnaryOp::Complement, Int::Value(a)) => Int::Value(self.fb.ins().bnot(a)),
            (UnaryOp::Not, Int::Value(a)) => {
                let zero = self.fb.ins().icmp_imm_s(IntCC::Equal, a, 0);
                Int::Value(self.fb.ins().uextend(types::I32, zero))
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, a: Int, b: Int) -> Int {
        if let (Int::Const(a), Int::Const(b)) = (a, b) {
            match op.apply(a, b) {
                Some(value) => return Int::Const(value),
                None => {
                    self.never();
                    return Int::Const(0);
                }
            }
        }
        if let BinaryOp::Div | BinaryOp::Rem = op {
            return self.divide(op, a, b);
        }
        let (a, b) = (self.int(a), self.int(b));
        if let Some(condition) = comparison(op) {
            let holds = self.fb.ins().icmp(condition, a, b);
            return Int::Value(self.fb.ins().uextend(types::I32, holds));
        }
        let ins = self.fb.ins();
        Int::Value(match op {
            BinaryOp::Add => ins.iadd(a, b),
            BinaryOp::Sub => ins.isub(a, b),
            BinaryOp::Mul => ins.imul(a, b),
            BinaryOp::BitAnd => ins.band(a, b),
            BinaryOp::BitOr => ins.bor(a, b),
            BinaryOp::BitXor => ins.bxor(a, b),
            BinaryOp::Shl => ins.ishl(a, b),
            _ => ins.sshr(a, b),
        })
    }

    /// Division and remainder. Division by zero is left to the interpreter; division by -1 does not trap.
    fn divide(&mut self, op: BinaryOp, a: Int, b: Int) -> Int {
        let known = match b {
            Int::Const(0) => {
                self.never();
                return Int::Const(0);
            }
            Int::Const(b) => Some(b),
            Int::Value(b) => {
                let rare = self.rare;
                self.require(b, rare);
                None
            }
        };
        let (a, b) = (self.int(a), self.int(b));
        let quotient = |code: &mut Self, b: Value| match op {
            BinaryOp::Div => code.fb.ins().sdiv(a, b),
            _ => code.fb.ins().srem(a, b),
        };
        if known.is_some_and(|b| b != -1) {
            return Int::Value(quotient(self, b));
        }
        let minus = self.fb.ins().icmp_imm_s(IntCC::Equal, b, -1);
        let one = self.fb.ins().iconst(types::I32, 1);
        let safe = self.fb.ins().select(minus, one, b);
        let value = quotient(self, safe);
        let special = match op {
            BinaryOp::Div => self.fb.ins().ineg(a),
            _ => self.fb.ins().iconst(types::I32, 0),
        };
        Int::Value(self.fb.ins().select(minus, special, value))
    }

    /// Calls the runtime with a query about a state.
    pub(super) fn ask(&mut self, question: u32, env: Env, about: Int) -> Int {
        self.save_counts(env.world.counts, offset_of!(Context, asked));
        let question = self.fb.ins().iconst(types::I32, i64::from(question));
        let about = self.int(about);
        let args = [self.ctx, env.world.bytes, question, about];
        let answer = self.call(Call::Answer, &args);
        let rare = self.rare;
        let known = self.fb.ins().icmp_imm_s(IntCC::SignedGreaterThanOrEqual, answer, 0);
        self.require(known, rare);
        Int::Value(answer)
    }

    fn at(&mut self, process: ProcessId, pid: Option<&Expr>, locations: &[LocId], env: Env) -> Int {
        self.either(|code, missing, join| {
            let owner = code.named(process, pid, env, missing);
            let location = code.location(env.world, owner);
            let mut found = code.fb.ins().iconst(types::I8, 0);
            for id in locations {
                let here = code.fb.ins().icmp_imm_u(IntCC::Equal, location, i64::from(id.0));
                found = code.fb.ins().bor(found, here);
            }
            let found = code.fb.ins().uextend(types::I32, found);
            code.join(join, Int::Value(found));
        })
    }

    /// The process of a remote reference: the process with this number if it has this type, or the first process of
    /// the type.
    fn named(&mut self, process: ProcessId, pid: Option<&Expr>, env: Env, missing: Block) -> Site {
        let facts = self.plan.facts;
        let Some(pid) = pid else {
            if !facts.fixed {
                return self.first_of(process, env, missing);
            }
            let found = facts.sites.iter().position(|s| s.process == process.0);
            return match found {
                Some(pid) => self.site_of(pid),
                None => self.absent(process, missing),
            };
        };
        match self.eval(pid, env) {
            Int::Const(pid) if facts.fixed => match facts.sites.get(pid as usize) {
                Some(site) if pid >= 0 && site.process == process.0 => self.site_of(pid as usize),
                _ => self.absent(process, missing),
            },
            pid => {
                let number = self.widen(pid);
                let count = self.processes(env.world);
                let alive = self.compare(IntCC::UnsignedLessThan, number, count);
                self.require(alive, missing);
                let base = self.base_of(number);
                let same = if facts.fixed {
                    self.is_of_type(number, process)
                } else {
                    let ty = self.byte(env.world, base);
                    self.fb.ins().icmp_imm_u(IntCC::Equal, ty, i64::from(process.0))
                };
                self.require(same, missing);
                Site { process: process.0, pid: number, base }
            }
        }
    }

    /// A placeholder for a process that does not exist. The following code is unreachable.
    fn absent(&mut self, process: ProcessId, missing: Block) -> Site {
        self.jump(missing);
        self.begin();
        let nowhere = Num::computed(self.fb.ins().iconst(types::I64, 0));
        Site { process: process.0, pid: nowhere, base: nowhere }
    }

    /// A process of the fixed set.
    pub(super) fn site_of(&self, pid: usize) -> Site {
        let site = self.plan.facts.sites[pid];
        Site { process: site.process, pid: Num::known(pid as i64), base: Num::known(i64::from(site.base)) }
    }

    fn first_of(&mut self, process: ProcessId, env: Env, missing: Block) -> Site {
        let count = self.processes(env.world);
        let count = self.num(count);
        let process_value = self.fb.ins().iconst(types::I32, i64::from(process.0));
        let args = [self.ctx, env.world.bytes, count, process_value];
        let pid = self.call(Call::FirstOf, &args);
        let found = self.fb.ins().icmp_imm_s(IntCC::SignedGreaterThanOrEqual, pid, 0);
        self.require(found, missing);
        let pid = self.widen(Int::Value(pid));
        let base = self.base_of(pid);
        Site { process: process.0, pid, base }
    }

    /// Tests whether the process with this number has this type.
    fn is_of_type(&mut self, number: Num, process: ProcessId) -> Value {
        let mut found = self.fb.ins().iconst(types::I8, 0);
        let sites = self.plan.facts.sites.iter().enumerate();
        for (pid, _) in sites.filter(|(_, site)| site.process == process.0) {
            let here = self.compare(IntCC::Equal, number, Num::known(pid as i64));
            found = self.fb.ins().bor(found, here);
        }
        found
    }

    pub(super) fn base_of(&mut self, pid: Num) -> Num {
        let offset = self.times(pid, 4);
        let (pointer, at) = self.pointer(self.ctx, offset);
        let at = at + offset_of!(Context, processes) as i32;
        let base = self.fb.ins().load(types::I32, self.memory.context, pointer, at);
        self.widen(Int::Value(base))
    }

    pub(super) fn byte(&mut self, world: World, at: Num) -> Value {
        let (pointer, offset) = self.pointer(world.bytes, at);
        let flags = self.flags(world);
        self.fb.ins().uload8(types::I32, flags, pointer, offset)
    }

    pub(super) fn location(&mut self, world: World, site: Site) -> Value {
        let at = self.add(site.base, Num::known(1));
        let (pointer, offset) = self.pointer(world.bytes, at);
        let flags = self.flags(world);
        if self.frame(site.process).wide_location {
            self.fb.ins().uload16(types::I32, flags, pointer, offset)
        } else {
            self.fb.ins().uload8(types::I32, flags, pointer, offset)
        }
    }

    fn query(&mut self, query: ChannelQuery, channel: &Expr, env: Env) -> Int {
        let join = self.join_block();
        self.with_channel(channel, env, &mut |code, channel| {
            let capacity = code.plan.layout.buffers[channel.declaration as usize].capacity as i64;
            let rendezvous = capacity == 0;
            let value = match query {
                ChannelQuery::Len | ChannelQuery::Full | ChannelQuery::NotEmpty if rendezvous => Int::Const(0),
                ChannelQuery::Empty | ChannelQuery::NotFull if rendezvous => Int::Const(1),
                _ => {
                    let len = code.byte(env.world, channel.at);
                    let compare = match query {
                        ChannelQuery::Len => None,
                        ChannelQuery::Empty => Some((IntCC::Equal, 0)),
                        ChannelQuery::NotEmpty => Some((IntCC::NotEqual, 0)),
                        ChannelQuery::Full => Some((IntCC::Equal, capacity)),
                        ChannelQuery::NotFull => Some((IntCC::NotEqual, capacity)),
                    };
                    Int::Value(match compare {
                        None => len,
                        Some((condition, with)) => {
                            let holds = code.fb.ins().icmp_imm_u(condition, len, with);
                            code.fb.ins().uextend(types::I32, holds)
                        }
                    })
                }
            };
            code.join(join, value);
        });
        self.joined(join)
    }

    fn poll(&mut self, channel: &Expr, args: &[Pattern], anywhere: bool, env: Env) -> Int {
        self.either(|code, missing, join| {
            code.with_channel(channel, env, &mut |code, channel| {
                if code.plan.layout.buffers[channel.declaration as usize].capacity == 0 {
                    let rare = code.rare;
                    return code.jump(rare);
                }
                code.matching(channel, args, anywhere, env, missing);
                code.join(join, Int::Const(1));
            });
        })
    }
}

fn comparison(op: BinaryOp) -> Option<IntCC> {
    Some(match op {
        BinaryOp::Eq => IntCC::Equal,
        BinaryOp::Ne => IntCC::NotEqual,
        BinaryOp::Lt => IntCC::SignedLessThan,
        BinaryOp::Le => IntCC::SignedLessThanOrEqual,
        BinaryOp::Gt => IntCC::SignedGreaterThan,
        BinaryOp::Ge => IntCC::SignedGreaterThanOrEqual,
        _ => return None,
    })
}
