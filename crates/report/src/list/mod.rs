//! The contents of a model as a listing, in the manner of Erigone's LIST: symbols, channels, processes with their locations and
//! edges, properties.

mod json;
mod text;

use kripke_model::ir::{Model, Process, PropertyKind, Var};

pub use json::json;
pub use text::text;

/// A name that the text declares.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SymbolRow {
    /// The name.
    pub name: String,
    /// The kind of the symbol.
    pub kind: &'static str,
    /// The name of the symbol whose declaration contains this one.
    pub container: Option<String>,
    /// The file of the declaration.
    pub file: String,
    /// The line of the declaration, counted from 1.
    pub line: u32,
}

/// The processes that are listed: those with this name, or all.
fn chosen<'m>(model: &'m Model, name: Option<&'m str>) -> impl Iterator<Item = &'m Process> {
    model.processes.iter().filter(move |process| name.is_none_or(|name| process.name == name))
}

/// The type of a variable as it is listed: `u8`, `i16[3]`, `u8 in 1..5`.
fn type_of(model: &Model, var: &Var) -> String {
    let mut out = kripke_model::text::type_name(model, var.ty);
    var.dims.iter().for_each(|dim| out.push_str(&format!("[{dim}]")));
    if let Some((low, high)) = var.range {
        out.push_str(&format!(" in {low}..{high}"));
    }
    out
}

/// The number of instances of a process type in the initial state.
fn instances(model: &Model, process: &Process) -> usize {
    model.start.iter().filter(|start| std::ptr::eq(&raw const model.processes[start.process.index()], process)).count()
}

fn kind(kind: PropertyKind) -> &'static str {
    match kind {
        PropertyKind::Ltl => "ltl",
        PropertyKind::Ctl => "ctl",
        PropertyKind::Never => "never",
        PropertyKind::Process => "process",
    }
}

/// The flags of a location, as words.
fn flags(process: &Process, at: usize) -> Vec<&'static str> {
    let location = &process.locations[at];
    let all = [
        (process.entry.index() == at, "entry"),
        (location.end, "end"),
        (location.accept, "accept"),
        (location.progress, "progress"),
        (location.committed, "committed"),
    ];
    all.into_iter().filter(|(set, _)| *set).map(|(_, word)| word).collect()
}
