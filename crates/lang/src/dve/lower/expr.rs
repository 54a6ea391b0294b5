//! Expressions.

use kripke_model::ir::{BinaryOp, Expr, Place, UnaryOp};

use super::index::{Declared, Index, Symbol};
use crate::diagnostic::{Diagnostic, warn};
use crate::dve::ast::{self, ExprKind, Name};
use crate::limits;
use crate::source::Span;

/// The scope of an expression.
pub(super) struct Context<'a> {
    pub index: &'a Index,
    /// The process it belongs to.
    pub scope: Option<usize>,
    pub diagnostics: &'a mut Vec<Diagnostic>,
}

impl Context<'_> {
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < limits::MAX_ERRORS {
            self.diagnostics.push(diagnostic);
        }
    }

    /// The expression, or nothing after a complaint.
    pub(super) fn expr(&mut self, expr: &ast::Expr) -> Option<Expr> {
        Some(match &expr.kind {
            ExprKind::Number(n) => Expr::Const(*n),
            ExprKind::Group(inner) => self.expr(inner)?,
            ExprKind::Unary(op, operand) => unary(*op, self.expr(operand)?),
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.expr(a), self.expr(b));
                binary(*op, a?, b?)
            }
            ExprKind::Imply(a, b) => {
                let (a, b) = (self.expr(a), self.expr(b));
                binary(BinaryOp::Or, unary(UnaryOp::Not, a?), b?)
            }
            ExprKind::Name(name) => match self.find(name)?.symbol {
                Symbol::Constant(value) => Expr::Const(value),
                _ => Expr::Load(self.place(expr)?),
            },
            ExprKind::Element(..) => Expr::Load(self.place(expr)?),
            ExprKind::At(process, state) => self.at(process, state)?,
            ExprKind::Remote(process, name, index) => self.remote(process, name, index.as_deref(), expr.span)?,
        })
    }

    /// A variable or an element of an array that is assigned to.
    pub(super) fn target(&mut self, expr: &ast::Expr) -> Option<Place> {
        let inner = match &expr.kind {
            ExprKind::Group(inner) => return self.target(inner),
            ExprKind::Name(name) | ExprKind::Element(name, _) => name,
            _ => {
                let wrong = "only a variable of this process or of the system can be given a value";
                self.report(Diagnostic::error(expr.span, wrong, "this is not one"));
                return None;
            }
        };
        let declared = self.find(inner)?;
        if matches!(declared.symbol, Symbol::Constant(_) | Symbol::Variable { constant: true, .. }) {
            let wrong = format!("`{}` is a constant", inner.text);
            let wrong = Diagnostic::error(inner.span, wrong, "it can't be given a value");
            self.report(wrong.label(declared.span, "declared here"));
            return None;
        }
        self.place(expr)
    }

    /// `x` or `a[i]`
    fn place(&mut self, expr: &ast::Expr) -> Option<Place> {
        let (name, index) = match &expr.kind {
            ExprKind::Name(name) => (name, None),
            ExprKind::Element(name, index) => (name, Some(&**index)),
            _ => return None,
        };
        let declared = self.find(name)?;
        let Symbol::Variable { var, size, .. } = declared.symbol else {
            self.no_variable(name, declared);
            return None;
        };
        let index = self.index(name, declared.span, size, index)?;
        Some(Place { var, index })
    }

    fn no_variable(&mut self, name: &Name, declared: Declared) {
        let what = match declared.symbol {
            Symbol::Channel(_) => "a channel",
            _ => "a constant without elements",
        };
        let wrong = Diagnostic::error(name.span, format!("`{}` is {what}", name.text), "expected a variable");
        self.report(wrong.label(declared.span, "declared here"));
    }

    /// The index of an array's element; none for what is no array. The name of an array alone is its first element, as in
    /// DiVinE.
    fn index(
        &mut self,
        name: &Name,
        declared: Span,
        size: Option<u32>,
        index: Option<&ast::Expr>,
    ) -> Option<Vec<Expr>> {
        let (size, index) = match (size, index) {
            (None, None) => return Some(Vec::new()),
            (Some(size), Some(index)) => (size, index),
            (None, Some(index)) => {
                let wrong = Diagnostic::error(index.span, format!("`{}` is not an array", name.text), "an index");
                self.report(wrong.label(declared, "declared here"));
                return None;
            }
            (Some(_), None) => {
                self.whole_array(name, declared);
                return Some(vec![Expr::Const(0)]);
            }
        };
        let value = self.expr(index)?;
        if let Expr::Const(n) = value
            && !(0..i64::from(size)).contains(&i64::from(n))
        {
            let text =
                format!("index {n} is outside of `{}`, which has {size} elements (0 to {})", name.text, size - 1);
            warn(self.diagnostics, Diagnostic::warning(index.span, text, "this step would fail"));
        }
        Some(vec![value])
    }

    /// Warns once of the name of an array in place of an element.
    fn whole_array(&mut self, name: &Name, declared: Span) {
        let text = format!("`{}` is an array: taken to mean its first element", name.text);
        let help = format!("write `{}[0]`", name.text);
        let warning =
            Diagnostic::warning(name.span, text, "the whole array").help(help).label(declared, "declared here");
        let declared_at = |d: &Diagnostic| d.labels.last().map(|label| label.span);
        let same = |d: &Diagnostic| d.message == warning.message && declared_at(d) == declared_at(&warning);
        if !self.diagnostics.iter().any(same) {
            warn(self.diagnostics, warning);
        }
    }

    /// `P.s`
    fn at(&mut self, process: &Name, state: &Name) -> Option<Expr> {
        let scope = self.process(process)?;
        let Some(location) = self.index.scopes[scope].states.get(&*state.text).copied() else {
            let mut names: Vec<&str> = self.index.scopes[scope].states.keys().map(String::as_str).collect();
            names.sort_unstable();
            let near = crate::spelling::nearest(&state.text, &names).map(String::from);
            let what = format!("process `{}` has no state `{}`", process.text, state.text);
            let mut wrong = Diagnostic::error(state.span, what, "no such state");
            if let Some(near) = near {
                wrong = wrong.help(format!("did you mean `{}.{near}`?", process.text));
            } else if self.index.scopes[scope].symbols.contains_key(&*state.text) {
                wrong = wrong.help(format!("a variable of a process is written `{}->{}`", process.text, state.text));
            }
            self.report(wrong);
            return None;
        };
        Some(match self.index.scopes[scope].process {
            Some(process) => Expr::At { process, pid: None, locations: vec![location] },
            None => Expr::ObserverAt(vec![location]),
        })
    }

    /// `P->x`
    fn remote(&mut self, process: &Name, name: &Name, index: Option<&ast::Expr>, span: Span) -> Option<Expr> {
        let scope = self.process(process)?;
        let Some(declared) = self.index.scopes[scope].symbols.get(&*name.text).copied() else {
            let mut names: Vec<&str> = self.index.scopes[scope].symbols.keys().map(String::as_str).collect();
            names.sort_unstable();
            let near = crate::spelling::nearest(&name.text, &names).map(String::from);
            let what = format!("process `{}` has no variable `{}`", process.text, name.text);
            let mut wrong = Diagnostic::error(name.span, what, "no such variable");
            if let Some(near) = near {
                wrong = wrong.help(format!("did you mean `{}->{near}`?", process.text));
            } else if self.index.scopes[scope].states.contains_key(&*name.text) {
                wrong = wrong.help(format!("a state of a process is written `{}.{}`", process.text, name.text));
            }
            self.report(wrong);
            return None;
        };
        let Symbol::Variable { var, size, .. } = declared.symbol else {
            return match declared.symbol {
                Symbol::Constant(value) if index.is_none() => Some(Expr::Const(value)),
                _ => {
                    let wrong = Diagnostic::error(span, format!("`{}` is not an array", name.text), "no variable");
                    self.report(wrong);
                    None
                }
            };
        };
        let place = Place { var, index: self.index(name, declared.span, size, index)? };
        Some(match self.index.scopes[scope].process {
            Some(process) if self.scope != Some(scope) => Expr::Remote { process, pid: None, place },
            _ => Expr::Load(place),
        })
    }

    fn process(&mut self, name: &Name) -> Option<usize> {
        let found = self.index.scope(&name.text);
        if found.is_none() {
            let mut names: Vec<&str> = self.index.scopes.iter().map(|s| s.name.as_str()).collect();
            names.sort_unstable();
            let mut wrong =
                Diagnostic::error(name.span, format!("there is no process `{}`", name.text), "not declared");
            if let Some(near) = crate::spelling::nearest(&name.text, &names) {
                wrong = wrong.help(format!("did you mean `{near}`?"));
            }
            self.report(wrong);
        }
        found
    }

    /// The meaning of a name in this scope.
    pub(super) fn find(&mut self, name: &Name) -> Option<Declared> {
        if let Some(declared) = self.index.find(self.scope, &name.text) {
            return Some(declared);
        }
        let mut wrong = Diagnostic::error(name.span, format!("`{}` is not declared", name.text), "unknown name");
        let states = self.scope.map(|s| &self.index.scopes[s]).filter(|s| s.states.contains_key(&*name.text));
        if let Some(scope) = states {
            wrong = wrong.help(format!("being in a state is written `{}.{}`", scope.name, name.text));
        } else if self.index.scope(&name.text).is_some() {
            wrong = wrong.help(format!("`{0}` is a process: write `{0}.state` or `{0}->variable`", name.text));
        } else if self.diagnostics.len() <= limits::MAX_ERRORS_SHOWN
            && let Some(near) = self.index.similar(self.scope, &name.text)
        {
            wrong = wrong.help(format!("did you mean `{near}`?"));
        }
        self.report(wrong);
        None
    }
}

/// An operation, computed now if its operand is known.
fn unary(op: UnaryOp, operand: Expr) -> Expr {
    match operand {
        Expr::Const(a) => Expr::Const(op.apply(a)),
        operand => Expr::Unary(op, Box::new(operand)),
    }
}

fn binary(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    if let (Expr::Const(a), Expr::Const(b)) = (&a, &b)
        && let Some(value) = op.apply(*a, *b)
    {
        return Expr::Const(value);
    }
    Expr::binary(op, a, b)
}
