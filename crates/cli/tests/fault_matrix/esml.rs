//! ESML: faults of expressions × positions in commands and formulas, ranges, requirements.

use crate::cell::{Cell, Expect, Matrix, PLACE, line_of, strings};
use crate::configurations::{BRIEF, SAFETY, STORES};

/// An expression as a process writes it, as a formula writes it, and the kind of its fault.
struct Faulty {
    name: &'static str,
    inside: &'static str,
    outside: &'static str,
    kind: &'static str,
}

const fn faulty(name: &'static str, inside: &'static str, outside: &'static str, kind: &'static str) -> Faulty {
    Faulty { name, inside, outside, kind }
}

const FAULTY: [Faulty; 7] = [
    faulty("past the end", "a[i]", "P.a[P.i]", "index_out_of_range"),
    faulty("negative", "a[n]", "P.a[P.n]", "index_out_of_range"),
    faulty("index of index", "a[a[i]]", "P.a[P.a[P.i]]", "index_out_of_range"),
    faulty("record", "r[i].k", "P.r[P.i].k", "index_out_of_range"),
    faulty("division", "(1 DIV z)", "(1 DIV P.z)", "division_by_zero"),
    faulty("modulo", "(1 MOD z)", "(1 MOD P.z)", "division_by_zero"),
    faulty("head of an empty list", "HEAD(l)", "HEAD(P.l)", "requirement"),
];

/// Arithmetic around a faulty expression: always evaluated.
const NUMBERS: [&str; 4] = ["({E} * 0)", "(0 * {E})", "({E} - {E})", "a[{E} * 0]"];

/// Logic around one, and whether it is evaluated.
const TRUTHS: [(&str, bool); 11] = [
    ("{E} = {E}", true),
    ("~({E} = 77)", true),
    ("({E} # 77) & ({T} = 0)", true),
    ("({E} # 77) OR ({T} = 1)", true),
    ("({T} = 1) & ({E} # 77)", true),
    ("({T} = 0) OR ({E} # 77)", true),
    ("({T} = 0) & ({E} # 77)", false),
    ("({T} = 1) OR ({E} # 77)", false),
    ("TRUE OR ({E} # 77)", false),
    ("FALSE & ({E} # 77)", false),
    ("({E} # 77) OR TRUE", true),
];

/// Commands with a place for a number.
const OF_NUMBERS: [(&str, &str); 15] = [
    ("assignment", "x := {E}"),
    ("target", "a[{E}] := 1"),
    ("index of target's index", "a[a[{E}]] := 1"),
    ("record target", "r[{E}].k := 1"),
    ("append", "APPEND(l, {E})"),
    ("prepend", "PREPEND(l, {E})"),
    ("trace", "TRACE(\"x is \", {E})"),
    ("send", "c!value({E})"),
    ("received into", "d?value(a[{E}])"),
    ("send of poll", "POLL c!value({E}) -> SKIP END"),
    ("received into by poll", "POLL d?value(a[{E}]) -> SKIP END"),
    ("guard", "IF ({E}) # 77 -> SKIP END"),
    ("guard of do", "DO ({E}) = 77 -> SKIP END"),
    ("condition of polled send", "POLL c!tick & (({E}) # 77) -> SKIP END"),
    ("condition of polled receive", "POLL d?value(x) & (({E}) # 77) -> SKIP END"),
];

/// Commands with a place for a truth value.
const OF_TRUTHS: [(&str, &str); 6] = [
    ("guard", "IF {B} -> SKIP [] TRUE -> SKIP END"),
    ("second guard", "IF TRUE -> SKIP [] {B} -> SKIP END"),
    ("guard of do", "DO {B} & (x < 1) -> x := 1 END"),
    ("assigned", "ok := {B}"),
    ("polled send", "POLL c!tick & ({B}) -> SKIP [] c!tick -> SKIP END"),
    ("polled receive", "POLL d?value(x) & ({B}) -> SKIP [] d?value(x) -> SKIP END"),
];

/// Formulas with a place for an expression, and whether it is evaluated.
const FORMULAS: [(&str, &str, bool); 12] = [
    ("ASSERT", "AG (({E}) # 77)", true),
    ("ASSERT", "EF ((P.t = 1) & (({E}) # 77))", true),
    ("ASSERT", "AG ((P.t = 1) => (({E}) # 77))", true),
    ("ASSERT", "AG ((P.t = 2) => (({E}) # 77))", false),
    ("ASSERT", "AG ((P.t < 2) OR (({E}) # 77))", false),
    ("--ctl", "AG (({E}) # 77)", true),
    ("--ctl", "AG ((P.t = 2) => (({E}) # 77))", false),
    ("--ltl", "G (({E}) # 77)", true),
    ("--ltl", "G F (({E}) # 77)", true),
    ("--reach", "({E}) = 77", true),
    ("--reach", "(P.t = 1) & (({E}) = 77)", true),
    ("--reach", "(P.t = 2) & (({E}) = 77)", false),
];

/// Commands that require something: what they fault with.
const REQUIRED: [(&str, &str, &str); 12] = [
    ("above range", "x := i + 6", "value_out_of_range"),
    ("below range", "x := n", "value_out_of_range"),
    ("element above range", "a[0] := i + 6", "value_out_of_range"),
    ("field above range", "r[0].k := i + 6", "value_out_of_range"),
    ("received above range", "d?value(y)", "value_out_of_range"),
    ("appended above range", "APPEND(l, i + 6)", "value_out_of_range"),
    ("no true guard", "IF i = 5 -> SKIP [] i = 6 -> SKIP END", "requirement"),
    ("remove from empty list", "REMOVE(l)", "requirement"),
    ("append to full list", "APPEND(l, 1); APPEND(l, 1); APPEND(l, 1)", "requirement"),
    ("prepend to full list", "PREPEND(l, 1); PREPEND(l, 1); PREPEND(l, 1)", "requirement"),
    ("head in guard", "IF HEAD(l) = 1 -> SKIP END", "requirement"),
    ("head in condition", "POLL c!tick & (HEAD(l) = 1) -> SKIP END", "requirement"),
];

/// `{S}` is the command, `{A}` what stands behind the model.
const MODEL: &str = "MODEL M;\n\
    TYPE int = 0..9; small = 0..1; wide = -10..1000; arr = ARRAY [4] OF int; rec = (k, m: int); recs = ARRAY [4] OF rec; list = LIST [2] OF int;\n\
    p = {tick, value(wide)};\n\
    VAR c: p; d: p;\n\
    PROCESS P(c: p; d: p);\n\
    VAR i: int; z: int; t: int; n: wide; a: arr; r: recs; l: list; x: int; y: small; ok: BOOLEAN;\n\
    BEGIN i := 4; n := -1; t := 1;\n\
    {S}\n\
    END P;\n\
    PROCESS Q(c: p; d: p);\n\
    VAR w: wide; more: BOOLEAN;\n\
    BEGIN more := TRUE; DO more -> POLL c?tick -> SKIP [] c?value(w) -> SKIP [] d!value(5) -> SKIP END END\n\
    END Q;\n\
    BEGIN P(c, d); Q(c, d) END M\n";

const ORDERS: [&[&str]; 3] = [&["-j1"], &["--raw", "--search=dfs"], &["--store=tree"]];

fn cells(matrix: &mut Matrix, name: String, text: &str, asked: &[String], expect: &Expect, configurations: &[&[&str]]) {
    for options in configurations {
        matrix.cells.push(Cell {
            name: name.clone(),
            ending: "esml",
            text: text.to_string(),
            options: [asked.to_vec(), strings(options)].concat(),
            expect: expect.clone(),
        });
    }
}

/// A command in the model, with its line. The other process waits for ever when the first has ended: `-E`.
fn command(matrix: &mut Matrix, name: String, text: &str, kind: Option<&'static str>, configurations: &[&[&str]]) {
    let expect = kind.map_or(Expect::Holds, |kind| Expect::Fault(kind, Some(line_of(MODEL, "{S}"))));
    cells(matrix, name, &MODEL.replace("{S}", text), &strings(&["-E"]), &expect, configurations);
}

fn commands(matrix: &mut Matrix) {
    for (name, text) in OF_NUMBERS {
        for faulty in &FAULTY {
            let text = text.replace(PLACE, faulty.inside);
            command(matrix, format!("{name}: {}", faulty.name), &text, Some(faulty.kind), &BRIEF);
        }
        let first = &FAULTY[0];
        command(matrix, format!("{name}: every search"), &text.replace(PLACE, first.inside), Some(first.kind), &SAFETY);
        for number in NUMBERS {
            let text = text.replace(PLACE, &number.replace(PLACE, first.inside));
            command(matrix, format!("{name}: {number}"), &text, Some(first.kind), &BRIEF[..1]);
        }
    }
    for (name, text) in OF_TRUTHS {
        for (truth, evaluated) in TRUTHS {
            let truth = truth.replace(PLACE, "a[i]").replace("{T}", "t");
            let kind = evaluated.then_some("index_out_of_range");
            command(matrix, format!("{name}: {truth}"), &text.replace("{B}", &truth), kind, &BRIEF);
        }
    }
    for (name, text, kind) in REQUIRED {
        command(matrix, format!("required: {name}"), text, Some(kind), &SAFETY);
        command(matrix, format!("required: {name}"), text, Some(kind), &STORES);
    }
}

/// A formula behind the model, or on the command line.
fn formula(
    matrix: &mut Matrix,
    at: (&str, &str),
    name: String,
    kind: Option<&'static str>,
    configurations: &[&[&str]],
) {
    let (option, formula) = at;
    let model = MODEL.replace("{S}", "SKIP");
    let (text, options) = match option {
        "ASSERT" => (format!("{model}ASSERT {formula}\n"), strings(&["-E"])),
        _ => (model, strings(&["-E", option, formula])),
    };
    let line = (option == "ASSERT").then(|| text.trim_end().matches('\n').count() + 1);
    let expect = kind.map_or(Expect::Holds, |kind| Expect::Fault(kind, line));
    cells(matrix, name, &text, &options, &expect, configurations);
}

fn formulas(matrix: &mut Matrix) {
    for (option, text, evaluated) in FORMULAS {
        for faulty in &FAULTY {
            let kind = evaluated.then_some(faulty.kind);
            let name = format!("{option} {text}: {}", faulty.name);
            formula(matrix, (option, &text.replace(PLACE, faulty.outside)), name, kind, &BRIEF);
        }
        let first = &FAULTY[0];
        let name = format!("{option} {text}: every search");
        let kind = evaluated.then_some(first.kind);
        formula(matrix, (option, &text.replace(PLACE, first.outside)), name, kind, &ORDERS);
    }
}

pub fn matrix() -> Matrix {
    let mut matrix = Matrix::default();
    commands(&mut matrix);
    formulas(&mut matrix);
    matrix.left_out.push(("channels never initialised, d_step, priorities, traces".to_string(), "ESML has none"));
    matrix
}
