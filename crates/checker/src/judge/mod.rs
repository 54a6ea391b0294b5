//! The judge: evidence is judged again before it is shown, by the definition of the property.
//!
//! A judge shares no code with what it judges. The judge of formulas evaluates them on the replayed run without an automaton
//! (`meaning.rs`); the judge of fairness puts the enabled steps together from single moves of the interpreter
//! ([`fairness`]). A search that reports evidence which the judge does not confirm has a bug, and the check says so.

pub mod fairness;
mod meaning;

use kripke_model::Interpreter;
use kripke_model::ir::Expr;
use kripke_model::trail::Replayed;
use kripke_report::evidence::Tree;
use kripke_report::verdict::{Unconfirmed, Verdict};
use kripke_search::{ErrorKind, Fairness};

use crate::question::Logic;
use crate::task::{Kind, Task};
use fairness::{is_accepting, is_fair, is_without_progress};

/// A run that is said to violate a property must do so by the definition of the property.
pub fn confirm(
    task: &Task,
    verdict: &Verdict,
    fairness: Fairness,
    interpreter: &mut Interpreter,
) -> Result<(), Unconfirmed> {
    let Verdict::Violated(violated) = verdict else { return Ok(()) };
    for found in std::iter::once(&violated.first).chain(&violated.others) {
        let broken = match (&task.question, found.error()) {
            (Some(question), ErrorKind::Goal | ErrorKind::BadPrefix | ErrorKind::Cycle) => {
                question.is_broken_by(found, fairness, interpreter)
            }
            (None, ErrorKind::Cycle) => is_violating_cycle(task, found.replayed(), fairness, interpreter),
            _ => true,
        };
        if !broken {
            return Err(Unconfirmed(format!("`{}` holds on it", task.name)));
        }
    }
    Ok(())
}

/// Whether a cycle violates a property that is no formula, by the labels of its states.
fn is_violating_cycle(task: &Task, cycle: &Replayed, fairness: Fairness, interpreter: &mut Interpreter) -> bool {
    is_fair(cycle, fairness, interpreter)
        && match task.kind {
            Kind::Acceptance => is_accepting(cycle, interpreter),
            Kind::Progress => is_without_progress(cycle, interpreter),
            _ => true,
        }
}

/// Runs that are said to show why a CTL formula is true or false must do so by its definition.
pub fn confirm_tree(
    task: &Task,
    verdict: &Verdict,
    tree: Option<&Tree>,
    fairness: Fairness,
    [interpreter, searched]: [&mut Interpreter; 2],
) -> Result<(), Unconfirmed> {
    let (Some(tree), Some(question), Some(translated)) = (tree, &task.question, &task.ctl) else {
        return Ok(());
    };
    let Logic::Branching(ctl) = &question.logic else { return Ok(()) };
    // Several states of the original are one state of the searched model: only there a few runs show all successors.
    let asked = question.about(&task.conditions);
    let settled = asked.settled_by(tree.in_searched(), (ctl, translated), fairness, searched);
    let same = have_same_labels(tree, [&question.conditions, &task.conditions], [interpreter, searched]);
    if !same || settled != Some(matches!(verdict, Verdict::Holds(_))) {
        return Err(Unconfirmed(format!("the runs do not show what they should of `{}`", question.name)));
    }
    Ok(())
}

/// Whether the propositions have the same values on the runs in the original and in the searched model.
fn have_same_labels(tree: &Tree, conditions: [&[Expr]; 2], models: [&mut Interpreter; 2]) -> bool {
    let [original, searched] = models;
    tree.runs().iter().zip(tree.in_searched().runs()).all(|(whole, reduced)| {
        whole.states().zip(reduced.states()).all(|(whole, reduced)| {
            let mut pairs = conditions[0].iter().zip(conditions[1]);
            pairs.all(|(c, d)| original.holds(c, &whole) == searched.holds(d, &reduced))
        })
    })
}
