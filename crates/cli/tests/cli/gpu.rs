//! `kripke check --gpu` on an emulated device: verdicts, counts, errors and counterexamples are those of the processor.
//!
//! Without g++ the tests are skipped, with `KRIPKE_CI=1` they fail. `KRIPKE_GPU_MODELS` is the number of models of the corpus.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use kripke_tests::{models, parallel, places};
use serde_json::Value;

use super::program::Desk;

/// Bytes of an emulated device.
const MEMORY: &str = "64000000";

/// Larger models are not compared.
const MOST_STATES: u64 = 30_000;

/// Whether there is a compiler to test with.
fn can_emulate() -> bool {
    let version = Command::new("g++").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    let can = version.is_ok_and(|status| status.success());
    assert!(can || std::env::var_os("KRIPKE_CI").is_none(), "the tests need g++");
    can
}

/// What has to be equal.
fn essence(json: &Value) -> Vec<Value> {
    let keys = ["verdict", "complete", "states", "transitions", "depth", "errors", "reason", "findings"];
    keys.iter().map(|key| json[key].clone()).collect()
}

fn item<'j>(json: &'j Value, name: &str) -> &'j str {
    let plan = json["properties"][0]["plan"].as_array().expect("a plan");
    plan.iter().find(|decision| decision["item"] == name).and_then(|d| d["value"].as_str()).unwrap_or("none")
}

/// The outcome of a comparison.
enum Compared {
    /// Both are equal.
    Equal,
    /// Both violate a property that is about cycles.
    Violated,
    /// The device does not take the model: the reason.
    Refused(String),
    /// The model is too large, or has no safety property.
    Skipped,
}

fn compare(file: &Path) -> Result<Compared, String> {
    for args in [&["--no-partial-order", "--search=bfs"][..], &["--raw", "--all-errors", "--search=bfs"]] {
        let args = &[args, &["--no-trail"]].concat();
        let output = run(file, args, None);
        let Ok(plain) = serde_json::from_slice::<Value>(&output.stdout) else { return Ok(Compared::Skipped) };
        // A limit on states is observed between levels on the device, so counts differ behind it.
        let is_large = plain["states"].as_u64().is_none_or(|states| states >= MOST_STATES);
        if plain["verdict"] == "inconclusive" || plain["verdict"] == Value::Null || is_large {
            return Ok(Compared::Skipped);
        }
        let output = run(file, &[&args[..], &["--gpu=require"]].concat(), Some(MEMORY));
        if output.status.code() == Some(2) {
            return Ok(Compared::Refused(String::from_utf8_lossy(&output.stderr).into_owned()));
        }
        let said = || format!("{}, {args:?}: {}", file.display(), String::from_utf8_lossy(&output.stderr));
        let ours: Value = serde_json::from_slice(&output.stdout).map_err(|e| format!("{e}: {}", said()))?;
        if essence(&plain) != essence(&ours) {
            return Err(format!("{}\n{:?}\n{:?}", said(), essence(&plain), essence(&ours)));
        }
    }
    Ok(Compared::Equal)
}

fn run(file: &Path, args: &[&str], memory: Option<&str>) -> Output {
    start(file, &[args, &["--property=safety"]].concat(), memory)
}

fn start(file: &Path, args: &[&str], memory: Option<&str>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kripke"));
    command.arg("check").arg(file).args(args);
    command.args(["--format=json", "-j2", "--max-states", &MOST_STATES.to_string()]);
    command.args(["--overflow=wrap", "--no-vacuity"]);
    if let Some(memory) = memory {
        command.env("KRIPKE_GPU_EMULATION", memory);
    }
    command.output().expect("the program can be started")
}

/// Compares models. Returns the number of those that the device takes, and the reasons against others.
fn compare_all(files: &[std::path::PathBuf]) -> (usize, Vec<String>) {
    let (mut equal, mut refused, mut wrong) = (0, Vec::new(), Vec::new());
    for result in parallel::map(files, |file| compare(file)) {
        match result.and_then(|result| result) {
            Ok(Compared::Equal) => equal += 1,
            Ok(Compared::Refused(why)) => refused.push(why),
            Ok(Compared::Skipped | Compared::Violated) => {}
            Err(error) => wrong.push(error),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    (equal, refused)
}

#[test]
fn examples_are_checked_alike() {
    if !can_emulate() {
        return;
    }
    let is_own = |file: &std::path::PathBuf| file.starts_with(places::root().join("examples"));
    let files = models::files(&["examples"], &["pml", "dve"]).into_iter().filter(is_own).collect::<Vec<_>>();
    let (equal, refused) = compare_all(&files);
    places::notice(&format!("{equal} examples equal, {} refused", refused.len()));
    assert!(equal >= 5, "{refused:#?}");
}

#[test]
fn models_of_the_corpus_are_checked_alike() {
    let Some(corpus) = places::corpus().filter(|_| can_emulate()) else { return places::missing("the corpus") };
    let number = places::setting("KRIPKE_GPU_MODELS", 12);
    let files = models::files(&[], &["pml", "pm", "prom", "dve", "esml"]);
    let files: Vec<_> = files.into_iter().filter(|file| file.starts_with(&corpus)).collect();
    let every = (files.len() / number.max(1)).max(1);
    let some: Vec<_> = files.into_iter().step_by(every).collect();
    let (equal, refused) = compare_all(&some);
    places::notice(&format!("of {} models {equal} are equal, {} refused: {refused:#?}", some.len(), refused.len()));
    assert!(equal > 0, "no model was compared");
}

/// Checks properties on both. Violations may be different ones, but verdicts are not; complete searches have equal counts.
fn compare_cycles(file: &Path, property: &[&str]) -> Result<Compared, String> {
    let args = &[property, &["--no-trail", "--no-partial-order"]].concat();
    let Ok(plain) = serde_json::from_slice::<Value>(&start(file, args, None).stdout) else {
        return Ok(Compared::Skipped);
    };
    let searches_cycles = |property: &Value| {
        let plan = property["plan"].as_array().into_iter().flatten();
        plan.clone().any(|decision| decision["item"] == "cycle-algorithm" && decision["value"] != "none")
    };
    let is_cycle = plain["properties"].as_array().into_iter().flatten().any(searches_cycles);
    let decided = plain["verdict"] == "holds" || plain["verdict"] == "violated";
    if !is_cycle || !decided {
        return Ok(Compared::Skipped);
    }
    let output = start(file, &[&args[..], &["--gpu=require"]].concat(), Some(MEMORY));
    let said = || format!("{}, {args:?}: {}", file.display(), String::from_utf8_lossy(&output.stderr));
    if output.status.code() == Some(2) {
        return Ok(Compared::Refused(said()));
    }
    let ours: Value = serde_json::from_slice(&output.stdout).map_err(|e| format!("{e}: {}", said()))?;
    // A search for all states may not come as far as one that finds a cycle early.
    if ours["reason"] == "max_states" {
        return Ok(Compared::Skipped);
    }
    let properties = |json: &Value| json["properties"].as_array().cloned().unwrap_or_default();
    for (plain, ours) in properties(&plain).iter().zip(&properties(&ours)) {
        let keys: &[&str] =
            if plain["verdict"] == "holds" { &["verdict", "states", "transitions"] } else { &["verdict"] };
        if let Some(key) = keys.iter().find(|key| plain[**key] != ours[**key]) {
            return Err(format!("{}: {key} {} and {}", said(), plain[*key], ours[*key]));
        }
    }
    Ok(if plain["verdict"] == "holds" { Compared::Equal } else { Compared::Violated })
}

/// Compares properties. Returns the numbers of those that hold and that are violated.
fn compare_properties(all: &[(std::path::PathBuf, Vec<String>)]) -> (usize, usize) {
    let (mut hold, mut violated, mut refused, mut wrong) = (0, 0, Vec::new(), Vec::new());
    let compared = parallel::map(all, |(file, property)| {
        compare_cycles(file, &property.iter().map(String::as_str).collect::<Vec<_>>())
    });
    for result in compared {
        match result.and_then(|result| result) {
            Ok(Compared::Equal) => hold += 1,
            Ok(Compared::Violated) => violated += 1,
            Ok(Compared::Refused(why)) => refused.push(why),
            Ok(Compared::Skipped) => {}
            Err(error) => wrong.push(error),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    places::notice(&format!("{hold} properties hold, {violated} are violated, {} refused", refused.len()));
    (hold, violated)
}

#[test]
fn properties_of_examples_are_judged_alike() {
    if !can_emulate() {
        return;
    }
    let own = |folder: &str| {
        let files = models::files(&[folder], &["pml", "dve"]).into_iter();
        files.filter(|file| file.starts_with(places::root())).collect::<Vec<_>>()
    };
    let claims = own("tests/claims").into_iter().map(|file| (file, Vec::new()));
    let ways = ["--acceptance", "--non-progress"].map(|way| vec![way.to_string()]);
    let some = own("examples").into_iter().step_by(places::setting("KRIPKE_GPU_ONE_OF", 6));
    let all: Vec<_> = claims.chain(some.flat_map(|file| ways.clone().map(|way| (file.clone(), way)))).collect();
    let (hold, violated) = compare_properties(&all);
    assert!(hold > 0 && violated > 0, "{hold} hold, {violated} are violated");
}

#[test]
fn properties_of_the_corpus_are_judged_alike() {
    let Some(corpus) = places::corpus().filter(|_| can_emulate()) else { return places::missing("the corpus") };
    let number = places::setting("KRIPKE_GPU_MODELS", 12);
    let is_property = |file: &std::path::PathBuf| {
        file.starts_with(&corpus) && file.file_stem().is_some_and(|stem| stem.to_string_lossy().contains(".prop"))
    };
    let files: Vec<_> = models::files(&[], &["dve"]).into_iter().filter(is_property).collect();
    let every = (files.len() / number.max(1)).max(1);
    let some: Vec<_> = files.into_iter().step_by(every).map(|file| (file, Vec::new())).collect();
    let (hold, violated) = compare_properties(&some);
    assert!(hold + violated > 0, "no property was compared");
}

/// The plan names the algorithm, questions that the processor answers are named, and a full device gives no verdict.
#[test]
fn cycles_are_searched_on_the_device() {
    if !can_emulate() {
        return;
    }
    let desk = Desk::new();
    let text = COUNTERS.replace("od", ":: a == 20 -> d = 1 - d od").replace("c;", "c, d;").replace("20", "12");
    desk.write("counters.pml", &text);
    let file = desk.path("counters.pml");
    let check = |args: &[&str], memory: &str| {
        let output = start(&file, &[args, &["--gpu", "-E"]].concat(), Some(memory));
        let json: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        (output.status.code(), json, String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let holds = "--ltl=<> (a == 12)";
    let (_, json, _) = check(&[holds], MEMORY);
    let items = (item(&json, "cycle-algorithm"), item(&json, "gpu"));
    assert_eq!((&json["verdict"], items), (&"holds".into(), ("owcty", "emulated device")));
    let (status, json, _) = check(&["--ltl=<> [] (d == 1)"], MEMORY);
    assert_eq!((status, &json["verdict"]), (Some(1), &"violated".into()));
    let (status, json, _) = check(&[holds], "50000");
    assert_eq!((status, &json["reason"]), (Some(3), &"device_memory".into()));
    let (status, _, said) = check(&[holds, "--fair=weak"], MEMORY);
    assert!(status == Some(2) && said.contains("fair cycles"), "{status:?} {said}");
    let (status, _, said) = check(&[holds, "--all-errors"], MEMORY);
    assert!(status == Some(2) && said.contains("all cycles"), "{status:?} {said}");
    let (_, json, said) = check(&[holds, "--ctl=AF (a == 13)"], MEMORY);
    assert!(json["verdict"] == "violated" && said.contains("the processor evaluates CTL"), "{said}");
}

const COUNTERS: &str = "byte a, b, c; active proctype P() { do :: a < 20 -> a++ :: b < 20 -> b++ :: c < 20 -> c++ od }";

/// The plan names the device, and a full device gives no verdict.
#[test]
fn the_device_is_named_and_may_be_full() {
    if !can_emulate() {
        return;
    }
    let desk = Desk::new();
    desk.write("counters.pml", COUNTERS);
    let file = desk.path("counters.pml");
    let json: Value = serde_json::from_slice(&run(&file, &["--gpu", "-E"], Some(MEMORY)).stdout).expect("JSON");
    assert_eq!((&json["verdict"], &json["states"]), (&"holds".into(), &26_462.into()));
    assert_eq!((item(&json, "gpu"), item(&json, "partial-order")), ("emulated device", "off"));
    let full = run(&file, &["--gpu", "-E"], Some("50000"));
    let json: Value = serde_json::from_slice(&full.stdout).expect("JSON");
    assert_eq!((full.status.code(), &json["reason"]), (Some(3), &"device_memory".into()));
}

/// Without a device the processor searches, and says why; a GPU that is required is an error.
#[test]
fn without_a_device_the_processor_searches() {
    let desk = Desk::new();
    desk.write("counters.pml", COUNTERS);
    let file = desk.path("counters.pml");
    // A machine for tests has no GPU; where there is one, there is nothing to see.
    let shown = desk.run("gpu");
    if shown.status == 0 {
        return;
    }
    let output = run(&file, &["--gpu", "-E"], None);
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((output.status.code(), &json["states"], item(&json, "gpu")), (Some(0), &26_462.into(), "off"));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("--gpu: ") && said.contains("the processor searches instead"), "{said}");
    let output = run(&file, &["--gpu=require", "-E"], None);
    assert_eq!(output.status.code(), Some(2));
}

/// Options that a GPU can't obey are refused with the reason, before anything is searched.
#[test]
fn contradictions_are_refused() {
    let desk = Desk::new();
    desk.write("counters.pml", COUNTERS);
    let options = [
        "--ranks=2",
        "--store=tree",
        "--search=dfs",
        "--compact",
        "--engine=interpret",
        "--symmetry",
        "--audit",
        "--cycles=scc",
        "--ctl=AF (a == 20)",
    ];
    for option in options {
        let args = ["--gpu", option];
        let output = Command::new(env!("CARGO_BIN_EXE_kripke"))
            .arg("check")
            .arg(desk.path("counters.pml"))
            .args(args)
            .output()
            .expect("the program can be started");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && said.contains("--gpu"), "{args:?}: {said}");
    }
}
