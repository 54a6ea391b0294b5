//! Trails: written, read back, refused when they don't fit.

use std::fs;
use std::path::Path;

use crate::program::Desk;

#[test]
fn a_counterexample_comes_back() {
    let desk = Desk::new();
    for model in ["second", "stuck", "fault"] {
        let checked = desk.run(&format!("{model}.pml")).expect(1);
        let replayed = desk.run(&format!("replay {model}.pml")).expect(1);
        let table =
            |text: &str| text.lines().skip(2).take_while(|l| !l.is_empty()).map(String::from).collect::<Vec<_>>();
        assert_eq!(table(&checked.out), table(&replayed.out), "{model}");
        assert!(table(&replayed.out).len() > 3);
    }
}

#[test]
fn it_comes_in_every_format() {
    let desk = Desk::new();
    desk.run("second.pml --itf").expect(1);
    let list = desk.run("replay second.pml -p").expect(1).out;
    assert_eq!(list.lines().filter(|l| l.contains("\tproc ")).count(), 7, "{list}");
    let itf = desk.run("replay second.pml --format json").expect(1);
    assert_eq!(itf.out, desk.read("second.itf.json"));
    let trace = itf.json();
    assert_eq!(trace["states"].as_array().unwrap().len(), 8);
    assert_eq!(trace["#meta"]["format"], "ITF");
    assert_eq!(trace["states"][7]["critical"]["#bigint"], "2");
    let walk = desk.talk("replay second.pml -i", "\n\n\n\n\n\n\nb 3\nq\n").expect(0);
    assert!(walk.out.contains("step 7  p  assert(critical==1)\n  ✗ assertion violated"), "{}", walk.out);
    assert!(walk.out.contains("> b 3\nstep 4"), "{}", walk.out);
}

#[test]
fn depth_first_trails_replay_too() {
    let desk = Desk::new();
    for model in ["second.pml", "stuck.pml"] {
        desk.run(&format!("{model} --search dfs")).expect(1);
        desk.run(&format!("replay {model}")).expect(1);
    }
}

#[test]
fn definitions_are_remembered() {
    let desk = Desk::new();
    desk.run("define.pml -DN=7").expect(1);
    assert!(desk.run("replay define.pml").expect(1).out.contains("assertion violated"));
}

#[test]
fn trails_go_where_they_are_told() {
    let desk = Desk::new();
    desk.run("second.pml --trail mine.json").expect(1);
    assert!(desk.has("mine.json") && !desk.has("mine.itf.json") && !desk.has("second.trail.json"));
    desk.run("second.pml --trail mine.json --itf").expect(1);
    assert!(desk.has("mine.itf.json"));
    desk.run("replay second.pml mine.json").expect(1);
    let said = desk.run("second.pml --trail nowhere/x.json").expect(2);
    assert!(said.err.contains("can't write nowhere/x.json"), "{}", said.err);
    desk.run("second.pml --no-trail").expect(1);
    assert!(!desk.has("second.trail.json"));
}

/// A trail in format 1, which has arguments in place of a request and no checksum.
fn first_format(trail: &str) -> String {
    let mut value: serde_json::Value = serde_json::from_str(trail).unwrap();
    let object = value.as_object_mut().unwrap();
    object.remove("request");
    object.remove("checksum");
    object.insert("kripke-trail".to_string(), 1.into());
    object.insert("arguments".to_string(), serde_json::json!([]));
    value.to_string()
}

/// Trails that version 0.1.0 has written in format 2, with a checksum and with arguments.
#[test]
fn trails_of_older_formats_are_replayed() {
    let desk = Desk::new();
    let old = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/old");
    for name in ["second", "define", "temporal"] {
        desk.write(&format!("{name}.trail.json"), fs::read_to_string(old.join(format!("{name}.trail.json"))).unwrap());
        desk.run(&format!("replay {name}.pml")).expect(1);
    }
    desk.write("second.trail.json", first_format(&desk.read("second.trail.json")));
    desk.run("replay second.pml").expect(1);
}

/// The request in a trail file says all that the numbers of successors depend on.
#[test]
fn a_trail_has_a_request() {
    let desk = Desk::new();
    desk.run("define.pml -DN=3 --no-slicing").expect(1);
    let trail: serde_json::Value = serde_json::from_str(&desk.read("define.trail.json")).unwrap();
    let request = serde_json::json!({
        "version": 1,
        "source": {"define": ["N=3"]},
        "question": "safety",
        "ignore_claims": false,
        "passes": ["merging", "dead_variables"],
        "impartial": false,
        "acceptance_sets": false
    });
    assert_eq!((&trail["kripke-trail"], &trail["request"]), (&3.into(), &request));
    desk.run("replay define.pml").expect(1);
}

#[test]
fn trails_that_do_not_fit_are_refused() {
    let desk = Desk::new();
    let missing = desk.run("replay second.pml").expect(2);
    assert!(missing.err.contains("`kripke check second.pml` writes one"), "{}", missing.err);
    desk.run("second.pml").expect(1);
    let other = desk.run("replay peterson.pml second.trail.json").expect(2);
    assert!(other.err.contains("made from another text"), "{}", other.err);
    let good = desk.read("second.trail.json");
    let old = first_format(&good);
    for (text, word) in [
        (String::new(), "not a trail file"),
        (good[..good.len() / 2].to_string(), "damaged"),
        (good.replace("\"choices\": [", "\"choices\": [77,"), "its checksum does not fit"),
        (old.replace("\"choices\":[", "\"choices\":[77,"), "does not fit"),
        (old.replace("\"kripke-trail\":1", "\"kripke-trail\":9"), "format 9"),
        (old.replace("\"arguments\":[]", "\"arguments\":[\"--rm\"]"), "arguments"),
        (old.replace("\"arguments\":[]", "\"request\":{\"version\":1}"), "request"),
    ] {
        desk.write("second.trail.json", text);
        let said = desk.run("replay second.pml").expect(2);
        assert!(said.err.contains(word), "{word}: {}", said.err);
    }
    desk.write("second.trail.json", &good);
    desk.write("second.pml", desk.read("second.pml") + "\n");
    desk.run("replay second.pml").expect(2);
}

#[test]
fn other_questions_do_not_make_it_another_model() {
    let desk = Desk::new();
    for (file, text) in [
        ("two.pml", "byte x; active proctype p() { x = 1; x = 2 }\nltl low { [] (x < 2) }\nltl high { <> (x == 2) }"),
        (
            "two.dve",
            "byte x; process p { state a; init a; trans a -> a { guard x < 2; effect x = x + 1; }; } system async;",
        ),
    ] {
        desk.write(file, text);
        let asked = if file.ends_with(".dve") { "--reach x==2 --reach x==7" } else { "" };
        desk.run(&format!("check {file} --no-end-states {asked}")).expect(1);
        desk.run(&format!("replay {file}")).expect(1);
    }
}
