//! The function that tests whether a process is enabled, for `enabled` and for priorities.
//!
//! The test is weaker than being able to move: a send on a rendezvous channel and `else` always count.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, types};
use kripke_model::ir::{EdgeId, LocId, Sync};

use super::Gen;
use super::rendezvous::receives;
use crate::context::{Context, ask, status};

impl Gen<'_, '_> {
    /// Answers the query in the context.
    pub(super) fn enabled(&mut self) {
        let (yes, no) = (self.fb.create_block(), self.fb.create_block());
        let asked = self.context(types::I32, offset_of!(Context, ask));
        if self.process().provided.is_some() {
            let (check, go) = (self.fb.create_block(), self.fb.create_block());
            let ranked = self.fb.ins().band_imm_u(asked, i64::from(ask::PROVIDED));
            self.fb.ins().brif(ranked, check, &[], go, &[]);
            self.fb.switch_to_block(check);
            self.provided(no);
            self.jump(go);
            self.fb.switch_to_block(go);
        }
        let meet = self.fb.create_block();
        let meeting = self.fb.ins().band_imm_u(asked, i64::from(ask::MEET));
        self.leave_if(meeting, meet);
        for (location, block) in self.dispatch(no, |edges| !edges.is_empty()) {
            self.fb.switch_to_block(block);
            self.enabled_from(location, yes, no);
        }
        self.fb.switch_to_block(meet);
        let process = self.process();
        for (location, block) in self.dispatch(no, |edges| edges.iter().any(|id| receives(process, *id))) {
            self.fb.switch_to_block(block);
            self.can_receive_from(location, yes, no);
        }
        for (block, status) in [(yes, status::YES), (no, status::DONE)] {
            self.fb.switch_to_block(block);
            self.return_status(status);
        }
    }

    fn enabled_from(&mut self, location: LocId, yes: Block, no: Block) {
        for &id in &self.process().locations[location.index()].edges {
            let (edge, next) = (self.edge_of(id), self.fb.create_block());
            // A sequence without a channel operation in front is enabled if its first edge is.
            match edge.chain.filter(|_| edge.sync.is_none()) {
                None => self.enabled_edge(id, yes, next),
                Some(entry) => {
                    let begin = self.fb.create_block();
                    self.enabled_edge(id, begin, next);
                    self.fb.switch_to_block(begin);
                    for &first in &self.process().locations[entry.index()].edges {
                        let other = self.fb.create_block();
                        self.enabled_edge(first, yes, other);
                        self.fb.switch_to_block(other);
                    }
                    self.jump(next);
                }
            }
            self.fb.switch_to_block(next);
        }
        self.jump(no);
    }

    fn enabled_edge(&mut self, id: EdgeId, yes: Block, no: Block) {
        let (edge, env) = (self.edge_of(id), self.env(self.root));
        self.guard(&edge.guard, env, no);
        self.ready(edge, env, no, &mut |code, _| code.jump(yes));
    }

    /// Tests whether the process can receive from the channel of the offer.
    fn can_receive_from(&mut self, location: LocId, yes: Block, no: Block) {
        for &id in &self.process().locations[location.index()].edges {
            if let Some(Sync::Receive { channel, .. }) = &self.edge_of(id).sync {
                let mine = self.eval(channel, self.env(self.root));
                let mine = self.int(mine);
                let offered = self.context(types::I32, offset_of!(Context, offer_number));
                let same = self.fb.ins().icmp(IntCC::Equal, mine, offered);
                self.leave_if(same, yes);
            }
        }
        self.jump(no);
    }
}
