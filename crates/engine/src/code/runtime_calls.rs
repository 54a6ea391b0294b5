//! Calls of the runtime and of other generated functions.

use std::fmt;

use cranelift_codegen::ir::{
    AbiParam, ExtFuncData, ExternalName, FuncRef, InstBuilder, Signature, UserExternalName, Value, types,
};
use cranelift_codegen::isa::{CallConv, TargetFrontendConfig};
use cranelift_module::FuncId;

use super::{Gen, Role, Site};
use crate::runtime::Call;

/// The calling convention of the host.
#[derive(Clone, Copy)]
pub(crate) struct Calls {
    /// The properties of the target.
    pub config: TargetFrontendConfig,
    /// The calling convention.
    pub convention: CallConv,
}

impl Calls {
    /// The signature `(context, state, base, pid) -> status`.
    pub(crate) fn signature(&self) -> Signature {
        let mut signature = Signature::new(self.convention);
        signature.params.extend([types::I64; 4].map(AbiParam::new));
        signature.returns.push(AbiParam::new(types::I32));
        signature
    }
}

impl fmt::Debug for Calls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Calls").field("convention", &self.convention).finish_non_exhaustive()
    }
}

/// The functions of a model before compilation.
#[derive(Debug, Default)]
pub(crate) struct Links {
    /// Whether each process has its own functions, not each process type.
    pub per_process: bool,
    /// The functions of each process or process type, by kind.
    pub functions: Vec<[Option<FuncId>; Role::OF_PROCESSES.len()]>,
}

impl Gen<'_, '_> {
    /// Calls a function of the runtime, which returns an `i32`.
    pub(super) fn call(&mut self, function: Call, args: &[Value]) -> Value {
        let mut signature = Signature::new(self.calls.convention);
        let types = args.iter().map(|a| AbiParam::new(self.fb.func.dfg.value_type(*a)));
        signature.params.extend(types);
        signature.returns.push(AbiParam::new(types::I32));
        let signature = self.fb.import_signature(signature);
        let function = if self.plan.portable { function.number() } else { function.address() as i64 };
        let function = self.fb.ins().iconst(types::I64, function);
        let call = self.fb.ins().call_indirect(signature, function, args);
        self.fb.inst_results(call)[0]
    }

    /// The function of a process, if it has one.
    pub(super) fn link(&mut self, role: Role, site: Site) -> Option<FuncRef> {
        let links = &self.plan.links;
        let index = if links.per_process { site.pid.as_known()? as usize } else { site.process as usize };
        let id = links.functions[index][role as usize]?;
        if let Some(known) = self.linked.get(&id) {
            return Some(*known);
        }
        let signature = self.fb.import_signature(self.calls.signature());
        let name = UserExternalName { namespace: 0, index: id.as_u32() };
        let name = ExternalName::user(self.fb.func.declare_imported_user_function(name));
        let data = ExtFuncData { name, signature, colocated: true, patchable: false };
        let function = self.fb.import_function(data);
        self.linked.insert(id, function);
        Some(function)
    }

    /// Calls the function of a process on a state.
    pub(super) fn call_linked(&mut self, function: FuncRef, bytes: Value, site: Site) -> Value {
        let (base, pid) = (self.num(site.base), self.num(site.pid));
        let call = self.fb.ins().call(function, &[self.ctx, bytes, base, pid]);
        self.fb.inst_results(call)[0]
    }
}
