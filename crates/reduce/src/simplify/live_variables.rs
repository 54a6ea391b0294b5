//! Live-variable analysis: the variables whose values may still be read from each location on.

use super::edge::{EdgeChanges, Needs, backward};
use super::faults::Vars;
use super::remotely_read::loads;
use crate::bitset::BitSet;
use kripke_model::ir::{Edge, LocId, Process, ProcessId, Var, VarId, VarRef};

/// The live variables of each location.
pub(super) fn live(process: &Process, remotely_read: &BitSet, globals: &[Var]) -> Vec<BitSet> {
    let vars = Vars { globals, locals: &process.locals };
    let mut liveness =
        Liveness { process, remotely_read, vars, at: vec![remotely_read.clone(); process.locations.len()] };
    liveness.add_reads_of_initial_values();
    liveness.solve();
    liveness.at
}

struct Liveness<'a> {
    process: &'a Process,
    remotely_read: &'a BitSet,
    vars: Vars<'a>,
    at: Vec<BitSet>,
}

impl Liveness<'_> {
    /// Initial values may read locals before any edge could reset them.
    fn add_reads_of_initial_values(&mut self) {
        let entry = &mut self.at[self.process.entry.index()];
        for init in self.process.locals.iter().flat_map(|var| var.init.exprs()) {
            loads(init, &mut |var| {
                if let Some(number) = local(var) {
                    entry.insert(number);
                }
            });
        }
    }

    fn solve(&mut self) {
        let process = self.process;
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); process.locations.len()];
        for (source, location) in process.locations.iter().enumerate() {
            for id in &location.edges {
                before[successor(&process.edges[id.index()]).index()].push(source);
            }
        }
        let mut pending: Vec<usize> = (0..process.locations.len()).collect();
        let mut is_pending = vec![true; process.locations.len()];
        let mut changes = EdgeChanges::default();
        while let Some(at) = pending.pop() {
            is_pending[at] = false;
            let grown = self.visit(at, &mut changes);
            for next in grown.into_iter().flat_map(|at| before[at].iter().copied().chain([at])) {
                if !std::mem::replace(&mut is_pending[next], true) {
                    pending.push(next);
                }
            }
        }
    }

    /// Adds the variables that the edges of a location need. The locations where the set grew.
    fn visit(&mut self, at: usize, changes: &mut EdgeChanges) -> Vec<usize> {
        let mut grown = Vec::new();
        let process = self.process;
        for edge in process.locations[at].edges.iter().map(|id| &process.edges[id.index()]) {
            let mut before = LiveBefore::new(&self.at[successor(edge).index()], self.remotely_read);
            backward(edge, self.vars, &mut before, changes);
            if self.at[at].union_with(&before.live) && !grown.contains(&at) {
                grown.push(at);
            }
            if let Some(entry) = edge.chain {
                // An edge into an indivisible sequence has no effects: the first edge of the sequence does the
                // resets.
                let mut live = self.at[at].clone();
                before.stored.iter().for_each(|number| live.insert(*number));
                if self.at[entry.index()].union_with(&live) {
                    grown.push(entry.index());
                }
            }
        }
        grown
    }
}

/// The successor of an edge in the control-flow graph.
pub(super) fn successor(edge: &Edge) -> LocId {
    edge.chain.unwrap_or(edge.target)
}

/// The live variables during the backward traversal of an edge.
pub(super) struct LiveBefore<'a> {
    live: BitSet,
    remotely_read: &'a BitSet,
    stored: Vec<usize>,
}

impl<'a> LiveBefore<'a> {
    pub fn new(live_after: &BitSet, remotely_read: &'a BitSet) -> LiveBefore<'a> {
        LiveBefore { live: live_after.clone(), remotely_read, stored: Vec::new() }
    }
}

/// The number of a local variable.
pub(super) fn local(var: VarRef) -> Option<usize> {
    match var {
        VarRef::Local(id) => Some(id.index()),
        VarRef::Global(_) => None,
    }
}

impl Needs for LiveBefore<'_> {
    fn needs(&self, var: VarRef) -> bool {
        local(var).is_none_or(|number| self.live.contains(number))
    }

    fn needs_parameter(&self, _: ProcessId, _: usize) -> bool {
        true
    }

    fn read(&mut self, var: VarRef) {
        if let Some(number) = local(var) {
            self.live.insert(number);
        }
    }

    fn read_remotely(&mut self, _: ProcessId, _: VarId) {}

    fn overwritten(&mut self, var: VarRef) {
        if let Some(number) = local(var).filter(|number| !self.remotely_read.contains(*number)) {
            self.live.remove(number);
        }
    }

    fn stored(&mut self, var: VarRef) {
        self.stored.extend(local(var));
    }

    fn bounds_checked(&mut self, _: VarRef) {}

    fn process_ends(&mut self) {
        self.live = self.remotely_read.clone();
    }
}
