//! Limits on texts. A text that exceeds one ends in an error with a place, not in a hang or a stack overflow.

/// Bytes in one source file.
pub const MAX_FILE_BYTES: usize = 32 << 20;

/// Tokens after all macros and inlines are expanded.
pub const MAX_TOKENS: usize = 1_000_000;

/// Tokens moved while expanding macros, which counts arguments once per level they pass through.
pub const MAX_MACRO_WORK: usize = 4_000_000;

/// Depth of files that include each other.
pub const MAX_INCLUDE_DEPTH: usize = 64;

/// Depth of macros within macros, and of macro arguments within macro arguments.
pub const MAX_MACRO_DEPTH: usize = 200;

/// Depth of inline calls within inline calls.
pub const MAX_INLINE_DEPTH: usize = 64;

/// Depth of brackets and blocks. It bounds every recursion over the syntax tree.
pub const MAX_NESTING: usize = 256;

/// Height of an expression: a long chain like `a + b + c + …` is a tall tree.
pub const MAX_EXPR_HEIGHT: u32 = 1_000;

/// Errors after which reading stops.
pub const MAX_ERRORS: usize = 100;

/// Errors shown in full.
pub const MAX_ERRORS_SHOWN: usize = 20;

/// Characters read and written while the macros of an `.mdve` file are expanded.
pub const MAX_M4_WORK: usize = 8_000_000;

/// ESML: scalars in a value of one type.
pub const MAX_ESML_WORDS: usize = 4_096;

/// ESML: words copied, compared or repeated when commands on whole values are spelt out.
pub const MAX_ESML_WORK: usize = 2_000_000;
