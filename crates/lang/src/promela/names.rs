//! The occurrences of names in a program: declarations and uses, also in the bodies of macros and inlines and in formulas.
//!
//! Names mean what they mean in the lowering: braces are scopes, options of `if` and `do` are not, and other processes see the
//! variables of the outermost block only.

use std::collections::HashMap;

use super::ast::{
    Block, Decl, Expr, ExprKind, ForRange, Init, Name, Proctype, Program, RecvArg, Stmt, StmtKind, TypeName, Unit,
    VarDecl, VarRef,
};
use crate::occurrences::{Occurrence, Resolver};
use crate::source::{Sources, Span};

/// All occurrences of names in a program.
pub(super) fn occurrences(program: &Program, sources: &Sources) -> Vec<Occurrence> {
    let mut walk = Walk { resolver: Resolver::new(), ..Walk::default() };
    program.units.iter().for_each(|unit| walk.unit(unit));
    walk.finish_remote();
    walk.resolver.finish(sources)
}

/// The names of a process that others can refer to.
#[derive(Default)]
struct Process {
    labels: Vec<Label>,
    locals: HashMap<String, Span>,
}

/// A label of a body.
struct Label {
    name: String,
    span: Span,
    block: usize,
}

/// A body whose labels are found: those of a statement follow those inside it, as in the lowering.
#[derive(Default)]
struct Body {
    labels: Vec<Label>,
    /// Jumps, each with its block.
    jumps: Vec<(Name, usize)>,
    /// The enclosing block of each block.
    parents: Vec<Option<usize>>,
    /// The innermost block.
    block: Option<usize>,
}

impl Body {
    /// The target of a jump: the label of the same block, else of an enclosing one, else the last one with this name.
    fn target(&self, name: &str, block: usize) -> Option<Span> {
        let named = || self.labels.iter().filter(|label| label.name == name);
        let same = named().find(|label| label.block == block);
        let enclosing = || named().find(|label| self.encloses(label.block, block));
        same.or_else(enclosing).or_else(|| named().next_back()).map(|label| label.span)
    }

    /// Whether one block is another or encloses it.
    fn encloses(&self, outer: usize, inner: usize) -> bool {
        std::iter::successors(Some(inner), |block| self.parents[*block]).any(|block| block == outer)
    }
}

#[derive(Default)]
struct Walk {
    resolver: Resolver,
    /// The typedef of each variable and field that has one, by the place of its declaration.
    types: HashMap<Span, String>,
    /// The fields of each typedef.
    fields: HashMap<(String, String), Span>,
    processes: HashMap<String, Process>,
    current: Body,
    /// Names of other processes: the process, the name, and whether it is a label.
    remote: Vec<(String, Name, bool)>,
}

impl Walk {
    fn unit(&mut self, unit: &Unit) {
        match unit {
            Unit::Proctype(process) => self.process(process),
            Unit::Mtype { symbols, .. } => symbols.iter().for_each(|name| self.declare(name)),
            Unit::Typedef { name, fields } => self.typedef(name, fields),
            Unit::Decl(decl) => self.declaration(decl),
            Unit::Never { name, body, .. } => {
                name.iter().for_each(|name| self.declare(name));
                self.body(body);
            }
            Unit::Trace { body, .. } => {
                self.body(body);
            }
            Unit::Ltl { name, operands, .. } => {
                name.iter().for_each(|name| self.resolver.add(name.origin, name.origin));
                self.expr(operands);
            }
        }
    }

    fn declare(&mut self, name: &Name) {
        self.resolver.declare(&name.text, name.origin);
    }

    fn refer(&mut self, name: &Name) -> Option<Span> {
        self.resolver.refer(&name.text, name.origin)
    }

    fn typedef(&mut self, name: &Name, fields: &[Decl]) {
        self.declare(name);
        for decl in fields {
            self.type_name(&decl.ty);
            for var in &decl.vars {
                self.fields.insert((name.text.clone(), var.name.text.clone()), var.name.origin);
                self.resolver.add(var.name.origin, var.name.origin);
                self.variable(var, &decl.ty);
            }
        }
    }

    fn process(&mut self, process: &Proctype) {
        let Proctype { name, params, active, priority, provided, body, .. } = process;
        if name.text != "init" {
            self.declare(name);
        }
        active.iter().chain(priority).for_each(|e| self.expr(e));
        self.resolver.open();
        params.iter().for_each(|decl| self.declaration(decl));
        provided.iter().for_each(|e| self.expr(e));
        let found = self.body(body);
        let params = self.resolver.close();
        let known = self.processes.entry(name.text.clone()).or_default();
        known.labels = found.labels;
        known.locals = found.locals;
        known.locals.extend(params);
    }

    /// A body with labels of its own. The variables are those of its outermost block.
    fn body(&mut self, body: &Block) -> Process {
        let outer = std::mem::take(&mut self.current);
        let locals = self.block(body);
        let found = std::mem::replace(&mut self.current, outer);
        for (jump, block) in &found.jumps {
            if let Some(label) = found.target(&jump.text, *block) {
                self.resolver.add(jump.origin, label);
            }
        }
        Process { labels: found.labels, locals }
    }

    /// A block in braces. Returns its variables.
    fn block(&mut self, block: &Block) -> HashMap<String, Span> {
        self.resolver.open();
        let outer = self.current.block;
        self.current.parents.push(outer);
        self.current.block = Some(self.current.parents.len() - 1);
        self.statements(block);
        self.current.block = outer;
        self.resolver.close()
    }

    fn statements(&mut self, block: &Block) {
        block.stmts.iter().for_each(|stmt| self.statement(stmt));
    }

    fn declaration(&mut self, decl: &Decl) {
        self.type_name(&decl.ty);
        for var in &decl.vars {
            // The initial value is evaluated before the variable exists.
            self.variable(var, &decl.ty);
            self.declare(&var.name);
        }
    }

    fn variable(&mut self, var: &VarDecl, ty: &TypeName) {
        if let TypeName::User(name) = ty {
            self.types.insert(var.name.origin, name.text.clone());
        }
        var.width.iter().chain(&var.len).for_each(|e| self.expr(e));
        match &var.init {
            None => {}
            Some(Init::Expr(e)) => self.expr(e),
            Some(Init::List(list)) => list.iter().for_each(|e| self.expr(e)),
            Some(Init::Channel { capacity, fields }) => {
                self.expr(capacity);
                fields.iter().for_each(|(ty, _)| self.type_name(ty));
            }
        }
    }

    fn type_name(&mut self, ty: &TypeName) {
        if let TypeName::User(name) = ty {
            self.refer(name);
        }
    }

    fn statement(&mut self, stmt: &Stmt) {
        self.action(&stmt.kind);
        self.labels(&stmt.labels);
    }

    fn labels(&mut self, labels: &[Name]) {
        for label in labels.iter().rev() {
            let block = self.current.block.unwrap_or_default();
            self.current.labels.push(Label { name: label.text.clone(), span: label.origin, block });
            self.resolver.add(label.origin, label.origin);
        }
    }

    fn action(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::Decl(decl) => self.declaration(decl),
            StmtKind::Exclusive { channels, .. } => channels.iter().for_each(|var| self.reference(var)),
            StmtKind::Expr(e) | StmtKind::Assert(e) | StmtKind::Printm(e) => self.expr(e),
            StmtKind::Assign(var, e) => {
                self.reference(var);
                self.expr(e);
            }
            StmtKind::Increment(var) | StmtKind::Decrement(var) => self.reference(var),
            StmtKind::Send { channel, args, .. } => {
                self.reference(channel);
                args.iter().for_each(|e| self.expr(e));
            }
            StmtKind::Receive { channel, args, .. } => {
                self.reference(channel);
                args.iter().for_each(|arg| self.received(arg));
            }
            StmtKind::Printf { args, .. } => args.iter().for_each(|e| self.expr(e)),
            StmtKind::Goto(label) => self.current.jumps.push((label.clone(), self.current.block.unwrap_or_default())),
            StmtKind::Break | StmtKind::Else | StmtKind::Error => {}
            _ => self.compound(kind),
        }
    }

    /// Statements that contain others, and loops.
    fn compound(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::If(options) | StmtKind::Do(options) => {
                options.iter().for_each(|option| self.statements(&option.body));
            }
            StmtKind::Atomic(body) | StmtKind::DStep(body) | StmtKind::Block(body) | StmtKind::Inline { body, .. } => {
                self.block(body);
            }
            StmtKind::Unless { main, escape } => {
                self.action(&main.kind);
                self.action(&escape.kind);
                self.labels(&escape.labels);
                self.labels(&main.labels);
            }
            StmtKind::For { range, body } => {
                match range {
                    ForRange::Between { var, low, high } => {
                        self.reference(var);
                        [low, high].into_iter().for_each(|e| self.expr(e));
                    }
                    ForRange::In { var, over } => [var, over].into_iter().for_each(|var| self.reference(var)),
                }
                self.block(body);
            }
            StmtKind::Select { var, low, high, .. } => {
                self.reference(var);
                [low, high].into_iter().for_each(|e| self.expr(e));
            }
            StmtKind::SetPriority(one, other) => [one, other].into_iter().for_each(|e| self.expr(e)),
            _ => {}
        }
    }

    fn received(&mut self, arg: &RecvArg) {
        match arg {
            RecvArg::Var(var) => self.reference(var),
            RecvArg::Const(..) => {}
            RecvArg::Eval(e) => self.expr(e),
        }
    }

    fn reference(&mut self, var: &VarRef) {
        let mut ty: Option<String> = None;
        for (at, part) in var.parts.iter().enumerate() {
            let declared = if at == 0 {
                self.refer(&part.name)
            } else {
                let field = ty.and_then(|ty| self.fields.get(&(ty, part.name.text.clone())).copied());
                field.iter().for_each(|field| self.resolver.add(part.name.origin, *field));
                field
            };
            ty = declared.and_then(|declared| self.types.get(&declared).cloned());
            part.index.iter().for_each(|e| self.expr(e));
        }
    }

    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Var(var) | ExprKind::Channel(_, var) => self.reference(var),
            ExprKind::Unary(_, e) | ExprKind::Enabled(e) | ExprKind::PcValue(e) | ExprKind::GetPriority(e) => {
                self.expr(e);
            }
            ExprKind::Binary(_, one, other) => {
                self.expr(one);
                self.expr(other);
            }
            ExprKind::Cond(parts) => parts.iter().for_each(|e| self.expr(e)),
            ExprKind::Poll { channel, args, .. } => {
                self.reference(channel);
                args.iter().for_each(|arg| self.received(arg));
            }
            ExprKind::Run { process, args, priority } => {
                self.remote.push((String::new(), process.clone(), false));
                args.iter().for_each(|e| self.expr(e));
                priority.iter().for_each(|e| self.expr(e));
            }
            ExprKind::RemoteLabel { process, pid, label } => self.remote(process, pid.as_deref(), label, true),
            ExprKind::RemoteVar { process, pid, var } => {
                let Some(part) = var.parts.first() else { return };
                self.remote(process, pid.as_deref(), &part.name, false);
                part.index.iter().for_each(|e| self.expr(e));
            }
            ExprKind::Const(_) | ExprKind::Timeout | ExprKind::NonProgress | ExprKind::Stdin | ExprKind::Error => {}
        }
    }

    fn remote(&mut self, process: &Name, pid: Option<&Expr>, name: &Name, is_label: bool) {
        self.remote.push((String::new(), process.clone(), false));
        pid.iter().for_each(|e| self.expr(e));
        self.remote.push((process.text.clone(), name.clone(), is_label));
    }

    /// Names of processes and of their parts, which may be declared later.
    fn finish_remote(&mut self) {
        for (process, name, is_label) in std::mem::take(&mut self.remote) {
            if process.is_empty() {
                self.refer(&name);
                continue;
            }
            let known = self.processes.get(&process);
            let label = |known: &Process| known.labels.iter().find(|l| l.name == name.text).map(|label| label.span);
            let local = |known: &Process| known.locals.get(&name.text).copied();
            if let Some(declared) = known.and_then(|known| if is_label { label(known) } else { local(known) }) {
                self.resolver.add(name.origin, declared);
            }
        }
    }
}
