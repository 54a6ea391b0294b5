//! Sets of options to measure with.

use std::ffi::OsString;
use std::path::Path;

use clap::Parser;

use kripke::request::StoreKind;

use crate::args::{Asking, Check, CycleAlgorithm, Format, Looking, Overflow, Reading, Text};
use crate::exit::Failure;

/// Options of `kripke check`, as the user wrote them and as they are understood.
#[derive(Debug)]
pub struct Set {
    pub text: String,
    words: Vec<String>,
    reading: Reading,
    looking: Looking,
    /// States may be visited, and counted, more than once.
    forgets: bool,
    /// Moves may be left out.
    orders: bool,
    /// Whether the options of this set leave the question as it is in all sets.
    pub same_question: bool,
    /// Whether all states of all interleavings and all errors are counted.
    pub counts_all: bool,
    /// Whether all errors are counted.
    pub all_errors: bool,
}

#[derive(Parser)]
#[command(no_binary_name = true, disable_help_flag = true)]
struct Only {
    #[command(flatten)]
    check: Check,
}

/// The options of a `kripke check` of one file.
pub fn parse(words: &[String]) -> Result<Check, String> {
    let all = std::iter::once("FILE".to_string()).chain(words.iter().cloned());
    let Only { check } = Only::try_parse_from(all).map_err(|e| complaint(&e))?;
    match check.files.get(1) {
        Some(file) => Err(format!("`{}` is not an option", file.display())),
        None => Ok(check),
    }
}

impl Set {
    /// Reads the options of one `--with`, and those for every run.
    pub fn read(with: &str, always: &[String]) -> Result<Set, Failure> {
        let said = if with.is_empty() { always.join(" ") } else { with.to_string() };
        let wrong = |why: String| Failure::BadInput(format!("options `{said}`: {why}"));
        let mut words = split(with).map_err(wrong)?;
        words.extend_from_slice(always);
        let check = parse(&words).map_err(wrong)?;
        if check.showing.format == Format::Json {
            return Err(wrong("--format belongs to bench itself, before any `--`".to_string()));
        }
        if check.showing.trail.is_some() {
            return Err(wrong("--trail can't be measured: no trail is written".to_string()));
        }
        if !check.showing.no_trail {
            words.push("--no-trail".to_string());
        }
        Ok(Set::new(with, words, check))
    }

    fn new(text: &str, words: Vec<String>, check: Check) -> Set {
        let store = check.searching.storing.store;
        let forgets = matches!(store, Some(StoreKind::Cache(_)));
        let orders = !(check.reading.raw || check.searching.no_partial_order);
        let exact =
            matches!(store, None | Some(StoreKind::Auto | StoreKind::Words | StoreKind::Exact | StoreKind::Tree));
        let all_errors = check.looking.all_errors || check.looking.count == Some(0);
        Set {
            text: text.to_string(),
            words,
            forgets,
            orders,
            same_question: split(text).and_then(|words| parse(&words)).is_ok_and(|own| asks_nothing_else(&own)),
            counts_all: check.reading.raw && all_errors && exact,
            all_errors,
            reading: check.reading,
            looking: check.looking,
        }
    }

    /// The command line of a run with the options of an entry.
    pub fn arguments(&self, file: &Path, entry: &[String]) -> Vec<OsString> {
        let mut out = vec![OsString::from("check")];
        // A flag is given once.
        let again = |word: &&String| *word == "--no-claim" && self.words.contains(word);
        out.extend(self.words.iter().chain(entry.iter().filter(|word| !again(word))).map(OsString::from));
        if !self.words.iter().any(|word| word == "--no-vacuity") {
            out.push("--no-vacuity".into());
        }
        if !self.words.iter().any(|word| word.starts_with("--overflow")) {
            out.push("--overflow=wrap".into());
        }
        if !self.words.iter().any(|word| word == "-q" || word == "--quiet") {
            out.push("-q".into());
        }
        out.extend(["--format", "json", "--"].map(OsString::from));
        out.push(file.into());
        out
    }

    /// Whether complete searches with both must count the same. Which moves are left out depends on the order of the
    /// search.
    pub fn alike(&self, other: &Set) -> bool {
        let depends = |set: &Set| set.forgets || set.orders;
        self.reading == other.reading && self.looking == other.looking && !depends(self) && !depends(other)
    }
}

/// Whether options leave the model and the question of an entry as they are.
pub fn asks_nothing_else(check: &Check) -> bool {
    let Reading { text, lossy_send, overflow, .. } = &check.reading;
    let Text { define, undefine, reverse_escapes, .. } = text;
    let Looking { no_assertions, no_end_states, .. } = &check.looking;
    let same_model = define.is_empty() && undefine.is_empty() && !lossy_send && !reverse_escapes;
    let same_errors = !no_assertions && !no_end_states && *overflow != Overflow::Error;
    let asked = Asking { cycles: CycleAlgorithm::default(), ..check.asking.clone() };
    same_model && same_errors && asked == Asking::default()
}

/// What is wrong, without the usage of a command the user did not type.
fn complaint(error: &clap::Error) -> String {
    let text = error.to_string();
    let text = text.split("\n\nUsage:").next().unwrap_or_default();
    text.strip_prefix("error: ").unwrap_or(text).trim_end().to_string()
}

/// Words as a shell would see them: blanks separate, quotes hold together.
pub fn split(text: &str) -> Result<Vec<String>, String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in text.chars() {
        match quote {
            Some(q) if c == q => quote = None,
            None if c == '\'' || c == '"' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    if quote.is_some() { Err("a quote is not closed".to_string()) } else { Ok(words) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(text: &str) -> Set {
        Set::read(text, &[]).unwrap()
    }

    #[test]
    fn words_are_those_of_a_shell() {
        for (text, words) in [
            ("", &[][..]),
            ("  -j1   --raw ", &["-j1", "--raw"]),
            ("-D'X=a b' \"-I a\"", &["-DX=a b", "-I a"]),
            ("-D''", &["-D"]),
            ("''", &[""]),
        ] {
            assert_eq!(split(text).unwrap(), words, "{text}");
        }
        assert!(split("-D'X").is_err());
    }

    #[test]
    fn only_what_the_model_is_and_what_is_wrong_with_it_makes_counts_differ() {
        for (a, b, alike) in [
            ("--raw -j1", "--store tree --search dfs -j2 --engine interpret --mem 1G --raw", true),
            ("--no-partial-order", "--no-partial-order --search dfs", true),
            ("--raw -DN=3", "--raw -j1 -DN=3", true),
            ("--raw -DN=3", "--raw -DN=4", false),
            ("-j1", "-j2", false),
            ("--no-partial-order", "--raw", false),
            ("--raw", "--raw --all-errors", false),
            ("--raw --search dfs", "--raw --store cache", false),
        ] {
            assert_eq!(set(a).alike(&set(b)), alike, "{a} | {b}");
        }
    }
}
