//! Printing. A reader who has gone away is no reason to complain; a result that could not be written is one to say so, in the
//! exit status, too.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use anstyle::{AnsiColor, Style};
use kripke_report::escape::{visible, visible_json, visible_report};

use crate::args::Colour;

const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// For tables that go into a file.
const PAPER: usize = 120;
/// To the start of the line, and nothing is on it any more.
const CLEAR: &str = "\r\u{1b}[K";

/// Something that was asked for could not be written.
static INCOMPLETE: AtomicBool = AtomicBool::new(false);
/// Nobody reads standard output any more.
static CLOSED: AtomicBool = AtomicBool::new(false);

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
    judge(out.write_all(visible_report(text).as_bytes()).and_then(|()| out.flush()));
}

/// Results for programs, in JSON.
pub fn print_json(text: &str) {
    stream(|out| out.write_all(visible_json(text).as_bytes()));
}

/// Results for programs, as they are; `fill` writes them. That it failed is told to the user, too.
pub fn stream(fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let written = fill(&mut out).and_then(|()| out.flush());
    // What is left in it must not be written when it is dropped, after an error.
    let _ = out.into_parts();
    judge(written);
}

fn judge(written: io::Result<()>) {
    match written {
        Err(e) if e.kind() == ErrorKind::BrokenPipe => CLOSED.store(true, Ordering::Relaxed),
        Err(e) if !CLOSED.swap(true, Ordering::Relaxed) => {
            incomplete(&format!("can't write to standard output: {e}"));
        }
        _ => {}
    }
}

/// Says that something that was asked for could not be written: the exit status is no verdict then.
pub fn incomplete(text: &str) {
    INCOMPLETE.store(true, Ordering::Relaxed);
    error(text);
}

pub fn is_incomplete() -> bool {
    INCOMPLETE.load(Ordering::Relaxed)
}

/// Whether it is of no use to go on printing.
pub fn is_closed() -> bool {
    CLOSED.load(Ordering::Relaxed)
}

/// Remarks, on standard error.
pub fn remark(text: &str) {
    say(&visible_report(text));
}

pub fn error(text: &str) {
    say(&format!("{ERROR}error{ERROR:#}: {}\n", visible(text)));
}

pub fn warn(text: &str) {
    say(&format!("{WARNING}warning{WARNING:#}: {}\n", visible(text)));
}

/// A line on a terminal that the next one replaces; an empty one leaves nothing.
pub fn progress(line: &str) {
    say(&format!("{CLEAR}{}", visible(line)));
}

fn say(text: &str) {
    let mut out = anstream::stderr().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
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
