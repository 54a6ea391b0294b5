//! Results for machines.

use serde_json::json;

use crate::program::Desk;

#[test]
fn the_documented_fields_are_there_in_order() {
    let desk = Desk::new();
    let said = desk.run("check second.pml --format json").expect(1);
    let report = said.json();
    let keys: Vec<&String> = report.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "kripke",
            "schema",
            "model",
            "language",
            "verdict",
            "complete",
            "reason",
            "message",
            "properties",
            "states",
            "transitions",
            "depth",
            "state_bytes",
            "state_bits",
            "errors",
            "findings",
            "seconds",
            "memory",
            "stores",
            "limits",
            "options",
        ]
    );
    assert_eq!(report["schema"], 1);
    assert_eq!(report["model"], "second.pml");
    assert_eq!(report["language"], "promela");
    assert_eq!(report["verdict"], "violated");
    assert_eq!(report["complete"], false);
    assert_eq!(report["states"], 30);
    assert_eq!(
        report["errors"],
        json!({ "assertion": 1, "invalid_end_state": 0, "fault": 0, "reached": 0, "property": 0 })
    );
    let safety = &report["properties"][0];
    assert_eq!((&safety["name"], &safety["kind"]), (&json!("safety"), &json!("safety")));
    assert_eq!((&safety["verdict"], &safety["trail"]), (&json!("violated"), &json!("second.trail.json")));
    assert_eq!((&safety["states"], &report["properties"][1]), (&json!(30), &json!(null)));
    let finding = &report["findings"][0];
    assert_eq!((&finding["kind"], &finding["line"]), (&json!("assertion"), &json!(10)));
    assert!(report["memory"]["peak_rss"].is_u64() && report["seconds"]["search"].is_f64());
    let cpu = &report["seconds"]["cpu"];
    assert!(cpu.is_null() || cpu.as_f64().unwrap() > 0.0, "{cpu}");
}

#[test]
fn a_complete_search_says_so() {
    let report = Desk::new().run("check peterson.pml --format json --raw --unreached").expect(0).json();
    assert_eq!((&report["verdict"], &report["complete"]), (&json!("holds"), &json!(true)));
    assert_eq!(report["options"]["raw"], true);
    assert_eq!(report["reason"], json!(null));
    assert_eq!(report["unreached"], json!([]));
    let all = Desk::new().run("check second.pml --format json --all-errors").expect(1).json();
    assert_eq!((&all["verdict"], &all["complete"]), (&json!("violated"), &json!(true)));
    assert_eq!(all["errors"]["assertion"], 4);
}

#[test]
fn every_property_is_listed() {
    let report = Desk::new().run("check temporal.pml --format json").expect(0).json();
    assert_eq!(report["verdict"], "holds");
    assert_eq!(report["properties"][0]["verdict"], "holds");
    let live = &report["properties"][1];
    assert_eq!((&live["name"], &live["kind"], &live["verdict"]), (&json!("live"), &json!("ltl"), &json!("holds")));
}

#[test]
fn bad_input_is_valid_json() {
    let desk = Desk::new();
    let report = desk.run("check bad.pml --format json").expect(2).json();
    assert_eq!(report["verdict"], json!(null));
    assert_eq!(report["error"][0]["line"], 1);
    assert!(desk.run("check missing.pml --format json").expect(2).json()["error"][0]["message"].is_string());
}

#[test]
fn several_models_are_a_line_each() {
    let said = Desk::new().run("check peterson.pml bad.pml second.pml --format json").expect(1);
    let verdicts: Vec<serde_json::Value> =
        said.out.lines().map(|l| serde_json::from_str::<serde_json::Value>(l).unwrap()["verdict"].clone()).collect();
    assert_eq!(verdicts, [json!("holds"), json!(null), json!("violated")]);
}
