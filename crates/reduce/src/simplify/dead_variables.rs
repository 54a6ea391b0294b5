//! Dead-variable reset.
//!
//! A variable is *live* at a location of its process if its value may still be read from there on: a backward
//! analysis of the control-flow graph. An assignment to a variable that is dead afterwards is removed, so its right
//! side is not read. Let `h` map a state to the one in which each variable that is dead at the location of its
//! process has its reset value. The simplified model is the image of the original under `h`:
//!
//! * The initial states correspond, since initial values and arguments of variables dead at the entry are the reset
//!   values.
//! * If an edge leads from `s` to `t`, then in the simplified model it leads from `h(s)` to `h(t)`. The edge reads
//!   only variables live before it, which are equal in both. A variable dead after the edge was live before it or is
//!   written by it, and then an effect at the end of the edge resets it; or neither, and it already has its reset
//!   value.
//!
//! `h` depends on the location only, so there are never more states than before. (SPIN resets a variable at its last
//! read, and distinguishes runs by whether they executed that read.)
//!
//! A variable that is never written after its process has begun keeps its value even where it is dead: other analyses
//! gain more from the constant (a channel, a process number) than a reset would.
//!
//! The analysis covers locals. Globals that only one process uses are [privatised](super::privatise) before.

use super::edge::{EdgeChanges, backward};
use super::faults::{Vars, evaluate_to};
use super::live_variables::{LiveBefore, live, local, successor};
use super::remotely_read::remotely_read;
use crate::bitset::BitSet;
use crate::writes::writes;
use kripke_model::ir::{EdgeId, Effect, Expr, Init, Model, Place, Process, ProcessId, Var, VarId, VarRef};

/// Adds effects that reset dead variables. The number of resets and removed assignments.
pub(super) fn reset(model: &mut Model, observed: &[Expr]) -> usize {
    let remotely_read = remotely_read(model, observed);
    let mut made = 0;
    for (number, remotely_read) in remotely_read.iter().enumerate() {
        let live = live(&model.processes[number], remotely_read, &model.globals);
        made += reset_in_edges(model, number, remotely_read, &live);
        made += reset_initial_values(model, number, &live[model.processes[number].entry.index()]);
    }
    made
}

/// Removes assignments to dead variables from the edges of a process, and resets variables that die there.
fn reset_in_edges(model: &mut Model, number: usize, remotely_read: &BitSet, live: &[BitSet]) -> usize {
    let locals = model.processes[number].locals.clone();
    let vars = Vars { globals: &model.globals, locals: &locals };
    let process = &mut model.processes[number];
    let mut sources: Vec<Vec<usize>> = vec![Vec::new(); process.edges.len()];
    for (at, location) in process.locations.iter().enumerate() {
        location.edges.iter().for_each(|id: &EdgeId| sources[id.index()].push(at));
    }
    let mut ever = BitSet::new(locals.len());
    for edge in &process.edges {
        writes(edge, &mut |var| local(var).into_iter().for_each(|n| ever.insert(n)));
    }
    let (mut made, mut changes) = (0, EdgeChanges::default());
    for (edge, sources) in process.edges.iter_mut().zip(&sources).filter(|(_, sources)| !sources.is_empty()) {
        let live_after = &live[successor(edge).index()];
        backward(edge, vars, &mut LiveBefore::new(live_after, remotely_read), &mut changes);
        made += changes.apply(edge, vars);
        // A process that ends loses its variables.
        if edge.chain.is_some() || edge.effects.iter().any(|e| matches!(e, Effect::Remove)) {
            continue;
        }
        let mut stored = BitSet::new(locals.len());
        writes(edge, &mut |var| local(var).into_iter().for_each(|n| stored.insert(n)));
        let changed = |n: &usize| stored.contains(*n) || sources.iter().any(|at| live[*at].contains(*n));
        for dead in (0..locals.len()).filter(|n| ever.contains(*n) && !live_after.contains(*n)).filter(changed) {
            edge.effects.extend(resets(VarRef::Local(VarId(dead as u32)), &locals[dead]));
            made += 1;
        }
    }
    made
}

/// The reset value of a variable.
fn reset_value(var: &Var) -> i32 {
    var.range.filter(|range| !(range.0..=range.1).contains(&0)).map_or(0, |range| range.0)
}

/// The effects that reset a variable, one for each element.
fn resets(var: VarRef, declared: &Var) -> Vec<Effect> {
    let value = reset_value(declared);
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

/// Initialises variables that are dead at the entry with their reset values.
fn reset_initial_values(model: &mut Model, number: usize, live: &BitSet) -> usize {
    let mut made = 0;
    for dead in (0..model.processes[number].locals.len()).filter(|n| !live.contains(*n)) {
        let var = &mut model.processes[number].locals[dead];
        let value = reset_value(var);
        match (&var.init, value) {
            (Init::Param, _) => made += reset_argument(model, ProcessId(number as u32), dead, value),
            (Init::Zero, 0) => {}
            _ => {
                var.init = if value == 0 { Init::Zero } else { Init::All(Expr::Const(value)) };
                made += 1;
            }
        }
    }
    made
}

/// Passes the reset value for a parameter to all processes of a type.
fn reset_argument(model: &mut Model, process: ProcessId, parameter: usize, value: i32) -> usize {
    let mut made = 0;
    let mut reset = |arg: &mut Expr, may_fault: bool| {
        if !matches!(arg, Expr::Const(n) if *n == value) {
            *arg = evaluate_to(std::mem::replace(arg, Expr::Const(0)), value, may_fault);
            made += 1;
        }
    };
    let globals = &model.globals;
    for start in model.start.iter_mut().filter(|start| start.process == process) {
        let may_fault = Vars { globals, locals: &[] }.may_fault(&start.args[parameter]);
        reset(&mut start.args[parameter], may_fault);
    }
    for Process { locals, edges, .. } in &mut model.processes {
        for effect in edges.iter_mut().flat_map(|edge| &mut edge.effects) {
            if let Effect::Run { process: child, args, .. } = effect
                && *child == process
            {
                let may_fault = Vars { globals, locals }.may_fault(&args[parameter]);
                reset(&mut args[parameter], may_fault);
            }
        }
    }
    made
}
