//! The formulas of the conformance corpus, where it is beside the checkout.

use std::collections::BTreeSet;
use std::path::Path;

use kripke_logic::{Class, parse, translate};

#[test]
fn formulas_of_the_corpus_are_translated() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/dve/expected-beem-properties.tsv");
    let Ok(table) = std::fs::read_to_string(path) else { return };
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
