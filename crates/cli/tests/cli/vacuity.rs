//! Formulas that hold vacuously, guards that are never true, statements that are never executed.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::program::Desk;

const MODEL: &str = "byte x; bool p, q;
active proctype A() {
  do
  :: x < 3 -> x++
  :: x == 7 -> p = true; assert(false)
  :: else -> x = 0
  od
}
active proctype B() { x == 100 -> q = true }
";

const DVE: &str = "byte x;
process A {
  state a, b;
  init a;
  trans a -> a { guard x < 3; effect x = x + 1; }, a -> a { guard x == 3; effect x = 0; }, a -> b { guard x == 9; };
}
system async;
";

const ESML: &str = "MODEL Count;
TYPE int = 0..3;
PROCESS P;
VAR n: int;
BEGIN
  DO n < 2 -> n := n + 1 [] n = 2 -> n := 0 [] n = 3 -> n := 1 END
END P;
BEGIN P END Count
";

fn desk() -> Desk {
    let desk = Desk::new();
    for (name, text) in [("m.pml", MODEL), ("m.dve", DVE), ("m.esml", ESML)] {
        desk.write(name, text);
    }
    desk
}

/// Runs a check whose formula has blanks.
fn ask(desk: &Desk, model: &str, option: &str, formula: &str) -> String {
    let output = desk.command(&format!("check {model}")).args([option, formula]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{formula}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_formula_that_holds_for_want_of_its_premise_says_so() {
    let desk = desk();
    for (model, option, formula, why) in [
        ("m.pml", "--ltl", "[] (p -> <> q)", "`p` is never true"),
        ("m.pml", "--ltl", "[] (x > 5 && p -> q)", "`(x > 5) && p` is never true"),
        ("m.pml", "--ltl", "[] (x < 9 || q)", "it would hold with `q` replaced by false, too"),
        ("m.pml", "--ltl", "[]<> p -> []<> q", "it would hold with `q` replaced by false, too"),
        ("m.pml", "--ctl", "AG (p -> AF q)", "`p` is never true"),
        ("m.dve", "--ltl", "G (x > 3 -> F x == 0)", "`x > 3` is never true"),
        ("m.esml", "--ctl", "AG (P.n = 3 -> AF P.n = 0)", "`P.n = 3` is never true"),
    ] {
        let said = ask(&desk, model, option, formula);
        let line = said.lines().nth(1).unwrap();
        assert_eq!(line, format!("  vacuous: {why}"), "{said}");
    }
}

#[test]
fn a_formula_that_needs_all_its_parts_is_not_vacuous() {
    let desk = desk();
    for (model, option, formula) in [
        ("m.pml", "--ltl", "[] (x == 1 -> <> (x == 2))"),
        ("m.pml", "--ltl", "[] <> (x == 0)"),
        ("m.pml", "--ltl", "[] (x < 4)"),
        ("m.pml", "--ctl", "AG (x == 1 -> EF x == 2)"),
        ("m.dve", "--ltl", "G (x == 3 -> F x == 0)"),
        ("m.esml", "--ctl", "AG (P.n = 2 -> AF P.n = 0)"),
    ] {
        let said = ask(&desk, model, option, formula);
        assert!(!said.contains("vacuous"), "{said}");
    }
}

#[test]
fn vacuity_is_told_to_machines_and_can_be_left_out() {
    let desk = desk();
    desk.write("v.pml", format!("{MODEL}ltl live {{ [] (p -> <> q) }}\n"));
    let report = desk.run("check v.pml -N live --format json").expect(0).json();
    assert_eq!(report["properties"][0]["vacuous"], "`p` is never true");
    let report = desk.run("check v.pml -N live --format json --no-vacuity").expect(0).json();
    assert!(report["properties"][0].get("vacuous").is_none());
    let said = desk.run("check v.pml").expect(0);
    assert!(said.out.contains("  ✓ live   ") && said.out.contains("   vacuous: `p` is never true\n"));
}

#[test]
fn dead_guards_are_told_in_one_line() {
    let said = desk().run("check m.pml").expect(0);
    let line =
        "  guards never true: m.pml:5 (x==7), m.pml:9 (x==100); assertion never reached: m.pml:5 (assert(false))\n";
    assert!(said.out.ends_with(line), "{}", said.out);
    let desk = desk();
    desk.write(
        "else.pml",
        "byte x;\nactive proctype A() {\n  do\n  :: x < 255 -> x = 1 - x\n  :: else -> break\n  od\n}\n",
    );
    let said = desk.run("check else.pml").expect(0);
    assert!(said.out.ends_with("  else never taken: else.pml:5\n"), "{}", said.out);
    for options in ["", "--unreached"] {
        let report = desk.run(&format!("check else.pml {options} --format json")).expect(0).json();
        assert_eq!((&report["dead"][0]["kind"], &report["dead"][0]["line"]), (&"else".into(), &5.into()));
    }
    let said = desk.run("check m.dve").expect(0);
    assert!(said.out.contains("guard never true: m.dve:5 ("), "{}", said.out);
}

/// The statements that a check says were never executed.
fn unreached(desk: &Desk, args: &str) -> Option<BTreeSet<String>> {
    let said = desk.run(&format!("check {args} --unreached --format json --no-claim --timeout 20s"));
    if said.status > 1 {
        return None;
    }
    let report = said.json();
    (report["complete"] == true)
        .then(|| report["unreached"].as_array().unwrap().iter().map(|s| s.to_string()).collect())
}

#[test]
fn partial_order_reduction_makes_no_statement_unreached() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let desk = Desk::new();
    let mut compared = 0;
    for name in ["fairness.dve", "fairness.esml", "fair-weak.pml", "token-ring.pml", "mutex-semaphore.pml"] {
        fs::copy(examples.join(name), desk.path(name)).unwrap();
        let (reduced, raw) = (unreached(&desk, name), unreached(&desk, &format!("{name} --raw")));
        assert_eq!(reduced, raw, "{name}");
        compared += usize::from(raw.is_some());
    }
    assert_eq!(compared, 5);
}
