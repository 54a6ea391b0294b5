//! The order of a search: a breadth-first search with a depth-first probe.

use serde_json::Value;

use crate::program::Desk;

/// Five counters: an error is sixty steps away on every run, behind millions of states.
const COUNTERS: &str = "byte c[5]; byte total;
active [5] proctype P() {
    end: do
    :: atomic { c[_pid] < 20 -> c[_pid]++; total++; assert(total < 60) }
    od
}";

fn check(model: &str, options: &str) -> (String, Value) {
    let desk = Desk::new();
    desk.write("m.pml", model);
    let said = desk.run(&format!("check m.pml --no-trail -v {options}"));
    (said.out, desk.run(&format!("check m.pml --no-trail --format json {options}")).json())
}

#[test]
fn a_probe_finds_an_error_that_is_far_away() {
    for options in ["-j1", "-j3", "--store exact", "--store tree", "--no-partial-order"] {
        let (screen, report) = check(COUNTERS, options);
        assert_eq!(report["verdict"], "violated", "{options}");
        assert!(report["states"].as_u64().unwrap() < 1_500_000, "{options}: {}", report["states"]);
        assert!(screen.contains("depth-first probe") && screen.contains("which found the error"), "{screen}");
        assert!(!screen.contains("shortest"), "{screen}");
    }
}

#[test]
fn a_shorter_counterexample_is_preferred() {
    let near = COUNTERS.replace("total < 60", "total < 24");
    let (screen, report) = check(&near, "-j2");
    assert!(report["states"].as_u64().unwrap() < 1_000_000, "{}", report["states"]);
    assert!(screen.contains("a depth-first probe of") && !screen.contains("which found the error"), "{screen}");
    let (_, breadth_first) = check(&near, "-j2 --search bfs");
    assert_eq!(report["findings"], breadth_first["findings"]);
}

#[test]
fn a_search_without_errors_is_the_same_with_a_probe() {
    let good = COUNTERS.replace("total < 60", "total < 101").replace("< 20", "< 11");
    for options in ["-j1", "-j3 --store exact"] {
        let ((screen, with), (_, without)) = (check(&good, options), check(&good, &format!("{options} --search bfs")));
        assert!(screen.contains("a depth-first probe of 20000 states"), "{screen}");
        assert_eq!((&with["verdict"], &with["states"]), (&without["verdict"], &without["states"]), "{options}");
        assert_eq!(with["transitions"], without["transitions"], "{options}");
    }
}
