//! Symmetry: processes that can take each other's places.
//!
//! Two processes that run the same text are interchangeable if nothing in the model can tell them apart: exchanging them
//! in a state, with everything that belongs to them, and renaming all values that mean one of them, then maps every step
//! to a step and every finding to a finding. Of all states that can be made out of one in this way, it is enough to look
//! at one (Emerson and Sistla, *Symmetry and model checking*; Ip and Dill, *Better verification through symmetry*; both 1996).
//!
//! [`Symmetry::of`] finds such groups of processes and proves them from the text:
//!
//! * The [beginning](crate::startup), in which processes are created, is left alone. After it the processes are always the same.
//!   Its ends must be their own images under every exchange, or be reached from one that is, so that every representative
//!   is a state that can be reached.
//! * Processes [run the same text](cast) if they are of one type, or of types that [differ in constants](family) alone.
//!   Parameters that never change, constants and process numbers are all that may differ between them: their *names*.
//! * Everywhere in the model, [values](sorts) are either numbers or names of processes of one group. Names are stored,
//!   sent, compared for equality and used as indices, and nothing else is [done with them](uses): no arithmetic, no order, no
//!   constant that is the name of a member. Channels of processes are like variables of them.
//! * Whoever is named after all, by a constant, a remote reference or a property, leaves the group, unless [all are named
//!   alike](chorus); a group whose names are used as numbers is none.
//! * The end of a process would not be symmetric: the youngest goes first. But where nobody counts processes, whether one
//!   that has nothing to do any more is still there makes no difference to anybody, so in the model that is searched
//!   ([`Symmetry::model`]) nobody goes. Every run of it is one of the original, in which processes end [when they have
//!   to](lift).
//!
//! [`Symmetric`] makes successors of representatives out of others. It goes together with partial-order reduction where
//! errors are looked for (Emerson, Jha and Peled, *Combining partial order and symmetry reductions*, 1997): the argument that
//! an error is not lost is about the length of a way to it, which exchanging processes does not change.

mod adapter;
mod instances;
mod invariance;
mod lift;
mod names;
mod permutation;
mod plan;
mod scalarsets;
mod templates;
mod uses;

use std::sync::Arc;

use crate::startup::{Beginning, edges_at};
pub use adapter::Symmetric;
use instances::Cast;
use kripke_model::interpret::Interpreter;
use kripke_model::ir::{Edge, Effect, Expr, Guard, Init, Location, Model, Scheduling};
use kripke_model::layout::{ProcessView, View};
pub use lift::Lifted;
pub use permutation::{Action, Order, Room};
use plan::Plan;
use uses::{Objection, Uses};

/// Processes that can take each other's places.
#[derive(Debug)]
pub struct Symmetry {
    /// The model to search: the original, in which no process ends.
    pub model: Arc<Model>,
    pub action: Arc<Action>,
    /// The members of each group, by process number.
    pub groups: Vec<Vec<usize>>,
    /// What each group consists of, in words.
    pub words: Vec<String>,
    /// Why there are not more of them, in words.
    pub remarks: Vec<String>,
    /// Whether processes end in the original.
    pub ends: bool,
    /// The process types of each group.
    types: Vec<Vec<usize>>,
}

impl Symmetry {
    /// The groups of this interpreter's model, or the reasons why there are none.
    pub fn of(interpreter: &Interpreter) -> Result<Symmetry, Vec<String>> {
        let model = interpreter.model();
        if let Some(why) = refusal(interpreter) {
            return Err(vec![why.to_string()]);
        }
        let begun = Beginning::of(interpreter, false).and_then(|begun| with_same_parameters(begun, model));
        let begun = begun.map_err(|why| vec![why.to_string()])?;
        let mut groups = Cast::candidates(model, &begun);
        let mut remarks = Vec::new();
        while !groups.is_empty() {
            let objection = match attempt(interpreter, &begun, &groups) {
                Ok(found) => return Ok(Symmetry::new(interpreter, &begun, groups, found, remarks)),
                Err(objection) => objection,
            };
            match objection {
                Objection::All(why) => {
                    remarks.push(why);
                    return Err(remarks);
                }
                Objection::Group { class, why } => {
                    let group = groups.remove(class);
                    remarks.push(format!("{}: {why}", words(model, &begun, &group)));
                }
                Objection::Member { pid, why } => {
                    remarks.push(format!("{} is not like the others: {why}", name(model, &begun, pid)));
                    groups.iter_mut().for_each(|group| group.retain(|member| *member != pid));
                }
            }
            groups.retain(|group| group.len() > 1);
        }
        if remarks.is_empty() {
            remarks.push("no two processes run the same text".to_string());
        }
        Err(remarks)
    }

    fn new(
        interpreter: &Interpreter,
        begun: &Beginning,
        groups: Vec<Vec<usize>>,
        (action, ends): (Action, bool),
        remarks: Vec<String>,
    ) -> Symmetry {
        let model = interpreter.model();
        let types = |group: &Vec<usize>| {
            let mut types: Vec<usize> =
                group.iter().map(|pid| begun.views[0].processes[*pid].process.index()).collect();
            types.dedup();
            types
        };
        Symmetry {
            model: Arc::new(lasting(model)),
            action: Arc::new(action),
            words: groups.iter().map(|group| words(model, begun, group)).collect(),
            types: groups.iter().map(types).collect(),
            groups,
            remarks,
            ends,
        }
    }

    /// The logarithm of how many states one may stand for.
    pub fn gain(&self) -> f64 {
        let factorial = |n: usize| (2..=n).map(|n| (n as f64).ln()).sum::<f64>();
        self.groups.iter().map(|group| factorial(group.len())).sum()
    }

    /// Adds to the edges that were executed (`[process][edge]`) those that others of the group would have executed, and the
    /// ends of processes that came there.
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
                let ends = location.edges.iter().filter(|id| is_end(&process.edges[id.index()]));
                ends.for_each(|id| covered[id.index()] |= reached);
            }
        }
    }
}

/// Refuses a beginning with several ways to set parameters: compiled code takes those that nobody changes for constants.
fn with_same_parameters(begun: Beginning, model: &Model) -> Result<Beginning, &'static str> {
    let parameters = |view: &View| {
        let of = |p: &ProcessView| p.locals[..model.processes[p.process.index()].params].to_vec();
        view.processes.iter().map(of).collect::<Vec<_>>()
    };
    if begun.views.iter().all(|view| parameters(view) == parameters(&begun.views[0])) {
        Ok(begun)
    } else {
        Err("there are several ways to begin, with different parameters")
    }
}

fn name(model: &Model, begun: &Beginning, pid: usize) -> String {
    let process = &begun.views[0].processes[pid];
    format!("{} (process {pid})", model.processes[process.process.index()].name)
}

/// `4 × worker`, or the names of all.
fn words(model: &Model, begun: &Beginning, group: &[usize]) -> String {
    let name = |pid: &usize| &*model.processes[begun.views[0].processes[*pid].process.index()].name;
    let mut names: Vec<&str> = group.iter().map(name).collect();
    names.dedup();
    if names.len() == 1 { format!("{} × {}", group.len(), names[0]) } else { names.join(", ") }
}

/// What no group can be found in.
fn refusal(interpreter: &Interpreter) -> Option<&'static str> {
    let model = interpreter.model();
    [
        (model.scheduling == Scheduling::Synchronous, "all processes move at once, in their order"),
        (model.uses_last, "somebody asks who moved last"),
        (model.uses_priorities, "processes have priorities"),
        (model.trace.is_some(), "a trace watches the channels"),
        (interpreter.layout().hidden > 0, "there are hidden variables"),
    ]
    .into_iter()
    .find_map(|(is, why)| is.then_some(why))
}

/// What these groups do to a state, and whether processes end; or why they can't be.
fn attempt(interpreter: &Interpreter, begun: &Beginning, groups: &[Vec<usize>]) -> Result<(Action, bool), Objection> {
    let model = interpreter.model();
    let cast = Cast::new(model, begun, groups);
    for class in &cast.classes {
        let odd = |edge: &Edge| edge.effects.iter().any(|e| matches!(e, Effect::Remove)) && !is_end(edge);
        let rests = |at: &Location| {
            let plain = at.end && !at.accept && !at.progress && !at.committed;
            plain || !at.edges.iter().any(|id| is_end(&class.body.edges[id.index()]))
        };
        if edges_at(&class.body, &class.reached).any(odd) || !class.body.locations.iter().all(rests) {
            return Err(Objection::All("a process ends where it may not rest".to_string()));
        }
        let channels = class.body.locals.iter().any(|var| matches!(var.init, Init::Channels(_)));
        if class.ends && channels {
            return Err(Objection::All("channels end with their processes".to_string()));
        }
    }
    let uses = Uses::of(model, begun, &cast)?;
    invariance::check(&uses)?;
    if uses.ends && model.observer.is_some() && model.uses_timeout {
        return Err(Objection::All("a property watches, and whether processes have ended matters".to_string()));
    }
    let action = Plan::make(&uses, begun, interpreter, true)?;
    let from = alike(&action, begun, groups)?;
    if from.len() < begun.states.len() && !begun.leads_everywhere(&from, interpreter) {
        return Err(Objection::All("there are several ways to begin".to_string()));
    }
    Ok((Plan::make(&uses, begun, interpreter, false)?, uses.ends))
}

/// The ways to begin that do not change when processes are exchanged.
fn alike(action: &Action, begun: &Beginning, groups: &[Vec<usize>]) -> Result<Vec<usize>, Objection> {
    let mut best: Option<Vec<(usize, usize)>> = None;
    let mut alike = Vec::new();
    for (n, state) in begun.states.iter().enumerate() {
        let mut changed = Vec::new();
        for (group, members) in groups.iter().enumerate() {
            for a in 0..members.len() {
                for b in a + 1..members.len() {
                    let mut order = action.identity();
                    order[group].swap(a, b);
                    let mut other = state.clone();
                    action.permute(state, &order, &mut other);
                    if other != *state {
                        changed.push((members[a], members[b]));
                    }
                }
            }
        }
        if changed.is_empty() {
            alike.push(n);
        } else if best.as_ref().is_none_or(|least| changed.len() < least.len()) {
            best = Some(changed);
        }
    }
    if !alike.is_empty() {
        return Ok(alike);
    }
    let changed = best.unwrap_or_default();
    let often = |pid: &usize| changed.iter().filter(|(a, b)| a == pid || b == pid).count();
    let odd = groups.iter().flatten().rev().max_by_key(|pid| often(pid)).copied().unwrap_or(0);
    Err(Objection::Member { pid: odd, why: "it starts differently".to_string() })
}

/// The end of a process, which waits for its turn.
fn is_end(edge: &Edge) -> bool {
    matches!(edge.guard, Guard::Youngest) && matches!(edge.effects[..], [Effect::Remove])
}

/// The model without ends of processes.
fn lasting(model: &Model) -> Model {
    let mut model = model.clone();
    for edge in model.processes.iter_mut().flat_map(|p| &mut p.edges).filter(|edge| is_end(edge)) {
        edge.guard = Guard::When(Expr::Const(0));
        edge.effects.clear();
    }
    model.debug_validate("symmetry reduction");
    model
}
