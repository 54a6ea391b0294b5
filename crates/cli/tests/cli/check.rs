//! Screens and verdicts.

use crate::program::Desk;

#[test]
fn a_counterexample_is_a_table() {
    let said = Desk::new().run("second.pml").expect(1);
    let want = "\
✗ assertion violated: assert(critical==1)   second.pml:10     shortest trace, 7 steps (30 states, # ms)

  #  process  line  statement             wantp wantq critical
  0                                         0     0      0
  1  p          7   !wantq                  ·     ·      ·
  2  q         18   !wantp                  ·     ·      ·
  3  q         19   wantq = true            ·     1      ·
  4  q         20   critical++              ·     ·      1
  5  p          8   wantp = true            1     ·      ·
  6  p          9   critical++              ·     ·      2
  7  p         10   assert(critical==1)     ✗ critical is 2

  p tests `!wantq` in step 1, and q makes it false in step 3, before p goes on in step 5: if nothing may come between,
  both belong into one atomic sequence

  step through it: kripke replay second.pml -i      written: second.trail.json
";
    assert_eq!(said.steady(), want);
    assert_eq!(said.err, "");
}

#[test]
fn a_model_that_holds_takes_two_lines() {
    let said = Desk::new().run("check peterson.pml").expect(0);
    let out = said.steady();
    assert!(out.starts_with("✓ no errors      complete search for failed assertions, invalid end states and faults\n"));
    assert_eq!(out.lines().count(), 2, "{out}");
    assert!(out.lines().nth(1).unwrap().contains(" transitions · depth "), "{out}");
}

#[test]
fn a_deadlock_shows_who_waits_for_what() {
    let said = Desk::new().run("stuck.pml").expect(1);
    assert!(
        said.out.starts_with("✗ invalid end state: no process can move   stuck.pml     shortest trace"),
        "{}",
        said.out
    );
    assert!(said.out.contains("left → right") || said.out.contains("right → left"), "{}", said.out);
    assert!(said.out.contains("[ping,3]"), "{}", said.out);
    assert!(said.out.contains("  ✗ left   stuck.pml:10  waits for there?pong"), "{}", said.out);
    assert!(said.out.contains("  ✗ right  stuck.pml:17  waits for there?pong"), "{}", said.out);
}

#[test]
fn a_fault_names_variable_index_and_size() {
    let said = Desk::new().run("fault.pml").expect(1);
    assert!(said.out.starts_with("✗ index out of range (room has 3 elements, index is 3)"), "{}", said.out);
    assert!(said.out.contains("✗ room has 3 elements, index is 3\n"), "{}", said.out);
}

#[test]
fn switches_turn_checks_off() {
    let desk = Desk::new();
    for (args, status) in [
        ("second.pml", 1),
        ("second.pml -A", 0),
        ("second.pml --no-assertions", 0),
        ("second.pml -E", 1),
        ("stuck.pml -A", 1),
        ("stuck.pml -E", 0),
        ("fault.pml -A -E", 1),
        ("second.pml --search dfs", 1),
        ("peterson.pml --search dfs --raw -j4 --store exact --engine interpret", 0),
        ("define.pml", 0),
        ("define.pml -DN=3", 1),
        ("define.pml -D N=3", 1),
    ] {
        let said = desk.run(args);
        assert_eq!(said.status, status, "{args}\n{}{}", said.out, said.err);
    }
}

#[test]
fn the_search_stops_at_the_error_with_a_number() {
    let desk = Desk::new();
    let text = "byte x;\nactive proctype P() { do :: x < 9 -> x++; assert(x != 3)\n:: x < 9 -> x++; assert(x != 3)\n\
                :: x < 9 -> x = x + 2; assert(x != 5) :: else -> break od }\n";
    std::fs::write(desk.path("m.pml"), text).unwrap();
    let errors = |options: &str| {
        let report = desk.run(&format!("check m.pml --raw --format json --no-trail {options}")).json();
        (report["errors"]["assertion"].as_u64().unwrap(), report["complete"] == true)
    };
    let (all, _) = errors("-c0");
    assert!(all >= 3, "{all}");
    for search in ["--search dfs", "--search bfs -j1", "--search bfs -j2", "--store bitstate", "--store cache"] {
        assert_eq!(errors(&format!("-c1 {search}")).0, 1, "{search}");
        let (two, complete) = errors(&format!("-c2 {search}"));
        assert!((2..=all).contains(&two) && !complete, "{search}: {two}");
        let (many, _) = errors(&format!("-c1000 {search}"));
        assert_eq!(many, errors(&format!("-c0 {search}")).0, "{search}");
    }
    assert_eq!(errors("-c2 --search dfs").0, 2);
    desk.run("check m.pml -c2 --all-errors").expect(2);
    let said = desk.run("check m.pml --raw --search dfs -c2").expect(1);
    assert!(said.out.contains("  2 errors found: 2 failed assertions\n"), "{}", said.out);
}

#[test]
fn a_violated_invariant_is_named() {
    let desk = Desk::new();
    std::fs::write(desk.path("m.pml"), "byte x;\nactive proctype P() { x = 1; x = 4 }\n").unwrap();
    let said = desk.run("check m.pml --invariant x<3").expect(1);
    assert!(said.out.starts_with("✗ invariant violated: x<3 "), "{}", said.out);
    let report = desk.run("check m.pml --invariant x<3 --invariant x<5 --format json").expect(1).json();
    let verdict = |i: usize| (report["properties"][i]["kind"].clone(), report["properties"][i]["verdict"].clone());
    assert_eq!(verdict(0), ("invariant".into(), "violated".into()));
    assert_eq!(verdict(1), ("invariant".into(), "holds".into()));
    let said = desk.run("check m.pml --invariant x<").expect(2);
    assert!(said.err.contains("1 | x<\n"), "{}", said.err);
}

#[test]
fn invariants_are_written_in_the_language_of_the_model() {
    let desk = Desk::new();
    std::fs::write(
        desk.path("m.dve"),
        "int x; process P { state a, b; init a; trans a -> b { effect x = 4; }; } system async;\n",
    )
    .unwrap();
    desk.run("check m.dve -E --invariant x<5").expect(0);
    let said = desk.run("check m.dve -E --invariant x==0").expect(1);
    assert!(said.out.starts_with("✗ invariant violated: x==0 "), "{}", said.out);
    let said = desk.run("replay m.dve m.x-is-0.trail.json").expect(1);
    assert!(said.out.starts_with("✗ invariant violated: x==0\n"), "{}", said.out);
}

#[test]
fn all_errors_are_counted() {
    let said = Desk::new().run("second.pml --all-errors --no-trail").expect(1);
    assert!(said.out.contains("  4 errors found: 4 failed assertions\n"), "{}", said.out);
    assert!(said.out.contains("✗ assertion violated: assert(critical==1)   second.pml:21   7 steps\n"), "{}", said.out);
    let same = Desk::new().run("second.pml -c0 --no-trail").expect(1);
    assert_eq!(said.steady(), same.steady());
}

#[test]
fn temporal_properties_are_not_passed_over() {
    let desk = Desk::new();
    let said = desk.run("temporal.pml").expect(0);
    assert!(said.out.contains("  ✓ live   "), "{}", said.out);
    let without = desk.run("temporal.pml --no-claim").expect(0);
    assert!(without.out.contains("   not checked: ltl live\n"), "{}", without.out);
    assert!(!without.out.contains("✓ live"), "{}", without.out);
    let never = desk.run("temporal.pml --ltl []b==0 --no-trail").expect(1);
    assert!(never.out.contains("✗ []b==0 violated"), "{}", never.out);
}

#[test]
fn several_models_take_a_line_each() {
    let desk = Desk::new();
    let said = desk.run("check peterson.pml second.pml endless.pml --max-states 1000").expect(1);
    let lines: Vec<&str> = said.out.lines().collect();
    assert!(lines[0].starts_with("peterson.pml   ✓ no errors   "), "{}", said.out);
    assert!(
        lines[1].starts_with("second.pml     ✗ assertion violated: assert(critical==1)   second.pml:10   7 steps → ")
    );
    assert_eq!(lines[2], "endless.pml    ? limit of 1 000 states reached   1000 states, not complete");
    assert_eq!(lines[3], "1 held · 1 violated · 1 inconclusive");
    assert!(desk.has("second.trail.json"));
    desk.run("check peterson.pml missing.pml").expect(2);
    desk.run("check peterson.pml second.pml missing.pml").expect(1);
}

#[test]
fn statements_never_executed_are_listed() {
    let desk = Desk::new();
    let said = desk.run("unreached.pml").expect(0);
    let expected = "  never executed: unreached.pml:7-8\n  guard never true: unreached.pml:6 (x==5)\n";
    assert!(said.out.contains(expected), "{}", said.out);
    let said = desk.run("unreached.pml --unreached").expect(0);
    assert!(said.out.contains("    p  unreached.pml:7  x = 2\n"), "{}", said.out);
    let said = desk.run("peterson.pml --unreached").expect(0);
    assert!(said.out.contains("every statement was executed"), "{}", said.out);
}

#[test]
fn quiet_is_one_line_and_verbose_is_more() {
    let desk = Desk::new();
    assert_eq!(desk.run("second.pml -q").expect(1).out.lines().count(), 1);
    let said = desk.run("peterson.pml -v").expect(0);
    assert!(said.out.contains("memory limit"), "{}", said.out);
}

/// Options, and a decision of the plan that they lead to: item, value, reason.
const PLANNED: [(&str, [&str; 3]); 28] = [
    ("", ["store", "auto: words", "default"]),
    ("--store tree", ["store", "tree", "--store"]),
    ("--lossy", ["store", "auto: exact, tree, hash, then bitstate", "--lossy"]),
    ("--store hash --hash-bits 40", ["store", "hash: 40-bit hashes", "--store"]),
    ("--ltl <>(_nr_pr==9)", ["store", "auto: exact", "default"]),
    ("--ltl <>(_nr_pr==9) --store words", ["store", "words", "--store"]),
    ("--ltl <>(_nr_pr==9) --store tree", ["store", "tree", "--store"]),
    ("--ctl EF(_nr_pr==2)", ["store", "auto: exact", "default"]),
    ("--search dfs", ["order", "depth-first", "--search"]),
    ("--search dfs", ["threads", "2", "--threads"]),
    (
        "--search dfs --change-at 1000",
        ["threads", "1", "a depth-first search is sequential by default, or if its store may change"],
    ),
    ("--store cache", ["order", "depth-first", "default of this store"]),
    ("--swarm=3 -w 20", ["swarm", "3 searches", "--swarm"]),
    ("--engine interpret", ["engine", "interpret", "--engine"]),
    ("--no-slicing", ["slicing", "off", "--no-slicing"]),
    ("--raw", ["dead-variables", "off", "--raw"]),
    ("--no-coarsening", ["statement-merging", "off", "--no-coarsening"]),
    ("--ltl X(_nr_pr==2)", ["statement-merging", "off", "the property counts steps"]),
    ("--no-partial-order", ["partial-order", "off", "--no-partial-order"]),
    ("--ltl <>(_nr_pr==9) --fair weak", ["partial-order", "off", "fairness counts every move"]),
    ("--no-sleep-sets --raw", ["sleep-sets", "off", "--no-sleep-sets"]),
    ("--search dfs", ["sleep-sets", "off", "for breadth-first searches of states"]),
    (
        "--engine interpret --raw",
        [
            "sleep-sets",
            "off",
            "too few transitions would be left out, or the engine does not know which are independent",
        ],
    ),
    ("--ctl EF(_nr_pr==2) --symmetry", ["symmetry", "off", "it is not applied to CTL formulas"]),
    ("--ltl <>(_nr_pr==9) --fair weak", ["cycle-algorithm", "scc", "fairness is decided on whole components"]),
    ("--ltl <>(_nr_pr==9)", ["cycle-algorithm", "cndfs", "default for several threads"]),
    ("--ltl <>(_nr_pr==9) --cycles nested", ["threads", "1", "this cycle algorithm is sequential"]),
    ("--compact --engine interpret --raw", ["layers", "interpret < state codec", "each layer wraps those before it"]),
];

#[test]
fn verbose_and_json_show_the_same_plan() {
    let desk = Desk::new();
    for (options, [item, value, reason]) in PLANNED {
        let command = format!("check peterson.pml -j 2 --no-trail {options}");
        let json = desk.run(&format!("{command} --format json")).json();
        let plan = json["properties"][0]["plan"].as_array().unwrap();
        let text = |decision: &serde_json::Value, field: &str| decision[field].as_str().unwrap().to_string();
        let decided = plan.iter().find(|d| d["item"] == item).unwrap_or_else(|| panic!("{item}: {json}"));
        assert_eq!([text(decided, "value"), text(decided, "reason")], [value, reason], "{options}: {item}");
        let screen = desk.run(&format!("{command} -v")).out;
        let (_, shown) = screen.split_once("  plan for ").unwrap_or_else(|| panic!("{options}: {screen}"));
        let rows: Vec<String> = shown.lines().skip(1).map(words).collect();
        let expected = plan.iter().map(|d| ["item", "value", "reason"].map(|field| text(d, field)).join(" "));
        assert_eq!(rows, expected.collect::<Vec<String>>(), "{options}");
    }
}

/// A line without its columns.
fn words(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn colours_come_when_asked_for() {
    let desk = Desk::new();
    assert!(!desk.run("second.pml").expect(1).out.contains('\u{1b}'));
    assert!(desk.run("second.pml --color always").expect(1).out.contains('\u{1b}'));
    assert!(!desk.run("second.pml --color never").expect(1).out.contains('\u{1b}'));
}

#[test]
fn a_narrow_window_gets_a_narrow_table() {
    let desk = Desk::new();
    let out = desk.command("stuck.pml").env("COLUMNS", "50").output().unwrap();
    let out = String::from_utf8(out.stdout).unwrap();
    assert!(out.contains("  no room for: "), "{out}");
    assert!(!desk.run("stuck.pml --full").expect(1).out.contains("no room for"));
}

#[test]
fn a_reader_who_goes_away_is_no_accident() {
    use std::process::Stdio;
    let desk = Desk::new();
    let mut child = desk.command("second.pml").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let said = child.wait_with_output().unwrap();
    assert_eq!(said.status.code(), Some(1));
    assert_eq!(String::from_utf8(said.stderr).unwrap(), "");
}

/// Whatever executes the model, the result is the same; only the name of the engine and the times differ.
#[test]
fn compiled_code_gives_the_same_result() {
    for model in ["mutex-naive.pml", "mutex-peterson.pml", "alternating-bit.pml", "leader-election.pml"] {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/").to_string() + model;
        let states = |engine: &str| {
            let out = std::process::Command::new(env!("CARGO_BIN_EXE_kripke"))
                .args(["check", "--format", "json", "--no-trail", "--engine", engine, &path])
                .output()
                .expect("it runs");
            let text = String::from_utf8(out.stdout).expect("JSON is text");
            let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
            assert_eq!(json["options"]["engine"], engine, "{model}");
            let fields = ["verdict", "states", "transitions", "depth", "errors", "findings"];
            (out.status.code(), fields.map(|f| json[f].clone()))
        };
        assert_eq!(states("interpret"), states("compile"), "{model}");
    }
}

/// What is counted does not depend on how states are stored, and what is shown not on who finds it first.
#[test]
fn compact_states_give_the_same_result() {
    let desk = Desk::new();
    let json = |options: &str, status| desk.run(&format!("check --format json {options}")).expect(status).json();
    for (model, status) in [("peterson.pml --raw", 0), ("second.pml", 1), ("second.pml --all-errors --store tree", 1)] {
        let (plain, compact) = (json(&format!("{model} -j1"), status), json(&format!("{model} -j1 --compact"), status));
        let many = json(&format!("{model} -j3 --compact"), status);
        for field in ["verdict", "states", "transitions", "depth", "errors", "state_bits"] {
            assert_eq!(plain[field], compact[field], "{model}: {field}");
        }
        let (smaller, larger) = (compact["state_bytes"].as_u64(), plain["state_bytes"].as_u64());
        assert!(smaller < larger, "{model}: {smaller:?} bytes compact, {larger:?} packed");
        assert_eq!(compact["findings"], many["findings"], "{model}");
    }
    let first = |options: &str| {
        desk.run(&format!("check second.pml {options}")).expect(1);
        desk.read("second.trail.json")
    };
    assert_eq!(first("--compact -j1"), first("--compact -j3"));
}

#[test]
fn bits_of_a_state_are_told() {
    let said = Desk::new().run("check peterson.pml -v").expect(0);
    assert!(said.out.contains(" bits packed, "), "{}", said.out);
}

#[test]
fn local_steps_are_glued_unless_told_otherwise() {
    let desk = Desk::new();
    desk.write(
        "local.pml",
        "byte g; active [2] proctype p() { byte x; do :: x < 3 -> x++; x = x * 1 :: x == 3 -> g = 1; x = 0 od }\n\
         ltl seen { <> (g == 1) }\nltl next { X X X (g == 0) }",
    );
    let run = |args: &str| desk.run(&format!("local.pml --format json {args}"));
    let plain = "--no-dead-variables --no-slicing --no-partial-order";
    let reduced = run(&format!("--property safety {plain}")).expect(0).json();
    let raw = run("--property safety --raw").expect(0).json();
    assert_eq!(reduced["options"]["reductions"], serde_json::json!(["coarsening"]));
    assert_eq!(raw["options"]["reductions"], serde_json::json!([]));
    assert!(reduced["states"].as_u64() < raw["states"].as_u64(), "{} {}", reduced["states"], raw["states"]);
    assert_eq!(run(&format!("--property safety --no-coarsening {plain}")).expect(0).json()["states"], raw["states"]);
    let next = run(&format!("--property next {plain}")).expect(0).json();
    assert_eq!(next["options"]["reductions"], serde_json::json!([]));
    assert!(desk.run("local.pml --property safety").expect(0).out.contains("statements merged"));
    // A trail is replayed with what it was found with.
    for args in ["--reach g==1", "--reach g==1 --raw", "--reach g==1 --no-coarsening", "--ltl '[]!(g==1)'"] {
        desk.run(&format!("local.pml {args}").replace('\'', "")).expect(1);
        desk.run("replay local.pml").expect(1);
    }
}

#[test]
fn independent_steps_are_taken_in_one_order_unless_told_otherwise() {
    let desk = Desk::new();
    // Two pairs that talk to each other through channels of their own.
    desk.write(
        "pairs.pml",
        "chan c[2] = [2] of { byte }; byte sum;\n\
         proctype give(chan out) { byte n; do :: n < 4 -> out!n; n++ :: else -> break od }\n\
         proctype take(chan in) { byte n, got; do :: got < 4 -> in?n; got++ :: else -> break od; sum = sum + n }\n\
         init { atomic { run give(c[0]); run take(c[0]); run give(c[1]); run take(c[1]) }\n\
         (_nr_pr == 1); assert(sum == 6) }\n\
         ltl done { <> (sum == 6) }\nltl next { X (sum == 0) }",
    );
    let run = |args: &str| desk.run(&format!("check pairs.pml --format json {args}"));
    let reduced = run("--safety").expect(0).json();
    let plain = run("--safety --no-partial-order").expect(0).json();
    assert!(reduced["options"]["reductions"].as_array().unwrap().contains(&"partial-order".into()), "{reduced}");
    assert!(3 * reduced["states"].as_u64().unwrap() < plain["states"].as_u64().unwrap(), "{reduced} {plain}");
    desk.write(
        "lines.pml",
        "chan c[2] = [2] of { byte }; byte sum;\n\
         proctype give(chan out) { out!1; out!2; out!3 }\n\
         proctype take(chan in) { byte n; in?n; in?n; in?n; sum = sum + n }\n\
         init { atomic { run give(c[0]); run take(c[0]); run give(c[1]); run take(c[1]) } }\n\
         ltl done { <> (sum == 6) }",
    );
    let line = |args: &str| desk.run(&format!("check lines.pml --format json {args}")).expect(0).json();
    for args in ["--property done", "--property done --cycles nested -j1", "--property done --cycles cndfs -j2"] {
        let (reduced, plain) = (line(args), line(&format!("{args} --no-partial-order")));
        assert!(reduced["states"].as_u64() < plain["states"].as_u64(), "{args}: {reduced} {plain}");
    }
    let next = run("--property next").expect(0).json();
    assert_eq!(next["options"]["partial_order"], "off: the property counts steps");
    let said = desk.run("pairs.pml --property next").expect(0);
    assert!(said.out.contains("no partial-order reduction: the property counts steps"), "{}", said.out);
    // The trail is a shortest one all the same, and is found with trees on several cores, too.
    let steps = |args: &str| {
        let report = run(&format!("--reach sum==3 --no-coarsening {args}")).expect(1).json();
        desk.run("replay pairs.pml").expect(1);
        report["findings"][0]["steps"].as_u64().unwrap()
    };
    let shortest = steps("--no-partial-order");
    for args in ["", "-j3 --store tree", "--engine interpret"] {
        assert_eq!(steps(args), shortest, "{args}");
    }
    steps("--search dfs");
}

#[test]
fn what_makes_no_difference_is_left_out_of_the_search_and_shown_all_the_same() {
    let desk = Desk::new();
    desk.write(
        "idle.pml",
        "int turns; byte g; active proctype p() { byte x; do :: turns++; x = 3; g = x; x = 5; g = 4 od }\n\
         ltl never4 { [] (g != 4) }\nltl ever9 { <> (g == 9) }",
    );
    let run = |args: &str| desk.run(&format!("idle.pml --format json {args}"));
    let json = run("--reach g==9 --no-coarsening").expect(0).json();
    assert_eq!(json["options"]["reductions"], serde_json::json!(["dead-variables", "slicing"]));
    assert!(json["states"].as_u64() < Some(10), "{json}");
    let limited = run("--reach g==9 --no-slicing --no-dead-variables --max-states 1000").expect(3).json();
    assert_eq!(limited["options"]["reductions"], serde_json::json!(["coarsening"]));
    // The run is one of the model as it was written.
    let shown = desk.run("idle.pml --property never4").expect(1).out;
    assert!(shown.contains("turns++") && shown.contains("x = 5"), "{shown}");
    let row = shown.lines().find(|line| line.contains("x = 5")).unwrap_or_default();
    assert!(row.trim_end().ends_with("5   ·"), "a value nobody reads is shown: {shown}");
    assert_eq!(desk.run("replay idle.pml").expect(1).out.lines().nth(2), shown.lines().nth(2));
    // An endless run does not come back to the same state, since it counts.
    let shown = desk.run("idle.pml --property ever9").expect(1).out;
    assert!(shown.contains(", up to variables that no property depends on"), "{shown}");
    assert!(desk.run("replay idle.pml").expect(1).out.contains(", up to variables that no property depends on"));
}

#[test]
fn formulas_about_branching_are_about_what_is_left() {
    let desk = Desk::new();
    desk.write(
        "branch.pml",
        "byte idle, a, b = 2, g; active [2] proctype p() { byte x; do :: a < 2 -> a++; idle++ :: x = 3; g = x; x = 1; g = 0 od }",
    );
    for (formula, status) in [("AG(EF(g==3))", 0), ("AF(a==2)", 1), ("EF(a==b)", 0), ("EG(g==0)", 1), ("AG(b==2)", 0)] {
        desk.run(&format!("branch.pml --ctl {formula}")).expect(status);
        desk.run(&format!("branch.pml --ctl {formula} --raw")).expect(status);
        desk.run(&format!("branch.pml --ctl {formula} --no-slicing")).expect(status);
    }
}

#[test]
fn a_trace_of_a_reduced_graph_is_not_called_shortest() {
    let desk = Desk::new();
    desk.write(
        "apart.pml",
        "byte z, x0, x1; active proctype P() { z = 1; z = 2; assert(z == 0) } \
         active proctype Q() { end: z == 100; z = 101 } \
         active proctype R0() { x0 = 1; x0 = 2; x0 = 3; x0 = 4 } active proctype R1() { x1 = 1; x1 = 2; x1 = 3; x1 = 4 }",
    );
    for errors in ["", "--all-errors", "-c 2"] {
        let said = desk.run(&format!("check apart.pml -j1 --no-trail --no-coarsening --no-slicing {errors}")).expect(1);
        let shortest = said.out.contains("shortest trace, ");
        assert!(!shortest || said.out.contains("shortest trace, 3 steps"), "{errors}: {}", said.out);
    }
}

#[test]
fn hidden_variables_are_part_of_runs() {
    let desk = Desk::new();
    desk.write(
        "hidden-run.pml",
        "hidden byte h; byte x; active proctype A() { do :: x == 0 -> h = 1; x = 1 :: x == 1 && h == 1 -> x = 2; h = 2 \
         :: x == 2 -> x = 1 :: x == 1 && h == 2 -> x = 3 :: x == 3 -> h = 1; x = 2 od }",
    );
    desk.run("check hidden-run.pml --no-trail --ltl <>[](x!=2)").expect(1);
    desk.run("check hidden-run.pml --no-trail --ltl []<>(x!=0)").expect(0);
    desk.run("check hidden-run.pml --no-trail --ctl EG(x!=3)").expect(1);
}

#[test]
fn what_is_read_from_hidden_variables_is_not_lost() {
    let desk = Desk::new();
    let text = "hidden byte h; byte x; active proctype p() { do :: x < 2 -> h = x; x = h + 1 :: else -> break od }";
    desk.write("hidden.pml", text);
    let run = |args: &str| desk.run(&format!("hidden.pml --non-progress -q {args}")).expect(0);
    run("");
    run("--raw");
}

#[test]
fn who_leaves_a_place_that_is_looked_at_is_seen_to_be_away() {
    let desk = Desk::new();
    // The way back to the label is local, but on it no progress is made, and the other can go on for ever.
    desk.write(
        "away.pml",
        "byte g; active proctype other() { do :: g = 1 - g od }\n\
         active proctype back() { byte y; progress: do :: y < 2; y = 1 - y od }\nltl there { [] (back@progress) }",
    );
    for args in ["--non-progress", "--non-progress --raw", "--property there", "--property there --raw"] {
        desk.run(&format!("check away.pml {args}")).expect(1);
    }
}

#[test]
fn what_is_printed_may_go_wrong() {
    let desk = Desk::new();
    let models = [
        "byte a[2]; byte i=3; active proctype P(){ printf(\"%d\\n\", a[i]) }",
        "byte z; active proctype P(){ printf(\"%d\\n\", 3/z) }",
        "byte a[2]; byte i; active proctype P(){ i=3; i=0 } active proctype Q(){ printf(\"%d\\n\", a[i]) }",
        "byte a[2]; active proctype P(){ byte i=3; i=i; d_step{ skip; printf(\"%d\\n\", a[i]) } }",
    ];
    for model in models {
        desk.write("m.pml", model);
        for how in ["", "--raw", "--engine interpret", "--search dfs", "--no-slicing --no-dead-variables", "-j2"] {
            let said = desk.run(&format!("check m.pml --no-trail {how}")).expect(1);
            let fault = said.out.contains("index out of range") || said.out.contains("division by zero");
            assert!(fault, "{model}\n{how}\n{}", said.out);
        }
    }
}

#[test]
fn a_deadlock_before_many_alternatives_lists_the_first() {
    let desk = Desk::new();
    let options: String = (0..300).map(|n| format!(" :: x == {} -> skip\n", n + 1)).collect();
    std::fs::write(desk.path("m.pml"), format!("int x;\nactive proctype P() {{ do\n{options} od }}\n")).unwrap();
    let said = desk.run("check m.pml --no-trail").expect(1);
    assert!(said.out.contains(" waits for x==1 or x==2 or "), "{}", said.out);
    assert!(said.out.contains(" or x==8 or one of 292 more\n"), "{}", said.out);
}
