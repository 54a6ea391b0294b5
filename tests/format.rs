//! Formatting on all models of the checkout and of the corpus: nothing but white space changes, formatting again changes nothing,
//! and the model stays the same, location by location, so its counts do, too.

use std::io;
use std::path::Path;

use kripke_lang::format::format;
use kripke_lang::source::Loader;
use kripke_lang::{LoadOptions, load};
use kripke_tests::{models, parallel};

const ENDINGS: [&str; 9] = ["pml", "pm", "prom", "promela", "spin", "h", "dve", "mdve", "esml"];

/// A text in place of a file; all other files are those of the disk.
struct Instead<'a>(&'a Path, &'a str);

impl Loader for Instead<'_> {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        if path == self.0 { Ok(self.1.as_bytes().to_vec()) } else { std::fs::read(path) }
    }
}

/// The model of a text in its text form, which has no places, and the number of its diagnostics. The quotations of
/// statements at the ends of lines are left out: they are as typed.
fn model(path: &Path, text: &str) -> (Option<String>, usize) {
    let loaded = load(path, &Instead(path, text), &LoadOptions::default());
    let line = |line: &str| line.split("   \"").next().unwrap_or_default().to_string() + "\n";
    let text = loaded.model.map(|model| model.to_string().lines().map(line).collect());
    (text, loaded.diagnostics.len())
}

/// The first difference between a text and the same text formatted, apart from white space.
fn wrong(path: &Path) -> Option<String> {
    let text = String::from_utf8_lossy(&std::fs::read(path).expect("a file")).into_owned();
    let formatted = format(path, None, &text);
    let dark = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let complaint = if dark(&text) != dark(&formatted) {
        "more than white space changes"
    } else if format(path, None, &formatted) != formatted {
        "formatting again changes the text"
    } else if model(path, &text) != model(path, &formatted) {
        "the model changes"
    } else {
        return None;
    };
    Some(format!("{}: {complaint}", path.display()))
}

#[test]
fn only_white_space_changes() {
    let files = models::files(&["examples", "tests", "crates/cli/tests"], &ENDINGS);
    assert!(files.len() > 100, "the models are not where they were");
    let found = parallel::map(&files, |file| wrong(file));
    let wrong: Vec<String> = found.into_iter().filter_map(|result| result.unwrap_or_else(Some)).collect();
    assert!(wrong.is_empty(), "{} of {} files: {wrong:#?}", wrong.len(), files.len());
}
