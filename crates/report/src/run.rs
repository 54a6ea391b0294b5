//! An execution, step by step, ready to be shown.

use std::sync::Arc;

use kripke_model::interpret::{Interpreter, Move, Point};
use kripke_model::ir::{Edge, EdgeId, Model, ProcessId};
use kripke_model::layout::{Layout, View};
use kripke_model::trail::{Ending, Replayed};
use kripke_model::{Finding, Within};
use kripke_search::Wrong;

use crate::names::Names;
use crate::source::Lines;

/// States stay packed and are unpacked when asked for: runs may be a million steps long.
#[derive(Clone, Debug)]
pub struct Run {
    model: Arc<Model>,
    layout: Layout,
    lines: Lines,
    initial: Point,
    moves: Vec<Move>,
    /// Steps taken before `initial`, and forgotten.
    forgotten: usize,
    end: End,
}

/// How a run ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// Nothing is wrong with it.
    Fine,
    /// The last move did something wrong.
    Finding(Finding),
    /// No process can move, and some should.
    InvalidEnd,
    /// The goal is reached.
    Goal,
    /// The observer has seen what must not be.
    Caught,
    /// A formula about branching is false, and this is why, as far as one run can show it.
    Refuted,
    /// After the last move all is as it was after this many, and so on for ever.
    Cycle(usize),
}

impl End {
    /// Is something wrong with the last state, and not with the last move?
    pub fn is_of_state(&self) -> bool {
        match self {
            End::InvalidEnd => true,
            End::Finding(finding) => finding.within == Within::Goal,
            _ => false,
        }
    }

    /// What is wrong, in the terms of a search.
    pub fn wrong(&self) -> Option<Wrong> {
        match self {
            End::Fine => None,
            End::Finding(finding) => Some(Wrong::Finding(finding.clone())),
            End::InvalidEnd => Some(Wrong::InvalidEnd),
            End::Goal => Some(Wrong::Goal),
            End::Caught => Some(Wrong::Caught),
            End::Refuted => Some(Wrong::Refuted),
            End::Cycle(_) => Some(Wrong::Cycle),
        }
    }
}

impl Run {
    /// A run that has not moved yet.
    pub fn new(interpreter: &Interpreter, initial: Point) -> Run {
        let model = interpreter.model().clone();
        let lines = Lines::new(&model);
        Run {
            model,
            layout: interpreter.layout().clone(),
            lines,
            initial,
            moves: Vec::new(),
            forgotten: 0,
            end: End::Fine,
        }
    }

    pub fn replayed(interpreter: &Interpreter, replayed: &Replayed) -> Run {
        let mut run = Run::new(interpreter, replayed.initial().clone());
        run.moves = replayed.moves().to_vec();
        run.end = match (replayed.ending(), replayed.finding()) {
            (Ending::InvalidEnd, _) => End::InvalidEnd,
            (Ending::Goal, _) => End::Goal,
            (Ending::Caught, _) => End::Caught,
            (Ending::Cycle(_), _) => End::Cycle(replayed.cycle().unwrap_or(0)),
            (_, Some(finding)) => End::Finding(finding.clone()),
            (_, None) => End::Fine,
        };
        run
    }

    pub fn push(&mut self, step: Move) {
        self.moves.push(step);
    }

    /// Forgets how the run got here, for runs that are shown while they go on.
    pub fn forget(&mut self) {
        self.initial = self.point(self.moves.len()).clone();
        self.forgotten += self.moves.len();
        self.moves.clear();
    }

    /// What comes after so many moves.
    #[must_use]
    pub fn after(mut self, steps: usize) -> Run {
        self.initial = self.point(steps).clone();
        self.moves.drain(..steps);
        self.forgotten += steps;
        if let End::Cycle(before) = &mut self.end {
            *before = before.saturating_sub(steps);
        }
        self
    }

    /// How many steps were forgotten.
    pub fn forgotten(&self) -> usize {
        self.forgotten
    }

    /// Takes back everything after the first `steps` moves.
    pub fn rewind(&mut self, steps: usize) {
        self.moves.truncate(steps);
        self.end = End::Fine;
    }

    pub fn finish(&mut self, end: End) {
        self.end = end;
    }

    pub fn model(&self) -> &Model {
        &self.model
    }

    pub fn lines(&self) -> &Lines {
        &self.lines
    }

    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    pub fn end(&self) -> &End {
        &self.end
    }

    /// Where the run is after so many moves. A move that leads nowhere (a fault) leaves it where it was.
    pub fn point(&self, steps: usize) -> &Point {
        self.moves[..steps].iter().rev().find_map(|m| m.to.as_ref()).unwrap_or(&self.initial)
    }

    pub fn view(&self, steps: usize) -> View {
        self.layout.view(&self.point(steps).state)
    }

    /// Names that tell all processes of the run apart.
    pub fn names(&self) -> Names {
        let mut names = Names::default();
        for steps in 0..=self.moves.len() {
            names.observe(&self.view(steps));
        }
        names
    }

    /// The statement of an edge on one line.
    pub fn statement(&self, process: ProcessId, edge: EdgeId) -> String {
        flat(&self.edge(process, edge).label)
    }

    /// Nothing in the model moved: only the property's automaton went on.
    pub fn is_pause(&self, step: &Move) -> bool {
        step.process.index() >= self.model.processes.len() && step.findings.is_empty()
    }

    /// The statements of a move: of an indivisible sequence those executed, of a rendezvous both.
    pub fn statements(&self, step: &Move) -> String {
        if self.is_pause(step) {
            return "(nothing moves)".to_string();
        }
        let own = self.statement(step.process, step.edge);
        if let Some(p) = step.partner {
            return format!("{own} → {}", self.statement(p.process, p.edge));
        }
        // An edge with a channel operation of its own names it in front of the sequence that follows.
        if step.chain.is_empty() || self.edge(step.process, step.edge).sync.is_some() {
            return own;
        }
        step.chain.iter().map(|e| self.statement(step.process, *e)).collect::<Vec<_>>().join("; ")
    }

    pub fn edge(&self, process: ProcessId, edge: EdgeId) -> &Edge {
        &self.model.process(process).edges[edge.index()]
    }
}

/// White space of any kind becomes single blanks.
pub fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
