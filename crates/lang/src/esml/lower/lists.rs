//! List commands. Elements behind the end of a list always have their least value, so equal lists are equal states.

use kripke_model::ir::{BinaryOp, Effect, Expr, Place};

use super::Lowering;
use super::access::{Located, Shape, less};
use super::flow::require;
use super::values::conjunction;
use crate::esml::ast;
use crate::source::Span;

impl Lowering<'_> {
    pub(super) fn empty(&mut self, list: &ast::Access, span: Span) -> Option<Vec<Effect>> {
        let list = self.list_target(list)?;
        let places = list.places();
        self.spend(places.len(), span)?;
        let stores = places.into_iter().map(|p| self.cleared(p)).collect();
        Some(self.stores(list.defined, stores))
    }

    pub(super) fn remove(&mut self, list: &ast::Access, span: Span) -> Option<Vec<Effect>> {
        let list = self.list_target(list)?;
        let (length, size) = self.parts(&list)?;
        self.spend(list.places().len(), span)?;
        let mut stores = Vec::new();
        for i in 0..size {
            let to = list.element(Expr::Const(i));
            if i + 1 < size {
                stores.extend(to.into_iter().zip(list.element(Expr::Const(i + 1)).into_iter().map(Expr::Load)));
            } else {
                stores.extend(to.into_iter().map(|p| self.cleared(p)));
            }
        }
        let now = Expr::Load(length.clone());
        stores.push((length, Expr::binary(BinaryOp::Sub, now.clone(), Expr::Const(1))));
        let check = require(less(Expr::Const(0), now), "REMOVE from an empty list");
        Some(self.checked(check, list.defined, stores))
    }

    pub(super) fn append(&mut self, list: &ast::Access, value: &ast::Expr, span: Span) -> Option<Vec<Effect>> {
        let list = self.list_target(list)?;
        let value = self.element_value(&list, value)?;
        let (length, size) = self.parts(&list)?;
        self.spend(value.words.len(), span)?;
        let now = Expr::Load(length.clone());
        let mut stores: Vec<(Place, Expr)> = list.element(now.clone()).into_iter().zip(value.words).collect();
        stores.push((length, Expr::binary(BinaryOp::Add, now.clone(), Expr::Const(1))));
        let check = require(less(now, Expr::Const(size)), "APPEND to a full list");
        Some(self.checked(check, conjunction(list.defined, value.defined), stores))
    }

    /// From the last element on, so that none is overwritten before it was moved. The first one keeps its value until
    /// the end: the new one may be made of it.
    pub(super) fn prepend(&mut self, list: &ast::Access, value: &ast::Expr, span: Span) -> Option<Vec<Effect>> {
        let list = self.list_target(list)?;
        let value = self.element_value(&list, value)?;
        let (length, size) = self.parts(&list)?;
        self.spend(list.places().len(), span)?;
        let mut stores = Vec::new();
        for i in (1..size).rev() {
            stores.extend(
                list.element(Expr::Const(i))
                    .into_iter()
                    .zip(list.element(Expr::Const(i - 1)).into_iter().map(Expr::Load)),
            );
        }
        stores.extend(list.element(Expr::Const(0)).into_iter().zip(value.words));
        let now = Expr::Load(length.clone());
        stores.push((length, Expr::binary(BinaryOp::Add, now.clone(), Expr::Const(1))));
        let check = require(less(now, Expr::Const(size)), "PREPEND to a full list");
        Some(self.checked(check, conjunction(list.defined, value.defined), stores))
    }

    fn checked(&mut self, check: Effect, defined: Option<Expr>, stores: Vec<(Place, Expr)>) -> Vec<Effect> {
        let mut effects = self.stores(defined, stores);
        // A `HEAD` in the list's own indices comes first: the check reads it.
        let at = usize::from(matches!(effects.first(), Some(Effect::Require { .. })));
        effects.insert(at, check);
        effects
    }

    fn parts(&self, list: &Located) -> Option<(Place, i32)> {
        let Shape::List { size, .. } = list.shape else { return None };
        Some((list.length()?, size as i32))
    }

    /// A place, and the value it has before anything was stored there.
    fn cleared(&self, place: Place) -> (Place, Expr) {
        let least = match place.var {
            kripke_model::ir::VarRef::Local(var) => self.vars[var.index()].range.map_or(0, |(low, _)| low),
            kripke_model::ir::VarRef::Global(_) => 0,
        };
        (place, Expr::Const(least))
    }
}
