//! A state during execution.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::layout::{Layout, ProcessAt, Shape, Slot};

/// The bytes of a state and the positions of its processes and channels.
#[derive(Default, Debug)]
pub(crate) struct World {
    /// The packed state.
    pub bytes: Vec<u8>,
    /// The positions of processes and channels.
    pub shape: Shape,
    /// The version of the shape. Shapes with equal stamps are equal, so copying can be skipped.
    stamp: u64,
}

/// The number of stamps of a thread. The stamps of a thread start at a multiple of it.
const STAMPS: u64 = 1 << 40;

thread_local! {
    static LAST: Cell<u64> = {
        static THREADS: AtomicU64 = AtomicU64::new(0);
        Cell::new(THREADS.fetch_add(1, Ordering::Relaxed) * STAMPS)
    };
}

/// A stamp that was never used before.
fn new_stamp() -> u64 {
    LAST.with(|last| {
        last.set(last.get() + 1);
        last.get()
    })
}

impl Clone for World {
    fn clone(&self) -> World {
        World { bytes: self.bytes.clone(), shape: self.shape.clone(), stamp: self.stamp }
    }

    /// Copies without allocation if the capacity suffices. A copy is made for every transition.
    #[inline]
    fn clone_from(&mut self, other: &World) {
        self.bytes.clone_from(&other.bytes);
        if self.stamp != other.stamp {
            self.shape.clone_from(&other.shape);
            self.stamp = other.stamp;
        }
    }
}

impl World {
    pub(crate) fn load(&mut self, layout: &Layout, state: &[u8]) {
        self.bytes.clear();
        self.bytes.extend_from_slice(state);
        if self.stamp == 0 || !layout.has_shape(&self.bytes, &self.shape) {
            self.stamp = new_stamp();
            layout.shape(&self.bytes, &mut self.shape);
        }
    }

    /// The shape, for modification.
    pub(crate) fn reshape(&mut self) -> &mut Shape {
        self.stamp = new_stamp();
        &mut self.shape
    }

    pub(crate) fn processes(&self) -> usize {
        self.shape.processes.len()
    }

    #[inline]
    pub(crate) fn process(&self, pid: usize) -> ProcessAt {
        self.shape.processes[pid]
    }

    /// Stores a value into element `index` of a variable of the state or of the frame at `base`.
    #[inline]
    pub(crate) fn store(&mut self, slot: &Slot, base: usize, index: usize, value: i32) {
        let at = base + slot.offset + index * slot.width.bytes();
        slot.width.store(&mut self.bytes, at, slot.ty.wrap(value));
    }
}
