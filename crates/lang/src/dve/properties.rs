//! Files of properties beside a model, as DiVinE has them: `.ltl`, and `.mltl` with macros.
//!
//! ```text
//! #define waits  P.wait
//! #define served P.critical
//! #property G (waits -> F served)
//! ```

use super::lex::{Plain, lex};
use super::token::TokenKind;
use crate::source::FileId;

/// The content of a file of properties.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Properties {
    /// Names of conditions, and the conditions.
    pub propositions: Vec<(String, String)>,
    /// Formulas of linear temporal logic over these names.
    pub formulas: Vec<String>,
}

impl Properties {
    /// Reads a file; what is wrong comes with the number of its line.
    pub fn read(text: &str) -> Result<Properties, (usize, String)> {
        let mut properties = Properties::default();
        for (i, line) in text.lines().enumerate() {
            let line = line.split("//").next().unwrap_or_default().trim();
            let wrong = |what: &str| Err((i + 1, what.to_string()));
            if let Some(rest) = line.strip_prefix("#define") {
                match rest.trim().split_once(char::is_whitespace) {
                    Some((name, meaning)) if rest.starts_with(char::is_whitespace) => {
                        properties.propositions.push((name.to_string(), meaning.trim().to_string()));
                    }
                    _ => return wrong("expected a name and a condition after `#define`"),
                }
            } else if let Some(rest) = line.strip_prefix("#property") {
                match rest.trim() {
                    "" => return wrong("expected a formula after `#property`"),
                    formula => properties.formulas.push(formula.to_string()),
                }
            } else if !line.is_empty() {
                return wrong("expected `#define name condition` or `#property formula`");
            }
        }
        Ok(properties)
    }

    /// The condition that a proposition of a formula stands for.
    pub fn condition(&self, proposition: &str) -> String {
        let known = self.propositions.iter().rev().find(|(name, _)| name == proposition);
        known.map_or(proposition, |(_, meaning)| meaning).to_string()
    }
}

/// The text of a system with one more process, which is its property. None if it has one already, or no `system` line.
pub fn with_property(system: &str, name: &str, process: &str) -> Option<String> {
    let tokens = lex(&Plain { text: system, file: FileId(0) }, &mut Vec::new());
    let last = tokens.iter().rposition(|t| t.is("system"))?;
    let [_, kind, end, ..] = &tokens[last..] else { return None };
    if kind.kind != TokenKind::Keyword || !end.is(";") {
        return None;
    }
    let before = system[..tokens[last].span.start as usize].trim_end();
    Some(format!("{before}\n\n{process}\nsystem {} property {name};\n", kind.text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_properties() {
        let text = "// mutual exclusion\n#define a P.x == 1\n#define b Q.s // there\n\n#property G (a -> F b)\n#property F a\n";
        let read = Properties::read(text).unwrap();
        assert_eq!(read.formulas, ["G (a -> F b)", "F a"]);
        assert_eq!((read.condition("a"), read.condition("x > 1")), ("P.x == 1".to_string(), "x > 1".to_string()));
        for (text, line) in [("#define a\n", 1), ("\n#property\n", 2), ("G a", 1), ("#defined a b", 1)] {
            assert_eq!(Properties::read(text).unwrap_err().0, line, "{text}");
        }
    }

    #[test]
    fn a_system_gets_a_property() {
        let system = "process P { state a; init a; }\nsystem async; // end\n";
        let combined = with_property(system, "L", "process L { }").unwrap();
        assert_eq!(combined, "process P { state a; init a; }\n\nprocess L { }\nsystem async property L;\n");
        assert_eq!(with_property(&combined, "L", ""), None);
        assert_eq!(with_property("process P { }", "L", ""), None);
    }
}
