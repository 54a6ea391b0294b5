//! How states of one length are taken apart, and where the parts are kept.
//!
//! A state is cut into words of eight bytes. Each word has a number; two numbers make a pair, which has a number, and
//! so on, until two numbers are left: the roots, which are the state (Laarman, van de Pol, Weber, *Parallel recursive
//! state space compression for free*, 2011). States differ in few parts, so most parts are there already. Each place
//! in the tree has a pool of its own, which keeps numbers small, and so what is stored of the roots.

use std::sync::OnceLock;

use kripke_model::State;

use super::pool::{NUMBER_BITS, Pool};
use super::quotient::QuotientSet;

const WORD: usize = 8;
/// States whose memory accesses overlap.
pub(super) const WINDOW: usize = 64;
/// States that are open at a time, as a rule.
const OPEN: usize = 32;
/// A shape has no more pools than this, whatever it costs in addresses for each: parts of long states share them. A number means
/// the same pair to all parts of a pool.
const POOLS: usize = 1 << 11;
/// Roots are kept apart by the length of the second number in bits: then the number of bits stored is never changed.
const CLASSES: usize = NUMBER_BITS as usize + 1;

#[derive(Debug)]
pub(super) struct Shape {
    /// The length of its states; none if they have several, and their last word says which.
    length: Option<usize>,
    words: usize,
    /// Words first, then pairs, each after its parts.
    pub parts: Vec<Part>,
    /// The parts that are not part of another: at most two.
    tops: [Option<usize>; 2],
    /// One for each part, or for several.
    pub pools: Vec<Pool>,
    roots: Box<[OnceLock<QuotientSet>]>,
    /// Bytes that workers need to take states apart: a number for each part, of each state that is open or in the window.
    scratch: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    Word(usize),
    Pair(usize, usize),
}

/// The numbers of the last two parts; zero where there is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Roots(pub u32, pub u32);

impl Roots {
    /// The class of roots, and what tells them from others of the class.
    #[inline]
    pub fn classify(self) -> (usize, u64) {
        let second = u64::from(self.1) + 1;
        let class = second.ilog2();
        (class as usize, u64::from(self.0) << class | (second - (1 << class)))
    }

    /// The roots that were classified.
    pub fn restore(class: usize, key: u64) -> Roots {
        Roots((key >> class) as u32, ((key & ((1 << class) - 1)) + (1 << class) - 1) as u32)
    }
}

impl Shape {
    /// For states of one length.
    pub fn new(length: usize, workers: usize) -> Shape {
        Shape::with(Some(length), length.div_ceil(WORD), workers)
    }

    /// For states of this length and of others that are about as long.
    pub fn coarse(length: usize, workers: usize) -> Shape {
        Shape::with(None, coarse_words(length), workers)
    }

    fn with(length: Option<usize>, words: usize, workers: usize) -> Shape {
        let (parts, tops) = take_apart(words);
        Shape {
            length,
            words,
            scratch: (workers * (parts.len() * 2 * WINDOW * size_of::<u32>() + OPEN * words * WORD)) as u64,
            pools: parts.iter().take(POOLS).map(|_| Pool::new(workers)).collect(),
            parts,
            tops,
            roots: (0..CLASSES).map(|_| OnceLock::new()).collect(),
        }
    }

    /// Whether it is for states of this length alone.
    pub fn is_for(&self, length: usize) -> bool {
        self.length == Some(length)
    }

    /// Whether it is for states of this length, too.
    pub fn has_room_for(&self, length: usize) -> bool {
        self.length.is_none() && self.words == coarse_words(length)
    }

    /// A word of a state, filled up with zeros.
    #[inline]
    pub fn word(&self, state: &State, index: usize) -> u64 {
        if self.length.is_none() && index + 1 == self.words {
            return state.len() as u64;
        }
        match state.get(index * WORD..).unwrap_or_default() {
            [] => 0,
            rest => match rest.first_chunk::<WORD>() {
                Some(word) => u64::from_le_bytes(*word),
                None => {
                    let mut word = [0; WORD];
                    word[..rest.len()].copy_from_slice(rest);
                    u64::from_le_bytes(word)
                }
            },
        }
    }

    /// The set for a class of roots, and whether it was made just now.
    #[inline]
    pub fn set(&self, class: usize, workers: usize) -> (&QuotientSet, bool) {
        if let Some(set) = self.roots[class].get() {
            return (set, false);
        }
        let mut made = false;
        let set = self.roots[class].get_or_init(|| {
            made = true;
            QuotientSet::new(workers)
        });
        (set, made)
    }

    pub fn sets(&self) -> impl Iterator<Item = &QuotientSet> {
        self.roots.iter().filter_map(OnceLock::get)
    }

    /// The sets that there are, each with its class.
    pub fn classes(&self) -> impl Iterator<Item = (usize, &QuotientSet)> {
        self.roots.iter().enumerate().filter_map(|(class, set)| Some((class, set.get()?)))
    }

    pub fn bytes(&self) -> u64 {
        self.scratch + self.pools.iter().map(Pool::bytes).chain(self.sets().map(QuotientSet::bytes)).sum::<u64>()
    }

    /// The roots of a state whose parts have these numbers.
    #[inline]
    pub fn roots(&self, number: impl Fn(usize) -> u32) -> Roots {
        let [first, second] = self.tops;
        Roots(first.map_or(0, &number), second.map_or(0, &number))
    }

    /// Puts a state together again.
    pub fn assemble(&self, roots: Roots, numbers: &mut Vec<u32>, into: &mut Vec<u8>) {
        numbers.clear();
        numbers.resize(self.parts.len(), 0);
        into.clear();
        into.resize(self.words * WORD, 0);
        for (top, number) in self.tops.into_iter().zip([roots.0, roots.1]) {
            if let Some(top) = top {
                numbers[top] = number;
            }
        }
        for (at, part) in self.parts.iter().enumerate().rev() {
            let content = self.pools[pool_of(at)].get(numbers[at]);
            match *part {
                Part::Word(word) => into[word * WORD..][..WORD].copy_from_slice(&content.to_le_bytes()),
                Part::Pair(left, right) => {
                    (numbers[left], numbers[right]) = ((content >> 32) as u32, content as u32);
                }
            }
        }
        let length = self.length.unwrap_or_else(|| {
            let last = into.last_chunk().expect("a word for the length");
            usize::try_from(u64::from_le_bytes(*last)).expect("the length of a state")
        });
        into.truncate(length);
    }
}

/// Which pool a part is kept in.
#[inline]
pub(super) fn pool_of(part: usize) -> usize {
    part % POOLS
}

/// The parts of a state with so many words, neighbours in pairs, and which of them are left at the end.
fn take_apart(words: usize) -> (Vec<Part>, [Option<usize>; 2]) {
    let mut parts: Vec<Part> = (0..words).map(Part::Word).collect();
    let mut level: Vec<usize> = (0..words).collect();
    while level.len() > 2 {
        level = level
            .chunks(2)
            .map(|pair| match *pair {
                [left, right] => {
                    parts.push(Part::Pair(left, right));
                    parts.len() - 1
                }
                _ => pair[0],
            })
            .collect();
    }
    (parts, [level.first().copied(), level.get(1).copied()])
}

/// The words of a state and one for its length, rounded so that there are two steps from each power of two to the next.
fn coarse_words(length: usize) -> usize {
    let words = length.div_ceil(WORD).max(2);
    words.next_multiple_of(1 << (words.ilog2() - 1)) + 1
}

#[cfg(all(test, not(shuttle)))]
mod tests {
    use super::*;

    #[test]
    fn every_part_belongs_to_one() {
        for words in 0..70 {
            let (parts, tops) = take_apart(words);
            let mut uses = vec![0; parts.len()];
            tops.iter().flatten().for_each(|&top| uses[top] += 1);
            for (at, part) in parts.iter().enumerate() {
                if let Part::Pair(left, right) = *part {
                    assert!(left < at && right < at);
                    uses[left] += 1;
                    uses[right] += 1;
                }
            }
            assert!(uses.iter().all(|&uses| uses == 1), "{words} words: {parts:?} {tops:?}");
            assert_eq!(parts.len(), words + words.saturating_sub(2));
        }
    }

    #[test]
    fn lengths_of_a_coarse_shape_differ() {
        let classes: std::collections::BTreeSet<_> = (0..1 << 24).step_by(7).map(coarse_words).collect();
        assert!(classes.len() <= 64, "{} classes", classes.len());
        for length in 0..1000 {
            let shape = Shape::coarse(length, 1);
            assert!(shape.has_room_for(length) && !shape.is_for(length) && shape.words * WORD >= length + WORD);
            assert_eq!(shape.word(&vec![1; length], shape.words - 1), length as u64);
        }
    }

    #[test]
    fn roots_are_told_apart() {
        let mut seen = std::collections::HashSet::new();
        for first in [0, 1, 2, 3, 100, (1 << NUMBER_BITS) - 1] {
            for second in (0..100).chain([(1 << NUMBER_BITS) - 2, (1 << NUMBER_BITS) - 1]) {
                let (class, key) = Roots(first, second).classify();
                assert!(class < CLASSES && key < 1 << (2 * NUMBER_BITS), "{first} {second}");
                assert!(seen.insert((class, key)));
                assert_eq!(Roots::restore(class, key), Roots(first, second));
            }
        }
    }
}
