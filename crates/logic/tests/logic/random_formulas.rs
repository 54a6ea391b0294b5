//! Automata of random formulas accept exactly the words on which the formula holds.

use kripke_logic::{hoa, lasso, translate};

use crate::random::{Random, formula, word};

const FORMULAS: usize = 2_000;
const WORDS: usize = 60;

#[test]
fn automata_accept_what_formulas_say() {
    for number in 0..FORMULAS {
        let mut random = Random::new(0x6c74_6c00, number);
        let (size, atom_count) = (1 + random.below(12), 1 + random.below(3));
        let ltl = formula(&mut random, size, atom_count);
        eprintln!("{number} {ltl}");
        let translation = translate(&ltl).unwrap_or_else(|e| panic!("{number}: {ltl}: {e}"));
        for _ in 0..WORDS {
            let word = word(&mut random, atom_count);
            let expected = lasso::holds(&ltl.formula, &word);
            let context = || {
                format!(
                    "formula {number}: {ltl}\n{word:?}\n{}{}",
                    hoa::generalised(&translation.generalised, ""),
                    hoa::buchi(&translation.buchi, "")
                )
            };
            assert_eq!(translation.generalised.accepts(&word), expected, "generalised, {}", context());
            assert_eq!(translation.buchi.accepts(&word), expected, "{}", context());
        }
    }
}
