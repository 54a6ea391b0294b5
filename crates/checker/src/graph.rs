//! State graphs of models, for pictures, files and comparisons.
//!
//! The graph is that of the first question of a request: the model alone, or its product with an observer. It is built by the
//! reference interpreter, so that with [raw](crate::request::Reductions::raw) reductions it has exactly the states and
//! transitions that a raw check counts.

use std::path::Path;

use kripke_model::interpret::{Interpreter, Move, Target};
use kripke_model::{Batch, Choice, Mover, Successors};
use kripke_report::automaton::location_names;
use kripke_report::graph::{Action, ModelGraph};
use kripke_report::names::Names;
use kripke_report::run::Run;
use kripke_report::source::Lines;
use kripke_report::trail_file::TrailFile;
use kripke_search::graph::{Builder, Seeds, StateGraph, Step, TooManyStates, build};

use crate::error::Error;
use crate::files::Files;
use crate::replay;
use crate::request::Request;

/// The reason why there is no graph.
#[derive(Clone, Debug)]
pub enum GraphError {
    /// The model or the question can't be read, or is refused.
    Error(Error),
    /// The graph has too many states.
    TooLarge(TooManyStates),
    /// The trail does not fit the model.
    Trail(String),
}

impl From<Error> for GraphError {
    fn from(error: Error) -> GraphError {
        GraphError::Error(error)
    }
}

/// A counterexample and the number of steps from it up to which states are shown.
#[derive(Clone, Copy, Debug)]
pub struct Around<'t> {
    /// The trail file of the counterexample.
    pub trail: &'t TrailFile,
    /// The number of steps.
    pub radius: u32,
}

/// Builds the state graph of the first question of a request, or the part of it around a counterexample. Returns it with the
/// warnings about the text of the model.
pub fn state_graph(
    file: &Path,
    request: &Request,
    around: Option<Around<'_>>,
    most: usize,
    files: &dyn Files,
) -> Result<(ModelGraph, String), GraphError> {
    let mut prepared = replay::prepare(file, request, &[], files)?;
    let mut seeds = Seeds::default();
    if let Some(Around { trail, radius }) = around {
        let wrong = |e: &dyn std::fmt::Display| GraphError::Trail(e.to_string());
        let trail = trail.trail(prepared.interpreter.model()).map_err(|e| wrong(&e))?;
        trail.replay_whole(&mut prepared.interpreter, &mut prepared.searched).map_err(|e| wrong(&e))?;
        seeds = Seeds { states: followed(&mut prepared.searched, &trail.choices), radius: Some(radius) };
    }
    let mut interpreter = prepared.searched;
    let graph = build(&mut interpreter, &seeds, most).map_err(GraphError::TooLarge)?;
    let trail = numbers(&graph, &seeds, interpreter.layout().hidden);
    Ok((described(graph, &mut interpreter, trail), prepared.warnings))
}

/// The states of a trail, from the initial one on.
fn followed(interpreter: &mut Interpreter, choices: &[u32]) -> Vec<Vec<u8>> {
    let mut states = vec![interpreter.initial_state().to_vec()];
    let mut batch = Batch::new();
    for &choice in choices {
        batch.clear();
        interpreter.expand(&states[states.len() - 1], Choice::All, &mut batch);
        if choice as usize >= batch.len() {
            break;
        }
        states.push(batch.state(choice as usize).to_vec());
    }
    states
}

/// The numbers of the states of a trail. States that differ in hidden variables only are one.
fn numbers(graph: &StateGraph, seeds: &Seeds, hidden: usize) -> Vec<u32> {
    let of = |seed: &Vec<u8>| graph.states.iter().position(|state| state.get(hidden..) == seed.get(hidden..));
    seeds.states.iter().filter_map(of).map(|at| at as u32).collect()
}

/// A state graph that grows state by state.
#[derive(Debug)]
pub struct Explorer {
    interpreter: Interpreter,
    builder: Builder,
    shown: ModelGraph,
    run: Run,
}

impl Explorer {
    /// The initial state of the first question of a request. The graph has at most this number of states.
    pub fn new(file: &Path, request: &Request, most: usize, files: &dyn Files) -> Result<Explorer, GraphError> {
        let mut interpreter = replay::prepare(file, request, &[], files)?.searched;
        let mut builder = Builder::new(interpreter.layout().hidden, most);
        let mut graph = StateGraph::default();
        let initial = interpreter.initial_point();
        builder.known(&mut graph, &initial.state).map_err(GraphError::TooLarge)?;
        let run = Run::new(&interpreter, &initial);
        let shown = described(graph, &mut interpreter, Vec::new());
        Ok(Explorer { interpreter, builder, shown, run })
    }

    /// Adds the successors of a state of the graph. Returns the new states.
    pub fn expand(&mut self, state: u32) -> Result<Vec<u32>, TooManyStates> {
        let Explorer { interpreter, builder, shown, run } = self;
        let new = builder.expand(interpreter, &mut shown.graph, state, true)?;
        new.iter().for_each(|new| shown.names.observe(&shown.layout.view(&shown.graph.states[*new as usize])));
        for at in shown.actions.len()..shown.graph.actions.len() {
            let step = shown.graph.steps[shown.graph.actions[at]];
            let action = action(interpreter, &shown.graph, step, &shown.names, run);
            shown.actions.push(action);
        }
        Ok(new)
    }

    /// The graph so far. Its steps are in the order of the expansions.
    pub fn graph(&self) -> &ModelGraph {
        &self.shown
    }

    /// The moves of a step.
    pub fn moves(&mut self, step: Step) -> Vec<Move> {
        let state = &self.shown.graph.states[step.from as usize];
        self.interpreter.explain(state, Target::Successor(step.successor as usize)).unwrap_or_default()
    }
}

/// The action that a step executes.
fn action(interpreter: &mut Interpreter, graph: &StateGraph, step: Step, names: &Names, run: &Run) -> Action {
    let state = &graph.states[step.from as usize];
    let moves = interpreter.explain(state, Target::Successor(step.successor as usize)).unwrap_or_default();
    let process = match (step.by, moves.first()) {
        (Mover::Process(pid), Some(first)) => names.process(run.model(), first.process, pid),
        _ => String::new(),
    };
    let statements: Vec<String> = moves.iter().map(|taken| statements(run, taken)).collect();
    Action { process, statements: statements.join("; ") }
}

fn described(graph: StateGraph, interpreter: &mut Interpreter, trail: Vec<u32>) -> ModelGraph {
    let mut names = Names::default();
    graph.states.iter().for_each(|state| names.observe(&interpreter.layout().view(state)));
    let initial = interpreter.initial_point();
    let run = Run::new(interpreter, &initial);
    let mut actions = Vec::with_capacity(graph.actions.len());
    for &step in &graph.actions {
        actions.push(action(interpreter, &graph, graph.steps[step], &names, &run));
    }
    let (model, layout) = (interpreter.model().clone(), interpreter.layout().clone());
    let lines = Lines::new(&model);
    let places = model.processes.iter().map(|process| location_names(process, &lines)).collect();
    ModelGraph { places, model, layout, names, graph, actions, trail }
}

/// The statements of a move, those of all processes in a synchronous system.
fn statements(run: &Run, taken: &Move) -> String {
    let others = taken.others.iter().map(|other| run.statement(other.process, other.edge));
    std::iter::once(run.statements(taken)).chain(others).collect::<Vec<_>>().join(" ‖ ")
}
