//! The files of a project: texts of editors first, then files of the folder. No path leads out of it.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use kripke::files::{Files, read_regular};
use kripke::request::Source;
use kripke_lang::limits::MAX_FILE_BYTES;
use kripke_lang::source::Loader;
use serde_json::Value;

use super::failure::Failure;

/// A model that a request names, and the files that it can read.
pub(super) struct Named {
    /// The file, relative to the project.
    pub file: PathBuf,
    /// The options that change the meaning of its text.
    pub source: Source,
    /// The files.
    pub files: Project,
}

/// The files of a project.
#[derive(Default)]
pub(super) struct Project {
    texts: BTreeMap<PathBuf, String>,
    /// The files that were read, with their contents.
    read: Mutex<BTreeMap<PathBuf, Vec<u8>>>,
}

impl Named {
    /// The model of a request.
    pub fn of(request: &Value) -> Result<Named, Failure> {
        let file = request["file"].as_str().unwrap_or_default();
        let file =
            plain(Path::new(file)).ok_or_else(|| Failure::new(400, "`file` is no path inside of the project"))?;
        let mut files = Project::default();
        for (path, text) in request["texts"].as_object().into_iter().flatten() {
            let path = plain(Path::new(path)).ok_or_else(|| Failure::new(400, "a path leads out of the project"))?;
            files.texts.insert(path, text.as_str().unwrap_or_default().to_string());
        }
        let defined = request["define"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let source = Source { define: defined.map(String::from).collect(), ..Source::default() };
        Ok(Named { file, source, files })
    }

    /// The text of the model.
    pub fn text(&self) -> Result<String, Failure> {
        let bytes = self.files.read(&self.file).map_err(|e| {
            let why = kripke::files::explain(&e);
            Failure::new(404, &format!("{}: {why}", self.file.display()))
        })?;
        String::from_utf8(bytes).map_err(|_| Failure::wrong(&"it is not text in UTF-8"))
    }
}

impl Project {
    /// The files that were read so far, with their contents.
    pub fn into_read(self) -> BTreeMap<PathBuf, Vec<u8>> {
        self.read.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// The texts of editors.
    pub fn texts(&self) -> &BTreeMap<PathBuf, String> {
        &self.texts
    }

    fn content(&self, path: &Path) -> io::Result<Vec<u8>> {
        let outside = || io::Error::new(ErrorKind::PermissionDenied, "the path leads out of the project");
        let path = plain(path).ok_or_else(outside)?;
        if let Some(text) = self.texts.get(&path) {
            return Ok(text.clone().into_bytes());
        }
        let root = Path::new(".").canonicalize()?;
        let real = path.canonicalize()?;
        if !real.starts_with(&root) {
            return Err(outside());
        }
        read_regular(&real, MAX_FILE_BYTES)
    }
}

impl Loader for Project {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let content = self.content(path)?;
        let known = plain(path).unwrap_or_else(|| path.to_path_buf());
        self.read.lock().unwrap_or_else(PoisonError::into_inner).insert(known, content.clone());
        Ok(content)
    }
}

impl Files for Project {
    fn named(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.read(path)
    }

    fn included(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.read(path)
    }
}

/// A relative path without `.` and `..`; none if it is absolute or leads out of its folder.
pub(crate) fn plain(path: &Path) -> Option<PathBuf> {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => out.push(name),
            Component::CurDir => {}
            Component::ParentDir => {
                if !out.pop() {
                    return None;
                }
            }
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    (!out.as_os_str().is_empty()).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_leads_out() {
        let of = |text: &str| plain(Path::new(text)).map(|path| path.display().to_string());
        assert_eq!(of("a/./b.pml").as_deref(), Some("a/b.pml"));
        assert_eq!(of("a/../b.pml").as_deref(), Some("b.pml"));
        for bad in ["", ".", "..", "../a", "a/../../b", "/etc/passwd", "a/.."] {
            assert_eq!(of(bad), None, "{bad}");
        }
    }
}
