//! States of the usual shape without what they all have in common.
//!
//! A state says of each process which type it is. Where the processes are the usual ones that goes without saying, so
//! those bytes are cut out, and compiled code works on what is left. States of other shapes are kept whole; a byte more
//! makes them longer than any that was cut, unless they are shorter anyway.

use kripke_model::State;

use crate::facts::Site;
use crate::shape::Shape;

#[derive(Debug)]
pub(crate) struct Cut {
    shape: Shape,
    /// Where a state of this shape says of which type a process is, and what it says.
    types: Vec<(usize, u8)>,
    /// How long such a state is when it is cut.
    pub len: usize,
}

impl Cut {
    pub(crate) fn new(shape: Shape, sites: &[Site], len: usize) -> Cut {
        let types: Vec<(usize, u8)> = sites.iter().map(|s| (s.base as usize, s.process as u8)).collect();
        Cut { shape, len: len - types.len(), types }
    }

    /// What is kept of a whole state.
    pub(crate) fn cut(&self, whole: &State, out: &mut Vec<u8>) {
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

    /// The whole state again.
    pub(crate) fn mend(&self, kept: &State, out: &mut Vec<u8>) {
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
