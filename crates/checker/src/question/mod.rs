//! Questions: formulas and automata about a model, and the observers that accept the runs that violate them.

pub mod ctl;
mod files;

use std::path::Path;

use std::sync::Arc;

use kripke_logic::limits::MAX_ATOMS;
use kripke_logic::observer::{Watch, broken_invariant, marked_observer, observer};
use kripke_logic::state_formula::Grouped;
use kripke_logic::{Atoms, Buchi, Ctl, Ltl, Problem, TooLarge, Translation, hoa, parse, simplify, translate};
use kripke_model::Model;
use kripke_model::ir::{BinaryOp, Expr, Goal, Property, PropertyKind, Span};
use kripke_reduce::simplify::may_fault;
use kripke_report::escape::visible;
use kripke_report::json::Complaint;
use kripke_search::Fairness;

use crate::files::explain;
use crate::load::{Files, InputError};
use crate::request::Questions;
use crate::task::Asked;

/// More acceptance sets than this become one.
const MOST_SETS: u32 = 32;

/// A formula or automaton with its propositions in the language of the model.
#[derive(Clone, Debug)]
pub struct Question {
    /// Its name.
    pub name: String,
    /// Its text, as typed.
    pub text: String,
    /// Its place, if the model states it.
    pub span: Option<Span>,
    /// Its formula or automaton.
    pub logic: Logic,
    /// Its propositions, by number.
    pub conditions: Vec<Expr>,
    /// The propositions whose evaluation may be a fault.
    risky: Vec<Expr>,
    /// The request for it, unless the model states it.
    pub asked: Option<Asked>,
}

/// The logic of a question.
#[derive(Clone, Debug)]
pub enum Logic {
    /// LTL: the formula holds on all runs.
    Linear(Ltl),
    /// CTL: the formula holds in the initial state.
    Branching(Ctl),
    /// The automaton accepts no run.
    Automaton(Buchi),
}

impl Logic {
    /// The propositions.
    pub fn atoms(&self) -> &Atoms {
        match self {
            Logic::Linear(ltl) => &ltl.atoms,
            Logic::Branching(ctl) => &ctl.atoms,
            Logic::Automaton(buchi) => &buchi.atoms,
        }
    }
}

/// Whether a finite run that no continuation can save is a violation. Under impartiality a finite run may have no continuation
/// at all that counts.
fn is_at_once(fairness: Fairness) -> bool {
    fairness != Fairness::Impartial
}

/// The questions of a request: formulas that were asked for, and those that the model states.
pub fn questions(model: &Model, asked: &Questions, from: &dyn Files) -> Result<Vec<Question>, InputError> {
    let mut out = Vec::new();
    for text in &asked.ltl {
        out.push(Question::asked(text, Asked::Ltl(text.clone()), Logic::Linear(linear("--ltl", text)?)));
    }
    for path in &asked.ltl_files {
        for text in files::formulas(path, from)? {
            let ltl = linear(&path.display().to_string(), &text)?;
            out.push(Question::asked(&text, Asked::Ltl(text.clone()), Logic::Linear(ltl)));
        }
    }
    for text in &asked.ctl {
        out.push(Question::asked(text, Asked::Ctl(text.clone()), Logic::Branching(branching("--ctl", text)?)));
    }
    for path in &asked.hoa {
        let name = path.display().to_string();
        out.push(Question::asked(&name, Asked::Hoa(path.clone()), Logic::Automaton(automaton(path, from)?)));
    }
    let wanted = |p: &&Property| asked.properties.contains(&p.name) || asked.claims() && !asked.is_particular();
    for Property { name, text, formula, span, kind, .. } in model.properties.iter().filter(wanted) {
        let logic = match kind {
            PropertyKind::Ltl => Logic::Linear(linear(&format!("ltl {name}"), formula)?),
            PropertyKind::Ctl => Logic::Branching(branching(name, formula)?),
            PropertyKind::Never | PropertyKind::Process => continue,
        };
        let (name, text, conditions) = (name.clone(), text.clone(), Vec::new());
        let (span, risky, asked) = (Some(*span), Vec::new(), None);
        out.push(Question { name, text, span, logic, conditions, risky, asked });
    }
    Ok(out)
}

fn linear(what: &str, text: &str) -> Result<Ltl, InputError> {
    parse::ltl(text).map_err(|problem| formula_error(what, text, &problem))
}

fn branching(what: &str, text: &str) -> Result<Ctl, InputError> {
    parse::ctl(text).map_err(|problem| formula_error(what, text, &problem))
}

/// The automaton of a file.
fn automaton(path: &Path, from: &dyn Files) -> Result<Buchi, InputError> {
    let unreadable = |why: &str| InputError::whole(path, &format!("can't read it: {why}"));
    let text = files::text(path, from).map_err(|e| unreadable(&explain(&e)))?;
    let generalised = hoa::read(&text).map_err(|problem| {
        let line = text.get(..problem.span.start).map_or(1, |before| before.matches('\n').count() + 1);
        InputError::whole(path, &format!("line {line}: {}", problem.message))
    })?;
    simplify(&generalised).map(|t| t.buchi).map_err(|e| InputError::whole(path, &e.message))
}

/// The error of a formula, with the place in its text.
pub fn formula_error(what: &str, text: &str, problem: &Problem) -> InputError {
    let message = format!("{what}: {}", problem.message);
    let before = text.get(..problem.span.start).map_or(0, |t| t.chars().count());
    let width = text.get(problem.span.start..problem.span.end).map_or(1, |t| t.chars().count().max(1));
    let mut shown =
        format!("error: {message}\n  {text}\n  {}{} {}\n", " ".repeat(before), "^".repeat(width), problem.here);
    if problem.here.is_empty() {
        shown = format!("{}\n", shown.trim_end());
    }
    if let Some(help) = &problem.help {
        shown.push_str(&format!("  help: {help}\n"));
    }
    let complaint = Complaint {
        severity: "error",
        message,
        file: None,
        line: None,
        column: Some(before as u32 + 1),
        help: problem.help.clone(),
    };
    InputError { text: visible(&shown).into_owned(), complaints: vec![complaint] }
}

impl Question {
    /// Whether the answer can change if a step is added that changes no proposition.
    pub fn counts_steps(&self) -> bool {
        match &self.logic {
            Logic::Linear(ltl) => ltl.formula.uses_next(),
            Logic::Branching(_) | Logic::Automaton(_) => true,
        }
    }

    fn asked(text: &str, asked: Asked, logic: Logic) -> Question {
        let asked = Some(asked);
        let (name, text, conditions, risky) = (text.to_string(), text.to_string(), Vec::new(), Vec::new());
        Question { name, text, span: None, logic, conditions, risky, asked }
    }

    /// Gives the propositions their meaning. A proposition whose evaluation may be a fault is joined with the largest state formula
    /// around it, which is then evaluated as a whole, left to right.
    pub fn mean(&mut self, model: &Model, conditions: Vec<Expr>) -> Result<(), InputError> {
        let risky: Vec<bool> = conditions.iter().map(|c| may_fault(model, c)).collect();
        self.conditions = conditions;
        if !risky.contains(&true) {
            return Ok(());
        }
        let grouped = match &self.logic {
            Logic::Linear(ltl) => ltl
                .grouped(&self.conditions, &risky)
                .map(|Grouped { formula, conditions }| (Logic::Linear(formula), conditions)),
            Logic::Branching(ctl) => ctl
                .grouped(&self.conditions, &risky)
                .map(|Grouped { formula, conditions }| (Logic::Branching(formula), conditions)),
            Logic::Automaton(_) => Some((self.logic.clone(), self.conditions.clone())),
        };
        (self.logic, self.conditions) = grouped.ok_or_else(|| {
            let what = format!("more than {MAX_ATOMS} different conditions whose evaluation may be a fault");
            formula_error(&self.name, &self.text, &Problem::new(kripke_logic::Span::new(0, self.text.len()), what))
        })?;
        self.risky = self.conditions.iter().filter(|c| may_fault(model, c)).cloned().collect();
        Ok(())
    }

    /// The question with other propositions: those of a simplified model.
    pub fn about(&self, conditions: &[Expr]) -> Question {
        Question { conditions: conditions.to_vec(), ..self.clone() }
    }

    /// The texts of the propositions.
    pub fn propositions(&self) -> Vec<String> {
        self.logic.atoms().iter().map(|(_, atom)| atom.text.clone()).collect()
    }

    /// The model with an observer that accepts the runs that violate the property, or with a goal if the property is an
    /// invariant. Most CTL formulas have neither.
    ///
    /// Where cycles are found component by component, the observer may have several acceptance sets of edges, which makes it
    /// smaller.
    pub fn watch(&self, plain: &Model, fairness: Fairness, by_components: bool) -> Result<Arc<Model>, InputError> {
        let invariant = self.invariant(fairness);
        let is_invariant = invariant.is_some();
        let mut model = Model { goal: invariant.or_else(|| self.faults()), ..plain.clone() };
        let (negated, generalised) = match &self.logic {
            Logic::Branching(_) => return Ok(Arc::new(model)),
            Logic::Automaton(buchi) => (buchi.clone(), None),
            Logic::Linear(_) if is_invariant => return Ok(Arc::new(model)),
            Logic::Linear(ltl) => {
                let Translation { buchi, generalised } = translate(&ltl.negated()).map_err(|e| self.too_large(&e))?;
                (buchi, Some(generalised).filter(|g| by_components && (2..MOST_SETS).contains(&g.sets)))
            }
        };
        let nowhere = Span { file: kripke_model::ir::FileId(0), start: 0, end: 0 };
        let at_once = is_at_once(fairness);
        let watch = Watch { name: &self.name, span: self.span.unwrap_or(nowhere), stutters: true, at_once };
        let marked = generalised.map(|automaton| marked_observer(&automaton, &self.conditions, watch));
        let smaller = marked.filter(|o| o.automaton.locations.len() < negated.states.len());
        model.observer = Some(smaller.unwrap_or_else(|| observer(&negated, &self.conditions, watch)));
        Ok(Arc::new(model))
    }

    /// The goal of a search for violations, if the formula is an invariant.
    pub fn invariant(&self, fairness: Fairness) -> Option<Goal> {
        let ltl = match &self.logic {
            _ if !is_at_once(fairness) => return None,
            Logic::Linear(ltl) => ltl.clone(),
            Logic::Branching(ctl) => ctl.invariant()?,
            Logic::Automaton(_) => return None,
        };
        let condition = broken_invariant(&ltl, &self.conditions)?;
        Some(Goal { condition, text: format!("!({})", ltl.formula.display(&ltl.atoms)), span: self.span })
    }

    /// A goal that is never reached, but whose evaluation is a fault wherever one of the propositions is: there the formula has
    /// no meaning.
    fn faults(&self) -> Option<Goal> {
        let evaluated = |c: &Expr| Expr::Cond(Box::new([c.clone(), Expr::Const(0), Expr::Const(0)]));
        let all = self.risky.iter().map(evaluated).reduce(|a, b| Expr::binary(BinaryOp::Or, a, b));
        all.map(|condition| Goal { condition, text: self.text.clone(), span: self.span })
    }

    fn too_large(&self, e: &TooLarge) -> InputError {
        let problem = Problem::new(kripke_logic::Span::new(0, self.text.len()), e.to_string());
        formula_error(&self.name, &self.text, &problem)
    }

    /// The CTL formula for the search, if it is one.
    pub fn branching(&self, fairness: Fairness) -> Result<Option<ctl::Translated>, InputError> {
        let Logic::Branching(ctl) = &self.logic else { return Ok(None) };
        let translated = ctl::translate(ctl, fairness);
        if translated.formula.height() > ctl::MAX_HEIGHT {
            let message = "the formula is nested too deeply".to_string();
            let problem = Problem::new(kripke_logic::Span::new(0, self.text.len()), message);
            return Err(formula_error(&self.name, &self.text, &problem));
        }
        Ok(Some(translated))
    }
}
