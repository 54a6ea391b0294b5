//! Results as test cases: the common form from which reports for other tools are written. A model is a suite, a property a case.

use crate::json::{Complaint, Finding};

/// The cases of one model.
#[derive(Clone, Debug)]
pub struct Suite {
    /// The file of the model.
    pub model: String,
    /// One for each property.
    pub cases: Vec<Case>,
}

/// The result for one property.
#[derive(Clone, Debug)]
pub struct Case {
    /// The name or the formula of the property.
    pub property: String,
    /// The kind of the property.
    pub kind: &'static str,
    /// The time of the search.
    pub seconds: f64,
    /// The result.
    pub result: CaseResult,
}

/// The result of a case.
#[derive(Clone, Debug)]
pub enum CaseResult {
    /// The property holds.
    Holds,
    /// There are counterexamples.
    Violated(Vec<Violation>),
    /// There is no answer, for this reason.
    Inconclusive(String),
    /// The model can't be read.
    Unreadable(Vec<Complaint>),
    /// The check failed because of a bug in Kripke.
    Failed(String),
}

/// A counterexample.
#[derive(Clone, Debug)]
pub struct Violation {
    /// The error.
    pub finding: Finding,
    /// The trail file.
    pub trail: Option<String>,
    /// The steps; empty if there are more than [`LONGEST_FLOW`].
    pub flow: Vec<FlowStep>,
}

/// The largest number of steps that a report contains.
pub const LONGEST_FLOW: usize = 1000;

/// A step of a counterexample.
#[derive(Clone, Debug)]
pub struct FlowStep {
    /// The file of the statement.
    pub file: String,
    /// The line of the statement.
    pub line: u32,
    /// The process and the statement.
    pub text: String,
}

impl Suite {
    /// The suite of a model that has a single case without a property.
    pub fn whole(model: &str, result: CaseResult) -> Suite {
        let case = Case { property: "model".to_string(), kind: "model", seconds: 0.0, result };
        Suite { model: model.to_string(), cases: vec![case] }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A suite for each kind of result.
    pub fn suites() -> Vec<Suite> {
        let finding = |kind, message: &str, line| Finding {
            kind,
            message: message.to_string(),
            property: "safety".to_string(),
            file: Some("dir a/second.pml".to_string()),
            line,
            process: Some("q".to_string()),
            steps: 1,
        };
        let step = FlowStep { file: "dir a/second.pml".to_string(), line: 7, text: "q: a<b && c".to_string() };
        let violations = vec![
            Violation {
                finding: finding("assertion", "assertion violated: assert(a<b && \"x\")\u{1b}[2J", Some(10)),
                trail: Some("second.trail.json".to_string()),
                flow: vec![step],
            },
            Violation { finding: finding("invalid_end_state", "no process can move", None), trail: None, flow: vec![] },
        ];
        let complaint = Complaint {
            severity: "error",
            message: "expected `)`".to_string(),
            file: Some("bad.pml".to_string()),
            line: Some(1),
            column: Some(20),
            help: None,
        };
        let case = |property: &str, result| Case { property: property.to_string(), kind: "ltl", seconds: 0.25, result };
        let cases = vec![
            case("safety", CaseResult::Violated(violations)),
            case("[] (p -> <> q)", CaseResult::Holds),
            case("live", CaseResult::Inconclusive("out of time".to_string())),
        ];
        vec![
            Suite { model: "dir a/second.pml".to_string(), cases },
            Suite::whole("bad.pml", CaseResult::Unreadable(vec![complaint])),
            Suite::whole("odd.pml", CaseResult::Failed("a counterexample could not be confirmed".to_string())),
        ]
    }
}
