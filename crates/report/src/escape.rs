//! Escaping of control characters. Control characters in a model or in a file name could move the cursor, change the
//! screen or reverse the text direction. They are shown as `\x1b`, without effect.

use std::borrow::Cow;
use std::fmt::Write;

const ESCAPE: char = '\u{1b}';

/// Escapes text from outside: only line ends and tabs keep their effect.
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.contains(is_control) { Cow::Owned(escaped(text, |_| None, code)) } else { Cow::Borrowed(text) }
}

/// Escapes a report. ANSI styles keep their effect; they are our own, since text from outside passes through
/// [`visible`].
pub fn visible_report(text: &str) -> Cow<'_, str> {
    if text.contains(is_control) { Cow::Owned(escaped(text, style, code)) } else { Cow::Borrowed(text) }
}

/// Escapes JSON, where control characters occur in strings only and have a JSON escape.
pub fn visible_json(text: &str) -> Cow<'_, str> {
    let json = |c: char| format!("\\u{:04x}", u32::from(c));
    if text.contains(is_control) { Cow::Owned(escaped(text, |_| None, json)) } else { Cow::Borrowed(text) }
}

/// Escapes text for XML, in elements and in attributes. Control characters are shown as by [`visible`]; characters that XML does not
/// have become U+FFFD.
pub fn xml(text: &str) -> String {
    let entity = |c: char| match c {
        '&' => "&amp;".to_string(),
        '<' => "&lt;".to_string(),
        '>' => "&gt;".to_string(),
        '"' => "&quot;".to_string(),
        '\n' => "&#10;".to_string(),
        '\t' => "&#9;".to_string(),
        '\u{fffe}' | '\u{ffff}' => '\u{fffd}'.to_string(),
        c => c.to_string(),
    };
    visible(text).chars().map(entity).collect()
}

/// Whether a terminal may interpret a character as a command: control characters (C0, DEL, C1), line and paragraph
/// separators, and characters that change the text direction.
fn is_control(c: char) -> bool {
    let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    (c.is_control() && c != '\n' && c != '\t') || turns
}

/// Escapes control characters; `keep` gives the number of bytes at the start of a text to copy unchanged.
fn escaped(text: &str, keep: impl Fn(&str) -> Option<usize>, code: impl Fn(char) -> String) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some(at) = rest.find(is_control) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let first = from.chars().next().map_or(0, char::len_utf8);
        let kept = keep(from);
        let (these, after) = from.split_at(kept.unwrap_or(first));
        if kept.is_some() {
            out.push_str(these);
        } else {
            these.chars().for_each(|c| out.push_str(&code(c)));
        }
        rest = after;
    }
    out + rest
}

/// The length of the ANSI style at the start of the text.
fn style(text: &str) -> Option<usize> {
    let numbers = text.strip_prefix(ESCAPE)?.strip_prefix('[')?;
    let end = numbers.find(|c: char| !c.is_ascii_digit() && c != ';')?;
    numbers[end..].starts_with('m').then_some(ESCAPE.len_utf8() + 1 + end + 1)
}

fn code(c: char) -> String {
    let mut out = String::new();
    let n = u32::from(c);
    let _ = if n < 0x100 { write!(out, "\\x{n:02x}") } else { write!(out, "\\u{{{n:x}}}") };
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::{BAD, paint};

    #[test]
    fn controls_are_shown() {
        assert_eq!(visible("a\tb\nc é √"), "a\tb\nc é √");
        assert_eq!(visible("\u{1b}[2J\r\u{7}\0\u{7f}"), "\\x1b[2J\\x0d\\x07\\x00\\x7f");
        assert_eq!(visible("\u{9b}31m x\u{202e}y\u{2066}"), "\\x9b31m x\\u{202e}y\\u{2066}");
        for n in (0..=0x10_ffff).filter(|n| !matches!(n, 9 | 10)) {
            let Some(c) = char::from_u32(n) else { continue };
            assert!(!visible(&c.to_string()).chars().any(char::is_control), "{n:x}");
        }
    }

    #[test]
    fn styles_stay_and_nothing_else_does() {
        let styled = paint(BAD, "no");
        assert_eq!(visible_report(&styled), styled);
        for (text, shown) in [
            ("\u{1b}[2J", "\\x1b[2J"),
            ("\u{1b}]0;title\u{7}", "\\x1b]0;title\\x07"),
            ("\u{1b}[1;31", "\\x1b[1;31"),
            ("\u{1b}", "\\x1b"),
            ("\u{1b}[m\u{1b}[H", "\u{1b}[m\\x1b[H"),
        ] {
            assert_eq!(visible_report(text), shown);
        }
    }

    #[test]
    fn xml_has_no_markup_and_no_controls() {
        assert_eq!(xml("a<b>&\"'\n\t\u{1b}\u{ffff}"), "a&lt;b&gt;&amp;&quot;'&#10;&#9;\\x1b\u{fffd}");
    }

    #[test]
    fn json_stays_json() {
        let text = serde_json::to_string("\u{1b}\u{7f}\u{9b}\u{202e}\n").unwrap();
        let shown = visible_json(&text);
        assert_eq!(shown, "\"\\u001b\\u007f\\u009b\\u202e\\n\"");
        assert_eq!(serde_json::from_str::<String>(&shown).unwrap(), "\u{1b}\u{7f}\u{9b}\u{202e}\n");
    }
}
