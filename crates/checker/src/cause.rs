//! The steps that matter: an error is replayed without other steps, one after the other, as long as it still occurs.
//!
//! The last steps are left out first, so that processes which have nothing to do with the error lose their steps from the end, where
//! no later step depends on them. Then the rounds of loops are left out: the steps of a process between two visits of one
//! location. What remains is a run of the model with the same error, though not always the smallest one.

use std::collections::BTreeSet;

use kripke_model::interpret::{Move, Point};
use kripke_model::path::Moves;
use kripke_model::trail::{Ending, Replayed};
use kripke_model::{Finding, Interpreter};

/// Runs with more steps than this are not examined.
const LONG: usize = 200;
/// The most steps that are executed.
const WORK: usize = 20_000;

/// The numbers of the steps without which the error occurs, too. Empty if the run does not end with a finding.
pub fn minor(replayed: &Replayed, interpreter: &mut Interpreter) -> BTreeSet<usize> {
    let moves = replayed.moves();
    let (Ending::Finding(_), Some(finding)) = (replayed.ending(), replayed.finding()) else { return BTreeSet::new() };
    if moves.len() > LONG || interpreter.model().observer.is_some() {
        return BTreeSet::new();
    }
    let mut search = Search { moves, finding, interpreter, left: WORK };
    let mut kept: Vec<bool> = vec![true; moves.len()];
    for at in (0..moves.len().saturating_sub(1)).rev() {
        search.try_without(&mut kept, &[at]);
    }
    for steps in rounds(replayed, search.interpreter) {
        search.try_without(&mut kept, &steps);
    }
    let left_out = kept.iter().enumerate().filter(|(_, kept)| !**kept);
    left_out.map(|(at, _)| at + 1).collect()
}

struct Search<'a> {
    moves: &'a Moves,
    finding: &'a Finding,
    interpreter: &'a mut Interpreter,
    left: usize,
}

impl Search<'_> {
    /// Leaves out steps if the error occurs without them.
    fn try_without(&mut self, kept: &mut Vec<bool>, steps: &[usize]) {
        if !steps.iter().any(|at| kept[*at]) {
            return;
        }
        let mut fewer = kept.clone();
        steps.iter().for_each(|at| fewer[*at] = false);
        if self.occurs(&fewer) {
            *kept = fewer;
        }
    }

    /// Whether the kept steps, one after the other, are a run that ends with the error.
    fn occurs(&mut self, kept: &[bool]) -> bool {
        let mut point = self.interpreter.initial_point();
        let steps: Vec<&Move> = self.moves.iter().zip(kept).filter(|(_, kept)| **kept).map(|(step, _)| step).collect();
        for (n, step) in steps.iter().enumerate() {
            self.left = self.left.saturating_sub(1);
            let Some(taken) = self.take(&point, step).filter(|_| self.left > 0) else { return false };
            if n + 1 == steps.len() {
                return taken.findings.iter().any(|found| is_same(found, self.finding));
            }
            match taken.to {
                Some(to) if taken.findings.is_empty() => point = to,
                _ => return false,
            }
        }
        false
    }

    /// The same step at another point.
    fn take(&mut self, point: &Point, step: &Move) -> Option<Move> {
        let same = |other: &Move| {
            (other.pid, other.process, other.edge, other.partner) == (step.pid, step.process, step.edge, step.partner)
                && other.chain == step.chain
        };
        self.interpreter.moves(point).into_iter().find(same)
    }
}

fn is_same(found: &Finding, wanted: &Finding) -> bool {
    found.kind == wanted.kind && found.pid == wanted.pid && found.edge == wanted.edge && found.process == wanted.process
}

/// The steps of each process between two visits of one location, longest first.
fn rounds(replayed: &Replayed, interpreter: &Interpreter) -> Vec<Vec<usize>> {
    let path = replayed.path();
    let moves = replayed.moves();
    let view = |steps: usize| interpreter.layout().view(&path.state(steps));
    let views: Vec<_> = (0..=moves.len()).map(view).collect();
    let location = |steps: usize, pid: u8| views[steps].processes.iter().find(|p| p.pid == pid).map(|p| p.location);
    let mut out = Vec::new();
    for (first, step) in moves.iter().enumerate() {
        let Some(start) = location(first, step.pid) else { continue };
        let mut round = Vec::new();
        for (at, other) in moves.iter().enumerate().skip(first).filter(|(_, other)| other.pid == step.pid) {
            round.push(at);
            if location(at + 1, other.pid) == Some(start) {
                out.push(round.clone());
            }
        }
    }
    out.sort_by_key(|round| std::cmp::Reverse(round.len()));
    out
}
