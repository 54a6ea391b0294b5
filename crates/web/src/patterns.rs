//! Patterns of properties (Dwyer, Avrunin and Corbett, 1999), in LTL and CTL.

use serde_json::{Value, json};

/// A pattern: what happens in each of the five scopes. `W` is weak until.
struct Pattern {
    name: &'static str,
    description: &'static str,
    letters: &'static [&'static str],
    ltl: [&'static str; 5],
    ctl: [&'static str; 5],
}

/// The scopes, with the letters that they add.
const SCOPES: [(&str, &[&str]); 5] = [
    ("Globally", &[]),
    ("Before R", &["R"]),
    ("After Q", &["Q"]),
    ("Between Q and R", &["Q", "R"]),
    ("After Q until R", &["Q", "R"]),
];

const PATTERNS: [Pattern; 8] = [
    Pattern {
        name: "Absence",
        description: "P never holds",
        letters: &["P"],
        ltl: [
            "[] !P",
            "<> R -> (!P U R)",
            "[] (Q -> [] !P)",
            "[] ((Q && !R && <> R) -> (!P U R))",
            "[] ((Q && !R) -> (!P W R))",
        ],
        ctl: [
            "AG !P",
            "A[(!P || AG !R) W R]",
            "AG (Q -> AG !P)",
            "AG ((Q && !R) -> A[(!P || AG !R) W R])",
            "AG ((Q && !R) -> A[!P W R])",
        ],
    },
    Pattern {
        name: "Universality",
        description: "P always holds",
        letters: &["P"],
        ltl: [
            "[] P",
            "<> R -> (P U R)",
            "[] (Q -> [] P)",
            "[] ((Q && !R && <> R) -> (P U R))",
            "[] ((Q && !R) -> (P W R))",
        ],
        ctl: [
            "AG P",
            "A[(P || AG !R) W R]",
            "AG (Q -> AG P)",
            "AG ((Q && !R) -> A[(P || AG !R) W R])",
            "AG ((Q && !R) -> A[P W R])",
        ],
    },
    Pattern {
        name: "Existence",
        description: "P holds at some time",
        letters: &["P"],
        ltl: [
            "<> P",
            "!R W (P && !R)",
            "[] !Q || <> (Q && <> P)",
            "[] ((Q && !R) -> (!R W (P && !R)))",
            "[] ((Q && !R) -> (!R U (P && !R)))",
        ],
        ctl: [
            "AF P",
            "A[!R W (P && !R)]",
            "A[!Q W (Q && AF P)]",
            "AG ((Q && !R) -> A[!R W (P && !R)])",
            "AG ((Q && !R) -> A[!R U (P && !R)])",
        ],
    },
    Pattern {
        name: "Bounded existence",
        description: "P holds during at most two periods",
        letters: &["P"],
        ltl: [
            "!P W (P W (!P W (P W [] !P)))",
            "<> R -> ((!P && !R) U (R || ((P && !R) U (R || ((!P && !R) U (R || ((P && !R) U (R || (!P U R)))))))))",
            "<> Q -> (!Q U (Q && (!P W (P W (!P W (P W [] !P))))))",
            "[] ((Q && <> R) -> ((!P && !R) U (R || ((P && !R) U (R || ((!P && !R) U (R || ((P && !R) U (R || (!P U R))))))))))",
            "[] (Q -> ((!P && !R) U (R || ((P && !R) U (R || ((!P && !R) U (R || ((P && !R) U (R || (!P W R) || [] P)))))))))",
        ],
        ctl: [""; 5],
    },
    Pattern {
        name: "Precedence",
        description: "S precedes P",
        letters: &["S", "P"],
        ltl: [
            "!P W S",
            "<> R -> (!P U (S || R))",
            "[] !Q || <> (Q && (!P W S))",
            "[] ((Q && !R && <> R) -> (!P U (S || R)))",
            "[] ((Q && !R) -> (!P W (S || R)))",
        ],
        ctl: [
            "A[!P W S]",
            "A[(!P || AG !R) W (S || R)]",
            "A[!Q W (Q && A[!P W S])]",
            "AG ((Q && !R) -> A[(!P || AG !R) W (S || R)])",
            "AG ((Q && !R) -> A[!P W (S || R)])",
        ],
    },
    Pattern {
        name: "Response",
        description: "S responds to P",
        letters: &["S", "P"],
        ltl: [
            "[] (P -> <> S)",
            "<> R -> ((P -> (!R U (S && !R))) U R)",
            "[] (Q -> [] (P -> <> S))",
            "[] ((Q && !R && <> R) -> ((P -> (!R U (S && !R))) U R))",
            "[] ((Q && !R) -> ((P -> (!R U (S && !R))) W R))",
        ],
        ctl: [
            "AG (P -> AF S)",
            "A[((P -> A[!R U (S && !R)]) || AG !R) W R]",
            "A[!Q W (Q && AG (P -> AF S))]",
            "AG ((Q && !R) -> A[((P -> A[!R U (S && !R)]) || AG !R) W R])",
            "AG ((Q && !R) -> A[(P -> A[!R U (S && !R)]) W R])",
        ],
    },
    Pattern {
        name: "Precedence chain",
        description: "S, then T, precede P",
        letters: &["S", "T", "P"],
        ltl: [
            "<> P -> (!P U (S && !P && X (!P U T)))",
            "<> R -> (!P U (R || (S && !P && X (!P U T))))",
            "[] !Q || (!Q U (Q && (<> P -> (!P U (S && !P && X (!P U T))))))",
            "[] ((Q && <> R) -> (!P U (R || (S && !P && X (!P U T)))))",
            "[] (Q -> (<> P -> (!P U (R || (S && !P && X (!P U T))))))",
        ],
        ctl: [""; 5],
    },
    Pattern {
        name: "Response chain",
        description: "S, then T, respond to P",
        letters: &["S", "T", "P"],
        ltl: [
            "[] (P -> <> (S && X <> T))",
            "<> R -> ((P -> (!R U (S && !R && X (!R U T)))) U R)",
            "[] (Q -> [] (P -> (S && X <> T)))",
            "[] ((Q && <> R) -> ((P -> (!R U (S && !R && X (!R U T)))) U R))",
            "[] (Q -> ((P -> (!R U (S && !R && X (!R U T)))) U (R || [] (P -> (S && X <> T)))))",
        ],
        ctl: [""; 5],
    },
];

/// The catalogue as data: a row for each pattern and scope.
pub(crate) fn catalogue() -> Value {
    let mut rows = Vec::new();
    for pattern in &PATTERNS {
        for (number, (scope, more)) in SCOPES.iter().enumerate() {
            let letters: Vec<&str> = pattern.letters.iter().chain(*more).copied().collect();
            rows.push(json!({
                "pattern": pattern.name,
                "scope": scope,
                "description": pattern.description,
                "ltl": pattern.ltl[number],
                "ctl": Some(pattern.ctl[number]).filter(|text| !text.is_empty()),
                "letters": letters,
            }));
        }
    }
    rows.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_formula_is_one_and_has_its_letters() {
        for row in catalogue().as_array().unwrap() {
            let wanted: BTreeSet<&str> = row["letters"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
            let ltl = kripke_logic::parse::ltl(row["ltl"].as_str().unwrap()).unwrap_or_else(|e| panic!("{row}: {e}"));
            let found: BTreeSet<&str> = ltl.atoms.iter().map(|(_, atom)| atom.text.as_str()).collect();
            assert_eq!(found, wanted, "{row}");
            if let Some(text) = row["ctl"].as_str() {
                let ctl = kripke_logic::parse::ctl(text).unwrap_or_else(|e| panic!("{row}: {e}"));
                let found: BTreeSet<&str> = ctl.atoms.iter().map(|(_, atom)| atom.text.as_str()).collect();
                assert_eq!(found, wanted, "{row}");
            }
        }
    }
}
