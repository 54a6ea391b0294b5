//! Trail files: stored runs. A trail can be replayed if the model has not changed.

mod checksum;
mod steps;

use std::fmt;
use std::io::{self, Write};

use kripke_model::interpret::Move;
use kripke_model::ir::Model;
use kripke_model::trail::{Ending, Trail};
use serde::{Deserialize, Serialize};

use crate::names::Names;
use crate::run::Run;
use crate::table::mover;
use checksum::{Fnv, Repeated};
use steps::{Step, Steps};

/// The version of the format. Since 2, the last field is a checksum of the content. Since 3, a request replaces the
/// arguments.
const SCHEMA: u32 = 3;
const CHECKSUM: &str = "checksum";

/// The contents of a trail file. `choices` and `ending` are the trail; `steps` is for readers of the file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TrailFile {
    #[serde(rename = "kripke-trail")]
    schema: u32,
    /// The file of the model.
    pub model: String,
    /// A hash of the texts of all files of the model.
    fingerprint: String,
    /// The request that the trail belongs to, with a version of its own. Formats 1 and 2 have none.
    #[serde(default)]
    pub request: serde_json::Value,
    /// The arguments of the program that make the request, in formats 1 and 2.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<String>,
    /// The error of the run.
    pub error: Option<String>,
    choices: Vec<u32>,
    ending: End,
    #[serde(default)]
    steps: Steps,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum End {
    State,
    InvalidEndState,
    Goal,
    /// The word of format 1, which later formats keep.
    #[serde(rename = "caught")]
    BadPrefix,
    /// A cycle: the state after the last choice equals the state after this many.
    Cycle(u32),
    /// The finding with this number in the expansion of the last state.
    Finding(u32),
}

/// The reason why a text is not a valid trail.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TrailError {
    /// The text is not a trail file.
    NotATrail(String),
    /// The file was changed after it was written.
    Damaged,
    /// The format has another version.
    Schema(u64),
    /// The trail belongs to another model.
    OtherModel {
        /// The model that the trail belongs to.
        trail: String,
    },
}

impl fmt::Display for TrailError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TrailError::NotATrail(why) => write!(f, "not a trail file, or a damaged one: {why}"),
            TrailError::Damaged => {
                f.write_str("a damaged trail file: its checksum does not fit; check the model again")
            }
            TrailError::Schema(n) => {
                write!(f, "trail format {n}, but this version of Kripke reads formats 1 to {SCHEMA}")
            }
            TrailError::OtherModel { trail } => {
                write!(f, "made from another text: `{trail}` as it was then; check the model again for a fresh trail")
            }
        }
    }
}

impl std::error::Error for TrailError {}

impl TrailFile {
    /// The file of a counterexample or a witness.
    pub fn new(
        run: &Run,
        names: &Names,
        trail: &Trail,
        request: serde_json::Value,
        error: Option<String>,
    ) -> TrailFile {
        let step = |taken: &Move| Step {
            process: mover(run, names, taken),
            place: run.lines().place_of(run.edge(taken.process, taken.edge)),
            statement: run.statements(taken),
        };
        TrailFile {
            schema: SCHEMA,
            model: run.model().name.clone(),
            fingerprint: fingerprint(run.model()),
            request,
            arguments: Vec::new(),
            error,
            choices: trail.choices.clone(),
            ending: match trail.ending {
                Ending::State => End::State,
                Ending::InvalidEnd => End::InvalidEndState,
                Ending::Goal => End::Goal,
                Ending::BadPrefix => End::BadPrefix,
                Ending::Cycle(n) => End::Cycle(n),
                Ending::Finding(n) => End::Finding(n),
            },
            steps: Steps::new(run.moves().distinct().iter().map(step).collect(), run.moves().numbers().to_vec()),
        }
    }

    /// Parses a trail file and verifies its checksum.
    pub fn read(text: &str) -> Result<TrailFile, TrailError> {
        let broken = |e: serde_json::Error| TrailError::NotATrail(e.to_string());
        let value: serde_json::Value = serde_json::from_str(text).map_err(broken)?;
        match value.get("kripke-trail").and_then(|s| s.as_u64()) {
            None => Err(TrailError::NotATrail("it has no `kripke-trail` field".to_string())),
            Some(n) if !(1..=u64::from(SCHEMA)).contains(&n) => Err(TrailError::Schema(n)),
            Some(n) if (n > 1 || value.get(CHECKSUM).is_some()) && !is_sealed(text) => Err(TrailError::Damaged),
            Some(_) => serde_json::from_value(value).map_err(broken),
        }
    }

    /// The text of the file, with its checksum.
    pub fn text(&self) -> String {
        let mut text = Vec::new();
        self.write(&mut text).expect("memory takes it");
        String::from_utf8(text).expect("JSON is UTF-8")
    }

    /// Writes the file, with its checksum: one line for each field and for each step.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut out = Writer { out, sum: Fnv::default() };
        out.put("{\n")?;
        out.field("kripke-trail", &self.schema)?;
        out.field("model", &self.model)?;
        out.field("fingerprint", &self.fingerprint)?;
        out.field("request", &self.request)?;
        if !self.arguments.is_empty() {
            out.field("arguments", &self.arguments)?;
        }
        out.field("error", &self.error)?;
        out.field("choices", &self.choices)?;
        out.field("ending", &self.ending)?;
        out.put("  \"steps\": ")?;
        self.steps.write(&mut out)?;
        let sum = out.sum;
        out.put(&seal(sum))
    }

    /// The trail, if it was made from exactly this model.
    pub fn trail(&self, model: &Model) -> Result<Trail, TrailError> {
        if self.fingerprint != fingerprint(model) {
            return Err(TrailError::OtherModel { trail: self.model.clone() });
        }
        let ending = match self.ending {
            End::State => Ending::State,
            End::InvalidEndState => Ending::InvalidEnd,
            End::Goal => Ending::Goal,
            End::BadPrefix => Ending::BadPrefix,
            End::Cycle(n) => Ending::Cycle(n),
            End::Finding(n) => Ending::Finding(n),
        };
        Ok(Trail { choices: self.choices.clone(), ending })
    }
}

/// The end of the JSON text.
const END: &str = "\n}\n";

/// A file with the checksum of what was written so far.
struct Writer<'a> {
    out: &'a mut dyn Write,
    sum: Fnv,
}

impl Writer<'_> {
    fn put(&mut self, text: &str) -> io::Result<()> {
        self.sum.add(text.as_bytes());
        self.out.write_all(text.as_bytes())
    }

    /// Writes a text that is written often.
    fn put_again(&mut self, text: &mut Repeated) -> io::Result<()> {
        text.add_to(&mut self.sum);
        self.out.write_all(text.text().as_bytes())
    }

    /// Writes a field before others.
    fn field(&mut self, name: &str, value: &impl Serialize) -> io::Result<()> {
        self.put(&format!("  \"{name}\": {},\n", serde_json::to_string(value)?))
    }
}

/// The checksum field, up to the end of the file.
fn seal(sum: Fnv) -> String {
    format!(",\n  \"{CHECKSUM}\": \"{sum}\"{END}")
}

/// Whether the checksum is right. A change of one byte is always detected: in the content it changes the checksum,
/// and the rest is compared literally.
fn is_sealed(text: &str) -> bool {
    let content = text.len().checked_sub(seal(Fnv::default()).len()).and_then(|end| text.split_at_checked(end));
    content.is_some_and(|(content, rest)| {
        let mut sum = Fnv::default();
        sum.add(content.as_bytes());
        rest == seal(sum)
    })
}

/// The hash of the texts of the model's files, each with its length. It detects edits and is not cryptographic.
fn fingerprint(model: &Model) -> String {
    let mut sum = Fnv::default();
    for file in model.files.iter().filter(|file| !file.asked) {
        sum.add(&(file.text.len() as u64).to_le_bytes());
        sum.add(file.text.as_bytes());
    }
    sum.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    fn file() -> TrailFile {
        let (run, found) = sample::counterexample(sample::mutex());
        TrailFile::new(&run, &run.names(), found.trail(), serde_json::json!({"version": 1}), None)
    }

    /// An object with one line per field and per element of a list of objects.
    fn by_lines(value: &impl Serialize) -> String {
        let value = serde_json::to_value(value).expect("plain data");
        let serde_json::Value::Object(fields) = value else { return format!("{value}\n") };
        let field = |(name, value): (&String, &serde_json::Value)| match value {
            serde_json::Value::Array(list) if list.first().is_some_and(serde_json::Value::is_object) => {
                let elements: Vec<String> = list.iter().map(|e| format!("    {e}")).collect();
                format!("  {}: [\n{}\n  ]", serde_json::Value::from(name.as_str()), elements.join(",\n"))
            }
            _ => format!("  {}: {value}", serde_json::Value::from(name.as_str())),
        };
        let fields: Vec<String> = fields.iter().map(field).collect();
        format!("{{\n{}\n}}\n", fields.join(",\n"))
    }

    #[test]
    fn a_file_has_a_line_for_each_field_and_each_step() {
        let mut long = file();
        long.choices = (0..10_000).collect();
        let steps: Vec<Step> = ["a", "b\n\"", "c→"]
            .map(|text| Step { process: text.into(), place: format!("{text}:1"), statement: String::new() })
            .into();
        long.steps = Steps::new(steps, (0..10_000).map(|n| if n == 5 { 2 } else { n * n % 2 }).collect());
        let no_steps = TrailFile { steps: Steps::default(), arguments: vec!["-a".into()], ..file() };
        for file in [file(), long, no_steps] {
            let text = by_lines(&file);
            let content = text.strip_suffix(END).unwrap();
            let mut sum = Fnv::default();
            sum.add(content.as_bytes());
            assert!(file.text() == format!("{content}{}", seal(sum)), "{}", file.text());
            assert_eq!(TrailFile::read(&file.text()), Ok(file));
        }
    }

    #[test]
    fn what_is_written_can_be_read() {
        let (_, found) = sample::counterexample(sample::mutex());
        let read = TrailFile::read(&file().text()).unwrap();
        assert_eq!(read, file());
        assert_eq!(read.trail(&sample::mutex()).unwrap(), *found.trail());
    }

    #[test]
    fn other_models_are_refused() {
        let mut edited = sample::mutex();
        edited.files[0].text.push(' ');
        let refused = file().trail(&edited).unwrap_err();
        assert!(matches!(&refused, TrailError::OtherModel { trail } if trail == "second.pml"), "{refused}");
    }

    #[test]
    fn damage_is_noticed() {
        let good = file().text();
        let cut = &good[..good.len() / 2];
        let typo = good.replace("\"choices\"", "\"choises\"");
        for text in ["", "{}", "[]", "no", cut, &typo, &good.replace("\"choices\": [", "\"choices\": [-1,")] {
            assert!(matches!(TrailFile::read(text), Err(TrailError::NotATrail(_) | TrailError::Damaged)), "{text}");
        }
        let newer = good.replace("\"kripke-trail\": 3", "\"kripke-trail\": 4");
        assert_eq!(TrailFile::read(&newer), Err(TrailError::Schema(4)));
    }

    #[test]
    fn every_change_of_a_byte_is_noticed() {
        let good = file().text();
        for at in 0..good.len() {
            for flip in [1, 2, 3, 4, 8, 16, 32, 64, 128, 255] {
                let mut bytes = good.clone().into_bytes();
                bytes[at] ^= flip;
                let Ok(text) = String::from_utf8(bytes) else { continue };
                assert!(TrailFile::read(&text).is_err(), "byte {at} by {flip:#x}:\n{text}");
            }
        }
    }

    #[test]
    fn trails_without_a_checksum_are_read() {
        let text = by_lines(&TrailFile { schema: 1, ..file() });
        assert_eq!(TrailFile::read(&text).unwrap().choices, file().choices);
        let cut = by_lines(&file());
        assert_eq!(TrailFile::read(&cut), Err(TrailError::Damaged));
    }
}
