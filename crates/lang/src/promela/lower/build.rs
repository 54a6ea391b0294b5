//! From statements to elements.

use kripke_model::ir::Inside;

use super::elements::{Body, BreakId, Element, ElementId, Kind, Label, Sequence, SequenceId, Statement, Target};
use super::environment::Environment;
use super::frames::{Frame, Place, ScopeId};
use super::view::View;
use crate::diagnostic::Diagnostic;
use crate::promela::ast::{self, Block, Stmt, StmtKind};
use crate::source::Span;

/// As many points of control as a process type may have.
pub(super) const MAX_NUMBERS: u32 = 65_535;

/// A claim of exclusive use, to be resolved when all is declared.
#[derive(Clone, Debug)]
pub(super) struct Exclusive<'a> {
    pub send: bool,
    pub channel: &'a ast::VarRef,
    pub at: Place,
}

#[derive(Debug)]
pub(super) struct Builder<'e, 'a, 'd> {
    pub env: &'e mut Environment<'d>,
    pub frame: Frame,
    pub body: Body<'a>,
    pub claims: Vec<Exclusive<'a>>,
    pub unit: usize,
    sequence: SequenceId,
    pub scope: ScopeId,
    pub loops: Vec<BreakId>,
    d_step: Option<u32>,
    d_steps: u32,
    /// Declarations still happen before the process starts.
    pub starting: bool,
    /// Only channel operations may occur: the body of a trace.
    pub trace: bool,
    /// The place of the current statement in the body of an inline.
    within: Option<(Span, Span)>,
}

/// A statement whose inner sequences are complete, not yet placed in a sequence itself.
pub(super) struct Node<'a> {
    kind: NodeKind<'a>,
    span: Span,
    inside: Option<Inside>,
    text: String,
    d_step: Option<u32>,
    at: Place,
}

pub(super) enum NodeKind<'a> {
    Leaf(Kind<'a>),
    If(Vec<SequenceId>),
    Do(Vec<SequenceId>, BreakId),
    /// A block, atomic or `d_step`.
    Braces(Kind<'a>, SequenceId),
    Unless(SequenceId, SequenceId),
}

impl<'e, 'a, 'd> Builder<'e, 'a, 'd> {
    pub fn new(env: &'e mut Environment<'d>, frame: Frame, unit: usize) -> Builder<'e, 'a, 'd> {
        Builder {
            env,
            frame,
            body: Body::new(),
            claims: Vec::new(),
            unit,
            sequence: 0,
            scope: 0,
            loops: Vec::new(),
            d_step: None,
            d_steps: 0,
            starting: true,
            trace: false,
            within: None,
        }
    }

    /// The whole body of a process.
    pub fn body(&mut self, block: &'a Block, end: Span) {
        self.scope = self.frame.open(0);
        self.statements(block);
        let end = self.make(Kind::End, Vec::new(), &self.leaf(Kind::End, end, "-end-"));
        self.body.link(end, self.sequence);
        self.close(self.sequence);
        self.body.tie_ends();
        if self.body.numbers > MAX_NUMBERS {
            let span = self.body.elements[0].span;
            self.env.error(span, format!("a process type has at most {MAX_NUMBERS} statements"), "too many");
        }
    }

    pub fn statements(&mut self, block: &'a Block) {
        for stmt in &block.stmts {
            self.statement(stmt);
        }
    }

    pub fn place(&self) -> Place {
        Place { scope: self.scope, declared: self.frame.symbols.len() }
    }

    pub fn view(&self) -> View<'_, 'd> {
        View { env: self.env, frame: Some(&self.frame), at: self.place(), unit: self.unit }
    }

    fn statement(&mut self, stmt: &'a Stmt) {
        let outer = std::mem::replace(&mut self.within, stmt.within);
        self.placed(stmt);
        self.within = outer;
    }

    fn placed(&mut self, stmt: &'a Stmt) {
        match &stmt.kind {
            StmtKind::Error => {}
            StmtKind::Decl(decl) => {
                if let Some(label) = stmt.labels.first() {
                    self.env.error(label.span, "a label can't be put on a declaration", "put it on a statement");
                }
                self.declaration(decl);
            }
            StmtKind::Exclusive { send, channels } => {
                self.env.exclusive.set(true);
                let at = self.place();
                let claims = channels.iter().map(|channel| Exclusive { send: *send, channel, at });
                self.claims.extend(claims);
            }
            StmtKind::Unless { main, escape } => self.unless(stmt, main, escape),
            _ => {
                let node = self.node(stmt);
                self.add(node, &stmt.labels);
            }
        }
    }

    pub fn leaf(&self, kind: Kind<'a>, span: Span, text: &str) -> Node<'a> {
        self.wrap(NodeKind::Leaf(kind), span, text)
    }

    fn wrap(&self, kind: NodeKind<'a>, span: Span, text: &str) -> Node<'a> {
        Node { kind, span, inside: None, text: text.to_string(), d_step: self.d_step, at: self.place() }
    }

    fn node(&mut self, stmt: &'a Stmt) -> Node<'a> {
        let kind = match &stmt.kind {
            StmtKind::If(options) => NodeKind::If(self.options(options)),
            StmtKind::Do(options) => {
                let exit = self.open_loop();
                NodeKind::Do(self.options(options), exit)
            }
            StmtKind::Atomic(block) => {
                let sequence = self.braces(block, stmt.span);
                self.body.make_atomic(sequence, false);
                NodeKind::Braces(Kind::Atomic, sequence)
            }
            StmtKind::DStep(block) => NodeKind::Braces(Kind::DStep, self.indivisible(block, stmt.span)),
            StmtKind::Block(block) | StmtKind::Inline { body: block, .. } => {
                NodeKind::Braces(Kind::Block, self.braces(block, stmt.span))
            }
            StmtKind::For { range, body } => self.for_loop(stmt, range, body),
            StmtKind::Select { var, low, high, spread } => self.select(stmt, (var, low, high), *spread),
            StmtKind::Else => NodeKind::Leaf(Kind::Else),
            StmtKind::Goto(label) => NodeKind::Leaf(Kind::Goto(Target::Label(label.text.clone()))),
            StmtKind::Break => match self.loops.last() {
                Some(exit) => NodeKind::Leaf(Kind::Goto(Target::Break(*exit))),
                None => {
                    self.env.error(stmt.span, "`break` outside a loop", "there is no `do` to leave");
                    NodeKind::Leaf(Kind::Skip)
                }
            },
            StmtKind::Expr(ast::Expr { kind: ast::ExprKind::Const(1), .. }) => NodeKind::Leaf(Kind::Skip),
            kind if self.trace => NodeKind::Leaf(Kind::Step(Statement::Made(Box::new(self.event(kind, stmt.span))))),
            kind => NodeKind::Leaf(Kind::Step(Statement::Written(kind))),
        };
        self.starting = false;
        Node { inside: stmt.inside.clone(), ..self.wrap(kind, stmt.span, &stmt.text) }
    }

    /// A step of a trace: a channel operation. What is not a constant in it stands for any value.
    fn event(&self, kind: &StmtKind, span: Span) -> StmtKind {
        match kind {
            StmtKind::Send { channel, args, sorted } => {
                let view = self.view();
                let any = |e: &ast::Expr| match &e.kind {
                    ast::ExprKind::Const(_) => e.clone(),
                    ast::ExprKind::Var(v) if view.constant_ref(v).is_some() => e.clone(),
                    _ => ast::Expr { kind: ast::ExprKind::Stdin, span: e.span },
                };
                StmtKind::Send { channel: channel.clone(), args: args.iter().map(any).collect(), sorted: *sorted }
            }
            StmtKind::Receive { .. } => kind.clone(),
            _ => {
                self.env.error(span, "a trace consists of channel operations only", "not one of them");
                StmtKind::Error
            }
        }
    }

    pub fn open(&mut self) -> SequenceId {
        self.starting = false;
        self.body.sequences.push(Sequence::default());
        std::mem::replace(&mut self.sequence, self.body.sequences.len() - 1)
    }

    /// Ends the current sequence, going back to `outer`.
    pub fn leave(&mut self, outer: SequenceId, span: Span) -> SequenceId {
        let inner = std::mem::replace(&mut self.sequence, outer);
        if self.body.sequences[inner].first.is_none() {
            self.env.error(span, "there must be at least one statement here", "nothing to execute");
            let filler = Node { span, ..self.leaf(Kind::Skip, span, "skip") };
            let skip = self.make(Kind::Skip, Vec::new(), &filler);
            self.body.link(skip, inner);
        }
        self.close(inner);
        inner
    }

    fn close(&mut self, sequence: SequenceId) {
        self.body.sequences[sequence].extent = self.body.sequences[sequence].last;
    }

    fn braces(&mut self, block: &'a Block, span: Span) -> SequenceId {
        let outer = self.open();
        let scope = self.frame.open(self.scope);
        let outside = std::mem::replace(&mut self.scope, scope);
        self.statements(block);
        self.scope = outside;
        let sequence = self.leave(outer, span);
        self.no_label_first(sequence, "the first statement of a block");
        sequence
    }

    fn indivisible(&mut self, block: &'a Block, span: Span) -> SequenceId {
        self.d_steps += 1;
        self.d_step = Some(self.d_steps);
        let first = self.body.elements.len();
        let sequence = self.braces(block, span);
        self.no_jumps_out(first);
        self.body.make_atomic(sequence, true);
        self.d_step = None;
        sequence
    }

    /// Nothing may jump out of a `d_step`.
    fn no_jumps_out(&mut self, first: ElementId) {
        for e in first..self.body.elements.len() {
            let element = &self.body.elements[e];
            let Kind::Goto(target) = &element.kind else { continue };
            let inside = self.body.target(target, element.at.scope, &self.frame).is_some_and(|t| t >= first);
            if !inside {
                let here = "leads out of the `d_step`";
                let help = "use `atomic` instead of `d_step`";
                self.env.report(Diagnostic::error(element.span, "jump out of a `d_step`", here).help(help));
            }
        }
    }

    fn no_label_first(&self, sequence: SequenceId, what: &str) {
        let first = self.body.first(sequence);
        if let Some(label) = self.body.labels.iter().find(|l| l.element == first) {
            let message = format!("{what} can't have a label");
            let help = format!("put `{}:` in front of the whole statement", label.name);
            self.env.report(Diagnostic::error(label.span, message, "label placed here").help(help));
        }
    }

    fn options(&mut self, options: &'a [ast::Option_]) -> Vec<SequenceId> {
        let mut out = Vec::with_capacity(options.len());
        for option in options {
            let outer = self.open();
            self.statements(&option.body);
            out.push(self.leave(outer, option.span));
        }
        for sequence in &out {
            self.prune(*sequence);
        }
        out
    }

    /// In an option, a `skip` that follows a `skip` or a `printf` is dropped, except at its end.
    fn prune(&mut self, sequence: SequenceId) {
        let Sequence { first, last, .. } = self.body.sequences[sequence];
        let mut idle = 0;
        let mut kept: Option<ElementId> = None;
        for e in self.body.run(sequence, last) {
            let element = &self.body.elements[e];
            let printing =
                matches!(&element.kind, Kind::Step(s) if matches!(**s, StmtKind::Printf { .. } | StmtKind::Printm(_)));
            let skipping = matches!(element.kind, Kind::Skip);
            let labelled = self.body.labels.iter().any(|l| l.element == e);
            if (printing || skipping) && !labelled {
                idle += 1;
                if idle > 1 && skipping && Some(e) != first && Some(e) != last {
                    let next = element.next;
                    self.body.elements[kept.expect("not the first")].next = next;
                    continue;
                }
            } else {
                idle = 0;
            }
            kept = Some(e);
        }
    }

    pub fn open_loop(&mut self) -> BreakId {
        self.body.exits.push(None);
        self.loops.push(self.body.exits.len() - 1);
        self.body.exits.len() - 1
    }

    /// `main unless escape`. A label on a block is lifted to a block around the whole.
    fn unless(&mut self, stmt: &'a Stmt, main: &'a Stmt, escape: &'a Stmt) {
        let mut labels: Vec<ast::Name> = stmt.labels.clone();
        labels.extend(main.labels.iter().cloned());
        let main_node = self.node(main);
        // Inside the escape the loop being escaped from is left already.
        let own_loop = match main_node.kind {
            NodeKind::Do(..) => self.loops.pop(),
            _ => None,
        };
        let escape_node = self.node(escape);
        self.loops.extend(own_loop);
        if self.trace {
            self.env.error(stmt.span, "`unless` can't be used in a trace", "channel operations only");
        }
        if self.d_step.is_some() {
            self.unless_in_d_step(stmt.span);
        }
        let escape = self.part(escape_node, &escape.labels, "the start of an escape", escape.span);
        let whole = |builder: &Self, main| builder.wrap(NodeKind::Unless(main, escape), stmt.span, &stmt.text);
        match main_node.kind {
            NodeKind::Braces(Kind::Block, sequence) if labels.is_empty() => {
                let node = whole(self, sequence);
                self.add(node, &[]);
            }
            NodeKind::Braces(kind @ (Kind::Block | Kind::Atomic), sequence) if labels.len() == 1 => {
                let outer = self.open();
                let node = whole(self, sequence);
                self.add(node, &[]);
                let wrapper = self.leave(outer, stmt.span);
                let node = self.wrap(NodeKind::Braces(kind, wrapper), stmt.span, &stmt.text);
                self.add(node, &labels);
            }
            _ => {
                let sequence = self.part(main_node, &labels, "a statement with an `unless`", main.span);
                let node = whole(self, sequence);
                self.add(node, &[]);
            }
        }
    }

    /// Nothing can happen in the middle of a `d_step`, so there is nothing to escape to.
    fn unless_in_d_step(&self, span: Span) {
        let message = "`unless` inside a `d_step` has no effect";
        if self.body.sequences[self.sequence].first.is_none() {
            self.env.report(Diagnostic::error(span, message, "put it around the whole `d_step`"));
        } else {
            self.env.report(Diagnostic::warning(span, message, "the escape is never taken"));
        }
    }

    /// One part of an `unless` as a sequence.
    fn part(&mut self, node: Node<'a>, labels: &[ast::Name], what: &str, span: Span) -> SequenceId {
        if let NodeKind::Braces(Kind::Block, sequence) = node.kind
            && labels.is_empty()
        {
            return sequence;
        }
        let outer = self.open();
        self.add(node, labels);
        let sequence = self.leave(outer, span);
        self.no_label_first(sequence, what);
        sequence
    }

    fn make(&mut self, kind: Kind<'a>, subs: Vec<SequenceId>, node: &Node<'a>) -> ElementId {
        self.body.elements.push(Element {
            kind,
            number: self.body.numbers,
            next: None,
            subs,
            escapes: Vec::new(),
            keeps: false,
            last: false,
            indivisible: false,
            d_step: node.d_step,
            at: node.at,
            span: node.span,
            within: self.within,
            inside: node.inside.clone(),
            text: node.text.clone(),
        });
        self.body.numbers += 1;
        self.body.elements.len() - 1
    }

    /// Places a node at the end of the current sequence.
    pub fn add(&mut self, mut node: Node<'a>, labels: &[ast::Name]) {
        let kind = std::mem::replace(&mut node.kind, NodeKind::Leaf(Kind::Skip));
        match kind {
            NodeKind::If(options) => {
                let e = self.selection(Kind::If, options, &node);
                self.label(e, labels);
            }
            NodeKind::Do(options, exit) => {
                let e = self.repetition(options, exit, &node);
                self.label(e, labels);
            }
            NodeKind::Unless(main, escape) => {
                let e = self.make(Kind::Unless, vec![main, escape], &node);
                let joint = self.make(Kind::Joint, Vec::new(), &node);
                self.body.link(joint, main);
                self.body.link(joint, escape);
                self.body.attach_escape(main, escape);
                self.body.link(e, self.sequence);
                self.body.link(joint, self.sequence);
                self.label(e, labels);
            }
            NodeKind::Braces(kind, sequence) => {
                let e = self.make(kind, vec![sequence], &node);
                self.label(e, labels);
                self.body.link(e, self.sequence);
            }
            NodeKind::Leaf(kind) => self.add_leaf(kind, &node, labels),
        }
    }

    fn add_leaf(&mut self, kind: Kind<'a>, node: &Node<'a>, labels: &[ast::Name]) {
        let jump = matches!(kind, Kind::Goto(_));
        let e = self.make(kind, Vec::new(), node);
        self.label(e, labels);
        // A jump with a special label is a place of its own. Of several labels, only the first one in the text is there.
        let special = |l: &Label| ["accept", "end", "progress"].iter().any(|p| l.name.starts_with(p));
        if jump && self.body.labels.iter().any(|l| l.element == e && special(l)) {
            let skip = self.make(Kind::Skip, Vec::new(), node);
            if let Some(label) = self.body.labels.iter_mut().rfind(|l| l.element == e) {
                label.element = skip;
            }
            self.body.link(skip, self.sequence);
        }
        self.body.link(e, self.sequence);
    }

    /// `if`: the selection itself and the joint where its options meet.
    fn selection(&mut self, kind: Kind<'a>, mut options: Vec<SequenceId>, node: &Node<'a>) -> ElementId {
        let e = self.make(kind, Vec::new(), node);
        let joint = self.make(Kind::Joint, Vec::new(), node);
        self.else_last(&mut options);
        for option in &options {
            self.body.link(joint, *option);
        }
        self.body.elements[e].subs = options;
        self.body.link(e, self.sequence);
        self.body.link(joint, self.sequence);
        e
    }

    /// `do`: the joint where options come back to, the selection, and the exit.
    fn repetition(&mut self, mut options: Vec<SequenceId>, exit: BreakId, node: &Node<'a>) -> ElementId {
        let e = self.make(Kind::Do, Vec::new(), node);
        let joint = self.make(Kind::Joint, Vec::new(), node);
        self.else_last(&mut options);
        for option in &options {
            self.body.link(joint, *option);
        }
        self.body.elements[e].subs = options;
        self.body.link(joint, self.sequence);
        let out = self.make(Kind::Exit, Vec::new(), node);
        self.body.exits[exit] = Some(out);
        self.loops.retain(|l| *l != exit);
        self.body.link(e, self.sequence);
        self.body.link(out, self.sequence);
        e
    }

    /// Moves an option that starts with `else` to the end.
    fn else_last(&mut self, options: &mut Vec<SequenceId>) {
        let starts_with_else = |b: &Body<'a>, s: SequenceId| matches!(b.elements[b.first(s)].kind, Kind::Else);
        let elses: Vec<usize> = (0..options.len()).filter(|i| starts_with_else(&self.body, options[*i])).collect();
        if let [_, second, ..] = elses[..] {
            let span = self.body.elements[self.body.first(options[second])].span;
            self.env.error(span, "two `else` in one selection", "only one is possible");
        }
        let Some(index) = elses.first() else { return };
        let option = options.remove(*index);
        options.push(option);
        let talks = |e: &Element<'a>| matches!(&e.kind, Kind::Step(s) if mentions_channel(s));
        if options.iter().any(|s| talks(&self.body.elements[self.body.first(*s)])) && self.env.exclusive.get() {
            let span = self.body.elements[self.body.first(option)].span;
            self.env.error(
                span,
                "`else` can't be used beside channel operations in a model with `xr` or `xs`",
                "depends on what others may do",
            );
        }
    }

    fn label(&mut self, element: ElementId, labels: &[ast::Name]) {
        for label in labels.iter().rev() {
            let same = |l: &&Label| l.name == label.text && l.scope == self.scope;
            if let Some(first) = self.body.labels.iter().find(same) {
                let message = format!("the label `{}` is used twice", label.text);
                let diagnostic = Diagnostic::error(label.span, message, "used again here");
                self.env.report(diagnostic.label(first.span, "first used here"));
            }
            if let Some(other) = self.name_taken(&label.text) {
                let message = format!("`{}` can't be a label", label.text);
                let diagnostic = Diagnostic::error(label.span, message, "used as a label here");
                self.env.report(diagnostic.label(other, "already means this"));
            }
            let (name, span) = (label.text.clone(), label.span);
            self.body.labels.push(Label { name, span, scope: self.scope, element });
        }
    }
}

fn mentions_channel(kind: &StmtKind) -> bool {
    matches!(kind, StmtKind::Send { .. } | StmtKind::Receive { .. })
}

pub(super) fn contains_run(e: &ast::Expr) -> bool {
    use ast::ExprKind as E;
    match &e.kind {
        E::Run { .. } => true,
        E::Unary(_, a) | E::Enabled(a) | E::PcValue(a) | E::GetPriority(a) => contains_run(a),
        E::Binary(_, a, b) => contains_run(a) || contains_run(b),
        E::Cond(parts) => parts.iter().any(contains_run),
        _ => false,
    }
}
