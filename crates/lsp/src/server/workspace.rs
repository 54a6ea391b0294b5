//! The names that the models in the folders of the workspace declare, also of those that are not open.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use kripke_lang::Language;
use kripke_lang::source::Loader;
use serde_json::{Value, json};

use super::documents::{Files, Snapshot};
use super::values;
use crate::service::Analysis;
use crate::text::{Encoding, Lines};
use crate::uri;

/// The most files of the workspace that are read, and the depth of folders.
const MOST: usize = 1000;
const DEPTH: usize = 8;

/// A declared name: what it is sorted by, and the protocol's description.
type Declared = (String, Value);

/// The folders of the workspace, and what their files declared when they were read last.
pub(super) struct Workspace {
    folders: Vec<PathBuf>,
    known: Mutex<HashMap<PathBuf, Known>>,
}

/// The names that a file declared when it had been changed at this time.
struct Known {
    changed: SystemTime,
    declared: Arc<[Declared]>,
}

impl Workspace {
    /// The workspace that a client names when it starts the server.
    pub fn new(params: &Value) -> Workspace {
        let folders = params["workspaceFolders"].as_array().into_iter().flatten().map(|folder| &folder["uri"]);
        let mut folders: Vec<PathBuf> = folders.filter_map(Value::as_str).map(uri::path).collect();
        if folders.is_empty() {
            folders.extend(params["rootUri"].as_str().map(uri::path));
        }
        Workspace { folders, known: Mutex::default() }
    }

    /// The names that contain a text, of all open documents and of the other models of the workspace.
    pub fn symbols(&self, query: &str, snapshot: &Snapshot, encoding: Encoding) -> Value {
        let query = query.to_lowercase();
        let mut found: Vec<Declared> = Vec::new();
        let wanted =
            |(_, value): &&Declared| value["name"].as_str().unwrap_or_default().to_lowercase().contains(&query);
        for (uri, document) in snapshot.iter() {
            let all = declared(&document.analysis(snapshot), uri, encoding);
            found.extend(all.iter().filter(wanted).cloned());
        }
        for path in self.files() {
            if snapshot.values().all(|document| document.path != path) {
                found.extend(self.of_file(&path, snapshot, encoding).iter().filter(wanted).cloned());
            }
        }
        found.sort_by(|a, b| a.0.cmp(&b.0));
        found.into_iter().map(|(_, value)| value).collect()
    }

    /// The names that a file declares. It is read again only if it has changed.
    fn of_file(&self, path: &Path, snapshot: &Snapshot, encoding: Encoding) -> Arc<[Declared]> {
        let changed = std::fs::metadata(path).and_then(|found| found.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known().get(path).filter(|known| known.changed == changed) {
            return Arc::clone(&known.declared);
        }
        let text = Files(snapshot).read(path).unwrap_or_default();
        let text = Arc::from(String::from_utf8_lossy(&text));
        let declared = declared(&Analysis::new(path, text, &Files(snapshot)), &uri::uri(path), encoding);
        known().insert(path.to_path_buf(), Known { changed, declared: Arc::clone(&declared) });
        declared
    }

    /// The analyses of all open documents and of the other models of the workspace that include files.
    pub fn including(&self, snapshot: &Snapshot) -> Vec<Arc<Analysis>> {
        let mut out: Vec<Arc<Analysis>> = snapshot.values().map(|document| document.analysis(snapshot)).collect();
        for path in self.files() {
            let is_open = snapshot.values().any(|document| document.path == path);
            let text = if is_open { Vec::new() } else { Files(snapshot).read(&path).unwrap_or_default() };
            let text = String::from_utf8_lossy(&text);
            if text.contains("include") {
                out.push(Arc::new(Analysis::new(&path, Arc::from(text), &Files(snapshot))));
            }
        }
        out
    }

    fn files(&self) -> Vec<PathBuf> {
        let mut files = Vec::new();
        self.folders.iter().for_each(|folder| find(folder, DEPTH, &mut files));
        files
    }
}

/// The names that the text itself declares, without those of included files.
fn declared(analysis: &Analysis, uri: &str, encoding: Encoding) -> Arc<[Declared]> {
    let own = analysis.symbols.all().iter().filter(|symbol| symbol.span.file.index() == 0);
    let lines = Lines::new(analysis.text());
    own.map(|symbol| {
        let range = values::range(&lines, (symbol.span.start as usize, symbol.span.end as usize), encoding);
        let key = format!("{} {uri} {:08}", symbol.name, symbol.span.start);
        let location = json!({ "uri": uri, "range": range });
        (key, json!({ "name": symbol.name, "kind": values::symbol_kind(symbol.kind), "location": location }))
    })
    .collect()
}

/// Finds models. Hidden folders, and those in which tools put what they make, are left out.
fn find(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        let Ok(kind) = entry.file_type() else { continue };
        let left_out = name.starts_with('.') || ["node_modules", "target"].contains(&&*name);
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        if files.len() >= MOST {
            return;
        } else if kind.is_dir() && depth > 0 && !left_out {
            find(&path, depth - 1, files);
        } else if kind.is_file() && Language::all().any(|language| language.endings().contains(&ending)) {
            files.push(path);
        }
    }
}
