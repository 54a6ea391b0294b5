//! A program: code for a model, generated, compiled, and kept until nobody runs it any more.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::FunctionBuilderContext;
use cranelift_jit::{ArenaMemoryProvider, JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module, ModuleError};
use kripke_model::Model;
use kripke_model::ir::{Direction, Edge, EdgeId, Expr, Place, Process, Sync, Then, VarRef};
use kripke_model::layout::Layout;

use crate::code::{Calls, Gen, Links, Plan, Role, Unit};
use crate::context::MAX_FIELDS;
use crate::facts::Facts;
use crate::runtime::{Claim, Function, Functions};
use crate::watch::Watch;
use crate::{Options, Unsupported};

/// The code of a model with more edges than this is not optimised: it would take longer than it is worth.
const OPTIMISED_EDGES: usize = 500;

/// Processes share the code of their type if the model would otherwise have more edges than this to compile.
const MAX_EDGES: usize = 1500;

/// Machine code of a model, at most. That much address space is set aside.
const MAX_CODE: usize = 1 << 26;

/// Code for the states of a model that certain facts are true of. Threads share it.
pub(crate) struct Program {
    pub functions: Functions,
    pub facts: Facts,
    /// How long it took to make.
    pub seconds: f64,
    /// How much machine code there is.
    pub bytes: usize,
    module: Mutex<Option<JITModule>>,
}

impl Program {
    pub(crate) fn new(
        model: &Arc<Model>,
        layout: &Arc<Layout>,
        facts: Facts,
        options: Options,
    ) -> Result<Program, Unsupported> {
        let start = Instant::now();
        let claims = check(model, layout, &facts, options)?;
        let watch = Watch::new(model, layout)?;
        let all = |processes: &mut dyn Iterator<Item = usize>| processes.map(|p| model.processes[p].edges.len()).sum();
        let edges: usize = all(&mut facts.sites.iter().map(|s| s.process as usize));
        let per_process = facts.fixed && edges <= MAX_EDGES;
        let total = if per_process { edges } else { all(&mut (0..model.processes.len())) };
        let options = Options { optimise: options.optimise && total <= OPTIMISED_EDGES, ..options };
        let mut compiler = Compiler::new(options).map_err(Unsupported)?;
        let names: Vec<(u32, Option<u32>)> = if per_process {
            facts.sites.iter().enumerate().map(|(pid, s)| (s.process, Some(pid as u32))).collect()
        } else {
            (0..model.processes.len() as u32).map(|process| (process, None)).collect()
        };
        let mut plan = Plan {
            model,
            layout,
            facts: &facts,
            links: Links { per_process, functions: Vec::new() },
            coverage: options.coverage,
            claims: options.claims && facts.claims,
        };
        for (process, pid) in &names {
            let mut ids = [None; _];
            for role in Role::OF_PROCESSES {
                if is_wanted(role, &model.processes[*process as usize], model, &facts) {
                    let name = format!("{role:?} {process} {pid:?}");
                    ids[role as usize] = Some(compiler.declare(&name).map_err(Unsupported)?);
                }
            }
            plan.links.functions.push(ids);
        }
        let all = compiler.declare("All").map_err(Unsupported)?;
        for (ids, (process, pid)) in plan.links.functions.iter().zip(&names) {
            for (role, id) in Role::OF_PROCESSES.into_iter().zip(ids) {
                if let Some(id) = id {
                    compiler.define(*id, &plan, role, *process, *pid).map_err(Unsupported)?;
                }
            }
        }
        compiler.define(all, &plan, Role::All, 0, None).map_err(Unsupported)?;
        compiler.module.finalize_definitions().map_err(|e| Unsupported(e.to_string()))?;
        let every = |role: Role| {
            let ids = plan.links.functions.iter().map(|ids| ids[role as usize]);
            ids.map(|id| id.map(|id| compiler.address(id))).collect()
        };
        let (moves, accept, could) = (every(Role::Moves), every(Role::Accept), every(Role::Could));
        let all = compiler.address(all);
        let receiving =
            model.processes.iter().zip(&layout.frames).map(|(p, f)| (f.wide_location, receiving(p))).collect();
        let (model, shared) = (model.clone(), layout.clone());
        let functions =
            Functions { per_process, all, moves, accept, could, model, layout: shared, watch, receiving, claims };
        Ok(Program {
            functions,
            seconds: start.elapsed().as_secs_f64(),
            bytes: compiler.bytes,
            module: Mutex::new(Some(compiler.module)),
            facts,
        })
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        if let Ok(Some(module)) = self.module.get_mut().map(Option::take) {
            // SAFETY: the functions are reachable only through this value, which is going away.
            unsafe { module.free_memory() };
        }
    }
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program").field("seconds", &self.seconds).field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

/// The locations at which a process receives.
fn receiving(process: &Process) -> Vec<bool> {
    let receives = |id: &EdgeId| matches!(process.edges[id.index()].sync, Some(Sync::Receive { .. }));
    process.locations.iter().map(|l| l.edges.iter().any(receives)).collect()
}

/// Does a process of this type need such a function?
fn is_wanted(role: Role, process: &Process, model: &Model, facts: &Facts) -> bool {
    match role {
        Role::Moves => true,
        Role::Follow => !model.uses_priorities && process.edges.iter().any(|e| e.then == Then::Keep),
        Role::Accept => may_meet(process, model),
        Role::Could => model.uses_priorities || facts.enabled_read,
        Role::All => false,
    }
}

/// Can a process of this type be the receiver of a rendezvous?
fn may_meet(process: &Process, model: &Model) -> bool {
    let receives = |e: &Edge| matches!(e.sync, Some(Sync::Receive { .. }));
    model.channels.iter().any(|c| c.capacity == 0) && process.edges.iter().any(receives)
}

/// What code can't be generated for. Otherwise the claims of each process type.
fn check(model: &Model, layout: &Layout, facts: &Facts, options: Options) -> Result<Vec<Vec<Claim>>, Unsupported> {
    let cannot = |what: &str| Err(Unsupported(what.to_string()));
    if model.channels.iter().any(|c| c.fields.len() > MAX_FIELDS) {
        return cannot("messages with very many fields");
    }
    if !options.claims || !facts.claims || facts.fixed {
        return Ok(vec![Vec::new(); model.processes.len()]);
    }
    model.processes.iter().enumerate().map(|(i, process)| claims(process, i, layout)).collect()
}

fn claims(process: &Process, index: usize, layout: &Layout) -> Result<Vec<Claim>, Unsupported> {
    let simple = |direction: Direction, channel: &Expr| match channel {
        Expr::Load(Place { var, index: elements }) if elements.is_empty() => Some(match var {
            VarRef::Global(id) => Claim { direction, slot: layout.globals[id.index()].clone(), local: false },
            VarRef::Local(id) => {
                Claim { direction, slot: layout.frames[index].locals[id.index()].clone(), local: true }
            }
        }),
        Expr::Load(Place { var: VarRef::Global(id), index: elements }) => match &elements[..] {
            [Expr::Const(i)] if *i >= 0 && layout.globals[id.index()].dims[0] > *i as u32 => {
                let mut slot = layout.globals[id.index()].clone();
                slot.offset += *i as usize * slot.width.bytes();
                Some(Claim { direction, slot, local: false })
            }
            _ => None,
        },
        _ => None,
    };
    let all = process.claims.iter().map(|c| simple(c.direction, &c.channel));
    all.collect::<Option<_>>().ok_or_else(|| Unsupported("exclusive access to a computed channel".to_string()))
}

/// Turns functions into machine code.
struct Compiler {
    module: JITModule,
    context: cranelift_codegen::Context,
    builder: FunctionBuilderContext,
    bytes: usize,
}

impl Compiler {
    fn new(options: Options) -> Result<Compiler, String> {
        let mut flags = settings::builder();
        let verify = if options.verify { "true" } else { "false" };
        for (name, value) in [
            ("opt_level", if options.optimise { "speed" } else { "none" }),
            ("enable_verifier", verify),
            ("is_pic", "false"),
            ("use_colocated_libcalls", "false"),
            ("enable_probestack", "false"),
            ("unwind_info", "false"),
        ] {
            flags.set(name, value).map_err(|e| e.to_string())?;
        }
        let isa = cranelift_native::builder()?.finish(settings::Flags::new(flags)).map_err(|e| e.to_string())?;
        if isa.pointer_bits() != 64 || isa.endianness() != cranelift_codegen::ir::Endianness::Little {
            return Err("this kind of machine".to_string());
        }
        let mut builder = JITBuilder::with_isa(isa, cranelift_module::default_libcall_names());
        // In one piece, so that functions can call each other wherever they are.
        let memory = ArenaMemoryProvider::new_with_size(MAX_CODE).map_err(|e| e.to_string())?;
        builder.memory_provider(Box::new(memory));
        let module = JITModule::new(builder);
        let context = module.make_context();
        Ok(Compiler { module, context, builder: FunctionBuilderContext::new(), bytes: 0 })
    }

    fn calls(&self) -> Calls {
        let isa = self.module.isa();
        Calls { config: isa.frontend_config(), convention: isa.default_call_conv() }
    }

    fn declare(&mut self, name: &str) -> Result<FuncId, String> {
        self.module.declare_function(name, Linkage::Local, &self.calls().signature()).map_err(text)
    }

    fn define(
        &mut self,
        id: FuncId,
        plan: &Plan<'_>,
        role: Role,
        process: u32,
        pid: Option<u32>,
    ) -> Result<(), String> {
        let calls = self.calls();
        self.module.clear_context(&mut self.context);
        let func = &mut self.context.func;
        func.signature = calls.signature();
        Gen::generate(plan, func, Unit { role, process, pid, builder: &mut self.builder }, calls);
        self.module.define_function(id, &mut self.context).map_err(text)?;
        self.bytes += self.context.compiled_code().map_or(0, |code| code.code_buffer().len());
        Ok(())
    }

    fn address(&self, id: FuncId) -> Function {
        let code = self.module.get_finalized_function(id);
        // SAFETY: the function was generated with this signature and the machine's own calling convention.
        unsafe { std::mem::transmute::<*const u8, Function>(code) }
    }
}

fn text(error: ModuleError) -> String {
    match error {
        ModuleError::Compilation(e) => format!("{e:?}"),
        other => other.to_string(),
    }
}
