//! Runs the program on several threads.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, ExitStatus, Output};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::judge::Asked;
use crate::models::Known;
use crate::table::Setting;

/// More than two processors have: a run waits for files and for its own threads part of the time.
const THREADS: usize = 4;
const HANGS: Duration = Duration::from_secs(30);

/// One run of the program.
pub struct Run<'a> {
    pub model: &'a Known,
    pub settings: Vec<Setting>,
    pub question: &'a [&'a str],
}

/// How a run ended, where nothing is wrong with that.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum End {
    Answered,
    Refused(String),
    Inconclusive(String),
}

pub fn program(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kripke")).args(arguments).output().expect("the program can be started")
}

pub fn all(runs: &[Run]) {
    let folder = TempDir::with_prefix("kripke-option-pairs-").expect("folders can be made");
    let (next, failed, ends) = (AtomicUsize::new(0), Mutex::new(Vec::new()), Mutex::new(BTreeMap::new()));
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (next, failed, ends, folder) = (&next, &failed, &ends, folder.path().join(thread.to_string()));
            fs::create_dir_all(&folder).expect("folders can be made");
            scope.spawn(move || {
                while let Some(run) = runs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    match one(run, &folder) {
                        Ok(end) => *ends.lock().expect("nobody panics").entry(end).or_insert(0) += 1,
                        Err(why) => failed.lock().expect("nobody panics").push(why),
                    }
                }
            });
        }
    });
    let (mut failed, ends) = (failed.into_inner().expect("nobody panics"), ends.into_inner().expect("nobody panics"));
    failed.sort();
    println!("{} runs: {ends:#?}", runs.len());
    assert!(failed.is_empty(), "{} of {} runs:\n{}", failed.len(), runs.len(), failed.join("\n"));
}

impl Run<'_> {
    /// The arguments, with what the model has for each placeholder.
    fn arguments(&self, folder: &Path) -> Vec<String> {
        let model = self.model;
        let inside = |name: &str| folder.join(name).display().to_string();
        let values = [
            ("{name}", model.stated.map_or("none", |(name, _, _)| name).to_string()),
            ("{ltl}", model.ltl.0.to_string()),
            ("{ctl}", model.ctl.0.to_string()),
            ("{reach}", model.reach.0.to_string()),
            ("{invariant}", model.negated(model.reach.0)),
            ("{lang}", model.lang.to_string()),
            ("{ltl-file}", inside("formula.ltl")),
            ("{hoa}", inside("automaton.hoa")),
            ("{trail}", inside("run.trail.json")),
            ("{folder}", folder.display().to_string()),
        ];
        let settings = self.settings.iter().flat_map(|setting| setting.arguments.iter());
        let fill = |text: &&str| values.iter().fold(text.to_string(), |text, (name, value)| text.replace(name, value));
        settings.chain(self.question).map(fill).collect()
    }

    /// Writes the model and the files that options name.
    fn write(&self, folder: &Path) -> std::io::Result<()> {
        fs::write(folder.join(format!("model.{}", self.model.ending)), self.model.text)?;
        fs::write(folder.join("formula.ltl"), self.model.ltl.0)?;
        fs::write(folder.join("automaton.hoa"), HOA.replace("{reach}", self.model.reach.0))
    }
}

/// All runs on which the condition is true at some time.
const HOA: &str = "HOA: v1\nStates: 2\nStart: 0\nAP: 1 \"{reach}\"\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n--BODY--\n\
    State: 0\n[!0] 0\n[0] 1\nState: 1 {0}\n[t] 1\n--END--\n";

fn one(run: &Run, folder: &Path) -> Result<End, String> {
    let arguments = run.arguments(folder);
    let told = |why: String| format!("{} {}: {why}", run.model.name, arguments.join(" "));
    run.write(folder).map_err(|e| e.to_string())?;
    let mut command = Command::new(env!("CARGO_BIN_EXE_kripke"));
    command.arg("check").arg(folder.join(format!("model.{}", run.model.ending))).args(&arguments);
    command.current_dir(folder);
    if !arguments.iter().any(|a| a.starts_with("--format")) {
        command.args(["--format", "json"]);
    }
    let status = finish(&mut command, folder).map_err(told)?;
    let read = |name: &str| fs::read(folder.join(name)).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let (stdout, stderr) = (read("stdout").map_err(|e| e.to_string())?, read("stderr").map_err(|e| e.to_string())?);
    verdict(run, &arguments, status.code(), (&stdout, &stderr)).map_err(told)
}

/// Waits for the program, not for ever.
fn finish(command: &mut Command, folder: &Path) -> Result<ExitStatus, String> {
    let file = |name: &str| File::create(folder.join(name)).map_err(|e| e.to_string());
    let mut child = command.stdout(file("stdout")?).stderr(file("stderr")?).spawn().map_err(|e| e.to_string())?;
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().map_err(|e| e.to_string())? {
            return Ok(status);
        }
        if start.elapsed() > HANGS {
            child.kill().map_err(|e| e.to_string())?;
            return Err("hangs".to_string());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn verdict(run: &Run, arguments: &[String], status: Option<i32>, said: (&str, &str)) -> Result<End, String> {
    let (stdout, stderr) = said;
    let report: Option<serde_json::Value> = serde_json::from_str(stdout).ok();
    if stderr.contains("panicked") || !matches!(status, Some(0..=3)) {
        return Err(format!("exit status {status:?}: {}", stderr.trim()));
    }
    match status {
        Some(2) if stderr.trim().is_empty() => Err("refused without a reason".to_string()),
        Some(2) => Ok(End::Refused(stderr.lines().next().unwrap_or_default().to_string())),
        Some(3) => inconclusive(run, report.as_ref(), stdout),
        Some(0)
            if run.settings.iter().any(|s| s.truncates) && !decides_early(arguments) && !is_within(report.as_ref()) =>
        {
            Err("holds, though the search was limited".to_string())
        }
        Some(status) => {
            Asked { model: run.model, arguments }.judge(status, report.as_ref())?;
            Ok(End::Answered)
        }
        None => Err("a signal".to_string()),
    }
}

/// Formulas about branching may be decided in the first states.
fn decides_early(arguments: &[String]) -> bool {
    arguments.iter().any(|a| a.starts_with("--ctl"))
}

/// Reductions may leave so few states that the limits of the table are not met. A report in words is not looked at.
fn is_within(report: Option<&serde_json::Value>) -> bool {
    report
        .is_none_or(|r| r["complete"] == true && r["states"].as_u64() <= r["limits"]["max_states"].as_u64().or(Some(4)))
}

fn inconclusive(run: &Run, report: Option<&serde_json::Value>, stdout: &str) -> Result<End, String> {
    if !run.settings.iter().any(|setting| setting.limits) {
        return Err(format!(
            "inconclusive without a limit: {}",
            report.map_or(stdout, |r| r["message"].as_str().unwrap_or(""))
        ));
    }
    match report {
        Some(report) => match (report["reason"].as_str(), report["message"].as_str()) {
            (Some(reason), Some(_)) => Ok(End::Inconclusive(reason.to_string())),
            _ => Err("inconclusive without a reason".to_string()),
        },
        None if stdout.trim().is_empty() => Err("inconclusive without a word".to_string()),
        None => Ok(End::Inconclusive("text".to_string())),
    }
}
