//! How much a text may cost: absurd input ends in an error, never in a hang or an overflow.

/// Bytes of a formula, a never claim or an automaton.
pub const MAX_BYTES: usize = 4 << 20;

/// Tokens of a formula.
pub const MAX_TOKENS: usize = 50_000;

/// Brackets within each other.
pub const MAX_NESTING: usize = 256;

/// The height of a formula: a long chain like `a && b && c && …` is a tall tree.
pub const MAX_HEIGHT: u32 = 1_000;

/// Different propositions of an automaton: a valuation is one machine word.
pub const MAX_ATOMS: usize = 64;

/// Different subformulas of a simplified formula, in negation normal form.
pub const MAX_TERMS: usize = 20_000;

/// Beyond so many subformulas, rules that compare each with each other are left out.
pub const MAX_COMPARED_TERMS: usize = 2_000;

/// Temporal subformulas that an automaton may have to keep track of.
pub const MAX_OBLIGATIONS: usize = 128;

/// Acceptance sets.
pub const MAX_SETS: usize = 64;

/// States of an automaton while it is built.
pub const MAX_STATES: usize = 10_000;

/// Edges of an automaton while it is built.
pub const MAX_EDGES: usize = 200_000;

/// Combinations of choices looked at, over all states.
pub const MAX_COMBINATIONS: usize = 2_000_000;

/// Nodes of decision diagrams.
pub const MAX_DIAGRAM_NODES: usize = 1 << 20;

/// Cubes of one guard.
pub const MAX_CUBES: usize = 20_000;

/// Work for simulation relations, in comparisons of edges: larger automata are reduced by simpler means.
pub const MAX_SIMULATION_WORK: usize = 3_000_000;
