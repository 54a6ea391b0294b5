//! A run of a model, prepared for presentation.

use std::sync::Arc;

use kripke_model::interpret::{Interpreter, Move, Point};
use kripke_model::ir::{Edge, EdgeId, Model, ProcessId};
use kripke_model::layout::{Layout, Shape, View};
use kripke_model::path::{Cursor, Moves, Path};
use kripke_model::trail::{Ending, Replayed};
use kripke_model::{Finding, Within};
use kripke_search::ErrorKind;

use crate::escape::visible;
use crate::names::Names;
use crate::source::Lines;

/// A run. States are packed and are unpacked on demand, since runs may have millions of steps.
#[derive(Clone, Debug)]
pub struct Run {
    model: Arc<Model>,
    layout: Layout,
    lines: Lines,
    path: Arc<Path>,
    /// The number of steps that were dropped from the start.
    forgotten: usize,
    end: End,
}

/// The end of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// No error.
    Fine,
    /// The last move has an error.
    Finding(Finding),
    /// An invalid end state: no process can move, and some process is not at a valid end.
    InvalidEnd,
    /// The goal is reached.
    Goal,
    /// A bad prefix: the observer has reached an end location, so every continuation violates the property.
    BadPrefix,
    /// The run shows, as far as a single run can, that a CTL formula is false.
    Refuted,
    /// A cycle: the state after the last move equals the state after this many moves.
    Cycle(usize),
}

impl End {
    /// Whether the error is one of the last state, not of the last move.
    pub fn is_of_state(&self) -> bool {
        match self {
            End::InvalidEnd => true,
            End::Finding(finding) => finding.within == Within::Goal,
            _ => false,
        }
    }

    /// The kind of error, in the terms of the search.
    pub fn error(&self) -> Option<ErrorKind> {
        match self {
            End::Fine => None,
            End::Finding(finding) => Some(ErrorKind::Finding(finding.clone())),
            End::InvalidEnd => Some(ErrorKind::InvalidEnd),
            End::Goal => Some(ErrorKind::Goal),
            End::BadPrefix => Some(ErrorKind::BadPrefix),
            End::Refuted => Some(ErrorKind::Refuted),
            End::Cycle(_) => Some(ErrorKind::Cycle),
        }
    }
}

impl Run {
    /// A run without moves.
    pub fn new(interpreter: &Interpreter, initial: &Point) -> Run {
        Run::with(interpreter, Arc::new(Path::new(initial)))
    }

    fn with(interpreter: &Interpreter, path: Arc<Path>) -> Run {
        let (model, layout) = (interpreter.model().clone(), interpreter.layout().clone());
        Run { lines: Lines::new(&model), model, layout, path, forgotten: 0, end: End::Fine }
    }

    /// The run of a replayed trail.
    pub fn replayed(interpreter: &Interpreter, replayed: &Replayed) -> Run {
        let mut run = Run::with(interpreter, replayed.path());
        run.end = match (replayed.ending(), replayed.finding()) {
            (Ending::InvalidEnd, _) => End::InvalidEnd,
            (Ending::Goal, _) => End::Goal,
            (Ending::BadPrefix, _) => End::BadPrefix,
            (Ending::Cycle(_), _) => End::Cycle(replayed.cycle().unwrap_or(0)),
            (_, Some(finding)) => End::Finding(finding.clone()),
            (_, None) => End::Fine,
        };
        run
    }

    /// Appends a move.
    pub fn push(&mut self, step: Move) {
        Arc::make_mut(&mut self.path).push(&step);
    }

    /// Drops all steps so far, for runs that are shown during their execution.
    pub fn forget(&mut self) {
        let steps = self.moves().len();
        self.forgotten += steps;
        Arc::make_mut(&mut self.path).forget(steps);
    }

    /// The run without its first `steps` moves.
    #[must_use]
    pub fn after(mut self, steps: usize) -> Run {
        Arc::make_mut(&mut self.path).forget(steps);
        self.forgotten += steps;
        if let End::Cycle(before) = &mut self.end {
            *before = before.saturating_sub(steps);
        }
        self
    }

    /// The part of the run from after `from` moves to after `to` moves, with the end of the run only if `to` is its last step.
    #[must_use]
    pub fn part(&self, from: usize, to: usize) -> Run {
        let end = match self.end {
            _ if to < self.moves().len() => End::Fine,
            End::Cycle(before) => End::Cycle(before.saturating_sub(from)),
            ref end => end.clone(),
        };
        let (model, layout, lines) = (self.model.clone(), self.layout.clone(), self.lines.clone());
        let path = Arc::new(self.path.part(from, to));
        Run { model, layout, lines, path, forgotten: self.forgotten + from, end }
    }

    /// The number of dropped steps.
    pub fn forgotten(&self) -> usize {
        self.forgotten
    }

    /// Removes all but the first `steps` moves.
    pub fn rewind(&mut self, steps: usize) {
        Arc::make_mut(&mut self.path).truncate(steps);
        self.end = End::Fine;
    }

    /// Sets the end of the run.
    pub fn finish(&mut self, end: End) {
        self.end = end;
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The lines of the model's files.
    pub fn lines(&self) -> &Lines {
        &self.lines
    }

    /// The moves, without dropped ones.
    pub fn moves(&self) -> &Moves {
        self.path.moves()
    }

    /// The end of the run.
    pub fn end(&self) -> &End {
        &self.end
    }

    /// The point after `steps` moves. A move with a fault has no target; it leaves the point unchanged.
    pub fn point(&self, steps: usize) -> Point {
        self.path.point(steps)
    }

    /// Whether the last of `steps` moves has no target.
    pub fn ends_at(&self, steps: usize) -> bool {
        self.path.ends_at(steps)
    }

    /// Whether the points after two numbers of moves are equal.
    pub fn is_same(&self, steps: usize, others: usize) -> bool {
        self.path.is_same(steps, others)
    }

    /// The unpacked state after `steps` moves.
    pub fn view(&self, steps: usize) -> View {
        self.layout.view(&self.path.state(steps))
    }

    /// Names that distinguish all processes of the run.
    pub fn names(&self) -> Names {
        let mut names = Names::default();
        self.generations().into_iter().for_each(|steps| names.observe(&self.view(steps)));
        names
    }

    /// The numbers of steps after which other processes are alive than before, beginning with the initial state.
    pub fn generations(&self) -> Vec<usize> {
        let (mut cursor, mut shape, mut out) = (self.path.cursor(0), Shape::default(), Vec::new());
        for steps in 0..=self.moves().len() {
            let state = cursor.go(steps);
            if steps == 0 || !self.layout.has_shape(state, &shape) {
                self.layout.shape(state, &mut shape);
                out.push(steps);
            }
        }
        out
    }

    /// The states after growing numbers of steps, packed.
    pub(crate) fn cursor(&self) -> Cursor<'_> {
        self.path.cursor(0)
    }

    /// The layout of packed states.
    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The statement of an edge on one line.
    pub fn statement(&self, process: ProcessId, edge: EdgeId) -> String {
        flat(&self.edge(process, edge).label)
    }

    /// Whether a move is a stutter step: only the observer moved.
    pub fn is_pause(&self, step: &Move) -> bool {
        step.process.index() >= self.model.processes.len() && step.findings.is_empty()
    }

    /// The statements of a move: all executed statements of an indivisible sequence, both statements of a rendezvous.
    pub fn statements(&self, step: &Move) -> String {
        if self.is_pause(step) {
            return "(nothing moves)".to_string();
        }
        let own = self.statement(step.process, step.edge);
        if let Some(p) = step.partner {
            return format!("{own} → {}", self.statement(p.process, p.edge));
        }
        // An edge with a channel operation shows the operation, not the sequence that follows it.
        if step.chain.is_empty() || self.edge(step.process, step.edge).sync.is_some() {
            return own;
        }
        step.chain.iter().map(|e| self.statement(step.process, *e)).collect::<Vec<_>>().join("; ")
    }

    /// An edge of a process type or of the observer.
    pub fn edge(&self, process: ProcessId, edge: EdgeId) -> &Edge {
        &self.model.process(process).edges[edge.index()]
    }
}

/// Text on one line: white space becomes single blanks, control characters are escaped.
pub fn flat(text: &str) -> String {
    visible(&text.split_whitespace().collect::<Vec<_>>().join(" ")).into_owned()
}
