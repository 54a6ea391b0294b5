//! One feature per line: the graph of a process as SPIN draws it, and what is refused.

use std::io;
use std::path::Path;

use kripke_model::ir::{Edge, Guard, Model, Process, Then};

use super::lower;
use crate::diagnostic::{Diagnostic, Severity, has_errors};
use crate::preprocess::Preprocess;
use crate::promela::{Options, parse};
use crate::source::Loader;

struct Text<'t>(&'t str);

impl Loader for Text<'_> {
    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        Ok(self.0.as_bytes().to_vec())
    }
}

fn lowered(text: &str, options: &Options) -> (Option<Model>, Vec<Diagnostic>) {
    let parsed = parse(Path::new("m.pml"), &Text(text), &Preprocess::default());
    let mut diagnostics = parsed.diagnostics;
    if has_errors(&diagnostics) {
        return (None, diagnostics);
    }
    let lowered = lower(&parsed.program, &[], &parsed.sources, options, &mut diagnostics);
    (lowered.map(|l| l.model), diagnostics)
}

/// `from:label>to`, with `*` where control is kept and the level in front if there are several. Locations are numbered
/// as SPIN numbers its states, leaving out those that can't be reached.
fn drawn(process: &Process) -> String {
    let mut out = Vec::new();
    for (from, location) in process.locations.iter().enumerate() {
        for id in &location.edges {
            let edge: &Edge = &process.edges[id.index()];
            let level = if edge.level > 0 { format!("{}^", edge.level) } else { String::new() };
            let guard = if matches!(edge.guard, Guard::Else) && edge.label != "else" { "else " } else { "" };
            let then = match edge.then {
                Then::Yield => ">",
                Then::Keep => "*",
                Then::Chain => "=",
            };
            let chain = edge.chain.map_or(String::new(), |c| format!("[{}]", c.0));
            out.push(format!("{from}:{level}{guard}{}{chain}{then}{}", edge.label, edge.target.0));
        }
        if location.end {
            out.push(format!("{from}:end"));
        }
    }
    out.join(" | ")
}

fn graph(body: &str) -> String {
    let text = format!("byte x, y; chan q = [1] of {{ byte }}; active proctype p() {{ {body} }}");
    let (model, diagnostics) = lowered(&text, &Options::default());
    let process = &model.unwrap_or_else(|| panic!("{body}: {diagnostics:?}")).processes[0];
    for location in &process.locations {
        let levels: Vec<u8> = location.edges.iter().map(|e| process.edges[e.index()].level).collect();
        assert!(levels.first().is_none_or(|l| *l == 0) && levels.is_sorted(), "{body}: {levels:?}");
    }
    drawn(process)
}

#[test]
fn graphs() {
    let table = [
        // A jump costs nothing after a statement, a step as the first of an option.
        ("L: x = 1; goto L", "0:x = 1>0"),
        ("L: if :: goto L :: x = 1 fi", "0:goto L>0 | 0:x = 1>1 | 1:-end->1 | 1:end"),
        ("do :: x == 1 -> break :: break od", "0:x==1>1 | 0:break>1 | 1:-end->1 | 1:end"),
        // A choice that starts with a choice has the options of both.
        ("if :: if :: x == 1 :: else fi :: y == 1 fi", "0:x==1>1 | 0:else>1 | 0:y==1>1 | 1:-end->1 | 1:end"),
        // `else` moves to the end, an option that can't be taken vanishes.
        ("if :: else :: false :: x == 1 fi", "0:x==1>1 | 0:else>1 | 1:-end->1 | 1:end"),
        // A block is entered at a place of its own, which is not where the loop in it comes back to.
        (
            "{ do :: x == 1 -> y = 1 :: break od }",
            "0:y = 1>1 | 1:x==1>0 | 1:break>3 | 2:x==1>0 | 2:break>3 | 3:-end->3 | 3:end",
        ),
        // Declarations after the first statement, or in a block, are steps.
        ("byte a = 1; x = a; byte b; byte c = 2", "0:x = a>1 | 1:b = 0>2 | 2:c = 2>3 | 3:-end->3 | 3:end"),
        ("x = 1; { int a[3]; y = 2 }", "0:x = 1>2 | 1:y = 2>3 | 2:a[0] = 0>1 | 3:-end->3 | 3:end"),
        // Idle steps in a row are pruned in options only.
        ("if :: skip; skip; skip; x = 1 fi", "0:x = 1>2 | 1:skip>0 | 2:-end->2 | 2:end"),
        ("skip; skip; x = 1", "0:skip>1 | 1:skip>2 | 2:x = 1>3 | 3:-end->3 | 3:end"),
        // Control is kept up to the last step of an atomic sequence; a jump out ends it.
        ("atomic { x = 1; y = 1 }", "0:y = 1>2 | 1:x = 1*0 | 2:-end->2 | 2:end"),
        ("atomic { x = 1; goto L }; y = 1; L: x = 2", "0:x = 1>1 | 1:x = 2>2 | 2:-end->2 | 2:end"),
        (
            "atomic { x = 1; goto L }; y = 1; L: atomic { x = 2; x = 3 }",
            "0:x = 1>2 | 1:x = 3>3 | 2:x = 2*1 | 3:-end->3 | 3:end",
        ),
        ("atomic { if :: x == 1 -> y = 1 :: else fi }", "0:y = 1>2 | 1:x==1*0 | 1:else>2 | 2:-end->2 | 2:end"),
        // Loops made of other statements.
        ("for (x : 1 .. 3) { y = x }", "0:x = 1>3 | 1:y = x>2 | 2:x++>3 | 3:x<=3>1 | 3:else>4 | 4:-end->4 | 4:end"),
        ("select (x : 1 .. 2)", "0:x = 1>1 | 0:x = 2>1 | 1:-end->1 | 1:end"),
        ("select (x : 1 .. y)", "0:x = 1>2 | 1:x++>2 | 2:break>3 | 2:x<y>1 | 3:-end->3 | 3:end"),
        // Escapes come first, on every step of the main part.
        (
            "{ x = 1; x = 2 } unless { y == 1; y = 2 }",
            "0:y==1>2 | 0:1^x = 1>1 | 1:y==1>2 | 1:1^x = 2>3 | 2:y = 2>3 | 3:-end->3 | 3:end",
        ),
        (
            "{ { { skip; x = 1 } unless { y == 2; y = 1 } }; x = 3 } unless { x = 5 }",
            "0:x = 5>4 | 0:1^y==2>1 | 0:2^x = 1>3 | 1:x = 5>4 | 1:1^y = 1>3 | 2:y==2>1 | 2:x = 5>4 | 2:1^skip>0 | \
             3:x = 5>4 | 3:1^x = 3>4 | 4:-end->4 | 4:end",
        ),
        // Marks: on the statement itself, or where the first step of an option leads.
        ("endx: x == 1; x = 2", "0:x==1>1 | 0:end | 1:x = 2>2 | 2:-end->2 | 2:end"),
        ("do :: enda: x == 1 -> x = 2 :: y == 1 od", "0:x = 2>1 | 0:end | 1:x==1>0 | 1:y==1>1"),
        ("enda: goto L; x = 1; L: y = 1", "0:goto L>1 | 0:end | 1:y = 1>2 | 2:-end->2 | 2:end"),
        // An indivisible sequence is one edge.
        ("d_step { x = 1; y = 1 }", "0:x = 1; y = 1[2]>1 | 1:-end->1 | 1:end | 2:x = 1=3 | 3:y = 1>1"),
        ("d_step { q?x; y = 1 }", "0:q?x; y = 1[2]>1 | 1:-end->1 | 1:end | 2:y = 1>1"),
    ];
    for (body, expected) in table {
        assert_eq!(graph(body), expected, "{body}");
    }
}

#[test]
fn escapes_in_both_orders() {
    let text = "byte x; active proctype p() { { { x = 1 } unless { x == 2 } } unless { x == 3 } }";
    let draw = |reverse_escapes| {
        let (model, _) = lowered(text, &Options { reverse_escapes, ..Options::default() });
        drawn(&model.expect("a model").processes[0])
    };
    assert!(draw(false).starts_with("0:x==3>1 | 0:1^x==2>1 | 0:2^x = 1>1"), "{}", draw(false));
    assert!(draw(true).starts_with("0:x==2>1 | 0:1^x==3>1 | 0:2^x = 1>1"), "{}", draw(true));
}

#[test]
fn names_get_numbers_from_the_end_of_their_list() {
    let (model, _) =
        lowered("mtype = { a, b, c }; mtype = { d }; mtype:k = { e, f }; init { skip }", &Options::default());
    let enums = model.expect("a model").enums;
    let shown: Vec<String> = enums.iter().map(|e| format!("{} {:?}", e.name, e.symbols)).collect();
    let unnamed = r#"mtype [("c", 1), ("b", 2), ("a", 3), ("d", 4)]"#;
    assert_eq!(shown, [unnamed, r#"mtype:k [("f", 1), ("e", 2)]"#]);
}

#[test]
fn globals_are_initialised_type_by_type() {
    let (model, _) = lowered("int c = 5; byte a = c + 1; int d = a; init { skip }", &Options::default());
    let vars = model.expect("a model").globals;
    let shown: Vec<String> = vars.iter().map(|v| format!("{} {:?}", v.name, v.init)).collect();
    assert_eq!(shown, ["c All(Const(5))", "a All(Const(1))", "d All(Const(1))"]);
}

#[test]
fn records_fall_apart() {
    let text = "typedef A { byte n; bit b[2] }; typedef B { A a[3]; int k }; B r[4]; init { r[1].a[2].b[0] = 1 }";
    let (model, diagnostics) = lowered(text, &Options::default());
    let vars = model.unwrap_or_else(|| panic!("{diagnostics:?}")).globals;
    let shown: Vec<String> = vars.iter().map(|v| format!("{}{:?}:{}", v.name, v.dims, v.ty.bits)).collect();
    assert_eq!(shown, ["r.a.n[4, 3]:8", "r.a.b[4, 3, 2]:8", "r.k[4]:32"]);
}

#[test]
fn refused() {
    let table = [
        ("init { x = 1 }", "`x` is not declared"),
        ("byte wantp; init { wantq = 1 }", "`wantq` is not declared"),
        ("init { x = 1 } byte x;", "`x` is not declared"),
        ("byte x; byte x; init { skip }", "`x` is declared twice"),
        ("byte x; init { byte x; skip }", "`x` is declared twice"),
        ("init { if :: byte a; a = 1 :: byte a; a = 2 fi }", "`a` is declared twice"),
        ("init { goto L }", "there is no label `L`"),
        ("byte x; init { L: x = 1; L: x = 2 }", "the label `L` is used twice"),
        ("byte x; init { x: skip }", "`x` can't be a label"),
        ("init { break }", "`break` outside a loop"),
        ("init { L: goto L }", "these jumps only lead to each other"),
        ("byte x; init { L: x = 1; d_step { x = 2; goto L } }", "jump out of a `d_step`"),
        ("byte x; init { d_step { x = 2; L: x = 3 }; goto L }", "jump into a `d_step`"),
        ("byte x; init { atomic { L: x = 2 } }", "the first statement of a block can't have a label"),
        ("byte x; init { if :: if :: x == 1 :: else fi :: else fi }", "two `else` for one choice"),
        ("byte a[2]; init { a = 1 }", "`a` is an array: which element?"),
        ("byte a; init { a[1] = 1 }", "`a` is not an array"),
        ("typedef T { byte n }; T t; init { t.m = 1 }", "`T` has no field `m`"),
        ("typedef T { byte n }; T t; init { t = 1 }", "`t` is a whole record"),
        ("init { _pid = 1 }", "`_pid` can't be assigned"),
        ("byte x; init { x!1 }", "`x` is not a channel"),
        ("chan c = [1] of { byte }; init { c!1,2 }", "no channel has messages of 2 fields"),
        ("chan c = [1] of { byte, byte }; byte x; init { c?x,x }", "`x` receives two fields of one message"),
        ("proctype p(byte n) { skip } init { run p() }", "`p` takes 1 arguments, not 0"),
        ("init { run p() }", "there is no process type `p`"),
        ("proctype p() { skip } init { byte x = run p() }", "`run` can't be used in a declaration"),
        ("proctype p() { skip } init { (run p() > 0) }", "`run` can't be used inside an expression"),
        ("proctype p() { skip } init { d_step { run p() } }", "`run` can't be used in a `d_step`"),
        ("chan c = [1] of { byte }; byte a[c]; init { skip }", "the length of an array must be a constant"),
        ("byte a[0]; init { skip }", "an array can't have 0 elements"),
        ("int a[16777216]; init { skip }", "a state of this model would be too large"),
        ("chan c[300] = [1] of { byte }; init { skip }", "at most 255 channels can be declared"),
        ("active [300] proctype p() { skip }", "at most 255 processes can run"),
        ("init { skip; chan c = [1] of { byte }; c!1 }", "the channel `c` is created too late"),
        ("proctype p() { skip }", "nothing runs in this model"),
        ("hidden bit b; init { skip }", "a `bit` or `bool` can't be hidden"),
        ("unsigned u; init { skip }", "an `unsigned` needs its number of bits"),
        ("byte i; init { for (i : 3 .. 1) { skip } }", "from 3 up to 1 there is nothing"),
        ("mtype:a = { x }; mtype:b = { y }; mtype:a v; init { v = y }", "`y` is a `mtype:b`"),
        ("byte x; ltl f { [] (z == 1) } init { x = 1 }", "`z` is not declared"),
        ("byte x; never { do :: z od } init { x = 1 }", "`z` is not declared"),
    ];
    for (text, expected) in table {
        let (model, diagnostics) = lowered(text, &Options::default());
        let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error);
        let messages: Vec<&str> = errors.map(|d| d.message.as_str()).collect();
        assert!(messages.contains(&expected), "{text}: {messages:?}");
        assert!(model.is_none(), "{text}");
    }
}

#[test]
fn several_errors_at_once() {
    let (_, diagnostics) = lowered("init { a = 1; b = 2; goto L }", &Options::default());
    assert!(diagnostics.len() >= 2, "{diagnostics:?}");
}
