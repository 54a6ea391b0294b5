//! The models in `ir/`: each file says what it shows and what is expected of it.
//!
//! A file begins with comments. The last of them is the expectation: `error:` and the error of reading, `invalid:` and the
//! error of validation, `no start:` and the error of starting, or `expect:` and the counts of a complete exploration.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use kripke_model::{Interpreter, Model};

/// The outcome of a text, in the words of the files.
fn outcome(text: &str) -> String {
    let model = match Model::parse(text) {
        Ok(model) => model,
        Err(error) => return format!("error: {error}"),
    };
    let written = model.to_string();
    assert_eq!(Model::parse(&written).as_ref(), Ok(&model), "{written}");
    if let Err(error) = model.validate() {
        return format!("invalid: {error}");
    }
    match Interpreter::new(Arc::new(model)) {
        Ok(interpreter) => format!("expect: {}", crate::explore::explore(interpreter)),
        Err(error) => format!("no start: {error}"),
    }
}

#[test]
fn models_in_files() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ir");
    let entries = fs::read_dir(&folder).expect("the folder of models");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    paths.sort();
    let mut wrong = Vec::new();
    for path in &paths {
        let name = path.file_name().unwrap_or_default().display();
        let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{name}: {e}"));
        let comments: Vec<&str> = text.lines().map_while(|line| line.strip_prefix("// ")).collect();
        let [_, .., expected] = comments[..] else { panic!("{name}: no description and expectation") };
        let found = outcome(&text);
        if found != expected {
            wrong.push(format!("{name}\n  expected {expected}\n  found    {found}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), paths.len(), wrong.join("\n"));
    assert!(paths.len() >= 40, "only {} models", paths.len());
}
