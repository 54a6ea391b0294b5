//! SARIF 2.1.0 (Static Analysis Results Interchange Format, OASIS): a result for each violation.
//!
//! The counterexample is the code flow of its result. Models that can't be read and checks without an answer are notifications.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::case::{Case, CaseResult, FlowStep, Suite, Violation};
use crate::escape::visible;
use crate::json::Complaint;

/// The beginning of every document.
pub const HEAD: &str = "{\n  \"$schema\": ";

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The document. `version` is that of Kripke.
pub fn document(version: &str, suites: &[Suite]) -> String {
    let rules = rules(suites);
    let results: Vec<Value> = suites.iter().flat_map(|suite| results(suite, &rules)).collect();
    let notifications: Vec<Value> = suites.iter().flat_map(notifications).collect();
    let succeeded = suites.iter().flat_map(|suite| &suite.cases).all(|case| case.result.is_answer());
    let described: Vec<Value> =
        rules.keys().map(|kind| json!({ "id": kind, "shortDescription": { "text": describe(kind) } })).collect();
    let document = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "Kripke", "version": version, "rules": described } },
            "columnKind": "unicodeCodePoints",
            "invocations": [{ "executionSuccessful": succeeded, "toolExecutionNotifications": notifications }],
            "results": results,
        }],
    });
    serde_json::to_string_pretty(&document).expect("plain data") + "\n"
}

impl CaseResult {
    /// Whether the property was decided.
    fn is_answer(&self) -> bool {
        matches!(self, CaseResult::Holds | CaseResult::Violated(_))
    }
}

fn violations(case: &Case) -> &[Violation] {
    match &case.result {
        CaseResult::Violated(violations) => violations,
        _ => &[],
    }
}

/// The kinds of errors that occur, with their indices.
fn rules(suites: &[Suite]) -> BTreeMap<&'static str, usize> {
    let found = suites.iter().flat_map(|suite| &suite.cases).flat_map(violations);
    let mut rules: BTreeMap<&'static str, usize> = found.map(|v| (v.finding.kind, 0)).collect();
    rules.values_mut().enumerate().for_each(|(index, entry)| *entry = index);
    rules
}

/// The description of a kind of error.
fn describe(kind: &str) -> String {
    match kind {
        "assertion" => "An assertion is violated".to_string(),
        "invalid_end_state" => "No process can move, and a process is not at a valid end".to_string(),
        "property" => "A property is violated".to_string(),
        "reached" => "A state that satisfies the condition is reachable".to_string(),
        other => format!("Fault: {}", other.replace('_', " ")),
    }
}

fn results(suite: &Suite, rules: &BTreeMap<&'static str, usize>) -> Vec<Value> {
    let all = suite.cases.iter().flat_map(|case| violations(case).iter().map(move |v| (case, v)));
    all.map(|(case, violation)| result(suite, case, violation, rules)).collect()
}

fn result(suite: &Suite, case: &Case, violation: &Violation, rules: &BTreeMap<&'static str, usize>) -> Value {
    let Violation { finding, trail, flow } = violation;
    let file = finding.file.as_deref().unwrap_or(&suite.model);
    let mut place = location(file, finding.line, None);
    if let Some(process) = &finding.process {
        place["logicalLocations"] = json!([{ "name": visible(process), "kind": "function" }]);
    }
    let mut result = json!({
        "ruleId": finding.kind,
        "ruleIndex": rules.get(finding.kind),
        "level": "error",
        "message": { "text": visible(&finding.message) },
        "locations": [place],
        "properties": {
            "property": visible(&case.property),
            "kind": case.kind,
            "steps": finding.steps,
            "trail": trail,
        },
    });
    if !flow.is_empty() {
        let steps: Vec<Value> = flow.iter().map(step).collect();
        result["codeFlows"] = json!([{ "threadFlows": [{ "locations": steps }] }]);
    }
    result
}

fn step(step: &FlowStep) -> Value {
    let mut location = location(&step.file, Some(step.line).filter(|line| *line > 0), None);
    location["message"] = json!({ "text": visible(&step.text) });
    json!({ "location": location })
}

fn location(file: &str, line: Option<u32>, column: Option<u32>) -> Value {
    let mut physical = json!({ "artifactLocation": { "uri": uri(file) } });
    if let Some(line) = line {
        physical["region"] = json!({ "startLine": line });
        if let Some(column) = column {
            physical["region"]["startColumn"] = column.into();
        }
    }
    json!({ "physicalLocation": physical })
}

/// The name of a file as a URI reference (RFC 3986).
fn uri(file: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._~/".contains(&b);
    let escaped: String =
        file.bytes().map(|b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect();
    if escaped.starts_with('/') { format!("file://{escaped}") } else { escaped }
}

fn notifications(suite: &Suite) -> Vec<Value> {
    let of = |case: &Case| match &case.result {
        CaseResult::Holds | CaseResult::Violated(_) => Vec::new(),
        CaseResult::Inconclusive(reason) => {
            let text = format!("{}: {}: {reason}", suite.model, case.property);
            vec![notification("warning", &text, location(&suite.model, None, None))]
        }
        CaseResult::Unreadable(complaints) => complaints.iter().map(|c| unreadable(suite, c)).collect(),
        CaseResult::Failed(message) => vec![notification("error", message, location(&suite.model, None, None))],
    };
    suite.cases.iter().flat_map(of).collect()
}

fn unreadable(suite: &Suite, complaint: &Complaint) -> Value {
    let file = complaint.file.as_deref().unwrap_or(&suite.model);
    notification(complaint.severity, &complaint.message, location(file, complaint.line, complaint.column))
}

fn notification(level: &str, text: &str, location: Value) -> Value {
    json!({ "level": level, "message": { "text": visible(text) }, "locations": [location] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::tests::suites;

    #[test]
    fn results_and_notifications_are_located() {
        let document: Value = serde_json::from_str(&document("0.0.0", &suites())).unwrap();
        let run = &document["runs"][0];
        let rules: Vec<&str> =
            run["tool"]["driver"]["rules"].as_array().unwrap().iter().map(|r| r["id"].as_str().unwrap()).collect();
        assert_eq!(rules, ["assertion", "invalid_end_state"]);
        let [first, second] = &run["results"].as_array().unwrap()[..] else { panic!("{run}") };
        assert_eq!((&first["ruleId"], &first["ruleIndex"]), (&json!("assertion"), &json!(0)));
        assert_eq!((&second["ruleId"], &second["ruleIndex"]), (&json!("invalid_end_state"), &json!(1)));
        let place = json!({
            "physicalLocation": {
                "artifactLocation": { "uri": "dir%20a/second.pml" },
                "region": { "startLine": 10 },
            },
            "logicalLocations": [{ "name": "q", "kind": "function" }],
        });
        assert_eq!(first["locations"], json!([place]));
        assert_eq!(first["message"]["text"], "assertion violated: assert(a<b && \"x\")\\x1b[2J");
        assert_eq!(first["properties"]["property"], "safety");
        let flow = &first["codeFlows"][0]["threadFlows"][0]["locations"];
        assert_eq!(flow[0]["location"]["physicalLocation"]["region"]["startLine"], 7);
        assert!(second["locations"][0]["physicalLocation"].get("region").is_none());
        let invocation = &run["invocations"][0];
        assert_eq!(invocation["executionSuccessful"], false);
        let notes = invocation["toolExecutionNotifications"].as_array().unwrap();
        let levels: Vec<&str> = notes.iter().map(|n| n["level"].as_str().unwrap()).collect();
        assert_eq!(levels, ["warning", "error", "error"]);
        let region = &notes[1]["locations"][0]["physicalLocation"]["region"];
        assert_eq!(*region, json!({ "startLine": 1, "startColumn": 20 }));
    }

    #[test]
    fn names_of_files_become_uris() {
        assert_eq!(uri("a b/ü#1.pml"), "a%20b/%C3%BC%231.pml");
        assert_eq!(uri("/tmp/m.pml"), "file:///tmp/m.pml");
    }
}
