//! Explanations of a counterexample: the values of the propositions, the obligation that is never met, the reason why a
//! lasso violates the property, and which fairness assumption would exclude it.

use std::collections::BTreeSet;

use kripke_logic::atoms::Valuation;
use kripke_logic::lasso::{self, Lasso};
use kripke_model::Interpreter;
use kripke_model::ir::Expr;
use kripke_model::trail::{Ending, Replayed};
use kripke_report::names::Names;
use kripke_report::select::{Selection, Watched};
use kripke_search::Fairness;

use crate::cause;
use crate::interference::interference;
use crate::judge::fairness::{Activity, Enabled, activities, is_fair};
use crate::question::{Logic, Question};
use crate::task::Kind;

/// Propositions are no columns of longer runs.
const LONG: usize = 100_000;
/// Cycles with more steps than this are not examined for fairness.
const LONG_CYCLE: usize = 10_000;

/// A counterexample to be explained.
#[derive(Clone, Copy, Debug)]
pub struct Explained<'a> {
    /// The kind of the property.
    pub kind: Kind,
    /// The formula of the property.
    pub question: Option<&'a Question>,
    /// The run.
    pub replayed: &'a Replayed,
    /// The names of its processes.
    pub names: &'a Names,
}

/// A column with the values of an expression in all states of a run.
pub fn watch(name: &str, expr: &Expr, replayed: &Replayed, interpreter: &mut Interpreter) -> Watched {
    let path = replayed.path();
    let mut cursor = path.cursor(0);
    let values = (0..=replayed.moves().len()).map(|steps| interpreter.value(expr, None, cursor.go(steps)));
    Watched { name: name.to_string(), values: values.collect() }
}

impl Explained<'_> {
    /// The selection with the propositions as columns and with remarks on the run.
    pub fn selection(&self, mut selection: Selection, interpreter: &mut Interpreter) -> Selection {
        if self.replayed.moves().len() <= LONG {
            selection.watched = self.propositions(interpreter);
        }
        selection.marks.extend(self.obligation(interpreter));
        selection.notes.extend(self.acceptance(interpreter));
        selection.notes.extend(self.fairness(interpreter));
        selection.minor = cause::minor(self.replayed, interpreter);
        selection.notes.extend(self.matters(&selection.minor));
        if matches!(self.replayed.ending(), Ending::Finding(_) | Ending::Goal | Ending::BadPrefix)
            && self.kind != Kind::Reach
        {
            selection.notes.extend(interference(self.replayed, self.names, interpreter));
        }
        selection
    }

    /// The steps that matter, if others do not.
    fn matters(&self, minor: &BTreeSet<usize>) -> Option<String> {
        let others = self.replayed.moves().len() - minor.len();
        if minor.is_empty() || others == 0 {
            return None;
        }
        let kept: Vec<String> = (1..=self.replayed.moves().len())
            .filter(|step| !minor.contains(step))
            .map(|step| step.to_string())
            .collect();
        Some(format!("steps that suffice for the error: {}", kept.join(", ")))
    }

    /// The propositions of a formula as columns.
    fn propositions(&self, interpreter: &mut Interpreter) -> Vec<Watched> {
        let Some(question) = self.question.filter(|q| !matches!(q.logic, Logic::Automaton(_))) else {
            return Vec::new();
        };
        let atoms = question.logic.atoms();
        let named = atoms.iter().map(|(_, atom)| atom.text.clone()).zip(&question.conditions);
        named.map(|(text, condition)| watch(&text, condition, self.replayed, interpreter)).collect()
    }

    /// The step after which an obligation of the formula begins that is never met.
    fn obligation(&self, interpreter: &mut Interpreter) -> Option<(usize, String)> {
        let question = self.question?;
        let (Logic::Linear(ltl), Ending::Cycle(start)) = (&question.logic, self.replayed.ending()) else { return None };
        let value = |state: Vec<u8>| -> Valuation {
            let bits = question.conditions.iter().enumerate();
            bits.filter(|(_, c)| interpreter.holds(c, &state) == Some(true)).fold(0, |word, (i, _)| word | 1 << i)
        };
        let word: Vec<Valuation> = self.replayed.states().map(value).collect();
        let (stem, cycle) = word[..word.len() - 1].split_at(start as usize);
        let found = lasso::obligation(&ltl.formula, &Lasso::new(stem, cycle)?)?;
        let part = ltl.formula.part(found.part);
        let text = part.display(&ltl.atoms).to_string();
        let text = if found.holds { format!("!({text})") } else { text };
        let steps = self.replayed.moves_before(found.at);
        let place = if steps == 0 { "from the start".to_string() } else { format!("from step {steps} on") };
        Some((steps, format!("{place}, `{text}` must be met and never is")))
    }

    /// The acceptance condition that the cycle meets, for properties that are no formulas.
    fn acceptance(&self, interpreter: &mut Interpreter) -> Option<String> {
        let Ending::Cycle(start) = self.replayed.ending() else { return None };
        if self.kind == Kind::Progress {
            return Some("no process is at a `progress` label on the cycle".to_string());
        }
        if self.kind == Kind::Ltl || self.kind == Kind::Ctl {
            return None;
        }
        let model = interpreter.model().clone();
        for state in self.replayed.states().skip(start as usize) {
            let view = interpreter.layout().view(&state);
            for p in &view.processes {
                let location = &model.processes[p.process.index()].locations[p.location.index()];
                if location.accept {
                    let name = self.names.process(&model, p.process, p.pid);
                    let label = location.labels.iter().find(|label| label.starts_with("accept"));
                    let label = label.map_or("an accepting location".to_string(), |label| format!("`{label}`"));
                    return Some(format!("the cycle visits {label} of {name}"));
                }
            }
        }
        let observer = model.observer.as_ref().map(|observer| observer.automaton.name.clone());
        observer.map(|name| format!("the cycle visits an accepting state of {name}"))
    }

    /// The processes that are enabled and never move, and the fairness assumption that excludes the run.
    fn fairness(&self, interpreter: &mut Interpreter) -> Option<String> {
        let Ending::Cycle(start) = self.replayed.ending() else { return None };
        let length = self.replayed.moves().len() - self.replayed.moves_before(start as usize);
        if length == 0 || length > LONG_CYCLE {
            return None;
        }
        let all = activities(self.replayed, interpreter);
        if !all.iter().any(|activity| activity.moves) {
            return None;
        }
        let named = |which: &dyn Fn(&Activity) -> bool| {
            let name = |a: &Activity| self.names.process(interpreter.model(), a.process, a.pid);
            listed(&all.iter().filter(|a| which(a)).map(name).collect::<Vec<_>>())
        };
        let throughout = named(&|a| !a.moves && a.enabled == Enabled::Always);
        let sometimes = named(&|a| !a.moves && a.enabled == Enabled::Sometimes);
        let weak = is_fair(self.replayed, Fairness::Weak, interpreter);
        let strong = is_fair(self.replayed, Fairness::Strong, interpreter);
        Some(match (weak, strong, throughout, sometimes) {
            (false, _, Some((names, verb)), _) => {
                let (be, never) = (verb.be(), verb.never_move());
                format!("{names} {be} enabled throughout the cycle and {never}: `--fair weak` excludes this run")
            }
            (true, false, _, Some((names, verb))) => {
                let (be, never) = (verb.be(), verb.never_move());
                format!("{names} {be} enabled again and again and {never}: `--fair strong` excludes this run")
            }
            (_, true, ..) => {
                "this run is strongly fair: every process that is enabled again and again moves".to_string()
            }
            _ => return None,
        })
    }
}

/// The number of a verb.
#[derive(Clone, Copy)]
enum Verb {
    Singular,
    Plural,
}

impl Verb {
    fn be(self) -> &'static str {
        match self {
            Verb::Singular => "is",
            Verb::Plural => "are",
        }
    }

    fn never_move(self) -> &'static str {
        match self {
            Verb::Singular => "never moves",
            Verb::Plural => "never move",
        }
    }
}

/// Names as a list: `p, q and r`.
fn listed(names: &[String]) -> Option<(String, Verb)> {
    match names {
        [] => None,
        [name] => Some((name.clone(), Verb::Singular)),
        [names @ .., last] => Some((format!("{} and {last}", names.join(", ")), Verb::Plural)),
    }
}
