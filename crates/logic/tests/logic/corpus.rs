//! The formulas of the conformance corpus, where it is beside the checkout.

use std::collections::BTreeSet;

use kripke_logic::{Class, parse, translate};
use kripke_tests::places;

#[test]
fn formulas_of_the_corpus_are_translated() {
    let Some(corpus) = places::corpus() else { return };
    let path = corpus.join("dve/expected-beem-properties.tsv");
    let table = std::fs::read_to_string(path).expect("the table can be read");
    let rows = table.lines().map(|l| l.split('\t').collect::<Vec<&str>>());
    let formulas: BTreeSet<String> = rows
        .filter(|r| r.get(2) == Some(&"LTL"))
        .filter_map(|r| r.last().map(|f| f.trim().replace("&amp;", "&")))
        .filter(|f| !f.is_empty())
        .collect();
    assert!(!formulas.is_empty());
    for formula in formulas {
        let ltl = parse::ltl(&formula).unwrap_or_else(|e| panic!("{formula}: {e:?}"));
        for ltl in [ltl.negated(), ltl] {
            let automata = translate(&ltl).unwrap_or_else(|e| panic!("{ltl}: {e}"));
            assert!(automata.buchi.states.len() <= 20, "{ltl}: {} states", automata.buchi.states.len());
            Class::of_buchi(&automata.buchi);
        }
    }
}
