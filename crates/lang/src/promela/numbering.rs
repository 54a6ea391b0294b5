//! SPIN's numbers of statements.
//!
//! SPIN numbers the statements of a text twice: within their process type (the *state* in its listings) and through the whole
//! text (the *transition* in its trails). The lowering creates the same elements in the same order, so both numbers are known. A
//! [`Numbering`] relates them to the locations and edges of the model, and has what SPIN reports of each state.

use crate::source::Span;

/// The numbers of all bodies of a text, in the order of the model's process types.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Numbering {
    /// The process types, by their id.
    pub processes: Vec<Body>,
    /// The never claims, in the order of the text.
    pub claims: Vec<Body>,
    /// The trace, if there is one.
    pub trace: Option<Body>,
}

/// The numbers of one body.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Body {
    /// The name that SPIN gives the body.
    pub name: String,
    /// The body is that of `init`.
    pub init: bool,
    /// The number of the body among all bodies of the text.
    pub unit: u32,
    /// What SPIN knows of each state, by its number within the body; number 0 stands for nothing.
    pub states: Vec<State>,
    /// The state that each location is; locations inside a `d_step` have none.
    pub locations: Vec<u32>,
    /// The states whose statements each edge executes: one, or several for the edges of a claim.
    pub edges: Vec<Vec<u32>>,
}

/// One state: a point of control in front of a statement.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct State {
    /// The number of the statement in the whole text, as trails have it.
    pub transition: u32,
    /// The kind of the statement.
    pub kind: Kind,
    /// The statement as SPIN prints it.
    pub text: String,
    /// The place whose line SPIN shows for the state.
    pub span: Option<Span>,
    /// The place whose line SPIN shows for the statement.
    pub place: Option<Span>,
    /// The statements that can be executed in the state, in SPIN's order. Empty if SPIN has no transitions for the state.
    pub steps: Vec<u32>,
    /// SPIN does not ask that the state be reached.
    pub skipped: bool,
    /// The state that SPIN looks at instead if this one was not reached; 0 for none.
    pub instead: u32,
    /// The state is a valid end state.
    pub end: bool,
    /// The part that the statement takes in SPIN's statement merging.
    pub merging: Merging,
}

/// The part that a statement takes in SPIN's statement merging.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Merging {
    /// It is a step of its own.
    #[default]
    Alone,
    /// It may block, but others are merged into its step.
    Start,
    /// It is merged into the step of a predecessor, and others into its own.
    Inside,
}

/// The kind of a statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Kind {
    /// A statement with an effect or a condition.
    #[default]
    Statement,
    /// `skip`, `else`: SPIN has common code for these.
    Generic,
    /// A jump, or a joint between statements.
    Jump,
    /// A `d_step`.
    Indivisible,
    /// The end of the process.
    End,
    /// A selection, a loop, an `unless` or a block: no statement by itself.
    Structure,
}

impl Numbering {
    /// The body and the state of the statement with a number in the whole text.
    pub fn transition(&self, number: u32) -> Option<(&Body, u32)> {
        let bodies = self.processes.iter().chain(&self.claims).chain(&self.trace);
        bodies.into_iter().find_map(|body| {
            let state = body.states.iter().skip(1).position(|s| s.transition == number)?;
            Some((body, state as u32 + 1))
        })
    }
}
