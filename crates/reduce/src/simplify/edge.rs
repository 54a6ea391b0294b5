//! What an edge needs, walked through backwards: what it stores is left out where nobody needs it.

use super::faults::{Risk, Vars, evaluated};
use kripke_model::ir::{BinaryOp, Edge, Effect, Expr, Guard, Pattern, Place, ProcessId, Sync, VarId, VarRef};

/// Whose values are needed. Told of reads and writes in the order opposite to execution.
pub(super) trait Needs {
    fn needs(&self, var: VarRef) -> bool;
    fn needs_parameter(&self, process: ProcessId, number: usize) -> bool;
    fn read(&mut self, var: VarRef);
    fn read_remotely(&mut self, process: ProcessId, var: VarId);
    /// Nobody before this needs what the variable was.
    fn overwritten(&mut self, var: VarRef);
    /// It is stored into, whoever needs it.
    fn stored(&mut self, var: VarRef);
    /// Nothing is stored into it, but whether there is such an element is asked.
    fn probed(&mut self, var: VarRef);
    /// Of the process, nothing is needed any more.
    fn removed(&mut self);
}

/// What becomes of an edge.
#[derive(Default)]
pub(super) struct Plan {
    effects: Vec<Fate>,
    /// Which fields of a received message are not stored.
    dropped: Vec<bool>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Stays,
    /// It may go wrong: that stays.
    Evaluated,
    /// A process is created, but nobody needs its number.
    Anonymous,
    Dropped,
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

/// Makes a plan for an edge, given what is needed after it, and says what is needed before.
pub(super) fn backward(edge: &Edge, vars: Vars<'_>, needs: &mut impl Needs, plan: &mut Plan) {
    plan.effects.clear();
    plan.dropped.clear();
    // What an edge that begins an indivisible sequence does, the sequence does.
    let effects = if edge.chain.is_some() { &[][..] } else { &edge.effects };
    plan.effects.extend(effects.iter().rev().map(|effect| fate(effect, vars, needs)));
    plan.effects.reverse();
    match &edge.sync {
        None => {}
        Some(Sync::Send { channel, args, .. }) => std::iter::once(channel).chain(args).for_each(|e| read(e, needs)),
        Some(Sync::Receive { channel, args, condition, .. }) => {
            condition.iter().for_each(|e| read(e, needs));
            plan.dropped.extend(args.iter().rev().map(|arg| match arg {
                Pattern::Store(place) => !store(place, vars, needs),
                Pattern::Match(_) | Pattern::Any => false,
            }));
            plan.dropped.reverse();
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

fn fate(effect: &Effect, vars: Vars<'_>, needs: &mut impl Needs) -> Fate {
    match effect {
        Effect::Assign(place, value) => {
            if needs.needs(place.var) || vars.value_may_fault(place, Some(value)) {
                keep(place, needs);
                read(value, needs);
                Fate::Stays
            } else {
                let mut fate = Fate::Dropped;
                vars.risks(place, value, &mut |risk| {
                    fate = Fate::Evaluated;
                    match risk {
                        Risk::Value(e) => read(e, needs),
                        Risk::Element(place) => {
                            needs.probed(place.var);
                            place.index.iter().for_each(|e| read(e, needs));
                        }
                    }
                });
                fate
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
            if anonymous { Fate::Anonymous } else { Fate::Stays }
        }
        // What is printed is shown when a run of the original is.
        Effect::Print(_) => Fate::Dropped,
        Effect::Assert(e) | Effect::Require { condition: e, .. } => {
            read(e, needs);
            Fate::Stays
        }
        Effect::SetPriority { pid, priority } => {
            read(pid, needs);
            read(priority, needs);
            Fate::Stays
        }
        Effect::Remove => {
            needs.removed();
            Fate::Stays
        }
    }
}

/// Whether something that is not known has to be stored here.
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

/// What can go wrong with an assignment, in its place.
fn risked(place: &Place, value: &Expr, vars: Vars<'_>) -> Effect {
    let mut all: Option<Expr> = None;
    vars.risks(place, value, &mut |risk| {
        let risky = match risk {
            Risk::Value(e) => e.clone(),
            Risk::Element(place) => Expr::Load(place.clone()),
        };
        all = Some(match all.take() {
            Some(before) => Expr::binary(BinaryOp::Add, before, risky),
            None => risky,
        });
    });
    let condition = all.map_or(Expr::Const(1), |e| evaluated(e, 1, true));
    Effect::Require { condition, message: String::new() }
}

impl Plan {
    /// Carries it out. How many effects and fields were dropped, output aside.
    pub fn carry_out(&self, edge: &mut Edge, vars: Vars<'_>) -> usize {
        let mut dropped = 0;
        let mut fates = self.effects.iter();
        edge.effects.retain_mut(|effect| match fates.next().copied().unwrap_or(Fate::Dropped) {
            Fate::Stays => true,
            Fate::Anonymous => {
                if let Effect::Run { result, .. } = effect {
                    *result = None;
                }
                dropped += 1;
                true
            }
            Fate::Evaluated => {
                if let Effect::Assign(place, value) = effect {
                    *effect = risked(place, value, vars);
                }
                dropped += 1;
                true
            }
            Fate::Dropped => {
                dropped += usize::from(!matches!(effect, Effect::Print(_)));
                false
            }
        });
        if let Some(Sync::Receive { args, .. }) = &mut edge.sync {
            for (arg, _) in args.iter_mut().zip(&self.dropped).filter(|(_, drop)| **drop) {
                *arg = Pattern::Any;
                dropped += 1;
            }
        }
        dropped
    }
}
