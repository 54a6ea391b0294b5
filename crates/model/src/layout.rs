//! How a state is packed into bytes.

use std::fmt;

use crate::ir::{ChannelId, LocId, Model, ProcessId};
use crate::successors::State;

/// The model is too large to run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LayoutError(pub String);

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for LayoutError {}

#[derive(Clone, Debug)]
pub struct Layout {}

/// A state unpacked for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct View {
    /// Parallel to [`Model::globals`]: the elements of each variable.
    pub globals: Vec<Vec<i32>>,
    pub processes: Vec<ProcessView>,
    /// Buffered and rendezvous channels alive; `channels[i]` has number `i + 1`.
    pub channels: Vec<ChannelView>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProcessView {
    pub pid: u8,
    pub process: ProcessId,
    pub location: LocId,
    pub priority: i32,
    /// Parallel to the process type's locals.
    pub locals: Vec<Vec<i32>>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChannelView {
    pub declaration: ChannelId,
    /// The process that created it; none for a global one.
    pub owner: Option<u8>,
    pub messages: Vec<Vec<i32>>,
}

impl Layout {
    pub fn new(_model: &Model) -> Result<Layout, LayoutError> {
        todo!()
    }

    /// Unpacks a state.
    pub fn view(&self, _model: &Model, _state: &State) -> View {
        todo!()
    }
}
