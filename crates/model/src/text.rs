//! The IR as text, for tests and for people who want to see what their model became.
//!
//! ```text
//! process p
//!   L0: [end]
//!     L0 -> L1  when (x < 3) do x = (x + 1)  keep   // x++
//! ```

use std::fmt::{self, Display, Formatter, Write};

use crate::ir::{
    Edge, Effect, Expr, Guard, Init, Model, Pattern, Piece, Place, Process, Sync, Then, Type, Var, VarRef,
};

impl Display for Model {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for var in &self.globals {
            self.names(None).var(f, "global", var)?;
        }
        for process in &self.processes {
            self.write_process(f, process)?;
        }
        let started: Vec<&str> = self.start.iter().map(|s| &*self.processes[s.process.index()].name).collect();
        writeln!(f, "start {}", started.join(", "))?;
        if let Some(trace) = &self.trace {
            writeln!(f, "{}", if trace.negated { "notrace" } else { "trace" })?;
            self.write_process(f, &trace.automaton)?;
        }
        if let Some(observer) = &self.observer {
            writeln!(f, "observer{}", if observer.stutters { " stutters" } else { "" })?;
            self.write_process(f, &observer.automaton)?;
        }
        if let Some(goal) = &self.goal {
            writeln!(f, "goal {}", self.names(None).expr(&goal.condition))?;
        }
        Ok(())
    }
}

impl Model {
    fn names<'a>(&'a self, process: Option<&'a Process>) -> Names<'a> {
        Names { model: self, process }
    }

    fn write_process(&self, f: &mut Formatter<'_>, process: &Process) -> fmt::Result {
        let names = self.names(Some(process));
        writeln!(f, "process {}", process.name)?;
        for (i, var) in process.locals.iter().enumerate() {
            names.var(f, if i < process.params { "  param" } else { "  local" }, var)?;
        }
        for (i, location) in process.locations.iter().enumerate() {
            let mut flags = String::new();
            for (set, name) in [
                (location.end, " end"),
                (location.accept, " accept"),
                (location.progress, " progress"),
                (location.committed, " committed"),
                (i == process.entry.index(), " entry"),
            ] {
                flags.push_str(if set { name } else { "" });
            }
            writeln!(f, "  L{i}:{flags}")?;
            for id in &location.edges {
                names.edge(f, &process.edges[id.index()])?;
            }
        }
        Ok(())
    }
}

/// Prints with the names of a model, and of a process's locals.
struct Names<'a> {
    model: &'a Model,
    process: Option<&'a Process>,
}

impl Names<'_> {
    fn var(&self, f: &mut Formatter<'_>, kind: &str, var: &Var) -> fmt::Result {
        write!(f, "{kind} {}: {}", var.name, ty(var.ty))?;
        for dim in &var.dims {
            write!(f, "[{dim}]")?;
        }
        if let Some((low, high)) = var.range {
            write!(f, " in {low}..{high}")?;
        }
        match &var.init {
            Init::Zero | Init::Param => {}
            Init::All(e) => write!(f, " = {}", self.expr(e))?,
            Init::List(list) => write!(f, " = {{{}}}", self.list(list))?,
            Init::Channels(id) => {
                let channel = &self.model.channels[id.index()];
                let fields: Vec<String> = channel.fields.iter().map(|t| ty(*t)).collect();
                write!(f, " = channel[{}] of {{{}}}", channel.capacity, fields.join(", "))?;
            }
        }
        writeln!(f, "{}", if var.hidden { " hidden" } else { "" })
    }

    fn edge(&self, f: &mut Formatter<'_>, edge: &Edge) -> fmt::Result {
        write!(f, "    ")?;
        if edge.level > 0 {
            write!(f, "level {} ", edge.level)?;
        }
        match &edge.guard {
            Guard::Always => {}
            Guard::When(e) => write!(f, "when {} ", self.expr(e))?,
            Guard::Else => write!(f, "else ")?,
            Guard::Youngest => write!(f, "youngest ")?,
        }
        match &edge.sync {
            None => {}
            Some(Sync::Send { channel, args, sorted }) => {
                write!(
                    f,
                    "send{} {} ({}) ",
                    if *sorted { " sorted" } else { "" },
                    self.expr(channel),
                    self.list(args)
                )?;
            }
            Some(Sync::Receive { channel, args, anywhere, keep, condition }) => {
                let how = match (anywhere, keep) {
                    (false, false) => "",
                    (true, false) => " anywhere",
                    (false, true) => " keep",
                    (true, true) => " anywhere keep",
                };
                write!(f, "receive{how} {} ({}) ", self.expr(channel), self.patterns(args))?;
                if let Some(condition) = condition {
                    write!(f, "if {} ", self.expr(condition))?;
                }
            }
        }
        for effect in &edge.effects {
            write!(f, "{}; ", self.effect(effect))?;
        }
        match edge.chain {
            Some(entry) => write!(f, "chain L{}", entry.0)?,
            None => write!(f, "-> L{}", edge.target.0)?,
        }
        let then = match edge.then {
            Then::Yield => "",
            Then::Keep => " keep",
            Then::Chain => " chained",
        };
        writeln!(f, "{then}   // {}", edge.label.escape_debug())
    }

    fn effect(&self, effect: &Effect) -> String {
        match effect {
            Effect::Assign(place, value) => format!("{} = {}", self.place(place), self.expr(value)),
            Effect::Assert(e) => format!("assert {}", self.expr(e)),
            Effect::Require { condition, .. } => format!("require {}", self.expr(condition)),
            Effect::Print(print) => {
                let piece = |p: &Piece| match p {
                    Piece::Text(text) => format!("\"{}\"", text.escape_debug()),
                    Piece::Value(_, e) | Piece::Symbol(_, e) => self.expr(e),
                };
                format!("print {}", print.pieces.iter().map(piece).collect::<Vec<_>>().join(" "))
            }
            Effect::Run { process, args, priority, result } => {
                let mut text = format!("run {}({})", self.model.processes[process.index()].name, self.list(args));
                if let Some(priority) = priority {
                    let _ = write!(text, " priority {}", self.expr(priority));
                }
                match result {
                    Some(place) => format!("{} = {text}", self.place(place)),
                    None => text,
                }
            }
            Effect::SetPriority { pid, priority } => format!("priority {} = {}", self.expr(pid), self.expr(priority)),
            Effect::Remove => "remove".to_string(),
        }
    }

    fn list(&self, exprs: &[Expr]) -> String {
        exprs.iter().map(|e| self.expr(e)).collect::<Vec<_>>().join(", ")
    }

    fn patterns(&self, patterns: &[Pattern]) -> String {
        let pattern = |p: &Pattern| match p {
            Pattern::Match(e) => format!("={}", self.expr(e)),
            Pattern::Store(place) => self.place(place),
            Pattern::Any => "_".to_string(),
        };
        patterns.iter().map(pattern).collect::<Vec<_>>().join(", ")
    }

    fn place(&self, place: &Place) -> String {
        let name = match place.var {
            VarRef::Global(id) => self.model.globals.get(id.index()).map(|v| &v.name),
            VarRef::Local(id) => self.process.and_then(|p| p.locals.get(id.index())).map(|v| &v.name),
        };
        let mut text = name.cloned().unwrap_or_else(|| format!("{:?}", place.var));
        for index in &place.index {
            let _ = write!(text, "[{}]", self.expr(index));
        }
        text
    }

    fn expr(&self, expr: &Expr) -> String {
        let pid = |pid: &Option<Box<Expr>>| pid.as_ref().map_or(String::new(), |e| format!("[{}]", self.expr(e)));
        match expr {
            Expr::Const(v) => v.to_string(),
            Expr::Load(place) => self.place(place),
            Expr::Unary(op, a) => format!("{}{}", op.symbol(), self.expr(a)),
            Expr::Binary(op, a, b) => format!("({} {} {})", self.expr(a), op.symbol(), self.expr(b)),
            Expr::Cond(parts) => {
                let [test, yes, no] = &**parts;
                format!("({} ? {} : {})", self.expr(test), self.expr(yes), self.expr(no))
            }
            Expr::Channel(query, channel) => format!("{}({})", query.name(), self.expr(channel)),
            Expr::Poll { channel, args, anywhere } => {
                let how = if *anywhere { "??" } else { "?" };
                format!("{}{how}[{}]", self.expr(channel), self.patterns(args))
            }
            Expr::Pid => "pid".to_string(),
            Expr::ProcessCount => "processes".to_string(),
            Expr::Last => "last".to_string(),
            Expr::Timeout => "timeout".to_string(),
            Expr::NonProgress => "nonprogress".to_string(),
            Expr::Enabled(e) => format!("enabled({})", self.expr(e)),
            Expr::Location(e) => format!("location({})", self.expr(e)),
            Expr::Priority(e) => format!("priority({})", self.expr(e)),
            Expr::At { process, pid: who, locations } => {
                let name = &self.model.processes[process.index()].name;
                let places: Vec<String> = locations.iter().map(|l| format!("L{}", l.0)).collect();
                format!("{name}{}@{}", pid(who), places.join("|"))
            }
            Expr::Remote { process, pid: who, place } => {
                let owner = &self.model.processes[process.index()];
                let names = self.model.names(Some(owner));
                format!("{}{}:{}", owner.name, pid(who), names.place(place))
            }
            Expr::ObserverAt(locations) => {
                let places: Vec<String> = locations.iter().map(|l| format!("L{}", l.0)).collect();
                format!("observer@{}", places.join("|"))
            }
            Expr::Input => "input".to_string(),
            Expr::Fault(message) => format!("fault({message:?})"),
        }
    }
}

fn ty(ty: Type) -> String {
    format!("{}{}", if ty.signed { 'i' } else { 'u' }, ty.bits)
}
