//! From a model to its text form: declarations, processes and edges.

use std::collections::HashSet;
use std::fmt::{self, Write};

use super::scope::{self, Scope, Table};
use super::words::{name, source, string};
use crate::ir::{
    Channel, Direction, Edge, EdgeId, Enum, Goal, Guard, Init, LocId, Location, Model, Observer, Process, Property,
    PropertyKind, Scheduling, Shows, SourceFile, Span, Start, Sync, Then, Trace, Type, Var,
};

/// The span of a part that is nowhere in the source text; it is not written.
pub(super) const NO_SPAN: Span = Span { file: crate::ir::FileId(0), start: 0, end: 0 };

/// The priority of a process unless another is written.
pub(super) const USUAL_PRIORITY: i32 = 1;

/// Writes a model, with its files and spans if `full`.
pub(super) fn print(model: &Model, full: bool) -> String {
    let scope = Scope::of(model);
    let mut printer = Printer { scope: &scope, locals: Table::default(), full, out: String::new() };
    printer.model(model);
    printer.out
}

/// Writes the code of one edge.
pub(super) fn code(model: &Model, process: &Process, edge: &Edge) -> String {
    let scope = Scope::of(model);
    let mut printer = Printer { scope: &scope, locals: scope::locals(process), full: false, out: String::new() };
    printer.code(edge);
    printer.out.trim_end().trim_end_matches(';').to_string()
}

/// Writes a type.
pub(super) fn type_name(model: &Model, ty: Type) -> String {
    let scope = Scope::of(model);
    let mut printer = Printer { scope: &scope, locals: Table::default(), full: false, out: String::new() };
    printer.ty(ty);
    printer.out
}

pub(super) struct Printer<'a> {
    pub scope: &'a Scope,
    /// The variables of the process that is being written.
    pub locals: Table,
    full: bool,
    pub out: String,
}

impl Printer<'_> {
    pub fn put(&mut self, text: fmt::Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = self.out.write_fmt(text);
    }

    pub fn text(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Writes the items with something between them.
    pub fn separated<T>(&mut self, items: &[T], separator: &str, mut write: impl FnMut(&mut Self, &T)) {
        for (i, item) in items.iter().enumerate() {
            self.text(if i > 0 { separator } else { "" });
            write(self, item);
        }
    }

    fn flags<const N: usize>(&mut self, flags: [(bool, &str); N]) {
        for (_, flag) in flags.iter().filter(|(set, _)| *set) {
            self.put(format_args!(" {flag}"));
        }
    }

    fn model(&mut self, model: &Model) {
        self.put(format_args!("model {} in {}\n", string(&model.name), string(&model.language)));
        if model.scheduling == Scheduling::Synchronous {
            self.text("synchronous\n");
        }
        let uses = [
            (model.uses_last, "uses last\n"),
            (model.uses_priorities, "uses priority\n"),
            (model.uses_timeout, "uses timeout\n"),
        ];
        uses.iter().filter(|(uses, _)| *uses).for_each(|(_, line)| self.text(line));
        if self.full {
            model.files.iter().for_each(|file| self.file(file));
        }
        model.enums.iter().for_each(|e| self.symbols(e));
        model.channels.iter().for_each(|c| self.channel(c));
        model.globals.iter().for_each(|v| self.var("global", v, &Init::Zero));
        model.processes.iter().for_each(|p| self.process("process", p));
        self.starts(&model.start);
        model.trace.iter().for_each(|t| self.trace(t));
        model.observer.iter().for_each(|o| self.observer(o));
        model.goal.iter().for_each(|g| self.goal(g));
        model.properties.iter().for_each(|p| self.property(p));
    }

    fn file(&mut self, file: &SourceFile) {
        self.put(format_args!("file {}", string(&file.name)));
        self.flags([(file.asked, "asked")]);
        self.put(format_args!(" text {}\n", source(&file.text)));
    }

    fn symbols(&mut self, symbols: &Enum) {
        self.put(format_args!("enum {} {{", name(&symbols.name)));
        self.separated(&symbols.symbols, ", ", |p, (symbol, value)| p.put(format_args!("{} = {value}", name(symbol))));
        self.text("}\n");
    }

    fn channel(&mut self, channel: &Channel) {
        self.put(format_args!("channel {}: [{}] of {{", name(&channel.name), channel.capacity));
        self.separated(&channel.fields, ", ", |p, field| p.ty(*field));
        self.text("}");
        self.span(channel.span);
        self.text("\n");
    }

    fn ty(&mut self, ty: Type) {
        self.put(format_args!("{}{}", if ty.signed { 'i' } else { 'u' }, ty.bits));
        match ty.shows {
            Shows::Number => {}
            Shows::Bool => self.text(" as bool"),
            Shows::Symbol(id) => self.put(format_args!(" as enum({})", self.scope.enums.written(id.index()))),
            Shows::Channel => self.text(" as chan"),
            Shows::Pid => self.text(" as pid"),
        }
    }

    /// A declaration of a variable; an initial value of the `usual` kind is not written.
    fn var(&mut self, kind: &str, var: &Var, usual: &Init) {
        self.put(format_args!("{kind} {}: ", name(&var.name)));
        self.ty(var.ty);
        var.dims.iter().for_each(|dim| self.put(format_args!("[{dim}]")));
        if let Some((low, high)) = var.range {
            self.put(format_args!(" in {low}..{high}"));
        }
        match &var.init {
            init if std::mem::discriminant(init) == std::mem::discriminant(usual) => {}
            Init::Zero => self.text(" = zero"),
            Init::Param => self.text(" = argument"),
            Init::All(e) => {
                self.text(" = ");
                self.expr(e);
            }
            Init::List(list) => {
                self.text(" = {");
                self.list(list);
                self.text("}");
            }
            Init::Channels(id) => self.put(format_args!(" = new {}", self.scope.channels.written(id.index()))),
        }
        self.flags([(var.hidden, "hidden")]);
        self.span(var.span);
        self.text("\n");
    }

    fn span(&mut self, span: Span) {
        if span != NO_SPAN {
            self.some_span(span);
        }
    }

    fn some_span(&mut self, span: Span) {
        let Span { file, start, end } = span;
        match (self.full, file.0) {
            (false, _) => {}
            (true, 0) => self.put(format_args!(" @{start}..{end}")),
            (true, file) => self.put(format_args!(" @{file}:{start}..{end}")),
        }
    }

    fn starts(&mut self, starts: &[Start]) {
        if !starts.is_empty() {
            self.text("start ");
            self.separated(starts, ", ", |p, start| p.start(start));
            self.text("\n");
        }
    }

    fn start(&mut self, start: &Start) {
        self.text(&self.scope.processes.written(start.process.index()));
        if !start.args.is_empty() {
            self.text("(");
            self.list(&start.args);
            self.text(")");
        }
        if start.priority != USUAL_PRIORITY {
            self.put(format_args!(" priority {}", start.priority));
        }
    }

    fn trace(&mut self, trace: &Trace) {
        self.put(format_args!("{} end L{}\n", if trace.negated { "notrace" } else { "trace" }, trace.end.0));
        self.process("automaton", &trace.automaton);
    }

    fn observer(&mut self, observer: &Observer) {
        self.text("observer");
        self.flags([(observer.stutters, "stutters"), (observer.labels, "labels")]);
        if !observer.marks.is_empty() {
            self.text(" marks(");
            self.separated(&observer.marks, ", ", |p, marks| p.put(format_args!("{marks}")));
            self.text(")");
        }
        self.text("\n");
        self.process("automaton", &observer.automaton);
    }

    fn goal(&mut self, goal: &Goal) {
        self.text("goal ");
        self.expr(&goal.condition);
        self.put(format_args!("\n  text {}", string(&goal.text)));
        goal.span.iter().for_each(|span| self.some_span(*span));
        self.text("\n");
    }

    fn property(&mut self, property: &Property) {
        let kind = match property.kind {
            PropertyKind::Ltl => "ltl",
            PropertyKind::Ctl => "ctl",
            PropertyKind::Never => "never",
            PropertyKind::Process => "process",
        };
        self.put(format_args!("property {} {kind}", name(&property.name)));
        for (word, text) in [("text", &property.text), ("formula", &property.formula)] {
            if !text.is_empty() {
                self.put(format_args!(" {word} {}", string(text)));
            }
        }
        self.span(property.span);
        self.text("\n");
        if let Some(observer) = &property.observer {
            self.text("  with ");
            self.observer(observer);
        }
    }

    fn process(&mut self, kind: &str, process: &Process) {
        self.locals = scope::locals(process);
        self.put(format_args!("{kind} {}", name(&process.name)));
        if process.priority != USUAL_PRIORITY {
            self.put(format_args!(" priority {}", process.priority));
        }
        if process.entry.index() >= process.locations.len() {
            self.put(format_args!(" entry L{}", process.entry.0));
        }
        self.span(process.span);
        self.text("\n");
        if let Some(condition) = &process.provided {
            self.text("  provided ");
            self.expr(condition);
            self.text("\n");
        }
        for claim in &process.claims {
            self.put(format_args!("  claim {} ", if claim.direction == Direction::Send { "send" } else { "receive" }));
            self.expr(&claim.channel);
            self.span(claim.span);
            self.text("\n");
        }
        for (i, var) in process.locals.iter().enumerate() {
            let (kind, usual) = if i < process.params { ("  param", Init::Param) } else { ("  local", Init::Zero) };
            self.var(kind, var, &usual);
        }
        self.graph(process);
        self.locals = Table::default();
    }

    fn graph(&mut self, process: &Process) {
        let mut written = HashSet::new();
        let mut next = 0;
        for (i, location) in process.locations.iter().enumerate() {
            self.location(i, location, process.entry);
            for id in &location.edges {
                match process.edges.get(id.index()) {
                    Some(edge) if written.insert(*id) => self.numbered(*id, edge, &mut next),
                    _ => self.put(format_args!("    edge E{}\n", id.0)),
                }
            }
        }
        let ids = (0..process.edges.len() as u32).map(EdgeId);
        let unused: Vec<EdgeId> = ids.filter(|id| !written.contains(id)).collect();
        if !unused.is_empty() {
            self.text("  unused:\n");
            unused.iter().for_each(|id| self.numbered(*id, &process.edges[id.index()], &mut next));
        }
    }

    fn location(&mut self, number: usize, location: &Location, entry: LocId) {
        self.put(format_args!("  L{number}:"));
        self.flags([
            (location.end, "end"),
            (location.accept, "accept"),
            (location.progress, "progress"),
            (location.committed, "committed"),
            (number == entry.index(), "entry"),
        ]);
        if !location.labels.is_empty() {
            self.text(" labels(");
            self.separated(&location.labels, ", ", |p, label| p.text(&name(label)));
            self.text(")");
        }
        self.text("\n");
    }

    /// An edge, with its number unless it is the next one.
    fn numbered(&mut self, id: EdgeId, edge: &Edge, next: &mut u32) {
        self.text("    ");
        if id.0 != *next {
            self.put(format_args!("E{}: ", id.0));
        }
        *next = id.0 + 1;
        self.edge(edge);
    }

    /// The guard, the channel operation and the effects of an edge.
    fn code(&mut self, edge: &Edge) {
        if edge.level > 0 {
            self.put(format_args!("level {} ", edge.level));
        }
        match &edge.guard {
            Guard::Always => {}
            Guard::When(e) => {
                self.text("when ");
                self.expr(e);
                self.text(" ");
            }
            Guard::Else => self.text("else "),
            Guard::Youngest => self.text("youngest "),
        }
        edge.sync.iter().for_each(|sync| self.sync(sync));
        for effect in &edge.effects {
            self.effect(effect);
            self.text("; ");
        }
    }

    fn edge(&mut self, edge: &Edge) {
        self.code(edge);
        if let Some(entry) = edge.chain {
            self.put(format_args!("chain L{} ", entry.0));
        }
        self.put(format_args!("-> L{}", edge.target.0));
        self.flags([(edge.then == Then::Keep, "keep"), (edge.then == Then::Chain, "chained")]);
        if !edge.label.is_empty() {
            self.put(format_args!("   {}", string(&edge.label)));
        }
        self.span(edge.span);
        if let Some(inside) = edge.inside.as_ref().filter(|_| self.full) {
            self.put(format_args!(" inside {}", string(&inside.name)));
            self.span(inside.span);
        }
        self.text("\n");
    }

    fn sync(&mut self, sync: &Sync) {
        match sync {
            Sync::Send { channel, args, sorted } => {
                self.text(if *sorted { "send sorted " } else { "send " });
                self.expr(channel);
                self.text(" (");
                self.list(args);
                self.text(") ");
            }
            Sync::Receive { channel, args, anywhere, keep, condition } => {
                self.text("receive");
                self.flags([(*anywhere, "anywhere"), (*keep, "keep")]);
                self.text(" ");
                self.expr(channel);
                self.text(" (");
                self.patterns(args);
                self.text(") ");
                if let Some(condition) = condition {
                    self.text("if ");
                    self.expr(condition);
                    self.text(" ");
                }
            }
        }
    }
}
