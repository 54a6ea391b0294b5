//! Deep nesting works up to the limits that the guide states, and ends in an error beyond.

use std::fs;
use std::path::Path;

use crate::program::Desk;

/// `before` and `after` so many times around `inside`.
fn nest(before: &str, inside: &str, after: &str, times: usize) -> String {
    before.repeat(times) + inside + &after.repeat(times)
}

/// Ways to nest parentheses, for languages with C's operators.
const WAYS: [&str; 5] = ["(", "!(", "(1 - ", "(1 && ", "(2 * 1 + "];

fn promela(times: usize) -> Vec<(String, String)> {
    let mut out: Vec<(String, String)> = Vec::new();
    for way in WAYS {
        let e = nest(way, "x", ")", times);
        let text = format!("int x, y; active proctype P() {{ y = {e}; ({e}) -> skip; assert({e} || true) }}");
        out.push((way.to_string(), text));
    }
    let conditional = nest("(x -> 1 : ", "x", ")", times);
    out.push(("conditional".to_string(), format!("int x; active proctype P() {{ x = {conditional} }}")));
    let index = nest("a[", "x", "]", times);
    out.push(("index".to_string(), format!("byte x, a[2]; active proctype P() {{ x = {index} }}")));
    let formula = nest("(", "[] (x < 2)", ")", times);
    out.push(("ltl".to_string(), format!("byte x; active proctype P() {{ x = 1 }} ltl f {{ {formula} }}")));
    let test = nest("(", "1", ")", times);
    out.push(("#if".to_string(), format!("#if {test}\nactive proctype P() {{ skip }}\n#endif")));
    out
}

fn dve(times: usize) -> Vec<(String, String)> {
    let ways = ["(", "not (", "(1 - ", "(1 and ", "(2 * 1 + "];
    let model = |e: String| {
        format!(
            "int x = 0; process P {{ state a; init a; trans a -> a {{ guard {e}; effect x = {e}; }}; }} system async;"
        )
    };
    ways.iter().map(|way| (way.to_string(), model(nest(way, "x", ")", times)))).collect()
}

fn esml(times: usize) -> Vec<(String, String)> {
    let ways = ["(", "-(", "(1 - ", "(0 * 1 + "];
    let model = |e: String| {
        format!("MODEL m;\nTYPE t = -9..9;\nPROCESS P;\nVAR x: t;\nBEGIN\n  x := {e}\nEND P;\nBEGIN\n  P\nEND m\n")
    };
    ways.iter().map(|way| (way.to_string(), model(nest(way, "x", ")", times)))).collect()
}

#[test]
fn two_hundred_parentheses_work() {
    let desk = Desk::new();
    let system = "process P { state a; init a; trans a -> a { guard x < 2; }; } system async;";
    desk.write("m.mdve", format!("int x = eval({}); {system}", nest("!(1 - ", "1", ")", 200)));
    desk.run("check m.mdve").expect(0);
    for (ending, models) in [("pml", promela(200)), ("dve", dve(200)), ("esml", esml(200))] {
        for (way, text) in models {
            let file = format!("m.{ending}");
            desk.write(&file, text);
            for options in ["", "--raw --engine interpret"] {
                let said = desk.run(&format!("check {file} -E --no-trail {options}"));
                assert!(said.status < 2, "{ending} {way}: {}\n{}", said.out, said.err);
            }
        }
    }
}

#[test]
fn formulas_nest_as_deep() {
    let desk = Desk::new();
    desk.write("m.pml", "byte x; active proctype P() { x = 1 }\n");
    let check = |args: [&str; 2]| -> crate::program::Said {
        desk.command("check m.pml --no-trail").args(args).output().unwrap().into()
    };
    for way in ["(", "!(", "(x < 2 && ", "[](", "<>(x < 2 && "] {
        let said = check(["--ltl", &nest(way, "x < 2", ")", 200)]);
        assert!(said.status < 2, "{way}: {}", said.err);
    }
    for way in ["(", "!(", "(x < 2 && ", "AG(", "EF(x < 2 && "] {
        let said = check(["--ctl", &nest(way, "x < 2", ")", 200)]);
        assert!(said.status < 2, "{way}: {}", said.err);
    }
    for way in WAYS {
        assert!(check(["--reach", &nest(way, "x", ")", 200)]).status < 2, "{way}");
    }
    let said: crate::program::Said = desk.command("ltl").arg(nest("(p && ", "q", ")", 200)).output().unwrap().into();
    said.expect(0);
}

/// Far too deep: an error, and no overflow in any phase.
#[test]
fn what_is_deeper_is_an_error() {
    let desk = Desk::new();
    for (ending, models) in [("pml", promela(5_000)), ("dve", dve(5_000)), ("esml", esml(5_000))] {
        for (way, text) in models {
            desk.write(&format!("m.{ending}"), text);
            let said = desk.run(&format!("check m.{ending}")).expect(2);
            assert!(said.err.contains("deep") || said.err.contains("too large"), "{ending} {way}: {}", said.err);
        }
    }
    // Expressions that are tall because each has tall ones inside it.
    let mut inside = [String::from("x"), String::from("0")];
    for _ in 0..60 {
        let [choice, index] = inside;
        inside = [format!("(x -> {choice}{} : 0)", "+1".repeat(900)), format!("a[{index}{}]", "+x".repeat(900))];
    }
    for e in inside {
        desk.write("m.pml", format!("byte x, a[2]; active proctype P() {{ {e} == 0; x = {e} }}\n"));
        let said = desk.run("check m.pml").expect(2);
        assert!(said.err.contains("too large"), "{}", said.err);
    }
}

/// Rows of the table of built-in limits, and the constants behind them.
const LIMITS: [(&str, &str, &str); 29] = [
    ("processes, channels alive at a time", "model/src/layout.rs", "MAX_ALIVE"),
    ("bytes of one state", "model/src/layout.rs", "MAX_BYTES"),
    ("steps of one run through an atomic sequence", "model/src/interpret/expand.rs", "MAX_ATOMIC"),
    ("steps of one `d_step`", "model/src/interpret/step.rs", "MAX_CHAIN"),
    ("bytes of a file", "lang/src/limits.rs", "MAX_FILE_BYTES"),
    ("bytes of a trail file", "cli/src/files.rs", "MAX_TRAIL_BYTES"),
    ("nesting of blocks and parentheses", "lang/src/limits.rs", "MAX_NESTING"),
    ("operators in a row or within each other", "lang/src/limits.rs", "MAX_EXPR_HEIGHT"),
    ("inlines within inlines", "lang/src/limits.rs", "MAX_INLINE_DEPTH"),
    ("includes within includes", "lang/src/limits.rs", "MAX_INCLUDE_DEPTH"),
    ("macros within macros", "lang/src/limits.rs", "MAX_MACRO_DEPTH"),
    ("tokens after macros and inlines are expanded", "lang/src/limits.rs", "MAX_TOKENS"),
    ("tokens moved while macros are expanded", "lang/src/limits.rs", "MAX_MACRO_WORK"),
    ("DVE: characters read and written while macros are expanded", "lang/src/limits.rs", "MAX_M4_WORK"),
    ("ESML: operators in a row or within each other", "lang/src/esml/parse/expression.rs", "MAX_HEIGHT"),
    ("ESML: single values in one variable", "lang/src/limits.rs", "MAX_ESML_WORDS"),
    ("ESML: words moved by commands on whole values, in all of the text", "lang/src/limits.rs", "MAX_ESML_WORK"),
    ("formulas: bytes, also of a never claim or an automaton", "logic/src/limits.rs", "MAX_BYTES"),
    ("formulas: tokens", "logic/src/limits.rs", "MAX_TOKENS"),
    ("formulas: nesting of parentheses", "logic/src/limits.rs", "MAX_NESTING"),
    ("formulas: operators in a row or within each other", "logic/src/limits.rs", "MAX_HEIGHT"),
    ("formulas: subformulas, once simplified", "logic/src/limits.rs", "MAX_TERMS"),
    ("automata: propositions", "logic/src/limits.rs", "MAX_ATOMS"),
    ("automata: acceptance sets", "logic/src/limits.rs", "MAX_SETS"),
    ("automata: states", "logic/src/limits.rs", "MAX_STATES"),
    ("automata: edges", "logic/src/limits.rs", "MAX_EDGES"),
    ("locations that [merging](reductions.md) makes part of one step", "reduce/src/merge.rs", "MAX_MERGED_LOCATIONS"),
    ("edges of a process type for which machine code is made", "engine/src/program.rs", "MOST_OF_TYPE"),
    ("edges of all process types for which machine code is made", "engine/src/program.rs", "MOST"),
];

/// The value of a constant: `256`, `1_000`, `32 << 20`, `limits::MAX_EXPR_HEIGHT / 4`.
fn constant(crates: &Path, file: &str, name: &str) -> u64 {
    let text = fs::read_to_string(crates.join(file)).unwrap();
    let (_, after) = text.split_once(&format!("const {name}: ")).unwrap_or_else(|| panic!("{file}: no {name}"));
    let (_, value) = after.split_once(" = ").unwrap();
    let (value, _) = value.split_once(';').unwrap();
    let number = |text: &str| text.trim().replace('_', "").parse::<u64>().unwrap();
    if let Some((whole, part)) = value.split_once(" / ") {
        return constant(crates, "lang/src/limits.rs", whole.trim_start_matches("limits::")) / number(part);
    }
    match value.split_once("<<") {
        Some((base, shift)) => number(base) << number(shift),
        None => number(value),
    }
}

/// What the page says: `255 each`, `1,000,000`, `16 MiB`.
fn stated(text: &str) -> u64 {
    let mut words = text.split_whitespace();
    let number: u64 = words.next().unwrap().replace([',', ':'], "").parse().unwrap_or_else(|e| panic!("{text}: {e}"));
    number
        << match words.next() {
            Some("KiB") => 10,
            Some("MiB") => 20,
            Some("GiB") => 30,
            _ => 0,
        }
}

#[test]
fn the_guide_states_the_limits_of_the_code() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let page = fs::read_to_string(crates.join("../docs/src/limits.md")).unwrap();
    let (_, table) = page.split_once("## Built-in limits").unwrap();
    let rows = table.lines().filter_map(|l| l.strip_prefix("| ")?.strip_suffix(" |")?.split_once(" | "));
    // The number of states depends on the store, and is explained.
    let rows: Vec<(&str, &str)> = rows.filter(|(what, _)| *what != "states").collect();
    for (what, file, name) in LIMITS {
        let (_, value) = rows.iter().find(|(row, _)| *row == what).unwrap_or_else(|| panic!("no row `{what}`"));
        assert_eq!(stated(value), constant(crates, file, name), "{what}");
    }
    let unknown: Vec<_> = rows.iter().filter(|(row, _)| !LIMITS.iter().any(|(what, ..)| what == row)).collect();
    assert!(unknown.is_empty(), "rows without a constant: {unknown:?}");
}
