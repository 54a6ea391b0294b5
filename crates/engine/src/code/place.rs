//! Variables: addresses, loads and stores.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types};
use kripke_model::ir::{Expr, Init, Place, VarRef};
use kripke_model::layout::{Slot, Width};

use super::value::{Int, Num};
use super::{Env, Gen, Site};

/// The address of an element.
#[derive(Clone, Copy, Debug)]
pub(super) struct Address<'a> {
    /// The type and layout of the variable.
    pub slot: &'a Slot,
    /// The base address.
    pub pointer: Value,
    /// The constant offset.
    pub offset: i32,
    /// The memory region.
    pub flags: MemFlagsData,
}

impl<'a> Gen<'a, '_> {
    pub(super) fn load(&mut self, place: &Place, env: Env) -> Int {
        self.load_from(place, env, env.site)
    }

    /// The value of a variable. Locals belong to the process at `owner`; indices are evaluated in `env`.
    pub(super) fn load_from(&mut self, place: &Place, env: Env, owner: Site) -> Int {
        let slot = self.slot(place.var, owner.process);
        let Some(element) = self.element(place, slot, env) else {
            self.never();
            return Int::Const(0);
        };
        if let Some(value) = self.constant(place.var, slot, element, owner) {
            return Int::Const(value);
        }
        if self.selects(slot.len(), element) {
            return self.load_selected(place.var, slot, element, env, owner);
        }
        let address = self.address_of(place.var, slot, element, env, owner);
        self.load_at(address)
    }

    pub(super) fn store(&mut self, place: &Place, value: Int, env: Env) {
        let env = Env { timeout: false, ..env };
        let slot = self.slot(place.var, env.site.process);
        let Some(element) = self.element(place, slot, env) else { return self.never() };
        self.check_range(slot, value);
        if self.selects(slot.len(), element) {
            return self.store_selected(place.var, slot, element, value, env);
        }
        if let Some(fresh) = &mut self.fresh {
            fresh.written.insert(place.var);
        }
        let address = self.address_of(place.var, slot, element, env, env.site);
        self.store_at(address, value);
        self.change_element(place.var, slot, element, value, env);
    }

    /// Records the change of an element of a variable.
    pub(super) fn change_element(&mut self, var: VarRef, slot: &Slot, element: Num, value: Int, env: Env) {
        if self.changes.is_none() {
            return;
        }
        let base = if let VarRef::Local(_) = var { env.site.base } else { Num::known(0) };
        let first = self.add(base, Num::known(slot.offset as i64));
        if element.as_known().is_none() {
            return self.change_some(first, slot.width, slot.len());
        }
        let at = self.times(element, slot.width.bytes() as i64);
        let at = self.add(first, at);
        let value = match value {
            Int::Const(c) => Int::Const(slot.ty.wrap(c)),
            Int::Value(v) => Int::Value(self.wrap(slot, v)),
        };
        self.change(at, slot.width, value);
    }

    /// Leaves a value outside the range of the variable to the interpreter.
    fn check_range(&mut self, slot: &Slot, value: Int) {
        let Some((low, high)) = slot.range else { return };
        match value {
            Int::Const(c) if (low..=high).contains(&c) => {}
            Int::Const(_) => self.never(),
            Int::Value(v) => {
                let above = self.fb.ins().iadd_imm_s(v, -i64::from(low));
                let width = high.wrapping_sub(low) as u32;
                let outside = self.fb.ins().icmp_imm_u(IntCC::UnsignedGreaterThan, above, i64::from(width));
                let rare = self.rare;
                self.leave_if(outside, rare);
            }
        }
    }

    pub(super) fn slot(&self, var: VarRef, process: u32) -> &'a Slot {
        match var {
            VarRef::Global(id) => &self.plan.layout.globals[id.index()],
            VarRef::Local(id) => &self.frame(process).locals[id.index()],
        }
    }

    /// The element of an array; `None` if the index is never in range.
    pub(super) fn element(&mut self, place: &Place, slot: &Slot, env: Env) -> Option<Num> {
        let mut element = Num::known(0);
        for (index, &len) in place.index.iter().zip(&slot.dims) {
            let value = self.eval(index, env);
            let number = match value {
                Int::Const(c) if c < 0 || c as u32 >= len => return None,
                Int::Const(c) => Num::known(i64::from(c)),
                Int::Value(_) => {
                    let number = self.widen(value);
                    if !self.surely_below(index, env.site, len) {
                        self.require_below(number, Num::known(i64::from(len)));
                    }
                    number
                }
            };
            element = self.times(element, i64::from(len));
            element = self.add(element, number);
        }
        Some(element)
    }

    /// The value of a variable that is never written.
    pub(super) fn constant(&self, var: VarRef, slot: &Slot, element: Num, owner: Site) -> Option<i32> {
        let element = element.as_known()?;
        let facts = self.plan.facts;
        if facts.is_written(owner.process, var) {
            return None;
        }
        let base = match var {
            VarRef::Global(_) => 0,
            VarRef::Local(_) => owner.base.as_known()?,
        };
        Some(facts.initially(slot, base as usize, element as usize))
    }

    pub(super) fn address_of(
        &mut self,
        var: VarRef,
        slot: &'a Slot,
        element: Num,
        env: Env,
        owner: Site,
    ) -> Address<'a> {
        let width = slot.width.bytes() as i64;
        let mut at = self.times(element, width);
        at = self.add(at, Num::known(slot.offset as i64));
        if let VarRef::Local(_) = var {
            at = self.add(owner.base, at);
        }
        let mine = matches!(var, VarRef::Global(_)) || owner == self.site;
        let unwritten = self.fresh.as_ref().filter(|f| mine && !f.written.contains(&var)).map(|f| f.from);
        let (bytes, flags) = match unwritten {
            Some(from) if !env.world.root => (from, self.memory.root),
            _ => (env.world.bytes, self.flags(env.world)),
        };
        let (pointer, offset) = self.pointer(bytes, at);
        Address { slot, pointer, offset, flags }
    }

    pub(super) fn load_at(&mut self, address: Address<'_>) -> Int {
        let Address { slot, pointer, offset, flags } = address;
        let ins = self.fb.ins();
        Int::Value(match slot.width {
            Width::U8 => ins.uload8(types::I32, flags, pointer, offset),
            Width::I8 => ins.sload8(types::I32, flags, pointer, offset),
            Width::U16 => ins.uload16(types::I32, flags, pointer, offset),
            Width::I16 => ins.sload16(types::I32, flags, pointer, offset),
            Width::I32 => ins.load(types::I32, flags, pointer, offset),
        })
    }

    pub(super) fn store_at(&mut self, address: Address<'_>, value: Int) {
        let Address { slot, pointer, offset, flags } = address;
        let value = match value {
            Int::Const(c) => self.int(Int::Const(slot.ty.wrap(c))),
            Int::Value(v) => self.truncate(slot, v),
        };
        let ins = self.fb.ins();
        match slot.width {
            Width::U8 | Width::I8 => ins.istore8(flags, value, pointer, offset),
            Width::U16 | Width::I16 => ins.istore16(flags, value, pointer, offset),
            Width::I32 => ins.store(flags, value, pointer, offset),
        };
    }

    /// Converts a value to a type as far as the store does not do it.
    fn truncate(&mut self, slot: &Slot, value: Value) -> Value {
        if usize::from(slot.ty.bits) == 8 * slot.width.bytes() { value } else { self.wrap(slot, value) }
    }

    /// Converts a value to a type.
    pub(super) fn wrap(&mut self, slot: &Slot, value: Value) -> Value {
        let shift = 32 - i64::from(slot.ty.bits);
        if shift == 0 {
            return value;
        }
        if slot.ty.signed {
            let high = self.fb.ins().ishl_imm_u(value, shift);
            self.fb.ins().sshr_imm_u(high, shift)
        } else {
            self.fb.ins().band_imm_u(value, (1i64 << slot.ty.bits) - 1)
        }
    }

    /// Whether the expression is never negative and always below the limit.
    fn surely_below(&self, expr: &Expr, site: Site, limit: u32) -> bool {
        self.range(expr, site).is_some_and(|(low, high)| low >= 0 && high < i64::from(limit))
    }

    /// The range of an expression, derived from its form.
    fn range(&self, expr: &Expr, site: Site) -> Option<(i64, i64)> {
        use kripke_model::ir::BinaryOp;
        let (low, high) = match expr {
            Expr::Const(c) => (i64::from(*c), i64::from(*c)),
            Expr::Load(place) => {
                let ty = self.slot(place.var, site.process).ty;
                match (ty.signed, ty.bits) {
                    (false, 32) => return None,
                    (false, bits) => (0, (1i64 << bits) - 1),
                    (true, bits) => (-(1i64 << (bits - 1)), (1i64 << (bits - 1)) - 1),
                }
            }
            Expr::Pid => (0, 254),
            Expr::ProcessCount => (0, 255),
            Expr::Binary(op, a, b) => match op {
                BinaryOp::Add | BinaryOp::Sub => {
                    let ((a, b), (c, d)) = (self.range(a, site)?, self.range(b, site)?);
                    if *op == BinaryOp::Add { (a + c, b + d) } else { (a - d, b - c) }
                }
                BinaryOp::Rem => match (self.range(a, site)?, &**b) {
                    ((0.., high), Expr::Const(n @ 1..)) => (0, high.min(i64::from(*n) - 1)),
                    _ => return None,
                },
                BinaryOp::BitAnd => match &**b {
                    Expr::Const(mask @ 0..) => (0, i64::from(*mask)),
                    _ => return None,
                },
                BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => (0, 1),
                BinaryOp::And | BinaryOp::Or => (0, 1),
                _ => return None,
            },
            _ => return None,
        };
        let fits = low >= i64::from(i32::MIN) && high <= i64::from(i32::MAX);
        fits.then_some((low, high))
    }

    /// Whether the evaluation of the expression never faults.
    pub(super) fn safe(&self, expr: &Expr, site: Site) -> bool {
        use kripke_model::ir::BinaryOp;
        match expr {
            Expr::Const(_) | Expr::Pid | Expr::ProcessCount | Expr::Last | Expr::Timeout | Expr::Input => true,
            Expr::Load(place) => {
                let dims = &self.slot(place.var, site.process).dims;
                place.index.iter().zip(dims).all(|(e, len)| self.safe(e, site) && self.surely_below(e, site, *len))
            }
            Expr::Unary(_, a) => self.safe(a, site),
            Expr::Binary(BinaryOp::Div | BinaryOp::Rem, a, b) => {
                self.safe(a, site) && matches!(**b, Expr::Const(c) if c != 0)
            }
            Expr::Binary(_, a, b) => self.safe(a, site) && self.safe(b, site),
            Expr::Cond(parts) => parts.iter().all(|e| self.safe(e, site)),
            _ => false,
        }
    }

    /// The value of an expression that is constant.
    pub(super) fn always(&self, expr: &Expr, site: Site) -> Option<i32> {
        let Expr::Load(place) = expr else {
            return if let Expr::Const(c) = expr { Some(*c) } else { None };
        };
        let slot = self.slot(place.var, site.process);
        let mut element = 0;
        for (index, &len) in place.index.iter().zip(&slot.dims) {
            let index = self.always(index, site).filter(|i| (0..i64::from(len)).contains(&i64::from(*i)))?;
            element = element * i64::from(len) + i64::from(index);
        }
        self.constant(place.var, slot, Num::known(element), site)
    }

    /// Sets a parameter or an initial value of a new process: element `element` of a local.
    pub(super) fn store_local(&mut self, slot: &'a Slot, element: usize, value: Int, env: Env) {
        let at = Num::known((slot.offset + element * slot.width.bytes()) as i64);
        let at = self.add(env.site.base, at);
        let (pointer, offset) = self.pointer(env.world.bytes, at);
        let flags = self.flags(env.world);
        self.store_at(Address { slot, pointer, offset, flags }, value);
    }

    /// The first channel (as an index into its owner's) and the declaration, for a variable that always names
    /// channels of its own.
    pub(super) fn own_channels(&self, var: VarRef, process: u32) -> Option<(usize, u32)> {
        if self.plan.facts.is_written(process, var) {
            return None;
        }
        let (vars, id) = match var {
            VarRef::Global(id) => (&self.plan.model.globals, id),
            VarRef::Local(id) => (&self.plan.model.processes[process as usize].locals, id),
        };
        debug_assert!(!matches!(vars[id.index()].init, Init::Param) || matches!(var, VarRef::Local(_)));
        crate::facts::channels_of(vars, id.index()).map(|(first, declaration)| (first, declaration.0))
    }
}
