//! Successors of states in words.
//!
//! [`InWords`] wraps any [`Successors`] of packed states. A state is converted when it is expanded, and each successor when
//! it is made, so everything inside works on packed states. On processors with fast instructions to extract and deposit bits
//! (BMI2) a conversion takes two or three instructions for each eight bytes.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kripke_model::words::{BitMoves, ByShifts, Deposit, MAX_WORDS, WordLayout, words_of};
use kripke_model::{AcceptanceMarks, ActionLabels, ProcessStructure, Representation, StateLabels};
use kripke_model::{Batch, Choice, Flags, Movers, Parts, State, Successors};

/// The layout of states in words, and whether a state did not fit. All threads share it.
#[derive(Debug)]
pub struct Words {
    layout: WordLayout,
    moves: Moves,
    /// How states of each shape are decoded. Empty if a state is shorter than a chunk.
    shapes: Vec<PackedShape>,
    /// Some state did not fit: the search has to be repeated with packed states.
    escaped: Arc<AtomicBool>,
}

/// How bits are moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Moves {
    ByShifts,
    #[cfg(target_arch = "x86_64")]
    ByInstructions,
}

/// How packed states of one shape are written.
#[derive(Debug)]
struct PackedShape {
    length: usize,
    deposits: Vec<Deposit>,
}

impl PackedShape {
    fn new(layout: &WordLayout, tag: usize, length: usize) -> PackedShape {
        let deposits: Vec<Deposit> = layout.deposits(tag).collect();
        assert!(deposits.iter().all(|deposit| deposit.at + 8 <= length), "chunks are inside of the state");
        PackedShape { length, deposits }
    }
}

impl Words {
    /// States with this layout.
    pub fn new(layout: WordLayout) -> Words {
        let shapes = match layout.lengths().all(|length| length >= 8) {
            true => layout.lengths().enumerate().map(|(tag, length)| PackedShape::new(&layout, tag, length)).collect(),
            false => Vec::new(),
        };
        Words { layout, moves: Moves::fastest(), shapes, escaped: Arc::default() }
    }

    /// The layout.
    pub fn layout(&self) -> &WordLayout {
        &self.layout
    }

    /// Whether a packed state fits into the layout.
    pub fn holds(&self, state: &State) -> bool {
        self.layout.shape_of(state).is_some()
    }

    /// Whether a state did not fit into the layout. Its successors were left out, so no result of the search is valid.
    pub fn has_escaped(&self) -> bool {
        self.escaped.load(Ordering::Relaxed)
    }

    /// The flag that is set when a state does not fit.
    pub fn escape_flag(&self) -> Arc<AtomicBool> {
        self.escaped.clone()
    }

    /// The packed state that has this form in words.
    #[inline]
    pub(crate) fn decode(&self, words: &[u64; MAX_WORDS], state: &mut Vec<u8>) {
        match self.moves {
            Moves::ByShifts => self.layout.decode::<ByShifts>(words, state),
            #[cfg(target_arch = "x86_64")]
            Moves::ByInstructions => bmi2::decode(self, words, state),
        }
    }

    /// A packed state in words. Nothing if it does not fit. This shape is tried first.
    #[inline]
    pub(crate) fn encode(&self, state: &State, mut shape: usize) -> Option<[u64; MAX_WORDS]> {
        match self.moves {
            Moves::ByShifts => self.layout.encode::<ByShifts>(state, &mut shape),
            #[cfg(target_arch = "x86_64")]
            Moves::ByInstructions => bmi2::encode(self, state, &mut shape),
        }
    }

    /// Appends states. One that does not fit is left out, and reported by [`Words::has_escaped`].
    pub(crate) fn encode_all(&self, states: &Batch, recent: &mut usize, out: &mut Batch) {
        match self.moves {
            Moves::ByShifts => encode_all::<ByShifts>(self, states, recent, out),
            #[cfg(target_arch = "x86_64")]
            Moves::ByInstructions => bmi2::encode_all(self, states, recent, out),
        }
    }
}

#[inline(always)]
fn encode_all<M: BitMoves>(words: &Words, states: &Batch, recent: &mut usize, out: &mut Batch) {
    let (bytes, ends) = out.parts();
    let size = words.layout.bytes();
    assert!(bytes.len() + states.len() * size < u32::MAX as usize, "a batch holds less than 4 GiB");
    for state in states.states() {
        match words.layout.encode::<M>(state, recent) {
            Some(packed) => {
                match size {
                    8 => bytes.extend_from_slice(&packed[0].to_le_bytes()),
                    _ => bytes.extend_from_slice(&packed.map(u64::to_le_bytes).as_flattened()[..size]),
                }
                ends.push(bytes.len() as u32);
            }
            None => words.escaped.store(true, Ordering::Relaxed),
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod bmi2 {
    use std::arch::x86_64::{__cpuid, _pdep_u64, _pext_u64};

    use kripke_model::words::{BitMoves, Chunk, Deposit, MAX_WORDS, bits_at};
    use kripke_model::{Batch, State};

    use super::{Moves, PackedShape, Words};

    /// Bits moved by instructions of the processor.
    struct ByInstructions;

    impl BitMoves for ByInstructions {
        #[inline(always)]
        fn extract(chunk: &Chunk, value: u64) -> u64 {
            // SAFETY: `Moves::fastest` has found the instructions on this processor; only the functions below, which are
            // called after that, use this type.
            unsafe { _pext_u64(value, chunk.varying()) }
        }

        #[inline(always)]
        fn deposit(chunk: &Chunk, bits: u64) -> u64 {
            // SAFETY: as above.
            unsafe { _pdep_u64(bits, chunk.varying()) }
        }
    }

    pub(super) fn decode(words: &Words, packed: &[u64; MAX_WORDS], out: &mut Vec<u8>) {
        #[target_feature(enable = "bmi2")]
        fn run(words: &Words, packed: &[u64; MAX_WORDS], out: &mut Vec<u8>) {
            let Some(shape) = words.shapes.get(words.layout.tag(packed)) else {
                return words.layout.decode::<ByInstructions>(packed, out);
            };
            out.resize(shape.length, 0);
            // A position behind the words has no bits.
            match words.layout.bits() {
                0..=64 => write(shape, out, |position| packed[0].wrapping_shr(position)),
                65..=128 => {
                    let both = u128::from(packed[0]) | u128::from(packed[1]) << 64;
                    write(shape, out, |position| both.wrapping_shr(position) as u64);
                }
                _ => write(shape, out, |position| bits_at(packed, position)),
            }
        }
        /// Writes the chunks of a state; `bits` gives the words from a position on.
        #[inline]
        #[target_feature(enable = "bmi2")]
        fn write(shape: &PackedShape, out: &mut Vec<u8>, bits: impl Fn(u32) -> u64) {
            assert_eq!(out.len(), shape.length);
            let start = out.as_mut_ptr();
            for &Deposit { at, position, varying, fixed, add } in &shape.deposits {
                let value = add.apply(_pdep_u64(bits(position), varying) ^ fixed);
                // SAFETY: the chunk is inside of the state.
                unsafe { start.add(at).cast::<u64>().write_unaligned(value) };
            }
        }
        assert!(words.moves == Moves::ByInstructions);
        // SAFETY: the processor has these instructions, or the value would be another.
        unsafe { run(words, packed, out) }
    }

    pub(super) fn encode(words: &Words, state: &State, recent: &mut usize) -> Option<[u64; MAX_WORDS]> {
        #[target_feature(enable = "bmi2")]
        fn run(words: &Words, state: &State, recent: &mut usize) -> Option<[u64; MAX_WORDS]> {
            words.layout.encode::<ByInstructions>(state, recent)
        }
        assert!(words.moves == Moves::ByInstructions);
        // SAFETY: as above.
        unsafe { run(words, state, recent) }
    }

    pub(super) fn encode_all(words: &Words, states: &Batch, recent: &mut usize, out: &mut Batch) {
        #[target_feature(enable = "bmi2")]
        fn run(words: &Words, states: &Batch, recent: &mut usize, out: &mut Batch) {
            super::encode_all::<ByInstructions>(words, states, recent, out);
        }
        assert!(words.moves == Moves::ByInstructions);
        // SAFETY: as above.
        unsafe { run(words, states, recent, out) }
    }

    /// Whether the processor executes these instructions fast. AMD's families 15h and 17h (before Zen 3) have them as
    /// microcode, which is slower than shifts.
    pub(super) fn are_fast() -> bool {
        if !std::arch::is_x86_feature_detected!("bmi2") {
            return false;
        }
        let (vendor, model) = (__cpuid(0), __cpuid(1));
        let family = (model.eax >> 8 & 0xf) + (model.eax >> 20 & 0xff);
        let amd = [vendor.ebx, vendor.edx, vendor.ecx] == [*b"Auth", *b"enti", *b"cAMD"].map(u32::from_le_bytes);
        !amd || family >= 0x19
    }
}

/// Whether the processor has a fast instruction to select bits.
#[cfg(target_arch = "x86_64")]
pub(crate) fn selects_bits_fast() -> bool {
    bmi2::are_fast()
}

impl Moves {
    fn fastest() -> Moves {
        #[cfg(target_arch = "x86_64")]
        if bmi2::are_fast() {
            return Moves::ByInstructions;
        }
        Moves::ByShifts
    }
}

/// A wrapper around any [`Successors`] that takes and gives states in words, in the same order.
#[derive(Debug)]
pub struct InWords<S> {
    inner: S,
    words: Arc<Words>,
    /// The shape of the state that was encoded last.
    recent: usize,
    state: Vec<u8>,
    batch: Batch,
    postponed: Batch,
}

impl<S: Successors> InWords<S> {
    /// Wraps successors whose states have this layout.
    pub fn new(inner: S, words: Arc<Words>) -> InWords<S> {
        InWords { inner, words, recent: 0, state: Vec::new(), batch: Batch::new(), postponed: Batch::new() }
    }

    /// Appends the inner successors in words, and their findings.
    fn encode_successors(&mut self, out: &mut Batch) {
        self.words.encode_all(&self.batch, &mut self.recent, out);
        if !self.batch.findings().is_empty() {
            self.batch.findings().iter().for_each(|finding| out.find(finding.clone()));
        }
    }
}

impl<S: Successors> Successors for InWords<S> {
    fn initial(&mut self, out: &mut Batch) {
        self.batch.clear();
        self.inner.initial(&mut self.batch);
        self.encode_successors(out);
    }

    fn expand(&mut self, state: &State, choice: Choice, out: &mut Batch) -> Flags {
        self.words.decode(&words_of(state), &mut self.state);
        self.batch.clear();
        let flags = self.inner.expand(&self.state, choice, &mut self.batch);
        self.encode_successors(out);
        flags
    }
}

impl<S: Successors> Representation for InWords<S> {
    fn hidden_prefix(&self) -> usize {
        0
    }

    fn word_bits(&self) -> Option<u32> {
        Some(self.words.layout.bits())
    }

    fn decode<'s>(&mut self, state: &'s State) -> Cow<'s, State> {
        self.words.decode(&words_of(state), &mut self.state);
        Cow::Owned(self.inner.decode(&self.state).into_owned())
    }
}

impl<S: Successors> StateLabels for InWords<S> {
    fn state_labels(&mut self, state: &State) -> Option<u64> {
        self.words.decode(&words_of(state), &mut self.state);
        self.inner.state_labels(&self.state)
    }
}

impl<S: Successors> ActionLabels for InWords<S> {
    fn action_labels(&mut self, state: &State, out: &mut Vec<Vec<u32>>) {
        self.words.decode(&words_of(state), &mut self.state);
        self.inner.action_labels(&self.state, out);
    }
}

impl<S: Successors> AcceptanceMarks for InWords<S> {
    fn acceptance_marks(&mut self, state: &State, out: &mut Vec<u32>) {
        self.words.decode(&words_of(state), &mut self.state);
        self.inner.acceptance_marks(&self.state, out);
    }
}

impl<S: Successors> ProcessStructure for InWords<S> {
    fn movers(&mut self, state: &State, out: &mut Movers) {
        self.words.decode(&words_of(state), &mut self.state);
        self.inner.movers(&self.state, out);
    }

    fn expand_parts(&mut self, state: &State, out: &mut Batch, parts: &mut Parts) -> Flags {
        self.words.decode(&words_of(state), &mut self.state);
        self.batch.clear();
        let flags = self.inner.expand_parts(&self.state, &mut self.batch, parts);
        let first = out.len();
        self.encode_successors(out);
        let shift = first - parts.first;
        parts.first += shift;
        // A successor that does not fit into words is left out; no result of the search is valid then.
        parts.ends.iter_mut().for_each(|(_, end)| *end = (*end + shift).min(out.len()));
        flags
    }

    fn expand_ample(&mut self, state: &State, out: &mut Batch, postponed: &mut Batch) -> Flags {
        self.words.decode(&words_of(state), &mut self.state);
        self.batch.clear();
        let mut inner_postponed = std::mem::take(&mut self.postponed);
        inner_postponed.clear();
        let flags = self.inner.expand_ample(&self.state, &mut self.batch, &mut inner_postponed);
        self.encode_successors(out);
        if inner_postponed.is_empty() {
            self.postponed = inner_postponed;
        } else {
            self.postponed = std::mem::replace(&mut self.batch, inner_postponed);
            self.encode_successors(postponed);
        }
        flags
    }

    fn full_expansions(&mut self, most: usize) -> usize {
        self.inner.full_expansions(most)
    }

    fn note_explored(&mut self, postponed: usize) {
        self.inner.note_explored(postponed);
    }
}

#[cfg(test)]
mod tests {
    use kripke_model::Random;
    use kripke_model::words::Field;

    use super::*;

    /// A random shape of this length: fields of all sizes with and without least values, and constant bytes between them.
    fn shape(length: usize, random: &mut Random) -> (Vec<u8>, Vec<Field>) {
        let (mut fields, mut offset) = (Vec::new(), 0);
        loop {
            let bytes = random.one_of(&[1, 2, 4]);
            if offset + bytes > length {
                break;
            }
            let (base, count) = (random.one_of(&[0, -1, 3, 250, 70_000]), random.one_of(&[1, 2, 5, 16, 200]));
            if !random.one_in(3) {
                fields.push(Field { offset, bytes, base, count });
            }
            offset += bytes;
        }
        ((0..length).map(|_| random.next_u64() as u8).collect(), fields)
    }

    #[test]
    fn states_are_decoded_to_what_was_encoded() {
        let (random, mut flat) = (&mut Random::new(3), [0; MAX_WORDS]);
        for round in 0..3000 {
            let length = 1 + random.below(280);
            let shapes: Vec<_> = (0..1 + round % 3).map(|more| shape(length + more, random)).collect();
            let Some(layout) = WordLayout::new(&shapes) else { continue };
            let words = Words::new(layout);
            flat[words.layout.word_count() - 1] += usize::from(!words.shapes.is_empty());
            for (template, fields) in &shapes {
                let mut state = template.clone();
                for field in fields {
                    let value = (field.base as u32).wrapping_add(random.below_u64(field.count) as u32);
                    state[field.offset..field.offset + field.bytes]
                        .copy_from_slice(&value.to_le_bytes()[..field.bytes]);
                }
                let mut back = vec![7; 3];
                words.decode(&words.encode(&state, 0).expect("the state fits"), &mut back);
                assert_eq!(back, state, "{words:?}");
            }
        }
        assert!(flat.iter().all(|layouts| *layouts > 30), "{flat:?} layouts of one to {MAX_WORDS} words");
    }
}
