//! Small hand-written models for tests.

use std::sync::Arc;

use kripke_model::ir::*;
use kripke_model::{Interpreter, Model, Successors};
use kripke_search::{Budget, Options, Progress, explore};

use crate::run::Run;
use crate::verdict::{Counterexample, Verdict};

/// A text with one statement per line.
struct Text {
    text: String,
}

impl Text {
    fn line(&mut self, label: &str) -> Span {
        let start = self.text.len() as u32;
        self.text.push_str(label);
        let end = self.text.len() as u32;
        self.text.push('\n');
        Span { file: FileId(0), start, end }
    }
}

fn empty(name: &str) -> Model {
    Model {
        name: name.to_string(),
        language: "sample".to_string(),
        files: Vec::new(),
        enums: Vec::new(),
        globals: Vec::new(),
        channels: Vec::new(),
        processes: Vec::new(),
        start: Vec::new(),
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

fn var(name: &str, ty: Type, span: Span) -> Var {
    Var { name: name.to_string(), ty, dims: Vec::new(), init: Init::Zero, range: None, hidden: false, span }
}

fn edge(label: &str, span: Span, target: u32) -> Edge {
    Edge {
        level: 0,
        guard: Guard::Always,
        sync: None,
        effects: Vec::new(),
        chain: None,
        target: LocId(target),
        then: Then::Yield,
        span,
        inside: None,
        label: label.to_string(),
    }
}

/// A process whose edges form a sequence; the target of the last edge is free.
fn straight(name: &str, edges: Vec<Edge>, locals: Vec<Var>, span: Span) -> Process {
    let n = edges.len() as u32;
    let reached = edges.iter().map(|e| e.target.0 + 1).max().unwrap_or(1).max(n);
    let locations = (0..reached).map(|i| Location {
        edges: if i < n { vec![EdgeId(i)] } else { Vec::new() },
        end: i >= n,
        ..Location::default()
    });
    Process {
        name: name.to_string(),
        params: 0,
        locals,
        locations: locations.collect(),
        edges,
        entry: LocId(0),
        provided: None,
        priority: 1,
        claims: Vec::new(),
        span,
    }
}

fn load(var: u32) -> Expr {
    Expr::Load(Place::global(VarId(var)))
}

fn start(process: u32) -> Start {
    Start { process: ProcessId(process), args: Vec::new(), priority: 1 }
}

/// A broken mutual exclusion protocol: a process tests the other's flag before it sets its own.
pub fn mutex() -> Model {
    let mut model = empty("second.pml");
    let mut text = Text { text: String::new() };
    let bit = Type { bits: 1, signed: false, shows: Shows::Bool };
    let declared = text.line("bool wantp, wantq; byte critical;");
    model.globals = vec![
        var("wantp", bit, declared),
        var("wantq", bit, declared),
        var("critical", Type::number(8, false), declared),
    ];
    for (name, own, other) in [("p", 0, 1), ("q", 1, 0)] {
        let names = ["wantp", "wantq"];
        let (mine, theirs) = (names[own], names[other]);
        let span = text.line(&format!("active proctype {name}()"));
        let mut step = |label: &str, target| {
            let span = text.line(label);
            edge(label, span, target)
        };
        let mut wait = step(&format!("!{theirs}"), 1);
        wait.guard = Guard::When(Expr::Unary(UnaryOp::Not, Box::new(load(other as u32))));
        let mut set = step(&format!("{mine} = true"), 2);
        set.effects.push(Effect::Assign(Place::global(VarId(own as u32)), Expr::Const(1)));
        let mut enter = step("critical++", 3);
        let add = |n| Effect::Assign(Place::global(VarId(2)), Expr::binary(BinaryOp::Add, load(2), Expr::Const(n)));
        enter.effects.push(add(1));
        let mut check = step("assert(critical==1)", 4);
        check.effects.push(Effect::Assert(Expr::binary(BinaryOp::Eq, load(2), Expr::Const(1))));
        let mut leave = step("critical--", 5);
        leave.effects.push(add(-1));
        let mut clear = step(&format!("{mine} = false"), 0);
        clear.effects.push(Effect::Assign(Place::global(VarId(own as u32)), Expr::Const(0)));
        model.processes.push(straight(name, vec![wait, set, enter, check, leave, clear], Vec::new(), span));
    }
    model.start = vec![start(0), start(1)];
    model.files = vec![SourceFile { name: "second.pml".to_string(), text: text.text, asked: false }];
    model
}

/// A rendezvous, then a buffered message that is never received, then two receivers that block.
pub fn handshake() -> Model {
    let mut model = empty("chan.pml");
    let mut text = Text { text: String::new() };
    let declared = text.line("chan c = [0] of { byte }; chan d = [2] of { mtype, byte };");
    let byte = Type::number(8, false);
    let symbol = Type { bits: 8, signed: false, shows: Shows::Symbol(EnumId(0)) };
    let chan = Type { bits: 8, signed: false, shows: Shows::Channel };
    model.enums =
        vec![Enum { name: "mtype".to_string(), symbols: vec![("ack".to_string(), 1), ("msg".to_string(), 2)] }];
    let channel = |name: &str, capacity, fields| Channel { name: name.to_string(), capacity, fields, span: declared };
    model.channels = vec![channel("c", 0, vec![byte]), channel("d", 2, vec![symbol, byte])];
    model.globals = vec![var("c", chan, declared), var("d", chan, declared)];
    for (i, var) in model.globals.iter_mut().enumerate() {
        var.init = Init::Channels(ChannelId(i as u32));
    }
    let span = text.line("active proctype sender()");
    let line = text.line("c!7");
    let mut send = edge("c!7", line, 1);
    send.sync = Some(Sync::Send { channel: load(0), args: vec![Expr::Const(7)], sorted: false });
    let line = text.line("d!msg(3)");
    let mut post = edge("d!msg(3)", line, 0);
    post.sync = Some(Sync::Send { channel: load(1), args: vec![Expr::Const(2), Expr::Const(3)], sorted: false });
    model.processes.push(straight("sender", vec![send, post], Vec::new(), span));
    let span = text.line("active [2] proctype receiver() { byte x; ");
    let line = text.line("c?x");
    let mut receive = edge("c?x", line, 1);
    receive.sync = Some(Sync::Receive {
        channel: load(0),
        args: vec![Pattern::Store(Place::local(VarId(0)))],
        anywhere: false,
        keep: false,
        condition: None,
    });
    let line = text.line("false");
    let mut never = edge("false", line, 2);
    never.guard = Guard::When(Expr::Const(0));
    model.processes.push(straight("receiver", vec![receive, never], vec![var("x", byte, span)], span));
    model.start = vec![start(0), start(1), start(1)];
    model.files = vec![SourceFile { name: "chan.pml".to_string(), text: text.text, asked: false }];
    model
}

/// A counter up to `n`, followed by a failing assertion.
pub fn counter(n: i32) -> Model {
    let mut model = empty("counter.pml");
    let mut text = Text { text: String::new() };
    let declared = text.line("byte n;");
    model.globals = vec![var("n", Type::number(16, true), declared)];
    let mut count = edge("n++", text.line("n++"), 0);
    count.guard = Guard::When(Expr::binary(BinaryOp::Lt, load(0), Expr::Const(n)));
    count.effects.push(Effect::Assign(Place::global(VarId(0)), Expr::binary(BinaryOp::Add, load(0), Expr::Const(1))));
    let mut fail = edge("assert(false)", text.line("assert(false)"), 1);
    fail.guard = Guard::When(Expr::binary(BinaryOp::Ge, load(0), Expr::Const(n)));
    fail.effects.push(Effect::Assert(Expr::Const(0)));
    let never = edge("skip", text.line("skip"), 2);
    let mut process = straight("p", vec![count, fail, never], Vec::new(), declared);
    process.locations[0].edges = vec![EdgeId(0), EdgeId(1)];
    process.locations[1].edges = vec![EdgeId(2)];
    process.locations[2] = Location { end: true, ..Location::default() };
    model.processes.push(process);
    model.start = vec![start(0)];
    model.files = vec![SourceFile { name: "counter.pml".to_string(), text: text.text, asked: false }];
    model
}

/// The counterexample that a search finds.
pub fn counterexample(model: Model) -> (Run, Counterexample) {
    let mut interpreter = Interpreter::new(Arc::new(model)).unwrap();
    let worker = || -> Box<dyn Successors> { Box::new(interpreter.for_thread()) };
    let outcome = explore(&worker, &Options::default(), &Budget::default(), &Progress::new());
    match Verdict::judge(&outcome, &mut interpreter, &[]).unwrap() {
        Verdict::Violated(violated) => (Run::replayed(&interpreter, violated.first.replayed()), violated.first),
        other => panic!("{other:?}"),
    }
}
