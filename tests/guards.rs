//! Guards: tests that fail when a wall of the architecture is broken.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests are inside the workspace").to_path_buf()
}

/// The source files of a crate, each with its text.
fn sources(krate: &str) -> Vec<(PathBuf, String)> {
    fn walk(folder: &Path, out: &mut Vec<(PathBuf, String)>) {
        let mut entries: Vec<PathBuf> =
            fs::read_dir(folder).expect("a folder of sources").map(|e| e.expect("an entry").path()).collect();
        entries.sort();
        for path in entries {
            if path.is_dir() {
                walk(&path, out);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let text = fs::read_to_string(&path).expect("sources are text");
                out.push((path, text));
            }
        }
    }
    let mut out = Vec::new();
    walk(&root().join("crates").join(krate).join("src"), &mut out);
    assert!(!out.is_empty(), "{krate} has sources");
    out
}

const CRATES: [&str; 14] = [
    "model", "reduce", "lang", "engine", "search", "logic", "report", "cluster", "gpu", "checker", "lsp", "dap", "web",
    "cli",
];

/// The crates of the workspace that each crate may use.
const USES: [(&str, &[&str]); 14] = [
    ("model", &[]),
    ("reduce", &["model"]),
    ("lang", &["model"]),
    ("engine", &["model"]),
    ("search", &["model"]),
    ("logic", &["model"]),
    ("report", &["model", "search"]),
    ("checker", &["model", "reduce", "lang", "engine", "search", "logic", "report"]),
    ("cluster", &["model", "search"]),
    ("gpu", &["model", "search"]),
    ("lsp", &["model", "lang", "reduce"]),
    ("dap", &["checker", "model", "report"]),
    ("web", &["checker", "lsp", "model", "lang", "search", "logic", "report"]),
    (
        "cli",
        &["checker", "cluster", "dap", "gpu", "lsp", "web", "model", "reduce", "lang", "search", "logic", "report"],
    ),
];

#[test]
fn crates_use_only_what_is_below_them() {
    let folders: BTreeSet<String> = fs::read_dir(root().join("crates"))
        .expect("the crates")
        .map(|e| e.expect("an entry").file_name().into_string().expect("a plain name"))
        .collect();
    assert_eq!(folders, CRATES.iter().map(ToString::to_string).collect(), "a new crate needs a row in USES");
    for (krate, allowed) in USES {
        let manifest = fs::read_to_string(root().join("crates").join(krate).join("Cargo.toml")).expect("a manifest");
        let (_, dependencies) = manifest.split_once("[dependencies]").expect("dependencies");
        let dependencies = dependencies.split("\n[dev-").next().expect("a first part");
        let used = dependencies.lines().filter_map(|line| line.split_once(".workspace = true")).map(|(name, _)| name);
        for name in used.filter(|name| name.starts_with("kripke")) {
            let name = if name == "kripke" { "checker" } else { name.trim_start_matches("kripke-") };
            assert!(allowed.contains(&name), "{krate} must not use {name}");
        }
    }
}

/// Languages are known in `lang`, in the library that loads them, and in the program.
#[test]
fn languages_are_named_where_they_are_read() {
    for krate in ["model", "reduce", "engine", "search", "logic", "report", "cluster", "gpu", "dap"] {
        for (path, text) in sources(krate) {
            let text = text.to_lowercase();
            // A report may quote the language of a model by its name; it must not decide by it.
            assert!(!text.contains("promela"), "{}: names a language", path.display());
        }
    }
}

/// The one file of the program with `unsafe`: a global allocator can't be written without it.
const ALLOCATOR: &str = "crates/cli/src/allocator.rs";

/// The one file of the cluster with `unsafe`: MPI reads the bytes of a message after the call that sends it.
const MPI: &str = "crates/cluster/src/transport/mpi/pending.rs";

/// The one file of the GPU's crate with `unsafe`: the driver takes addresses and handles as numbers.
const CUDA: &str = "crates/gpu/src/cuda.rs";

/// `unsafe` is for the shared tables of the stores, for calling generated code, for the allocator of the program, for MPI and for the driver
/// of GPUs.
#[test]
fn unsafe_code_is_where_it_must_be() {
    for krate in CRATES {
        for (path, text) in sources(krate) {
            let code = text.lines().map(|line| line.split("//").next().unwrap_or_default());
            let uses = code
                .filter(|line| line.contains("unsafe {") || line.contains("unsafe fn") || line.contains("unsafe impl"));
            let is_store = krate == "search" && path.components().any(|c| c.as_os_str() == "store");
            let allowed =
                krate == "engine" || is_store || [ALLOCATOR, MPI, CUDA].iter().any(|file| path.ends_with(file));
            assert!(allowed || uses.count() == 0, "{}: unsafe code", path.display());
        }
    }
    for krate in ["model", "reduce", "lang", "logic", "report", "checker", "lsp", "dap", "web"] {
        let lib = fs::read_to_string(root().join("crates").join(krate).join("src/lib.rs")).expect("a library");
        assert!(lib.contains("#![forbid(unsafe_code)]"), "{krate} must forbid unsafe code");
    }
    for krate in ["cluster", "gpu"] {
        let lib = fs::read_to_string(root().join("crates").join(krate).join("src/lib.rs")).expect("a library");
        assert!(lib.contains("#![deny(unsafe_code)]"), "{krate} must deny unsafe code");
    }
}

/// Every public item of a library has a sentence; the compiler checks it where the lint is on.
#[test]
fn libraries_are_documented() {
    for krate in CRATES.iter().filter(|krate| **krate != "cli") {
        let lib = fs::read_to_string(root().join("crates").join(krate).join("src/lib.rs")).expect("a library");
        assert!(lib.contains("#![warn(missing_docs)]"), "{krate}: the lint missing_docs is off");
        assert!(lib.starts_with("//! "), "{krate}: no first page");
    }
}

/// A function: its place, its number of lines and its arguments.
struct Function {
    place: String,
    lines: usize,
    arguments: Vec<String>,
}

/// The functions of a file, found by their indentation, which the formatter keeps.
fn functions(path: &Path, text: &str) -> Vec<Function> {
    let lines: Vec<&str> = text.lines().collect();
    let mut out = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let code = line.trim_start();
        let indent = line.len() - code.len();
        let is_function =
            ["fn ", "pub fn ", "pub(crate) fn ", "pub(super) fn ", "unsafe fn ", "const fn ", "pub const fn "]
                .iter()
                .any(|start| code.starts_with(start));
        if !is_function {
            continue;
        }
        let ends = |line: &&str| line.len() - line.trim_start().len() == indent && line.trim() == "}";
        let length = match line.ends_with(';') || line.ends_with("{}") || line.ends_with('}') {
            true => 1,
            false => lines[number..].iter().position(ends).map_or(1, |last| last + 1),
        };
        let head: String = lines[number..number + length.min(20)].join(" ");
        let head = head.split(" {").next().unwrap_or_default();
        let arguments = head.split_once('(').map_or("", |(_, rest)| rest);
        out.push(Function {
            place: format!("{}:{}", path.display(), number + 1),
            lines: length,
            arguments: arguments.split(", ").map(|a| a.trim().trim_end_matches(')').to_string()).collect(),
        });
    }
    out
}

#[test]
fn files_and_functions_stay_small() {
    let mut lengths = Vec::new();
    let mut wrong = Vec::new();
    for krate in CRATES {
        for (path, text) in sources(krate) {
            let lines = text.lines().count();
            if lines > 600 {
                wrong.push(format!("{}: {lines} lines", path.display()));
            }
            for function in functions(&path, &text) {
                lengths.push(function.lines);
                let is_bool = |a: &String| a.ends_with(": bool");
                if function.arguments.windows(2).any(|pair| pair.iter().all(is_bool)) {
                    wrong.push(format!("{}: two bools in a row", function.place));
                }
            }
            if text.contains("too_many_arguments") {
                wrong.push(format!("{}: a function with more than 7 arguments", path.display()));
            }
        }
    }
    lengths.sort_unstable();
    let percentile = lengths[lengths.len() * 9 / 10];
    println!("{} functions, p50 {} lines, p90 {percentile}", lengths.len(), lengths[lengths.len() / 2]);
    assert!(percentile <= 25, "p90 of functions is {percentile} lines");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Private words that the vocabulary of the literature has replaced. They are looked for in identifiers and comments of all
/// sources; names of options and of JSON values that scripts rely on stay.
const REPLACED: [(&str, &str); 23] = [
    ("glue", "merge"),
    ("coarsen", "statement merging"),
    ("chorus", "invariance check"),
    ("newcomer", "open-set filter"),
    ("plunge", "lossy DFS"),
    ("yard", "open set"),
    ("hopeless", "no reduction"),
    ("whoever", "a noun"),
    ("nobody", "no process"),
    ("uncompared", "hidden prefix"),
    ("blame", "error collector"),
    ("exchanged", "permuted"),
    ("census", "capture–recapture"),
    ("refuge", "open set"),
    ("outlook", "reachable accesses"),
    ("ledger", "memory quota"),
    ("crew", "level barrier"),
    ("haul", "findings of a level"),
    ("getting in the way", "dependent"),
    ("gets into whose way", "dependent"),
    ("put off for ever", "ignored"),
    ("plainer", "without dead-variable analysis"),
    ("wrong::", "ErrorKind"),
];

/// Spellings that are part of the interface of the program.
const INTERFACE: [&str; 4] = ["no_coarsening", "no-coarsening", "\"coarsening\"", "`coarsening`"];

#[test]
fn the_words_are_those_of_the_literature() {
    let mut found: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for krate in CRATES {
        for (path, text) in sources(krate) {
            for (number, line) in text.lines().enumerate() {
                let mut line = line.to_lowercase();
                INTERFACE.iter().for_each(|spelling| line = line.replace(spelling, ""));
                for (word, _) in REPLACED {
                    let starts = |at: usize| at == 0 || !line.as_bytes()[at - 1].is_ascii_alphabetic();
                    if line.match_indices(word).any(|(at, _)| starts(at)) {
                        found.entry(word).or_default().push(format!("{}:{}", path.display(), number + 1));
                    }
                }
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}
