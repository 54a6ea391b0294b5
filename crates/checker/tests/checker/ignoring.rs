//! The ignoring problem: partial-order reduction must not postpone a process for ever.
//!
//! In each model a process has a cycle of independent steps, which is an ample set in every state. A reduction without the cycle
//! proviso explores that cycle alone.

use kripke::request::{Algorithm, Order, StoreKind};
use kripke::{Check, Language, Model};

/// Models with an error of another process. The process with the cycle comes last: of equally small ample sets the one of the
/// process with the highest number is chosen.
const SAFETY: [&str; 5] = [
    "byte x; active proctype Q() { assert(false) } active proctype P() { do :: x = 1; x = 0 od }",
    "byte x; active proctype Q() { byte i; i = 1; assert(i == 0) } active proctype P() { do :: x = 1; x = 2; x = 0 od }",
    "byte x, y; active proctype Q() { byte i; do :: i < 3 -> i++ :: else -> assert(i < 3) od } \
     active proctype R() { do :: y = 1; y = 0 od } active proctype P() { do :: x = 1; x = 0 od }",
    "chan c = [1] of { bit }; byte x; active proctype S() { c!1 } active proctype R() { bit b; c?b; assert(!b) } \
     active proctype P() { do :: x = 1; x = 0 od }",
    "byte x, y; active proctype Q() { y = 1; y = 2; y = 1 / (y - 2) } active proctype P() { do :: x = 1; x = 0 od }",
];

fn verdicts(text: &str, ask: impl Fn(Check<'_>) -> Check<'_>) -> Vec<(String, bool)> {
    let model = Model::parse(Language::PROMELA, text).expect("a model");
    let mut out = Vec::new();
    for (order, store, threads) in [
        (Order::BreadthFirst, StoreKind::Exact, 1),
        (Order::BreadthFirst, StoreKind::Exact, 3),
        (Order::BreadthFirst, StoreKind::Tree, 2),
        (Order::DepthFirst, StoreKind::Exact, 1),
        (Order::DepthFirst, StoreKind::Tree, 1),
    ] {
        for merging in [true, false] {
            let mut check = ask(Check::new(&model)).threads(threads).store(store);
            check.request().search.order = Some(order);
            // Slicing would remove the variables that nothing reads.
            let reductions = &mut check.request().reductions;
            (reductions.merging, reductions.slicing, reductions.dead_variables) = (merging, false, false);
            out.push((format!("{order:?} {store:?} {threads} {merging}"), check.run().expect("an answer").holds()));
        }
    }
    out
}

#[test]
fn no_error_is_ignored() {
    for text in SAFETY {
        for (options, holds) in verdicts(text, |c| c.safety()) {
            assert!(!holds, "{options}: {text}");
        }
    }
}

/// Every algorithm finds cycles of a process beside one whose steps are independent.
#[test]
fn no_cycle_is_ignored() {
    let models = [
        // Q alone for ever, while P waits at a location without a progress label.
        (
            "byte x; active proctype Q() { byte y; do :: y = 1; y = 0 od } active proctype P() { do :: x = 1; progress: x = 2 od }",
            "l",
        ),
        (
            "byte x; active proctype Q() { byte y; do :: y = 1; y = 0 od } active proctype P() { progress: do :: x = 1; x = 2 od }",
            "l",
        ),
        (
            "byte x; active proctype Q() { byte y; do :: y = 1; y = 0 od } active proctype P() { do :: x = 1; x = 2; progress: x = 3 od }",
            "l",
        ),
        (
            "byte x; active proctype Q() { byte y; do :: y = 1; y = 0 od } active proctype P() { do :: x = 1; progress: x = 2; x = 3 od }",
            "l",
        ),
        (
            "byte x; active proctype Q() { byte y; do :: y = 1; y = 0 od } active proctype P() { x = 1; do :: x = 2; progress: x = 3 od }",
            "l",
        ),
        (
            "byte x; active proctype Q() { byte y; accept: do :: y = 1; y = 0 od } active proctype P() { do :: x = 1; x = 0 od }",
            "a",
        ),
        (
            "byte x, z; active proctype Q() { do :: z = 1; z = 0 od } active proctype P() { do :: x = 1; x = 0 od }",
            "[] <> (z == 1)",
        ),
        (
            "byte x, z; active proctype Q() { do :: z = 1; z = 0 od } active proctype P() { do :: x = 1; x = 0 od }",
            "<> (z == 1)",
        ),
        ("byte x, z; active proctype Q() { z = 1; z = 2 } active proctype P() { do :: x = 1; x = 0 od }", "[] (z < 2)"),
        (
            "byte x, z; active proctype Q() { z = 1; z = 2 } active proctype P() { do :: x = 1; x = 0 od }",
            "! <> [] (z == 2)",
        ),
    ];
    for (text, question) in models {
        let model = Model::parse(Language::PROMELA, text).expect("a model");
        for algorithm in [Algorithm::Auto, Algorithm::Scc, Algorithm::Nested, Algorithm::Cndfs, Algorithm::Ufscc] {
            for threads in [1, 3] {
                let check = Check::new(&model).threads(threads);
                let mut check = match question {
                    "l" => check.non_progress(),
                    "a" => check.acceptance(),
                    formula => check.ltl(formula),
                };
                check.request().search.algorithm = algorithm;
                let reductions = &mut check.request().reductions;
                (reductions.slicing, reductions.dead_variables) = (false, false);
                reductions.merging = threads == 1;
                assert!(!check.run().expect("an answer").holds(), "{algorithm:?} {threads} {question}: {text}");
            }
        }
    }
}
