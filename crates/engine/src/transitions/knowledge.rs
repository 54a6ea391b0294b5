//! What is known about a packed state while moves are followed.

use kripke_model::layout::Width;

/// What is known about a byte.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Byte {
    /// It has this value.
    Known(u8),
    /// It has the value that it had before the moves, which is not known.
    Old,
    /// It has the value that the byte at this offset had before the moves, which is not known.
    Copy(usize),
    /// It may have its value from before the moves or another one. Neither is known.
    Mixed,
    /// A move has written it. The value is not known.
    Written,
}

/// The known bytes of a state that moves have reached.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Knowledge {
    bytes: Vec<Byte>,
    /// Moves do not change it: what is known is the same in all states that they reach.
    lasting: bool,
}

impl Knowledge {
    /// The bytes of a state that are known before the moves.
    pub fn new(state: &[u8], known: impl Fn(usize) -> bool) -> Knowledge {
        let byte = |(at, value): (usize, &u8)| if known(at) { Byte::Known(*value) } else { Byte::Old };
        Knowledge { bytes: state.iter().enumerate().map(byte).collect(), lasting: false }
    }

    /// The knowledge that no move changes. These bytes must be the same in all states, also between the stored ones.
    pub fn lasting(state: &[u8], known: impl Fn(usize) -> bool) -> Knowledge {
        Knowledge { lasting: true, ..Knowledge::new(state, known) }
    }

    pub fn is_lasting(&self) -> bool {
        self.lasting
    }

    /// The value of the element at this offset, if it is known.
    pub fn load(&self, width: Width, at: usize) -> Option<i32> {
        let mut value = [0; 4];
        for (value, byte) in value.iter_mut().zip(&self.bytes[at..at + width.bytes()]) {
            let Byte::Known(known) = byte else { return None };
            *value = *known;
        }
        Some(width.load(&value, 0))
    }

    /// The offset of the byte before the moves that decides about the value of a byte, unless that is known or was computed.
    pub fn decides(&self, at: usize) -> Option<usize> {
        match self.bytes[at] {
            Byte::Old | Byte::Mixed => Some(at),
            Byte::Copy(from) => Some(from),
            Byte::Known(_) | Byte::Written => None,
        }
    }

    /// The offset of the element before the moves that an element is equal to, if it is not known.
    pub fn origin(&self, width: Width, at: usize) -> Option<usize> {
        let from = match self.bytes[at] {
            Byte::Old => at,
            Byte::Copy(from) => from,
            _ => return None,
        };
        let is_part = |i: usize| match self.bytes[at + i] {
            Byte::Old => from == at,
            Byte::Copy(part) => part == from + i,
            _ => false,
        };
        (!self.lasting && (0..width.bytes()).all(is_part)).then_some(from)
    }

    /// Whether a byte may be one of several.
    pub fn is_mixed(&self, at: usize) -> bool {
        self.bytes[at] == Byte::Mixed
    }

    /// An element gets the value that another one had before the moves.
    pub fn copy(&mut self, width: Width, at: usize, from: usize) {
        if !self.lasting {
            (0..width.bytes()).for_each(|i| self.bytes[at + i] = Byte::Copy(from + i));
        }
    }

    /// An element is written.
    pub fn store(&mut self, width: Width, at: usize, value: Option<i32>) {
        let mut bytes = [0; 4];
        width.store(&mut bytes, 0, value.unwrap_or(0));
        let byte = |byte| if value.is_some() { Byte::Known(byte) } else { Byte::Written };
        if !self.lasting {
            let to = &mut self.bytes[at..at + width.bytes()];
            to.iter_mut().zip(bytes).for_each(|(to, new)| *to = byte(new));
        }
    }

    /// Some of these bytes may be written.
    pub fn forget(&mut self, at: usize, count: usize) {
        if !self.lasting {
            self.bytes[at..at + count].fill(Byte::Mixed);
        }
    }
}
