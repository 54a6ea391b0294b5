//! The counterexample of a liveness property is the same each time, whatever the number of threads: on the table of properties of the
//! examples, and on the LTL rows of the corpus. `KRIPKE_SAME_TRACE_STATES` says how large their products may be.

use std::path::{Path, PathBuf};
use std::process::Command;

use kripke_tests::table::Table;
use kripke_tests::{parallel, places};

/// The trail file of a check on standard output; empty if there is none.
fn trail(model: &Path, options: &[String], threads: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kripke"));
    command.arg("check").arg(model).args(options).args([threads, "--trail", "-", "--timeout", "60s", "--mem", "2G"]);
    let output = command.output().expect("the program can be started");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(matches!(output.status.code(), Some(0 | 1)), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(text.is_empty(), output.status.success(), "{command:?}");
    text
}

/// The runs that differ from the first.
fn difference((model, options): &(PathBuf, Vec<String>)) -> (bool, Option<String>) {
    let first = trail(model, options, "-j1");
    let other = ["-j1", "-j2", "-j2", "-j2"].into_iter().find(|threads| trail(model, options, threads) != first);
    (!first.is_empty(), other.map(|threads| format!("{} {options:?}: another trail with {threads}", model.display())))
}

/// Compares all cases; returns the number of violated ones.
fn compare(cases: &[(PathBuf, Vec<String>)]) -> usize {
    let results: Vec<_> = parallel::map(cases, difference).into_iter().map(Result::unwrap).collect();
    let wrong: Vec<&String> = results.iter().filter_map(|(_, wrong)| wrong.as_ref()).collect();
    assert!(wrong.is_empty(), "{} of {} differ:\n{wrong:#?}", wrong.len(), cases.len());
    results.iter().filter(|(violated, _)| *violated).count()
}

/// Words as a shell would see them, of a table in which quotes are simple.
fn words(text: &str) -> Vec<String> {
    let parts = text.split('\'').enumerate();
    parts
        .flat_map(|(i, part)| match i % 2 {
            0 => part.split_whitespace().map(String::from).collect(),
            _ => vec![part.to_string()],
        })
        .collect()
}

#[test]
fn examples_have_one_counterexample_each() {
    let folder = places::root().join("examples");
    let table = Table::read(&folder.join("properties.tsv"));
    let rows = table.rows().filter(|row| row.get("property").contains("--ltl"));
    let cases: Vec<_> = rows.map(|row| (folder.join(row.get("model")), words(row.get("property")))).collect();
    let violated = compare(&cases);
    assert!(violated >= 4, "only {violated} are violated");
}

/// A search for cycles may find other errors. It reports one, the one that a single thread finds.
#[test]
fn errors_that_are_no_cycles_are_the_same() {
    let folder = tempfile::TempDir::new().expect("a folder can be made");
    let model = folder.path().join("m.pml");
    let text = "byte x, y;\nactive [3] proctype p() {\n  do\n  :: x < 30 -> x++\n  :: x > 3 -> assert(x % 5 != 4)\n  :: y < 9 -> y++\n  \
                :: x == 30 && y == 9 -> break\n  od\n}\nltl live { [] <> (x < 200) }\n";
    std::fs::write(&model, text).expect("the model can be written");
    let cases = vec![(model, words("-N live")); 4];
    assert_eq!(compare(&cases), cases.len());
}

#[test]
fn corpus_models_have_one_counterexample_each() {
    let Some(corpus) = places::corpus() else { return };
    let models = corpus.join("promela");
    let table = Table::read(&models.join("expected-spin.tsv"));
    let most = places::setting("KRIPKE_SAME_TRACE_STATES", 3_000);
    let rows = table.rows().filter(|row| {
        let small = row.count("states_stored").is_some_and(|states| states <= most);
        row.get("mode").starts_with("accept[") && !["ok", "-"].contains(&row.get("verdict")) && small
    });
    let cases: Vec<_> = rows
        .map(|row| {
            let name = row.get("mode").trim_start_matches("accept[").trim_end_matches(']').to_string();
            (models.join(row.get("path")), vec!["--property".to_string(), name])
        })
        .collect();
    let violated = compare(&cases);
    places::notice(&format!("{violated} counterexamples are the same with one thread and with two"));
    assert!(violated >= 10, "only {violated} are violated");
}
