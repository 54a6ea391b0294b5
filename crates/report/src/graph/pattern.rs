//! Patterns of names: `x,q*,P.*`.

/// A list of patterns. `*` stands for any text.
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

/// Whether a pattern stands for a name. The last `*` that was met takes one more character where the rest does not fit.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n, mut star) = (0, 0, None);
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(c) if *c == name[n] => (p, n) = (p + 1, n + 1),
            _ => {
                let Some((at, taken)) = star else { return false };
                star = Some((at, taken + 1));
                (p, n) = (at + 1, taken + 1);
            }
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}
