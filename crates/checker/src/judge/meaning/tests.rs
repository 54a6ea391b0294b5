//! Formulas on runs whose truth is known by hand.

use std::path::Path;
use std::sync::Arc;

use kripke_lang::{LoadOptions, load};
use kripke_logic::parse;
use kripke_model::Interpreter;

use super::is_false_on;
use crate::judge::fairness::tests::{Text, lasso};

/// Whether a formula is false on the run of a model whose steps from `start` on are repeated for ever.
fn is_false(model: &str, formula: &str, steps: &[&str], start: u32) -> bool {
    let ltl = parse::ltl(formula).expect("a formula");
    let texts: Vec<String> = ltl.atoms.iter().map(|(_, atom)| atom.text.clone()).collect();
    let mut loaded = load(Path::new("m.pml"), &Text(model), &LoadOptions::default());
    let conditions = loaded.conditions(&texts).expect("conditions");
    let mut interpreter = Interpreter::new(Arc::new(loaded.model.expect("a model"))).expect("it starts");
    let steps: Vec<(u8, &str)> = steps.iter().map(|statement| (0, *statement)).collect();
    let run = lasso(&mut interpreter, &steps, start);
    is_false_on(&ltl, &conditions, &run, &mut interpreter)
}

#[test]
fn a_formula_is_false_on_a_run_or_not() {
    let switch = "bit x; active proctype P() { do :: x = 1-x od }";
    let stem = "byte x; active proctype P() { x = 1; do :: x = 2; x = 3 od }";
    let (twice, round) = (["x = 1-x", "x = 1-x"], ["x = 1", "x = 2", "x = 3", "x = 2"]);
    let cases = [
        ("[] (x == 0)", true),
        ("<> (x == 2)", true),
        ("[] <> (x == 1)", false),
        // The first state of the cycle does not come twice in a row.
        ("[] ((x == 0) -> X (x == 1))", false),
        ("[] ((x == 1) -> X (x == 0))", false),
    ];
    for (formula, is) in cases {
        assert_eq!(is_false(switch, formula, &twice, 0), is, "{formula}");
    }
    let cases = [
        ("[] (x < 3)", true),
        ("[] <> (x == 1)", true),
        ("[] <> (x == 2)", false),
        ("<> [] (x >= 2)", false),
        ("X (x == 1)", false),
        ("X X X (x == 2)", true),
        ("[] ((x == 3) -> X (x == 2))", false),
        ("[] ((x == 2) -> X (x == 3))", false),
    ];
    for (formula, is) in cases {
        assert_eq!(is_false(stem, formula, &round, 2), is, "{formula}");
    }
}
