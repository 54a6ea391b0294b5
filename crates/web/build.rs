//! Embeds the files of the page and the examples.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets it"));
    let mut text = String::new();
    table(&mut text, "ASSETS", &here.join("assets"), |_| true);
    let is_model =
        |path: &Path| path.extension().is_some_and(|e| ["pml", "dve", "mdve", "esml"].iter().any(|x| e == *x));
    table(&mut text, "EXAMPLES", &here.join("../../examples"), is_model);
    fs::write(out.join("embedded.rs"), text).expect("the folder of the build can be written");
}

/// A table of the files below a folder, each with its path and content.
fn table(out: &mut String, name: &str, folder: &Path, wanted: impl Fn(&Path) -> bool) {
    println!("cargo:rerun-if-changed={}", folder.display());
    let mut files = Vec::new();
    find(folder, &mut files);
    files.sort();
    let _ = writeln!(out, "pub(crate) static {name}: &[(&str, &[u8])] = &[");
    for path in files.iter().filter(|path| wanted(path)) {
        let relative = path.strip_prefix(folder).expect("it is below").to_str().expect("a plain name");
        let _ = writeln!(out, "    ({relative:?}, include_bytes!({:?})),", path.display().to_string());
    }
    out.push_str("];\n");
}

fn find(folder: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            find(&path, out);
        } else if !entry.file_name().to_string_lossy().starts_with('.') {
            out.push(path);
        }
    }
}
