//! Generating machine code.
//!
//! Each process type (or, where processes are known beforehand, each process) becomes a few functions: `moves`
//! makes every move of the process from a state, `park` takes a point inside an atomic sequence, `follow` runs on there
//! in place, `accept` takes part in a rendezvous that another process offers, and `could` says whether the process could
//! move. One function, `all`, asks every process for its moves; another, `look`, asks what the observer can do. Read it in this order: [`value`], [`place`], [`expr`], [`channel`],
//! [`effect`], [`emit`], [`edge`], [`chain`], and the functions.

mod accept;
mod all;
mod chain;
mod channel;
mod could;
mod create;
mod edge;
mod effect;
mod emit;
mod expr;
mod follow;
mod look;
mod moves;
mod park;
mod place;
mod runtime_calls;
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
pub(crate) use runtime_calls::{Calls, Links};
use value::Num;

use crate::context::status;
use crate::facts::Facts;

/// Everything the generator needs to know.
#[derive(Debug)]
pub(crate) struct Plan<'a> {
    pub model: &'a Model,
    pub layout: &'a Layout,
    pub facts: &'a Facts,
    pub links: Links,
    /// Make less code rather than fast code.
    pub small: bool,
    /// Note which edges are executed.
    pub coverage: bool,
    /// Note who made which successors.
    pub parts: bool,
    /// Check exclusive-access claims on channels.
    pub claims: bool,
}

/// Which process a function is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Site {
    pub process: u32,
    pub pid: Num,
    /// Where it begins in the state.
    pub base: Num,
}

/// How large a state is and who is in it: known beforehand, or kept in variables.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Counts {
    Fixed { len: u32, processes: u32, channels: u32 },
    Varying { len: Variable, processes: Variable, channels: Variable },
}

/// A state the code works on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct World {
    pub bytes: Value,
    pub counts: Counts,
    /// The state being expanded, which does not change, as against one that is being made.
    pub root: bool,
}

/// Who evaluates, and where.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Env {
    pub world: World,
    pub site: Site,
    /// Whether `timeout` can be true here.
    pub timeout: bool,
}

/// While a step is being made: the state it started from, which still has every variable not yet written.
#[derive(Debug)]
struct Fresh {
    from: Value,
    written: HashSet<VarRef>,
}

/// Generates one function.
pub(crate) struct Gen<'a, 'f> {
    fb: FunctionBuilder<'f>,
    plan: &'a Plan<'a>,
    calls: Calls,
    ctx: Value,
    site: Site,
    root: World,
    /// Leaves the function: the interpreter must expand this state.
    rare: Block,
    /// Leaves the function: a buffer is too small.
    full: Block,
    fresh: Option<Fresh>,
    /// What is being made.
    target: Target,
    /// Whether `timeout` can be true in guards.
    timeouts: bool,
    /// The code is not a process's.
    outside: bool,
    memory: Memory,
    variables: HashMap<Purpose, Variable>,
    /// Other functions called.
    linked: HashMap<FuncId, FuncRef>,
}

/// What a variable of the generated code is for. Edges are generated one after the other and each sets its variables before it
/// reads them, so all share one for each purpose: what the builder keeps of a variable grows with the number of blocks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Purpose {
    /// An edge of this location was taken.
    Won,
    /// The only edge that can be taken.
    Chosen,
    /// How often an indivisible sequence went round.
    Rounds,
    /// Sizes of the state being made.
    Len,
    Processes,
    Channels,
}

/// How memory is accessed. Three regions that never overlap; nothing is claimed about alignment.
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
    Moves,
    Follow,
    Accept,
    Could,
    Park,
    Look,
    All,
}

impl Role {
    /// The kinds of functions that processes have.
    pub(crate) const OF_PROCESSES: [Role; 5] = [Role::Moves, Role::Follow, Role::Accept, Role::Could, Role::Park];
}

/// What a function is generated from besides the [`Plan`].
pub(crate) struct Unit<'c> {
    pub role: Role,
    pub process: u32,
    /// The process number, where each process has its own function.
    pub pid: Option<u32>,
    pub builder: &'c mut FunctionBuilderContext,
}

impl<'a, 'f> Gen<'a, 'f> {
    /// Fills `func`, whose signature is `(context, state, base, pid) -> status`.
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
        let root = World { bytes: params[1], counts, root: !matches!(unit.role, Role::Follow | Role::Park) };
        let (ctx, fresh, target) = (params[0], None, Target::Batch);
        let (timeouts, outside) = (unit.role != Role::Follow, unit.role == Role::Look);
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
            Role::Follow => code.follow(),
            Role::Accept => code.accept(),
            Role::Could => code.could(),
            Role::Park => code.park(),
            Role::Look => code.look(),
            Role::All => code.all(),
        }
        code.leave(rare, status::RARE);
        code.leave(full, status::FULL);
        code.fb.seal_all_blocks();
        let config = code.calls.config;
        code.fb.finalize(config);
    }

    fn leave(&mut self, block: Block, status: i32) {
        self.fb.switch_to_block(block);
        self.return_status(status);
    }

    fn return_status(&mut self, status: i32) {
        let status = self.fb.ins().iconst(types::I32, i64::from(status));
        self.fb.ins().return_(&[status]);
    }

    /// Leaves the function with an answer if the condition is not 0.
    fn return_if(&mut self, condition: Value, answer: Value) {
        let (leave, go) = (self.fb.create_block(), self.fb.create_block());
        self.fb.set_cold_block(leave);
        self.fb.ins().brif(condition, leave, &[], go, &[]);
        self.fb.switch_to_block(leave);
        self.fb.ins().return_(&[answer]);
        self.fb.switch_to_block(go);
    }

    /// The variable for a purpose, whose former value is lost.
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

    /// Where the executing process evaluates guards.
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

    /// Goes to `otherwise` unless the value is not 0; continues in a new block.
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

    /// Whatever follows can't be reached; it goes to a block of its own.
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

    /// Notes that an edge was executed.
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
