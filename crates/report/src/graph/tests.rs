//! Patterns and formulas; the views of models are tested through the program.

use kripke_search::graph::{Comparison, Difference, Edge, Equivalence, Lts, compare};

use super::*;

#[test]
fn patterns_stand_for_names() {
    for (pattern, name, yes) in [
        ("x", "x", true),
        ("x", "xy", false),
        ("x*", "xy", true),
        ("*", "", true),
        ("P.*", "P.x", true),
        ("P.*", "Q.x", false),
        ("*a*b", "xaxbxb", true),
        ("*a*b", "xbxa", false),
        ("a*a", "a", false),
        ("q[*]", "q[3]", true),
    ] {
        assert_eq!(pattern::matches(pattern, name), yes, "{pattern} {name}");
    }
    assert!(Patterns::new("x, q*").matches("q1") && !Patterns::new("x,,").matches(""));
}

fn lts(states: u32, edges: &[(u32, u32, u32)]) -> Lts {
    let edges = edges.iter().map(|&(from, label, to)| Edge { from, label, to }).collect();
    Lts {
        initial: 0,
        states,
        labels: ["i", "coin", "tea", "coffee"].map(String::from).to_vec(),
        edges,
        marks: Vec::new(),
    }
}

fn told(a: &Lts, b: &Lts, equivalence: Equivalence) -> String {
    match compare(a, b, equivalence, 100).unwrap() {
        Comparison::Equivalent => "equivalent".to_string(),
        Comparison::Different(Difference::Formula { formulas, formula: number, labels }) => {
            formula(&formulas, number, &labels)
        }
        Comparison::Different(Difference::Trace { trace, first }) => format!("{} {first}", trace.join(" ")),
        Comparison::Different(Difference::Deep(_)) => "deep".to_string(),
    }
}

/// Milner's vending machines: the choice of the drink before or after the coin.
#[test]
fn formulas_are_readable() {
    let after = lts(4, &[(0, 1, 1), (1, 2, 2), (1, 3, 3)]);
    let before = lts(5, &[(0, 1, 1), (0, 1, 2), (1, 2, 3), (2, 3, 4)]);
    let good = told(&after, &before, Equivalence::Strong);
    assert!(
        good == "<\"coin\"> (<\"coffee\"> true && <\"tea\"> true)"
            || good == "<\"coin\"> (<\"tea\"> true && <\"coffee\"> true)",
        "{good}"
    );
    assert_eq!(told(&after, &before, Equivalence::Trace), "equivalent");
    let silent = lts(5, &[(0, 1, 1), (1, 0, 2), (1, 0, 3), (2, 2, 4), (3, 3, 4)]);
    let said = told(&after, &silent, Equivalence::Branching);
    assert!(said.contains("U <") || said.contains("!"), "{said}");
    let less = lts(3, &[(0, 1, 1), (1, 2, 2)]);
    assert_eq!(told(&after, &less, Equivalence::Trace), "coin coffee true");
    assert_eq!(told(&less, &after, Equivalence::Trace), "coin coffee false");
}
