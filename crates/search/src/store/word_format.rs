//! The formats of the slots in which a [table of words](super::word_table) holds numbers.
//!
//! A slot has a lane of 16, 32 or 64 bits, whose top bit is the visited mark of the number. All lanes of a line are compared
//! at once. In some formats a slot has an upper part too, behind the lanes of the line: it is read only where the lane is
//! equal. A worker that adds a number fills the lane first, and another worker that finds an equal lane waits until the upper
//! part is written, too.
//!
//! A slot can have room for a note as well, at the end of the line: a number that a search keeps with each state.

use std::hint::select_unpredictable;

use super::hardware::{LineLanes, SLOTS, Width};
use crate::sync::{AtomicU64, Ordering, yield_now};

/// The format of the slots of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Format {
    /// The position in [`Format::ALL`].
    number: u8,
    pub lane: Width,
    /// The number of bits of the upper part of a slot, which may be none. An upper part is never zero once it is written.
    pub upper: u32,
    /// The number of bits of the note of a slot: none, 8 or 32.
    pub note: u32,
}

/// Why one look at a line does not tell whether it has a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Undecided {
    /// It has not, and it is full: the next line may have the number.
    Full,
    /// Several slots have to be compared.
    Unclear,
}

/// Stands for a slot that has to be looked for.
pub(super) const NO_SLOT: u8 = u8::MAX;

/// A number that a slot holds: its lane and its upper part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Slot {
    pub lane: u64,
    pub upper: u64,
}

/// The bits that a slot has to hold, in two parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct SlotBits {
    /// The first part, and its number of bits, less than 64.
    pub first: u64,
    pub width: u32,
    pub second: u64,
}

/// Evaluates an expression with a format that is known when the program is compiled, as the number of bits of notes is.
macro_rules! with_known {
    ($format:expr, $note:expr, $known:ident => $result:expr) => {{
        macro_rules! known {
            ($index:literal) => {{
                let $known = const { Format::ALL[$index].with_note($note) };
                $result
            }};
        }
        match $format.number() {
            0 => known!(0),
            1 => known!(1),
            2 => known!(2),
            3 => known!(3),
            4 => known!(4),
            5 => known!(5),
            6 => known!(6),
            _ => known!(7),
        }
    }};
}

pub(super) use with_known;

impl Format {
    /// All formats, from the most compact one.
    pub const ALL: [Format; 8] = [
        Format::new(0, Width::W16, 0),
        Format::new(1, Width::W32, 0),
        Format::new(2, Width::W32, 8),
        Format::new(3, Width::W32, 16),
        Format::new(4, Width::W64, 0),
        Format::new(5, Width::W64, 16),
        Format::new(6, Width::W64, 32),
        Format::new(7, Width::W64, 64),
    ];

    const fn new(number: u8, lane: Width, upper: u32) -> Format {
        Format { number, lane, upper, note: 0 }
    }

    /// The position in [`Format::ALL`].
    #[inline(always)]
    pub const fn number(self) -> u8 {
        self.number
    }

    /// The same format with notes of so many bits.
    pub const fn with_note(self, note: u32) -> Format {
        Format { note, ..self }
    }

    /// The number of slots in a line.
    #[inline(always)]
    pub const fn lanes(self) -> u32 {
        512 / (self.lane.bits() + self.upper + self.note)
    }

    /// The number of bits that a slot can hold.
    #[inline(always)]
    pub const fn capacity(self) -> u32 {
        self.lane.bits() - 1 + self.upper.saturating_sub(1)
    }

    /// The slot that holds these bits.
    #[inline(always)]
    pub fn slot(self, SlotBits { first, width, second }: SlotBits) -> Slot {
        let (lane, values) = (self.lane.bits() - 1, self.lane.top() - 1);
        if self.capacity() < u64::BITS {
            let bits = first | second << width;
            return Slot { lane: bits & values, upper: if self.upper == 0 { 0 } else { (bits >> lane) + 1 } };
        }
        let bits = u128::from(first) | u128::from(second) << width;
        Slot { lane: bits as u64 & values, upper: (bits >> lane) as u64 + 1 }
    }

    /// The inverse of [`slot`](Format::slot), for a first part of this width.
    #[inline(always)]
    pub fn bits(self, slot: Slot, width: u32) -> SlotBits {
        let (lane, first) = (self.lane.bits() - 1, (1 << width) - 1);
        let upper = if self.upper == 0 { 0 } else { slot.upper - 1 };
        if self.capacity() < u64::BITS {
            let bits = slot.lane | upper.unbounded_shl(lane);
            return SlotBits { first: bits & first, width, second: bits >> width };
        }
        let bits = u128::from(slot.lane) | u128::from(upper) << lane;
        SlotBits { first: bits as u64 & first, width, second: (bits >> width) as u64 }
    }

    /// The word of the upper part of a slot, and its shift inside the word.
    #[inline(always)]
    pub fn upper_place(self, slot: u32) -> (usize, u32) {
        let bit = self.lanes() * self.lane.bits() + slot * self.upper;
        ((bit / 64) as usize % SLOTS, bit % 64)
    }

    /// The upper part of a slot, zero if it is not yet written.
    #[inline(always)]
    pub fn upper(self, words: &[AtomicU64; SLOTS], slot: u32) -> u64 {
        let (word, shift) = self.upper_place(slot);
        words[word].load(Ordering::Acquire) >> shift & u64::MAX.unbounded_shr(64 - self.upper)
    }

    /// Whether the number in a slot is visited.
    #[inline(always)]
    pub fn is_visited(self, words: &[AtomicU64; SLOTS], slot: u32) -> bool {
        let (word, shift) = self.lane.place(slot);
        words[word].load(Ordering::Relaxed) & self.lane.top() << shift != 0
    }

    /// The word of the note of a slot, and its shift inside the word. Notes are at the end of the line.
    #[inline(always)]
    fn note_place(self, slot: u32) -> (usize, u32) {
        let bit = 512 - (self.lanes() - slot) * self.note;
        ((bit / 64) as usize % SLOTS, bit % 64)
    }

    /// All bits of a note.
    #[inline(always)]
    fn note_mask(self) -> u64 {
        u64::MAX.unbounded_shr(64 - self.note)
    }

    /// The note of a slot.
    #[inline(always)]
    pub fn note(self, words: &[AtomicU64; SLOTS], slot: u32) -> u32 {
        if self.note == 0 {
            return 0;
        }
        let (word, shift) = self.note_place(slot);
        (words[word].load(Ordering::Acquire) >> shift & self.note_mask()) as u32
    }

    /// Replaces the note of a slot, without concurrency.
    #[inline(always)]
    pub fn set_note(self, words: &[AtomicU64; SLOTS], slot: u32, note: u32) {
        if self.note == 0 {
            return;
        }
        let (word, shift) = self.note_place(slot);
        let others = words[word].load(Ordering::Relaxed) & !(self.note_mask() << shift);
        words[word].store(others | u64::from(note) << shift, Ordering::Relaxed);
    }

    /// Adds bits to the note of a slot, and returns the note before.
    #[inline(always)]
    pub fn add_to_note(self, words: &[AtomicU64; SLOTS], slot: u32, bits: u32) -> u32 {
        let (word, shift) = self.note_place(slot);
        let before = words[word].fetch_or(u64::from(bits) << shift, Ordering::AcqRel);
        (before >> shift & self.note_mask()) as u32
    }

    /// Replaces the note of a slot if it is zero. Returns the note before. `private` says that there is no concurrency.
    #[inline(always)]
    pub fn set_first_note(self, words: &[AtomicU64; SLOTS], slot: u32, note: u32, private: bool) -> u32 {
        let before = self.note(words, slot);
        if before != 0 {
            return before;
        }
        if private {
            self.set_note(words, slot, note);
            return 0;
        }
        let (word, shift) = self.note_place(slot);
        let replace = |old: u64| (old >> shift & self.note_mask() == 0).then_some(old | u64::from(note) << shift);
        let before = words[word].fetch_update(Ordering::AcqRel, Ordering::Acquire, replace);
        (before.unwrap_or_else(|old| old) >> shift & self.note_mask()) as u32
    }

    /// The slot of a line that holds a value, or otherwise the first vacant one. None if the line is full. The lanes are a
    /// snapshot of the line.
    #[inline(always)]
    pub fn search<L: LineLanes>(self, lanes: &L, words: &[AtomicU64; SLOTS], wanted: Slot) -> Result<u32, Option<u32>> {
        let used = u32::MAX >> (32 - self.lanes());
        let mut hits = lanes.hits(self.lane, wanted.lane) & used;
        while hits != 0 {
            let slot = hits.trailing_zeros();
            if self.upper == 0 || self.await_upper(words, slot) == wanted.upper {
                return Ok(slot);
            }
            hits &= hits - 1;
        }
        let vacant = lanes.vacant(self.lane) & used;
        Err((vacant != 0).then(|| vacant.trailing_zeros()))
    }

    /// The upper part of a slot whose lane is filled.
    #[inline(always)]
    pub fn await_upper(self, words: &[AtomicU64; SLOTS], slot: u32) -> u64 {
        loop {
            match self.upper(words, slot) {
                0 => yield_now(),
                upper => return upper,
            }
        }
    }

    /// Fills a vacant slot without concurrency.
    #[inline(always)]
    pub fn fill(self, words: &[AtomicU64; SLOTS], slot: u32, value: Slot) {
        let add = |(word, shift): (usize, u32), part: u64| {
            let word: &AtomicU64 = &words[word];
            word.store(word.load(Ordering::Relaxed) | part << shift, Ordering::Relaxed);
        };
        add(self.lane.place(slot), value.lane);
        if self.upper != 0 {
            add(self.upper_place(slot), value.upper);
        }
    }

    /// Looks bits up in a line and fills a vacant slot if no slot has them, without concurrency and without a branch that depends
    /// on it. Returns whether a slot was filled.
    #[inline(always)]
    pub fn look_or_fill<L: LineLanes>(
        self,
        lanes: &L,
        words: &[AtomicU64; SLOTS],
        bits: SlotBits,
        elsewhere: &AtomicU64,
    ) -> Result<bool, Undecided> {
        let value = self.slot(bits);
        let used = u32::MAX >> (32 - self.lanes());
        let (hits, vacant) = (lanes.hits(self.lane, value.lane) & used, lanes.vacant(self.lane) & used);
        let is_known = hits != 0;
        let found = hits.trailing_zeros();
        let differs = self.upper != 0 && self.upper(words, found) != value.upper;
        if (is_known & differs) | (hits | vacant == 0) {
            return Err(if is_known { Undecided::Unclear } else { Undecided::Full });
        }
        let slot = vacant.trailing_zeros();
        let add = |(word, shift): (usize, u32), part: u64| {
            let word = select_unpredictable(is_known, elsewhere, &words[word]);
            word.store(word.load(Ordering::Relaxed) | part << shift, Ordering::Relaxed);
        };
        add(self.lane.place(slot), value.lane);
        if self.upper != 0 {
            add(self.upper_place(slot), value.upper);
        }
        Ok(!is_known)
    }

    /// Looks bits up in a line, without a branch that depends on the result. Returns whether they may be new, and the slot to put them
    /// into, or [`NO_SLOT`] if that takes more than this look. The lanes are a snapshot of the line.
    #[inline(always)]
    pub fn glance<L: LineLanes>(self, lanes: &L, words: &[AtomicU64; SLOTS], bits: SlotBits) -> (bool, u8) {
        let value = self.slot(bits);
        let used = u32::MAX >> (32 - self.lanes());
        let (hits, vacant) = (lanes.hits(self.lane, value.lane) & used, lanes.vacant(self.lane) & used);
        let is_hit = hits != 0;
        // The upper part of a slot may not be written yet.
        let differs = self.upper != 0 && self.upper(words, hits.trailing_zeros()) != value.upper;
        let is_unclear = (is_hit & differs) | (hits | vacant == 0);
        (!is_hit | is_unclear, if is_unclear { NO_SLOT } else { vacant.trailing_zeros() as u8 })
    }

    /// Fills a slot unless another worker has filled it or changed its word in the meantime. Returns whether it did.
    #[inline(always)]
    pub fn claim(self, words: &[AtomicU64; SLOTS], slot: u32, value: Slot) -> bool {
        let (word, shift) = self.lane.place(slot);
        let old = words[word].load(Ordering::Relaxed);
        let vacant = old >> shift & self.lane.mask() == 0;
        let new = old | value.lane << shift;
        if !vacant || words[word].compare_exchange(old, new, Ordering::Release, Ordering::Relaxed).is_err() {
            return false;
        }
        if self.upper != 0 {
            let (word, shift) = self.upper_place(slot);
            words[word].fetch_or(value.upper << shift, Ordering::Release);
        }
        true
    }
}

#[cfg(all(test, not(shuttle)))]
mod tests {
    use super::super::hardware::Lanes;
    use super::*;

    /// Looks at a line with these values, of which the last one may still lack its upper part, and compares with what is in it.
    fn check_line(format: Format, values: &[Slot], lacks_upper: bool, wanted: Slot) {
        let words: [AtomicU64; SLOTS] = Default::default();
        for (slot, value) in (0..).zip(values) {
            let upper = if lacks_upper && slot as usize == values.len() - 1 { 0 } else { value.upper };
            format.fill(&words, slot, Slot { upper, ..*value });
        }
        let content = || words.each_ref().map(|word| word.load(Ordering::Relaxed));
        let before = content();
        let is_known = values.contains(&wanted);
        let first = values.iter().position(|value| value.lane == wanted.lane);
        // One comparison does not suffice if the first slot with this lane has another upper part, or none yet.
        let is_unclear = match first {
            Some(slot) => values[slot] != wanted || (format.upper > 0 && lacks_upper && slot == values.len() - 1),
            None => values.len() == format.lanes() as usize,
        };
        let vacant = values.len() as u8;
        let bits = format.bits(wanted, 10);
        let (may_be_new, slot) = format.glance(&Lanes::new(&words), &words, bits);
        match is_unclear {
            true => assert_eq!((may_be_new, slot), (true, NO_SLOT), "{format:?} {values:?} {wanted:?}"),
            false => assert_eq!(may_be_new, !is_known, "{format:?} {values:?} {wanted:?}"),
        }
        assert!(!may_be_new || is_unclear || slot == vacant, "{format:?} {values:?} {wanted:?}");
        assert_eq!(content(), before, "a look changes nothing");
        let filled = format.look_or_fill(&Lanes::new(&words), &words, bits, &AtomicU64::new(0));
        assert_eq!(filled.ok(), (!is_unclear).then_some(!is_known), "{format:?} {values:?} {wanted:?}");
        if filled == Ok(true) {
            assert_eq!(format.search(&Lanes::new(&words), &words, wanted), Ok(u32::from(vacant)));
        } else {
            assert_eq!(content(), before);
        }
    }

    #[test]
    fn one_look_tells_what_is_in_a_line() {
        let random = &mut kripke_model::Random::new(3);
        for format in Format::ALL {
            let uppers = if format.upper == 0 { 0..1 } else { 1..4 };
            // Few lanes, so that several slots have the same.
            let all: Vec<Slot> =
                (1..5).flat_map(|lane| uppers.clone().map(move |upper| Slot { lane, upper })).collect();
            for _ in 0..2000 {
                let mut values = all.clone();
                random.shuffle(&mut values);
                values.truncate(random.below(format.lanes() as usize + 1));
                let wanted = all[random.below(all.len())];
                let is_last = values.last() == Some(&wanted);
                check_line(format, &values, !values.is_empty() && !is_last && random.one_in(2), wanted);
            }
        }
    }
}
