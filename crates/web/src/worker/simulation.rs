//! A run that is simulated or replayed, with all its histories as a tree.

use std::collections::HashMap;
use std::path::PathBuf;

use kripke::stepping::{Opened, Session, Stop, Walked};
use kripke_model::interpret::Move;
use kripke_report::stepping::{self, Value as Variable};
use serde_json::{Value, json};

use super::Answer;
use super::failure::Failure;
use super::files::Named;
use super::model::shown;
use super::session::file;
use super::trace::Table;
use super::why::{self, Why};

/// The most steps of a walk, and the most nodes of a tree.
const MOST_STEPS: usize = 10_000;
const MOST_NODES: usize = 200_000;

/// A state of the tree of histories.
struct Node {
    parent: Option<usize>,
    /// The index of the move that leads to it from its parent; none where the trail goes on without a move of the model.
    index: Option<usize>,
    step: usize,
    told: Value,
}

/// A simulation or a counterexample.
pub(super) struct Simulation {
    pub(super) session: Session,
    pub(super) why: Why,
    pub(super) table: Option<Table>,
    pub(super) watches: Vec<String>,
    file: PathBuf,
    is_trace: bool,
    tree: Vec<Node>,
    /// The nodes by their parents and moves.
    children: HashMap<(usize, Option<usize>), usize>,
    /// The nodes of the run of the session, with those after the current one.
    path: Vec<usize>,
    /// The number of the first nodes that are the trail.
    trail: usize,
    /// The number of nodes that the client knows.
    sent: usize,
}

impl Simulation {
    pub fn open(named: &Named, request: &Value) -> Result<Simulation, Failure> {
        let seed = request["seed"].as_u64().unwrap_or(1);
        let (opened, why) = match request["trail"].as_str() {
            Some(text) => why::open(named, text, seed)?,
            None => (Opened::simulation(&named.file, &named.source, true, seed, &named.files)?, Why::default()),
        };
        let root = Node { parent: None, index: None, step: 0, told: json!({}) };
        let mut run = Simulation {
            session: opened.session,
            why,
            table: None,
            watches: Vec::new(),
            file: named.file.clone(),
            is_trace: request["kind"] == "trace",
            tree: vec![root],
            children: HashMap::new(),
            path: vec![0],
            trail: 0,
            sent: 0,
        };
        if !run.is_trace {
            let length = run.session.len();
            run.remember(0, length);
            run.trail = run.path.len();
            let at = request["at"].as_u64().unwrap_or(0) as usize;
            run.session.jump(at.min(length));
            run.follow(request)?;
        }
        Ok(run)
    }

    /// Takes the moves that a graph has named: process, edge, partner and sequence of each.
    fn follow(&mut self, request: &Value) -> Result<(), Failure> {
        for wanted in request["moves"].as_array().into_iter().flatten() {
            let is_same = |m: &Move| {
                let chain: Vec<u32> = m.chain.iter().map(|edge| edge.0).collect();
                json!([m.pid, m.edge.0, m.partner.map(|p| (p.pid, p.edge.0)), chain]) == *wanted
            };
            let index = self.session.moves().iter().position(is_same);
            self.take(index.ok_or_else(|| Failure::wrong(&"the path can't be simulated"))?)?;
        }
        Ok(())
    }

    pub fn answer(&mut self, what: &str, request: &Value) -> Answer {
        let number = |name: &str| request[name].as_u64().unwrap_or(u64::MAX) as usize;
        match what {
            "get" => return Ok(self.whole()),
            "take" => self.take(number("index"))?,
            "go" => self.go(number("node"))?,
            "random" => {
                let walked = self.session.random(number("steps").min(MOST_STEPS));
                return self.walked(walked);
            }
            "until" => {
                let condition = request["condition"].as_str().unwrap_or_default();
                let walked = self.session.until(condition, number("steps").min(MOST_STEPS))?;
                return self.walked(walked);
            }
            "watch" => return self.watch(request),
            "trace" => return self.trace(),
            "steps" => return self.steps(number("from"), number("count").min(5_000)),
            "chart" => return self.chart(number("from"), number("to")),
            "export" => return self.export(request["format"].as_str().unwrap_or_default()),
            _ => return Err(Failure::new(404, "a run has no such request")),
        }
        Ok(self.news())
    }

    /// The number of steps that the table, the chart and the files have.
    pub(super) fn length(&self) -> usize {
        if self.is_trace { self.session.len() } else { self.session.at() }
    }

    /// The answer with all nodes of the tree.
    pub fn whole(&mut self) -> Value {
        self.sent = 0;
        self.news()
    }

    /// The answer with the nodes that the client does not know.
    fn news(&mut self) -> Value {
        let nodes: Vec<Value> = (self.sent..self.tree.len()).map(|id| self.node(id)).collect();
        self.sent = self.tree.len();
        json!({
            "kind": if self.is_trace { "trace" } else { "simulation" },
            "file": file(&self.file),
            "node": self.path.get(self.session.at()),
            "state": self.state(),
            "tree": nodes,
        })
    }

    fn node(&self, id: usize) -> Value {
        let Node { parent, step, told, .. } = &self.tree[id];
        let mut value = json!({ "id": id, "parent": parent, "step": step });
        if let (Some(value), Some(told)) = (value.as_object_mut(), told.as_object()) {
            value.extend(told.clone());
        }
        value
    }

    fn take(&mut self, index: usize) -> Result<(), Failure> {
        if self.tree.len() >= MOST_NODES {
            return Err(Failure::new(422, "the tree of histories is full: open another simulation"));
        }
        if !self.session.take(index) {
            return Err(Failure::new(409, "there is no such move"));
        }
        self.arrived(Some(index));
        Ok(())
    }

    /// Adds the state that the session has come to by a step from the state before.
    fn arrived(&mut self, index: Option<usize>) {
        let step = self.session.at();
        let parent = self.path[step - 1];
        let next = self.tree.len();
        let id = *self.children.entry((parent, index)).or_insert(next);
        if id == next {
            let told = self.told(step);
            self.tree.push(Node { parent: Some(parent), index, step, told });
        }
        if self.path.get(step) != Some(&id) {
            self.path.truncate(step);
            self.path.push(id);
        }
    }

    /// Adds the states of a part of the run, which the session has gone along.
    fn remember(&mut self, start: usize, end: usize) {
        for step in start..end {
            self.session.jump(step);
            let index = self.session.moves().iter().position(|chosen| self.session.is_next(chosen));
            self.session.forward();
            self.arrived(index);
        }
        self.session.jump(end);
    }

    fn walked(&mut self, walked: Walked) -> Answer {
        let end = self.session.at();
        self.remember(end - walked.steps, end);
        let mut answer = self.news();
        answer["walked"] = walked.to_string().into();
        answer["stopped"] = matches!(walked.stop, Stop::Condition | Stop::Error | Stop::NoMove).into();
        Ok(answer)
    }

    fn go(&mut self, node: usize) -> Result<(), Failure> {
        if node >= self.tree.len() {
            return Err(Failure::new(404, "there is no such state"));
        }
        let mut target = vec![node];
        while let Some(parent) = self.tree[target[target.len() - 1]].parent {
            target.push(parent);
        }
        target.reverse();
        if node < self.trail && self.session.rejoin() {
            self.path = (0..self.trail).collect();
        }
        let common = self.path.iter().zip(&target).take_while(|(a, b)| a == b).count();
        self.session.jump(common - 1);
        for id in &target[common..] {
            let index = self.tree[*id].index;
            if !index.is_some_and(|index| self.session.take(index)) {
                return Err(Failure::new(409, "the state can't be reached again"));
            }
            self.path.truncate(self.session.at());
            self.path.push(*id);
        }
        Ok(())
    }

    fn watch(&mut self, request: &Value) -> Answer {
        let wanted: Vec<String> = request["expressions"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(String::from)
            .collect();
        if wanted.len() > 100 {
            return Err(Failure::new(422, "at most 100 expressions are watched"));
        }
        for text in &wanted {
            self.session.evaluate(text)?;
        }
        for old in std::mem::take(&mut self.watches) {
            self.session.watch(&old)?;
        }
        for text in wanted {
            if !self.watches.contains(&text) {
                self.session.watch(&text)?;
                self.watches.push(text);
            }
        }
        self.table = None;
        if self.is_trace { self.columns() } else { Ok(self.news()) }
    }

    /// The current state.
    fn state(&self) -> Value {
        let (session, run) = (&self.session, self.session.run());
        let at = session.at();
        let name = |file: kripke_model::ir::FileId| run.model().files.get(file.index()).map(|f| shown(&f.name));
        let groups = stepping::variables_of(run, session.names(), at);
        let groups: Vec<Value> = groups
            .iter()
            .map(|g| {
                json!({
                    "owner": g.owner.as_ref().map(|(_, name)| name),
                    "pid": g.owner.as_ref().map(|(pid, _)| pid),
                    "file": g.place.and_then(|(file, _)| name(file)),
                    "line": g.place.map(|(_, line)| line),
                    "values": g.values.iter().map(variable).collect::<Vec<_>>(),
                })
            })
            .collect();
        let queues = stepping::queues(run, session.names(), at);
        let queues: Vec<Value> = queues
            .iter()
            .map(|q| json!({ "name": q.name, "capacity": q.capacity, "messages": q.messages, "changed": q.changed }))
            .collect();
        let marks = stepping::marks(run, session.names(), at, session.moves());
        let marks: Vec<Value> = marks
            .iter()
            .map(|m| json!({ "file": name(m.file), "line": m.line, "pid": m.pid, "process": m.process, "enabled": m.enabled }))
            .collect();
        let output = at.checked_sub(1).and_then(|last| run.moves().get(last)).map_or("", |m| m.output.as_str());
        json!({
            "step": at,
            "moves": session.moves().iter().enumerate().map(|(i, m)| self.choice(i, m)).collect::<Vec<_>>(),
            "groups": groups,
            "queues": queues,
            "marks": marks,
            "locations": self.locations(at),
            "watched": session.watched().iter().map(variable).collect::<Vec<_>>(),
            "remarks": session.remarks().iter().map(ToString::to_string).collect::<Vec<_>>(),
            "output": output,
        })
    }

    /// The process numbers and locations after some steps.
    pub(super) fn locations(&self, step: usize) -> Value {
        let run = self.session.run();
        if run.ends_at(step) {
            return json!([]);
        }
        run.view(step).processes.iter().map(|p| json!([p.pid, p.location.0])).collect()
    }

    fn choice(&self, index: usize, chosen: &Move) -> Value {
        let mut value = self.told_move(chosen);
        value["index"] = index.into();
        value["next"] = self.session.is_next(chosen).into();
        value
    }

    /// The step that leads to a state, in words.
    fn told(&self, step: usize) -> Value {
        self.session.run().moves().get(step - 1).map_or(json!({}), |taken| self.told_move(taken))
    }

    pub(super) fn told_move(&self, taken: &Move) -> Value {
        let run = self.session.run();
        let past = stepping::past(run, self.session.names(), taken);
        let place = stepping::place_of(run, taken);
        let file = place.and_then(|(file, _)| run.model().files.get(file.index())).map(|file| shown(&file.name));
        let error = taken.findings.first().map(|f| kripke_report::explanation::headline(run.model(), run.lines(), f));
        json!({
            "pid": past.pid,
            "process": past.process,
            "statement": past.statement,
            "file": file,
            "line": place.map(|(_, line)| line),
            "output": past.output,
            "error": error,
            "partner": taken.partner.map(|partner| partner.pid),
        })
    }
}

fn variable(value: &Variable) -> Value {
    json!({ "name": value.name, "value": value.value, "was": value.was })
}
