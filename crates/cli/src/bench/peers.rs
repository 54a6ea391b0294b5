//! Other model checkers on the entries of a catalogue: SPIN, and LTSmin.

mod ltsmin;
mod spin;

use std::env;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::catalogue::Entry;
use super::child::{Sample, Unmeasured};
use super::sets::split;
use crate::args::Check;
use crate::exit::Failure;
use crate::files::{self, TemporaryFolder as Folder};

/// A program, and options for it.
#[derive(Clone, Debug)]
pub struct Peer {
    /// The name and the options, as the user wrote them.
    pub text: String,
    tool: Tool,
    options: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Tool {
    Spin,
    Ltsmin,
}

impl std::str::FromStr for Peer {
    type Err = String;

    fn from_str(text: &str) -> Result<Peer, String> {
        let mut words = split(text)?.into_iter();
        let tool = match words.next().as_deref() {
            Some("spin") => Tool::Spin,
            Some("ltsmin") => Tool::Ltsmin,
            _ => return Err("known programs are `spin` and `ltsmin`, each with options behind it".to_string()),
        };
        Ok(Peer { text: text.trim().to_string(), tool, options: words.collect() })
    }
}

impl Peer {
    pub fn tool(&self) -> &'static str {
        match self.tool {
            Tool::Spin => "spin",
            Tool::Ltsmin => "ltsmin",
        }
    }

    /// The programs that are needed and not found.
    pub fn missing(&self) -> Vec<&'static str> {
        let needed: &[&str] = if self.tool == Tool::Spin { &["spin", "cc"] } else { &["prom2lts-mc"] };
        needed.iter().copied().filter(|program| !is_installed(program)).collect()
    }

    /// Whether states and transitions are those of all interleavings, as Kripke counts them with --raw --all-errors.
    pub fn counts_all(&self) -> bool {
        let has = |option: &str| self.options.iter().any(|word| word == option);
        self.tool == Tool::Spin && ["-DNOREDUCE", "-o1", "-o2", "-o3", "-c0"].iter().all(|option| has(option))
    }

    /// Whether the verdict is about the property of the entry.
    pub fn answers(&self) -> bool {
        self.tool == Tool::Spin
    }

    /// Makes a verifier for an entry.
    pub fn prepare(&self, entry: &Entry, check: &Check, interrupt: &AtomicBool) -> Result<Verifier, Unmeasured> {
        let wrong = |e: std::io::Error| Failure::BadInput(format!("can't make a folder for temporary files: {e}"));
        let folder = Folder::new("kripke-bench").map_err(wrong).map_err(Unmeasured::Failed)?;
        match self.tool {
            Tool::Spin => spin::prepare(&self.options, folder, entry, check, interrupt),
            Tool::Ltsmin => ltsmin::prepare(&self.options, folder, entry, check, interrupt),
        }
    }
}

/// A verifier that is ready to run.
pub struct Verifier {
    folder: Folder,
    program: PathBuf,
    arguments: Vec<String>,
    /// Options for the depth of the stack, to be tried in order while a search is not complete.
    depths: &'static [&'static str],
    /// The time that it took to make it.
    pub preparation: Duration,
    read: fn(&str, f64) -> Option<Sample>,
}

impl Verifier {
    /// Runs the verifier, with a deeper stack where it is too small.
    pub fn run(&self, interrupt: &AtomicBool) -> Result<Sample, Unmeasured> {
        let Some((last, others)) = self.depths.split_last() else { return self.once(None, interrupt) };
        for depth in others {
            let sample = self.once(Some(depth), interrupt)?;
            if sample.complete || sample.verdict == "violated" {
                return Ok(sample);
            }
        }
        self.once(Some(last), interrupt)
    }

    fn once(&self, depth: Option<&str>, interrupt: &AtomicBool) -> Result<Sample, Unmeasured> {
        let mut command = std::process::Command::new(&self.program);
        let command = command.args(depth).args(&self.arguments).current_dir(self.folder.path());
        let ended = super::child::run(command, interrupt)?;
        let text = format!("{}{}", ended.out, ended.err);
        (self.read)(&text, ended.wall).ok_or_else(|| {
            let program = self.program.display();
            Unmeasured::Failed(Failure::BadInput(format!(
                "{program} ended with {} and no result\n{text}",
                ended.status
            )))
        })
    }
}

/// Runs a program that makes a part of a verifier.
fn must(folder: &Folder, program: &str, arguments: &[String], interrupt: &AtomicBool) -> Result<Duration, Unmeasured> {
    let mut command = std::process::Command::new(program);
    let ended = super::child::run(command.args(arguments).current_dir(folder.path()), interrupt)?;
    if !ended.status.success() {
        return Err(Unmeasured::NotApplicable(format!("{program} refuses it: {}", first_line(&ended.out, &ended.err))));
    }
    Ok(Duration::from_secs_f64(ended.wall))
}

fn first_line(out: &str, err: &str) -> String {
    let all = err.lines().chain(out.lines()).map(str::trim);
    all.into_iter().find(|line| !line.is_empty()).unwrap_or("it says nothing").to_string()
}

fn is_installed(program: &str) -> bool {
    let folders = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&folders).any(|folder| folder.join(program).is_file())
}

/// The number behind or before a text in the output of a program, rounded to a whole one.
fn number_before(text: &str, noun: &str) -> Option<u64> {
    let before = &text[..text.find(noun)?];
    let word = before.split_whitespace().next_back()?;
    word.parse::<f64>().ok().map(|number| number.round() as u64)
}

/// The absolute path of the model of an entry.
fn absolute(entry: &Entry) -> Result<String, Unmeasured> {
    let wrong = |e: std::io::Error| Unmeasured::NotApplicable(format!("{}: {e}", entry.path.display()));
    Ok(files::absolute(&entry.path).map_err(wrong)?.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_have_names_and_options() {
        let peer: Peer = "spin -DNOREDUCE -o1 -o2 -o3 -c0".parse().unwrap();
        assert_eq!((peer.tool(), peer.counts_all()), ("spin", true));
        assert!(!"spin -DNOREDUCE".parse::<Peer>().unwrap().counts_all());
        assert!("nusmv".parse::<Peer>().unwrap_err().contains("`spin` and `ltsmin`"));
    }

    #[test]
    fn numbers_are_found() {
        assert_eq!(number_before("x 1.5e+06 states, stored", " states, stored"), Some(1_500_000));
        assert_eq!(number_before("no number states", " states"), None);
    }
}
