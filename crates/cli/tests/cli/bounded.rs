//! Stores that keep to a bound: changing over when memory gets tight, and caches.

use serde_json::json;

use crate::program::Desk;

#[test]
fn counts_do_not_depend_on_when_the_store_is_changed() {
    let desk = Desk::new();
    let counts = |options: &str| {
        let report = desk.run(&format!("check large.pml --raw --all-errors --format json {options}")).expect(0).json();
        let figures = ["verdict", "complete", "states", "transitions", "errors"].map(|field| report[field].clone());
        (figures, report)
    };
    for order in ["--search bfs -j1", "--search bfs -j3", "--search dfs"] {
        let (whole, report) = counts(&format!("{order} --store exact"));
        assert_eq!(report["stores"], json!([{"store": "exact", "since": 0}]));
        let (changed, report) = counts(&format!("{order} --change-at 2000"));
        assert_eq!(changed, whole, "{order}");
        assert_eq!(report["stores"][0], json!({"store": "exact", "since": 0}));
        assert_eq!((&report["stores"][1]["store"], &report["options"]["store"]), (&json!("tree"), &json!("tree")));
        assert!(report["stores"][1]["since"].as_u64().unwrap() >= 2000);
    }
    let said = desk.run("large.pml --raw --change-at 2000 -j1").expect(0);
    assert!(said.out.contains("store: exact, then tree from 2") && said.out.contains("states on"), "{}", said.out);
}

#[test]
fn trails_are_found_after_the_change() {
    let desk = Desk::new();
    for order in ["--search bfs -j1", "--search bfs -j3"] {
        let steps = |options: &str| {
            let asked = format!("check large.pml --raw --reach a==14&&b==14 {order} --format json {options}");
            desk.run(&asked).expect(1).json()["findings"][0]["steps"].clone()
        };
        assert_eq!(steps("--change-at 500"), steps("--store exact"), "{order}");
    }
}

#[test]
fn only_who_allows_it_gets_a_store_that_may_miss_states() {
    let desk = Desk::new();
    let report = desk.run("check large.pml --raw --lossy --format json --mem 1G").expect(0).json();
    assert_eq!((&report["verdict"], &report["options"]["store"]), (&json!("holds"), &json!("exact")));
    for order in ["--search bfs", "--search dfs -j1", "--search dfs -j3"] {
        let lossy = format!("check large.pml --raw --lossy --change-at 3000 --mem 256M {order}");
        let report = desk.run(&format!("{lossy} --format json")).expect(3).json();
        assert_eq!((&report["reason"], &report["options"]["store"]), (&json!("lossy_store"), &json!("bitstate")));
        let used: Vec<_> = report["stores"].as_array().unwrap().iter().map(|s| s["store"].clone()).collect();
        assert_eq!(used, ["exact", "tree", "hash", "bitstate"], "{order}");
        let said = desk.run(&format!("{lossy} --reach a==14&&b==14&&c==14 --no-claim")).expect(1);
        assert!(said.out.contains("reached"), "{order}: {}", said.out);
        desk.run("replay large.pml").expect(1);
    }
    let refused = desk.run("check large.pml --raw --lossy --store tree").expect(2);
    assert!(refused.err.contains("--lossy: it goes with --store auto"), "{}", refused.err);
}

#[test]
fn a_cache_proves_what_others_prove() {
    let desk = Desk::new();
    let whole = desk.run("check large.pml --raw --search dfs --format json").expect(0).json();
    let report = desk.run("check large.pml --raw --store cache --format json").expect(0).json();
    assert_eq!((&report["states"], &report["transitions"]), (&whole["states"], &whole["transitions"]));
    assert_eq!((&report["cache"]["replaced"], &report["options"]["search"]), (&json!(0), &json!("dfs")));
    let report = desk.run("check large.pml --raw --store cache --cache-states 25k --format json").expect(0).json();
    assert!(report["cache"]["replaced"].as_u64().unwrap() > 0, "{report}");
    assert_eq!((&report["verdict"], &report["complete"]), (&json!("holds"), &json!(true)));
    let report = desk.run("check large.pml --raw --store cache --cache-states 50 --format json").expect(3).json();
    assert_eq!(report["reason"], "cache_full");
    let said = desk.run("large.pml --raw --store cache --cache-states 25k").expect(0);
    assert!(said.out.contains("replaced: states that were visited again are counted again"), "{}", said.out);
}

#[test]
fn what_a_cache_can_not_do_is_refused() {
    let desk = Desk::new();
    for (options, why) in [
        ("--search bfs", "--search dfs"),
        ("--cache-collisions 300", "--cache-probes"),
        ("--ltl []<>(a==0)", "can't be used for"),
        ("--cache-states 0", "2^31"),
    ] {
        let said = desk.run(&format!("check large.pml --raw --store cache {options}")).expect(2);
        assert!(said.err.contains(why), "{options}: {}", said.err);
    }
}
