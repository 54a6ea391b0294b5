//! Moves along an edge from the state under expansion.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use cranelift_frontend::Variable;
use kripke_model::ir::{Edge, EdgeId, Expr, Guard, LocId, Sync};

use super::channel::Channel;
use super::effect::Operation;
use super::emit::Target;
use super::value::{Int, Num};
use super::{Env, Fresh, Gen, Role, Site, World};
use crate::context::{Context, status};
use crate::runtime::Call;

impl<'a> Gen<'a, '_> {
    /// Makes every move of an edge if it is enabled, and continues at `next`. `won` is set if a move was made.
    pub(super) fn edge(&mut self, id: EdgeId, next: Block, won: Option<Variable>) {
        let edge = self.edge_of(id);
        let env = self.env(self.root);
        self.guard(&edge.guard, env, next);
        self.ready(edge, env, next, &mut |code, ready| match ready {
            Ready::Now(operation) => code.take_edge(id, &operation, next, won),
            Ready::Handshake(channel, args) => code.offer(id, channel, args, next, won),
        });
    }

    /// Goes to `otherwise` if some process is at a committed location and this one is not.
    pub(super) fn yield_to_committed(&mut self, here: LocId, otherwise: Block) {
        if self.plan.facts.committed && !self.process().locations[here.index()].committed {
            let urgent = self.context(types::I32, offset_of!(Context, urgent));
            self.leave_if(urgent, otherwise);
        }
    }

    /// Goes to `otherwise` if the guard does not hold.
    pub(super) fn guard(&mut self, guard: &Guard, env: Env, otherwise: Block) {
        match guard {
            Guard::Always | Guard::Else => {}
            Guard::When(condition) => self.require_expr(condition, env, otherwise),
            Guard::Youngest => {
                let count = self.processes(env.world);
                let after = self.add(env.site.pid, Num::known(1));
                let youngest = self.compare(IntCC::Equal, after, count);
                self.require(youngest, otherwise);
            }
        }
    }

    /// Goes to `otherwise` if the channel operation is disabled. `body` generates the code for the enabled case, once
    /// per possible channel layout; it must terminate its block.
    pub(super) fn ready(
        &mut self,
        edge: &'a Edge,
        env: Env,
        otherwise: Block,
        body: &mut dyn FnMut(&mut Self, Ready<'a>),
    ) {
        match &edge.sync {
            None => body(self, Ready::Now(Operation::None)),
            Some(Sync::Send { channel, args, sorted }) => self.with_channel(channel, env, &mut |code, channel| {
                let capacity = code.buffer(channel).capacity;
                if capacity == 0 {
                    return body(code, Ready::Handshake(channel, args));
                }
                let len = code.byte(env.world, channel.at);
                let room = code.fb.ins().icmp_imm_u(IntCC::UnsignedLessThan, len, capacity as i64);
                code.require(room, otherwise);
                let message = code.message(channel, args, env);
                body(code, Ready::Now(Operation::Put { channel, message, sorted: *sorted }));
            }),
            Some(Sync::Receive { channel, args, anywhere, keep, condition }) => {
                self.with_channel(channel, env, &mut |code, channel| {
                    if code.buffer(channel).capacity == 0 {
                        return code.jump(otherwise);
                    }
                    let slot = code.matching(channel, args, *anywhere, env, otherwise);
                    let (keep, condition) = (*keep, condition.as_ref());
                    body(code, Ready::Now(Operation::Get { channel, slot, args, keep, condition }));
                })
            }
        }
    }

    fn take_edge(&mut self, id: EdgeId, operation: &Operation<'a>, next: Block, won: Option<Variable>) {
        let edge = self.edge_of(id);
        let target = Target::of(edge.then);
        let world = self.room(target);
        if let Some(entry) = edge.chain {
            let done = self.fb.create_block();
            if let Operation::None = operation {
                self.chain(entry, world, Some(target), next, done);
            } else {
                self.fill(world, target);
                self.operate(operation, self.env(world));
                let rare = self.rare;
                self.chain(entry, world, None, rare, done);
            }
            self.fb.switch_to_block(done);
        } else {
            self.fill(world, target);
            self.fresh();
            self.operate(operation, self.env(world));
            if let Operation::Get { condition: Some(condition), .. } = operation {
                self.require_expr(condition, Env { timeout: false, ..self.env(world) }, next);
            }
            self.finish(edge, self.env(world));
            self.fresh = None;
        }
        self.cover(self.site.process, id);
        self.commit(world, target);
        self.win(won);
        self.jump(next);
    }

    /// From here on, variables that are not yet written are read from the root.
    pub(super) fn fresh(&mut self) {
        self.fresh = Some(Fresh { from: self.root.bytes, written: Default::default() });
    }

    pub(super) fn win(&mut self, won: Option<Variable>) {
        if let Some(won) = won {
            let yes = self.fb.ins().iconst(types::I8, 1);
            self.fb.def_var(won, yes);
        }
    }

    /// Executes the sender's half of a rendezvous; the runtime then calls the receivers.
    fn offer(&mut self, id: EdgeId, channel: Channel, args: &[Expr], next: Block, won: Option<Variable>) {
        let edge = self.edge_of(id);
        let before = Env { timeout: false, ..self.env(self.root) };
        let fields = self.buffer(channel).fields.len();
        let receivers = self.receivers(channel);
        // The test for receivers is much cheaper than an offer.
        if edge.effects.is_empty() && args.len() == fields && args.iter().all(|a| self.safe(a, self.site)) {
            let found = self.has_receiver(&receivers);
            self.require(found, next);
        }
        let message = self.message(channel, args, before);
        self.set_message(&message);
        let world = self.room(Target::Half);
        self.fill(world, Target::Half);
        self.fresh();
        self.finish(edge, Env { world, ..before });
        self.fresh = None;
        if self.plan.words.is_some() {
            let to = self.fb.ins().iadd_imm_s(self.ctx, offset_of!(Context, half_words) as i64);
            self.write_words(world, to);
        }
        self.set_context(self.root.bytes, offset_of!(Context, before));
        let number = self.int(channel.number);
        self.set_context(number, offset_of!(Context, offer_number));
        let fields = self.int(Int::Const(message.len() as i32));
        self.set_context(fields, offset_of!(Context, offer_fields));
        let before = self.made();
        self.save_counts(world.counts, offset_of!(Context, counts));
        self.ask_receivers(&receivers, world);
        self.save_counts(self.root.counts, offset_of!(Context, counts));
        if won.is_some() || self.plan.coverage {
            let after = self.made();
            let same = self.fb.ins().icmp(IntCC::Equal, before, after);
            self.leave_if(same, next);
            self.cover(self.site.process, id);
            self.win(won);
        }
        self.jump(next);
    }
}

impl Gen<'_, '_> {
    /// The possible receivers on the channel, the youngest first, with a test of their location. It is empty if the
    /// set of processes is not fixed.
    fn receivers(&mut self, channel: Channel) -> Vec<(Site, Value)> {
        let mut all = Vec::new();
        for pid in (0..self.plan.facts.sites.len()).rev() {
            let (site, locations) = (self.site_of(pid), self.receiving(pid, channel.number));
            if locations.is_empty() || self.site.pid == site.pid {
                continue;
            }
            let at = self.location(self.root, site);
            let mut here = self.one_of(at, &locations, site.process);
            if self.site.pid.as_known().is_none() {
                let differs = self.compare(IntCC::NotEqual, self.site.pid, site.pid);
                here = self.fb.ins().band(here, differs);
            }
            all.push((site, here));
        }
        all
    }

    /// Whether there may be a receiver.
    fn has_receiver(&mut self, receivers: &[(Site, Value)]) -> Value {
        if self.plan.facts.fixed {
            let none = self.fb.ins().iconst(types::I8, 0);
            return receivers.iter().fold(none, |any, (_, here)| self.fb.ins().bor(any, *here));
        }
        let count = self.processes(self.root);
        let (count, pid) = (self.num(count), self.num(self.site.pid));
        let args = [self.ctx, self.root.bytes, count, pid];
        self.call(Call::Receiver, &args)
    }

    /// Calls the possible receivers in the state after the sender's half.
    fn ask_receivers(&mut self, receivers: &[(Site, Value)], half: World) {
        debug_assert_eq!(status::DONE, 0);
        if !self.plan.facts.fixed {
            let count = self.processes(half);
            let (count, pid) = (self.num(count), self.num(self.site.pid));
            let args = [self.ctx, half.bytes, count, pid];
            let answer = self.call(Call::Handshake, &args);
            return self.return_if(answer, answer);
        }
        for &(site, here) in receivers {
            let other = self.fb.create_block();
            self.require(here, other);
            if let Some(accept) = self.link(Role::Accept, site) {
                let answer = self.call_linked(accept, half.bytes, site);
                self.return_if(answer, answer);
            }
            self.jump(other);
            self.fb.switch_to_block(other);
        }
    }

    /// The locations at which a process may receive from a channel.
    fn receiving(&self, pid: usize, number: Int) -> Vec<u32> {
        let site = self.site_of(pid);
        let process = &self.plan.model.processes[site.process as usize];
        let receives = |id: &EdgeId| match (&process.edges[id.index()].sync, number) {
            (Some(Sync::Receive { channel, .. }), Int::Const(n)) => self.always(channel, site).is_none_or(|m| m == n),
            (Some(Sync::Receive { .. }), Int::Value(_)) => true,
            _ => false,
        };
        let locations = process.locations.iter().enumerate();
        locations.filter(|(_, l)| l.edges.iter().any(receives)).map(|(i, _)| i as u32).collect()
    }

    /// Tests whether the location of a process is one of these. For many locations the test is an over-approximation.
    fn one_of(&mut self, at: Value, locations: &[u32], process: u32) -> Value {
        if let [only] = locations {
            return self.fb.ins().icmp_imm_u(IntCC::Equal, at, i64::from(*only));
        }
        if self.plan.model.processes[process as usize].locations.len() > 64 {
            return self.fb.ins().iconst(types::I8, 1);
        }
        let set = locations.iter().fold(0u64, |set, l| set | 1 << l);
        let set = self.fb.ins().iconst(types::I64, set as i64);
        let shifted = self.fb.ins().ushr(set, at);
        let bit = self.fb.ins().ireduce(types::I8, shifted);
        self.fb.ins().band_imm_u(bit, 1)
    }
}

/// The way in which an edge can be taken.
#[derive(Debug)]
pub(super) enum Ready<'m> {
    Now(Operation<'m>),
    /// By a rendezvous, if there is a receiver.
    Handshake(Channel, &'m [Expr]),
}
