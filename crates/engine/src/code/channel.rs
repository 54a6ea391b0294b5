//! Channels: addresses, and operations on messages.

use std::mem::{offset_of, size_of};

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use cranelift_frontend::Switch;
use kripke_model::ir::{Expr, Pattern, Place, VarRef};
use kripke_model::layout::{Buffer, ChannelAt};

use super::place::Address;
use super::value::{Int, Num};
use super::{Env, Gen, World};
use crate::context::Context;
use crate::runtime::Call;

/// A channel of a state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Channel {
    /// The number of the channel, counted from 1.
    pub number: Int,
    /// A declaration with the same layout.
    pub declaration: u32,
    /// The offset in the state.
    pub at: Num,
}

/// The number of bytes up to which a buffer is moved by inline code.
const INLINE: usize = 96;

impl<'a> Gen<'a, '_> {
    pub(super) fn buffer(&self, channel: Channel) -> &'a Buffer {
        &self.plan.layout.buffers[channel.declaration as usize]
    }

    /// Generates `body` for the channel that an expression denotes, once per possible layout. The body must terminate
    /// its block.
    pub(super) fn with_channel(&mut self, channel: &Expr, env: Env, body: &mut dyn FnMut(&mut Self, Channel)) {
        if let Expr::Load(place) = channel
            && let Some(found) = self.own_channel(place, env)
        {
            return body(self, found);
        }
        match self.eval(channel, env) {
            Int::Const(number) if self.is_placed(number) => {
                let ChannelAt { declaration, offset } = self.plan.facts.channels[number as usize - 1];
                let declaration = self.plan.facts.alike[declaration as usize];
                body(self, Channel { number: Int::Const(number), declaration, at: Num::known(i64::from(offset)) });
            }
            number => self.look_up(number, env, body),
        }
    }

    /// Whether the channel with this number has a fixed offset.
    fn is_placed(&self, number: i32) -> bool {
        let known =
            if self.plan.facts.fixed { self.plan.facts.channels.len() } else { self.plan.layout.global_channels.len() };
        number >= 1 && number as usize <= known
    }

    /// The channel of a variable that always names channels of its own.
    fn own_channel(&mut self, place: &Place, env: Env) -> Option<Channel> {
        let (first, declaration) = self.own_channels(place.var, env.site.process)?;
        let (channels, base) = match place.var {
            VarRef::Global(_) => (&self.plan.layout.global_channels, Num::known(0)),
            VarRef::Local(_) => (&self.frame(env.site.process).channels, env.site.base),
        };
        let slot = self.slot(place.var, env.site.process);
        let element = self.element(place, slot, env)?;
        let size = self.plan.layout.buffers[declaration as usize].size as i64;
        let offset = Num::known(i64::from(channels[first].offset));
        let mut at = self.times(element, size);
        at = self.add(at, offset);
        at = self.add(base, at);
        let number = match place.var {
            VarRef::Global(_) => {
                let number = self.add(element, Num::known(first as i64 + 1));
                self.narrow(number)
            }
            VarRef::Local(_) => self.load(place, env),
        };
        Some(Channel { number, declaration: self.plan.facts.alike[declaration as usize], at })
    }

    /// Looks up a channel by its number in the table of the state's channels.
    fn look_up(&mut self, number: Int, env: Env, body: &mut dyn FnMut(&mut Self, Channel)) {
        let index = self.widen(number);
        let index = self.add(index, Num::known(-1));
        let alive = self.channels(env.world);
        self.require_below(index, alive);
        let offset = self.times(index, size_of::<ChannelAt>() as i64);
        let (pointer, plus) = self.pointer(self.ctx, offset);
        let table = offset_of!(Context, channels) as i32 + plus;
        let mut field =
            |offset: usize| self.fb.ins().load(types::I32, self.memory.context, pointer, table + offset as i32);
        let at = field(offset_of!(ChannelAt, offset));
        let declaration = field(offset_of!(ChannelAt, declaration));
        let at = self.widen(Int::Value(at));
        let alike = &self.plan.facts.alike;
        let kinds: Vec<u32> = (0..alike.len() as u32).filter(|i| alike[*i as usize] == *i).collect();
        if let [only] = kinds[..] {
            return body(self, Channel { number, declaration: only, at });
        }
        let mut switch = Switch::new();
        let blocks: Vec<Block> = kinds.iter().map(|_| self.fb.create_block()).collect();
        for (i, kind) in alike.iter().enumerate() {
            let block = kinds.iter().zip(&blocks).find(|(k, _)| *k == kind).map(|(_, b)| *b);
            switch.set_entry(i as u128, block.unwrap_or(self.rare));
        }
        switch.emit(&mut self.fb, declaration, self.rare);
        for (declaration, block) in kinds.into_iter().zip(blocks) {
            self.fb.switch_to_block(block);
            body(self, Channel { number, declaration, at });
        }
    }

    /// The slot of the first message that matches the patterns; goes to `none` if there is none. The channel is
    /// buffered.
    pub(super) fn matching(
        &mut self,
        channel: Channel,
        args: &[Pattern],
        anywhere: bool,
        env: Env,
        none: Block,
    ) -> Num {
        let buffer = self.buffer(channel);
        let len = self.byte(env.world, channel.at);
        self.require(len, none);
        if args.len() > buffer.fields.len() {
            self.never();
            return Num::known(0);
        }
        let fixed = args.iter().all(|a| !matches!(a, Pattern::Match(_)));
        if !anywhere || buffer.capacity == 1 || fixed {
            self.fits(channel, Num::known(0), args, env, none);
            return Num::known(0);
        }
        let (top, next, found) = (self.fb.create_block(), self.fb.create_block(), self.fb.create_block());
        let slot = self.fb.append_block_param(top, types::I64);
        let zero = self.fb.ins().iconst(types::I64, 0);
        self.fb.ins().jump(top, &[zero.into()]);
        self.fb.switch_to_block(top);
        self.fits(channel, Num::computed(slot), args, env, next);
        self.jump(found);
        self.fb.switch_to_block(next);
        let more = self.fb.ins().iadd_imm_s(slot, 1);
        let len = self.fb.ins().uextend(types::I64, len);
        let left = self.fb.ins().icmp(IntCC::UnsignedLessThan, more, len);
        self.fb.ins().brif(left, top, &[more.into()], none, &[]);
        self.fb.switch_to_block(found);
        Num::computed(slot)
    }

    fn fits(&mut self, channel: Channel, slot: Num, args: &[Pattern], env: Env, otherwise: Block) {
        for (i, arg) in args.iter().enumerate() {
            if let Pattern::Match(expr) = arg {
                let wanted = self.eval(expr, env);
                let wanted = self.int(wanted);
                let there = self.field(channel, slot, i, env.world);
                let there = self.load_at(there);
                let there = self.int(there);
                let same = self.fb.ins().icmp(IntCC::Equal, wanted, there);
                self.require(same, otherwise);
            }
        }
    }

    /// The address of a field of a message.
    pub(super) fn field(&mut self, channel: Channel, slot: Num, i: usize, world: World) -> Address<'a> {
        let buffer = self.buffer(channel);
        let field = &buffer.fields[i];
        let mut at = self.times(slot, buffer.message as i64);
        at = self.add(at, Num::known(1 + field.offset as i64));
        at = self.add(channel.at, at);
        let (pointer, offset) = self.pointer(world.bytes, at);
        Address { slot: field, pointer, offset, flags: self.flags(world) }
    }

    /// The fields of a message.
    pub(super) fn read(&mut self, channel: Channel, slot: Num, world: World) -> Vec<Int> {
        let fields = 0..self.buffer(channel).fields.len();
        fields
            .map(|i| {
                let at = self.field(channel, slot, i, world);
                self.load_at(at)
            })
            .collect()
    }

    /// The values of a send, converted to the types of the fields. A wrong number of values is left to the
    /// interpreter.
    pub(super) fn message(&mut self, channel: Channel, args: &[Expr], env: Env) -> Vec<Int> {
        let buffer = self.buffer(channel);
        if args.len() != buffer.fields.len() {
            self.never();
        }
        let mut message = Vec::with_capacity(buffer.fields.len());
        for (i, field) in buffer.fields.iter().enumerate() {
            let value = args.get(i).map_or(Int::Const(0), |a| self.eval(a, env));
            message.push(match value {
                Int::Const(c) => Int::Const(field.ty.wrap(c)),
                Int::Value(v) => Int::Value(self.wrap(field, v)),
            });
        }
        message
    }

    /// Appends a message to a buffer that is not full.
    pub(super) fn put(&mut self, channel: Channel, message: &[Int], sorted: bool, world: World) {
        let buffer = self.buffer(channel);
        let len = if buffer.capacity == 1 { Int::Const(0) } else { Int::Value(self.byte(world, channel.at)) };
        if sorted && buffer.capacity > 1 {
            return self.insert(channel, message, world);
        }
        let slot = self.widen(len);
        if self.selects(buffer.capacity, slot) {
            self.put_selected(channel, slot, message, world);
        } else {
            for (i, value) in message.iter().enumerate() {
                let field = self.field(channel, slot, i, world);
                self.store_at(field, *value);
            }
        }
        let longer = match len {
            Int::Const(len) => Int::Const(len + 1),
            Int::Value(len) => Int::Value(self.fb.ins().iadd_imm_s(len, 1)),
        };
        self.set_length(channel, longer, world);
        self.change_channel(channel);
    }

    fn set_length(&mut self, channel: Channel, len: Int, world: World) {
        let len = self.int(len);
        let (pointer, offset) = self.pointer(world.bytes, channel.at);
        let flags = self.flags(world);
        self.fb.ins().istore8(flags, len, pointer, offset);
    }

    /// Inserts a message before the first larger one.
    fn insert(&mut self, channel: Channel, message: &[Int], world: World) {
        self.set_message(message);
        let buffer = std::ptr::from_ref(self.buffer(channel)).addr();
        let buffer = self.fb.ins().iconst(types::I64, buffer as i64);
        let at = self.channel_pointer(channel, world);
        self.call(Call::Insert, &[self.ctx, at, buffer]);
        self.change_any();
    }

    /// Stores a message in the context.
    pub(super) fn set_message(&mut self, message: &[Int]) {
        for (i, value) in message.iter().enumerate() {
            let value = self.int(*value);
            self.set_context(value, offset_of!(Context, message) + 4 * i);
        }
    }

    fn channel_pointer(&mut self, channel: Channel, world: World) -> Value {
        let (pointer, offset) = self.pointer(world.bytes, channel.at);
        self.fb.ins().iadd_imm_s(pointer, i64::from(offset))
    }

    /// Removes a message. The freed slot at the end is set to zero. Slots after the last message are zero, so all
    /// slots can be moved.
    pub(super) fn take(&mut self, channel: Channel, slot: Num, world: World) {
        let buffer = self.buffer(channel);
        let moved = (buffer.capacity - 1) * buffer.message;
        if slot.as_known() != Some(0) || moved > INLINE {
            let slot = self.num(slot);
            let at = self.channel_pointer(channel, world);
            let buffer = self.fb.ins().iconst(types::I64, std::ptr::from_ref(buffer).addr() as i64);
            self.call(Call::Remove, &[at, slot, buffer]);
            return self.change_any();
        }
        let at = self.add(channel.at, Num::known(1));
        let (pointer, offset) = self.pointer(world.bytes, at);
        self.move_down(world, pointer, offset, moved, buffer.message);
        let (first, flags) = (self.byte(world, channel.at), self.flags(world));
        let shorter = self.fb.ins().iadd_imm_s(first, -1);
        let (pointer, offset) = self.pointer(world.bytes, channel.at);
        self.fb.ins().istore8(flags, shorter, pointer, offset);
        self.change_channel(channel);
    }

    /// Moves `count` bytes down by `by`, and sets the last `by` bytes to zero.
    fn move_down(&mut self, world: World, pointer: Value, offset: i32, count: usize, by: usize) {
        let flags = self.flags(world);
        let mut loaded = Vec::new();
        for (at, ty) in pieces(count) {
            loaded.push((at, self.fb.ins().load(ty, flags, pointer, offset + (by + at) as i32)));
        }
        for (at, value) in loaded {
            self.fb.ins().store(flags, value, pointer, offset + at as i32);
        }
        for (at, ty) in pieces(by) {
            let zero = self.fb.ins().iconst(ty, 0);
            self.fb.ins().store(flags, zero, pointer, offset + (count + at) as i32);
        }
    }
}

/// The division of a byte range into integers: offsets and types.
fn pieces(count: usize) -> Vec<(usize, cranelift_codegen::ir::Type)> {
    let mut all = Vec::new();
    let mut at = 0;
    while at < count {
        let ty = match count - at {
            8.. => types::I64,
            4.. => types::I32,
            2.. => types::I16,
            _ => types::I8,
        };
        all.push((at, ty));
        at += ty.bytes() as usize;
    }
    all
}
