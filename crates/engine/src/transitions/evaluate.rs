//! Evaluation of expressions of which not everything is known. What they read is added to the footprint.

use std::ops::Range;

use kripke_model::ir::{BinaryOp, ChannelQuery, Expr, Pattern, Place, Type};
use kripke_model::layout::{ChannelAt, Width};

use super::knowledge::Knowledge;
use super::visit::{MOST_UNKNOWN, Visit};

/// The evaluation is a fault. So the state is left to the interpreter, and nothing that would follow matters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Stop;

/// A value that is stored.
#[derive(Clone, Copy, Debug)]
pub(super) enum Transfer {
    Known(i32),
    /// It is not known, and equal to the element of this width and type that was at this offset before the moves.
    Copy(usize, Width, Type),
    /// It is not known. What decides about it is in the key.
    Unknown,
}

/// Whether every value of a type is one of another type.
fn is_part(ty: Type, of: Type) -> bool {
    of.bits >= ty.bits && ty.signed == of.signed || of.signed && of.bits > ty.bits
}

/// A value, if it is known.
pub(super) type Value = Result<Option<i32>, Stop>;

/// Who evaluates, in which state.
pub(super) type Env<'k> = (usize, &'k Knowledge);

impl Visit<'_, '_> {
    /// The value of an expression.
    pub fn value(&mut self, expr: &Expr, env: Env<'_>) -> Value {
        match expr {
            Expr::Const(value) => return Ok(Some(*value)),
            Expr::Pid => return Ok(Some(env.0 as i32)),
            Expr::ProcessCount | Expr::Timeout | Expr::Input => {}
            Expr::Fault(_) => return Err(Stop),
            Expr::Load(place) => {
                let (places, only, width) = self.place(place, env)?;
                self.read(places.start, places.len(), env.1);
                return Ok(only.and_then(|at| self.load(width, at, env.1)));
            }
            Expr::Unary(op, a) => return Ok(self.value(a, env)?.map(|a| op.apply(a))),
            Expr::Binary(op, a, b) => return self.binary(*op, (a, b), env),
            Expr::Cond(parts) => {
                let [test, yes, no] = &**parts;
                match self.value(test, env)? {
                    Some(0) => return self.value(no, env),
                    Some(_) => return self.value(yes, env),
                    None => [yes, no].into_iter().for_each(|part| self.perhaps(part, env)),
                }
            }
            Expr::Channel(query, channel) => return self.query(*query, channel, env),
            Expr::Poll { channel, args, .. } => {
                for at in self.channels(channel, env)? {
                    self.content(at, env.1);
                }
                self.matches(args, env);
            }
            Expr::Location(of_whom) => {
                self.value(of_whom, env)?;
                (0..self.of.processes()).for_each(|other| self.control(other));
            }
            Expr::At { process, pid: number, .. } => {
                self.each_of(process.0, number.as_deref(), env, |this, other| this.control(other))?;
            }
            Expr::Remote { process, pid: number, place } => {
                place.index.iter().for_each(|index| self.perhaps(index, env));
                self.each_of(process.0, number.as_deref(), env, |this, other| {
                    let (slot, base) = this.of.slot(place.var, other);
                    this.read(base + slot.offset, slot.len() * slot.width.bytes(), env.1);
                })?;
            }
            Expr::Last | Expr::NonProgress | Expr::Enabled(_) | Expr::Priority(_) | Expr::ObserverAt(_) => {
                self.bounded = false;
            }
        }
        Ok(None)
    }

    /// An expression that may be evaluated.
    pub fn perhaps(&mut self, expr: &Expr, env: Env<'_>) {
        let _ = self.value(expr, env);
    }

    fn binary(&mut self, op: BinaryOp, (a, b): (&Expr, &Expr), env: Env<'_>) -> Value {
        let a = self.value(a, env)?;
        let stops = match op {
            BinaryOp::And => Some(0),
            BinaryOp::Or => Some(1),
            _ => None,
        };
        let Some(end) = stops else {
            let b = self.value(b, env)?;
            let (Some(a), Some(b)) = (a, b) else { return Ok(None) };
            return op.apply(a, b).map(Some).ok_or(Stop);
        };
        match a {
            Some(a) if i32::from(a != 0) == end => Ok(Some(end)),
            Some(_) => Ok(self.value(b, env)?.map(|b| i32::from(b != 0))),
            None => {
                let b = self.value(b, env).unwrap_or(None);
                Ok(b.filter(|b| i32::from(*b != 0) == end).map(|_| end))
            }
        }
    }

    fn query(&mut self, query: ChannelQuery, channel: &Expr, env: Env<'_>) -> Value {
        let channels = self.channels(channel, env)?;
        let mut known = None;
        for &at in &channels {
            let capacity = self.of.capacity(at);
            let len = if capacity == 0 { Some(0) } else { self.channel_len(at, env.1) };
            known = len.filter(|_| channels.len() == 1).map(|len| (len, capacity > 0 && len == capacity));
        }
        Ok(known.map(|(len, full)| match query {
            ChannelQuery::Len => len as i32,
            ChannelQuery::Empty => i32::from(len == 0),
            ChannelQuery::NotEmpty => i32::from(len != 0),
            ChannelQuery::Full => i32::from(full),
            ChannelQuery::NotFull => i32::from(!full),
        }))
    }

    /// The channels that an expression can denote. There are none if it denotes one of a process that was just created.
    pub fn channels(&mut self, channel: &Expr, env: Env<'_>) -> Result<Vec<ChannelAt>, Stop> {
        let number = self.needed(channel, env)?;
        let Some(number) = number else { return Ok(self.of.shape.channels.clone()) };
        let index = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        match index.and_then(|index| self.of.shape.channels.get(index)) {
            Some(at) => Ok(vec![*at]),
            // A process that was just created may have channels.
            None if self.creates => Ok(Vec::new()),
            None => Err(Stop),
        }
    }

    /// The length of a channel with a buffer.
    pub fn channel_len(&mut self, at: ChannelAt, state: &Knowledge) -> Option<usize> {
        let start = at.offset as usize;
        self.decide(start, 1);
        self.load(Width::U8, start, state).map(|len| len as usize)
    }

    /// All messages of a channel. Bytes behind them are zero.
    pub fn content(&mut self, at: ChannelAt, state: &Knowledge) {
        let buffer = &self.of.layout.buffers[at.declaration as usize];
        if self.is_touched(at, state) {
            self.decide(at.offset as usize, buffer.size);
            std::mem::take(&mut self.sent).into_iter().for_each(|at| self.key[at] = true);
        } else if buffer.capacity > 0 {
            let len = self.channel_len(at, state).filter(|len| *len <= buffer.capacity);
            let bytes = len.map_or(buffer.size, |len| 1 + len * buffer.message);
            self.decide(at.offset as usize, bytes);
        }
    }

    /// Whether messages have been put into a channel or taken from it.
    pub fn is_touched(&self, at: ChannelAt, state: &Knowledge) -> bool {
        let buffer = &self.of.layout.buffers[at.declaration as usize];
        buffer.size > 1 && state.is_mixed(at.offset as usize + 1)
    }

    /// The values that a message is compared with, by field.
    pub fn matches(&mut self, args: &[Pattern], env: Env<'_>) -> Vec<Option<i32>> {
        let of = |arg: &Pattern| match arg {
            Pattern::Match(value) => self.value(value, env).unwrap_or(None),
            Pattern::Store(_) | Pattern::Any => None,
        };
        args.iter().map(of).collect()
    }

    /// The bytes of an element that is read or written, its offset, and its width. If the element is not known, these are the bytes of
    /// all elements.
    pub fn place(&mut self, place: &Place, env: Env<'_>) -> Result<(Range<usize>, Option<usize>, Width), Stop> {
        let of = self.of;
        let (slot, base) = of.slot(place.var, env.0);
        let mut element = Some(0);
        for (index, &len) in place.index.iter().zip(&slot.dims) {
            let index = self.needed(index, env)?;
            if index.is_some_and(|index| index < 0 || index as u32 >= len) {
                return Err(Stop);
            }
            element = element.zip(index).map(|(element, index)| element * len as usize + index as usize);
        }
        let (start, width) = (base + slot.offset, slot.width.bytes());
        let only = element.map(|element| start + element * width);
        let bytes = only.map_or(start..start + slot.len() * width, |at| at..at + width);
        Ok((bytes, only, slot.width))
    }

    /// The value of an element. An unknown one is noted.
    pub fn load(&mut self, width: Width, at: usize, state: &Knowledge) -> Option<i32> {
        let value = state.load(width, at);
        match value {
            Some(_) => {}
            None => match state.decides(at) {
                Some(from) => self.unknown.push(from),
                // What was written came from values that are not known. If there are too many, the walk is given up.
                None if self.unknown.len() <= MOST_UNKNOWN => self.unknown.extend(&self.copied),
                None => {}
            },
        }
        value
    }

    /// The value of an expression that is stored in another place.
    pub fn transfer(&mut self, expr: &Expr, env: Env<'_>) -> Result<Transfer, Stop> {
        if let Expr::Load(place) = expr
            && let (_, Some(at), width) = self.place(place, env)?
            && let Some(from) = env.1.origin(width, at)
        {
            return Ok(Transfer::Copy(from, width, self.of.slot(place.var, env.0).0.ty));
        }
        let before = self.unknown.len();
        let value = self.value(expr, env)?;
        self.copied.extend(self.unknown[before..].iter().copied());
        Ok(value.map_or(Transfer::Unknown, Transfer::Known))
    }

    /// The value decides about the moves, if it is a copy.
    pub fn settle(&mut self, value: Transfer) -> Option<i32> {
        match value {
            Transfer::Known(value) => Some(value),
            Transfer::Unknown => None,
            Transfer::Copy(from, width, _) => {
                self.decide(from, width.bytes());
                self.copied.insert(from);
                None
            }
        }
    }

    /// The value as an element of a type.
    pub fn wrapped(&mut self, value: Transfer, to: Type) -> Transfer {
        match value {
            Transfer::Known(value) => Transfer::Known(to.wrap(value)),
            Transfer::Copy(_, _, ty) if is_part(ty, to) => value,
            _ => self.settle(value).map_or(Transfer::Unknown, Transfer::Known),
        }
    }

    /// The value of an expression without which much else is unknown.
    fn needed(&mut self, expr: &Expr, env: Env<'_>) -> Value {
        let before = self.unknown.len();
        let value = self.value(expr, env)?;
        if value.is_none() {
            self.needed.extend_from_slice(&self.unknown[before..]);
        }
        Ok(value)
    }

    /// Whether a condition holds, if that is known. A condition whose evaluation is a fault does not.
    pub fn holds(&mut self, condition: &Expr, env: Env<'_>) -> Option<bool> {
        let before = self.unknown.len();
        let value = self.value(condition, env);
        if value == Ok(None) {
            self.decisive.extend_from_slice(&self.unknown[before..]);
        }
        value.map_or(Some(false), |value| value.map(|value| value != 0))
    }

    /// The processes of a type that can have this number.
    fn each_of(
        &mut self,
        process: u32,
        number: Option<&Expr>,
        env: Env<'_>,
        mut see: impl FnMut(&mut Self, usize),
    ) -> Result<(), Stop> {
        let of = self.of;
        let number = number.map_or(Ok(None), |number| self.needed(number, env))?;
        let these = (0..of.processes()).filter(|pid| of.process_type(*pid) == process);
        these.filter(|pid| number.is_none_or(|number| number == *pid as i32)).for_each(|pid| see(self, pid));
        Ok(())
    }

    /// The location of a process.
    pub fn control(&mut self, pid: usize) {
        self.decide(self.of.location_at(pid), 1);
    }

    /// The values that these bytes have decide about the moves.
    pub fn read(&mut self, start: usize, bytes: usize, state: &Knowledge) {
        (start..start + bytes).filter_map(|at| state.decides(at)).for_each(|at| self.key[at] = true);
    }

    /// The values that these bytes have before the moves decide about them.
    pub fn decide(&mut self, start: usize, bytes: usize) {
        self.key[start..start + bytes].fill(true);
    }
}
