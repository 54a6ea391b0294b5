//! Endless runs in the corpus, through the program: the verdicts of SPIN with every algorithm, and its counts where the
//! claim is written out.
//!
//! `KRIPKE_CORPUS_MAX_STATES` says how large the products may be.

use std::path::{Path, PathBuf};
use std::process::Command;

use kripke_tests::table::{Row, Table};
use kripke_tests::{parallel, places};
use serde_json::Value;

const TIMEOUT: &str = "60s";
/// For rows that SPIN has not finished either.
const SHORT_TIMEOUT: &str = "5s";

/// Algorithm, threads and store.
type How = (&'static str, &'static str, &'static str);

const ALGORITHMS: [How; 12] = [
    ("scc", "-j1", "auto"),
    ("scc", "-j1", "tree"),
    ("scc", "-j1", "exact"),
    ("nested", "-j1", "words"),
    ("nested", "-j1", "tree"),
    ("nested", "-j1", "exact"),
    ("cndfs", "-j2", "words"),
    ("cndfs", "-j2", "tree"),
    ("cndfs", "-j1", "exact"),
    ("ufscc", "-j2", "words"),
    ("ufscc", "-j2", "tree"),
    ("auto", "-j2", "auto"),
];

/// One question of the table.
#[derive(Debug)]
struct Case {
    path: PathBuf,
    mode: String,
    violated: bool,
    /// Those that SPIN stored, where it finished.
    states: Option<u64>,
    /// The claim is written out, so that its states are the same for everybody.
    claim: bool,
}

impl Case {
    /// Nothing if SPIN gave no verdict.
    fn new(models: &Path, row: &Row<'_>) -> Option<Case> {
        let (mode, verdict) = (row.get("mode").to_string(), row.get("verdict"));
        let temporal = mode.starts_with("accept") || mode.starts_with("np");
        if !temporal || verdict == "-" {
            return None;
        }
        let path = models.join(row.get("path"));
        let states = row.count("states_stored").filter(|_| row.get("status") == "complete");
        let claim = mode.starts_with("np") || has_claim(&path) && !mode.contains('[');
        Some(Case { path, violated: verdict != "ok", states, claim, mode })
    }

    fn arguments(&self) -> Vec<&str> {
        let (kind, name) = self.mode.trim_end_matches(']').split_once('[').unwrap_or((&self.mode, ""));
        let mut out = match (kind.starts_with("np"), name) {
            // SPIN's claim for progress leaves end states out.
            (true, _) => vec!["--non-progress", "--no-end-states"],
            (false, "") => vec!["--acceptance"],
            (false, name) => vec!["--property", name],
        };
        if kind.ends_with("-fair") {
            out.extend(["--fair", "weak"]);
        }
        out
    }

    /// What Kripke says with this algorithm.
    fn ask(&self, (algorithm, threads, store): How) -> Value {
        let timeout = if self.states.is_some() { TIMEOUT } else { SHORT_TIMEOUT };
        let mut command = Command::new(env!("CARGO_BIN_EXE_kripke"));
        command.arg("check").arg(&self.path).args(self.arguments());
        command.args(["--cycles", algorithm, threads, "--store", store, "--timeout", timeout, "--mem", "3G"]);
        command.args(["--format", "json", "--no-trail", "--raw", "-q"]);
        let output = command.output().expect("the program can be started");
        let said = String::from_utf8_lossy(&output.stdout);
        serde_json::from_str(&said).unwrap_or_else(|e| panic!("{e}: {said}{}", String::from_utf8_lossy(&output.stderr)))
    }

    /// What is different from what SPIN says.
    fn difference(&self, said: &Value) -> Option<String> {
        let (verdict, states) = (said["verdict"].as_str().unwrap_or(""), said["properties"][0]["states"].as_u64());
        let expected = if self.violated { "violated" } else { "holds" };
        if verdict == "inconclusive" && self.states.is_none() && said["reason"] == "timeout" {
            return None;
        }
        if verdict != expected {
            return Some(format!("{verdict} ({}) instead of {expected}", said["reason"]));
        }
        let comparable = self.claim && verdict == "holds" && self.states.is_some();
        (comparable && states != self.states).then(|| format!("{states:?} states instead of {:?}", self.states))
    }

    fn differences(&self) -> Vec<String> {
        let tell = |how: &How| {
            let difference = self.difference(&self.ask(*how))?;
            Some(format!("{} {} {how:?}: {difference}", self.path.display(), self.mode))
        };
        // Fairness is decided on whole components: other algorithms are refused.
        let fair = self.arguments().contains(&"--fair");
        let suits = |how: &&How| !fair || ["auto", "scc"].contains(&how.0);
        ALGORITHMS.iter().filter(suits).filter_map(tell).collect()
    }
}

fn has_claim(path: &Path) -> bool {
    let text = std::fs::read(path).unwrap_or_default();
    String::from_utf8_lossy(&text).lines().any(|line| line.trim_start().starts_with("never"))
}

#[test]
fn endless_runs_are_judged_as_by_spin() {
    let Some(corpus) = places::corpus() else { return };
    let models = corpus.join("promela");
    let table = Table::read(&models.join("expected-spin.tsv"));
    let largest = places::setting("KRIPKE_CORPUS_MAX_STATES", 30_000);
    let cases: Vec<Case> = table.rows().filter_map(|row| Case::new(&models, &row)).collect();
    let (cases, left): (Vec<Case>, Vec<Case>) =
        cases.into_iter().partition(|case| case.states.is_none_or(|states| states <= largest));
    assert!(cases.len() > 60, "the table has only {} questions", cases.len());
    let results = parallel::map(&cases, Case::differences);
    let wrong: Vec<String> = results.into_iter().flat_map(|result| result.unwrap_or_else(|e| vec![e])).collect();
    assert!(wrong.is_empty(), "{} answers differ:\n{}", wrong.len(), wrong.join("\n"));
    places::notice(&format!("{} questions agree with SPIN, {} are too large", cases.len(), left.len()));
}

/// A process scheduler with two users: an invariant takes the whole graph, a promise that strong fairness keeps a part of it,
/// and one that nothing keeps a smaller part.
#[test]
fn promises_of_a_scheduler_take_a_part_of_its_states() {
    let Some(corpus) = places::corpus() else { return };
    let text = std::fs::read_to_string(corpus.join("esml/PS1.esml")).expect("the corpus has the scheduler");
    let one = "User(1, ch1, ch0, ch2);";
    let two = text.replace(one, &format!("{one} User(2, ch1, ch0, ch2);"));
    let two = two.replace("procid = 0..2", "procid = 0..3").replace("qmax = 2", "qmax = 3");
    let path = std::env::temp_dir().join(format!("kripke-scheduler-{}.esml", std::process::id()));
    std::fs::write(&path, two).unwrap();
    let ask = |formula: &str, fair: &str| -> (String, u64) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kripke"));
        command.arg("check").arg(&path).args([
            "--ctl",
            formula,
            "--fair",
            fair,
            "-j1",
            "--no-trail",
            "--format",
            "json",
        ]);
        let said: Value = serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
        (said["verdict"].as_str().unwrap().to_string(), said["states"].as_u64().unwrap())
    };
    let (always, all) = ask("AG {DeviceDriver.id < 3}", "strong");
    let (kept, some) = ask("AF {DeviceDriver.id = 2}", "strong");
    let (broken, fewer) = ask("AF {DeviceDriver.id = 3}", "strong");
    let (unfair, _) = ask("AF {DeviceDriver.id = 2}", "weak");
    std::fs::remove_file(&path).unwrap();
    assert_eq!([&*always, &*kept, &*broken, &*unfair], ["holds", "holds", "violated", "violated"]);
    assert!(fewer < some && some < all, "{fewer} {some} {all}");
}
