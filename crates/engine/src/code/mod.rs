//! Generation of machine code.
//!
//! Each process type (or each process, if the set of processes is fixed) has these functions: `moves` makes every
//! move of the process from a state; `defer` takes a point inside an atomic sequence; `atomic` executes an atomic
//! sequence in place; `accept` is the receiver's half of a rendezvous; `enabled` tests whether the process is
//! enabled. The function `successors` calls `moves` of every process, and `observe` evaluates the observer. Read the
//! files in this order: [`value`], [`place`], [`expr`], [`channel`], [`effect`], [`emit`], [`edge`], [`chain`], then
//! the functions.

mod atomic;
mod chain;
mod channel;
mod create;
mod dead_copies;
mod defer;
mod edge;
mod effect;
mod emit;
mod enabled;
mod expr;
mod moves;
mod observe;
mod packed;
mod place;
mod rendezvous;
mod runtime_calls;
mod select;
mod successors;
mod value;

use std::collections::{HashMap, HashSet};

use cranelift_codegen::ir::{
    AliasRegionData, Block, FuncRef, Function, InstBuilder, MemFlagsData, Type, UserFuncName, Value, types,
};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Variable};
use cranelift_module::FuncId;
use kripke_model::Model;
use kripke_model::ir::{Edge, EdgeId, Process, VarRef};
use kripke_model::layout::{Frame, Layout};

use emit::Target;
use packed::Changes;
pub(crate) use runtime_calls::{Calls, Links};
use value::Num;

use crate::context::status;
use crate::facts::Facts;
use crate::words::Words;

/// The input of the code generator.
#[derive(Debug)]
pub(crate) struct Plan<'a> {
    pub model: &'a Model,
    /// The layout of states.
    pub layout: &'a Layout,
    /// The results of the static analysis.
    pub facts: &'a Facts,
    /// The functions of the model.
    pub links: Links,
    /// Whether code size has priority over speed.
    pub small: bool,
    /// Whether executed edges are recorded.
    pub coverage: bool,
    /// Whether exclusive-access claims on channels are checked.
    pub claims: bool,
    /// The layout of successors, if they are stored in words.
    pub words: Option<&'a Words>,
    /// The number of the shape of these states in the layout.
    pub word_shape: usize,
    /// Whether this becomes [portable code](crate::PortableCode): each successor is given to a function of the runtime, and
    /// not appended to the batch, and functions of the runtime are called by number, not by address.
    pub portable: bool,
}

/// A process in a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Site {
    /// The process type.
    pub process: u32,
    /// The process number.
    pub pid: Num,
    /// The offset in the state.
    pub base: Num,
}

/// The sizes of a state: constants, or variables of the code.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Counts {
    Fixed { len: u32, processes: u32, channels: u32 },
    Varying { len: Variable, processes: Variable, channels: Variable },
}

/// A state that the code works on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct World {
    /// The address of the state.
    pub bytes: Value,
    /// The sizes of the state.
    pub counts: Counts,
    /// Whether it is the state under expansion, which is constant, and not a new state.
    pub root: bool,
}

/// The context of an evaluation: the state and the process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Env {
    /// The state.
    pub world: World,
    /// The process.
    pub site: Site,
    /// Whether `timeout` can be true.
    pub timeout: bool,
}

/// The state from which a step started. It holds the values of all variables that are not yet written.
#[derive(Debug)]
struct Fresh {
    from: Value,
    written: HashSet<VarRef>,
}

/// The generator of one function.
pub(crate) struct Gen<'a, 'f> {
    fb: FunctionBuilder<'f>,
    plan: &'a Plan<'a>,
    calls: Calls,
    ctx: Value,
    site: Site,
    root: World,
    /// The exit for rare cases: the interpreter must expand this state.
    rare: Block,
    /// The exit for full buffers.
    full: Block,
    fresh: Option<Fresh>,
    role: Role,
    /// What has changed in the state under construction, if it is stored in words.
    changes: Option<Changes>,
    /// The purpose of the state under construction.
    target: Target,
    /// Whether `timeout` can be true in guards.
    timeouts: bool,
    /// Whether the code belongs to no process.
    outside: bool,
    memory: Memory,
    variables: HashMap<Purpose, Variable>,
    /// The other functions that are called.
    linked: HashMap<FuncId, FuncRef>,
}

/// The purpose of a variable of the generated code. Edges are generated one after the other, and each sets its
/// variables before it reads them. So one variable per purpose suffices; the memory of the builder per variable grows
/// with the number of blocks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Purpose {
    /// Whether an edge of this location was taken.
    Won,
    /// The only enabled edge.
    Chosen,
    /// The number of iterations of an indivisible sequence.
    Rounds,
    /// The sizes of the state under construction.
    Len,
    Processes,
    Channels,
}

/// The flags of memory accesses. There are three disjoint regions; alignment is unknown.
#[derive(Clone, Copy, Debug)]
struct Memory {
    root: MemFlagsData,
    world: MemFlagsData,
    context: MemFlagsData,
}

impl Memory {
    fn new(func: &mut Function) -> Memory {
        let mut region = |id: u32, name: &'static str| {
            let region = func.dfg.alias_regions.insert(AliasRegionData { user_id: id, description: name.into() });
            MemFlagsData::new().with_notrap().with_alias_region(Some(region))
        };
        Memory { root: region(0, "root"), world: region(1, "world"), context: region(2, "context") }
    }
}

/// The kinds of functions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// Every move of a process.
    Moves,
    /// An atomic sequence, executed in place.
    Atomic,
    /// The receiver's half of a rendezvous.
    Accept,
    /// The test whether a process is enabled.
    Enabled,
    /// A point inside an atomic sequence.
    Defer,
    /// The observer and the goal.
    Observe,
    /// Every move of a state.
    Successors,
    /// Every move of a state, with records of which process has which successors.
    SuccessorsByProcess,
}

impl Role {
    /// The kinds of functions of a process.
    pub(crate) const OF_PROCESSES: [Role; 5] = [Role::Moves, Role::Atomic, Role::Accept, Role::Enabled, Role::Defer];
}

/// The input for one function besides the [`Plan`].
pub(crate) struct Unit<'c> {
    /// The kind of the function.
    pub role: Role,
    /// The process type.
    pub process: u32,
    /// The process number, if each process has its own functions.
    pub pid: Option<u32>,
    /// The reusable memory of the function builder.
    pub builder: &'c mut FunctionBuilderContext,
}

impl<'a, 'f> Gen<'a, 'f> {
    /// Generates `func`, whose signature is `(context, state, base, pid) -> status`.
    pub(crate) fn generate(plan: &'a Plan<'a>, func: &'f mut Function, unit: Unit<'f>, calls: Calls) {
        func.name = UserFuncName::user(unit.role as u32, unit.pid.unwrap_or(unit.process));
        let memory = Memory::new(func);
        let mut fb = FunctionBuilder::new(func, unit.builder);
        let entry = fb.create_block();
        fb.append_block_params_for_function_params(entry);
        fb.switch_to_block(entry);
        let params = fb.block_params(entry).to_vec();
        let (rare, full) = (fb.create_block(), fb.create_block());
        fb.set_cold_block(rare);
        fb.set_cold_block(full);
        let site = match unit.pid {
            Some(pid) => {
                let base = i64::from(plan.facts.sites[pid as usize].base);
                Site { process: unit.process, pid: Num::known(i64::from(pid)), base: Num::known(base) }
            }
            None => Site { process: unit.process, pid: Num::computed(params[3]), base: Num::computed(params[2]) },
        };
        let counts = Counts::declare(&mut fb, plan.facts);
        let root = World { bytes: params[1], counts, root: !matches!(unit.role, Role::Atomic | Role::Defer) };
        let (ctx, fresh, target) = (params[0], None, Target::Batch);
        let (timeouts, outside) = (unit.role != Role::Atomic, unit.role == Role::Observe);
        let (variables, linked) = (HashMap::new(), HashMap::new());
        let mut code = Gen {
            fb,
            plan,
            calls,
            ctx,
            site,
            root,
            rare,
            full,
            fresh,
            role: unit.role,
            changes: None,
            target,
            timeouts,
            outside,
            memory,
            variables,
            linked,
        };
        code.load_counts(counts);
        match unit.role {
            Role::Moves => code.moves(),
            Role::Atomic => code.atomic(),
            Role::Accept => code.accept(),
            Role::Enabled => code.enabled(),
            Role::Defer => code.defer(),
            Role::Observe => code.observe(),
            Role::Successors => code.successors(false),
            Role::SuccessorsByProcess => code.successors(true),
        }
        code.leave(rare, status::RARE);
        code.leave(full, status::FULL);
        code.fb.seal_all_blocks();
        let config = code.calls.config;
        code.fb.finalize(config);
        if plan.words.is_some() {
            dead_copies::remove(func, ctx);
        }
    }

    fn leave(&mut self, block: Block, status: i32) {
        self.fb.switch_to_block(block);
        self.return_status(status);
    }

    fn return_status(&mut self, status: i32) {
        let status = self.fb.ins().iconst(types::I32, i64::from(status));
        self.fb.ins().return_(&[status]);
    }

    /// Returns `answer` if the condition is not 0.
    fn return_if(&mut self, condition: Value, answer: Value) {
        let (leave, go) = (self.fb.create_block(), self.fb.create_block());
        self.fb.set_cold_block(leave);
        self.fb.ins().brif(condition, leave, &[], go, &[]);
        self.fb.switch_to_block(leave);
        self.fb.ins().return_(&[answer]);
        self.fb.switch_to_block(go);
    }

    /// The variable for a purpose. Its former value is lost.
    fn variable(&mut self, purpose: Purpose, ty: Type) -> Variable {
        *self.variables.entry(purpose).or_insert_with(|| self.fb.declare_var(ty))
    }

    fn process(&self) -> &'a Process {
        &self.plan.model.processes[self.site.process as usize]
    }

    fn edge_of(&self, id: EdgeId) -> &'a Edge {
        &self.process().edges[id.index()]
    }

    fn frame(&self, process: u32) -> &'a Frame {
        &self.plan.layout.frames[process as usize]
    }

    /// The context in which the executing process evaluates guards.
    fn env(&self, world: World) -> Env {
        Env { world, site: self.site, timeout: self.timeouts }
    }

    fn flags(&self, world: World) -> MemFlagsData {
        if world.root { self.memory.root } else { self.memory.world }
    }

    /// Continues in a new block.
    fn begin(&mut self) -> Block {
        let block = self.fb.create_block();
        self.fb.switch_to_block(block);
        block
    }

    fn jump(&mut self, block: Block) {
        self.fb.ins().jump(block, &[]);
    }

    /// Goes to `otherwise` if the value is 0; continues in a new block.
    fn require(&mut self, value: Value, otherwise: Block) {
        let next = self.fb.create_block();
        self.fb.ins().brif(value, next, &[], otherwise, &[]);
        self.fb.switch_to_block(next);
    }

    /// Goes to `target` if the value is not 0; continues in a new block.
    fn leave_if(&mut self, value: Value, target: Block) {
        let next = self.fb.create_block();
        self.fb.ins().brif(value, target, &[], next, &[]);
        self.fb.switch_to_block(next);
    }

    /// Continues in a new block that is unreachable.
    fn never(&mut self) {
        let rare = self.rare;
        self.jump(rare);
        self.begin();
    }

    fn context(&mut self, ty: Type, offset: usize) -> Value {
        self.fb.ins().load(ty, self.memory.context, self.ctx, offset as i32)
    }

    fn set_context(&mut self, value: Value, offset: usize) {
        self.fb.ins().store(self.memory.context, value, self.ctx, offset as i32);
    }

    /// Records the execution of an edge.
    fn cover(&mut self, process: u32, edge: EdgeId) {
        if self.plan.coverage {
            let covered = self.context(types::I64, std::mem::offset_of!(crate::context::Context, covered));
            let one = self.fb.ins().iconst(types::I8, 1);
            let at = self.plan.facts.first_edge[process as usize] + edge.0;
            self.fb.ins().store(self.memory.context, one, covered, at as i32);
        }
    }
}

impl std::fmt::Debug for Gen<'_, '_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gen").field("site", &self.site).finish_non_exhaustive()
    }
}
