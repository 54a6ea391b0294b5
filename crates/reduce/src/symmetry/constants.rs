//! Constant expressions with a different value in each member: process numbers, parameters, and what is computed from
//! them.

use super::instances::Local;
use super::scalarsets::{Node, Scalarset};
use super::uses::{Checked, Context, Uses};
use kripke_model::ir::{Expr, Place, VarRef};

impl Uses<'_> {
    /// An array that never changes and has a different value for each member is a scalarset, too. True if a new one
    /// was found.
    pub fn infer_from_constant_arrays(&mut self) -> Checked<bool> {
        for (n, variable) in
            self.globals.clone().iter().enumerate().filter(|(n, _)| self.instances.constant_globals[*n])
        {
            let [dim] = variable.dims[..] else { continue };
            let (Some(scalarset), None) = (self.kinds.kind(dim).scalarset, self.kinds.kind(variable.element).scalarset)
            else {
                continue;
            };
            let Scalarset { class, values: members, .. } = &self.scalarsets[scalarset];
            let values = &self.startup.views[0].globals[n];
            let value = |member: &i32| usize::try_from(*member).ok().and_then(|n| values.get(n).copied());
            let Some(values) = members.iter().map(value).collect::<Option<Vec<i32>>>() else { continue };
            if (1..values.len()).any(|n| values[..n].contains(&values[n])) {
                continue;
            }
            let (class, name) = (*class, format!("`{}`", self.model.globals[n].name));
            let scalarset = Scalarset { class, values, name }.number(&mut self.scalarsets);
            let node = self.kinds.process(scalarset);
            self.unite(variable.element, node)?;
            return Ok(true);
        }
        Ok(false)
    }

    /// The values of an expression in all members, if they never change.
    pub fn fixed_values(&self, expr: &Expr, context: Context) -> Option<Vec<i32>> {
        let class = context?;
        (0..self.instances.classes[class].pids.len()).map(|member| self.value(expr, class, member)).collect()
    }

    /// The scalarset of an expression that never changes and has a different value in each member.
    fn infer_scalarset(&self, expr: &Expr, context: Context) -> Option<Scalarset> {
        let values = self.fixed_values(expr, context)?;
        let differ = values.len() > 1 && !(1..values.len()).any(|n| values[..n].contains(&values[n]));
        let name = if matches!(expr, Expr::Pid) { "the process number" } else { "an expression of their parameters" };
        differ.then_some(Scalarset { class: context?, values, name: name.to_string() })
    }

    /// The number of that scalarset, if it has one.
    pub fn known_scalarset(&self, expr: &Expr, context: Context) -> Option<usize> {
        let inferred = self.infer_scalarset(expr, context)?;
        self.scalarsets.iter().position(|scalarset| scalarset.renames_like(&inferred))
    }

    /// The node of an expression that never changes: a constant, or a value of a scalarset.
    pub fn computed(&mut self, expr: &Expr, context: Context) -> Option<Node> {
        if !matches!(expr, Expr::Pid | Expr::Unary(..) | Expr::Binary(..) | Expr::Cond(_)) {
            return None;
        }
        let values = self.fixed_values(expr, context)?;
        if values.iter().all(|v| *v == values[0]) {
            return Some(self.kinds.constant(values[0]));
        }
        let scalarset = self.infer_scalarset(expr, context)?.number(&mut self.scalarsets);
        Some(self.kinds.process(scalarset))
    }

    /// The value of an expression in a member, if it never changes.
    fn value(&self, expr: &Expr, class: usize, member: usize) -> Option<i32> {
        let members = &self.instances.classes[class];
        match expr {
            Expr::Const(value) => Some(*value),
            Expr::Pid => Some(members.pids[member] as i32),
            Expr::Load(Place { var: VarRef::Local(id), index }) if index.is_empty() => {
                match &members.locals[id.index()] {
                    Local::Varies => None,
                    Local::Same(values) => values.first().copied(),
                    Local::Distinct(_, values) => Some(values[member]),
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
