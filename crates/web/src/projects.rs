//! The files of projects: listing, reading and writing, never outside of the folder.

use std::fs::{self, File, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::UNIX_EPOCH;

use kripke_lang::Language;
use serde_json::{Value, json};

use crate::refusal::Refusal;
use crate::worker::plain;

/// The most files of a listing, and the depth of folders.
const MOST_FILES: usize = 1000;
const DEPTH: usize = 6;
/// The most bytes of a file.
pub(crate) const MOST_BYTES: usize = 4 << 20;
/// Endings of files that are no models but belong to them.
const OTHERS: [&str; 4] = ["h", "inc", "txt", "ltl"];

/// Files are compared with the version that the client knows, and changed, one after the other.
static CHANGES: Mutex<()> = Mutex::new(());

/// The path of a file in a project's folder: inside of it, with an ending that the page knows.
fn inside(folder: &Path, path: &str) -> Result<PathBuf, Refusal> {
    let refused = |why: &str| Refusal::new(403, why);
    let hidden = |path: &Path| path.components().any(|part| part.as_os_str().to_string_lossy().starts_with('.'));
    let path = match path {
        path if path.contains(['\0', '\\']) || path.len() > 500 => None,
        path => plain(Path::new(path)).filter(|plain| plain.as_os_str() == path),
    };
    let path = path.ok_or_else(|| refused("the path does not lead to a file of the project"))?;
    if hidden(&path) || !is_known(&path) {
        return Err(refused("files of this name are not shown"));
    }
    let whole = folder.join(&path);
    let parent = whole.parent().unwrap_or(folder);
    let real = parent.canonicalize().map_err(|_| Refusal::new(404, "there is no such folder"))?;
    if !real.starts_with(folder) {
        return Err(refused("the path leads out of the project"));
    }
    // A link is not followed: it may lead anywhere.
    match fs::symlink_metadata(&whole) {
        Ok(found) if !found.is_file() => Err(refused("it is no regular file")),
        _ => Ok(whole),
    }
}

fn ending(path: &Path) -> &str {
    path.extension().and_then(|ending| ending.to_str()).unwrap_or_default()
}

/// The language of a file by its ending.
pub(crate) fn language(path: &Path) -> Option<&'static str> {
    Language::all().find(|language| language.endings().contains(&ending(path))).map(Language::name)
}

fn is_known(path: &Path) -> bool {
    language(path).is_some() || OTHERS.contains(&ending(path))
}

/// The files of a folder.
pub(crate) fn list(folder: &Path) -> Value {
    let mut files = Vec::new();
    find(folder, Path::new(""), DEPTH, &mut files);
    files.sort_by(|a, b| a["path"].as_str().cmp(&b["path"].as_str()));
    let root = folder.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned());
    json!({ "root": root, "files": files })
}

fn find(folder: &Path, below: &Path, depth: usize, out: &mut Vec<Value>) {
    let Ok(entries) = fs::read_dir(folder.join(below)) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str().filter(|name| !name.starts_with('.')) else { continue };
        let (path, Ok(kind)) = (below.join(name), entry.file_type()) else { continue };
        let left_out = ["node_modules", "target"].contains(&name);
        if out.len() >= MOST_FILES {
            return;
        } else if kind.is_dir() && depth > 0 && !left_out {
            find(folder, &path, depth - 1, out);
        } else if kind.is_file() && is_known(&path) {
            let Ok(found) = entry.metadata() else { continue };
            let modified = found.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            let seconds = modified.map_or(0.0, |time| time.as_secs_f64());
            out.push(json!({
                "path": path.display().to_string(),
                "bytes": found.len(),
                "modified": seconds,
                "language": language(&path),
            }));
        }
    }
}

/// A number that changes with the text.
fn version(text: &str) -> String {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

fn text(path: &Path) -> Result<String, Refusal> {
    let bytes = kripke::files::read_regular(path, MOST_BYTES).map_err(|e| match e.kind() {
        ErrorKind::NotFound => Refusal::new(404, "there is no such file"),
        _ => Refusal::new(422, &kripke::files::explain(&e)),
    })?;
    String::from_utf8(bytes).map_err(|_| Refusal::new(422, "it is not text in UTF-8"))
}

/// The text of a file.
pub(crate) fn read(folder: &Path, path: &str) -> Result<Value, Refusal> {
    let whole = inside(folder, path)?;
    let text = text(&whole)?;
    Ok(json!({ "path": path, "version": version(&text), "language": language(&whole), "text": text }))
}

/// Writes a file if it has the version that the client knows.
pub(crate) fn write(folder: &Path, request: &Value) -> Result<Value, Refusal> {
    let path = request["path"].as_str().unwrap_or_default();
    let new = request["text"].as_str().ok_or_else(|| Refusal::new(400, "`text` is missing"))?;
    if new.len() > MOST_BYTES {
        return Err(Refusal::new(413, "the text is too large"));
    }
    let whole = inside(folder, path)?;
    let _changes = CHANGES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = request.get("version") {
        let present = match text(&whole) {
            Ok(text) => json!(version(&text)),
            Err(_) if !whole.exists() => Value::Null,
            Err(refusal) => return Err(refusal),
        };
        if *known != present {
            return Err(Refusal::new(409, "the file has changed").with("version", present));
        }
    }
    replace(&whole, new.as_bytes())?;
    Ok(json!({ "version": version(new) }))
}

/// Removes a file.
pub(crate) fn remove(folder: &Path, path: &str) -> Result<Value, Refusal> {
    let whole = inside(folder, path)?;
    let _changes = CHANGES.lock().unwrap_or_else(PoisonError::into_inner);
    match fs::remove_file(&whole) {
        Ok(()) => Ok(json!({})),
        Err(e) if e.kind() == ErrorKind::NotFound => Err(Refusal::new(404, "there is no such file")),
        Err(e) => Err(e.into()),
    }
}

/// Makes a name in its folder survive a loss of power.
pub(crate) fn sync_folder(path: &Path) -> std::io::Result<()> {
    match path.parent() {
        Some(folder) if cfg!(unix) => File::open(folder)?.sync_all(),
        _ => Ok(()),
    }
}

/// Writes a file completely or not at all. One that exists keeps its permissions.
pub(crate) fn replace(path: &Path, content: &[u8]) -> std::io::Result<()> {
    let beside = path.with_file_name(format!(".{}.new", crate::secret::word(8)));
    let written = OpenOptions::new().write(true).create_new(true).open(&beside).and_then(|mut file| {
        if let Ok(present) = fs::metadata(path) {
            file.set_permissions(present.permissions())?;
        }
        file.write_all(content)?;
        file.sync_all()
    });
    let moved = written.and_then(|()| fs::rename(&beside, path)).and_then(|()| sync_folder(path));
    if moved.is_err() {
        let _ = fs::remove_file(&beside);
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_several_writers_at_once_wins() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |number: usize| {
            let text = format!("byte x{number};\n").repeat(1000);
            write(folder.path(), &json!({ "path": "a.pml", "text": text, "version": null })).is_ok()
        };
        let write = &write;
        let written = std::thread::scope(|scope| {
            let all: Vec<_> = (0..8).map(|number| scope.spawn(move || write(number))).collect();
            all.into_iter().filter_map(|writer| writer.join().ok()).filter(|is_written| *is_written).count()
        });
        assert_eq!(written, 1);
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1, "no other file stays");
    }

    #[cfg(unix)]
    #[test]
    fn a_file_keeps_its_permissions() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.pml");
        fs::write(&path, "byte x;").expect("a file");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("permissions");
        replace(&path, b"byte y;").expect("another text");
        assert_eq!(fs::metadata(&path).expect("a file").permissions().mode() & 0o777, 0o640);
    }
}
