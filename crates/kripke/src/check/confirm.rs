//! Judging evidence again before it is shown, by what the property means and without the search that found it.

use kripke_model::Interpreter;
use kripke_model::ir::Expr;
use kripke_report::evidence::Tree;
use kripke_report::verdict::{Unconfirmed, Verdict};
use kripke_search::Wrong;

use super::done::{Session, Stopped};
use crate::exit::Failure;
use crate::formulas::Logic;
use crate::tasks::Task;

impl Session<'_> {
    /// A run that is said to break a property must do so by what the property means.
    pub(super) fn confirm(&self, task: &Task, verdict: &Verdict, interpreter: &mut Interpreter) -> Result<(), Stopped> {
        let Verdict::Violated(violated) = verdict else { return Ok(()) };
        let fairness = self.args.asking.fairness();
        for found in std::iter::once(&violated.first).chain(&violated.others) {
            let broken = match (&task.question, found.wrong()) {
                (Some(question), Wrong::Goal | Wrong::Caught | Wrong::Cycle) => {
                    question.is_broken_by(found, fairness, interpreter)
                }
                (None, Wrong::Cycle) => task.is_broken_by_cycle(found.replayed(), fairness, interpreter),
                _ => true,
            };
            if !broken {
                let what = format!("{}: `{}` holds on the counterexample", self.file.display(), task.name);
                return Err(Stopped::Failure(Failure::Bug(what)));
            }
        }
        Ok(())
    }

    /// Runs that are said to show why a formula about branching is true or false must do so by what it means.
    pub(super) fn confirm_tree(
        &self,
        task: &Task,
        verdict: &Verdict,
        tree: Option<&Tree>,
        [interpreter, searched]: [&mut Interpreter; 2],
    ) -> Result<(), Stopped> {
        let (Some(tree), Some(question), Some(translated)) = (tree, &task.question, &task.branching) else {
            return Ok(());
        };
        let Logic::Branching(ctl) = &question.logic else { return Ok(()) };
        // Where states of the original are one state of what was searched, a few runs show all successors only there.
        let asked = question.about(&task.conditions);
        let fairness = self.args.asking.fairness();
        let settled = asked.settled_by(tree.in_searched(), (ctl, translated), fairness, searched);
        let same = have_same_labels(tree, [&question.conditions, &task.conditions], [interpreter, searched]);
        if !same || settled != Some(matches!(verdict, Verdict::Holds(_))) {
            let what = format!("the runs do not show what they should of `{}`", question.name);
            return Err(self.bug(&Unconfirmed(what)));
        }
        Ok(())
    }
}

/// Whether the conditions say the same of the runs in the original and in the model that was searched.
fn have_same_labels(tree: &Tree, conditions: [&[Expr]; 2], models: [&mut Interpreter; 2]) -> bool {
    let [original, searched] = models;
    tree.runs().iter().zip(tree.in_searched().runs()).all(|(whole, reduced)| {
        whole.states().zip(reduced.states()).all(|(whole, reduced)| {
            let mut pairs = conditions[0].iter().zip(conditions[1]);
            pairs.all(|(c, d)| original.holds(c, &whole) == searched.holds(d, &reduced))
        })
    })
}
