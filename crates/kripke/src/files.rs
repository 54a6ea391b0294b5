//! Files we write: whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes a file under a temporary name, then renames it, so that nobody ever sees half of it.
pub fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(name);
    let written = File::create(&temporary)
        .and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_all()
        })
        .and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
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
        assert!(write(&dir.join("taken"), "x").is_err());
        write(&dir.join("good"), "x").unwrap();
        let names: Vec<_> = fs::read_dir(&dir).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names.len(), 2, "{names:?}");
        fs::remove_dir_all(dir).unwrap();
    }
}
