//! Reports for other tools: JUnit and SARIF. The documents are compared with the rules of their schemas, written down here.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::program::Desk;
use crate::schema::{check_junit, check_sarif};

/// Models whose checks end in each way, in three languages.
const ALL: &str = "peterson.pml second.pml bad.pml temporal.pml hungry.dve count.esml broken.esml missing.pml";

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("hungry.dve", HUNGRY);
    desk.write("count.esml", COUNT);
    desk.write("broken.esml", BROKEN);
    desk
}

const HUNGRY: &str = "byte x;
process P {
  state a, b;
  init a;
  trans a -> b { guard x < 3; effect x = x + 1; }, b -> a { guard x < 3; };
}
system async;
";

const COUNT: &str = "MODEL Count;
TYPE int = 0..3;
PROCESS P;
VAR n: int;
BEGIN
  DO TRUE -> n := n + 1 END
END P;
BEGIN P END Count
";

const BROKEN: &str = "ESML broken
nosuch
";

#[test]
fn junit_is_valid_and_has_every_result() {
    let desk = desk();
    desk.run(&format!("check {ALL} --junit r.xml --ltl []true")).expect(1);
    let text = desk.read("r.xml");
    check_junit(&text).unwrap_or_else(|e| panic!("{e}:\n{text}"));
    let document = roxmltree::Document::parse(&text).unwrap();
    let suites: Vec<_> = document.descendants().filter(|node| node.has_tag_name("testsuite")).collect();
    let names: Vec<&str> = suites.iter().filter_map(|suite| suite.attribute("name")).collect();
    assert_eq!(names, ALL.split(' ').collect::<Vec<_>>());
}

#[test]
fn a_failure_names_kind_and_place() {
    let desk = desk();
    desk.run("check second.pml --junit r.xml").expect(1);
    let text = desk.read("r.xml");
    let document = roxmltree::Document::parse(&text).unwrap();
    let failure = document.descendants().find(|node| node.has_tag_name("failure")).unwrap();
    assert_eq!(failure.attribute("type"), Some("assertion"));
    assert!(failure.text().unwrap().starts_with("second.pml:10\n"), "{text}");
    let case = failure.parent().unwrap();
    assert_eq!((case.attribute("name"), case.attribute("classname")), (Some("safety"), Some("second.pml")));
}

#[test]
fn sarif_is_valid_in_three_languages() {
    let desk = desk();
    desk.run(&format!("check {ALL} --sarif r.sarif --max-states 100000")).expect(1);
    let text = desk.read("r.sarif");
    let document: Value = serde_json::from_str(&text).unwrap();
    check_sarif(&document).unwrap_or_else(|e| panic!("{e}:\n{text}"));
    let run = &document["runs"][0];
    let place = |result: &Value| {
        let physical = &result["locations"][0]["physicalLocation"];
        let line = physical["region"]["startLine"].as_u64();
        (physical["artifactLocation"]["uri"].as_str().unwrap().to_string(), line)
    };
    let places: Vec<_> = run["results"].as_array().unwrap().iter().map(place).collect();
    let expected = [("second.pml", 10), ("hungry.dve", 5), ("count.esml", 6)];
    assert_eq!(places, expected.map(|(file, line)| (file.to_string(), Some(line))));
    let notes = run["invocations"][0]["toolExecutionNotifications"].as_array().unwrap();
    let files: Vec<String> = notes.iter().map(|note| place(note).0).collect();
    assert!(["bad.pml", "broken.esml", "missing.pml"].iter().all(|name| files.iter().any(|f| f == name)), "{files:?}");
    assert_eq!(run["invocations"][0]["executionSuccessful"], false);
}

#[test]
fn the_rules_of_the_schemas_can_fail() {
    let desk = desk();
    desk.run("check second.pml --sarif r.sarif --junit r.xml").expect(1);
    let good: Value = serde_json::from_str(&desk.read("r.sarif")).unwrap();
    check_sarif(&good).unwrap();
    let spoil: [fn(&mut Value); 5] = [
        |d| d["version"] = "2.0".into(),
        |d| d["runs"][0]["results"][0]["message"] = serde_json::json!({}),
        |d| d["runs"][0]["results"][0]["level"] = "fatal".into(),
        |d| d["runs"][0]["results"][0]["unknown"] = 1.into(),
        |d| d["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0.into(),
    ];
    for (i, spoil) in spoil.iter().enumerate() {
        let mut bad = good.clone();
        spoil(&mut bad);
        assert!(check_sarif(&bad).is_err(), "{i}");
    }
    let good = desk.read("r.xml");
    for (from, to) in [("tests=\"1\"", ""), ("<failure ", "<failed "), ("failure>", "failed>"), ("time=\"", "time=\"x")]
    {
        assert!(check_junit(&good.replace(from, to)).is_err(), "{from}");
    }
}

#[test]
fn findings_name_property_file_and_line() {
    let desk = desk();
    desk.write("live.pml", "byte x;\nactive proctype P() { do :: x = 1 - x od }\n\nltl live { [] (x == 0) }\n");
    let of = |args: &str| {
        desk.run(&format!("check {args} --format json --no-trail")).expect(1).json()["findings"][0].clone()
    };
    let fields = |f: &Value| (f["property"].clone(), f["file"].clone(), f["line"].clone());
    let stated = of("live.pml -N live");
    assert_eq!(fields(&stated), ("live".into(), "live.pml".into(), 4.into()));
    let asked = of("live.pml --ltl []x==0");
    assert_eq!(fields(&asked), ("[]x==0".into(), "live.pml".into(), Value::Null));
    let stuck = of("hungry.dve");
    assert_eq!(fields(&stuck), ("safety".into(), "hungry.dve".into(), 5.into()));
}

#[test]
fn a_report_is_never_written_over_another_file() {
    let desk = desk();
    desk.write("theirs.xml", "<mine/>");
    for option in ["--junit", "--sarif"] {
        let said = desk.run(&format!("check peterson.pml {option} theirs.xml")).expect(2);
        assert!(said.err.contains("not written by Kripke; --force replaces it"), "{}", said.err);
        assert!(said.out.is_empty(), "{}", said.out);
        desk.run(&format!("check peterson.pml {option} no/such/folder.xml")).expect(2);
        desk.run(&format!("check peterson.pml {option} -")).expect(2);
        desk.run(&format!("check peterson.pml {option} own")).expect(0);
        desk.run(&format!("check peterson.pml {option} own")).expect(0);
        std::fs::remove_file(desk.path("own")).unwrap();
    }
    assert_eq!(desk.read("theirs.xml"), "<mine/>");
    desk.run("check peterson.pml --junit theirs.xml --force").expect(0);
    check_junit(&desk.read("theirs.xml")).unwrap();
    desk.run("check peterson.pml --junit a --sarif a").expect(2);
}

/// A model with more states than can be visited.
const LARGE: &str = "int a, b, c;\nactive proctype P() { do :: a++ :: b++ :: c++ od }\n";

#[test]
fn a_stopped_check_has_reports_and_plain_progress() {
    let desk = desk();
    desk.write("large.pml", LARGE);
    let start = Instant::now();
    let said = desk
        .run("check large.pml --timeout 2s --mem 2G --raw --progress plain --junit r.xml --sarif r.sarif")
        .expect(3);
    assert!(start.elapsed() < Duration::from_secs(20));
    let line = said.err.lines().next().unwrap_or_default();
    assert!(line.contains(" states ") && line.contains("/s   queue "), "{}", said.err);
    assert!(!said.err.contains('\r'), "{}", said.err);
    let text = desk.read("r.xml");
    check_junit(&text).unwrap();
    assert!(text.contains("<error type=\"inconclusive\" message=\"out of time"), "{text}");
    check_sarif(&serde_json::from_str(&desk.read("r.sarif")).unwrap()).unwrap();
    let quiet = desk.run("check large.pml --timeout 1200ms --mem 2G --raw --progress auto").expect(3);
    assert_eq!(quiet.err, "");
}

#[test]
fn an_estimate_with_another_hash_function_says_what_it_assumes() {
    let desk = Desk::new();
    let ideal = " · the estimate assumes an ideal hash function\n";
    for function in ["jenkins", "hsieh", "fnv1a"] {
        let said = desk.run(&format!("peterson.pml --store bitstate -w20 --hash-function {function}")).expect(3);
        assert!(said.out.contains(ideal), "{}", said.out);
    }
    for args in ["--store bitstate -w20", "--store hash --hash-function ours"] {
        let said = desk.run(&format!("peterson.pml {args}")).expect(3);
        assert!(said.out.contains("omitted") && !said.out.contains(ideal), "{}", said.out);
    }
}

#[test]
fn a_hint_can_be_pasted_into_a_shell() {
    let desk = Desk::new();
    let text = "active proctype P() { assert(false) }\n";
    desk.write("a b.pml", text);
    desk.write("it's.pml", text);
    desk.write("plain.pml", text);
    for (name, hint) in [
        ("a b.pml", "kripke replay 'a b.pml' -i"),
        ("it's.pml", "kripke replay 'it'\\''s.pml' -i"),
        ("plain.pml", "kripke replay plain.pml -i"),
    ] {
        let said = desk.command("check").arg(name).output().unwrap();
        let out = String::from_utf8(said.stdout).unwrap();
        assert!(out.contains(hint), "{out}");
    }
    let said = desk.run("replay nofile.pml").expect(2);
    assert!(said.err.contains("can't read nofile.pml: there is no such file"), "{}", said.err);
    let said = desk.run("replay peterson.pml").expect(2);
    assert!(said.err.contains("`kripke check peterson.pml` writes one"), "{}", said.err);
}
