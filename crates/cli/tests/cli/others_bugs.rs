//! What went wrong in other model checkers stays out of this one: one test for each report that is about verdicts and
//! reductions. The models are our own.
//!
//! | report | about | here |
//! |---|---|---|
//! | SPIN 28 | breadth-first search and rendezvous miss a deadlock | `breadth_first_search_finds_deadlocks_of_rendezvous` |
//! | SPIN 38 | weak fairness hides a run in which everybody has ended | `fairness_asks_nothing_of_those_who_have_ended` |
//! | SPIN 78 | an assertion about the number of a process is not found | `numbers_of_processes_are_looked_at_by_assertions` |
//! | LTSmin 137, 209 | several threads write wrong runs for cycles | `runs_found_by_several_threads_are_confirmed` |
//! | LTSmin 169 | steps that change what a formula speaks of are left out | `what_a_formula_speaks_of_is_seen_through_conditions` |
//! | LTSmin 222 | a cycle is missed when moves are left out | `somebody_who_turns_in_circles_does_not_hide_others` |
//! | SPIN 26 | a random receive with `eval` is said to lack fields | `random_receives_with_eval_have_all_their_fields` |
//! | TLC 22 | what continues an interrupted search skips liveness | `cycles_are_found_after_a_change_of_stores` |
//! | TLC 1113 | a file of an earlier search can't be read, without a reason | `a_damaged_trail_is_refused_with_a_reason` |
//! | TLC 1444 | other options, another counterexample | `one_counterexample_whatever_the_threads` |
//! | SPIN 54, 60, 63 | not found; 56 to 58, beside them, are crashes on hostile texts | `hostile_texts_are_refused` |
//! | LTSmin 145 | not found; 141 and 148, beside it, are answers that depend on threads | `answers_do_not_depend_on_threads` |
//! | TLC 839 | not found, nothing known | none |

use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// Every way to look for cycles, and on how many threads.
const CYCLES: [&[&str]; 5] = [
    &["--cycles=scc", "-j1"],
    &["--cycles=nested", "-j1"],
    &["--cycles=cndfs", "-j1"],
    &["--cycles=cndfs", "-j3"],
    &["--cycles=ufscc", "-j3"],
];
const ORDERS: [&[&str]; 3] = [&["--search=bfs", "-j1"], &["--search=bfs", "-j3"], &["--search=dfs", "-j1"]];
const REDUCED: [&[&str]; 4] = [&["--audit=1"], &["--no-coarsening", "--audit=1"], &["--no-partial-order"], &["--raw"]];

/// Asserts that every way to search gives this exit status.
fn always(name: &str, text: &str, asked: &[&str], ways: &[&[&str]], status: i32) {
    let path: PathBuf = std::env::temp_dir().join(format!("kripke-{name}-{}.pml", std::process::id()));
    fs::write(&path, text).expect("files can be written");
    for way in ways {
        for reduced in REDUCED {
            let mut command = Command::new(env!("CARGO_BIN_EXE_kripke"));
            command.arg("check").arg(&path).args(asked).args(*way).args(reduced).args(["--no-trail", "-q"]);
            let output = command.output().expect("the program can be started");
            let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(status), "{asked:?} {way:?} {reduced:?}: {said}");
        }
    }
    fs::remove_file(&path).expect("it was written");
}

#[test]
fn breadth_first_search_finds_deadlocks_of_rendezvous() {
    let text = "chan up = [0] of { byte }; chan down = [0] of { byte }; byte calls;
        active proctype left() { byte m; if :: up!1; down?m :: down?m; up!2 fi; calls++ }
        active proctype right() { byte m; if :: up?m; down!m :: down!3; up?m fi; calls++ }
        active proctype third() { byte m; calls > 0; up?m }";
    always("meetings", text, &["--safety"], &ORDERS, 1);
    let fine = "chan up = [0] of { byte }; active proctype left() { up!1 } active proctype right() { byte m; up?m }";
    always("meeting", fine, &["--safety"], &ORDERS, 0);
}

#[test]
fn fairness_asks_nothing_of_those_who_have_ended() {
    let text = "byte winner; active proctype first() { winner = 3 } active proctype second() { skip; winner = 5 }";
    for fairness in ["weak", "strong"] {
        always("ended", text, &["--ltl", "<> [] (winner == 3)", "--fair", fairness], &CYCLES[..1], 1);
        always("ended", text, &["--ltl", "<> [] (winner > 0)", "--fair", fairness], &CYCLES[..1], 0);
    }
    always("ended", text, &["--ltl", "<> [] (winner == 3)"], &CYCLES, 1);
}

#[test]
fn numbers_of_processes_are_looked_at_by_assertions() {
    let text = "proctype late() { assert(_pid != 2) } active proctype early() { skip } init { run late() }";
    always("numbers", text, &["--safety"], &ORDERS, 1);
    let text = "active [3] proctype same() { byte x; x = 1; assert(_pid + x < 3) }";
    always("same", text, &["--safety"], &ORDERS, 1);
}

#[test]
fn runs_found_by_several_threads_are_confirmed() {
    // Every run that is shown was executed again, and judged by what the formula means: it would be exit status 4.
    let text = "byte got, a, b; chan c = [1] of { byte };
        active proctype sender() { do :: c!1; a = 1 - a od }
        active proctype receiver() { byte x; do :: c?x; b = 1 - b; got = x :: c?x; got = 0 od }
        active proctype idle() { byte x; do :: x = 1 - x od }";
    for formula in ["[] <> (got == 1)", "<> [] (a == b)", "[] (got == 1 -> <> (got == 0))", "(b == 0) U (a == 1)"] {
        always(&format!("threads-{}", formula.len()), text, &["--ltl", formula], &CYCLES, 1);
    }
}

#[test]
fn what_a_formula_speaks_of_is_seen_through_conditions() {
    // Only by way of an element, the length of a channel, or the place of a process.
    let text = "byte level[2]; chan c = [2] of { byte };
        active proctype worker() { byte x; do :: level[1] = 1; c!1; here: x = 1; c?x; level[1] = 0 od }
        active proctype other() { byte y; do :: y = 1 - y od }";
    for formula in ["[] (level[1] == 0)", "[] (len(c) == 0)", "[] !worker@here", "[] <> (len(c) == 1)"] {
        always(&format!("seen-{}", formula.len()), text, &["--ltl", formula], &CYCLES, 1);
    }
    for condition in ["len(c) == 1", "level[1] > 0", "worker@here"] {
        always(&format!("reached-{}", condition.len()), text, &["--reach", condition], &ORDERS, 1);
    }
}

#[test]
fn somebody_who_turns_in_circles_does_not_hide_others() {
    let text = "byte made, used; chan c = [1] of { byte };
        active proctype clock() { byte t; do :: t = (t + 1) % 3; t = (t + 1) % 3 od }
        active proctype producer() { do :: made == 0 -> c!1; made = 1 od }
        active proctype consumer() { byte x; do :: c?x; used = 1; assert(made < 2); used = 0; made = 0 od }";
    always("circles", text, &["--ltl", "[] <> (used == 1)"], &CYCLES, 1);
    always("circles-2", text, &["--ltl", "<> [] !(used == 1)"], &CYCLES, 1);
    always("circles-3", text, &["--ltl", "[] !(used == 1 && made == 0)"], &CYCLES, 1);
    always("circles-4", &text.replace("made < 2", "made < 1"), &["--safety"], &ORDERS, 1);
    // A rendezvous moves whoever waits for it: that, too, can be what a formula speaks of.
    let text = "chan c = [0] of { byte }; byte x;
        active proctype asked() { L: c?x } active proctype asks() { c!1 } active proctype other() { byte y; y = 1; y = 2 }";
    always("moved", text, &["--ltl", "[] asked@L"], &CYCLES, 1);
    always("moved-2", text, &["--reach", "x == 1"], &ORDERS, 1);
    // Who is not yet there for a rendezvous interrupts an atomic sequence, and others see what it was doing.
    let text = "chan c = [0] of { byte }; byte g;
        active proctype comes() { byte x, y; y = 1; c?x }
        active proctype asks() { atomic { g = 1; c!1; g = 0 } } active proctype sees() { assert(g == 0) }";
    always("interrupted", text, &["--safety"], &ORDERS, 1);
    // Who can be interrupted, or waits for nobody to come, is kept from moving by those who come.
    let text = "chan c = [1] of { byte }; byte a, x;
        active proctype comes() { c!1 } active proctype waits() { { a = 1; assert(len(c) == 0) } unless { c?x } }";
    always("unless", text, &["--safety"], &ORDERS, 0);
    let text = "chan c = [1] of { byte }; byte a, x;
        active proctype comes() { c!1; assert(a == 0) } active proctype waits() { if :: c?x :: else -> a = 1 fi }";
    always("else", text, &["--safety"], &ORDERS, 1);
}

#[test]
fn random_receives_with_eval_have_all_their_fields() {
    let text = "mtype = { ask, answer }; chan c = [4] of { mtype, byte, byte };
        active [2] proctype peer() {
            byte from;
            c!ask,_pid,1 - _pid; c??ask,from,eval(_pid); assert(from == 1 - _pid);
            c!answer,_pid,from; c??answer,eval(from),eval(_pid)
        }";
    always("fields", text, &["--safety"], &ORDERS, 0);
    always("fields-2", &text.replace("from == 1 - _pid", "from == _pid"), &["--safety"], &ORDERS, 1);
}

/// One process counts for ever, so that there are enough states; the other one never gets `done`, or does.
const COUNTING: &str = "short n; bit done; active proctype count() { do :: n < 900 -> n++ :: n == 900 -> n = 0 od }
    active proctype other() { byte k; do :: k = (k + 1) % 5; done = DONE od }";

#[test]
fn cycles_are_found_after_a_change_of_stores() {
    for (value, status) in [("0", 1), ("(n > 1000)", 1), ("(n >= 0)", 0)] {
        let text = COUNTING.replace("DONE", value);
        for change in ["--change-at=10", "--change-at=1000"] {
            let asked = ["--ltl", "[] <> (done == 1)", "--fair", "weak", change];
            always(&format!("change-{}", value.len()), &text, &asked, &[&["-j1"], &["-j2"]], status);
        }
    }
}

/// Runs the program; its exit status, and what it says.
fn run(arguments: &[&str]) -> (Option<i32>, String) {
    let output =
        Command::new(env!("CARGO_BIN_EXE_kripke")).args(arguments).output().expect("the program can be started");
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.code(), said)
}

/// A file of this text in a folder for temporary ones.
fn file(name: &str, text: &str) -> String {
    let path = std::env::temp_dir().join(format!("kripke-{}-{name}", std::process::id()));
    fs::write(&path, text).expect("files can be written");
    path.display().to_string()
}

#[test]
fn a_damaged_trail_is_refused_with_a_reason() {
    let model = file("damaged.pml", "byte x; active proctype p() { do :: x < 9 -> x++ :: x == 9 -> assert(false) od }");
    let trail = file("damaged.trail.json", "");
    assert_eq!(run(&["check", &model, "--trail", &trail, "-q"]).0, Some(1));
    assert_eq!(run(&["replay", &model, &trail]).0, Some(1));
    let whole = fs::read_to_string(&trail).expect("it was written");
    for damaged in [String::new(), whole[..whole.len() / 2].to_string(), whole.replacen('{', "[", 1), "\0".repeat(50)] {
        fs::write(&trail, &damaged).expect("files can be written");
        let (status, said) = run(&["replay", &model, &trail]);
        assert!(status == Some(2) && said.contains("trail"), "{damaged:?}: {status:?} {said}");
    }
}

#[test]
fn one_counterexample_whatever_the_threads() {
    let text =
        "byte a, b; active proctype p() { do :: a < 30 -> a++ od } active proctype q() { do :: b < 30 -> b++ od }
        active proctype r() { (a == 3 && b == 4) -> assert(false) }";
    let model = file("same.pml", text);
    let trails = [&["-j1"] as &[&str], &["-j2"], &["-j3"], &["-j2", "--change-at=20"], &["--store=tree"]].map(|way| {
        let trail = file("same.trail.json", "");
        let arguments = [&["check", &model, "--trail", &trail, "-q"], way].concat();
        assert_eq!(run(&arguments).0, Some(1), "{way:?}");
        run(&["replay", &model, &trail, "--format", "list"]).1
    });
    assert!(trails[0].contains("assert"), "{}", trails[0]);
    trails.iter().for_each(|trail| assert_eq!(trail, &trails[0]));
}

#[test]
fn hostile_texts_are_refused() {
    let texts = [
        "{".repeat(129),
        "}".repeat(129),
        format!("active proctype p() {{ {}skip{} }}", "{ ".repeat(5000), " }".repeat(5000)),
        format!("active proctype p() {{ skip {}", "}".repeat(200)),
        format!("short {}", "f".repeat(1 << 20)),
        "for (x in ".repeat(1000),
        "ltl { <> ".repeat(1000),
    ];
    for (n, text) in texts.iter().enumerate() {
        let (status, said) = run(&["check", &file(&format!("hostile-{n}.pml"), text), "--no-trail"]);
        assert!(status == Some(2) && said.contains("error"), "{n}: {status:?} {}", &said[..said.len().min(300)]);
    }
}

#[test]
fn answers_do_not_depend_on_threads() {
    let text = "byte x, y; active proctype p() { do :: x = (x + 1) % 7; accept: skip od }
        active [2] proctype q() { do :: y = (y + _pid) % 5 :: y == 3 -> x = 0 od }";
    let ways: [&[&str]; 4] = [
        &["--cycles=cndfs", "-j2"],
        &["--cycles=cndfs", "-j4"],
        &["--cycles=ufscc", "-j2"],
        &["--cycles=ufscc", "-j4"],
    ];
    for _ in 0..5 {
        always("threads-a", text, &["--acceptance"], &ways, 1);
        always("threads-b", text, &["--ltl", "[] (x < 7 && y < 5)"], &ways, 0);
        always("threads-c", text, &["--ltl", "<> [] (x == 6)"], &ways, 1);
    }
}
