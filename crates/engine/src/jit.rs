//! Compilation of functions to machine code.

use cranelift_codegen::ir::{Endianness, Function};
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_jit::{ArenaMemoryProvider, JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module, ModuleError};

use crate::Options;
use crate::code::Calls;
use crate::runtime;

/// The maximal size of the machine code of a program. This address space is reserved.
const MAX_CODE: usize = 1 << 26;

/// The number of instructions above which a program is not optimised, since optimisation would take longer than it
/// saves. Above the second number it is compiled with the fastest settings.
const OPTIMISED: usize = 8_000;
const HURRIED: usize = 40_000;

/// Compiled functions.
pub(crate) struct Machine {
    pub module: JITModule,
    /// The addresses, in the order of the functions given.
    pub addresses: Vec<runtime::Function>,
    /// The size of the machine code.
    pub bytes: usize,
}

/// The level of optimisation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Effort {
    Much,
    Some,
    Little,
}

/// The calling convention of the host.
pub(crate) fn calls() -> Result<Calls, String> {
    let isa = isa(Effort::Little, false)?;
    Ok(Calls { config: isa.frontend_config(), convention: isa.default_call_conv() })
}

/// Compiles functions, which refer to each other by position. Their names are for profilers and debuggers.
pub(crate) fn compile(functions: Vec<(String, Function)>, options: Options) -> Result<Machine, String> {
    let instructions: usize = functions.iter().map(|(_, f)| f.dfg.num_insts()).sum();
    let effort = match instructions {
        HURRIED.. => Effort::Little,
        OPTIMISED.. => Effort::Some,
        _ => Effort::Much,
    };
    let effort = if options.optimise || effort != Effort::Much { effort } else { Effort::Some };
    let mut builder = JITBuilder::with_isa(isa(effort, options.verify)?, cranelift_module::default_libcall_names());
    // One contiguous arena, so that functions can call each other at any distance.
    let memory = ArenaMemoryProvider::new_with_size(MAX_CODE).map_err(|e| e.to_string())?;
    builder.memory_provider(Box::new(memory));
    let mut module = JITModule::new(builder);
    let mut ids = Vec::with_capacity(functions.len());
    for (name, function) in &functions {
        let id = module.declare_function(name, Linkage::Local, &function.signature).map_err(text)?;
        assert_eq!(id, FuncId::from_u32(ids.len() as u32), "functions are numbered in order");
        ids.push(id);
    }
    let (mut context, mut bytes) = (module.make_context(), 0);
    for (id, (_, function)) in ids.iter().zip(functions) {
        context.func = function;
        module.define_function(*id, &mut context).map_err(text)?;
        bytes += context.compiled_code().map_or(0, |code| code.code_buffer().len());
        module.clear_context(&mut context);
    }
    module.finalize_definitions().map_err(text)?;
    let addresses = ids.into_iter().map(|id| address(&module, id)).collect();
    Ok(Machine { module, addresses, bytes })
}

fn isa(effort: Effort, verify: bool) -> Result<OwnedTargetIsa, String> {
    let mut flags = settings::builder();
    for (name, value) in [
        ("opt_level", if effort == Effort::Much { "speed" } else { "none" }),
        ("regalloc_algorithm", if effort == Effort::Little { "single_pass" } else { "backtracking" }),
        ("enable_verifier", if verify { "true" } else { "false" }),
        ("is_pic", "false"),
        ("use_colocated_libcalls", "false"),
        ("enable_probestack", "false"),
        ("unwind_info", "false"),
    ] {
        flags.set(name, value).map_err(|e| e.to_string())?;
    }
    let isa = cranelift_native::builder()?.finish(settings::Flags::new(flags)).map_err(|e| e.to_string())?;
    if isa.pointer_bits() != 64 || isa.endianness() != Endianness::Little {
        return Err("this kind of machine".to_string());
    }
    Ok(isa)
}

fn address(module: &JITModule, id: FuncId) -> runtime::Function {
    let code = module.get_finalized_function(id);
    // SAFETY: the function was generated with this signature and the machine's own calling convention.
    unsafe { std::mem::transmute::<*const u8, runtime::Function>(code) }
}

fn text(error: ModuleError) -> String {
    match error {
        ModuleError::Compilation(e) => format!("{e:?}"),
        other => other.to_string(),
    }
}
