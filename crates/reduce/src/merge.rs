//! Virtual coarsening: actions of a process that nobody else can observe are glued to the one before them.
//!
//! Whether such an action can be taken, and what it does, depends only on variables of its own process that nobody else
//! reads, so it does not matter when it is taken: at once will do. States in between are not stored. What a run shows to
//! others stays the same but for stuttering, deadlocks and failed assertions are kept, and every cycle of a process
//! keeps a place where others may move. Not for what counts steps: fairness, `X`, CTL, automata written by hand.

use std::collections::HashSet;

use crate::writes::writes;
use kripke_model::ir::{
    Edge, EdgeId, Effect, Expr, Guard, LocId, Model, Place, Process, Scheduling, Then, VarId, VarRef,
};

/// What others can see of processes.
#[derive(Default)]
struct Seen {
    /// Locals that are read from outside, by process type.
    locals: HashSet<(u32, VarId)>,
    locations: HashSet<(u32, LocId)>,
    /// Labels of locations may count.
    labels: bool,
    /// Something asks where any process is, or whether it could move.
    everything: bool,
    written: HashSet<VarId>,
}

/// Merges every invisible local step with the step before it. Returns the number of merged steps.
pub fn merge(model: &mut Model) -> usize {
    let seen = Seen::of(model);
    let ordinary = model.scheduling == Scheduling::Interleaved && !model.uses_priorities && !model.uses_last;
    let committed = model.processes.iter().flat_map(|p| &p.locations).any(|l| l.committed);
    if seen.everything || !ordinary || committed || model.processes.iter().any(|p| p.provided.is_some()) {
        return 0;
    }
    let processes = model.processes.iter_mut().enumerate();
    let merged = processes.map(|(number, process)| merge_process(process, number as u32, &seen)).sum();
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

impl Seen {
    fn of(model: &Model) -> Seen {
        let mut seen = Seen { labels: model.observer.is_some(), ..Seen::default() };
        let mut see = |expr: &Expr| match expr {
            Expr::Remote { process, place: Place { var: VarRef::Local(var), .. }, .. } => {
                seen.locals.insert((process.0, *var));
            }
            Expr::At { process, locations, .. } => {
                seen.locations.extend(locations.iter().map(|location| (process.0, *location)));
            }
            Expr::Enabled(_) | Expr::Location(_) => seen.everything = true,
            _ => {}
        };
        let observers = model.observer.iter().map(|o| &o.automaton);
        model.processes.iter().chain(observers).for_each(|process| process.walk(&mut see));
        model.goal.iter().for_each(|goal| goal.condition.walk(&mut see));
        let observers = model.observer.iter().map(|o| &o.automaton);
        for edge in model.processes.iter().chain(observers).flat_map(|p| &p.edges) {
            writes(edge, &mut |var| {
                if let VarRef::Global(var) = var {
                    seen.written.insert(var);
                }
            });
        }
        seen
    }
}

fn merge_process(process: &mut Process, number: u32, seen: &Seen) -> usize {
    // Where a sequence that keeps control ends is not known beforehand.
    if process.edges.iter().any(|e| e.chain.is_some() && e.then == Then::Keep) {
        return 0;
    }
    let local = local(process, number, seen);
    let mut kept = Kept::of(process);
    let mut glued = 0;
    for at in 0..process.locations.len() {
        for id in process.locations[at].edges.clone() {
            let edge = &process.edges[id.index()];
            let (from, target) = (LocId(at as u32), edge.target);
            let removes = edge.effects.iter().any(|e| matches!(e, Effect::Remove));
            let candidate = edge.then == Then::Yield && edge.chain.is_none() && !removes;
            if candidate && local[target.index()] && kept.may_keep(process, from, target) {
                process.edges[id.index()].then = Then::Keep;
                kept.add(from, target);
                glued += 1;
            }
        }
    }
    glued
}

/// So many locations may be part of one merged step. Each location of a sequence begins a step of its own, so a sequence without
/// this bound takes time and code that grow with the square of its length.
const LONGEST: usize = 256;

/// The edges of a process after which it keeps control, as a graph of its locations.
struct Kept {
    next: Vec<Vec<LocId>>,
    previous: Vec<Vec<LocId>>,
    /// When each location was visited last.
    visited: Vec<u32>,
    visits: u32,
}

impl Kept {
    fn of(process: &Process) -> Kept {
        let none = || vec![Vec::new(); process.locations.len()];
        let mut kept = Kept { next: none(), previous: none(), visited: vec![0; process.locations.len()], visits: 0 };
        for (source, location) in process.locations.iter().enumerate() {
            for edge in location.edges.iter().map(|id: &EdgeId| &process.edges[id.index()]) {
                if edge.then == Then::Keep {
                    kept.add(LocId(source as u32), edge.target);
                }
            }
        }
        kept
    }

    fn add(&mut self, from: LocId, to: LocId) {
        self.next[from.index()].push(to);
        self.previous[to.index()].push(from);
    }

    /// May a step from one location to another let nobody else in? Not if that closes a circle in which nobody ever is, and
    /// not if it puts one choice behind another: what is not stored is not recognised either, so choices would multiply,
    /// while stored states in between come together again. Nor if the merged step would be too long.
    fn may_keep(&mut self, process: &Process, from: LocId, to: LocId) -> bool {
        let Some(behind) = self.reached(to, false).filter(|behind| !behind.contains(&from)) else { return false };
        let Some(before) = self.reached(from, true) else { return false };
        let chooses = |at: &LocId| process.locations[at.index()].edges.len() > 1;
        let entered = |at: &LocId| !self.previous[at.index()].is_empty();
        behind.len() + before.len() <= LONGEST
            && !(behind.iter().any(chooses) && before.iter().any(|at| entered(at) && chooses(at)))
    }

    /// A location and all that steps which let nobody in lead to, or come from; none if these are too many.
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
            if found.len() > LONGEST {
                return None;
            }
            at += 1;
        }
        Some(found)
    }
}

/// For each location whether all that the process does from there, until it lets others in, concerns nobody else: a sequence
/// that keeps control may begin with what nobody sees and go on with what everybody does.
fn local(process: &Process, number: u32, seen: &Seen) -> Vec<bool> {
    let mut local: Vec<bool> =
        (0..process.locations.len()).map(|at| is_local(process, LocId(at as u32), number, seen)).collect();
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

/// Whatever the process does next from here concerns nobody else. That includes where it comes to: one who leaves a place that is
/// looked at and comes back to it would never be seen to be away.
fn is_local(process: &Process, at: LocId, number: u32, seen: &Seen) -> bool {
    let shows = |at: LocId| {
        let location = &process.locations[at.index()];
        seen.labels && (location.accept || location.progress) || seen.locations.contains(&(number, at))
    };
    let location = &process.locations[at.index()];
    let mut edges = location.edges.iter().map(|id| &process.edges[id.index()]);
    !location.edges.is_empty()
        && !shows(at)
        && edges.all(|edge| !shows(edge.target) && is_local_edge(edge, number, seen))
}

fn is_local_edge(edge: &Edge, number: u32, seen: &Seen) -> bool {
    let own = |expr: &Expr| is_own(expr, seen);
    let guard = match &edge.guard {
        Guard::Always | Guard::Else => true,
        Guard::When(condition) => own(condition),
        Guard::Youngest => false,
    };
    let effect = |effect: &Effect| match effect {
        Effect::Assign(Place { var: VarRef::Local(var), index }, value) => {
            !seen.locals.contains(&(number, *var)) && index.iter().all(own) && own(value)
        }
        Effect::Assert(condition) | Effect::Require { condition, .. } => own(condition),
        // Of what is shown, the order does not count, as long as working it out can't go wrong in between.
        Effect::Print(_) => true,
        _ => false,
    };
    let plain = edge.sync.is_none() && edge.chain.is_none() && edge.then != Then::Chain && edge.level == 0;
    plain && guard && edge.effects.iter().all(effect)
}

/// Nobody else can change what the expression says.
fn is_own(expr: &Expr, seen: &Seen) -> bool {
    let mut own = true;
    expr.walk(&mut |part| {
        own &= match part {
            Expr::Load(Place { var: VarRef::Global(var), .. }) => !seen.written.contains(var),
            Expr::Const(_) | Expr::Pid | Expr::Load(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Cond(_) => true,
            _ => false,
        };
    });
    own
}
