//! Variables and parts of them: which words of the state they are.

use kripke_model::ir::{BinaryOp, Expr, Place, ProcessId, VarId, VarRef};

use super::Lowering;
use super::scope::Symbol;
use super::types::{Kind, Ty, TypeId};
use super::values::{Value, conjunction, whole};
use crate::diagnostic::Diagnostic;
use crate::esml::ast::{self, AccessStep, Name};
use crate::source::Span;
use crate::spelling::nearest;

/// The layout of a variable: the scalar or array variable of the model for each of its parts.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    Word(VarId),
    Tuple(Vec<Shape>),
    Array(u32, Box<Shape>),
    List { size: u32, len: VarId, items: Box<Shape> },
}

/// A variable or a part of one.
#[derive(Clone, Debug)]
pub(super) struct Located {
    pub ty: TypeId,
    pub shape: Shape,
    /// Indices so far, outermost first.
    pub index: Vec<Expr>,
    /// When all `HEAD`s among the indices are of lists that have one.
    pub defined: Option<Expr>,
    pub owner: Owner,
    pub parameter: bool,
}

/// The owner of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Owner {
    /// The executing process.
    Own,
    /// The process with this number.
    Other(ProcessId, usize),
}

impl Owner {
    pub(super) fn load(self, place: Place) -> Expr {
        match self {
            Owner::Own => Expr::Load(place),
            Owner::Other(process, pid) => Expr::Remote { process, pid: Some(Box::new(Expr::Const(pid as i32))), place },
        }
    }
}

fn local(var: VarId, index: Vec<Expr>) -> Place {
    Place { var: VarRef::Local(var), index }
}

impl Shape {
    /// The places of all words, in the order in which every value of the type has them.
    pub(super) fn places(&self, index: &[Expr]) -> Vec<Place> {
        let mut places = Vec::new();
        self.collect(&mut index.to_vec(), &mut places);
        places
    }

    fn collect(&self, index: &mut Vec<Expr>, places: &mut Vec<Place>) {
        match self {
            Shape::Word(var) => places.push(local(*var, index.clone())),
            Shape::Tuple(parts) => parts.iter().for_each(|p| p.collect(index, places)),
            Shape::Array(size, of) => each(*size, of, index, places),
            Shape::List { size, len, items } => {
                places.push(local(*len, index.clone()));
                each(*size, items, index, places);
            }
        }
    }
}

fn each(size: u32, of: &Shape, index: &mut Vec<Expr>, places: &mut Vec<Place>) {
    for i in 0..size {
        index.push(Expr::Const(i as i32));
        of.collect(index, places);
        index.pop();
    }
}

impl Located {
    pub(super) fn places(&self) -> Vec<Place> {
        self.shape.places(&self.index)
    }

    /// The length of a list.
    pub(super) fn length(&self) -> Option<Place> {
        match &self.shape {
            Shape::List { len, .. } => Some(local(*len, self.index.clone())),
            _ => None,
        }
    }

    /// One element of a list.
    pub(super) fn element(&self, at: Expr) -> Vec<Place> {
        let Shape::List { items, .. } = &self.shape else { return Vec::new() };
        let mut index = self.index.clone();
        index.push(at);
        items.places(&index)
    }
}

impl Lowering<'_> {
    /// The part of a variable that `access` names.
    pub(super) fn locate(&mut self, access: &ast::Access) -> Option<Located> {
        let (start, steps) = match self.remote {
            true => self.remote_root(access)?,
            false => (self.own_root(&access.root)?, &access.steps[..]),
        };
        let mut here = start;
        for step in steps {
            here = match step {
                AccessStep::Field(name) => self.field(here, name)?,
                AccessStep::Index(index) => self.element(here, index)?,
            };
        }
        Some(here)
    }

    fn own_root(&mut self, name: &Name) -> Option<Located> {
        match self.resolve(name, "variable")? {
            Symbol::Variable(v) => Some(Located {
                ty: v.ty,
                shape: v.shape,
                index: Vec::new(),
                defined: None,
                owner: Owner::Own,
                parameter: v.parameter,
            }),
            _ => {
                self.misplaced(name, "a variable");
                None
            }
        }
    }

    /// `P.x`, or `P[n].x` if there are several: a variable of a process, from outside.
    fn remote_root<'a>(&mut self, access: &'a ast::Access) -> Option<(Located, &'a [AccessStep])> {
        let Symbol::Process(number) = self.resolve(&access.root, "process")? else {
            let help = "here a variable is named with its process: `Process.variable`";
            let what = format!("`{}` is not a process", access.root.text);
            self.error(Diagnostic::error(access.root.span, what, "expected a process").help(help));
            return None;
        };
        let (nth, rest) = match access.steps.first() {
            Some(AccessStep::Index(index)) => (Some(self.constant_index(index)?), &access.steps[1..]),
            _ => (None, &access.steps[..]),
        };
        let pid = self.instance(&access.root, number, nth)?;
        let Some(AccessStep::Field(field)) = rest.first() else {
            let what = format!("a process is no value; name a variable of `{}`", access.root.text);
            self.error(Diagnostic::error(access.span, what, "expected `.` and a variable"));
            return None;
        };
        let variable = match self.finished[number].scope.get(&field.text) {
            Some((Symbol::Variable(v), _)) => v.clone(),
            _ => {
                let what = format!("`{}` has no variable `{}`", access.root.text, field.text);
                self.error(Diagnostic::error(field.span, what, "not declared there"));
                return None;
            }
        };
        let located = Located {
            ty: variable.ty,
            shape: variable.shape,
            index: Vec::new(),
            defined: None,
            owner: Owner::Other(ProcessId(number as u32), pid),
            parameter: true,
        };
        Some((located, &rest[1..]))
    }

    fn constant_index(&mut self, index: &ast::Expr) -> Option<(i32, Span)> {
        let n = self.constant(index, Ty::Integer)?;
        Some((n, index.span))
    }

    /// The number of the process that `P` or `P[n]` means: `n` is the number that traces show, too.
    fn instance(&mut self, name: &Name, number: usize, given: Option<(i32, Span)>) -> Option<usize> {
        let pids: Vec<usize> = (0..self.started.len()).filter(|i| self.started[*i] == number).collect();
        let listed = pids.iter().map(|pid| format!("`{}[{pid}]`", name.text)).collect::<Vec<_>>().join(", ");
        let (span, what) = match (given, &pids[..]) {
            (_, []) => (name.span, format!("no process `{}` is started", name.text)),
            (None, [pid]) => return Some(*pid),
            (None, _) => (name.span, format!("there are {} processes `{}`", pids.len(), name.text)),
            (Some((n, span)), _) => match pids.iter().find(|pid| i32::try_from(**pid) == Ok(n)) {
                Some(pid) => return Some(*pid),
                None => (span, format!("there is no `{}[{n}]`", name.text)),
            },
        };
        let diagnostic = Diagnostic::error(span, what, "which one?");
        let help = format!("processes are numbered from 0 in the order they are started; here {listed}");
        self.error(if pids.is_empty() { diagnostic } else { diagnostic.help(help) });
        None
    }

    fn field(&mut self, from: Located, name: &Name) -> Option<Located> {
        let info = self.info(from.ty);
        let Kind::Tuple(fields) = &info.kind else {
            let what = format!("`{}` is no tuple and has no fields", info.name);
            self.error(Diagnostic::error(name.span, what, "a field of what?"));
            return None;
        };
        let Some(i) = fields.iter().position(|(n, _)| *n == name.text) else {
            let names: Vec<&str> = fields.iter().map(|(n, _)| n.as_str()).collect();
            let help = match nearest(&name.text, &names) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("its fields are {}", names.join(", ")),
            };
            let what = format!("`{}` has no field `{}`", info.name, name.text);
            self.error(Diagnostic::error(name.span, what, "no such field").help(help));
            return None;
        };
        let ty = fields[i].1;
        let Shape::Tuple(mut parts) = from.shape else { return None };
        Some(Located { ty, shape: parts.swap_remove(i), ..from })
    }

    fn element(&mut self, from: Located, index: &ast::Expr) -> Option<Located> {
        let info = self.info(from.ty);
        let Kind::Array { size, of } = info.kind else {
            let list = matches!(info.kind, Kind::List { .. });
            let diagnostic = Diagnostic::error(index.span, format!("`{}` is no array", info.name), "an index of what?");
            let help = "`HEAD(list)` is the first element of a list; the others can't be read";
            self.error(if list { diagnostic.help(help) } else { diagnostic });
            return None;
        };
        let value = self.value_of(index, Ty::Integer)?;
        if let Some(n) = value.constant()
            && !(0..size as i32).contains(&n)
        {
            let what = format!("index out of range: there are {size} elements, numbered from 0");
            self.error(Diagnostic::error(index.span, what, format!("this is {n}")));
            return None;
        }
        let Shape::Array(_, shape) = from.shape else { return None };
        let defined = conjunction(from.defined, value.defined.clone());
        let mut position = from.index;
        position.push(value.word());
        Some(Located { ty: of, shape: *shape, index: position, defined, ..from })
    }

    /// The value of a variable.
    pub(super) fn read(&mut self, located: &Located, span: Span) -> Option<Value> {
        self.spend(self.info(located.ty).words, span)?;
        let words = located.places().into_iter().map(|p| located.owner.load(p)).collect();
        Some(Value {
            ty: self.ty(located.ty),
            words,
            range: self.range_of(located.ty),
            defined: located.defined.clone(),
            span,
        })
    }

    pub(super) fn range_of(&self, ty: TypeId) -> (i64, i64) {
        match self.info(ty).kind {
            Kind::Subrange { low, high } => (i64::from(low), i64::from(high)),
            _ => whole(),
        }
    }

    /// `LEN(list)`.
    pub(super) fn length_of(&mut self, list: &Located) -> Option<(Expr, u32)> {
        let Shape::List { size, .. } = list.shape else { return None };
        list.length().map(|len| (list.owner.load(len), size))
    }
}

/// Whether the expression reads one of these variables of the executing process.
pub(super) fn reads(expr: &Expr, vars: &[VarRef]) -> bool {
    match expr {
        Expr::Load(place) => vars.contains(&place.var) || place.index.iter().any(|e| reads(e, vars)),
        Expr::Unary(_, e) => reads(e, vars),
        Expr::Binary(_, a, b) => reads(a, vars) || reads(b, vars),
        Expr::Cond(parts) => parts.iter().any(|e| reads(e, vars)),
        _ => false,
    }
}

/// `a < b`
pub(super) fn less(a: Expr, b: Expr) -> Expr {
    Expr::binary(BinaryOp::Lt, a, b)
}
