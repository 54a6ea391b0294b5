//! Programs: compiled code of a model with its data.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use cranelift_codegen::ir;
use cranelift_frontend::FunctionBuilderContext;
use cranelift_jit::JITModule;
use cranelift_module::FuncId;
use kripke_model::Model;
use kripke_model::ir::{Direction, Edge, EdgeId, Effect, Expr, Guard, Place, Process, Scheduling, Sync, Then, VarRef};
use kripke_model::layout::Layout;

use crate::code::{Calls, Gen, Links, Plan, Role, Unit};
use crate::context::{MAX_FIELDS, MAX_OBSERVER_EDGES};
use crate::facts::Facts;
use crate::jit::{self, Machine};
use crate::runtime::{Claim, Functions};
use crate::trace::TraceAutomaton;
use crate::words::Words;
use crate::{Options, Unsupported};

/// The number of edges above which processes share the code of their type.
const MAX_EDGES: usize = 1500;

/// The number of edges above which code size has priority over speed.
const MANY_EDGES: usize = 500;

/// The compilation time grows faster than the number of edges. Above these numbers for one process type and for all,
/// the model is left to the interpreter.
const MOST_OF_TYPE: usize = 12_000;
const MOST: usize = 40_000;

/// The number of edges of all processes.
fn edges_of_processes(model: &Model, facts: &Facts) -> usize {
    facts.sites.iter().map(|site| model.processes[site.process as usize].edges.len()).sum()
}

/// Whether each process has code of its own, and not each type.
fn has_code_per_process(model: &Model, facts: &Facts) -> bool {
    facts.fixed && edges_of_processes(model, facts) <= MAX_EDGES
}

/// The number of edges that code is made for.
pub(crate) fn compiled_edges(model: &Model, facts: &Facts) -> usize {
    match has_code_per_process(model, facts) {
        true => edges_of_processes(model, facts),
        false => model.processes.iter().map(|process| process.edges.len()).sum(),
    }
}

/// The code for the states of a model for which the facts hold. Threads share it.
pub(crate) struct Program {
    /// The compiled functions.
    pub functions: Functions,
    /// The facts that the code relies on.
    pub facts: Facts,
    /// The compilation time.
    pub seconds: f64,
    /// The size of the machine code.
    pub bytes: usize,
    module: Mutex<Option<JITModule>>,
}

impl Program {
    pub(crate) fn new(
        model: &Arc<Model>,
        layout: &Arc<Layout>,
        facts: Facts,
        options: Options,
        words: Option<&Arc<Words>>,
    ) -> Result<Program, Unsupported> {
        let start = Instant::now();
        let claims = check(model, layout, &facts, options)?;
        let watch = TraceAutomaton::new(model, layout)?;
        let words = words.filter(|words| facts.fixed && words.layout().shape_of(&facts.sample).is_some());
        let (plan, units) = plan(model, layout, &facts, options, words.map(|words| &**words));
        let functions = generate(&plan, &units, jit::calls().map_err(Unsupported)?);
        let Machine { module, addresses, bytes } = jit::compile(functions, options).map_err(Unsupported)?;
        let every = |role: Role| {
            let ids = plan.links.functions.iter().map(|ids| ids[role as usize]);
            ids.map(|id| id.map(|id| addresses[id.as_u32() as usize])).collect()
        };
        let only = |role: Role| units.iter().position(|(one, ..)| *one == role).map(|i| addresses[i]);
        let receiving = model.processes.iter().zip(&layout.frames);
        let functions = Functions {
            per_process: plan.links.per_process,
            types: facts.sites.iter().map(|site| site.process as u8).collect(),
            // The function for all processes is the last one.
            all: addresses[addresses.len() - 1],
            by_process: only(Role::SuccessorsByProcess),
            observe: only(Role::Observe),
            moves: every(Role::Moves),
            accept: every(Role::Accept),
            enabled: every(Role::Enabled),
            model: model.clone(),
            layout: layout.clone(),
            watch,
            receiving: receiving.map(|(p, f)| (f.wide_location, receiving_at(p))).collect(),
            claims,
            words: words.cloned(),
            word_shape: plan.word_shape,
            observer_in_words: words
                .and_then(|words| words.layout().position(plan.word_shape, layout.observer?.offset)),
        };
        let (seconds, module) = (start.elapsed().as_secs_f64(), Mutex::new(Some(module)));
        Ok(Program { functions, facts, seconds, bytes, module })
    }
}

/// A function to generate: its kind, its process type, and its process if each has its own.
pub(crate) type Name = (Role, u32, Option<u32>);

/// The functions to generate. The function for all processes is the last one.
pub(crate) fn plan<'a>(
    model: &'a Model,
    layout: &'a Layout,
    facts: &'a Facts,
    options: Options,
    words: Option<&'a Words>,
) -> (Plan<'a>, Vec<Name>) {
    let per_process = has_code_per_process(model, facts);
    let owners: Vec<(u32, Option<u32>)> = if per_process {
        facts.sites.iter().enumerate().map(|(pid, s)| (s.process, Some(pid as u32))).collect()
    } else {
        (0..model.processes.len() as u32).map(|process| (process, None)).collect()
    };
    let (mut names, mut links) = (Vec::new(), Links { per_process, functions: Vec::new() });
    for (process, pid) in owners {
        let mut ids = [None; _];
        for role in Role::OF_PROCESSES {
            if is_wanted(role, &model.processes[process as usize], model, facts) {
                ids[role as usize] = Some(FuncId::from_u32(names.len() as u32));
                names.push((role, process, pid));
            }
        }
        links.functions.push(ids);
    }
    if model.goal.is_some() || model.observer.is_some() {
        names.push((Role::Observe, 0, None));
    }
    if options.parts {
        names.push((Role::SuccessorsByProcess, 0, None));
    }
    names.push((Role::Successors, 0, None));
    let small = compiled_edges(model, facts) > MANY_EDGES;
    let claims = options.claims && facts.claims;
    let word_shape = words.and_then(|words| words.layout().shape_of(&facts.sample)).unwrap_or(0);
    let coverage = options.coverage;
    (Plan { model, layout, facts, links, small, coverage, claims, words, word_shape, portable: false }, names)
}

pub(crate) fn generate(plan: &Plan<'_>, names: &[Name], calls: Calls) -> Vec<(String, ir::Function)> {
    let mut builder = FunctionBuilderContext::new();
    let one = |&(role, process, pid): &Name| {
        let mut function = ir::Function::new();
        function.signature = calls.signature();
        Gen::generate(plan, &mut function, Unit { role, process, pid, builder: &mut builder }, calls);
        (format!("{role:?} {process} {pid:?}"), function)
    };
    names.iter().map(one).collect()
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
fn receiving_at(process: &Process) -> Vec<bool> {
    let receives = |id: &EdgeId| matches!(process.edges[id.index()].sync, Some(Sync::Receive { .. }));
    process.locations.iter().map(|l| l.edges.iter().any(receives)).collect()
}

/// Whether a process of this type needs a function of this kind.
fn is_wanted(role: Role, process: &Process, model: &Model, facts: &Facts) -> bool {
    match role {
        Role::Moves => true,
        Role::Defer => process.edges.iter().any(|e| e.then == Then::Keep),
        Role::Atomic => !model.uses_priorities && process.edges.iter().any(|e| e.then == Then::Keep),
        Role::Accept => may_meet(process, model),
        Role::Enabled => model.uses_priorities || facts.enabled_read,
        Role::Observe | Role::Successors | Role::SuccessorsByProcess => false,
    }
}

/// Whether a process of this type can be the receiver of a rendezvous.
fn may_meet(process: &Process, model: &Model) -> bool {
    let receives = |e: &Edge| matches!(e.sync, Some(Sync::Receive { .. }));
    model.channels.iter().any(|c| c.capacity == 0) && process.edges.iter().any(receives)
}

/// Checks that code can be generated. Returns the claims of each process type.
pub(crate) fn check(
    model: &Model,
    layout: &Layout,
    facts: &Facts,
    options: Options,
) -> Result<Vec<Vec<Claim>>, Unsupported> {
    let cannot = |what: &str| Err(Unsupported(what.to_string()));
    let edges = || model.processes.iter().map(|p| p.edges.len());
    if edges().any(|edges| edges > MOST_OF_TYPE) || edges().sum::<usize>() > MOST {
        return cannot("a model with very many steps");
    }
    if model.channels.iter().any(|c| c.fields.len() > MAX_FIELDS) {
        return cannot("messages with very many fields");
    }
    if model.scheduling == Scheduling::Synchronous {
        return cannot("processes that move all at once");
    }
    let edges = || model.processes.iter().flat_map(|p| &p.edges);
    let sequences = || edges().any(|e| e.then != Then::Yield || e.chain.is_some());
    if facts.committed && (!facts.fixed || sequences()) {
        return cannot("committed locations together with atomic sequences or new processes");
    }
    let asked = model.uses_priorities || facts.enabled_read;
    // A rendezvous evaluates the condition before its effects; a buffered receive evaluates it when the message is
    // taken.
    let buffered = model.channels.iter().any(|c| c.capacity > 0);
    let conditional = edges().any(|e| matches!(e.sync, Some(Sync::Receive { condition: Some(_), .. })));
    if conditional && (asked || buffered && sequences()) {
        return cannot("conditions on received values together with atomic sequences or priorities");
    }
    let received = |e: &Edge| matches!((&e.guard, &e.sync), (Guard::When(_), Some(Sync::Receive { .. })));
    let changes = |e: &Edge| e.effects.iter().any(|e| matches!(e, Effect::Run { .. } | Effect::Remove));
    if edges().any(received) && edges().any(|e| matches!(e.sync, Some(Sync::Send { .. })) && changes(e)) {
        return cannot("a rendezvous that creates or removes processes");
    }
    if model.asks_timeout() {
        return cannot("a property that asks whether anybody can move");
    }
    if let Some(observer) = &model.observer {
        let automaton = &observer.automaton;
        let changes = |e: &Effect| !matches!(e, Effect::Assert(_));
        if automaton.edges.iter().flat_map(|e| &e.effects).any(changes) {
            return cannot("a property that changes variables");
        }
        if automaton.locations.iter().any(|l| l.edges.len() > MAX_OBSERVER_EDGES) {
            return cannot("a property with very many edges");
        }
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
