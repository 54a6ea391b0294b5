//! Is a model well formed? What every language must deliver and the interpreter relies on.

use crate::ir::{
    Edge, Effect, Expr, Guard, Init, Model, Pattern, Piece, Place, Process, ProcessId, Sync, Then, VarRef,
};

impl Model {
    /// The first thing wrong with the model: an id without its target, a place with the wrong number of indices.
    /// Such a model is a bug of its language's lowering, not of its author.
    pub fn validate(&self) -> Result<(), String> {
        let global = Checker { model: self, process: None };
        for var in &self.globals {
            global.init(&var.init).map_err(|e| format!("global {}: {e}", var.name))?;
        }
        for start in &self.start {
            let process = self.processes.get(start.process.index()).ok_or("start of no process type")?;
            check(start.args.len() == process.params, || format!("start of {} with wrong arity", process.name))?;
            start.args.iter().try_for_each(|a| global.expr(a))?;
        }
        for process in &self.processes {
            self.validate_process(process).map_err(|e| format!("process {}: {e}", process.name))?;
        }
        if let Some(trace) = &self.trace {
            self.validate_process(&trace.automaton).map_err(|e| format!("trace: {e}"))?;
            check(trace.end.index() < trace.automaton.locations.len(), || "trace: no such end".to_string())?;
        }
        if let Some(observer) = &self.observer {
            let automaton = &observer.automaton;
            self.validate_process(automaton).map_err(|e| format!("observer: {e}"))?;
            check(automaton.locals.is_empty(), || "observer with variables of its own".to_string())?;
            let plain = |e: &Edge| e.sync.is_none() && e.chain.is_none() && e.then == Then::Yield;
            check(automaton.edges.iter().all(plain), || "observer with more than guards and effects".to_string())?;
            let simple = |e: &Effect| matches!(e, Effect::Assign(..) | Effect::Require { .. } | Effect::Assert(_));
            let effects = automaton.edges.iter().flat_map(|e| &e.effects);
            check(effects.into_iter().all(simple), || "observer that creates or removes".to_string())?;
        }
        if let Some(goal) = &self.goal {
            global.expr(&goal.condition).map_err(|e| format!("goal: {e}"))?;
        }
        Ok(())
    }

    fn validate_process(&self, process: &Process) -> Result<(), String> {
        let checker = Checker { model: self, process: Some(process) };
        check(process.params <= process.locals.len(), || "more parameters than locals".to_string())?;
        check(process.entry.index() < process.locations.len(), || "no entry".to_string())?;
        process.provided.iter().try_for_each(|e| checker.expr(e))?;
        process.claims.iter().try_for_each(|c| checker.expr(&c.channel))?;
        for var in &process.locals {
            checker.init(&var.init).map_err(|e| format!("local {}: {e}", var.name))?;
        }
        for (i, location) in process.locations.iter().enumerate() {
            let mut level = 0;
            for id in &location.edges {
                let edge = process.edges.get(id.index()).ok_or_else(|| format!("L{i}: no such edge"))?;
                checker.edge(edge).map_err(|e| format!("L{i}: {e}"))?;
                check(edge.level >= level, || format!("L{i}: levels out of order"))?;
                level = edge.level;
            }
        }
        Ok(())
    }
}

fn check(condition: bool, message: impl FnOnce() -> String) -> Result<(), String> {
    if condition { Ok(()) } else { Err(message()) }
}

struct Checker<'a> {
    model: &'a Model,
    process: Option<&'a Process>,
}

impl Checker<'_> {
    fn init(&self, init: &Init) -> Result<(), String> {
        match init {
            Init::Zero | Init::Param => Ok(()),
            Init::All(e) => self.expr(e),
            Init::List(list) => list.iter().try_for_each(|e| self.expr(e)),
            Init::Channels(id) => check(id.index() < self.model.channels.len(), || "no such channel".to_string()),
        }
    }

    fn edge(&self, edge: &Edge) -> Result<(), String> {
        let locations = self.process.map_or(0, |p| p.locations.len());
        check(edge.chain.unwrap_or(edge.target).index() < locations, || "no such target".to_string())?;
        if let Guard::When(e) = &edge.guard {
            self.expr(e)?;
        }
        match &edge.sync {
            None => {}
            Some(Sync::Send { channel, args, .. }) => {
                self.expr(channel)?;
                args.iter().try_for_each(|e| self.expr(e))?;
            }
            Some(Sync::Receive { channel, args, condition, .. }) => {
                self.expr(channel)?;
                self.patterns(args)?;
                condition.iter().try_for_each(|e| self.expr(e))?;
            }
        }
        edge.effects.iter().try_for_each(|e| self.effect(e))
    }

    fn effect(&self, effect: &Effect) -> Result<(), String> {
        match effect {
            Effect::Assign(place, e) => {
                self.place(place)?;
                self.expr(e)
            }
            Effect::Run { process, args, priority, result } => {
                let child = self.child(*process)?;
                check(args.len() == child.params, || format!("run {} with wrong arity", child.name))?;
                args.iter().chain(priority).try_for_each(|e| self.expr(e))?;
                result.iter().try_for_each(|p| self.place(p))
            }
            Effect::Assert(e) | Effect::Require { condition: e, .. } => self.expr(e),
            Effect::Print(print) => print.pieces.iter().try_for_each(|piece| match piece {
                Piece::Text(_) => Ok(()),
                Piece::Value(_, e) => self.expr(e),
                Piece::Symbol(kind, e) => {
                    check(kind.index() < self.model.enums.len(), || "no such enumeration".to_string())?;
                    self.expr(e)
                }
            }),
            Effect::SetPriority { pid, priority } => {
                self.expr(pid)?;
                self.expr(priority)
            }
            Effect::Remove => Ok(()),
        }
    }

    fn child(&self, process: ProcessId) -> Result<&Process, String> {
        self.model.processes.get(process.index()).ok_or_else(|| "no such process type".to_string())
    }

    fn patterns(&self, patterns: &[Pattern]) -> Result<(), String> {
        patterns.iter().try_for_each(|p| match p {
            Pattern::Match(e) => self.expr(e),
            Pattern::Store(place) => self.place(place),
            Pattern::Any => Ok(()),
        })
    }

    fn place(&self, place: &Place) -> Result<(), String> {
        let var = match place.var {
            VarRef::Global(id) => self.model.globals.get(id.index()),
            VarRef::Local(id) => self.process.and_then(|p| p.locals.get(id.index())),
        };
        let var = var.ok_or_else(|| format!("no such variable: {:?}", place.var))?;
        check(var.dims.len() == place.index.len(), || format!("{} with the wrong number of indices", var.name))?;
        place.index.iter().try_for_each(|e| self.expr(e))
    }

    fn expr(&self, expr: &Expr) -> Result<(), String> {
        match expr {
            Expr::Const(_)
            | Expr::Pid
            | Expr::ProcessCount
            | Expr::Last
            | Expr::Timeout
            | Expr::NonProgress
            | Expr::Input
            | Expr::Fault(_) => Ok(()),
            Expr::ObserverAt(locations) => {
                let known = self.model.observer.as_ref().map_or(0, |o| o.automaton.locations.len());
                check(locations.iter().all(|l| l.index() < known), || "no such location of the observer".to_string())
            }
            Expr::Load(place) => self.place(place),
            Expr::Unary(_, e) | Expr::Channel(_, e) | Expr::Enabled(e) | Expr::Location(e) | Expr::Priority(e) => {
                self.expr(e)
            }
            Expr::Binary(_, a, b) => {
                self.expr(a)?;
                self.expr(b)
            }
            Expr::Cond(parts) => parts.iter().try_for_each(|e| self.expr(e)),
            Expr::Poll { channel, args, .. } => {
                self.expr(channel)?;
                self.patterns(args)
            }
            Expr::At { process, pid, locations } => {
                let child = self.child(*process)?;
                pid.iter().try_for_each(|e| self.expr(e))?;
                let known = locations.iter().all(|l| l.index() < child.locations.len());
                check(known, || format!("no such location of {}", child.name))
            }
            Expr::Remote { process, pid, place } => {
                let owner = Checker { model: self.model, process: Some(self.child(*process)?) };
                pid.iter().try_for_each(|e| self.expr(e))?;
                let bare = Place { var: place.var, index: vec![Expr::Const(0); place.index.len()] };
                owner.place(&bare)?;
                place.index.iter().try_for_each(|e| self.expr(e))
            }
        }
    }
}
