//! Questions about a system, random ones too, and what the definitions answer.

use super::ctl::{self, Ctl, Path, Quantifier};
use super::cycles;
use super::fairness::Fairness;
use super::graph::Graph;
use super::labels::{self, Labels};
use super::ltl::{self, Ltl};
use super::random::Generator;
use super::system::{Expr, System};

#[derive(Clone, PartialEq, Debug)]
pub enum Question {
    Safety,
    Reach(Expr),
    Ltl(Ltl),
    Ctl(Ctl),
    Acceptance,
    NonProgress,
}

/// What the definitions say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Opinion {
    /// The property itself: it holds; the goal is not reached; there is no such cycle. Nothing, if that depends on what a
    /// proposition is taken for where it has no value.
    pub holds: Option<bool>,
    /// Some state that can be reached gives a proposition of the question no value.
    pub proposition_faults: bool,
    /// Some step that can be reached ends in a fault, or fails an assertion.
    pub step_errors: bool,
    /// Some state that can be reached is an invalid end.
    pub invalid_end: bool,
}

impl Question {
    pub fn answer(&self, system: &System, graph: &Graph, fairness: Fairness) -> Opinion {
        let faulty = labels::faulty(system, graph, &self.propositions());
        let verdicts: Vec<bool> =
            subsets(&faulty).iter().map(|assumed| self.holds(&Labels { system, graph, assumed }, fairness)).collect();
        Opinion {
            holds: verdicts.iter().all(|v| *v == verdicts[0]).then_some(verdicts[0]),
            proposition_faults: !faulty.is_empty(),
            step_errors: graph.some(|n| n.fault || n.assertion),
            invalid_end: graph.some(|n| n.invalid_end),
        }
    }

    fn holds(&self, labels: &Labels, fairness: Fairness) -> bool {
        let graph = labels.graph;
        match self {
            Question::Safety => !graph.some(|n| n.fault || n.assertion || n.invalid_end),
            Question::Reach(e) => !graph.states.iter().any(|s| labels.holds(s, e)),
            Question::Ltl(f) => ltl::holds(labels, f, fairness),
            Question::Ctl(f) => ctl::holds(labels, f, fairness),
            Question::Acceptance => cycles::no_acceptance(graph, fairness),
            Question::NonProgress => cycles::progress(graph, fairness),
        }
    }

    pub fn propositions(&self) -> Vec<Expr> {
        match self {
            Question::Reach(e) => vec![e.clone()],
            Question::Ltl(f) => f.propositions(),
            Question::Ctl(f) => f.propositions(),
            Question::Safety | Question::Acceptance | Question::NonProgress => Vec::new(),
        }
    }

    /// Who moves, or which transitions are taken, makes a difference to the answer.
    pub fn depends_on_fairness(&self) -> bool {
        !matches!(self, Question::Safety | Question::Reach(_))
    }
}

/// All ways to take some of a few.
fn subsets(items: &[Expr]) -> Vec<Vec<Expr>> {
    let mut out = vec![Vec::new()];
    for item in items {
        let with = out.iter().map(|taken: &Vec<Expr>| taken.iter().chain([item]).cloned().collect());
        out.extend(with.collect::<Vec<_>>());
    }
    out
}

pub fn ltl(g: &mut Generator) -> Ltl {
    let (p, q) = (Ltl::Prop(g.proposition()), Ltl::Prop(g.proposition()));
    let always = |a: Ltl| Ltl::Always(Box::new(a));
    let eventually = |a: Ltl| Ltl::Eventually(Box::new(a));
    match g.random.below(12) {
        0 => always(p),
        1 => eventually(p),
        2 => always(eventually(p)),
        3 => eventually(always(p)),
        4 => always(Ltl::Implies(Box::new(p), Box::new(eventually(q)))),
        5 => Ltl::Implies(Box::new(always(eventually(p))), Box::new(always(eventually(q)))),
        6 => Ltl::Until(Box::new(p), Box::new(q)),
        _ => any_ltl(g, 3),
    }
}

/// With at most three temporal operators on top of each other, and four in all.
fn any_ltl(g: &mut Generator, depth: usize) -> Ltl {
    if depth == 0 {
        return Ltl::Prop(g.proposition());
    }
    let mut part = |depth| Box::new(any_ltl(g, depth));
    let (a, b) = (part(depth - 1), part(if depth == 3 { 1 } else { 0 }));
    match g.random.below(14) {
        0 => Ltl::Not(a),
        1 => Ltl::And(a, b),
        2 => Ltl::Or(a, b),
        3 => Ltl::Implies(a, b),
        4 => Ltl::Next(a),
        5 | 6 => Ltl::Eventually(a),
        7 | 8 => Ltl::Always(a),
        9 => Ltl::Until(a, b),
        10 => Ltl::Until(b, a),
        11 => Ltl::WeakUntil(a, b),
        12 => Ltl::Release(b, a),
        _ => Ltl::Prop(g.proposition()),
    }
}

pub fn ctl(g: &mut Generator, depth: usize) -> Ctl {
    if depth == 0 {
        return Ctl::Prop(g.proposition());
    }
    let (a, b) = (ctl(g, depth - 1), ctl(g, depth.saturating_sub(2)));
    let path = match g.random.below(14) {
        0 => return Ctl::Not(Box::new(a)),
        1 => return Ctl::And(Box::new(a), Box::new(b)),
        2 => return Ctl::Or(Box::new(a), Box::new(b)),
        3 => return Ctl::Implies(Box::new(a), Box::new(b)),
        4 | 5 => Path::Next(a),
        6 | 7 => Path::Eventually(a),
        8 | 9 => Path::Always(a),
        10 => Path::Until(a, b),
        11 => Path::Until(b, a),
        12 => Path::WeakUntil(a, b),
        _ => Path::Release(b, a),
    };
    Ctl::Path(g.random.pick(&[Quantifier::All, Quantifier::Some]), Box::new(path))
}
