//! CTL formulas: translated for the search, and back for messages.

use kripke_logic::Ctl;
use kripke_logic::ctl::{CtlId, CtlNode, Path};
use kripke_report::evidence::Words;
use kripke_search::{Branching, Claim, Fairness, PartId};

/// The evaluation of a formula recurses on its subformulas: nesting is bounded.
pub const MAX_HEIGHT: u32 = 1_000;

/// A formula as the search evaluates it, and the part of it that each subformula of the original became.
#[derive(Clone, Debug)]
pub struct Translated {
    /// The formula for the search.
    pub branching: Branching,
    parts: Vec<PartId>,
}

/// Translates a formula under a fairness assumption.
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
            CtlNode::Implies(x, y) => branching.implies(part(x), part(y)),
            CtlNode::Equivalent(x, y) => branching.equivalent(part(x), part(y)),
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
    /// The subformula of the original that a part was made for.
    pub fn original(&self, part: PartId) -> Option<CtlId> {
        self.parts.iter().position(|p| *p == part).map(|at| CtlId(at as u32))
    }
}

/// A formula with its translation, for messages about its parts.
#[derive(Debug)]
pub struct Wording<'a> {
    /// The formula.
    pub ctl: &'a Ctl,
    /// Its translation.
    pub translated: &'a Translated,
}

impl Words for Wording<'_> {
    fn claim(&self, claim: Claim) -> String {
        let part = self.translated.original(claim.part);
        let text = part.map_or("the rest of the formula".to_string(), |part| self.ctl.part(part).to_string());
        format!("{text} is {}", claim.value)
    }

    fn why_open(&self, claim: Claim) -> &'static str {
        let node = self.translated.original(claim.part).map(|part| self.ctl.nodes()[part.index()]);
        let path = match node {
            Some(
                CtlNode::Next(path, _)
                | CtlNode::Globally(path, _)
                | CtlNode::Finally(path, _)
                | CtlNode::Until(path, ..),
            ) => Some(path),
            _ => None,
        };
        match (path, claim.value) {
            (Some(Path::Exists), false) => "there is no such run from there",
            (Some(Path::All), true) => "it is so on all runs from there",
            _ => "there are too many runs to show that",
        }
    }
}
