//! Kripke against a second opinion: random systems, questions and options, and for every verdict what a plain checker
//! that shares no code with Kripke says.
//!
//! `KRIPKE_OPINIONS` says how many verdicts are compared, `KRIPKE_OPINIONS_FROM` which seed is the first, and
//! `KRIPKE_OPINIONS_PROGRAM` names another build of the program, `KRIPKE_OPINIONS_ENOUGH` how many disagreements end the comparison.

mod case;
mod disagreement;
mod options;
mod program;
mod tally;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use kripke_tests::places;

use case::Case;
use program::Program;
use tally::Tally;

/// How many disagreements of one sort are made small and shown.
const SHOWN: usize = 2;

/// How many disagreements end the comparison.
const ENOUGH: usize = 50;

#[test]
fn the_program_agrees_with_the_second_opinion() {
    let wanted = places::setting("KRIPKE_OPINIONS", 2_000);
    let first = places::setting("KRIPKE_OPINIONS_FROM", 1) as u64;
    let enough_found = places::setting("KRIPKE_OPINIONS_ENOUGH", ENOUGH);
    let (next, stop) = (AtomicU64::new(first), AtomicBool::new(false));
    let (tally, found) = (Mutex::new(Tally::default()), Mutex::new(BTreeMap::<String, usize>::new()));
    let begin = Instant::now();
    std::thread::scope(|scope| {
        for thread in 0..2 {
            let (next, stop, tally, found) = (&next, &stop, &tally, &found);
            scope.spawn(move || {
                let program = Program::new(thread);
                while !stop.load(Ordering::Relaxed) {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    for case in Case::all(seed) {
                        let (part, disagreements) = disagreement::compare(&case, &program);
                        let enough = {
                            let mut tally = tally.lock().expect("no thread panics");
                            tally.add(&part);
                            tally.compared() >= wanted
                        };
                        for disagreement in disagreements {
                            let shown = {
                                let mut found = found.lock().expect("no thread panics");
                                *found.entry(disagreement.sort.clone()).or_default() += 1;
                                stop.fetch_or(found.values().sum::<usize>() >= enough_found, Ordering::Relaxed);
                                found[&disagreement.sort] <= SHOWN
                            };
                            if shown {
                                let compared = tally.lock().expect("no thread panics").compared();
                                let seconds = begin.elapsed().as_secs_f64();
                                let when = format!("seed {seed}, after {compared} verdicts and {seconds:.1} s");
                                eprintln!("{}", disagreement.shrunk(&program).text(&when));
                            }
                        }
                        stop.fetch_or(enough, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    let (tally, found) = (tally.into_inner().expect("no thread panics"), found.into_inner().expect("no thread panics"));
    println!("{}", tally.text(begin.elapsed()));
    assert!(found.is_empty(), "{} disagreements: {found:#?}", found.values().sum::<usize>());
    tally.check_floors(wanted);
}

/// What is compared with Kripke must not be made of it.
#[test]
fn the_second_opinion_uses_none_of_kripkes_code() {
    let mut folders = vec![places::root().join("tests/src/opinion")];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("the folder is there") {
            let path = entry.expect("the folder can be read").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("sources can be read");
            let foreign = text.lines().find(|line| line.contains("kripke_") || line.contains("crate::"));
            assert_eq!(foreign, None, "{}", path.display());
            files += 1;
        }
    }
    assert!(files > 10, "only {files} files");
}
