//! The packed form of states.
//!
//! ```text
//! [hidden globals] [last mover] [trace location] [observer location] [globals] [global channels] [process 0] [process 1] …
//! ```
//!
//! A process is `[type] [location] [priority] [locals] [its channels]`. A channel is `[length] [messages]`; free slots are
//! zero. Optional parts exist only if the model needs them. Processes are created and removed at the end of the state, so
//! one pass over the bytes finds them all ([`Shape`]). Hidden variables come first because stores do not compare this
//! prefix.

use std::fmt;

use crate::ir::{ChannelId, Init, LocId, Model, Process, ProcessId, Span, Type, Var};
use crate::successors::State;

/// The largest number of processes, and of channels, that are alive at once. Their numbers are stored in a byte.
pub const MAX_ALIVE: usize = 255;

/// The largest size of a state.
const MAX_BYTES: usize = 1 << 24;

/// The reason why a model can't be run: it is too large, or its initial state can't be computed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StartError {
    /// The description of the error.
    pub message: String,
    /// The declaration that causes the error, if it is one.
    pub span: Option<Span>,
}

impl StartError {
    fn new(message: String) -> StartError {
        StartError { message, span: None }
    }

    /// Adds a span, unless a closer one is known.
    fn at(self, span: Span) -> StartError {
        StartError { span: self.span.or(Some(span)), ..self }
    }
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for StartError {}

/// The offsets of all parts of a state.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The number of bytes of hidden variables, which are the first.
    pub hidden: usize,
    /// The offset of the number of the process that moved last, if the model reads it.
    pub last: Option<usize>,
    /// The offset of the trace automaton's location, which takes two bytes, if the model has a trace.
    pub event: Option<usize>,
    /// The place of the observer's location, if the model has an observer.
    pub observer: Option<ObserverAt>,
    /// The places of global variables, parallel to [`Model::globals`].
    pub globals: Vec<Slot>,
    /// Global channels: declaration and offset.
    pub global_channels: Vec<ChannelAt>,
    /// The offset of the first process, behind hidden bytes, globals and global channels.
    pub fixed: usize,
    /// The layout of each process type, parallel to [`Model::processes`].
    pub frames: Vec<Frame>,
    /// The layout of each channel declaration, parallel to [`Model::channels`].
    pub buffers: Vec<Buffer>,
}

/// The place of a variable: the offset of its first element, the width of an element, the dimensions.
#[derive(Clone, Debug)]
pub struct Slot {
    /// The offset of the first element: in the state for a global, in the frame for a local, in the message for a field.
    pub offset: usize,
    /// The encoding of each element.
    pub width: Width,
    /// The type to which stored values are wrapped.
    pub ty: Type,
    /// Array dimensions, outermost first; empty for a scalar.
    pub dims: Vec<u32>,
    /// The least and the greatest value, if values outside are a fault.
    pub range: Option<(i32, i32)>,
}

/// The place of the observer's location.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ObserverAt {
    /// The offset of the location in the state.
    pub offset: usize,
    /// The location takes two bytes instead of one.
    pub wide: bool,
}

/// The encoding of an element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    /// One byte, unsigned.
    U8,
    /// One byte, two's complement.
    I8,
    /// Two bytes, little endian, unsigned.
    U16,
    /// Two bytes, little endian, two's complement.
    I16,
    /// Four bytes, little endian, two's complement.
    I32,
}

/// The layout of a process of one type. Offsets count from its first byte, which holds the type.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The location takes two bytes instead of one.
    pub wide_location: bool,
    /// The offset of the priority, if the model uses priorities.
    pub priority: Option<usize>,
    /// The places of local variables, parallel to [`Process::locals`].
    pub locals: Vec<Slot>,
    /// The channels that a process of this type creates.
    pub channels: Vec<ChannelAt>,
    /// The number of bytes of the process, its channels included.
    pub size: usize,
}

/// The layout of a channel of one declaration: a length byte, then the messages.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// The maximal number of messages; 0 for a rendezvous channel.
    pub capacity: usize,
    /// The places of the message's fields. Offsets count from the start of the message.
    pub fields: Vec<Slot>,
    /// The number of bytes of a message.
    pub message: usize,
    /// The number of bytes of the channel; 0 for a rendezvous channel.
    pub size: usize,
}

/// The place of a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChannelAt {
    /// The channel's declaration: index into [`Layout::buffers`].
    pub declaration: u32,
    /// The offset of the length byte: in the state, or in the frame for a channel of a [`Frame`].
    pub offset: u32,
}

/// The place of a process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProcessAt {
    /// The process type: index into [`Layout::frames`].
    pub process: u32,
    /// The offset in the state of the byte that holds the type.
    pub offset: u32,
}

/// The processes and channels of one state.
#[derive(Default, Debug)]
pub struct Shape {
    /// The processes alive, by process number.
    pub processes: Vec<ProcessAt>,
    /// The channels; `channels[i]` has number `i + 1`.
    pub channels: Vec<ChannelAt>,
}

impl Clone for Shape {
    fn clone(&self) -> Shape {
        Shape { processes: self.processes.clone(), channels: self.channels.clone() }
    }

    fn clone_from(&mut self, other: &Shape) {
        self.processes.clone_from(&other.processes);
        self.channels.clone_from(&other.channels);
    }
}

/// An unpacked state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct View {
    /// Parallel to [`Model::globals`]: the elements of each variable.
    pub globals: Vec<Vec<i32>>,
    /// The location of the observer, if there is one.
    pub observer: Option<LocId>,
    /// The processes alive, by process number.
    pub processes: Vec<ProcessView>,
    /// All channels of the state; `channels[i]` has number `i + 1`.
    pub channels: Vec<ChannelView>,
}

/// An unpacked process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProcessView {
    /// The process number.
    pub pid: u8,
    /// The process type.
    pub process: ProcessId,
    /// The location of the process.
    pub location: LocId,
    /// The priority; 1 if the model does not use priorities.
    pub priority: i32,
    /// Parallel to the process type's locals.
    pub locals: Vec<Vec<i32>>,
}

/// An unpacked channel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChannelView {
    /// The declaration of the channel.
    pub declaration: ChannelId,
    /// The process that created the channel; none for a global one.
    pub owner: Option<u8>,
    /// The buffered messages, in the order of the buffer, each as the values of its fields.
    pub messages: Vec<Vec<i32>>,
}

impl Width {
    fn of(ty: Type) -> Width {
        match (ty.bits, ty.signed) {
            (0..=8, false) => Width::U8,
            (0..=8, true) => Width::I8,
            (9..=16, false) => Width::U16,
            (9..=16, true) => Width::I16,
            _ => Width::I32,
        }
    }

    /// The number of bytes of an element.
    pub fn bytes(self) -> usize {
        match self {
            Width::U8 | Width::I8 => 1,
            Width::U16 | Width::I16 => 2,
            Width::I32 => 4,
        }
    }

    /// The value of the element at this offset.
    #[inline(always)]
    pub fn load(self, bytes: &[u8], at: usize) -> i32 {
        match self {
            Width::U8 => i32::from(bytes[at]),
            Width::I8 => i32::from(bytes[at] as i8),
            Width::U16 => i32::from(u16::from_le_bytes([bytes[at], bytes[at + 1]])),
            Width::I16 => i32::from(i16::from_le_bytes([bytes[at], bytes[at + 1]])),
            Width::I32 => i32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]),
        }
    }

    /// Stores a value, which must fit the element's type.
    #[inline(always)]
    pub fn store(self, bytes: &mut [u8], at: usize, value: i32) {
        match self {
            Width::U8 | Width::I8 => bytes[at] = value as u8,
            Width::U16 | Width::I16 => bytes[at..at + 2].copy_from_slice(&(value as u16).to_le_bytes()),
            Width::I32 => bytes[at..at + 4].copy_from_slice(&value.to_le_bytes()),
        }
    }
}

impl Slot {
    fn new(offset: usize, ty: Type, dims: Vec<u32>) -> Slot {
        Slot { offset, width: Width::of(ty), ty, dims, range: None }
    }

    /// The number of elements.
    #[expect(clippy::len_without_is_empty, reason = "a variable has at least one element")]
    pub fn len(&self) -> usize {
        self.dims.iter().map(|d| *d as usize).product()
    }

    fn bytes(&self) -> usize {
        self.len() * self.width.bytes()
    }

    /// The elements; `base` is the offset of the frame, or 0.
    pub fn elements(&self, bytes: &[u8], base: usize) -> Vec<i32> {
        let start = base + self.offset;
        (0..self.len()).map(|i| self.width.load(bytes, start + i * self.width.bytes())).collect()
    }
}

/// The next free offset.
struct Cursor(usize);

impl Cursor {
    fn take(&mut self, bytes: usize) -> Result<usize, StartError> {
        let at = self.0;
        self.0 = at.saturating_add(bytes);
        if self.0 > MAX_BYTES {
            return Err(StartError::new(format!("a state would be larger than {} MiB", MAX_BYTES >> 20)));
        }
        Ok(at)
    }

    fn slot(&mut self, ty: Type, dims: &[u32]) -> Result<Slot, StartError> {
        let elements = dims.iter().fold(1usize, |n, d| n.saturating_mul(*d as usize));
        let at = self.take(elements.saturating_mul(Width::of(ty).bytes()))?;
        Ok(Slot::new(at, ty, dims.to_vec()))
    }

    fn variable(&mut self, var: &Var) -> Result<Slot, StartError> {
        let slot = self.slot(var.ty, &var.dims).map_err(|e| e.at(var.span))?;
        Ok(Slot { range: var.range, ..slot })
    }

    fn channels(&mut self, var: &Var, buffers: &[Buffer], out: &mut Vec<ChannelAt>) -> Result<(), StartError> {
        if let Init::Channels(declaration) = var.init {
            for _ in 0..var.len() {
                let offset = self.take(buffers[declaration.index()].size)? as u32;
                out.push(ChannelAt { declaration: declaration.0, offset });
                if out.len() > MAX_ALIVE {
                    return Err(StartError::new(format!("more than {MAX_ALIVE} channels (at `{}`)", var.name)));
                }
            }
        }
        Ok(())
    }
}

impl Layout {
    /// Computes the layout of a model's states. It is an error if a state would be too large, or if there are too many process
    /// types, locations or channels.
    pub fn new(model: &Model) -> Result<Layout, StartError> {
        if model.processes.len() > 256 {
            return Err(StartError::new("more than 256 process types".to_string()));
        }
        let buffers = model
            .channels
            .iter()
            .map(|c| buffer(c.capacity as usize, &c.fields).map_err(|e| e.at(c.span)))
            .collect::<Result<Vec<_>, _>>()?;
        let mut cursor = Cursor(0);
        let mut globals: Vec<Option<Slot>> = vec![None; model.globals.len()];
        let mut place = |cursor: &mut Cursor, hidden: bool| -> Result<(), StartError> {
            for (slot, var) in globals.iter_mut().zip(&model.globals).filter(|(_, v)| v.hidden == hidden) {
                *slot = Some(cursor.variable(var)?);
            }
            Ok(())
        };
        place(&mut cursor, true)?;
        let hidden = cursor.0;
        let last = if model.uses_last { Some(cursor.take(1)?) } else { None };
        let event = if model.trace.is_some() { Some(cursor.take(2)?) } else { None };
        let observer = model.observer.as_ref().map(|o| observer(&o.automaton, &mut cursor)).transpose()?;
        place(&mut cursor, false)?;
        let globals = globals.into_iter().flatten().collect();
        let mut global_channels = Vec::new();
        for var in &model.globals {
            cursor.channels(var, &buffers, &mut global_channels).map_err(|e| e.at(var.span))?;
        }
        let frames = model
            .processes
            .iter()
            .map(|p| frame(p, model.uses_priorities, &buffers).map_err(|e| e.at(p.span)))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Layout { hidden, last, event, observer, globals, global_channels, fixed: cursor.0, frames, buffers })
    }

    /// Finds the processes and channels of a state.
    pub fn shape(&self, bytes: &[u8], shape: &mut Shape) {
        shape.processes.clear();
        shape.channels.clear();
        shape.channels.extend_from_slice(&self.global_channels);
        let mut at = self.fixed;
        while at < bytes.len() {
            at += self.enter(usize::from(bytes[at]), at, shape);
        }
    }

    /// Whether the processes of a state are those of this shape.
    pub fn has_shape(&self, bytes: &[u8], shape: &Shape) -> bool {
        let mut at = self.fixed;
        for process in &shape.processes {
            if at >= bytes.len() || u32::from(bytes[at]) != process.process {
                return false;
            }
            at += self.frames[process.process as usize].size;
        }
        at == bytes.len()
    }

    /// Adds a process of this type at this offset to a shape. Returns the size of the process.
    pub fn enter(&self, process: usize, at: usize, shape: &mut Shape) -> usize {
        let frame = &self.frames[process];
        shape.processes.push(ProcessAt { process: process as u32, offset: at as u32 });
        for channel in &frame.channels {
            shape.channels.push(ChannelAt { offset: channel.offset + at as u32, ..*channel });
        }
        frame.size
    }

    /// The location of a process.
    #[inline]
    pub fn location(&self, bytes: &[u8], at: ProcessAt) -> LocId {
        let offset = at.offset as usize;
        if self.frames[at.process as usize].wide_location {
            LocId(u32::from(u16::from_le_bytes([bytes[offset + 1], bytes[offset + 2]])))
        } else {
            LocId(u32::from(bytes[offset + 1]))
        }
    }

    /// Stores the location of a process.
    #[inline]
    pub fn set_location(&self, bytes: &mut [u8], at: ProcessAt, location: LocId) {
        let offset = at.offset as usize;
        bytes[offset + 1] = location.0 as u8;
        if self.frames[at.process as usize].wide_location {
            bytes[offset + 2] = (location.0 >> 8) as u8;
        }
    }

    /// The location of the observer, if there is one.
    #[inline]
    pub fn observer_location(&self, bytes: &[u8]) -> Option<LocId> {
        let ObserverAt { offset, wide } = self.observer?;
        let high = if wide { u32::from(bytes[offset + 1]) << 8 } else { 0 };
        Some(LocId(u32::from(bytes[offset]) | high))
    }

    pub(crate) fn set_observer_location(&self, bytes: &mut [u8], location: LocId) {
        let Some(ObserverAt { offset, wide }) = self.observer else { return };
        bytes[offset] = location.0 as u8;
        if wide {
            bytes[offset + 1] = (location.0 >> 8) as u8;
        }
    }

    /// Unpacks a state.
    pub fn view(&self, state: &State) -> View {
        let mut shape = Shape::default();
        self.shape(state, &mut shape);
        let globals = self.globals.iter().map(|s| s.elements(state, 0)).collect();
        let mut owners = vec![None; self.global_channels.len()];
        let mut processes = Vec::new();
        for (pid, &at) in shape.processes.iter().enumerate() {
            let frame = &self.frames[at.process as usize];
            let base = at.offset as usize;
            owners.extend(frame.channels.iter().map(|_| Some(pid as u8)));
            processes.push(ProcessView {
                pid: pid as u8,
                process: ProcessId(at.process),
                location: self.location(state, at),
                priority: frame.priority.map_or(1, |p| i32::from(state[base + p])),
                locals: frame.locals.iter().map(|s| s.elements(state, base)).collect(),
            });
        }
        let channels =
            shape.channels.iter().zip(owners).map(|(&at, owner)| self.channel_view(state, at, owner)).collect();
        View { globals, observer: self.observer_location(state), processes, channels }
    }

    fn channel_view(&self, bytes: &[u8], at: ChannelAt, owner: Option<u8>) -> ChannelView {
        let buffer = &self.buffers[at.declaration as usize];
        let start = at.offset as usize;
        let len = if buffer.capacity == 0 { 0 } else { usize::from(bytes[start]) };
        let message = |i: usize| {
            let base = start + 1 + i * buffer.message;
            buffer.fields.iter().map(|f| f.width.load(bytes, base + f.offset)).collect()
        };
        ChannelView { declaration: ChannelId(at.declaration), owner, messages: (0..len).map(message).collect() }
    }
}

fn buffer(capacity: usize, fields: &[Type]) -> Result<Buffer, StartError> {
    if capacity > 255 {
        return Err(StartError::new("a channel with more than 255 slots".to_string()));
    }
    let mut cursor = Cursor(0);
    let fields = fields.iter().map(|ty| cursor.slot(*ty, &[])).collect::<Result<Vec<_>, _>>()?;
    let message = cursor.0;
    // A rendezvous channel holds nothing between steps.
    let size = if capacity == 0 { 0 } else { 1 + capacity * message };
    Ok(Buffer { capacity, fields, message, size })
}

fn observer(automaton: &Process, cursor: &mut Cursor) -> Result<ObserverAt, StartError> {
    if automaton.locations.len() > 1 << 16 {
        return Err(StartError::new("a property with more than 65536 states".to_string()).at(automaton.span));
    }
    let wide = automaton.locations.len() > 256;
    Ok(ObserverAt { offset: cursor.take(if wide { 2 } else { 1 })?, wide })
}

fn frame(process: &Process, priorities: bool, buffers: &[Buffer]) -> Result<Frame, StartError> {
    if process.locations.len() > 1 << 16 {
        return Err(StartError::new(format!("`{}` has more than 65536 control points", process.name)));
    }
    let wide_location = process.locations.len() > 256;
    let mut cursor = Cursor(if wide_location { 3 } else { 2 });
    let priority = if priorities { Some(cursor.take(1)?) } else { None };
    let locals = process.locals.iter().map(|v| cursor.variable(v)).collect::<Result<Vec<_>, _>>()?;
    let mut channels = Vec::new();
    for var in &process.locals {
        cursor.channels(var, buffers, &mut channels).map_err(|e| e.at(var.span))?;
    }
    debug_assert!(locals.iter().all(|s| s.offset + s.bytes() <= cursor.0));
    Ok(Frame { wide_location, priority, locals, channels, size: cursor.0 })
}
