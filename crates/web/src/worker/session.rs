//! The session of a process: a run that is simulated or replayed, or a state graph that grows.

use std::path::Path;

use serde_json::{Value, json};

use super::Answer;
use super::failure::Failure;
use super::files::Named;
use super::graph::Growing;
use super::simulation::Simulation;

/// A session.
pub(super) enum Session {
    /// A simulation or a counterexample.
    Run(Box<Simulation>),
    /// A state graph.
    Graph(Box<Growing>),
}

impl Session {
    /// Opens a session. Returns it with the first answer.
    pub fn open(request: &Value) -> Result<(Session, Value), Failure> {
        let named = Named::of(request)?;
        named.text()?;
        match request["kind"].as_str() {
            Some("graph") => {
                let (graph, answer) = Growing::open(&named, request)?;
                Ok((Session::Graph(Box::new(graph)), answer))
            }
            Some("simulation" | "trace") => {
                let mut run = Simulation::open(&named, request)?;
                let answer = run.whole();
                Ok((Session::Run(Box::new(run)), answer))
            }
            _ => Err(Failure::new(400, "`kind` is one of simulation, trace, graph")),
        }
    }

    pub fn answer(&mut self, what: &str, request: &Value) -> Answer {
        match self {
            Session::Run(run) => run.answer(what, request),
            Session::Graph(graph) => graph.answer(what, request),
        }
    }
}

/// The name of a file as the client knows it.
pub(super) fn file(path: &Path) -> Value {
    json!(path.display().to_string())
}
