//! Automata of random formulas accept exactly the words on which the formula holds, also after they are written and
//! read.

use kripke_logic::{Atoms, Buchi, Lasso, Ltl, Translation, hoa, lasso, never, parse, simplify, translate};

use crate::random::{Random, formula, word};

const FORMULAS: usize = 2_000;

/// The number of formulas, `KRIPKE_RANDOM_FORMULAS`.
fn formulas() -> usize {
    std::env::var("KRIPKE_RANDOM_FORMULAS").ok().and_then(|n| n.parse().ok()).unwrap_or(FORMULAS)
}

const WORDS: usize = 60;
const SEED: u64 = 0x6c74_6c00;

/// An automaton in all forms, with a name for each.
struct Forms {
    translation: Translation,
    simplified: Translation,
    /// Read from generalised HOA and from Büchi HOA.
    from_hoa: [kripke_logic::Generalised; 2],
    from_never: Buchi,
}

impl Forms {
    fn new(ltl: &Ltl) -> Forms {
        let translation = translate(ltl).unwrap_or_else(|e| panic!("{ltl}: {e}"));
        let texts = [hoa::generalised(&translation.generalised, ""), hoa::buchi(&translation.buchi, "a \"name\"")];
        let from_hoa = texts.map(|text| hoa::read(&text).unwrap_or_else(|e| panic!("{e:?}\n{text}")));
        let claim = never::write(&translation.buchi, &ltl.to_string());
        let from_never = never::read(&claim).unwrap_or_else(|e| panic!("{e:?}\n{claim}"));
        let simplified = simplify(&from_hoa[1]).unwrap_or_else(|e| panic!("{ltl}: {e}"));
        Forms { translation, simplified, from_hoa, from_never }
    }

    /// The answer of each form for a word. Atoms of automata that were read may have other numbers.
    fn opinions(&self, ltl: &Ltl, word: &Lasso) -> Vec<(&'static str, bool)> {
        let renamed = renumbered(ltl, word, &self.from_never.atoms);
        vec![
            ("generalised", self.translation.generalised.accepts(word)),
            ("büchi", self.translation.buchi.accepts(word)),
            ("generalised, simplified again", self.simplified.generalised.accepts(word)),
            ("büchi, simplified again", self.simplified.buchi.accepts(word)),
            ("generalised HOA", self.from_hoa[0].accepts(word)),
            ("büchi HOA", self.from_hoa[1].accepts(word)),
            ("never claim", self.from_never.accepts(&renamed)),
        ]
    }
}

/// The word with the atoms numbered as in `other`.
pub fn renumbered(ltl: &Ltl, word: &Lasso, other: &Atoms) -> Lasso {
    let old = |text: &str| ltl.atoms.iter().find(|(_, a)| a.text == text).map(|(id, _)| id.0);
    let bits: Vec<u32> = other.iter().map(|(_, a)| old(&a.text).expect("the same atoms")).collect();
    let letter = |v: &u64| bits.iter().enumerate().fold(0, |new, (i, bit)| new | (v >> bit & 1) << i);
    let letters = |part: &[u64]| part.iter().map(letter).collect::<Vec<u64>>();
    Lasso::new(&letters(word.stem()), &letters(word.cycle())).expect("the loop is not empty")
}

#[test]
fn automata_accept_what_formulas_say() {
    for number in 0..formulas() {
        let mut random = Random::of_case(SEED, number);
        let (size, atom_count) = (1 + random.below(14), 1 + random.below(4));
        let ltl = formula(&mut random, size, atom_count);
        let forms = Forms::new(&ltl);
        for _ in 0..WORDS {
            let word = word(&mut random, atom_count);
            let expected = lasso::holds(&ltl.formula, &word);
            for (who, accepts) in forms.opinions(&ltl, &word) {
                let shown = || hoa::buchi(&forms.translation.buchi, "");
                assert_eq!(accepts, expected, "{who}, formula {number}: {ltl}\n{word:?}\n{}", shown());
            }
        }
    }
}

#[test]
fn formulas_read_back_as_they_are_printed() {
    for number in 0..formulas() {
        let mut random = Random::of_case(SEED, number);
        let size = 1 + random.below(20);
        let ltl = formula(&mut random, size, 4);
        let text = ltl.to_string();
        let again = parse::ltl(&text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        assert_eq!(again.to_string(), text);
        for _ in 0..10 {
            let word = word(&mut random, 4);
            let renamed = renumbered(&ltl, &word, &again.atoms);
            assert_eq!(lasso::holds(&again.formula, &renamed), lasso::holds(&ltl.formula, &word), "{text}");
        }
    }
}

#[test]
fn a_formula_and_its_negation_share_no_word_and_miss_none() {
    for number in 0..formulas() {
        let mut random = Random::of_case(SEED + 1, number);
        let size = 1 + random.below(10);
        let ltl = formula(&mut random, size, 2);
        let (yes, no) = (translate(&ltl).unwrap().buchi, translate(&ltl.negated()).unwrap().buchi);
        for _ in 0..10 {
            let word = word(&mut random, 2);
            assert_ne!(yes.accepts(&word), no.accepts(&word), "{ltl} on {word:?}");
        }
    }
}
