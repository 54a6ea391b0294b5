//! The shape of a compressed state: how states of one length are decomposed, and where the nodes are kept.
//!
//! A state is divided into words of eight bytes. Each word has a number; two numbers form a pair, which has a number,
//! and so on until two numbers are left: the roots, which represent the state (Laarman, van de Pol, Weber, *Parallel
//! recursive state space compression for free*, 2011). States differ in few words, so most nodes exist already. Each
//! node position has its own pool. That keeps numbers small, and with them the keys of the roots.

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
/// Roots are classified by the bit length of the second number, so that the number of key bits is constant in a
/// class.
const CLASSES: usize = NUMBER_BITS as usize + 1;

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
    /// The pools of the nodes.
    pub pools: Vec<Pool>,
    roots: Box<[OnceLock<QuotientSet>]>,
    /// Buffers of the workers, in bytes: a number for each node of each state that is open or in the window.
    scratch: u64,
}

/// A node of the tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Node {
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
        Shape::with(Some(length), length.div_ceil(WORD), workers)
    }

    /// The same shape, with or without notes for states.
    pub fn with_notes(self, notes: bool) -> Shape {
        Shape { notes, ..self }
    }

    /// The shape for states of this length and similar ones.
    pub fn coarse(length: usize, workers: usize) -> Shape {
        Shape::with(None, coarse_words(length), workers)
    }

    fn with(length: Option<usize>, words: usize, workers: usize) -> Shape {
        let (nodes, tops) = decompose(words);
        Shape {
            length,
            words,
            notes: false,
            scratch: (workers * (nodes.len() * 2 * WINDOW * size_of::<u32>() + OPEN * words * WORD)) as u64,
            pools: nodes.iter().take(POOLS).map(|_| Pool::new(workers)).collect(),
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

    /// Assembles a state from its roots.
    pub fn assemble(&self, roots: Roots, numbers: &mut Vec<u32>, into: &mut Vec<u8>) {
        numbers.clear();
        numbers.resize(self.nodes.len(), 0);
        into.clear();
        into.resize(self.words * WORD, 0);
        for (top, number) in self.tops.into_iter().zip([roots.0, roots.1]) {
            if let Some(top) = top {
                numbers[top] = number;
            }
        }
        for (at, node) in self.nodes.iter().enumerate().rev() {
            let content = self.pools[pool_of(at)].get(numbers[at]);
            match *node {
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
        into.truncate(length);
    }
}

/// The pool of a node.
#[inline]
pub(super) fn pool_of(node: usize) -> usize {
    node % POOLS
}

/// The nodes of a state with so many words, paired with their neighbours, and the top nodes.
fn decompose(words: usize) -> (Vec<Node>, [Option<usize>; 2]) {
    let mut nodes: Vec<Node> = (0..words).map(Node::Word).collect();
    let mut level: Vec<usize> = (0..words).collect();
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
            let (nodes, tops) = decompose(words);
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
