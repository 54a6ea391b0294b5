//! Patterns of names: `x,q*,P.*`.

use crate::select::matches;

/// A list of patterns. `*` stands for any text, `?` for any character.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Patterns(Vec<String>);

impl Patterns {
    /// Reads patterns, which commas separate.
    pub fn new(text: &str) -> Patterns {
        Patterns(text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(String::from).collect())
    }

    /// Whether one of the patterns is the name or stands for it.
    pub fn matches(&self, name: &str) -> bool {
        self.0.iter().any(|pattern| matches(pattern, name))
    }

    /// The patterns, in order.
    pub fn all(&self) -> &[String] {
        &self.0
    }
}
