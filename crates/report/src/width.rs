//! Widths of text on a terminal: a character takes no column, one, or two.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The number of terminal columns of a text on one line.
pub fn width(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.width() }
}

/// At most `most` columns of a text. A truncated text ends with `…`.
pub fn clip(text: &str, most: usize) -> String {
    if width(text) <= most {
        return text.to_string();
    }
    let (mut out, mut used) = (String::new(), 0);
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used + 1 > most {
            break;
        }
        out.push(c);
    }
    out + if most == 0 { "" } else { "…" }
}

/// Blanks that fill a text up to `columns`.
fn blanks(text: &str, columns: usize) -> usize {
    columns.saturating_sub(width(text))
}

/// The text, filled with blanks at its end.
pub fn left(text: &str, columns: usize) -> String {
    format!("{text}{:1$}", "", blanks(text, columns))
}

/// The text, filled with blanks at its start.
pub fn right(text: &str, columns: usize) -> String {
    format!("{:1$}{text}", "", blanks(text, columns))
}

/// The text, filled with blanks on both sides.
pub fn centre(text: &str, columns: usize) -> String {
    let free = blanks(text, columns);
    format!("{0:1$}{text}{0:2$}", "", free / 2, free - free / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_take_two_columns() {
        assert_eq!((width("abc"), width("消息"), width("é"), width("e\u{301}")), (3, 4, 1, 1));
        assert_eq!((left("消", 4), right("消", 4), centre("消", 4)), ("消  ".into(), "  消".into(), " 消 ".into()));
        assert_eq!(centre("x", 4), " x  ");
    }

    #[test]
    fn a_text_is_cut_between_characters() {
        for (text, most, cut) in [
            ("short", 5, "short"),
            ("longer", 5, "long…"),
            ("消息消", 5, "消息…"),
            ("消息消", 4, "消…"),
            ("ab", 1, "…"),
            ("ab", 0, ""),
        ] {
            assert_eq!(clip(text, most), cut);
            assert!(width(&clip(text, most)) <= most);
        }
    }
}
