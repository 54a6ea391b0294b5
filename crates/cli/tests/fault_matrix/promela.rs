//! Promela: faults of expressions × positions in statements × contexts of the statement × parts of expressions.

use crate::cell::{Cell, Expect, Matrix, PLACE, line_of, strings};
use crate::configurations::{BRIEF, CYCLES, SAFETY, STORES};

/// An expression that faults once it is evaluated.
pub struct Faulty {
    pub name: &'static str,
    pub text: &'static str,
    pub kind: &'static str,
}

const fn faulty(name: &'static str, text: &'static str, kind: &'static str) -> Faulty {
    Faulty { name, text, kind }
}

pub const FAULTY: [Faulty; 10] = [
    faulty("past the end", "a[i]", "index_out_of_range"),
    faulty("negative", "a[n]", "index_out_of_range"),
    faulty("index of index", "b[a[i]]", "index_out_of_range"),
    faulty("record", "rec[i].k", "index_out_of_range"),
    faulty("array of record", "rec[0].m[i]", "index_out_of_range"),
    faulty("division", "(1 / z)", "division_by_zero"),
    faulty("modulo", "(1 % z)", "division_by_zero"),
    faulty("length", "len(un)", "no_channel"),
    faulty("poll", "un?[1]", "no_channel"),
    faulty("channel index", "len(cs[i])", "index_out_of_range"),
];

/// An expression around the faulty one, which is evaluated or not.
pub struct Part {
    pub name: &'static str,
    pub text: &'static str,
    pub evaluated: bool,
}

const fn part(name: &'static str, text: &'static str, evaluated: bool) -> Part {
    Part { name, text, evaluated }
}

pub const WHOLE: Part = part("whole", "{E}", true);

pub const PARTS: [Part; 27] = [
    part("negated", "!{E}", true),
    part("less than 0", "({E} < 0)", true),
    part("times 0", "({E} * 0)", true),
    part("0 times", "(0 * {E})", true),
    part("masked", "({E} & 0)", true),
    part("minus itself", "({E} - {E})", true),
    part("equal to itself", "({E} == {E})", true),
    part("index", "b[{E}]", true),
    part("index times 0", "b[0 * {E}]", true),
    part("left of and", "({E} && f)", true),
    part("left of and 0", "({E} && 0)", true),
    part("left of or", "({E} || t)", true),
    part("left of or 1", "({E} || 1)", true),
    part("right of and", "(t && {E})", true),
    part("right of or", "(f || {E})", true),
    part("right of false and", "(f && {E})", false),
    part("right of 0 and", "(0 && {E})", false),
    part("right of true or", "(t || {E})", false),
    part("right of 1 or", "(1 || {E})", false),
    part("protected", "(i < 4 && {E})", false),
    part("protected by or", "(i == 4 || {E})", false),
    part("wrongly protected", "(i == 0 || {E})", true),
    part("condition", "({E} -> 1 : 0)", true),
    part("first of condition", "(t -> {E} : 0)", true),
    part("second of condition", "(f -> 0 : {E})", true),
    part("first of condition not taken", "(f -> {E} : 0)", false),
    part("second of condition not taken", "(t -> 0 : {E})", false),
];

/// A statement, or several on one line, with a place for an expression.
struct Position {
    name: &'static str,
    text: &'static str,
    /// What else is on the top level.
    beside: &'static str,
}

const fn position(name: &'static str, text: &'static str) -> Position {
    Position { name, text, beside: "" }
}

const fn meeting(name: &'static str, text: &'static str, beside: &'static str) -> Position {
    Position { name, text, beside }
}

const RECEIVER: &str = "chan r = [0] of { int }; active proctype R() { int y; end: do :: r?y od }";
const SENDER: &str = "chan r = [0] of { int }; active proctype R() { end: do :: r!0 od }";

const POSITIONS: [Position; 45] = [
    position("guard", "if :: ({E}) -> skip :: true fi"),
    position("second guard", "if :: true :: ({E}) -> skip fi"),
    position("guard of do", "do :: ({E}) == 77 -> skip :: break od"),
    position("condition", "(({E}) != 77)"),
    position("sibling of else", "if :: ({E}) == 77 -> skip :: else fi"),
    position("assignment", "x = {E}"),
    position("target", "b[{E}] = 1"),
    position("index of target's index", "b[b[{E}]] = 1"),
    position("increment", "b[{E}]++"),
    position("decrement", "b[{E}]--"),
    position("record target", "rec[{E}].k = 1"),
    position("array of record target", "rec[0].m[{E}] = 1"),
    position("assert", "assert(({E}) != 77)"),
    position("printf", "printf(\"%d\", {E})"),
    position("send", "q!{E}"),
    position("sorted send", "q!!{E}"),
    position("second field", "two!1,{E}"),
    position("receive", "q!0; if :: q?eval({E}) :: q?x fi"),
    position("receive of second field", "two!0,0; if :: two?0,eval({E}) :: two?x,w fi"),
    position("random receive", "q!0; if :: q??eval({E}) :: q?x fi"),
    position("copy", "q!0; if :: q?<eval({E})> :: true fi; q?x"),
    position("poll", "q!0; if :: q?[eval({E})] -> skip :: true fi; q?x"),
    position("random poll", "q!0; if :: q??[eval({E})] -> skip :: true fi; q?x"),
    position("received into", "q!0; q?b[{E}]"),
    position("channel of send", "cs[{E}]!1"),
    position("channel of receive", "cs[0]!0; cs[1]!0; cs[{E}]?x"),
    position("channel of poll", "if :: cs[{E}]?[0] -> skip :: true fi"),
    position("length", "x = len(cs[{E}])"),
    position("full", "if :: full(cs[{E}]) -> skip :: true fi"),
    position("not full", "if :: nfull(cs[{E}]) -> skip :: true fi"),
    position("empty", "if :: empty(cs[{E}]) -> skip :: true fi"),
    position("not empty", "if :: nempty(cs[{E}]) -> skip :: true fi"),
    position("first of for", "for (x : {E} .. 2) { skip }"),
    position("last of for", "for (x : 0 .. {E}) { skip }"),
    position("first of select", "select (x : {E} .. 2)"),
    position("last of select", "select (x : 0 .. {E})"),
    position("declaration", "x = 1; int v = {E}"),
    meeting("argument of run", "run Q({E})", "proctype Q(int y) { skip }"),
    meeting("rendezvous send", "r!{E}", RECEIVER),
    meeting("rendezvous receive", "if :: r?eval({E}) :: r?x fi", SENDER),
    meeting("rendezvous received into", "r?b[{E}]", SENDER),
    meeting("inline", "put({E})", "inline put(e) { x = e }"),
    position("priority", "set_priority(_pid, 1 + ({E}))"),
    position("process of priority", "x = get_priority({E})"),
    position("process of enabled", "if :: enabled(7 + ({E})) -> skip :: true fi"),
];

/// Where the statement stands. What a `d_step` begins with has the place of the `d_step`.
pub struct Context {
    pub name: &'static str,
    pub text: &'static str,
}

const fn context(name: &'static str, text: &'static str) -> Context {
    Context { name, text }
}

pub const PLAIN: Context = context("plain", "{S}");

pub const CONTEXTS: [Context; 9] = [
    context("first of atomic", "atomic {\n{S};\nx = 1 }"),
    context("later in atomic", "atomic { x = 1;\n{S} }"),
    context("first of d_step", "d_step { {S};\nx = 1 }"),
    context("later in d_step", "d_step { x = 1;\n{S} }"),
    context("escaped from", "{\n{S};\nx = 1 } unless { b[7] == 5 }"),
    context("escape", "{ b[7] == 5 } unless {\n{S} }"),
    context("option", "if ::\n{S} fi"),
    context("loop", "do ::\n{S}; break od"),
    context("block", "{ x = 1;\n{S} }"),
];

/// Whether the values that fault are there from the start, or another process sets them.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum When {
    AtStart,
    Later,
}

/// Declarations, and the process that makes expressions faulty.
pub fn prelude(when: When) -> String {
    let (values, late) = match when {
        When::AtStart => ("byte i = 4; byte z = 0; short n = -1;", ""),
        When::Later => {
            ("byte i = 0; byte z = 1; short n = 0;", "active proctype Late() { d_step { i = 4; n = -1; z = 0 } }\n")
        }
    };
    format!(
        "typedef Rec {{ byte m[4]; byte k }};\n{values} byte t = 1; byte f = 0; byte a[4]; int b[8]; int x; int w; Rec rec[4];\n\
         chan un; chan q = [4] of {{ int }}; chan two = [4] of {{ int, int }}; chan cs[4] = [1] of {{ int }};\n{late}"
    )
}

fn model(position: &Position, context: &Context, when: When) -> String {
    let body = context.text.replace("{S}", position.text);
    format!("{}{}\nactive proctype P() {{\n{body}\n}}\n", prelude(when), position.beside)
}

struct Generator {
    matrix: Matrix,
}

impl Generator {
    /// Adds the combination with each of the options, unless it is no model.
    fn add(&mut self, at: (&Position, &Context, When), of: (&Faulty, &Part), options: &[&[&str]]) {
        let ((position, context, when), (faulty, part)) = (at, of);
        let late = if when == When::Later { ", later" } else { "" };
        let name = format!("{}: {}, {}, {}{late}", position.name, context.name, faulty.name, part.name);
        if let Some(why) = no_model(position, context, when, faulty) {
            self.matrix.left_out.push((name, why));
            return;
        }
        let text = model(position, context, when);
        let line = line_of(&text, PLACE);
        let text = text.replace(PLACE, &part.text.replace(PLACE, faulty.text));
        let expect = if part.evaluated { Expect::Fault(faulty.kind, Some(line)) } else { Expect::Holds };
        for options in options {
            self.matrix.cells.push(Cell {
                name: name.clone(),
                ending: "pml",
                text: text.clone(),
                options: strings(options),
                expect: expect.clone(),
            });
        }
    }
}

/// Why a combination is no model of Promela, if it is none.
fn no_model(position: &Position, context: &Context, when: When, faulty: &Faulty) -> Option<&'static str> {
    let indivisible = context.name.contains("d_step");
    if when == When::Later && faulty.kind == "no_channel" {
        return Some("a channel that was initialised stays initialised");
    }
    if indivisible && position.name.starts_with("rendezvous") {
        return Some("a rendezvous in d_step is a fault of its own");
    }
    if indivisible && position.name == "argument of run" {
        return Some("`run` is refused in d_step");
    }
    if indivisible && position.name == "last of select" {
        return Some("d_step takes the first executable option of a select: it ends before it compares, in SPIN, too");
    }
    if indivisible && position.name == "second guard" {
        return Some("d_step takes the first executable option and does not look at the second");
    }
    None
}

/// Each search in turn, so that every one meets every kind of position.
fn alternating(n: usize) -> &'static [&'static [&'static str]] {
    let n = n % BRIEF.len();
    &BRIEF[n..=n]
}

pub fn matrix() -> Matrix {
    let mut all = Generator { matrix: Matrix::default() };
    let (first, division) = (&FAULTY[0], &FAULTY[5]);
    for (p, position) in POSITIONS.iter().enumerate() {
        for (n, faulty) in FAULTY.iter().enumerate() {
            all.add((position, &PLAIN, When::AtStart), (faulty, &WHOLE), alternating(p + n));
            all.add((position, &PLAIN, When::Later), (faulty, &WHOLE), alternating(p + n + 1));
        }
        all.add((position, &PLAIN, When::Later), (first, &WHOLE), &SAFETY);
        all.add((position, &PLAIN, When::Later), (division, &WHOLE), &STORES);
        all.add((position, &PLAIN, When::Later), (first, &WHOLE), &CYCLES);
        for (n, context) in CONTEXTS.iter().enumerate() {
            all.add((position, context, When::AtStart), (first, &WHOLE), alternating(p + n));
            all.add((position, context, When::Later), (division, &WHOLE), alternating(p + n + 1));
        }
        for (n, part) in PARTS.iter().enumerate() {
            let when = if p % 2 == 0 { When::AtStart } else { When::Later };
            all.add((position, &PLAIN, when), (first, part), alternating(p + n));
        }
    }
    all.matrix
}
