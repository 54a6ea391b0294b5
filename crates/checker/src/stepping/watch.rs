//! Expressions that are watched: their values are shown in every state.

use kripke_model::ir::Expr;
use kripke_report::escape::visible;
use kripke_report::stepping::Value;

use super::{ConditionError, Session};

/// Expressions that are kept as they were read.
const MOST_KEPT: usize = 1_000;

/// An expression in the language of the model.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    pub(super) text: String,
    pub(super) expr: Expr,
}

impl Session {
    /// Watches an expression in the language of the model. One that is watched already is watched no longer. Returns whether it is
    /// watched now.
    pub fn watch(&mut self, text: &str) -> Result<bool, ConditionError> {
        let before = self.watches.len();
        self.watches.retain(|watch| watch.text != text);
        let new = self.watches.len() == before;
        if new {
            let expr = self.condition(text)?;
            self.watches.push(Watch { text: text.to_string(), expr });
        }
        self.arrive();
        Ok(new)
    }

    /// The value of an expression in the language of the model in the current state. `None` if it can't be evaluated there.
    pub fn evaluate(&mut self, text: &str) -> Result<Option<i32>, ConditionError> {
        let expr = match self.evaluated.get(text) {
            Some(known) => known.clone(),
            None => self.read(text)?,
        };
        let state = self.run.point(self.at).state;
        Ok(self.interpreter.value(&expr, None, &state))
    }

    fn read(&mut self, text: &str) -> Result<Expr, ConditionError> {
        let revision = self.revision;
        let expr = self.condition(text)?;
        if revision != self.revision {
            self.arrive();
        }
        if self.evaluated.len() >= MOST_KEPT {
            self.evaluated.clear();
        }
        self.evaluated.insert(text.to_string(), expr.clone());
        Ok(expr)
    }

    /// The expressions with their values in the current state. `?` is the value of one that can't be evaluated.
    pub fn watched(&self) -> &[Value] {
        &self.watched
    }

    pub(super) fn watch_values(&mut self) -> Vec<Value> {
        let now = self.run.point(self.at).state;
        let before = self.at.checked_sub(1).map(|step| self.run.point(step).state);
        let interpreter = &mut self.interpreter;
        let mut value = |watch: &Watch, state: &[u8]| {
            interpreter.value(&watch.expr, None, state).map_or("?".to_string(), |value| value.to_string())
        };
        let each = |watch: &Watch| {
            let (now, was) = (value(watch, &now), before.as_ref().map(|state| value(watch, state)));
            Value { name: visible(&watch.text).into_owned(), was: was.filter(|was| *was != now), value: now }
        };
        self.watches.iter().map(each).collect()
    }
}
