//! Formulas whose automata would be enormous are refused with a reason.

use kripke_logic::{parse, translate};

fn joined(count: usize, sign: &str, part: impl Fn(usize) -> String) -> String {
    (0..count).map(part).collect::<Vec<String>>().join(sign)
}

#[test]
fn exploding_formulas_are_refused() {
    let untils = joined(20, " && ", |i| format!("(a{i} U b{i})"));
    let nested = joined(16, " && ", |i| format!("[] (a{i} -> <> (b{i} && <> c{i}))"));
    let nexts = joined(30, " && ", |i| format!("[] (a{i} -> {} b{i})", "X ".repeat(3)));
    let equivalences = joined(24, " <-> ", |i| format!("[] <> a{i}"));
    let many_atoms = joined(70, " || ", |i| format!("a{i}"));
    for formula in [untils, nested, nexts, equivalences, many_atoms] {
        let ltl = parse::ltl(&formula).unwrap_or_else(|e| panic!("{formula}: {e:?}"));
        let refused = translate(&ltl).expect_err(&formula);
        assert!(!refused.message.is_empty());
    }
}

#[test]
fn large_formulas_with_small_automata_are_translated() {
    let always = joined(60, " && ", |i| format!("[] (a{i} -> X a{})", i / 2));
    let literals = joined(60, " && ", |i| format!("[] a{i}"));
    let often = joined(6, " && ", |i| format!("[] <> a{i}"));
    for (formula, most) in [(literals, 1), (often, 7)] {
        let ltl = parse::ltl(&formula).unwrap_or_else(|e| panic!("{formula}: {e:?}"));
        let translation = translate(&ltl).unwrap_or_else(|e| panic!("{formula}: {e}"));
        assert!(translation.buchi.states.len() <= most, "{formula}: {}", translation.buchi.states.len());
    }
    // Either result is right: an automaton, or the answer that it is too large.
    let _ = translate(&parse::ltl(&always).unwrap_or_else(|e| panic!("{always}: {e:?}")));
}

/// High formulas give an automaton or a refusal, not a stack overflow.
#[test]
fn tall_formulas_are_walked() {
    for (prefix, sign) in
        [("", "U"), ("", "W"), ("", "V"), ("", "->"), ("", "<->"), ("X ", "->"), ("<> ", "U"), ("[] ", "->")]
    {
        let formula = joined(950, &format!(" {sign} "), |i| format!("{prefix}a{}", i * 7 % 50));
        let ltl = parse::ltl(&formula).unwrap_or_else(|e| panic!("{formula}: {e:?}"));
        let _ = translate(&ltl);
        let _ = translate(&ltl.negated());
        assert_eq!(parse::ltl(&ltl.to_string()).map(|l| l.formula), Ok(ltl.formula));
    }
}
