//! The function that executes an atomic sequence in place, as long as exactly one edge is enabled.

use std::collections::HashMap;
use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, types};
use cranelift_frontend::{Switch, Variable};
use kripke_model::ir::{EdgeId, Effect, Guard, LocId, Then};

use super::edge::Ready;
use super::emit::Target;
use super::{Gen, Purpose};
use crate::context::{Context, status};

/// The number of steps after which a sequence is left to the interpreter.
const MAX_STEPS: i64 = 10_000;

struct Walk {
    blocks: HashMap<LocId, Block>,
    steps: Variable,
    /// Dispatches on the location in the state.
    dispatch: Block,
    /// Several edges are enabled.
    branch: Block,
    /// The state is to be stored.
    done: Block,
}

impl Gen<'_, '_> {
    /// Executes the sequence in the root state. Returns DONE if it ended or is blocked, BRANCH if several edges are
    /// enabled.
    pub(super) fn atomic(&mut self) {
        self.target = Target::Place;
        let (dispatch, branch, done) = (self.fb.create_block(), self.fb.create_block(), self.fb.create_block());
        let steps = self.fb.declare_var(types::I32);
        let zero = self.fb.ins().iconst(types::I32, 0);
        self.fb.def_var(steps, zero);
        self.jump(dispatch);
        self.fb.switch_to_block(dispatch);
        let mut walk = Walk { blocks: HashMap::new(), steps, dispatch, branch, done };
        let mut switch = Switch::new();
        for location in self.kept() {
            let block = self.fb.create_block();
            switch.set_entry(u128::from(location.0), block);
            walk.blocks.insert(location, block);
        }
        let location = self.location(self.root, self.site);
        switch.emit(&mut self.fb, location, branch);
        let mut locations: Vec<_> = walk.blocks.iter().map(|(l, b)| (*l, *b)).collect();
        locations.sort_unstable();
        for (location, block) in locations {
            self.fb.switch_to_block(block);
            self.provided(done);
            self.follow_from(&walk, location);
        }
        for (block, status) in [(branch, status::BRANCH), (done, status::DONE)] {
            self.fb.switch_to_block(block);
            self.save_counts(self.root.counts, offset_of!(Context, counts));
            self.return_status(status);
        }
    }

    /// The locations inside atomic sequences.
    fn kept(&self) -> Vec<LocId> {
        let process = self.process();
        let mut kept: Vec<LocId> = Vec::new();
        for edge in process.edges.iter().filter(|e| e.then == Then::Keep) {
            match edge.chain {
                None => kept.push(edge.target),
                // The locations at which the sequence ends.
                Some(_) => kept.extend(process.edges.iter().filter(|e| e.then != Then::Chain).map(|e| e.target)),
            }
        }
        kept.sort_unstable();
        kept.dedup();
        kept
    }

    fn follow_from(&mut self, walk: &Walk, location: LocId) {
        let process = self.process();
        let edges = &process.locations[location.index()].edges;
        let edge = |id: &EdgeId| &process.edges[id.index()];
        let (last, rest) = match edges.split_last() {
            None => return self.jump(walk.done),
            Some((last, rest)) if matches!(edge(last).guard, Guard::Else) => (Some(*last), rest),
            Some(_) => (None, &edges[..]),
        };
        let odd = edges.iter().any(|id| edge(id).level != edge(&edges[0]).level)
            || rest.iter().any(|id| matches!(edge(id).guard, Guard::Else))
            || edges.iter().any(|id| edge(id).chain.is_some() && (edge(id).sync.is_some() || rest.len() > 1))
            || last.is_some_and(|id| edge(&id).sync.is_some());
        if odd {
            return self.jump(walk.branch);
        }
        let none = self.fb.create_block();
        match rest {
            [] => self.jump(none),
            [only] => self.follow_edge(walk, *only, true, none),
            several => self.choose(walk, several, none),
        }
        self.fb.switch_to_block(none);
        match last {
            Some(id) => self.follow_edge(walk, id, true, walk.done),
            None => self.jump(walk.done),
        }
    }

    /// Determines the enabled edges; goes to `none` if there is none.
    fn choose(&mut self, walk: &Walk, edges: &[EdgeId], none: Block) {
        let chosen = self.variable(Purpose::Chosen, types::I32);
        let nothing = self.fb.ins().iconst(types::I32, 0);
        self.fb.def_var(chosen, nothing);
        for (i, &id) in edges.iter().enumerate() {
            let next = self.fb.create_block();
            let (edge, env) = (self.edge_of(id), self.env(self.root));
            self.guard(&edge.guard, env, next);
            self.ready(edge, env, next, &mut |code, ready| {
                if let Ready::Handshake(..) = ready {
                    return code.jump(walk.branch);
                }
                let already = code.fb.use_var(chosen);
                code.leave_if(already, walk.branch);
                let this = code.fb.ins().iconst(types::I32, i as i64 + 1);
                code.fb.def_var(chosen, this);
                code.jump(next);
            });
            self.fb.switch_to_block(next);
        }
        let mut switch = Switch::new();
        let blocks: Vec<Block> = edges.iter().map(|_| self.fb.create_block()).collect();
        for (i, block) in blocks.iter().enumerate() {
            switch.set_entry(i as u128 + 1, *block);
        }
        let chosen = self.fb.use_var(chosen);
        switch.emit(&mut self.fb, chosen, none);
        for (&id, block) in edges.iter().zip(blocks) {
            self.fb.switch_to_block(block);
            self.follow_edge(walk, id, false, none);
        }
    }

    /// Takes an edge in place and continues, or goes to `none`.
    fn follow_edge(&mut self, walk: &Walk, id: EdgeId, check: bool, none: Block) {
        let (edge, env) = (self.edge_of(id), self.env(self.root));
        if check {
            self.guard(&edge.guard, env, none);
        }
        self.ready(edge, env, none, &mut |code, ready| {
            let Ready::Now(operation) = ready else { return code.jump(walk.branch) };
            code.operate(&operation, env);
            if let Some(entry) = edge.chain {
                let end = code.fb.create_block();
                code.chain(entry, code.root, None, none, end);
                code.fb.switch_to_block(end);
            } else {
                code.finish(edge, env);
            }
            code.cover(code.site.process, id);
            let gone = edge.effects.iter().any(|e| matches!(e, Effect::Remove));
            if edge.then != Then::Keep || gone {
                return code.jump(walk.done);
            }
            let steps = code.fb.use_var(walk.steps);
            let steps = code.fb.ins().iadd_imm_s(steps, 1);
            code.fb.def_var(walk.steps, steps);
            let many = code.fb.ins().icmp_imm_s(IntCC::SignedGreaterThan, steps, MAX_STEPS);
            let rare = code.rare;
            code.leave_if(many, rare);
            match edge.chain {
                Some(_) => {
                    if !code.plan.facts.fixed {
                        let count = code.processes(code.root);
                        let alive = code.compare(IntCC::UnsignedLessThan, code.site.pid, count);
                        code.require(alive, walk.done);
                    }
                    code.jump(walk.dispatch);
                }
                None => code.jump(walk.blocks[&edge.target]),
            }
        });
    }
}
