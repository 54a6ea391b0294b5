//! The words of a state under construction.
//!
//! If successors are stored in words, code writes the values of a new state to a packed copy, as always. The generator
//! records the fields that change, and when the state is complete the code changes only these in the words of the state that
//! it started from: a successor takes a few shifts and masks. If it can't tell which fields change (operations of the
//! runtime, very many fields), the whole copy is converted.

use std::collections::BTreeMap;
use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use kripke_model::layout::Width;
use kripke_model::words::Position;

use super::channel::Channel;
use super::emit::Target;
use super::value::{Int, Num};
use super::{Gen, Role, World};
use crate::context::Context;
use crate::runtime::Call;

/// The most fields that are changed one by one.
const MAX_CHANGES: usize = 24;

/// What has changed in a state under construction.
#[derive(Clone, Default, Debug)]
pub(super) struct Changes {
    /// The fields that may have changed, by offset, with their values where the code is straight.
    fields: BTreeMap<usize, (Width, Option<Int>)>,
    /// Any field may have changed.
    any: bool,
    /// The code has branches, so a field that was recorded may have another value.
    branches: bool,
}

impl Changes {
    fn add(&mut self, offset: usize, width: Width, value: Option<Int>) {
        self.fields.insert(offset, (width, value.filter(|_| !self.branches)));
        self.any |= self.fields.len() > MAX_CHANGES;
    }
}

impl Gen<'_, '_> {
    /// Begins a new state of this kind.
    pub(super) fn begin_changes(&mut self, target: Target) {
        let follows = self.plan.words.is_some() && matches!(target, Target::Batch | Target::Half);
        self.changes = follows.then(Changes::default);
    }

    /// From here on the code has branches.
    pub(super) fn branch_changes(&mut self) {
        if let Some(changes) = &mut self.changes {
            changes.branches = true;
            changes.fields.values_mut().for_each(|(_, value)| *value = None);
        }
    }

    /// Any field of the new state may have changed.
    pub(super) fn change_any(&mut self) {
        if let Some(changes) = &mut self.changes {
            changes.any = true;
        }
    }

    /// A field of the new state, of this width at this offset, got this value.
    pub(super) fn change(&mut self, at: Num, width: Width, value: Int) {
        match (&mut self.changes, at.as_known()) {
            (Some(changes), Some(offset)) => changes.add(offset as usize, width, Some(value)),
            _ => self.change_any(),
        }
    }

    /// Some of these fields of one width have changed, which are the first `count` at this offset.
    pub(super) fn change_some(&mut self, at: Num, width: Width, count: usize) {
        let Some(first) = at.as_known().filter(|_| count <= MAX_CHANGES) else { return self.change_any() };
        if let Some(changes) = &mut self.changes {
            (0..count).for_each(|i| changes.add(first as usize + i * width.bytes(), width, None));
        }
    }

    /// The content of a channel has changed.
    pub(super) fn change_channel(&mut self, channel: Channel) {
        let buffer = self.buffer(channel);
        self.change_some(channel.at, Width::U8, 1);
        for slot in 0..buffer.capacity.min(MAX_CHANGES) {
            for field in &buffer.fields {
                let at = self.add(channel.at, Num::known((1 + slot * buffer.message + field.offset) as i64));
                self.change_some(at, field.width, 1);
            }
        }
        if buffer.capacity > MAX_CHANGES {
            self.change_any();
        }
    }

    /// Writes the words of the new state to an address.
    pub(super) fn write_words(&mut self, world: World, to: Value) {
        let (Some(words), Some(changes)) = (self.plan.words, self.changes.take()) else { return };
        if changes.any {
            let args = [self.ctx, world.bytes, to];
            let failed = self.call(Call::Pack, &args);
            let rare = self.rare;
            return self.leave_if(failed, rare);
        }
        let at = if self.role == Role::Accept { offset_of!(Context, half_words) } else { offset_of!(Context, words) };
        let mut all: Vec<NewWord> = (0..words.layout().word_count())
            .map(|i| NewWord { at: at + 8 * i, kept: !0, constant: 0, bits: Vec::new() })
            .collect();
        for (&offset, &(width, value)) in &changes.fields {
            let value = value.unwrap_or_else(|| self.stored_value(world, offset, width));
            match words.layout().position(self.plan.word_shape, offset) {
                Some(position) => self.place_field(&mut all, position, value),
                None => self.require_same(offset, width, value),
            }
        }
        for (i, word) in all.into_iter().enumerate() {
            let word = self.new_word(word);
            self.fb.ins().store(self.memory.world, word, to, 8 * i as i32);
        }
    }

    /// The value of a field of the packed copy.
    fn stored_value(&mut self, world: World, offset: usize, width: Width) -> Int {
        let (flags, at) = (self.flags(world), offset as i32);
        let ins = self.fb.ins();
        Int::Value(match width {
            Width::U8 => ins.uload8(types::I32, flags, world.bytes, at),
            Width::I8 => ins.sload8(types::I32, flags, world.bytes, at),
            Width::U16 => ins.uload16(types::I32, flags, world.bytes, at),
            Width::I16 => ins.sload16(types::I32, flags, world.bytes, at),
            Width::I32 => ins.load(types::I32, flags, world.bytes, at),
        })
    }

    /// Leaves the state to the interpreter unless a field that is constant has its value.
    fn require_same(&mut self, offset: usize, width: Width, value: Int) {
        let same = width.load(&self.plan.facts.sample, offset);
        match value {
            Int::Const(c) if c == same => {}
            Int::Const(_) => self.never(),
            Int::Value(value) => {
                let (rare, differs) = (self.rare, self.fb.ins().icmp_imm_s(IntCC::NotEqual, value, i64::from(same)));
                self.leave_if(differs, rare);
            }
        }
    }

    fn place_field(&mut self, all: &mut [NewWord], position: Position, value: Int) {
        let mask = u64::MAX >> (64 - position.bits);
        let (word, shift) = ((position.first / 64) as usize, position.first % 64);
        // The part of the field in the next word, if it is in two.
        let rest = (shift + position.bits > 64).then_some(64 - shift);
        all[word].kept &= !(mask << shift);
        if let Some(done) = rest {
            all[word + 1].kept &= !(mask >> done);
        }
        match value {
            Int::Const(c) => {
                let size = 8 * position.bytes as u32;
                let relative = u64::from((c as u32).wrapping_sub(position.least)) & (u64::MAX >> (64 - size));
                if relative > mask {
                    return self.never();
                }
                all[word].constant |= relative << shift;
                if let Some(done) = rest {
                    all[word + 1].constant |= relative >> done;
                }
            }
            Int::Value(value) => {
                let relative = self.relative(value, position);
                let bits = if shift == 0 { relative } else { self.fb.ins().ishl_imm_u(relative, i64::from(shift)) };
                all[word].bits.push(bits);
                if let Some(done) = rest {
                    let bits = self.fb.ins().ushr_imm_u(relative, i64::from(done));
                    all[word + 1].bits.push(bits);
                }
            }
        }
    }

    /// The value above the least one. A value that the layout has no room for is left to the interpreter.
    fn relative(&mut self, value: Value, position: Position) -> Value {
        let (size, mut relative) = (8 * position.bytes as u32, value);
        if position.least != 0 {
            relative = self.fb.ins().iadd_imm_s(relative, -i64::from(position.least as i32));
        }
        if size < 32 {
            relative = self.fb.ins().band_imm_u(relative, (1i64 << size) - 1);
        }
        if position.bits < size {
            let most = (1i64 << position.bits) - 1;
            let outside = self.fb.ins().icmp_imm_u(IntCC::UnsignedGreaterThan, relative, most);
            let rare = self.rare;
            self.leave_if(outside, rare);
        }
        self.fb.ins().uextend(types::I64, relative)
    }

    fn new_word(&mut self, word: NewWord) -> Value {
        let mut value = self.context(types::I64, word.at);
        if word.kept != !0 {
            value = self.fb.ins().band_imm_u(value, word.kept as i64);
        }
        if word.constant != 0 {
            value = self.fb.ins().bor_imm_u(value, word.constant as i64);
        }
        word.bits.into_iter().fold(value, |value, bits| self.fb.ins().bor(value, bits))
    }
}

/// A word of a new state.
struct NewWord {
    /// The place of the old word in the context.
    at: usize,
    /// The bits that are not changed.
    kept: u64,
    /// The changed bits that are known.
    constant: u64,
    /// The other changed bits.
    bits: Vec<Value>,
}
