//! The function for the receiver's half of a rendezvous.

use std::collections::BTreeMap;
use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, types};
use cranelift_frontend::{Switch, Variable};
use kripke_model::ir::{Direction, EdgeId, Guard, LocId, Pattern, Process, Sync};

use super::emit::Target;
use super::value::Int;
use super::{Env, Gen, Purpose, World};
use crate::context::{Context, status};

impl Gen<'_, '_> {
    /// Makes one move per edge that accepts the offer in the context. The root is the state after the sender's half.
    pub(super) fn accept(&mut self) {
        let exit = self.fb.create_block();
        self.provided(exit);
        self.ranked(true, exit);
        let process = self.process();
        let blocks = self.dispatch(exit, |edges| edges.iter().any(|id| receives(process, *id)));
        for (location, block) in blocks {
            self.fb.switch_to_block(block);
            self.yield_to_committed(location, exit);
            self.accept_at(location);
            self.jump(exit);
        }
        self.fb.switch_to_block(exit);
        self.return_status(status::DONE);
    }

    fn accept_at(&mut self, location: LocId) {
        let process = self.process();
        let edges = process.locations[location.index()].edges.iter().copied();
        let edges: Vec<EdgeId> = edges.filter(|id| receives(process, *id)).collect();
        let Some(groups) = self.by_channel(&edges) else { return self.accept_by(&edges, false) };
        let (mut switch, end) = (Switch::new(), self.fb.create_block());
        let blocks: Vec<Block> = groups.iter().map(|_| self.fb.create_block()).collect();
        for (number, block) in groups.keys().zip(&blocks) {
            switch.set_entry(u128::from(*number), *block);
        }
        let offered = self.context(types::I32, offset_of!(Context, offer_number));
        switch.emit(&mut self.fb, offered, end);
        for (edges, block) in groups.values().zip(blocks) {
            self.fb.switch_to_block(block);
            self.accept_by(edges, true);
            self.jump(end);
        }
        self.fb.switch_to_block(end);
    }

    /// The edges by the number of the channel they receive from, if all numbers are known and there are many edges.
    fn by_channel(&self, edges: &[EdgeId]) -> Option<BTreeMap<u32, Vec<EdgeId>>> {
        let mut groups: BTreeMap<u32, Vec<EdgeId>> = BTreeMap::new();
        for &id in edges {
            let Some(Sync::Receive { channel, .. }) = &self.edge_of(id).sync else { continue };
            groups.entry(self.always(channel, self.site)? as u32).or_default().push(id);
        }
        (groups.len() > 2).then_some(groups)
    }

    /// Tries the edges by level. Lower levels take precedence.
    fn accept_by(&mut self, edges: &[EdgeId], same_channel: bool) {
        let process = self.process();
        let level = |id: EdgeId| process.edges[id.index()].level;
        let levels = edges.iter().any(|id| level(*id) != level(edges[0]));
        let won = levels.then(|| {
            let won = self.variable(Purpose::Won, types::I8);
            let no = self.fb.ins().iconst(types::I8, 0);
            self.fb.def_var(won, no);
            won
        });
        let end = self.fb.create_block();
        for (i, &id) in edges.iter().enumerate() {
            if let (Some(won), true) = (won, i > 0 && level(id) != level(edges[i - 1])) {
                let won = self.fb.use_var(won);
                self.leave_if(won, end);
            }
            let next = self.fb.create_block();
            self.accept_edge(id, same_channel, next, won);
            self.fb.switch_to_block(next);
        }
        self.jump(end);
        self.fb.switch_to_block(end);
    }

    fn accept_edge(&mut self, id: EdgeId, same_channel: bool, next: Block, won: Option<Variable>) {
        let edge = self.edge_of(id);
        let Some(Sync::Receive { channel, args, condition, .. }) = &edge.sync else { return self.jump(next) };
        let env = self.env(self.root);
        let offered = self.context(types::I32, offset_of!(Context, offer_number));
        if !same_channel {
            let mine = self.eval(channel, env);
            let mine = self.int(mine);
            let same = self.fb.ins().icmp(IntCC::Equal, mine, offered);
            self.require(same, next);
        }
        if let Guard::When(condition) = &edge.guard {
            let bytes = self.context(types::I64, offset_of!(Context, before));
            let before = Env { world: World { bytes, ..self.root }, ..env };
            self.require_expr(condition, before, next);
        }
        let fields = self.context(types::I32, offset_of!(Context, offer_fields));
        let fewer = self.fb.ins().icmp_imm_u(IntCC::UnsignedLessThan, fields, args.len() as i64);
        let rare = self.rare;
        self.leave_if(fewer, rare);
        let message: Vec<Int> = (0..args.len())
            .map(|i| Int::Value(self.context(types::I32, offset_of!(Context, message) + 4 * i)))
            .collect();
        for (arg, field) in args.iter().zip(&message) {
            if let Pattern::Match(expr) = arg {
                let wanted = self.eval(expr, env);
                let (wanted, field) = (self.int(wanted), self.int(*field));
                let same = self.fb.ins().icmp(IntCC::Equal, wanted, field);
                self.require(same, next);
            }
        }
        let target = Target::of(edge.then);
        let world = self.room(target);
        self.fill(world, target);
        self.fresh();
        let env = Env { world, timeout: false, ..env };
        if self.plan.model.trace.is_some() {
            // The trace automaton reads all fields, including those that are not received.
            let more = self.fb.ins().icmp_imm_u(IntCC::NotEqual, fields, args.len() as i64);
            let rare = self.rare;
            self.leave_if(more, rare);
            for direction in [Direction::Send, Direction::Receive] {
                self.watch(direction, Int::Value(offered), &message, env);
            }
        }
        self.receive(args, &message, env);
        if let Some(condition) = condition {
            self.require_expr(condition, env, next);
        }
        if let Some(entry) = edge.chain {
            self.fresh = None;
            let (done, rare) = (self.fb.create_block(), self.rare);
            let timeouts = std::mem::replace(&mut self.timeouts, false);
            self.chain(entry, world, None, rare, done);
            self.timeouts = timeouts;
            self.fb.switch_to_block(done);
        } else {
            self.finish(edge, env);
        }
        self.fresh = None;
        self.cover(self.site.process, id);
        self.commit(world, target);
        self.win(won);
        self.jump(next);
    }
}

/// Whether an edge receives.
pub(super) fn receives(process: &Process, id: EdgeId) -> bool {
    matches!(process.edges[id.index()].sync, Some(Sync::Receive { .. }))
}
