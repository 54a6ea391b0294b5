//! The action of a single statement: guard, channel operation, effects.

use kripke_model::ir::{BinaryOp, Effect, EnumId, Expr, Guard, Piece, Place, Print, ProcessId, Shows, Sync};

use super::build::contains_run;
use super::elements::{Element, Kind};
use super::types::{Basic, Shape, Symbol};
use super::view::View;
use crate::diagnostic::Diagnostic;
use crate::promela::ast::{self, ExprKind, StmtKind};
use crate::source::Span;

#[derive(Clone, Debug)]
pub(super) struct Action {
    pub guard: Guard,
    pub sync: Option<Sync>,
    pub effects: Vec<Effect>,
}

impl Action {
    fn new(guard: Guard) -> Action {
        Action { guard, sync: None, effects: Vec::new() }
    }

    fn effect(effect: Effect) -> Action {
        Action { effects: vec![effect], ..Action::new(Guard::Always) }
    }

    fn print(print: Print) -> Action {
        Action { effects: print.effects(), ..Action::new(Guard::Always) }
    }

    fn sync(sync: Sync) -> Action {
        Action { sync: Some(sync), ..Action::new(Guard::Always) }
    }
}

impl View<'_, '_> {
    /// The action of an element.
    pub fn action(&self, element: &Element<'_>) -> Action {
        match &element.kind {
            Kind::Step(statement) => self.statement(statement, element),
            Kind::Else => Action::new(Guard::Else),
            Kind::End => Action { effects: vec![Effect::Remove], ..Action::new(Guard::Youngest) },
            _ => Action::new(Guard::Always),
        }
    }

    fn statement(&self, statement: &StmtKind, element: &Element<'_>) -> Action {
        let span = element.span;
        match statement {
            StmtKind::Expr(ast::Expr { kind: ExprKind::Run { process, args, priority }, .. }) => {
                self.no_run_in_d_step(element);
                self.run(process, args, priority.as_deref(), None)
            }
            StmtKind::Expr(e) => Action::new(Guard::When(self.expr(e))),
            StmtKind::Assign(var, value) => self.assign(var, value, element),
            StmtKind::Increment(var) => self.change(var, BinaryOp::Add),
            StmtKind::Decrement(var) => self.change(var, BinaryOp::Sub),
            StmtKind::Send { channel, args, sorted } => {
                let Some(channel) = self.channel(channel) else { return Action::new(Guard::Always) };
                let args = self.arguments(args);
                self.message_size(args.len(), span);
                Action::sync(Sync::Send { channel, args, sorted: *sorted })
            }
            StmtKind::Receive { channel, args, random, keep } => {
                let Some(channel) = self.channel(channel) else { return Action::new(Guard::Always) };
                self.no_variable_twice(args);
                let args = self.patterns(args);
                Action::sync(Sync::Receive { channel, args, anywhere: *random, keep: *keep, condition: None })
            }
            StmtKind::Assert(e) => Action::effect(Effect::Assert(self.expr(e))),
            StmtKind::Printf { format, args } => Action::print(self.print(format, args, span)),
            StmtKind::Printm(e) => {
                let kind = self.symbols_of(e);
                let value = Piece::Symbol(kind, self.expr(e));
                Action::print(Print { pieces: vec![value] })
            }
            StmtKind::SetPriority(pid, priority) => {
                Action::effect(Effect::SetPriority { pid: self.expr(pid), priority: self.expr(priority) })
            }
            _ => Action::new(Guard::Always),
        }
    }

    fn message_size(&self, found: usize, span: Span) {
        if found > self.env.widest {
            let message = format!("no channel has messages of {found} fields");
            self.env.error(span, message, format!("at most {} fields are possible", self.env.widest));
        }
    }

    fn no_variable_twice(&self, args: &[ast::RecvArg]) {
        let mut seen: Vec<&str> = Vec::new();
        for arg in args {
            let ast::RecvArg::Var(var) = arg else { continue };
            let [ast::VarPart { name, index: None }] = &var.parts[..] else { continue };
            if name.text == "_" || self.constant(&name.text).is_some() {
                continue;
            }
            if seen.contains(&name.text.as_str()) {
                let message = format!("`{}` receives two fields of one message", name.text);
                self.env.error(name.span, message, "used twice");
            }
            seen.push(&name.text);
        }
    }

    /// The place that an assignment stores to, if any.
    fn target(&self, var: &ast::VarRef) -> Option<(Place, Shape)> {
        if !self.writable(var) {
            return None;
        }
        let reference = self.reference(var)?;
        if let Shape::Record(_) = reference.shape {
            let message = format!("`{}` is a whole record", reference.name);
            self.env.report(Diagnostic::error(var.span, message, "can't be assigned").help("assign its fields"));
            return None;
        }
        Some((reference.place, reference.shape))
    }

    fn assign(&self, var: &ast::VarRef, value: &ast::Expr, element: &Element<'_>) -> Action {
        if let [ast::VarPart { name, index: None }] = &var.parts[..] {
            match name.text.as_str() {
                "_" => {
                    self.expr(value);
                    return Action::new(Guard::Always);
                }
                "_priority" => {
                    let priority = self.expr(value);
                    return Action::effect(Effect::SetPriority { pid: Expr::Pid, priority });
                }
                _ => {}
            }
        }
        let Some((place, shape)) = self.target(var) else { return Action::new(Guard::Always) };
        if contains_run(value) {
            self.no_run_in_d_step(element);
            return self.assign_run(var, place, value);
        }
        self.check_value(var, shape, value);
        let value = self.expr(value);
        Action::effect(Effect::Assign(place, value))
    }

    /// Channels are names, not numbers; symbols belong to their own kind.
    fn check_value(&self, var: &ast::VarRef, shape: Shape, value: &ast::Expr) {
        let Shape::Scalar(scalar) = shape else { return };
        if scalar.basic == Basic::Channel && matches!(value.kind, ExprKind::Const(n) if n != 0) {
            self.env.error(value.span, "a number can't be assigned to a channel variable", "not a channel");
        }
        self.no_channel_inside(value, false);
        if let (Shows::Symbol(own), ExprKind::Var(symbol)) = (scalar.ty.shows, &value.kind)
            && self.constant_ref(symbol).is_some()
            && let Some(constant) = self.env.constants.get(&symbol.parts[0].name.text)
            && constant.kind != own
        {
            let name = |kind: EnumId| self.env.enums[kind.index()].name.clone();
            let message = format!("`{}` is a `{}`", symbol.parts[0].name.text, name(constant.kind));
            let here = format!("`{}` is a `{}`", var.parts[0].name.text, name(own));
            self.env.error(value.span, message, here);
        }
    }

    fn no_channel_inside(&self, e: &ast::Expr, inside: bool) {
        match &e.kind {
            ExprKind::Var(var) if inside => {
                let name = &var.parts[0].name.text;
                let plain = |s: &Symbol| matches!(s.shape, Shape::Scalar(s) if s.basic == Basic::Channel);
                if self.symbol(name).is_some_and(|(s, _)| plain(s)) {
                    self.env.error(e.span, "channels can't be calculated with", format!("`{name}` is a channel"));
                }
            }
            ExprKind::Unary(_, a) => self.no_channel_inside(a, true),
            ExprKind::Binary(_, a, b) => {
                self.no_channel_inside(a, true);
                self.no_channel_inside(b, true);
            }
            ExprKind::Cond(parts) => parts.iter().for_each(|p| self.no_channel_inside(p, true)),
            _ => {}
        }
    }

    fn change(&self, var: &ast::VarRef, op: BinaryOp) -> Action {
        let Some((place, shape)) = self.target(var) else { return Action::new(Guard::Always) };
        if matches!(shape, Shape::Scalar(s) if s.basic == Basic::Channel) {
            self.env.error(var.span, "channels can't be counted", "a channel");
        }
        let value = Expr::binary(op, Expr::Load(place.clone()), Expr::Const(1));
        Action::effect(Effect::Assign(place, value))
    }

    fn no_run_in_d_step(&self, element: &Element<'_>) {
        if element.indivisible {
            let message = "`run` can't be used in a `d_step`";
            self.env.report(Diagnostic::error(element.span, message, "creates a process").help("use `atomic`"));
        }
    }

    fn run(
        &self,
        process: &ast::Name,
        args: &[ast::Expr],
        priority: Option<&ast::Expr>,
        result: Option<Place>,
    ) -> Action {
        let Some(id) = self.started(process) else { return Action::new(Guard::Always) };
        for arg in args.iter().filter(|a| contains_run(a)) {
            self.env.error(arg.span, "`run` can't be used in the arguments of another", "not possible here");
        }
        let arity = self.env.processes[id.index()].arity;
        let args = self.arguments(args);
        if args.len() != arity {
            let signature = &self.env.processes[id.index()];
            let message = format!("`{}` takes {arity} arguments, not {}", process.text, args.len());
            let diagnostic = Diagnostic::error(process.span, message, format!("{} given here", args.len()));
            self.env.report(diagnostic.label(signature.span, "declared here"));
        }
        let priority = priority.map(|p| self.expr(p));
        if let Some(Expr::Const(n)) = priority
            && !(0..=255).contains(&n)
        {
            self.env.error(process.span, "a priority is a number from 1 to 255", format!("{n} is not"));
        }
        // Priority 0 means none was given.
        let priority = priority.filter(|p| !matches!(p, Expr::Const(0)));
        Action::effect(Effect::Run { process: id, args, priority, result })
    }

    fn started(&self, process: &ast::Name) -> Option<ProcessId> {
        let id = self.env.process(&process.text);
        if id.is_none() {
            let message = format!("there is no process type `{}`", process.text);
            let mut diagnostic = Diagnostic::error(process.span, message, "not declared");
            if let Some(close) = self.env.closest(&process.text, self.env.processes.iter().map(|p| p.name.as_str())) {
                diagnostic = diagnostic.help(format!("did you mean `{close}`?"));
            }
            self.env.report(diagnostic);
        }
        id
    }

    /// `x = run P()`, or an expression around one `run`: the number of the new process passes through `x`.
    fn assign_run(&self, var: &ast::VarRef, place: Place, value: &ast::Expr) -> Action {
        if let ExprKind::Run { process, args, priority } = &value.kind {
            return self.run(process, args, priority.as_deref(), Some(place));
        }
        let mut runs = Vec::new();
        let mut rest = value.clone();
        take_runs(&mut rest, var, &mut runs);
        let [run] = &runs[..] else {
            self.env.error(value.span, "only one `run` is possible in an expression", "more than one");
            return Action::new(Guard::Always);
        };
        let ExprKind::Run { process, args, priority } = &run.kind else { return Action::new(Guard::Always) };
        let mut action = self.run(process, args, priority.as_deref(), Some(place.clone()));
        action.effects.push(Effect::Assign(place, self.expr(&rest)));
        action
    }

    /// Which enumeration the value of an expression is shown with.
    fn symbols_of(&self, e: &ast::Expr) -> EnumId {
        let ExprKind::Var(var) = &e.kind else { return EnumId(0) };
        if let Some(constant) = self.env.constants.get(&var.parts[0].name.text)
            && var.parts.len() == 1
        {
            return constant.kind;
        }
        let name = &var.parts[0].name.text;
        if self.symbol(name).is_some()
            && let Some(reference) = self.reference(var)
            && let Shape::Scalar(scalar) = reference.shape
            && let Shows::Symbol(kind) = scalar.ty.shows
        {
            return kind;
        }
        EnumId(0)
    }

    fn print(&self, format: &str, args: &[ast::Expr], span: Span) -> Print {
        let mut pieces = Vec::new();
        let mut text = String::new();
        let mut values = args.iter();
        let mut chars = format.chars();
        while let Some(c) = chars.next() {
            if c != '%' {
                text.push(c);
                continue;
            }
            let letter = chars.next();
            let letter = match letter {
                Some('%') => {
                    text.push('%');
                    continue;
                }
                Some(l @ ('d' | 'x' | 'o' | 'u' | 'c' | 'e')) => l,
                other => {
                    text.push('%');
                    text.extend(other);
                    continue;
                }
            };
            let Some(value) = values.next() else {
                let message = format!("nothing is given for `%{letter}`");
                self.env.report(Diagnostic::warning(span, message, "more conversions than values"));
                break;
            };
            if !text.is_empty() {
                pieces.push(Piece::Text(std::mem::take(&mut text)));
            }
            pieces.push(if letter == 'e' {
                Piece::Symbol(self.symbols_of(value), self.expr(value))
            } else {
                Piece::Value(letter, self.expr(value))
            });
        }
        for value in values {
            self.expr(value);
        }
        if !text.is_empty() {
            pieces.push(Piece::Text(text));
        }
        Print { pieces }
    }
}

/// Takes every `run` out of an expression, leaving the variable that holds its result in its place.
fn take_runs(e: &mut ast::Expr, var: &ast::VarRef, runs: &mut Vec<ast::Expr>) {
    match &mut e.kind {
        ExprKind::Run { .. } => {
            let held = ast::Expr { kind: ExprKind::Var(var.clone()), span: e.span };
            runs.push(std::mem::replace(e, held));
        }
        ExprKind::Unary(_, a) => take_runs(a, var, runs),
        ExprKind::Binary(_, a, b) => {
            take_runs(a, var, runs);
            take_runs(b, var, runs);
        }
        ExprKind::Cond(parts) => parts.iter_mut().for_each(|p| take_runs(p, var, runs)),
        _ => {}
    }
}
