//! Validity of a model: the conditions that every language guarantees and the interpreter relies on.

use std::collections::HashSet;

use crate::ir::{
    Channel, Edge, Effect, EnumId, Expr, Guard, Init, LocId, Model, Observer, Pattern, Piece, Place, Process,
    ProcessId, Shows, Start, Sync, Then, Type, Var, VarId, VarRef,
};

/// An error of validation, in words.
type Valid = Result<(), String>;

impl Model {
    /// The first error in the model: an id without a declaration, a place with the wrong number of indices, and the like. An
    /// invalid model is a bug of its language's lowering or of a pass, not of the user's text.
    pub fn validate(&self) -> Valid {
        let checker = Checker { model: self, process: None, observer: self.observer.as_ref() };
        self.channels.iter().try_for_each(|c| checker.channel(c))?;
        self.globals.iter().try_for_each(|v| checker.var(v).map_err(|e| format!("global `{}`: {e}", v.name)))?;
        self.start.iter().try_for_each(|s| checker.start(s).map_err(|e| format!("start: {e}")))?;
        for process in &self.processes {
            checker.process(process).map_err(|e| format!("process {}: {e}", process.name))?;
        }
        if let Some(trace) = &self.trace {
            checker.process(&trace.automaton).map_err(|e| format!("trace: {e}"))?;
            location(trace.end, &trace.automaton).map_err(|e| format!("trace: {e}"))?;
        }
        if let Some(observer) = &self.observer {
            checker.observer(observer).map_err(|e| format!("observer: {e}"))?;
        }
        for property in &self.properties {
            let Some(observer) = &property.observer else { continue };
            let checker = Checker { observer: Some(observer), ..checker };
            checker.observer(observer).map_err(|e| format!("property {}: {e}", property.name))?;
        }
        self.goal.iter().try_for_each(|g| checker.expr(&g.condition).map_err(|e| format!("goal: {e}")))
    }

    /// Panics in debug builds if the model is invalid. Every pass from models to models ends with this.
    pub fn debug_validate(&self, pass: &str) {
        if cfg!(debug_assertions)
            && let Err(error) = self.validate()
        {
            panic!("{pass} made an invalid model: {error}\n{self}");
        }
    }
}

fn check(condition: bool, message: impl FnOnce() -> String) -> Valid {
    if condition { Ok(()) } else { Err(message()) }
}

fn location(id: LocId, process: &Process) -> Valid {
    check(id.index() < process.locations.len(), || format!("no location L{}", id.0))
}

/// Whether an indivisible sequence that begins at `entry` reaches a location, possibly within further sequences.
fn leads_to(process: &Process, entry: LocId, location: LocId) -> bool {
    let mut reached = HashSet::from([entry]);
    let mut stack = vec![entry];
    while let Some(at) = stack.pop().filter(|_| !reached.contains(&location)) {
        let ids = process.locations.get(at.index()).map_or(&[][..], |l| &l.edges);
        for edge in ids.iter().filter_map(|id| process.edges.get(id.index())) {
            let next = edge.chain.into_iter().chain((edge.then == Then::Chain).then_some(edge.target));
            stack.extend(next.filter(|next| reached.insert(*next)));
        }
    }
    reached.contains(&location)
}

/// Checks what is written in the context of a process, or outside any.
#[derive(Clone, Copy)]
struct Checker<'a> {
    model: &'a Model,
    process: Option<&'a Process>,
    /// The observer that [`Expr::ObserverAt`] is about.
    observer: Option<&'a Observer>,
}

impl<'a> Checker<'a> {
    fn channel(&self, channel: &Channel) -> Valid {
        channel.fields.iter().try_for_each(|ty| self.ty(*ty)).map_err(|e| format!("channel `{}`: {e}", channel.name))
    }

    fn ty(&self, ty: Type) -> Valid {
        check((1..=32).contains(&ty.bits), || format!("{} bits", ty.bits))?;
        if let Shows::Symbol(id) = ty.shows { self.enumeration(id) } else { Ok(()) }
    }

    fn enumeration(&self, id: EnumId) -> Valid {
        check(id.index() < self.model.enums.len(), || format!("no enumeration {}", id.0))
    }

    fn var(&self, var: &Var) -> Valid {
        self.ty(var.ty)?;
        match &var.init {
            Init::Zero | Init::Param => Ok(()),
            Init::All(e) => self.expr(e),
            Init::List(list) => self.exprs(list),
            Init::Channels(id) => check(id.index() < self.model.channels.len(), || format!("no channel {}", id.0)),
        }
    }

    fn start(&self, start: &Start) -> Valid {
        self.call(start.process, &start.args)
    }

    fn call(&self, process: ProcessId, args: &[Expr]) -> Valid {
        let callee = self.process_type(process)?;
        let (name, params) = (&callee.name, callee.params);
        check(args.len() == params, || format!("`{name}` has {params} parameters and {} arguments", args.len()))?;
        self.exprs(args)
    }

    fn process_type(&self, id: ProcessId) -> Result<&'a Process, String> {
        self.model.processes.get(id.index()).ok_or_else(|| format!("no process type {}", id.0))
    }

    fn process(&self, process: &'a Process) -> Valid {
        let inside = Checker { process: Some(process), ..*self };
        check(process.params <= process.locals.len(), || "more parameters than locals".to_string())?;
        location(process.entry, process).map_err(|e| format!("entry: {e}"))?;
        process.provided.iter().try_for_each(|e| inside.expr(e))?;
        process.claims.iter().try_for_each(|c| inside.expr(&c.channel))?;
        process.locals.iter().try_for_each(|v| inside.var(v).map_err(|e| format!("local `{}`: {e}", v.name)))?;
        for (i, location) in process.locations.iter().enumerate() {
            let mut level = 0;
            for id in &location.edges {
                let edge = process.edges.get(id.index()).ok_or_else(|| format!("L{i}: no edge E{}", id.0))?;
                inside.edge(edge, process).map_err(|e| format!("L{i}: {e}"))?;
                check(edge.level >= level, || format!("L{i}: levels out of order"))?;
                let endless = edge.chain.is_some_and(|entry| leads_to(process, entry, LocId(i as u32)));
                check(!endless, || format!("L{i}: an indivisible sequence within itself"))?;
                level = edge.level;
            }
        }
        Ok(())
    }

    fn observer(&self, observer: &'a Observer) -> Valid {
        let automaton = &observer.automaton;
        self.process(automaton)?;
        check(automaton.locals.is_empty(), || "local variables".to_string())?;
        let plain = |e: &Edge| e.sync.is_none() && e.chain.is_none() && e.then == Then::Yield;
        check(automaton.edges.iter().all(plain), || "an edge with more than a guard and effects".to_string())?;
        let simple = |e: &Effect| matches!(e, Effect::Assign(..) | Effect::Require { .. } | Effect::Assert(_));
        let effects = automaton.edges.iter().flat_map(|e| &e.effects);
        let allowed = "an assignment, an assertion or a requirement";
        check(effects.into_iter().all(simple), || format!("an effect other than {allowed}"))?;
        let (marks, edges) = (observer.marks.len(), automaton.edges.len());
        check(marks == 0 || marks == edges, || format!("{marks} marks for {edges} edges"))
    }

    fn edge(&self, edge: &Edge, process: &Process) -> Valid {
        location(edge.chain.unwrap_or(edge.target), process)?;
        if let Guard::When(e) = &edge.guard {
            self.expr(e)?;
        }
        match &edge.sync {
            None => {}
            Some(Sync::Send { channel, args, .. }) => {
                self.expr(channel)?;
                self.exprs(args)?;
            }
            Some(Sync::Receive { channel, args, condition, .. }) => {
                self.expr(channel)?;
                self.patterns(args)?;
                condition.iter().try_for_each(|e| self.expr(e))?;
            }
        }
        let removal = edge.effects.iter().position(|e| matches!(e, Effect::Remove));
        let is_last = removal.is_some_and(|at| at + 1 == edge.effects.len()) && edge.then != Then::Chain;
        let may_remove = is_last && matches!(edge.guard, Guard::Youngest);
        check(removal.is_none() || may_remove, || "`remove` is not the end of a `youngest` edge".to_string())?;
        edge.effects.iter().try_for_each(|e| self.effect(e))
    }

    fn exprs(&self, exprs: &[Expr]) -> Valid {
        exprs.iter().try_for_each(|e| self.expr(e))
    }

    fn effect(&self, effect: &Effect) -> Valid {
        match effect {
            Effect::Assign(place, e) => {
                self.place(place)?;
                self.expr(e)
            }
            Effect::Run { process, args, priority, result } => {
                self.call(*process, args)?;
                priority.iter().try_for_each(|e| self.expr(e))?;
                result.iter().try_for_each(|p| self.place(p))
            }
            Effect::Assert(e) | Effect::Require { condition: e, .. } => self.expr(e),
            Effect::Print(print) => print.pieces.iter().try_for_each(|piece| match piece {
                Piece::Text(_) => Ok(()),
                Piece::Value(_, e) => self.expr(e),
                Piece::Symbol(kind, e) => {
                    self.enumeration(*kind)?;
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

    fn patterns(&self, patterns: &[Pattern]) -> Valid {
        patterns.iter().try_for_each(|p| match p {
            Pattern::Match(e) => self.expr(e),
            Pattern::Store(place) => self.place(place),
            Pattern::Any => Ok(()),
        })
    }

    fn place(&self, place: &Place) -> Valid {
        let var = match place.var {
            VarRef::Global(id) => {
                self.model.globals.get(id.index()).ok_or_else(|| format!("no global variable {}", id.0))
            }
            VarRef::Local(id) => self.local(id),
        }?;
        let (dims, index) = (var.dims.len(), place.index.len());
        check(dims == index, || format!("`{}` has {dims} dimensions and {index} indices", var.name))?;
        self.exprs(&place.index)
    }

    fn local(&self, id: VarId) -> Result<&'a Var, String> {
        self.process.and_then(|p| p.locals.get(id.index())).ok_or_else(|| format!("no local variable {}", id.0))
    }

    fn expr(&self, expr: &Expr) -> Valid {
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
                let automaton = &self.observer.ok_or("no observer")?.automaton;
                locations.iter().try_for_each(|l| location(*l, automaton))
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
                pid.iter().try_for_each(|e| self.expr(e))?;
                let process = self.process_type(*process)?;
                locations.iter().try_for_each(|l| location(*l, process)).map_err(|e| format!("{}: {e}", process.name))
            }
            Expr::Remote { process, pid, place } => {
                pid.iter().try_for_each(|e| self.expr(e))?;
                let owner = Checker { process: Some(self.process_type(*process)?), ..*self };
                let bare = Place { var: place.var, index: vec![Expr::Const(0); place.index.len()] };
                owner.place(&bare)?;
                self.exprs(&place.index)
            }
        }
    }
}
