//! The listing as text.

use kripke_model::ir::{Model, Process, Property, Then, Var};
use kripke_model::text::{code, type_name};

use super::{SymbolRow, chosen, flags, instances, kind, type_of};
use crate::number::counted;
use crate::run::flat;
use crate::source::Lines;
use crate::width;

/// Rows of cells, as a table with aligned columns.
fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widest = |c: usize| rows.iter().filter_map(|row| row.get(c)).map(|cell| width::width(cell)).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(widest).collect();
    let mut out = String::new();
    for row in rows {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, columns)| width::left(cell, *columns)).collect();
        out.push_str(&format!("  {}\n", cells.join("  ").trim_end()));
    }
    out
}

fn section(title: &str, rows: &[Vec<String>]) -> String {
    if rows.is_empty() { String::new() } else { format!("\n{title}\n{}", table(rows)) }
}

/// The listing of a model, or of one of its process types.
pub fn text(model: &Model, symbols: &[SymbolRow], process: Option<&str>) -> String {
    let lines = Lines::new(model);
    let mut out = format!("model {} ({})\n", flat(&model.name), model.language);
    if process.is_none() {
        out.push_str(&section("symbols", &symbols.iter().map(symbol).collect::<Vec<_>>()));
        out.push_str(&section(
            "variables",
            &model.globals.iter().map(|v| variable(model, &lines, v)).collect::<Vec<_>>(),
        ));
        out.push_str(&section("channels", &channels(model, &lines)));
    }
    for process in chosen(model, process) {
        out.push_str(&self::process(model, process, &lines));
    }
    if process.is_none() {
        if let Some(observer) = &model.observer {
            out.push_str(&self::process(model, &observer.automaton, &lines).replacen("process", "property process", 1));
        }
        let properties: Vec<Vec<String>> = model.properties.iter().map(|p| property(p, &lines)).collect();
        out.push_str(&section("properties", &properties));
    }
    out
}

fn symbol(symbol: &SymbolRow) -> Vec<String> {
    let name = match &symbol.container {
        Some(container) => format!("{}.{}", flat(container), flat(&symbol.name)),
        None => flat(&symbol.name),
    };
    vec![symbol.kind.to_string(), name, format!("{}:{}", flat(&symbol.file), symbol.line)]
}

fn variable(model: &Model, lines: &Lines, var: &Var) -> Vec<String> {
    let mut words = type_of(model, var);
    words.push_str(if var.hidden { " hidden" } else { "" });
    vec![flat(&var.name), words, lines.place(var.span)]
}

fn channels(model: &Model, lines: &Lines) -> Vec<Vec<String>> {
    let row = |channel: &kripke_model::ir::Channel| {
        let fields: Vec<String> = channel.fields.iter().map(|ty| type_name(model, *ty)).collect();
        let size =
            if channel.capacity == 0 { "rendezvous".to_string() } else { format!("buffer of {}", channel.capacity) };
        vec![flat(&channel.name), size, format!("{{{}}}", fields.join(", ")), lines.place(channel.span)]
    };
    model.channels.iter().map(row).collect()
}

fn process(model: &Model, process: &Process, lines: &Lines) -> String {
    let count = instances(model, process);
    let started = if count > 0 { format!(", {count} at the start") } else { String::new() };
    let locations = counted(process.locations.len() as u64, "location");
    let edges = counted(process.edges.len() as u64, "edge");
    let mut out = format!("\nprocess {} ({locations}, {edges}{started})\n", flat(&process.name));
    let locals: Vec<Vec<String>> = process
        .locals
        .iter()
        .enumerate()
        .map(|(i, var)| {
            let kind = if i < process.params { "parameter" } else { "local" };
            [vec![kind.to_string()], variable(model, lines, var)].concat()
        })
        .collect();
    if !locals.is_empty() {
        out.push_str(&table(&locals));
    }
    let marked: Vec<Vec<String>> = (0..process.locations.len()).filter_map(|at| location(process, at)).collect();
    if !marked.is_empty() {
        out.push_str(&table(&marked));
    }
    out + &table(&edge_rows(model, process, lines))
}

/// A location with labels or flags.
fn location(process: &Process, at: usize) -> Option<Vec<String>> {
    let labels = process.locations[at].labels.iter().map(|label| format!("{}:", flat(label)));
    let words: Vec<String> = labels.chain(flags(process, at).iter().map(|flag| flag.to_string())).collect();
    (!words.is_empty()).then(|| vec![format!("location {at}"), words.join(" ")])
}

fn edge_rows(model: &Model, process: &Process, lines: &Lines) -> Vec<Vec<String>> {
    let heading = ["edge", "from", "to", "line", "statement", "code"].map(String::from).to_vec();
    let mut rows = vec![heading];
    for (from, location) in process.locations.iter().enumerate() {
        for id in &location.edges {
            let edge = &process.edges[id.index()];
            let to = match edge.chain {
                Some(entry) => format!("chain {}", entry.0),
                None => edge.target.0.to_string(),
            };
            let then = match edge.then {
                Then::Yield => "",
                Then::Keep => "  keeps control",
                Then::Chain => "  indivisible",
            };
            let code = format!("{}{then}", flat(&code(model, process, edge)));
            let line = lines.of(Lines::own(edge)).first.to_string();
            rows.push(vec![id.0.to_string(), from.to_string(), to, line, flat(&edge.label), code.trim().to_string()]);
        }
    }
    rows
}

fn property(property: &Property, lines: &Lines) -> Vec<String> {
    vec![flat(&property.name), kind(property.kind).to_string(), flat(&property.text), lines.place(property.span)]
}
