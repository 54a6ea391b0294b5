//! The growth of a segment.

use super::{FEWEST, Format, Line, MOST_DISTANCE_BITS, OrderedLines, SMALL, Shape, Slot, with_known};
use crate::store::table_segments::SegmentContent;
use crate::store::word_hash::{LeastHashes, Rest, WordHash};
use crate::sync::{AtomicU64, Ordering};

/// The least hashes of a line and of those before it, by the number of the line.
type Leasts = [u64; 1 << MOST_DISTANCE_BITS];

/// A hash, whether its number is visited, and the note of the number.
#[derive(Clone, Copy)]
pub(super) struct MarkedHash {
    hash: WordHash<Rest>,
    visited: bool,
    note: u32,
}

/// The numbers of a line on their way to the lines of another shape.
struct Moved<'a> {
    shape: &'a Shape,
    /// The line that they were in.
    number: usize,
    lines: &'a [Line],
    filled: &'a mut [u8],
    /// Numbers that belong before that line, or for which there is no room.
    later: &'a mut Vec<MarkedHash>,
}

impl Moved<'_> {
    #[inline(always)]
    fn put(&mut self, format: Format, marked: MarkedHash) {
        let home = self.shape.home(marked.hash.order);
        if home < self.number || !self.shape.place(format, marked, home, self.lines, self.filled) {
            self.later.push(marked);
        }
    }
}

impl Shape {
    /// Empties a line, and calls `each` with its hashes. `leasts` has the least hashes that belong to this line and to those
    /// before it.
    #[inline(always)]
    fn take(&self, format: Format, number: usize, line: &Line, leasts: &Leasts, mut each: impl FnMut(MarkedHash)) {
        let words = line.0.each_ref().map(|word| AtomicU64::new(word.load(Ordering::Relaxed)));
        line.0.iter().for_each(|word| word.store(0, Ordering::Relaxed));
        for slot in 0..format.lanes() {
            let (word, shift) = format.lane.place(slot);
            let (lane, top) = (words[word].load(Ordering::Relaxed) >> shift & format.lane.mask(), format.lane.top());
            if lane == 0 {
                break;
            }
            let upper = format.upper(&words, slot);
            let bits = format.bits(Slot { lane: lane & (top - 1), upper }, self.width);
            let distance = (bits.first as usize & self.distances()) - 1;
            let least = leasts[number.wrapping_sub(distance) % leasts.len()];
            let order = least + ((bits.first >> self.distance_bits).wrapping_sub(least) & self.low);
            let (hash, note) = (WordHash { order, rest: Rest(bits.second) }, format.note(&words, slot));
            each(MarkedHash { hash, visited: lane & top != 0, note });
        }
    }

    /// Adds a number that is not in these lines, without concurrency. `filled` counts the slots in use of each line. Returns
    /// whether there was room.
    #[inline(always)]
    fn place(&self, format: Format, marked: MarkedHash, home: usize, lines: &[Line], filled: &mut [u8]) -> bool {
        let MarkedHash { hash, visited, note } = marked;
        let mut line = home;
        while u32::from(filled[line]) == format.lanes() {
            line += 1;
            if line == home + self.distances() {
                return false;
            }
        }
        let mut value = format.slot(self.bits(hash, line - home));
        value.lane |= if visited { format.lane.top() } else { 0 };
        format.fill(&lines[line].0, u32::from(filled[line]), value);
        format.set_note(&lines[line].0, u32::from(filled[line]), note);
        filled[line] += 1;
        true
    }
}

impl<const NOTE: u32> OrderedLines<NOTE> {
    /// Moves all numbers to their places in a larger shape, and adds `more`. Returns the numbers for which there was no room.
    ///
    /// Lines are emptied from the last to the first. A number moves to the line where it belongs now or to a later one, and
    /// these contain only numbers that have moved. The few that belong before the line they were in are placed at the end.
    pub(super) fn rehash(&mut self, new: Shape, more: Vec<MarkedHash>) -> Vec<MarkedHash> {
        let (old, used) = (std::mem::replace(&mut self.shape, new), self.lines.len());
        self.lines.extend(new.lines().max(used));
        let (lines, mut filled) = (&*self.lines, vec![0; self.lines.len()]);
        let (mut later, mut hashes) = (more, Vec::with_capacity(32));
        let (mut leasts, mut least) =
            (Leasts::default(), (0..old.homes).rev().zip(LeastHashes::new(old.homes, 64 - old.shift)).peekable());
        for (number, line) in lines[..used].iter().enumerate().rev() {
            while let Some((home, hash)) = least.next_if(|(home, _)| home + leasts.len() > number) {
                leasts[home % leasts.len()] = hash;
            }
            let mut moved = Moved { shape: &new, number, lines, filled: &mut filled, later: &mut later };
            if old.format == new.format {
                with_known!(old.format, NOTE, format => {
                    old.take(format, number, line, &leasts, |marked| moved.put(format, marked));
                });
            } else {
                hashes.clear();
                with_known!(old.format, NOTE, format => {
                    old.take(format, number, line, &leasts, |marked| hashes.push(marked));
                });
                with_known!(new.format, NOTE, format => hashes.iter().for_each(|marked| moved.put(format, *marked)));
            }
        }
        later.retain(|&marked| !new.place(new.format, marked, new.home(marked.hash.order), lines, &mut filled));
        later
    }

    /// The number of homes after the next growth. Segments grow for the first time to different sizes, so that they do not
    /// all grow at the same time later.
    fn next_homes(&self, part: f64) -> usize {
        let homes = self.shape.homes;
        if FEWEST.contains(&homes) {
            homes * 4 + (homes as f64 * 4.0 * part) as usize
        } else if homes <= SMALL {
            homes * 2
        } else {
            homes + homes / 2
        }
    }
}

impl<const NOTE: u32> SegmentContent for OrderedLines<NOTE> {
    fn full(&self) -> usize {
        self.shape.slots * 25 / 32
    }

    #[inline]
    fn slots(&self) -> usize {
        self.shape.slots
    }

    fn must_grow(&self) -> bool {
        self.blocked.load(Ordering::Relaxed)
    }

    fn bytes(&self) -> u64 {
        self.lines.bytes(self.lines.len()) as u64
    }

    fn more_bytes(&self, part: f64) -> u64 {
        let lines = self.shape.with_homes(self.next_homes(part)).lines();
        // Twice as many are needed where a growth finds no room for some numbers.
        if lines > self.lines.room() / 2 {
            u64::MAX
        } else {
            self.lines.bytes(lines).saturating_sub(self.lines.bytes(self.lines.len())) as u64
        }
    }

    fn grow(&mut self, part: f64) {
        *self.blocked.get_mut() = false;
        let mut left = self.rehash(self.shape.with_homes(self.next_homes(part)), Vec::new());
        while !left.is_empty() {
            let homes = self.shape.homes;
            left = self.rehash(self.shape.with_homes(homes + homes / 8 + 1), left);
        }
    }
}
