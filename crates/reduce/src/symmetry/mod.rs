//! Symmetry reduction: one representative of all states that are equal up to permuting identical processes.
//!
//! Two instances of one template are *symmetric* if no part of the model distinguishes them. Permuting them in a
//! state, with all their data, and renaming all values that denote them, maps every step to a step and every finding
//! to a finding. Of each orbit of states it suffices to explore one representative (Emerson and Sistla, *Symmetry and
//! model checking*; Ip and Dill, *Better verification through symmetry*; both 1996).
//!
//! [`Symmetry::of`] finds groups of symmetric processes and proves them from the text of the model:
//!
//! * The startup phase (`startup.rs`), in which processes are created, is not reduced. After it the set of processes
//!   is fixed. Its final states must be invariant under all permutations, or be reachable from one that is, so that
//!   every representative is reachable.
//! * Processes are instances (`instances.rs`) of one template if they have one type, or types that differ in
//!   constants (`templates.rs`) only. They may differ in parameters that never change, in constants and in process
//!   numbers.
//! * Every value of the model is either a number or a value of a scalarset (`scalarsets.rs`), which denotes a process
//!   of a group. Scalarset values are assigned, sent, compared for equality and used as indices, and are used
//!   (`uses.rs`) in no other way: no arithmetic, no order, no constants that denote members. A channel of a process
//!   is like a variable of it.
//! * A process that a constant, a remote reference or the property names leaves the group, unless the model is
//!   invariant (`invariance.rs`) under the permutation nevertheless. A group whose scalarset is used as a number is
//!   given up.
//! * The termination of processes is not symmetric: the youngest ends first. If no expression reads the number of
//!   processes, a process without further steps cannot be distinguished from one that has ended. So processes do not
//!   end in the searched model ([`Symmetry::model`]). Each of its runs is one of the original model with terminations
//!   inserted (`lift.rs`).
//!
//! The state of an orbit that represents it is chosen by canonicalisation (`canonical.rs`). [`Symmetric`] wraps any
//! other [`Successors`](kripke_model::Successors).
//!
//! Preserved: safety and LTL. The property is analysed as a part of the model, so it is itself symmetric in the
//! groups found. Symmetry goes together with partial-order reduction for safety (Emerson, Jha and Peled, *Combining
//! partial order and symmetry reductions*, 1997): the argument that no error is lost is by induction on the length of
//! a path to it, and permutations preserve the length.

mod adapter;
mod canonical;
mod constants;
mod instances;
mod invariance;
mod lift;
mod permutation;
mod plan;
mod scalarsets;
mod templates;
mod uses;

use std::sync::Arc;

use crate::startup::{Startup, edges_at};
pub use adapter::Symmetric;
pub use canonical::Scratch;
use instances::Instances;
use kripke_model::interpret::Interpreter;
use kripke_model::ir::{Edge, Effect, Expr, Guard, Init, Location, Model, Scheduling};
use kripke_model::layout::{ProcessView, View};
pub use lift::Lifted;
pub use permutation::{Permutation, Permutations};
use plan::Plan;
use uses::{Objection, Uses};

/// The symmetric processes of a model.
#[derive(Debug)]
pub struct Symmetry {
    /// The model to search: the original, in which no process ends.
    pub model: Arc<Model>,
    /// The permutations of the processes of each group.
    pub permutations: Arc<Permutations>,
    /// The members of each group, by process number.
    pub groups: Vec<Vec<usize>>,
    /// A description of each group.
    pub descriptions: Vec<String>,
    /// The reasons why processes were excluded.
    pub remarks: Vec<String>,
    /// True if processes end in the original.
    pub ends: bool,
    /// The process types of each group.
    types: Vec<Vec<usize>>,
}

impl Symmetry {
    /// The groups of an interpreter's model, or the reasons why there are none.
    pub fn of(interpreter: &Interpreter) -> Result<Symmetry, Vec<String>> {
        let model = interpreter.model();
        if let Some(why) = obstacle(interpreter) {
            return Err(vec![why.to_string()]);
        }
        let startup = Startup::of(interpreter, false).and_then(|startup| with_same_parameters(startup, model));
        let startup = startup.map_err(|why| vec![why.to_string()])?;
        let mut groups = Instances::candidates(model, &startup);
        let mut remarks = Vec::new();
        while !groups.is_empty() {
            let objection = match check_groups(interpreter, &startup, &groups) {
                Ok(found) => return Ok(Symmetry::new(interpreter, &startup, groups, found, remarks)),
                Err(objection) => objection,
            };
            match objection {
                Objection::All(why) => {
                    remarks.push(why);
                    return Err(remarks);
                }
                Objection::Group { class, why } => {
                    let group = groups.remove(class);
                    remarks.push(format!("{}: {why}", describe(model, &startup, &group)));
                }
                Objection::Member { pid, why } => {
                    remarks.push(format!("{} is not symmetric to the others: {why}", name(model, &startup, pid)));
                    groups.iter_mut().for_each(|group| group.retain(|member| *member != pid));
                }
            }
            groups.retain(|group| group.len() > 1);
        }
        if remarks.is_empty() {
            remarks.push("no two processes are instances of one template".to_string());
        }
        Err(remarks)
    }

    fn new(
        interpreter: &Interpreter,
        startup: &Startup,
        groups: Vec<Vec<usize>>,
        (permutations, ends): (Permutations, bool),
        remarks: Vec<String>,
    ) -> Symmetry {
        let model = interpreter.model();
        let types = |group: &Vec<usize>| {
            let mut types: Vec<usize> =
                group.iter().map(|pid| startup.views[0].processes[*pid].process.index()).collect();
            types.dedup();
            types
        };
        Symmetry {
            model: Arc::new(without_termination(model)),
            permutations: Arc::new(permutations),
            descriptions: groups.iter().map(|group| describe(model, startup, group)).collect(),
            types: groups.iter().map(types).collect(),
            groups,
            remarks,
            ends,
        }
    }

    /// The logarithm of the size of the largest orbits.
    pub fn gain(&self) -> f64 {
        let factorial = |n: usize| (2..=n).map(|n| (n as f64).ln()).sum::<f64>();
        self.groups.iter().map(|group| factorial(group.len())).sum()
    }

    /// Completes the coverage (`[process][edge]`) of representatives to that of all states: edges that other members
    /// of a group would have executed, and terminations.
    pub fn cover(&self, original: &Model, covered: &mut [Vec<bool>]) {
        for types in self.types.iter().filter(|types| types.len() > 1) {
            let any = |edge: usize| types.iter().any(|ty| covered[*ty][edge]);
            let all: Vec<bool> = (0..covered[types[0]].len()).map(any).collect();
            types.iter().for_each(|ty| covered[*ty].clone_from(&all));
        }
        for (process, covered) in original.processes.iter().zip(covered) {
            for (at, location) in process.locations.iter().enumerate() {
                let leads = |(edge, taken): (&Edge, &bool)| *taken && edge.target.index() == at;
                let reached = process.entry.index() == at || process.edges.iter().zip(&*covered).any(leads);
                let ends = location.edges.iter().filter(|id| is_termination(&process.edges[id.index()]));
                ends.for_each(|id| covered[id.index()] |= reached);
            }
        }
    }
}

/// An error if the final states of the startup phase differ in parameters: compiled code treats parameters that are
/// never written as constants.
fn with_same_parameters(startup: Startup, model: &Model) -> Result<Startup, &'static str> {
    let parameters = |view: &View| {
        let of = |p: &ProcessView| p.locals[..model.processes[p.process.index()].params].to_vec();
        view.processes.iter().map(of).collect::<Vec<_>>()
    };
    if startup.views.iter().all(|view| parameters(view) == parameters(&startup.views[0])) {
        Ok(startup)
    } else {
        Err("the startup phase ends with different parameters")
    }
}

fn name(model: &Model, startup: &Startup, pid: usize) -> String {
    let process = &startup.views[0].processes[pid];
    format!("{} (process {pid})", model.processes[process.process.index()].name)
}

/// A description of a group: `4 × worker`, or the names of all members.
fn describe(model: &Model, startup: &Startup, group: &[usize]) -> String {
    let name = |pid: &usize| &*model.processes[startup.views[0].processes[*pid].process.index()].name;
    let mut names: Vec<&str> = group.iter().map(name).collect();
    names.dedup();
    if names.len() == 1 { format!("{} × {}", group.len(), names[0]) } else { names.join(", ") }
}

/// Language features that symmetry reduction does not cover.
fn obstacle(interpreter: &Interpreter) -> Option<&'static str> {
    let model = interpreter.model();
    [
        (model.scheduling == Scheduling::Synchronous, "the system is synchronous"),
        (model.uses_last, "the model reads which process moved last"),
        (model.uses_priorities, "processes have priorities"),
        (model.trace.is_some(), "there is a trace automaton"),
        (interpreter.layout().hidden > 0, "there are hidden variables"),
    ]
    .into_iter()
    .find_map(|(is, why)| is.then_some(why))
}

/// The permutations of these groups, and whether processes end; or an objection to the groups.
fn check_groups(
    interpreter: &Interpreter,
    startup: &Startup,
    groups: &[Vec<usize>],
) -> Result<(Permutations, bool), Objection> {
    let model = interpreter.model();
    let instances = Instances::new(model, startup, groups);
    for class in &instances.classes {
        let odd = |edge: &Edge| edge.effects.iter().any(|e| matches!(e, Effect::Remove)) && !is_termination(edge);
        let rests = |at: &Location| {
            let plain = at.end && !at.accept && !at.progress && !at.committed;
            plain || !at.edges.iter().any(|id| is_termination(&class.body.edges[id.index()]))
        };
        if edges_at(&class.body, &class.reached).any(odd) || !class.body.locations.iter().all(rests) {
            return Err(Objection::All("a process ends at a location that is no plain end location".to_string()));
        }
        let channels = class.body.locals.iter().any(|var| matches!(var.init, Init::Channels(_)));
        if class.ends && channels {
            return Err(Objection::All("channels end with their processes".to_string()));
        }
    }
    let uses = Uses::of(model, startup, &instances)?;
    invariance::check(&uses)?;
    if uses.ends && model.observer.is_some() && model.uses_timeout {
        return Err(Objection::All("there are a property automaton, timeouts and processes that end".to_string()));
    }
    let permutations = Plan::make(&uses, startup, interpreter, true)?;
    let from = invariant_states(&permutations, startup, groups)?;
    if from.len() < startup.states.len() && !startup.reaches_all_from(&from, interpreter) {
        return Err(Objection::All("the startup phase ends in several states".to_string()));
    }
    Ok((Plan::make(&uses, startup, interpreter, false)?, uses.ends))
}

/// The final states of the startup phase that are invariant under all permutations.
fn invariant_states(
    permutations: &Permutations,
    startup: &Startup,
    groups: &[Vec<usize>],
) -> Result<Vec<usize>, Objection> {
    let mut best: Option<Vec<(usize, usize)>> = None;
    let mut invariant = Vec::new();
    for (n, state) in startup.states.iter().enumerate() {
        let mut changed = Vec::new();
        for (group, members) in groups.iter().enumerate() {
            for a in 0..members.len() {
                for b in a + 1..members.len() {
                    let mut order = permutations.identity();
                    order[group].swap(a, b);
                    let mut other = state.clone();
                    permutations.permute(state, &order, &mut other);
                    if other != *state {
                        changed.push((members[a], members[b]));
                    }
                }
            }
        }
        if changed.is_empty() {
            invariant.push(n);
        } else if best.as_ref().is_none_or(|least| changed.len() < least.len()) {
            best = Some(changed);
        }
    }
    if !invariant.is_empty() {
        return Ok(invariant);
    }
    let changed = best.unwrap_or_default();
    let often = |pid: &usize| changed.iter().filter(|(a, b)| a == pid || b == pid).count();
    let odd = groups.iter().flatten().rev().max_by_key(|pid| often(pid)).copied().unwrap_or(0);
    Err(Objection::Member { pid: odd, why: "its initial state differs".to_string() })
}

/// True if the edge is the termination of a process.
fn is_termination(edge: &Edge) -> bool {
    matches!(edge.guard, Guard::Youngest) && matches!(edge.effects[..], [Effect::Remove])
}

/// The model without terminations.
fn without_termination(model: &Model) -> Model {
    let mut model = model.clone();
    for edge in model.processes.iter_mut().flat_map(|p| &mut p.edges).filter(|edge| is_termination(edge)) {
        edge.guard = Guard::When(Expr::Const(0));
        edge.effects.clear();
    }
    model.debug_validate("symmetry reduction");
    model
}
