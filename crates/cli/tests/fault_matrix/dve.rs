//! DVE: faults of expressions × positions in transitions and properties, and values out of range.

use crate::cell::{Cell, Expect, Matrix, PLACE, line_of, strings};
use crate::configurations::{BRIEF, SAFETY, STORES};

const FAULTY: [(&str, &str, &str); 6] = [
    ("past the end", "a[i]", "index_out_of_range"),
    ("negative", "a[n]", "index_out_of_range"),
    ("index of index", "b[a[i]]", "index_out_of_range"),
    ("remote", "Idle->h[i]", "index_out_of_range"),
    ("division", "(1 / z)", "division_by_zero"),
    ("modulo", "(1 % z)", "division_by_zero"),
];

/// Parts of expressions, and whether they are evaluated.
const PARTS: [(&str, bool); 18] = [
    ("(not {E})", true),
    ("({E} * 0)", true),
    ("(0 * {E})", true),
    ("({E} & 0)", true),
    ("({E} - {E})", true),
    ("({E} == {E})", true),
    ("b[{E} * 0]", true),
    ("({E} and f)", true),
    ("({E} or t)", true),
    ("({E} imply t)", true),
    ("(t and {E})", true),
    ("(f or {E})", true),
    ("(t imply {E})", true),
    ("(f and {E})", false),
    ("(t or {E})", false),
    ("(f imply {E})", false),
    ("(i < 4 and {E})", false),
    ("(i == 0 or {E})", true),
];

/// A system, with a place for an expression.
struct Position {
    name: &'static str,
    text: &'static str,
}

const fn position(name: &'static str, text: &'static str) -> Position {
    Position { name, text }
}

/// A process whose only transition is `{T}`. The place of a fault is its transition.
const PROCESS: &str = "process P { state s0, s1, s2; init s0; trans\n s0 -> s1 { {T} };\n}\nsystem async;\n";

const TRANSITIONS: [Position; 16] = [
    position("guard", "guard ({E}) != 77;"),
    position("false guard", "guard ({E}) == 77;"),
    position("effect", "effect y = {E};"),
    position("later effect", "effect y = 1, y = {E};"),
    position("effect behind guard", "guard t == 1; effect y = {E};"),
    position("target", "effect b[{E}] = 1;"),
    position("target's index's index", "effect b[b[{E}]] = 1;"),
    position("later target", "effect y = 2, b[{E}] = 1;"),
    position("send", "sync meet!({E});"),
    position("typed send", "sync typed!({E});"),
    position("second value", "sync pair!{0, {E}};"),
    position("buffered send", "sync queue!({E});"),
    position("guard of send", "guard ({E}) != 77; sync meet!1;"),
    position("guard of receive", "guard ({E}) != 77; sync back?y;"),
    position("received into", "sync back?b[{E}];"),
    position("effect of receive", "sync back?y; effect y = {E};"),
];

const SYSTEMS: [Position; 11] = [
    position(
        "committed",
        "process P { state s0, s1; init s0; commit s0; trans\n s0 -> s1 { guard ({E}) != 77; };\n}\nsystem async;\n",
    ),
    position(
        "second transition",
        "process P { state s0, s1; init s0; trans\n s0 -> s1 {},\n s0 -> s1 { guard ({E}) == 77; };\n}\nsystem async;\n",
    ),
    position(
        "assertion",
        "process P { state s0, s1; init s0; assert\n s0: ({E}) != 77;\n trans s0 -> s1 {};\n}\nsystem async;\n",
    ),
    position(
        "later assertion",
        "process P { state s0, s1; init s0; assert\n s1: ({E}) != 77;\n trans s0 -> s1 {};\n}\nsystem async;\n",
    ),
    position(
        "own array",
        "process P { byte own[8]; state s0, s1; init s0; trans\n s0 -> s1 { effect own[{E}] = 1; };\n}\nsystem async;\n",
    ),
    position(
        "received from queue",
        "process P { state s0, s1, s2; init s0; trans\n s0 -> s1 { sync queue!0; },\n s1 -> s2 { sync queue?b[{E}]; };\n}\nsystem async;\n",
    ),
    position(
        "synchronous guard",
        "process P { state s0; init s0; trans\n s0 -> s0 { guard ({E}) != 77; };\n}\nsystem sync;\n",
    ),
    position(
        "synchronous effect",
        "process P { state s0; init s0; trans\n s0 -> s0 { effect y = {E}; };\n}\nsystem sync;\n",
    ),
    position(
        "guard of property",
        "process P { state p0, p1; init p0; accept p1; trans\n p0 -> p0 { guard ({E}) != 77; },\n p0 -> p1 { guard t == 0; };\n}\nsystem async property P;\n",
    ),
    position(
        "second guard of property",
        "process P { state p0, p1; init p0; accept p1; trans\n p0 -> p0 {},\n p0 -> p1 { guard ({E}) == 77; };\n}\nsystem async property P;\n",
    ),
    position(
        "effect of property",
        "process P { int v; state p0, p1; init p0; accept p1; trans\n p0 -> p0 { effect v = {E}; };\n}\nsystem async property P;\n",
    ),
];

const ASKED: [(&str, &str, bool); 11] = [
    ("--ltl", "G (({E}) != 77)", true),
    ("--ltl", "G F (({E}) != 77)", true),
    ("--ltl", "G ((t == 1) -> (({E}) != 77))", true),
    ("--ltl", "G ((t == 0) -> (({E}) != 77))", false),
    ("--ltl", "G ((t == 1) || (({E}) != 77))", false),
    ("--ctl", "AG (({E}) != 77)", true),
    ("--ctl", "EF (({E}) != 77)", true),
    ("--ctl", "AG ((t == 0) -> (({E}) != 77))", false),
    ("--reach", "({E}) == 77", true),
    ("--reach", "t == 1 and ({E}) == 77", true),
    ("--reach", "t == 0 and ({E}) == 77", false),
];

/// Assignments of values that do not fit.
const RANGES: [(&str, &str); 9] = [
    ("byte too large", "effect x = i + 252;"),
    ("byte negative", "effect x = n;"),
    ("int too large", "effect y = 32767 + t;"),
    ("int too small", "effect y = n - 32768;"),
    ("element too large", "effect a[0] = i * 64;"),
    ("later effect", "effect x = 1, x = i * 64;"),
    ("received", "sync large?x;"),
    ("behind a guard", "guard t == 1; effect x = n;"),
    ("behind a send", "sync meet!1; effect x = n;"),
];

const PRELUDE: &str = "byte i = 4, z = 0, t = 1, f = 0, x; int n = -1, y; byte a[4]; int b[8];\n\
    channel meet, back, large; channel {int} typed[0], queue[4]; channel {int, int} pair[0];\n\
    process Idle { byte h[4]; int w, v; state r; init r; trans r -> r {}, r -> r { sync meet?w; }, r -> r { sync typed?w; },\n\
    r -> r { sync pair?{w, v}; }, r -> r { sync back!0; }, r -> r { sync large!300; }; }\n";

const ORDERS: [&[&str]; 4] = [&["-j1"], &["--search=dfs"], &["--cycles=scc"], &["--cycles=cndfs", "-j2"]];

struct Asked<'a> {
    name: String,
    text: String,
    options: Vec<String>,
    faulty: &'a (&'static str, &'static str, &'static str),
    part: (&'static str, bool),
}

fn add(matrix: &mut Matrix, asked: &Asked, configurations: &[&[&str]]) {
    let line = asked.text.contains(PLACE).then(|| line_of(&asked.text, PLACE));
    let expression = asked.part.0.replace(PLACE, asked.faulty.1);
    let expect = if asked.part.1 { Expect::Fault(asked.faulty.2, line) } else { Expect::Holds };
    for options in configurations {
        let own = asked.options.iter().map(|o| o.replace(PLACE, &expression));
        matrix.cells.push(Cell {
            name: format!("{}: {}, {}", asked.name, asked.faulty.0, asked.part.0),
            ending: "dve",
            text: asked.text.replace(PLACE, &expression),
            options: own.chain(strings(options)).collect(),
            expect: expect.clone(),
        });
    }
}

/// One system with every fault, and with every part of an expression for one fault.
fn everything(matrix: &mut Matrix, name: &str, text: &str, options: &[String], searches: &[&[&str]]) {
    let asked = |faulty, part| Asked {
        name: name.to_string(),
        text: text.to_string(),
        options: options.to_vec(),
        faulty,
        part,
    };
    for faulty in &FAULTY {
        add(matrix, &asked(faulty, ("{E}", true)), &BRIEF);
    }
    add(matrix, &asked(&FAULTY[0], ("{E}", true)), searches);
    for part in PARTS {
        add(matrix, &asked(&FAULTY[0], part), &BRIEF[..1]);
    }
}

fn ranges(matrix: &mut Matrix) {
    for (name, text) in RANGES {
        let model = format!("{PRELUDE}{PROCESS}");
        let line = line_of(&model, "{T}");
        for options in SAFETY.iter().chain(&STORES) {
            matrix.cells.push(Cell {
                name: format!("range: {name}"),
                ending: "dve",
                text: model.replace("{T}", text),
                options: strings(options),
                expect: Expect::Fault("value_out_of_range", Some(line)),
            });
        }
    }
}

pub fn matrix() -> Matrix {
    let mut matrix = Matrix::default();
    for position in &TRANSITIONS {
        let text = format!("{PRELUDE}{}", PROCESS.replace("{T}", position.text));
        everything(&mut matrix, position.name, &text, &[], &SAFETY);
    }
    for position in &SYSTEMS {
        everything(&mut matrix, position.name, &format!("{PRELUDE}{}", position.text), &[], &SAFETY[..6]);
    }
    let idle = format!("{PRELUDE}system async;\n");
    for (option, formula, evaluated) in ASKED {
        let options = strings(&[option, formula]);
        let name = format!("{option} {formula}");
        if evaluated {
            everything(&mut matrix, &name, &idle, &options, &ORDERS);
        } else {
            let asked = Asked { name, text: idle.clone(), options, faulty: &FAULTY[0], part: ("{E}", false) };
            add(&mut matrix, &asked, &BRIEF);
        }
    }
    ranges(&mut matrix);
    matrix.left_out.push(("channels never initialised, d_step, priorities, traces".to_string(), "DVE has none"));
    matrix
}
