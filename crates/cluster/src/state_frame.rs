//! Frames of states: what ranks that search for states send each other.
//!
//! After the head of a frame come the width of the states and their number, four bytes each. States of equal width follow without more
//! ado; long ones, between machines, as differences from the state before, in words of eight bytes: bits that say which words differ, and
//! those words. Then the uppermost bit of the width is set. Within a process, copying is faster. If states have different lengths, the width
//! is zero and the length of each precedes it.

use kripke_model::{Batch, State};

use crate::network::{HEAD, begin_states};
use crate::transport::Frame;
use crate::wire::{Reader, put_bytes};

/// The bytes before the states.
const STATES: usize = HEAD + 8;

/// States of this many bytes and more may be sent as differences.
const LONG: usize = 32;

/// The bit of the width that says that states are differences.
const DIFFERENCES: u32 = 1 << 31;

/// A frame of states that is being written.
#[derive(Clone, Default, Debug)]
pub(crate) struct StateFrame {
    /// The bytes. States of words may be appended to it directly.
    pub frame: Frame,
    /// The number of states, unless their length tells it.
    states: u32,
    width: usize,
    /// The state before, if states are sent as differences. Empty if they are not.
    last: Vec<u8>,
}

impl StateFrame {
    /// Whether a state of this width, or of any if it is zero, can be added. A frame that was not begun takes none.
    pub fn takes(&self, width: usize) -> bool {
        !self.frame.is_empty() && self.width == width
    }

    /// Begins a frame of states, in memory that is used again. Long states are written as differences on request.
    pub fn begin(&mut self, memory: Frame, width: usize, differences: bool) {
        self.frame = memory;
        self.frame.clear();
        begin_states(&mut self.frame);
        let differs = differences && width >= LONG;
        self.frame.extend_from_slice(&(width as u32 | if differs { DIFFERENCES } else { 0 }).to_le_bytes());
        self.frame.extend_from_slice(&0_u32.to_le_bytes());
        (self.width, self.states) = (width, 0);
        self.last.clear();
        self.last.resize(if differs { width } else { 0 }, 0);
    }

    /// Adds a state.
    #[inline]
    pub fn push(&mut self, state: &State) {
        match (self.width, self.last.is_empty()) {
            (0, _) => put_bytes(&mut self.frame, state),
            (_, true) => return self.frame.extend_from_slice(state),
            _ => self.push_difference(state),
        }
        self.states += 1;
    }

    fn push_difference(&mut self, state: &State) {
        let bits = self.frame.len();
        self.frame.resize(bits + bits_bytes(state.len()), 0);
        let ((words, rest), (olds, old_rest)) = (state.as_chunks::<8>(), self.last.as_chunks::<8>());
        for (number, (word, old)) in words.iter().zip(olds).enumerate() {
            if u64::from_le_bytes(*word) != u64::from_le_bytes(*old) {
                self.frame[bits + number / 8] |= 1 << (number % 8);
                self.frame.extend_from_slice(word);
            }
        }
        if rest != old_rest {
            self.frame[bits + words.len() / 8] |= 1 << (words.len() % 8);
            self.frame.extend_from_slice(rest);
        }
        self.last.copy_from_slice(state);
    }

    /// The whole frame, and the number of states in it. A new one is to be begun.
    pub fn take(&mut self) -> (Frame, u64) {
        let mut states = std::mem::take(&mut self.states);
        if self.width > 0 && self.last.is_empty() {
            states = (self.frame.len().saturating_sub(STATES) / self.width) as u32;
        }
        if states > 0 {
            self.frame[STATES - 4..STATES].copy_from_slice(&states.to_le_bytes());
        }
        (std::mem::take(&mut self.frame), u64::from(states))
    }
}

/// The number of bytes with a bit for each word of a state.
fn bits_bytes(width: usize) -> usize {
    width.div_ceil(64)
}

/// The number of states that a frame is said to have.
pub(crate) fn states(frame: &[u8]) -> Option<u64> {
    let number = frame.get(STATES - 4..STATES)?;
    Some(u64::from(u32::from_le_bytes(*number.first_chunk()?)))
}

/// A frame whose states are taken some at a time.
#[derive(Default, Debug)]
pub(crate) struct Reading {
    pub frame: Frame,
    /// Where the states begin that were not taken.
    at: usize,
}

impl Reading {
    pub fn new(frame: Frame) -> Reading {
        Reading { frame, at: STATES }
    }

    /// Appends some of the states that are left: about so many, or all if they do not have the same width. Those of a damaged frame
    /// are left out, and the search notices that they are missing. Returns whether there may be more.
    pub fn take(&mut self, about: usize, into: &mut Batch) -> bool {
        let frame = &self.frame;
        let (Some(content), Some(states)) = (frame.get(STATES..), states(frame)) else { return false };
        let word = frame[HEAD..].first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
        let width = (word & !DIFFERENCES) as usize;
        if width == 0 {
            let mut reader = Reader::new(content);
            let all = std::iter::from_fn(|| reader.bytes());
            all.take(states as usize).for_each(|state| into.push(state));
            return false;
        }
        if word & DIFFERENCES != 0 {
            read_differences(content, width, states, into);
            return false;
        }
        if content.len() as u64 != width as u64 * states {
            return false;
        }
        let end = frame.len().min(self.at + about * width);
        into.push_all(&frame[self.at..end], width);
        self.at = end;
        end < frame.len()
    }
}

fn read_differences(mut content: &[u8], width: usize, states: u64, into: &mut Batch) -> Option<()> {
    let mut state = vec![0; width];
    for _ in 0..states {
        let (bits, rest) = content.split_at_checked(bits_bytes(width))?;
        content = rest;
        for (number, byte) in bits.iter().enumerate() {
            let mut left = *byte;
            while left != 0 {
                let start = (number * 8 + left.trailing_zeros() as usize) * 8;
                let word = state.get_mut(start..width.min(start + 8))?;
                let (new, rest) = content.split_at_checked(word.len())?;
                word.copy_from_slice(new);
                content = rest;
                left &= left - 1;
            }
        }
        into.push(&state);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use kripke_model::Random;

    use super::*;

    fn read(frame: Frame, into: &mut Batch) {
        let mut reading = Reading::new(frame);
        while reading.take(7, into) {}
    }

    fn copied(states: &[Vec<u8>], width: usize, differences: bool) -> (Vec<u8>, Vec<Vec<u8>>) {
        let mut frame = StateFrame::default();
        frame.begin(vec![1, 2, 3], width, differences);
        states.iter().for_each(|state| frame.push(state));
        let (frame, number) = frame.take();
        assert_eq!((number, super::states(&frame)), (states.len() as u64, Some(number)));
        let mut batch = Batch::new();
        read(frame.clone(), &mut batch);
        (frame, batch.states().map(<[u8]>::to_vec).collect())
    }

    #[test]
    fn states_arrive_as_they_were_sent() {
        let mut random = Random::new(8);
        for case in 0..2_000 {
            let width = if case % 3 == 0 { 0 } else { 1 + random.below(200) };
            let number = 1 + random.below(30);
            let mut state = vec![0; width];
            let states: Vec<Vec<u8>> = std::iter::repeat_with(|| {
                if width == 0 {
                    state = vec![7; random.below(60)];
                }
                for _ in 0..random.below(4).min(state.len()) {
                    let at = random.below(state.len());
                    state[at] = random.below(256) as u8;
                }
                state.clone()
            })
            .take(number)
            .collect();
            assert_eq!(copied(&states, width, case % 2 == 0).1, states, "width {width}");
        }
    }

    #[test]
    fn similar_long_states_take_little_room() {
        let states: Vec<Vec<u8>> = (0..100).map(|n| [vec![3; 99], vec![n]].concat()).collect();
        let (frame, read) = copied(&states, 100, true);
        assert_eq!(read, states);
        assert!(frame.len() < 1_000, "{} bytes", frame.len());
    }

    #[test]
    fn damaged_frames_are_left_out() {
        let states: Vec<Vec<u8>> = (0..9).map(|n| vec![n; 40]).collect();
        for (width, differences) in [(0, false), (40, false), (40, true)] {
            let (frame, _) = copied(&states, width, differences);
            for length in 0..frame.len() {
                let mut batch = Batch::new();
                read(frame[..length].to_vec(), &mut batch);
                assert!(batch.len() < states.len());
            }
        }
    }
}
