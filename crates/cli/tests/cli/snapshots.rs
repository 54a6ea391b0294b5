//! Snapshots: whole outputs, kept as files. `KRIPKE_WRITE_SNAPSHOTS=1` writes them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::program::Desk;

/// Compares a text with its snapshot.
#[track_caller]
pub fn snapshot(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots").join(name);
    if std::env::var_os("KRIPKE_WRITE_SNAPSHOTS").is_some() {
        fs::write(&path, text).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    assert_eq!(kept, text, "{name} differs; the new text:\n{text}");
}

/// Copies an example to the directory of a desk.
pub fn example(desk: &Desk, name: &str) {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    fs::copy(path, desk.path(name)).unwrap();
}
