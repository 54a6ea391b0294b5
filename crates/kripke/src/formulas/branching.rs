//! Formulas of computation tree logic, for the search and back.

use kripke_logic::Ctl;
use kripke_logic::ctl::{CtlId, CtlNode, Path};
use kripke_report::evidence::Words;
use kripke_search::{Claim, CtlFormula, Fairness, SubformulaId};

/// Formulas are evaluated part within part.
pub const MAX_HEIGHT: u32 = 1_000;

/// A formula for the search, and which part of it each part of the original is.
#[derive(Clone, Debug)]
pub struct Translated {
    pub branching: CtlFormula,
    parts: Vec<SubformulaId>,
}

pub fn translate(ctl: &Ctl, fairness: Fairness) -> Translated {
    let mut branching = CtlFormula::new(fairness);
    let mut parts: Vec<SubformulaId> = Vec::new();
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
            CtlNode::Next(Path::All, x) => branching.ax(part(x)),
            CtlNode::Next(Path::Exists, x) => branching.ex(part(x)),
            CtlNode::Globally(Path::All, x) => branching.ag(part(x)),
            CtlNode::Globally(Path::Exists, x) => branching.eg(part(x)),
            CtlNode::Finally(Path::All, x) => branching.af(part(x)),
            CtlNode::Finally(Path::Exists, x) => branching.ef(part(x)),
            CtlNode::Until(Path::All, x, y) => branching.au(part(x), part(y)),
            CtlNode::Until(Path::Exists, x, y) => branching.eu(part(x), part(y)),
        };
        parts.push(made);
    }
    let whole = parts[ctl.root().index()];
    Translated { branching: branching.with_root(whole), parts }
}

impl Translated {
    /// The part of the original that a part was made for.
    pub fn original(&self, part: SubformulaId) -> Option<CtlId> {
        self.parts.iter().position(|p| *p == part).map(|at| CtlId(at as u32))
    }
}

/// A formula with its translation, to put claims about parts into words.
pub struct Wording<'a> {
    pub ctl: &'a Ctl,
    pub translated: &'a Translated,
}

impl Words for Wording<'_> {
    fn claim(&self, claim: Claim) -> String {
        let part = self.translated.original(claim.subformula);
        let text = part.map_or("the rest of the formula".to_string(), |part| self.ctl.part(part).to_string());
        format!("{text} is {}", claim.value)
    }

    fn why_open(&self, claim: Claim) -> &'static str {
        let node = self.translated.original(claim.subformula).map(|part| self.ctl.nodes()[part.index()]);
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
