//! Searches that are not finished never claim to be.

use serde_json::json;

use crate::program::Desk;

#[test]
fn every_limit_is_named() {
    for (args, reason) in [
        ("--max-states 1000", "max_states"),
        ("--max-depth 20", "max_depth"),
        ("-m20", "max_depth"),
        ("--mem 1M", "memory"),
        ("--timeout 200ms", "timeout"),
        ("--max-depth 20 --search dfs", "max_depth"),
        ("--timeout 200ms --search dfs", "timeout"),
    ] {
        let report = Desk::new().run(&format!("check endless.pml --format json {args}")).expect(3).json();
        assert_eq!(report["reason"], reason, "{args}");
        assert_eq!((&report["verdict"], &report["complete"]), (&json!("inconclusive"), &json!(false)), "{args}");
    }
}

#[test]
fn searches_for_cycles_end_at_the_depth_limit() {
    let desk = Desk::new();
    for cycles in ["scc", "nested", "cndfs", "ufscc"] {
        for threads in ["-j1", "-j2"] {
            let asked = format!("--cycles {cycles} {threads} --raw --format json");
            for depth in ["1", "2", "3", "5"] {
                let report = desk.run(&format!("check deep-cycle.pml -a -m{depth} {asked}")).expect(3).json();
                assert_eq!(report["reason"], "max_depth", "{asked} {depth}");
            }
            desk.run(&format!("check deep-cycle.pml -a -m20 --no-trail {asked}")).expect(1);
        }
    }
}

#[test]
fn a_cycle_behind_the_depth_limit_is_not_excluded() {
    let desk = Desk::new();
    let questions = ["-a", "-a --fair weak", "--ltl <>[](c==1)"];
    let algorithms = ["", "--cycles scc", "--cycles nested", "--cycles cndfs", "--cycles ufscc"];
    let mut answers = [0; 2];
    for question in questions {
        for cycles in algorithms.iter().filter(|cycles| cycles.is_empty() || !question.contains("--fair")) {
            for rest in ["-j1", "-j2", "-j1 --store exact", "-j1 --store tree", "-j1 --raw", "-j2 --raw"] {
                for depth in 1..12 {
                    let report = desk.run(&format!(
                        "check late-shortcut.pml {question} {cycles} {rest} -m{depth} --no-trail --format json"
                    ));
                    let verdict = &report.json()["verdict"];
                    assert_ne!(verdict, "holds", "{question} {cycles} {rest} -m{depth}");
                    answers[usize::from(verdict == "violated")] += 1;
                }
            }
        }
    }
    assert!(answers.iter().all(|count| *count > 50), "{answers:?} are inconclusive and violated");
}

#[test]
fn the_screen_says_what_to_do() {
    let said = Desk::new().run("endless.pml --max-states 1000").expect(3);
    let first = said.out.lines().next().unwrap();
    assert_eq!(
        first,
        "? INCONCLUSIVE: limit of 1 000 states reached; no errors in the 1 000 states seen, but the search is incomplete"
    );
    assert!(said.out.contains("  increase --max-states\n"), "{}", said.out);
}

#[test]
fn an_endless_sequence_is_located() {
    let said = Desk::new().run("loop.pml").expect(3);
    assert!(said.out.contains("loop.pml:2"), "{}", said.out);
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_search_and_not_the_report() {
    use std::process::{Command, Stdio};
    use std::time::Duration;

    for signal in ["-INT", "-TERM"] {
        let desk = Desk::new();
        let child = desk
            .command("check endless.pml --format json --mem 1G")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(300));
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
        let said: crate::program::Said = child.wait_with_output().unwrap().into();
        assert_eq!(said.expect(3).json()["reason"], "interrupted");
    }
}
