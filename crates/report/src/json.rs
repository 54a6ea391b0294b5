//! The result for machines, schema 1: fields may be added, never changed.

use serde::Serialize;
use serde_json::{Map, Value};

pub const SCHEMA: u32 = 1;

/// The result of checking one model. Fields appear in this order.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    pub kripke: &'static str,
    pub schema: u32,
    pub model: String,
    pub language: String,
    pub verdict: &'static str,
    /// Every reachable state was expanded.
    pub complete: bool,
    /// A word for why the verdict is inconclusive.
    pub reason: Option<&'static str>,
    /// The same in a sentence.
    pub message: Option<String>,
    pub properties: Vec<Property>,
    pub states: u64,
    pub transitions: u64,
    /// With a store that may miss states.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missed: Option<Missed>,
    /// Of several searches: then `states` is an estimate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub swarm: Option<Swarm>,
    pub depth: u64,
    pub state_bytes: u64,
    pub state_bits: StateBits,
    pub errors: Errors,
    pub findings: Vec<Finding>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreached: Option<Vec<Unreached>>,
    pub seconds: Seconds,
    pub memory: Memory,
    /// How states were kept, one after the other.
    pub stores: Vec<Store>,
    /// With `--store cache`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache: Option<Cache>,
    pub limits: Limits,
    pub options: Options,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub struct Cache {
    /// How many states it had room for.
    pub slots: u64,
    /// How many were replaced by others. If it is not 0, `states` counts those twice that were visited twice.
    pub replaced: u64,
    /// How many times a state came up that was there.
    pub revisits: u64,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub struct Store {
    pub store: &'static str,
    /// How many states there were when it came into use.
    pub since: u64,
}

#[derive(Clone, Debug, Serialize)]
pub struct Property {
    pub name: String,
    /// `safety`, `reachability`, `ltl`, `ctl`, `never`, `process`, `acceptance` or `progress`.
    pub kind: &'static str,
    pub verdict: &'static str,
    /// `fault`, if a fault was found before the property was decided; then `verdict` is `violated`, since there is an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undecided: Option<&'static str>,
    /// The file with the counterexample, or with a run that shows why a formula about branching is true.
    pub trail: Option<String>,
    /// The runs that show why a formula about branching is true or false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// The fairness that was assumed.
    pub fairness: Option<&'static str>,
    /// What counted as an error beside the property: `assertions`, `end_states`, `faults`.
    pub checked: Vec<&'static str>,
    /// What of the model neither this search nor another one looked at, in words.
    pub not_checked: Vec<String>,
    /// Of the model together with what watches it.
    pub states: u64,
    pub transitions: u64,
    pub seconds: f64,
}

#[derive(Clone, Debug, Serialize)]
pub struct Evidence {
    /// The first begins at the start and is the one in the file; each of the others leaves one before it.
    pub runs: Vec<EvidenceRun>,
    /// What no run shows.
    pub open: Vec<Open>,
}

#[derive(Clone, Debug, Serialize)]
pub struct EvidenceRun {
    /// `EF p is true`
    pub shows: String,
    /// Where that is so.
    pub from: Spot,
    /// Visible steps from the start.
    pub steps: usize,
    /// After the last step it is where it was after this many.
    pub cycle: Option<usize>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Open {
    pub claim: String,
    pub at: Spot,
}

/// After so many visible steps of a run; runs are counted from 0.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Spot {
    pub run: usize,
    pub step: usize,
}

/// Of a state with the processes of the initial one, whichever form was stored.
#[derive(Clone, Copy, Default, Debug, Serialize)]
pub struct StateBits {
    /// As engines work on it.
    pub packed: u64,
    /// The logarithm of the number of combinations of values.
    pub compact: u64,
}

/// What a lossy store has probably missed.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Missed {
    /// Expected.
    pub states: f64,
    /// In 95 % of all cases.
    pub at_most: f64,
    /// The part of all states that was seen, if that is so.
    pub coverage: f64,
}

/// What several searches have done together.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Swarm {
    pub searches: u64,
    pub finished: u64,
    /// About the part of all states that was seen.
    pub coverage: f64,
}

/// How many errors of each kind there were.
#[derive(Clone, Copy, Default, Debug, Serialize)]
pub struct Errors {
    pub assertion: u64,
    pub invalid_end_state: u64,
    /// Everything else the model did that is forbidden.
    pub fault: u64,
    /// States in which what was asked for with `--reach` is true.
    pub reached: u64,
    /// Violations of a temporal property.
    pub property: u64,
}

/// One error, replayed.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// See [`crate::why::kind`]; `invalid_end_state` for that.
    pub kind: &'static str,
    pub message: String,
    pub file: Option<String>,
    pub line: Option<u32>,
    pub process: Option<String>,
    /// Visible steps of the counterexample.
    pub steps: usize,
}

#[derive(Clone, Debug, Serialize)]
pub struct Unreached {
    pub process: String,
    pub file: String,
    pub line: u32,
    pub statement: String,
}

#[derive(Clone, Copy, Default, Debug, Serialize)]
pub struct Seconds {
    pub load: f64,
    pub compile: f64,
    pub search: f64,
    /// All of that in processor time, summed over threads; null where the system does not tell.
    pub cpu: Option<f64>,
}

#[derive(Clone, Copy, Default, Debug, Serialize)]
pub struct Memory {
    /// Of the whole program; 0 where the system does not tell.
    pub peak_rss: u64,
    pub store: u64,
    /// Links and frontier.
    pub search: u64,
}

#[derive(Clone, Copy, Default, Debug, Serialize)]
pub struct Limits {
    pub max_depth: Option<u32>,
    pub max_states: Option<u64>,
    pub memory: Option<u64>,
    pub timeout: Option<f64>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Options {
    pub store: &'static str,
    /// Of a hash, or the logarithm of all bits of a bitstate store, rounded down.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bits: Option<u8>,
    /// Bits for each state of a bitstate store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hashes: Option<u8>,
    pub compact: bool,
    pub threads: usize,
    pub raw: bool,
    /// What made the search smaller: `coarsening`, `dead-variables`, `slicing`, `partial-order`.
    pub reductions: Vec<&'static str>,
    /// `on`, or `off` and the reason.
    pub partial_order: String,
    /// `on`, or `off` and why.
    pub symmetry: String,
    /// Groups of processes that can take each other's places, in words.
    pub interchangeable: Vec<String>,
    /// In how many states the last one was tried out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audited: Option<u64>,
    pub search: &'static str,
    pub engine: &'static str,
    pub all_errors: bool,
    pub claims: bool,
    pub assertions: bool,
    pub end_states: bool,
}

/// One complaint about the user's text or the command.
#[derive(Clone, Debug, Serialize)]
pub struct Complaint {
    /// `error` or `warning`.
    pub severity: &'static str,
    pub message: String,
    pub file: Option<String>,
    pub line: Option<u32>,
    pub column: Option<u32>,
    pub help: Option<String>,
}

impl Report {
    /// Indented if it is the only one, else on one line.
    pub fn text(&self, alone: bool) -> String {
        render(self, alone)
    }
}

/// What is printed instead of a result when a check was ended from outside: the fields of a [`Report`] that are known then.
#[derive(Clone, Debug, Serialize)]
pub struct Stopped {
    pub kripke: &'static str,
    pub schema: u32,
    pub model: String,
    pub verdict: &'static str,
    pub complete: bool,
    pub reason: &'static str,
    pub message: String,
    /// Those decided before.
    pub properties: Vec<Known>,
    pub states: u64,
    pub transitions: u64,
    pub depth: u64,
    pub errors: Errors,
    pub findings: [Finding; 0],
    pub seconds: Seconds,
    pub memory: Memory,
    pub limits: Limits,
}

/// The verdict on one property.
#[derive(Clone, Debug, Serialize)]
pub struct Known {
    pub name: String,
    pub kind: &'static str,
    pub verdict: &'static str,
    pub trail: Option<String>,
}

impl Stopped {
    /// Indented if it is the only one, else on one line.
    pub fn text(&self, alone: bool) -> String {
        render(self, alone)
    }
}

/// What is printed instead of a result when there is no model to check.
pub fn bad_input(kripke: &'static str, model: &str, complaints: &[Complaint], alone: bool) -> String {
    let mut object = Map::new();
    object.insert("kripke".to_string(), kripke.into());
    object.insert("schema".to_string(), SCHEMA.into());
    object.insert("model".to_string(), model.into());
    object.insert("verdict".to_string(), Value::Null);
    object.insert("error".to_string(), serde_json::to_value(complaints).expect("plain data"));
    render(&object, alone)
}

fn render(value: &impl Serialize, alone: bool) -> String {
    let text = if alone { serde_json::to_string_pretty(value) } else { serde_json::to_string(value) };
    text.expect("plain data") + "\n"
}

/// An object with a line for each field, and for each element of a list of objects: long, but fit for reading.
pub(crate) fn by_lines(value: &impl Serialize) -> String {
    let value = serde_json::to_value(value).expect("plain data");
    let Value::Object(fields) = value else { return format!("{value}\n") };
    let field = |(name, value): (&String, &Value)| match value {
        Value::Array(list) if list.first().is_some_and(Value::is_object) => {
            let elements: Vec<String> = list.iter().map(|e| format!("    {e}")).collect();
            format!("  {}: [\n{}\n  ]", Value::from(name.as_str()), elements.join(",\n"))
        }
        _ => format!("  {}: {value}", Value::from(name.as_str())),
    };
    let fields: Vec<String> = fields.iter().map(field).collect();
    format!("{{\n{}\n}}\n", fields.join(",\n"))
}
