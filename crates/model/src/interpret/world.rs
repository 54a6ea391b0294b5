//! A state while it is being executed.

use crate::layout::{Layout, ProcessAt, Shape, Slot};

/// The bytes of a state with the processes and channels found in it.
#[derive(Default, Debug)]
pub(crate) struct World {
    pub bytes: Vec<u8>,
    pub shape: Shape,
}

impl Clone for World {
    fn clone(&self) -> World {
        World { bytes: self.bytes.clone(), shape: self.shape.clone() }
    }

    /// Copies without allocating where there is room: this happens once per transition.
    #[inline]
    fn clone_from(&mut self, other: &World) {
        self.bytes.clone_from(&other.bytes);
        self.shape.clone_from(&other.shape);
    }
}

impl World {
    pub(crate) fn load(&mut self, layout: &Layout, state: &[u8]) {
        self.bytes.clear();
        self.bytes.extend_from_slice(state);
        layout.shape(&self.bytes, &mut self.shape);
    }

    pub(crate) fn processes(&self) -> usize {
        self.shape.processes.len()
    }

    #[inline]
    pub(crate) fn process(&self, pid: usize) -> ProcessAt {
        self.shape.processes[pid]
    }

    /// Stores into element `index` of a variable of the state or of the frame at `base`.
    #[inline]
    pub(crate) fn store(&mut self, slot: &Slot, base: usize, index: usize, value: i32) {
        let at = base + slot.offset + index * slot.width.bytes();
        slot.width.store(&mut self.bytes, at, slot.ty.wrap(value));
    }
}
