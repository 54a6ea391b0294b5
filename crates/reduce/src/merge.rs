//! Statement merging: an invisible local step is merged with the step before it.
//!
//! A step is *local* if whether it is enabled, and what it does, depends only on variables of its own process that no
//! other process reads. It commutes with all steps of other processes, so it is executed at once, and the
//! intermediate state is not stored (Holzmann, *The engineering of a model checker: the Gnu
//! i-protocol case study revisited*, 1999).
//!
//! Preserved: deadlocks, assertions, faults, reachability and LTL without `X`. Every cycle of a process keeps a
//! location at which other processes can move. Not preserved: fairness, `X`, CTL and hand-written automata, which
//! count steps.

use std::collections::HashSet;

use crate::writes::writes;
use kripke_model::ir::{
    Edge, EdgeId, Effect, Expr, Guard, LocId, Model, Place, Process, Scheduling, Then, VarId, VarRef,
};

/// The parts of processes that other processes or the property can observe.
#[derive(Default)]
struct Observed {
    /// Locals that are read remotely, by process type.
    locals: HashSet<(u32, VarId)>,
    locations: HashSet<(u32, LocId)>,
    /// The property may read labels of locations.
    labels: bool,
    /// Some expression reads the location of any process, or whether it is enabled.
    any_location: bool,
    written: HashSet<VarId>,
}

/// Merges every invisible local step with the step before it. Returns the number of merged steps.
pub fn merge(model: &mut Model) -> usize {
    let observed = Observed::of(model);
    let ordinary = model.scheduling == Scheduling::Interleaved && !model.uses_priorities && !model.uses_last;
    let committed = model.processes.iter().flat_map(|p| &p.locations).any(|l| l.committed);
    if observed.any_location || !ordinary || committed || model.processes.iter().any(|p| p.provided.is_some()) {
        return 0;
    }
    let processes = model.processes.iter_mut().enumerate();
    let merged = processes.map(|(number, process)| merge_process(process, number as u32, &observed)).sum();
    model.debug_validate("merging");
    merged
}

/// Merges the steps that are merged in another model with the same processes.
pub fn merge_like(model: &mut Model, other: &Model) {
    for (process, other) in model.processes.iter_mut().zip(&other.processes) {
        process.edges.iter_mut().zip(&other.edges).for_each(|(edge, other)| edge.then = other.then);
    }
    model.debug_validate("merging like another model");
}

impl Observed {
    fn of(model: &Model) -> Observed {
        let mut observed = Observed { labels: model.observer.is_some(), ..Observed::default() };
        let mut see = |expr: &Expr| match expr {
            Expr::Remote { process, place: Place { var: VarRef::Local(var), .. }, .. } => {
                observed.locals.insert((process.0, *var));
            }
            Expr::At { process, locations, .. } => {
                observed.locations.extend(locations.iter().map(|location| (process.0, *location)));
            }
            Expr::Enabled(_) | Expr::Location(_) => observed.any_location = true,
            _ => {}
        };
        let observers = model.observer.iter().map(|o| &o.automaton);
        model.processes.iter().chain(observers).for_each(|process| process.walk(&mut see));
        model.goal.iter().for_each(|goal| goal.condition.walk(&mut see));
        let observers = model.observer.iter().map(|o| &o.automaton);
        for edge in model.processes.iter().chain(observers).flat_map(|p| &p.edges) {
            writes(edge, &mut |var| {
                if let VarRef::Global(var) = var {
                    observed.written.insert(var);
                }
            });
        }
        observed
    }
}

fn merge_process(process: &mut Process, number: u32, observed: &Observed) -> usize {
    // The end of a sequence that keeps control is not known statically.
    if process.edges.iter().any(|e| e.chain.is_some() && e.then == Then::Keep) {
        return 0;
    }
    let local = local(process, number, observed);
    let mut graph = ControlGraph::of(process);
    let mut merged = 0;
    for at in 0..process.locations.len() {
        for id in process.locations[at].edges.clone() {
            let edge = &process.edges[id.index()];
            let (from, target) = (LocId(at as u32), edge.target);
            let removes = edge.effects.iter().any(|e| matches!(e, Effect::Remove));
            let candidate = edge.then == Then::Yield && edge.chain.is_none() && !removes;
            if candidate && local[target.index()] && graph.may_keep(process, from, target) {
                process.edges[id.index()].then = Then::Keep;
                graph.add(from, target);
                merged += 1;
            }
        }
    }
    merged
}

/// The most locations in one merged step. Each location of a sequence begins a step of its own, so time and code grow
/// with the square of its length.
const MAX_MERGED_LOCATIONS: usize = 256;

/// The edges of a process that keep control, as a graph of its locations.
struct ControlGraph {
    next: Vec<Vec<LocId>>,
    previous: Vec<Vec<LocId>>,
    /// The number of the last visit to each location.
    visited: Vec<u32>,
    visits: u32,
}

impl ControlGraph {
    fn of(process: &Process) -> ControlGraph {
        let none = || vec![Vec::new(); process.locations.len()];
        let mut graph =
            ControlGraph { next: none(), previous: none(), visited: vec![0; process.locations.len()], visits: 0 };
        for (source, location) in process.locations.iter().enumerate() {
            for edge in location.edges.iter().map(|id: &EdgeId| &process.edges[id.index()]) {
                if edge.then == Then::Keep {
                    graph.add(LocId(source as u32), edge.target);
                }
            }
        }
        graph
    }

    fn add(&mut self, from: LocId, to: LocId) {
        self.next[from.index()].push(to);
        self.previous[to.index()].push(from);
    }

    /// True if the edge between two locations may keep control. It may not if
    ///
    /// * it closes a cycle of such edges, on which no other process could move;
    /// * it puts one choice behind another: intermediate states are not stored and so not recognised, and the paths
    ///   would multiply;
    /// * the merged step would be too long.
    fn may_keep(&mut self, process: &Process, from: LocId, to: LocId) -> bool {
        let Some(behind) = self.reached(to, false).filter(|behind| !behind.contains(&from)) else { return false };
        let Some(before) = self.reached(from, true) else { return false };
        let chooses = |at: &LocId| process.locations[at.index()].edges.len() > 1;
        let entered = |at: &LocId| !self.previous[at.index()].is_empty();
        behind.len() + before.len() <= MAX_MERGED_LOCATIONS
            && !(behind.iter().any(chooses) && before.iter().any(|at| entered(at) && chooses(at)))
    }

    /// A location and all locations that edges which keep control lead to, or come from. None if these are too many.
    fn reached(&mut self, root: LocId, backward: bool) -> Option<Vec<LocId>> {
        let steps = if backward { &self.previous } else { &self.next };
        self.visits += 1;
        self.visited[root.index()] = self.visits;
        let mut found = vec![root];
        let mut at = 0;
        while let Some(location) = found.get(at) {
            for step in &steps[location.index()] {
                if self.visited[step.index()] != self.visits {
                    self.visited[step.index()] = self.visits;
                    found.push(*step);
                }
            }
            if found.len() > MAX_MERGED_LOCATIONS {
                return None;
            }
            at += 1;
        }
        Some(found)
    }
}

/// For each location whether all steps from there, up to the next one that yields, are local. A sequence that keeps
/// control may begin with local edges and continue with others.
fn local(process: &Process, number: u32, observed: &Observed) -> Vec<bool> {
    let mut local: Vec<bool> =
        (0..process.locations.len()).map(|at| is_local(process, LocId(at as u32), number, observed)).collect();
    let mut into: Vec<Vec<usize>> = vec![Vec::new(); local.len()];
    for (source, location) in process.locations.iter().enumerate() {
        let edges = location.edges.iter().map(|id| &process.edges[id.index()]);
        edges.filter(|edge| edge.then == Then::Keep).for_each(|edge| into[edge.target.index()].push(source));
    }
    let mut todo: Vec<usize> = (0..local.len()).filter(|at| !local[*at]).collect();
    while let Some(at) = todo.pop() {
        for source in &into[at] {
            if std::mem::replace(&mut local[*source], false) {
                todo.push(*source);
            }
        }
    }
    local
}

/// True if all edges of a location are local. The locations on both sides must be unobserved: a process that leaves
/// an observed location and comes back to it would never be seen elsewhere.
fn is_local(process: &Process, at: LocId, number: u32, observed: &Observed) -> bool {
    let is_observed = |at: LocId| {
        let location = &process.locations[at.index()];
        observed.labels && (location.accept || location.progress) || observed.locations.contains(&(number, at))
    };
    let location = &process.locations[at.index()];
    let mut edges = location.edges.iter().map(|id| &process.edges[id.index()]);
    !location.edges.is_empty()
        && !is_observed(at)
        && edges.all(|edge| !is_observed(edge.target) && is_local_edge(edge, number, observed))
}

fn is_local_edge(edge: &Edge, number: u32, observed: &Observed) -> bool {
    let own = |expr: &Expr| is_own(expr, observed);
    let guard = match &edge.guard {
        Guard::Always | Guard::Else => true,
        Guard::When(condition) => own(condition),
        Guard::Youngest => false,
    };
    let effect = |effect: &Effect| match effect {
        Effect::Assign(Place { var: VarRef::Local(var), index }, value) => {
            !observed.locals.contains(&(number, *var)) && index.iter().all(own) && own(value)
        }
        Effect::Assert(condition) | Effect::Require { condition, .. } => own(condition),
        // The order of output does not count. Its evaluation cannot fail: a `Require` before it finds faults.
        Effect::Print(_) => true,
        _ => false,
    };
    let plain = edge.sync.is_none() && edge.chain.is_none() && edge.then != Then::Chain && edge.level == 0;
    plain && guard && edge.effects.iter().all(effect)
}

/// True if no other process can change the value of the expression.
fn is_own(expr: &Expr, observed: &Observed) -> bool {
    let mut own = true;
    expr.walk(&mut |part| {
        own &= match part {
            Expr::Load(Place { var: VarRef::Global(var), .. }) => !observed.written.contains(var),
            Expr::Const(_) | Expr::Pid | Expr::Load(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Cond(_) => true,
            _ => false,
        };
    });
    own
}
