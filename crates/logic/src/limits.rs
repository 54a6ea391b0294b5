//! Limits on input size and on work. Input beyond a limit gives an error; no input makes the crate hang or overflow.

/// Bytes of a formula, a never claim or an automaton.
pub const MAX_BYTES: usize = 4 << 20;

/// Tokens of a formula.
pub const MAX_TOKENS: usize = 50_000;

/// Nesting depth of brackets.
pub const MAX_NESTING: usize = 256;

/// Height of the syntax tree. A chain like `a && b && c && …` is as high as it is long.
pub const MAX_HEIGHT: u32 = 1_000;

/// Distinct propositions of an automaton: a valuation is one 64-bit word.
pub const MAX_ATOMS: usize = 64;

/// Distinct subformulas of a simplified formula in negation normal form.
pub const MAX_TERMS: usize = 20_000;

/// Number of subformulas above which rules with pairwise comparisons are skipped.
pub const MAX_COMPARED_TERMS: usize = 2_000;

/// Temporal subformulas that an automaton may have to track.
pub const MAX_OBLIGATIONS: usize = 128;

/// Acceptance sets.
pub const MAX_SETS: usize = 64;

/// States of an automaton under construction.
pub const MAX_STATES: usize = 10_000;

/// Edges of an automaton under construction.
pub const MAX_EDGES: usize = 200_000;

/// Combinations of moves considered, over all states.
pub const MAX_COMBINATIONS: usize = 2_000_000;

/// Nodes of decision bdds.
pub const MAX_BDD_NODES: usize = 1 << 20;

/// Cubes of one guard.
pub const MAX_CUBES: usize = 20_000;

/// Comparisons of edges for simulation relations. Larger automata are reduced without them.
pub const MAX_SIMULATION_WORK: usize = 3_000_000;
