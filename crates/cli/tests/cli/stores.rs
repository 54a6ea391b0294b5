//! Stores that may miss states.

use serde_json::json;

use crate::program::Desk;

const LOSSY: [&str; 6] = [
    "--store bitstate",
    "--store bitstate -w20 -k5 -j1",
    "--store bitstate --search bfs -j3",
    "--store hash",
    "--store hash --hash-bits 32 --search dfs -j2",
    "--store hash --compact",
];

#[test]
fn nothing_is_proved_where_something_may_be_missed() {
    let desk = Desk::new();
    for options in LOSSY {
        let report = desk.run(&format!("check peterson.pml --format json {options}")).expect(3).json();
        assert_eq!((&report["verdict"], &report["complete"]), (&json!("inconclusive"), &json!(false)), "{options}");
        assert_eq!(report["reason"], "lossy_store", "{options}");
        let missed = &report["missed"];
        assert!(missed["states"].as_f64().unwrap() < 0.1 && missed["at_most"].as_f64().unwrap() < 2.0, "{missed}");
        let coverage = missed["coverage"].as_f64().unwrap();
        assert!(coverage > 0.999 && coverage <= 1.0, "{missed}");
        let exact = desk.run("check peterson.pml --format json").expect(0).json();
        assert_eq!((&report["states"], &report["transitions"]), (&exact["states"], &exact["transitions"]), "{options}");
        assert!(exact.get("missed").is_none());
    }
}

#[test]
fn the_screen_says_what_was_probably_missed() {
    let said = Desk::new().run("peterson.pml --store bitstate -w20").expect(3);
    let out = said.steady();
    let lines: Vec<&str> = out.lines().collect();
    assert!(lines[0].starts_with("? INCONCLUSIVE: no errors in ") && lines[0].contains("may have missed"), "{out}");
    assert!(
        lines[2].starts_with("  less than 0.001 states omitted (95 %: at most 0) · coverage at most about 99.99"),
        "{out}"
    );
    assert!(lines[2].ends_with("2^20 bits, 3 per state"), "{out}");
    let said = Desk::new().run("peterson.pml --store hash").expect(3);
    assert!(said.out.contains("48-bit hashes"), "{}", said.out);
}

#[test]
fn a_counterexample_can_be_replayed() {
    for options in LOSSY {
        let desk = Desk::new();
        for model in ["second.pml", "stuck.pml", "fault.pml"] {
            let said = desk.run(&format!("{model} {options}")).expect(1);
            assert!(!said.out.contains("shortest"), "{}", said.out);
            desk.run(&format!("replay {model}")).expect(1);
        }
        let all = desk.run(&format!("second.pml --all-errors --format json {options}")).expect(1).json();
        assert_eq!(all["errors"]["assertion"], 4, "{options}");
    }
}

#[test]
fn limits_are_named_before_the_store() {
    for (limit, reason) in
        [("--max-depth 20", "max_depth"), ("--max-states 100", "max_states"), ("--timeout 200ms", "timeout")]
    {
        for store in ["bitstate", "hash"] {
            let report =
                Desk::new().run(&format!("check endless.pml --format json --store {store} {limit}")).expect(3).json();
            assert_eq!(report["reason"], reason, "{store} {limit}");
        }
    }
}

#[test]
fn endless_runs_need_another_store() {
    let desk = Desk::new();
    let said = desk.run("temporal.pml --store bitstate").expect(2);
    assert!(said.err.contains("can't be used for ltl live") && said.err.contains("--no-claim"), "{}", said.err);
    desk.run("temporal.pml --store bitstate --no-claim").expect(3);
    desk.run("peterson.pml --store hash --ctl true").expect(2);
    desk.run("second.pml --store bitstate --reach critical==2").expect(1);
}

#[test]
fn the_size_follows_from_the_memory() {
    let bits = |options: &str| {
        let line = format!("check peterson.pml --format json --store bitstate {options}");
        Desk::new().run(&line).expect(3).json()["options"]["bits"].as_u64().unwrap()
    };
    assert_eq!(bits("--mem 256M"), 30);
    assert_eq!(bits("--mem 300M"), 30);
    assert_eq!(bits("--mem 256M -w 24"), 24);
    assert!(bits("") <= 33);
    for wrong in ["-w 3", "-w 60", "-k 0", "--hash-bits 7", "--hash-bits 65"] {
        Desk::new().run(&format!("peterson.pml --store bitstate {wrong}")).expect(2);
    }
}

/// SPIN's hash compaction (-DHC4) stores 301 841 of these states and says nothing.
#[test]
fn hash_compaction_loses_no_more_of_adding_than_it_says() {
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bench/models/adding.pml");
    let check = |options: &str| {
        let line = format!("check {model} -DLIMIT=100 --raw --no-trail --format json {options}");
        Desk::new().run(&line).json()
    };
    let exact = check("--store exact");
    assert_eq!(exact["states"], 334_930);
    for options in ["--store hash", "--store hash --hash-bits 64 -j1", "--store hash --hash-bits 40 --search dfs -j1"] {
        let hashed = check(options);
        let missed = 334_930 - hashed["states"].as_u64().unwrap();
        let at_most = hashed["missed"]["at_most"].as_f64().unwrap();
        assert!(missed as f64 <= at_most && at_most < 3.0, "{options}: {missed} missed, at most {at_most} stated");
        assert_eq!(hashed["verdict"], "inconclusive");
    }
}

#[test]
fn a_swarm_is_many_searches() {
    let desk = Desk::new();
    let report = desk.run("check peterson.pml --format json --swarm=5 -w16 -j2").expect(3).json();
    assert_eq!((&report["verdict"], &report["reason"]), (&json!("inconclusive"), &json!("lossy_store")));
    assert_eq!((&report["swarm"]["searches"], &report["swarm"]["finished"]), (&json!(5), &json!(5)));
    assert_eq!(report["swarm"]["coverage"], 1.0);
    assert_eq!(report["states"], desk.run("check peterson.pml --format json").expect(0).json()["states"]);
    let said = desk.run("peterson.pml --swarm -w16").expect(3);
    assert!(said.out.contains(" searches, ") && said.out.contains("coverage at most about 100 %"), "{}", said.out);
    desk.run("second.pml --swarm -w16").expect(1);
    desk.run("replay second.pml").expect(1);
    let timed = desk.run("check peterson.pml --format json --swarm -w16 --timeout 300ms").expect(3).json();
    assert!(timed["swarm"]["searches"].as_u64().unwrap() > 1);
    desk.run("peterson.pml --swarm --store hash").expect(2);
}

/// A process that is created late is no part of the layout of words. The search is repeated, and the result is that of full
/// states.
#[test]
fn a_state_that_does_not_fit_into_words_repeats_the_search() {
    let desk = Desk::new();
    let late = "short n; active proctype P() { do :: n < 3000 -> n++ :: else -> break od; run Q() }
        proctype Q() { byte x; x = 5; assert(x == 6) }";
    desk.write("late.pml", late);
    let check = |store: &str| {
        let said = desk
            .run(&format!("check late.pml --raw --all-errors --no-trail -j1 --store {store} --format json"))
            .expect(1);
        let repeated = said.err.contains("does not fit into the words");
        let report = said.json();
        (repeated, ["states", "transitions", "errors", "findings"].map(|field| report[field].clone()))
    };
    let (repeated, exact) = check("exact");
    assert!(!repeated);
    for store in ["auto", "words", "tree", "bitstate -w24", "hash", "hash --search dfs", "bitstate -w24 --search bfs"] {
        assert_eq!(check(store), (true, exact.clone()), "{store}");
    }
    // A swarm would go on until its time is over.
    let swarm = "check late.pml --raw --all-errors --no-trail --swarm -w20 -j2 --timeout 4s --format json";
    let said = desk.run(swarm).expect(1);
    assert!(said.err.contains("does not fit into the words"), "{}", said.err);
    assert_eq!(said.json()["states"], exact[0]);
}

/// Lossy stores and trees keep states in words where the transition cache covers the model. With so much room nothing is missed, so
/// the counts are those of the exact store; counterexamples can be replayed.
#[test]
fn lossy_stores_and_trees_keep_states_in_words() {
    let desk = Desk::new();
    for (size, bytes) in [(3, 8), (8, 16), (16, 24), (24, 32), (50, 56)] {
        let next =
            |at: usize| format!(":: atomic {{ k == {at} -> a[{at}] = a[{at}] + 64; k = {} }}\n", (at + 1) % size);
        let moves: String = (0..size).map(next).collect();
        let model = format!(
            "byte a[{size}];
            active proctype P() {{ byte k; do {moves} od }}
            active [2] proctype Q() {{ byte i; do :: i < 2 -> i++ :: i == 2 && a[1] == 64 -> i = 0; assert(a[2] == 64) od }}"
        );
        desk.write("words.pml", &model);
        let check =
            |options: &str| desk.run(&format!("check words.pml --raw --format json {options}")).expect(1).json();
        let figures =
            |report: &serde_json::Value| ["states", "transitions", "errors"].map(|field| report[field].clone());
        let exact = check("--store exact --no-trail --all-errors");
        assert!(exact["states"].as_u64().unwrap() > 500, "{exact}");
        for store in [
            "hash",
            "hash --search dfs",
            "bitstate -w26",
            "bitstate -w26 -k5",
            "bitstate -w26 --search bfs",
            "tree",
            "tree --search dfs",
            "auto --change-at 200",
            "auto --lossy --change-at 150 --mem 512M",
            "auto --lossy --change-at 150 --mem 512M --search dfs",
        ] {
            for threads in ["-j1", "-j2"] {
                let options = format!("--store {store} {threads}");
                let lossy = check(&format!("{options} --no-trail --all-errors"));
                assert_eq!(figures(&lossy), figures(&exact), "{size} {options}");
                assert_eq!(lossy["state_bytes"], bytes, "{size} {options}");
                check(&options);
                desk.run("replay words.pml").expect(1);
            }
        }
        let swarm = check("--swarm=2 -w26 -j2 --no-trail --all-errors");
        assert_eq!((&swarm["states"], &swarm["state_bytes"]), (&exact["states"], &serde_json::json!(bytes)), "{size}");
    }
}

/// States of two to eight words: the counts are those of complete states, in both orders, with and without reductions. Two words are
/// kept in the word store, more in the exact store. Longer states are packed, and so are those of a model that the transition cache
/// does not cover: with priorities, moves depend on all other processes.
#[test]
fn the_default_store_keeps_states_in_up_to_eight_words() {
    let desk = Desk::new();
    for (size, is_covered, bytes, store) in [
        (8, true, Some(16), "auto: words"),
        (16, true, Some(24), "auto: exact, then tree; states in words"),
        (36, true, Some(48), "auto: exact, then tree; states in words"),
        (70, true, None, "auto: exact, then tree"),
        (16, false, None, "auto: exact, then tree"),
    ] {
        let any = "
                :: atomic { turn == _pid -> a[k] = a[k] + 1; turn = (turn + 1) % 3 }
                :: a[k] > 0 -> a[k]--; k = (k + 1) % SIZE";
        let each = |element: usize| {
            let test = format!(":: atomic {{ k == {element} && turn == _pid ->");
            any.replace(":: atomic { turn == _pid ->", &test)
                .replace(":: a[k] > 0", &format!(":: k == {element} && a[k] > 0"))
                .replace("a[k]", &format!("a[{element}]"))
        };
        let moves = match is_covered {
            true => (0..size).map(each).collect(),
            false => any.replace(":: a[k] > 0", ":: _priority == 1 && a[k] > 0"),
        };
        let model = format!(
            "byte a[{size}]; byte turn;
            active [3] proctype P() {{
                byte i, k;
                do {}
                :: i < 5 -> i++
                :: i == 5 && a[3] == 2 -> i = 0; assert(k != 8)
                od
            }}",
            moves.replace("SIZE", &size.to_string())
        );
        desk.write("long.pml", &model);
        let check = |options: &str| {
            desk.run(&format!("check long.pml --max-depth 11 --no-trail --format json {options}")).json()
        };
        let figures = |report: &serde_json::Value| {
            ["states", "transitions", "depth", "errors"].map(|field| report[field].clone())
        };
        for options in ["--raw --all-errors -j1", "--raw --all-errors -j3", "-j1", "--raw --search dfs"] {
            let (exact, default) = (check(&format!("{options} --store exact")), check(options));
            assert_eq!(figures(&default), figures(&exact), "{size} {options}");
            assert!(exact["states"].as_u64().unwrap() > 1000, "{size} {options}");
            let plan = default["properties"][0]["plan"].as_array().unwrap();
            let item = plan.iter().find(|item| item["item"] == "store").unwrap();
            assert_eq!(item["value"], store, "{size} {options}");
            bytes.iter().for_each(|bytes| assert_eq!(default["state_bytes"], *bytes, "{size} {options}"));
        }
    }
}

/// States of two words: the counts and the counterexample are those of complete states, in both orders, for any number of
/// threads, with and without reductions.
#[test]
fn states_of_two_words_are_counted_like_complete_ones() {
    let desk = Desk::new();
    let model = "byte a[9]; byte turn;
        active [3] proctype P() {
            byte i, k;
            do
            :: atomic { turn == _pid -> a[k] = a[k] + 1; turn = (turn + 1) % 3 }
            :: a[k] > 0 -> a[k]--; k = (k + 1) % 9
            :: i < 5 -> i++
            :: i == 5 && a[3 * _pid] == 2 -> i = 0; assert(k != 8)
            od
        }";
    desk.write("two.pml", model);
    let check = |options: &str| {
        let line = format!("check two.pml --max-depth 11 --no-trail --format json {options}");
        desk.run(&line).json()
    };
    let figures =
        |report: &serde_json::Value| ["states", "transitions", "depth", "errors"].map(|field| report[field].clone());
    for options in
        ["--raw --all-errors -j1", "--raw --all-errors -j3", "-j1", "--raw --search dfs", "--no-partial-order -j2"]
    {
        let (exact, words) = (check(&format!("{options} --store exact")), check(&format!("{options} --store words")));
        assert_eq!(words["options"]["store"], "words", "{options}");
        assert_eq!(words["state_bytes"], 16, "{options}");
        assert_eq!(figures(&words), figures(&exact), "{options}");
        assert!(exact["states"].as_u64().unwrap() > 1000, "{options}");
    }
}
