//! The class and the size of the automata of formulas.

use kripke_logic::{Class, Lasso, lasso, parse, translate};

#[test]
fn kinds_are_recognised() {
    // Formula; terminal, weak, safety, deterministic; states with acceptance on edges, on states.
    for (formula, facts, sizes) in [
        ("true", "TWSD", (1, 1)),
        ("false", "TWSD", (1, 1)),
        ("p", "TWSD", (2, 2)),
        ("[] p", "-WSD", (1, 1)),
        ("<> p", "TW-D", (2, 2)),
        ("p U q", "TW-D", (2, 2)),
        ("p W q", "-WSD", (2, 2)),
        ("[] <> p", "---D", (1, 2)),
        ("<> [] p", "-W--", (2, 2)),
        ("[] (p -> <> q)", "---D", (2, 2)),
        ("!([] (p -> <> q))", "-W--", (2, 2)),
        ("!([] p)", "TW-D", (2, 2)),
        ("!(p W q)", "TW-D", (2, 2)),
        ("[] <> p && [] <> q", "---D", (1, 3)),
        ("<> p && [] q", "-W-D", (2, 2)),
        ("X X p", "TWSD", (4, 4)),
    ] {
        let translation = translate(&parse::ltl(formula).expect(formula)).expect(formula);
        let class = Class::of_buchi(&translation.buchi);
        let flag = |yes, letter| if yes { letter } else { '-' };
        let shown: String =
            [flag(class.terminal, 'T'), flag(class.weak, 'W'), flag(class.safety, 'S'), flag(class.deterministic, 'D')]
                .iter()
                .collect();
        assert_eq!(shown, facts, "{formula}");
        let found = (translation.generalised.states.len(), translation.buchi.states.len());
        assert_eq!(found, sizes, "{formula}");
    }
}

/// In a terminal automaton, every continuation of a run to an accepting state is accepted.
#[test]
fn accepting_states_of_terminal_automata_are_final() {
    for formula in ["<> p", "p U (q && X p)", "<> (p && <> q)", "p", "(p U q) || <> r", "!([] (p -> (q W r)))"] {
        let buchi = translate(&parse::ltl(formula).expect(formula)).expect(formula).buchi;
        assert!(Class::of_buchi(&buchi).terminal, "{formula}");
        for state in buchi.states.iter().filter(|s| s.accepting) {
            for valuation in 0..8 {
                let goes_on = state.edges.iter().any(|e| e.guard.holds(valuation) && buchi.state(e.to).accepting);
                assert!(goes_on, "{formula} at {valuation}");
            }
        }
    }
}

#[test]
fn formulas_hold_where_they_should() {
    let word = |stem: &[u64], cycle: &[u64]| Lasso::new(stem, cycle).expect("not empty");
    for (formula, word, expected) in [
        ("p", word(&[1], &[0]), true),
        ("X p", word(&[1], &[0]), false),
        ("X X p", word(&[0], &[0, 1]), true),
        ("[] p", word(&[1, 1], &[1]), true),
        ("[] p", word(&[1], &[1, 0]), false),
        ("<> p", word(&[0, 0], &[0, 0, 1]), true),
        ("[] <> p", word(&[], &[0, 1]), true),
        ("<> [] p", word(&[], &[0, 1]), false),
        ("<> [] p", word(&[0, 0], &[1]), true),
        ("p U q", word(&[1, 1], &[2, 0]), true),
        ("p U q", word(&[], &[1]), false),
        ("p W q", word(&[], &[1]), true),
        ("p V q", word(&[], &[2]), true),
        ("p V q", word(&[2, 3], &[0]), true),
        ("p V q", word(&[2, 1], &[0]), false),
        ("p -> q", word(&[1], &[0]), false),
        ("p <-> q", word(&[0], &[1]), true),
        ("[] (p -> X q)", word(&[], &[1, 2]), true),
    ] {
        // `p` is bit 0 and `q` is bit 1, even if a formula has only `q`.
        let ltl = parse::ltl(&format!("(p || !p) && (q || !q) && ({formula})")).expect(formula);
        assert_eq!(lasso::holds(&ltl.formula, &word), expected, "{formula} on {word:?}");
    }
    assert_eq!(Lasso::new(&[1], &[]), None);
}
