//! The function that makes every move of a process.

use cranelift_codegen::ir::{Block, InstBuilder, types};
use cranelift_frontend::Switch;
use kripke_model::ir::{EdgeId, Guard, LocId};

use super::{Gen, Purpose};
use crate::context::{question, status};

impl Gen<'_, '_> {
    pub(super) fn moves(&mut self) {
        let exit = self.fb.create_block();
        self.provided(exit);
        self.ranked(false, exit);
        let blocks = self.dispatch(exit, |edges| !edges.is_empty());
        for (location, block) in blocks {
            self.fb.switch_to_block(block);
            self.moves_at(location);
            self.jump(exit);
        }
        self.fb.switch_to_block(exit);
        self.return_status(status::DONE);
    }

    /// Goes to `otherwise` unless the `provided` clause allows the process to move.
    pub(super) fn provided(&mut self, otherwise: Block) {
        if let Some(clause) = &self.process().provided {
            self.require_expr(clause, self.env(self.root), otherwise);
        }
    }

    /// Goes to `otherwise` if a process of higher priority is enabled (or can receive the offer).
    pub(super) fn ranked(&mut self, meeting: bool, otherwise: Block) {
        if self.plan.model.uses_priorities {
            let question = if meeting { question::OUTRANKED_RECEIVER } else { question::OUTRANKED };
            let pid = self.narrow(self.site.pid);
            let outranked = self.ask(question, self.env(self.root), pid);
            let outranked = self.int(outranked);
            self.leave_if(outranked, otherwise);
        }
    }

    /// Goes to the block of the process's location, or to `otherwise` if the location is not wanted.
    pub(super) fn dispatch(&mut self, otherwise: Block, wanted: impl Fn(&[EdgeId]) -> bool) -> Vec<(LocId, Block)> {
        let mut switch = Switch::new();
        let mut blocks = Vec::new();
        for (i, location) in self.process().locations.iter().enumerate() {
            if wanted(&location.edges) {
                let block = self.fb.create_block();
                switch.set_entry(i as u128, block);
                blocks.push((LocId(i as u32), block));
            }
        }
        let location = self.location(self.root, self.site);
        switch.emit(&mut self.fb, location, otherwise);
        blocks
    }

    /// The moves from one location. Lower levels take precedence; `else` is tried last.
    fn moves_at(&mut self, location: LocId) {
        let edges = &self.process().locations[location.index()].edges;
        let level = |id: EdgeId| self.edge_of(id).level;
        let levels = edges.iter().any(|id| level(*id) != level(edges[0]));
        let is_else = |id: &EdgeId| matches!(self.edge_of(*id).guard, Guard::Else);
        let won = if levels || edges.iter().skip(1).any(is_else) {
            let won = self.variable(Purpose::Won, types::I8);
            let no = self.fb.ins().iconst(types::I8, 0);
            self.fb.def_var(won, no);
            Some(won)
        } else {
            None
        };
        let end = self.fb.create_block();
        self.yield_to_committed(location, end);
        for (i, &id) in edges.iter().enumerate() {
            let next = self.fb.create_block();
            let edge = self.edge_of(id);
            if let (Some(won), true) = (won, i > 0) {
                if edge.level != self.edge_of(edges[i - 1]).level {
                    let won = self.fb.use_var(won);
                    self.leave_if(won, end);
                } else if matches!(edge.guard, Guard::Else) {
                    let won = self.fb.use_var(won);
                    self.leave_if(won, next);
                }
            }
            self.edge(id, next, won);
            self.fb.switch_to_block(next);
        }
        self.jump(end);
        self.fb.switch_to_block(end);
    }
}
