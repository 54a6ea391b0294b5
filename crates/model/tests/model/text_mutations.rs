//! Reading any text ends in a model or an error, never in a panic.
//!
//! `KRIPKE_IR_MUTATIONS` says how many texts are read.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use kripke_model::{Batch, Choice, Interpreter, Model, Random, Successors};

/// Pieces that mean something somewhere.
const PIECES: [&str; 40] = [
    "process p",
    "L0:",
    "L1",
    "E3:",
    "edge E9",
    "-> L0",
    "chain L1",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "#3",
    "global::",
    "::",
    "@",
    "@3..4",
    "?[_]",
    "??[",
    "-",
    "-2147483648",
    "2147483648",
    "99999999999999999999",
    "4294967295",
    "\"",
    "`",
    "\\",
    "unused:",
    "when",
    "local x: u8",
    "param x: i32 as pid",
    "observer marks(1)",
    "trace end L0",
    "automaton a",
    "start p",
    "goal 1",
    "property f ltl",
    "é",
    "(((((((((((((((((",
];

/// Words, numbers, single other characters.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    for c in text.chars() {
        match tokens.last_mut().filter(|last| c.is_alphanumeric() && last.ends_with(char::is_alphanumeric)) {
            Some(last) => last.push(c),
            None => tokens.push(c.to_string()),
        }
    }
    tokens
}

fn mutate(random: &mut Random, seeds: &[Vec<String>]) -> String {
    let mut tokens = random.pick(seeds).clone();
    for _ in 0..1 + random.below(4) {
        let at = random.below(tokens.len().max(1)).min(tokens.len());
        match random.below(6) {
            0 => tokens.truncate(at),
            1 => tokens.insert(at, random.pick(&PIECES).to_string()),
            2 => {
                tokens.drain(at..(at + 1 + random.below(3)).min(tokens.len()));
            }
            3 => {
                let piece: Vec<String> = tokens.iter().skip(at).take(1 + random.below(30)).cloned().collect();
                let to = random.below(tokens.len() + 1);
                tokens.splice(to..to, piece);
            }
            4 => {
                let other = random.pick(seeds);
                let token = random.pick(other).clone();
                tokens.get_mut(at).into_iter().for_each(|old| old.clone_from(&token));
            }
            _ => {
                let to = random.below(tokens.len().max(1)).min(tokens.len().saturating_sub(1));
                if at < tokens.len() {
                    tokens.swap(at, to);
                }
            }
        }
    }
    tokens.concat()
}

/// Reads a text. A model is written, read again and validated; a valid one takes a few steps.
fn read(text: &str) -> bool {
    let Ok(model) = Model::parse(text) else { return false };
    assert_eq!(Model::parse(&format!("{model:#}")).as_ref(), Ok(&model));
    if model.validate().is_ok()
        && let Ok(mut interpreter) = Interpreter::new(Arc::new(model))
    {
        let mut batch = Batch::new();
        interpreter.initial(&mut batch);
        let mut states: Vec<Vec<u8>> = batch.states().map(<[u8]>::to_vec).collect();
        for at in 0..5 {
            let Some(state) = states.get(at).cloned() else { break };
            batch.clear();
            interpreter.expand(&state, Choice::All, &mut batch);
            states.extend(batch.states().map(<[u8]>::to_vec));
        }
    }
    true
}

#[test]
fn mutated_texts_are_read_or_refused() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ir");
    let mut paths: Vec<_> = fs::read_dir(folder).expect("the folder").map(|e| e.expect("an entry").path()).collect();
    paths.sort();
    let text = |path: &_| fs::read_to_string(path).expect("a text");
    let bare = |text: String| text.lines().filter(|l| !l.starts_with("//")).collect::<Vec<_>>().join("\n");
    let seeds: Vec<Vec<String>> = paths.iter().map(|path| tokens(&bare(text(path)))).collect();
    let count: u64 = std::env::var("KRIPKE_IR_MUTATIONS").ok().and_then(|v| v.parse().ok()).unwrap_or(5_000);
    let mut models = 0;
    for seed in 0..count {
        let text = mutate(&mut Random::new(seed), &seeds);
        let result = std::panic::catch_unwind(|| read(&text));
        models += u64::from(result.unwrap_or_else(|_| panic!("number {seed} panics:\n{text}")));
    }
    assert!(models * 20 > count, "only {models} of {count} texts are models");
    assert!(models * 20 < count * 19, "{models} of {count} texts are models");
}

#[test]
fn deep_texts_are_read_or_refused() {
    for (open, middle, close) in [
        ("(", "1", ")"),
        ("-", "x", ""),
        ("(1 + ", "x", ")"),
        ("(", "x", " + 1)"),
        ("(1 ? 2 : ", "x", ")"),
        ("a[", "0", "]"),
        ("len(", "x", ")"),
        ("x?[=", "1", "]"),
        ("(", "x", ")?[_]"),
        ("p[", "0", "]::n"),
        ("p[", "0", "]@L0"),
    ] {
        for times in [10, 1_000, 1_199, 1_200, 100_000] {
            let (open, close) = (open.repeat(times), close.repeat(times));
            let text = format!("global x: u8 global a: u8[1] process p local n: u8 L0: end goal {open}{middle}{close}");
            match Model::parse(&text) {
                Ok(model) => {
                    assert!(times < 1_200, "{open:.9}");
                    let _ = model.validate();
                    assert_eq!(Model::parse(&model.to_string()).as_ref(), Ok(&model));
                }
                Err(error) => {
                    assert!(times >= 1_200 && error.message.contains("within each other"), "{open:.9}: {error}")
                }
            }
        }
    }
}
