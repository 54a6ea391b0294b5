//! Where models and tables are.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The root of the checkout.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().expect("the suites live in a folder of the checkout").to_path_buf()
}

/// The conformance corpus: beside the checkout, or where `KRIPKE_CORPUS` says. Without it, its suites are skipped.
pub fn corpus() -> Option<PathBuf> {
    let folder = match std::env::var_os("KRIPKE_CORPUS") {
        Some(folder) => PathBuf::from(folder),
        None => root().parent()?.join("shared/corpus"),
    };
    let found = folder.join("promela/expected-spin.tsv").exists();
    if !found {
        missing("the corpus is not beside the checkout");
    }
    found.then_some(folder)
}

/// Says that a suite is skipped because something is not here. With `KRIPKE_CI` set nothing is skipped: the suite fails.
pub fn missing(what: &str) {
    assert!(std::env::var_os("KRIPKE_CI").is_none(), "{what}; KRIPKE_CI is set, so nothing is skipped");
    notice(&format!("skipped: {what}"));
}

/// A number from the environment.
pub fn setting<T: FromStr>(name: &str, default: T) -> T {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Says something that is shown even if the test passes.
pub fn notice(text: &str) {
    // If nobody listens there is nothing to be done.
    let _ = writeln!(std::io::stderr(), "note: {text}");
}
