//! How reports are coloured. Texts carry ANSI styles; whoever prints them strips what the reader can't see.

use anstyle::{AnsiColor, Style};

pub const BAD: Style = AnsiColor::Red.on_default().bold();
pub const GOOD: Style = AnsiColor::Green.on_default().bold();
pub const UNSURE: Style = AnsiColor::Yellow.on_default().bold();
pub const HEAD: Style = Style::new().bold();
pub const FAINT: Style = Style::new().dimmed();

/// `text` in a style.
pub fn paint(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// A text without its styles, for comparing.
#[cfg(test)]
pub fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut escape = false;
    for c in text.chars() {
        match (escape, c) {
            (false, '\u{1b}') => escape = true,
            (true, 'm') => escape = false,
            (true, _) => {}
            (false, _) => out.push(c),
        }
    }
    out
}
