//! The pages of the guide and their fenced blocks.

use std::fs;
use std::path::{Path, PathBuf};

/// A page: the README, or a file of the user guide.
pub struct Page {
    pub name: String,
    pub text: String,
}

/// A fenced block of a page.
pub struct Block {
    /// The page and the line of the opening fence.
    pub place: String,
    /// The text after the opening fence.
    pub info: String,
    pub lines: Vec<String>,
}

/// The root directory of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The README and all pages of the guide.
pub fn pages() -> Vec<Page> {
    let entries = fs::read_dir(root().join("docs/src")).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|e| e == "md")).collect();
    files.sort();
    files.insert(0, root().join("README.md"));
    let name = |path: &Path| path.strip_prefix(root()).unwrap().display().to_string();
    files.iter().map(|path| Page { name: name(path), text: fs::read_to_string(path).unwrap() }).collect()
}

impl Page {
    pub fn blocks(&self) -> Vec<Block> {
        let mut out: Vec<Block> = Vec::new();
        // The indentation of the open fence.
        let mut open: Option<usize> = None;
        for (line, number) in self.text.lines().zip(1..) {
            let inner = line.trim_start();
            match (open, inner.strip_prefix("```")) {
                (None, Some(info)) => {
                    open = Some(line.len() - inner.len());
                    let place = format!("{}:{number}", self.name);
                    out.push(Block { place, info: info.to_string(), lines: Vec::new() });
                }
                (Some(_), Some(_)) => open = None,
                (Some(indent), None) => {
                    let kept = line.get(indent..).unwrap_or_default();
                    out.last_mut().unwrap().lines.push(kept.to_string());
                }
                (None, None) => {}
            }
        }
        assert!(open.is_none(), "{}: a block is not closed", self.name);
        out
    }
}
