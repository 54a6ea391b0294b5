//! Endless runs and branching: formulas, fairness, lassos, automata of other tools.

use std::path::Path;

use serde_json::{Value, json};

use crate::program::{Desk, Said};

const EXAMPLES: [&str; 6] =
    ["fair-weak.pml", "fair-strong.pml", "fair-impartial.pml", "mutex-peterson.pml", "fairness.dve", "fairness.esml"];

/// A desk with some of the examples on it.
fn desk() -> Desk {
    let desk = Desk::new();
    for name in EXAMPLES {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
        desk.write(name, std::fs::read(path).unwrap());
    }
    desk
}

fn ask(desk: &Desk, file: &str, arguments: &[&str]) -> Said {
    desk.command("check -j1").arg(file).args(arguments).output().unwrap().into()
}

fn verdict(desk: &Desk, file: &str, arguments: &[&str]) -> String {
    let said = ask(desk, file, &[arguments, &["--format", "json", "--no-trail"]].concat());
    said.json()["verdict"].as_str().unwrap_or("none").to_string()
}

#[test]
fn a_lasso_is_marked() {
    let desk = desk();
    let said = ask(&desk, "fair-strong.pml", &["--ltl", "<> inside", "--fair", "weak", "--itf"]).expect(1);
    let want = "\
✗ <> inside violated: acceptance cycle   fair-strong.pml     trace, 2 steps (6 states, # ms)

  #  process  line  statement      open inside
 ◆0                                 0     0
↻ 1  door      12   open = true     1     ·
  2  door      12   open = false    0     ·

  ↻ cycle: steps 1 to 2
  ◆ from the start, `<> inside` must be met and never is
  guest is enabled again and again and never moves: `--fair strong` excludes this run

  step through it: kripke replay fair-strong.pml -i      written: fair-strong.F-inside.trail.json, fair-strong.F-inside.itf.json
";
    assert_eq!(said.steady(), want);
    let again = desk.run("replay fair-strong.pml").expect(1);
    assert!(again.out.starts_with("✗ <> inside violated: acceptance cycle\n"), "{}", again.out);
    assert!(again.out.contains("\n↻ 1  door      12   open = true     1     ·\n  2  door      12   open = false    0     ·\n\n  ↻ cycle: steps 1 to 2\n"));
    let list = desk.run("replay fair-strong.pml --format list").expect(1);
    assert!(list.out.starts_with("  <<<<<START OF CYCLE>>>>>\n  1:\tproc  0 (door:1)"), "{}", list.out);
    let trace: Value = serde_json::from_str(&desk.read("fair-strong.F-inside.itf.json")).unwrap();
    assert_eq!((&trace["loop"], trace["states"].as_array().map(Vec::len)), (&json!(0), Some(3)));
    assert_eq!(trace["states"][0]["open"], trace["states"][2]["open"]);
}

#[test]
fn a_run_that_ends_stays_as_it_is() {
    let desk = desk();
    desk.write("end.pml", "byte x; active proctype p() { x = 1 }");
    let said = ask(&desk, "end.pml", &["--ltl", "<> x == 5"]).expect(1);
    assert!(said.out.contains("↻ 3                 (nothing moves)   ·   ·\n\n  ↻ cycle: step 3\n"), "{}", said.out);
    let list = desk.run("replay end.pml --format list").expect(1);
    assert!(list.out.contains("  <<<<<START OF CYCLE>>>>>\n  3:\t(nothing moves)\n"), "{}", list.out);
    let said = ask(&desk, "end.pml", &["--ctl", "AF x == 5"]).expect(1);
    assert!(said.out.contains("trace, 2 steps"), "{}", said.out);
}

#[test]
fn an_invariant_takes_the_shortest_way() {
    let desk = desk();
    let said = ask(&desk, "second.pml", &["--ltl", "[] (critical <= 1)", "-A", "--itf"]).expect(1);
    assert!(
        said.out.starts_with("✗ [] (critical <= 1) violated   second.pml     shortest trace, 6 steps"),
        "{}",
        said.out
    );
    assert!(!desk.read("second.G-critical-1.itf.json").contains("\"loop\""));
}

/// Each kind of fairness proves what the weaker can't, and so it does for both logics.
#[test]
fn fairness_proves_what_is_not_so_without() {
    let desk = desk();
    let kinds = ["none", "weak", "strong", "impartial"];
    let cases = [
        ("fair-weak.pml", "open", 1),
        ("fair-strong.pml", "inside", 2),
        ("fair-impartial.pml", "passed", 3),
        ("fairness.dve", "bell.rings", 1),
        ("fairness.dve", "guest.inside", 2),
        ("fairness.dve", "lorry.behind", 3),
        ("fairness.esml", "Bell.rings", 1),
        ("fairness.esml", "Guest.inside", 2),
        ("fairness.esml", "Lorry.behind", 3),
    ];
    for (file, promise, needed) in cases {
        for (strength, kind) in kinds.into_iter().enumerate() {
            let expected = if strength >= needed { "holds" } else { "violated" };
            let said = |option: &str, operator: &str| {
                verdict(&desk, file, &[option, &format!("{operator} {promise}"), "--fair", kind])
            };
            assert_eq!(said("--ltl", "<>"), expected, "{file} {kind}");
            assert_eq!(said("--ctl", "AF"), expected, "{file} {kind}");
        }
    }
    let said = ask(&desk, "fair-weak.pml", &["--ltl", "<> open", "-f"]).expect(0);
    assert!(said.out.contains(", assuming weak fairness   not checked: invalid end states\n"), "{}", said.out);
    let said = ask(&desk, "fair-strong.pml", &["--ctl", "AF inside", "--fair", "strong"]).expect(0);
    assert!(
        said.out.contains("✓ no errors      `AF inside` is true in the initial state, assuming strong fairness   not checked: invalid end states, errors in states that the answer does not need\n"),
        "{}",
        said.out
    );
}

/// A process that chooses: only fairness for transitions makes it choose everything.
#[test]
fn fairness_for_transitions_is_for_alternatives() {
    let desk = desk();
    desk.write("choice.pml", "bool sent; active proctype p() { do :: sent = true; sent = false :: skip od }");
    desk.write("choice.dve", "process p { state lost, sent; init lost; trans lost -> lost { }, lost -> sent { }, sent -> lost { }; } system async;");
    desk.write(
        "choice.esml",
        "MODEL Choice; PROCESS P; VAR sent: BOOLEAN; BEGIN DO TRUE -> IF TRUE -> sent := ~sent [] TRUE -> SKIP END END END P; BEGIN P END Choice",
    );
    for (file, promise) in [("choice.pml", "sent"), ("choice.dve", "p.sent"), ("choice.esml", "P.sent")] {
        for (fair, expected) in [("weak", "violated"), ("strong", "violated"), ("strong-transitions", "holds")] {
            let said = |option: &str, operator: &str| {
                verdict(&desk, file, &[option, &format!("{operator} ({promise})"), "--fair", fair])
            };
            assert_eq!(said("--ltl", "<>"), expected, "{file} {fair}");
            assert_eq!(said("--ctl", "AF"), expected, "{file} {fair}");
            assert_eq!(said("--ltl", "[] <>"), expected, "{file} {fair}");
            assert_eq!(said("--ctl", "AG AF"), expected, "{file} {fair}");
        }
        // What a fair run does is shown, all of it.
        let said =
            ask(&desk, file, &["--ltl", &format!("<> [] !({promise})"), "--fair", "strong-transitions"]).expect(1);
        assert!(said.out.contains("↻ cycle: "), "{}", said.out);
        let report = ask(
            &desk,
            file,
            &["--ltl", &format!("<> ({promise})"), "--fair", "strong-transitions", "--format", "json"],
        );
        assert_eq!(report.json()["properties"][0]["fairness"], "strong-transitions");
    }
    // What is strongly fair for transitions is so for processes.
    assert_eq!(verdict(&desk, "fair-strong.pml", &["--ltl", "<> inside", "--fair", "strong-transitions"]), "holds");
}

/// What breaks it has to go on for ever, all processes moving.
#[test]
fn an_impartial_run_against_an_invariant_is_endless() {
    let desk = desk();
    let said = ask(&desk, "fair-impartial.pml", &["--ltl", "[] !passed", "--fair", "impartial"]).expect(1);
    assert!(said.out.contains("↻"), "{}", said.out);
    let again = desk.run("replay fair-impartial.pml").expect(1);
    assert!(again.out.contains("↻ cycle: "), "{}", again.out);
    ask(&desk, "fair-impartial.pml", &["--ltl", "[] !waits", "--fair", "impartial"]).expect(0);
    ask(&desk, "fair-impartial.pml", &["--ltl", "[] !waits", "--fair", "strong"]).expect(1);
    ask(&desk, "fair-impartial.pml", &["--ctl", "AG !waits", "--fair", "impartial"]).expect(0);
}

#[test]
fn both_logics_agree_on_what_both_can_say() {
    let desk = desk();
    let pairs = [
        ("[] (P)", "AG (P)"),
        ("<> (P)", "AF (P)"),
        ("[] ((P) -> <> (Q))", "AG ((P) -> AF (Q))"),
        ("(P) U (Q)", "A[(P) U (Q)]"),
    ];
    let cases = [
        ("mutex-peterson.pml", "critical <= 1", "critical == 1"),
        ("second.pml", "critical <= 1", "wantp"),
        ("second.pml", "!wantq", "wantq"),
        ("peterson.pml", "ncrit < 2", "ncrit == 1"),
        ("fair-weak.pml", "!open", "open"),
        ("fair-strong.pml", "!inside", "open"),
        ("fair-impartial.pml", "!waits", "passed"),
    ];
    let mut seen = [0; 2];
    for (file, p, q) in cases {
        for (linear, branching) in pairs {
            let [linear, branching] = [linear, branching].map(|text| text.replace('P', p).replace('Q', q));
            for fair in ["none", "weak", "strong", "impartial"] {
                let by_runs = verdict(&desk, file, &["--ltl", &linear, "--fair", fair, "-A"]);
                let by_branches = verdict(&desk, file, &["--ctl", &branching, "--fair", fair, "-A"]);
                assert_eq!(by_runs, by_branches, "{file} {linear} {fair}");
                seen[usize::from(by_runs == "holds")] += 1;
            }
        }
    }
    assert!(seen.iter().all(|n| *n > 15), "{seen:?}");
}

#[test]
fn branching_is_shown_as_far_as_one_run_can() {
    let desk = desk();
    let said = ask(&desk, "fair-strong.pml", &["--ctl", "AG (inside -> EF !inside)"]).expect(1);
    let want = "\
✗ AG (inside -> EF !inside) violated   fair-strong.pml     trace, 3 steps (8 states, # ms)

  #  process  line  statement       open inside
  0                                  0     0
  1  door      12   open = true      1     ·
  2  guest     17   open             ·     ·
  3  guest     17   inside = true    ·     1

  at its end, EF !inside is false: there is no such run from there

  step through it: kripke replay fair-strong.pml -i      written: fair-strong.AG-inside-implies-EF-not-inside.trail.json
";
    assert_eq!(said.steady(), want);
    let again = desk.run("replay fair-strong.pml").expect(1);
    assert!(again.out.starts_with("✗ AG (inside -> EF !inside) violated\n"), "{}", again.out);
    // Nothing but the initial state and its successor has to be looked at.
    let said = ask(&desk, "fair-strong.pml", &["--ctl", "AX open", "--format", "json"]).expect(0);
    let report = said.json();
    assert_eq!((&report["complete"], &report["states"]), (&json!(false), &json!(2)), "{report}");
    ask(&desk, "fair-strong.pml", &["--ctl", "EX EX EX inside"]).expect(0);
    ask(&desk, "fair-strong.pml", &["--ctl", "!E[!open U inside]"]).expect(0);
}

/// A run that shows why something is true, as a table, as files, and again.
#[test]
fn what_is_true_on_some_path_is_shown() {
    let desk = desk();
    let said = ask(&desk, "fair-strong.pml", &["--ctl", "EF inside", "--itf"]).expect(0);
    let want = "\
  this shows it:

  #  process  line  statement       open inside
  0                                  0     0
  1  door      12   open = true      1     ·
  2  guest     17   open             ·     ·
  3  guest     17   inside = true    ·     1

  step through it: kripke replay fair-strong.pml -i      written: fair-strong.EF-inside.trail.json, fair-strong.EF-inside.itf.json
";
    assert!(said.steady().ends_with(want), "{}", said.out);
    let again = desk.run("replay fair-strong.pml").expect(0);
    assert!(again.out.starts_with("\n  #  process") && again.out.ends_with("·     1\n"), "{}", again.out);
    let trace: Value = serde_json::from_str(&desk.read("fair-strong.EF-inside.itf.json")).unwrap();
    assert_eq!(trace["states"].as_array().map(Vec::len), Some(4));
    // Another question beside it: each has a file of its own.
    let report =
        ask(&desk, "fair-strong.pml", &["--ctl", "EF inside", "--ctl", "AF inside", "--format", "json"]).expect(1);
    let report = report.json();
    let trails = [0, 1].map(|n| report["properties"][n]["trail"].clone());
    assert_eq!(
        trails,
        ["fair-strong.EF-inside.trail.json", "fair-strong.AF-inside.trail.json"].map(|name| json!(name))
    );
    let said = ask(&desk, "fair-strong.pml", &["--ctl", "EG !inside"]).expect(0);
    assert!(said.out.contains("\n  ↻ cycle: steps 3 to 4\n"), "{}", said.out);
    desk.run("replay fair-strong.pml").expect(0);
    // That all runs have something no run shows.
    let said = ask(&desk, "fair-strong.pml", &["--ctl", "AG EF open"]).expect(0);
    assert!(!said.out.contains("shows it") && !said.out.contains("written"), "{}", said.out);
}

/// Formulas in three languages, and what shows their value: how many runs, with a cycle or not, and what they leave open.
#[test]
fn runs_show_the_value_of_a_formula_in_every_language() {
    let desk = desk();
    type Case<'a> = (&'a str, &'a str, &'a str, &'a [bool], &'a [&'a str]);
    let cases: [Case<'_>; 14] = [
        ("fair-strong.pml", "AF inside", "violated", &[true], &[]),
        ("fair-strong.pml", "AG (open -> AF inside)", "violated", &[true], &[]),
        ("fair-strong.pml", "AG EF !inside", "violated", &[false], &["EF !inside is false"]),
        ("fair-strong.pml", "E[!inside U (open && EX inside)]", "holds", &[false], &[]),
        ("fair-strong.pml", "EF inside && EG !inside", "holds", &[false, true], &[]),
        ("fair-strong.pml", "EF (inside && AG inside)", "holds", &[false], &["AG inside is true"]),
        ("fairness.dve", "AF guest.inside", "violated", &[true], &[]),
        ("fairness.dve", "AG EF lorry.before", "violated", &[false], &["EF lorry.before is false"]),
        ("fairness.dve", "EF lorry.behind && EF lorry.parked", "holds", &[false, false], &[]),
        ("fairness.dve", "A[!bell.rings U guest.inside]", "violated", &[true], &[]),
        ("fairness.esml", "AF Lorry.behind", "violated", &[true], &[]),
        ("fairness.esml", "AG EF Lorry.behind", "violated", &[false], &["EF Lorry.behind is false"]),
        ("fairness.esml", "EF (Bell.rings && EG Bell.rings)", "holds", &[true], &[]),
        ("fairness.esml", "EF Guest.inside && EF Bell.rings", "holds", &[false, false], &[]),
    ];
    for (file, formula, verdict, cycles, open) in cases {
        let said = ask(&desk, file, &["--ctl", formula, "--format", "json", "--no-trail"]);
        let property = &said.json()["properties"][0];
        let evidence = &property["evidence"];
        let list = |name: &str| evidence[name].as_array().cloned().unwrap_or_default();
        let goes_round: Vec<bool> = list("runs").iter().map(|run| !run["cycle"].is_null()).collect();
        let left: Vec<Value> = list("open").iter().map(|open| open["claim"].clone()).collect();
        assert_eq!(property["verdict"], verdict, "{file} {formula}");
        let open: Vec<Value> = open.iter().map(|claim| json!(claim)).collect();
        assert_eq!((&*goes_round, left), (cycles, open), "{file} {formula} {evidence}");
    }
    let said = ask(&desk, "fairness.dve", &["--ctl", "EF lorry.behind && EF lorry.parked"]).expect(0);
    assert!(said.out.contains("\n  run 2, from the start: EF lorry.parked is true\n\n  #  process"), "{}", said.out);
}

#[test]
fn answers_for_machines() {
    let desk = desk();
    let said = ask(&desk, "temporal.pml", &["--format", "json", "--no-trail"]);
    let report = said.json();
    let properties = report["properties"].as_array().unwrap();
    let (name, kind) = (&properties[1]["name"], &properties[1]["kind"]);
    assert_eq!((&properties[0]["kind"], name, kind), (&json!("safety"), &json!("live"), &json!("ltl")), "{report}");
    let arguments = ["--ltl", "<> inside", "--ctl", "EF inside", "--fair", "strong", "--format", "json"];
    let report = ask(&desk, "fair-strong.pml", &arguments).expect(0).json();
    let one = |n: usize| {
        let p = &report["properties"][n];
        [&p["name"], &p["kind"], &p["verdict"], &p["fairness"]].map(|v| v.as_str().unwrap_or("").to_string())
    };
    assert_eq!(one(0), ["<> inside", "ltl", "holds", "strong"]);
    assert_eq!(one(1), ["EF inside", "ctl", "holds", "strong"]);
    let report = ask(&desk, "fair-strong.pml", &["--ltl", "<> inside", "--format", "json"]).expect(1).json();
    let p = &report["properties"][0];
    assert_eq!((&p["verdict"], &p["trail"]), (&json!("violated"), &json!("fair-strong.F-inside.trail.json")));
    assert_eq!((&report["errors"]["property"], &report["findings"][0]["kind"]), (&json!(1), &json!("property")));
}

#[test]
fn what_is_not_a_property_or_a_formula_is_refused() {
    let desk = desk();
    let said = ask(&desk, "temporal.pml", &["--property", "nope"]).expect(2);
    assert_eq!(said.err, "error: temporal.pml: the model has no property `nope`; it has live, safety\n");
    let said = ask(&desk, "fair-strong.pml", &["--ltl", "[] (open ->"]).expect(2);
    assert_eq!(said.err, "error: --ltl: this `(` is never closed\n  [] (open ->\n     ^\n");
    let said = ask(&desk, "fair-strong.pml", &["--ltl", "[] shut"]).expect(2);
    assert!(said.err.starts_with("error: `shut` is not declared\n"), "{}", said.err);
    let said = ask(&desk, "fair-strong.pml", &["--ctl", "G open"]).expect(2);
    assert!(
        said.err.contains("a path quantifier stands before every temporal operator\n  G open\n  ^ "),
        "{}",
        said.err
    );
    let chain = |sign: &str| format!("!(AX {}inside)", format!("AF open {sign} ").repeat(400));
    ask(&desk, "fair-strong.pml", &["--ctl", &chain("&&"), "--no-trail"]).expect(0);
    let said = ask(&desk, "fair-strong.pml", &["--ctl", &chain("<->")]).expect(2);
    assert!(said.err.contains("the formula is nested too deeply"), "{}", said.err);
    let said = ask(&desk, "fair-strong.pml", &["--ctl", "AG (open", "--format", "json"]).expect(2);
    assert!(said.json()["error"][0]["message"].as_str().unwrap_or("").starts_with("--ctl: "), "{}", said.out);
}

#[test]
fn formulas_come_from_files() {
    let desk = desk();
    desk.write("divine.ltl", "#define in (inside == 1)\n#property F in\n#property G (in -> G in)\n");
    let said = ask(&desk, "fair-strong.pml", &["--ltl-file", "divine.ltl", "--no-trail"]).expect(1);
    assert!(said.out.starts_with("  ✗ F {(inside == 1)}   "), "{}", said.out);
    assert!(said.out.contains("\n  ✓ G ({(inside == 1)} -> G {(inside == 1)})   "), "{}", said.out);
    desk.write("spin.prp", "[] (inside ->\n  [] inside)\n");
    ask(&desk, "fair-strong.pml", &["--ltl-file", "spin.prp"]).expect(0);
    desk.write("empty.prp", "\n");
    let said = ask(&desk, "fair-strong.pml", &["--ltl-file", "empty.prp"]).expect(2);
    assert_eq!(said.err, "error: empty.prp: there is no formula in it\n");
    ask(&desk, "fair-strong.pml", &["--ltl-file", "none.ltl"]).expect(2);
}

/// Several acceptance sets need no more states where components are looked at, and the counterexample is the same kind of
/// thing.
#[test]
fn acceptance_sets_are_kept_where_components_are_looked_at() {
    let desk = desk();
    let cases = [
        ("fair-strong.pml", "!([] <> open && [] <> !open)", "violated"),
        ("fair-strong.pml", "!([] <> open && [] <> !open && [] <> inside)", "violated"),
        ("fair-strong.pml", "!([] <> open && [] <> !open && [] (open -> X !inside) && <> inside)", "holds"),
        ("fairness.dve", "!(G F bell.rings && G F guest.inside && G F lorry.behind)", "violated"),
        ("fairness.dve", "!(G F bell.rings && G F guest.inside && G F lorry.behind && F lorry.parked)", "holds"),
        ("fairness.esml", "!(G F Bell.rings && G F Guest.inside)", "violated"),
    ];
    let mut smaller = 0;
    for (file, formula, expected) in cases {
        let states = |arguments: &[&str]| {
            let said = ask(&desk, file, &[&["--ltl", formula, "--format", "json"], arguments].concat());
            let report = said.json();
            assert_eq!(report["verdict"], expected, "{file} {formula} {arguments:?}");
            if expected == "violated" {
                let again = desk.run(&format!("replay {file}")).expect(1);
                assert!(again.out.contains("↻ cycle: "), "{}", again.out);
            }
            report["states"].as_u64().unwrap_or(0)
        };
        let one_set = states(&["--cycles", "nested"]);
        let by_components = states(&["--cycles", "scc"]);
        states(&["--cycles", "ufscc"]);
        states(&["--cycles", "scc", "--engine", "interpret", "--compact"]);
        smaller += usize::from(expected == "holds" && by_components < one_set);
        for fair in ["weak", "strong", "impartial"] {
            let with = |how: &str| verdict(&desk, file, &["--ltl", formula, "--cycles", how, "--fair", fair]);
            assert_eq!(with("scc"), with("auto"), "{file} {formula} {fair}");
        }
    }
    assert!(smaller > 0, "none is smaller");
}

#[test]
fn automata_come_from_other_tools() {
    let desk = desk();
    let automaton = "HOA: v1\nStates: 1\nStart: 0\nAP: 1 \"inside\"\nAcceptance: 1 Inf(0)\n--BODY--\nState: 0 {0}\n[!0] 0\n--END--\n";
    desk.write("outside.hoa", automaton);
    let said = ask(&desk, "fair-strong.pml", &["--hoa", "outside.hoa"]).expect(1);
    assert!(said.out.starts_with("✗ outside.hoa violated: "), "{}", said.out);
    desk.run("replay fair-strong.pml").expect(1);
    ask(&desk, "fair-strong.pml", &["--hoa", "outside.hoa", "--fair", "strong"]).expect(0);
    desk.write("broken.hoa", automaton.replace("[!0]", "[!7]"));
    let said = ask(&desk, "fair-strong.pml", &["--hoa", "broken.hoa"]).expect(2);
    assert!(said.err.starts_with("error: broken.hoa: line 8: "), "{}", said.err);
}
