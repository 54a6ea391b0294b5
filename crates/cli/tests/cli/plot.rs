//! Run logs and their plots.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::program::Desk;

/// A desk with examples in three languages.
fn desk() -> Desk {
    let desk = Desk::new();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for name in ["mutex-peterson.pml", "mutex-peterson.dve", "mutex-peterson.esml", "producer-consumer.pml"] {
        fs::copy(examples.join(name), desk.path(name)).unwrap();
    }
    desk
}

fn events(desk: &Desk, log: &str) -> Vec<Value> {
    desk.read(log).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_log_has_a_line_for_each_event_in_three_languages() {
    let desk = desk();
    desk.run("check mutex-peterson.pml mutex-peterson.dve mutex-peterson.esml --log r.log -j1").expect(0);
    let events = events(&desk, "r.log");
    let starts: Vec<&Value> = events.iter().filter(|e| e["event"] == "start").map(|e| &e["model"]).collect();
    assert_eq!(starts, ["mutex-peterson.pml", "mutex-peterson.dve", "mutex-peterson.esml"]);
    assert_eq!(events[0]["options"], serde_json::json!(["-j1"]));
    assert_eq!(events.iter().filter(|e| e["event"] == "end").count(), 3);
    let answers: Vec<&Value> = events.iter().filter(|e| e["event"] == "answer").collect();
    assert!(answers.iter().all(|a| a["verdict"] == "holds" && a["threads"] == 1), "{answers:?}");
    let last = events.iter().rfind(|e| e["event"] == "progress").unwrap();
    assert_eq!(last["states"], answers.last().unwrap()["states"]);
}

#[test]
fn logs_become_pictures() {
    let desk = desk();
    desk.run("check producer-consumer.pml --raw -j1 --log a.log").expect(0);
    desk.run("check producer-consumer.pml --raw -j2 --log b.log").expect(0);
    for (i, cache) in ["110k", "130k"].iter().enumerate() {
        let log = format!("c{i}.log");
        desk.run(&format!("check producer-consumer.pml --raw --store cache --cache-states {cache} --log {log}"));
    }
    desk.run("plot a.log b.log c0.log c1.log -o p.svg").expect(0);
    let text = desk.read("p.svg");
    let picture = roxmltree::Document::parse(&text).unwrap();
    let texts: Vec<&str> = picture.descendants().filter(|n| n.has_tag_name("text")).filter_map(|n| n.text()).collect();
    let titles =
        ["states per second", "open states", "memory of the search (bytes)", "depth", "speed-up", "visited states"];
    assert!(titles.iter().all(|title| texts.contains(title)), "{texts:?}");
    assert!(texts.contains(&"--raw -j2"), "{texts:?}");
    let said = desk.run("plot a.log --of states").expect(0);
    assert_eq!(
        roxmltree::Document::parse(&said.out).unwrap().descendants().filter(|n| n.has_tag_name("polyline")).count(),
        1
    );
    // A picture of ours is replaced, another file is not.
    desk.run("plot a.log -o p.svg").expect(0);
    desk.write("theirs.svg", "<svg/>");
    desk.run("plot a.log -o theirs.svg").expect(2);
}

#[test]
fn a_bad_log_is_located() {
    let desk = desk();
    desk.run("check mutex-peterson.pml --log a.log").expect(0);
    desk.write("bad.log", format!("{}nonsense\n", desk.read("a.log")));
    let lines = desk.read("bad.log").lines().count();
    let said = desk.run("plot bad.log -o p.svg").expect(2);
    assert!(said.err.contains(&format!("bad.log:{lines}: ")), "{}", said.err);
    assert!(!desk.has("p.svg"));
    desk.run("plot missing.log").expect(2);
    desk.run("plot a.log --of nothing").expect(2);
    desk.write("other.log", "mine\n");
    desk.run("check mutex-peterson.pml --log other.log").expect(2);
    assert_eq!(desk.read("other.log"), "mine\n");
}
