//! States in words: the bits of a packed state that can vary, end to end.
//!
//! A packed state has at least one byte for each value ([`Layout`](crate::layout::Layout)). Most values need few of its
//! bits, and some bytes are constant. A [`WordLayout`] says which bits vary, and moves them to the bits of a few words and
//! back. It treats a packed state as *chunks* of eight bytes, so that a chunk takes one instruction of a processor that can
//! extract and deposit bits ([`BitMoves`]).
//!
//! Every bit that is not moved is compared with its constant value. So a state that does not fit, because a value is
//! outside of the set that the layout was made for, is recognised, and different states have different words.

use crate::successors::State;

/// The most shapes of a layout: their number is in the first byte.
pub const MAX_SHAPES: usize = 256;

/// A value in a packed state: its place, and the values that it can have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field {
    /// The offset of its first byte.
    pub offset: usize,
    /// The number of its bytes: 1, 2 or 4.
    pub bytes: usize,
    /// The least value, modulo 2 to the number of bits.
    pub base: i32,
    /// The number of values from there on, at least 1.
    pub count: u64,
}

/// The form of states in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WordLayout {
    shapes: Vec<WordShape>,
    /// The number of bits, at the start, that tell the shape.
    tag_bits: u32,
    bits: u32,
}

/// The form of states with the same processes.
#[derive(Clone, PartialEq, Eq, Debug)]
struct WordShape {
    /// The number of bytes of the packed state.
    len: usize,
    chunks: Vec<Chunk>,
    bits: u32,
    fields: Vec<Field>,
}

/// Eight consecutive bytes of a packed state, fewer in a very short one. The last chunk may overlap the one before.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chunk {
    at: usize,
    /// The bits that are moved.
    varying: u64,
    /// The bits that are compared with `fixed`: those that are not moved and are in no earlier chunk.
    constant: u64,
    fixed: u64,
    /// The position of the bits in the words.
    position: u32,
    count: u32,
    /// Values whose least value is not 0.
    bases: Vec<Base>,
    /// Runs of consecutive bits: their bits in the chunk, and the distance to the bits that they are moved to.
    runs: Vec<(u64, u32)>,
}

/// The least value of a field: it is subtracted when the field is moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Base {
    shift: u32,
    mask: u64,
    least: u64,
}

/// The place of a field in the words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    /// The number of bytes of the field in a packed state.
    pub bytes: usize,
    /// The number that is subtracted from the field, modulo 2 to the number of its bits.
    pub least: u32,
    /// The number of bits in the words.
    pub bits: u32,
    /// The first of them.
    pub first: u32,
}

impl Position {
    /// Sets the field of a state in words. The value has to be one that the field can have.
    pub fn set(&self, value: u32, words: &mut [u8]) {
        let relative = u64::from(value.wrapping_sub(self.least)) & ones(self.bits);
        for bit in 0..self.bits {
            let (at, shift) = ((self.first + bit) as usize / 8, (self.first + bit) % 8);
            words[at] = words[at] & !(1 << shift) | ((relative >> bit & 1) as u8) << shift;
        }
    }
}

/// Extraction and deposit of bits.
pub trait BitMoves {
    /// The varying bits of a chunk, end to end.
    fn extract(chunk: &Chunk, value: u64) -> u64;

    /// The inverse of [`extract`](BitMoves::extract); all other bits are 0.
    fn deposit(chunk: &Chunk, bits: u64) -> u64;
}

/// Bits moved by shifts and masks.
#[derive(Clone, Copy, Debug)]
pub struct ByShifts;

impl BitMoves for ByShifts {
    #[inline(always)]
    fn extract(chunk: &Chunk, value: u64) -> u64 {
        chunk.runs.iter().fold(0, |bits, (run, distance)| bits | (value & run) >> distance)
    }

    #[inline(always)]
    fn deposit(chunk: &Chunk, bits: u64) -> u64 {
        chunk.runs.iter().fold(0, |value, (run, distance)| value | bits << distance & run)
    }
}

impl Chunk {
    /// The bits of the chunk that are moved.
    #[inline(always)]
    pub fn varying(&self) -> u64 {
        self.varying
    }

    #[inline(always)]
    fn load(&self, state: &State) -> u64 {
        let bytes = &state[self.at..];
        match bytes.first_chunk() {
            Some(bytes) => u64::from_le_bytes(*bytes),
            None => bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)),
        }
    }

    #[inline(always)]
    fn store(&self, value: u64, state: &mut [u8]) {
        let bytes = &mut state[self.at..];
        match bytes.first_chunk_mut() {
            Some(bytes) => *bytes = value.to_le_bytes(),
            None => bytes.iter_mut().zip(value.to_le_bytes()).for_each(|(byte, value)| *byte = value),
        }
    }

    /// Whether all bytes of a field are in this chunk and in no earlier one.
    fn owns(&self, field: &Field) -> bool {
        let Some(ahead) = field.offset.checked_sub(self.at).filter(|ahead| ahead + field.bytes <= 8) else { return false };
        let bits = ones(8 * field.bytes as u32) << (8 * ahead);
        bits & !self.constant == 0
    }

    /// Whether a byte is in this chunk and in no earlier one.
    fn covers(&self, byte: &Field) -> bool {
        let ahead = byte.offset.checked_sub(self.at).filter(|ahead| *ahead < 8);
        ahead.is_some_and(|ahead| (self.constant | self.varying) >> (8 * ahead) & 0xff == 0xff)
    }

    /// The chunk with the least values subtracted.
    #[inline(always)]
    fn relative(&self, mut value: u64) -> u64 {
        for base in &self.bases {
            let field = value >> base.shift & base.mask;
            value ^= (field ^ field.wrapping_sub(base.least) & base.mask) << base.shift;
        }
        value
    }

    #[inline(always)]
    fn absolute(&self, mut value: u64) -> u64 {
        for base in &self.bases {
            let field = value >> base.shift & base.mask;
            value ^= (field ^ field.wrapping_add(base.least) & base.mask) << base.shift;
        }
        value
    }
}

impl WordShape {
    fn new(template: &[u8], fields: &[Field]) -> WordShape {
        let len = template.len();
        let starts: Vec<usize> = match len {
            0..8 => vec![0],
            _ => (0..len).step_by(8).map(|at| at.min(len - 8)).collect(),
        };
        let mut owned = 0;
        let mut chunks: Vec<Chunk> = Vec::new();
        for at in starts {
            let skip = owned - at;
            owned = len.min(at + 8);
            let mine = ones(8 * (owned - at) as u32) & !ones(8 * skip as u32);
            let (varying, position, count) = (0, 0, 0);
            chunks.push(Chunk {
                at,
                varying,
                constant: mine,
                fixed: 0,
                position,
                count,
                bases: Vec::new(),
                runs: Vec::new(),
            });
        }
        let mut shape = WordShape { len, chunks, bits: 0, fields: fields.to_vec() };
        let mut whole = template.to_vec();
        for field in fields {
            shape.add(field);
            whole[field.offset..field.offset + field.bytes].fill(0);
        }
        for chunk in &mut shape.chunks {
            chunk.constant &= !chunk.varying;
            chunk.fixed = chunk.load(&whole) & chunk.constant;
        }
        shape
    }

    /// Marks the varying bits of a field.
    fn add(&mut self, field: &Field) {
        let size = 8 * field.bytes as u32;
        let home = self.chunks.iter_mut().find(|chunk| chunk.owns(field));
        let least = u64::from(field.base as u32) & ones(size);
        let highest = least + field.count - 1;
        let Some(chunk) = home else {
            // The field is in two chunks: its bits are moved without a subtraction.
            let bits = if highest > ones(size) { size } else { width(highest) };
            return (0..bits).step_by(8).for_each(|bit| {
                self.add_byte(field.offset + bit as usize / 8, ones(8.min(bits - bit)));
            });
        };
        let shift = 8 * (field.offset - chunk.at) as u32;
        let mut bits = width(field.count - 1);
        if highest <= ones(bits) {
            // The subtraction would save no bit.
            bits = width(highest);
        } else {
            chunk.bases.push(Base { shift, mask: ones(size), least });
        }
        chunk.varying |= ones(bits) << shift;
    }

    fn add_byte(&mut self, offset: usize, bits: u64) {
        let byte = Field { offset, bytes: 1, base: 0, count: 256 };
        let chunk = self.chunks.iter_mut().find(|chunk| chunk.owns(&byte)).expect("every byte is in a chunk");
        chunk.varying |= bits << (8 * (offset - chunk.at));
    }

    /// Gives each chunk its position, from this bit on.
    fn arrange(&mut self, first: u32) {
        let mut position = first;
        for chunk in &mut self.chunks {
            (chunk.position, chunk.count) = (position, chunk.varying.count_ones());
            chunk.runs = runs(chunk.varying);
            position += chunk.count;
        }
        self.bits = position;
    }

    /// The place of the field that begins at this offset.
    fn position(&self, offset: usize) -> Option<Position> {
        let field = self.fields.iter().find(|field| field.offset == offset)?;
        let mut position = Position { bytes: field.bytes, least: 0, bits: 0, first: 0 };
        // The bits of a field in two chunks are consecutive, too.
        for chunk in self.chunks.iter().rev() {
            for byte in (offset..offset + field.bytes).rev() {
                let one = Field { offset: byte, bytes: 1, base: 0, count: 256 };
                if !chunk.covers(&one) {
                    continue;
                }
                let shift = 8 * (byte - chunk.at) as u32;
                let bits = (chunk.varying >> shift & 0xff).count_ones();
                position.bits += bits;
                if bits > 0 {
                    position.first = chunk.position + (chunk.varying & ones(shift)).count_ones();
                }
                let base = chunk.bases.iter().find(|base| base.shift == shift && byte == offset);
                position.least = base.map_or(position.least, |base| base.least as u32);
            }
        }
        Some(position)
    }

    /// Calls `out` with the bits of each chunk and their position. False if the state does not fit.
    #[inline(always)]
    fn pack<M: BitMoves>(&self, state: &State, mut out: impl FnMut(u32, u64)) -> bool {
        let mut outside = 0;
        for chunk in &self.chunks {
            let value = chunk.relative(chunk.load(state)) ^ chunk.fixed;
            outside |= value & chunk.constant;
            out(chunk.position, M::extract(chunk, value));
        }
        outside == 0
    }

    #[inline(always)]
    fn unpack<M: BitMoves>(&self, state: &mut [u8], bits: impl Fn(&Chunk) -> u64) {
        // A chunk that overlaps the one before leaves the common bytes to it.
        for chunk in self.chunks.iter().rev() {
            let value = M::deposit(chunk, bits(chunk)) ^ chunk.fixed;
            chunk.store(chunk.absolute(value), state);
        }
    }
}

impl WordLayout {
    /// The layout for states of these shapes: for each a packed state with the constant values, and the values that vary.
    /// No two shapes have equal constant values and lengths.
    pub fn new(shapes: &[(Vec<u8>, Vec<Field>)]) -> WordLayout {
        assert!((1..=MAX_SHAPES).contains(&shapes.len()), "a layout has 1 to {MAX_SHAPES} shapes");
        let tag_bits = width(shapes.len() as u64 - 1);
        let mut shapes: Vec<WordShape> = shapes.iter().map(|(template, fields)| WordShape::new(template, fields)).collect();
        shapes.iter_mut().for_each(|shape| shape.arrange(tag_bits));
        let bits = shapes.iter().map(|shape| shape.bits).max().unwrap_or(0);
        WordLayout { shapes, tag_bits, bits }
    }

    /// The number of the shape that this packed state has, if it fits.
    pub fn shape_of(&self, state: &State) -> Option<usize> {
        (0..self.shapes.len()).find(|tag| self.shapes[*tag].len == state.len() && self.shapes[*tag].pack::<ByShifts>(state, |_, _| ()))
    }

    /// The place of the field that begins at this offset of packed states with this shape. Nothing if it is constant.
    pub fn position(&self, shape: usize, offset: usize) -> Option<Position> {
        self.shapes[shape].position(offset).filter(|position| position.bits > 0)
    }

    /// The number of the shape of a state in words.
    #[inline(always)]
    pub fn tag(&self, words: &State) -> usize {
        usize::from(words[0]) & ones(self.tag_bits) as usize
    }

    /// The number of bits of a state.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// The number of words of a state.
    pub fn word_count(&self) -> usize {
        self.bits.div_ceil(64).max(1) as usize
    }

    /// The number of bytes of a state in words: 8, if that is enough.
    pub fn bytes(&self) -> usize {
        if self.bits <= 64 { 8 } else { self.bits.div_ceil(8) as usize }
    }

    /// The state as one word; the layout has at most 64 bits. Nothing if the state does not fit. `recent` is the shape to try
    /// first.
    #[inline(always)]
    pub fn encode_word<M: BitMoves>(&self, state: &State, recent: &mut usize) -> Option<u64> {
        let word = self.word_with::<M>(*recent, state);
        if word.is_some() { word } else { self.word_with_other::<M>(state, recent) }
    }

    /// The state as one word, if it has the shape with this number.
    #[inline(always)]
    fn word_with<M: BitMoves>(&self, tag: usize, state: &State) -> Option<u64> {
        let shape = self.shapes.get(tag).filter(|shape| shape.len == state.len())?;
        let mut word = tag as u64;
        shape.pack::<M>(state, |position, bits| word |= bits.unbounded_shl(position)).then_some(word)
    }

    #[cold]
    fn word_with_other<M: BitMoves>(&self, state: &State, recent: &mut usize) -> Option<u64> {
        let (tag, word) = (0..self.shapes.len()).find_map(|tag| Some((tag, self.word_with::<M>(tag, state)?)))?;
        *recent = tag;
        Some(word)
    }

    /// The state that is this word.
    ///
    /// # Panics
    /// If there is none.
    #[inline(always)]
    pub fn decode_word<M: BitMoves>(&self, word: u64, state: &mut Vec<u8>) {
        let shape = &self.shapes[(word & ones(self.tag_bits)) as usize];
        state.resize(shape.len, 0);
        shape.unpack::<M>(state, |chunk| word.unbounded_shr(chunk.position));
    }

    /// Appends the state in words. False, with nothing appended, if the state does not fit.
    #[inline(always)]
    pub fn encode<M: BitMoves>(&self, state: &State, recent: &mut usize, out: &mut Vec<u8>) -> bool {
        if self.bits <= 64 {
            let word = self.encode_word::<M>(state, recent);
            word.iter().for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
            return word.is_some();
        }
        let start = out.len();
        out.resize(start + self.bytes() + SLACK, 0);
        let fits = self.write::<M>(state, recent, &mut out[start..]);
        out.truncate(if fits { start + self.bytes() } else { start });
        fits
    }

    /// Writes the state in words to the beginning of `out`, which is zero and has room for [`SLACK`] bytes more. False if the
    /// state does not fit.
    #[inline(always)]
    pub fn write<M: BitMoves>(&self, state: &State, recent: &mut usize, out: &mut [u8]) -> bool {
        if self.bits <= 64 {
            let word = self.encode_word::<M>(state, recent);
            out[..8].copy_from_slice(&word.unwrap_or(0).to_le_bytes());
            return word.is_some();
        }
        if self.write_with::<M>(*recent, state, out) {
            return true;
        }
        let other = (0..self.shapes.len()).find(|tag| {
            out.fill(0);
            self.write_with::<M>(*tag, state, out)
        });
        *recent = other.unwrap_or(*recent);
        other.is_some()
    }

    /// Writes the state in words, if it has the shape with this number.
    #[inline(always)]
    fn write_with<M: BitMoves>(&self, tag: usize, state: &State, out: &mut [u8]) -> bool {
        let Some(shape) = self.shapes.get(tag).filter(|shape| shape.len == state.len()) else { return false };
        // Each chunk is written as whole words, over the zeros behind the one before.
        out[0] = tag as u8;
        shape.pack::<M>(state, |position, bits| {
            let (at, shift) = (position as usize / 8, position % 8);
            let low = bits << shift | u64::from(out[at]);
            let high = (bits >> 1 >> (63 - shift)) as u8;
            out[at..at + 8].copy_from_slice(&low.to_le_bytes());
            out[at + 8] = high;
        })
    }

    /// The state that has this form in words.
    ///
    /// # Panics
    /// If there is none.
    #[inline(always)]
    pub fn decode<M: BitMoves>(&self, words: &State, state: &mut Vec<u8>) {
        if self.bits <= 64 {
            let word = words.try_into().map(u64::from_le_bytes).expect("a state of one word has eight bytes");
            return self.decode_word::<M>(word, state);
        }
        let shape = &self.shapes[self.tag(words)];
        state.resize(shape.len, 0);
        shape.unpack::<M>(state, |chunk| {
            let (at, shift) = (chunk.position as usize / 8, chunk.position % 8);
            let bytes = words.get(at..).unwrap_or_default();
            match bytes.first_chunk::<9>() {
                Some(&[a, b, c, d, e, f, g, h, last]) => {
                    u64::from_le_bytes([a, b, c, d, e, f, g, h]) >> shift | u64::from(last) << 1 << (63 - shift)
                }
                None => (bytes.iter().rev().fold(0u128, |all, byte| all << 8 | u128::from(*byte)) >> shift) as u64,
            }
        });
    }
}

/// The bytes behind a state in words that writing it may touch.
pub const SLACK: usize = 9;

/// So many ones.
#[inline(always)]
fn ones(count: u32) -> u64 {
    u64::MAX.unbounded_shr(64 - count)
}

/// The number of bits of a number.
fn width(number: u64) -> u32 {
    64 - number.leading_zeros()
}

/// The runs of consecutive ones, each with its distance from the end of the runs before.
fn runs(mut mask: u64) -> Vec<(u64, u32)> {
    let (mut runs, mut filled) = (Vec::new(), 0);
    while mask != 0 {
        let start = mask.trailing_zeros();
        let count = (mask >> start).trailing_ones();
        let run = ones(count) << start;
        runs.push((run, start - filled));
        filled += count;
        mask &= !run;
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pseudo-random numbers (Steele, Lea, Flood, *Fast splittable pseudorandom number generators*, 2014).
    fn random(seed: &mut u64) -> u64 {
        *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = *seed;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A random shape of this length: constant bytes, and fields between them.
    fn shape(len: usize, seed: &mut u64) -> (Vec<u8>, Vec<Field>) {
        let template = (0..len).map(|_| random(seed) as u8).collect();
        let (mut fields, mut offset) = (Vec::new(), 0);
        while offset < len {
            let bytes = [1, 1, 2, 4][random(seed) as usize % 4];
            if offset + bytes > len {
                break;
            }
            let most = 1u64 << (8 * bytes);
            let count = [1, 2, 3, 5, 6, 16, 200, most][random(seed) as usize % 8].min(most);
            let base = [0, 0, -1, 3, 250, -128, random(seed) as i32][random(seed) as usize % 7];
            if random(seed) % 4 != 0 {
                fields.push(Field { offset, bytes, base, count });
            }
            offset += bytes;
        }
        (template, fields)
    }

    fn set(state: &mut [u8], field: &Field, above: u64) {
        let value = (field.base as u32).wrapping_add(above as u32);
        state[field.offset..field.offset + field.bytes].copy_from_slice(&value.to_le_bytes()[..field.bytes]);
    }

    #[test]
    fn states_come_back_and_others_are_refused() {
        let seed = &mut 1;
        for round in 0..3000 {
            let len = 1 + random(seed) as usize % 60;
            let shapes: Vec<_> = (0..1 + round % 3).map(|more| shape(len + more, seed)).collect();
            let layout = WordLayout::new(&shapes);
            let mut recent = 0;
            for (template, fields) in &shapes {
                let mut state = template.clone();
                fields.iter().for_each(|field| set(&mut state, field, random(seed) % field.count));
                let (mut words, mut back) = (vec![7; 3], Vec::new());
                assert!(layout.encode::<ByShifts>(&state, &mut recent, &mut words));
                assert_eq!((words.len() - 3, &words[..3]), (layout.bytes(), &[7; 3][..]));
                layout.decode::<ByShifts>(&words[3..], &mut back);
                assert_eq!(back, state, "{layout:?}");
                for field in fields {
                    let at = layout.position(recent, field.offset);
                    let Position { bytes, least, bits, first } = at.unwrap_or(Position { bytes: 1, least: 0, bits: 0, first: 0 });
                    let all = words[3..].iter().rev().fold(0u128, |all, byte| all << 8 | u128::from(*byte));
                    if at.is_some() && layout.bits() <= 128 {
                        let relative = (all >> first) as u64 & ones(bits);
                        let whole = (relative as u32).wrapping_add(least).to_le_bytes();
                        assert_eq!(whole[..bytes], state[field.offset..field.offset + bytes], "{field:?} {layout:?}");
                    }
                }
                // A constant byte with another value.
                let inside = |at: &usize| fields.iter().any(|f| (f.offset..f.offset + f.bytes).contains(at));
                if let Some(at) = (0..state.len()).find(|at| !inside(at)) {
                    state[at] ^= 1 << (random(seed) % 8);
                    assert!(!layout.encode::<ByShifts>(&state, &mut recent, &mut words), "byte {at} of {layout:?}");
                    assert_eq!(words.len() - 3, layout.bytes());
                }
            }
        }
    }

    #[test]
    fn a_wrapped_set_takes_few_bits() {
        // A byte with the values 255 and 0 to 4, and one with the values 8 to 11, which no subtraction makes shorter.
        let fields = [Field { offset: 0, bytes: 1, base: 255, count: 6 }, Field { offset: 1, bytes: 1, base: 8, count: 4 }];
        let layout = WordLayout::new(&[(vec![0; 2], fields.to_vec())]);
        assert_eq!(layout.bits(), 3 + 2);
        let encode = |state: [u8; 2]| layout.encode_word::<ByShifts>(&state, &mut 0);
        assert_eq!([encode([255, 8]), encode([4, 11]), encode([6, 8])], [Some(0), Some(0b11101), Some(0b00111)]);
        assert_eq!([encode([7, 8]), encode([0, 12]), encode([0, 7])], [None; 3]);
    }
}
