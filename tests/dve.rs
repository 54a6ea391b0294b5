//! BEEM in DVE, where the corpus is beside the checkout: the counts that DiVinE and LTSmin published, exactly.
//!
//! `KRIPKE_DVE_MAX_STATES` says how large the models may be; larger ones are left to a longer run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use kripke_lang::preprocess::MacroOption;
use kripke_tests::measure::{Bounds, Counts, Measured, count_all, count_with_claim, holds, reaches};
use kripke_tests::table::{Row, Table};
use kripke_tests::{parallel, places};

/// What others counted. What they did not is not compared.
#[derive(Clone, Copy, Default, Debug)]
struct Expected {
    states: Option<u64>,
    transitions: Option<u64>,
    deadlocks: Option<u64>,
    /// Errors of evaluation; none unless it is said that there are.
    faults: u64,
}

fn max_states() -> u64 {
    places::setting("KRIPKE_DVE_MAX_STATES", 30_000)
}

fn corpus() -> Option<PathBuf> {
    let folder = places::corpus()?.join("dve");
    if !folder.exists() {
        places::missing("the corpus has no DVE models");
        return None;
    }
    Some(folder)
}

impl Expected {
    fn difference(&self, counts: &Counts) -> Option<String> {
        let agree = |expected: Option<u64>, counted| expected.is_none_or(|expected| expected == counted);
        let fine = agree(self.states, counts.states)
            && agree(self.transitions, counts.transitions)
            && agree(self.deadlocks, counts.invalid_ends)
            && self.faults == counts.faults;
        (!fine).then(|| format!("expected {self:?}, counted {counts} with {} deadlocks", counts.invalid_ends))
    }
}

/// Compares every model that is not too large; what is different is a failure.
fn compare(folder: &Path, all: &BTreeMap<String, Expected>, count: fn(&Path, Bounds) -> Measured) {
    let max = max_states();
    let cases: Vec<_> = all.iter().filter(|(_, e)| e.states.is_some_and(|states| states <= max)).collect();
    let bounds = Bounds { states: max * 2, seconds: 600 };
    let results = parallel::map(&cases, |(path, expected)| match count(&folder.join(path), bounds) {
        Measured::Counted(counts) => expected.difference(&counts),
        other => Some(other.to_string()),
    });
    let wrong: Vec<String> = cases
        .iter()
        .zip(results)
        .filter_map(|((path, _), result)| Some(format!("{path}: {}", result.unwrap_or_else(Some)?)))
        .collect();
    places::notice(&format!("{} of {} DVE models compared", cases.len(), all.len()));
    assert!(wrong.is_empty(), "{} of {} models differ:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn counts_are_those_of_divine() {
    let Some(folder) = corpus() else { return };
    let mut all = BTreeMap::<String, Expected>::new();
    for row in Table::read(&folder.join("expected-beem.tsv")).rows().filter(|r| r.get("completeness") == "complete") {
        let expected = Expected { states: row.count("states"), transitions: row.count("edges"), ..Expected::default() };
        all.insert(row.get("path").to_string(), expected);
    }
    for row in Table::read(&folder.join("expected-ltsmin-divine.tsv")).rows() {
        let expected = all.entry(row.get("path").to_string()).or_default();
        expected.states = expected.states.or(row.count("states"));
        expected.transitions = row.count("trans");
        expected.deadlocks = row.count("deadlocks");
    }
    let differ = Table::read(&places::root().join("tests/dve-exceptions.tsv"));
    for row in differ.rows() {
        let expected = all.get_mut(row.get("path")).unwrap_or_else(|| panic!("{} is not in BEEM", row.get("path")));
        *expected = Expected {
            states: row.count("states"),
            transitions: row.count("transitions"),
            deadlocks: None,
            faults: row.count("faults").unwrap_or(0),
        };
    }
    compare(&folder, &all, count_all);
}

#[test]
fn products_with_a_property_are_those_of_divine() {
    let Some(folder) = corpus() else { return };
    let mut all = BTreeMap::new();
    for row in Table::read(&folder.join("expected-ltl-ltsmin-divine.tsv")).rows() {
        let expected = Expected {
            states: row.count("product_states_divine_metrics"),
            transitions: row.count("product_trans"),
            ..Expected::default()
        };
        all.insert(row.get("path").to_string(), expected);
    }
    compare(&folder, &all, count_with_claim);
}

#[test]
fn properties_hold_where_beem_says_so() {
    let Some(folder) = corpus() else { return };
    let max = max_states();
    let small = complete(&folder, max);
    let table = Table::read(&folder.join("expected-beem-properties.tsv"));
    let asked: Vec<[String; 2]> = table
        .rows()
        .filter(|r| r.get("kind") == "LTL" && r.get("property_dve") != "-" && small.contains(r.get("path")))
        .filter(|r| ["yes", "no"].contains(&r.get("answer")))
        .map(|r| ["property_dve", "answer"].map(|c| r.get(c).to_string()))
        .collect();
    let results = parallel::map(&asked, |[path, answer]| {
        match holds(&folder.join(path), Bounds { states: max * 3, seconds: 600 })? {
            Some(fine) if fine != (answer == "yes") => Err(format!("BEEM says {answer}, we say that it holds: {fine}")),
            known => Ok(known.is_some()),
        }
    });
    let (mut agree, mut wrong) = (0, Vec::new());
    for ([path, _], result) in asked.iter().zip(results) {
        match result.and_then(|r| r) {
            Ok(known) => agree += usize::from(known),
            Err(how) => wrong.push(format!("{path}: {how}")),
        }
    }
    places::notice(&format!("{agree} of {} properties of BEEM judged alike", asked.len()));
    assert!(wrong.is_empty(), "{} verdicts differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// The models with at most so many states.
fn complete(folder: &Path, max: u64) -> BTreeSet<String> {
    let sizes = Table::read(&folder.join("expected-beem.tsv"));
    let small = |r: &Row<'_>| r.get("completeness") == "complete" && r.count("states").is_some_and(|n| n <= max);
    sizes.rows().filter(small).map(|r| r.get("path").to_string()).collect()
}

/// The text between two tags, each time they occur.
fn between<'t>(text: &'t str, open: &'t str, close: &'t str) -> impl Iterator<Item = &'t str> {
    text.split(open).skip(1).filter_map(move |rest| rest.split(close).next())
}

fn plain(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&").trim().to_string()
}

/// What BEEM's description of a family says a proposition is, with the parameters of one of its models.
fn proposition(description: &str, formula: &str, instance: &str) -> Result<String, String> {
    let names = between(description, "<ap-name>", "</ap-name>").map(plain);
    let meanings = between(description, "<ap-expression>", "</ap-expression>").map(plain);
    let known: BTreeMap<String, String> = names.zip(meanings).collect();
    let formula = plain(formula);
    let words = formula.split_inclusive(|c: char| !c.is_alphanumeric() && c != '_').map(|word| {
        let bare = word.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '_');
        match known.get(bare) {
            // Without brackets: `not` binds more strongly than `==`, and BEEM's answers for brp2 show that they had none.
            Some(meaning) => format!("{meaning}{}", &word[bare.len()..]),
            None => word.to_string(),
        }
    });
    let text: String = words.collect();
    let start = format!("<instance id=\"{instance}\">");
    let parameters = between(description, &start, "</instance>").next().unwrap_or_default();
    let parameters = between(parameters, "<parameters>", "</parameters>").next().unwrap_or_default();
    let defined = parameters.split(',').map(|p| p.trim().to_string()).filter(|p| !p.is_empty());
    let macros: Vec<MacroOption> = defined.map(MacroOption::Define).collect();
    kripke_lang::dve::expand(&text, &macros).map_err(|d| d.message)
}

#[test]
fn reachable_states_are_those_of_beem() {
    let Some(folder) = corpus() else { return };
    let max = max_states();
    let small = complete(&folder, max);
    let table = Table::read(&folder.join("expected-beem-properties.tsv"));
    let asked: Vec<[String; 3]> = table
        .rows()
        .filter(|r| r.get("kind") == "reachability" && ["yes", "no"].contains(&r.get("answer")))
        .map(|r| ["path", "formula", "answer"].map(|c| r.get(c).to_string()))
        .filter(|[path, ..]| small.contains(path))
        .collect();
    let results = parallel::map(&asked, |[path, formula, answer]| {
        let model = folder.join(path);
        let stem = model.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let (family, instance) = stem.rsplit_once('.').unwrap_or((&stem, ""));
        let description = model.with_file_name(format!("{family}.xml"));
        let description = std::fs::read_to_string(&description).unwrap_or_default();
        // Parameters that have a default only the authors know are left as names.
        let unknown = |why: String| why.contains("not declared").then_some(None).ok_or(why);
        let condition = proposition(&description, formula, instance)?;
        let bounds = Bounds { states: max * 2, seconds: 600 };
        let reached = reaches(&model, &condition, bounds).or_else(unknown)?;
        match reached {
            Some(reached) if reached != (answer == "yes") => Err(format!("{condition}: reached is {reached}")),
            known => Ok(known.is_some()),
        }
    });
    let (mut agree, mut wrong) = (0, Vec::new());
    for ([path, formula, _], result) in asked.iter().zip(results) {
        match result.and_then(|r| r) {
            Ok(known) => agree += usize::from(known),
            Err(how) => wrong.push(format!("{path}, {formula}: {how}")),
        }
    }
    places::notice(&format!("{agree} of {} questions of BEEM answered alike", asked.len()));
    assert!(wrong.is_empty(), "{} answers differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(agree * 10 >= asked.len() * 8, "only {agree} of {} could be compared", asked.len());
}

/// The model of the language's definition, whose state space is drawn there.
#[test]
fn the_drink_dispenser_is_as_drawn() {
    let Some(corpus) = places::corpus() else { return };
    let path = corpus.join("seed-models/drink-dispenser.dve");
    let expected = Expected { states: Some(26), transitions: Some(28), deadlocks: Some(4), faults: 0 };
    match count_all(&path, Bounds { states: 100, seconds: 60 }) {
        Measured::Counted(counts) => assert_eq!(expected.difference(&counts), None),
        other => panic!("{other}"),
    }
}

/// All files of the corpus can be read, however large their state spaces are.
#[test]
fn every_model_is_read() {
    let Some(folder) = corpus() else { return };
    let mut files = Vec::new();
    for family in std::fs::read_dir(folder.join("beem")).expect("the corpus can be listed").flatten() {
        let entries = std::fs::read_dir(family.path()).expect("a family can be listed").flatten().map(|e| e.path());
        files.extend(entries.filter(|path| path.extension().is_some_and(|e| e == "dve")));
    }
    assert!(files.len() > 500, "only {} files", files.len());
    let read = |path: &PathBuf| kripke_tests::measure::load(path).err();
    let refused: Vec<_> = files.iter().filter_map(|path| Some((path, read(path)?))).collect();
    assert!(refused.is_empty(), "{refused:?}");
}
