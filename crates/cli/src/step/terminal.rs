//! The terminal: raw mode, the alternate screen, keys. What was changed is restored when the program leaves, fails or is ended by a
//! signal.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::time::Duration;

use ratatui::crossterm::cursor::{MoveToColumn, Show};
use ratatui::crossterm::event::{self, Event, KeyEvent, KeyEventKind};
use ratatui::crossterm::style::Print;
use ratatui::crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::crossterm::{execute, queue};

/// How long a signal may wait until it is noticed.
const POLL: Duration = Duration::from_millis(100);

/// The state of the terminal: as it was, raw, or raw with the alternate screen.
static STATE: AtomicU8 = AtomicU8::new(USUAL);
const USUAL: u8 = 0;
const RAW: u8 = 1;
const FULL: u8 = 2;

/// Whether standard input and output are a terminal that can move its cursor.
pub fn is_there() -> bool {
    let dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb" || term.is_empty());
    !dumb && io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// Makes the terminal what it was before. It is called at every end of the program.
pub fn restore() {
    let state = STATE.swap(USUAL, Ordering::Relaxed);
    if state == FULL {
        let _ = execute!(io::stdout(), LeaveAlternateScreen, Show);
    }
    if state != USUAL {
        let _ = disable_raw_mode();
    }
}

/// A terminal in raw mode. Dropping it restores the terminal.
pub struct Terminal {
    full: bool,
    signals: Signals,
}

/// What the user did.
pub enum Input {
    Key(KeyEvent),
    /// The screen has another size, or has to be drawn again.
    Redraw,
    /// Nothing happened for a while.
    Nothing,
    /// The terminal is gone.
    Gone,
}

impl Terminal {
    /// Raw mode, for one line.
    pub fn raw(signals: &Signals) -> io::Result<Terminal> {
        let terminal = Terminal { full: false, signals: signals.clone() };
        terminal.enter().map(|()| terminal)
    }

    /// Raw mode and the alternate screen.
    pub fn full(signals: &Signals) -> io::Result<Terminal> {
        let terminal = Terminal { full: true, signals: signals.clone() };
        terminal.enter().map(|()| terminal)
    }

    fn enter(&self) -> io::Result<()> {
        enable_raw_mode()?;
        STATE.store(RAW, Ordering::Relaxed);
        if self.full {
            STATE.store(FULL, Ordering::Relaxed);
            execute!(io::stdout(), EnterAlternateScreen)?;
        }
        Ok(())
    }

    /// Waits for a key for a short time. A signal that ends the program restores the terminal first.
    pub fn input(&self) -> Input {
        self.signals.obey();
        match event::poll(POLL).and_then(|ready| if ready { event::read().map(Some) } else { Ok(None) }) {
            Ok(Some(Event::Key(key))) if key.kind != KeyEventKind::Release => Input::Key(key),
            Ok(Some(Event::Resize(..))) => Input::Redraw,
            Ok(_) => Input::Nothing,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => Input::Nothing,
            Err(_) => Input::Gone,
        }
    }

    /// Whether another key waits already.
    pub fn has_more(&self) -> bool {
        event::poll(Duration::ZERO).unwrap_or(false)
    }

    /// Stops the program as Ctrl-Z does, until the shell lets it go on.
    pub fn suspend(&self) -> io::Result<()> {
        restore();
        #[cfg(unix)]
        let _ = signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP);
        self.enter()
    }

    /// Draws a line with the cursor in a column.
    pub fn line(&self, text: &str, column: u16) -> io::Result<()> {
        let mut out = io::stdout();
        queue!(out, MoveToColumn(0), Clear(ClearType::UntilNewLine), Print(text), MoveToColumn(column))?;
        out.flush()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        restore();
    }
}

/// The signals that end the program.
#[derive(Clone)]
pub struct Signals {
    received: Arc<AtomicUsize>,
}

impl Signals {
    /// From now on signals are noticed where the program waits for a key.
    pub fn new() -> Signals {
        let received = Arc::new(AtomicUsize::new(0));
        #[cfg(unix)]
        {
            use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
            for signal in [SIGINT, SIGQUIT, SIGTERM] {
                let _ = signal_hook::flag::register_usize(signal, received.clone(), signal as usize);
            }
            // The terminal is gone. A thread that waits for a key does not return any more, so the program ends here.
            if let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGHUP]) {
                std::thread::spawn(move || {
                    if let Some(signal) = signals.forever().next() {
                        let _ = signal_hook::low_level::emulate_default_handler(signal);
                    }
                });
            }
        }
        Signals { received }
    }

    /// Ends the program as the signal does that was received.
    pub fn obey(&self) {
        let signal = self.received.load(Ordering::Relaxed);
        if signal == 0 {
            return;
        }
        restore();
        #[cfg(unix)]
        let _ = signal_hook::low_level::emulate_default_handler(signal as i32);
        std::process::exit(crate::exit::Status::Inconclusive as i32);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::process::Command;

    use kripke_tests::pseudo_terminal::PseudoTerminal;

    use super::*;

    /// A program that fails while it uses the screen. The test below starts it at a terminal.
    #[test]
    #[ignore = "it fails on purpose, for the test below"]
    fn fails_on_the_screen() {
        crate::exit::report_panics();
        let _terminal = Terminal::full(&Signals::new()).unwrap();
        panic!("on purpose");
    }

    #[test]
    fn the_terminal_is_restored_before_a_bug_is_reported() {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--ignored", "--nocapture", "--exact", "step::terminal::tests::fails_on_the_screen"]);
        let Some(terminal) = PseudoTerminal::start(&command, 100, 30) else { return };
        let ended = terminal.end();
        assert!(ended.restored, "{ended:?}");
        assert_eq!(ended.status.code(), Some(crate::exit::Status::Bug as i32), "{ended:?}");
        assert!(ended.screen.contains("on purpose"), "the message is on the usual screen: {ended:?}");
    }
}
