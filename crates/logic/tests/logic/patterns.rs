//! Automata of common specification patterns are small.

use std::path::Path;
use std::process::Command;

use kripke_logic::{Buchi, lasso, parse, translate};

use crate::random::{Random, word};

/// SPIN's number of states, and the formula.
fn patterns() -> Vec<(usize, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ltl-patterns.txt");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let lines = text.lines().filter(|l| !l.is_empty() && !l.starts_with('#'));
    lines
        .map(|line| {
            let (states, formula) = line.split_once('\t').unwrap_or_else(|| panic!("no tab: {line}"));
            (states.parse().unwrap_or_else(|_| panic!("no number: {line}")), formula.to_string())
        })
        .collect()
}

fn automaton(formula: &str) -> Buchi {
    let ltl = parse::ltl(formula).unwrap_or_else(|e| panic!("{formula}: {e:?}"));
    let buchi = translate(&ltl).unwrap_or_else(|e| panic!("{formula}: {e}")).buchi;
    let mut random = Random::of_case(0x7061_7474, formula.len());
    for _ in 0..50 {
        let word = word(&mut random, ltl.atoms.len());
        assert_eq!(buchi.accepts(&word), lasso::holds(&ltl.formula, &word), "{formula} on {word:?}");
    }
    buchi
}

#[test]
fn automata_have_at_most_70_percent_of_the_states_of_spins() {
    let patterns = patterns();
    assert_eq!(patterns.len(), 200);
    let (mut ours, mut theirs) = (0, 0);
    for (states, formula) in &patterns {
        let buchi = automaton(formula);
        assert!(buchi.states.len() <= *states, "{formula}: {} states, SPIN has {states}", buchi.states.len());
        ours += buchi.states.len();
        theirs += states;
    }
    println!("{ours} states, SPIN has {theirs}: {:.1} %", 100.0 * ours as f64 / theirs as f64);
    assert!(10 * ours <= 7 * theirs, "{ours} states, SPIN has {theirs}");
}

/// The counts in the list are SPIN's, where that version is installed. Only a few are tested, since SPIN is slow.
#[test]
fn the_counts_are_spins() {
    let version = Command::new("spin").arg("-V").output();
    if !version.is_ok_and(|v| String::from_utf8_lossy(&v.stdout).contains("6.5.2")) {
        return;
    }
    for (states, formula) in patterns().iter().step_by(17) {
        let output = Command::new("spin").args(["-f", formula]).output().expect("spin runs");
        let claim = String::from_utf8_lossy(&output.stdout);
        let is_label = |line: &str| line.ends_with(':') && !line.starts_with(char::is_whitespace);
        let mut before = false;
        let mut count = 0;
        for line in claim.lines() {
            // Two labels of one state are on consecutive lines.
            count += usize::from(is_label(line) && !before);
            before = is_label(line);
        }
        assert_eq!(count, *states, "{formula}\n{claim}");
    }
}

/// Claims that SPIN generates are read, and have the right language.
#[test]
fn spins_claims_are_read() {
    if Command::new("spin").arg("-V").output().is_err() {
        return;
    }
    for (_, formula) in patterns().iter().step_by(13) {
        let output = Command::new("spin").args(["-f", formula]).output().expect("spin runs");
        let claim = String::from_utf8_lossy(&output.stdout);
        let read = kripke_logic::never::read(&claim).unwrap_or_else(|e| panic!("{e:?}\n{claim}"));
        let ltl = parse::ltl(formula).unwrap_or_else(|e| panic!("{formula}: {e:?}"));
        let mut random = Random::of_case(0x7370_696e, formula.len());
        for _ in 0..100 {
            let word = word(&mut random, ltl.atoms.len());
            let renamed = crate::random_formulas::renumbered(&ltl, &word, &read.atoms);
            assert_eq!(read.accepts(&renamed), lasso::holds(&ltl.formula, &word), "{formula}\n{claim}");
        }
    }
}
