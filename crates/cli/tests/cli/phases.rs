//! Every phase keeps to the limits: reading, preparing, searching, confirming and writing what was found.

use std::fmt::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::program::{Desk, Said};

/// So long a machine with much else to do may take to end a program whose time is up.
const SOON: Duration = Duration::from_secs(20);
const MIB: u64 = 1 << 20;

/// Statements made of their numbers, one after the other.
fn repeated(count: usize, statement: impl Fn(usize) -> String) -> String {
    (0..count).fold(String::new(), |mut text, n| {
        let _ = writeln!(text, "{}", statement(n));
        text
    })
}

/// Processes with one choice among many each.
fn wide(processes: usize, options: usize) -> String {
    let options = repeated(options, |n| format!(":: x == {n} -> x = {}", n + 1));
    format!("int x;\n{}", repeated(processes, |n| format!("active proctype P{n}() {{ if\n{options}fi }}")))
}

/// A model whose preparation takes several times the period of grace of the watchdog, on fast machines, too.
fn slow() -> String {
    wide(8, 5900)
}

/// Runs a command and says how much memory it had at most.
#[cfg(target_os = "linux")]
fn weighed(desk: &Desk, args: &str, property: &[&str]) -> (Said, u64) {
    let mut command = desk.command(args);
    command.args(property).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<u64>().ok());
        peak = peak.max(kib.unwrap_or(0) << 10);
        std::thread::sleep(Duration::from_millis(2));
    }
    (child.wait_with_output().unwrap().into(), peak)
}

#[cfg(target_os = "linux")]
#[test]
fn preparing_takes_memory_that_grows_with_the_model() {
    let desk = Desk::new();
    let assignments = repeated(4000, |n| format!("x = x + {n};"));
    desk.write("row.pml", format!("active proctype P() {{ int x;\n{assignments}assert(x > 0) }}\n"));
    desk.write("wide.pml", wide(1, 5000));
    for (model, most) in [("row.pml", 256), ("wide.pml", 384)] {
        let (said, peak) = weighed(&desk, &format!("check {model} --quiet"), &[]);
        said.expect(0);
        assert!(peak < most * MIB, "{model}: {} MiB", peak / MIB);
    }
}

#[test]
fn preparing_ends_when_time_is_up() {
    let desk = Desk::new();
    desk.write("wide.pml", slow());
    let start = Instant::now();
    let report = desk.run("check wide.pml --timeout 50ms --format json").expect(3).json();
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
    assert_eq!((&report["verdict"], &report["reason"]), (&"inconclusive".into(), &"timeout".into()));
    assert_eq!((&report["complete"], &report["model"]), (&false.into(), &"wide.pml".into()));
    let message = report["message"].as_str().unwrap();
    assert!(message.starts_with("out of time while "), "{message}");
}

#[test]
fn models_after_one_that_was_ended_are_said_to_be_skipped() {
    let desk = Desk::new();
    desk.write("wide.pml", slow());
    let said = desk.run("check hello.pml wide.pml hello.pml --timeout 50ms").expect(3);
    let lines: Vec<&str> = said.out.lines().collect();
    assert!(lines[1].starts_with("wide.pml    ? INCONCLUSIVE: out of time while "), "{}", said.out);
    assert_eq!(lines[2..], ["1 held · 1 inconclusive · 1 skipped"]);
    let said = desk.run("check hello.pml wide.pml hello.pml --timeout 50ms --format json").expect(3);
    let verdicts: Vec<serde_json::Value> = said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(verdicts.iter().map(|v| v["verdict"].as_str().unwrap()).collect::<Vec<_>>(), ["holds", "inconclusive"]);
}

#[cfg(unix)]
#[test]
fn a_signal_ends_preparing() {
    for signal in ["-INT", "-TERM"] {
        let desk = Desk::new();
        desk.write("wide.pml", slow());
        let mut command = desk.command("check wide.pml --format json");
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(200));
        let (start, id) = (Instant::now(), child.id().to_string());
        assert!(std::process::Command::new("kill").args([signal, &id]).status().unwrap().success());
        let report = Said::from(child.wait_with_output().unwrap()).expect(3).json();
        assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
        assert_eq!(report["reason"], "interrupted");
    }
}

/// Most of these searches end when their time is up, so each is a test of its own.
#[cfg(target_os = "linux")]
mod memory_stays_within_its_limit {
    use super::{Desk, MIB, weighed};

    const LARGE: &str = "int a[16000]; int n;
         active proctype P() { do :: a[n % 16000] = n; n++ :: a[(n + 7) % 16000] = n od }
         active proctype Q() { do :: a[0]++ od }";

    fn counters(names: &[&str]) -> String {
        let counter = |name: &&str| format!("active proctype P{name}() {{ do :: {name}++ :: {name}-- od }}\n");
        let counters: String = names.iter().map(counter).collect();
        format!("byte {};\n{counters}", names.join(", "))
    }

    fn check(model: &str, args: &str, property: &[&str]) {
        let desk = Desk::new();
        desk.write("model.pml", model);
        let args = format!("check model.pml {args} --mem 128M --timeout 15s --format json");
        let (said, peak) = weighed(&desk, &args, property);
        let report = said.expect(3).json();
        let peak = peak.max(report["memory"]["peak_rss"].as_u64().unwrap());
        assert!(peak <= 128 * MIB / 20 * 21, "{args}: {} KiB", peak / 1024);
    }

    #[test]
    fn ctl() {
        check(&counters(&["a", "b", "c"]), "", &["--ctl", "AG EF (a == 0 && b == 0 && c == 0)"]);
    }

    #[test]
    fn lossy() {
        // The 16 million states of three counters fit into the memory. With a fourth one, which is asked for and so not sliced away,
        // trees do not.
        let fourth = "byte d; active proctype Fourth() { do :: d = (d + 1) % 4 od }";
        let never = "a == 7 && b == 7 && c == 7 && d == 3 && a == 8";
        check(&format!("{}{fourth}", counters(&["a", "b", "c"])), "--lossy -j2", &["--reach", never]);
    }

    #[test]
    fn large_states() {
        check(LARGE, "", &[]);
    }

    #[test]
    fn large_states_depth_first() {
        check(LARGE, "--search dfs", &[]);
    }

    #[test]
    fn many_processes() {
        let crowd = "byte x; active [250] proctype P() { byte y; do :: y < 3 -> y++; x++ :: y > 2 -> y = 0 od }";
        check(crowd, "", &[]);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_trace_too_large_for_viewers_is_not_written() {
    let desk = Desk::new();
    let declared = repeated(1500, |n| format!("int x{n};"));
    let assigned = repeated(1500, |n| format!("x{n} = 1;"));
    desk.write("many.pml", format!("{declared}active proctype P() {{\n{assigned}assert(x0 == 0) }}\n"));
    let (said, peak) = weighed(&desk, "check many.pml --raw --quiet --itf", &[]);
    let said = said.expect(1);
    assert!(said.err.contains("many.itf.json is not written: the trace for viewers would be larger than 32.0 MiB"));
    assert!(desk.has("many.trail.json") && !desk.has("many.itf.json"));
    let left = std::fs::read_dir(&desk.dir).unwrap().map(|file| file.unwrap().file_name());
    assert!(left.into_iter().all(|name| !name.to_string_lossy().ends_with(".tmp")));
    assert!(peak < 256 * MIB, "{} MiB", peak / MIB);
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_of_large_states_keeps_what_changes() {
    let desk = Desk::new();
    desk.write(
        "large.pml",
        "int a[800000]; byte n;
         active proctype P() { do :: n < 60 -> a[n * 200] = n; n++ :: else -> assert(false) od }",
    );
    let (said, peak) = weighed(&desk, "check large.pml --quiet --mem 640M", &[]);
    said.expect(1);
    assert!(peak <= 640 * MIB / 20 * 21, "{} MiB", peak / MIB);
}

#[test]
fn long_states_fit_into_trees() {
    let desk = Desk::new();
    desk.write(
        "long.pml",
        "int a[50000]; byte n;
         active proctype P() { do :: n < 20 -> a[n * 200] = n; n++ :: else -> break od }",
    );
    desk.run("check long.pml --store tree --quiet").expect(0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_system_without_memory_is_a_limit() {
    for kib in [70_000, 100_000, 135_000, 150_000, 200_000, 300_000] {
        for args in ["", "--store tree", "--search dfs", "--store hash", "-j8"] {
            let desk = Desk::new();
            let command = format!(
                "ulimit -v {kib}; exec {} check endless.pml --timeout 2s --mem 4G --format json {args}",
                env!("CARGO_BIN_EXE_kripke")
            );
            let mut shell = std::process::Command::new("sh");
            let said = shell.args(["-c", &command]).current_dir(&desk.dir).stdin(Stdio::null()).output().unwrap();
            let report = Said::from(said).expect(3).json();
            assert_eq!(report["verdict"], "inconclusive", "{kib} {args}");
        }
    }
}
