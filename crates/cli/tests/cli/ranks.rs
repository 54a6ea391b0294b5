//! Distributed search: the answers of one process, whatever the number of ranks and the algorithm.

use std::path::Path;

use crate::program::{Desk, Said};

const ALGORITHMS: [&str; 8] = ["owcty", "owcty-reversed", "map", "ncd", "pd-ndfs", "token-ndfs", "ble", "deps"];

/// A desk with some of the examples on it.
fn desk(names: &[&str]) -> Desk {
    let desk = Desk::new();
    for name in names {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
        desk.write(name, std::fs::read(path).unwrap());
    }
    desk
}

fn ask(desk: &Desk, file: &str, arguments: &[&str]) -> Said {
    desk.command("check").arg(file).args(arguments).output().unwrap().into()
}

/// Verdict, states, transitions, errors and the steps of counterexamples.
fn figures(desk: &Desk, file: &str, arguments: &[&str]) -> Vec<serde_json::Value> {
    let json = ask(desk, file, &[arguments, &["--format", "json", "--no-trail"]].concat()).json();
    let steps = json["findings"].as_array().unwrap().iter().map(|finding| finding["steps"].clone());
    let counts = ["verdict", "states", "transitions", "depth", "errors"].map(|key| json[key].clone());
    counts.into_iter().chain(steps).collect()
}

#[test]
fn counts_are_those_of_one_process() {
    let files =
        ["dining-philosophers.pml", "mutex-naive.pml", "alternating-bit.dve", "readers-writers.pml", "fairness.esml"];
    let desk = desk(&files);
    for file in files {
        for more in [&["--raw"][..], &["--all-errors", "--no-partial-order"], &["--no-partial-order", "--compact"]] {
            let more = [more, &["--no-claim"]].concat();
            let plain = figures(&desk, file, &[&more[..], &["-j1", "--search", "bfs", "--store", "exact"]].concat());
            for ranks in [&["--ranks", "1"][..], &["--ranks", "2", "-j2"], &["--ranks", "4", "--store", "tree"]] {
                let ours = figures(&desk, file, &[&more[..], ranks].concat());
                assert_eq!(plain, ours, "{file} {more:?} {ranks:?}");
            }
        }
    }
}

#[test]
fn every_algorithm_gives_the_verdict_of_one_process() {
    let desk = desk(&["mutex-peterson.pml", "fair-weak.pml", "fair-strong.pml", "fairness.dve"]);
    let questions = [
        ("mutex-peterson.pml", "[] (critical == 1 -> <> critical == 0)", "holds"),
        ("mutex-peterson.pml", "[] <> (wants[0])", "violated"),
        ("mutex-peterson.pml", "[] (critical < 2)", "holds"),
        ("fair-weak.pml", "<> open", "violated"),
        ("fair-strong.pml", "[] <> open", "holds"),
        ("fairness.dve", "F bell.rings", "violated"),
    ];
    for (file, formula, verdict) in questions {
        let asked = ["--ltl", formula, "--format", "json"];
        let plain = ask(&desk, file, &[&asked[..], &["-j1", "--cycles", "nested"]].concat()).json();
        assert_eq!(plain["verdict"], verdict, "{file} {formula}: {plain}");
        for algorithm in ALGORITHMS {
            for ranks in ["1", "3"] {
                let said = ask(&desk, file, &[&asked[..], &["--ranks", ranks, "--cycles", algorithm]].concat());
                let json = said.json();
                assert_eq!(json["verdict"], verdict, "{file} {formula} {algorithm}: {json}");
                let figures = json["properties"][0]["ranks"].as_array().map_or(0, Vec::len);
                assert_eq!(figures.to_string(), ranks, "{file} {formula} {algorithm}: {json}");
            }
        }
    }
}

#[test]
fn what_does_not_combine_is_refused() {
    let desk = desk(&["mutex-peterson.pml"]);
    let refused: [(&[&str], &str); 9] = [
        (&["--ranks", "2", "--store", "hash"], "--ranks: the store of a rank neither omits states"),
        (&["--ranks", "2", "--swarm"], "--ranks: the store of a rank neither omits states"),
        (&["--ranks", "2", "--search", "dfs"], "--ranks: ranks search level by level"),
        (&["--ranks", "2", "--audit"], "--audit: one process audits partial-order reduction"),
        (&["--ranks", "2", "--ctl", "AG EF (critical == 0)"], "--ranks: CTL formulas are evaluated by one process"),
        (
            &["--ranks", "2", "--ltl", "[] <> (critical == 1)", "--fair", "weak"],
            "--ranks: the distributed algorithms do not decide",
        ),
        (&["--ranks", "2", "--ltl", "<> false", "--cycles", "scc"], "--cycles: this algorithm is one for a single"),
        (
            &["--ltl", "[] <> (critical == 1)", "--fair", "weak", "--cycles", "map"],
            "--cycles: the distributed algorithms do not decide fairness",
        ),
        (
            &["--ltl", "[] <> (critical == 1)", "--max-depth", "9", "--cycles", "map", "--ranks", "2"],
            "--max-depth: map does not search level by level: use --cycles owcty",
        ),
    ];
    for (arguments, reason) in refused {
        let said = ask(&desk, "mutex-peterson.pml", arguments).expect(2);
        assert!(said.err.contains(reason), "{arguments:?}: {}", said.err);
    }
}

/// The limits are those of all ranks together, whatever the algorithm.
#[test]
fn cycle_algorithms_observe_limits() {
    let desk = desk(&["mutex-peterson.pml"]);
    let asked = |more: &[&str]| {
        let formula = "[] (critical == 1 -> <> critical == 0)";
        let args = ["--ltl", formula, "--format", "json", "--no-partial-order", "--ranks", "3"];
        ask(&desk, "mutex-peterson.pml", &[&args[..], more].concat()).json()
    };
    for algorithm in ALGORITHMS {
        let states = asked(&["--cycles", algorithm])["states"].as_u64().expect("states");
        let most = |states: u64| asked(&["--cycles", algorithm, "--max-states", &states.to_string()]);
        let (less, enough) = (most(states / 2), most(states));
        assert_eq!((&less["verdict"], &less["reason"]), (&"inconclusive".into(), &"max_states".into()), "{algorithm}");
        assert_eq!(enough["states"], states, "{algorithm}: {enough}");
    }
    assert_eq!(asked(&["--max-depth", "2"])["reason"], "max_depth");
}

#[test]
fn the_plan_and_the_figures_are_shown() {
    let desk = desk(&["readers-writers.pml"]);
    let said = ask(&desk, "readers-writers.pml", &["--ranks", "3", "-v"]).expect(0);
    assert!(said.out.contains("static cycle proviso, the same for all ranks"), "{}", said.out);
    assert!(said.out.contains("ranks ") && said.out.contains("for each rank: the cores are shared"), "{}", said.out);
    let rows = said.out.lines().skip_while(|line| !line.trim_start().starts_with("rank ")).count();
    assert!(rows >= 4, "{}", said.out);
}

/// A distributed algorithm that is named without `--ranks` has one rank for each thread.
#[test]
fn distributed_algorithms_run_in_one_process() {
    let desk = desk(&["mutex-peterson.pml"]);
    for algorithm in ["owcty", "map"] {
        let args = ["--ltl", "[] <> (critical == 1)", "--cycles", algorithm, "-j3", "--format", "json"];
        let json = ask(&desk, "mutex-peterson.pml", &args).json();
        let part = &json["properties"][0];
        assert_eq!(part["ranks"].as_array().map_or(0, Vec::len), 3, "{json}");
        let decided = |item: &str| {
            let all = part["plan"].as_array().expect("a plan").iter();
            all.filter(|decision| decision["item"] == item).map(|decision| decision.to_string()).collect::<String>()
        };
        assert!(decided("ranks").contains("one for each thread"), "{json}");
        assert!(decided("cycle-algorithm").contains(algorithm), "{json}");
    }
}
