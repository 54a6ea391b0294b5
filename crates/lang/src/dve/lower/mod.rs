//! From syntax tree to model.
//!
//! Every process of the text is one process of the model, alive from the start and never ending; its states are the
//! locations, its transitions the edges. Channels are global and keep the numbers of their declarations.

mod declare;
mod expr;
mod index;
mod process;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use kripke_model::Model;
use kripke_model::ir::{self, Enum, Scheduling, Start};

use self::expr::Context;
use self::index::{CONSTANTS, Index};
use super::ast::{Expr, Kind, Name, Process, System};
use crate::diagnostic::{Diagnostic, Severity};
use crate::limits;
use crate::source::{FileId, Sources, Span};

/// At most this many: their numbers are stored in a byte.
const MAX_PROCESSES: usize = 255;
const MAX_CHANNELS: usize = 255;

/// Checks a system and turns it into a model. Without errors there is a model.
pub(super) fn lower(system: &System, sources: &Sources, diagnostics: &mut Vec<Diagnostic>) -> Option<Model> {
    let model = empty(sources, system.kind);
    let mut lowering = Lowering { model, index: Index::default(), constants: Vec::new(), diagnostics };
    lowering.check_system(system);
    lowering.channels(system);
    for variable in &system.variables {
        lowering.variable(None, variable);
    }
    lowering.processes(system);
    let Lowering { mut model, constants, diagnostics, .. } = lowering;
    if diagnostics.iter().any(|d| d.severity == Severity::Error) {
        return None;
    }
    model.enums.push(Enum { name: CONSTANTS.to_string(), symbols: constants });
    Some(model)
}

/// An expression over the variables and states of a model that has been read.
pub(super) fn lower_condition(expr: &Expr, model: &Model, diagnostics: &mut Vec<Diagnostic>) -> Option<ir::Expr> {
    let index = Index::of(model);
    Context { index: &index, scope: None, diagnostics }.expr(expr)
}

struct Lowering<'a> {
    model: Model,
    index: Index,
    /// Names and values of constants, for expressions that are read later.
    constants: Vec<(String, i32)>,
    diagnostics: &'a mut Vec<Diagnostic>,
}

fn empty(sources: &Sources, kind: Option<Kind>) -> Model {
    Model {
        name: sources.files().first().map_or(String::new(), |f| f.name.clone()),
        language: "dve".to_string(),
        files: sources.files().to_vec(),
        enums: Vec::new(),
        globals: Vec::new(),
        channels: Vec::new(),
        processes: Vec::new(),
        start: Vec::new(),
        scheduling: if kind == Some(Kind::Sync) { Scheduling::Synchronous } else { Scheduling::Interleaved },
        trace: None,
        observer: None,
        goal: None,
        uses_last: false,
        uses_priorities: false,
        uses_timeout: false,
        properties: Vec::new(),
    }
}

impl Lowering<'_> {
    fn report(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < limits::MAX_ERRORS {
            self.diagnostics.push(diagnostic);
        }
    }

    fn context(&mut self, scope: Option<usize>) -> Context<'_> {
        Context { index: &self.index, scope, diagnostics: self.diagnostics }
    }

    /// Checks the parts that every system has.
    fn check_system(&mut self, system: &System) {
        let top = Span { file: FileId(0), start: 0, end: 0 };
        if system.processes.is_empty() {
            let wrong = Diagnostic::error(top, "nothing runs in this model", "there is no process");
            self.report(wrong.help("write `process P { … }`"));
        }
        if system.kind.is_none() {
            let last = system.processes.last().map_or(top, |p| p.name.span);
            let wrong = Diagnostic::error(last, "the `system` line is missing", "after the last process");
            self.report(wrong.help("end the file with `system async;`"));
        }
        if system.processes.len() > MAX_PROCESSES {
            let at = system.processes[MAX_PROCESSES].name.span;
            self.report(Diagnostic::error(at, format!("at most {MAX_PROCESSES} processes can run"), "one too many"));
        }
        let mut first: HashMap<&str, &Name> = HashMap::new();
        for Process { name, .. } in &system.processes {
            if let Some(before) = first.insert(&name.text, name) {
                let wrong = format!("there is a process `{}` already", name.text);
                let wrong = Diagnostic::error(name.span, wrong, "declared again here");
                self.report(wrong.label(before.span, "first declared here"));
            }
        }
    }

    fn processes(&mut self, system: &System) {
        let property = self.property(system);
        for (i, process) in system.processes.iter().enumerate() {
            self.declare_process(process, property == Some(i));
        }
        for (scope, process) in system.processes.iter().enumerate() {
            let edges = self.edges(scope, process);
            let lowered = self.process(scope);
            for (from, edge) in edges {
                lowered.locations[from.index()].edges.push(ir::EdgeId(lowered.edges.len() as u32));
                lowered.edges.push(edge);
            }
            if let Some(process) = self.index.scopes[scope].process {
                self.model.start.push(Start { process, args: Vec::new(), priority: 1 });
            }
        }
    }

    /// Which process is the property.
    fn property(&mut self, system: &System) -> Option<usize> {
        let name = system.property.as_ref()?;
        let found = system.processes.iter().position(|p| p.name.text == name.text);
        if found.is_none() {
            let wrong = format!("there is no process `{}`", name.text);
            self.report(Diagnostic::error(name.span, wrong, "the property must be one of the processes"));
        }
        found
    }

    /// The process or observer of the model for a process of the text.
    fn process(&mut self, scope: usize) -> &mut ir::Process {
        let observer = self.model.properties.first_mut().and_then(|p| p.observer.as_mut());
        match (self.index.scopes[scope].process, observer) {
            (None, Some(observer)) => &mut observer.automaton,
            (process, _) => &mut self.model.processes[process.map_or(scope, ir::ProcessId::index)],
        }
    }
}
