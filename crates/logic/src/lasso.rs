//! Lassos: ultimately periodic words. A formula is evaluated on a lasso without an automaton, so formulas and
//! automata can be tested against each other.

use crate::atoms::Valuation;
use crate::automaton::{Marks, StateId, all_marks};
use crate::formula::{Binary, Formula, Node, NodeId, Unary};

/// The word `stem · loop · loop · …`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lasso {
    letters: Vec<Valuation>,
    stem: usize,
}

impl Lasso {
    /// A lasso. Returns `None` if the loop is empty, since the word would be finite.
    pub fn new(stem: &[Valuation], cycle: &[Valuation]) -> Option<Lasso> {
        if cycle.is_empty() {
            return None;
        }
        Some(Lasso { letters: [stem, cycle].concat(), stem: stem.len() })
    }

    /// The letters before the loop.
    pub fn stem(&self) -> &[Valuation] {
        &self.letters[..self.stem]
    }

    /// The letters of the loop.
    pub fn cycle(&self) -> &[Valuation] {
        &self.letters[self.stem..]
    }

    fn after(&self, at: usize) -> usize {
        if at + 1 < self.letters.len() { at + 1 } else { self.stem }
    }
}

/// Whether the formula holds on the word.
pub fn holds(formula: &Formula, word: &Lasso) -> bool {
    truth(formula, word)[formula.root().index()][0]
}

/// The positions of the word at which each node of the formula holds.
fn truth(formula: &Formula, word: &Lasso) -> Vec<Vec<bool>> {
    let mut truth: Vec<Vec<bool>> = Vec::with_capacity(formula.nodes().len());
    for node in formula.nodes() {
        let everywhere = |value| vec![value; word.letters.len()];
        let here = match *node {
            Node::True => everywhere(true),
            Node::False => everywhere(false),
            Node::Atom(a) => word.letters.iter().map(|v| a.0 < u64::BITS && v >> a.0 & 1 == 1).collect(),
            Node::Unary(op, a) => unary(op, &truth[a.index()], word),
            Node::Binary(op, a, b) => binary(op, &truth[a.index()], &truth[b.index()], word),
        };
        truth.push(here);
    }
    truth
}

/// A part of a formula that must be met at some time after a position, and is not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Obligation {
    /// The position at which the obligation begins.
    pub at: usize,
    /// The part of the formula: an eventuality that is false, or an invariant that is true and must not be.
    pub part: NodeId,
    /// The value of the part at this position.
    pub holds: bool,
}

/// The obligation that makes the formula false on a word. None if the formula holds, or if a finite part of the word
/// makes it false.
pub fn obligation(formula: &Formula, word: &Lasso) -> Option<Obligation> {
    let truth = truth(formula, word);
    let reason = Reason { formula, word, truth: &truth };
    if truth[formula.root().index()][0] { None } else { reason.of(formula.root(), 0) }
}

/// The search for the reason why a node has its value at a position.
struct Reason<'a> {
    formula: &'a Formula,
    word: &'a Lasso,
    truth: &'a [Vec<bool>],
}

impl Reason<'_> {
    fn of(&self, id: NodeId, at: usize) -> Option<Obligation> {
        let holds = self.truth[id.index()][at];
        let found = Some(Obligation { at, part: id, holds });
        match self.formula.node(id) {
            Node::True | Node::False | Node::Atom(_) => None,
            Node::Unary(Unary::Not, a) => self.of(a, at),
            Node::Unary(Unary::Next, a) => self.of(a, self.word.after(at)),
            Node::Unary(Unary::Finally, a) if holds => self.of(a, self.first(a, true, at)?),
            Node::Unary(Unary::Globally, a) if !holds => self.of(a, self.first(a, false, at)?),
            Node::Unary(Unary::Finally | Unary::Globally, _) => found,
            Node::Binary(Binary::And | Binary::Or | Binary::Implies, a, b) => {
                let parts = [a, b].into_iter().filter(|part| self.decides(id, *part, at));
                parts.filter_map(|part| self.of(part, at)).next_back()
            }
            Node::Binary(Binary::Until, _, b) if !holds && self.first(b, true, at).is_none() => found,
            Node::Binary(..) => None,
        }
    }

    /// Whether an operand is a reason for the value of a node: a false one of a false conjunction, and so on.
    fn decides(&self, id: NodeId, operand: NodeId, at: usize) -> bool {
        let (holds, value) = (self.truth[id.index()][at], self.truth[operand.index()][at]);
        match self.formula.node(id) {
            Node::Binary(Binary::Implies, a, _) if a == operand => value != holds,
            _ => value == holds,
        }
    }

    /// The first position from `at` on where a node has a value.
    fn first(&self, id: NodeId, value: bool, at: usize) -> Option<usize> {
        let positions = std::iter::successors(Some(at), |at| Some(self.word.after(*at)));
        positions.take(self.word.letters.len() + 1).find(|at| self.truth[id.index()][*at] == value)
    }
}

fn unary(op: Unary, a: &[bool], word: &Lasso) -> Vec<bool> {
    let every = vec![true; a.len()];
    match op {
        Unary::Not => a.iter().map(|x| !x).collect(),
        Unary::Next => (0..a.len()).map(|i| a[word.after(i)]).collect(),
        Unary::Finally => until(&every, a, false, word),
        Unary::Globally => until(a, &vec![false; a.len()], true, word),
    }
}

fn binary(op: Binary, a: &[bool], b: &[bool], word: &Lasso) -> Vec<bool> {
    let pointwise = |f: fn(bool, bool) -> bool| a.iter().zip(b).map(|(x, y)| f(*x, *y)).collect::<Vec<bool>>();
    match op {
        Binary::And => pointwise(|x, y| x && y),
        Binary::Or => pointwise(|x, y| x || y),
        Binary::Implies => pointwise(|x, y| !x || y),
        Binary::Equivalent => pointwise(|x, y| x == y),
        Binary::Until => until(a, b, false, word),
        Binary::WeakUntil => until(a, b, true, word),
        // `b` holds until `a && b` holds, or always.
        Binary::Release => until(b, &pointwise(|x, y| x && y), true, word),
    }
}

/// The positions where `a U b` holds; `weak` is the value if `b` never holds. Two passes over the loop compute the
/// least fixed point, or the greatest if `weak`.
fn until(a: &[bool], b: &[bool], weak: bool, word: &Lasso) -> Vec<bool> {
    let mut out = vec![weak; a.len()];
    for _ in 0..2 {
        for i in (0..a.len()).rev() {
            out[i] = b[i] || a[i] && out[word.after(i)];
        }
    }
    out
}

/// Whether an automaton accepts the word; `moves` gives successors with marks. The product of automaton and word must
/// have a reachable component with an edge of every acceptance set.
pub(crate) fn accepts(
    word: &Lasso,
    initial: StateId,
    states: usize,
    sets: u32,
    moves: impl Fn(StateId, Valuation) -> Vec<(StateId, Marks)>,
) -> bool {
    if states == 0 {
        return false;
    }
    let length = word.letters.len();
    let successors = |node: usize| -> Vec<(usize, Marks)> {
        let (state, at) = (node / length, node % length);
        let step = |(to, marks): (StateId, Marks)| (to.index() * length + word.after(at), marks);
        moves(StateId(state as u32), word.letters[at]).into_iter().map(step).collect()
    };
    let graph: Vec<Vec<(usize, Marks)>> = (0..states * length).map(successors).collect();
    let components = crate::scc::components(&graph, initial.index() * length, |(to, _)| *to);
    let mut marks = vec![0; components.count];
    let mut cyclic = vec![false; components.count];
    for (node, edges) in graph.iter().enumerate() {
        let Some(here) = components.of[node] else { continue };
        for (to, mark) in edges {
            if components.of[*to] == Some(here) {
                cyclic[here] = true;
                marks[here] |= mark;
            }
        }
    }
    (0..components.count).any(|c| cyclic[c] && marks[c] & all_marks(sets) == all_marks(sets))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    /// The obligation as position and text.
    fn open(text: &str, stem: &[Valuation], cycle: &[Valuation]) -> Option<(usize, String)> {
        let ltl = parse::ltl(text).unwrap();
        let found = obligation(&ltl.formula, &Lasso::new(stem, cycle).unwrap())?;
        let sign = if found.holds { "!" } else { "" };
        Some((found.at, format!("{sign}{}", ltl.formula.part(found.part).display(&ltl.atoms))))
    }

    #[test]
    fn the_obligation_that_is_never_met_is_found() {
        // The first proposition is bit 0, the second one bit 1.
        assert_eq!(open("[] (p -> <> q)", &[0, 1, 3], &[0, 1, 0]), Some((4, "<> q".into())));
        assert_eq!(open("[] (p -> <> q)", &[0, 1, 3], &[0]), None, "it holds");
        assert_eq!(open("<> p", &[0, 0], &[0]), Some((0, "<> p".into())));
        assert_eq!(open("[] <> p", &[0, 1], &[0]), Some((2, "<> p".into())));
        assert_eq!(open("![] p", &[1], &[1]), Some((0, "![] p".into())));
        assert_eq!(open("<> [] p", &[1], &[1, 0]), Some((0, "<> [] p".into())));
        assert_eq!(open("p U q", &[1], &[1]), Some((0, "p U q".into())));
        assert_eq!(open("p U q", &[1], &[0]), Some((0, "p U q".into())));
        assert_eq!(open("[] p", &[1], &[0]), None, "a finite part decides");
        assert_eq!(open("[] (p -> X <> q)", &[0, 1], &[0]), Some((2, "<> q".into())));
    }
}
