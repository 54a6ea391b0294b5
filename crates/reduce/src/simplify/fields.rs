//! Fields of messages that every receiver drops are sent as 0, so that nobody needs to know them, and messages that differ in
//! nothing else are equal.
//!
//! Channels are values, so first it is worked out which declarations the channel may be of that an expression names: the
//! declarations that can flow into each variable and each field, wherever the program is. A field is *needed* if somebody who
//! may receive from such a channel matches or stores it, asks for it, or depends on the order of messages. Whoever may send to
//! channels of two declarations needs the same fields of both. The reduced model is the image of the original under the
//! function that puts 0 into all other fields of all messages.

use super::faults::{Vars, evaluated};
use super::set::Set;
use kripke_model::ir::{
    ChannelId, Effect, Expr, Init, Model, Pattern, Place, Process, ProcessId, Shows, Sync, Type, VarRef,
};

/// Sends 0 in place of what nobody needs. How many times.
pub(super) fn blank(model: &mut Model, asked: &[Expr]) -> usize {
    if model.channels.iter().all(|channel| channel.fields.is_empty()) {
        return 0;
    }
    let flow = Flow::of(model);
    let needed = needed(model, asked, &flow);
    let mut blanked = 0;
    for number in 0..model.processes.len() {
        let locals = model.processes[number].locals.clone();
        let vars = Vars { globals: &model.globals, locals: &locals };
        for edge in &mut model.processes[number].edges {
            let Some(Sync::Send { channel, args, .. }) = &mut edge.sync else { continue };
            let may_be = flow.value(channel, Some(number));
            for (field, arg) in args.iter_mut().enumerate() {
                let needs =
                    |(of, needed): (usize, &Vec<bool>)| may_be.contains(of) && needed.get(field) != Some(&false);
                let is_there = (0..needed.len()).any(|of| may_be.contains(of));
                if is_there && !needed.iter().enumerate().any(needs) && !is_blank(arg) {
                    let may_fault = vars.may_fault(arg);
                    *arg = evaluated(std::mem::replace(arg, Expr::Const(0)), 0, may_fault);
                    blanked += 1;
                }
            }
        }
    }
    blanked
}

fn is_blank(arg: &Expr) -> bool {
    match arg {
        Expr::Const(0) => true,
        Expr::Cond(parts) => matches!(**parts, [_, Expr::Const(0), Expr::Const(0)]),
        _ => false,
    }
}

/// For each variable and each field of a message the declarations of channels that it may name one of.
struct Flow {
    globals: Vec<Set>,
    locals: Vec<Vec<Set>>,
    fields: Vec<Vec<Set>>,
    declared: Declared,
}

struct Declared {
    all: Set,
    /// Those of channels that disappear with a process. Their numbers are given away again, and who still has one may then
    /// name a channel of another such declaration.
    owned: Set,
}

impl Flow {
    fn of(model: &Model) -> Flow {
        let none = Set::new(model.channels.len());
        let mut all = none.clone();
        (0..model.channels.len()).for_each(|of| all.add(of));
        let mut owned = none.clone();
        for var in model.processes.iter().flat_map(|p| &p.locals) {
            if let Init::Channels(ChannelId(of)) = var.init {
                owned.add(of as usize);
            }
        }
        let mut flow = Flow {
            globals: vec![none.clone(); model.globals.len()],
            locals: model.processes.iter().map(|p| vec![none.clone(); p.locals.len()]).collect(),
            fields: model.channels.iter().map(|c| vec![none.clone(); c.fields.len()]).collect(),
            declared: Declared { all, owned },
        };
        while flow.grows(model) {}
        flow
    }

    /// Lets everything flow one step. Whether that made a difference.
    fn grows(&mut self, model: &Model) -> bool {
        let mut grown = false;
        for (id, var) in model.globals.iter().enumerate() {
            let more = self.start(&var.init, None);
            grown |= add(&mut self.globals[id], &more, var.ty, &self.declared);
        }
        for start in &model.start {
            for (number, arg) in start.args.iter().enumerate() {
                let more = self.value(arg, None);
                grown |= self.store_local(model, start.process.index(), number, &more);
            }
        }
        for (number, process) in model.processes.iter().enumerate() {
            for (id, var) in process.locals.iter().enumerate() {
                let more = self.start(&var.init, Some(number));
                grown |= self.store_local(model, number, id, &more);
            }
            grown |= self.steps(model, process, Some(number));
        }
        model.observer.iter().fold(grown, |grown, o| self.steps(model, &o.automaton, None) | grown)
    }

    fn steps(&mut self, model: &Model, process: &Process, owner: Option<usize>) -> bool {
        let mut grown = false;
        for edge in &process.edges {
            match &edge.sync {
                Some(Sync::Send { channel, args, .. }) => {
                    let may_be = self.value(channel, owner);
                    for (field, arg) in args.iter().enumerate() {
                        let more = self.value(arg, owner);
                        for of in (0..self.fields.len()).filter(|of| may_be.contains(*of)) {
                            if let Some(ty) = model.channels[of].fields.get(field) {
                                grown |= add(&mut self.fields[of][field], &more, *ty, &self.declared);
                            }
                        }
                    }
                }
                Some(Sync::Receive { channel, args, .. }) => {
                    let may_be = self.value(channel, owner);
                    for (field, arg) in args.iter().enumerate() {
                        let Pattern::Store(place) = arg else { continue };
                        for of in (0..self.fields.len()).filter(|of| may_be.contains(*of)) {
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

    fn store(&mut self, model: &Model, place: &Place, owner: Option<usize>, more: &Set) -> bool {
        match (place.var, owner) {
            (VarRef::Global(id), _) => {
                add(&mut self.globals[id.index()], more, model.globals[id.index()].ty, &self.declared)
            }
            (VarRef::Local(id), Some(owner)) => self.store_local(model, owner, id.index(), more),
            (VarRef::Local(_), None) => false,
        }
    }

    fn store_local(&mut self, model: &Model, process: usize, local: usize, more: &Set) -> bool {
        add(&mut self.locals[process][local], more, model.processes[process].locals[local].ty, &self.declared)
    }

    fn start(&self, init: &Init, owner: Option<usize>) -> Set {
        let mut set = Set::new(self.fields.len());
        if let Init::Channels(ChannelId(of)) = init {
            set.add(*of as usize);
        }
        for e in init.exprs() {
            set.include(&self.value(e, owner));
        }
        set
    }

    /// What the value of an expression may name. Who computes one may name any.
    fn value(&self, expr: &Expr, owner: Option<usize>) -> Set {
        match (expr, owner) {
            (Expr::Const(0), _) => Set::new(self.fields.len()),
            (Expr::Load(Place { var: VarRef::Global(id), .. }), _) => self.globals[id.index()].clone(),
            (Expr::Load(Place { var: VarRef::Local(id), .. }), Some(owner)) => self.locals[owner][id.index()].clone(),
            (Expr::Remote { process: ProcessId(of), place: Place { var: VarRef::Local(id), .. }, .. }, _) => {
                self.locals[*of as usize][id.index()].clone()
            }
            (Expr::Cond(parts), _) => {
                let mut set = self.value(&parts[1], owner);
                set.include(&self.value(&parts[2], owner));
                set
            }
            _ => self.declared.all.clone(),
        }
    }
}

/// A number that does not fit its place may come out as that of any channel.
fn add(to: &mut Set, more: &Set, ty: Type, Declared { all, owned }: &Declared) -> bool {
    if ty.shows != Shows::Channel && !more.is_empty() {
        return to.include(all);
    }
    to.include(more) | (more.meets(owned) && to.include(owned))
}

/// For each declaration which fields are needed.
fn needed(model: &Model, asked: &[Expr], flow: &Flow) -> Vec<Vec<bool>> {
    let mut needed = Needed { of: model.channels.iter().map(|c| vec![false; c.fields.len()]).collect() };
    let everywhere = model.goal.iter().map(|goal| &goal.condition).chain(asked);
    everywhere.for_each(|e| e.walk(&mut |part| needed.poll(part, flow, None)));
    for automaton in model.observer.iter().map(|o| &o.automaton) {
        automaton.walk(&mut |part| needed.poll(part, flow, None));
    }
    for sync in model.trace.iter().flat_map(|t| &t.automaton.edges).filter_map(|edge| edge.sync.as_ref()) {
        let (Sync::Send { channel, .. } | Sync::Receive { channel, .. }) = sync;
        needed.wholly(&flow.value(channel, None));
    }
    for (number, process) in model.processes.iter().enumerate() {
        process.walk(&mut |part| needed.poll(part, flow, Some(number)));
        for sync in process.edges.iter().filter_map(|edge| edge.sync.as_ref()) {
            match sync {
                Sync::Receive { channel, args, .. } => needed.receive(args, &flow.value(channel, Some(number))),
                Sync::Send { channel, sorted: true, .. } => needed.wholly(&flow.value(channel, Some(number))),
                Sync::Send { .. } => {}
            }
        }
    }
    while needed.grows(model, flow) {}
    needed.of
}

struct Needed {
    of: Vec<Vec<bool>>,
}

impl Needed {
    fn poll(&mut self, expr: &Expr, flow: &Flow, owner: Option<usize>) {
        if let Expr::Poll { channel, args, .. } = expr {
            self.receive(args, &flow.value(channel, owner));
        }
    }

    fn receive(&mut self, args: &[Pattern], may_be: &Set) {
        for (_, fields) in self.of.iter_mut().enumerate().filter(|(of, _)| may_be.contains(*of)) {
            let fits = fields.len() == args.len();
            for (needed, arg) in fields.iter_mut().zip(args) {
                *needed |= !matches!(arg, Pattern::Any);
            }
            if !fits {
                fields.fill(true);
            }
        }
    }

    fn wholly(&mut self, may_be: &Set) {
        let fields = self.of.iter_mut().enumerate().filter(|(of, _)| may_be.contains(*of));
        fields.for_each(|(_, fields)| fields.fill(true));
    }

    /// What is needed of one channel that a message may be sent to is needed of all.
    fn grows(&mut self, model: &Model, flow: &Flow) -> bool {
        let mut grown = false;
        for (number, process) in model.processes.iter().enumerate() {
            for edge in &process.edges {
                let Some(Sync::Send { channel, args, .. }) = &edge.sync else { continue };
                let may_be = flow.value(channel, Some(number));
                let some: Vec<usize> = (0..self.of.len()).filter(|of| may_be.contains(*of)).collect();
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
