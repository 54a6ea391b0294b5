//! Random formulas and words. They are functions of a seed and a number.

use kripke_logic::formula::{Binary, FormulaBuilder, Node, NodeId, Unary};
use kripke_logic::{AtomId, Atoms, Lasso, Ltl, Span};
pub use kripke_model::Random;

pub fn atoms(count: usize) -> Atoms {
    let mut atoms = Atoms::default();
    for name in ["p", "q", "x > 1", "r", "s"].iter().take(count) {
        atoms.intern(name, Span::default());
    }
    atoms
}

/// A formula with about `size` operators.
pub fn formula(random: &mut Random, size: usize, atom_count: usize) -> Ltl {
    let mut builder = FormulaBuilder::default();
    let root = grow(random, &mut builder, size, atom_count);
    Ltl { formula: builder.finish(root), atoms: atoms(atom_count) }
}

fn grow(random: &mut Random, builder: &mut FormulaBuilder, size: usize, atom_count: usize) -> NodeId {
    if size == 0 {
        return match random.below(12) {
            0 => builder.node(Node::True),
            1 => builder.node(Node::False),
            _ => builder.atom(AtomId(random.below(atom_count) as u32)),
        };
    }
    if random.below(2) == 0 {
        let op = [Unary::Not, Unary::Next, Unary::Globally, Unary::Finally][random.below(4)];
        let part = grow(random, builder, size - 1, atom_count);
        return builder.unary(op, part);
    }
    let ops = [
        Binary::And,
        Binary::And,
        Binary::Or,
        Binary::Implies,
        Binary::Equivalent,
        Binary::Until,
        Binary::Until,
        Binary::WeakUntil,
        Binary::Release,
    ];
    let op = ops[random.below(ops.len())];
    let left = random.below(size);
    let a = grow(random, builder, left, atom_count);
    let b = grow(random, builder, size - 1 - left, atom_count);
    builder.binary(op, a, b)
}

pub fn word(random: &mut Random, atom_count: usize) -> Lasso {
    let mut letters = |n: usize| (0..n).map(|_| random.below(1 << atom_count) as u64).collect::<Vec<u64>>();
    let stem = letters(3);
    let cycle = letters(4);
    let (stem_length, cycle_length) = (random.below(4), 1 + random.below(4));
    Lasso::new(&stem[..stem_length], &cycle[..cycle_length]).expect("the loop is not empty")
}
