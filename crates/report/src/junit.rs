//! JUnit XML, as Jenkins and GitLab read it: a test suite for each model, a test case for each property.
//!
//! The format is that of the XSD `junit-10` of Jenkins' xUnit plugin. A violation is a failure; a check without an answer is an
//! error.

use crate::case::{Case, CaseResult, Suite, Violation};
use crate::escape::xml;
use crate::json::Complaint;

/// The beginning of every document.
pub const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"kripke\"";

/// The document.
pub fn document(suites: &[Suite]) -> String {
    let suites: String = suites.iter().map(suite).collect();
    format!("{HEAD}>\n{suites}</testsuites>\n")
}

fn suite(suite: &Suite) -> String {
    let count = |wanted: fn(&CaseResult) -> bool| suite.cases.iter().filter(|case| wanted(&case.result)).count();
    let failures = count(|result| matches!(result, CaseResult::Violated(_)));
    let errors = count(|result| !matches!(result, CaseResult::Violated(_) | CaseResult::Holds));
    let seconds: f64 = suite.cases.iter().map(|case| case.seconds).sum();
    let (model, tests) = (xml(&suite.model), suite.cases.len());
    let cases: String = suite.cases.iter().map(|case| self::case(&suite.model, case)).collect();
    format!(
        "  <testsuite name=\"{model}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" \
         skipped=\"0\" time=\"{seconds:.3}\">\n{cases}  </testsuite>\n"
    )
}

fn case(model: &str, case: &Case) -> String {
    let head = format!(
        "    <testcase name=\"{}\" classname=\"{}\" time=\"{:.3}\"",
        xml(&case.property),
        xml(model),
        case.seconds
    );
    let inner: String = match &case.result {
        CaseResult::Holds => return format!("{head}/>\n"),
        CaseResult::Violated(violations) => violations.iter().map(failure).collect(),
        CaseResult::Inconclusive(reason) => element("error", "inconclusive", reason, ""),
        CaseResult::Unreadable(complaints) => complaints.iter().map(unreadable).collect(),
        CaseResult::Failed(message) => element("error", "bug", message, ""),
    };
    format!("{head}>\n{inner}    </testcase>\n")
}

fn failure(violation: &Violation) -> String {
    let Violation { finding, trail, flow } = violation;
    let mut text = match (&finding.file, finding.line) {
        (Some(file), Some(line)) => format!("{file}:{line}\n"),
        (Some(file), None) => format!("{file}\n"),
        _ => String::new(),
    };
    for (i, step) in flow.iter().enumerate() {
        text.push_str(&format!("{:4}  {}:{}  {}\n", i + 1, step.file, step.line, step.text));
    }
    text.extend(trail.iter().map(|trail| format!("trail: {trail}\n")));
    element("failure", finding.kind, &finding.message, &text)
}

fn unreadable(complaint: &Complaint) -> String {
    let place = match (&complaint.file, complaint.line) {
        (Some(file), Some(line)) => format!("{file}:{line}\n"),
        _ => String::new(),
    };
    element("error", "bad-input", &complaint.message, &place)
}

fn element(name: &str, kind: &str, message: &str, text: &str) -> String {
    let head = format!("      <{name} type=\"{}\" message=\"{}\"", xml(kind), xml(message));
    match text {
        "" => format!("{head}/>\n"),
        _ => format!("{head}>{}</{name}>\n", xml(text).replace("&#10;", "\n")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::tests::suites;

    #[test]
    fn every_kind_of_result_has_its_element() {
        let expected = r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="kripke">
  <testsuite name="dir a/second.pml" tests="3" failures="1" errors="1" skipped="0" time="0.750">
    <testcase name="safety" classname="dir a/second.pml" time="0.250">
      <failure type="assertion" message="assertion violated: assert(a&lt;b &amp;&amp; &quot;x&quot;)\x1b[2J">dir a/second.pml:10
   1  dir a/second.pml:7  q: a&lt;b &amp;&amp; c
trail: second.trail.json
</failure>
      <failure type="invalid_end_state" message="no process can move">dir a/second.pml
</failure>
    </testcase>
    <testcase name="[] (p -&gt; &lt;&gt; q)" classname="dir a/second.pml" time="0.250"/>
    <testcase name="live" classname="dir a/second.pml" time="0.250">
      <error type="inconclusive" message="out of time"/>
    </testcase>
  </testsuite>
  <testsuite name="bad.pml" tests="1" failures="0" errors="1" skipped="0" time="0.000">
    <testcase name="model" classname="bad.pml" time="0.000">
      <error type="bad-input" message="expected `)`">bad.pml:1
</error>
    </testcase>
  </testsuite>
  <testsuite name="odd.pml" tests="1" failures="0" errors="1" skipped="0" time="0.000">
    <testcase name="model" classname="odd.pml" time="0.000">
      <error type="bug" message="a counterexample could not be confirmed"/>
    </testcase>
  </testsuite>
</testsuites>
"#;
        assert_eq!(document(&suites()), expected);
    }
}
