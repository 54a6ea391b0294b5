//! Creation and removal of processes.

use std::mem::{offset_of, size_of};

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use kripke_model::ir::{Init, ProcessId};
use kripke_model::layout::{ChannelAt, MAX_ALIVE};

use super::emit::Target;
use super::value::{Int, Num};
use super::{Counts, Env, Gen, Plan, Role, Site};
use crate::context::{Context, SLACK};
use crate::runtime::{Call, GONE};

/// The number of bytes up to which a frame is cleared by inline code.
const INLINE: usize = 128;

impl Gen<'_, '_> {
    /// Creates a process at the end of the state and returns its number.
    pub(super) fn create(&mut self, process: ProcessId, args: &[Int], priority: Int, env: Env) -> Int {
        let frame = self.frame(process.0);
        let pid = self.processes(env.world);
        let base = self.len(env.world);
        let first_channel = self.channels(env.world);
        self.require_below(pid, Num::known(MAX_ALIVE as i64));
        if !frame.channels.is_empty() {
            let limit = MAX_ALIVE + 1 - frame.channels.len().min(MAX_ALIVE + 1);
            self.require_below(first_channel, Num::known(limit as i64));
        }
        self.require_room(frame.size, base, env);
        self.clear_frame(frame.size, base, env);
        let site = Site { process: process.0, pid, base };
        let child = Env { site, timeout: false, ..env };
        self.enter(first_channel, child);
        let byte = |code: &mut Self, at: usize, value: Value, wide: bool| {
            let at = code.add(base, Num::known(at as i64));
            let (pointer, offset) = code.pointer(env.world.bytes, at);
            let flags = code.flags(env.world);
            if wide {
                code.fb.ins().istore16(flags, value, pointer, offset);
            } else {
                code.fb.ins().istore8(flags, value, pointer, offset);
            }
        };
        let ty = self.fb.ins().iconst(types::I32, i64::from(process.0));
        byte(self, 0, ty, false);
        if let Some(at) = frame.priority {
            let value = self.int(priority);
            let above = self.fb.ins().iadd_imm_s(value, -1);
            let above = self.widen(Int::Value(above));
            self.require_below(above, Num::known(255));
            byte(self, at, value, false);
        }
        let declared = &self.plan.model.processes[process.index()];
        let entry = self.fb.ins().iconst(types::I32, i64::from(declared.entry.0));
        byte(self, 1, entry, frame.wide_location);
        for (slot, value) in frame.locals.iter().zip(args) {
            self.store_local(slot, 0, *value, child);
        }
        self.initialise(first_channel, child);
        self.narrow(pid)
    }

    /// Tests that the buffer has capacity for the new process.
    fn require_room(&mut self, size: usize, base: Num, env: Env) {
        let end = self.add(base, Num::known((size + SLACK) as i64));
        let (pointer, offset) = self.pointer(env.world.bytes, end);
        let end = self.fb.ins().iadd_imm_s(pointer, i64::from(offset));
        let limit = self.context(types::I64, self.target.limit());
        let room = self.fb.ins().icmp(IntCC::UnsignedLessThanOrEqual, end, limit);
        let full = self.full;
        self.require(room, full);
    }

    fn clear_frame(&mut self, size: usize, base: Num, env: Env) {
        let (pointer, offset) = self.pointer(env.world.bytes, base);
        let flags = self.flags(env.world);
        if size > INLINE {
            let start = self.fb.ins().iadd_imm_s(pointer, i64::from(offset));
            let size = self.fb.ins().iconst(types::I64, size as i64);
            self.call(Call::Clear, &[start, size]);
            return;
        }
        // The slack after the state absorbs the excess bytes.
        let zero = self.fb.ins().iconst(types::I64, 0);
        for at in (0..size).step_by(8) {
            self.fb.ins().store(flags, zero, pointer, offset + at as i32);
        }
    }

    /// Adds the new process and its channels to the tables. States grow and shrink only at the end, so entries after
    /// those of the state under expansion are free.
    fn enter(&mut self, first_channel: Num, child: Env) {
        let frame = self.frame(child.site.process);
        let at = self.times(child.site.pid, 4);
        let (pointer, offset) = self.pointer(self.ctx, at);
        let base = self.num(child.site.base);
        let base = self.fb.ins().ireduce(types::I32, base);
        let table = offset_of!(Context, processes) as i32;
        self.fb.ins().store(self.memory.context, base, pointer, offset + table);
        let at = self.times(first_channel, size_of::<ChannelAt>() as i64);
        let (pointer, offset) = self.pointer(self.ctx, at);
        let table = offset + offset_of!(Context, channels) as i32;
        for (i, channel) in frame.channels.iter().enumerate() {
            let entry = table + (i * size_of::<ChannelAt>()) as i32;
            let declaration = self.fb.ins().iconst(types::I32, i64::from(channel.declaration));
            let at = self.fb.ins().iadd_imm_s(base, i64::from(channel.offset));
            let flags = self.memory.context;
            let (first, second) = (offset_of!(ChannelAt, declaration) as i32, offset_of!(ChannelAt, offset) as i32);
            self.fb.ins().store(flags, declaration, pointer, entry + first);
            self.fb.ins().store(flags, at, pointer, entry + second);
        }
        if let Counts::Varying { len, processes, channels } = child.world.counts {
            for (var, old, more) in [
                (len, child.site.base, frame.size),
                (processes, child.site.pid, 1),
                (channels, first_channel, frame.channels.len()),
            ] {
                let new = self.add(old, Num::known(more as i64));
                let new = self.num(new);
                self.fb.def_var(var, new);
            }
        }
    }

    fn initialise(&mut self, first_channel: Num, child: Env) {
        let frame = self.frame(child.site.process);
        let declared = &self.plan.model.processes[child.site.process as usize];
        let mut next_channel = 1;
        for (var, slot) in declared.locals.iter().zip(&frame.locals) {
            match &var.init {
                Init::Zero | Init::Param => {}
                Init::All(expr) => {
                    let value = self.eval(expr, child);
                    (0..var.len()).for_each(|i| self.store_local(slot, i, value, child));
                }
                Init::List(exprs) => {
                    for (i, expr) in exprs.iter().enumerate().take(var.len()) {
                        let value = self.eval(expr, child);
                        self.store_local(slot, i, value, child);
                    }
                }
                Init::Channels(_) => {
                    for i in 0..var.len() {
                        let number = self.add(first_channel, Num::known(next_channel));
                        let number = self.narrow(number);
                        self.store_local(slot, i, number, child);
                        next_channel += 1;
                    }
                }
            }
        }
    }

    /// Removes the executing process, which is the youngest, from a state of the fixed set of processes. Such a state has a fixed
    /// length, so the process is only marked, and missing when the state is converted to words. A state that is stored otherwise, or
    /// that code would go on with, is left to other code.
    pub(super) fn mark_gone(&mut self, env: Env) {
        let Plan { words, portable, model, facts, .. } = self.plan;
        let is_watched = model.goal.is_some() || model.observer.is_some() || model.trace.is_some();
        let is_youngest = env.site.pid == Num::known(facts.sites.len() as i64 - 1);
        let is_stored =
            matches!((self.role, self.target), (Role::Moves, Target::Batch) | (Role::Atomic, Target::Place));
        let has_mark = words.is_some() && !portable && model.processes.len() <= usize::from(GONE);
        if is_watched || !is_youngest || !is_stored || !has_mark {
            return self.never();
        }
        let (pointer, offset) = self.pointer(env.world.bytes, env.site.base);
        let (flags, gone) = (self.flags(env.world), self.fb.ins().iconst(types::I32, i64::from(GONE)));
        self.fb.ins().istore8(flags, gone, pointer, offset);
        self.change_any();
    }

    /// Removes the executing process, which is the youngest.
    pub(super) fn remove(&mut self, env: Env) {
        let count = self.processes(env.world);
        let after = self.add(env.site.pid, Num::known(1));
        let youngest = self.compare(IntCC::Equal, after, count);
        let rare = self.rare;
        self.require(youngest, rare);
        if let Counts::Varying { len, processes, channels } = env.world.counts {
            let own = self.frame(env.site.process).channels.len() as i64;
            let left = self.channels(env.world);
            let left = self.add(left, Num::known(-own));
            for (var, value) in [(len, env.site.base), (processes, env.site.pid), (channels, left)] {
                let value = self.num(value);
                self.fb.def_var(var, value);
            }
        }
    }
}
