//! SPIN's words for the statements of a model.

use kripke::spin::Numbered;
use kripke::spin::numbering::Kind;
use kripke_model::ir::{EdgeId, LocId, ProcessId, Span};
use kripke_report::source::Lines;
use kripke_report::spin::listing::{Statement, Words};

/// The words for one model.
pub struct ModelWords<'a> {
    model: &'a Numbered,
    lines: Lines,
}

impl<'a> ModelWords<'a> {
    pub fn new(model: &'a Numbered) -> ModelWords<'a> {
        ModelWords { model, lines: Lines::of_preprocessor(model.interpreter.model()) }
    }

    /// The line and the text of a statement of a claim, by its number in the whole text.
    pub fn of_claim(&self, statement: u32) -> Option<(String, String)> {
        let (body, state) = self.model.numbering.transition(statement)?;
        let state = body.states.get(state as usize)?;
        Some((self.lines.of(state.place?).first.to_string(), state.text.clone()))
    }

    fn place(&self, span: Option<Span>) -> String {
        span.map_or_else(String::new, |span| self.lines.place(span))
    }
}

impl Words for ModelWords<'_> {
    fn statement(&self, process: ProcessId, edge: EdgeId) -> Statement {
        let found = self.model.state(process, edge).zip(self.model.body(process));
        let Some((number, body)) = found else { return Statement::default() };
        let Some(state) = body.states.get(number as usize) else { return Statement::default() };
        let text = match state.kind {
            Kind::Indivisible => format!("D_STEP{}", state.place.map_or(0, |span| self.lines.of(span).first)),
            _ => state.text.clone(),
        };
        Statement { state: number, text, place: self.place(state.place), end: state.end }
    }

    fn location(&self, process: ProcessId, location: LocId) -> (Statement, bool) {
        let body = self.model.body(process);
        let number = body.and_then(|body| body.locations.get(location.index())).copied().unwrap_or(0);
        let Some(state) = body.and_then(|body| body.states.get(number as usize)) else { return Default::default() };
        (
            Statement { state: number, text: state.text.clone(), place: self.place(state.place), end: state.end },
            state.end,
        )
    }

    fn process(&self, process: ProcessId) -> String {
        self.model.body(process).map_or_else(String::new, |body| body.name.clone())
    }
}
