//! The function that makes every move of a state. It calls the function of each process, the youngest first.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use cranelift_frontend::Switch;
use kripke_model::ir::Location;

use super::value::{Int, Num};
use super::{Gen, Role, Site};
use crate::context::{Context, Mark, status};

impl Gen<'_, '_> {
    /// With `marks`, the code records which process has which successors.
    pub(super) fn successors(&mut self, marks: bool) {
        let timeout = offset_of!(Context, timeout);
        let (top, exit) = (self.fb.create_block(), self.fb.create_block());
        let before = self.plan.model.uses_timeout.then(|| {
            let no = self.int(Int::Const(0));
            self.set_context(no, timeout);
            self.made()
        });
        self.note_committed();
        self.jump(top);
        self.fb.switch_to_block(top);
        if self.plan.facts.fixed {
            for pid in (0..self.plan.facts.sites.len()).rev() {
                self.moves_of(self.site_of(pid));
                if marks {
                    self.mark(Num::known(pid as i64));
                }
            }
        } else {
            self.each_process(marks);
        }
        if let Some(before) = before {
            // No process can move: all are tried again with `timeout` true.
            let after = self.made();
            let still = self.fb.ins().icmp(IntCC::Equal, before, after);
            self.require(still, exit);
            let already = self.context(types::I32, timeout);
            self.leave_if(already, exit);
            let yes = self.int(Int::Const(1));
            self.set_context(yes, timeout);
            self.jump(top);
        } else {
            self.jump(exit);
        }
        self.fb.switch_to_block(exit);
        self.return_status(status::DONE);
    }

    /// Records whether some process is at a committed location.
    fn note_committed(&mut self) {
        if !self.plan.facts.committed {
            return;
        }
        let urgent = self.some_process_at(|location| location.committed);
        let urgent = self.fb.ins().uextend(types::I32, urgent);
        self.set_context(urgent, offset_of!(Context, urgent));
    }

    /// Whether some process of the fixed set is at such a location.
    pub(super) fn some_process_at(&mut self, wanted: impl Fn(&Location) -> bool) -> Value {
        let mut found = self.fb.ins().iconst(types::I8, 0);
        for pid in 0..self.plan.facts.sites.len() {
            let site = self.site_of(pid);
            let locations = self.plan.model.processes[site.process as usize].locations.iter().enumerate();
            let these: Vec<u32> = locations.filter(|(_, l)| wanted(l)).map(|(i, _)| i as u32).collect();
            if !these.is_empty() {
                let at = self.location(self.root, site);
                let here = self.any_of(at, &these);
                found = self.fb.ins().bor(found, here);
            }
        }
        found
    }

    /// Whether the location is one of these. The test is exact for any number of locations.
    fn any_of(&mut self, at: Value, locations: &[u32]) -> Value {
        let mut found = self.fb.ins().iconst(types::I8, 0);
        for set in 0..=locations.iter().max().map_or(0, |l| l / 64) {
            let bits = locations.iter().filter(|l| *l / 64 == set).fold(0u64, |bits, l| bits | 1 << (l % 64));
            if bits == 0 {
                continue;
            }
            let bits = self.fb.ins().iconst(types::I64, bits as i64);
            let at = self.fb.ins().uextend(types::I64, at);
            let from = self.fb.ins().iadd_imm_s(at, -64 * i64::from(set));
            let within = self.fb.ins().icmp_imm_u(IntCC::UnsignedLessThan, from, 64);
            let shifted = self.fb.ins().ushr(bits, from);
            let bit = self.fb.ins().ireduce(types::I8, shifted);
            let here = self.fb.ins().band(bit, within);
            found = self.fb.ins().bor(found, here);
        }
        self.fb.ins().band_imm_u(found, 1)
    }

    /// Calls the function of each process in the tables.
    fn each_process(&mut self, marks: bool) {
        let (top, end) = (self.fb.create_block(), self.fb.create_block());
        let left = self.fb.append_block_param(top, types::I64);
        let count = self.processes(self.root);
        let count = self.num(count);
        self.fb.ins().jump(top, &[count.into()]);
        self.fb.switch_to_block(top);
        self.require(left, end);
        let pid = self.add(Num::computed(left), Num::known(-1));
        let pid = Num::computed(self.num(pid));
        let base = self.base_of(pid);
        let ty = self.byte(self.root, base);
        let mut switch = Switch::new();
        let blocks: Vec<_> = (0..self.plan.model.processes.len()).map(|_| self.fb.create_block()).collect();
        for (process, block) in blocks.iter().enumerate() {
            switch.set_entry(process as u128, *block);
        }
        switch.emit(&mut self.fb, ty, self.rare);
        for (process, block) in blocks.into_iter().enumerate() {
            self.fb.switch_to_block(block);
            self.moves_of(Site { process: process as u32, pid, base });
            if marks {
                self.mark(pid);
            }
            let pid = self.num(pid);
            self.fb.ins().jump(top, &[pid.into()]);
        }
        self.fb.switch_to_block(end);
    }

    /// Records the number of successors after the moves of a process.
    fn mark(&mut self, pid: Num) {
        let made = if self.plan.facts.fixed { offset_of!(Context, out) } else { offset_of!(Context, ends) };
        let (made, pending) = (self.cursor(made), self.cursor(offset_of!(Context, pending)));
        let pid = self.num(pid);
        let offset = self.fb.ins().imul_imm_s(pid, size_of::<Mark>() as i64);
        let mark = self.fb.ins().iadd(self.ctx, offset);
        let at = offset_of!(Context, marks);
        self.fb.ins().store(self.memory.context, made, mark, (at + offset_of!(Mark, made)) as i32);
        self.fb.ins().store(self.memory.context, pending, mark, (at + offset_of!(Mark, pending)) as i32);
    }

    fn moves_of(&mut self, site: Site) {
        if let Some(moves) = self.link(Role::Moves, site) {
            let answer = self.call_linked(moves, self.root.bytes, site);
            self.return_if(answer, answer);
        }
    }
}
