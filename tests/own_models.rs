//! The project's own models give exactly the counts in their tables.

use std::fs;
use std::path::Path;

use kripke_tests::measure::{Bounds, Measured, count_all, find_first};
use kripke_tests::table::{Row, Table};
use kripke_tests::{parallel, places};

const BOUNDS: Bounds = Bounds { states: 5_000_000, seconds: 120 };

/// What is different from what the row says, if anything.
fn difference(folder: &Path, row: &Row<'_>) -> Option<String> {
    let measured = count_all(&folder.join(row.get("model")), BOUNDS);
    let agrees = match (row.get("verdict"), &measured) {
        ("rejected", Measured::Rejected(_)) => true,
        ("fault", Measured::Counted(counts)) => counts.faults > 0,
        (verdict, Measured::Counted(counts)) => {
            let expected = [row.count("states"), row.count("transitions"), row.count("errors")];
            expected == [counts.states, counts.transitions, counts.errors()].map(Some) && verdict == counts.verdict()
        }
        _ => false,
    };
    let expected = ["states", "transitions", "errors", "verdict"].map(|c| row.get(c)).join(" ");
    (!agrees).then(|| format!("{}: expected {expected}, got {measured}", row.get("model")))
}

/// Rows in `deviations` are known to differ, and must.
fn compare(folder: &str, deviations: Option<&str>) {
    let folder = places::root().join(folder);
    let table = Table::read(&folder.join("expected.tsv"));
    let deviations = deviations.map(|file| Table::read(&places::root().join(file)));
    let deviates = |model: &str| deviations.iter().flat_map(Table::rows).any(|row| row.get("model") == model);
    let rows: Vec<_> = table.rows().collect();
    let results = parallel::map(&rows, |row| difference(&folder, row));
    let mut wrong = Vec::new();
    for (row, result) in rows.iter().zip(results) {
        match result {
            Err(panic) => wrong.push(format!("{}: {panic}", row.get("model"))),
            Ok(None) if deviates(row.get("model")) => {
                wrong.push(format!("{}: listed as a deviation, but agrees", row.get("model")));
            }
            Ok(Some(difference)) if !deviates(row.get("model")) => wrong.push(difference),
            Ok(_) => {}
        }
    }
    assert!(wrong.is_empty(), "{} of {} models differ:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

/// Every model has a row and every row a model.
fn covers(folder: &str) {
    let folder = places::root().join(folder);
    let table = Table::read(&folder.join("expected.tsv"));
    let mut listed: Vec<_> = table.rows().map(|row| row.get("model").to_string()).collect();
    let entries = fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let model = |name: &String| [".pml", ".dve", ".mdve", ".esml"].iter().any(|ending| name.ends_with(ending));
    let mut present: Vec<_> = names.filter(model).collect();
    listed.sort();
    present.sort();
    assert_eq!(listed, present, "the table and the folder differ");
}

#[test]
fn examples() {
    compare("examples", None);
}

#[test]
fn one_feature_models() {
    compare("tests/promela", Some("tests/deviations.tsv"));
}

#[test]
fn one_feature_esml_models() {
    compare("tests/esml", None);
}

/// The same system in several languages, written so that its steps are the same: so is its graph.
#[test]
fn twins_have_equal_graphs() {
    let folder = places::root().join("tests/twins");
    let counted = |path: &Path| match count_all(path, BOUNDS) {
        Measured::Counted(counts) => counts,
        other => panic!("{}: {other}", path.display()),
    };
    let mut pairs = 0;
    for entry in fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
        let path = entry.expect("a readable folder").path();
        if path.extension().is_some_and(|e| e != "pml") {
            let twin = path.with_extension("pml");
            assert_eq!(counted(&path), counted(&twin), "{}", path.display());
            pairs += 1;
        }
    }
    assert!(pairs > 0, "no twins");
}

/// Without `--raw`. SPIN, too, checks these claims only in a search that is not raw.
#[test]
fn exclusive_channels_are_watched() {
    for (model, violated) in
        [("xr-violated", true), ("xs-violated", true), ("xr-xs-good", false), ("xs-len-allowed", false)]
    {
        let path = places::root().join("tests/promela").join(model).with_extension("pml");
        let Measured::Counted(counts) = find_first(&path, BOUNDS) else { panic!("{model} can't be checked") };
        assert_eq!(counts.faults > 0, violated, "{model}");
    }
}

#[test]
fn tables_are_complete() {
    covers("examples");
    covers("tests/promela");
    covers("tests/esml");
}
