//! Dead variables: a value that is overwritten before anybody reads it, on every way from here, is replaced by a fixed one.
//!
//! A variable is *live* at a location of its process if its value may still be read from there on: a backward analysis of
//! the process's graph. (Of an assignment to a variable that is dead afterwards, the right side is not read: the assignment
//! is left out.) Let `h` map a state to the one in which each variable that is dead where its process is has the fixed
//! value of that variable. The reduced model is the image of the original under `h`:
//!
//! * its initial state is, since initial values and arguments of variables dead at the entry are the fixed ones;
//! * if an edge leads from `s` to `t`, then in the reduced model it leads from `h(s)` to `h(t)`. It reads only what is live
//!   before it, which is the same in both. A variable dead after the edge was live before it, or is written by it, and is
//!   then given the fixed value by an effect at its end; or neither, and already had it.
//!
//! Since `h` asks for the location only, there are never more states than before. (SPIN resets a variable where a
//! statement reads it for the last time, and so tells runs apart by whether they came through such a statement.)
//!
//! A variable that is set once, when its process begins, keeps its value even where it is dead: that it never changes tells
//! others more (which channel it is, which process this is) than a reset would save.
//!
//! This is about locals; globals that only one process uses are made locals before.

use super::edge::{Plan, backward};
use super::faults::{Vars, evaluated};
use super::live_variables::{Before, after, live, local};
use super::remotely_read::pinned;
use super::set::Set;
use crate::writes::writes;
use kripke_model::ir::{EdgeId, Effect, Expr, Init, Model, Place, Process, ProcessId, Var, VarId, VarRef};

/// Adds effects that reset dead variables. How many, and how many assignments were left out instead.
pub(super) fn reset(model: &mut Model, asked: &[Expr]) -> usize {
    let pinned = pinned(model, asked);
    let mut made = 0;
    for (number, pinned) in pinned.iter().enumerate() {
        let live = live(&model.processes[number], pinned, &model.globals);
        made += rewrite(model, number, pinned, &live);
        made += begin(model, number, &live[model.processes[number].entry.index()]);
    }
    made
}

/// Leaves out of the edges of a process what is stored in vain, and resets what is dead after them.
fn rewrite(model: &mut Model, number: usize, pinned: &Set, live: &[Set]) -> usize {
    let locals = model.processes[number].locals.clone();
    let vars = Vars { globals: &model.globals, locals: &locals };
    let process = &mut model.processes[number];
    let mut sources: Vec<Vec<usize>> = vec![Vec::new(); process.edges.len()];
    for (at, location) in process.locations.iter().enumerate() {
        location.edges.iter().for_each(|id: &EdgeId| sources[id.index()].push(at));
    }
    let mut ever = Set::new(locals.len());
    for edge in &process.edges {
        writes(edge, &mut |var| local(var).into_iter().for_each(|n| ever.add(n)));
    }
    let (mut made, mut plan) = (0, Plan::default());
    for (edge, sources) in process.edges.iter_mut().zip(&sources).filter(|(_, sources)| !sources.is_empty()) {
        let after = &live[after(edge).index()];
        backward(edge, vars, &mut Before::new(after, pinned), &mut plan);
        made += plan.carry_out(edge, vars);
        // A process that disappears takes its variables with it.
        if edge.chain.is_some() || edge.effects.iter().any(|e| matches!(e, Effect::Remove)) {
            continue;
        }
        let mut stored = Set::new(locals.len());
        writes(edge, &mut |var| local(var).into_iter().for_each(|n| stored.add(n)));
        let changed = |n: &usize| stored.contains(*n) || sources.iter().any(|at| live[*at].contains(*n));
        for dead in (0..locals.len()).filter(|n| ever.contains(*n) && !after.contains(*n)).filter(changed) {
            edge.effects.extend(resets(VarRef::Local(VarId(dead as u32)), &locals[dead]));
            made += 1;
        }
    }
    made
}

/// What a dead variable holds.
fn fixed(var: &Var) -> i32 {
    var.range.filter(|range| !(range.0..=range.1).contains(&0)).map_or(0, |range| range.0)
}

/// One effect for each element.
fn resets(var: VarRef, declared: &Var) -> Vec<Effect> {
    let value = fixed(declared);
    let element = |mut i: usize| {
        let mut index: Vec<Expr> = Vec::new();
        for dim in declared.dims.iter().rev() {
            index.push(Expr::Const((i % *dim as usize) as i32));
            i /= *dim as usize;
        }
        index.reverse();
        Effect::Assign(Place { var, index }, Expr::Const(value))
    };
    (0..declared.len()).map(element).collect()
}

/// Lets what is dead at the entry start with its fixed value.
fn begin(model: &mut Model, number: usize, live: &Set) -> usize {
    let mut made = 0;
    for dead in (0..model.processes[number].locals.len()).filter(|n| !live.contains(*n)) {
        let var = &mut model.processes[number].locals[dead];
        let value = fixed(var);
        match (&var.init, value) {
            (Init::Param, _) => made += pass(model, ProcessId(number as u32), dead, value),
            (Init::Zero, 0) => {}
            _ => {
                var.init = if value == 0 { Init::Zero } else { Init::All(Expr::Const(value)) };
                made += 1;
            }
        }
    }
    made
}

/// Passes a fixed value for a parameter to all processes of a type.
fn pass(model: &mut Model, process: ProcessId, parameter: usize, value: i32) -> usize {
    let mut made = 0;
    let mut change = |arg: &mut Expr, may_fault: bool| {
        if !matches!(arg, Expr::Const(n) if *n == value) {
            *arg = evaluated(std::mem::replace(arg, Expr::Const(0)), value, may_fault);
            made += 1;
        }
    };
    let globals = &model.globals;
    for start in model.start.iter_mut().filter(|start| start.process == process) {
        let may_fault = Vars { globals, locals: &[] }.may_fault(&start.args[parameter]);
        change(&mut start.args[parameter], may_fault);
    }
    for Process { locals, edges, .. } in &mut model.processes {
        for effect in edges.iter_mut().flat_map(|edge| &mut edge.effects) {
            if let Effect::Run { process: child, args, .. } = effect
                && *child == process
            {
                let may_fault = Vars { globals, locals }.may_fault(&args[parameter]);
                change(&mut args[parameter], may_fault);
            }
        }
    }
    made
}
