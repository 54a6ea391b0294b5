//! Printing. A reader who has gone away is no reason to stop, or to complain.

use std::io::{ErrorKind, IsTerminal, Write};

use anstyle::{AnsiColor, Style};

use crate::args::Colour;

const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// For tables that go into a file.
const PAPER: usize = 120;

pub fn colours(choice: Colour) {
    match choice {
        Colour::Auto => anstream::ColorChoice::Auto,
        Colour::Always => anstream::ColorChoice::Always,
        Colour::Never => anstream::ColorChoice::Never,
    }
    .write_global();
}

/// Results, on standard output.
pub fn print(text: &str) {
    let mut out = anstream::stdout().lock();
    if let Err(e) = out.write_all(text.as_bytes()).and_then(|()| out.flush())
        && e.kind() != ErrorKind::BrokenPipe
    {
        warn(&format!("can't write to standard output: {e}"));
    }
}

/// Remarks, on standard error.
pub fn remark(text: &str) {
    let mut out = anstream::stderr().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

pub fn error(text: &str) {
    remark(&format!("{ERROR}error{ERROR:#}: {text}\n"));
}

pub fn warn(text: &str) {
    remark(&format!("{WARNING}warning{WARNING:#}: {text}\n"));
}

/// How many characters fit on a line of standard output.
pub fn width() -> usize {
    if std::io::stdout().is_terminal()
        && let Some((terminal_size::Width(width), _)) = terminal_size::terminal_size()
    {
        return usize::from(width);
    }
    std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok()).unwrap_or(PAPER)
}
