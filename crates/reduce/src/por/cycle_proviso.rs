//! The cycle proviso (C3): no transition is ignored for ever.
//!
//! A transition is *ignored* if it stays enabled along a cycle of the reduced state space and no state of the cycle has
//! it in its ample set. There are two provisos against this; [`Preserve`](super::Preserve) selects one.
//!
//! **Static, for LTL without `X`** ([`Preserve::StutterLtl`](super::Preserve::StutterLtl)). Every cycle of the state
//! space goes through a cycle of the control-flow graph of some process. [`back_edges`] finds edges such that each of
//! these control-flow cycles has at least one. An ample set is not used if it contains a transition over a back edge, so
//! every cycle of the reduced state space has a fully expanded state (Kurshan, Levin, Minea, Peled and Yenigün, *Static
//! partial order reduction*, 1998). The choice depends on the state alone. Therefore all passes of a nested depth-first
//! search and all threads see the same reduced graph.
//!
//! **Open set, for safety** ([`Preserve::Safety`](super::Preserve::Safety)). The search applies this proviso, in
//! `crates/search/src/explore`. [`AmpleSet::needs_proviso`](super::ample::AmpleSet) is set if a process outside of the
//! ample set can still reach a visible transition or an error. Then the postponed successors are handed over separately,
//! and the search discards them only if some successor in the ample set is in the open set, that is, will still be
//! expanded (Bošnački, Leue and Lluch Lafuente, *Partial-order reduction for general state exploring algorithms*, 2006).
//! Depth-first search marks states that are not expanded yet. Breadth-first search uses a filter of the states that it
//! found for the level to come (`open_set_filter.rs` there). A wrong "no" of the filter costs a full expansion, nothing
//! else.

use std::collections::HashSet;

use kripke_model::ir::{EdgeId, Process};

/// The state of a location in the depth-first search for back edges.
#[derive(Clone, Copy, PartialEq)]
enum Mark {
    Unvisited,
    OnStack,
    Done,
}

/// A set of edges that every cycle of the process's control-flow graph intersects: the back edges of a depth-first search.
pub(super) fn back_edges(process: &Process) -> HashSet<EdgeId> {
    let mut marks = vec![Mark::Unvisited; process.locations.len()];
    let mut found = HashSet::new();
    for root in 0..process.locations.len() {
        let mut stack = vec![(root, 0)];
        while let Some((at, next)) = stack.last_mut() {
            marks[*at] = if marks[*at] == Mark::Done { Mark::Done } else { Mark::OnStack };
            let Some(id) = process.locations[*at].edges.get(*next).filter(|_| marks[*at] != Mark::Done) else {
                marks[*at] = Mark::Done;
                stack.pop();
                continue;
            };
            *next += 1;
            let edge = &process.edges[id.index()];
            let target = edge.chain.unwrap_or(edge.target).index();
            match marks[target] {
                Mark::Unvisited => stack.push((target, 0)),
                Mark::OnStack => drop(found.insert(*id)),
                Mark::Done => {}
            }
        }
    }
    found
}
