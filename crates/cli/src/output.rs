//! Printing. A closed pipe is no error. A result that could not be written is one, and the exit status says so.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use anstyle::{AnsiColor, Style};
use kripke_report::escape::{visible, visible_json, visible_report};

use crate::args::Colour;

const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// The width of tables that are written to a file.
const PAPER: usize = 120;
/// Clears the line of a terminal.
const CLEAR: &str = "\r\u{1b}[K";

/// Set when a requested result could not be written.
static INCOMPLETE: AtomicBool = AtomicBool::new(false);
/// Set while this process is a rank that does not report.
static MUTED: AtomicBool = AtomicBool::new(false);
/// Set when standard output is a closed pipe.
static CLOSED: AtomicBool = AtomicBool::new(false);

pub fn colours(choice: Colour) {
    match choice {
        Colour::Auto => anstream::ColorChoice::Auto,
        Colour::Always => anstream::ColorChoice::Always,
        Colour::Never => anstream::ColorChoice::Never,
    }
    .write_global();
}

/// Prints and writes nothing from now on: another rank does.
pub fn mute() {
    MUTED.store(true, Ordering::Relaxed);
}

/// Prints and writes again.
pub fn unmute() {
    MUTED.store(false, Ordering::Relaxed);
}

pub fn is_muted() -> bool {
    MUTED.load(Ordering::Relaxed)
}

/// Prints results on standard output.
pub fn print(text: &str) {
    if is_muted() {
        return;
    }
    let mut out = anstream::stdout().lock();
    judge(out.write_all(visible_report(text).as_bytes()).and_then(|()| out.flush()));
}

/// Prints JSON on standard output.
pub fn print_json(text: &str) {
    stream(|out| out.write_all(visible_json(text).as_bytes()));
}

/// Streams a result to standard output without interpreting it. A failure is also reported on standard error.
pub fn stream(fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) {
    if is_muted() {
        return;
    }
    let mut out = io::BufWriter::new(io::stdout().lock());
    let written = fill(&mut out).and_then(|()| out.flush());
    // After an error, the buffer must not be flushed again when it is dropped.
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

/// Reports that a requested result could not be written. The exit status is then no verdict.
pub fn incomplete(text: &str) {
    INCOMPLETE.store(true, Ordering::Relaxed);
    error(text);
}

pub fn is_incomplete() -> bool {
    INCOMPLETE.load(Ordering::Relaxed)
}

/// Whether standard output is closed.
pub fn is_closed() -> bool {
    CLOSED.load(Ordering::Relaxed)
}

/// Prints remarks on standard error.
pub fn remark(text: &str) {
    say(&visible_report(text));
}

pub fn error(text: &str) {
    say(&format!("{ERROR}error{ERROR:#}: {}\n", visible(text)));
}

/// An error that concerns this process alone: it is printed also by a rank that does not report.
pub fn own_error(text: &str) {
    say_anyway(&format!("{ERROR}error{ERROR:#}: {}\n", visible(text)));
}

pub fn warn(text: &str) {
    say(&format!("{WARNING}warning{WARNING:#}: {}\n", visible(text)));
}

/// Replaces the progress line of a terminal; an empty line clears it.
pub fn progress(line: &str) {
    say(&format!("{CLEAR}{}", visible(line)));
}

fn say(text: &str) {
    if !is_muted() {
        say_anyway(text);
    }
}

fn say_anyway(text: &str) {
    let mut out = anstream::stderr().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// The width of standard output in characters.
pub fn width() -> usize {
    if std::io::stdout().is_terminal()
        && let Some((terminal_size::Width(width), _)) = terminal_size::terminal_size()
    {
        return usize::from(width);
    }
    std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok()).filter(|columns| *columns > 0).unwrap_or(PAPER)
}
