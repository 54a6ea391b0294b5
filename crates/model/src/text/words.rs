//! Names, keywords and quoted text.

/// Keywords. A name that is one of these is quoted.
const KEYWORDS: &[&str] = &[
    "_",
    "accept",
    "anywhere",
    "argument",
    "as",
    "asked",
    "assert",
    "automaton",
    "chain",
    "chained",
    "channel",
    "claim",
    "committed",
    "ctl",
    "edge",
    "else",
    "empty",
    "enabled",
    "end",
    "entry",
    "enum",
    "fault",
    "file",
    "formula",
    "full",
    "global",
    "goal",
    "hidden",
    "if",
    "in",
    "input",
    "inside",
    "keep",
    "labels",
    "last",
    "len",
    "level",
    "local",
    "location",
    "ltl",
    "marks",
    "model",
    "nempty",
    "never",
    "new",
    "nfull",
    "nonprogress",
    "notrace",
    "observer",
    "of",
    "param",
    "pid",
    "print",
    "priority",
    "process",
    "processes",
    "progress",
    "property",
    "provided",
    "receive",
    "remove",
    "require",
    "run",
    "send",
    "sorted",
    "start",
    "stutters",
    "synchronous",
    "text",
    "timeout",
    "trace",
    "unused",
    "uses",
    "when",
    "with",
    "youngest",
    "zero",
];

pub(super) fn is_keyword(word: &str) -> bool {
    KEYWORDS.binary_search(&word).is_ok()
}

pub(super) fn begins_word(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

pub(super) fn continues_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// A name as it is written: bare if it is a word, with dots between its parts, and no keyword.
pub(super) fn name(name: &str) -> String {
    let is_part = |part: &str| part.starts_with(begins_word) && part.chars().all(continues_word);
    if name.split('.').all(is_part) && !is_keyword(name) { name.to_string() } else { quoted(name, '`', false) }
}

/// A text between quotation marks.
pub(super) fn string(text: &str) -> String {
    quoted(text, '"', false)
}

/// The text of a source file between quotation marks; it keeps its lines.
pub(super) fn source(text: &str) -> String {
    quoted(text, '"', true)
}

fn quoted(text: &str, quote: char, keeps_lines: bool) -> String {
    let mut out = String::from(quote);
    for c in text.chars() {
        match c {
            '\n' if keeps_lines => out.push(c),
            '\n' => out.push_str("\\n"),
            c if c == quote || c == '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out.push(quote);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_sorted() {
        assert!(KEYWORDS.is_sorted());
    }

    #[test]
    fn unusual_names_are_quoted() {
        for (plain, written) in [
            ("x", "x"),
            ("node.left", "node.left"),
            ("timeout", "`timeout`"),
            ("", "``"),
            ("a b", "`a b`"),
            ("a..b", "`a..b`"),
            ("1x", "`1x`"),
            ("`\\\n", "`\\`\\\\\\n`"),
            ("é\u{7}", "`é\\u{7}`"),
        ] {
            assert_eq!(name(plain), written);
        }
    }
}
