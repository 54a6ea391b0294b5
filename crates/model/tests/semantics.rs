//! The interpreter on hand-built models whose graphs were worked out by hand.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use kripke_model::interpret::Target;
use kripke_model::ir::*;
use kripke_model::trail::Ending;
use kripke_model::{Batch, Choice, Fault, FindingKind, Interpreter, Successors, Trail};

const BYTE: Type = Type::number(8, false);
const SPAN: Span = Span { file: FileId(0), start: 0, end: 0 };

/// States, edges, findings and invalid end states of everything reachable.
fn explore(model: Model) -> (usize, usize, usize, usize) {
    model.validate().expect("well formed");
    let mut interpreter = Interpreter::new(Arc::new(model)).expect("fits");
    let mut batch = Batch::new();
    interpreter.initial(&mut batch);
    let mut seen: HashSet<Vec<u8>> = batch.states().map(<[u8]>::to_vec).collect();
    let mut queue: VecDeque<Vec<u8>> = seen.iter().cloned().collect();
    let (mut edges, mut findings, mut ends) = (0, 0, 0);
    while let Some(state) = queue.pop_front() {
        batch.clear();
        let flags = interpreter.expand(&state, Choice::All, &mut batch);
        edges += batch.len();
        findings += batch.findings().len();
        ends += usize::from(flags.invalid_end);
        for (i, next) in batch.states().enumerate() {
            let moves = interpreter.explain(&state, Target::Successor(i)).expect("every successor is explained");
            assert_eq!(moves.last().and_then(|m| m.to.as_ref()).map(|to| &*to.state), Some(next));
            if seen.insert(next.to_vec()) {
                queue.push_back(next.to_vec());
            }
        }
    }
    (seen.len(), edges, findings, ends)
}

fn edge(target: u32) -> Edge {
    Edge {
        level: 0,
        guard: Guard::Always,
        sync: None,
        effects: Vec::new(),
        chain: None,
        target: LocId(target),
        then: Then::Yield,
        span: SPAN,
        label: String::new(),
    }
}

fn load(var: u32) -> Expr {
    Expr::Load(Place::global(VarId(var)))
}

fn set(var: u32, value: Expr, target: u32) -> Edge {
    Edge { effects: vec![Effect::Assign(Place::global(VarId(var)), value)], ..edge(target) }
}

fn increment(var: u32, target: u32) -> Edge {
    set(var, Expr::binary(BinaryOp::Add, load(var), Expr::Const(1)), target)
}

fn when(condition: Expr, target: u32) -> Edge {
    Edge { guard: Guard::When(condition), ..edge(target) }
}

fn send(value: i32, target: u32) -> Edge {
    let sync = Sync::Send { channel: load(0), args: vec![Expr::Const(value)], sorted: false };
    Edge { sync: Some(sync), ..edge(target) }
}

fn receive(pattern: Pattern, target: u32) -> Edge {
    let sync = Sync::Receive { channel: load(0), args: vec![pattern], anywhere: false, keep: false, condition: None };
    Edge { sync: Some(sync), ..edge(target) }
}

fn keep(edge: Edge) -> Edge {
    Edge { then: Then::Keep, ..edge }
}

/// A process from the edges of each of its locations; a last location, where it ends, is added.
fn process(name: &str, locations: Vec<Vec<Edge>>) -> Process {
    let mut edges = Vec::new();
    let mut graph = Vec::new();
    let end = locations.len() as u32;
    let remove = Edge { guard: Guard::Youngest, effects: vec![Effect::Remove], ..edge(end) };
    for outgoing in locations.into_iter().chain([vec![remove]]) {
        let first = edges.len() as u32;
        edges.extend(outgoing);
        let ids = (first..edges.len() as u32).map(EdgeId).collect();
        graph.push(Location { edges: ids, end: graph.len() as u32 == end, ..Location::default() });
    }
    Process {
        name: name.to_string(),
        params: 0,
        locals: Vec::new(),
        locations: graph,
        edges,
        entry: LocId(0),
        provided: None,
        priority: 1,
        claims: Vec::new(),
        span: SPAN,
    }
}

fn variable(name: &str) -> Var {
    Var { name: name.to_string(), ty: BYTE, dims: Vec::new(), init: Init::Zero, range: None, hidden: false, span: SPAN }
}

/// A channel variable as global 0, then byte variables `x` and `y`.
fn model(capacity: u32, processes: Vec<Process>) -> Model {
    let channel = Channel { name: "q".to_string(), capacity, fields: vec![BYTE], span: SPAN };
    let start = (0..processes.len() as u32).map(|i| Start { process: ProcessId(i), args: Vec::new(), priority: 1 });
    Model {
        name: "test".to_string(),
        language: "test",
        files: Vec::new(),
        enums: Vec::new(),
        globals: vec![
            Var { init: Init::Channels(ChannelId(0)), ..variable("q") },
            variable("x"),
            variable("y"),
            Var { dims: vec![2], ..variable("a") },
        ],
        channels: vec![channel],
        start: start.collect(),
        processes,
        scheduling: Scheduling::Interleaved,
        trace: None,
        observer: None,
        goal: None,
        uses_last: false,
        uses_priorities: false,
        uses_timeout: false,
        properties: Vec::new(),
    }
}

#[test]
fn two_processes_with_a_step_each() {
    let p = || process("p", vec![vec![increment(1, 1)]]);
    assert_eq!(explore(model(1, vec![p(), p()])), (7, 8, 0, 0));
}

#[test]
fn an_atomic_sequence_is_one_edge() {
    let p = || process("p", vec![vec![keep(increment(1, 1))], vec![keep(increment(1, 2))], vec![increment(1, 3)]]);
    assert_eq!(explore(model(1, vec![p(), p()])), (7, 8, 0, 0));
}

#[test]
fn a_blocked_atomic_sequence_is_stored_where_it_blocks() {
    let p = process("p", vec![vec![keep(increment(2, 1))], vec![when(load(1), 2)]]);
    let q = process("q", vec![vec![increment(1, 1)]]);
    // q: start, done, gone. p: start, blocked inside (stored only because x was 0), done once x is 1, gone after q.
    // States 2 + 3 + 4, edges (2+1) + (2+2+1) + (1+1+1).
    assert_eq!(explore(model(1, vec![p, q])), (9, 11, 0, 0));
}

#[test]
fn an_indivisible_sequence_is_one_edge_and_takes_first_choices() {
    let chained = |e: Edge| Edge { then: Then::Chain, ..e };
    let start = Edge { chain: Some(LocId(1)), ..edge(0) };
    let choice = vec![chained(set(1, Expr::Const(7), 2)), chained(set(1, Expr::Const(8), 2))];
    let p = process("p", vec![vec![start], choice, vec![increment(1, 3)]]);
    assert_eq!(explore(model(1, vec![p])), (3, 2, 0, 0));
}

#[test]
fn a_rendezvous_is_one_edge() {
    let p = process("p", vec![vec![send(3, 1)]]);
    let q = process("q", vec![vec![receive(Pattern::Store(Place::global(VarId(1))), 1)]]);
    assert_eq!(explore(model(0, vec![p, q])), (4, 3, 0, 0));
}

#[test]
fn a_rendezvous_needs_a_fitting_pattern() {
    let p = process("p", vec![vec![send(3, 1)]]);
    let q = process("q", vec![vec![receive(Pattern::Match(Expr::Const(4)), 1)]]);
    assert_eq!(explore(model(0, vec![p, q])), (1, 0, 0, 1));
}

#[test]
fn freed_slots_are_forgotten() {
    let p = process("p", vec![vec![send(5, 1)], vec![receive(Pattern::Any, 0)]]);
    assert_eq!(explore(model(2, vec![p])), (2, 2, 0, 0));
}

#[test]
fn else_is_for_when_nothing_else_goes() {
    let otherwise = |target| Edge { guard: Guard::Else, ..edge(target) };
    let p = process("p", vec![vec![when(load(1), 0), otherwise(1)], vec![when(Expr::Const(1), 2), otherwise(0)]]);
    assert_eq!(explore(model(1, vec![p])), (4, 3, 0, 0));
}

#[test]
fn timeout_is_for_when_nobody_else_can_move() {
    let p = process("p", vec![vec![when(Expr::Timeout, 1)]]);
    let q = process("q", vec![vec![increment(1, 1)]]);
    let mut model = model(1, vec![p, q]);
    model.uses_timeout = true;
    assert_eq!(explore(model), (5, 4, 0, 0));
}

#[test]
fn lower_levels_win() {
    let escape = when(load(1), 1);
    let guarded = Edge { level: 1, ..increment(1, 0) };
    let p = process("p", vec![vec![escape, guarded]]);
    assert_eq!(explore(model(1, vec![p])), (4, 3, 0, 0));
}

#[test]
fn a_failed_assertion_is_found_and_passed() {
    let check = Edge { effects: vec![Effect::Assert(load(1))], ..edge(1) };
    let p = process("p", vec![vec![check]]);
    assert_eq!(explore(model(1, vec![p])), (3, 2, 1, 0));
}

/// The model with an observer that has one location and this edge.
fn observed(mut model: Model, edge: Edge) -> Model {
    let mut automaton = process("observer", Vec::new());
    automaton.locations = vec![Location { edges: vec![EdgeId(0)], ..Location::default() }];
    automaton.edges = vec![edge];
    model.observer = Some(Observer { automaton, stutters: true, labels: true, marks: Vec::new() });
    model
}

#[test]
fn assertions_of_the_observer_are_judged_before_the_step() {
    let check = Edge { effects: vec![Effect::Assert(load(1))], ..edge(0) };
    let p = process("p", vec![vec![increment(1, 1)]]);
    // It fails in the initial state only, though more than one step leads on from a state.
    assert_eq!(explore(observed(model(1, vec![p.clone()]), check.clone())), (3, 3, 1, 0));
    assert_eq!(explore(observed(model(1, vec![p.clone(), p]), check)).2, 1);
}

#[test]
fn the_observer_knows_that_nobody_can_move() {
    let p = process("p", vec![vec![when(Expr::Timeout, 1)]]);
    let q = process("q", vec![vec![increment(1, 1)]]);
    let mut model = model(1, vec![p, q]);
    model.uses_timeout = true;
    let busy = when(Expr::Unary(UnaryOp::Not, Box::new(Expr::Timeout)), 0);
    assert_eq!(explore(observed(model, busy)), (3, 2, 0, 0));
}

#[test]
fn a_fault_ends_the_run_and_its_trail_is_replayed() {
    let index = Place { var: VarRef::Global(VarId(3)), index: vec![load(1)] };
    let store = Edge { effects: vec![Effect::Assign(index, Expr::Const(1))], ..edge(2) };
    let p = process("p", vec![vec![set(1, Expr::Const(2), 1)], vec![store]]);
    let model = model(1, vec![p]);
    assert_eq!(explore(model.clone()), (2, 1, 1, 0));

    let mut interpreter = Interpreter::new(Arc::new(model)).expect("fits");
    let trail = Trail { choices: vec![0], ending: Ending::Finding(0) };
    let replayed = trail.replay(&mut interpreter).expect("it is a run");
    assert_eq!(replayed.moves().len(), 2);
    let fault = Fault::IndexOutOfRange { var: "a".to_string(), index: 2, len: 2 };
    assert_eq!(replayed.finding().map(|f| &f.kind), Some(&FindingKind::Fault(fault)));
    let wrong = Trail { choices: vec![1], ending: Ending::State };
    assert!(wrong.replay(&mut interpreter).is_err());
    let wrong = Trail { choices: vec![0], ending: Ending::InvalidEnd };
    assert!(wrong.replay(&mut interpreter).is_err());
}

#[test]
fn endless_sequences_are_found() {
    let p = process("p", vec![vec![keep(edge(0))]]);
    assert_eq!(explore(model(1, vec![p])).2, 1);
    let start = Edge { chain: Some(LocId(1)), ..edge(0) };
    let spin = Edge { then: Then::Chain, ..increment(1, 1) };
    let p = process("p", vec![vec![start], vec![spin]]);
    assert_eq!(explore(model(1, vec![p])).2, 1);
}

#[test]
fn processes_come_and_go_with_their_channels() {
    let channel = Var { init: Init::Channels(ChannelId(0)), ..variable("mine") };
    let run = |process: u32, target| {
        let effect = Effect::Run { process: ProcessId(process), args: Vec::new(), priority: None, result: None };
        Edge { effects: vec![effect], ..edge(target) }
    };
    let mut child = process("child", vec![vec![increment(1, 1)]]);
    child.locals.push(channel);
    let parent = process(
        "parent",
        vec![vec![run(1, 1)], vec![when(Expr::binary(BinaryOp::Eq, Expr::ProcessCount, Expr::Const(1)), 2)]],
    );
    let mut model = model(1, vec![parent, child]);
    model.start.truncate(1);
    // start, child born, child done, child gone, parent done, parent gone
    assert_eq!(explore(model), (6, 5, 0, 0));
}

#[test]
fn too_many_processes_is_a_fault() {
    let effect = Effect::Run { process: ProcessId(0), args: Vec::new(), priority: None, result: None };
    let p = process("p", vec![vec![keep(Edge { effects: vec![effect], ..edge(0) })]]);
    let (_, _, findings, _) = explore(model(1, vec![p]));
    assert_eq!(findings, 1);
}

#[test]
fn a_model_whose_initial_state_faults_does_not_start() {
    let mut model = model(1, vec![process("p", vec![vec![increment(1, 1)]])]);
    model.globals[1].init = Init::All(Expr::binary(BinaryOp::Div, Expr::Const(3), load(2)));
    let error = Interpreter::new(Arc::new(model)).expect_err("x = 3 / y");
    assert_eq!((error.message.as_str(), error.span), ("initial value of `x`: division by zero", Some(SPAN)));
}
