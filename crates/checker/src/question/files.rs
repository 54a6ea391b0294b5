//! Formulas in files of their own.

use std::io;
use std::path::Path;

use kripke_lang::dve::properties::Properties;

use crate::files::explain;
use crate::load::{Files, InputError};

/// The formulas of a file: those after `#property`, with the conditions that `#define` gives names to in their places; or
/// the whole file is one formula.
pub fn formulas(path: &Path, files: &dyn Files) -> Result<Vec<String>, InputError> {
    let unreadable = |why: &str| InputError::whole(path, &format!("can't read it: {why}"));
    let text = self::text(path, files).map_err(|e| unreadable(&explain(&e)))?;
    let found = read(&text).map_err(|(line, why)| InputError::whole(path, &format!("line {line}: {why}")))?;
    if found.is_empty() { Err(InputError::whole(path, "there is no formula in it")) } else { Ok(found) }
}

/// The content of a named file as text.
pub(super) fn text(path: &Path, files: &dyn Files) -> io::Result<String> {
    let not_text = |_| io::Error::new(io::ErrorKind::InvalidData, "it is not text in UTF-8");
    String::from_utf8(files.named(path)?).map_err(not_text)
}

fn read(text: &str) -> Result<Vec<String>, (usize, String)> {
    if !text.lines().any(|line| line.trim_start().starts_with('#')) {
        let formula = text.split_whitespace().collect::<Vec<_>>().join(" ");
        return Ok(if formula.is_empty() { Vec::new() } else { vec![formula] });
    }
    let properties = Properties::read(text)?;
    Ok(properties.formulas.iter().map(|formula| written_out(formula, &properties)).collect())
}

/// A formula with conditions instead of their names.
fn written_out(formula: &str, properties: &Properties) -> String {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = String::new();
    let mut rest = formula;
    while let Some(first) = rest.chars().next() {
        let name = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(if name > 0 { name } else { first.len_utf8() });
        let meaning = properties.condition(word);
        out.push_str(&if meaning == word { meaning } else { format!("{{{meaning}}}") });
        rest = after;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_written_out() {
        let text =
            "#define c (P_0.state == 3) // critical\n#define w wait[0]\n\n#property G (w -> F c)\n#property ! F cw\n";
        assert_eq!(read(text).unwrap(), ["G ({wait[0]} -> F {(P_0.state == 3)})", "! F cw"]);
    }

    #[test]
    fn a_file_may_be_one_formula() {
        assert_eq!(read("[] (p ->\n   <> q)\n").unwrap(), ["[] (p -> <> q)"]);
        assert!(read("\n").unwrap().is_empty());
        assert_eq!(read("#define x\n").unwrap_err().0, 1);
    }
}
