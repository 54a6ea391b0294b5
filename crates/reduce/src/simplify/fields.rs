//! Message fields that no receiver reads are sent as 0.
//!
//! Then their values need not be known, and messages that differ only there are equal.
//!
//! Channels are values. A flow analysis finds the channel declarations that each variable and each field can denote,
//! over all executions. A field is *needed* if a receive from such a channel matches or stores it, a poll reads it,
//! or the order of messages depends on it. A send to channels of two declarations makes their fields equally needed.
//! The simplified model is the image of the original under the function that sets all other fields of all messages to
//! 0.

use super::faults::{Vars, evaluate_to};
use crate::bitset::BitSet;
use kripke_model::ir::{
    ChannelId, Effect, Expr, Init, Model, Pattern, Place, Process, ProcessId, Shows, Sync, Type, VarRef,
};

/// Replaces the arguments of sends to unneeded fields by 0. The number of arguments.
pub(super) fn zero_unneeded(model: &mut Model, observed: &[Expr]) -> usize {
    if model.channels.iter().all(|channel| channel.fields.is_empty()) {
        return 0;
    }
    let flow = ChannelFlow::of(model);
    let needed = needed(model, observed, &flow);
    let mut zeroed = 0;
    for number in 0..model.processes.len() {
        let locals = model.processes[number].locals.clone();
        let vars = Vars { globals: &model.globals, locals: &locals };
        for edge in &mut model.processes[number].edges {
            let Some(Sync::Send { channel, args, .. }) = &mut edge.sync else { continue };
            let denoted = flow.value(channel, Some(number));
            for (field, arg) in args.iter_mut().enumerate() {
                let needs =
                    |(of, needed): (usize, &Vec<bool>)| denoted.contains(of) && needed.get(field) != Some(&false);
                let is_there = (0..needed.len()).any(|of| denoted.contains(of));
                if is_there && !needed.iter().enumerate().any(needs) && !is_zero(arg) {
                    let may_fault = vars.may_fault(arg);
                    *arg = evaluate_to(std::mem::replace(arg, Expr::Const(0)), 0, may_fault);
                    zeroed += 1;
                }
            }
        }
    }
    zeroed
}

fn is_zero(arg: &Expr) -> bool {
    match arg {
        Expr::Const(0) => true,
        Expr::Cond(parts) => matches!(**parts, [_, Expr::Const(0), Expr::Const(0)]),
        _ => false,
    }
}

/// For each variable and each message field the channel declarations that it can denote.
struct ChannelFlow {
    globals: Vec<BitSet>,
    locals: Vec<Vec<BitSet>>,
    fields: Vec<Vec<BitSet>>,
    declared: Declared,
}

struct Declared {
    all: BitSet,
    /// The declarations of channels that end with a process. Their numbers are reused, so an old number may denote a
    /// channel of another such declaration.
    owned: BitSet,
}

impl ChannelFlow {
    fn of(model: &Model) -> ChannelFlow {
        let none = BitSet::new(model.channels.len());
        let all = BitSet::full(model.channels.len());
        let mut owned = none.clone();
        for var in model.processes.iter().flat_map(|p| &p.locals) {
            if let Init::Channels(ChannelId(of)) = var.init {
                owned.insert(of as usize);
            }
        }
        let mut flow = ChannelFlow {
            globals: vec![none.clone(); model.globals.len()],
            locals: model.processes.iter().map(|p| vec![none.clone(); p.locals.len()]).collect(),
            fields: model.channels.iter().map(|c| vec![none.clone(); c.fields.len()]).collect(),
            declared: Declared { all, owned },
        };
        while flow.propagate(model) {}
        flow
    }

    /// One iteration of the fixpoint. True if a set grew.
    fn propagate(&mut self, model: &Model) -> bool {
        let mut grown = false;
        for (id, var) in model.globals.iter().enumerate() {
            let more = self.initial_value(&var.init, None);
            grown |= flow_into(&mut self.globals[id], &more, var.ty, &self.declared);
        }
        for start in &model.start {
            for (number, arg) in start.args.iter().enumerate() {
                let more = self.value(arg, None);
                grown |= self.store_local(model, start.process.index(), number, &more);
            }
        }
        for (number, process) in model.processes.iter().enumerate() {
            for (id, var) in process.locals.iter().enumerate() {
                let more = self.initial_value(&var.init, Some(number));
                grown |= self.store_local(model, number, id, &more);
            }
            grown |= self.edges(model, process, Some(number));
        }
        model.observer.iter().fold(grown, |grown, o| self.edges(model, &o.automaton, None) | grown)
    }

    fn edges(&mut self, model: &Model, process: &Process, owner: Option<usize>) -> bool {
        let mut grown = false;
        for edge in &process.edges {
            match &edge.sync {
                Some(Sync::Send { channel, args, .. }) => {
                    let denoted = self.value(channel, owner);
                    for (field, arg) in args.iter().enumerate() {
                        let more = self.value(arg, owner);
                        for of in (0..self.fields.len()).filter(|of| denoted.contains(*of)) {
                            if let Some(ty) = model.channels[of].fields.get(field) {
                                grown |= flow_into(&mut self.fields[of][field], &more, *ty, &self.declared);
                            }
                        }
                    }
                }
                Some(Sync::Receive { channel, args, .. }) => {
                    let denoted = self.value(channel, owner);
                    for (field, arg) in args.iter().enumerate() {
                        let Pattern::Store(place) = arg else { continue };
                        for of in (0..self.fields.len()).filter(|of| denoted.contains(*of)) {
                            let more = self.fields[of].get(field).unwrap_or(&self.declared.all).clone();
                            grown |= self.store(model, place, owner, &more);
                        }
                    }
                }
                None => {}
            }
            for effect in &edge.effects {
                grown |= self.effect(model, effect, owner);
            }
        }
        grown
    }

    fn effect(&mut self, model: &Model, effect: &Effect, owner: Option<usize>) -> bool {
        match effect {
            Effect::Assign(place, value) => {
                let more = self.value(value, owner);
                self.store(model, place, owner, &more)
            }
            Effect::Run { process, args, result, .. } => {
                let mut grown = false;
                for (number, arg) in args.iter().enumerate() {
                    let more = self.value(arg, owner);
                    grown |= self.store_local(model, process.index(), number, &more);
                }
                let all = self.declared.all.clone();
                result.iter().fold(grown, |grown, place| self.store(model, place, owner, &all) | grown)
            }
            _ => false,
        }
    }

    fn store(&mut self, model: &Model, place: &Place, owner: Option<usize>, more: &BitSet) -> bool {
        match (place.var, owner) {
            (VarRef::Global(id), _) => {
                flow_into(&mut self.globals[id.index()], more, model.globals[id.index()].ty, &self.declared)
            }
            (VarRef::Local(id), Some(owner)) => self.store_local(model, owner, id.index(), more),
            (VarRef::Local(_), None) => false,
        }
    }

    fn store_local(&mut self, model: &Model, process: usize, local: usize, more: &BitSet) -> bool {
        flow_into(&mut self.locals[process][local], more, model.processes[process].locals[local].ty, &self.declared)
    }

    fn initial_value(&self, init: &Init, owner: Option<usize>) -> BitSet {
        let mut set = BitSet::new(self.fields.len());
        if let Init::Channels(ChannelId(of)) = init {
            set.insert(*of as usize);
        }
        for e in init.exprs() {
            set.union_with(&self.value(e, owner));
        }
        set
    }

    /// The declarations that the value of an expression can denote. A computed value can denote any channel.
    fn value(&self, expr: &Expr, owner: Option<usize>) -> BitSet {
        match (expr, owner) {
            (Expr::Const(0), _) => BitSet::new(self.fields.len()),
            (Expr::Load(Place { var: VarRef::Global(id), .. }), _) => self.globals[id.index()].clone(),
            (Expr::Load(Place { var: VarRef::Local(id), .. }), Some(owner)) => self.locals[owner][id.index()].clone(),
            (Expr::Remote { process: ProcessId(of), place: Place { var: VarRef::Local(id), .. }, .. }, _) => {
                self.locals[*of as usize][id.index()].clone()
            }
            (Expr::Cond(parts), _) => {
                let mut set = self.value(&parts[1], owner);
                set.union_with(&self.value(&parts[2], owner));
                set
            }
            _ => self.declared.all.clone(),
        }
    }
}

/// Adds declarations to a variable. A number that wraps around in its type can denote any channel.
fn flow_into(to: &mut BitSet, more: &BitSet, ty: Type, Declared { all, owned }: &Declared) -> bool {
    if ty.shows != Shows::Channel && !more.is_empty() {
        return to.union_with(all);
    }
    to.union_with(more) | (more.intersects(owned) && to.union_with(owned))
}

/// For each declaration the fields that are needed.
fn needed(model: &Model, observed: &[Expr], flow: &ChannelFlow) -> Vec<Vec<bool>> {
    let mut needed = Needed { of: model.channels.iter().map(|c| vec![false; c.fields.len()]).collect() };
    let everywhere = model.goal.iter().map(|goal| &goal.condition).chain(observed);
    everywhere.for_each(|e| e.walk(&mut |part| needed.poll(part, flow, None)));
    for automaton in model.observer.iter().map(|o| &o.automaton) {
        automaton.walk(&mut |part| needed.poll(part, flow, None));
    }
    for sync in model.trace.iter().flat_map(|t| &t.automaton.edges).filter_map(|edge| edge.sync.as_ref()) {
        let (Sync::Send { channel, .. } | Sync::Receive { channel, .. }) = sync;
        needed.all_fields(&flow.value(channel, None));
    }
    for (number, process) in model.processes.iter().enumerate() {
        process.walk(&mut |part| needed.poll(part, flow, Some(number)));
        for sync in process.edges.iter().filter_map(|edge| edge.sync.as_ref()) {
            match sync {
                Sync::Receive { channel, args, .. } => needed.receive(args, &flow.value(channel, Some(number))),
                Sync::Send { channel, sorted: true, .. } => needed.all_fields(&flow.value(channel, Some(number))),
                Sync::Send { .. } => {}
            }
        }
    }
    while needed.propagate(model, flow) {}
    needed.of
}

struct Needed {
    of: Vec<Vec<bool>>,
}

impl Needed {
    fn poll(&mut self, expr: &Expr, flow: &ChannelFlow, owner: Option<usize>) {
        if let Expr::Poll { channel, args, .. } = expr {
            self.receive(args, &flow.value(channel, owner));
        }
    }

    fn receive(&mut self, args: &[Pattern], denoted: &BitSet) {
        for (_, fields) in self.of.iter_mut().enumerate().filter(|(of, _)| denoted.contains(*of)) {
            let fits = fields.len() == args.len();
            for (needed, arg) in fields.iter_mut().zip(args) {
                *needed |= !matches!(arg, Pattern::Any);
            }
            if !fits {
                fields.fill(true);
            }
        }
    }

    fn all_fields(&mut self, denoted: &BitSet) {
        let fields = self.of.iter_mut().enumerate().filter(|(of, _)| denoted.contains(*of));
        fields.for_each(|(_, fields)| fields.fill(true));
    }

    /// A field needed in one channel of a send is needed in all. True if a set grew.
    fn propagate(&mut self, model: &Model, flow: &ChannelFlow) -> bool {
        let mut grown = false;
        for (number, process) in model.processes.iter().enumerate() {
            for edge in &process.edges {
                let Some(Sync::Send { channel, args, .. }) = &edge.sync else { continue };
                let denoted = flow.value(channel, Some(number));
                let some: Vec<usize> = (0..self.of.len()).filter(|of| denoted.contains(*of)).collect();
                let unfit = some.iter().any(|of| self.of[*of].len() != args.len());
                for field in 0..args.len() {
                    let needs = unfit || some.iter().any(|of| self.of[*of][field]);
                    for of in some.iter().filter(|_| needs) {
                        let needed = self.of[*of].get_mut(field);
                        grown |= needed.is_some_and(|needed| !std::mem::replace(needed, true));
                    }
                }
            }
        }
        grown
    }
}
