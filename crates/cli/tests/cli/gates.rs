//! Partial-order reduction with guards that are false in a state.
//!
//! The steps that a process can take only after a guard that is false need not be in the dependence relation, as long as no
//! other process can make the guard true. The tests check that the reduced search is much smaller where that is so (guards on
//! variables, on the contents of channels and on rendezvous), and that it still finds the error where another process, or the
//! process itself, makes the guard true.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

/// What a complete search says, where every choice is audited.
fn check(path: &PathBuf, options: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kripke"));
    command.arg("check").arg(path).args(["--safety", "--all-errors", "-j1", "--no-trail", "--format=json", "-q"]);
    let output = command.args(options).output().expect("the program can be started");
    let said = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&said).unwrap_or_else(|e| panic!("{e}: {said}{}", String::from_utf8_lossy(&output.stderr)))
}

/// How many states are left, of how many, if only partial orders are made use of; the verdict, which must stay the same.
fn left(name: &str, text: &str) -> ((u64, u64), String) {
    let path = std::env::temp_dir().join(format!("kripke-gate-{name}-{}.pml", std::process::id()));
    fs::write(&path, text).expect("files can be written");
    let raw = check(&path, &["--raw"]);
    let number = |said: &Value| said["states"].as_u64().expect("a number");
    let mut states = u64::MAX;
    for order in ["--search=bfs", "--search=dfs"] {
        let others = ["--no-coarsening", "--no-dead-variables", "--no-slicing", "--audit=1", order];
        let said = check(&path, &others);
        assert_eq!(said["verdict"], raw["verdict"], "{order}: {text}");
        states = states.min(number(&said));
    }
    fs::remove_file(&path).expect("it was written");
    ((states, number(&raw)), raw["verdict"].as_str().expect("a word").to_string())
}

/// A process that works on what others will use as well, once it lets them: `x` and, at its end, `y`. These get in each
/// other's way before they wait.
fn waiting(declared: &str, opens: &str, waits: &str) -> String {
    let mut text = format!(
        "byte x, y; {declared}
        active proctype one() {{ byte n; do :: n < 9 -> n++; x = n :: else -> break od; y = 9; {opens} }}\n"
    );
    for n in 0..3 {
        text += &format!("active proctype other{n}() {{ y = {n}; y = {n} + 3; {waits}; x = x + {n}; x = 0 }}\n");
    }
    text
}

#[test]
fn what_lies_behind_a_gate_is_not_thought_of() {
    let gates = [
        ("condition", waiting("bool go;", "go = true", "go")),
        ("comparison", waiting("byte at[2];", "at[1] = 7", "at[1] > 6")),
        ("empty", waiting("chan c = [3] of { byte };", "c!1; c!1; c!1", "c?1")),
        ("other", waiting("chan c = [3] of { byte }; active proctype fill() { c!9 }", "c?9; c!1; c!1; c!1", "c?1")),
        ("meeting", waiting("chan c = [0] of { byte };", "c!1; c!2; c!3", "c?_")),
    ];
    for (name, text) in gates {
        let (states, raw) = left(name, &text).0;
        assert!(3 * states < raw, "{name}: {states} of {raw} states are left");
    }
}

/// Twelve of them, each with the left fork first.
#[test]
fn philosophers_are_reduced_by_three_orders_of_magnitude() {
    let mut text = "bool taken[12];\n".to_string();
    for n in 0..12 {
        let other = (n + 1) % 12;
        text += &format!(
            "active proctype philosopher{n}() {{ do
            :: atomic {{ !taken[{n}]; taken[{n}] = true }}; atomic {{ !taken[{other}]; taken[{other}] = true }};
               taken[{n}] = false; taken[{other}] = false od }}\n"
        );
    }
    let ((states, raw), verdict) = left("philosophers", &text);
    assert_eq!(verdict, "violated");
    assert!(1000 * states <= raw, "{states} of {raw} states are left");
}

/// Somebody else opens the gate, or the process itself on its way there.
#[test]
fn a_gate_that_somebody_opens_is_none() {
    let asserts = |declared: &str, waits: &str, opener: &str| {
        format!(
            "byte x; {declared}
             active proctype one() {{ byte n; do :: n < 5 -> n++; x = n :: else -> break od }}
             active proctype other() {{ {waits}; assert(x != 3) }}
             active proctype opener() {{ byte m; m = 1; {opener} }}"
        )
    };
    let gates = [
        ("variable", asserts("bool go;", "go", "go = true")),
        ("counter", asserts("byte go;", "go > 1", "go++; go++")),
        ("message", asserts("chan c = [1] of { byte };", "c?4", "c!4")),
        ("behind", asserts("chan c = [2] of { byte };", "c!1; c!2; c?2", "c?1")),
        ("room", asserts("chan c = [1] of { byte };", "c!1; c!2", "c?_")),
        ("meeting", asserts("chan c = [0] of { byte };", "c?_", "c!1")),
        ("in-a-step", asserts("chan c = [0] of { byte }; bool go;", "c?_", "atomic { go = 1; c!1; go = 0 }")),
        ("itself", asserts("bool go;", "if :: go :: go = true fi; go", "skip")),
        ("in-turn", asserts("bool a, b;", "b", "if :: a -> b = true :: a = true; b = a fi")),
    ];
    for (name, text) in gates {
        assert_eq!(left(name, &text).1, "violated", "{name}");
    }
}

/// The guard asks for an element that is not there before it asks for what is shut.
#[test]
fn what_goes_wrong_before_a_gate_is_seen() {
    let text = "byte x; bool go; byte list[2];
        active proctype one() { byte n; do :: n < 5 -> n++; x = n :: else -> break od; x = 0; go = true }
        active proctype other() { skip; list[x] == 0 && go }";
    assert_eq!(left("guard", text).1, "violated");
}

/// A process that begins an atomic sequence by itself, and then waits for somebody to meet.
#[test]
fn who_waits_inside_an_atomic_sequence_has_come_there() {
    let senders: String = (0..3)
        .map(|n| format!("active proctype s{n}() {{ byte n; atomic {{ n == 0; c!{n}; n = 1 }}; d!n }}\n"))
        .collect();
    let receivers: String =
        (0..3).map(|n| format!("active proctype r{n}() {{ byte m, k; k = 1; k = 2; k = 3; c?m; d?k }}\n")).collect();
    let text = format!("chan c = [0] of {{ byte }}; chan d = [0] of {{ byte }};\n{senders}{receivers}");
    let ((states, raw), verdict) = left("inside", &text);
    assert_eq!(verdict, "holds");
    assert!(10 * states < raw, "{states} of {raw} states are left");
}
