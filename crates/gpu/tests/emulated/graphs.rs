//! Random graphs with accepting states. A state has the number of its graph in it, so that one text is the text of all graphs; a graph is
//! defined by a hash of its number.

use std::borrow::Cow;
use std::collections::BTreeSet;

use kripke_gpu::ModelText;
use kripke_model::trail::Ending;
use kripke_model::words::words_of;
use kripke_model::{
    AcceptanceMarks, ActionLabels, Batch, Choice, Flags, Movers, Parts, ProcessStructure, Representation, State,
    StateLabels, Successors, Trail,
};

/// The functions that define the graphs, in C++. They are written again below.
const DEFINITIONS: &str = "
struct State { u64 w[MODEL_WORDS]; };
enum { MODEL_DONE = 0, MODEL_LEFT = 1, MODEL_STUCK = 2 };
HD u64 draw(u64 graph, u64 node, u64 what) {
  u64 z = (graph << 32 | node << 16 | what) * 0x9e3779b97f4a7c15ull;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull; z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}
HD u64 graph_of(const State& s) { return s.w[0] & 0xffff; }
HD u64 node_of(const State& s) { return s.w[NODE_WORD] >> NODE_SHIFT & 0xff; }
HD u64 next_of(u64 graph, u64 node, u64 number) {
  u64 nodes = 2 + draw(graph, 0xffff, 0) % 60, h = draw(graph, node, number), near = node + 1 + h % 3;
  return draw(graph, 0xffff, 3) % 3 == 0 || near >= nodes ? (h >> 8) % nodes : near;
}
HD u64 degree_of(u64 graph, u64 node) {
  u64 h = draw(graph, node, 0xfff0);
  return h % 16 == 0 ? 0 : 1 + (h >> 8) % (1 + draw(graph, 0xffff, 1) % 3);
}
HD bool is_left(u64 graph, u64 node) { return degree_of(graph, node) == 0 || draw(graph, node, 0xfff2) % 5 == 0; }
HD bool is_accepting(const State& s) {
  u64 graph = graph_of(s), node = node_of(s);
  if (is_left(graph, node) && draw(graph, node, 0xfff3) % 2) return false;
  return draw(graph, node, 0xfff1) % (1 + draw(graph, 0xffff, 2) % 12) == 0;
}
template <class Em> HD int expand(const State& s, Em& em) {
  u64 graph = graph_of(s), node = node_of(s), degree = degree_of(graph, node);
  bool left = is_left(graph, node);
  for (u64 i = 0; i < (left ? degree / 2 : degree); i++) {
    State next = s;
    next.w[NODE_WORD] = (next.w[NODE_WORD] & ~(0xffull << NODE_SHIFT)) | next_of(graph, node, i) << NODE_SHIFT;
    em(next);
  }
  return left ? MODEL_LEFT : MODEL_DONE;
}
";

fn draw(graph: u64, node: u64, what: u64) -> u64 {
    let mut z = (graph << 32 | node << 16 | what).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

#[derive(Clone, Copy, Debug)]
pub struct Graph {
    pub number: u64,
    pub bits: u32,
}

impl Graph {
    /// The text of all graphs with states of so many bits.
    pub fn text(bits: u32) -> ModelText {
        let (words, node) = (bits.div_ceil(64), bits - 8);
        let text = format!(
            "#define MODEL_WORDS {words}\n#define MODEL_BITS {bits}\n#define NODE_WORD {}\n#define NODE_SHIFT {}\n{DEFINITIONS}",
            node / 64,
            node % 64
        );
        ModelText { text, words: words as usize, bits, cycles: true }
    }

    fn state(self, node: u64) -> Vec<u8> {
        let mut words = vec![0; self.bits.div_ceil(64) as usize];
        words[0] = self.number;
        let at = self.bits - 8;
        words[at as usize / 64] |= node << (at % 64);
        words.iter().flat_map(|word: &u64| word.to_le_bytes()).collect()
    }

    fn node(self, state: &State) -> u64 {
        let at = self.bits - 8;
        words_of(state)[at as usize / 64] >> (at % 64) & 0xff
    }

    fn next(self, node: u64) -> Vec<u64> {
        let nodes = 2 + draw(self.number, 0xffff, 0) % 60;
        let next = |number: u64| {
            let h = draw(self.number, node, number);
            let near = node + 1 + h % 3;
            let is_far = draw(self.number, 0xffff, 3).is_multiple_of(3) || near >= nodes;
            if is_far { (h >> 8) % nodes } else { near }
        };
        let h = draw(self.number, node, 0xfff0);
        let degree = if h.is_multiple_of(16) { 0 } else { 1 + (h >> 8) % (1 + draw(self.number, 0xffff, 1) % 3) };
        (0..degree).map(next).collect()
    }

    fn is_accepting(self, node: u64) -> bool {
        draw(self.number, node, 0xfff1).is_multiple_of(1 + draw(self.number, 0xffff, 2) % 12)
    }

    /// The nodes that paths of at least one transition lead to.
    fn reached(self, from: u64) -> BTreeSet<u64> {
        let (mut reached, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(node) = open.pop() {
            open.extend(self.next(node).into_iter().filter(|next| reached.insert(*next)));
        }
        reached
    }

    /// The number of nodes that can be reached, and whether there is an accepting cycle, by definition.
    pub fn judge(self) -> (u64, bool) {
        let mut all = self.reached(0);
        all.insert(0);
        let cycle = all.iter().any(|node| self.is_accepting(*node) && self.reached(*node).contains(node));
        (all.len() as u64, cycle)
    }

    /// Whether a trail leads to an accepting cycle and around it.
    pub fn is_lasso(self, trail: &Trail) -> bool {
        let mut nodes = vec![0];
        for choice in &trail.choices {
            nodes.push(self.next(nodes[nodes.len() - 1])[*choice as usize]);
        }
        let Ending::Cycle(start) = trail.ending else { return false };
        let around = &nodes[start as usize..];
        around.len() > 1 && around.first() == around.last() && around.iter().any(|node| self.is_accepting(*node))
    }
}

impl Successors for Graph {
    fn initial(&mut self, out: &mut Batch) {
        out.push(&self.state(0));
    }

    fn expand(&mut self, state: &State, _: Choice, out: &mut Batch) -> Flags {
        let node = self.node(state);
        self.next(node).into_iter().for_each(|next| out.push(&self.state(next)));
        Flags { accepting: self.is_accepting(node), ..Flags::default() }
    }
}

impl Representation for Graph {
    fn hidden_prefix(&self) -> usize {
        0
    }

    fn word_bits(&self) -> Option<u32> {
        Some(self.bits)
    }

    fn decode<'s>(&mut self, state: &'s State) -> Cow<'s, State> {
        Cow::Borrowed(state)
    }
}

impl StateLabels for Graph {
    fn state_labels(&mut self, _: &State) -> Option<u64> {
        Some(0)
    }
}

impl ActionLabels for Graph {
    fn action_labels(&mut self, _: &State, _: &mut Vec<Vec<u32>>) {}
}

impl AcceptanceMarks for Graph {
    fn acceptance_marks(&mut self, _: &State, _: &mut Vec<u32>) {}
}

impl ProcessStructure for Graph {
    fn movers(&mut self, _: &State, out: &mut Movers) {
        out.clear();
    }

    fn expand_parts(&mut self, state: &State, out: &mut Batch, parts: &mut Parts) -> Flags {
        parts.ends.clear();
        self.expand(state, Choice::All, out)
    }

    fn expand_ample(&mut self, state: &State, out: &mut Batch, _: &mut Batch) -> Flags {
        self.expand(state, Choice::All, out)
    }

    fn full_expansions(&mut self, most: usize) -> usize {
        most
    }

    fn note_explored(&mut self, _: usize) {}
}
