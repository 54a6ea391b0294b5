//! Every model that SPIN accepts parses; what SPIN rejects for its syntax is rejected.
//!
//! Runs over the corpus if it is beside the checkout, and is skipped otherwise.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use kripke_lang::diagnostic::Severity;
use kripke_lang::preprocess::Preprocess;
use kripke_lang::promela;
use kripke_lang::source::Loader;
use kripke_tests::places;

struct Disk;

impl Loader for Disk {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        std::fs::read(path)
    }
}

/// Rows SPIN rejects for a reason that is in the syntax.
const BAD_SYNTAX: &[&str] = &[
    "spins/regression/chan_op.prom",
    "spins/case_studies/bluespec/VendingMachineController/PromelaModels/vMachinePromelaCode-ConcurrentBluespecSemantics.txt",
];

#[test]
fn the_corpus_parses_as_spin_says() {
    let Some(corpus) = places::corpus() else { return };
    let root = corpus.join("promela");
    let table = std::fs::read_to_string(root.join("expected-spin.tsv")).expect("the table can be read");
    let mut accepted: BTreeMap<PathBuf, bool> = BTreeMap::new();
    for line in table.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        if let [path, "raw", ..] = columns[..] {
            accepted.insert(path.into(), columns.get(9) != Some(&"spin-error"));
        }
    }
    assert!(!accepted.is_empty(), "the table has no raw rows");
    let mut wrong = Vec::new();
    for (path, ok) in &accepted {
        let parsed = promela::parse(&root.join(path), &Disk, &Preprocess::default());
        let error = parsed.diagnostics.iter().find(|d| d.severity == Severity::Error);
        let uses_c = error.is_some_and(|e| e.message.contains("embedded C"));
        match error {
            Some(error) if *ok && !uses_c => {
                let line = error.labels.first().map_or(0, |l| parsed.sources.position(l.span).line);
                wrong.push(format!("{}:{line}: {}", path.display(), error.message));
            }
            None if BAD_SYNTAX.iter().any(|b| Path::new(b) == path) => {
                wrong.push(format!("{}: accepted", path.display()));
            }
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{} of {} disagree:\n{}", wrong.len(), accepted.len(), wrong.join("\n"));
}
