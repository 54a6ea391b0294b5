//! Mutated texts: every input gives a result or a located error, never a panic or a hang.
//!
//! Every input is a function of its number. `KRIPKE_FUZZ` is the number of inputs.

use std::panic::{AssertUnwindSafe, catch_unwind};

use kripke_logic::{Class, Problem, hoa, never, parse, simplify, translate};

use crate::random::Random;

const DEFAULT_INPUTS: usize = 6_000;

const FORMULAS: &[&str] = &[
    "[] (x > 3 -> <> (a[i] == 2 && len(q) < 3))",
    "<> P@label U ([] (P[1]:n == 2) W {x == 1}) V !(\"y\" <-> q?[red])",
    "G (P.cs -> F Q.wait) R (c -> a : b) && X !p == 'c' || always eventually not r",
    "(((p U q) U r) U s) && [] <> p && [] <> q && ([] (p -> <> q) || <> [] r)",
    "AG (p -> A[q U EF r]) && E(p R !q)",
];
const CLAIMS: &[&str] = &[
    "never { /* <> p */\nT0_init:\n\tdo\n\t:: atomic { (p) -> assert(!(p)) }\n\t:: (1) -> goto T0_init\n\tod;\naccept_all:\n\tskip\n}\n",
    "never c {\naccept_init:\n\tif\n\t:: (x == 1 && !q) -> goto T0_S1\n\t:: else -> break_it: skip; goto accept_init\n\tfi;\nT0_S1:\n\tdo :: (a[2] > len(q)) -> break :: else od;\n\tfalse\n}",
];
const AUTOMATA: &[&str] = &[
    "HOA: v1\nname: \"GFa\"\nStates: 2\nStart: 0\nacc-name: generalized-Buchi 2\nAcceptance: 2 Inf(0)&Inf(1)\nAP: 2 \"a\" \"b > \\\"1\\\"\"\nAlias: @x 0&!1\nproperties: trans-acc\n--BODY--\nState: 0\n[0&!1] 0 {0 1}\n[!0 | @x] 1\nState: 1 \"one\" {0}\n[t] 0\n--END--\n",
    "HOA: v1\nStates: 1\nStart: 0\nStart: 0\nAP: 0\nAcceptance: 0 t\n--BODY--\nState: [t] 0\n0\n--END--\n",
];

const WORDS: &[&str] = &[
    "[]",
    "<>",
    "U",
    "V",
    "W",
    "R",
    "X",
    "G",
    "F",
    "A",
    "E",
    "AG",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "!",
    "&&",
    "||",
    "->",
    "<->",
    "::",
    ":",
    ";",
    "do",
    "od",
    "if",
    "fi",
    "goto",
    "skip",
    "break",
    "else",
    "never",
    "accept_init",
    "T0_init",
    "HOA:",
    "v1",
    "States:",
    "Start:",
    "AP:",
    "Acceptance:",
    "Inf(0)",
    "Fin(1)",
    "State:",
    "--BODY--",
    "--END--",
    "0",
    "1",
    "2",
    "99999999999999999999",
    "4000000000",
    "t",
    "f",
    "&",
    "|",
    "@x",
    "\"",
    "'",
    "/*",
    "*/",
    "//",
    "p",
    "q",
    "é",
    "\u{0}",
    "x == 1",
    "p U q",
    "\n",
    " ",
];

/// A text in which a few pieces are replaced, removed, repeated or inserted.
fn mutated(random: &mut Random, text: &str) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..=random.below(4) {
        let at = random.below(chars.len() + 1);
        let length = random.below(12).min(chars.len() - at);
        let piece: Vec<char> = match random.below(5) {
            0 => Vec::new(),
            1 => chars[at..at + length].repeat(2),
            2 => chars[at..at + length].repeat(60),
            _ => format!(" {} ", WORDS[random.below(WORDS.len())]).chars().collect(),
        };
        chars.splice(at..at + length, piece);
    }
    chars.into_iter().collect()
}

fn located<T>(result: Result<T, Problem>, text: &str) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(problem) => {
            let span = problem.span;
            assert!(span.start <= span.end && span.end <= text.len(), "{problem:?}");
            assert!(text.is_char_boundary(span.start) && text.is_char_boundary(span.end), "{problem:?}");
            assert!(!problem.message.is_empty());
            None
        }
    }
}

fn read_everything(text: &str) {
    if let Some(ltl) = located(parse::ltl(text), text)
        && let Ok(translation) = translate(&ltl)
    {
        let again = ltl.to_string();
        assert_eq!(parse::ltl(&again).map(|l| l.formula), Ok(ltl.formula), "{again}");
        let shown = hoa::generalised(&translation.generalised, text);
        assert!(hoa::read(&shown).is_ok(), "{shown}");
    }
    if let Some(ctl) = located(parse::ctl(text), text) {
        let shown = ctl.to_string();
        assert!(parse::ctl(&shown).is_ok(), "{shown}");
    }
    if let Some(claim) = located(never::read(text), text) {
        Class::of_buchi(&claim);
        let shown = never::write(&claim, text);
        assert!(never::read(&shown).is_ok(), "{shown}");
    }
    if let Some(automaton) = located(hoa::read(text), text)
        && let Ok(simple) = simplify(&automaton)
    {
        Class::of_generalised(&simple.generalised);
    }
}

#[test]
fn mutated_texts_never_break_anything() {
    let inputs = std::env::var("KRIPKE_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(DEFAULT_INPUTS);
    let seeds: Vec<&str> = [FORMULAS, CLAIMS, AUTOMATA].concat();
    for number in 0..inputs {
        let mut random = Random::of_case(0x6675_7a7a, number);
        let text = mutated(&mut random, seeds[number % seeds.len()]);
        let outcome = catch_unwind(AssertUnwindSafe(|| read_everything(&text)));
        assert!(outcome.is_ok(), "input {number}:\n{text}");
    }
}

#[test]
fn the_seeds_themselves_are_read() {
    for text in &FORMULAS[..4] {
        assert!(parse::ltl(text).is_ok(), "{text}: {:?}", parse::ltl(text));
    }
    assert!(parse::ctl(FORMULAS[4]).is_ok(), "{:?}", parse::ctl(FORMULAS[4]));
    for text in CLAIMS {
        assert!(never::read(text).is_ok(), "{text}: {:?}", never::read(text));
    }
    for text in AUTOMATA {
        assert!(hoa::read(text).is_ok(), "{text}: {:?}", hoa::read(text));
    }
}
