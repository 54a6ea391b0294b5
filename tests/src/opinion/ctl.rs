//! Computation tree logic by fixpoints. With fairness, `A` and `E` are about fair paths only.

use super::fairness::{Arena, Fairness};
use super::graph::Graph;
use super::labels::Labels;
use super::ltl::arena;
use super::system::{Expr, Op};

#[derive(Clone, PartialEq, Debug)]
pub enum Ctl {
    Prop(Expr),
    Not(Box<Ctl>),
    And(Box<Ctl>, Box<Ctl>),
    Or(Box<Ctl>, Box<Ctl>),
    Implies(Box<Ctl>, Box<Ctl>),
    Path(Quantifier, Box<Path>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantifier {
    All,
    Some,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Path {
    Next(Ctl),
    Eventually(Ctl),
    Always(Ctl),
    Until(Ctl, Ctl),
    WeakUntil(Ctl, Ctl),
    Release(Ctl, Ctl),
}

impl Ctl {
    pub fn expression(&self) -> Option<Expr> {
        Some(match self {
            Ctl::Prop(e) => e.clone(),
            Ctl::Not(a) => a.expression()?.negated(),
            Ctl::And(a, b) => Expr::bin(Op::And, a.expression()?, b.expression()?),
            Ctl::Or(a, b) => Expr::bin(Op::Or, a.expression()?, b.expression()?),
            Ctl::Implies(a, b) => Expr::bin(Op::Or, a.expression()?.negated(), b.expression()?),
            Ctl::Path(..) => return None,
        })
    }

    pub fn parts(&self) -> Vec<&Ctl> {
        match self {
            Ctl::Prop(_) => Vec::new(),
            Ctl::Not(a) => vec![a],
            Ctl::And(a, b) | Ctl::Or(a, b) | Ctl::Implies(a, b) => vec![a, b],
            Ctl::Path(_, path) => path.parts(),
        }
    }

    pub fn propositions(&self) -> Vec<Expr> {
        match self.expression() {
            Some(e) => vec![e],
            None => self.parts().into_iter().flat_map(Ctl::propositions).collect(),
        }
    }
}

impl Path {
    pub fn parts(&self) -> Vec<&Ctl> {
        match self {
            Path::Next(a) | Path::Eventually(a) | Path::Always(a) => vec![a],
            Path::Until(a, b) | Path::WeakUntil(a, b) | Path::Release(a, b) => vec![a, b],
        }
    }
}

type Set = Vec<bool>;

fn not(a: &[bool]) -> Set {
    a.iter().map(|a| !a).collect()
}

fn and(a: &[bool], b: &[bool]) -> Set {
    a.iter().zip(b).map(|(a, b)| *a && *b).collect()
}

fn or(a: &[bool], b: &[bool]) -> Set {
    a.iter().zip(b).map(|(a, b)| *a || *b).collect()
}

struct Judge<'g> {
    labels: &'g Labels<'g>,
    graph: &'g Graph,
    /// Paths that end stay where they are.
    arena: Arena,
    fairness: Fairness,
    /// Where some fair path begins.
    fair: Set,
}

/// Whether the formula is true in the first state.
pub fn holds(labels: &Labels, formula: &Ctl, fairness: Fairness) -> bool {
    let graph = labels.graph;
    let all = vec![true; graph.nodes.len()];
    let mut judge = Judge { labels, graph, arena: arena(graph, true), fairness, fair: Vec::new() };
    judge.fair = judge.always(&all);
    judge.set(formula)[0]
}

impl Judge<'_> {
    /// The states in which a formula is true.
    fn set(&self, f: &Ctl) -> Set {
        if let Some(e) = f.expression() {
            return self.graph.states.iter().map(|s| self.labels.holds(s, &e)).collect();
        }
        match f {
            Ctl::Prop(_) => unreachable!("a proposition is an expression"),
            Ctl::Not(a) => not(&self.set(a)),
            Ctl::And(a, b) => and(&self.set(a), &self.set(b)),
            Ctl::Or(a, b) => or(&self.set(a), &self.set(b)),
            Ctl::Implies(a, b) => or(&not(&self.set(a)), &self.set(b)),
            Ctl::Path(Quantifier::Some, path) => self.some(path),
            Ctl::Path(Quantifier::All, path) => self.all(path),
        }
    }

    fn some(&self, path: &Path) -> Set {
        match path {
            Path::Next(a) => self.next(&self.set(a)),
            Path::Eventually(a) => self.until(&not(&self.none()), &self.set(a)),
            Path::Always(a) => self.always(&self.set(a)),
            Path::Until(a, b) => self.until(&self.set(a), &self.set(b)),
            Path::WeakUntil(a, b) => self.weak_until(&self.set(a), &self.set(b)),
            // `q` up to and including when `p` comes.
            Path::Release(a, b) => {
                let (a, b) = (self.set(a), self.set(b));
                self.weak_until(&b, &and(&a, &b))
            }
        }
    }

    /// No fair path violates it.
    fn all(&self, path: &Path) -> Set {
        let everywhere = not(&self.none());
        let violated = match path {
            Path::Next(a) => self.next(&not(&self.set(a))),
            Path::Eventually(a) => self.always(&not(&self.set(a))),
            Path::Always(a) => self.until(&everywhere, &not(&self.set(a))),
            Path::Until(a, b) => {
                let (a, b) = (not(&self.set(a)), not(&self.set(b)));
                self.weak_until(&b, &and(&a, &b))
            }
            Path::WeakUntil(a, b) => {
                let (a, b) = (not(&self.set(a)), not(&self.set(b)));
                self.until(&b, &and(&a, &b))
            }
            Path::Release(a, b) => self.until(&not(&self.set(a)), &not(&self.set(b))),
        };
        not(&violated)
    }

    fn none(&self) -> Set {
        vec![false; self.graph.nodes.len()]
    }

    /// A state in which nothing can move has no next one.
    fn next(&self, a: &[bool]) -> Set {
        let good = and(a, &self.fair);
        self.graph.nodes.iter().map(|n| n.arcs.iter().any(|arc| good[arc.to])).collect()
    }

    fn until(&self, a: &[bool], b: &[bool]) -> Set {
        self.arena.reaching(&and(b, &self.fair), a)
    }

    /// On some fair path for ever.
    fn always(&self, a: &[bool]) -> Set {
        let cycles = self.arena.fair(a, &[], self.fairness);
        self.arena.reaching(&cycles, a)
    }

    fn weak_until(&self, a: &[bool], b: &[bool]) -> Set {
        or(&self.until(a, b), &self.always(a))
    }
}
