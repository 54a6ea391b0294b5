//! Faults while conditions are evaluated: each is a finding, wherever the condition stands; nothing that came after it is
//! decided.

use serde_json::Value;

use crate::program::{Desk, Said};

const LOOP: &str = "byte i; byte a[4]; chan c; chan q = [1] of { byte };
active proctype P() { do :: i < 6 -> i++ :: i == 6 -> i = 0 od }
";

const LOOP_DVE: &str = "byte a[4]; int i = 0;
process P { state s; init s;
  trans s -> s { guard i < 6; effect i = i + 1; }, s -> s { guard i == 6; effect i = 0; }; }
system async;
";

const LOOP_ESML: &str = "MODEL Loop;
TYPE small = 0..9; quad = ARRAY [4] OF BOOLEAN; queue = LIST [2] OF small;
PROCESS P;
VAR i: small; a: quad; q: queue;
BEGIN DO i < 6 -> i := i + 1 [] i = 6 -> i := 0 END END P;
BEGIN P END Loop
";

fn check(desk: &Desk, file: &str, arguments: &[&str]) -> Said {
    let threads = if arguments.contains(&"-j2") { "" } else { "-j1" };
    let command = format!("check {threads} --format json --no-trail");
    desk.command(&command).arg(file).args(arguments).output().unwrap().into()
}

/// The kinds of what was found, by both engines alike.
fn found(desk: &Desk, file: &str, arguments: &[&str]) -> Vec<String> {
    let by = |engine: &str| {
        let said = check(desk, file, &[arguments, &["--engine", engine]].concat());
        let status = said.status;
        assert!([0, 1].contains(&status), "{file} {arguments:?}: {}{}", said.out, said.err);
        let report = said.json();
        let kinds: Vec<String> =
            report["findings"].as_array().unwrap().iter().map(|f| f["kind"].as_str().unwrap().to_string()).collect();
        assert_eq!(status, i32::from(!kinds.is_empty()), "{file} {arguments:?}");
        kinds
    };
    let (compiled, interpreted) = (by("compile"), by("interpret"));
    assert_eq!(compiled, interpreted, "{file} {arguments:?}");
    compiled
}

fn loops() -> Desk {
    let desk = Desk::new();
    desk.write("loop.pml", LOOP);
    desk.write("loop.dve", LOOP_DVE);
    desk.write("loop.esml", LOOP_ESML);
    desk
}

#[test]
fn a_proposition_that_is_a_fault_is_found() {
    let desk = loops();
    for (file, option, text, kind) in [
        ("loop.pml", "--ltl", "[] (a[i] == 0 && i < 4)", "index_out_of_range"),
        ("loop.pml", "--ltl", "[] (a[i] == 0)", "index_out_of_range"),
        ("loop.pml", "--ltl", "[] (a[i + 4] != 0)", "index_out_of_range"),
        ("loop.pml", "--ltl", "[] <> (a[i] == 0)", "index_out_of_range"),
        ("loop.pml", "--ltl", "<> [] (a[i] == 0 && a[i] != 0)", "index_out_of_range"),
        ("loop.pml", "--ltl", "(i < 6) U (a[i] == 1 && !(a[i] == 1))", "index_out_of_range"),
        ("loop.pml", "--ltl", "[] <> (len(c) == 0)", "no_channel"),
        ("loop.pml", "--ltl", "[] (60 / i > 0)", "division_by_zero"),
        ("loop.pml", "--ctl", "AG (a[i] == 0)", "index_out_of_range"),
        ("loop.pml", "--ctl", "AG EF (a[i] == 0)", "index_out_of_range"),
        ("loop.pml", "--ctl", "a[i + 4] == 0", "index_out_of_range"),
        ("loop.pml", "--ctl", "EX (60 / i == 3)", "division_by_zero"),
        ("loop.pml", "--reach", "a[i] == 1", "index_out_of_range"),
        ("loop.pml", "--reach", "!(a[i] == 0)", "index_out_of_range"),
        ("loop.pml", "--reach", "60 % i == 7", "division_by_zero"),
        ("loop.pml", "--reach", "c ?? [1]", "no_channel"),
        ("loop.dve", "--ltl", "G (a[i] == 0)", "index_out_of_range"),
        ("loop.dve", "--ltl", "G F (60 / i == 3)", "division_by_zero"),
        ("loop.dve", "--ctl", "AG EF (a[i] == 0)", "index_out_of_range"),
        ("loop.dve", "--reach", "a[i] == 1", "index_out_of_range"),
        ("loop.esml", "--ltl", "[] <> {~P.a[P.i]}", "index_out_of_range"),
        ("loop.esml", "--ctl", "AG EF {~P.a[P.i]}", "index_out_of_range"),
        ("loop.esml", "--reach", "P.a[P.i]", "index_out_of_range"),
        ("loop.esml", "--reach", "60 DIV P.i = 7", "division_by_zero"),
        ("loop.esml", "--reach", "HEAD(P.q) = 1", "requirement"),
        ("loop.esml", "--ltl", "[] {HEAD(P.q) = 0}", "requirement"),
    ] {
        assert_eq!(found(&desk, file, &[option, text]), [kind], "{file} {text}");
    }
}

#[test]
fn what_is_not_evaluated_is_no_fault() {
    let desk = loops();
    for (file, option, text) in [
        ("loop.pml", "--ltl", "[] (i < 4 -> a[i] == 0)"),
        ("loop.pml", "--ltl", "[] (i >= 4 || a[i] == 0)"),
        ("loop.pml", "--ltl", "[] <> (i < 4 && a[i] == 0)"),
        ("loop.pml", "--ltl", "[] ((i < 4 -> a[i] == 0) -> <> (i < 4 && a[i] == 0))"),
        ("loop.pml", "--ltl", "<> [] (i < 4 -> (a[i] == 0 && a[i] != 1))"),
        ("loop.pml", "--ltl", "[] (i == 0 || 60 / i > 0)"),
        ("loop.pml", "--ltl", "[] <> (len(q) == 0)"),
        ("loop.pml", "--ctl", "AG (i < 4 -> a[i] == 0)"),
        ("loop.pml", "--ctl", "AG EF (i < 4 && a[i] == 0)"),
        ("loop.pml", "--reach", "i < 4 && a[i] == 1"),
        ("loop.pml", "--reach", "(i < 4 -> a[i] : 0) == 1"),
        ("loop.dve", "--ltl", "G F (i < 4 && a[i] == 0)"),
        ("loop.dve", "--reach", "i < 4 && a[i] == 1"),
        ("loop.esml", "--reach", "(P.i < 4) & P.a[P.i]"),
        ("loop.esml", "--reach", "(LEN(P.q) > 0) & (HEAD(P.q) = 1)"),
    ] {
        assert_eq!(found(&desk, file, &[option, text]), [""; 0], "{file} {text}");
    }
}

#[test]
fn every_search_finds_a_fault_in_the_property() {
    let desk = loops();
    let common: &[&[&str]] = &[
        &[],
        &["--search", "dfs"],
        &["-j2"],
        &["--raw"],
        &["--all-errors"],
        &["--compact"],
        &["--symmetry"],
        &["--no-partial-order"],
        &["--fair", "weak"],
        &["--fair", "strong"],
        &["--fair", "impartial"],
    ];
    let cycles: &[&[&str]] =
        &[&["--cycles", "nested"], &["--cycles", "scc"], &["--cycles", "cndfs", "-j2"], &["--cycles", "ufscc", "-j2"]];
    for (option, bad, good) in [
        ("--ltl", "[] <> (a[i] == 0)", "[] <> (i < 4 && a[i] == 0)"),
        ("--ctl", "AG EF (a[i] == 0)", "AG EF (i < 4 && a[i] == 0)"),
        ("--reach", "a[i] == 1", "i < 4 && a[i] == 1"),
    ] {
        for how in common.iter().chain(cycles.iter().filter(|_| option == "--ltl")) {
            let arguments = |text| -> Vec<&str> { [&[option, text][..], how].concat() };
            assert_eq!(found(&desk, "loop.pml", &arguments(bad)), ["index_out_of_range"], "{how:?}");
            assert_eq!(found(&desk, "loop.pml", &arguments(good)), [""; 0], "{how:?}");
        }
    }
}

#[test]
fn conditions_in_the_model_that_are_faults_are_found() {
    let declared = |channels: &str| format!("byte x = 5; byte a[4]; byte y; {channels}\n");
    let channels = "chan q = [0] of { byte }; chan b = [1] of { byte };";
    let desk = Desk::new();
    for (name, text, kind, line) in [
        ("provided", "active proctype P() provided (a[x]) { y = 1 }", "index_out_of_range", 2),
        ("provided-0", "active proctype P() provided (1 / y == 0) { y = 1 }", "division_by_zero", 2),
        (
            "later",
            "active proctype Q() { x = 0; x = 9 }\nactive proctype P() provided (a[x] == 1 || x < 4) { y = 1 }",
            "index_out_of_range",
            3,
        ),
        ("eval", "active proctype S() { q!0 }\nactive proctype R() { q?eval(a[x]) }", "index_out_of_range", 3),
        ("eval-0", "active proctype S() { q!0 }\nactive proctype R() { q?eval(1 / y) }", "division_by_zero", 3),
        ("buffer", "active proctype S() { b!0 }\nactive proctype R() { b?eval(a[x]) }", "index_out_of_range", 3),
        (
            "receiver",
            "active proctype S() { q!0; L: y = 1 }\nactive proctype R() provided (a[(S@L -> 7 : 1)] == 0) { q?0 }",
            "index_out_of_range",
            3,
        ),
        ("guard", "active proctype P() { (a[x] == 0) -> y = 1 }", "index_out_of_range", 2),
        ("never", "active proctype P() { y = 1 }\nnever { do :: a[x] == 0 od }", "index_out_of_range", 3),
        ("never-or", "active proctype P() { y = 1 }\nnever { do :: true :: a[x] == 0 od }", "index_out_of_range", 3),
        ("ltl", "active proctype P() { y = 1 }\nltl p { [] <> (a[x] == 0) }", "index_out_of_range", 3),
        ("ltl-safe", "active proctype P() { y = 1 }\nltl p { [] (a[x] == 0) }", "index_out_of_range", 3),
        (
            "priority",
            "active proctype P() priority 5 provided (a[x]) { y = 1 }\nactive proctype Q() priority 1 { y = 2 }",
            "index_out_of_range",
            2,
        ),
        ("printf", "active proctype P() { printf(\"%d\", a[x]) }", "index_out_of_range", 2),
        (
            "enabled",
            "active proctype P() priority 1 { (a[x] == 0) -> y = 1 }\nactive proctype Q() priority 9 { do :: y = 2 od }\nnever { do :: enabled(0) :: !enabled(0) od }",
            "index_out_of_range",
            4,
        ),
    ] {
        let file = format!("{name}.pml");
        // There are no rendezvous between processes with priorities.
        let first = declared(if text.contains("priority") { "" } else { channels });
        desk.write(&file, format!("{first}{text}\n"));
        for how in [&[][..], &["--raw"], &["--search", "dfs"], &["--all-errors"]] {
            assert!(found(&desk, &file, how).iter().any(|found| found == kind), "{name} {how:?}");
        }
        let report = check(&desk, &file, &[]).json();
        let place = |f: &Value| f["kind"] == kind && f["line"] == line;
        assert!(report["findings"].as_array().unwrap().iter().any(place), "{name}: {}", report["findings"]);
    }
}

#[test]
fn conditions_of_dve_processes_that_are_faults_are_found() {
    let declared = "byte a[4]; int x = 5; int y = 0; channel c;\n";
    let desk = Desk::new();
    for (name, text) in [
        ("guard", "process P { state s, t; init s; trans s -> t { guard a[x] == 0; }; }\nsystem async;"),
        (
            "sync",
            "process S { state s, t; init s; trans s -> t { sync c!1; }; }
process R { state s, t; init s; trans s -> t { guard a[x] == 0; sync c?y; }; }\nsystem async;",
        ),
        (
            "together",
            "process P { state s, t; init s; trans s -> t { guard y == 1; }; }
process Q { state s, t; init s; trans s -> t { guard a[x] == 0; }; }\nsystem sync;",
        ),
        (
            "property",
            "process P { state s, t; init s; trans s -> t { }; }
process Q { state q; init q; accept q; trans q -> q { guard a[x] == 0; }; }\nsystem async property Q;",
        ),
        (
            "property-0",
            "process P { state s, t; init s; trans s -> t { }; }
process Q { state q; init q; accept q; trans q -> q { guard 1 / y == 0; }; }\nsystem async property Q;",
        ),
    ] {
        let file = format!("{name}.dve");
        desk.write(&file, format!("{declared}{text}\n"));
        let kind = if name.ends_with('0') { "division_by_zero" } else { "index_out_of_range" };
        assert_eq!(found(&desk, &file, &[]), [kind], "{name}");
    }
}

#[test]
fn a_property_is_not_called_violated_when_a_fault_came_first() {
    let desk = loops();
    let said = desk.command("check -j1 loop.pml --ltl").arg("[] (a[i] == 0 && i < 4)").output().unwrap();
    let said = Said::from(said).expect(1);
    let headline = "✗ fault in the property: index out of range (a has 4 elements, index is 4) \
                    (`[] (a[i] == 0 && i < 4)` was not decided: a fault came first)   loop.pml";
    assert!(said.out.starts_with(headline), "{}", said.out);
    assert!(
        said.out.contains("✗ the property can't be evaluated here: a has 4 elements, index is 4\n"),
        "{}",
        said.out
    );
    let again = desk.run("replay loop.pml").expect(1);
    assert!(again.out.starts_with("✗ fault in the property: index out of range"), "{}", again.out);
    let report = check(&desk, "loop.pml", &["--ltl", "[] <> (a[i] == 0)"]).json();
    let property = &report["properties"][0];
    assert_eq!((&property["verdict"], &property["undecided"]), (&"violated".into(), &"fault".into()));
    assert_eq!((&report["errors"]["fault"], &report["errors"]["property"]), (&1.into(), &0.into()));
    let holds = check(&desk, "loop.pml", &["--ltl", "[] (i < 7)"]).json();
    assert_eq!(holds["properties"][0].get("undecided"), None);
}

#[test]
fn reductions_leave_states_in_which_a_property_is_a_fault() {
    let desk = Desk::new();
    desk.write(
        "steps.pml",
        "byte x, z; byte a[4];
active proctype P() { byte n; x = 1; x = 9; x = 2; n = x; n = n + 1; n = 0 }
active proctype Q() { byte m; m = 1; m = 2; z = 1; z = 2 }
active proctype R() { byte m; m = 1; m = 2; z = 3 }
",
    );
    for (option, text) in [
        ("--reach", "a[x] == 1"),
        ("--ltl", "[] (a[x] == 0)"),
        ("--ltl", "<> [] (a[x] == 0)"),
        ("--ctl", "AG (a[x] == 0)"),
        ("--ctl", "AG AF (a[x] == 0)"),
    ] {
        for how in [&[][..], &["--raw"], &["--no-partial-order"], &["--no-slicing"], &["--no-dead-variables"]] {
            let arguments = [&[option, text][..], how].concat();
            assert_eq!(found(&desk, "steps.pml", &arguments), ["index_out_of_range"], "{arguments:?}");
        }
    }
}

/// The message is computed whether or not somebody receives it, the sender's effects are not.
#[test]
fn a_sender_does_nothing_as_long_as_nobody_receives() {
    let desk = Desk::new();
    for (send, receive, kinds) in [
        ("c!0; effect x = 1 / y", "", &[][..]),
        ("c!0; effect x = 1 / y", "trans q -> q { guard y == 1; sync c?x; };", &[]),
        ("c!0; effect x = 1 / y", "trans q -> q { sync c?x; };", &["division_by_zero"]),
        ("c!(1 / y)", "", &["division_by_zero"]),
    ] {
        let text = format!(
            "byte x = 0; byte y = 0; channel {{byte}} c[0];
process P {{ state p; init p; trans p -> p {{ }}, p -> p {{ sync {send}; }}; }}
process Q {{ state q; init q; {receive} }}\nsystem async;\n"
        );
        desk.write("m.dve", &text);
        assert_eq!(found(&desk, "m.dve", &[]), kinds, "{text}");
    }
}
