//! The edges of a location, translated for the analysis.

use super::set::ValueSet;
use super::system::{System, Unit};
use super::term::{Atom, Formula, Target, Translator};
use kripke_model::ir::{
    Edge, Effect, Expr, Guard, Init, LocId, Pattern, Process, ProcessId, Sync, Then, VarId, VarRef,
};
use kripke_model::layout::MAX_ALIVE;

/// An edge of a unit.
#[derive(Debug)]
pub(super) struct Step {
    pub atoms: Vec<Atom>,
    /// What holds in states where the edge is taken.
    pub conditions: Vec<Formula>,
    pub sync: Option<Communication>,
    pub actions: Vec<Action>,
    /// The location that follows: of the process, or of an indivisible sequence.
    pub target: LocId,
    /// A state with the process at the target may be stored.
    pub stored: bool,
}

#[derive(Debug)]
pub(super) enum Communication {
    Send { channel: Formula, args: Vec<Formula> },
    Receive { channel: Formula, fields: Vec<Field>, conditions: Vec<Formula> },
}

/// The treatment of a received field.
#[derive(Debug)]
pub(super) enum Field {
    Match(Formula),
    Store(Target),
    Any,
}

#[derive(Debug)]
pub(super) enum Action {
    Assign(Target, Formula),
    /// A store without a check of the declared range.
    Initialise(Target, Formula),
    /// An initial value that is one of these.
    InitialiseAny(Target, ValueSet),
    /// The step is not taken unless these hold.
    Require(Vec<Formula>),
    Run {
        process: ProcessId,
        args: Vec<Formula>,
        result: Option<Target>,
    },
    Remove,
}

/// The steps of a location.
pub(super) fn steps(system: &System<'_>, unit: &Unit<'_>, at: LocId) -> Vec<Step> {
    let process = unit.process;
    let ids = &process.locations[at.index()].edges;
    let edges: Vec<&Edge> = ids.iter().map(|id| &process.edges[id.index()]).collect();
    let indivisible = is_only_inside_sequences(unit, at);
    let step = |n: usize| {
        let edge = edges[n];
        let mut translator = Translator { system, unit, atoms: Vec::new() };
        let mut conditions = Vec::new();
        if let Guard::When(guard) = &edge.guard {
            translator.conjuncts(guard, true, &mut conditions);
        }
        for before in edges[..n].iter().filter(|before| has_precedence(system, before, edge, indivisible)) {
            translator.exclude(before, &mut conditions);
        }
        translator.step(edge, conditions, is_certain_not_stored(system, unit, at, edge))
    };
    (0..edges.len()).map(step).collect()
}

/// The initialisation of the locals of a new process, after its parameters.
pub(super) fn creation(system: &System<'_>, unit: &Unit<'_>) -> Step {
    let mut translator = Translator { system, unit, atoms: Vec::new() };
    let mut actions = Vec::new();
    for (i, var) in unit.process.locals.iter().enumerate() {
        let (cells, listed) = (&unit.locals[i], var.init.exprs().len());
        // All elements of a large array have one cell.
        let elements = if cells.is_split() { cells.len } else { listed.clamp(1, cells.len) };
        for element in 0..elements {
            let target = translator.element_target(VarRef::Local(VarId(i as u32)), element);
            match &var.init {
                Init::Zero | Init::Param => {}
                Init::All(e) => actions.push(Action::Initialise(target, translator.formula(e))),
                Init::List(list) => {
                    if let Some(e) = list.get(element) {
                        actions.push(Action::Initialise(target, translator.formula(e)));
                    }
                }
                Init::Channels(_) => {
                    let numbers = ValueSet::interval(system.known_channels as i32 + 1, MAX_ALIVE as i32);
                    actions.push(Action::InitialiseAny(target, numbers));
                }
            }
        }
    }
    let (conditions, target) = (Vec::new(), unit.process.entry);
    Step { atoms: translator.atoms, conditions, sync: None, actions, target, stored: true }
}

/// Whether an edge is taken only if another one, which is before it in the list, is not executable.
///
/// The receiver of a rendezvous is an exception: only its receives are tried.
fn has_precedence(system: &System<'_>, before: &Edge, edge: &Edge, indivisible: bool) -> bool {
    let lower = before.level < edge.level && !system.is_synchronous();
    let ordered = matches!(edge.guard, Guard::Else) || lower || indivisible;
    ordered
        && !matches!(edge.sync, Some(Sync::Receive { .. }))
        && before.sync.is_none()
        && before.chain.is_none()
        && !polls(before)
}

/// Whether processes are at a location only inside of indivisible sequences, which take the first executable edge.
fn is_only_inside_sequences(unit: &Unit<'_>, at: LocId) -> bool {
    let begins = at == unit.process.entry || unit.seeds.iter().any(|(seed, _)| *seed == at);
    !begins && !unit.entered[at.index()]
}

/// Whether no state is stored with the process at the target of an edge.
fn is_certain_not_stored(system: &System<'_>, unit: &Unit<'_>, at: LocId, edge: &Edge) -> bool {
    let inner = edge.chain.is_some() || edge.then == Then::Chain;
    // The sender of a rendezvous gives control to the receiver.
    let keeps = edge.then == Then::Keep && !matches!(edge.sync, Some(Sync::Send { .. }));
    let gated = system.model.uses_priorities || unit.process.provided.is_some();
    inner
        || (keeps
            && !gated
            && !system.has_committed
            && !system.is_synchronous()
            && !unit.passed[at.index()]
            && can_always_move(unit.process, edge.target))
}

/// Whether a process at a location always has an executable edge.
fn can_always_move(process: &Process, at: LocId) -> bool {
    let edges = process.locations[at.index()].edges.iter().map(|id| &process.edges[id.index()]);
    let always = |edge: &Edge| {
        let free = matches!(edge.guard, Guard::Always | Guard::Else) && edge.sync.is_none() && edge.chain.is_none();
        free && !polls(edge)
    };
    edges.into_iter().any(always)
}

/// Whether an edge polls a channel. That is a fault if it is a rendezvous channel, and the edge then counts as not
/// executable.
fn polls(edge: &Edge) -> bool {
    let mut polls = false;
    let mut see = |e: &Expr| polls |= matches!(e, Expr::Poll { .. });
    if let Guard::When(guard) = &edge.guard {
        guard.walk(&mut see);
    }
    edge.effects.iter().for_each(|effect| effect.walk(&mut see));
    polls
}

impl Translator<'_, '_> {
    /// Adds the condition under which an edge without a channel operation is not executable.
    fn exclude(&mut self, edge: &Edge, conditions: &mut Vec<Formula>) {
        match &edge.guard {
            Guard::Always => conditions.push(self.formula(&Expr::Const(0))),
            Guard::When(guard) => self.conjuncts(guard, false, conditions),
            Guard::Else | Guard::Youngest => {}
        }
    }

    fn step(mut self, edge: &Edge, conditions: Vec<Formula>, not_stored: bool) -> Step {
        let sync = edge.sync.as_ref().map(|sync| self.communication(sync));
        // An edge that begins an indivisible sequence has no effects of its own.
        let effects = if edge.chain.is_some() { &[][..] } else { &edge.effects };
        let actions = effects.iter().filter_map(|effect| self.action(effect)).collect();
        let target = edge.chain.unwrap_or(edge.target);
        Step { atoms: self.atoms, conditions, sync, actions, target, stored: !not_stored }
    }

    fn communication(&mut self, sync: &Sync) -> Communication {
        match sync {
            Sync::Send { channel, args, .. } => Communication::Send {
                channel: self.formula(channel),
                args: args.iter().map(|e| self.formula(e)).collect(),
            },
            Sync::Receive { channel, args, condition, .. } => {
                let channel = self.formula(channel);
                let fields = args.iter().map(|arg| match arg {
                    Pattern::Match(e) => Field::Match(self.formula(e)),
                    Pattern::Store(place) => Field::Store(self.target(place)),
                    Pattern::Any => Field::Any,
                });
                let fields = fields.collect();
                let mut conditions = Vec::new();
                if let Some(condition) = condition {
                    self.conjuncts(condition, true, &mut conditions);
                }
                Communication::Receive { channel, fields, conditions }
            }
        }
    }

    fn action(&mut self, effect: &Effect) -> Option<Action> {
        Some(match effect {
            Effect::Assign(place, e) => {
                let value = self.formula(e);
                Action::Assign(self.target(place), value)
            }
            Effect::Run { process, args, result, .. } => Action::Run {
                process: *process,
                args: args.iter().map(|e| self.formula(e)).collect(),
                result: result.as_ref().map(|place| self.target(place)),
            },
            Effect::Require { condition, .. } => {
                let mut conditions = Vec::new();
                self.conjuncts(condition, true, &mut conditions);
                Action::Require(conditions)
            }
            Effect::Remove => Action::Remove,
            Effect::Assert(_) | Effect::Print(_) | Effect::SetPriority { .. } => return None,
        })
    }

    /// The place of an element by its number.
    fn element_target(&mut self, var: VarRef, element: usize) -> Target {
        let VarRef::Local(id) = var else { return Target::Fault };
        let cells = &self.unit.locals[id.index()];
        if cells.is_split() {
            return Target::Cell(cells.cell(element));
        }
        Target::Element(super::term::Element {
            cells: cells.cells.clone(),
            split: false,
            dims: Vec::new(),
            index: Vec::new(),
        })
    }
}
