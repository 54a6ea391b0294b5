//! The function for a point inside an atomic sequence: it executes the sequence as far as it is deterministic and
//! records the result.

use std::mem::{offset_of, size_of};

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};

use super::value::Int;
use super::{Gen, Role};
use crate::context::{Context, Pending, status};

impl Gen<'_, '_> {
    /// The root is the point, and the next free place of the buffer. Its sizes are in the context and stay there.
    pub(super) fn defer(&mut self) {
        let entry = self.cursor(offset_of!(Context, pending));
        let limit = self.context(types::I64, offset_of!(Context, pending_limit));
        let beyond = self.fb.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, entry, limit);
        let full = self.full;
        self.leave_if(beyond, full);
        let branches = self.run_on();
        let start = self.context(types::I64, offset_of!(Context, inner_start));
        let at = self.fb.ins().isub(self.root.bytes, start);
        let at = self.fb.ins().ireduce(types::I32, at);
        let len = self.len(self.root);
        let len = self.narrow(len);
        let pid = self.narrow(self.site.pid);
        let (len, pid) = (self.int(len), self.int(pid));
        for (value, offset) in [
            (at, offset_of!(Pending, at)),
            (len, offset_of!(Pending, len)),
            (pid, offset_of!(Pending, control)),
            (branches, offset_of!(Pending, branches)),
        ] {
            self.fb.ins().store(self.memory.context, value, entry, offset as i32);
        }
        let already = self.context(types::I32, offset_of!(Context, branches));
        let any = self.fb.ins().bor(already, branches);
        self.set_context(any, offset_of!(Context, branches));
        let end = self.end(self.root);
        self.set_context(end, offset_of!(Context, inner));
        self.advance(offset_of!(Context, pending), size_of::<Pending>());
        self.return_status(status::DONE);
    }

    /// Executes the sequence as long as one edge is enabled. Returns whether several are enabled.
    fn run_on(&mut self) -> Value {
        let Some(follow) = self.link(Role::Atomic, self.site) else {
            return self.fb.ins().iconst(types::I32, i64::from(status::BRANCH));
        };
        let end = self.join_block();
        if !self.plan.facts.fixed {
            let (alive, gone) = (self.fb.create_block(), self.fb.create_block());
            let count = self.processes(self.root);
            let here = self.compare(IntCC::UnsignedLessThan, self.site.pid, count);
            self.fb.ins().brif(here, alive, &[], gone, &[]);
            self.fb.switch_to_block(gone);
            self.join(end, Int::Const(status::DONE));
            self.fb.switch_to_block(alive);
        }
        let answer = self.call_linked(follow, self.root.bytes, self.site);
        let failed = self.fb.ins().icmp_imm_u(IntCC::UnsignedGreaterThan, answer, i64::from(status::BRANCH));
        self.return_if(failed, answer);
        self.load_counts(self.root.counts);
        self.join(end, Int::Value(answer));
        let branches = self.joined(end);
        self.int(branches)
    }
}
