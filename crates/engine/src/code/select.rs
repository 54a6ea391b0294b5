//! Elements whose number is known only at run time, chosen among all elements without computing an address.
//!
//! This is for portable code: a state stays in the registers of a GPU only as long as all its addresses are constants.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value};
use kripke_model::ir::VarRef;
use kripke_model::layout::Slot;

use super::channel::Channel;
use super::value::{Int, Num};
use super::{Env, Gen, Site, World};

/// The most elements that are chosen from.
const MOST_ELEMENTS: usize = 32;

impl<'a> Gen<'a, '_> {
    /// Whether an element of so many is chosen without an address.
    pub(super) fn selects(&self, count: usize, element: Num) -> bool {
        self.plan.portable && element.as_known().is_none() && count <= MOST_ELEMENTS
    }

    /// The value of one element if a number is that of this element, and another value otherwise.
    fn if_is(&mut self, number: Value, element: usize, then: Value, otherwise: Value) -> Value {
        let here = self.fb.ins().icmp_imm_u(IntCC::Equal, number, element as i64);
        self.fb.ins().select(here, then, otherwise)
    }

    /// The values of all elements of a variable.
    fn elements(&mut self, var: VarRef, slot: &'a Slot, env: Env, owner: Site) -> Vec<Value> {
        let load = |i: usize| {
            let element = Num::known(i as i64);
            let value = match self.constant(var, slot, element, owner) {
                Some(constant) => Int::Const(constant),
                None => {
                    let address = self.address_of(var, slot, element, env, owner);
                    self.load_at(address)
                }
            };
            self.int(value)
        };
        (0..slot.len()).map(load).collect()
    }

    /// The value of an element.
    pub(super) fn load_selected(&mut self, var: VarRef, slot: &'a Slot, element: Num, env: Env, owner: Site) -> Int {
        let (number, elements) = (self.num(element), self.elements(var, slot, env, owner));
        let mut value = elements[0];
        for (i, other) in elements.into_iter().enumerate().skip(1) {
            value = self.if_is(number, i, other, value);
        }
        Int::Value(value)
    }

    /// Stores a value to an element: all elements get a value, the others their own.
    pub(super) fn store_selected(&mut self, var: VarRef, slot: &'a Slot, element: Num, value: Int, env: Env) {
        let (number, elements) = (self.num(element), self.elements(var, slot, env, env.site));
        let value = match value {
            Int::Const(c) => self.int(Int::Const(slot.ty.wrap(c))),
            Int::Value(v) => self.wrap(slot, v),
        };
        if let Some(fresh) = &mut self.fresh {
            fresh.written.insert(var);
        }
        for (i, old) in elements.into_iter().enumerate() {
            let (element, new) = (Num::known(i as i64), Int::Value(self.if_is(number, i, value, old)));
            let address = self.address_of(var, slot, element, env, env.site);
            self.store_at(address, new);
            self.change_element(var, slot, element, new, env);
        }
    }

    /// Stores a message to a slot of a buffer.
    pub(super) fn put_selected(&mut self, channel: Channel, slot: Num, message: &[Int], world: World) {
        let number = self.num(slot);
        for at in 0..self.buffer(channel).capacity {
            for (i, value) in message.iter().enumerate() {
                let field = self.field(channel, Num::known(at as i64), i, world);
                let (old, value) = (self.load_at(field), self.int(*value));
                let old = self.int(old);
                let new = self.if_is(number, at, value, old);
                self.store_at(field, Int::Value(new));
            }
        }
    }
}
