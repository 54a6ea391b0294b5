//! From syntax tree to model.
//!
//! Declarations are read in the order of the text; bodies become [`elements`](elements::Element), elements a
//! [`graph`](graph::Graph) whose locations and steps are exactly SPIN's, and the graph becomes the edges of the model
//! once every name is known.

mod actions;
mod build;
mod chains;
mod claims;
mod comment;
mod constants;
mod declarations;
mod elements;
mod emit;
mod environment;
mod expressions;
mod frames;
mod global;
mod graph;
mod locals;
mod loops;
mod never;
mod numbers;
mod processes;
mod references;
mod symbols;
#[cfg(test)]
mod tests;
mod text;
mod types;
mod unfold;
mod view;

use kripke_model::Model;
use kripke_model::ir::{Expr, Scheduling};

use self::environment::Environment;
use self::references::References;
use crate::diagnostic::Diagnostic;
use crate::promela::Options;
use crate::promela::ast::{self, ProcKind, Program, Unit};
use crate::promela::numbering::{Body, Numbering};
use crate::source::Sources;

/// Bytes of one state: more can't be searched.
const MAX_STATE: u64 = 16 << 20;

/// A lowered program.
#[derive(Clone, Debug)]
pub(super) struct Lowered {
    pub model: Model,
    /// The conditions, in their order.
    pub conditions: Vec<Expr>,
    /// SPIN's numbers of the statements.
    pub numbering: Numbering,
}

/// Checks a program and conditions on its states, and lowers them. None after an error.
pub(super) fn lower(
    program: &Program,
    conditions: &[ast::Expr],
    sources: &Sources,
    options: &Options,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Lowered> {
    let mut env = Environment::new(diagnostics, options);
    let references = references::references(program, conditions);
    env.uses = references.uses;
    env.enumeration(None);
    let mut collected = Collected::default();
    for (unit, item) in program.units.iter().enumerate() {
        collected.unit(&mut env, item, unit);
    }
    constants::settle_globals(&mut env, &collected.types);
    processes::count_channels(&env);
    processes::check_rendezvous(&env);
    check_size(&env);
    let drawn = processes::draw_all(&mut env, std::mem::take(&mut collected.pending), &references)?;
    let mut numbering = Numbering::default();
    let mut processes = Vec::new();
    for (i, (pending, drawn)) in drawn.iter().enumerate() {
        let (process, body) = processes::finish(&env, i, pending, drawn);
        processes.push(process);
        numbering.processes.push(body);
    }
    let trace = collected.trace.take().and_then(|t| processes::finish_trace(&env, t, &mut numbering));
    numbering.claims = collected.finish_claims(&env, program, &references);
    let conditions = conditions.iter().map(|c| claims::condition(&env, c)).collect();
    let start = processes::starts(&env, &drawn);
    if start.is_empty() && !env.failed() {
        let span =
            sources.files().first().map(|_| crate::source::Span { file: crate::source::FileId(0), start: 0, end: 0 });
        let help = "write `init { ... }` or put `active` in front of a `proctype`";
        if let Some(span) = span {
            env.report(Diagnostic::error(span, "nothing runs in this model", "no process is started").help(help));
        }
    }
    if env.failed() {
        return None;
    }
    let uses = env.uses;
    let model = Model {
        name: sources.files().first().map_or(String::new(), |f| f.name.clone()),
        language: "promela".to_string(),
        files: sources.files().to_vec(),
        enums: env.enums,
        globals: env.vars,
        channels: env.channels,
        processes,
        start,
        scheduling: Scheduling::Interleaved,
        trace,
        observer: None,
        goal: None,
        uses_last: uses.last,
        uses_priorities: uses.priorities,
        uses_timeout: uses.timeout,
        properties: collected.properties,
    };
    Some(Lowered { model, conditions, numbering })
}

/// The results of the units of a program.
#[derive(Default)]
struct Collected<'a> {
    types: Vec<types::Basic>,
    pending: Vec<processes::Pending<'a>>,
    trace: Option<processes::PendingTrace<'a>>,
    properties: Vec<kripke_model::ir::Property>,
    /// The claims among them, by their place in that list.
    claims: Vec<(usize, never::Pending<'a>)>,
    formulas: usize,
    counter: numbers::Counter,
}

impl<'a> Collected<'a> {
    fn unit(&mut self, env: &mut Environment<'_>, item: &'a Unit, unit: usize) {
        match item {
            Unit::Mtype { kind, symbols } => env.declare_symbols(kind.as_ref(), symbols, unit),
            Unit::Typedef { name, fields } => env.declare_record(name, fields, unit),
            Unit::Decl(decl) => env.declare_global(decl, unit, &mut self.types),
            Unit::Proctype(source) => {
                let mut pending = processes::declare(env, source, unit);
                let init = source.kind == ProcKind::Init;
                let name = if init { ":init:" } else { &source.name.text };
                pending.head = Some(self.counter.head(name, init, &pending.body));
                self.pending.push(pending);
            }
            Unit::Never { name, body, span, end } => {
                let mut pending = never::declare(env, body, (*span, *end), unit);
                let property = claims::never(name.as_ref(), self.claims.len(), *span);
                pending.head = Some(self.counter.head(&property.name, false, &pending.body));
                self.claims.push((self.properties.len(), pending));
                self.properties.push(property);
            }
            Unit::Ltl { name, text, expanded, span, .. } => {
                self.properties.push(claims::formula(name.as_ref(), self.formulas, (text, expanded), *span));
                self.formulas += 1;
            }
            Unit::Trace { negated, body, span, end } => {
                if self.trace.is_some() {
                    env.error(*span, "a model has at most one trace", "a second one");
                    return;
                }
                let mut pending = processes::declare_trace(env, body, *negated, (*span, *end), unit);
                pending.head = Some(self.counter.head(":trace:", false, &pending.body));
                self.trace = Some(pending);
            }
        }
    }

    /// Makes the observers of the claims, and returns the claims' numbers.
    fn finish_claims(&mut self, env: &Environment<'_>, program: &Program, references: &References) -> Vec<Body> {
        let mut numbers = Vec::new();
        for (property, pending) in std::mem::take(&mut self.claims) {
            let property = &mut self.properties[property];
            let finished = never::finish(env, pending, &property.name, references);
            let (observer, body) = finished.unzip();
            property.observer = observer;
            numbers.push(body.unwrap_or_default());
        }
        for item in &program.units {
            match item {
                Unit::Never { body, .. } => claims::check_never(env, body),
                Unit::Ltl { expanded, span, .. } => claims::check_formula(env, expanded, *span),
                _ => {}
            }
        }
        numbers
    }
}

/// Refuses models whose single state would be larger than anything that can be searched.
fn check_size(env: &Environment<'_>) {
    let bytes = |v: &kripke_model::ir::Var| v.len() as u64 * u64::from(v.ty.bits.div_ceil(8));
    let locals = env.processes.iter().flat_map(|p| &p.frame.vars);
    let mut total = 0;
    for var in env.vars.iter().chain(locals) {
        total += bytes(var);
        if let kripke_model::ir::Init::Channels(id) = var.init {
            let channel = &env.channels[id.index()];
            let message: u64 = channel.fields.iter().map(|f| u64::from(f.bits.div_ceil(8))).sum();
            total += var.len() as u64 * u64::from(channel.capacity) * message;
        }
        if total > MAX_STATE {
            let here = format!("{} MiB up to here", total >> 20);
            return env.error(var.span, "a state of this model would be too large", here);
        }
    }
}
