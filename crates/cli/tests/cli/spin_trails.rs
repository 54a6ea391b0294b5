//! Trails of SPIN: those of real SPIN are shown, and those of Kripke are replayed by real SPIN.
//!
//! `KRIPKE_SPIN_TRAILS` is the number of models of the corpus.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use kripke_tests::table::Table;
use kripke_tests::{parallel, places, spin};
use tempfile::TempDir;

use crate::program::{Desk, Said};

/// Words with which SPIN says that a trail does not fit.
const LOST: [&str; 6] =
    ["transition failed", "no matching stmnt", "stop error", "invalid statement", "(?)", "cannot find trail"];

/// A model of the corpus with an error.
#[derive(Debug)]
struct Case {
    path: PathBuf,
    mode: String,
}

/// Models with errors: unreduced searches that are small, and cycles.
fn cases(corpus: &Path) -> Vec<Case> {
    let models = corpus.join("promela");
    let table = Table::read(&models.join("expected-spin.tsv"));
    let mut out: Vec<Case> = Vec::new();
    for row in table.rows() {
        let (verdict, mode) = (row.get("verdict"), row.get("mode").to_string());
        let small = |column: &str, most| row.count(column).is_some_and(|n| n <= most);
        let usable = ["assertion", "invalid-end-state", "acceptance-cycle", "non-progress-cycle"].contains(&verdict);
        let kind = mode == "raw" || mode.starts_with("accept[") || mode == "accept" || mode == "np";
        if usable && kind && small("states_stored", 20_000) && small("depth", 3_000) {
            out.push(Case { path: models.join(row.get("path")), mode });
        }
    }
    out
}

/// Takes about so many items, evenly.
fn spread<T>(items: Vec<T>, number: usize) -> Vec<T> {
    let step = (items.len() / number.max(1)).max(1);
    items.into_iter().enumerate().filter(|(i, _)| i % step == 0).map(|(_, item)| item).collect()
}

fn shell(folder: &Path, command: &str) -> String {
    let mut shell = Command::new("timeout");
    shell.args(["60", "sh", "-c", command]).current_dir(folder).stdin(Stdio::null());
    let said = shell.output().expect("a shell can be run");
    format!("{}{}", String::from_utf8_lossy(&said.stdout), String::from_utf8_lossy(&said.stderr))
}

fn kripke(folder: &Path, args: &[&str]) -> Said {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kripke"));
    command.args(args).current_dir(folder).stdin(Stdio::null()).output().expect("the program runs").into()
}

impl Case {
    fn name(&self) -> String {
        self.path.file_name().expect("a model has a name").to_string_lossy().into_owned()
    }

    /// The options of `pan.c`, of `pan` and of Kripke.
    fn options(&self) -> (&'static str, String, Vec<&str>) {
        let property = self.mode.strip_prefix("accept[").and_then(|rest| rest.strip_suffix(']'));
        match (&*self.mode, property) {
            ("raw", _) => ("-DSAFETY -DNOCLAIM", String::new(), vec!["--no-claim"]),
            ("np", _) => ("-DNP", "-l".to_string(), vec!["--non-progress", "--no-end-states"]),
            (_, Some(name)) => {
                let chosen = if name == "ltl_0" { String::new() } else { format!(" -N {name}") };
                ("", format!("-a{chosen}"), vec!["--property", name])
            }
            _ => ("", "-a".to_string(), vec!["--acceptance"]),
        }
    }

    /// Whether a trail of real SPIN is shown as the same run. `None` if SPIN writes none.
    fn ours_shows(&self, folder: &Path, merged: bool) -> Option<Result<(), String>> {
        let (name, (compile, run, _)) = (self.name(), self.options());
        let merging = if merged { "" } else { "-o1 -o2 -o3" };
        shell(folder, &format!("spin -a {merging} {name}; gcc -w -O0 -DVECTORSZ=4096 {compile} -o pan pan.c"));
        let found = shell(folder, &format!("./pan -m20000 {run}"));
        let trail = format!("{name}.trail");
        if !folder.join(&trail).exists() {
            return None;
        }
        let shown = kripke(folder, &["replay", &name, &trail, "-p"]);
        let replayed = shell(folder, &format!("spin -t -p {name}"));
        let same = movers(&shown.out) == movers(&replayed);
        let error = found.lines().find(|line| line.starts_with("pan:1: ")).unwrap_or_default();
        let claim = found.contains("(if within scope of claim)");
        let ending = if error.contains("assertion violated") {
            let own = shown.out.contains("assertion violated") || shown.out.contains("index out of range");
            own || claim && shown.out.contains("property violated")
        } else if error.contains("invalid end state") {
            shown.out.contains("invalid end state")
        } else {
            // Merged trails come from verifiers that ignore values which are not read again.
            let other = merged && shown.err.contains("does not return to the state");
            other || shown.out.contains("START OF CYCLE") || shown.err.contains("the claim moves alone")
        };
        let text = format!("{}{}\nSPIN: {found}\n{replayed}", shown.out, shown.err);
        Some(if same && ending && shown.status < 2 { Ok(()) } else { Err(text) })
    }

    /// Whether real SPIN replays the trail that Kripke writes.
    fn spin_replays(&self, folder: &Path) -> Result<(), String> {
        let (name, (_, _, asked)) = (self.name(), self.options());
        let mut args = vec!["check", &name, "-q", "--spin-trail=ours.trail"];
        args.extend(asked);
        let found = kripke(folder, &args);
        if found.status != 1 {
            return Err(format!("no counterexample: {}{}", found.out, found.err));
        }
        let written = fs::read_to_string(folder.join("ours.trail")).map_err(|e| format!("{e}: {}", found.err))?;
        let replayed = shell(folder, &format!("spin -t -p -k ours.trail {name}"));
        let lost = LOST.iter().any(|words| replayed.contains(words));
        let ends = replayed.contains("trail ends after") || written.is_empty();
        let right = match () {
            () if found.out.contains("assertion violated") => replayed.contains("assertion violated"),
            () if written.contains("-1:-1:-1") => replayed.contains("START OF CYCLE"),
            () => true,
        };
        if lost || !ends || !right { Err(format!("{}\n{written}\n{replayed}", found.out)) } else { Ok(()) }
    }

    fn judge(&self, merged: bool) -> (bool, Vec<String>) {
        let temporary = TempDir::with_prefix("kripke-trails-").expect("a folder can be made");
        let folder = temporary.path();
        fs::copy(&self.path, folder.join(self.name())).expect("the model can be copied");
        let mut wrong = Vec::new();
        let theirs = self.ours_shows(folder, merged);
        let found = theirs.is_some();
        if let Some(Err(text)) = theirs {
            wrong.push(format!("{} {} (merged: {merged}): SPIN's trail\n{text}", self.path.display(), self.mode));
        }
        if let Err(text) = self.spin_replays(folder) {
            wrong.push(format!("{} {}: Kripke's trail\n{text}", self.path.display(), self.mode));
        }
        (found, wrong)
    }
}

/// The processes that move, in order, as a listing has them; repetitions count once.
fn movers(listing: &str) -> Vec<String> {
    let statement = |line: &&str| line.contains("(state ") && line.contains('[') || line.ends_with(" terminates");
    let number = |line: &str| line.split("proc").nth(1)?.split_whitespace().next().map(str::to_string);
    let mut out: Vec<String> = listing.lines().filter(statement).filter_map(number).collect();
    // The steps of a claim.
    out.retain(|pid| pid != "-");
    out.dedup();
    out
}

#[test]
fn trails_go_both_ways() {
    let Some(corpus) = places::corpus() else { return };
    if !spin::installed() {
        return;
    }
    let all = cases(&corpus);
    let (cycles, errors): (Vec<Case>, Vec<Case>) = all.into_iter().partition(|case| case.mode != "raw");
    let number: usize = places::setting("KRIPKE_SPIN_TRAILS", 32);
    let mut chosen = spread(errors, number);
    chosen.extend(spread(cycles, number / 4));
    let numbered: Vec<(usize, Case)> = chosen.into_iter().enumerate().collect();
    let results = parallel::map(&numbered, |(i, case)| case.judge(i % 2 == 0));
    let mut shown = 0;
    let mut wrong = Vec::new();
    for result in results {
        match result {
            Ok((found, mistakes)) => {
                shown += usize::from(found);
                wrong.extend(mistakes);
            }
            Err(panic) => wrong.push(panic),
        }
    }
    assert!(wrong.is_empty(), "{} of {} models:\n{}", wrong.len(), numbered.len(), wrong.join("\n"));
    assert!(numbered.len() >= 30 && shown >= 30, "{shown} trails of {} models", numbered.len());
}

#[test]
fn a_step_that_is_none_is_named() {
    let desk = Desk::new();
    fs::write(desk.path("m.pml"), "byte x;\nactive proctype P() { x = 1; x == 2; x = 3 }\n").unwrap();
    for (trail, message) in [
        ("1:0:0\n2:0:2\n", "step 2 (2:0:2) can't be resolved: process 0 can't execute statement 3 of P, `x = 3`, here"),
        ("1:0:77\n", "step 1 (1:0:77) can't be resolved: no statement has the number 77"),
        ("1:3:0\n", "step 1 (1:3:0) can't be resolved: process 3 can't execute statement 1 of P, `x = 1`, here"),
        ("1:0:0\nx\n", "line 2: expected `depth:process:transition`"),
    ] {
        fs::write(desk.path("m.pml.trail"), trail).unwrap();
        let said = desk.run("replay m.pml m.pml.trail");
        assert_eq!((said.status, &*said.out), (2, ""), "{trail}{}", said.err);
        assert!(said.err.contains(message), "{}", said.err);
    }
    fs::write(desk.path("m.pml.trail"), "1:0:0\n").unwrap();
    let said = desk.run("replay m.pml m.pml.trail");
    assert_eq!(said.status, 1, "{}", said.err);
    assert!(said.out.contains("invalid end state"), "{}", said.out);
}

#[test]
fn trails_are_written_on_request() {
    let desk = Desk::new();
    fs::write(desk.path("m.pml"), "byte x;\nactive proctype P() { x = 1; assert(x == 2) }\n").unwrap();
    assert_eq!(desk.run("check m.pml").status, 1);
    assert!(!desk.path("m.pml.trail").exists());
    assert_eq!(desk.run("check m.pml --spin-trail").status, 1);
    assert_eq!(desk.read("m.pml.trail"), "1:0:0\n2:0:1\n");
    fs::write(desk.path("other"), "mine\n").unwrap();
    let said = desk.run("check m.pml --spin-trail=other");
    assert_eq!(desk.read("other"), "mine\n");
    assert!(said.err.contains("not written by Kripke"), "{}", said.err);
}

#[test]
fn the_trail_of_the_first_error_needs_no_warning() {
    let desk = Desk::new();
    let text = "byte x;\nactive proctype P() { if :: assert(x == 1) :: assert(x == 2) :: assert(x == 3) fi }\n";
    fs::write(desk.path("m.pml"), text).unwrap();
    let said = desk.run("check m.pml --spin-trail --all-errors");
    assert_eq!((said.status, &*said.err), (1, ""), "{}", said.err);
    assert!(desk.path("m.pml.trail").exists() && said.out.contains("m.pml.trail"), "{}", said.out);
}
