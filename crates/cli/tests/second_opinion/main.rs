//! Kripke against a second opinion: random systems, questions and options, and for every verdict what a plain checker
//! that shares no code with Kripke says.
//!
//! `KRIPKE_OPINIONS` says how many verdicts are compared, `KRIPKE_OPINIONS_FROM` which seed is the first,
//! `KRIPKE_OPINIONS_PROGRAM` names another build of the program, `KRIPKE_OPINIONS_ENOUGH` says how many disagreements end
//! the comparison, and `KRIPKE_OPINIONS_SHOWN` how many of each sort are made small and shown.

mod case;
mod disagreement;
mod options;
mod program;
mod tally;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use kripke_tests::places;

use case::Case;
use disagreement::Disagreement;
use program::Program;
use tally::Tally;

/// How many disagreements of one sort are made small and shown.
const SHOWN: usize = 2;

/// How many disagreements end the comparison.
const ENOUGH: usize = 50;

/// What all threads work on.
struct Comparison {
    wanted: usize,
    enough: usize,
    shown: usize,
    begin: Instant,
    next: AtomicU64,
    stop: AtomicBool,
    tally: Mutex<Tally>,
    /// How many disagreements there are of each sort.
    found: Mutex<BTreeMap<String, usize>>,
}

impl Comparison {
    fn new() -> Comparison {
        Comparison {
            wanted: places::setting("KRIPKE_OPINIONS", 2_000),
            enough: places::setting("KRIPKE_OPINIONS_ENOUGH", ENOUGH),
            shown: places::setting("KRIPKE_OPINIONS_SHOWN", SHOWN),
            begin: Instant::now(),
            next: AtomicU64::new(places::setting("KRIPKE_OPINIONS_FROM", 1)),
            stop: AtomicBool::new(false),
            tally: Mutex::default(),
            found: Mutex::default(),
        }
    }

    fn work(&self) {
        let program = Program::new();
        while !self.stop.load(Ordering::Relaxed) {
            let seed = self.next.fetch_add(1, Ordering::Relaxed);
            let cases = Case::all(seed);
            self.tally.lock().expect("no thread panics").system(cases.as_ref().err());
            for case in cases.unwrap_or_default() {
                let (part, disagreements) = disagreement::compare(&case, &program);
                let compared = {
                    let mut tally = self.tally.lock().expect("no thread panics");
                    tally.add(&part);
                    tally.compared()
                };
                for disagreement in disagreements {
                    self.show(disagreement, &program, seed, compared);
                }
                self.stop.fetch_or(compared >= self.wanted, Ordering::Relaxed);
            }
        }
    }

    fn show(&self, disagreement: Disagreement, program: &Program, seed: u64, compared: usize) {
        let shown = {
            let mut found = self.found.lock().expect("no thread panics");
            *found.entry(disagreement.sort.clone()).or_default() += 1;
            self.stop.fetch_or(found.values().sum::<usize>() >= self.enough, Ordering::Relaxed);
            found[&disagreement.sort] <= self.shown
        };
        if shown {
            let seconds = self.begin.elapsed().as_secs_f64();
            let when = format!("seed {seed}, after {compared} verdicts and {seconds:.1} s");
            eprintln!("{}", disagreement.shrunk(program).text(&when));
        }
    }
}

#[test]
fn the_program_agrees_with_the_second_opinion() {
    let comparison = Comparison::new();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            let comparison = &comparison;
            // Checks of formulas by their definitions are recursive.
            let builder = std::thread::Builder::new().stack_size(256 << 20);
            builder.spawn_scoped(scope, move || comparison.work()).expect("a thread");
        }
    });
    let time = comparison.begin.elapsed();
    let tally = comparison.tally.into_inner().expect("no thread panics");
    let found = comparison.found.into_inner().expect("no thread panics");
    println!("{}", tally.text(time));
    assert!(found.is_empty(), "{} disagreements: {found:#?}", found.values().sum::<usize>());
    tally.check_floors(comparison.wanted);
}

/// What is compared with Kripke must not be made of it: the checker uses the standard library and itself.
#[test]
fn the_second_opinion_uses_none_of_kripkes_code() {
    let folder = places::root().join("tests/src/opinion");
    let files = sources(&folder, "super::super") + sources(&folder.join("print"), "super::super::super");
    assert!(files > 15, "only {files} files");
}

/// Looks at each file of a folder; `outside` is what would lead out of the checker. Returns how many there are.
fn sources(folder: &Path, outside: &str) -> usize {
    let entries = std::fs::read_dir(folder).expect("the folder is there").map(|e| e.expect("it can be read").path());
    let files: Vec<PathBuf> = entries.filter(|path| path.is_file()).collect();
    for path in &files {
        let text = std::fs::read_to_string(path).expect("sources can be read");
        for line in text.lines() {
            let foreign = ["kripke_", "crate::", "extern ", outside].iter().any(|word| line.contains(word));
            let uses = line.trim_start().trim_start_matches("pub ").strip_prefix("use ");
            let own = uses.is_none_or(|from| ["std::", "super::"].iter().any(|start| from.starts_with(start)));
            assert!(own && !foreign, "{}: {line}", path.display());
        }
    }
    files.len()
}
