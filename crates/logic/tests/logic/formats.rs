//! Never claims and HOA: automata that are read have the right language, and errors are located.

use kripke_logic::{Buchi, Generalised, Lasso, Ltl, dot, hoa, lasso, never, parse, translate};

use crate::random::{Random, word};
use crate::random_formulas::renumbered;

fn ltl(text: &str) -> Ltl {
    parse::ltl(text).unwrap_or_else(|e| panic!("{text}: {e:?}"))
}

/// Checks that an automaton accepts the words of a formula.
#[track_caller]
fn means(automaton: &Generalised, formula: &str, text: &str) {
    // The formula is extended by all propositions of the automaton.
    let known: String = automaton.atoms.iter().map(|(_, a)| format!("{{{0}}} || !{{{0}}} || ", a.text)).collect();
    let ltl = ltl(&format!("({known} true) && ({formula})"));
    let mut random = Random::of_case(0x666f_726d, text.len());
    for _ in 0..200 {
        let word = word(&mut random, ltl.atoms.len().max(1));
        let renamed = renumbered(&ltl, &word, &automaton.atoms);
        assert_eq!(automaton.accepts(&renamed), lasso::holds(&ltl.formula, &word), "{formula} on {word:?}\n{text}");
    }
}

#[test]
fn claims_mean_what_they_say() {
    for (claim, formula) in [
        ("never { skip }", "true"),
        ("never { false }", "false"),
        ("never { p; q }", "p && X q"),
        ("never n { p -> q -> r }", "p && X q && X X r"),
        ("never { do :: p od }", "false"),
        ("never { accept: do :: p od }", "[] p"),
        ("never { accept_a: accept_b: do :: p :: q od }", "[] (p || q)"),
        ("never { do :: true :: p -> break od }", "<> p"),
        ("never { do :: 1 :: p -> break od; accept: do :: q od }", "<> (p && X [] q)"),
        ("never { do :: p -> break :: else od }", "<> p"),
        ("never { if :: p -> q :: !p -> goto on fi; r; on: s }", "(p && X q && X X r && X X X s) || (!p && X s)"),
        ("never { goto x; y: p; goto z; x: q; goto y; z: skip }", "q && X p"),
        ("never { x: goto x }", "false"),
        ("never { /* c */ T0: do :: atomic { (p) -> assert(!(p)) } :: (1) -> goto T0 od // d\n }", "<> p"),
        ("never { do :: d_step { p -> assert(q) } od }", "p U (p && !q)"),
        ("never { do :: (p -> q : r) == 1 -> break :: else od };", "<> ((p -> q : r) == 1)"),
    ] {
        let read = never::read(claim).unwrap_or_else(|e| panic!("{claim}: {e:?}"));
        means(&read.generalised(), formula, claim);
    }
}

#[test]
fn every_condition_is_a_step() {
    let claim = "never { accept: do :: p -> skip :: else -> goto stop od; stop: false }";
    let read = never::read(claim).expect(claim);
    let word = |bits: &[u64]| Lasso::new(&[], bits).expect("not empty");
    assert!(read.accepts(&word(&[1, 0])) && !read.accepts(&word(&[0, 1])) && !read.accepts(&word(&[1, 0, 0])));
}

#[test]
fn wrong_claims_are_located() {
    for (claim, at, message) in [
        ("", 0, "expected `never`"),
        ("proctype", 0, "expected `never`, found `proctype`"),
        ("never p", 7, "expected `{`, but the text ends"),
        ("never { p", 9, "expected a statement or `}`"),
        ("never { goto x }", 8, "there is no label `x`"),
        ("never { x: p; x: q }", 14, "the label `x` is defined twice"),
        ("never { break }", 8, "`break` is not inside `do`"),
        ("never { else }", 8, "`else` is only possible at the beginning of an option"),
        ("never { do od }", 8, "there is an option without statements here"),
        ("never { do :: p }", 16, "expected `::` or `od`"),
        ("never { [] p }", 8, "a claim's conditions have no temporal operators"),
        ("never { (p; q }", 8, "this bracket is never closed"),
        ("never { p && }", 12, "the formula ends too early"),
        ("never { assert(p) }", 8, "an assertion of its own is not supported"),
        ("never { p } q", 12, "expected nothing more after the claim"),
        ("never { do :: goto x od; x: p }", 14, "an option has to begin with a condition here"),
    ] {
        let problem = never::read(claim).expect_err(claim);
        assert!(problem.message.contains(message), "{claim}: {problem:?}");
        assert_eq!(problem.span.start, at, "{claim}: {problem:?}");
    }
    let deep = "never { ".to_string() + &"do :: p -> ".repeat(10_000);
    assert!(never::read(&deep).is_err());
}

const HEAD: &str = "HOA: v1\nStates: 2\nStart: 0\nAP: 2 \"p\" \"q\"\nAcceptance: 1 Inf(0)\n--BODY--\n";

#[test]
fn automata_mean_what_they_say() {
    let head = |extra: &str| HEAD.replace("Acceptance", &format!("{extra}\nAcceptance"));
    for (text, formula) in [
        (format!("{HEAD}State: 0\n[t] 0\n[0&1] 1\nState: 1 {{0}}\n[t] 1\n--END--"), "<> (p && q)"),
        (format!("{HEAD}State: 0\n[0] 0 {{0}}\n--END--"), "[] p"),
        (format!("{HEAD}State: [!0 | 1] 0 \"a name\" {{0}}\n0\n--END--"), "[] (!p || q)"),
        (format!("{}State: 0\n[@a & !@b] 0 {{0}}\n--END--", head("Alias: @a 0|1 Alias: @b 0&1")), "[] (p <-> !q)"),
        (format!("{}State: 0\n[0] 0 {{0}}\nState: 1\n[1] 1 {{0}}\n--END--", head("Start: 1")), "[] p || [] q"),
        (
            format!(
                "{}State: 0\n[t] 0\n[0] 0 {{0}}\n[1] 0 {{1}}\n--END--",
                HEAD.replace("1 Inf(0)", "2 (Inf(0)&Inf(1))")
            ),
            "[] <> p && [] <> q",
        ),
        (format!("{}State: 0\n[0] 0\n--END--", HEAD.replace("1 Inf(0)", "0 t")), "[] p"),
        (format!("{}State: 0\n[0] 0\n--END--", HEAD.replace("Start: 0\n", "")), "false"),
        (format!("{}State: 0\n[0] 0 {{0}}\n--END--", head("/* a /* b */ c */ tool: \"x\" properties: weak")), "[] p"),
        (HEAD.replace("1 Inf(0)", "2 Inf(1)") + "State: 0\n[0] 0 {1}\n[!0] 0 {0}\n--END--", "[] <> p"),
    ] {
        let read = hoa::read(&text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        means(&read, formula, &text);
    }
}

#[test]
fn wrong_automata_are_located() {
    for (text, message) in [
        ("", "expected `HOA: v1`, but the text ends"),
        ("HOA: v2", "expected `v1`"),
        ("HOA: v1\nStates: 1\n", "expected `--BODY--`, but the text ends"),
        ("HOA: v1\nAcceptance: 2 Inf(0)|Inf(1)\n", "only Büchi and generalised Büchi"),
        ("HOA: v1\nAcceptance: 1 Fin(0)\n", "only Büchi and generalised Büchi"),
        ("HOA: v1\nAcceptance: 1 Inf(!0)\n", "only Büchi and generalised Büchi"),
        ("HOA: v1\nAcceptance: 1 Inf(3)\n", "there are only 1 acceptance sets"),
        ("HOA: v1\nAcceptance: 99 Inf(3)\n", "more than 64 acceptance sets"),
        ("HOA: v1\nStates: 99999999\n", "more than 10000 states"),
        ("HOA: v1\nStates: 99999999999999999999999\n", "this number is too large"),
        ("HOA: v1\nStart: 0&1\n", "alternating automata are not supported"),
        ("HOA: v1\nAP: 1\n", "expected the name of a proposition"),
        ("HOA: v1\nAP: 70\n", "more than 64 propositions"),
        ("HOA: v1\nSpecial: 1\n", "the header `Special:` is not supported"),
        ("HOA: v1\nStates: 1\n--BODY--\n--END--\n", "`Acceptance:` is missing"),
        ("HOA: v1\nAcceptance: 0 t\nStates: 1\n--BODY--\nState: 0\n[t] 1\n--END--\n", "there is no state 1"),
        ("HOA: v1\nAcceptance: 0 t\nStart: 3\n--BODY--\n--END--\n", "there is no state 3"),
        ("HOA: v1\nAcceptance: 0 t\nStates: 1\n--BODY--\nState: 0\n0\n--END--\n", "edges without labels"),
        ("HOA: v1\nAcceptance: 0 t\nStates: 1\n--BODY--\nState: 0\n[0] 0\n--END--\n", "there is no proposition 0"),
        ("HOA: v1\nAcceptance: 0 t\nStates: 1\n--BODY--\nState: 0\n[@a] 0\n--END--\n", "the alias `@a` is not defined"),
        ("HOA: v1\nAcceptance: 0 t\nStates: 1\n--BODY--\nState: 0 State: 0\n--END--\n", "state 0 is defined twice"),
        ("HOA: v1\nAcceptance: 0 t\n--BODY--\n--ABORT--\n", "its writer stopped"),
        ("HOA: v1 \"", "this string is never closed"),
        ("HOA: v1 /* /* */", "this comment is never closed"),
        ("HOA: v1 $", "`$` has no meaning here"),
    ] {
        let problem = hoa::read(text).expect_err(text);
        assert!(problem.message.contains(message), "{text}: {problem:?}");
    }
    let deep = "HOA: v1\nAP: 0 Alias: @a ".to_string() + &"!(".repeat(100_000);
    assert!(hoa::read(&deep).is_err());
}

#[test]
fn awkward_names_survive() {
    let ltl = ltl("[] (c == '\"' -> <> \"x \\ y\")");
    let automata = translate(&ltl).expect("small");
    let read = hoa::read(&hoa::buchi(&automata.buchi, "a \"b\" \\ c")).expect("our own");
    let names: Vec<&str> = read.atoms.iter().map(|(_, a)| a.text.as_str()).collect();
    assert_eq!(names, ["c == '\"'", "x \\ y"]);
    assert!(dot::buchi(&automata.buchi, "x\ny").contains("c == '\\\"'"));
}

#[test]
fn claims_without_states_or_with_comments_in_comments_are_written() {
    let nothing = translate(&ltl("p && !p")).expect("small").buchi;
    let claim = never::write(&nothing, "a */ b\nc");
    assert!(never::read(&claim).is_ok(), "{claim}");
    let empty = Buchi { states: Vec::new(), ..nothing };
    assert!(never::read(&never::write(&empty, "")).is_ok());
    assert!(!empty.accepts(&Lasso::new(&[], &[0]).expect("not empty")));
}
