//! Partial-order reduction by ample sets.
//!
//! In a state it suffices to explore the transitions of some processes, an *ample set*, if the other transitions commute
//! with them. A set is one of processes: it contains all enabled transitions of its members. The enabled processes are
//! known from the successors, which are generated anyway, so a choice costs a few words of bits.
//!
//! # Soundness
//!
//! Ample sets satisfy the conditions of Peled (*Combining partial order reductions with on-the-fly model checking*,
//! 1994):
//!
//! * **C0**, the ample set is empty only if no transition is enabled: every set is built around an enabled process.
//! * **C1**, on every path from the state, no transition dependent on the ample set is executed before a member of the
//!   set: the set is closed under dependence. For each member it contains every process that can execute, now or later,
//!   a transition dependent on a next transition of the member. For a disabled member this includes its necessary
//!   enabling sets. These are Valmari's (weak) stubborn sets with a process in place of all its next transitions,
//!   computed as by Overman and Godefroid (*Partial-order methods for the verification of concurrent systems*, 1996).
//!   For processes with exclusive channel ends they yield the safe statements of Holzmann and Peled (*An improvement
//!   in formal verification*, 1994).
//! * **C2**, a set that is not all enabled transitions contains no visible one (`visible.rs`).
//! * **C3**, no transition is ignored for ever (`cycle_proviso.rs`).
//!
//! C0 and C1 preserve deadlocks. All four preserve LTL without `X`, and with the weaker open-set proviso all assertion
//! violations, faults and reachable goals.
//!
//! Channel operations are more independent than variables: an enabled receive commutes with sends, an enabled send
//! with receives (Godefroid and Pirottin, *Refining dependencies improves partial-order verification methods*, 1993).
//!
//! # Files
//!
//! * Before the search: `instances.rs` (the processes), `resources.rs` (numbered objects of the state), `access.rs` (what
//!   steps read, write and wait for), `dependence.rs` (the relation), `guards.rs` (guards that can be evaluated in a state).
//! * In a state: `ample.rs` (the choice), `reachable_accesses.rs` (what processes can do while guards are false), `memo.rs`
//!   (remembered choices), `governor.rs` (whether choosing pays), `adapter.rs` (successors restricted to the ample set).
//! * `audit.rs` tests C1 and C2 during a search.

mod access;
mod adapter;
mod ample;
mod audit;
mod cycle_proviso;
mod dependence;
mod governor;
mod guards;
mod instances;
mod memo;
mod reachable_accesses;
mod resources;
mod visible;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub use adapter::AmpleSuccessors;
pub use audit::{Audit, Record};
use dependence::Table;
use instances::Instances;
use kripke_model::interpret::Interpreter;
use kripke_model::ir::{Expr, Model, Scheduling};
use kripke_model::layout::Layout;
use memo::MAX_POINTS;
use reachable_accesses::GuardedPaths;
use resources::Resources;

/// The reason given if no state can have a proper ample set.
pub const NO_REDUCTION: &str = "every step is dependent on every process";

/// The most pairs of control points and resources.
const MAX_POINT_RESOURCES: usize = 1 << 26;

/// The properties that the reduced state space preserves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Preserve {
    /// Deadlocks, assertions, faults and reachability of goals. The search applies the cycle proviso.
    Safety,
    /// LTL without `X`. The static cycle proviso holds in every state.
    StutterLtl,
}

/// The independence of the processes of a model, from which ample sets are computed.
#[derive(Debug)]
pub struct Independence {
    /// Instances are single processes, known by number; otherwise process types.
    by_pid: bool,
    preserve: Preserve,
    /// The first control point of each instance. A control point is an instance at a location.
    first: Vec<u32>,
    points: Vec<ControlPoint>,
    /// The dependence relation: for each control point one row if its process is disabled and one if it is enabled, each
    /// with a bit for every dependent control point.
    rows: Vec<u64>,
    /// The number of words of a row.
    words: usize,
    /// For each row, by process number: the processes dependent at all their locations, and those at some.
    masks: Vec<(u64, u64)>,
    /// The paths of the processes, if some have guards that can be evaluated in a state.
    guarded: Option<GuardedPaths>,
    /// An ample set was used at least once.
    has_reduced: AtomicBool,
}

/// What the choice of an ample set has to know of a control point.
#[derive(Clone, Copy, Debug)]
struct ControlPoint {
    /// A transition from here writes what the property reads.
    visible: bool,
    /// A transition from here takes a back edge, and the static cycle proviso applies.
    closes_cycle: bool,
    /// A transition from here may send in a rendezvous, and so move another process.
    rendezvous_send: bool,
    /// A transition from here may receive in a rendezvous, and so be executed by another process.
    rendezvous_receive: bool,
    /// The process can end here.
    may_end: bool,
    /// A visible transition, or one that may fail, is reachable from here.
    relevant_ahead: bool,
    /// The process can still create others, so the set of processes is not final.
    in_startup: bool,
}

impl ControlPoint {
    /// No proper ample set contains transitions from here, by C2 or C3.
    fn is_excluded(self) -> bool {
        self.visible || self.closes_cycle
    }
}

impl Independence {
    /// Analyses a model. The reason, if no reduction is possible.
    pub fn of(model: &Arc<Model>, preserve: Preserve) -> Result<Independence, &'static str> {
        obstacle(model)?;
        // The property is no part of the startup phase.
        let bare = Model { observer: None, goal: None, properties: Vec::new(), ..(**model).clone() };
        let interpreter = Interpreter::new(bare.into()).map_err(|_| "the initial state cannot be computed")?;
        let instances = Instances::of(&interpreter);
        if instances.by_pid && instances.all.len() == 1 {
            return Err(NO_REDUCTION);
        }
        let points = instances.all.iter().map(|i| model.processes[i.process].locations.len()).sum::<usize>();
        if points > MAX_POINTS {
            return Err("there are too many processes and locations");
        }
        let resources = Resources::new(model, &instances);
        if points.saturating_mul(resources.len) > MAX_POINT_RESOURCES {
            return Err("there are too many variables and locations");
        }
        let observed = visible::observed_locations(model);
        let traced = visible::traced_channels(model, &instances, &resources);
        let table = Table::new(model, &instances, &resources, &observed, &traced)?;
        let layout = Layout::new(model).map_err(|_| "the initial state cannot be computed")?;
        let independence = table.finish(preserve, &layout);
        if independence.never_reduces() { Err(NO_REDUCTION) } else { Ok(independence) }
    }

    /// True if every closed set contains all processes, in every state.
    fn never_reduces(&self) -> bool {
        if !self.by_pid || self.first.len() > 64 {
            return false;
        }
        let all = u64::MAX >> (64 - self.first.len().max(1));
        let points = |pid: usize| {
            self.first[pid] as usize..self.first.get(pid + 1).map_or(self.points.len(), |end| *end as usize)
        };
        // A process with a guard on its way can be left out of a set while the guard is false.
        let is_guarded =
            |pid: usize| self.guarded.as_ref().is_some_and(|g| points(pid).any(|point| g.guards_ahead[point] != 0));
        let unguarded = (0..self.first.len()).filter(|pid| !is_guarded(*pid)).fold(0, |set, pid| set | 1u64 << pid);
        // The processes that a process depends on at every location, enabled or not.
        let least =
            |pid: usize| points(pid).fold(unguarded, |least, p| least & self.masks[2 * p].0 & self.masks[2 * p + 1].0);
        let least: Vec<u64> = (0..self.first.len()).map(least).collect();
        let contains_all = |pid: usize, point: usize| {
            let (mut set, mut seen) = (self.masks[2 * point + 1].0 & unguarded | 1 << pid, 1u64 << pid);
            while set & !seen != 0 {
                let other = (set & !seen).trailing_zeros() as usize;
                seen |= 1 << other;
                set |= least[other];
            }
            set & all == all
        };
        let never = |pid: usize, point: usize| self.points[point].is_excluded() || contains_all(pid, point);
        (0..self.first.len()).all(|pid| points(pid).all(|point| never(pid, point)))
    }

    fn note_reduction(&self) {
        // All threads share this cache line: it is written once.
        if !self.has_reduced() {
            self.has_reduced.store(true, Ordering::Relaxed);
        }
    }

    /// True if some state was expanded only partly.
    pub fn has_reduced(&self) -> bool {
        self.has_reduced.load(Ordering::Relaxed)
    }
}

/// Language features that the dependence relation does not cover.
fn obstacle(model: &Model) -> Result<(), &'static str> {
    if model.scheduling != Scheduling::Interleaved {
        return Err("the system is synchronous");
    }
    if model.uses_priorities {
        return Err("processes have priorities");
    }
    if model.uses_last {
        return Err("the model reads which process moved last");
    }
    if model.asks_timeout() {
        return Err("the property reads whether any process is enabled");
    }
    let mut why = Ok(());
    let mut see = |expr: &Expr| match expr {
        Expr::Enabled(_) => why = Err("the model reads whether a process is enabled"),
        Expr::Location(_) => why = Err("the model reads the location of a process"),
        Expr::ObserverAt(_) => why = Err("the model reads the state of the property automaton"),
        _ => {}
    };
    model.processes.iter().for_each(|p| p.walk(&mut see));
    model.observer.iter().for_each(|o| o.automaton.walk(&mut see));
    model.goal.iter().for_each(|g| g.condition.walk(&mut see));
    why
}
