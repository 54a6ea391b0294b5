//! Calls into the runtime.

use std::fmt;

use cranelift_codegen::ir::{AbiParam, InstBuilder, Signature, Value, types};
use cranelift_codegen::isa::{CallConv, TargetFrontendConfig};

use super::Gen;

/// How functions of this machine are called.
#[derive(Clone, Copy)]
pub(crate) struct Calls {
    pub config: TargetFrontendConfig,
    pub convention: CallConv,
}

impl fmt::Debug for Calls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Calls").field("convention", &self.convention).finish_non_exhaustive()
    }
}

impl Gen<'_, '_> {
    /// Calls a function of the runtime, which takes these arguments and returns an `i32`.
    pub(super) fn call(&mut self, function: usize, args: &[Value]) -> Value {
        let mut signature = Signature::new(self.calls.convention);
        let types = args.iter().map(|a| AbiParam::new(self.fb.func.dfg.value_type(*a)));
        signature.params.extend(types);
        signature.returns.push(AbiParam::new(types::I32));
        let signature = self.fb.import_signature(signature);
        let address = self.fb.ins().iconst(types::I64, function as i64);
        let call = self.fb.ins().call_indirect(signature, address, args);
        self.fb.inst_results(call)[0]
    }
}
