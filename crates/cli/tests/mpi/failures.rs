//! Ranks that are killed or stopped at any time: the check is inconclusive and names the rank.

use std::process::Command;
use std::time::{Duration, Instant};

use kripke_tests::{parallel, places};

use crate::mpirun::{Run, is_installed};

/// Several hundred million states, so no search of it ends before a rank is lost.
const LARGE: &str = "\
byte a, b, c, d, e;
active proctype pa() { do :: a < 40 -> a++ :: a > 0 -> a-- od }
active proctype pb() { do :: b < 40 -> b++ :: b > 0 -> b-- od }
active proctype pc() { do :: c < 40 -> c++ :: c > 0 -> c-- od }
active proctype pd() { do :: d < 40 -> d++ :: d > 0 -> d-- od }
active proctype pe() { do :: e < 40 -> e++ :: e > 0 -> e-- od }
";

/// A rank that gets a signal after some time.
#[derive(Clone, Copy, Debug)]
struct Case {
    ranks: usize,
    rank: usize,
    signal: &'static str,
    after: Duration,
    json: bool,
}

fn cases() -> Vec<Case> {
    let mut random = kripke_model::Random::new(17);
    let case = |number: usize| {
        let ranks = 2 + random.below(2);
        Case {
            ranks,
            rank: random.below(ranks),
            signal: if number.is_multiple_of(2) { "-KILL" } else { "-STOP" },
            after: Duration::from_millis(random.below_u64(3_000)),
            json: number.is_multiple_of(3),
        }
    };
    (0..20).map(case).collect()
}

/// Sends a signal to a rank, and returns how long the run goes on.
fn lose(case: Case) -> Duration {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("large.pml"), LARGE).expect("a model");
    let format = if case.json { "json" } else { "text" };
    let run = Run::start(folder.path(), case.ranks, &["check", "large.pml", "--raw", "--format", format]);
    // All ranks search before one is lost.
    let processes = run.searching(case.ranks);
    std::thread::sleep(case.after);
    let process = processes[case.rank].to_string();
    let sent = Command::new("kill").args([case.signal, &process]).status().expect("kill");
    assert!(sent.success(), "{case:?}");
    let start = Instant::now();
    let said = run.end();
    let time = start.elapsed();
    assert_eq!(said.status, 3, "{case:?}: {said:?}");
    let name = format!("rank {}", case.rank);
    assert!(said.out.contains(&name), "{case:?}: {said:?}");
    if case.json {
        let json = said.json();
        assert_eq!((&json["verdict"], &json["reason"]), (&"inconclusive".into(), &"lost_rank".into()), "{case:?}");
    } else {
        assert_eq!(said.out.matches("INCONCLUSIVE").count(), 1, "{case:?}: {said:?}");
    }
    assert!(!said.out.contains("holds") && !said.out.contains("HOLDS"), "{case:?}: {said:?}");
    assert!(have_ended(&processes), "{case:?}: processes are left");
    time
}

/// Whether no process is left: a stopped one that nobody has ended would stay for ever.
fn have_ended(processes: &[u32]) -> bool {
    let is_there = |id: &u32| std::path::Path::new(&format!("/proc/{id}")).exists();
    let start = Instant::now();
    while processes.iter().any(is_there) && start.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(50));
    }
    !processes.iter().any(is_there)
}

#[test]
fn a_lost_rank_is_named_and_gives_no_verdict() {
    if !is_installed() {
        return;
    }
    let mut longest = Duration::ZERO;
    for result in parallel::map(&cases(), |case| lose(*case)) {
        longest = longest.max(result.unwrap_or_else(|why| panic!("{why}")));
    }
    places::notice(&format!("20 lost ranks: the runs ended at most {:.1} s later", longest.as_secs_f64()));
}
