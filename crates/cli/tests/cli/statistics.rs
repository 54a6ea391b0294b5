//! Statistics of the state space, the profile of statements, ranges of variables.

use std::fs;
use std::path::Path;

use crate::program::Desk;

/// A desk with the examples.
fn desk() -> Desk {
    let desk = Desk::new();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for entry in fs::read_dir(examples).unwrap().map(|entry| entry.unwrap()) {
        if entry.file_type().unwrap().is_file() {
            fs::copy(entry.path(), desk.path(&entry.file_name().to_string_lossy())).unwrap();
        }
    }
    desk
}

#[test]
fn counts_are_those_of_searches_without_reductions() {
    let desk = desk();
    for model in ["mutex-peterson.pml", "mutex-peterson.dve", "mutex-peterson.esml", "token-ring.pml", "water-jugs.pml"]
    {
        let report = desk.run(&format!("check {model} --statistics --profile --format json --no-claim"));
        let report = report.json();
        let space = &report["state_space"];
        let raw = "--raw --all-errors --no-claim --no-trail --format json";
        let dfs = desk.run(&format!("check {model} {raw} --search dfs")).json();
        let bfs = desk.run(&format!("check {model} {raw} -j1")).json();
        assert_eq!((&space["unique"], &space["transitions"]), (&dfs["states"], &dfs["transitions"]), "{model}");
        assert_eq!(space["depth"], dfs["depth"], "{model}");
        assert_eq!(space["levels"].as_u64().unwrap(), bfs["depth"].as_u64().unwrap() + 1, "{model}");
        let sum = ["unique", "revisits", "loops"].map(|name| space[name].as_u64().unwrap()).iter().sum::<u64>();
        assert_eq!(sum, space["transitions"].as_u64().unwrap() + 1, "{model}");
    }
}

#[test]
fn every_transition_is_an_execution() {
    let desk = desk();
    for model in ["mutex-peterson.pml", "mutex-peterson.dve"] {
        let report = desk.run(&format!("check {model} --profile --statistics --format json")).expect(0).json();
        let profile = report["profile"].as_array().unwrap();
        let sum: u64 = profile.iter().map(|entry| entry["count"].as_u64().unwrap()).sum();
        assert_eq!(sum, report["state_space"]["transitions"].as_u64().unwrap(), "{model}");
    }
    // Both statements of a rendezvous, and each of an indivisible sequence.
    desk.write("m.pml", "chan c = [0] of { bit };\nbyte n;\nactive proctype A() { c!1; d_step { n = 1; n = 2 } }\nactive proctype B() { c?_; atomic { skip; skip } }\n");
    let said = desk.run("check m.pml --profile").expect(0);
    let rows: Vec<&str> = said.out.lines().skip_while(|line| *line != "  executions:").skip(1).collect();
    let count =
        |statement: &str| rows.iter().find(|row| row.ends_with(statement)).unwrap().split_whitespace().next().unwrap();
    assert_eq!((count("c!1"), count("c?_")), ("1", "1"));
    assert_eq!((count("n = 1"), count("n = 2")), (count("n = 1"), count("n = 1")));
}

#[test]
fn ranges_are_those_of_reachable_states() {
    let desk = desk();
    desk.write("r.pml", "byte n = 5; short s;\nactive proctype P() { byte l; do :: n < 9 -> n++; s = -n; l = n / 2 :: else -> n = 3 od }\n");
    let report = desk.run("check r.pml --ranges --format json").expect(0).json();
    let of = |name: &str| {
        let range = report["ranges"].as_array().unwrap().iter().find(|range| range["name"] == name).unwrap().clone();
        (range["least"].as_i64().unwrap(), range["most"].as_i64().unwrap())
    };
    assert_eq!((of("n"), of("s"), of("l")), ((3, 9), (-9, 0), (0, 4)));
    let few = desk.run("check producer-consumer.pml --statistics --max-states 1000").expect(3);
    assert!(few.out.contains("  the statistics are incomplete: they cover 1 000 states\n"), "{}", few.out);
}

#[test]
fn hash_functions_can_be_chosen_and_compared() {
    let desk = desk();
    for function in ["ours", "jenkins", "hsieh", "fnv1a"] {
        for store in ["hash", "bitstate"] {
            let args =
                format!("check mutex-peterson.pml --store {store} --hash-function {function} --raw --format json");
            assert_eq!(desk.run(&args).expect(3).json()["states"], 38, "{args}");
        }
        let few = format!(
            "check producer-consumer.pml --raw --store hash --hash-bits 16 --hash-function {function} --format json"
        );
        let states = desk.run(&few).expect(3).json()["states"].as_u64().unwrap();
        assert!((1000..65_537).contains(&states), "16 bits omit states: {states}");
    }
    let refused = desk.run("check mutex-peterson.pml --hash-function jenkins").expect(2);
    assert!(refused.err.contains("--hash-function: it goes with --store hash"), "{}", refused.err);
    let report = desk.run("check mutex-peterson.pml --statistics --format json").expect(0).json();
    let collisions = report["state_space"]["hashing"].as_array().unwrap();
    assert_eq!(collisions.len(), 4);
    assert!(collisions.iter().all(|entry| entry["collisions"] == 0), "{collisions:?}");
}
