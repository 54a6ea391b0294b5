use super::{ctl, ltl};

/// The formula with all brackets, and its propositions.
fn reading(text: &str) -> (String, Vec<String>) {
    let ltl = ltl(text).unwrap_or_else(|p| panic!("{text}: {p:?}"));
    let names = ltl.atoms.iter().map(|(_, a)| a.text.clone()).collect();
    for (_, atom) in ltl.atoms.iter() {
        assert_eq!(text[atom.span.start..atom.span.end].trim(), atom.text, "{text}");
    }
    (ltl.to_string(), names)
}

#[test]
fn operators_bind_as_in_ltl_blocks_of_spin() {
    for (text, expected) in [
        ("p U q U r", "p U q U r"),
        ("p U (q U r)", "p U (q U r)"),
        ("p V q U r", "p V q U r"),
        ("p U q V r", "p U q V r"),
        ("p W q U r", "p W q U r"),
        ("[] p U q", "[] p U q"),
        ("[] (p U q)", "[] (p U q)"),
        ("p || q && r", "p || q && r"),
        ("(p || q) && r", "(p || q) && r"),
        ("p && q U r", "p && q U r"),
        ("(p && q) U r", "(p && q) U r"),
        ("p -> q -> r", "p -> q -> r"),
        ("p -> (q -> r)", "p -> (q -> r)"),
        ("p -> q <-> r", "p -> q <-> r"),
        ("! p U q", "!p U q"),
        ("!(p U q)", "!(p U q)"),
        ("X p U q", "X p U q"),
        ("p U ! q U r", "p U !q U r"),
        ("always eventually p", "[] <> p"),
        ("next p until q", "X p U q"),
        ("p stronguntil q weakuntil r release s", "p U q W r V s"),
        ("p implies q equivalent r", "p -> q <-> r"),
        ("p /\\ q \\/ r", "p && q || r"),
        ("G F p", "[] <> p"),
        ("GF p", "[] <> p"),
        ("FG p -> GF(q)", "<> [] p -> [] <> q"),
        ("G(r1->(!p1U(p1U(p1&& co))))", "[] (r1 -> !p1 U (p1 U (p1 && co)))"),
        ("G (P.cs -> F Q.wait)", "[] (P.cs -> <> Q.wait)"),
        ("p R q W r", "p V q W r"),
        ("true U p && 1 || 0 || false", "true U p && true || false || false"),
        ("not p and q or r imply s", "!p && q || r -> s"),
    ] {
        match ltl(text) {
            Ok(_) => {
                let (shown, _) = reading(text);
                assert_eq!(shown, expected, "{text}");
                assert_eq!(reading(&shown).0, expected, "{text} read again");
            }
            Err(problem) => assert!(problem.message.starts_with(expected), "{text}: {problem}"),
        }
    }
}

#[test]
fn letters_can_be_names() {
    for (text, expected, names) in [
        ("<> R -> (!P U R)", "<> R -> !P U R", &["R", "P"][..]),
        ("P R Q", "P V Q", &["P", "Q"]),
        ("R R R", "R V R", &["R"]),
        ("F R", "<> R", &["R"]),
        ("F R p", "F V p", &["F", "p"]),
        ("G && F", "G && F", &["G", "F"]),
        ("G == 1 U F > 2", "(G == 1) U (F > 2)", &["G == 1", "F > 2"]),
        ("x == R U y", "(x == R) U y", &["x == R", "y"]),
        ("A[1] && E", "(A[1]) && E", &["A[1]", "E"]),
        ("GF && cpU == 1 || pU", "GF && (cpU == 1) || pU", &["GF", "cpU == 1", "pU"]),
        ("[](!P W S)", "[] (!P W S)", &["P", "S"]),
        ("G ~x", "[] (~x)", &["~x"]),
    ] {
        let (shown, atoms) = reading(text);
        assert_eq!(shown, expected, "{text}");
        assert_eq!(atoms, names, "{text}");
    }
}

#[test]
fn expressions_are_carved_out() {
    for (text, expected, names) in [
        (
            "[] (x > 3 -> <> (a[i] == 2 && len(q) < 3))",
            "[] ((x > 3) -> <> ((a[i] == 2) && (len(q) < 3)))",
            &["x > 3", "a[i] == 2", "len(q) < 3"][..],
        ),
        ("<> P@label", "<> (P@label)", &["P@label"]),
        ("[] (P[1]:n == 2)", "[] (P[1]:n == 2)", &["P[1]:n == 2"]),
        ("{x == 1} U {y}", "(x == 1) U y", &["x == 1", "y"]),
        ("\"x == 1\" U y", "(x == 1) U y", &["x == 1", "y"]),
        ("(a && b) == c U d", "((a && b) == c) U d", &["(a && b) == c", "d"]),
        ("((a + 1) * 2 == 3) || p", "((a + 1) * 2 == 3) || p", &["(a + 1) * 2 == 3", "p"]),
        ("[] ((c -> a : b) == 2)", "[] ((c -> a : b) == 2)", &["(c -> a : b) == 2"]),
        ("[] (c -> a : b)", "[] ((c -> a : b))", &["(c -> a : b)"]),
        ("[] (c -> P:n)", "[] (c -> (P:n))", &["c", "P:n"]),
        ("<> inp?[red] -> q??[1,2] U r", "<> (inp?[red]) -> (q??[1,2]) U r", &["inp?[red]", "q??[1,2]", "r"]),
        ("!x == 1 && !(a) == b", "(!x == 1) && (!(a) == b)", &["!x == 1", "!(a) == b"]),
        ("!(x == 1) && !len(q) && !P@l", "!(x == 1) && !(len(q)) && !(P@l)", &["x == 1", "len(q)", "P@l"]),
        ("x==1 U (x == 1)", "(x==1) U (x==1)", &["x==1"]),
        ("(x < -1) U (y <-1)", "(x < -1) U (y <-1)", &["x < -1", "y <-1"]),
        ("(-x) == !y -> c == 'U'", "((-x) == !y) -> (c == 'U')", &["(-x) == !y", "c == 'U'"]),
        ("BS[a_id]@progress || a.b[2].c", "(BS[a_id]@progress) || (a.b[2].c)", &["BS[a_id]@progress", "a.b[2].c"]),
        ("((((p))))", "p", &["p"]),
        ("{X} U {a; b} && {x -> y} || {c}", "{X} U (a; b) && {x -> y} || c", &["X", "a; b", "x -> y", "c"]),
        ("p /* why */ U // so\n q", "p U q", &["p", "q"]),
        ("x & y | z ^ 3", "(x & y | z ^ 3)", &["x & y | z ^ 3"]),
    ] {
        let (shown, atoms) = reading(text);
        assert_eq!(shown, expected, "{text}");
        assert_eq!(atoms, names, "{text}");
    }
}

#[test]
fn wrong_formulas_are_located() {
    for (text, at, expected) in [
        ("", 0, "there is no formula"),
        ("p U", 3, "the formula ends too early"),
        ("p U )", 4, "this `)` closes nothing"),
        ("(p U q", 0, "this `(` is never closed"),
        ("(p]", 2, "`]` closes nothing that `(` opened"),
        ("p q", 2, "expected a logical or temporal operator before `q`"),
        ("p [] q", 2, "expected a logical or temporal operator before `[]`"),
        ("([] p) == q", 7, "a temporal formula can't be part of an expression"),
        ("f([] p)", 2, "the temporal operator `[]` can't be part of an expression"),
        ("x == ", 4, "this expression is not complete"),
        ("x == && y", 5, "this expression is not complete"),
        ("&& y", 0, "expected a formula, found `&&`"),
        ("()", 0, "there is nothing between these brackets"),
        ("{}", 1, "there is no expression here"),
        ("{x", 0, "this `{` is never closed"),
        ("p U \"x", 4, "this `\"` is never closed"),
        ("p U q X", 6, "expected a logical or temporal operator before `X`"),
        ("!R& X(!R U T)", 6, "the temporal operator"),
    ] {
        let problem = ltl(text).expect_err(text);
        assert!(problem.message.contains(expected), "{text}: {problem}");
        if !expected.starts_with("the temporal operator") || at == 2 {
            assert_eq!(problem.span.start, at, "{text}: {problem:?}");
        }
    }
}

#[test]
fn absurd_formulas_are_refused() {
    for text in
        ["(".repeat(100_000) + "p", "!".repeat(5_000) + "p", "[] ".repeat(5_000) + "p", "p && ".repeat(9_000) + "p"]
    {
        assert!(ltl(&text).is_err());
    }
    assert!(ltl(&("(".repeat(300) + "p" + &")".repeat(300))).is_err());
    assert!(ltl(&("p && ".repeat(500) + "p")).is_ok());
}

#[test]
fn ctl_is_read() {
    for (text, expected) in [
        ("AG (p -> EF q)", "AG (p -> EF q)"),
        ("A(p U q)", "A[p U q]"),
        ("A[p U q] && E (x == 1 U (AX r))", "A[p U q] && E[(x == 1) U AX r]"),
        ("!EG !p", "!EG !p"),
        ("AG EF AF EG AX EX p", "AG EF AF EG AX EX p"),
        ("A G p || E F q && A[1] == 2", "AG p || (EF q && (A[1] == 2))"),
        ("A(p R q)", "!E[!p U !q]"),
        ("E(p W q)", "!A[!q U !(p || q)]"),
        ("AG(E -> A)", "AG (E -> A)"),
    ] {
        let shown = ctl(text).unwrap_or_else(|p| panic!("{text}: {p:?}")).to_string();
        assert_eq!(shown, expected, "{text}");
        assert_eq!(ctl(&shown).unwrap().to_string(), expected, "{text} read again");
    }
    for (text, expected) in [
        ("G p", "in CTL, a path quantifier stands before every temporal operator"),
        ("AG (p U q)", "in CTL, a path quantifier stands"),
        ("A (p && q)", "in CTL, a temporal operator follows every path quantifier"),
        ("A[p U q U r]", "in CTL, a path quantifier stands"),
    ] {
        let problem = ctl(text).expect_err(text);
        assert!(problem.message.contains(expected), "{text}: {problem}");
    }
}
