//! From a model to its text form: effects and expressions.

use super::print::Printer;
use super::scope::Table;
use super::words::string;
use crate::ir::{Effect, Expr, LocId, Pattern, Piece, Place, ProcessId, UnaryOp, VarRef};

impl Printer<'_> {
    pub fn effect(&mut self, effect: &Effect) {
        match effect {
            Effect::Assign(place, value) => {
                self.place(place);
                self.text(" = ");
                self.expr(value);
            }
            Effect::Assert(e) => self.word_and("assert ", e),
            Effect::Require { condition, message } => {
                self.word_and("require ", condition);
                if !message.is_empty() {
                    self.put(format_args!(" {}", string(message)));
                }
            }
            Effect::Print(print) => {
                self.text("print");
                print.pieces.iter().for_each(|piece| self.piece(piece));
            }
            Effect::Run { process, args, priority, result } => {
                if let Some(place) = result {
                    self.place(place);
                    self.text(" = ");
                }
                self.put(format_args!("run {}(", self.scope.processes.written(process.index())));
                self.list(args);
                self.text(")");
                priority.iter().for_each(|e| self.word_and(" priority ", e));
            }
            Effect::SetPriority { pid, priority } => {
                self.word_and("priority ", pid);
                self.word_and(" = ", priority);
            }
            Effect::Remove => self.text("remove"),
        }
    }

    fn word_and(&mut self, word: &str, expr: &Expr) {
        self.text(word);
        self.expr(expr);
    }

    fn piece(&mut self, piece: &Piece) {
        match piece {
            Piece::Text(text) => self.put(format_args!(" {}", string(text))),
            Piece::Value(letter, e) => {
                let letter = letter.to_string();
                let is_letter = letter.starts_with(|c: char| c.is_ascii_alphabetic());
                self.put(format_args!(" %{} ", if is_letter { letter } else { string(&letter) }));
                self.expr(e);
            }
            Piece::Symbol(id, e) => {
                self.put(format_args!(" %symbol({}) ", self.scope.enums.written(id.index())));
                self.expr(e);
            }
        }
    }

    pub fn list(&mut self, exprs: &[Expr]) {
        self.separated(exprs, ", ", |p, e| p.expr(e));
    }

    pub fn patterns(&mut self, patterns: &[Pattern]) {
        self.separated(patterns, ", ", |p, pattern| match pattern {
            Pattern::Match(e) => p.word_and("=", e),
            Pattern::Store(place) => p.place(place),
            Pattern::Any => p.text("_"),
        });
    }

    fn place(&mut self, place: &Place) {
        let globals = &self.scope.globals;
        let var = match place.var {
            VarRef::Local(id) => self.locals.written(id.index()),
            VarRef::Global(id) => match globals.name(id.index()) {
                Some(name) if !self.locals.has(name) => globals.written(id.index()),
                _ => format!("global::{}", globals.written(id.index())),
            },
        };
        self.text(&var);
        self.indices(&place.index);
    }

    fn indices(&mut self, index: &[Expr]) {
        for e in index {
            self.text("[");
            self.expr(e);
            self.text("]");
        }
    }

    pub fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Const(v) => self.put(format_args!("{v}")),
            Expr::Load(place) => self.place(place),
            Expr::Unary(UnaryOp::Neg, a) if matches!(**a, Expr::Const(_)) => self.in_parentheses("-", a),
            Expr::Unary(op, a) => self.word_and(op.symbol(), a),
            Expr::Binary(op, a, b) => {
                self.word_and("(", a);
                self.put(format_args!(" {} ", op.symbol()));
                self.expr(b);
                self.text(")");
            }
            Expr::Cond(parts) => {
                let [test, yes, no] = &**parts;
                self.word_and("(", test);
                self.word_and(" ? ", yes);
                self.word_and(" : ", no);
                self.text(")");
            }
            Expr::Channel(query, channel) => self.in_parentheses(query.name(), channel),
            Expr::Poll { channel, args, anywhere } => self.poll(channel, args, *anywhere),
            Expr::Pid => self.text("pid"),
            Expr::ProcessCount => self.text("processes"),
            Expr::Last => self.text("last"),
            Expr::Timeout => self.text("timeout"),
            Expr::NonProgress => self.text("nonprogress"),
            Expr::Enabled(e) => self.in_parentheses("enabled", e),
            Expr::Location(e) => self.in_parentheses("location", e),
            Expr::Priority(e) => self.in_parentheses("priority", e),
            Expr::At { process, pid, locations } => {
                self.instance(*process, pid.as_deref());
                self.at(locations);
            }
            Expr::Remote { process, pid, place } => self.remote(*process, pid.as_deref(), place),
            Expr::ObserverAt(locations) => {
                self.text("observer");
                self.at(locations);
            }
            Expr::Input => self.text("input"),
            Expr::Fault(message) => self.put(format_args!("fault({})", string(message))),
        }
    }

    fn in_parentheses(&mut self, before: &str, e: &Expr) {
        self.text(before);
        self.word_and("(", e);
        self.text(")");
    }

    fn poll(&mut self, channel: &Expr, args: &[Pattern], anywhere: bool) {
        match channel {
            Expr::Unary(..) | Expr::Poll { .. } => self.in_parentheses("", channel),
            _ => self.expr(channel),
        }
        self.text(if anywhere { "??[" } else { "?[" });
        self.patterns(args);
        self.text("]");
    }

    /// A process type, or one process of it.
    fn instance(&mut self, process: ProcessId, pid: Option<&Expr>) {
        self.text(&self.scope.processes.written(process.index()));
        self.indices(pid.map_or(&[], std::slice::from_ref));
    }

    fn at(&mut self, locations: &[LocId]) {
        match locations {
            [only] => self.put(format_args!("@L{}", only.0)),
            _ => {
                self.text("@{");
                self.separated(locations, ", ", |p, location| p.put(format_args!("L{}", location.0)));
                self.text("}");
            }
        }
    }

    fn remote(&mut self, process: ProcessId, pid: Option<&Expr>, place: &Place) {
        self.instance(process, pid);
        let none = Table::default();
        let var = match place.var {
            VarRef::Local(id) => self.scope.locals.get(process.index()).unwrap_or(&none).written(id.index()),
            VarRef::Global(id) => format!("global::{}", self.scope.globals.written(id.index())),
        };
        self.put(format_args!("::{var}"));
        self.indices(&place.index);
    }
}
