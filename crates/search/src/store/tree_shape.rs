//! The shape of a compressed state: how states of one length are decomposed, and where the nodes are kept.
//!
//! A state is divided into words of eight bytes. Each word has a number; two numbers form a pair, which has a number,
//! and so on until two numbers are left: the roots, which represent the state (Laarman, van de Pol, Weber, *Parallel
//! recursive state space compression for free*, 2011). States differ in few words, so most nodes exist already. Each
//! node position has its own pool. That keeps numbers small, and with them the keys of the roots.
//!
//! States in words are divided into equal numbers of bits, so few that each part is its own number and needs no pool.

use std::sync::OnceLock;

use kripke_model::State;

use super::pool::{NUMBER_BITS, Pool};
use super::quotient::QuotientSet;

const WORD: usize = 8;
/// States whose memory accesses overlap.
pub(super) const WINDOW: usize = 64;
/// The usual number of states that are open at once.
const OPEN: usize = 32;
/// Maximum number of pools of a shape, which bounds the reserved addresses. Nodes of long states share pools. All
/// nodes of a pool use the same numbering.
const POOLS: usize = 1 << 11;
/// Pairs that the workers remember: for each pool, unless there are many pools.
const RECENT: usize = 1 << 8;
const FEW_RECENT: usize = 1 << 4;
const FEW_POOLS: usize = 1 << 6;
/// Roots are classified by the bit length of the second number, so that the number of key bits is constant in a
/// class.
const CLASSES: usize = NUMBER_BITS as usize + 1;

/// States in words have at least so many parts: the two roots are pairs, whose numbers have fewer bits than the states.
const FEWEST_PARTS: u32 = 4;

/// A part of a state in words: the bits after `shift` in the eight bytes from a position on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Part {
    at: usize,
    shift: u32,
    mask: u64,
}

impl Part {
    /// The parts of states of so many bits. They are as long as each other, but for the last.
    fn all(bits: u32) -> Vec<Part> {
        let length = bytes_of(bits);
        let parts = bits.div_ceil(NUMBER_BITS).max(FEWEST_PARTS);
        let width = bits.div_ceil(parts);
        let part = |n: u32| {
            let at = (n * width / u8::BITS) as usize;
            let at = at.min(length - WORD);
            Part { at, shift: n * width - at as u32 * u8::BITS, mask: (1 << width) - 1 }
        };
        (0..parts).map(part).collect()
    }

    /// The number that a state has here.
    #[inline]
    pub fn of(self, state: &State) -> u32 {
        let word = state[self.at..].first_chunk().expect("a state in words is as long as any other");
        (u64::from_le_bytes(*word) >> self.shift & self.mask) as u32
    }

    fn write(self, number: u32, state: &mut [u8]) {
        let word: &mut [u8; WORD] = state[self.at..].first_chunk_mut().expect("the state has this part");
        *word = (u64::from_le_bytes(*word) | u64::from(number) << self.shift).to_le_bytes();
    }
}

/// The bytes of a state in words with so many bits.
pub(super) fn bytes_of(bits: u32) -> usize {
    bits.div_ceil(u64::BITS).max(1) as usize * WORD
}

/// The decomposition of states of one length, or of a range of lengths.
#[derive(Debug)]
pub(super) struct Shape {
    /// Whether states have notes.
    notes: bool,
    /// The length of the states. None for a range of lengths; the last word then contains the length.
    length: Option<usize>,
    words: usize,
    /// The nodes: words first, then pairs, each after its children.
    pub nodes: Vec<Node>,
    /// The nodes without a parent, at most two.
    tops: [Option<usize>; 2],
    /// The number of nodes at the front that have no pool: parts of states in words.
    bare: usize,
    /// The pools of the others.
    pub pools: Vec<Pool>,
    roots: Box<[OnceLock<QuotientSet>]>,
    /// The number of pairs that a worker remembers in each pool.
    pub recent: usize,
    /// Buffers of the workers, in bytes: a number for each node of each state that is open or in the window, and pairs that they
    /// remember.
    scratch: u64,
}

/// A node of the tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Node {
    Part(Part),
    Word(usize),
    Pair(usize, usize),
}

/// The numbers of the two top nodes; zero where there is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Roots(pub u32, pub u32);

impl Roots {
    /// The class of the roots, and their key in the class.
    #[inline]
    pub fn classify(self) -> (usize, u64) {
        let second = u64::from(self.1) + 1;
        let class = second.ilog2();
        (class as usize, u64::from(self.0) << class | (second - (1 << class)))
    }

    /// The inverse of [`Roots::classify`].
    pub fn restore(class: usize, key: u64) -> Roots {
        Roots((key >> class) as u32, ((key & ((1 << class) - 1)) + (1 << class) - 1) as u32)
    }
}

impl Shape {
    /// The shape for states of one length.
    pub fn new(length: usize, workers: usize) -> Shape {
        let words = length.div_ceil(WORD);
        Shape::with(Some(length), words, (0..words).map(Node::Word).collect(), workers)
    }

    /// The shape for states in words of so many bits.
    pub fn of_words(bits: u32, workers: usize) -> Shape {
        let length = bytes_of(bits);
        let parts = Part::all(bits).into_iter().map(Node::Part).collect();
        Shape::with(Some(length), length / WORD, parts, workers)
    }

    /// The same shape, with or without notes for states.
    pub fn with_notes(self, notes: bool) -> Shape {
        Shape { notes, ..self }
    }

    /// The shape for states of this length and similar ones.
    pub fn coarse(length: usize, workers: usize) -> Shape {
        let words = coarse_words(length);
        Shape::with(None, words, (0..words).map(Node::Word).collect(), workers)
    }

    fn with(length: Option<usize>, words: usize, leaves: Vec<Node>, workers: usize) -> Shape {
        let bare = leaves.iter().filter(|node| matches!(node, Node::Part(_))).count();
        let (nodes, tops) = decompose(leaves);
        let pools: Vec<Pool> = nodes.iter().skip(bare).take(POOLS).map(|_| Pool::new(workers)).collect();
        let recent = if pools.len() <= FEW_POOLS { RECENT } else { FEW_RECENT };
        let buffers = nodes.len() * 2 * WINDOW * size_of::<u32>() + OPEN * words * WORD;
        Shape {
            length,
            words,
            notes: false,
            scratch: (workers * (buffers + pools.len() * recent * size_of::<(u64, u32)>())) as u64,
            recent,
            bare,
            pools,
            nodes,
            tops,
            roots: (0..CLASSES).map(|_| OnceLock::new()).collect(),
        }
    }

    /// Whether the shape is for this length only.
    pub fn is_for(&self, length: usize) -> bool {
        self.length == Some(length)
    }

    /// Whether the shape is for a range that contains this length.
    pub fn covers(&self, length: usize) -> bool {
        self.length.is_none() && self.words == coarse_words(length)
    }

    /// A word of a state, padded with zeros.
    #[inline]
    pub fn word(&self, state: &State, index: usize) -> u64 {
        if self.length.is_none() && index + 1 == self.words {
            return state.len() as u64;
        }
        match state.get(index * WORD..).unwrap_or_default() {
            [] => 0,
            rest => match rest.first_chunk::<WORD>() {
                Some(word) => u64::from_le_bytes(*word),
                // A word that is loaded after its bytes were copied one by one makes the processor wait.
                None if let Some(last) = state.last_chunk::<WORD>() => {
                    u64::from_le_bytes(*last) >> (8 * (WORD - rest.len()))
                }
                None => {
                    let mut word = [0; WORD];
                    word[..rest.len()].copy_from_slice(rest);
                    u64::from_le_bytes(word)
                }
            },
        }
    }

    /// The set for a class of roots, and whether it was created by this call.
    #[inline]
    pub fn set(&self, class: usize, workers: usize) -> (&QuotientSet, bool) {
        if let Some(set) = self.roots[class].get() {
            return (set, false);
        }
        let mut made = false;
        let set = self.roots[class].get_or_init(|| {
            made = true;
            QuotientSet::new(workers, self.notes)
        });
        (set, made)
    }

    pub fn sets(&self) -> impl Iterator<Item = &QuotientSet> {
        self.roots.iter().filter_map(OnceLock::get)
    }

    /// The existing sets with their classes.
    pub fn classes(&self) -> impl Iterator<Item = (usize, &QuotientSet)> {
        self.roots.iter().enumerate().filter_map(|(class, set)| Some((class, set.get()?)))
    }

    pub fn bytes(&self) -> u64 {
        self.scratch + self.pools.iter().map(Pool::bytes).chain(self.sets().map(QuotientSet::bytes)).sum::<u64>()
    }

    /// The roots of a state whose nodes have these numbers.
    #[inline]
    pub fn roots(&self, number: impl Fn(usize) -> u32) -> Roots {
        let [first, second] = self.tops;
        Roots(first.map_or(0, &number), second.map_or(0, &number))
    }

    /// Assembles a state from its roots and appends it to `out`. Every node gets its number from its parent.
    pub fn assemble(&self, roots: Roots, numbers: &mut Vec<u32>, out: &mut Vec<u8>) {
        numbers.resize(self.nodes.len(), 0);
        let start = out.len();
        out.resize(start + self.words * WORD, 0);
        let into = &mut out[start..];
        for (top, number) in self.tops.into_iter().zip([roots.0, roots.1]) {
            if let Some(top) = top {
                numbers[top] = number;
            }
        }
        for (at, node) in self.nodes.iter().enumerate().rev() {
            let content = match node {
                Node::Part(_) => 0,
                _ => self.pools[self.pool_of(at)].get(numbers[at]),
            };
            match *node {
                Node::Part(part) => part.write(numbers[at], into),
                Node::Word(word) => into[word * WORD..][..WORD].copy_from_slice(&content.to_le_bytes()),
                Node::Pair(left, right) => {
                    (numbers[left], numbers[right]) = ((content >> 32) as u32, content as u32);
                }
            }
        }
        let length = self.length.unwrap_or_else(|| {
            let last = into.last_chunk().expect("the last word is the length");
            usize::try_from(u64::from_le_bytes(*last)).expect("a length fits into usize")
        });
        out.truncate(start + length);
    }

    /// Whether leaves are whole words, which have numbers.
    pub fn has_words(&self) -> bool {
        self.bare == 0
    }

    /// The pool of a node that has one.
    #[inline]
    pub fn pool_of(&self, node: usize) -> usize {
        (node - self.bare) % POOLS
    }
}

/// These leaves and the nodes above, paired with their neighbours, and the top nodes.
fn decompose(leaves: Vec<Node>) -> (Vec<Node>, [Option<usize>; 2]) {
    let mut level: Vec<usize> = (0..leaves.len()).collect();
    let mut nodes = leaves;
    while level.len() > 2 {
        level = level
            .chunks(2)
            .map(|pair| match *pair {
                [left, right] => {
                    nodes.push(Node::Pair(left, right));
                    nodes.len() - 1
                }
                _ => pair[0],
            })
            .collect();
    }
    (nodes, [level.first().copied(), level.get(1).copied()])
}

/// The number of words of a state and its length, rounded up to two sizes per power of two.
fn coarse_words(length: usize) -> usize {
    let words = length.div_ceil(WORD).max(2);
    words.next_multiple_of(1 << (words.ilog2() - 1)) + 1
}

#[cfg(all(test, not(shuttle)))]
mod tests {
    use super::*;

    #[test]
    fn every_node_has_one_parent() {
        for words in 0..70 {
            let (nodes, tops) = decompose((0..words).map(Node::Word).collect());
            let mut uses = vec![0; nodes.len()];
            tops.iter().flatten().for_each(|&top| uses[top] += 1);
            for (at, node) in nodes.iter().enumerate() {
                if let Node::Pair(left, right) = *node {
                    assert!(left < at && right < at);
                    uses[left] += 1;
                    uses[right] += 1;
                }
            }
            assert!(uses.iter().all(|&uses| uses == 1), "{words} words: {nodes:?} {tops:?}");
            assert_eq!(nodes.len(), words + words.saturating_sub(2));
        }
    }

    #[test]
    fn parts_make_up_a_state_in_words() {
        for bits in 0..=512 {
            let (parts, length) = (Part::all(bits), bytes_of(bits));
            let mut state: Vec<u8> = (0..length).map(|at| (at * 37 + bits as usize) as u8).collect();
            for bit in bits as usize..length * 8 {
                state[bit / 8] &= !(1 << (bit % 8));
            }
            let mut again = vec![0; length];
            for part in parts {
                let number = part.of(&state);
                assert!(number < 1 << NUMBER_BITS, "{bits} {part:?}");
                part.write(number, &mut again);
            }
            assert_eq!(again, state, "{bits}");
        }
    }

    #[test]
    fn lengths_of_a_coarse_shape_differ() {
        let classes: std::collections::BTreeSet<_> = (0..1 << 24).step_by(7).map(coarse_words).collect();
        assert!(classes.len() <= 64, "{} classes", classes.len());
        for length in 0..1000 {
            let shape = Shape::coarse(length, 1);
            assert!(shape.covers(length) && !shape.is_for(length) && shape.words * WORD >= length + WORD);
            assert_eq!(shape.word(&vec![1; length], shape.words - 1), length as u64);
        }
    }

    #[test]
    fn roots_are_distinguished() {
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
