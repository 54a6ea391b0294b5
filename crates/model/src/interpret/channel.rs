//! Channel operations on a state.

use super::Machine;
use super::eval::{Env, Eval, fault};
use super::world::World;
use crate::ir::{Expr, Pattern};
use crate::layout::{Buffer, ChannelAt};
use crate::successors::{Fault, FindingKind};

/// A channel of a state.
#[derive(Clone, Copy)]
pub(crate) struct Channel<'m> {
    /// The number of the channel, counted from 1.
    pub number: i32,
    /// The layout of its buffer.
    pub buffer: &'m Buffer,
    at: ChannelAt,
}

impl Machine {
    /// The channel that an expression denotes.
    pub(crate) fn channel(&self, channel: &Expr, env: &Env<'_>) -> Eval<Channel<'_>> {
        let number = self.eval(channel, env)?;
        let index = usize::try_from(number).ok().and_then(|n| n.checked_sub(1));
        match index.and_then(|i| env.world.shape.channels.get(i)) {
            Some(&at) => Ok(Channel { number, buffer: &self.layout.buffers[at.declaration as usize], at }),
            None => fault(Fault::NoChannel),
        }
    }

    /// The values of a send, converted to the types of the fields. Missing values are 0.
    pub(crate) fn message(&self, buffer: &Buffer, args: &[Expr], env: &Env<'_>, message: &mut Vec<i32>) -> Eval<()> {
        buffer.refuse_more(args.len())?;
        message.clear();
        for (i, field) in buffer.fields.iter().enumerate() {
            let value = args.get(i).map_or(Ok(0), |a| self.eval(a, env))?;
            message.push(field.ty.wrap(value));
        }
        Ok(())
    }

    /// The index of the message that a receive takes.
    pub(crate) fn matching(
        &self,
        channel: Channel<'_>,
        args: &[Pattern],
        anywhere: bool,
        env: &Env<'_>,
    ) -> Eval<Option<usize>> {
        let len = channel.len(env.world);
        let candidates = if anywhere { len } else { len.min(1) };
        for slot in 0..candidates {
            if self.fits(channel.buffer, args, |i| channel.field(slot, i, env.world), env)? {
                return Ok(Some(slot));
            }
        }
        Ok(None)
    }

    /// Whether a message matches the patterns of a receive.
    pub(crate) fn fits(
        &self,
        buffer: &Buffer,
        args: &[Pattern],
        field: impl Fn(usize) -> i32,
        env: &Env<'_>,
    ) -> Eval<bool> {
        buffer.refuse_more(args.len())?;
        for (i, arg) in args.iter().enumerate() {
            if let Pattern::Match(expr) = arg
                && self.eval(expr, env)? != field(i)
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Stores the received fields from left to right.
    pub(crate) fn receive(&self, world: &mut World, pid: usize, args: &[Pattern], message: &[i32]) -> Eval<()> {
        for (arg, value) in args.iter().zip(message) {
            if let Pattern::Store(place) = arg {
                self.assign(world, pid, place, *value)?;
            }
        }
        Ok(())
    }
}

impl Channel<'_> {
    pub(crate) fn len(&self, world: &World) -> usize {
        if self.buffer.capacity == 0 { 0 } else { usize::from(world.bytes[self.at.offset as usize]) }
    }

    pub(crate) fn is_full(&self, world: &World) -> bool {
        self.len(world) == self.buffer.capacity
    }

    #[inline]
    fn field(&self, slot: usize, i: usize, world: &World) -> i32 {
        let field = &self.buffer.fields[i];
        field.width.load(&world.bytes, self.start(slot) + field.offset)
    }

    #[inline]
    fn start(&self, slot: usize) -> usize {
        self.at.offset as usize + 1 + slot * self.buffer.message
    }

    pub(crate) fn read(&self, slot: usize, world: &World, message: &mut Vec<i32>) {
        message.clear();
        message.extend((0..self.buffer.fields.len()).map(|i| self.field(slot, i, world)));
    }

    /// Appends a message, or inserts it before the first larger message if `sorted`.
    pub(crate) fn put(&self, world: &mut World, message: &[i32], sorted: bool) {
        let len = self.len(world);
        let larger = |slot: &usize| {
            let there = (0..message.len()).map(|i| self.field(*slot, i, world));
            there.gt(message.iter().copied())
        };
        let slot = if sorted { (0..len).find(larger).unwrap_or(len) } else { len };
        let (start, end) = (self.start(slot), self.start(len));
        world.bytes.copy_within(start..end, start + self.buffer.message);
        for (field, value) in self.buffer.fields.iter().zip(message) {
            field.width.store(&mut world.bytes, start + field.offset, *value);
        }
        world.bytes[self.at.offset as usize] = (len + 1) as u8;
    }

    /// Removes a message. The freed slot at the end is set to zero, so equal contents have equal bytes.
    pub(crate) fn take(&self, world: &mut World, slot: usize) {
        let len = self.len(world);
        let (start, end) = (self.start(slot), self.start(len));
        world.bytes.copy_within(start + self.buffer.message..end, start);
        world.bytes[end - self.buffer.message..end].fill(0);
        world.bytes[self.at.offset as usize] = (len - 1) as u8;
    }
}

impl Buffer {
    fn arity(&self, found: usize) -> Fault {
        Fault::MessageArity { expected: self.fields.len() as u32, found: found as u32 }
    }

    /// A fault if there are more values than fields.
    fn refuse_more(&self, found: usize) -> Eval<()> {
        if found > self.fields.len() { fault(self.arity(found)) } else { Ok(()) }
    }

    /// The fault if there are fewer values than fields. The operation is executed nevertheless.
    pub(crate) fn complain_of_fewer(&self, found: usize) -> Option<FindingKind> {
        (found < self.fields.len()).then(|| FindingKind::Fault(self.arity(found)))
    }
}
