//! What tells the members of a group apart without ever changing: numbers, parameters, and what is computed of them.

use super::instances::Local;
use super::scalarsets::{Encoding, Node};
use super::uses::{Judged, Reader, Uses};
use kripke_model::ir::{Expr, Place, VarRef};

impl Uses<'_> {
    /// An array that never changes and has a different value for each member tells them apart, too. Whether there was one
    /// of which that was not known.
    pub fn settle(&mut self) -> Judged<bool> {
        for (n, variable) in self.globals.clone().iter().enumerate().filter(|(n, _)| self.cast.settled[*n]) {
            let [dim] = variable.dims[..] else { continue };
            let (Some(code), None) = (self.sorts.kind(dim).code, self.sorts.kind(variable.element).code) else {
                continue;
            };
            let Encoding { class, values: members, .. } = &self.codes[code];
            let values = &self.begun.views[0].globals[n];
            let value = |member: &i32| usize::try_from(*member).ok().and_then(|n| values.get(n).copied());
            let Some(values) = members.iter().map(value).collect::<Option<Vec<i32>>>() else { continue };
            if (1..values.len()).any(|n| values[..n].contains(&values[n])) {
                continue;
            }
            let (class, name) = (*class, format!("`{}`", self.model.globals[n].name));
            let code = Encoding { class, values, name }.number(&mut self.codes);
            let node = self.sorts.process(code);
            self.unite(variable.element, node)?;
            return Ok(true);
        }
        Ok(false)
    }

    /// The values of an expression in all members, if they never change.
    pub fn fixed_values(&self, expr: &Expr, reader: Reader) -> Option<Vec<i32>> {
        let class = reader?;
        (0..self.cast.classes[class].pids.len()).map(|member| self.value(expr, class, member)).collect()
    }

    /// The encoding by which an expression of what never changes tells members apart, if it does.
    fn encoding(&self, expr: &Expr, reader: Reader) -> Option<Encoding> {
        let values = self.fixed_values(expr, reader)?;
        let differ = values.len() > 1 && !(1..values.len()).any(|n| values[..n].contains(&values[n]));
        let name =
            if matches!(expr, Expr::Pid) { "the number of the process" } else { "what is computed of their names" };
        differ.then_some(Encoding { class: reader?, values, name: name.to_string() })
    }

    /// The number of that, if it has one.
    pub fn known_code(&self, expr: &Expr, reader: Reader) -> Option<usize> {
        let encoding = self.encoding(expr, reader)?;
        self.codes.iter().position(|code| code.renames_like(&encoding))
    }

    /// An expression of what never changes is a constant, or another name for each member.
    pub fn computed(&mut self, expr: &Expr, reader: Reader) -> Option<Node> {
        if !matches!(expr, Expr::Pid | Expr::Unary(..) | Expr::Binary(..) | Expr::Cond(_)) {
            return None;
        }
        let values = self.fixed_values(expr, reader)?;
        if values.iter().all(|v| *v == values[0]) {
            return Some(self.sorts.constant(values[0]));
        }
        let code = self.encoding(expr, reader)?.number(&mut self.codes);
        Some(self.sorts.process(code))
    }

    /// The value of an expression in a member, if it never changes.
    fn value(&self, expr: &Expr, class: usize, member: usize) -> Option<i32> {
        let actors = &self.cast.classes[class];
        match expr {
            Expr::Const(value) => Some(*value),
            Expr::Pid => Some(actors.pids[member] as i32),
            Expr::Load(Place { var: VarRef::Local(id), index }) if index.is_empty() => {
                match &actors.locals[id.index()] {
                    Local::Varies => None,
                    Local::Same(values) => values.first().copied(),
                    Local::Own(_, values) => Some(values[member]),
                }
            }
            Expr::Unary(op, a) => Some(op.apply(self.value(a, class, member)?)),
            Expr::Binary(op, a, b) => op.apply(self.value(a, class, member)?, self.value(b, class, member)?),
            Expr::Cond(parts) => {
                let chosen = if self.value(&parts[0], class, member)? != 0 { 1 } else { 2 };
                self.value(&parts[chosen], class, member)
            }
            _ => None,
        }
    }
}
