//! Removal of packed copies that nothing reads.
//!
//! A successor in words is its predecessor's words with the written fields replaced. While an edge is generated, its effects are also
//! stored to a packed copy of the state, for whatever reads them later: most edges have nothing that does. Such a copy is removed after the
//! function is complete.

use std::collections::{HashMap, HashSet};
use std::mem::offset_of;

use cranelift_codegen::ir::{Function, Inst, InstructionData, Value};

use crate::context::Context;

/// Removes every packed copy of a successor that is only written, and the loads that only such stores need.
pub(super) fn remove(function: &mut Function, context: Value) {
    let copies = written_only(function, context);
    if copies.is_empty() {
        return;
    }
    let insts: Vec<Inst> = all(function).collect();
    for &inst in &insts {
        if address_of_store(function, inst).is_some_and(|address| copies.contains(&address)) {
            function.layout.remove_inst(inst);
        }
    }
    remove_unused_loads(function);
}

fn all(function: &Function) -> impl Iterator<Item = Inst> + '_ {
    function.layout.blocks().flat_map(|block| function.layout.block_insts(block))
}

/// The addresses of packed copies at which instructions store, and that no instruction uses in another way.
fn written_only(function: &Function, context: Value) -> HashSet<Value> {
    let mut copies: HashSet<Value> = all(function)
        .filter(|inst| loads_scratch(function, *inst, context))
        .map(|inst| result(function, inst))
        .collect();
    for inst in all(function) {
        let address = address_of_store(function, inst);
        let stored = address.map(|_| function.dfg.resolve_aliases(function.dfg.inst_args(inst)[0]));
        for value in function.dfg.inst_values(inst) {
            let value = function.dfg.resolve_aliases(value);
            if address != Some(value) || stored == Some(value) {
                copies.remove(&value);
            }
        }
    }
    copies
}

/// Whether an instruction loads the address of the packed copy from the context.
fn loads_scratch(function: &Function, inst: Inst, context: Value) -> bool {
    match function.dfg.insts[inst] {
        InstructionData::Load { arg, offset, .. } => {
            function.dfg.resolve_aliases(arg) == context && i32::from(offset) == offset_of!(Context, scratch) as i32
        }
        _ => false,
    }
}

fn result(function: &Function, inst: Inst) -> Value {
    function.dfg.inst_results(inst)[0]
}

/// The address at which an instruction stores.
fn address_of_store(function: &Function, inst: Inst) -> Option<Value> {
    match function.dfg.insts[inst] {
        InstructionData::Store { args: [_, address], .. } => Some(function.dfg.resolve_aliases(address)),
        _ => None,
    }
}

/// Removes the loads whose results no instruction uses.
fn remove_unused_loads(function: &mut Function) {
    let mut uses: HashMap<Value, usize> = HashMap::new();
    for inst in all(function) {
        for value in function.dfg.inst_values(inst) {
            *uses.entry(function.dfg.resolve_aliases(value)).or_default() += 1;
        }
    }
    let loads: Vec<Inst> =
        all(function).filter(|inst| matches!(function.dfg.insts[*inst], InstructionData::Load { .. })).collect();
    for inst in loads {
        if !uses.contains_key(&result(function, inst)) {
            function.layout.remove_inst(inst);
        }
    }
}
