//! The uses of all values of a model, which decide whether they are numbers or scalarset values.

use super::instances::{Instances, Local};
use super::scalarsets::{Clash, Kinds, Node, Scalarset};
use crate::startup::{Startup, edges_at};
use kripke_model::ir::{
    BinaryOp, Edge, Effect, Expr, Guard, Model, Pattern, Place, Process, ProcessId, Sync, Type, Var, VarRef,
};

/// A reason why the groups are not symmetric.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Objection {
    /// The members of a group are not symmetric.
    Group { class: usize, why: String },
    /// One process is not symmetric to the others of its group.
    Member { pid: usize, why: String },
    /// No group can be symmetric.
    All(String),
}

/// The nodes of a variable: of its elements, and of the indices in each dimension.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub element: Node,
    pub dims: Vec<Node>,
}

/// The nodes of all variables and message fields.
#[derive(Debug)]
pub(super) struct Uses<'a> {
    pub model: &'a Model,
    pub startup: &'a Startup,
    pub instances: &'a Instances,
    /// The scalarsets of the instances, and those inferred from the model.
    pub scalarsets: Vec<Scalarset>,
    pub kinds: Kinds,
    pub globals: Vec<Variable>,
    /// By class.
    pub locals: Vec<Vec<Variable>>,
    /// Message fields, by channel declaration.
    pub fields: Vec<Vec<Node>>,
    /// True if processes can end.
    pub ends: bool,
    /// Processes that are read remotely.
    pub named: Vec<usize>,
}

/// A variable or field: its node, its type, and its range if there is one.
pub(super) type Store = (Node, Type, Option<(i32, i32)>);

/// The class whose template contains an expression; none for the property.
pub(super) type Context = Option<usize>;

pub(super) type Checked<T = Node> = Result<T, Objection>;

impl<'a> Uses<'a> {
    pub fn of(model: &'a Model, startup: &'a Startup, instances: &'a Instances) -> Checked<Uses<'a>> {
        let mut kinds = Kinds::default();
        let mut variable =
            |var: &Var| Variable { element: kinds.fresh(), dims: var.dims.iter().map(|_| kinds.fresh()).collect() };
        let globals = model.globals.iter().map(&mut variable).collect();
        let locals = instances.classes.iter().map(|c| c.body.locals.iter().map(&mut variable).collect()).collect();
        let fields = model.channels.iter().map(|c| c.fields.iter().map(|_| kinds.fresh()).collect()).collect();
        let ends = instances.classes.iter().any(|class| class.ends);
        let scalarsets = instances.scalarsets.clone();
        let mut uses =
            Uses { model, startup, instances, scalarsets, kinds, globals, locals, fields, ends, named: Vec::new() };
        for (number, class) in instances.classes.iter().enumerate() {
            uses.process(&class.body, &class.reached, Some(number))?;
        }
        if let Some(observer) = &model.observer {
            let everywhere = vec![true; observer.automaton.locations.len()];
            uses.process(&observer.automaton, &everywhere, None)?;
        }
        if let Some(goal) = &model.goal {
            uses.number(&goal.condition, None, "a condition")?;
        }
        while uses.infer_from_constant_arrays()? {}
        Ok(uses)
    }

    /// All variables and message fields, with the types that their values must fit.
    pub fn stores(&self) -> Vec<Store> {
        let mut out = Vec::new();
        let mut add = |nodes: &[Variable], vars: &[Var]| {
            out.extend(nodes.iter().zip(vars).map(|(node, var)| (node.element, var.ty, var.range)));
        };
        add(&self.globals, &self.model.globals);
        for (nodes, class) in self.locals.iter().zip(&self.instances.classes) {
            add(nodes, &class.body.locals);
        }
        for (nodes, channel) in self.fields.iter().zip(&self.model.channels) {
            out.extend(nodes.iter().zip(&channel.fields).map(|(node, ty)| (*node, *ty, None)));
        }
        out
    }

    /// The objection that follows from a clash.
    fn clash(&self, clash: Clash) -> Objection {
        let scalarsets = &self.scalarsets;
        match clash {
            Clash::Number { scalarset, what } => Objection::Group {
                class: scalarsets[scalarset].class,
                why: format!("{} is used as a number ({what})", scalarsets[scalarset].name),
            },
            Clash::Mixed { scalarset, other } => Objection::Group {
                class: scalarsets[other].class,
                why: format!(
                    "{} and {} are mixed, but number them differently",
                    scalarsets[scalarset].name, scalarsets[other].name
                ),
            },
        }
    }

    pub fn unite(&mut self, a: Node, b: Node) -> Checked<()> {
        self.kinds.unite(a, b).map_err(|clash| self.clash(clash))
    }

    /// Analyses an expression that is used as a number.
    fn number(&mut self, expr: &Expr, context: Context, what: &'static str) -> Checked<()> {
        let node = self.expr(expr, context)?;
        self.kinds.number(node, what).map_err(|clash| self.clash(clash))
    }

    fn plain(&mut self) -> Checked {
        let node = self.kinds.fresh();
        self.kinds.number(node, "a result").map_err(|clash| self.clash(clash))?;
        Ok(node)
    }

    fn process(&mut self, body: &Process, reached: &[bool], context: Context) -> Checked<()> {
        if let Some(clause) = &body.provided {
            self.number(clause, context, "a condition")?;
        }
        if !body.claims.is_empty() && context.is_some_and(|class| self.instances.is_group(class)) {
            let why = "each has an exclusive channel claim".to_string();
            return Err(Objection::Group { class: context.unwrap_or(0), why });
        }
        for claim in &body.claims {
            self.channel(&claim.channel, context)?;
        }
        for edge in edges_at(body, reached) {
            self.edge(edge, context)?;
        }
        Ok(())
    }

    fn edge(&mut self, edge: &Edge, context: Context) -> Checked<()> {
        if let Guard::When(condition) = &edge.guard {
            self.number(condition, context, "a condition")?;
        }
        match &edge.sync {
            Some(Sync::Send { channel, args, sorted }) => {
                let declarations = self.channel(channel, context)?;
                for (n, arg) in args.iter().enumerate() {
                    let value = self.expr(arg, context)?;
                    if *sorted {
                        self.kinds.number(value, "the order of messages").map_err(|clash| self.clash(clash))?;
                    }
                    self.field(&declarations, n, value)?;
                }
                // Missing fields are sent as 0.
                let most = declarations.iter().map(|d| self.fields[*d].len()).max().unwrap_or(0);
                for n in args.len()..most {
                    let nothing = self.kinds.constant(0);
                    self.field(&declarations, n, nothing)?;
                }
            }
            Some(Sync::Receive { channel, args, condition, .. }) => {
                self.receive(channel, args, context)?;
                if let Some(condition) = condition {
                    self.number(condition, context, "a condition")?;
                }
            }
            None => {}
        }
        // The effects of an edge into an indivisible sequence are not executed.
        let effects = if edge.chain.is_some() { &[][..] } else { &edge.effects };
        effects.iter().try_for_each(|effect| self.effect(effect, context))
    }

    fn effect(&mut self, effect: &Effect, context: Context) -> Checked<()> {
        match effect {
            Effect::Assign(place, value) => {
                let (place, value) = (self.place(place, context)?, self.expr(value, context)?);
                self.unite(place, value)
            }
            Effect::Assert(e) | Effect::Require { condition: e, .. } => self.number(e, context, "a condition"),
            // Output is not part of a state; terminations are removed from the searched model.
            Effect::Print(_) | Effect::Remove => Ok(()),
            Effect::Run { .. } => Err(Objection::All("processes are created after the startup phase".to_string())),
            Effect::SetPriority { .. } => Err(Objection::All("processes have priorities".to_string())),
        }
    }

    /// Analyses an expression that denotes a channel. The declarations of the channels that it can denote.
    fn channel(&mut self, channel: &Expr, context: Context) -> Checked<Vec<usize>> {
        let node = self.expr(channel, context)?;
        self.kinds.channel(node);
        Ok(self.declarations(channel, context))
    }

    /// The declarations of the channels that an expression can denote.
    pub fn declarations(&self, channel: &Expr, context: Context) -> Vec<usize> {
        let Some(numbers) = self.possible(channel, context) else { return (0..self.model.channels.len()).collect() };
        let channels = &self.startup.views[0].channels;
        let known = |n: &i32| channels.get(usize::try_from(*n).ok()?.checked_sub(1)?).map(|c| c.declaration.index());
        let mut declarations: Vec<usize> = numbers.iter().filter_map(known).collect();
        declarations.sort_unstable();
        declarations.dedup();
        declarations
    }

    /// The values of an expression that reads only constants.
    fn possible(&self, expr: &Expr, context: Context) -> Option<Vec<i32>> {
        match (expr, context) {
            (Expr::Const(value), _) => Some(vec![*value]),
            (Expr::Load(Place { var: VarRef::Global(id), .. }), _) if self.instances.constant_globals[id.index()] => {
                let views = self.startup.views.iter();
                Some(views.flat_map(|view| view.globals[id.index()].iter().copied()).collect())
            }
            (Expr::Load(Place { var: VarRef::Local(id), .. }), Some(class)) => {
                match &self.instances.classes[class].locals[id.index()] {
                    Local::Varies => None,
                    Local::Same(values) => Some(values.clone()),
                    Local::Distinct(_, values) => Some(values.clone()),
                }
            }
            _ => None,
        }
    }

    /// Gives a value the kind of a message field.
    fn field(&mut self, declarations: &[usize], n: usize, value: Node) -> Checked<()> {
        for declaration in declarations {
            if let Some(field) = self.fields[*declaration].get(n).copied() {
                self.unite(field, value)?;
            }
        }
        Ok(())
    }

    fn receive(&mut self, channel: &Expr, args: &[Pattern], context: Context) -> Checked<()> {
        let declarations = self.channel(channel, context)?;
        for (n, arg) in args.iter().enumerate() {
            let value = match arg {
                Pattern::Match(e) => self.expr(e, context)?,
                Pattern::Store(place) => self.place(place, context)?,
                Pattern::Any => continue,
            };
            self.field(&declarations, n, value)?;
        }
        Ok(())
    }

    fn place(&mut self, place: &Place, context: Context) -> Checked {
        let mut indices = Vec::new();
        for index in &place.index {
            indices.push(self.expr(index, context)?);
        }
        let variable = match (place.var, context) {
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

    /// The node of a local variable that never changes.
    fn fixed(&mut self, class: usize, local: usize, indices: &[Node]) -> Checked<Option<Node>> {
        Ok(match &self.instances.classes[class].locals[local] {
            Local::Varies => None,
            Local::Distinct(scalarset, _) => Some(self.kinds.process(*scalarset)),
            Local::Same(values) => {
                let node = self.kinds.fresh();
                for value in values {
                    let value = self.kinds.constant(*value);
                    self.unite(node, value)?;
                }
                for index in indices {
                    self.kinds.number(*index, "an index").map_err(|clash| self.clash(clash))?;
                }
                Some(node)
            }
        })
    }

    fn expr(&mut self, expr: &Expr, context: Context) -> Checked {
        if let Some(node) = self.computed(expr, context) {
            return Ok(node);
        }
        match expr {
            Expr::Const(value) => return Ok(self.kinds.constant(*value)),
            Expr::Load(place) => return self.place(place, context),
            Expr::Unary(op, a) => self.number(a, context, op.symbol())?,
            Expr::Binary(BinaryOp::Eq | BinaryOp::Ne, a, b) => {
                let (a, b) = (self.expr(a, context)?, self.expr(b, context)?);
                self.unite(a, b)?;
            }
            Expr::Binary(op, a, b) => {
                self.number(a, context, op.symbol())?;
                self.number(b, context, op.symbol())?;
            }
            Expr::Cond(parts) => {
                self.number(&parts[0], context, "a condition")?;
                let (yes, no) = (self.expr(&parts[1], context)?, self.expr(&parts[2], context)?);
                self.unite(yes, no)?;
                return Ok(yes);
            }
            Expr::Channel(_, channel) => {
                self.channel(channel, context)?;
            }
            Expr::Poll { channel, args, .. } => self.receive(channel, args, context)?,
            Expr::ProcessCount if self.ends => {
                return Err(Objection::All("the model reads the number of processes".to_string()));
            }
            Expr::Last => return Err(Objection::All("the model reads which process moved last".to_string())),
            Expr::Enabled(pid) | Expr::Location(pid) | Expr::Priority(pid) => {
                self.named(None, Some(pid))?;
            }
            Expr::At { process, pid, .. } => {
                self.named(Some(*process), pid.as_deref())?;
            }
            Expr::Remote { process, pid, place } => return self.remote(*process, pid.as_deref(), place, context),
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

    /// Analyses a remote reference to a local variable.
    fn remote(&mut self, process: ProcessId, pid: Option<&Expr>, place: &Place, context: Context) -> Checked {
        let mut indices = Vec::new();
        for index in &place.index {
            indices.push(self.expr(index, context)?);
        }
        let Some(pid) = self.named(Some(process), pid)? else { return self.plain() };
        let (class, VarRef::Local(id)) = (self.instances.class_of[pid], place.var) else { return self.plain() };
        if let Local::Distinct(_, values) = &self.instances.classes[class].locals[id.index()] {
            let member = self.instances.classes[class].pids.iter().position(|member| *member == pid).unwrap_or(0);
            return Ok(self.kinds.constant(values[member]));
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

    /// The process that is named by a constant, or as the first of its type.
    pub fn find(&self, process: Option<ProcessId>, pid: Option<&Expr>) -> Option<usize> {
        let types = &self.startup.views[0].processes;
        let of_type = |n: &usize| process.is_none_or(|process| types[*n].process == process);
        match pid {
            None => (0..types.len()).find(of_type),
            Some(Expr::Const(pid)) => usize::try_from(*pid).ok().filter(|pid| *pid < types.len()).filter(of_type),
            Some(_) => None,
        }
    }

    /// Notes a process that is read remotely.
    fn named(&mut self, process: Option<ProcessId>, pid: Option<&Expr>) -> Checked<Option<usize>> {
        if pid.is_some_and(|pid| !matches!(pid, Expr::Const(_))) {
            let types = &self.startup.views[0].processes;
            let of_type = |n: &usize| process.is_none_or(|process| types[*n].process == process);
            let group = self.instances.classes.iter().position(|c| c.pids.len() > 1 && c.pids.iter().any(of_type));
            return Err(match group {
                Some(class) => {
                    Objection::Group { class, why: "one of them is read remotely by a computed number".to_string() }
                }
                None => Objection::All("a process is read remotely by a computed number".to_string()),
            });
        }
        let found = self.find(process, pid);
        if found.is_some_and(|pid| self.instances.classes[self.instances.class_of[pid]].ends) {
            return Err(Objection::All("a process that ends is read remotely".to_string()));
        }
        self.named.extend(found);
        Ok(found)
    }
}
