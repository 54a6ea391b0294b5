//! The text form of the IR is read back as the model it was written from.

use std::fs;
use std::path::{Path, PathBuf};

use kripke_model::Model;
use kripke_model::ir::{FileId, Process, Span};
use kripke_reduce::merge::merge;
use kripke_reduce::simplify::{Passes, simplify};
use kripke_tests::random_model::random_model;
use kripke_tests::{measure, parallel, places};

const NO_SPAN: Span = Span { file: FileId(0), start: 0, end: 0 };

/// The model that the short form describes: the same without source text.
fn without_source(mut model: Model) -> Model {
    model.files.clear();
    model.globals.iter_mut().for_each(|v| v.span = NO_SPAN);
    model.channels.iter_mut().for_each(|c| c.span = NO_SPAN);
    model.goal.iter_mut().for_each(|g| g.span = None);
    model.properties.iter_mut().for_each(|p| p.span = NO_SPAN);
    model.processes.iter_mut().for_each(forget);
    model.trace.iter_mut().for_each(|t| forget(&mut t.automaton));
    let stated = model.properties.iter_mut().filter_map(|p| p.observer.as_mut());
    model.observer.iter_mut().chain(stated).for_each(|o| forget(&mut o.automaton));
    model
}

fn forget(process: &mut Process) {
    process.span = NO_SPAN;
    process.locals.iter_mut().for_each(|v| v.span = NO_SPAN);
    process.claims.iter_mut().for_each(|c| c.span = NO_SPAN);
    process.edges.iter_mut().for_each(|e| (e.span, e.inside) = (NO_SPAN, None));
}

/// Writes and reads a model in both forms.
fn compare(model: &Model) {
    let full = format!("{model:#}");
    let read = Model::parse(&full).unwrap_or_else(|e| panic!("{}: {e}\n{full}", model.name));
    assert!(read == *model, "{} differs in its full form:\n{full}\nwas read as\n{read:#}", model.name);
    let short = model.to_string();
    let read = Model::parse(&short).unwrap_or_else(|e| panic!("{}: {e}\n{short}", model.name));
    assert!(read == without_source(model.clone()), "{} differs:\n{short}\nwas read as\n{read}", model.name);
}

/// The model, with each stated property as its observer, and all of these reduced and merged.
fn compare_all(model: &Model) {
    let mut models = vec![model.clone()];
    for property in &model.properties {
        models.extend(property.observer.clone().map(|o| Model { observer: Some(o), ..model.clone() }));
    }
    for mut model in models {
        compare(&model);
        simplify(&mut model, &mut [], Passes { dead_variables: true, slicing: true });
        merge(&mut model);
        compare(&model);
    }
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    for path in entries.map(|entry| entry.expect("a readable folder").path()) {
        if path.is_dir() {
            find(&path, files);
        } else {
            files.push(path);
        }
    }
    files.sort();
}

/// Compares the models below a folder that can be loaded; there must be at least so many.
fn compare_folder(folder: &Path, least: usize) {
    let mut files = Vec::new();
    find(folder, &mut files);
    let results = parallel::map(&files, |path| measure::load(path).map(|model| compare_all(&model)).is_ok());
    let wrong: Vec<&String> = results.iter().filter_map(|result| result.as_ref().err()).collect();
    assert!(wrong.is_empty(), "{} models differ; the first: {}", wrong.len(), wrong[0]);
    let compared = results.iter().filter(|result| **result == Ok(true)).count();
    places::notice(&format!("{}: the text forms of {compared} models are read back", folder.display()));
    assert!(compared >= least, "only {compared} models of {} could be loaded", folder.display());
}

#[test]
fn our_own_models() {
    for (folder, least) in [("examples", 30), ("tests/promela", 350), ("tests/esml", 30), ("tests/twins", 4)] {
        compare_folder(&places::root().join(folder), least);
    }
}

#[test]
fn models_of_the_corpus() {
    let Some(corpus) = places::corpus() else {
        assert!(std::env::var_os("CI").is_none(), "there is no corpus beside the checkout");
        return places::notice("there is no corpus beside the checkout: the text forms of its models are not compared");
    };
    for (language, least) in [("promela", 400), ("dve", 500), ("esml", 5)] {
        compare_folder(&corpus.join(language), least);
    }
}

#[test]
fn random_models() {
    let seeds: Vec<u64> = (0..places::setting("KRIPKE_TEXT_FORMS", 2_000)).collect();
    let results = parallel::map(&seeds, |seed| compare_all(&random_model(*seed)));
    results.into_iter().for_each(|result| result.unwrap_or_else(|e| panic!("{e}")));
}
