//! What the text does with every value: which are numbers, and which can only be meant as names of processes.

use super::instances::{Cast, Local};
use super::scalarsets::{Clash, Encoding, Node, Sorts};
use crate::startup::{Beginning, edges_at};
use kripke_model::ir::{
    BinaryOp, Edge, Effect, Expr, Guard, Model, Pattern, Place, Process, ProcessId, Sync, Type, Var, VarRef,
};

/// Why these groups can't be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Objection {
    /// A group is none.
    Group { class: usize, why: String },
    /// One process is not like the others.
    Member { pid: usize, why: String },
    /// Nothing can be exchanged.
    All(String),
}

/// The nodes of a variable: of its elements, and of the indices in each dimension.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub element: Node,
    pub dims: Vec<Node>,
}

/// Where values are kept.
#[derive(Debug)]
pub(super) struct Uses<'a> {
    pub model: &'a Model,
    pub begun: &'a Beginning,
    pub cast: &'a Cast,
    /// Those of the cast, and more.
    pub codes: Vec<Encoding>,
    pub sorts: Sorts,
    pub globals: Vec<Variable>,
    /// By class.
    pub locals: Vec<Vec<Variable>>,
    /// Fields of messages, by channel declaration.
    pub fields: Vec<Vec<Node>>,
    /// Whether processes can end.
    pub ends: bool,
    /// Processes that somebody looks into.
    pub named: Vec<usize>,
}

/// What values of a kind are kept in: the kind, the type, and the range if there is one.
pub(super) type Store = (Node, Type, Option<(i32, i32)>);

/// Who reads: a class, or somebody who watches.
pub(super) type Reader = Option<usize>;

pub(super) type Judged<T = Node> = Result<T, Objection>;

impl<'a> Uses<'a> {
    pub fn of(model: &'a Model, begun: &'a Beginning, cast: &'a Cast) -> Judged<Uses<'a>> {
        let mut sorts = Sorts::default();
        let mut variable =
            |var: &Var| Variable { element: sorts.fresh(), dims: var.dims.iter().map(|_| sorts.fresh()).collect() };
        let globals = model.globals.iter().map(&mut variable).collect();
        let locals = cast.classes.iter().map(|c| c.body.locals.iter().map(&mut variable).collect()).collect();
        let fields = model.channels.iter().map(|c| c.fields.iter().map(|_| sorts.fresh()).collect()).collect();
        let ends = cast.classes.iter().any(|class| class.ends);
        let codes = cast.codes.clone();
        let mut uses = Uses { model, begun, cast, codes, sorts, globals, locals, fields, ends, named: Vec::new() };
        for (class, actors) in cast.classes.iter().enumerate() {
            uses.process(&actors.body, &actors.reached, Some(class))?;
        }
        if let Some(observer) = &model.observer {
            let everywhere = vec![true; observer.automaton.locations.len()];
            uses.process(&observer.automaton, &everywhere, None)?;
        }
        if let Some(goal) = &model.goal {
            uses.number(&goal.condition, None, "a condition")?;
        }
        while uses.settle()? {}
        Ok(uses)
    }

    /// Where values of a kind are kept: the types they must fit.
    pub fn stores(&self) -> Vec<Store> {
        let mut out = Vec::new();
        let mut add = |nodes: &[Variable], vars: &[Var]| {
            out.extend(nodes.iter().zip(vars).map(|(node, var)| (node.element, var.ty, var.range)));
        };
        add(&self.globals, &self.model.globals);
        for (nodes, class) in self.locals.iter().zip(&self.cast.classes) {
            add(nodes, &class.body.locals);
        }
        for (nodes, channel) in self.fields.iter().zip(&self.model.channels) {
            out.extend(nodes.iter().zip(&channel.fields).map(|(node, ty)| (*node, *ty, None)));
        }
        out
    }

    /// Where a clash comes from, and what it means for the groups.
    fn clash(&self, clash: Clash) -> Objection {
        let codes = &self.codes;
        match clash {
            Clash::Number { code, what } => Objection::Group {
                class: codes[code].class,
                why: format!("{} is used for more than to tell them apart ({what})", codes[code].name),
            },
            Clash::Mixed { code, other } => Objection::Group {
                class: codes[other].class,
                why: format!("{} and {} order them in different ways", codes[code].name, codes[other].name),
            },
        }
    }

    pub fn unite(&mut self, a: Node, b: Node) -> Judged<()> {
        self.sorts.unite(a, b).map_err(|clash| self.clash(clash))
    }

    /// An expression whose value is a number.
    fn number(&mut self, expr: &Expr, reader: Reader, what: &'static str) -> Judged<()> {
        let node = self.expr(expr, reader)?;
        self.sorts.number(node, what).map_err(|clash| self.clash(clash))
    }

    fn plain(&mut self) -> Judged {
        let node = self.sorts.fresh();
        self.sorts.number(node, "a result").map_err(|clash| self.clash(clash))?;
        Ok(node)
    }

    fn process(&mut self, body: &Process, reached: &[bool], reader: Reader) -> Judged<()> {
        if let Some(clause) = &body.provided {
            self.number(clause, reader, "a condition")?;
        }
        if !body.claims.is_empty() && reader.is_some_and(|class| self.cast.is_group(class)) {
            let why = "each claims a channel for itself".to_string();
            return Err(Objection::Group { class: reader.unwrap_or(0), why });
        }
        for claim in &body.claims {
            self.channel(&claim.channel, reader)?;
        }
        for edge in edges_at(body, reached) {
            self.edge(edge, reader)?;
        }
        Ok(())
    }

    fn edge(&mut self, edge: &Edge, reader: Reader) -> Judged<()> {
        if let Guard::When(condition) = &edge.guard {
            self.number(condition, reader, "a condition")?;
        }
        match &edge.sync {
            Some(Sync::Send { channel, args, sorted }) => {
                let declarations = self.channel(channel, reader)?;
                for (n, arg) in args.iter().enumerate() {
                    let value = self.expr(arg, reader)?;
                    if *sorted {
                        self.sorts.number(value, "the order of messages").map_err(|clash| self.clash(clash))?;
                    }
                    self.field(&declarations, n, value)?;
                }
                // What is missing is sent as 0.
                let most = declarations.iter().map(|d| self.fields[*d].len()).max().unwrap_or(0);
                for n in args.len()..most {
                    let nothing = self.sorts.constant(0);
                    self.field(&declarations, n, nothing)?;
                }
            }
            Some(Sync::Receive { channel, args, condition, .. }) => {
                self.receive(channel, args, reader)?;
                if let Some(condition) = condition {
                    self.number(condition, reader, "a condition")?;
                }
            }
            None => {}
        }
        // Those of an edge with a chain are not executed.
        let effects = if edge.chain.is_some() { &[][..] } else { &edge.effects };
        effects.iter().try_for_each(|effect| self.effect(effect, reader))
    }

    fn effect(&mut self, effect: &Effect, reader: Reader) -> Judged<()> {
        match effect {
            Effect::Assign(place, value) => {
                let (place, value) = (self.place(place, reader)?, self.expr(value, reader)?);
                self.unite(place, value)
            }
            Effect::Assert(e) | Effect::Require { condition: e, .. } => self.number(e, reader, "a condition"),
            // What is printed is no part of a state; ends of processes are left out.
            Effect::Print(_) | Effect::Remove => Ok(()),
            Effect::Run { .. } => Err(Objection::All("processes are created".to_string())),
            Effect::SetPriority { .. } => Err(Objection::All("processes have priorities".to_string())),
        }
    }

    /// An expression that means a channel; the declarations of those that it can mean.
    fn channel(&mut self, channel: &Expr, reader: Reader) -> Judged<Vec<usize>> {
        let node = self.expr(channel, reader)?;
        self.sorts.channel(node);
        Ok(self.declarations(channel, reader))
    }

    /// The declarations of the channels that an expression can mean.
    pub fn declarations(&self, channel: &Expr, reader: Reader) -> Vec<usize> {
        let Some(numbers) = self.possible(channel, reader) else { return (0..self.model.channels.len()).collect() };
        let channels = &self.begun.views[0].channels;
        let known = |n: &i32| channels.get(usize::try_from(*n).ok()?.checked_sub(1)?).map(|c| c.declaration.index());
        let mut declarations: Vec<usize> = numbers.iter().filter_map(known).collect();
        declarations.sort_unstable();
        declarations.dedup();
        declarations
    }

    /// The values an expression can have, if it reads what never changes.
    fn possible(&self, expr: &Expr, reader: Reader) -> Option<Vec<i32>> {
        match (expr, reader) {
            (Expr::Const(value), _) => Some(vec![*value]),
            (Expr::Load(Place { var: VarRef::Global(id), .. }), _) if self.cast.settled[id.index()] => {
                let views = self.begun.views.iter();
                Some(views.flat_map(|view| view.globals[id.index()].iter().copied()).collect())
            }
            (Expr::Load(Place { var: VarRef::Local(id), .. }), Some(class)) => {
                match &self.cast.classes[class].locals[id.index()] {
                    Local::Varies => None,
                    Local::Same(values) => Some(values.clone()),
                    Local::Own(_, values) => Some(values.clone()),
                }
            }
            _ => None,
        }
    }

    /// A value goes into a field, or comes from there.
    fn field(&mut self, declarations: &[usize], n: usize, value: Node) -> Judged<()> {
        for declaration in declarations {
            if let Some(field) = self.fields[*declaration].get(n).copied() {
                self.unite(field, value)?;
            }
        }
        Ok(())
    }

    fn receive(&mut self, channel: &Expr, args: &[Pattern], reader: Reader) -> Judged<()> {
        let declarations = self.channel(channel, reader)?;
        for (n, arg) in args.iter().enumerate() {
            let value = match arg {
                Pattern::Match(e) => self.expr(e, reader)?,
                Pattern::Store(place) => self.place(place, reader)?,
                Pattern::Any => continue,
            };
            self.field(&declarations, n, value)?;
        }
        Ok(())
    }

    fn place(&mut self, place: &Place, reader: Reader) -> Judged {
        let mut indices = Vec::new();
        for index in &place.index {
            indices.push(self.expr(index, reader)?);
        }
        let variable = match (place.var, reader) {
            (VarRef::Global(id), _) => self.globals[id.index()].clone(),
            (VarRef::Local(id), Some(class)) => {
                if let Some(node) = self.fixed(class, id.index(), &indices)? {
                    return Ok(node);
                }
                self.locals[class][id.index()].clone()
            }
            (VarRef::Local(_), None) => return self.plain(),
        };
        for (index, dim) in indices.into_iter().zip(variable.dims) {
            self.unite(index, dim)?;
        }
        Ok(variable.element)
    }

    /// The value of a local variable that never changes.
    fn fixed(&mut self, class: usize, local: usize, indices: &[Node]) -> Judged<Option<Node>> {
        Ok(match &self.cast.classes[class].locals[local] {
            Local::Varies => None,
            Local::Own(code, _) => Some(self.sorts.process(*code)),
            Local::Same(values) => {
                let node = self.sorts.fresh();
                for value in values {
                    let value = self.sorts.constant(*value);
                    self.unite(node, value)?;
                }
                for index in indices {
                    self.sorts.number(*index, "an index").map_err(|clash| self.clash(clash))?;
                }
                Some(node)
            }
        })
    }

    fn expr(&mut self, expr: &Expr, reader: Reader) -> Judged {
        if let Some(node) = self.computed(expr, reader) {
            return Ok(node);
        }
        match expr {
            Expr::Const(value) => return Ok(self.sorts.constant(*value)),
            Expr::Load(place) => return self.place(place, reader),
            Expr::Unary(op, a) => self.number(a, reader, op.symbol())?,
            Expr::Binary(BinaryOp::Eq | BinaryOp::Ne, a, b) => {
                let (a, b) = (self.expr(a, reader)?, self.expr(b, reader)?);
                self.unite(a, b)?;
            }
            Expr::Binary(op, a, b) => {
                self.number(a, reader, op.symbol())?;
                self.number(b, reader, op.symbol())?;
            }
            Expr::Cond(parts) => {
                self.number(&parts[0], reader, "a condition")?;
                let (yes, no) = (self.expr(&parts[1], reader)?, self.expr(&parts[2], reader)?);
                self.unite(yes, no)?;
                return Ok(yes);
            }
            Expr::Channel(_, channel) => {
                self.channel(channel, reader)?;
            }
            Expr::Poll { channel, args, .. } => self.receive(channel, args, reader)?,
            Expr::ProcessCount if self.ends => {
                return Err(Objection::All("somebody counts the processes".to_string()));
            }
            Expr::Last => return Err(Objection::All("somebody asks who moved last".to_string())),
            Expr::Enabled(pid) | Expr::Location(pid) | Expr::Priority(pid) => {
                self.named(None, Some(pid))?;
            }
            Expr::At { process, pid, .. } => {
                self.named(Some(*process), pid.as_deref())?;
            }
            Expr::Remote { process, pid, place } => return self.remote(*process, pid.as_deref(), place, reader),
            Expr::Pid
            | Expr::ProcessCount
            | Expr::Timeout
            | Expr::NonProgress
            | Expr::ObserverAt(_)
            | Expr::Input
            | Expr::Fault(_) => {}
        }
        self.plain()
    }

    /// A local variable of another process.
    fn remote(&mut self, process: ProcessId, pid: Option<&Expr>, place: &Place, reader: Reader) -> Judged {
        let mut indices = Vec::new();
        for index in &place.index {
            indices.push(self.expr(index, reader)?);
        }
        let Some(pid) = self.named(Some(process), pid)? else { return self.plain() };
        let (class, VarRef::Local(id)) = (self.cast.class_of[pid], place.var) else { return self.plain() };
        if let Local::Own(_, values) = &self.cast.classes[class].locals[id.index()] {
            let member = self.cast.classes[class].pids.iter().position(|member| *member == pid).unwrap_or(0);
            return Ok(self.sorts.constant(values[member]));
        }
        if let Some(node) = self.fixed(class, id.index(), &indices)? {
            return Ok(node);
        }
        let variable = self.locals[class][id.index()].clone();
        for (index, dim) in indices.into_iter().zip(variable.dims) {
            self.unite(index, dim)?;
        }
        Ok(variable.element)
    }

    /// The process that is named by a constant, or by being the first of its type.
    pub fn find(&self, process: Option<ProcessId>, pid: Option<&Expr>) -> Option<usize> {
        let types = &self.begun.views[0].processes;
        let of_type = |n: &usize| process.is_none_or(|process| types[*n].process == process);
        match pid {
            None => (0..types.len()).find(of_type),
            Some(Expr::Const(pid)) => usize::try_from(*pid).ok().filter(|pid| *pid < types.len()).filter(of_type),
            Some(_) => None,
        }
    }

    /// The process that somebody looks into.
    fn named(&mut self, process: Option<ProcessId>, pid: Option<&Expr>) -> Judged<Option<usize>> {
        if pid.is_some_and(|pid| !matches!(pid, Expr::Const(_))) {
            let types = &self.begun.views[0].processes;
            let of_type = |n: &usize| process.is_none_or(|process| types[*n].process == process);
            let group = self.cast.classes.iter().position(|c| c.pids.len() > 1 && c.pids.iter().any(of_type));
            return Err(match group {
                Some(class) => Objection::Group { class, why: "somebody looks into one of them".to_string() },
                None => Objection::All("somebody looks into a process".to_string()),
            });
        }
        let found = self.find(process, pid);
        if found.is_some_and(|pid| self.cast.classes[self.cast.class_of[pid]].ends) {
            return Err(Objection::All("somebody looks into a process that ends".to_string()));
        }
        self.named.extend(found);
        Ok(found)
    }
}
