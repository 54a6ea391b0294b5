//! States of the common shape without the bytes for the types of processes.
//!
//! A state has a type byte for each process. If the set of processes is fixed these bytes are constant. They are
//! removed, and compiled code works on the remaining bytes. States of other shapes stay as they are; an additional
//! byte makes each of them longer than a state without types, unless it is shorter anyway.

use kripke_model::State;

use crate::facts::Site;
use crate::shape::Shape;

#[derive(Debug)]
pub(crate) struct TypeBytes {
    shape: Shape,
    /// The offsets of the type bytes in a state of this shape, with their values.
    types: Vec<(usize, u8)>,
    /// The length of a state without type bytes.
    pub len: usize,
}

impl TypeBytes {
    pub(crate) fn new(shape: Shape, sites: &[Site], len: usize) -> TypeBytes {
        let types: Vec<(usize, u8)> = sites.iter().map(|s| (s.base as usize, s.process as u8)).collect();
        TypeBytes { shape, len: len - types.len(), types }
    }

    /// The stored form of a state.
    pub(crate) fn encode(&self, whole: &State, out: &mut Vec<u8>) {
        out.clear();
        if !self.shape.fits(whole) {
            out.extend_from_slice(whole);
            if whole.len() >= self.len {
                out.push(0);
            }
            return;
        }
        let mut from = 0;
        for &(at, _) in &self.types {
            out.extend_from_slice(&whole[from..at]);
            from = at + 1;
        }
        out.extend_from_slice(&whole[from..]);
    }

    /// The state with its type bytes.
    pub(crate) fn decode(&self, kept: &State, out: &mut Vec<u8>) {
        out.clear();
        if kept.len() != self.len {
            out.extend_from_slice(&kept[..kept.len() - usize::from(kept.len() > self.len)]);
            return;
        }
        let mut from = 0;
        for (n, &(at, ty)) in self.types.iter().enumerate() {
            out.extend_from_slice(&kept[from..at - n]);
            out.push(ty);
            from = at - n;
        }
        out.extend_from_slice(&kept[from..]);
    }
}
