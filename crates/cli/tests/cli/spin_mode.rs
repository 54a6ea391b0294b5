//! SPIN's own command line: reports, stand-ins for verifiers, simulation; compared with real SPIN on the corpus.
//!
//! `KRIPKE_SPIN_REPORTS` is the number of models of the corpus, `KRIPKE_SPIN_STATES` how many states they may have.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

use kripke_tests::table::Table;
use kripke_tests::{parallel, places, spin};
use tempfile::TempDir;

use crate::program::Desk;

/// The flags of an unreduced search.
const TEXT: &str = "-o1 -o2 -o3";
const COMPILER: &str = "-DSAFETY -DNOREDUCE -DNOCLAIM";
const RUN: &str = "-m200000 -w20";

/// Models of the corpus whose reports differ when all errors are counted, and the reason.
const DIFFERENT: [(&str, &str); 1] = [(
    "micro/m26.pml",
    "an index out of range: SPIN goes on with whatever lies behind the array; Kripke ends that run",
)];

fn shell(folder: &Path, command: &str) -> String {
    let mut shell = Command::new("timeout");
    shell.args(["100", "sh", "-c", command]).current_dir(folder).stdin(Stdio::null());
    let said = shell.output().expect("a shell can be run");
    format!("{}{}", String::from_utf8_lossy(&said.stdout), String::from_utf8_lossy(&said.stderr))
}

/// The part of a report that has to be equal.
fn essence(report: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let equal =
        ["states, stored", "states, matched", "atomic steps", "max search depth", "assertion  \t", "never claim"];
    for line in report.lines() {
        if line.starts_with("pan:") && line.contains("(at depth") || equal.iter().any(|words| line.contains(words)) {
            out.push(line.to_string());
        }
        if let Some((_, rest)) = line.split_once("depth reached ") {
            out.push(rest.to_string());
        }
    }
    out.extend(unreached(report));
    out
}

/// The list of unreached states. SPIN's own automata for formulas are left out: Kripke has others.
fn unreached(report: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut inside = false;
    for line in report.lines() {
        inside = line.starts_with("unreached in") || inside && line.starts_with('\t');
        if inside {
            out.push(line.to_string());
        }
    }
    let claims = |lines: &[String]| lines.iter().any(|line| line.contains("_spin_nvr.tmp"));
    let mut groups: Vec<Vec<String>> = Vec::new();
    for line in out {
        if line.starts_with("unreached in") {
            groups.push(Vec::new());
        }
        groups.last_mut().expect("a list has a title").push(line);
    }
    groups.into_iter().filter(|group| !claims(group)).flatten().collect()
}

/// A folder with a model and the files beside it, which it may include.
fn folder_of(model: &Path) -> TempDir {
    let temporary = TempDir::with_prefix("kripke-pan-").expect("a folder can be made");
    let beside = fs::read_dir(model.parent().expect("a model is in a folder")).expect("the folder can be read");
    for file in beside.map(|entry| entry.expect("an entry can be read").path()).filter(|path| path.is_file()) {
        let name = file.file_name().expect("a file has a name");
        symlink(&file, temporary.path().join(name)).expect("a link can be made");
    }
    temporary
}

/// Compares the reports for one model. Returns the difference.
fn compare(models: &Path, path: &str) -> Result<(), String> {
    let model = &models.join(path);
    let temporary = folder_of(model);
    let folder = temporary.path();
    let name = model.file_name().expect("a model has a name").to_string_lossy().into_owned();
    shell(folder, &format!("spin -a {TEXT} {name}; gcc -w -O0 -DVECTORSZ=4096 {COMPILER} -o pan pan.c"));
    let kripke = env!("CARGO_BIN_EXE_kripke");
    for stop in ["-c1", "-c0"] {
        let theirs = shell(folder, &format!("./pan {RUN} {stop}"));
        let trail = fs::read_to_string(folder.join(format!("{name}.trail"))).unwrap_or_default();
        let _ = fs::remove_file(folder.join(format!("{name}.trail")));
        let ours = shell(folder, &format!("{kripke} spin {TEXT} -run {COMPILER} {RUN} {stop} {name}"));
        let own = fs::read_to_string(folder.join(format!("{name}.trail"))).unwrap_or_default();
        let _ = fs::remove_file(folder.join(format!("{name}.trail")));
        let listed = stop == "-c0" && DIFFERENT.iter().any(|(different, _)| path == *different);
        let same = essence(&theirs) == essence(&ours) && trail == own;
        if same == listed || !theirs.contains("errors: ") {
            return Err(format!("{} {stop}\nSPIN: {theirs}\n{trail}\nours: {ours}\n{own}", model.display()));
        }
    }
    Ok(())
}

#[test]
fn reports_are_those_of_spin() {
    let Some(corpus) = places::corpus() else { return };
    if !spin::installed() {
        return;
    }
    let models = corpus.join("promela");
    let most: u64 = places::setting("KRIPKE_SPIN_STATES", 5_000);
    let number: usize = places::setting("KRIPKE_SPIN_REPORTS", 24);
    let table = Table::read(&models.join("expected-spin.tsv"));
    let fits = |row: &kripke_tests::table::Row<'_>| {
        let small = row.count("states_stored").is_some_and(|n| n <= most);
        row.get("mode") == "raw" && row.get("status") == "complete" && small
    };
    let all: Vec<String> = table.rows().filter(fits).map(|row| row.get("path").to_string()).collect();
    let step = (all.len() / number).max(1);
    let chosen: Vec<String> = all.into_iter().step_by(step).collect();
    let results = parallel::map(&chosen, |path| compare(&models, path));
    let wrong: Vec<String> = results.into_iter().filter_map(|result| result.and_then(|same| same).err()).collect();
    assert!(wrong.is_empty(), "{} of {} models:\n{}", wrong.len(), chosen.len(), wrong.join("\n"));
    assert!(chosen.len() >= number.min(20), "only {} models", chosen.len());
}

/// Checks one question about cycles. `KRIPKE_SPIN_REPORTS` is their number.
fn cycles(models: &Path, (path, mode, verdict): &(String, String, String)) -> Result<(), String> {
    let temporary = TempDir::with_prefix("kripke-pan-").expect("a folder can be made");
    let (folder, model) = (temporary.path(), models.join(path));
    let name = model.file_name().expect("a model has a name").to_string_lossy().into_owned();
    fs::copy(&model, folder.join(&name)).expect("the model can be copied");
    let (kind, property) = mode.trim_end_matches(']').split_once('[').unwrap_or((mode, ""));
    let mut options = if kind.starts_with("np") { "-DNP -l".to_string() } else { "-a".to_string() };
    options.push_str(&if property.is_empty() { String::new() } else { format!(" -N {property}") });
    options.push_str(if kind.ends_with("-fair") { " -f" } else { "" });
    let report = shell(folder, &format!("{} spin -run {options} {name}", env!("CARGO_BIN_EXE_kripke")));
    let holds = report.contains("errors: 0");
    let replayed = if holds { String::new() } else { shell(folder, &format!("spin -t -p {name}")) };
    let lost = ["transition failed", "no matching stmnt", "stop error", "invalid statement"];
    let fits = holds || replayed.contains("trail ends after") && !lost.iter().any(|words| replayed.contains(words));
    let right = holds == (verdict == "ok") && report.contains("errors: ") && fits;
    if right { Ok(()) } else { Err(format!("{path} {mode} {verdict}\n{report}\n{replayed}")) }
}

#[test]
fn cycles_have_the_verdicts_of_spin() {
    let Some(corpus) = places::corpus() else { return };
    if !spin::installed() {
        return;
    }
    let models = corpus.join("promela");
    let most: u64 = places::setting("KRIPKE_SPIN_STATES", 5_000);
    let table = Table::read(&models.join("expected-spin.tsv"));
    let cells =
        |row: kripke_tests::table::Row<'_>| ["path", "mode", "verdict"].map(|cell| row.get(cell).to_string()).into();
    let all: Vec<(String, String, String)> = table
        .rows()
        .filter(|row| row.get("mode").starts_with("accept") || row.get("mode").starts_with("np"))
        .filter(|row| row.get("verdict") != "-" && row.count("states_stored").is_some_and(|n| n <= most))
        .map(cells)
        .collect();
    let step = (all.len() / places::setting("KRIPKE_SPIN_REPORTS", 24)).max(1);
    let chosen: Vec<_> = all.into_iter().step_by(step).collect();
    let results = parallel::map(&chosen, |case| cycles(&models, case));
    let wrong: Vec<String> = results.into_iter().filter_map(|result| result.and_then(|same| same).err()).collect();
    assert!(wrong.is_empty(), "{} of {} questions:\n{}", wrong.len(), chosen.len(), wrong.join("\n"));
    assert!(chosen.len() >= 10, "only {} questions", chosen.len());
}

/// A directory with links `spin` and `pan` to the program, and models.
fn desk() -> Desk {
    let desk = Desk::new();
    fs::create_dir(desk.path("bin")).unwrap();
    for name in ["spin", "pan"] {
        symlink(env!("CARGO_BIN_EXE_kripke"), desk.path("bin").join(name)).unwrap();
    }
    for (name, text) in [
        ("good.pml", "byte x;\nactive proctype P() { x = 1; if :: x == 2 -> x = 3 :: else fi }\n"),
        ("assert.pml", "byte x;\nactive proctype P() { x = 1; assert(x == 2) }\n"),
        ("dead.pml", "byte x;\nactive proctype P() { x = 1; x == 2 }\n"),
        (
            "live.pml",
            "byte x;\nltl p { <> (x == 5) }\nltl s { [] (x < 2) }\nactive proctype P() { do :: x = 1 :: x = 2 od }\n",
        ),
        ("accept.pml", "byte x;\nactive proctype P() { do :: x = 1 :: accept: x = 0 od }\n"),
        ("progress.pml", "byte x;\nactive proctype P() { do :: x = 1 :: x = 0; progress: skip od }\n"),
        ("deep.pml", "int x;\nactive proctype P() { do :: x < 20000 -> x++ :: else -> break od }\n"),
        ("macro.pml", "#ifndef N\n#define N 1\n#endif\nbyte x = N;\nactive proctype P() { assert(x == 1) }\n"),
    ] {
        fs::write(desk.path(name), text).unwrap();
    }
    desk
}

/// Runs a script with Kripke in the place of SPIN.
fn script(desk: &Desk, text: &str) -> String {
    let path = format!("{}:{}", desk.path("bin").display(), std::env::var("PATH").unwrap_or_default());
    let mut shell = Command::new("sh");
    shell.args(["-c", text]).current_dir(&desk.dir).env("PATH", path).stdin(Stdio::null());
    let said = shell.output().unwrap();
    format!(
        "{}{}status {}\n",
        String::from_utf8_lossy(&said.stdout),
        String::from_utf8_lossy(&said.stderr),
        said.status
    )
}

/// Commands and patterns as scripts and Makefiles of courses have them, and the number of lines that match.
const PATTERNS: [(&str, &str, u32); 57] = [
    ("spin -a good.pml && gcc -o pan pan.c && ./pan", "errors: 0", 1),
    ("spin -a good.pml; gcc -DSAFETY -O2 -w -o pan pan.c; ./pan -m10000 -w19", "errors: 0$", 1),
    ("spin -run good.pml", "State-vector [0-9]* byte, depth reached [0-9]*, errors: 0", 1),
    ("spin -search good.pml", "^ *[0-9]* states, stored", 1),
    ("spin -run good.pml", "^ *[0-9]* states, matched", 1),
    ("spin -run good.pml", "[0-9]* transitions (= stored+matched)", 1),
    ("spin -run good.pml", "atomic steps", 1),
    ("spin -run good.pml", "unreached in proctype P", 1),
    ("spin -run good.pml", "good.pml:2, state 3, \"x = 3\"", 1),
    ("spin -run -n good.pml", "unreached in", 0),
    ("spin -run good.pml", "memory usage", 4),
    ("spin -run good.pml", "pan: elapsed time", 1),
    ("spin -a assert.pml; gcc -o pan pan.c; ./pan", "errors: 1", 1),
    ("spin -run assert.pml", "assertion violated", 1),
    ("spin -run assert.pml", "pan:1: assertion violated (x==2) (at depth 1)", 1),
    ("spin -run assert.pml", "pan: wrote assert.pml.trail", 1),
    ("spin -run -A assert.pml", "errors: 0", 1),
    ("spin -run dead.pml", "pan:1: invalid end state (at depth 0)", 1),
    ("spin -run -E dead.pml", "errors: 0", 1),
    ("spin -a live.pml; gcc -DNFAIR=3 -o pan pan.c; ./pan -a -f -N p", "acceptance cycle (at depth", 1),
    ("spin -run -a -ltl s live.pml", "assertion violated", 1),
    ("spin -run -a accept.pml", "acceptance cycle", 1),
    ("spin -a progress.pml; gcc -DNP -o pan pan.c; ./pan -l", "non-progress cycle (at", 1),
    ("spin -run deep.pml", "max search depth too small", 1),
    ("spin -DN=2 -a macro.pml; gcc -o pan pan.c; ./pan", "errors: 1", 1),
    ("spin -a good.pml; gcc -DBITSTATE -o pan pan.c; ./pan", "Bit statespace search for", 1),
    ("spin -a good.pml && cc -O2 -DXUSAFE -DSAFETY -DNOCLAIM -w -o pan pan.c && ./pan -m10000 -c1", "errors: 0", 1),
    ("spin -a assert.pml && gcc -o pan pan.c && ./pan -e -c0", "pan: wrote assert.pml1.trail", 1),
    ("spin -run assert.pml; cat assert.pml.trail", "^[0-9]*:[0-9]*:[0-9]*$", 2),
    ("spin -run assert.pml; spin -t -p assert.pml", "spin: trail ends after 2 steps", 1),
    ("spin -run assert.pml; spin -p -t assert.pml", "proc  0 (P:1) assert.pml:2 (state 2)", 1),
    ("spin -run assert.pml; spin -t -g -l assert.pml", "text of failed assertion", 1),
    (r#"spin -run assert.pml | grep -q "errors: 0" || echo FAILED"#, "FAILED", 1),
    (r#"spin -run good.pml | grep -q "errors: 0" && echo PASSED"#, "PASSED", 1),
    ("spin -a dead.pml; gcc -o pan pan.c; ./pan; spin -t dead.pml", "#processes: 1", 1),
    ("spin -run -a -ltl s live.pml", "^pan:1:", 1),
    ("spin -run -a -ltl p live.pml", "never claim.*+ (p)", 1),
    ("spin -run -a accept.pml", "acceptance   cycles.*+ (fairness disabled)", 1),
    ("spin -run -a -f accept.pml", "+ (fairness enabled)", 1),
    ("spin -run -l progress.pml; spin -t progress.pml", "START OF CYCLE", 1),
    ("spin -run -DNP -l progress.pml", "non-progress cycles", 1),
    ("spin -run good.pml", "Full statespace search for:", 1),
    ("spin -run good.pml", "^Warning: Search not completed", 0),
    ("spin -run assert.pml", "^Warning: Search not completed", 1),
    ("spin -run good.pml", "total actual memory usage", 1),
    ("spin -run -DCOLLAPSE good.pml", "+ Compression", 1),
    ("spin -run -bfs assert.pml", r#"Using Breadth-First Search\|+ Breadth-First Search"#, 1),
    ("spin -V", "^Spin Version 6", 1),
    (r#"spin -f "[] (p -> <> q)""#, "^never", 1),
    ("spin -run good.pml > out.txt; tail -4 out.txt", "elapsed time", 1),
    (r#"spin -a good.pml; gcc -o pan pan.c; ./pan; echo "status $?""#, "status 0", 1),
    (r#"spin -a assert.pml; gcc -o pan pan.c; ./pan; echo "status $?""#, "status 0", 1),
    (r#"spin assert.pml; echo "status $?""#, "status 1", 1),
    ("spin -p -u2 good.pml", "depth-limit (-u2 steps) reached", 1),
    ("spin -run -m5 -b progress.pml", r#"depth limit reached\|errors: "#, 1),
    (r#"spin -run good.pml | sed -n "s/.*errors: \([0-9]*\).*/count=\1/p""#, "count=0", 1),
    (r#"spin -run good.pml | awk "/states, stored/ {print \"stored=\" \$1}""#, "stored=4", 1),
];

#[test]
fn patterns_of_scripts_are_found() {
    if !spin::installed() {
        return;
    }
    for (command, pattern, expected) in PATTERNS {
        let desk = desk();
        let said = script(&desk, &format!("({command}) 2>&1 | grep -c '{pattern}'"));
        assert_eq!(
            said.lines().next(),
            Some(&*expected.to_string()),
            "{command}\n{pattern}\n{}",
            script(&desk, command)
        );
    }
}

/// Models with formulas, never claims and accept labels: one kind of error each.
const CLAIMS: [(&str, &str); 6] = [
    (
        "live.pml",
        "bool a, b;\nactive proctype P() { do :: a = 1 - a od }\nactive proctype Q() { end: a -> b = 1 }\n\
         ltl live { <> b }\nltl answer { [] (a -> <> b) }\n",
    ),
    ("holds.pml", "byte x;\nactive proctype P() { do :: x = 1 - x od }\nltl again { [] <> (x == 1) }\n"),
    (
        "accepting.pml",
        "byte x;\nactive proctype P() { do :: x = 1 - x od }\n\
         never { T0: do :: x == 1 -> goto accept :: true od; accept: do :: true od }\n",
    ),
    (
        "ending.pml",
        "byte x;\nactive proctype P() { do :: x < 3 -> x++ :: x = 0 od }\n\
         never { do :: x == 2 -> break :: else od }\n",
    ),
    (
        "labels.pml",
        "byte x;\nactive proctype P() { do :: x = 1 :: x = 0 od }\nactive proctype A() { do :: x == 0 -> accept: skip od }\n",
    ),
    // SPIN does not look for invalid end states when it looks for cycles.
    ("stuck.pml", "byte x;\nactive proctype P() { do :: x < 3 -> accept: x++ :: else -> break od; x == 0 }\n"),
];

/// The options of `spin -run` for these models.
const AT_ONCE: [&str; 9] = ["", "-a", "-a -f", "-l", "-DBITSTATE", "-DHC4", "-DSAFETY", "-bfs", "-noclaim"];

/// The lines of a report that tell the question and the verdict, without depths.
fn verdict(report: &str) -> Vec<String> {
    let told = ["Warning: ", "never claim  ", "cycle checks", "cycles ", "invalid end states", "hash factor"];
    let mut out: Vec<String> = Vec::new();
    for line in report.lines() {
        let line = line.split_once("errors: ").map_or(line, |(_, errors)| errors);
        if line.parse::<u64>().is_ok() || told.iter().any(|words| line.contains(words)) {
            out.push(line.split_once("factor").map_or(line, |(start, _)| start).to_string());
        } else if let (true, Some((message, _))) = (line.starts_with("pan:1:"), line.split_once(" (at depth")) {
            out.push(message.to_string());
        }
    }
    out.extend(unreached(report).into_iter().filter(|line| line.starts_with("unreached in proctype")));
    out
}

#[test]
fn a_verification_at_once_has_the_verdict_of_spin() {
    if !spin::installed() {
        return;
    }
    let cases: Vec<_> = CLAIMS.iter().flat_map(|model| AT_ONCE.map(|options| (*model, options))).collect();
    let results = parallel::map(&cases, |((name, text), options)| {
        let temporary = TempDir::with_prefix("kripke-pan-").expect("a folder can be made");
        fs::write(temporary.path().join(name), text).expect("the model can be written");
        let theirs = shell(temporary.path(), &format!("spin -run -O0 {options} {name}"));
        let kripke = env!("CARGO_BIN_EXE_kripke");
        let ours = shell(temporary.path(), &format!("{kripke} spin -run {options} {name}"));
        let same = theirs.contains("errors: ") && verdict(&theirs) == verdict(&ours);
        if same { None } else { Some(format!("{name} {options}\nSPIN: {theirs}\nours: {ours}")) }
    });
    let wrong: Vec<String> = results.into_iter().filter_map(|result| result.unwrap_or_else(Some)).collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn a_cycle_that_is_no_error_does_not_end_the_search() {
    let desk = desk();
    let text = "byte x;\nbool b;\nltl live { <> b }\nactive proctype P() {\n\
                do :: x < 5 -> x++ :: x == 5 -> assert(false) :: x > 0 -> x-- od }\n";
    fs::write(desk.path("miss.pml"), text).unwrap();
    for command in ["spin -a miss.pml; pan", "spin -run -safety miss.pml", "spin -a miss.pml; pan -DBITSTATE"] {
        let said = script(&desk, command);
        assert!(said.contains("pan:1: assertion violated 0") && said.contains("errors: 1\n"), "{command}\n{said}");
        assert!(said.contains("Search not completed"), "{command}\n{said}");
    }
    fs::write(desk.path("miss.pml"), text.replace("assert(false)", "x = 0")).unwrap();
    let said = script(&desk, "spin -a miss.pml; pan");
    assert!(said.contains("errors: 0\n") && said.contains("unreached in proctype P"), "{said}");
}

#[test]
fn messages_to_a_full_channel_are_lost_on_request() {
    let desk = desk();
    let text = "chan q = [2] of { byte };\nactive proctype S() { byte i; do :: i < 5 -> i++; q!i :: else -> break od }\n\
                active proctype R() { byte m; do :: q?m :: timeout -> break od }\n";
    fs::write(desk.path("lossy.pml"), text).unwrap();
    let ours = script(&desk, "spin -m -o1 -o2 -o3 -run -DNOREDUCE -DSAFETY lossy.pml");
    let counts = |report: &str| -> Vec<String> {
        report
            .lines()
            .filter(|line| line.contains("states, stored") || line.contains("matched"))
            .map(String::from)
            .collect()
    };
    let plain = script(&desk, "spin -o1 -o2 -o3 -run -DNOREDUCE -DSAFETY lossy.pml");
    assert_ne!(counts(&ours), counts(&plain), "{ours}");
    let said = desk.run("check lossy.pml --lossy-send --raw -q --format json");
    let states =
        ours.lines().find(|line| line.contains("states, stored")).and_then(|line| line.split_whitespace().next());
    assert!(
        said.out.contains(&format!("\"states\":{}", states.unwrap()))
            || said.out.contains(&format!("\"states\": {}", states.unwrap())),
        "{}",
        said.out
    );
    if spin::installed() {
        let compiled = "spin -m -a -o1 -o2 -o3 lossy.pml; gcc -w -DNOREDUCE -DSAFETY -o pan pan.c; ./pan";
        assert_eq!(counts(&shell(desk.dir.path(), compiled)), counts(&ours));
    }
}

#[test]
fn a_verifier_ends_with_status_0() {
    let desk = desk();
    for command in ["spin -run assert.pml", "spin -a assert.pml && pan", "spin -V", "spin -t -p assert.pml"] {
        let said = script(&desk, command);
        assert!(said.ends_with("status exit status: 0\n"), "{command}\n{said}");
    }
    for command in ["spin -run missing.pml", "spin", "spin -nx good.pml", "spin -a missing.pml", "spin -t good.pml"] {
        let said = script(&desk, command);
        assert!(said.ends_with("status exit status: 2\n"), "{command}\n{said}");
    }
}

#[test]
fn memory_and_depth_are_limits() {
    let desk = desk();
    let text = "int x;\nactive proctype P() { do :: x++ od }\n";
    fs::write(desk.path("endless.pml"), text).unwrap();
    let said = script(&desk, "spin -run -m100000000 -DMEMLIM=64 endless.pml");
    assert!(said.contains("pan: reached -DMEMLIM bound") && said.contains("Search not completed"), "{said}");
    let said = script(&desk, "spin -run -m50 endless.pml");
    assert!(said.contains("max search depth too small") && said.contains("errors: 0"), "{said}");
    let said = script(&desk, "spin -run -b -m50 endless.pml");
    assert!(said.contains("pan:1: depth limit reached") && said.contains("errors: 1"), "{said}");
}

#[test]
fn a_file_of_others_is_kept() {
    let desk = desk();
    fs::write(desk.path("pan.c"), "int mine;\n").unwrap();
    let said = script(&desk, "spin -a good.pml");
    assert!(said.ends_with("status exit status: 2\n") && said.contains("pan.c"), "{said}");
    assert!(!said.contains("--force"), "SPIN has no such option: {said}");
    assert_eq!(desk.read("pan.c"), "int mine;\n");
    script(&desk, "spin -run assert.pml");
    let said = script(&desk, "spin -run -x assert.pml");
    assert!(said.contains("there is such a file already\n"), "{said}");
    let said = script(&desk, "pan");
    assert!(said.contains("was not written by `kripke spin -a`"), "{said}");
}

#[test]
fn a_trail_is_replayed_as_spin_does() {
    let desk = desk();
    script(&desk, "spin -run assert.pml");
    let said = script(&desk, "spin -t -p -g assert.pml");
    assert_eq!(
        said,
        "  1:\tproc  0 (P:1) assert.pml:2 (state 1)\t[x = 1]\n\t\tx = 1\n\
         spin: assert.pml:2, Error: assertion violated\nspin: text of failed assertion: assert((x==2))\n\
         \u{20} 2:\tproc  0 (P:1) assert.pml:2 (state 2)\t[assert((x==2))]\n\
         spin: trail ends after 2 steps\n#processes: 1\n\t\tx = 1\n  2:\tproc  0 (P:1) assert.pml:2 (state 3) <valid end state>\n\
         1 process created\nstatus exit status: 0\n"
    );
    assert!(script(&desk, "spin -a assert.pml; pan -r").contains("(state 2)\t[assert((x==2))]"));
    assert!(
        script(&desk, "cp assert.pml.trail other; spin -p -k other assert.pml").contains("trail ends after 2 steps")
    );
}

#[test]
fn a_simulation_is_written_as_spin_writes_it() {
    let desk = desk();
    let said = script(&desk, "spin -p -g good.pml");
    assert_eq!(
        said,
        "  0:\tproc  - (:root:) creates proc  0 (P)\n  1:\tproc  0 (P:1) good.pml:2 (state 1)\t[x = 1]\n\t\tx = 1\n\
         \u{20} 2:\tproc  0 (P:1) good.pml:2 (state 4)\t[else]\n  2:\tproc  0 (P:1)       terminates\n1 process created\n\
         status exit status: 0\n"
    );
    let said = script(&desk, "kripke=x; spin -u1 dead.pml");
    assert!(said.contains("#processes: 1\n\t\tx = 1\n"), "{said}");
}

#[test]
fn all_errors_have_trails_with_numbers() {
    let desk = desk();
    fs::write(desk.path("two.pml"), "byte x;\nactive proctype P() { if :: assert(x == 1) :: assert(x == 2) fi }\n")
        .unwrap();
    let said = script(&desk, "spin -run -e two.pml");
    assert!(said.contains("errors: 2"), "{said}");
    assert!(desk.path("two.pml1.trail").exists() && desk.path("two.pml2.trail").exists(), "{said}");
    let said = script(&desk, "spin -run -c2 two.pml");
    assert!(said.contains("pan: wrote two.pml.trail") && said.contains("errors: 2"), "{said}");
}

#[test]
fn help_lists_the_options_and_needs_no_model() {
    for option in ["--help", "-h", "-?"] {
        let said = Desk::new().run(&format!("spin {option}")).expect(0);
        assert_eq!(said.err, "", "{option}");
        for word in ["spin -a MODEL", "spin -run", "spin -t", "-p -g -l -s -r", "-DBITSTATE"] {
            assert!(said.out.contains(word), "{option}: {}", said.out);
        }
    }
}
