//! Printing is no part of a state, but working out what is printed may go wrong: of a print, only that stays.

use super::faults::{Vars, evaluated};
use crate::ir::{BinaryOp, Effect, Expr, Model, Piece, Print};

/// Replaces prints that may go wrong by the evaluation of their arguments. How many there are.
pub(super) fn evaluate(model: &mut Model) -> usize {
    let Model { globals, processes, .. } = model;
    let mut count = 0;
    for process in processes {
        let vars = Vars { globals, locals: &process.locals };
        for effect in process.edges.iter_mut().flat_map(|edge| &mut edge.effects) {
            if let Effect::Print(print) = effect
                && let Some(risky) = risks(print, vars)
            {
                *effect = Effect::Require { condition: evaluated(risky, 1, true), message: String::new() };
                count += 1;
            }
        }
    }
    count
}

/// The arguments that may go wrong, in order, as one expression.
fn risks(print: &Print, vars: Vars<'_>) -> Option<Expr> {
    let values = print.pieces.iter().filter_map(|piece| match piece {
        Piece::Text(_) => None,
        Piece::Value(_, e) | Piece::Symbol(_, e) => Some(e),
    });
    let risky = values.filter(|e| vars.may_fault(e)).cloned();
    risky.reduce(|before, risky| Expr::binary(BinaryOp::Add, before, risky))
}
