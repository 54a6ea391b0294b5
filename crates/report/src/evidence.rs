//! Evidence for or against a CTL formula: several runs, shown one after the other.

use kripke_model::interpret::Interpreter;
use kripke_model::trail::{ReplayError, Replayed};
use kripke_search::{Claim, Evidence, Place};

use crate::run::Run;
use crate::screen::trace;
use crate::style::{FAINT, paint};
use crate::table::Look;
use crate::verdict::Unconfirmed;

/// Replayed runs that show why a formula is true or false, and the claims that no run shows.
#[derive(Clone, Debug)]
pub struct Tree {
    evidence: Evidence,
    runs: Vec<Replayed>,
    /// The runs in the model that was searched.
    searched: Option<Box<Tree>>,
}

/// The texts of claims.
pub trait Words {
    /// The text of a claim: `EF p is true`.
    fn claim(&self, claim: Claim) -> String;

    /// The reason why no run shows a claim.
    fn why_open(&self, claim: Claim) -> &'static str;
}

impl Tree {
    /// Replays the runs in the searched model and in the original model.
    pub fn confirm(
        evidence: &Evidence,
        interpreter: &mut Interpreter,
        searched: &mut Interpreter,
    ) -> Result<Tree, Unconfirmed> {
        let unconfirmed = |e: ReplayError| Unconfirmed(e.to_string());
        let original = evidence.clone();
        let (mut evidence, mut runs, mut in_searched) = (original.clone(), Vec::new(), Vec::new());
        for run in &mut evidence.runs {
            in_searched.push(run.trail.replay(searched).map_err(unconfirmed)?);
            let replayed = run.trail.replay_whole(interpreter, searched).map_err(unconfirmed)?;
            run.trail = replayed.0;
            runs.push(replayed.1);
        }
        let searched = Tree { evidence: original, runs: in_searched, searched: None };
        Ok(Tree { evidence, runs, searched: Some(Box::new(searched)) })
    }

    /// The runs in the model that was searched. Reductions merge steps, so cycles close earlier there, and fewer runs
    /// are needed to show a claim.
    pub fn in_searched(&self) -> &Tree {
        self.searched.as_deref().unwrap_or(self)
    }

    /// The evidence, with the trails of the original model.
    pub fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// The replayed runs.
    pub fn runs(&self) -> &[Replayed] {
        &self.runs
    }

    /// The number of visible steps before a place.
    pub fn steps(&self, place: Place) -> usize {
        self.runs[place.run].moves_before(place.steps as usize)
    }

    /// Text of all runs but the first, each from its branching point, and of the claims that no run shows.
    pub fn others(&self, interpreter: &Interpreter, look: Look, words: &dyn Words) -> String {
        let mut out = String::new();
        for (i, (run, replayed)) in self.evidence.runs.iter().zip(&self.runs).enumerate().skip(1) {
            let Some(place) = run.leaves else { continue };
            let before = self.steps(place);
            let rest = Run::replayed(interpreter, replayed).after(before);
            let claim = words.claim(run.shows);
            out.push_str(&format!("\n  run {}, from {}: {claim}\n\n", i + 1, self.place(place)));
            out.push_str(&trace(&rest, &rest.names(), look));
        }
        out.push_str(&self.left_open(words));
        out
    }

    fn left_open(&self, words: &dyn Words) -> String {
        let mut out = String::new();
        let mut claims: Vec<Claim> = Vec::new();
        for (_, claim) in &self.evidence.open {
            if !claims.contains(claim) {
                claims.push(*claim);
            }
        }
        for claim in claims {
            let mut places = self.evidence.open.iter().filter(|(_, open)| *open == claim).map(|(place, _)| *place);
            let Some(first) = places.next() else { continue };
            let others = match places.count() {
                0 => String::new(),
                n => paint(FAINT, &format!(" (and at {n} more)")),
            };
            let (place, what, why) = (self.at(first), words.claim(claim), words.why_open(claim));
            out.push_str(&format!("\n  {place}, {what}{others}: {why}\n"));
        }
        out
    }

    fn at(&self, place: Place) -> String {
        let alone = self.runs.len() == 1;
        match self.steps(place) {
            0 => "at the start".to_string(),
            steps if alone && steps == self.runs[0].moves().len() => "at its end".to_string(),
            steps if alone => format!("after step {steps}"),
            steps => format!("in run {} after step {steps}", place.run + 1),
        }
    }

    fn place(&self, place: Place) -> String {
        match (self.steps(place), place.run) {
            (0, _) => "the start".to_string(),
            (steps, 0) => format!("step {steps}"),
            (steps, run) => format!("step {steps} of run {}", run + 1),
        }
    }
}
