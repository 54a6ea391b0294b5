//! Linear temporal logic: a run violates a formula if it can be labelled with what is true when, and the formula is not
//! true at its start.
//!
//! Each node of the product is a state and a truth value for every `X` and every `U` of the formula. Neighbours have to
//! agree: `X p` is true here iff `p` is at the next one, and `p U q` iff `q` is true here, or `p` is and `p U q` is at
//! the next one. A cycle on which some `p U q` stays true without `q` does not count. Every run has exactly one labelling.

use super::fairness::{Arena, Fairness, Link};
use super::graph::Graph;
use super::labels::Labels;
use super::system::{Expr, Op};

#[derive(Clone, PartialEq, Debug)]
pub enum Ltl {
    Prop(Expr),
    Not(Box<Ltl>),
    And(Box<Ltl>, Box<Ltl>),
    Or(Box<Ltl>, Box<Ltl>),
    Implies(Box<Ltl>, Box<Ltl>),
    Next(Box<Ltl>),
    Eventually(Box<Ltl>),
    Always(Box<Ltl>),
    Until(Box<Ltl>, Box<Ltl>),
    WeakUntil(Box<Ltl>, Box<Ltl>),
    Release(Box<Ltl>, Box<Ltl>),
}

impl Ltl {
    /// The formula as an expression, if it has no temporal operator.
    pub fn expression(&self) -> Option<Expr> {
        Some(match self {
            Ltl::Prop(e) => e.clone(),
            Ltl::Not(a) => a.expression()?.negated(),
            Ltl::And(a, b) => Expr::bin(Op::And, a.expression()?, b.expression()?),
            Ltl::Or(a, b) => Expr::bin(Op::Or, a.expression()?, b.expression()?),
            Ltl::Implies(a, b) => Expr::bin(Op::Or, a.expression()?.negated(), b.expression()?),
            _ => return None,
        })
    }

    pub fn parts(&self) -> Vec<&Ltl> {
        match self {
            Ltl::Prop(_) => Vec::new(),
            Ltl::Not(a) | Ltl::Next(a) | Ltl::Eventually(a) | Ltl::Always(a) => vec![a],
            Ltl::And(a, b)
            | Ltl::Or(a, b)
            | Ltl::Implies(a, b)
            | Ltl::Until(a, b)
            | Ltl::WeakUntil(a, b)
            | Ltl::Release(a, b) => vec![a, b],
        }
    }

    /// The largest parts without temporal operators.
    pub fn propositions(&self) -> Vec<Expr> {
        match self.expression() {
            Some(e) => vec![e],
            None => self.parts().into_iter().flat_map(Ltl::propositions).collect(),
        }
    }
}

/// A formula with `X` and `U` only.
#[derive(Clone, PartialEq, Debug)]
enum Core {
    True,
    /// A number of a proposition.
    Prop(usize),
    Not(Box<Core>),
    Or(Box<Core>, Box<Core>),
    /// Numbers of temporal operators.
    Next(usize),
    Until(usize),
}

/// A temporal operator and what it is about.
#[derive(Clone, PartialEq, Debug)]
enum Temporal {
    Next(Core),
    Until(Core, Core),
}

#[derive(Default, Debug)]
struct Rewriting {
    props: Vec<Expr>,
    temporals: Vec<Temporal>,
}

fn not(a: Core) -> Core {
    Core::Not(Box::new(a))
}

fn or(a: Core, b: Core) -> Core {
    Core::Or(Box::new(a), Box::new(b))
}

impl Rewriting {
    fn core(&mut self, f: &Ltl) -> Core {
        if let Some(e) = f.expression() {
            self.props.push(e);
            return Core::Prop(self.props.len() - 1);
        }
        match f {
            Ltl::Prop(_) => unreachable!("a proposition is an expression"),
            Ltl::Not(a) => not(self.core(a)),
            Ltl::And(a, b) => not(or(not(self.core(a)), not(self.core(b)))),
            Ltl::Or(a, b) => or(self.core(a), self.core(b)),
            Ltl::Implies(a, b) => or(not(self.core(a)), self.core(b)),
            Ltl::Next(a) => {
                let a = self.core(a);
                self.temporals.push(Temporal::Next(a));
                Core::Next(self.temporals.len() - 1)
            }
            Ltl::Eventually(a) => {
                let a = self.core(a);
                self.until(Core::True, a)
            }
            Ltl::Always(a) => {
                let a = not(self.core(a));
                not(self.until(Core::True, a))
            }
            Ltl::Until(a, b) => {
                let (a, b) = (self.core(a), self.core(b));
                self.until(a, b)
            }
            Ltl::Release(a, b) => {
                let (a, b) = (not(self.core(a)), not(self.core(b)));
                not(self.until(a, b))
            }
            // `a W b` fails iff at some time `a` is over and `b` has not come: `!(!b U (!a && !b))`.
            Ltl::WeakUntil(a, b) => {
                let (a, b) = (self.core(a), self.core(b));
                let neither = not(or(a, b.clone()));
                not(self.until(not(b), neither))
            }
        }
    }

    fn until(&mut self, a: Core, b: Core) -> Core {
        self.temporals.push(Temporal::Until(a, b));
        Core::Until(self.temporals.len() - 1)
    }
}

/// What is true at a node of the product: propositions of the state, temporal operators as chosen.
#[derive(Clone, Copy, Debug)]
struct Truth<'t> {
    props: &'t [bool],
    chosen: usize,
}

impl Truth<'_> {
    fn of(self, f: &Core) -> bool {
        match f {
            Core::True => true,
            Core::Prop(n) => self.props[*n],
            Core::Not(a) => !self.of(a),
            Core::Or(a, b) => self.of(a) || self.of(b),
            Core::Next(n) | Core::Until(n) => self.chosen >> n & 1 == 1,
        }
    }
}

/// Whether every fair run satisfies the formula.
pub fn holds(labels: &Labels, formula: &Ltl, fairness: Fairness) -> bool {
    let graph = labels.graph;
    let mut rewriting = Rewriting::default();
    let core = rewriting.core(formula);
    let Rewriting { props, temporals } = rewriting;
    let truths: Vec<Vec<bool>> =
        graph.states.iter().map(|s| props.iter().map(|e| labels.holds(s, e)).collect()).collect();
    let width = 1 << temporals.len();
    let truth = |node: usize| Truth { props: &truths[node / width], chosen: node % width };
    let product = product(graph, &temporals, width, &truth);
    let accept: Vec<Vec<bool>> = temporals
        .iter()
        .enumerate()
        .filter_map(|(n, t)| match t {
            Temporal::Next(_) => None,
            Temporal::Until(_, b) => {
                Some((0..product.links.len()).map(|i| truth(i).of(b) || !truth(i).of(&Core::Until(n))).collect())
            }
        })
        .collect();
    let starts = (0..width).filter(|node| !truth(*node).of(&core));
    let inside = product.reachable(starts);
    !product.fair(&inside, &accept, fairness).contains(&true)
}

fn product<'t>(graph: &Graph, temporals: &[Temporal], width: usize, truth: &dyn Fn(usize) -> Truth<'t>) -> Arena {
    let plain = arena(graph, true);
    let agree = |from: usize, to: usize| {
        let (here, next) = (truth(from), truth(to));
        temporals.iter().enumerate().all(|(n, t)| match t {
            Temporal::Next(a) => here.of(&Core::Next(n)) == next.of(a),
            Temporal::Until(a, b) => here.of(&Core::Until(n)) == (here.of(b) || here.of(a) && next.of(&Core::Until(n))),
        })
    };
    let links = |node: usize| -> Vec<Link> {
        let all = plain.links[node / width].iter();
        let all = all.flat_map(|l| (0..width).map(move |chosen| Link { to: l.to * width + chosen, ..*l }));
        all.filter(|l| agree(node, l.to)).collect()
    };
    let nodes = 0..graph.nodes.len() * width;
    Arena {
        links: nodes.clone().map(links).collect(),
        enabled: nodes.clone().map(|n| plain.enabled[n / width].clone()).collect(),
        possible: nodes.map(|n| plain.possible[n / width].clone()).collect(),
        processes: graph.processes,
    }
}

/// The graph itself. `stays`: a run that ends stays in its last state for ever.
pub fn arena(graph: &Graph, stays: bool) -> Arena {
    let links = |(n, node): (usize, &super::graph::Node)| -> Vec<Link> {
        if node.arcs.is_empty() && stays {
            return vec![Link { to: n, mover: None, transition: None }];
        }
        node.arcs.iter().map(|a| Link { to: a.to, mover: Some(a.mover), transition: Some(a.transition) }).collect()
    };
    Arena {
        links: graph.nodes.iter().enumerate().map(links).collect(),
        enabled: (0..graph.nodes.len()).map(|n| graph.enabled(n)).collect(),
        possible: graph.nodes.iter().map(|n| n.arcs.iter().map(|a| a.transition).collect()).collect(),
        processes: graph.processes,
    }
}
