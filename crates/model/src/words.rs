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

/// The most words of a state. Longer states are stored as they are packed.
pub const MAX_WORDS: usize = 8;

/// The most shapes of a layout.
const MAX_SHAPES: usize = 256;

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
    /// Values whose least value is not 0.
    bases: Vec<Base>,
    /// Adds these values.
    add: FieldSums,
    /// Subtracts them.
    subtract: FieldSums,
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

/// The addition of a number to each of several fields of a chunk at once, modulo 2 to the number of the field's bits. The sum of the
/// bits below the top bit of a field does not reach the next field; the top bits are added without carry.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct FieldSums {
    /// The numbers without their top bits, and the top bits.
    low: u64,
    top: u64,
    /// The top bit of each field.
    tops: u64,
}

impl FieldSums {
    /// Adds these numbers to the fields.
    fn of(numbers: impl Iterator<Item = (Base, u64)>) -> FieldSums {
        let mut sums = FieldSums::default();
        for (Base { shift, mask, .. }, number) in numbers {
            let (top, number) = ((mask ^ mask >> 1) << shift, (number & mask) << shift);
            (sums.low, sums.top, sums.tops) = (sums.low | number & !top, sums.top | number & top, sums.tops | top);
        }
        sums
    }

    /// The chunk with the numbers added.
    #[inline(always)]
    pub fn apply(self, chunk: u64) -> u64 {
        (chunk & !self.tops).wrapping_add(self.low) ^ (chunk & self.tops ^ self.top)
    }
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
        let Some(ahead) = field.offset.checked_sub(self.at).filter(|ahead| ahead + field.bytes <= 8) else {
            return false;
        };
        let bits = ones(8 * field.bytes as u32) << (8 * ahead);
        bits & !self.constant == 0
    }

    /// Whether a byte is in this chunk and in no earlier one.
    fn covers(&self, offset: usize) -> bool {
        let ahead = offset.checked_sub(self.at).filter(|ahead| *ahead < 8);
        ahead.is_some_and(|ahead| (self.constant | self.varying) >> (8 * ahead) & 0xff == 0xff)
    }
}

/// What decoding a chunk takes: the bits at a position are deposited, and others have their constant values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Deposit {
    /// The offset of the chunk in the packed state.
    pub at: usize,
    /// The position of its bits in the words.
    pub position: u32,
    /// The bits of the chunk that they are moved to.
    pub varying: u64,
    /// The other bits.
    pub fixed: u64,
    /// The least values of fields, which are added after that.
    pub add: FieldSums,
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
            let (varying, fixed, position, bases, runs) = (0, 0, 0, Vec::new(), Vec::new());
            let (add, subtract) = Default::default();
            chunks.push(Chunk { at, varying, constant: mine, fixed, position, bases, add, subtract, runs });
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
            chunk.add = FieldSums::of(chunk.bases.iter().map(|base| (*base, base.least)));
            chunk.subtract = FieldSums::of(chunk.bases.iter().map(|base| (*base, base.least.wrapping_neg())));
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
            (chunk.position, chunk.runs) = (position, runs(chunk.varying));
            position += chunk.varying.count_ones();
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
                if !chunk.covers(byte) {
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
            let value = chunk.subtract.apply(chunk.load(state)) ^ chunk.fixed;
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
            chunk.store(chunk.add.apply(value), state);
        }
    }
}

impl WordLayout {
    /// The layout for states of these shapes: for each a packed state with the constant values, and the values that vary.
    /// Nothing if there are too many shapes, or bits.
    pub fn new(shapes: &[(Vec<u8>, Vec<Field>)]) -> Option<WordLayout> {
        if !(1..=MAX_SHAPES).contains(&shapes.len()) {
            return None;
        }
        let tag_bits = width(shapes.len() as u64 - 1);
        let mut shapes: Vec<WordShape> =
            shapes.iter().map(|(template, fields)| WordShape::new(template, fields)).collect();
        shapes.iter_mut().for_each(|shape| shape.arrange(tag_bits));
        let bits = shapes.iter().map(|shape| shape.bits).max().unwrap_or(0);
        (bits as usize <= 64 * MAX_WORDS).then_some(WordLayout { shapes, tag_bits, bits })
    }

    /// The number of the shape that this packed state has, if it fits.
    pub fn shape_of(&self, state: &State) -> Option<usize> {
        (0..self.shapes.len())
            .find(|tag| self.shapes[*tag].len == state.len() && self.shapes[*tag].pack::<ByShifts>(state, |_, _| ()))
    }

    /// The place of the field that begins at this offset of packed states with this shape. Nothing if it is constant.
    pub fn position(&self, shape: usize, offset: usize) -> Option<Position> {
        self.shapes[shape].position(offset).filter(|position| position.bits > 0)
    }

    /// The fields of packed states with this shape that vary: their offsets, and their places in the words.
    pub fn fields(&self, shape: usize) -> impl Iterator<Item = (usize, Position)> + '_ {
        let fields = self.shapes[shape].fields.iter();
        fields.filter_map(move |field| Some((field.offset, self.position(shape, field.offset)?)))
    }

    /// The number of bits, at the start of the first word, that tell the shape.
    pub fn tag_bits(&self) -> u32 {
        self.tag_bits
    }

    /// The number of the shape of a state in words.
    #[inline(always)]
    pub fn tag(&self, words: &[u64; MAX_WORDS]) -> usize {
        (words[0] & ones(self.tag_bits)) as usize
    }

    /// Whether a byte is the same in all states of a shape.
    pub fn is_constant(&self, shape: usize, offset: usize) -> bool {
        let mut chunks = self.shapes[shape].chunks.iter();
        let chunk = chunks.find(|chunk| chunk.covers(offset)).expect("every byte is in a chunk");
        let based = |base: &Base| {
            base.shift / 8 <= (offset - chunk.at) as u32
                && base.mask >> (8 * (offset - chunk.at) as u32 - base.shift) & 0xff != 0
        };
        chunk.varying >> (8 * (offset - chunk.at)) & 0xff == 0 && !chunk.bases.iter().any(based)
    }

    /// The number of bits of a state.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// The number of bytes of packed states with each shape.
    pub fn lengths(&self) -> impl Iterator<Item = usize> + '_ {
        self.shapes.iter().map(|shape| shape.len)
    }

    /// The chunks of packed states with this shape, in the order in which they are written: a chunk may overlap the one written before
    /// it.
    pub fn deposits(&self, shape: usize) -> impl Iterator<Item = Deposit> + '_ {
        self.shapes[shape].chunks.iter().rev().map(|chunk| {
            let Chunk { at, position, varying, fixed, add, .. } = *chunk;
            Deposit { at, position, varying, fixed, add }
        })
    }

    /// The number of words of a state.
    pub fn word_count(&self) -> usize {
        self.bits.div_ceil(64).max(1) as usize
    }

    /// The number of bytes of a state in words.
    pub fn bytes(&self) -> usize {
        8 * self.word_count()
    }

    /// The state in words. Nothing if it does not fit. `recent` is the shape to try first.
    #[inline(always)]
    pub fn encode<M: BitMoves>(&self, state: &State, recent: &mut usize) -> Option<[u64; MAX_WORDS]> {
        let words = self.encode_with::<M>(*recent, state);
        if words.is_some() { words } else { self.encode_with_other::<M>(state, recent) }
    }

    /// The state in words, if it has the shape with this number.
    #[inline(always)]
    fn encode_with<M: BitMoves>(&self, tag: usize, state: &State) -> Option<[u64; MAX_WORDS]> {
        let shape = self.shapes.get(tag).filter(|shape| shape.len == state.len())?;
        let mut words = [0; MAX_WORDS];
        words[0] = tag as u64;
        let fits = if self.bits <= 64 {
            shape.pack::<M>(state, |position, bits| words[0] |= bits.unbounded_shl(position))
        } else if self.bits <= 128 {
            // Two words stay in registers.
            let mut both = tag as u128;
            let fits = shape.pack::<M>(state, |position, bits| both |= u128::from(bits).unbounded_shl(position));
            (words[0], words[1]) = (both as u64, (both >> 64) as u64);
            fits
        } else {
            shape.pack::<M>(state, |position, bits| {
                let (word, shift) = (position as usize / 64 % MAX_WORDS, position % 64);
                words[word] |= bits << shift;
                // The part in the next word, if there is one.
                words[(word + 1) % MAX_WORDS] |= bits >> 1 >> (63 - shift);
            })
        };
        fits.then_some(words)
    }

    #[cold]
    fn encode_with_other<M: BitMoves>(&self, state: &State, recent: &mut usize) -> Option<[u64; MAX_WORDS]> {
        let attempt = |tag: usize| Some((tag, self.encode_with::<M>(tag, state)?));
        let (tag, words) = (0..self.shapes.len()).find_map(attempt)?;
        *recent = tag;
        Some(words)
    }

    /// The packed state that has this form in words.
    ///
    /// # Panics
    /// If there is none.
    #[inline(always)]
    pub fn decode<M: BitMoves>(&self, words: &[u64; MAX_WORDS], state: &mut Vec<u8>) {
        let shape = &self.shapes[self.tag(words)];
        state.resize(shape.len, 0);
        if self.bits <= 64 {
            return shape.unpack::<M>(state, |chunk| words[0].unbounded_shr(chunk.position));
        }
        if self.bits <= 128 {
            let both = u128::from(words[0]) | u128::from(words[1]) << 64;
            return shape.unpack::<M>(state, |chunk| both.unbounded_shr(chunk.position) as u64);
        }
        shape.unpack::<M>(state, |chunk| bits_at(words, chunk.position));
    }
}

/// The bits of a state from a position on, as many as a word has. What follows the last word of the state is arbitrary.
#[inline(always)]
pub fn bits_at(words: &[u64; MAX_WORDS], position: u32) -> u64 {
    let (word, shift) = (position as usize / 64 % MAX_WORDS, position % 64);
    words[word] >> shift | words[(word + 1) % MAX_WORDS] << 1 << (63 - shift)
}

/// The words of a stored state: eight bytes each, little endian, the last as far as it is there.
#[inline(always)]
pub fn words_of(state: &State) -> [u64; MAX_WORDS] {
    let mut words = [0; MAX_WORDS];
    load_words(state, &mut words);
    words
}

/// Writes the words of a stored state in place. Words that the state does not have stay as they are.
#[inline(always)]
pub fn load_words(state: &State, words: &mut [u64; MAX_WORDS]) {
    if let Ok(bytes) = state.try_into() {
        words[0] = u64::from_le_bytes(bytes);
        return;
    }
    for (word, bytes) in words.iter_mut().zip(state.chunks(8)) {
        *word = match bytes.first_chunk() {
            Some(bytes) => u64::from_le_bytes(*bytes),
            None => bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
        };
    }
}

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
mod tests;
