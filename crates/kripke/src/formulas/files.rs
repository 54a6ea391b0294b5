//! Formulas in files of their own.

use std::collections::HashMap;
use std::path::Path;

use crate::files::explain;
use crate::load::Trouble;

/// The formulas of a file: those after `#property`, with the names that `#define` gives written out; or the whole file is
/// one formula.
pub fn formulas(path: &Path) -> Result<Vec<String>, Trouble> {
    let unreadable = |why: &str| Trouble::whole(path, &format!("can't read it: {why}"));
    let bytes = std::fs::read(path).map_err(|e| unreadable(&explain(&e)))?;
    let text = String::from_utf8(bytes).map_err(|_| unreadable("it is not text in UTF-8"))?;
    let found = read(&text).map_err(|why| Trouble::whole(path, &why))?;
    if found.is_empty() { Err(Trouble::whole(path, "there is no formula in it")) } else { Ok(found) }
}

fn read(text: &str) -> Result<Vec<String>, String> {
    let (mut names, mut formulas, mut rest) = (HashMap::new(), Vec::new(), String::new());
    for (number, line) in text.lines().enumerate() {
        let line = line.split("//").next().unwrap_or("").trim();
        if let Some(definition) = directive(line, "#define") {
            let (name, meaning) = definition.split_once(char::is_whitespace).unwrap_or((definition, ""));
            if !is_name(name) || meaning.trim().is_empty() {
                return Err(format!("line {}: expected `#define name condition`", number + 1));
            }
            names.insert(name.to_string(), format!("({})", meaning.trim()));
        } else if let Some(formula) = directive(line, "#property") {
            formulas.push(formula.to_string());
        } else if !line.is_empty() {
            rest.push_str(line);
            rest.push(' ');
        }
    }
    if formulas.is_empty() && !rest.is_empty() {
        formulas.push(rest.trim().to_string());
    }
    Ok(formulas.iter().map(|formula| written_out(formula, &names)).collect())
}

fn directive<'t>(line: &'t str, word: &str) -> Option<&'t str> {
    line.strip_prefix(word).filter(|rest| rest.starts_with(char::is_whitespace)).map(str::trim)
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_') && text.chars().all(is_name_char)
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// A formula with the meaning of each name in its place. Meanings are conditions: no names of formulas are in them.
fn written_out(formula: &str, names: &HashMap<String, String>) -> String {
    let mut out = String::new();
    let mut rest = formula;
    while let Some(first) = rest.chars().next() {
        let length =
            if is_name_char(first) { rest.find(|c| !is_name_char(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
        let (word, after) = rest.split_at(length);
        out.push_str(names.get(word).map_or(word, |meaning| meaning));
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
        assert_eq!(read(text).unwrap(), ["G ((wait[0]) -> F ((P_0.state == 3)))", "! F cw"]);
    }

    #[test]
    fn a_file_may_be_one_formula() {
        assert_eq!(read("[] (p ->\n   <> q)\n").unwrap(), ["[] (p -> <> q)"]);
        assert!(read("").unwrap().is_empty());
        assert!(read("#define 3 x\n").is_err());
    }
}
