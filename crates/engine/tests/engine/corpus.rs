//! Compiled code against the reference interpreter on every model of the corpus, state by state.
//!
//! The test is skipped if the corpus is not beside the checkout. `KRIPKE_CORPUS_STATES` is the number of states per
//! model.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kripke_engine::{Compiled, Options};
use kripke_lang::source::Loader;
use kripke_tests::places;

pub struct Disk;

impl Loader for Disk {
    fn read(&self, path: &Path) -> std::io::Result<Vec<u8>> {
        std::fs::read(path)
    }
}

pub fn models(root: &Path) -> Vec<PathBuf> {
    let table = std::fs::read_to_string(root.join("expected-spin.tsv")).expect("the table can be read");
    let mut paths: Vec<PathBuf> =
        table.lines().skip(1).filter_map(|l| l.split('\t').next()).map(|p| root.join(p)).collect();
    paths.sort();
    paths.dedup();
    paths
}

#[test]
fn the_corpus_runs_as_interpreted() {
    run(Options { coverage: true, parts: true, verify: true, general_after: 0, ..Options::default() });
}

#[test]
fn the_corpus_runs_as_interpreted_by_general_code() {
    run(Options { verify: true, specialise: false, optimise: false, ..Options::default() });
}

fn run(options: Options) {
    let Some(corpus) = places::corpus() else { return };
    let root = corpus.join("promela");
    let paths = models(&root);
    assert!(!paths.is_empty(), "the table has no models");
    let limit = places::setting("KRIPKE_CORPUS_STATES", 300);
    let mut wrong = Vec::new();
    let mut unsupported: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let (mut count, mut states, mut rare) = (0, 0, 0);
    for path in &paths {
        let name = path.strip_prefix(&root).unwrap_or(path).display().to_string();
        let Some(model) = kripke_lang::load(path, &Disk, &Default::default()).model.map(Arc::new) else { continue };
        match Compiled::new(model.clone(), options) {
            Err(e) => unsupported.entry(e.0).or_default().push(name),
            Ok(compiled) => {
                let (seconds, bytes) = (compiled.compile_seconds(), compiled.code_bytes());
                if seconds > 0.05 {
                    println!("{name}: {:.0} ms for {bytes} bytes", seconds * 1e3);
                }
                match crate::compare::explore(&model, compiled, options.coverage, limit) {
                    Ok(seen) => {
                        count += 1;
                        states += seen.states;
                        rare += seen.rare;
                        if seen.rare > seen.states / 2 {
                            println!("{name}: {} of {} states left to the interpreter", seen.rare, seen.states);
                        }
                    }
                    Err(e) => wrong.push(format!("{name}: {e}")),
                }
            }
        }
    }
    println!("{count} models compiled, {states} states, {rare} of them left to the interpreter");
    for (reason, names) in &unsupported {
        println!("not compiled, {reason}: {}", names.join(" "));
    }
    assert!(wrong.is_empty(), "{} models differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 0, "no model was compiled");
}
