//! What dead variables, slicing and constants leave of a model is its image: state by state, step by step.
//!
//! `KRIPKE_REDUCED` says how many random programs are looked at.

use std::collections::{HashMap, HashSet, VecDeque};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kripke_engine::testing::random_model;
use kripke_lang::source::Loader;
use kripke_lang::{LoadOptions, load};
use kripke_model::reduce::Wanted;
use kripke_model::{Batch, Choice, Interpreter, Model, Successors};
use kripke_tests::generate::program;
use kripke_tests::{measure, parallel, places};

const EVERYTHING: Wanted = Wanted { dead_variables: true, slicing: true };
const WAYS: [Wanted; 3] = [
    EVERYTHING,
    Wanted { dead_variables: true, slicing: false },
    Wanted { dead_variables: false, slicing: true },
];

/// How many states a model and what is left of it have, as far as one looked.
#[derive(Clone, Copy, Debug)]
struct Sizes {
    whole: usize,
    reduced: usize,
}

/// Takes all steps of a model and of its reduced form together: each must be a step of the other, with the same findings
/// and flags, and each state must have one image.
fn compare(whole: &Model, wanted: Wanted, most: usize, name: &str) -> Option<Sizes> {
    let mut reduced = whole.clone();
    if reduced.reduce(&mut [], wanted).is_nothing() {
        return None;
    }
    reduced.validate().unwrap_or_else(|e| panic!("{name}: {e}\n{reduced}"));
    let mut whole = Interpreter::new(Arc::new(whole.clone())).ok()?;
    let mut reduced = Interpreter::new(Arc::new(reduced)).unwrap_or_else(|e| panic!("{name}: {e}"));
    let first = (whole.initial_state().to_vec(), reduced.initial_state().to_vec());
    let mut images = HashMap::from([first.clone()]);
    let mut queue = VecDeque::from([first]);
    let (mut batch, mut image_batch) = (Batch::new(), Batch::new());
    while let Some((state, image)) = queue.pop_front().filter(|_| images.len() < most) {
        batch.clear();
        image_batch.clear();
        let flags = whole.expand(&state, Choice::All, &mut batch);
        let image_flags = reduced.expand(&image, Choice::All, &mut image_batch);
        let context = || format!("{name}, {wanted:?}:\n{}\nbecame\n{}", whole.model(), reduced.model());
        assert_eq!(flags, image_flags, "{}", context());
        assert_eq!(batch.findings(), image_batch.findings(), "{}", context());
        assert_eq!(batch.len(), image_batch.len(), "{}", context());
        for (next, image) in batch.states().zip(image_batch.states()) {
            let known = images.get(next);
            if let Some(known) = known {
                assert_eq!(known, image, "a state has two images; {}", context());
            } else {
                images.insert(next.to_vec(), image.to_vec());
                queue.push_back((next.to_vec(), image.to_vec()));
            }
        }
    }
    let distinct: HashSet<&Vec<u8>> = images.values().collect();
    Some(Sizes { whole: images.len(), reduced: distinct.len() })
}

/// In all ways, together with each property it states.
fn compare_all(model: &Model, most: usize, name: &str) -> Vec<Sizes> {
    let mut models = vec![model.clone()];
    for property in &model.properties {
        models.extend(property.observer.clone().map(|o| Model { observer: Some(o), ..model.clone() }));
    }
    let ways = models.iter().flat_map(|model| WAYS.map(|wanted| compare(model, wanted, most, name)));
    ways.flatten().collect()
}

fn judge(results: Vec<Result<Vec<Sizes>, String>>, least: usize) {
    let mut sizes = Vec::new();
    for result in results {
        sizes.extend(result.unwrap_or_else(|e| panic!("{e}")));
    }
    let smaller = sizes.iter().filter(|sizes| sizes.reduced < sizes.whole).count();
    places::notice(&format!("{} models compared with what is left of them, {smaller} have fewer states", sizes.len()));
    assert!(smaller >= least, "only {smaller} of {} are smaller", sizes.len());
}

/// A text in place of files.
struct Text(String);

impl Loader for Text {
    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        Ok(self.0.clone().into_bytes())
    }
}

fn read(file: &str, text: &str) -> Model {
    let loaded = load(Path::new(file), &Text(text.to_string()), &LoadOptions::default());
    loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics))
}

#[test]
fn random_programs_have_images() {
    let seeds: Vec<u64> = (1..=places::setting("KRIPKE_REDUCED", 300)).collect();
    let results = parallel::map(&seeds, |seed| {
        let loaded = load(Path::new("model.pml"), &Text(program(*seed).text()), &LoadOptions::default());
        loaded.model.map_or(Vec::new(), |model| compare_all(&model, 3_000, &format!("program {seed}")))
    });
    judge(results, seeds.len() / 20);
}

#[test]
fn random_models_have_images() {
    let seeds: Vec<u64> = (0..5 * places::setting("KRIPKE_REDUCED", 300)).collect();
    let results = parallel::map(&seeds, |seed| compare_all(&random_model(*seed), 1_000, &format!("model {seed}")));
    judge(results, seeds.len() / 50);
}

#[test]
fn our_models_and_those_of_the_corpus_have_images() {
    let mut files = Vec::new();
    let root = places::root();
    let folders = ["examples", "tests/promela", "tests/esml", "tests/twins", "tests/claims"].map(|f| root.join(f));
    folders.iter().chain(&places::corpus()).for_each(|folder| find(folder, &mut files));
    let most = places::setting("KRIPKE_REDUCED_STATES", 2_000);
    let results = parallel::map(&files, |file| {
        measure::load(file).map_or(Vec::new(), |model| compare_all(&model, most, &file.display().to_string()))
    });
    judge(results, 20);
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("");
        if path.is_dir() {
            find(&path, files);
        } else if ["pml", "pm", "prom", "dve", "esml"].contains(&ending) {
            files.push(path);
        }
    }
}
