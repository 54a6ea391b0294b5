//! Several processes count and find what one process counts and finds.

use std::path::{Path, PathBuf};

use kripke_tests::table::{Row, Table};
use kripke_tests::{parallel, places};
use serde_json::Value;

use crate::mpirun::{Run, alone, is_installed, ranks};

/// Models of the corpus, besides the examples.
const SAMPLE: usize = 60;
const MOST_STATES: u64 = 300_000;

/// The part of a result that does not depend on who has searched. Of a property that is violated, the search stops at once, so its
/// counts do.
fn result(json: &Value) -> Value {
    let keys = ["verdict", "complete", "states", "transitions", "depth", "errors", "reason"];
    keys.iter().map(|key| (key.to_string(), json[key].clone())).collect()
}

/// Compares ranks with one process.
fn compare(file: &Path, number: usize, options: &[&str]) -> Result<(), String> {
    let folder = file.parent().expect("a folder");
    let args = [&["check", file.to_str().expect("a name"), "--format", "json", "--no-trail"], options].concat();
    let (plain, ours) = (alone(folder, &args), ranks(folder, number, &args));
    if plain.status != ours.status {
        return Err(format!("{}: status {} and {}: {ours:?}", file.display(), plain.status, ours.status));
    }
    let (plain, ours) = (result(&plain.json()), result(&ours.json()));
    if plain != ours { Err(format!("{} with {number} ranks: {plain} and {ours}", file.display())) } else { Ok(()) }
}

const RAW: [&str; 4] = ["--raw", "--property=safety", "--all-errors", "--search=bfs"];

fn examples() -> Vec<PathBuf> {
    let folder = std::fs::read_dir(places::root().join("examples")).expect("examples");
    let files = folder.map(|entry| entry.expect("an entry").path());
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|e| e == "pml" || e == "dve" || e == "esml")).collect();
    files.sort();
    files
}

#[test]
fn examples_have_the_results_of_one_process() {
    if !is_installed() {
        return;
    }
    let cases: Vec<(usize, PathBuf)> = examples().into_iter().enumerate().collect();
    let results = parallel::map(&cases, |(number, file)| compare(file, 2 + number % 2, &RAW));
    let wrong: Vec<String> = results.into_iter().filter_map(|r| r.and_then(|r| r).err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Models of the corpus with counts, spread over the tables of both languages.
fn sample(corpus: &Path) -> Vec<PathBuf> {
    let (promela, dve) = (corpus.join("promela"), corpus.join("dve"));
    let tables = [promela.join("expected-spin.tsv"), dve.join("expected-ltsmin-divine.tsv")].map(|t| Table::read(&t));
    let is_small = |count: Option<u64>| count.is_some_and(|states| states <= MOST_STATES);
    let is_raw = |row: &Row<'_>| row.get("mode") == "raw" && row.get("status") == "complete";
    let rows = tables[0].rows().filter(|row| is_raw(row) && is_small(row.count("states_stored")));
    let mut all: Vec<PathBuf> = rows.map(|row| promela.join(row.get("path"))).collect();
    all.extend(tables[1].rows().filter(|row| is_small(row.count("states"))).map(|row| dve.join(row.get("path"))));
    (0..SAMPLE).map(|number| all[number * all.len() / SAMPLE].clone()).collect()
}

#[test]
fn models_of_the_corpus_have_the_counts_of_one_process() {
    let Some(corpus) = places::corpus().filter(|_| is_installed()) else { return };
    let cases: Vec<(usize, PathBuf)> = sample(&corpus).into_iter().enumerate().collect();
    let is_dve = |case: &&(usize, PathBuf)| case.1.extension().is_some_and(|ending| ending == "dve");
    let dve = cases.iter().filter(is_dve).count();
    assert!(dve > 5 && dve < SAMPLE, "{dve} of {SAMPLE} models are DVE");
    let results = parallel::map(&cases, |(number, file)| compare(file, 2 + number % 3, &RAW));
    let wrong: Vec<String> = results.into_iter().filter_map(|r| r.and_then(|r| r).err()).collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    places::notice(&format!("{} models, {dve} of them DVE, with 2 to 4 processes", cases.len()));
}

/// Accepting cycles: the verdicts of properties, with several algorithms.
#[test]
fn properties_have_the_verdicts_of_one_process() {
    if !is_installed() {
        return;
    }
    let verdicts = |json: &Value| -> Vec<String> {
        let all = json["properties"].as_array().expect("properties");
        all.iter().map(|property| format!("{} {}", property["name"], property["verdict"])).collect()
    };
    let folder = places::root().join("examples");
    for (file, cycles) in [("alternating-bit.pml", "owcty"), ("mutex-peterson.pml", "map"), ("elevator.pml", "pd-ndfs")]
    {
        let args = ["check", file, "--format", "json", "--no-trail"];
        let (plain, ours) = (alone(&folder, &args), ranks(&folder, 2, &[&args[..], &["--cycles", cycles]].concat()));
        assert_eq!(plain.status, ours.status, "{file}: {ours:?}");
        assert_eq!(verdicts(&plain.json()), verdicts(&ours.json()), "{file}");
    }
}

/// Each process executes only a part of the statements, and all of them count.
#[test]
fn coverage_is_that_of_one_process() {
    if !is_installed() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let model = "\
byte x, y;
proctype p() { do :: x < 3 -> x++ :: x > 7 -> skip :: else -> break od; printf(\"p\") }
proctype q() { do :: y < 3 -> y++ :: else -> break od; if :: y == 9 -> y = 1 :: else -> y = 2 fi }
init { run p(); run q() }
";
    std::fs::write(folder.path().join("two.pml"), model).expect("a model");
    for more in [&[][..], &["--no-partial-order"], &["--raw"]] {
        let args = [&["check", "two.pml", "--unreached", "--format", "json"], more].concat();
        let plain = alone(folder.path(), &args).json();
        assert!(plain["unreached"].as_array().is_some_and(|list| list.len() == 4), "{plain}");
        for number in 2..=4 {
            let ours = Run::start(folder.path(), number, &args).end().json();
            assert_eq!(plain["unreached"], ours["unreached"], "{number} ranks, {more:?}");
            assert_eq!(plain["dead"], ours["dead"], "{number} ranks, {more:?}");
        }
    }
}

/// Text, JSON and trail files are written once.
#[test]
fn output_is_written_once() {
    if !is_installed() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let model = folder.path().join("wrong.pml");
    std::fs::write(&model, "byte n; active proctype p() { n = 1; assert(n == 0) }\n").expect("a model");
    let said = ranks(folder.path(), 3, &["check", "wrong.pml"]);
    assert_eq!(said.status, 1, "{said:?}");
    assert_eq!(
        said.out.matches("assertion").count(),
        alone(folder.path(), &["check", "wrong.pml"]).out.matches("assertion").count(),
        "{said:?}"
    );
    let names: Vec<_> =
        std::fs::read_dir(folder.path()).expect("files").map(|e| e.expect("an entry").file_name()).collect();
    assert!(names.iter().all(|name| !name.to_string_lossy().contains("tmp")), "{names:?}");
}
