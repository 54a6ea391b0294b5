//! The dependence relation, computed from the model before the search.
//!
//! A *control point* is a process instance at a location. For each control point the analysis collects what its
//! transitions read, write, add to and wait for ([`Access`]), and what all transitions reachable from there do
//! ([`Accesses`]). Two accesses are dependent if they use a common resource and do not commute there: a write depends on
//! everything, an addition on reads and writes but not on additions, a read on writes and additions.
//!
//! A row of the relation belongs to a control point and to whether its process is enabled. It has a bit for every control
//! point from which a dependent transition is reachable. The row of a disabled process contains its necessary enabling
//! sets as well: the control points that can produce what its transitions wait for.

use std::cell::Cell;
use std::collections::HashSet;
use std::sync::atomic::AtomicBool;

use super::access::{Access, Alternative, Analysis};
use super::cycle_proviso::back_edges;
use super::instances::{Instance, Instances};
use super::reachable_accesses::{Accesses, GuardedPaths};
use super::resources::Resources;
use super::visible::{ObservedLocations, observed_resources};
use super::{ControlPoint, Independence, Preserve};
use crate::bitset::BitSet;
use kripke_model::ir::{EdgeId, LocId, Model, Process, Then};
use kripke_model::layout::Layout;

/// The most edges that the analysis visits. Every location of a long atomic sequence begins a step of its own.
const MAX_EDGE_VISITS: usize = 1 << 20;

/// The accesses of all control points, from which the relation is built.
pub(super) struct Table<'m> {
    model: &'m Model,
    instances: &'m Instances,
    resources: &'m Resources,
    observed: &'m ObservedLocations,
    traced: &'m HashSet<usize>,
    /// The first control point of each instance.
    first: Vec<u32>,
    /// By control point.
    steps: Vec<Access>,
    /// The alternatives of each control point, and the first control point of its instance.
    alternatives: Vec<(usize, Vec<Alternative>)>,
    /// The number of edges visited so far.
    edge_visits: Cell<usize>,
}

impl<'m> Table<'m> {
    /// Collects the accesses of all control points. The reason, if that takes too long.
    pub fn new(
        model: &'m Model,
        instances: &'m Instances,
        resources: &'m Resources,
        observed: &'m ObservedLocations,
        traced: &'m HashSet<usize>,
    ) -> Result<Table<'m>, &'static str> {
        let (first, steps, alternatives) = (Vec::new(), Vec::new(), Vec::new());
        let edge_visits = Cell::new(0);
        let mut table =
            Table { model, instances, resources, observed, traced, first, steps, alternatives, edge_visits };
        table.fill()?;
        Ok(table)
    }

    fn analysis<'a>(&'a self, instance: Option<&'a Instance>) -> Analysis<'a> {
        Analysis {
            model: self.model,
            instances: self.instances,
            resources: self.resources,
            observed: self.observed,
            committed: self.model.processes.iter().flat_map(|p| &p.locations).any(|l| l.committed),
            claims: self.model.processes.iter().any(|p| !p.claims.is_empty()),
            traced: self.traced,
            edge_visits: &self.edge_visits,
            instance,
        }
    }

    fn fill(&mut self) -> Result<(), &'static str> {
        let back: Vec<HashSet<EdgeId>> = self.model.processes.iter().map(back_edges).collect();
        for instance in &self.instances.all {
            let process = &self.model.processes[instance.process];
            let first = self.steps.len();
            self.first.push(first as u32);
            let analysis = self.analysis(Some(instance));
            let mut found = Vec::new();
            for (at, stored) in stored_locations(process).into_iter().enumerate() {
                found.push(match stored {
                    true => analysis.location(process, instance.process, LocId(at as u32), &back[instance.process]),
                    false => (Access::new(self.resources, 0), Vec::new()),
                });
                if self.edge_visits.get() > MAX_EDGE_VISITS {
                    return Err("the atomic sequences are too long");
                }
            }
            for (access, alternatives) in found {
                self.steps.push(access);
                self.alternatives.push((first, alternatives));
            }
        }
        Ok(())
    }

    /// Builds the relation.
    pub fn finish(mut self, preserve: Preserve, layout: &Layout) -> Independence {
        let mut points = self.control_points(preserve);
        let reachable = self.reachable_accesses(&mut points);
        let words = self.steps.len().div_ceil(64);
        let users = Users::new(&reachable, self.resources.len);
        let mut rows = Vec::with_capacity(2 * words * self.steps.len());
        for step in &self.steps {
            for enabled in [false, true] {
                let mut row = BitSet::new(self.steps.len());
                users.add_dependent(step, !enabled || !step.enabled_together, &mut row);
                rows.extend_from_slice(row.words());
            }
        }
        let masks = rows.chunks(words.max(1)).map(|row| self.masks(row)).collect();
        let by_pid = self.instances.by_pid;
        let alternatives = std::mem::take(&mut self.alternatives);
        let guarded = if by_pid { GuardedPaths::new(alternatives, &self.steps, self.resources, layout) } else { None };
        let has_reduced = AtomicBool::new(false);
        Independence { by_pid, preserve, first: self.first, points, rows, words, masks, guarded, has_reduced }
    }

    fn control_points(&self, preserve: Preserve) -> Vec<ControlPoint> {
        let observed = observed_resources(&self.analysis(None));
        let point = |step: &Access| {
            let visible = step.writes.intersects(&observed) || step.adds.intersects(&observed);
            ControlPoint {
                visible,
                closes_cycle: preserve == Preserve::StutterLtl && step.closes_cycle,
                rendezvous_send: step.rendezvous_send,
                rendezvous_receive: step.rendezvous_receive,
                may_end: step.may_end,
                relevant_ahead: visible || step.may_fail,
                in_startup: false,
            }
        };
        let mut points: Vec<ControlPoint> = self.steps.iter().map(point).collect();
        for (&first, instance) in self.first.iter().zip(&self.instances.all) {
            for (at, in_startup) in instance.in_startup.iter().enumerate() {
                points[first as usize + at].in_startup = *in_startup;
            }
        }
        points
    }

    /// The processes that are dependent on a row at each of their locations, and those that are at some.
    fn masks(&self, row: &[u64]) -> (u64, u64) {
        if !self.instances.by_pid {
            return (0, u64::MAX);
        }
        let (mut always, mut sometimes) = (0, 0);
        for (pid, &first) in self.first.iter().enumerate().take(64) {
            let end = self.first.get(pid + 1).map_or(self.steps.len(), |end| *end as usize);
            let marked = (first as usize..end).filter(|point| row[point / 64] >> (point % 64) & 1 == 1).count();
            always |= u64::from(marked == end - first as usize) << pid;
            sometimes |= u64::from(marked > 0 && marked < end - first as usize) << pid;
        }
        (always, sometimes)
    }

    /// For each control point the control points from which a step leads there.
    fn predecessors(&self) -> Vec<Vec<usize>> {
        let mut sources: Vec<Vec<usize>> = vec![Vec::new(); self.steps.len()];
        for (number, instance) in self.instances.all.iter().enumerate() {
            let first = self.first[number] as usize;
            for at in 0..self.model.processes[instance.process].locations.len() {
                let step = &self.steps[first + at];
                for target in step.targets.iter() {
                    sources[first + target].push(first + at);
                }
                if !self.instances.by_pid {
                    for &process in &step.created {
                        let entry = self.model.processes[process].entry.index();
                        sources[self.first[process] as usize + entry].push(first + at);
                    }
                }
            }
        }
        sources
    }

    /// For each control point the accesses of all transitions reachable from there, of the process and of those that it
    /// creates. Completes [`ControlPoint::relevant_ahead`] in the same fixpoint.
    fn reachable_accesses(&self, points: &mut [ControlPoint]) -> Vec<Accesses> {
        let mut reachable: Vec<Accesses> = self.steps.iter().map(Accesses::of).collect();
        let sources = self.predecessors();
        let mut pending: Vec<usize> = (0..reachable.len()).rev().collect();
        while let Some(point) = pending.pop() {
            for &source in &sources[point] {
                if source == point {
                    continue;
                }
                let relevant = points[point].relevant_ahead && !points[source].relevant_ahead;
                points[source].relevant_ahead |= relevant;
                let (from, into) = pair(&mut reachable, point, source);
                if into.union_with(from) || relevant {
                    pending.push(source);
                }
            }
        }
        reachable
    }
}

fn pair(accesses: &mut [Accesses], from: usize, into: usize) -> (&Accesses, &mut Accesses) {
    if from < into {
        let (left, right) = accesses.split_at_mut(into);
        (&left[from], &mut right[0])
    } else {
        let (left, right) = accesses.split_at_mut(from);
        (&right[0], &mut left[into])
    }
}

/// For each resource the control points from which an access of each kind is reachable.
struct Users {
    reads: Vec<BitSet>,
    writes: Vec<BitSet>,
    adds: Vec<BitSet>,
}

impl Users {
    fn new(reachable: &[Accesses], resources: usize) -> Users {
        let none = || vec![BitSet::new(reachable.len()); resources];
        let mut users = Users { reads: none(), writes: none(), adds: none() };
        for (point, accesses) in reachable.iter().enumerate() {
            accesses.reads.iter().for_each(|n| users.reads[n].insert(point));
            accesses.writes.iter().for_each(|n| users.writes[n].insert(point));
            accesses.adds.iter().for_each(|n| users.adds[n].insert(point));
        }
        users
    }

    /// Adds the control points dependent on a step to a row, and the step's necessary enabling sets if it may wait.
    fn add_dependent(&self, step: &Access, waits: bool, row: &mut BitSet) {
        let mut add = |resources: &BitSet, users: &[&Vec<BitSet>]| {
            for n in resources.iter() {
                users.iter().for_each(|of| {
                    row.union_with(&of[n]);
                });
            }
        };
        add(&step.writes, &[&self.reads, &self.writes, &self.adds]);
        add(&step.adds, &[&self.reads, &self.writes]);
        add(&step.reads, &[&self.writes, &self.adds]);
        if waits {
            add(&step.waits, &[&self.writes, &self.adds]);
        }
    }
}

/// For each location whether the process can be there in a stored state. Locations inside of an indivisible sequence are
/// part of the step that begins it.
fn stored_locations(process: &Process) -> Vec<bool> {
    let mut stored = vec![false; process.locations.len()];
    stored[process.entry.index()] = true;
    for edge in process.edges.iter().filter(|edge| edge.chain.is_none() && edge.then != Then::Chain) {
        stored[edge.target.index()] = true;
    }
    stored
}
