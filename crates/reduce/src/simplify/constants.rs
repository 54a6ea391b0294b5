//! Variables that nobody ever writes are what they start with: what is computed from them alone is computed once.

use super::faults::Vars;
use super::rewrite::{self, Change};
use super::set::Set;
use crate::writes::writes;
use kripke_model::ir::{BinaryOp, Effect, Expr, Guard, Init, Model, Place, Process, Then, UnaryOp, Var, VarRef};

/// The elements of each variable, where they are known.
type Known = Vec<Option<Vec<i32>>>;

/// Replaces expressions by their values, and removes from locations the edges that can never be taken. How many.
pub(super) fn compute(model: &mut Model) -> usize {
    let mut computed = 0;
    let globals = globals(model, &mut computed);
    let conditions = model.goal.iter_mut().map(|goal| &mut goal.condition);
    let watchers = model.observer.iter_mut().map(|o| &mut o.automaton);
    {
        let vars = Vars { globals: &model.globals, locals: &[] };
        let mut fold = Fold { globals: &globals, locals: &Known::new(), vars, computed: 0 };
        conditions.for_each(|e| rewrite::expr(e, &mut fold));
        watchers.for_each(|automaton| rewrite::process(automaton, &mut fold));
        computed += fold.computed;
    }
    for number in 0..model.processes.len() {
        let locals = locals(model, number, &globals, &mut computed);
        let declared = model.processes[number].locals.clone();
        let vars = Vars { globals: &model.globals, locals: &declared };
        let mut fold = Fold { globals: &globals, locals: &locals, vars, computed: 0 };
        let process = &mut model.processes[number];
        rewrite::process(process, &mut fold);
        computed += fold.computed;
        // A fault in its clause is found wherever a process has something to do, and is told of the first of that.
        if !process.provided.as_ref().is_some_and(|clause| vars.may_fault(clause)) {
            computed += prune(process);
        }
    }
    computed
}

/// The values of globals that nobody writes.
fn globals(model: &mut Model, computed: &mut usize) -> Known {
    // When the first processes are created, all globals are what they start with.
    let mut initial: Known = Vec::new();
    for number in 0..model.globals.len() {
        let (before, rest) = model.globals.split_at_mut(number);
        let vars = Vars { globals: before, locals: &[] };
        let mut fold = Fold { globals: &initial, locals: &Known::new(), vars, computed: 0 };
        rewrite::init(&mut rest[0], &mut fold);
        *computed += fold.computed;
        initial.push(elements(&rest[0]));
    }
    let vars = Vars { globals: &model.globals, locals: &[] };
    let mut fold = Fold { globals: &initial, locals: &Known::new(), vars, computed: 0 };
    model.start.iter_mut().flat_map(|start| &mut start.args).for_each(|e| rewrite::expr(e, &mut fold));
    *computed += fold.computed;
    let observers = model.observer.iter().map(|o| &o.automaton);
    for edge in model.processes.iter().chain(observers).flat_map(|p| &p.edges) {
        writes(edge, &mut |var| {
            if let VarRef::Global(id) = var {
                initial[id.index()] = None;
            }
        });
    }
    initial
}

/// The values of locals that nobody writes.
fn locals(model: &mut Model, number: usize, globals: &Known, computed: &mut usize) -> Known {
    let mut declared = std::mem::take(&mut model.processes[number].locals);
    let vars = Vars { globals: &model.globals, locals: &declared.clone() };
    let mut fold = Fold { globals, locals: &Known::new(), vars, computed: 0 };
    declared.iter_mut().for_each(|var| rewrite::init(var, &mut fold));
    *computed += fold.computed;
    let mut known: Known = declared.iter().map(elements).collect();
    model.processes[number].locals = declared;
    for (parameter, known) in known.iter_mut().enumerate().take(model.processes[number].params) {
        *known = argument(model, number, parameter).map(|value| vec![value]);
    }
    for edge in &model.processes[number].edges {
        writes(edge, &mut |var| {
            if let VarRef::Local(id) = var {
                known[id.index()] = None;
            }
        });
    }
    known
}

/// What every process of a type gets for a parameter, if that is known.
fn argument(model: &Model, number: usize, parameter: usize) -> Option<i32> {
    let runs =
        model.processes.iter().flat_map(|p| &p.edges).flat_map(|e| &e.effects).filter_map(|effect| match effect {
            Effect::Run { process, args, .. } => Some((process, args)),
            _ => None,
        });
    let starts = model.start.iter().map(|start| (&start.process, &start.args));
    let mut given =
        starts.chain(runs).filter(|(process, _)| process.index() == number).map(|(_, args)| &args[parameter]);
    let Expr::Const(first) = *given.next()? else { return None };
    let same = given.all(|arg| matches!(arg, Expr::Const(n) if *n == first));
    same.then(|| model.processes[number].locals[parameter].ty.wrap(first))
}

/// What a variable starts with.
fn elements(var: &Var) -> Option<Vec<i32>> {
    let constant = |e: &Expr| if let Expr::Const(n) = e { Some(var.ty.wrap(*n)) } else { None };
    Some(match &var.init {
        Init::Zero => vec![0; var.len()],
        Init::All(e) => vec![constant(e)?; var.len()],
        Init::List(list) => {
            let mut elements = list.iter().map(constant).collect::<Option<Vec<i32>>>()?;
            elements.resize(var.len(), 0);
            elements
        }
        // What channels are called says which they are.
        Init::Channels(_) | Init::Param => return None,
    })
}

/// Removes edges that can never be taken from locations, and effects that never do anything.
fn prune(process: &mut Process) -> usize {
    let before: usize = process.locations.iter().map(|l| l.edges.len()).sum();
    let Process { locations, edges, .. } = process;
    // Where an indivisible sequence is blocked, the edge that was tried last is blamed.
    let mut inner = Set::new(locations.len());
    edges.iter().filter(|e| e.then == Then::Chain).for_each(|e| inner.add(e.target.index()));
    edges.iter().filter_map(|e| e.chain).for_each(|at| inner.add(at.index()));
    for (_, location) in locations.iter_mut().enumerate().filter(|(at, _)| !inner.contains(*at)) {
        location.edges.retain(|id| !matches!(edges[id.index()].guard, Guard::When(Expr::Const(0))));
    }
    for edge in edges.iter_mut() {
        if matches!(edge.guard, Guard::When(Expr::Const(n)) if n != 0) {
            edge.guard = Guard::Always;
        }
        edge.effects.retain(|effect| match effect {
            Effect::Assert(Expr::Const(n)) | Effect::Require { condition: Expr::Const(n), .. } => *n == 0,
            _ => true,
        });
    }
    before - locations.iter().map(|l| l.edges.len()).sum::<usize>()
}

/// Computes expressions.
struct Fold<'a> {
    globals: &'a Known,
    locals: &'a Known,
    vars: Vars<'a>,
    computed: usize,
}

impl Fold<'_> {
    fn load(&self, place: &Place) -> Option<Expr> {
        let (known, dims) = match place.var {
            VarRef::Global(id) => (self.globals.get(id.index())?, &self.vars.globals[id.index()].dims),
            VarRef::Local(id) => (self.locals.get(id.index())?, &self.vars.locals[id.index()].dims),
        };
        let mut element = 0;
        for (index, dim) in place.index.iter().zip(dims) {
            match index {
                Expr::Const(n) if (0..i64::from(*dim)).contains(&i64::from(*n)) => {
                    element = element * *dim as usize + *n as usize;
                }
                _ => return None,
            }
        }
        known.as_ref()?.get(element).copied().map(Expr::Const)
    }

    fn binary(&self, op: BinaryOp, a: &mut Expr, b: &mut Expr) -> Option<Expr> {
        let taken = |e: &mut Expr| truth(std::mem::replace(e, Expr::Const(0)));
        match (op, &*a, &*b) {
            (_, Expr::Const(a), Expr::Const(b)) => op.apply(*a, *b).map(Expr::Const),
            (BinaryOp::And, Expr::Const(0), _) => Some(Expr::Const(0)),
            (BinaryOp::Or, Expr::Const(n), _) if *n != 0 => Some(Expr::Const(1)),
            (BinaryOp::And | BinaryOp::Or, Expr::Const(_), _) => Some(taken(b)),
            (BinaryOp::And, _, Expr::Const(0)) if !self.vars.may_fault(a) => Some(Expr::Const(0)),
            (BinaryOp::Or, _, Expr::Const(n)) if *n != 0 && !self.vars.may_fault(a) => Some(Expr::Const(1)),
            (BinaryOp::And, _, Expr::Const(n)) if *n != 0 => Some(taken(a)),
            (BinaryOp::Or, _, Expr::Const(0)) => Some(taken(a)),
            _ => None,
        }
    }
}

/// 1 if the expression is not 0.
fn truth(expr: Expr) -> Expr {
    use BinaryOp::{And, Eq, Ge, Gt, Le, Lt, Ne, Or};
    match expr {
        Expr::Unary(UnaryOp::Not, _) | Expr::Binary(And | Or | Eq | Ne | Lt | Le | Gt | Ge, ..) => expr,
        _ => Expr::binary(Ne, expr, Expr::Const(0)),
    }
}

impl Change for Fold<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        let value = match expr {
            Expr::Load(place) => self.load(place),
            Expr::Unary(op, a) => match **a {
                Expr::Const(n) => Some(Expr::Const(op.apply(n))),
                _ => None,
            },
            Expr::Binary(op, a, b) => self.binary(*op, a, b),
            Expr::Cond(parts) => match parts[0] {
                Expr::Const(n) => Some(std::mem::replace(&mut parts[if n != 0 { 1 } else { 2 }], Expr::Const(0))),
                _ => None,
            },
            _ => None,
        };
        if let Some(value) = value {
            *expr = value;
            self.computed += 1;
        }
    }

    fn place(&mut self, _: &mut Place) {}
}
