//! The listing as JSON.

use kripke_model::ir::{Model, Process, Span, Then, Var};
use kripke_model::text::{code, type_name};
use serde_json::{Value, json as value};

use super::{SymbolRow, chosen, flags, instances, kind, type_of};
use crate::escape::visible_json;
use crate::source::Lines;

/// The version of the format.
const VERSION: u32 = 1;

/// The listing of a model, or of one of its process types, as JSON text.
pub fn json(model: &Model, symbols: &[SymbolRow], process: Option<&str>) -> String {
    let list = Listing { model, lines: Lines::new(model) };
    let symbols: Vec<Value> = symbols.iter().map(symbol).collect();
    let observer = model.observer.iter().map(|o| list.process(&o.automaton, 0));
    let processes: Vec<Value> = chosen(model, process).map(|p| list.process(p, instances(model, p))).collect();
    let listing = value!({
        "kripke-list": VERSION,
        "model": model.name,
        "language": model.language,
        "symbols": symbols,
        "variables": model.globals.iter().map(|v| list.variable(v)).collect::<Vec<_>>(),
        "channels": list.channels(),
        "processes": processes,
        "property_process": observer.collect::<Vec<_>>().pop(),
        "properties": list.properties(),
    });
    visible_json(&format!("{listing:#}\n")).into_owned()
}

fn symbol(symbol: &SymbolRow) -> Value {
    value!({
        "name": symbol.name,
        "kind": symbol.kind,
        "container": symbol.container,
        "file": symbol.file,
        "line": symbol.line,
    })
}

struct Listing<'m> {
    model: &'m Model,
    lines: Lines,
}

impl Listing<'_> {
    fn line(&self, span: Span) -> u32 {
        self.lines.of(span).first
    }

    fn variable(&self, var: &Var) -> Value {
        value!({ "name": var.name, "type": type_of(self.model, var), "hidden": var.hidden, "line": self.line(var.span) })
    }

    fn channels(&self) -> Vec<Value> {
        let field = |ty: &kripke_model::ir::Type| type_name(self.model, *ty);
        let channels = self.model.channels.iter();
        let one = |channel: &kripke_model::ir::Channel| {
            let fields: Vec<String> = channel.fields.iter().map(field).collect();
            value!({ "name": channel.name, "capacity": channel.capacity, "fields": fields, "line": self.line(channel.span) })
        };
        channels.map(one).collect()
    }

    fn process(&self, process: &Process, instances: usize) -> Value {
        let locals = |vars: &[Var]| vars.iter().map(|v| self.variable(v)).collect::<Vec<_>>();
        let locations: Vec<Value> = (0..process.locations.len())
            .map(|at| value!({ "id": at, "labels": process.locations[at].labels, "flags": flags(process, at) }))
            .collect();
        value!({
            "name": process.name,
            "line": self.line(process.span),
            "instances": instances,
            "parameters": locals(&process.locals[..process.params.min(process.locals.len())]),
            "locals": locals(&process.locals[process.params.min(process.locals.len())..]),
            "locations": locations,
            "edges": self.edges(process),
        })
    }

    fn edges(&self, process: &Process) -> Vec<Value> {
        let mut out = Vec::new();
        for (from, location) in process.locations.iter().enumerate() {
            for id in &location.edges {
                let edge = &process.edges[id.index()];
                let then = match edge.then {
                    Then::Yield => "yield",
                    Then::Keep => "keep",
                    Then::Chain => "chain",
                };
                out.push(value!({
                    "id": id.0,
                    "from": from,
                    "to": edge.chain.map_or(edge.target.0, |entry| entry.0),
                    "chain": edge.chain.is_some(),
                    "then": then,
                    "line": self.line(Lines::own(edge)),
                    "statement": edge.label,
                    "code": code(self.model, process, edge),
                }));
            }
        }
        out
    }

    fn properties(&self) -> Vec<Value> {
        let one = |p: &kripke_model::ir::Property| value!({ "name": p.name, "kind": kind(p.kind), "formula": p.text, "line": self.line(p.span) });
        self.model.properties.iter().map(one).collect()
    }
}
