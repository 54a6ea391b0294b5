//! CTL formulas: translated for the search, and back for messages.

use kripke_logic::Ctl;
use kripke_logic::ctl::{CtlId, CtlNode, Path};
use kripke_report::evidence::Words;
use kripke_search::{Claim, CtlFormula, Fairness, SubformulaId};

/// The evaluation of a formula recurses on its subformulas: nesting is bounded.
pub const MAX_HEIGHT: u32 = 1_000;

/// A formula as the search evaluates it, and the part of it that each subformula of the original became.
#[derive(Clone, Debug)]
pub struct Translated {
    /// The formula for the search.
    pub formula: CtlFormula,
    parts: Vec<SubformulaId>,
}

/// Translates a formula under a fairness assumption.
pub fn translate(ctl: &Ctl, fairness: Fairness) -> Translated {
    let mut formula = CtlFormula::new(fairness);
    let mut parts: Vec<SubformulaId> = Vec::new();
    for node in ctl.nodes() {
        let part = |id: CtlId| parts[id.index()];
        let made = match *node {
            CtlNode::Constant(value) => formula.constant(value),
            CtlNode::Atom(atom) => formula.atom(atom.0),
            CtlNode::Not(x) => formula.not(part(x)),
            CtlNode::And(x, y) => formula.and(part(x), part(y)),
            CtlNode::Or(x, y) => formula.or(part(x), part(y)),
            CtlNode::Implies(x, y) => formula.implies(part(x), part(y)),
            CtlNode::Equivalent(x, y) => formula.equivalent(part(x), part(y)),
            CtlNode::Next(Path::All, x) => formula.ax(part(x)),
            CtlNode::Next(Path::Exists, x) => formula.ex(part(x)),
            CtlNode::Globally(Path::All, x) => formula.ag(part(x)),
            CtlNode::Globally(Path::Exists, x) => formula.eg(part(x)),
            CtlNode::Finally(Path::All, x) => formula.af(part(x)),
            CtlNode::Finally(Path::Exists, x) => formula.ef(part(x)),
            CtlNode::Until(Path::All, x, y) => formula.au(part(x), part(y)),
            CtlNode::Until(Path::Exists, x, y) => formula.eu(part(x), part(y)),
        };
        parts.push(made);
    }
    let whole = parts[ctl.root().index()];
    Translated { formula: formula.with_root(whole), parts }
}

impl Translated {
    /// The subformula of the original that a part was made for.
    pub fn original(&self, part: SubformulaId) -> Option<CtlId> {
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
