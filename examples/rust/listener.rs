//! A listener of your own: what a check reports while it runs.
//!
//! `cargo run -p kripke --example listener`

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use kripke::answer::Answer;
use kripke::monitor::{Monitor, Phase};
use kripke::{Check, Error, Language, Model};
use kripke_search::Progress;

/// Prints every event, and counts the searches.
#[derive(Default, Debug)]
pub struct Log {
    pub searches: AtomicUsize,
}

impl Monitor for Log {
    fn phase(&self, phase: Phase) {
        println!("{}", phase.words());
    }

    fn warn(&self, message: &str) {
        println!("warning: {message}");
    }

    fn search(&self, progress: &Arc<Progress>, _memory: Option<u64>, search: &mut dyn FnMut()) {
        self.searches.fetch_add(1, Ordering::Relaxed);
        search();
        println!("  {} states", progress.snapshot().states);
    }

    fn finished(&self, answer: &Answer) {
        println!("{}: {}", answer.task.name, answer.verdict.word());
    }
}

pub fn main() -> Result<(), Error> {
    let text = "byte x; active [2] proctype P() { do :: x < 9 -> x++ :: x > 0 -> x-- od }\nltl low { [] (x < 10) }";
    let model = Model::parse(Language::PROMELA, text)?;
    let log = Log::default();
    let results = Check::new(&model).ctl("AG EF (x == 0)").safety().run_with(&log)?;
    println!("{} answers, {} searches", results.answers.len(), log.searches.load(Ordering::Relaxed));
    Ok(())
}
