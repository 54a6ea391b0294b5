//! Styles of reports. Texts contain ANSI styles; the program removes them if the output is not a terminal.

use anstyle::{AnsiColor, Style};

/// Errors.
pub const BAD: Style = AnsiColor::Red.on_default().bold();
/// Positive verdicts.
pub const GOOD: Style = AnsiColor::Green.on_default().bold();
/// Inconclusive verdicts and warnings.
pub const UNSURE: Style = AnsiColor::Yellow.on_default().bold();
/// Headings.
pub const HEAD: Style = Style::new().bold();
/// Secondary text.
pub const FAINT: Style = Style::new().dimmed();

/// `text` in a style.
pub fn paint(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// A text without its styles, for comparisons.
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
