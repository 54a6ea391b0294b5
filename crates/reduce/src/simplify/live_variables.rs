//! What is live at each location of a process: what may still be read from there on.

use super::edge::{Needs, Plan, backward};
use super::faults::Vars;
use super::remotely_read::loads;
use super::set::Set;
use kripke_model::ir::{Edge, LocId, Process, ProcessId, Var, VarId, VarRef};

/// For each location, the variables live there.
pub(super) fn live(process: &Process, pinned: &Set, globals: &[Var]) -> Vec<Set> {
    let vars = Vars { globals, locals: &process.locals };
    let mut liveness = Liveness { process, pinned, vars, at: vec![pinned.clone(); process.locations.len()] };
    liveness.keep_what_others_start_with();
    liveness.spread();
    liveness.at
}

struct Liveness<'a> {
    process: &'a Process,
    pinned: &'a Set,
    vars: Vars<'a>,
    at: Vec<Set>,
}

impl Liveness<'_> {
    /// Between creation and the entry nothing can be reset.
    fn keep_what_others_start_with(&mut self) {
        let entry = &mut self.at[self.process.entry.index()];
        for init in self.process.locals.iter().flat_map(|var| var.init.exprs()) {
            loads(init, &mut |var| {
                if let Some(number) = local(var) {
                    entry.add(number);
                }
            });
        }
    }

    fn spread(&mut self) {
        let process = self.process;
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); process.locations.len()];
        for (source, location) in process.locations.iter().enumerate() {
            for id in &location.edges {
                before[after(&process.edges[id.index()]).index()].push(source);
            }
        }
        let mut waiting: Vec<usize> = (0..process.locations.len()).collect();
        let mut is_waiting = vec![true; process.locations.len()];
        let mut plan = Plan::default();
        while let Some(at) = waiting.pop() {
            is_waiting[at] = false;
            let grown = self.visit(at, &mut plan);
            for next in grown.into_iter().flat_map(|at| before[at].iter().copied().chain([at])) {
                if !std::mem::replace(&mut is_waiting[next], true) {
                    waiting.push(next);
                }
            }
        }
    }

    /// Makes live at a location what its edges need. Where more is live now.
    fn visit(&mut self, at: usize, plan: &mut Plan) -> Vec<usize> {
        let mut grown = Vec::new();
        let process = self.process;
        for edge in process.locations[at].edges.iter().map(|id| &process.edges[id.index()]) {
            let mut before = Before::new(&self.at[after(edge).index()], self.pinned);
            backward(edge, self.vars, &mut before, plan);
            if self.at[at].include(&before.live) && !grown.contains(&at) {
                grown.push(at);
            }
            if let Some(entry) = edge.chain {
                // No effect can reset anything on the way into an indivisible sequence: its first edge has to.
                let mut live = self.at[at].clone();
                before.stored.iter().for_each(|number| live.add(*number));
                if self.at[entry.index()].include(&live) {
                    grown.push(entry.index());
                }
            }
        }
        grown
    }
}

/// Where an edge leads to in the graph.
pub(super) fn after(edge: &Edge) -> LocId {
    edge.chain.unwrap_or(edge.target)
}

/// What is live while one goes backwards through an edge.
pub(super) struct Before<'a> {
    live: Set,
    pinned: &'a Set,
    stored: Vec<usize>,
}

impl<'a> Before<'a> {
    pub fn new(after: &Set, pinned: &'a Set) -> Before<'a> {
        Before { live: after.clone(), pinned, stored: Vec::new() }
    }
}

/// The number of a variable of the process.
pub(super) fn local(var: VarRef) -> Option<usize> {
    match var {
        VarRef::Local(id) => Some(id.index()),
        VarRef::Global(_) => None,
    }
}

impl Needs for Before<'_> {
    fn needs(&self, var: VarRef) -> bool {
        local(var).is_none_or(|number| self.live.contains(number))
    }

    fn needs_parameter(&self, _: ProcessId, _: usize) -> bool {
        true
    }

    fn read(&mut self, var: VarRef) {
        if let Some(number) = local(var) {
            self.live.add(number);
        }
    }

    fn read_remotely(&mut self, _: ProcessId, _: VarId) {}

    fn overwritten(&mut self, var: VarRef) {
        if let Some(number) = local(var).filter(|number| !self.pinned.contains(*number)) {
            self.live.remove(number);
        }
    }

    fn stored(&mut self, var: VarRef) {
        self.stored.extend(local(var));
    }

    fn probed(&mut self, _: VarRef) {}

    fn removed(&mut self) {
        self.live = self.pinned.clone();
    }
}
