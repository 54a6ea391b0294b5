//! Formulas of computation tree logic, for the search and back.

use kripke_logic::Ctl;
use kripke_logic::ctl::{CtlId, CtlNode, Path};
use kripke_search::{Branching, Fairness, PartId};

/// Formulas are evaluated part within part.
pub const MAX_HEIGHT: u32 = 1_000;

/// A formula for the search, and which part of it each part of the original is.
#[derive(Clone, Debug)]
pub struct Translated {
    pub branching: Branching,
    parts: Vec<PartId>,
}

pub fn translate(ctl: &Ctl, fairness: Fairness) -> Translated {
    let mut branching = Branching::new(fairness);
    let mut parts: Vec<PartId> = Vec::new();
    for node in ctl.nodes() {
        let part = |id: CtlId| parts[id.index()];
        let made = match *node {
            CtlNode::Constant(value) => branching.constant(value),
            CtlNode::Atom(atom) => branching.atom(atom.0),
            CtlNode::Not(x) => branching.not(part(x)),
            CtlNode::And(x, y) => branching.and(part(x), part(y)),
            CtlNode::Or(x, y) => branching.or(part(x), part(y)),
            CtlNode::Implies(x, y) => {
                let not = branching.not(part(x));
                branching.or(not, part(y))
            }
            CtlNode::Equivalent(x, y) => {
                let (x, y) = (part(x), part(y));
                let both = branching.and(x, y);
                let (x, y) = (branching.not(x), branching.not(y));
                let neither = branching.and(x, y);
                branching.or(both, neither)
            }
            CtlNode::Next(Path::All, x) => branching.every_next(part(x)),
            CtlNode::Next(Path::Exists, x) => branching.some_next(part(x)),
            CtlNode::Globally(Path::All, x) => branching.always(part(x)),
            CtlNode::Globally(Path::Exists, x) => branching.some_always(part(x)),
            CtlNode::Finally(Path::All, x) => branching.every_finally(part(x)),
            CtlNode::Finally(Path::Exists, x) => branching.some_finally(part(x)),
            CtlNode::Until(Path::All, x, y) => branching.every_until(part(x), part(y)),
            CtlNode::Until(Path::Exists, x, y) => branching.some_until(part(x), part(y)),
        };
        parts.push(made);
    }
    let whole = parts[ctl.root().index()];
    Translated { branching: branching.of(whole), parts }
}

impl Translated {
    /// What a run leaves open, in words.
    pub fn remark(&self, ctl: &Ctl, (part, value): (PartId, bool)) -> String {
        let at = self.parts.iter().position(|p| *p == part);
        let text = at.map(|at| ctl.part(CtlId(at as u32)).to_string());
        let text = text.as_deref().unwrap_or("the rest of the formula");
        format!("at its end, {text} is {value}: no single run shows that")
    }
}
