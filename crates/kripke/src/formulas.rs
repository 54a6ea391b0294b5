//! Formulas of linear temporal logic about a model: reading them, watching for runs that break them, and judging the
//! runs that were found by what the formula means, without an automaton.

use std::sync::Arc;

use kripke_logic::observer::{Watch, broken_invariant, observer};
use kripke_logic::{Lasso, Ltl, Problem, Valuation, lasso, parse, translate};
use kripke_model::ir::{Expr, Goal, Property, PropertyKind, Span};
use kripke_model::trail::{Ending, Replayed};
use kripke_model::{Interpreter, Model};
use kripke_report::json::Complaint;

use crate::args::Asking;
use crate::load::Trouble;

/// A formula with its propositions in the language of the model.
#[derive(Clone, Debug)]
pub struct Question {
    pub name: String,
    /// As typed.
    pub text: String,
    pub span: Option<Span>,
    pub ltl: Ltl,
    pub conditions: Vec<Expr>,
    /// It is not of the model, but asked on the command line.
    pub asked: bool,
}

/// The formulas that will be looked at: those asked for, and those of the model that are wanted.
pub fn questions(model: &Model, asking: &Asking, claims: bool) -> Result<Vec<Question>, Trouble> {
    let mut out = Vec::new();
    for text in &asking.ltl {
        let ltl = parse::ltl(text).map_err(|problem| trouble("--ltl", text, &problem))?;
        out.push(Question {
            name: text.clone(),
            text: text.clone(),
            span: None,
            ltl,
            conditions: Vec::new(),
            asked: true,
        });
    }
    let wanted = |p: &&Property| {
        p.kind == PropertyKind::Ltl && (asking.property.contains(&p.name) || claims && !asking.is_particular())
    };
    for Property { name, text, formula, span, .. } in model.properties.iter().filter(wanted) {
        let ltl = parse::ltl(formula).map_err(|problem| trouble(&format!("ltl {name}"), formula, &problem))?;
        let (name, text, conditions) = (name.clone(), text.clone(), Vec::new());
        out.push(Question { name, text, span: Some(*span), ltl, conditions, asked: false });
    }
    Ok(out)
}

pub fn trouble(what: &str, text: &str, problem: &Problem) -> Trouble {
    let message = format!("{what}: {}", problem.message);
    let before = text.get(..problem.span.start).map_or(0, |t| t.chars().count());
    let width = text.get(problem.span.start..problem.span.end).map_or(1, |t| t.chars().count().max(1));
    let mut shown =
        format!("error: {message}\n  {text}\n  {}{} {}\n", " ".repeat(before), "^".repeat(width), problem.here);
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
    Trouble { text: shown, complaints: vec![complaint] }
}

impl Question {
    /// The texts of its propositions.
    pub fn propositions(&self) -> Vec<String> {
        self.ltl.atoms.iter().map(|(_, atom)| atom.text.clone()).collect()
    }

    /// The model with something that watches for runs on which the formula is false.
    pub fn watch(&self, plain: &Model) -> Result<Arc<Model>, Trouble> {
        let mut model = plain.clone();
        if let Some(condition) = broken_invariant(&self.ltl, &self.conditions) {
            model.goal = Some(Goal { condition, text: format!("!({})", self.ltl.formula.display(&self.ltl.atoms)) });
            return Ok(Arc::new(model));
        }
        let translated = translate(&self.ltl.negated()).map_err(|e| {
            let problem = Problem::new(kripke_logic::Span::new(0, self.text.len()), e.to_string());
            trouble(&self.name, &self.text, &problem)
        })?;
        let nowhere = Span { file: kripke_model::ir::FileId(0), start: 0, end: 0 };
        let watch = Watch { name: &self.name, span: self.span.unwrap_or(nowhere), stutters: true };
        model.observer = Some(observer(&translated.buchi, &self.conditions, watch));
        Ok(Arc::new(model))
    }

    /// Is the formula false on this run? A run that ends goes on as it is, which can't help a formula that is already
    /// lost.
    pub fn is_broken_by(&self, replayed: &Replayed, interpreter: &mut Interpreter) -> bool {
        let letter = |state: &Vec<u8>, interpreter: &mut Interpreter| -> Valuation {
            let bits = self.conditions.iter().enumerate();
            bits.filter(|(_, c)| interpreter.holds(c, state)).fold(0, |word, (i, _)| word | 1 << i)
        };
        let word: Vec<Valuation> = replayed.states().iter().map(|state| letter(state, interpreter)).collect();
        let (stem, cycle) = match replayed.ending() {
            // The last state is the first of the cycle again.
            Ending::Cycle(start) => word[..word.len() - 1].split_at(start as usize),
            _ => word.split_at(word.len() - 1),
        };
        Lasso::new(stem, cycle).is_some_and(|run| !lasso::holds(&self.ltl.formula, &run))
    }
}
