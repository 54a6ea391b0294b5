//! Indivisible sequences: straight-line code and loops.

use std::collections::HashMap;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, types};
use cranelift_frontend::Variable;
use kripke_model::ir::{EdgeId, Effect, LocId, Then};

use super::edge::Ready;
use super::emit::Target;
use super::{Env, Gen, Purpose, World};

/// The number of iterations after which a sequence is left to the interpreter.
const MAX_ROUNDS: i64 = 100_000;

/// A sequence under construction.
struct Chain {
    world: World,
    blocks: HashMap<LocId, Block>,
    queue: Vec<LocId>,
    rounds: Variable,
    done: Block,
}

impl Gen<'_, '_> {
    /// Executes an indivisible sequence in `world` and goes to `done`, or to `missed` if its first edge is disabled.
    /// If `copy` is given, the world is copied from the root when the sequence is known to start.
    pub(super) fn chain(&mut self, entry: LocId, world: World, copy: Option<Target>, missed: Block, done: Block) {
        if !self.is_straight(entry) {
            self.branch_changes();
        }
        let rounds = self.variable(Purpose::Rounds, types::I32);
        let zero = self.fb.ins().iconst(types::I32, 0);
        self.fb.def_var(rounds, zero);
        let mut chain = Chain { world, blocks: HashMap::new(), queue: Vec::new(), rounds, done };
        self.chain_location(&mut chain, entry, copy, missed);
        while let Some(location) = chain.queue.pop() {
            self.fb.switch_to_block(chain.blocks[&location]);
            let rare = self.rare;
            self.chain_location(&mut chain, location, None, rare);
        }
    }

    /// Whether a sequence has only one path: no location has two edges, and no edge uses a channel.
    fn is_straight(&self, entry: LocId) -> bool {
        let (mut location, mut steps) = (entry, 0);
        loop {
            let [id] = self.process().locations[location.index()].edges[..] else { return false };
            let edge = self.edge_of(id);
            steps += 1;
            if edge.sync.is_some() || steps > self.process().locations.len() {
                return false;
            }
            if edge.then != Then::Chain {
                return true;
            }
            location = edge.target;
        }
    }

    /// Takes the first enabled edge of a location.
    fn chain_location(&mut self, chain: &mut Chain, location: LocId, copy: Option<Target>, missed: Block) {
        for &id in &self.process().locations[location.index()].edges {
            let next = self.fb.create_block();
            self.chain_step(chain, id, copy, next);
            self.fb.switch_to_block(next);
        }
        self.jump(missed);
    }

    fn chain_step(&mut self, chain: &mut Chain, id: EdgeId, copy: Option<Target>, next: Block) {
        let edge = self.edge_of(id);
        let read = Env { world: if copy.is_some() { self.root } else { chain.world }, ..self.env(chain.world) };
        self.guard(&edge.guard, read, next);
        self.ready(edge, read, next, &mut |code, ready| {
            let rare = code.rare;
            let Ready::Now(operation) = ready else { return code.jump(rare) };
            // A process of the fixed set that is gone is only marked, and the sequence may go on.
            let removes = code.plan.facts.fixed && edge.effects.iter().any(|effect| matches!(effect, Effect::Remove));
            if edge.chain.is_some() || removes {
                return code.jump(rare);
            }
            if let Some(target) = copy {
                code.fill(chain.world, target);
                code.fresh();
            }
            code.operate(&operation, code.env(chain.world));
            code.finish(edge, code.env(chain.world));
            code.fresh = None;
            code.cover(code.site.process, id);
            match edge.then {
                Then::Chain => code.chain_on(chain, edge.target),
                Then::Yield | Then::Keep => code.jump(chain.done),
            }
        });
    }

    /// Continues at a location. A jump to a visited location may close a loop, whose iterations are counted.
    fn chain_on(&mut self, chain: &mut Chain, location: LocId) {
        if let Some(&block) = chain.blocks.get(&location) {
            let rounds = self.fb.use_var(chain.rounds);
            let rounds = self.fb.ins().iadd_imm_s(rounds, 1);
            self.fb.def_var(chain.rounds, rounds);
            let many = self.fb.ins().icmp_imm_s(IntCC::SignedGreaterThan, rounds, MAX_ROUNDS);
            let rare = self.rare;
            self.leave_if(many, rare);
            return self.jump(block);
        }
        let block = self.fb.create_block();
        chain.blocks.insert(location, block);
        chain.queue.push(location);
        self.jump(block);
    }
}
