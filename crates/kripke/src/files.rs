//! Files we write: whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Writes a file as `fill` says: under a temporary name, then renamed, so that nobody ever sees half of it.
pub fn write(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = Temporary::new(path.with_file_name(name));
    let written = File::create(&temporary.0)
        .and_then(|file| {
            let mut out = BufWriter::new(file);
            fill(&mut out)?;
            out.flush()?;
            out.get_ref().sync_all()
        })
        .and_then(|()| fs::rename(&temporary.0, path));
    if written.is_err() {
        let _ = fs::remove_file(&temporary.0);
    }
    written
}

/// The temporary files that there are: to be removed if the program ends before they have their names.
static TEMPORARY: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A temporary file, until it is renamed or removed.
struct Temporary(PathBuf);

impl Temporary {
    fn new(path: PathBuf) -> Temporary {
        TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner).push(path.clone());
        Temporary(path)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner).retain(|path| *path != self.0);
    }
}

/// Removes what is not finished, before the program ends.
pub fn remove_temporary() {
    for path in TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        let _ = fs::remove_file(path);
    }
}

/// Where the counterexample of a model goes: in the current directory, named after the model.
pub fn trail_name(model: &Path) -> PathBuf {
    let stem = model.file_stem().unwrap_or(model.as_os_str());
    let mut name = stem.to_os_string();
    name.push(".trail.json");
    PathBuf::from(name)
}

/// Where the counterexample of one of several properties goes.
pub fn trail_of(trail: &Path, property: &str) -> PathBuf {
    let name = trail.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.strip_suffix(".trail.json").or_else(|| name.strip_suffix(".json")).unwrap_or(&name);
    let plain: String = property.chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { '-' }).collect();
    trail.with_file_name(format!("{stem}.{plain}.trail.json"))
}

/// The ITF file that goes with a trail file.
pub fn itf_name(trail: &Path) -> PathBuf {
    let name = trail.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.strip_suffix(".trail.json").or_else(|| name.strip_suffix(".json")).unwrap_or(&name);
    trail.with_file_name(format!("{stem}.itf.json"))
}

/// An I/O error in a user's words.
pub fn explain(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_string(),
        io::ErrorKind::PermissionDenied => "permission denied".to_string(),
        io::ErrorKind::IsADirectory => "it is a directory".to_string(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_model() {
        for (model, trail, itf) in [
            ("second.pml", "second.trail.json", "second.itf.json"),
            ("a/b.c.pml", "b.c.trail.json", "b.c.itf.json"),
            ("noext", "noext.trail.json", "noext.itf.json"),
        ] {
            assert_eq!(trail_name(Path::new(model)), Path::new(trail));
            assert_eq!(itf_name(Path::new(trail)), Path::new(itf));
        }
        assert_eq!(itf_name(Path::new("out/x.json")), Path::new("out/x.itf.json"));
        assert_eq!(itf_name(Path::new("odd")), Path::new("odd.itf.json"));
    }

    #[test]
    fn a_failed_write_leaves_nothing() {
        let dir = std::env::temp_dir().join(format!("kripke-files-{}", std::process::id()));
        fs::create_dir_all(dir.join("taken")).unwrap();
        assert!(write(&dir.join("taken"), |out| out.write_all(b"x")).is_err());
        write(&dir.join("good"), |out| out.write_all(b"x")).unwrap();
        let names: Vec<_> = fs::read_dir(&dir).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names.len(), 2, "{names:?}");
        fs::remove_dir_all(dir).unwrap();
    }
}
