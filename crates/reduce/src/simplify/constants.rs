//! Constant folding: variables that are never written are replaced by their initial values.

use super::faults::Vars;
use super::rewrite::{self, Rewriter};
use crate::bitset::BitSet;
use crate::writes::writes;
use kripke_model::ir::{BinaryOp, Effect, Expr, Guard, Init, Model, Place, Process, Then, UnaryOp, Var, VarRef};

/// The elements of each variable, where they are known.
type Values = Vec<Option<Vec<i32>>>;

/// Replaces constant expressions by their values and removes edges that are never enabled. The number of both.
pub(super) fn fold_constants(model: &mut Model) -> usize {
    let mut folded = 0;
    let globals = globals(model, &mut folded);
    let conditions = model.goal.iter_mut().map(|goal| &mut goal.condition);
    let watchers = model.observer.iter_mut().map(|o| &mut o.automaton);
    {
        let vars = Vars { globals: &model.globals, locals: &[] };
        let mut fold = Fold { globals: &globals, locals: &Values::new(), vars, folded: 0 };
        conditions.for_each(|e| rewrite::expr(e, &mut fold));
        watchers.for_each(|automaton| rewrite::process(automaton, &mut fold));
        folded += fold.folded;
    }
    for number in 0..model.processes.len() {
        let locals = locals(model, number, &globals, &mut folded);
        let declared = model.processes[number].locals.clone();
        let vars = Vars { globals: &model.globals, locals: &declared };
        let mut fold = Fold { globals: &globals, locals: &locals, vars, folded: 0 };
        let process = &mut model.processes[number];
        rewrite::process(process, &mut fold);
        folded += fold.folded;
        // A fault in a `provided` clause is reported for the first edge of a location, so no edge may be removed.
        if !process.provided.as_ref().is_some_and(|clause| vars.may_fault(clause)) {
            folded += remove_disabled_edges(process);
        }
    }
    folded
}

/// The values of globals that are never written.
fn globals(model: &mut Model, folded: &mut usize) -> Values {
    // The arguments of the initial processes read globals with their initial values.
    let mut initial: Values = Vec::new();
    for number in 0..model.globals.len() {
        let (before, rest) = model.globals.split_at_mut(number);
        let vars = Vars { globals: before, locals: &[] };
        let mut fold = Fold { globals: &initial, locals: &Values::new(), vars, folded: 0 };
        rewrite::init(&mut rest[0], &mut fold);
        *folded += fold.folded;
        initial.push(elements(&rest[0]));
    }
    let vars = Vars { globals: &model.globals, locals: &[] };
    let mut fold = Fold { globals: &initial, locals: &Values::new(), vars, folded: 0 };
    model.start.iter_mut().flat_map(|start| &mut start.args).for_each(|e| rewrite::expr(e, &mut fold));
    *folded += fold.folded;
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

/// The values of locals that are never written.
fn locals(model: &mut Model, number: usize, globals: &Values, folded: &mut usize) -> Values {
    let mut declared = std::mem::take(&mut model.processes[number].locals);
    let vars = Vars { globals: &model.globals, locals: &declared.clone() };
    let mut fold = Fold { globals, locals: &Values::new(), vars, folded: 0 };
    declared.iter_mut().for_each(|var| rewrite::init(var, &mut fold));
    *folded += fold.folded;
    let mut values: Values = declared.iter().map(elements).collect();
    model.processes[number].locals = declared;
    for (parameter, values) in values.iter_mut().enumerate().take(model.processes[number].params) {
        *values = argument(model, number, parameter).map(|value| vec![value]);
    }
    for edge in &model.processes[number].edges {
        writes(edge, &mut |var| {
            if let VarRef::Local(id) = var {
                values[id.index()] = None;
            }
        });
    }
    values
}

/// The argument that all processes of a type get for a parameter, if it is known.
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

/// The initial elements of a variable.
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
        // Channel numbers identify channels, so they are not folded.
        Init::Channels(_) | Init::Param => return None,
    })
}

/// Removes edges that are never enabled from their locations, and assertions that always hold.
fn remove_disabled_edges(process: &mut Process) -> usize {
    let before: usize = process.locations.iter().map(|l| l.edges.len()).sum();
    let Process { locations, edges, .. } = process;
    // A blocked indivisible sequence is reported at the edge tried last, so its edges stay.
    let mut inner = BitSet::new(locations.len());
    edges.iter().filter(|e| e.then == Then::Chain).for_each(|e| inner.insert(e.target.index()));
    edges.iter().filter_map(|e| e.chain).for_each(|at| inner.insert(at.index()));
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

/// The rewriter that folds expressions.
struct Fold<'a> {
    globals: &'a Values,
    locals: &'a Values,
    vars: Vars<'a>,
    folded: usize,
}

impl Fold<'_> {
    fn load(&self, place: &Place) -> Option<Expr> {
        let (values, dims) = match place.var {
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
        values.as_ref()?.get(element).copied().map(Expr::Const)
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

/// The truth value of an expression, 0 or 1.
fn truth(expr: Expr) -> Expr {
    use BinaryOp::{And, Eq, Ge, Gt, Le, Lt, Ne, Or};
    match expr {
        Expr::Unary(UnaryOp::Not, _) | Expr::Binary(And | Or | Eq | Ne | Lt | Le | Gt | Ge, ..) => expr,
        _ => Expr::binary(Ne, expr, Expr::Const(0)),
    }
}

impl Rewriter for Fold<'_> {
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
            self.folded += 1;
        }
    }

    fn place(&mut self, _: &mut Place) {}
}
