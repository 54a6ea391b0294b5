//! Visibility (C2): the resources and locations that the property reads.
//!
//! A transition is *visible* if it writes a resource that the property reads.

use std::collections::HashSet;

use super::access::{Access, Analysis};
use super::instances::Instances;
use super::resources::Resources;
use crate::bitset::BitSet;
use kripke_model::ir::{Expr, LocId, Model, Sync};

/// The locations of each process type that an expression of the model or of the property reads.
pub(super) type ObservedLocations = Vec<HashSet<LocId>>;

/// The locations that are tested by name, and those whose labels the property reads.
pub(super) fn observed_locations(model: &Model) -> ObservedLocations {
    let mut observed: ObservedLocations = vec![HashSet::new(); model.processes.len()];
    let mut progress = false;
    let mut see = |expr: &Expr| match expr {
        Expr::At { process, locations, .. } => observed[process.index()].extend(locations),
        Expr::NonProgress => progress = true,
        _ => {}
    };
    model.processes.iter().for_each(|p| p.walk(&mut see));
    model.observer.iter().for_each(|o| o.automaton.walk(&mut see));
    model.goal.iter().for_each(|g| g.condition.walk(&mut see));
    let accept = model.observer.as_ref().is_some_and(|o| o.labels);
    for (observed, process) in observed.iter_mut().zip(&model.processes) {
        for (at, location) in process.locations.iter().enumerate() {
            if progress && location.progress || accept && location.accept {
                observed.insert(LocId(at as u32));
            }
        }
    }
    observed
}

/// The resources that the property reads. The analysis must be one without a process instance.
pub(super) fn observed_resources(analysis: &Analysis<'_>) -> BitSet {
    let model = analysis.model;
    let mut access = Access::new(analysis.resources, 0);
    let mut see = |expr: &Expr| analysis.read(expr, &mut access);
    model.observer.iter().for_each(|o| o.automaton.walk(&mut see));
    model.goal.iter().for_each(|g| g.condition.walk(&mut see));
    for (process, observed) in analysis.observed.iter().enumerate() {
        let labelled = |at: &LocId| {
            let location = &model.processes[process].locations[at.index()];
            location.progress || location.accept
        };
        if model.observer.is_some() && observed.iter().any(labelled) {
            access.reads.insert(Resources::location(process));
        }
    }
    access.reads
}

/// The channels that the trace automaton reads, by number.
pub(super) fn traced_channels(model: &Model, instances: &Instances, resources: &Resources) -> HashSet<usize> {
    let automata = model.trace.iter().map(|trace| &trace.automaton);
    let syncs = automata.flat_map(|automaton| &automaton.edges).filter_map(|edge| edge.sync.as_ref());
    let channels = syncs.map(|(Sync::Send { channel, .. } | Sync::Receive { channel, .. })| channel);
    channels.flat_map(|channel| resources.channels(model, instances, channel, None)).collect()
}
