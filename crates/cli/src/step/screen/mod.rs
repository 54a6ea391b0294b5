//! The full-screen program. [`app`] has its state and obeys keys, [`layout`] divides the screen, [`panes`] has the text of each pane,
//! [`draw`] puts it on the screen. Nothing here but [`run`] knows a terminal.

mod ansi;
mod app;
mod draw;
mod keys;
mod layout;
mod palette;
mod panes;
#[cfg(test)]
#[path = "../../../tests/screens/snapshots.rs"]
mod tests;

use std::io;
use std::path::Path;

use kripke::stepping::Session;
use ratatui::backend::{Backend, CrosstermBackend};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::terminal::{Input, Signals, Terminal};
use crate::exit::{Failure, Status};
use app::App;
use palette::Palette;

/// Executes commands until the user leaves.
pub fn run(session: Session, model: &Path, signals: &Signals) -> Result<Status, Failure> {
    let colours = anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never;
    let mut app = App::new(session, model, Palette::new(colours));
    drive(&mut app, signals).map_err(|e| Failure::BadInput(format!("can't use the terminal: {e}; try --plain")))?;
    Ok(Status::Fine)
}

fn drive(app: &mut App, signals: &Signals) -> io::Result<()> {
    let terminal = Terminal::full(signals)?;
    let mut screen = empty()?;
    screen.draw(|frame| draw::draw(frame, app))?;
    loop {
        let mut changed = true;
        match terminal.input() {
            Input::Key(key) if is_suspend(key) => {
                terminal.suspend()?;
                screen = empty()?;
            }
            Input::Key(key) if key.code == KeyCode::Char('l') && key.modifiers == KeyModifiers::CONTROL => {
                screen = empty()?;
            }
            Input::Key(key) => app.key(key),
            Input::Redraw => screen.autoresize()?,
            Input::Nothing => changed = false,
            Input::Gone => return Ok(()),
        }
        if app.is_done() {
            return Ok(());
        }
        // Keys that wait already are obeyed before the screen is drawn again.
        if changed && !terminal.has_more() {
            screen.draw(|frame| draw::draw(frame, app))?;
        }
    }
}

/// The screen without anything on it. `Terminal::clear` would ask the terminal for the position of the cursor and wait for an answer.
fn empty() -> io::Result<ratatui::Terminal<CrosstermBackend<io::Stdout>>> {
    let mut screen = ratatui::Terminal::new(CrosstermBackend::new(io::stdout()))?;
    screen.backend_mut().clear()?;
    Ok(screen)
}

/// Whether a key is Ctrl-Z.
pub fn is_suspend(key: KeyEvent) -> bool {
    key.code == KeyCode::Char('z') && key.modifiers == KeyModifiers::CONTROL
}
