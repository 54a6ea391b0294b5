//! The documents that are open, each with an analysis that is made when it is first needed.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use kripke_lang::limits::MAX_FILE_BYTES;
use kripke_lang::source::Loader;
use serde_json::Value;

use super::values;
use crate::service::Analysis;
use crate::text::{Encoding, Lines};
use crate::uri;

/// The documents at one moment.
pub(super) type Snapshot = Arc<HashMap<String, Arc<Document>>>;
/// The serial number of each document's version.
pub(super) type Serials = HashMap<String, u64>;

/// A version of a document.
pub(super) struct Document {
    pub path: PathBuf,
    pub text: Arc<str>,
    pub version: i64,
    /// Distinguishes versions, also where an included file has changed.
    pub serial: u64,
    analysis: OnceLock<Arc<Analysis>>,
}

impl Document {
    /// The analysis of this version. Open documents of the snapshot take the place of files.
    pub fn analysis(&self, snapshot: &Snapshot) -> Arc<Analysis> {
        let analyse = || Arc::new(Analysis::new(&self.path, Arc::clone(&self.text), &Files(snapshot)));
        Arc::clone(self.analysis.get_or_init(analyse))
    }

    /// Whether a change of another file can change the analysis.
    fn depends_on(&self, path: &Path) -> bool {
        let Some(analysis) = self.analysis.get() else { return true };
        let is_same = |read: &PathBuf| read.file_name() == path.file_name();
        analysis.reads.iter().any(is_same)
    }
}

/// Files of the disk, except those that are open.
pub(super) struct Files<'a>(pub &'a Snapshot);

impl Loader for Files<'_> {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        if let Some(document) = self.0.values().find(|document| document.path == path) {
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

    /// Forgets all analyses, since files of the disk have changed.
    pub fn renew_all(&mut self) -> Vec<String> {
        let all: Vec<String> = self.open.keys().cloned().collect();
        all.iter().for_each(|uri| self.renew_one(uri));
        all
    }

    fn set(&mut self, uri: &str, text: Arc<str>, version: i64) -> Vec<String> {
        let path = uri::path(uri);
        self.serial += 1;
        let document = Document { path: path.clone(), text, version, serial: self.serial, analysis: OnceLock::new() };
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
        let (path, text) = (old.path.clone(), Arc::clone(&old.text));
        let new = Document { path, text, version: old.version, serial: self.serial, analysis: OnceLock::new() };
        Arc::make_mut(&mut self.open).insert(uri.to_string(), Arc::new(new));
    }
}
