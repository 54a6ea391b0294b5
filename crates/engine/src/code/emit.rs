//! Output of new states: successors to the batch, points inside atomic sequences to a separate buffer.

use std::mem::{offset_of, size_of};

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Type, Value, types};
use kripke_model::ir::Then;

use super::{Counts, Gen, Role, World};
use crate::context::Context;
use crate::runtime::Call;

/// The number of bytes up to which states are copied by inline code: for fast code, and for small code.
const INLINE: usize = 256;
const INLINE_SMALL: usize = 96;

/// The purpose of a new state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Target {
    Batch,
    Inner,
    /// The state after the sender's half of a rendezvous.
    Half,
    /// A point inside an atomic sequence, which is modified in place.
    Place,
}

impl Target {
    pub(super) fn of(then: Then) -> Target {
        if then == Then::Keep { Target::Inner } else { Target::Batch }
    }

    /// The offset in the context of the end of the buffer.
    pub(super) fn limit(self) -> usize {
        match self {
            Target::Batch => offset_of!(Context, out_limit),
            Target::Inner | Target::Place => offset_of!(Context, inner_limit),
            Target::Half => offset_of!(Context, half_limit),
        }
    }
}

impl Gen<'_, '_> {
    /// The offset in the context of the next free byte. It is kept in memory: a register would not be faster and
    /// takes longer to compile.
    pub(super) fn cursor(&mut self, offset: usize) -> Value {
        self.context(types::I64, offset)
    }

    pub(super) fn advance(&mut self, offset: usize, by: usize) {
        let old = self.cursor(offset);
        let new = self.fb.ins().iadd_imm_s(old, by as i64);
        self.set_context(new, offset);
    }

    /// A value that changes with every new state.
    pub(super) fn made(&mut self) -> Value {
        // States of varying length may be empty.
        let made = if self.plan.facts.fixed { offset_of!(Context, out) } else { offset_of!(Context, ends) };
        let made = self.cursor(made);
        let pending = self.cursor(offset_of!(Context, pending));
        self.fb.ins().iadd(made, pending)
    }

    /// The memory for a state that is made from the root.
    pub(super) fn room(&mut self, target: Target) -> World {
        let bytes = match target {
            Target::Batch if self.plan.words.is_some() => self.context(types::I64, offset_of!(Context, scratch)),
            Target::Batch => self.cursor(offset_of!(Context, out)),
            Target::Inner => self.cursor(offset_of!(Context, inner)),
            Target::Half => self.context(types::I64, offset_of!(Context, half)),
            Target::Place => self.root.bytes,
        };
        self.target = target;
        self.begin_changes(target);
        World { bytes, counts: self.copy_counts(self.root.counts), root: false }
    }

    /// Copies the root to the new state.
    pub(super) fn fill(&mut self, world: World, target: Target) {
        let limit = self.context(types::I64, target.limit());
        let full = self.full;
        let len = self.len(self.root);
        let last = match len.as_known() {
            Some(_) if target == Target::Batch && self.plan.words.is_some() => self.cursor(offset_of!(Context, out)),
            Some(_) => world.bytes,
            None => {
                let len = self.num(len);
                self.fb.ins().iadd(world.bytes, len)
            }
        };
        let beyond = self.fb.ins().icmp(IntCC::UnsignedGreaterThan, last, limit);
        self.leave_if(beyond, full);
        match len.as_known() {
            Some(len) => self.copy_exactly(world.bytes, len as usize),
            None => {
                let len = self.num(len);
                self.copy_loop(world.bytes, len);
            }
        }
    }

    fn copy_exactly(&mut self, to: Value, len: usize) {
        if len > if self.plan.small { INLINE_SMALL } else { INLINE } {
            let len = self.fb.ins().iconst(types::I64, len as i64);
            self.call(Call::Copy, &[to, self.root.bytes, len]);
            return;
        }
        let (from, to_flags) = (self.flags(self.root), self.memory.world);
        for (at, ty) in overlapping(len) {
            let value = self.fb.ins().load(ty, from, self.root.bytes, at as i32);
            self.fb.ins().store(to_flags, value, to, at as i32);
        }
    }

    /// Copies whole vectors. Both buffers have slack after the state.
    fn copy_loop(&mut self, to: Value, len: Value) {
        let (top, end) = (self.fb.create_block(), self.fb.create_block());
        let at = self.fb.append_block_param(top, types::I64);
        let zero = self.fb.ins().iconst(types::I64, 0);
        self.fb.ins().jump(top, &[zero.into()]);
        self.fb.switch_to_block(top);
        let from = self.fb.ins().iadd(self.root.bytes, at);
        let to = self.fb.ins().iadd(to, at);
        let flags = self.flags(self.root);
        let value = self.fb.ins().load(types::I8X16, flags, from, 0);
        self.fb.ins().store(self.memory.world, value, to, 0);
        let next = self.fb.ins().iadd_imm_s(at, 16);
        let more = self.fb.ins().icmp(IntCC::UnsignedLessThan, next, len);
        self.fb.ins().brif(more, top, &[next.into()], end, &[]);
        self.fb.switch_to_block(end);
    }

    /// Completes a new state.
    pub(super) fn commit(&mut self, world: World, target: Target) {
        if target == Target::Inner {
            return self.commit_inner(world);
        }
        if let Some(words) = self.plan.words {
            let out = self.cursor(offset_of!(Context, out));
            let portable = self.plan.portable;
            let to = if portable { self.context(types::I64, offset_of!(Context, emitted)) } else { out };
            self.write_words(world, to);
            if portable {
                self.call(Call::Emit, &[self.ctx]);
            }
            let end = self.fb.ins().iadd_imm_s(out, words.layout().bytes() as i64);
            return self.set_context(end, offset_of!(Context, out));
        }
        let end = self.end(world);
        self.set_context(end, offset_of!(Context, out));
        // The ends of states of one length are computed by the driver.
        if let Counts::Varying { .. } = world.counts {
            let start = self.context(types::I64, offset_of!(Context, out_start));
            let offset = self.fb.ins().isub(end, start);
            let offset = self.fb.ins().ireduce(types::I32, offset);
            let ends = self.cursor(offset_of!(Context, ends));
            self.fb.ins().store(self.memory.world, offset, ends, 0);
            self.advance(offset_of!(Context, ends), size_of::<u32>());
        }
    }

    pub(super) fn end(&mut self, world: World) -> Value {
        let len = self.len(world);
        let (end, plus) = self.pointer(world.bytes, len);
        self.fb.ins().iadd_imm_s(end, i64::from(plus))
    }

    /// Completes a point inside an atomic sequence.
    fn commit_inner(&mut self, world: World) {
        let counts = offset_of!(Context, counts);
        self.save_counts(world.counts, counts);
        if let Some(park) = self.link(Role::Defer, self.site) {
            let answer = self.call_linked(park, world.bytes, self.site);
            self.return_if(answer, answer);
        }
        self.save_counts(self.root.counts, counts);
    }
}

/// The division of a byte range into vectors and integers, of which the last may overlap: offsets and types.
fn overlapping(len: usize) -> Vec<(usize, Type)> {
    let unit = match len {
        16.. => types::I8X16,
        8.. => types::I64,
        4.. => types::I32,
        2.. => types::I16,
        _ => types::I8,
    };
    let size = unit.bytes() as usize;
    let mut all: Vec<_> = (0..len / size).map(|i| (i * size, unit)).collect();
    let rest = len % size;
    if rest == 0 {
        return all;
    }
    // A small remainder is covered by a smaller unit.
    let small = [types::I8, types::I16, types::I32, types::I64].into_iter().find(|t| t.bytes() as usize >= rest);
    let last = small.filter(|t| (t.bytes() as usize) < size).unwrap_or(unit);
    all.push((len - last.bytes() as usize, last));
    all
}
