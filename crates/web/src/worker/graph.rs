//! A state graph that grows where the user wants to see more of it.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::path::PathBuf;

use kripke::graph::Explorer;
use kripke::request::{Questions, Reductions, Request};
use kripke_model::{FindingKind, Mover};
use kripke_report::diagram::Role;
use kripke_report::graph::{Labels, ModelGraph, Naming, Patterns, projected};
use kripke_search::graph::TooManyStates;
use serde_json::{Value, json};

use super::Answer;
use super::failure::Failure;
use super::files::Named;
use super::session::file;

/// The most states of a graph, and of one request.
const MOST_STATES: usize = 20_000;
const MOST_NEW: usize = 5_000;

/// A graph and what is known of its states.
pub(super) struct Growing {
    explorer: Explorer,
    expanded: Vec<bool>,
    depth: Vec<u32>,
    /// Whether a state has no steps, if it was expanded.
    ends: Vec<bool>,
    /// The step that found each state.
    found_by: Vec<Option<usize>>,
    file: PathBuf,
    is_plain: bool,
}

impl Growing {
    pub fn open(named: &Named, request: &Value) -> Result<(Growing, Value), Failure> {
        let asked = asked(named, request);
        let is_plain = !asked.questions.is_particular();
        let explorer = Explorer::new(&named.file, &asked, MOST_STATES, &named.files)?;
        let growing = Growing {
            explorer,
            expanded: vec![false],
            depth: vec![0],
            ends: vec![false],
            found_by: vec![None],
            file: named.file.clone(),
            is_plain,
        };
        let graph = growing.explorer.graph();
        let names: Vec<String> = graph.values(0, None).into_iter().map(|(name, _)| name).collect();
        let answer = json!({
            "kind": "graph",
            "file": file(&growing.file),
            "names": names,
            "nodes": [growing.node(0)],
            "edges": [],
        });
        Ok((growing, answer))
    }

    pub fn answer(&mut self, what: &str, request: &Value) -> Answer {
        let number = |name: &str| request[name].as_u64().unwrap_or(u64::MAX) as usize;
        match what {
            "get" => Ok(self.since(0, 0, &[])),
            "expand" => {
                let list = request["nodes"].as_array().into_iter().flatten().filter_map(Value::as_u64);
                self.expand(&list.map(|id| id as usize).collect::<Vec<_>>())
            }
            "grow" => self.grow(number("states").min(MOST_NEW)),
            "project" => self.project(request["names"].as_str().unwrap_or_default()),
            "node" => self.detail(number("id")),
            "moves" => self.moves(number("node")),
            _ => Err(Failure::new(404, "a graph has no such request")),
        }
    }

    fn expand(&mut self, nodes: &[usize]) -> Answer {
        let (states, steps) = self.size();
        for &node in nodes.iter().take(MOST_NEW) {
            if node >= self.expanded.len() {
                return Err(Failure::new(404, "there is no such state"));
            }
            self.expand_one(node)?;
        }
        Ok(self.since(states, steps, nodes))
    }

    /// Expands states breadth-first until so many new ones are found.
    fn grow(&mut self, wanted: usize) -> Answer {
        let (states, steps) = self.size();
        let mut order: Vec<usize> = (0..self.expanded.len()).filter(|state| !self.expanded[*state]).collect();
        order.sort_by_key(|state| self.depth[*state]);
        let (mut queue, mut done) = (VecDeque::from(order), Vec::new());
        while let Some(state) = queue.pop_front() {
            if self.size().0 - states >= wanted {
                break;
            }
            queue.extend(self.expand_one(state)?);
            done.push(state);
        }
        Ok(self.since(states, steps, &done))
    }

    fn size(&self) -> (usize, usize) {
        let graph = &self.explorer.graph().graph;
        (graph.states.len(), graph.steps.len())
    }

    fn expand_one(&mut self, state: usize) -> Result<Vec<usize>, Failure> {
        if std::mem::replace(&mut self.expanded[state], true) {
            return Ok(Vec::new());
        }
        let first = self.size().1;
        let full = |_: TooManyStates| Failure::wrong(&"the graph is full: project it, or look at a part of it");
        let new = self.explorer.expand(state as u32).map_err(full)?;
        let steps = &self.explorer.graph().graph.steps;
        self.ends[state] = steps.len() == first;
        let mut by: HashMap<u32, usize> = HashMap::new();
        (first..steps.len()).rev().for_each(|step| {
            by.insert(steps[step].to, step);
        });
        for found in &new {
            self.expanded.push(false);
            self.ends.push(false);
            self.depth.push(self.depth[state] + 1);
            self.found_by.push(by.get(found).copied());
        }
        Ok(new.into_iter().map(|state| state as usize).collect())
    }

    /// The states and steps from these numbers on, and some states again.
    fn since(&self, states: usize, steps: usize, again: &[usize]) -> Value {
        let (all, all_steps) = self.size();
        let old = again.iter().copied().filter(|state| *state < states);
        let nodes: Vec<Value> = old.chain(states..all).map(|state| self.node(state)).collect();
        let edges: Vec<Value> = (steps..all_steps).map(|step| self.edge(step)).collect();
        json!({ "nodes": nodes, "edges": edges, "total": { "nodes": all, "edges": all_steps } })
    }

    fn node(&self, state: usize) -> Value {
        let graph = self.explorer.graph();
        let values: BTreeMap<String, String> = graph.values(state, None).into_iter().collect();
        let expanded = self.expanded[state];
        let ends = expanded && self.ends[state];
        json!({
            "id": state,
            "values": values,
            "open": !expanded,
            "depth": self.depth[state],
            "error": error(graph, state),
            "end": ends,
            "accepting": graph.graph.flags[state].accepting,
            "states": 1,
        })
    }

    fn edge(&self, number: usize) -> Value {
        let graph = self.explorer.graph();
        let step = graph.graph.steps[number];
        let action = &graph.actions[step.action as usize];
        let pid = match step.by {
            Mover::Process(pid) => Some(pid),
            Mover::Observer | Mover::Everybody => None,
        };
        json!({ "from": step.from, "to": step.to, "pid": pid, "process": action.process, "label": action.statements })
    }

    fn project(&self, names: &str) -> Answer {
        let graph = self.explorer.graph();
        let patterns = Patterns::new(names);
        if let Some(unused) = graph.unused(&patterns).first() {
            return Err(Failure::wrong(&format!("`{unused}` is no variable, channel or process")));
        }
        let shown = projected(graph, &patterns, Naming { labels: Labels::Full, visible: None });
        let nodes: Vec<Value> = shown
            .nodes
            .iter()
            .enumerate()
            .map(|(id, node)| {
                let values: BTreeMap<&str, &str> = node.values.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
                let bad = matches!(node.role, Role::Error | Role::Deadlock).then_some("error");
                json!({ "id": id, "values": values, "open": false, "depth": null, "error": bad, "end": false,
                        "accepting": node.accepting, "states": node.states })
            })
            .collect();
        let edges: Vec<Value> = shown
            .steps
            .iter()
            .map(|s| json!({ "from": s.from, "to": s.to, "pid": s.ink, "process": s.process, "label": s.label }))
            .collect();
        Ok(json!({ "nodes": nodes, "edges": edges }))
    }

    /// The states on a shortest known path to a state, and the steps between them.
    fn path(&self, state: usize) -> Result<(Vec<usize>, Vec<usize>), Failure> {
        if state >= self.found_by.len() {
            return Err(Failure::new(404, "there is no such state"));
        }
        let (mut states, mut steps) = (vec![state], Vec::new());
        while let Some(step) = self.found_by[states[states.len() - 1]] {
            steps.push(step);
            states.push(self.explorer.graph().graph.steps[step].from as usize);
        }
        states.reverse();
        steps.reverse();
        Ok((states, steps))
    }

    fn detail(&self, state: usize) -> Answer {
        let (path, _) = self.path(state)?;
        Ok(json!({ "id": state, "values": self.explorer.graph().values(state, None), "path": path }))
    }

    /// The moves along the path to a state, for a simulation: what identifies each of them.
    fn moves(&mut self, state: usize) -> Answer {
        if !self.is_plain {
            return Err(Failure::wrong(&"a graph with a property is not one of the model alone"));
        }
        let (_, steps) = self.path(state)?;
        let mut out = Vec::new();
        for step in steps {
            let step = self.explorer.graph().graph.steps[step];
            for taken in self.explorer.moves(step) {
                let chain: Vec<u32> = taken.chain.iter().map(|edge| edge.0).collect();
                out.push(json!([taken.pid, taken.edge.0, taken.partner.map(|p| (p.pid, p.edge.0)), chain]));
            }
        }
        Ok(out.into())
    }
}

/// The request whose graph is shown: the model, or its product with a property.
fn asked(named: &Named, request: &Value) -> Request {
    let questions = match request["property"].as_str() {
        Some(name) => Questions { properties: vec![name.to_string()], ..Questions::default() },
        None => Questions { safety: true, ignore_claims: true, ..Questions::default() },
    };
    let reductions = Reductions { raw: request["reduced"] != true, ..Reductions::default() };
    Request { source: named.source.clone(), questions, reductions, ..Request::default() }
}

/// The error in a state or in its expansion.
pub(super) fn error(graph: &ModelGraph, state: usize) -> Option<&'static str> {
    let (flags, findings) = (graph.graph.flags[state], &graph.graph.findings[state]);
    match findings.first().map(|finding| &finding.kind) {
        Some(FindingKind::Assertion) => Some("assertion"),
        Some(_) => Some("error"),
        None if flags.invalid_end => Some("invalid end state"),
        None if flags.goal || flags.bad_prefix => Some("error"),
        None => None,
    }
}
