//! Promela: faults of whole statements × contexts × searches.

use crate::cell::{Cell, Expect, Matrix, line_of, strings};
use crate::configurations::{BRIEF, CYCLES, SAFETY, STORES};
use crate::promela::{CONTEXTS, Context, PLAIN};

struct Statement {
    name: &'static str,
    text: &'static str,
    beside: &'static str,
    kind: &'static str,
}

const fn statement(name: &'static str, text: &'static str, beside: &'static str, kind: &'static str) -> Statement {
    Statement { name, text, beside, kind }
}

const MEETS: &str = "chan r = [0] of { int }; active proctype R() { int y; end: do :: r?y :: r!1 od }";
const STARTED: &str = "proctype Q() { end: false }";
const WITH_CHANNELS: &str = "proctype Q() { chan c = [1] of { int }; end: false }";
const WITH_INITIALISER: &str = "proctype Q() { int v = a[i]; end: false }";
const RECEIVES: &str = "active proctype R() { xr q; end: q?b[0] }";
const SENDS: &str = "active proctype R() { xs q; end: q!5 }";
const TRACED: &str = "trace { do :: q!1 od }";
const NOT_TRACED: &str = "notrace { q!2 }";

const STATEMENTS: [Statement; 32] = [
    statement("send without channel", "un!1", "", "no_channel"),
    statement("sorted send without channel", "un!!1", "", "no_channel"),
    statement("receive without channel", "un?x", "", "no_channel"),
    statement("random receive without channel", "un??x", "", "no_channel"),
    statement("copy without channel", "un?<x>", "", "no_channel"),
    statement("poll without channel", "if :: un?[x] -> skip :: true fi", "", "no_channel"),
    statement("full without channel", "if :: full(un) -> skip :: true fi", "", "no_channel"),
    statement("not full without channel", "if :: nfull(un) -> skip :: true fi", "", "no_channel"),
    statement("empty without channel", "if :: empty(un) -> skip :: true fi", "", "no_channel"),
    statement("not empty without channel", "if :: nempty(un) -> skip :: true fi", "", "no_channel"),
    statement("element without channel", "uns[1]!1", "chan uns[2];", "no_channel"),
    statement("field without channel", "rc.c!1", "typedef Rc { chan c }; Rc rc;", "no_channel"),
    statement("send of too few", "ind = two; ind!1", "chan ind;", "message_arity"),
    statement("send of too many", "ind = q; ind!1,2", "chan ind;", "message_arity"),
    statement("receive of too few", "ind = two; two!1,2; ind?x", "chan ind;", "message_arity"),
    statement("receive of too many", "ind = q; q!1; ind?x,w", "chan ind;", "message_arity"),
    statement("poll of rendezvous", "if :: r?[1] -> skip :: true fi", MEETS, "poll_rendezvous"),
    statement("random poll of rendezvous", "if :: r??[1] -> skip :: true fi", MEETS, "poll_rendezvous"),
    statement("poll of rendezvous beside else", "if :: r?[1] -> skip :: else fi", MEETS, "poll_rendezvous"),
    statement("poll of rendezvous assigned", "x = r?[1]", MEETS, "poll_rendezvous"),
    statement("rendezvous sent in d_step", "r!1", MEETS, "rendezvous_in_sequence"),
    statement("rendezvous received in d_step", "r?x", MEETS, "blocked_sequence"),
    statement("blocked d_step", "x == 5", "", "blocked_sequence"),
    statement("d_step blocked in a choice", "if :: x == 5 :: x == 6 fi", "", "blocked_sequence"),
    statement(
        "d_step blocked by a full channel",
        "full1!1; full1!1",
        "chan full1 = [1] of { int };",
        "blocked_sequence",
    ),
    statement("processes", "do :: run Q() od", STARTED, "too_many_processes"),
    statement("channels", "do :: run Q() od", WITH_CHANNELS, "too_many_channels"),
    statement("initialiser", "run Q()", WITH_INITIALISER, "index_out_of_range"),
    statement("exclusive receive", "if :: q!1; q?x fi", RECEIVES, "exclusive_channel"),
    statement("exclusive send", "q!1", SENDS, "exclusive_channel"),
    statement("trace", "q!2", TRACED, "trace"),
    statement("no trace", "q!2", NOT_TRACED, "trace"),
];

const PRIORITIES: [Statement; 3] = [
    statement("priority 0", "set_priority(_pid, i - 4)", "", "bad_priority"),
    statement("priority 256", "set_priority(_pid, i + 252)", "", "bad_priority"),
    statement("negative priority", "set_priority(_pid, n)", "", "bad_priority"),
];

const PRELUDE: &str = "byte i = 4; short n = -1; byte a[4]; int b[8]; int x; int w;\n\
    chan un; chan q = [4] of { int }; chan two = [4] of { int, int };\n";

/// Why a combination is no model, or has no fault of this kind, if so.
fn left_out(statement: &Statement, context: &Context) -> Option<&'static str> {
    let indivisible = context.name.contains("d_step");
    match statement.kind {
        "rendezvous_in_sequence" if !indivisible => Some("only in d_step is a rendezvous a fault"),
        "blocked_sequence" if context.name != "later in d_step" => Some("elsewhere a statement just waits"),
        _ if indivisible && statement.text.contains("run ") => Some("`run` is refused in d_step"),
        "exclusive_channel" if indivisible && statement.text.contains("q?x") => {
            Some("the other process may have received: d_step blocks")
        }
        _ => None,
    }
}

fn add(matrix: &mut Matrix, statement: &Statement, context: &Context, options: &[&[&str]]) {
    let name = format!("{}: {}", statement.name, context.name);
    if let Some(why) = left_out(statement, context) {
        matrix.left_out.push((name, why));
        return;
    }
    let text = format!("{PRELUDE}{}\nactive proctype P() {{\n{}\n}}\n", statement.beside, context.text);
    let line = line_of(&text, "{S}");
    let text = text.replace("{S}", statement.text);
    for options in options {
        if statement.kind == "exclusive_channel" && options.contains(&"--raw") {
            matrix.left_out.push((name.clone(), "xr and xs are not checked with --raw"));
            continue;
        }
        matrix.cells.push(Cell {
            name: name.clone(),
            ending: "pml",
            text: text.clone(),
            options: strings(options),
            expect: Expect::Fault(statement.kind, Some(line)),
        });
    }
}

pub fn matrix() -> Matrix {
    let mut matrix = Matrix::default();
    for statement in STATEMENTS.iter().chain(&PRIORITIES) {
        add(&mut matrix, statement, &PLAIN, &SAFETY);
        add(&mut matrix, statement, &PLAIN, &STORES);
        add(&mut matrix, statement, &PLAIN, &CYCLES);
        for context in &CONTEXTS {
            add(&mut matrix, statement, context, &BRIEF);
        }
    }
    matrix
}
