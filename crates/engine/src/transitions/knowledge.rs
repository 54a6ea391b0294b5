//! What is known about a packed state while moves are followed.

use kripke_model::layout::Width;

/// What is known about a byte.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Byte {
    /// It has this value.
    Known(u8),
    /// It is not known, and may have the value that it had before the moves.
    Old,
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

    /// Whether the byte at this offset may have the value that it had before the moves, and that is not known.
    pub fn is_old(&self, at: usize) -> bool {
        self.bytes[at] == Byte::Old
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
            self.bytes[at..at + count].fill(Byte::Old);
        }
    }
}
