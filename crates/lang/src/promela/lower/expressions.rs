//! Expressions: names resolved, predefined names and remote references recognised.

use kripke_model::ir::{self, Expr, Pattern, Place};

use super::types::Shape;
use super::view::View;
use crate::diagnostic::Diagnostic;
use crate::promela::ast::{self, ExprKind};
use crate::source::Span;

impl View<'_, '_> {
    /// The expression in the model's terms. What is wrong is reported and stands as 0.
    pub fn expr(&self, e: &ast::Expr) -> Expr {
        match &e.kind {
            ExprKind::Const(n) => Expr::Const(*n),
            ExprKind::Var(var) => self.load(var),
            ExprKind::Unary(op, a) => Expr::Unary(*op, Box::new(self.expr(a))),
            ExprKind::Binary(op, a, b) => Expr::binary(*op, self.expr(a), self.expr(b)),
            ExprKind::Cond(parts) => {
                let [c, a, b] = &**parts;
                Expr::Cond(Box::new([self.expr(c), self.expr(a), self.expr(b)]))
            }
            ExprKind::Channel(q, var) => self.channel(var).map_or(Expr::Const(0), |c| Expr::Channel(*q, Box::new(c))),
            ExprKind::Poll { channel, args, random } => self.poll(channel, args, *random),
            ExprKind::Run { .. } => {
                let help = "write it as a statement of its own, or as `x = run ...`";
                let what = "`run` can't be used inside an expression";
                self.env.report(Diagnostic::error(e.span, what, "not possible here").help(help));
                Expr::Const(0)
            }
            ExprKind::Timeout => Expr::Timeout,
            ExprKind::NonProgress => self.non_progress(e.span),
            ExprKind::Stdin => Expr::Input,
            ExprKind::Enabled(pid) => Expr::Enabled(Box::new(self.expr(pid))),
            ExprKind::PcValue(pid) => Expr::Location(Box::new(self.expr(pid))),
            ExprKind::GetPriority(pid) => Expr::Priority(Box::new(self.expr(pid))),
            ExprKind::RemoteLabel { process, pid, label } => self.remote_label(process, pid.as_deref(), label),
            ExprKind::RemoteVar { process, pid, var } => self.remote_variable(process, pid.as_deref(), var),
            ExprKind::Error => Expr::Const(0),
        }
    }

    fn load(&self, var: &ast::VarRef) -> Expr {
        if let Some(value) = self.constant_ref(var) {
            return Expr::Const(value);
        }
        if let Some(special) = self.predefined(var) {
            return special;
        }
        let Some(reference) = self.reference(var) else { return Expr::Const(0) };
        if let Shape::Record(record) = reference.shape {
            let message = format!("`{}` is a whole record", reference.name);
            let help = format!("name a field: `{}.{}`", reference.name, self.env.records[record].fields[0].name);
            self.env.report(Diagnostic::error(var.span, message, "a single value is needed here").help(help));
            return Expr::Const(0);
        }
        Expr::Load(reference.place)
    }

    fn predefined(&self, var: &ast::VarRef) -> Option<Expr> {
        let [ast::VarPart { name, index: None }] = &var.parts[..] else { return None };
        Some(match name.text.as_str() {
            "_pid" => Expr::Pid,
            "_nr_pr" => Expr::ProcessCount,
            "_last" => Expr::Last,
            "_priority" => Expr::Priority(Box::new(Expr::Pid)),
            "_p" => Expr::Location(Box::new(Expr::Pid)),
            "np_" => self.non_progress(var.span),
            "_" => {
                self.env.error(var.span, "`_` can't be read", "it only takes what is thrown away");
                Expr::Const(0)
            }
            _ => return None,
        })
    }

    fn non_progress(&self, span: Span) -> Expr {
        if self.frame.is_some() {
            self.env.error(span, "`np_` can be used in claims only", "not in a process");
        }
        Expr::NonProgress
    }

    /// The channel a reference names.
    pub fn channel(&self, var: &ast::VarRef) -> Option<Expr> {
        let reference = self.reference(var)?;
        if !reference.is_channel() {
            let message = format!("`{}` is not a channel", reference.name);
            self.env.error(var.span, message, "a channel is needed here");
            return None;
        }
        Some(Expr::Load(reference.place))
    }

    fn poll(&self, channel: &ast::VarRef, args: &[ast::RecvArg], random: bool) -> Expr {
        let Some(channel) = self.channel(channel) else { return Expr::Const(0) };
        let args = self.patterns(args).into_iter().map(|p| match p {
            Pattern::Store(_) => Pattern::Any,
            p => p,
        });
        Expr::Poll { channel: Box::new(channel), args: args.collect(), anywhere: random }
    }

    /// The arguments of a receive; records stand for all their fields.
    pub fn patterns(&self, args: &[ast::RecvArg]) -> Vec<Pattern> {
        let mut out = Vec::new();
        for arg in args {
            match arg {
                ast::RecvArg::Const(n, _) => out.push(Pattern::Match(Expr::Const(*n))),
                ast::RecvArg::Eval(e) => out.push(Pattern::Match(self.expr(e))),
                ast::RecvArg::Var(var) => {
                    if let Some(value) = self.constant_ref(var) {
                        out.push(Pattern::Match(Expr::Const(value)));
                    } else if var.parts.len() == 1 && var.parts[0].name.text == "_" {
                        out.push(Pattern::Any);
                    } else if self.writable(var)
                        && let Some(reference) = self.reference(var)
                    {
                        let places = match reference.shape {
                            Shape::Scalar(_) => Some(vec![reference.place]),
                            Shape::Record(_) => self.expand(&reference),
                        };
                        out.extend(places.unwrap_or_default().into_iter().map(Pattern::Store));
                    }
                }
            }
        }
        out
    }

    /// Arguments of a send or a `run`; records stand for all their fields.
    pub fn arguments(&self, args: &[ast::Expr]) -> Vec<Expr> {
        let mut out = Vec::new();
        for arg in args {
            if let ExprKind::Var(var) = &arg.kind
                && let Some(fields) = self.record_argument(var)
            {
                out.extend(fields);
                continue;
            }
            out.push(self.expr(arg));
        }
        out
    }

    fn record_argument(&self, var: &ast::VarRef) -> Option<Vec<Expr>> {
        let name = &var.parts.first()?.name.text;
        let (symbol, _) = self.symbol(name)?;
        if !matches!(symbol.shape, Shape::Record(_)) {
            return None;
        }
        let reference = self.reference(var)?;
        match reference.shape {
            Shape::Scalar(_) => Some(vec![Expr::Load(reference.place)]),
            Shape::Record(_) => Some(self.expand(&reference)?.into_iter().map(Expr::Load).collect()),
        }
    }

    /// Complains about constants and predefined names where something is stored.
    pub fn writable(&self, var: &ast::VarRef) -> bool {
        let name = &var.parts[0].name;
        if self.constant(&name.text).is_some() && self.frame.is_none_or(|f| f.find(&name.text, self.at).is_none()) {
            let message = format!("`{}` is a constant", name.text);
            self.env.error(name.span, message, "can't be assigned");
            return false;
        }
        if super::view::is_predefined(&name.text) {
            let message = format!("`{}` can't be assigned", name.text);
            self.env.error(name.span, message, "set by the system");
            return false;
        }
        true
    }

    fn remote_process(&self, name: &ast::Name) -> Option<ir::ProcessId> {
        let process = self.env.process(&name.text);
        if process.is_none() {
            let message = format!("there is no process type `{}`", name.text);
            let mut diagnostic = Diagnostic::error(name.span, message, "not a process type");
            let close = self.env.closest(&name.text, self.env.processes.iter().map(|p| p.name.as_str()));
            if let Some(close) = close {
                diagnostic = diagnostic.help(format!("did you mean `{close}`?"));
            }
            self.env.report(diagnostic);
        }
        process
    }

    fn remote_label(&self, process: &ast::Name, pid: Option<&ast::Expr>, label: &ast::Name) -> Expr {
        let Some(id) = self.remote_process(process) else { return Expr::Const(0) };
        let signature = &self.env.processes[id.index()];
        let Some(location) = signature.labels.get(&label.text) else {
            let message = format!("`{}` has no label `{}`", process.text, label.text);
            let mut diagnostic = Diagnostic::error(label.span, message, "no such label");
            if let Some(close) = self.env.closest(&label.text, signature.labels.keys().map(String::as_str)) {
                diagnostic = diagnostic.help(format!("did you mean `{close}`?"));
            }
            self.env.report(diagnostic);
            return Expr::Const(0);
        };
        Expr::At {
            process: id,
            pid: pid.map(|p| Box::new(self.expr(p))),
            locations: location.iter().copied().collect(),
        }
    }

    fn remote_variable(&self, process: &ast::Name, pid: Option<&ast::Expr>, var: &ast::VarRef) -> Expr {
        let Some(id) = self.remote_process(process) else { return Expr::Const(0) };
        let frame = &self.env.processes[id.index()].frame;
        let name = &var.parts[0].name;
        let Some(symbol) = frame.find(&name.text, frame.outside()) else {
            let message = format!("`{}` has no variable `{}`", process.text, name.text);
            let mut diagnostic = Diagnostic::error(name.span, message, "no such variable");
            if let Some(close) = self.env.closest(&name.text, frame.symbols.iter().map(|s| s.name.as_str())) {
                diagnostic = diagnostic.help(format!("did you mean `{close}`?"));
            }
            self.env.report(diagnostic);
            return Expr::Const(0);
        };
        if !matches!(symbol.shape, Shape::Scalar(_)) || var.parts.len() != 1 {
            self.env.error(var.span, "a remote reference can't reach into a record", "plain variables only");
            return Expr::Const(0);
        }
        let index = match (&var.parts[0].index, symbol.len) {
            (Some(index), Some(_)) => vec![self.expr(index)],
            (None, None) | (Some(_), None) => Vec::new(),
            (None, Some(_)) => vec![Expr::Const(0)],
        };
        let place = Place { var: ir::VarRef::Local(ir::VarId(symbol.first)), index };
        Expr::Remote { process: id, pid: pid.map(|p| Box::new(self.expr(p))), place }
    }
}
