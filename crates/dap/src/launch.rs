//! Launch configurations.

use std::path::PathBuf;

use serde_json::Value;

/// The kinds of launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// A simulation of a model.
    Simulate,
    /// The replay of a trail file.
    Replay,
    /// A check of a model, and the replay of its counterexample.
    Check,
}

impl Mode {
    /// The modes with their names.
    pub const ALL: [(&'static str, Mode); 3] =
        [("simulate", Mode::Simulate), ("replay", Mode::Replay), ("check", Mode::Check)];

    /// The name of the mode, which is that of the command of the program.
    pub fn word(self) -> &'static str {
        match self {
            Mode::Simulate => "simulate",
            Mode::Replay => "replay",
            Mode::Check => "check",
        }
    }
}

/// A launch configuration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Launch {
    /// What to do.
    pub mode: Mode,
    /// The file of the model.
    pub program: PathBuf,
    /// The trail file; the newest trail of the model if there is none.
    pub trail: Option<PathBuf>,
    /// Options of the command of the program.
    pub args: Vec<String>,
    /// The directory in which the program works.
    pub cwd: Option<PathBuf>,
    /// The seed of the random choices.
    pub seed: Option<u64>,
    /// Whether to stop before the first step.
    pub stop_on_entry: bool,
    /// Random steps that are taken at most until the simulation stops.
    pub steps: usize,
}

/// The default of [`Launch::steps`].
const STEPS: u64 = 10_000;

impl Launch {
    /// Reads the arguments of a launch request. Attributes that start with `__` are the client's own.
    pub(crate) fn read(arguments: &Value) -> Result<Launch, String> {
        let text = |name: &str| optional(arguments, name, Value::as_str, "a text");
        let number = |name: &str| optional(arguments, name, Value::as_u64, "a number from 0");
        let mode = text("mode")?.unwrap_or("check");
        let mode = Mode::ALL.iter().find(|(name, _)| *name == mode).map(|(_, mode)| *mode);
        let program = text("program")?.ok_or("`program` is missing: the file of the model")?;
        let entry = optional(arguments, "stopOnEntry", Value::as_bool, "true or false")?;
        Ok(Launch {
            mode: mode.ok_or("`mode` must be `simulate`, `replay` or `check`")?,
            program: PathBuf::from(program),
            trail: text("trail")?.map(PathBuf::from),
            args: texts(arguments, "args")?,
            cwd: text("cwd")?.map(PathBuf::from),
            seed: number("seed")?,
            stop_on_entry: entry.unwrap_or(true),
            steps: number("steps")?.unwrap_or(STEPS).min(u64::from(u32::MAX)) as usize,
        })
    }
}

/// An attribute that may be absent.
pub(crate) fn optional<'a, T>(
    arguments: &'a Value,
    name: &str,
    read: impl Fn(&'a Value) -> Option<T>,
    what: &str,
) -> Result<Option<T>, String> {
    match &arguments[name] {
        Value::Null => Ok(None),
        value => read(value).map(Some).ok_or_else(|| format!("`{name}` must be {what}")),
    }
}

fn texts(arguments: &Value, name: &str) -> Result<Vec<String>, String> {
    let wrong = || format!("`{name}` must be a list of texts");
    let list = optional(arguments, name, Value::as_array, "a list of texts")?;
    let text = |value: &Value| value.as_str().map(str::to_string).ok_or_else(wrong);
    list.map_or(Ok(Vec::new()), |list| list.iter().map(text).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn configurations_are_read_with_defaults() {
        let read = Launch::read(&json!({ "program": "m.pml", "type": "kripke", "__id": 1 })).unwrap();
        assert_eq!((read.mode, read.stop_on_entry, read.steps), (Mode::Check, true, 10_000));
        let given = json!({ "program": "m.pml", "mode": "replay", "trail": "t", "args": ["-DN=2"], "seed": 7 });
        let read = Launch::read(&given).unwrap();
        assert_eq!((read.mode, read.seed), (Mode::Replay, Some(7)));
        assert_eq!((read.args, read.trail), (vec!["-DN=2".to_string()], Some(PathBuf::from("t"))));
    }

    #[test]
    fn wrong_configurations_are_refused() {
        for (given, wanted) in [
            (json!(null), "`program` is missing"),
            (json!({ "program": 3 }), "`program` must be a text"),
            (json!({ "program": "m", "mode": "run" }), "`mode` must be"),
            (json!({ "program": "m", "args": "-a" }), "`args` must be a list"),
            (json!({ "program": "m", "args": [1] }), "`args` must be a list"),
            (json!({ "program": "m", "seed": -1 }), "`seed` must be a number"),
            (json!({ "program": "m", "stopOnEntry": "yes" }), "`stopOnEntry` must be"),
        ] {
            let why = Launch::read(&given).unwrap_err();
            assert!(why.contains(wanted), "{why}");
        }
    }
}
