//! Evaluation of CTL formulas on a partial Kripke structure: three-valued results that are valid for every
//! completion.
//!
//! Each subformula has two bounds in every node: the nodes where it *must* be true, and those where it *may* be true.
//! Known paths raise the lower bound; unknown successors keep the upper bound. The evaluation follows the definition
//! of the operators and uses no search and no automaton.

use crate::atoms::Valuation;
use crate::ctl::{Ctl, CtlId, CtlNode, Path};

/// Some nodes of a Kripke structure. Formulas are evaluated in the first node.
#[derive(Clone, Default, Debug)]
pub struct PartialStructure {
    /// The known nodes.
    pub nodes: Vec<Node>,
    /// Cycles of accepted paths: a path may repeat the nodes of a cycle infinitely often.
    pub cycles: Vec<Vec<usize>>,
    /// Whether path quantifiers range over a class of infinite paths that not every finite path extends to (impartial
    /// paths). Then finite maximal paths do not count.
    pub fair_paths_only: bool,
}

/// A node of a partial Kripke structure.
#[derive(Clone, Default, Debug)]
pub struct Node {
    /// The propositions that are true.
    pub atoms: Valuation,
    /// The known successors.
    pub next: Vec<usize>,
    /// Whether there are no other successors.
    pub complete: bool,
}

/// A fact that is assumed: the value of a subformula in a node.
pub type Given = (usize, CtlId, bool);

/// The bounds of one subformula in every node.
#[derive(Clone, Debug)]
struct Bounds {
    must: Vec<bool>,
    may: Vec<bool>,
}

/// The value of the formula in the first node, if it is the same in every completion.
pub fn judge(ctl: &Ctl, structure: &PartialStructure, given: &[Given]) -> Option<bool> {
    let mut known: Vec<Bounds> = Vec::new();
    for (i, node) in ctl.nodes().iter().enumerate() {
        let mut own = structure.unknown();
        for (at, _, value) in given.iter().filter(|(_, part, _)| part.index() == i) {
            own.must[*at] = *value;
            own.may[*at] = *value;
        }
        known.push(structure.bounds(*node, &known, &own));
    }
    let root = &known[ctl.root().index()];
    match (root.must.first(), root.may.first()) {
        (Some(true), _) => Some(true),
        (_, Some(false)) => Some(false),
        _ => None,
    }
}

impl Bounds {
    fn not(&self) -> Bounds {
        let flip = |set: &[bool]| set.iter().map(|v| !v).collect();
        Bounds { must: flip(&self.may), may: flip(&self.must) }
    }

    fn with(&self, other: &Bounds, op: impl Fn(bool, bool) -> bool) -> Bounds {
        let zip = |a: &[bool], b: &[bool]| a.iter().zip(b).map(|(a, b)| op(*a, *b)).collect();
        Bounds { must: zip(&self.must, &other.must), may: zip(&self.may, &other.may) }
    }

    fn and(&self, other: &Bounds) -> Bounds {
        self.with(other, |a, b| a && b)
    }

    fn or(&self, other: &Bounds) -> Bounds {
        self.with(other, |a, b| a || b)
    }
}

impl PartialStructure {
    fn unknown(&self) -> Bounds {
        Bounds { must: vec![false; self.nodes.len()], may: vec![true; self.nodes.len()] }
    }

    fn constant(&self, value: bool) -> Bounds {
        Bounds { must: vec![value; self.nodes.len()], may: vec![value; self.nodes.len()] }
    }

    /// The bounds that follow from the operands and from the assumed facts.
    fn bounds(&self, node: CtlNode, known: &[Bounds], given: &Bounds) -> Bounds {
        let part = |id: CtlId| &known[id.index()];
        let derived = match node {
            CtlNode::Constant(value) => self.constant(value),
            CtlNode::Atom(atom) => {
                let set: Vec<bool> = self.nodes.iter().map(|node| node.atoms >> atom.0 & 1 == 1).collect();
                Bounds { must: set.clone(), may: set }
            }
            CtlNode::Not(x) => part(x).not(),
            CtlNode::And(x, y) => part(x).and(part(y)),
            CtlNode::Or(x, y) => part(x).or(part(y)),
            CtlNode::Implies(x, y) => part(x).not().or(part(y)),
            CtlNode::Equivalent(x, y) => {
                let (x, y) = (part(x), part(y));
                x.and(y).or(&x.not().and(&y.not()))
            }
            CtlNode::Next(Path::Exists, x) => self.next(part(x)),
            CtlNode::Next(Path::All, x) => self.next(&part(x).not()).not(),
            CtlNode::Finally(Path::Exists, x) => self.until(&self.constant(true), part(x), given),
            CtlNode::Globally(Path::All, x) => self.until(&self.constant(true), &part(x).not(), &given.not()).not(),
            CtlNode::Globally(Path::Exists, x) => self.always(part(x), given),
            CtlNode::Finally(Path::All, x) => self.always(&part(x).not(), &given.not()).not(),
            CtlNode::Until(Path::Exists, x, y) => self.until(part(x), part(y), given),
            CtlNode::Until(Path::All, x, y) => {
                let (x, y, given) = (part(x).not(), part(y).not(), given.not());
                let never = self.always(&y, &given);
                self.until(&y, &x.and(&y), &given).or(&never).not()
            }
        };
        // The tighter of the derived and the assumed bounds.
        Bounds { must: derived.or(given).must, may: derived.and(given).may }
    }

    /// Bounds of `EX x`.
    fn next(&self, x: &Bounds) -> Bounds {
        let x = self.on_fair_path(x);
        let any = |set: &[bool], node: &Node| node.next.iter().any(|to| set[*to]);
        Bounds {
            must: self.nodes.iter().map(|node| any(&x.must, node)).collect(),
            may: self.nodes.iter().map(|node| any(&x.may, node) || !node.complete).collect(),
        }
    }

    /// Bounds of `E[x U y]`.
    fn until(&self, x: &Bounds, y: &Bounds, given: &Bounds) -> Bounds {
        let y = self.on_fair_path(y);
        let target = |set: &[bool], extra: &[bool]| set.iter().zip(extra).map(|(a, b)| *a || *b).collect();
        let outside: Vec<bool> = self.nodes.iter().zip(&x.may).map(|(node, x)| *x && !node.complete).collect();
        let mut reached: Vec<bool> = target(&y.may, &outside);
        reached.iter_mut().zip(&given.may).for_each(|(at, given)| *at &= given);
        Bounds {
            must: self.backwards(target(&y.must, &given.must), |at| x.must[at]),
            may: self.backwards(reached, |at| x.may[at] && given.may[at]),
        }
    }

    /// Bounds of `EG x`.
    fn always(&self, x: &Bounds, given: &Bounds) -> Bounds {
        let mut good = given.must.clone();
        for cycle in self.cycles.iter().filter(|cycle| cycle.iter().all(|at| x.must[*at])) {
            cycle.iter().for_each(|at| good[*at] = true);
        }
        for (at, node) in self.nodes.iter().enumerate() {
            good[at] |= !self.fair_paths_only && x.must[at] && node.complete && node.next.is_empty();
        }
        let mut may: Vec<bool> = x.may.iter().zip(&given.may).map(|(x, given)| *x && *given).collect();
        self.sweep(|at| {
            let node = &self.nodes[at];
            let ends = node.next.is_empty() || !node.complete;
            let lost = may[at] && !ends && node.next.iter().all(|to| !may[*to]);
            may[at] &= !lost;
            lost
        });
        Bounds { must: self.backwards(good, |at| x.must[at]), may }
    }

    fn on_fair_path(&self, x: &Bounds) -> Bounds {
        if !self.fair_paths_only {
            return x.clone();
        }
        x.and(&self.always(&self.constant(true), &self.unknown()))
    }

    /// The nodes from which `set` can be reached through allowed nodes.
    fn backwards(&self, mut set: Vec<bool>, allowed: impl Fn(usize) -> bool) -> Vec<bool> {
        self.sweep(|at| {
            let found = !set[at] && allowed(at) && self.nodes[at].next.iter().any(|to| set[*to]);
            set[at] |= found;
            found
        });
        set
    }

    /// Repeats a step on all nodes up to the fixed point. Nodes are numbered along runs, so the reverse order
    /// converges fast.
    fn sweep(&self, mut step: impl FnMut(usize) -> bool) {
        while (0..self.nodes.len()).rev().filter(|at| step(*at)).count() > 0 {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    /// Nodes with their atoms and successors. `?` marks a node with unknown successors; the first two atoms are p and
    /// q.
    fn structure(nodes: &[(&str, &[usize])], cycles: &[&[usize]]) -> PartialStructure {
        let node = |(atoms, next): &(&str, &[usize])| Node {
            atoms: u64::from(atoms.contains('p')) | u64::from(atoms.contains('q')) << 1,
            next: next.to_vec(),
            complete: !atoms.contains('?'),
        };
        let nodes = nodes.iter().map(node).collect();
        PartialStructure { nodes, cycles: cycles.iter().map(|r| r.to_vec()).collect(), fair_paths_only: false }
    }

    /// The value of a formula. Its text is prefixed such that `p` and `q` are atoms 0 and 1.
    fn says(text: &str, structure: &PartialStructure) -> Option<bool> {
        let ctl = parse::ctl(&format!("((p || q) || true) && ({text})")).unwrap();
        judge(&ctl, structure, &[])
    }

    #[test]
    fn what_is_not_known_is_left_open() {
        let run = structure(&[("p?", &[1]), ("p?", &[2]), ("q?", &[])], &[]);
        for (text, expected) in [
            ("EF q", Some(true)),
            ("AG p", Some(false)),
            ("AG !q", Some(false)),
            ("AF q", None),
            ("E[p U q]", Some(true)),
            ("A[p U q]", None),
            ("EG p", None),
            ("EX p", Some(true)),
            ("AX p", None),
            ("EX EX q", Some(true)),
            ("EF (p && q)", None),
            ("AF p", Some(true)),
            ("AG (p -> EF q)", None),
        ] {
            assert_eq!(says(text, &run), expected, "{text}");
        }
    }

    #[test]
    fn complete_structures_leave_nothing_open() {
        let graph = structure(&[("p", &[1, 2]), ("p", &[0]), ("q", &[])], &[&[0, 1]]);
        for (text, expected) in [
            ("EG p", true),
            ("AF q", false),
            ("AG EF q", true),
            ("A[p U q]", false),
            ("AG (q -> AX false)", true),
            ("EX EX q", false),
            ("EG !q", true),
            ("A[p W q]", true),
            ("EF (p <-> q)", false),
        ] {
            assert_eq!(says(text, &graph), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_given_counts() {
        let run = structure(&[("?", &[1]), ("?", &[])], &[]);
        let ctl = parse::ctl("AG EF p").unwrap();
        assert_eq!(judge(&ctl, &run, &[]), None);
        let inner = CtlId(1);
        assert_eq!(ctl.part(inner).to_string(), "EF p");
        assert_eq!(judge(&ctl, &run, &[(1, inner, false)]), Some(false));
        assert_eq!(judge(&ctl, &run, &[(1, inner, true)]), None);
    }

    #[test]
    fn only_paths_that_count() {
        let mut graph = structure(&[("", &[1, 2]), ("p", &[]), ("q", &[2])], &[&[2]]);
        assert_eq!((says("EF p", &graph), says("EF q", &graph)), (Some(true), Some(true)));
        graph.fair_paths_only = true;
        assert_eq!((says("EF p", &graph), says("EF q", &graph)), (None, Some(true)));
    }
}
