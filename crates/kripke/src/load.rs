//! From a file name to a model, or to complaints about its text.

use std::io;
use std::path::Path;
use std::sync::Arc;

use kripke_lang::diagnostic::{Diagnostic, Severity};
use kripke_lang::limits::MAX_FILE_BYTES;
use kripke_lang::promela::{LowerOptions, MacroOption, Preprocess};
use kripke_lang::render::render_all;
use kripke_lang::source::{Loader, Sources};
use kripke_lang::{LoadOptions, load as read};
use kripke_model::ir::Expr;
use kripke_model::layout::StartError;
use kripke_model::{Interpreter, Model};
use kripke_report::escape::visible;
use kripke_report::json::Complaint;
use kripke_report::number::counted;

use crate::args::Reading;
use crate::files;

#[derive(Debug)]
pub struct Loaded {
    pub model: Model,
    /// Those asked for, read.
    pub conditions: Vec<Expr>,
    /// Rendered, for standard error.
    pub warnings: String,
}

/// There is no model.
#[derive(Debug)]
pub struct Trouble {
    /// Rendered, for standard error.
    pub text: String,
    pub complaints: Vec<Complaint>,
}

/// Files of this machine: the model, which may be standard input or a pipe, and regular files that it includes.
struct Disk<'a> {
    model: &'a Path,
}

impl Loader for Disk<'_> {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        if path == self.model { files::read(path, MAX_FILE_BYTES) } else { files::read_regular(path, MAX_FILE_BYTES) }
    }
}

/// The semantics of a model. With `--raw`, claims that only a reduction would rely on are not checked.
pub fn interpreter(model: Arc<Model>, reading: &Reading) -> Result<Interpreter, StartError> {
    let interpreter = Interpreter::new(model)?;
    Ok(if reading.raw { interpreter.without_claims() } else { interpreter })
}

/// Reads the model, and conditions in its language.
pub fn load(path: &Path, reading: &Reading, conditions: &[String]) -> Result<Loaded, Trouble> {
    let defined = reading.define.iter().cloned().map(MacroOption::Define);
    let undefined = reading.undefine.iter().cloned().map(MacroOption::Undefine);
    let options = LoadOptions {
        language: reading.lang.map(Into::into),
        preprocess: Preprocess { macros: defined.chain(undefined).collect(), include_dirs: reading.include.clone() },
        lower: LowerOptions { reverse_escapes: reading.reverse_escapes },
        conditions: conditions.to_vec(),
    };
    let loaded = read(path, &Disk { model: path }, &options);
    // Styled in any case: what the reader can't see is stripped when it is printed.
    let text = render_all(&loaded.sources, &loaded.diagnostics, true);
    match loaded.model {
        Some(model) => Ok(Loaded { model, conditions: loaded.conditions, warnings: text }),
        None => {
            let complaints = loaded.diagnostics.iter().map(|d| complaint(&loaded.sources, d)).collect();
            Err(Trouble { text, complaints })
        }
    }
}

fn complaint(sources: &Sources, diagnostic: &Diagnostic) -> Complaint {
    let span = diagnostic.labels.first().map(|l| l.span);
    let position = span.map(|s| sources.position(s));
    Complaint {
        severity: match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        message: diagnostic.message.clone(),
        file: span.map(|s| sources.file(s.file).name.clone()),
        line: position.map(|p| p.line),
        column: position.map(|p| p.column),
        help: diagnostic.help.clone(),
    }
}

impl Trouble {
    /// Something is wrong with the file as a whole.
    pub fn whole(path: &Path, message: &str) -> Trouble {
        let file = path.display().to_string();
        let complaint = Complaint {
            severity: "error",
            message: message.to_string(),
            file: Some(file.clone()),
            line: None,
            column: None,
            help: None,
        };
        let text = visible(&format!("error: {file}: {message}\n")).into_owned();
        Trouble { text, complaints: vec![complaint] }
    }

    /// `3 errors: expected …`
    pub fn brief(&self) -> String {
        let errors: Vec<&Complaint> = self.complaints.iter().filter(|c| c.severity == "error").collect();
        let first = errors.first().map(|c| format!(": {}", visible(&c.message))).unwrap_or_default();
        format!("{}{first}", counted(errors.len() as u64, "error"))
    }
}
