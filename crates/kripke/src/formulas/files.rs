//! Formulas in files of their own.

use std::path::Path;

use kripke_lang::dve::properties::Properties;

use crate::files::{explain, read_text};
use crate::load::Trouble;

/// The formulas of a file: those after `#property`, with the conditions that `#define` gives names to in their places; or
/// the whole file is one formula.
pub fn formulas(path: &Path) -> Result<Vec<String>, Trouble> {
    let unreadable = |why: &str| Trouble::whole(path, &format!("can't read it: {why}"));
    let text = read_text(path).map_err(|e| unreadable(&explain(&e)))?;
    let found = read(&text).map_err(|(line, why)| Trouble::whole(path, &format!("line {line}: {why}")))?;
    if found.is_empty() { Err(Trouble::whole(path, "there is no formula in it")) } else { Ok(found) }
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
