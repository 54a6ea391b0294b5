//! The options of a check that the page offers, and the command line that they make. Options that name files are not among them.

use serde_json::{Value, json};

/// The form of an option's value.
#[derive(Clone, Copy)]
enum Kind {
    Flag,
    /// A number in this range.
    Number(u64, u64),
    /// Texts; the option is repeated.
    Texts,
    Choice(&'static [&'static str]),
    /// `512M`.
    Size,
    /// `1h30m`.
    Time,
}

use Kind::{Choice, Flag, Number, Size, Texts, Time};

/// A row: name, option of the program, form, group, help.
type Row = (&'static str, &'static str, Kind, &'static str, &'static str);

const FAIRNESS: &[&str] = &["none", "weak", "strong", "strong-transitions", "impartial"];
const CYCLES: &[&str] = &[
    "auto",
    "scc",
    "ufscc",
    "nested",
    "cndfs",
    "owcty",
    "owcty-reversed",
    "map",
    "map-visit",
    "map-reversed",
    "ncd",
    "pd-ndfs",
    "token-ndfs",
    "ble",
    "deps",
];
const STORES: &[&str] = &["auto", "words", "exact", "tree", "cache", "hash", "bitstate"];
const MANY: u64 = u64::MAX >> 1;

const OPTIONS: [Row; 43] = [
    ("safety", "--safety", Flag, "Properties", "Check safety in addition to other properties"),
    ("property", "--property", Texts, "Properties", "Check only the property with this name"),
    ("ltl", "--ltl", Texts, "Properties", "Check a formula of linear temporal logic"),
    ("ctl", "--ctl", Texts, "Properties", "Check a formula of computation tree logic"),
    ("reach", "--reach", Texts, "Properties", "Report states that satisfy a condition as errors"),
    ("invariant", "--invariant", Texts, "Properties", "Check that a condition holds in every state"),
    ("acceptance", "--acceptance", Flag, "Properties", "Check for acceptance cycles"),
    ("non_progress", "--non-progress", Flag, "Properties", "Check for non-progress cycles"),
    ("fair", "--fair", Choice(FAIRNESS), "Properties", "Fairness assumption"),
    ("cycles", "--cycles", Choice(CYCLES), "Properties", "Algorithm for acceptance cycles"),
    ("no_assertions", "--no-assertions", Flag, "Errors", "Ignore failed assertions"),
    ("no_end_states", "--no-end-states", Flag, "Errors", "Ignore invalid end states"),
    ("no_claim", "--no-claim", Flag, "Errors", "Ignore the properties stated in the model"),
    ("all_errors", "--all-errors", Flag, "Errors", "Continue after the first error and count all errors"),
    ("search", "--search", Choice(&["bfs", "dfs"]), "Search", "Breadth-first or depth-first search"),
    ("store", "--store", Choice(STORES), "Search", "Store of visited states"),
    ("lossy", "--lossy", Flag, "Search", "Continue with a lossy store when memory is full"),
    ("bits", "--bits", Number(10, 40), "Search", "With bitstate: size of the bit array, 2^N bits"),
    ("hashes", "--hashes", Number(1, 32), "Search", "With bitstate: number of hash functions"),
    ("hash_bits", "--hash-bits", Number(8, 64), "Search", "With hash: bits of the hash stored per state"),
    ("swarm", "--swarm", Number(1, 1_000_000), "Search", "Swarm verification: N bitstate searches"),
    ("engine", "--engine", Choice(&["compile", "interpret"]), "Search", "Machine code or the reference interpreter"),
    ("compact", "--compact", Flag, "Search", "Pack each state into the fewest bits"),
    ("no_partial_order", "--no-partial-order", Flag, "Search", "No partial-order reduction"),
    ("no_sleep_sets", "--no-sleep-sets", Flag, "Search", "No sleep sets"),
    ("symmetry", "--symmetry", Flag, "Search", "Symmetry reduction"),
    ("threads", "--threads", Number(1, 1024), "Search", "Number of threads"),
    ("max_depth", "--max-depth", Number(1, u32::MAX as u64), "Limits", "Maximum search depth, in steps"),
    ("max_states", "--max-states", Number(1, MANY), "Limits", "Maximum number of stored states"),
    ("mem", "--mem", Size, "Limits", "Maximum memory: 512M, 48G"),
    ("timeout", "--timeout", Time, "Limits", "Maximum time: 90s, 10m, 1h30m"),
    ("unreached", "--unreached", Flag, "Results", "List every statement that was never executed"),
    ("no_vacuity", "--no-vacuity", Flag, "Results", "Do not test whether a formula holds vacuously"),
    ("statistics", "--statistics", Flag, "Results", "Characteristics of the state space"),
    ("profile", "--profile", Flag, "Results", "How often each statement is executed"),
    ("ranges", "--ranges", Flag, "Results", "The smallest and largest value of each variable"),
    (
        "overflow",
        "--overflow",
        Choice(&["warn", "error", "wrap"]),
        "Model",
        "Values that do not fit into their variable",
    ),
    ("lossy_send", "--lossy-send", Flag, "Model", "A message that is sent to a full channel is lost"),
    ("reverse_escapes", "--reverse-escapes", Flag, "Model", "Evaluate nested escapes from the inside out"),
    ("raw", "--raw", Flag, "Model", "Full interleaving: no statement merging, no reductions"),
    ("no_coarsening", "--no-coarsening", Flag, "Model", "No statement merging"),
    ("no_dead_variables", "--no-dead-variables", Flag, "Model", "No dead-variable analysis"),
    ("no_slicing", "--no-slicing", Flag, "Model", "No slicing"),
];

/// The longest text of an option, and the most texts of one.
const MOST_BYTES: usize = 10_000;
const MOST_TEXTS: usize = 100;

/// A value that an option does not have.
pub(crate) struct Wrong {
    pub option: String,
    pub why: String,
}

/// The options as data, for a form.
pub(crate) fn form() -> Value {
    OPTIONS
        .iter()
        .map(|(name, _, kind, group, help)| {
            let mut row = json!({ "name": name, "kind": kind.word(), "group": group, "help": help });
            if let Choice(choices) = kind {
                row["choices"] = json!(choices);
                row["default"] = if *name == "search" { Value::Null } else { json!(choices[0]) };
            }
            if let Number(least, most) = kind {
                row["least"] = json!(least);
                row["most"] = json!(most);
            }
            row
        })
        .collect()
}

/// The arguments of a check, without the file.
pub(crate) fn arguments(options: &Value, define: &Value) -> Result<Vec<String>, Wrong> {
    let mut out = Vec::new();
    let wrong = |option: &str, why: &str| Wrong { option: option.to_string(), why: why.to_string() };
    let given = match options {
        Value::Null => serde_json::Map::new(),
        Value::Object(given) => given.clone(),
        _ => return Err(wrong("options", "an object is expected")),
    };
    for name in given.keys() {
        if !OPTIONS.iter().any(|(known, ..)| known == name) {
            return Err(wrong(name, "there is no such option"));
        }
    }
    for (name, option, kind, ..) in &OPTIONS {
        let Some(value) = given.get(*name).filter(|value| !value.is_null()) else { continue };
        kind.write(option, value, &mut out).map_err(|why| wrong(name, &why))?;
    }
    for text in define.as_array().into_iter().flatten() {
        let text = text.as_str().filter(|text| is_definition(text));
        out.push(format!("-D{}", text.ok_or_else(|| wrong("define", "NAME or NAME=TEXT is expected"))?));
    }
    Ok(out)
}

/// `NAME` or `NAME=TEXT`.
fn is_definition(text: &str) -> bool {
    let name = text.split('=').next().unwrap_or_default();
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    begins && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && is_text(text)
}

fn is_text(text: &str) -> bool {
    text.len() <= MOST_BYTES && !text.contains('\0')
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Flag => "flag",
            Number(..) => "number",
            Texts => "texts",
            Choice(_) => "choice",
            Size => "size",
            Time => "time",
        }
    }

    fn write(self, option: &str, value: &Value, out: &mut Vec<String>) -> Result<(), String> {
        let mut one = |text: &str| out.push(format!("{option}={text}"));
        match self {
            Flag => match value.as_bool() {
                Some(true) => out.push(option.to_string()),
                Some(false) => {}
                None => return Err("true or false is expected".to_string()),
            },
            Number(least, most) => match value.as_u64() {
                Some(number) if (least..=most).contains(&number) => one(&number.to_string()),
                _ => return Err(format!("a number from {least} to {most} is expected")),
            },
            Choice(choices) => match value.as_str().filter(|text| choices.contains(text)) {
                Some(text) => one(text),
                None => return Err(format!("one of {} is expected", choices.join(", "))),
            },
            Size => match value.as_str().filter(|text| is_measure(text, "kKmMgGtTiB.")) {
                Some(text) => one(text),
                None => return Err("a size is expected: 512M, 48G".to_string()),
            },
            Time => match value.as_str().filter(|text| is_measure(text, "dhms.")) {
                Some(text) => one(text),
                None => return Err("a time is expected: 90s, 10m, 1h30m".to_string()),
            },
            Texts => {
                let list = value.as_array().filter(|list| list.len() <= MOST_TEXTS).ok_or("a list is expected")?;
                for text in list {
                    let text = text.as_str().filter(|text| is_text(text) && !text.trim().is_empty());
                    one(text.ok_or("a text is expected")?);
                }
            }
        }
        Ok(())
    }
}

/// A number with units.
fn is_measure(text: &str, units: &str) -> bool {
    text.len() <= 20
        && text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_digit() || units.contains(c))
}

/// A command line that a shell reads as these words.
pub(crate) fn command(words: &[String]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| quote(word)).collect();
    quoted.join(" ")
}

fn quote(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_string();
    }
    let (name, value) = match word.split_once('=') {
        Some((name, value)) if name.starts_with("--") && name.chars().all(is_plain) => (format!("{name}="), value),
        _ => (String::new(), word),
    };
    format!("{name}'{}'", value.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(options: Value) -> Result<String, String> {
        let words = arguments(&options, &json!(["N=4"])).map_err(|wrong| wrong.option)?;
        Ok(command(&words))
    }

    #[test]
    fn options_make_a_command_line() {
        let options =
            json!({ "ltl": ["[] (p -> <> 'q')"], "threads": 2, "all_errors": true, "mem": "512M", "raw": false });
        let expected = "--ltl='[] (p -> <> '\\''q'\\'')' --all-errors --threads=2 --mem=512M -DN=4";
        assert_eq!(line(options).unwrap(), expected);
    }

    #[test]
    fn other_values_are_refused() {
        let bad = [
            json!({ "trail": "x" }),
            json!({ "threads": 0 }),
            json!({ "threads": "2" }),
            json!({ "mem": "1;rm" }),
            json!({ "timeout": "-1s" }),
            json!({ "ltl": "p" }),
            json!({ "ltl": ["a\u{0}b"] }),
            json!({ "search": "--log=x" }),
            json!({ "all_errors": 1 }),
        ];
        for options in bad {
            assert!(line(options.clone()).is_err(), "{options}");
        }
        assert!(arguments(&Value::Null, &json!(["N=1 -I/etc"])).is_ok());
        assert!(arguments(&Value::Null, &json!(["-I/etc"])).is_err());
    }
}
