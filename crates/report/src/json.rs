//! The machine-readable result, schema 1. Fields may be added, never changed.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::decision::Decision;
use crate::survey::{Profiled, Range, Survey};

/// The version of the schema.
pub const SCHEMA: u32 = 1;

/// The result of checking one model. Fields appear in this order.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The version of Kripke.
    pub kripke: &'static str,
    /// The version of the schema.
    pub schema: u32,
    /// The file of the model.
    pub model: String,
    /// The modelling language.
    pub language: String,
    /// The verdict: `holds`, `violated` or `inconclusive`.
    pub verdict: &'static str,
    /// Whether every reachable state was expanded.
    pub complete: bool,
    /// The reason of an inconclusive verdict, as a key.
    pub reason: Option<&'static str>,
    /// The reason as a sentence.
    pub message: Option<String>,
    /// The properties that were checked.
    pub properties: Vec<Property>,
    /// The number of stored states.
    pub states: u64,
    /// The number of transitions.
    pub transitions: u64,
    /// The omission estimate of a lossy store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missed: Option<Missed>,
    /// The result of a swarm; then `states` is an estimate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub swarm: Option<Swarm>,
    /// The largest depth that was reached.
    pub depth: u64,
    /// The length of the longest state.
    pub state_bytes: u64,
    /// The size of the initial state.
    pub state_bits: StateBits,
    /// The number of errors by kind.
    pub errors: Errors,
    /// The errors with a counterexample.
    pub findings: Vec<Finding>,
    /// The statements that were never executed, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreached: Option<Vec<Unreached>>,
    /// The guards that were never true, `else` branches never taken and assertions never reached in a complete search for
    /// safety errors, or in the first search with `unreached`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dead: Option<Vec<Dead>>,
    /// The characteristics of the state space, with `--statistics`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state_space: Option<Survey>,
    /// The executions of each statement, with `--profile`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<Vec<Profiled>>,
    /// The ranges of variables, with `--ranges`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranges: Option<Vec<Range>>,
    /// The values that are cut where they are stored.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cut: Vec<Cut>,
    /// Times.
    pub seconds: Seconds,
    /// Memory use.
    pub memory: Memory,
    /// The stores of the search, in the order of their use.
    pub stores: Vec<Store>,
    /// Figures of the state cache, with `--store cache`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache: Option<Cache>,
    /// The limits of the search.
    pub limits: Limits,
    /// The options that were in effect.
    pub options: Options,
}

/// Figures of a state cache.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Cache {
    /// The capacity in states.
    pub slots: u64,
    /// The number of replaced states. If it is not 0, states that are visited again are counted again.
    pub replaced: u64,
    /// The number of visits to states that were in the cache.
    pub revisits: u64,
    /// The largest number of slots that have to be looked at to find a state.
    pub probes: u64,
}

/// A store and the start of its use.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Store {
    /// The name of the store.
    pub store: &'static str,
    /// The number of states at the start of its use.
    pub since: u64,
}

/// The result for one property.
#[derive(Clone, Debug, Serialize)]
pub struct Property {
    /// The name or the formula.
    pub name: String,
    /// `safety`, `reachability`, `ltl`, `ctl`, `never`, `process`, `acceptance` or `progress`.
    pub kind: &'static str,
    /// The verdict.
    pub verdict: &'static str,
    /// `fault`, if a fault was found before the property was decided. Then `verdict` is `violated`, since there is an
    /// error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undecided: Option<&'static str>,
    /// Why the property holds vacuously, as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vacuous: Option<String>,
    /// The file with the counterexample, or with a witness of a CTL formula.
    pub trail: Option<String>,
    /// The runs that show why a CTL formula is true or false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// The fairness assumption.
    pub fairness: Option<&'static str>,
    /// The errors that the search checked besides the property: `assertions`, `end_states`, `faults`.
    pub checked: Vec<&'static str>,
    /// The errors of the model that no search checked, as text.
    pub not_checked: Vec<String>,
    /// The number of states of the product of model and observer.
    pub states: u64,
    /// The number of transitions of the product.
    pub transitions: u64,
    /// The time of the search.
    pub seconds: f64,
    /// The figures of each rank of a search with `--ranks`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ranks: Vec<Rank>,
    /// The plan: each decision about the search for this property, with its reason.
    pub plan: Vec<Decision>,
}

/// The evidence for or against a CTL formula.
#[derive(Clone, Debug, Serialize)]
pub struct Evidence {
    /// The runs. The first one starts in the initial state and is in the trail file; each other run branches off an
    /// earlier one.
    pub runs: Vec<EvidenceRun>,
    /// The claims that no run shows.
    pub open: Vec<Open>,
}

/// One run of the evidence.
#[derive(Clone, Debug, Serialize)]
pub struct EvidenceRun {
    /// The claim that the run shows: `EF p is true`.
    pub shows: String,
    /// The place where the claim holds.
    pub from: Spot,
    /// The number of visible steps from the initial state.
    pub steps: usize,
    /// The number of steps before the cycle, for a lasso.
    pub cycle: Option<usize>,
}

/// A claim that no run shows.
#[derive(Clone, Debug, Serialize)]
pub struct Open {
    /// The claim as text.
    pub claim: String,
    /// The place of the claim.
    pub at: Spot,
}

/// The figures of one rank of a distributed search.
#[derive(Clone, Copy, Default, PartialEq, Debug, Serialize)]
pub struct Rank {
    /// The states that the rank owns.
    pub states: u64,
    /// The transitions from them.
    pub transitions: u64,
    /// Memory of the states and of what the algorithm knows about them, in bytes.
    pub memory: u64,
    /// Records sent to other ranks: a state, or a message about one.
    pub messages: u64,
    /// Frames in which they were sent.
    pub frames: u64,
    /// Bytes in all frames.
    pub bytes: u64,
    /// Seconds without work.
    pub idle: f64,
}

/// A place: a run, counted from 0, and a number of visible steps.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Spot {
    /// The run.
    pub run: usize,
    /// The number of visible steps.
    pub step: usize,
}

/// The size of a state with the processes of the initial state, independent of the store.
#[derive(Clone, Copy, Default, Debug, Serialize)]
pub struct StateBits {
    /// Bits of the packed state, on which engines work.
    pub packed: u64,
    /// Bits of the compact state: the logarithm of the number of combinations of values.
    pub compact: u64,
    /// Bits of the state in words: those of the values that each variable can have. 0 if states have no form in words.
    pub words: u64,
}

/// The omission estimate of a lossy store.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Missed {
    /// The expected number of omitted states.
    pub states: f64,
    /// The upper bound of the 95 % confidence interval.
    pub at_most: f64,
    /// The estimated fraction of states that were visited.
    pub coverage: f64,
}

/// The result of a swarm.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Swarm {
    /// The number of searches.
    pub searches: u64,
    /// The number of searches that ran to their end.
    pub finished: u64,
    /// The estimated fraction of states that were visited.
    pub coverage: f64,
}

/// The number of errors by kind.
#[derive(Clone, Copy, Default, Debug, Serialize)]
pub struct Errors {
    /// Failed assertions.
    pub assertion: u64,
    /// Invalid end states.
    pub invalid_end_state: u64,
    /// Faults: all other errors of the model.
    pub fault: u64,
    /// States in which the condition of `--reach` is true.
    pub reached: u64,
    /// Violations of a temporal property.
    pub property: u64,
}

/// An error with a replayed counterexample.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// The kind: see [`crate::explanation::kind`], or `invalid_end_state`.
    pub kind: &'static str,
    /// The message.
    pub message: String,
    /// The property whose search found the error.
    pub property: String,
    /// The file of the erroneous statement. An invalid end state has the next statement of the first process that is not at a valid
    /// end, a violated property its own place in the model.
    pub file: Option<String>,
    /// The line in that file; none for a property of the command line.
    pub line: Option<u32>,
    /// The process of the erroneous statement.
    pub process: Option<String>,
    /// The number of visible steps of the counterexample.
    pub steps: usize,
}

/// A statement that was never executed.
#[derive(Clone, Debug, Serialize)]
pub struct Unreached {
    /// The process type.
    pub process: String,
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The text of the statement.
    pub statement: String,
}

/// A guard, `else` or assertion that was never executed.
#[derive(Clone, Debug, Serialize)]
pub struct Dead {
    /// `guard`, `else` or `assertion`.
    pub kind: &'static str,
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The text of the statement.
    pub statement: String,
}

/// A value that is cut where it is stored.
#[derive(Clone, Debug, Serialize)]
pub struct Cut {
    /// The description.
    pub message: String,
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
}

/// Times in seconds.
#[derive(Clone, Copy, Default, Debug, Serialize)]
pub struct Seconds {
    /// Reading the model.
    pub load: f64,
    /// Preparing the search: reductions and code generation.
    pub compile: f64,
    /// The search.
    pub search: f64,
    /// Processor time of all phases, summed over threads; null if the system does not report it.
    pub cpu: Option<f64>,
}

/// Memory in bytes.
#[derive(Clone, Copy, Default, Debug, Serialize)]
pub struct Memory {
    /// Peak memory of the process; 0 if the system does not report it.
    pub peak_rss: u64,
    /// The store.
    pub store: u64,
    /// Links between states and the open set.
    pub search: u64,
}

/// The limits of the search.
#[derive(Clone, Copy, Default, Debug, Serialize)]
pub struct Limits {
    /// `--max-depth`.
    pub max_depth: Option<u32>,
    /// `--max-states`.
    pub max_states: Option<u64>,
    /// `--mem`, in bytes.
    pub memory: Option<u64>,
    /// `--timeout`, in seconds.
    pub timeout: Option<f64>,
}

/// The options that were in effect.
#[derive(Clone, Debug, Serialize)]
pub struct Options {
    /// The store.
    pub store: &'static str,
    /// Bits of a hash, or the logarithm of the number of bits of a bitstate store, rounded down.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bits: Option<u8>,
    /// Number of hash functions of a bitstate store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hashes: Option<u8>,
    /// Whether states are stored in compact form.
    pub compact: bool,
    /// The number of threads.
    pub threads: usize,
    /// Whether all reductions are off.
    pub raw: bool,
    /// The reductions that were applied: `coarsening` (statement merging), `dead-variables`, `slicing`,
    /// `partial-order`, `symmetry`.
    pub reductions: Vec<&'static str>,
    /// `on`, or `off` and the reason.
    pub partial_order: String,
    /// `on`, or `off` and the reason.
    pub symmetry: String,
    /// The groups of symmetric processes, as text.
    pub interchangeable: Vec<String>,
    /// The number of states in which partial-order reduction was audited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audited: Option<u64>,
    /// The search order.
    pub search: &'static str,
    /// The engine.
    pub engine: &'static str,
    /// Whether the search continued after the first error.
    pub all_errors: bool,
    /// Whether properties of the model were checked.
    pub claims: bool,
    /// Whether assertions were checked.
    pub assertions: bool,
    /// Whether end states were checked.
    pub end_states: bool,
}

/// An error or warning about the user's text or the command.
#[derive(Clone, Debug, Serialize)]
pub struct Complaint {
    /// `error` or `warning`.
    pub severity: &'static str,
    /// The message.
    pub message: String,
    /// The file.
    pub file: Option<String>,
    /// The line.
    pub line: Option<u32>,
    /// The column.
    pub column: Option<u32>,
    /// Advice.
    pub help: Option<String>,
}

impl Report {
    /// The text: indented if it is the only result, otherwise on one line.
    pub fn text(&self, alone: bool) -> String {
        render(self, alone)
    }
}

/// The result of a check that was stopped from outside: the fields of a [`Report`] that are known then.
#[derive(Clone, Debug, Serialize)]
pub struct Stopped {
    /// The version of Kripke.
    pub kripke: &'static str,
    /// The version of the schema.
    pub schema: u32,
    /// The file of the model.
    pub model: String,
    /// The verdict.
    pub verdict: &'static str,
    /// False.
    pub complete: bool,
    /// The reason, as a key.
    pub reason: &'static str,
    /// The reason as a sentence.
    pub message: String,
    /// The properties that were decided before.
    pub properties: Vec<Known>,
    /// The number of states so far.
    pub states: u64,
    /// The number of transitions so far.
    pub transitions: u64,
    /// The largest depth so far.
    pub depth: u64,
    /// The number of errors so far.
    pub errors: Errors,
    /// Empty: no counterexample was replayed.
    pub findings: [Finding; 0],
    /// Times.
    pub seconds: Seconds,
    /// Memory use.
    pub memory: Memory,
    /// The limits of the search.
    pub limits: Limits,
}

/// The verdict on one property.
#[derive(Clone, Debug, Serialize)]
pub struct Known {
    /// The name or the formula.
    pub name: String,
    /// The kind of the property.
    pub kind: &'static str,
    /// The verdict.
    pub verdict: &'static str,
    /// The file with the counterexample.
    pub trail: Option<String>,
}

impl Stopped {
    /// The text: indented if it is the only result, otherwise on one line.
    pub fn text(&self, alone: bool) -> String {
        render(self, alone)
    }
}

/// The result if the model or the command can't be read.
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
