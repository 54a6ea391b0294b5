//! Expressions in the language of the model. The library evaluates them outside of all processes; names of local variables of the
//! selected process are replaced by their values before.

use kripke_model::layout::View;

use crate::debuggee::Debuggee;
use crate::values::{State, Value, find};

/// The depth of indices inside indices.
const MAX_DEPTH: usize = 8;

/// The value of an expression in the current state: a variable with its parts, or a number.
pub fn value(debuggee: &mut Debuggee, text: &str, pid: Option<u8>) -> Result<Value, String> {
    let view = view(debuggee);
    let state = state(debuggee, &view);
    let locals = pid.map_or(Vec::new(), |pid| state.locals(pid));
    let scopes = [locals, state.variables(None), state.channels()];
    if let Some(found) = scopes.iter().find_map(|scope| find(scope, text)) {
        return Ok(found.clone());
    }
    let number = number(debuggee, text, pid)?.ok_or("the expression has no value in this state")?;
    let (name, value) = (text.to_string(), number.to_string());
    Ok(Value { name, value, kind: String::new(), path: text.to_string(), parts: Vec::new() })
}

/// The number that an expression evaluates to in the current state; none if its evaluation is a fault.
pub fn number(debuggee: &mut Debuggee, text: &str, pid: Option<u8>) -> Result<Option<i32>, String> {
    number_within(debuggee, text, pid, 0)
}

fn number_within(debuggee: &mut Debuggee, text: &str, pid: Option<u8>, depth: usize) -> Result<Option<i32>, String> {
    let text = match pid {
        Some(pid) => substituted(debuggee, text, pid, depth)?,
        None => text.to_string(),
    };
    debuggee.session.evaluate(&text).map_err(|why| why.to_string())
}

/// Checks that a condition can be read. One with names of local variables is read when it is evaluated.
pub fn check(debuggee: &mut Debuggee, text: &str) -> Result<(), String> {
    let model = debuggee.session.run().model();
    let locals = || model.processes.iter().flat_map(|process| &process.locals);
    let is_local = |word: &str| locals().any(|var| var.name.split('.').next() == Some(word));
    if words(text).any(|(start, end)| is_local(&text[start..end])) {
        return Ok(());
    }
    debuggee.session.evaluate(text).map(|_| ()).map_err(|why| why.to_string())
}

/// A text in which expressions in braces are replaced by their values.
pub fn interpolated(debuggee: &mut Debuggee, text: &str, pid: Option<u8>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((inner, after)) = after.split_once('}') else { break };
        let value = value(debuggee, inner, pid).map_or_else(|why| format!("({inner}: {why})"), |value| value.value);
        out.push_str(before);
        out.push_str(&value);
        rest = after;
    }
    out + rest
}

fn view(debuggee: &Debuggee) -> View {
    debuggee.session.run().view(debuggee.session.at())
}

fn state<'a>(debuggee: &'a Debuggee, view: &'a View) -> State<'a> {
    State { run: debuggee.session.run(), names: debuggee.session.names(), view }
}

/// An expression with the values of local variables instead of their names.
fn substituted(debuggee: &mut Debuggee, text: &str, pid: u8, depth: usize) -> Result<String, String> {
    let view = view(debuggee);
    let locals = state(debuggee, &view).locals(pid);
    let processes: Vec<String> = debuggee.session.run().model().processes.iter().map(|p| p.name.clone()).collect();
    let (mut out, mut copied) = (String::new(), 0);
    for (start, end) in words(text) {
        let variable = locals.iter().find(|value| value.name == text[start..end]);
        let is_left = start < copied || is_qualified(text, (start, end), &processes);
        let (Some(variable), false) = (variable, is_left) else { continue };
        let mut path = Path { at: end, value: variable };
        while path.follow(debuggee, text, pid, depth)? {}
        if !path.value.parts.is_empty() {
            return Err(format!("`{}` is an array or a record", path.value.path));
        }
        out.push_str(&text[copied..start]);
        out.push_str(&format!("({})", path.value.value));
        copied = path.at;
    }
    out.push_str(&text[copied..]);
    Ok(out)
}

/// The words of a text: the places of names.
fn words(text: &str) -> impl Iterator<Item = (usize, usize)> + '_ {
    let in_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let starts = move |at: usize| text[..at].chars().next_back().is_none_or(|before| !in_word(before));
    let first = |c: char| c.is_ascii_alphabetic() || c == '_';
    text.char_indices().filter(move |(at, c)| first(*c) && starts(*at)).map(move |(at, _)| {
        let length = text[at..].find(|c| !in_word(c)).unwrap_or(text.len() - at);
        (at, at + length)
    })
}

/// Whether a name belongs to something else: a field, a label, a variable of another process, a function. `:` and `->` are also
/// operators; they qualify a name if the name of a process stands before them.
fn is_qualified(text: &str, (start, end): (usize, usize), processes: &[String]) -> bool {
    let is_process = |name: &str| processes.iter().any(|process| process == name);
    let (before, after) = (text[..start].trim_end(), text[end..].trim_start());
    let remote = before.strip_suffix("->").or_else(|| before.strip_suffix(':'));
    before.ends_with(['.', '@'])
        || after.starts_with(['@', '('])
        || is_process(&text[start..end])
        || remote.and_then(owner).is_some_and(is_process)
}

/// The name at the end of a text, before an index.
fn owner(text: &str) -> Option<&str> {
    let text = text.trim_end();
    let name = if text.ends_with(']') { text[..opening(text)?].trim_end() } else { text };
    words(name).last().filter(|(_, end)| *end == name.len()).map(|(start, end)| &name[start..end])
}

/// The start of the brackets that a text ends with.
fn opening(text: &str) -> Option<usize> {
    let mut open = 0;
    for (at, c) in text.char_indices().rev() {
        match c {
            ']' => open += 1,
            '[' if open == 1 => return Some(at),
            '[' => open -= 1,
            _ => {}
        }
    }
    None
}

/// A part of a variable, and where its text ends.
struct Path<'a> {
    at: usize,
    value: &'a Value,
}

impl Path<'_> {
    /// Goes to the part that an index or a field names. Returns false if none follows.
    fn follow(&mut self, debuggee: &mut Debuggee, text: &str, pid: u8, depth: usize) -> Result<bool, String> {
        let rest = text[self.at..].trim_start();
        let at = text.len() - rest.len();
        let (name, end) = if rest.starts_with('[') {
            let length = closing(rest).ok_or("a bracket is not closed")?;
            let inner = &rest[1..length - 1];
            if depth == MAX_DEPTH {
                return Err("too many indices inside indices".to_string());
            }
            let index = number_within(debuggee, inner, Some(pid), depth + 1)?;
            (format!("[{}]", index.ok_or("the index has no value")?), at + length)
        } else if let Some((start, end)) = rest.strip_prefix('.').and_then(|rest| words(rest).next())
            && start == 0
        {
            (rest[1..=end].to_string(), at + 1 + end)
        } else {
            return Ok(false);
        };
        let part = self.value.parts.iter().find(|part| part.name == name);
        self.value = part.ok_or_else(|| format!("`{}` has no part `{name}`", self.value.path))?;
        self.at = end;
        Ok(true)
    }
}

/// The length of a text in brackets, which the text starts with.
fn closing(text: &str) -> Option<usize> {
    let mut open = 0;
    for (at, c) in text.char_indices() {
        match c {
            '[' => open += 1,
            ']' if open == 1 => return Some(at + 1),
            ']' => open -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_names() {
        let text = "x+ab1[y]==_z && 3x";
        let found: Vec<&str> = words(text).map(|(start, end)| &text[start..end]).collect();
        assert_eq!(found, ["x", "ab1", "y", "_z"]);
        assert_eq!(words("ü").count(), 0);
    }

    #[test]
    fn qualified_names_are_left_alone() {
        let processes = ["p".to_string(), "P_1".to_string()];
        for (text, qualified) in [
            ("x", false),
            ("a.x", true),
            ("p:x", true),
            ("p[a[0]] : x", true),
            ("p[0]@x", true),
            ("x(1)", true),
            ("x == 1", false),
            ("P_1->x", true),
            ("P_1 -> x", true),
            ("(c -> x : y)", false),
            ("(c -> y : x)", false),
            ("(c[0] -> y : x)", false),
            ("(p:c == 1 -> x : y)", false),
        ] {
            let start = text.find('x').unwrap();
            assert_eq!(is_qualified(text, (start, start + 1), &processes), qualified, "{text}");
        }
    }

    #[test]
    fn brackets_match() {
        assert_eq!(closing("[a[1]]+[2]"), Some(6));
        assert_eq!(closing("[a"), None);
        assert_eq!(opening("a[1]+b[c[2]]"), Some(6));
        assert_eq!(opening("a]"), None);
    }
}
