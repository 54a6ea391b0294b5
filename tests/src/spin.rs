//! Real SPIN, where it is installed: an unreduced search that counts every error.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::places;

/// What SPIN says about a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Said {
    Rejected,
    /// It ran into a fault, after which its counts mean nothing.
    Fault,
    /// It took too long or too deep.
    GaveUp,
    Counted {
        states: u64,
        transitions: u64,
        errors: u64,
    },
}

const FAULTS: [&str; 9] = [
    "invalid array index",
    "uninitialized chan",
    "block in d_step",
    "blocking sel in d_step",
    "rv-attempt in d_step",
    "too many processes",
    "too many queues",
    "poll rendezvous",
    "event_trace error",
];

/// Whether both `spin` and `gcc` can be run. Without them, comparisons with SPIN are skipped.
pub fn installed() -> bool {
    let runs = |program: &str, flag: &str| {
        let mut command = Command::new(program);
        command.arg(flag).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok()
    };
    let both = runs("spin", "-V") && runs("gcc", "--version");
    if !both {
        places::missing("SPIN or gcc is not installed");
    }
    both
}

/// Verifies a program in a folder made for it.
pub fn verify(text: &str, folder: &Path) -> Said {
    fs::create_dir_all(folder).expect("the folder for SPIN can be made");
    fs::write(folder.join("model.pml"), text).expect("the model can be written");
    let made = run(folder, 60, "spin", &["-a", "-o1", "-o2", "-o3", "model.pml"]);
    if !made.is_some_and(|m| m.status.success()) {
        return Said::Rejected;
    }
    let flags = ["-w", "-O0", "-DSAFETY", "-DNOREDUCE", "-DMEMLIM=1000", "-o", "pan", "pan.c"];
    if !run(folder, 60, "gcc", &flags).is_some_and(|m| m.status.success()) {
        return Said::Rejected;
    }
    let pan = folder.join("pan").display().to_string();
    let Some(ran) = run(folder, 10, &pan, &["-c0", "-n", "-m20000", "-w18"]) else { return Said::GaveUp };
    let report = String::from_utf8_lossy(&ran.stdout);
    if report.contains("max search depth too small") || report.contains("out of memory") {
        return Said::GaveUp;
    }
    if ran.status.code().is_none() || FAULTS.iter().any(|fault| report.contains(fault)) {
        return Said::Fault;
    }
    figures(&report).unwrap_or(Said::GaveUp)
}

/// SPIN prints none where it finds a loop without any statement in it.
fn figures(report: &str) -> Option<Said> {
    Some(Said::Counted {
        states: number_before(report, " states, stored")?,
        // SPIN counts the initial state as a transition.
        transitions: number_before(report, " transitions (")? - 1,
        errors: number_after(report, "errors: ")?,
    })
}

/// Runs a program to its end, or kills it after some seconds. Its output goes through files, which never fill up.
fn run(folder: &Path, seconds: u64, program: &str, arguments: &[&str]) -> Option<Output> {
    let file = |name| fs::File::create(folder.join(name)).expect("a file for output can be made");
    let mut command = Command::new(program);
    command.current_dir(folder).args(arguments).stdin(Stdio::null()).stdout(file("out")).stderr(file("err"));
    let mut child = command.spawn().ok()?;
    let deadline = Instant::now() + Duration::from_secs(seconds);
    loop {
        if let Some(status) = child.try_wait().ok()? {
            let read = |name| fs::read(folder.join(name)).unwrap_or_default();
            return Some(Output { status, stdout: read("out"), stderr: read("err") });
        }
        if Instant::now() > deadline {
            child.kill().ok()?;
            child.wait().ok()?;
            return None;
        }
        thread::sleep(Duration::from_millis(2));
    }
}

fn number_before(report: &str, words: &str) -> Option<u64> {
    let before = &report[..report.find(words)?];
    before.rsplit(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

fn number_after(report: &str, words: &str) -> Option<u64> {
    let after = &report[report.find(words)? + words.len()..];
    after.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_found_in_a_report() {
        let report =
            "State-vector 12 byte, depth reached 3, errors: 2\n       17 states, stored\n       20 transitions (= x)";
        assert_eq!(number_before(report, " states, stored"), Some(17));
        assert_eq!(number_before(report, " transitions ("), Some(20));
        assert_eq!(number_after(report, "errors: "), Some(2));
        assert_eq!(number_after(report, "warnings: "), None);
    }
}
