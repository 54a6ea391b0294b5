//! The backward transfer function of an edge, shared by slicing and dead-variable analysis.
//!
//! Given the variables that are needed after an edge, it finds those needed before it, and the writes that can be
//! removed.

use super::faults::{FaultSource, Vars, evaluate_to};
use kripke_model::ir::{BinaryOp, Edge, Effect, Expr, Guard, Pattern, Place, ProcessId, Sync, VarId, VarRef};

/// The variables whose values are needed. Reads and writes are reported in the reverse order of execution.
pub(super) trait Needs {
    fn needs(&self, var: VarRef) -> bool;
    fn needs_parameter(&self, process: ProcessId, number: usize) -> bool;
    fn read(&mut self, var: VarRef);
    fn read_remotely(&mut self, process: ProcessId, var: VarId);
    /// The variable is overwritten as a whole, so its value before is not needed.
    fn overwritten(&mut self, var: VarRef);
    /// The variable is written, and the write is kept.
    fn stored(&mut self, var: VarRef);
    /// The write is removed, but its index is checked against the bounds of the variable.
    fn bounds_checked(&mut self, var: VarRef);
    /// The process ends.
    fn process_ends(&mut self);
}

/// The changes to an edge.
#[derive(Default)]
pub(super) struct EdgeChanges {
    effects: Vec<EffectChange>,
    /// For each field of a received message whether its store is removed.
    unstored: Vec<bool>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum EffectChange {
    Keep,
    /// The write is removed, but the evaluation may fail and is kept.
    EvaluateOnly,
    /// The result of a process creation is not stored.
    DropResult,
    Remove,
}

pub(super) fn read(expr: &Expr, needs: &mut impl Needs) {
    expr.walk(&mut |part| match part {
        Expr::Load(place) => needs.read(place.var),
        Expr::Remote { process, place: Place { var: VarRef::Local(var), .. }, .. } => {
            needs.read_remotely(*process, *var)
        }
        Expr::Remote { place: Place { var, .. }, .. } => needs.read(*var),
        _ => {}
    });
}

/// Collects the changes to an edge, given the variables needed after it. `needs` then has those needed before.
pub(super) fn backward(edge: &Edge, vars: Vars<'_>, needs: &mut impl Needs, changes: &mut EdgeChanges) {
    changes.effects.clear();
    changes.unstored.clear();
    // The effects of an edge that begins an indivisible sequence are those of the sequence.
    let effects = if edge.chain.is_some() { &[][..] } else { &edge.effects };
    changes.effects.extend(effects.iter().rev().map(|effect| effect_change(effect, vars, needs)));
    changes.effects.reverse();
    match &edge.sync {
        None => {}
        Some(Sync::Send { channel, args, .. }) => std::iter::once(channel).chain(args).for_each(|e| read(e, needs)),
        Some(Sync::Receive { channel, args, condition, .. }) => {
            condition.iter().for_each(|e| read(e, needs));
            changes.unstored.extend(args.iter().rev().map(|arg| match arg {
                Pattern::Store(place) => !store(place, vars, needs),
                Pattern::Match(_) | Pattern::Any => false,
            }));
            changes.unstored.reverse();
            for arg in args {
                if let Pattern::Match(e) = arg {
                    read(e, needs);
                }
            }
            read(channel, needs);
        }
    }
    if let Guard::When(condition) = &edge.guard {
        read(condition, needs);
    }
}

fn effect_change(effect: &Effect, vars: Vars<'_>, needs: &mut impl Needs) -> EffectChange {
    match effect {
        Effect::Assign(place, value) => {
            if needs.needs(place.var) || vars.value_may_fault(place, Some(value)) {
                keep(place, needs);
                read(value, needs);
                EffectChange::Keep
            } else {
                let mut change = EffectChange::Remove;
                vars.fault_sources(place, value, &mut |source| {
                    change = EffectChange::EvaluateOnly;
                    match source {
                        FaultSource::Value(e) => read(e, needs),
                        FaultSource::Element(place) => {
                            needs.bounds_checked(place.var);
                            place.index.iter().for_each(|e| read(e, needs));
                        }
                    }
                });
                change
            }
        }
        Effect::Run { process, args, priority, result } => {
            let anonymous = result.as_ref().is_some_and(|place| !store(place, vars, needs));
            for (number, arg) in args.iter().enumerate() {
                if needs.needs_parameter(*process, number) {
                    read(arg, needs);
                }
            }
            priority.iter().for_each(|e| read(e, needs));
            if anonymous { EffectChange::DropResult } else { EffectChange::Keep }
        }
        // Output is shown when a trail is replayed in the original model.
        Effect::Print(_) => EffectChange::Remove,
        Effect::Assert(e) | Effect::Require { condition: e, .. } => {
            read(e, needs);
            EffectChange::Keep
        }
        Effect::SetPriority { pid, priority } => {
            read(pid, needs);
            read(priority, needs);
            EffectChange::Keep
        }
        Effect::Remove => {
            needs.process_ends();
            EffectChange::Keep
        }
    }
}

/// True if a store of an unknown value has to be kept.
fn store(place: &Place, vars: Vars<'_>, needs: &mut impl Needs) -> bool {
    let stays = needs.needs(place.var) || vars.value_may_fault(place, None) || vars.index_may_fault(place);
    if stays {
        keep(place, needs);
    }
    stays
}

fn keep(place: &Place, needs: &mut impl Needs) {
    needs.stored(place.var);
    if place.index.is_empty() {
        needs.overwritten(place.var);
    }
    place.index.iter().for_each(|e| read(e, needs));
}

/// An effect that replaces an assignment and fails if the assignment would.
fn fault_check(place: &Place, value: &Expr, vars: Vars<'_>) -> Effect {
    let mut all: Option<Expr> = None;
    vars.fault_sources(place, value, &mut |source| {
        let failing = match source {
            FaultSource::Value(e) => e.clone(),
            FaultSource::Element(place) => Expr::Load(place.clone()),
        };
        all = Some(match all.take() {
            Some(before) => Expr::binary(BinaryOp::Add, before, failing),
            None => failing,
        });
    });
    let condition = all.map_or(Expr::Const(1), |e| evaluate_to(e, 1, true));
    Effect::Require { condition, message: String::new() }
}

impl EdgeChanges {
    /// Applies the changes. The number of removed effects and stores, output not counted.
    pub fn apply(&self, edge: &mut Edge, vars: Vars<'_>) -> usize {
        let mut removed = 0;
        let mut kinds = self.effects.iter();
        edge.effects.retain_mut(|effect| match kinds.next().copied().unwrap_or(EffectChange::Remove) {
            EffectChange::Keep => true,
            EffectChange::DropResult => {
                if let Effect::Run { result, .. } = effect {
                    *result = None;
                }
                removed += 1;
                true
            }
            EffectChange::EvaluateOnly => {
                if let Effect::Assign(place, value) = effect {
                    *effect = fault_check(place, value, vars);
                }
                removed += 1;
                true
            }
            EffectChange::Remove => {
                removed += usize::from(!matches!(effect, Effect::Print(_)));
                false
            }
        });
        if let Some(Sync::Receive { args, .. }) = &mut edge.sync {
            for (arg, _) in args.iter_mut().zip(&self.unstored).filter(|(_, drop)| **drop) {
                *arg = Pattern::Any;
                removed += 1;
            }
        }
        removed
    }
}
