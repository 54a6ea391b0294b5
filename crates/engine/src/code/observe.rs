//! The function that evaluates the observer and the goal in a state.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use cranelift_frontend::Switch;
use kripke_model::ir::{Edge, Effect, Expr, Guard, LocId};
use kripke_model::layout::ObserverAt;

use super::value::{Int, Num};
use super::{Env, Gen, World};
use crate::context::{ACCEPTING, Context, GOAL, question, status};

impl Gen<'_, '_> {
    /// Stores one bit per edge of the observer's location in the context, set if the edge is enabled, and one bit for
    /// the goal.
    pub(super) fn observe(&mut self) {
        let env = Env { timeout: false, ..self.env(self.root) };
        let zero = self.fb.ins().iconst(types::I64, 0);
        self.set_context(zero, offset_of!(Context, observed));
        if let Some(goal) = &self.plan.model.goal {
            self.see(&goal.condition, env, GOAL);
        }
        if let Some(observer) = &self.plan.model.observer {
            if observer.labels {
                self.observe_labels();
            }
            let exit = self.fb.create_block();
            let at = self.observer_location(self.root);
            let mut switch = Switch::new();
            let locations = &observer.automaton.locations;
            let blocks: Vec<_> = locations.iter().map(|_| self.fb.create_block()).collect();
            for (i, block) in blocks.iter().enumerate() {
                switch.set_entry(i as u128, *block);
            }
            switch.emit(&mut self.fb, at, self.rare);
            for (location, block) in locations.iter().zip(blocks) {
                self.fb.switch_to_block(block);
                for (bit, id) in location.edges.iter().enumerate() {
                    self.observe_edge(&observer.automaton.edges[id.index()], env, 1 << bit);
                }
                self.jump(exit);
            }
            self.fb.switch_to_block(exit);
        }
        self.return_status(status::DONE);
    }

    /// Tests whether some process is at an accepting location.
    fn observe_labels(&mut self) {
        let accepting = if self.plan.facts.fixed {
            self.some_process_at(|location| location.accept)
        } else {
            let asked = self.ask(question::ACCEPTING, self.env(self.root), Int::Const(0));
            self.int(asked)
        };
        let next = self.fb.create_block();
        self.require(accepting, next);
        self.set_observed(ACCEPTING);
        self.jump(next);
        self.fb.switch_to_block(next);
    }

    /// Tests whether the edge is enabled. A failed assertion is left to the interpreter.
    fn observe_edge(&mut self, edge: &Edge, env: Env, bit: u64) {
        let next = self.fb.create_block();
        match &edge.guard {
            Guard::Always => {}
            Guard::When(condition) => self.require_expr(condition, env, next),
            Guard::Else => {
                let observed = self.context(types::I64, offset_of!(Context, observed));
                let others = self.fb.ins().band_imm_u(observed, !(GOAL | ACCEPTING) as i64);
                self.leave_if(others, next);
            }
            Guard::Youngest => {
                self.jump(next);
                return self.fb.switch_to_block(next);
            }
        }
        for effect in &edge.effects {
            if let Effect::Assert(condition) = effect {
                self.require_expr(condition, env, self.rare);
            }
        }
        self.set_observed(bit);
        self.jump(next);
        self.fb.switch_to_block(next);
    }

    fn see(&mut self, condition: &Expr, env: Env, bit: u64) {
        let next = self.fb.create_block();
        self.require_expr(condition, env, next);
        self.set_observed(bit);
        self.jump(next);
        self.fb.switch_to_block(next);
    }

    fn set_observed(&mut self, bit: u64) {
        let observed = self.context(types::I64, offset_of!(Context, observed));
        let bit = self.fb.ins().iconst(types::I64, bit as i64);
        let observed = self.fb.ins().bor(observed, bit);
        self.set_context(observed, offset_of!(Context, observed));
    }

    fn observer_location(&mut self, world: World) -> Value {
        let Some(ObserverAt { offset, wide }) = self.plan.layout.observer else {
            return self.int(Int::Const(0));
        };
        let low = self.byte(world, Num::known(offset as i64));
        if !wide {
            return low;
        }
        let high = self.byte(world, Num::known(offset as i64 + 1));
        let high = self.fb.ins().ishl_imm_u(high, 8);
        self.fb.ins().bor(high, low)
    }

    pub(super) fn observer_at(&mut self, locations: &[LocId], env: Env) -> Int {
        let at = self.observer_location(env.world);
        let mut found = self.fb.ins().iconst(types::I8, 0);
        for id in locations {
            let here = self.fb.ins().icmp_imm_u(IntCC::Equal, at, i64::from(id.0));
            found = self.fb.ins().bor(found, here);
        }
        Int::Value(self.fb.ins().uextend(types::I32, found))
    }
}
