//! Formulas and automata.

use std::process::Command;

use crate::program::{Desk, Said};

fn run(desk: &Desk, args: &[&str]) -> Said {
    desk.command("ltl").args(args).output().unwrap().into()
}

#[test]
fn a_formula_becomes_a_never_claim() {
    let desk = Desk::new();
    let said = run(&desk, &["<> p"]).expect(0);
    let claim = "never {    /* <> p */\nT0_init:\n\tdo\n\t:: (!(p)) -> goto T0_init\n\t:: ((p)) -> goto accept_all\n\tod;\n\
                 accept_all:\n\tskip\n}\n";
    assert_eq!((said.out.as_str(), said.err.as_str()), (claim, ""));
    assert_eq!(run(&desk, &["--negate", "[] !p"]).expect(0).out.replace("![] !p", "<> p"), claim);
}

#[test]
fn claims_are_read_by_spin() {
    if Command::new("spin").arg("-V").output().is_err() {
        return;
    }
    let desk = Desk::new();
    for formula in ["[] (p -> <> (q && x[1] > 2))", "<> [] p", "p U q", "false", "true", "[] <> p && [] <> q"] {
        let claim = run(&desk, &["--negate", formula]).expect(0).out;
        desk.write("claimed.pml", format!("bool p, q; byte x[2]; active proctype P() {{ p = true }}\n{claim}"));
        let output = Command::new("spin").args(["-a", "claimed.pml"]).current_dir(&desk.dir).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && !text.to_lowercase().contains("error"), "{formula}\n{claim}\n{text}");
    }
}

#[test]
fn automata_go_out_and_come_back() {
    let desk = Desk::new();
    let formula = "[] (x == 1 -> <> (y > 2 || P@done))";
    let claim = run(&desk, &[formula]).expect(0).out;
    desk.write("claim.never", &claim);
    for options in [&["--format", "hoa"][..], &["--format", "hoa", "--generalised"]] {
        let text = run(&desk, &[&[formula][..], options].concat()).expect(0).out;
        assert!(text.starts_with("HOA: v1\nname: \"[] ((x == 1) -> "), "{text}");
        desk.write("automaton.hoa", &text);
        let again = run(&desk, &["--from-hoa", "automaton.hoa"]).expect(0).out;
        let body = |text: &str| text.split_once('\n').unwrap().1.to_string();
        assert_eq!(body(&again), body(&claim));
    }
    let again = run(&desk, &["--from-never", "claim.never"]).expect(0).out;
    assert_eq!(again.lines().count(), claim.lines().count(), "{again}{claim}");
}

#[test]
fn other_formats() {
    let desk = Desk::new();
    let dot = run(&desk, &["p U (x > 1)", "--format", "dot"]).expect(0).out;
    assert!(
        dot.starts_with("digraph automaton {\n") && dot.contains("doublecircle") && dot.contains("(x > 1)"),
        "{dot}"
    );
    let dot = run(&desk, &["[] <> p && [] <> q", "--format", "dot", "--generalised"]).expect(0).out;
    assert!(dot.contains("p && q (0) (1)"), "{dot}");
    let facts = run(&desk, &["--negate", "[] p", "--format", "summary"]).expect(0).out;
    assert!(facts.starts_with("automaton     ![] p\npropositions  p\n"), "{facts}");
    assert!(facts.contains("terminal: ") && facts.contains("state-based   2 states, 3 edges\n"), "{facts}");
    let facts = run(&desk, &["[] p", "--format", "summary"]).expect(0).out;
    assert!(facts.contains("safety: ") && !facts.contains("terminal"), "{facts}");
}

#[test]
fn what_is_wrong_is_shown_where_it_is() {
    let desk = Desk::new();
    let said = run(&desk, &["[] (p -> <> )"]).expect(2);
    assert!(said.err.starts_with("error: expected a formula, found `)`"), "{}", said.err);
    assert!(said.err.contains("formula:1:13") && said.err.contains("^ expected a formula here"), "{}", said.err);
    desk.write("bad.hoa", "HOA: v1\nAcceptance: 1 Fin(0)\n--BODY--\n--END--\n");
    let said = run(&desk, &["--from-hoa", "bad.hoa"]).expect(2);
    assert!(said.err.contains("only Büchi") && said.err.contains("bad.hoa:2:15"), "{}", said.err);
    desk.write("bad.never", "never { do :: p -> goto nowhere od }");
    let said = run(&desk, &["--from-never", "bad.never"]).expect(2);
    assert!(said.err.contains("there is no label `nowhere`") && said.err.contains("bad.never:1:20"), "{}", said.err);
    for args in [
        &[][..],
        &["p", "--from-hoa", "bad.hoa"],
        &["--from-hoa", "missing.hoa"],
        &["--negate", "--from-never", "bad.never"],
        &["p", "--generalised"],
        &["p", "--format", "png"],
    ] {
        let said = run(&desk, args).expect(2);
        assert!(said.err.starts_with("error: "), "{args:?}: {}", said.err);
        assert_eq!(said.out, "");
    }
}

#[test]
fn an_automaton_that_would_be_enormous() {
    let formula = (0..24).map(|i| format!("(a{i} U b{i})")).collect::<Vec<String>>().join(" && ");
    let said = run(&Desk::new(), &[&formula]).expect(3);
    assert!(said.err.starts_with("error: the automaton of this formula would be too large"), "{}", said.err);
}
