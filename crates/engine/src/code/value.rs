//! Values that may be constants of the generator, and the sizes of states.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use cranelift_frontend::FunctionBuilder;

use super::{Counts, Gen, Purpose, World};
use crate::context::{self, Context};
use crate::facts::Facts;

/// A 64-bit number, such as an offset or a process number: a computed part, if any, plus a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Num {
    value: Option<Value>,
    plus: i64,
}

/// The 32-bit value of an expression: a constant, or a computed value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Int {
    Const(i32),
    Value(Value),
}

impl Num {
    pub(crate) fn known(plus: i64) -> Num {
        Num { value: None, plus }
    }

    pub(crate) fn computed(value: Value) -> Num {
        Num { value: Some(value), plus: 0 }
    }

    pub(super) fn as_known(self) -> Option<i64> {
        if self.value.is_none() { Some(self.plus) } else { None }
    }
}

impl Counts {
    pub(super) fn declare(fb: &mut FunctionBuilder<'_>, facts: &Facts) -> Counts {
        if facts.fixed {
            return Counts::Fixed {
                len: facts.sample.len() as u32,
                processes: facts.sites.len() as u32,
                channels: facts.channels.len() as u32,
            };
        }
        Counts::Varying {
            len: fb.declare_var(types::I64),
            processes: fb.declare_var(types::I64),
            channels: fb.declare_var(types::I64),
        }
    }
}

impl Gen<'_, '_> {
    /// Loads the sizes of a state from the context.
    pub(super) fn load_counts(&mut self, counts: Counts) {
        if let Counts::Varying { len, processes, channels } = counts {
            let at = offset_of!(Context, counts);
            for (var, offset) in [
                (len, offset_of!(context::Counts, len)),
                (processes, offset_of!(context::Counts, processes)),
                (channels, offset_of!(context::Counts, channels)),
            ] {
                let value = self.context(types::I64, at + offset);
                self.fb.def_var(var, value);
            }
        }
    }

    /// Stores the sizes of a state in the context.
    pub(super) fn save_counts(&mut self, counts: Counts, at: usize) {
        let Counts::Varying { len, processes, channels } = counts else { return };
        for (var, offset) in [
            (len, offset_of!(context::Counts, len)),
            (processes, offset_of!(context::Counts, processes)),
            (channels, offset_of!(context::Counts, channels)),
        ] {
            let value = self.fb.use_var(var);
            self.set_context(value, at + offset);
        }
    }

    /// New variables for the sizes of a state that is made from this one.
    pub(super) fn copy_counts(&mut self, counts: Counts) -> Counts {
        let Counts::Varying { len, processes, channels } = counts else { return counts };
        let all = [(len, Purpose::Len), (processes, Purpose::Processes), (channels, Purpose::Channels)];
        let [len, processes, channels] = all.map(|(var, purpose)| {
            let value = self.fb.use_var(var);
            let copy = self.variable(purpose, types::I64);
            self.fb.def_var(copy, value);
            copy
        });
        Counts::Varying { len, processes, channels }
    }

    pub(super) fn len(&mut self, world: World) -> Num {
        match world.counts {
            Counts::Fixed { len, .. } => Num::known(i64::from(len)),
            Counts::Varying { len, .. } => Num::computed(self.fb.use_var(len)),
        }
    }

    pub(super) fn processes(&mut self, world: World) -> Num {
        match world.counts {
            Counts::Fixed { processes, .. } => Num::known(i64::from(processes)),
            Counts::Varying { processes, .. } => Num::computed(self.fb.use_var(processes)),
        }
    }

    pub(super) fn channels(&mut self, world: World) -> Num {
        match world.counts {
            Counts::Fixed { channels, .. } => Num::known(i64::from(channels)),
            Counts::Varying { channels, .. } => Num::computed(self.fb.use_var(channels)),
        }
    }

    pub(super) fn int(&mut self, int: Int) -> Value {
        match int {
            Int::Const(c) => self.fb.ins().iconst(types::I32, i64::from(c)),
            Int::Value(v) => v,
        }
    }

    pub(super) fn num(&mut self, num: Num) -> Value {
        match num {
            Num { value: None, plus } => self.fb.ins().iconst(types::I64, plus),
            Num { value: Some(v), plus: 0 } => v,
            Num { value: Some(v), plus } => self.fb.ins().iadd_imm_s(v, plus),
        }
    }

    pub(super) fn add(&mut self, a: Num, b: Num) -> Num {
        let value = match (a.value, b.value) {
            (Some(a), Some(b)) => Some(self.fb.ins().iadd(a, b)),
            (one, other) => one.or(other),
        };
        Num { value, plus: a.plus + b.plus }
    }

    pub(super) fn times(&mut self, a: Num, b: i64) -> Num {
        let value = a.value.map(|v| if b == 1 { v } else { self.fb.ins().imul_imm_s(v, b) });
        Num { value, plus: a.plus * b }
    }

    /// A non-negative value as an offset.
    pub(super) fn widen(&mut self, int: Int) -> Num {
        match int {
            Int::Const(c) => Num::known(i64::from(c)),
            Int::Value(v) => Num::computed(self.fb.ins().uextend(types::I64, v)),
        }
    }

    pub(super) fn narrow(&mut self, num: Num) -> Int {
        match num.as_known() {
            Some(c) => Int::Const(c as i32),
            None => {
                let value = self.num(num);
                Int::Value(self.fb.ins().ireduce(types::I32, value))
            }
        }
    }

    /// An address as a pointer and a constant offset.
    pub(super) fn pointer(&mut self, bytes: Value, at: Num) -> (Value, i32) {
        match at.value {
            None => (bytes, at.plus as i32),
            Some(v) => (self.fb.ins().iadd(bytes, v), at.plus as i32),
        }
    }

    /// Leaves the state to the interpreter unless `a < b`, unsigned.
    pub(super) fn require_below(&mut self, a: Num, b: Num) {
        match (a.as_known(), b.as_known()) {
            (Some(a), Some(b)) if (a as u64) < b as u64 => {}
            (Some(_), Some(_)) => self.never(),
            _ => {
                let below = self.compare(IntCC::UnsignedLessThan, a, b);
                let rare = self.rare;
                self.require(below, rare);
            }
        }
    }

    pub(super) fn compare(&mut self, condition: IntCC, a: Num, b: Num) -> Value {
        let a = self.num(a);
        let b = self.num(b);
        self.fb.ins().icmp(condition, a, b)
    }
}
