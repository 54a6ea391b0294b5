//! Expressions over atoms.
//!
//! An atom is a part of an expression that reads the state: a variable, an element, the length of a channel. Equal
//! atoms have equal values in one state, so an expression is evaluated for all combinations of the values of its
//! atoms.

use std::ops::Range;

use super::evaluate::Restriction;
use super::memo::Memo;
use super::set::ValueSet;
use super::system::{System, Unit, Variable};
use kripke_model::ir::{BinaryOp, ChannelQuery, Expr, Place, ProcessId, UnaryOp, VarRef};
use kripke_model::layout::MAX_ALIVE;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Term {
    Const(i32),
    /// An index into the atoms of the step.
    Atom(u32),
    Unary(UnaryOp, Box<Term>),
    Binary(BinaryOp, Box<Term>, Box<Term>),
    Cond(Box<[Term; 3]>),
    /// Its evaluation is a fault.
    Fault,
}

/// A term with its atoms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Formula {
    pub term: Term,
    /// In ascending order.
    pub atoms: Vec<u32>,
    /// The number of operators and operands.
    pub size: u64,
    /// Its values.
    pub evaluated: Memo<ValueSet>,
    /// What it leaves of the values of its atoms, if it holds.
    pub restricted: Memo<Restriction>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Atom {
    pub kind: AtomKind,
    /// The cells that it depends on.
    pub reads: Vec<Range<u32>>,
    /// Any effect may change it.
    pub volatile: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum AtomKind {
    /// The value of one variable or element.
    Cell(u32),
    Element(Element),
    /// A variable of another process, which may be absent.
    Remote {
        expr: Expr,
        cells: Vec<Range<u32>>,
        absent: bool,
    },
    /// Something else with these values.
    Other(Expr, ValueSet),
}

/// An element of an array whose index is not constant, or whose elements share a cell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Element {
    pub cells: Range<u32>,
    pub split: bool,
    pub dims: Vec<u32>,
    pub index: Vec<Formula>,
}

/// The element that is stored to.
#[derive(Clone, Debug)]
pub(super) enum Target {
    Cell(u32),
    Element(Element),
    /// The index is out of bounds.
    Fault,
}

/// Translates the expressions of a step.
pub(super) struct Translator<'s, 'm> {
    pub system: &'s System<'m>,
    pub unit: &'s Unit<'m>,
    pub atoms: Vec<Atom>,
}

impl Term {
    /// The value for these values of the atoms; none for a fault. An atom may be a fault, too.
    pub fn value(&self, atoms: &[Option<i32>]) -> Option<i32> {
        Some(match self {
            Term::Const(value) => *value,
            Term::Atom(n) => return atoms[*n as usize],
            Term::Unary(op, a) => op.apply(a.value(atoms)?),
            Term::Binary(op, a, b) => {
                let a = a.value(atoms)?;
                match op {
                    BinaryOp::And if a == 0 => 0,
                    BinaryOp::Or if a != 0 => 1,
                    _ => return op.apply(a, b.value(atoms)?),
                }
            }
            Term::Cond(parts) => {
                let [test, yes, no] = &**parts;
                return if test.value(atoms)? != 0 { yes } else { no }.value(atoms);
            }
            Term::Fault => return None,
        })
    }

    fn visit(&self, see: &mut impl FnMut(&Term)) {
        see(self);
        match self {
            Term::Unary(_, a) => a.visit(see),
            Term::Binary(_, a, b) => {
                a.visit(see);
                b.visit(see);
            }
            Term::Cond(parts) => parts.iter().for_each(|part| part.visit(see)),
            Term::Const(_) | Term::Atom(_) | Term::Fault => {}
        }
    }
}

impl Formula {
    pub fn new(term: Term) -> Formula {
        let (mut atoms, mut size) = (Vec::new(), 0);
        term.visit(&mut |part| {
            size += 1;
            if let Term::Atom(n) = part {
                atoms.push(*n);
            }
        });
        atoms.sort_unstable();
        atoms.dedup();
        Formula { term, atoms, size, evaluated: Memo::default(), restricted: Memo::default() }
    }
}

impl Translator<'_, '_> {
    pub fn formula(&mut self, expr: &Expr) -> Formula {
        Formula::new(self.term(expr))
    }

    /// Adds the conjuncts of a condition that holds, or of its negation.
    pub fn conjuncts(&mut self, expr: &Expr, holds: bool, out: &mut Vec<Formula>) {
        match (expr, holds) {
            (Expr::Binary(BinaryOp::And, a, b), true) | (Expr::Binary(BinaryOp::Or, a, b), false) => {
                self.conjuncts(a, holds, out);
                self.conjuncts(b, holds, out);
            }
            (Expr::Unary(UnaryOp::Not, a), _) => self.conjuncts(a, !holds, out),
            _ => {
                let term = self.term(expr);
                out.push(Formula::new(if holds { term } else { unary(UnaryOp::Not, term) }));
            }
        }
    }

    fn term(&mut self, expr: &Expr) -> Term {
        match expr {
            Expr::Const(value) => Term::Const(*value),
            Expr::Load(place) => match self.target(place) {
                Target::Fault => Term::Fault,
                Target::Cell(cell) => match self.system.cells[cell as usize].constant {
                    Some(value) => Term::Const(value),
                    None => self.atom(AtomKind::Cell(cell), std::iter::once(cell..cell + 1).collect(), false),
                },
                Target::Element(element) => self.element(element),
            },
            Expr::Unary(op, a) => unary(*op, self.term(a)),
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.term(a), self.term(b));
                binary(*op, a, b)
            }
            Expr::Cond(parts) => {
                let [test, yes, no] = &**parts;
                match self.term(test) {
                    Term::Const(0) => self.term(no),
                    Term::Const(_) => self.term(yes),
                    test => Term::Cond(Box::new([test, self.term(yes), self.term(no)])),
                }
            }
            Expr::Pid if self.unit.pid.is_some() => Term::Const(self.unit.pid.unwrap_or(0)),
            Expr::Remote { process, pid, place } => self.remote(expr, *process, pid.as_deref(), place),
            Expr::Input => Term::Const(-1),
            Expr::Fault(_) => Term::Fault,
            _ => self.other(expr),
        }
    }

    fn element(&mut self, element: Element) -> Term {
        let mut reads = vec![element.cells.clone()];
        let index = element.index.iter().flat_map(|formula| &formula.atoms);
        let index: Vec<&Atom> = index.map(|n| &self.atoms[*n as usize]).collect();
        let volatile = index.iter().any(|atom| atom.volatile);
        reads.extend(index.iter().flat_map(|atom| atom.reads.iter().cloned()));
        self.atom(AtomKind::Element(element), reads, volatile)
    }

    fn atom(&mut self, kind: AtomKind, reads: Vec<Range<u32>>, volatile: bool) -> Term {
        let known = self.atoms.iter().position(|atom| atom.kind == kind);
        let number = known.unwrap_or(self.atoms.len());
        if known.is_none() {
            self.atoms.push(Atom { kind, reads, volatile });
        }
        Term::Atom(number as u32)
    }

    /// The place of a variable's element.
    pub fn target(&mut self, place: &Place) -> Target {
        let system = self.system;
        let var = match place.var {
            VarRef::Global(id) => &system.globals[id.index()],
            VarRef::Local(id) => &self.unit.locals[id.index()],
        };
        let index: Vec<Formula> = place.index.iter().map(|e| self.formula(e)).collect();
        let mut element = Some(0);
        for (formula, len) in index.iter().zip(&var.dims) {
            match formula.term {
                Term::Const(i) if i < 0 || i as u32 >= *len => return Target::Fault,
                Term::Const(i) => element = element.map(|at| at * *len as usize + i as usize),
                Term::Fault => return Target::Fault,
                _ => element = None,
            }
        }
        match element.filter(|_| var.is_split()) {
            Some(element) => Target::Cell(var.cell(element)),
            None => Target::Element(Element {
                cells: var.cells.clone(),
                split: var.is_split(),
                dims: var.dims.clone(),
                index,
            }),
        }
    }

    fn remote(&mut self, expr: &Expr, process: ProcessId, pid: Option<&Expr>, place: &Place) -> Term {
        let system = self.system;
        let number = pid.map(|e| self.term(e));
        let ty = Some(process.index());
        let units = system.units.iter().filter(|unit| unit.ty == ty);
        let units: Vec<&Unit<'_>> = match number {
            Some(Term::Const(n)) if system.by_instance => units.filter(|unit| unit.pid == Some(n)).collect(),
            None if system.by_instance => units.take(1).collect(),
            _ => units.collect(),
        };
        let of = |unit: &&Unit<'_>| -> Variable {
            match place.var {
                VarRef::Global(id) => system.globals[id.index()].clone(),
                VarRef::Local(id) => unit.locals[id.index()].clone(),
            }
        };
        let cells: Vec<Range<u32>> = units.iter().map(of).map(|var| var.cells).collect();
        let certain = matches!(number, None | Some(Term::Const(_))) && system.by_instance && !system.ends;
        let absent = !certain || cells.is_empty();
        self.atom(AtomKind::Remote { expr: expr.clone(), cells: cells.clone(), absent }, cells, true)
    }

    fn other(&mut self, expr: &Expr) -> Term {
        let system = self.system;
        let units = system.units.iter().filter(|unit| unit.ty.is_some()).count();
        let values = match expr {
            Expr::Channel(ChannelQuery::Len, _) => {
                let most = system.channels.iter().map(|c| system.model.channels[c.index()].capacity).max();
                ValueSet::below(most.unwrap_or(0) as usize + 1)
            }
            Expr::Pid => ValueSet::below(MAX_ALIVE),
            Expr::Last => ValueSet::below(if system.by_instance { units } else { MAX_ALIVE + 1 }),
            Expr::ProcessCount if system.by_instance && !system.ends => return Term::Const(units as i32),
            Expr::ProcessCount => ValueSet::below(MAX_ALIVE + 1),
            Expr::Location(_) => {
                let most = system.model.processes.iter().map(|p| p.locations.len()).max();
                ValueSet::below(most.unwrap_or(0))
            }
            Expr::Priority(_) => ValueSet::below(256),
            Expr::Channel(..)
            | Expr::Poll { .. }
            | Expr::Timeout
            | Expr::NonProgress
            | Expr::Enabled(_)
            | Expr::At { .. }
            | Expr::ObserverAt(_) => ValueSet::TRUTH,
            _ => ValueSet::WORD,
        };
        self.atom(AtomKind::Other(expr.clone(), values), Vec::new(), true)
    }
}

fn unary(op: UnaryOp, a: Term) -> Term {
    match a {
        Term::Const(value) => Term::Const(op.apply(value)),
        Term::Fault => Term::Fault,
        Term::Binary(comparison, a, b) if op == UnaryOp::Not && opposite(comparison).is_some() => {
            Term::Binary(opposite(comparison).unwrap_or(comparison), a, b)
        }
        a => Term::Unary(op, Box::new(a)),
    }
}

fn binary(op: BinaryOp, a: Term, b: Term) -> Term {
    match (op, &a, &b) {
        (_, Term::Fault, _) => Term::Fault,
        (BinaryOp::And, Term::Const(0), _) => Term::Const(0),
        (BinaryOp::Or, Term::Const(value), _) if *value != 0 => Term::Const(1),
        (_, Term::Const(x), Term::Const(y)) => op.apply(*x, *y).map_or(Term::Fault, Term::Const),
        (BinaryOp::And | BinaryOp::Or, Term::Const(_), _) => {
            Term::Binary(BinaryOp::Ne, Box::new(b), Box::new(Term::Const(0)))
        }
        _ => Term::Binary(op, Box::new(a), Box::new(b)),
    }
}

/// The comparison that is true where this one is false.
fn opposite(op: BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        BinaryOp::Eq => BinaryOp::Ne,
        BinaryOp::Ne => BinaryOp::Eq,
        BinaryOp::Lt => BinaryOp::Ge,
        BinaryOp::Ge => BinaryOp::Lt,
        BinaryOp::Gt => BinaryOp::Le,
        BinaryOp::Le => BinaryOp::Gt,
        _ => return None,
    })
}
