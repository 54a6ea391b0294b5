//! Minimisation and comparison against definitions, evaluated naively on small random systems.

use std::collections::BTreeSet;

use kripke_model::Random;

use super::*;

const ROUNDS: usize = 400;

fn random_lts(random: &mut Random, most: usize) -> Lts {
    let states = 1 + random.below(most) as u32;
    let edges = random.below(2 * states as usize + 2);
    let mut number = |below: u32| random.below(below as usize) as u32;
    let edges = (0..edges).map(|_| Edge { from: number(states), label: number(3), to: number(states) }).collect();
    let marks = if number(3) == 0 { (0..states).map(|_| number(2)).collect() } else { Vec::new() };
    Lts { initial: 0, states, labels: ["i", "a", "b"].map(String::from).to_vec(), edges, marks }
}

/// A relation between states.
type Relation = Vec<Vec<bool>>;

/// The largest relation whose pairs satisfy a condition: pairs that do not are removed until there are none.
fn largest(lts: &Lts, keeps: impl Fn(&Relation, u32, u32) -> bool) -> Relation {
    let n = lts.states;
    let mut related: Relation = (0..n).map(|s| (0..n).map(|t| lts.mark(s) == lts.mark(t)).collect()).collect();
    loop {
        let mut changed = false;
        for s in 0..n {
            for t in 0..n {
                if related[s as usize][t as usize] && !(keeps(&related, s, t) && keeps(&related, t, s)) {
                    (related[s as usize][t as usize], related[t as usize][s as usize]) = (false, false);
                    changed = true;
                }
            }
        }
        if !changed {
            return related;
        }
    }
}

fn naive_strong(lts: &Lts) -> Relation {
    let of = |s: u32| lts.edges.iter().filter(move |e| e.from == s);
    largest(lts, |related, s, t| {
        of(s).all(|e| of(t).any(|f| f.label == e.label && related[e.to as usize][f.to as usize]))
    })
}

/// The states that hidden transitions lead to through certain states, by their definition.
fn hidden_reach(lts: &Lts, s: u32, through: impl Fn(u32) -> bool) -> BTreeSet<u32> {
    let mut set = BTreeSet::from([s]);
    loop {
        let hidden = lts.edges.iter().filter(|e| e.label == HIDDEN && set.contains(&e.from));
        let more: BTreeSet<u32> = hidden.map(|e| e.to).filter(|t| through(*t)).collect();
        if more.is_subset(&set) {
            return set;
        }
        set.extend(more);
    }
}

/// Every step of one state is matched: hidden and without effect, or by hidden steps through related states and a step.
fn naive_branching(lts: &Lts) -> Relation {
    largest(lts, |related, s, t| {
        lts.edges.iter().filter(|e| e.from == s).all(|e| {
            let stays = e.label == HIDDEN && related[e.to as usize][t as usize];
            let matched = |t1: u32| {
                let mut steps = lts.edges.iter().filter(|f| f.from == t1 && f.label == e.label);
                steps.any(|f| related[e.to as usize][f.to as usize])
            };
            stays || hidden_reach(lts, t, |t1| related[s as usize][t1 as usize]).into_iter().any(matched)
        })
    })
}

fn has_trace(lts: &Lts, s: u32, trace: &[u32]) -> bool {
    let mut set = hidden_reach(lts, s, |_| true);
    for label in trace {
        let after = lts.edges.iter().filter(|e| e.label == *label && set.contains(&e.from)).map(|e| e.to);
        set = after.flat_map(|t| hidden_reach(lts, t, |_| true)).collect();
    }
    !set.is_empty()
}

fn classes(lts: &Lts, related: &Relation) -> usize {
    (0..lts.states as usize).filter(|s| (0..*s).all(|t| !related[*s][t])).count()
}

/// The meaning of a formula, straight from its definition.
fn holds(lts: &Lts, formulas: &Formulas, formula: Formula, s: u32) -> bool {
    match &formulas.terms[formula] {
        Term::Mark(mark) => lts.mark(s) == *mark,
        Term::Not(inner) => !holds(lts, formulas, *inner, s),
        Term::And(parts) => parts.iter().all(|part| holds(lts, formulas, *part, s)),
        Term::Can(label, inner) => {
            lts.edges.iter().any(|e| e.from == s && e.label == *label && holds(lts, formulas, *inner, e.to))
        }
        Term::Until(before, label, after) => {
            let mut set = BTreeSet::new();
            let mut todo = vec![s];
            while let Some(t) = todo.pop() {
                if holds(lts, formulas, *before, t) && set.insert(t) {
                    todo.extend(lts.edges.iter().filter(|e| e.from == t && e.label == HIDDEN).map(|e| e.to));
                }
            }
            let ends = |e: &Edge| set.contains(&e.from) && e.label == *label && holds(lts, formulas, *after, e.to);
            lts.edges.iter().any(ends)
        }
    }
}

#[test]
fn minimised_systems_are_equivalent_and_minimal() {
    let mut random = Random::new(16);
    for _ in 0..ROUNDS {
        let lts = random_lts(&mut random, 9).reachable();
        for equivalence in [Equivalence::Strong, Equivalence::Branching] {
            let naive =
                |lts: &Lts| if equivalence == Equivalence::Strong { naive_strong(lts) } else { naive_branching(lts) };
            let small = minimise(&lts, equivalence, 1000).unwrap();
            assert_eq!(small.states as usize, classes(&lts, &naive(&lts)), "{equivalence:?} {lts:?}");
            let (both, other) = lts.beside(&small);
            assert!(naive(&both)[lts.initial as usize][other as usize], "{equivalence:?} {lts:?} {small:?}");
            let again = minimise(&small, equivalence, 1000).unwrap();
            assert_eq!((again.states, again.edges.len()), (small.states, small.edges.len()), "{equivalence:?} {lts:?}");
        }
    }
}

#[test]
fn comparisons_are_those_of_the_definitions() {
    let mut random = Random::new(17);
    let mut equal = [0; 2];
    for _ in 0..ROUNDS {
        let (a, b) = (random_lts(&mut random, 5), random_lts(&mut random, 5));
        let (both, other) = a.beside(&b);
        for (at, equivalence) in [Equivalence::Strong, Equivalence::Branching].into_iter().enumerate() {
            let naive = if at == 0 { naive_strong(&both) } else { naive_branching(&both) };
            let said = compare(&a, &b, equivalence, 1000).unwrap();
            match said {
                Comparison::Equivalent => {
                    equal[at] += 1;
                    assert!(naive[0][other as usize], "{equivalence:?} {a:?} {b:?}");
                }
                Comparison::Different(Difference::Formula { formulas, formula, .. }) => {
                    assert!(!naive[0][other as usize], "{equivalence:?} {a:?} {b:?}");
                    assert!(holds(&both, &formulas, formula, 0), "{equivalence:?} {a:?} {b:?} {formulas:?} {formula}");
                    assert!(
                        !holds(&both, &formulas, formula, other),
                        "{equivalence:?} {a:?} {b:?} {formulas:?} {formula}"
                    );
                }
                other => panic!("{other:?}"),
            }
        }
    }
    assert!(equal.iter().all(|n| *n > 5), "the systems are too different to test anything: {equal:?}");
}

#[test]
fn traces_are_those_of_the_definition() {
    let mut random = Random::new(18);
    let words: Vec<Vec<u32>> =
        (0..=7u32).flat_map(|n| (0..1u32 << n).map(move |w| (0..n).map(|i| 1 + (w >> i & 1)).collect())).collect();
    let mut equal = 0;
    for _ in 0..ROUNDS {
        let (a, b) = (random_lts(&mut random, 4), random_lts(&mut random, 4));
        let small = minimise(&a, Equivalence::Trace, 1000).unwrap();
        match compare(&a, &b, Equivalence::Trace, 1000).unwrap() {
            Comparison::Equivalent => {
                equal += 1;
                assert!(words.iter().all(|w| has_trace(&a, 0, w) == has_trace(&b, 0, w)), "{a:?} {b:?}");
                assert_eq!(small, minimise(&b, Equivalence::Trace, 1000).unwrap(), "{a:?} {b:?}");
            }
            Comparison::Different(Difference::Trace { trace, first }) => {
                let word: Vec<u32> = trace.iter().map(|name| if name == "a" { 1 } else { 2 }).collect();
                assert_eq!((has_trace(&a, 0, &word), has_trace(&b, 0, &word)), (first, !first), "{a:?} {b:?}");
            }
            other => panic!("{other:?}"),
        }
        assert!(words.iter().all(|w| has_trace(&a, 0, w) == has_trace(&small, 0, w)), "{a:?} {small:?}");
    }
    assert!(equal > 20, "{equal}");
}

#[test]
fn a_long_chain_is_minimised_fast() {
    let n = 50_000;
    let edges = (0..n).map(|s| Edge { from: s, label: 1, to: s + 1 }).collect();
    let lts = Lts { states: n + 1, edges, labels: ["i", "a"].map(String::from).to_vec(), ..Lts::new() };
    assert_eq!(minimise(&lts, Equivalence::Strong, 0).unwrap().states, n + 1);
}
