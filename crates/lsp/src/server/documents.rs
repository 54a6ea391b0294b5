//! The documents that are open, each with an analysis that is made when it is first needed.

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use kripke_lang::limits::MAX_FILE_BYTES;
use kripke_lang::source::Loader;
use serde_json::Value;

use super::{Job, values};
use crate::service::Analysis;
use crate::text::{Encoding, Lines};
use crate::uri;

/// The documents at one moment.
pub(super) type Snapshot = Arc<HashMap<String, Arc<Document>>>;
/// The serial number of each document's version.
pub(super) type Serials = HashMap<String, u64>;

/// A version of a document.
pub(super) struct Document {
    /// Its normal path.
    pub path: PathBuf,
    pub text: Arc<str>,
    pub version: i64,
    /// Distinguishes versions, also where an included file has changed.
    pub serial: u64,
    analysis: OnceLock<Arc<Analysis>>,
    /// The jobs that wait while a thread makes the analysis; none while no thread does.
    waiting: Mutex<Option<Vec<Job>>>,
}

impl Document {
    fn new(path: PathBuf, text: Arc<str>, version: i64, serial: u64) -> Document {
        Document { path, text, version, serial, analysis: OnceLock::new(), waiting: Mutex::default() }
    }

    /// The analysis of this version. Open documents of the snapshot take the place of files.
    pub fn analysis(&self, snapshot: &Snapshot) -> Arc<Analysis> {
        let analyse = || Arc::new(Analysis::new(&self.path, Arc::clone(&self.text), &Files(snapshot)));
        Arc::clone(self.analysis.get_or_init(analyse))
    }

    /// Makes the analysis, and returns the job and those that waited for it. While another thread makes it, the job is put off, so
    /// that this thread can do something else.
    pub fn prepare(&self, snapshot: &Snapshot, job: Job) -> Vec<Job> {
        let mut waiting = self.lock_waiting();
        match &mut *waiting {
            _ if self.analysis.get().is_some() => return vec![job],
            Some(list) => {
                list.push(job);
                return Vec::new();
            }
            none => *none = Some(Vec::new()),
        }
        drop(waiting);
        self.analysis(snapshot);
        let waited = self.lock_waiting().take();
        std::iter::once(job).chain(waited.into_iter().flatten()).collect()
    }

    fn lock_waiting(&self) -> MutexGuard<'_, Option<Vec<Job>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a change of another file can change the analysis.
    fn depends_on(&self, path: &Path) -> bool {
        self.analysis.get().is_none_or(|analysis| analysis.reads.iter().any(|read| read == path))
    }
}

/// Files of the disk, except those that are open.
pub(super) struct Files<'a>(pub &'a Snapshot);

impl Loader for Files<'_> {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let normal = uri::normal(path);
        if let Some(document) = self.0.values().find(|document| document.path == normal) {
            return Ok(document.text.as_bytes().to_vec());
        }
        let found = std::fs::metadata(path)?;
        if !found.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
        }
        if found.len() > MAX_FILE_BYTES as u64 {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is too large"));
        }
        std::fs::read(path)
    }
}

/// The address of a file with a normal path: that of the document if it is open.
pub(super) fn address(snapshot: &Snapshot, path: &Path) -> String {
    let open = snapshot.iter().find(|(_, document)| document.path == path);
    open.map_or_else(|| uri::uri(path), |(uri, _)| uri.clone())
}

/// The documents that are open.
#[derive(Default)]
pub(super) struct Documents {
    open: Snapshot,
    serial: u64,
}

impl Documents {
    pub fn snapshot(&self) -> Snapshot {
        Arc::clone(&self.open)
    }

    pub fn serials(&self) -> Serials {
        self.open.iter().map(|(uri, document)| (uri.clone(), document.serial)).collect()
    }

    /// Opens a document. Returns the documents to analyse.
    pub fn open(&mut self, params: &Value) -> Vec<String> {
        let uri = params["uri"].as_str().unwrap_or_default().to_string();
        let text = Arc::from(params["text"].as_str().unwrap_or_default());
        self.set(&uri, text, params["version"].as_i64().unwrap_or_default())
    }

    /// Changes a document. Returns the documents to analyse.
    pub fn change(&mut self, params: &Value, encoding: Encoding) -> Vec<String> {
        let uri = params["textDocument"]["uri"].as_str().unwrap_or_default().to_string();
        let Some(document) = self.open.get(&uri) else { return Vec::new() };
        let mut text = document.text.to_string();
        for change in params["contentChanges"].as_array().into_iter().flatten() {
            let new = change["text"].as_str().unwrap_or_default();
            if change["range"].is_null() {
                text = new.to_string();
                continue;
            }
            let lines = Lines::new(&text);
            let start = lines.offset(values::position(&change["range"]["start"]), encoding);
            let end = lines.offset(values::position(&change["range"]["end"]), encoding);
            text.replace_range(start.min(end)..end.max(start), new);
        }
        self.set(&uri, Arc::from(text), params["textDocument"]["version"].as_i64().unwrap_or_default())
    }

    /// Closes a document. Returns the documents to analyse.
    pub fn close(&mut self, uri: &str) -> Vec<String> {
        let removed = Arc::make_mut(&mut self.open).remove(uri);
        removed.map_or(Vec::new(), |document| self.renew(&document.path, uri))
    }

    /// Forgets the analyses that depend on files of the disk that have changed. The text of an open document counts, not its file.
    /// Returns the documents to analyse.
    pub fn changed_on_disk(&mut self, params: &Value) -> Vec<String> {
        let changes = params["changes"].as_array().into_iter().flatten();
        let paths = changes.filter_map(|change| change["uri"].as_str()).map(uri::path);
        let mut changed = BTreeSet::new();
        for path in paths {
            if self.open.values().all(|document| document.path != path) {
                changed.extend(self.renew(&path, ""));
            }
        }
        changed.into_iter().collect()
    }

    fn set(&mut self, uri: &str, text: Arc<str>, version: i64) -> Vec<String> {
        let path = uri::path(uri);
        self.serial += 1;
        let document = Document::new(path.clone(), text, version, self.serial);
        Arc::make_mut(&mut self.open).insert(uri.to_string(), Arc::new(document));
        let mut changed = self.renew(&path, uri);
        changed.insert(0, uri.to_string());
        changed
    }

    /// Forgets the analyses that depend on a file.
    fn renew(&mut self, path: &Path, except: &str) -> Vec<String> {
        let depends = |(uri, document): &(&String, &Arc<Document>)| *uri != except && document.depends_on(path);
        let changed: Vec<String> = self.open.iter().filter(depends).map(|(uri, _)| uri.clone()).collect();
        changed.iter().for_each(|uri| self.renew_one(uri));
        changed
    }

    fn renew_one(&mut self, uri: &str) {
        let Some(old) = self.open.get(uri) else { return };
        self.serial += 1;
        let new = Document::new(old.path.clone(), Arc::clone(&old.text), old.version, self.serial);
        Arc::make_mut(&mut self.open).insert(uri.to_string(), Arc::new(new));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn jobs_wait_for_the_thread_that_makes_the_analysis() {
        let mut documents = Documents::default();
        documents.open(&json!({ "uri": "file:///a.pml", "text": "init { skip }", "version": 1 }));
        let snapshot = documents.snapshot();
        let document = &snapshot["file:///a.pml"];
        *document.lock_waiting() = Some(Vec::new());
        assert_eq!(document.prepare(&snapshot, Box::new(|| {})).len(), 0, "another thread makes the analysis");
        assert_eq!(document.lock_waiting().take().map(|jobs| jobs.len()), Some(1));
        assert_eq!(document.prepare(&snapshot, Box::new(|| {})).len(), 1);
        assert!(document.analysis.get().is_some() && document.lock_waiting().is_none());
    }
}
