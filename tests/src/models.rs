//! Models for the tests of reductions: texts, the models of the checkout, and those of the corpus where it is.

use std::io;
use std::path::{Path, PathBuf};

use kripke_lang::source::Loader;
use kripke_lang::{LoadOptions, load};
use kripke_model::Model;

use crate::{measure, parallel, places};

/// The folders of the checkout with models.
const FOLDERS: [&str; 5] = ["examples", "tests/promela", "tests/esml", "tests/twins", "tests/claims"];

/// The endings of files with models.
const ENDINGS: [&str; 5] = ["pml", "pm", "prom", "dve", "esml"];

/// A text in place of files.
struct Text<'a>(&'a str);

impl Loader for Text<'_> {
    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        Ok(self.0.as_bytes().to_vec())
    }
}

/// The model of a text, in the language of the file name; nothing if the text has errors.
pub fn parse(name: &str, text: &str) -> Option<Model> {
    load(Path::new(name), &Text(text), &LoadOptions::default()).model
}

/// The model of a text without errors.
pub fn read(name: &str, text: &str) -> Model {
    let loaded = load(Path::new(name), &Text(text), &LoadOptions::default());
    loaded.model.unwrap_or_else(|| panic!("{:?}\n{text}", loaded.diagnostics))
}

/// The results of `work` on each model of the checkout and of the corpus that can be read, and its name. A panic is given as
/// its message.
pub fn map_all<R: Send>(work: impl Fn(Model, &str) -> R + Sync) -> Vec<Result<R, String>> {
    let files = files(&FOLDERS, &ENDINGS);
    let results =
        parallel::map(&files, |file| measure::load(file).ok().map(|model| work(model, &file.display().to_string())));
    results.into_iter().filter_map(Result::transpose).collect()
}

/// The files with these endings in folders of the checkout and in the corpus, where it is.
pub fn files(folders: &[&str], endings: &[&str]) -> Vec<PathBuf> {
    let root = places::root();
    let mut files = Vec::new();
    let folders = folders.iter().map(|folder| root.join(folder)).chain(places::corpus());
    folders.for_each(|folder| find(&folder, endings, &mut files));
    files.sort();
    files
}

fn find(folder: &Path, endings: &[&str], files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            find(&path, endings, files);
        } else if path.extension().and_then(|e| e.to_str()).is_some_and(|ending| endings.contains(&ending)) {
            files.push(path);
        }
    }
}
