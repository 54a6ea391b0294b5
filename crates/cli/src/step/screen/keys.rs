//! Keys, and the commands that they give.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::app::{App, Prompt};
use super::layout::Pane;
use crate::step::editor::Edited;

/// The keys and what they do, as the help shows them.
pub const KEYS: [(&str, &str); 20] = [
    ("Enter, Space", "take the chosen move"),
    ("↑ ↓", "choose a move; in other panes scroll, in the history step"),
    ("1 … 9", "take the move with this number"),
    ("→", "go on along the run; at its end take the chosen move"),
    ("←, Backspace", "one step back"),
    ("Home, End", "to the start, to the end of the run"),
    ("PgUp, PgDn", "a page, or ten steps"),
    ("j, g", "jump to a step"),
    ("r", "random steps"),
    ("u", "run until a condition holds, in the model's language"),
    ("w", "watch an expression above the variables"),
    ("/", "search the source; the history if it has the focus"),
    ("n, N", "next place, place before"),
    ("s", "save the run up to this step as a trail"),
    ("o", "return to the trail after leaving it"),
    ("m", "history or message sequence chart below the source"),
    ("Tab, Shift-Tab", "next pane, pane before"),
    ("z", "the pane on the whole screen, and back"),
    ("?", "this help"),
    ("q, Ctrl-C", "quit"),
];

/// The most important keys, always on the screen.
pub const SHORT: [(&str, &str); 13] = [
    ("Enter", "step"),
    ("←", "back"),
    ("→", "onward"),
    ("↑↓", "choose"),
    ("j", "jump"),
    ("r", "random"),
    ("u", "until"),
    ("/", "search"),
    ("s", "save"),
    ("m", "chart"),
    ("Tab", "pane"),
    ("?", "help"),
    ("q", "quit"),
];

/// Steps of a page in the history.
const PAGE: usize = 10;

impl App {
    pub fn key(&mut self, key: KeyEvent) {
        if let Some(prompt) = self.prompt {
            return self.edit(prompt, key);
        }
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        if control && matches!(key.code, KeyCode::Char('c' | 'd')) {
            return self.quit();
        }
        if control || self.help {
            self.help = false;
            return;
        }
        self.session.announced();
        match key.code {
            KeyCode::Char('q') => self.quit(),
            KeyCode::Char('?' | 'h') | KeyCode::F(1) => self.help = true,
            KeyCode::Enter | KeyCode::Char(' ') => self.take(self.chosen),
            KeyCode::Char(c @ '1'..='9') => self.take(c as usize - '1' as usize),
            KeyCode::Right => self.onward(),
            KeyCode::Left | KeyCode::Backspace | KeyCode::Char('b') => self.back(1),
            KeyCode::Home => self.jump(0),
            KeyCode::End => self.jump(self.session.len()),
            KeyCode::Char('g' | 'j') => self.ask(Prompt::Jump),
            KeyCode::Char('r') => self.ask(Prompt::Random),
            KeyCode::Char('u') => self.ask(Prompt::Until),
            KeyCode::Char('w') => self.ask(Prompt::Watch),
            KeyCode::Char('/') => self.ask(Prompt::Search),
            KeyCode::Char('s') => self.ask(Prompt::Save),
            KeyCode::Char('n') => self.seek(true),
            KeyCode::Char('N') => self.seek(false),
            KeyCode::Char('o') => self.rejoin(),
            KeyCode::Char('m') => self.toggle_chart(),
            KeyCode::Char('z') => self.zoomed = !self.zoomed,
            KeyCode::Esc => (self.zoomed, self.found) = (false, None),
            KeyCode::Tab => self.turn(true),
            KeyCode::BackTab => self.turn(false),
            KeyCode::Up => self.scroll(-1),
            KeyCode::Down => self.scroll(1),
            KeyCode::PageUp => self.scroll(-(self.page_of(self.focus) as isize)),
            KeyCode::PageDown => self.scroll(self.page_of(self.focus) as isize),
            _ => {}
        }
    }

    fn edit(&mut self, prompt: Prompt, key: KeyEvent) {
        match self.editors[prompt as usize].key(key) {
            Edited::More => {}
            Edited::Cancelled | Edited::Ended => self.prompt = None,
            Edited::Entered(line) => {
                self.prompt = None;
                self.entered(prompt, &line);
            }
        }
    }

    /// Shows the chart in place of the history, or the other way round.
    fn toggle_chart(&mut self) {
        self.lower = if self.lower == Pane::History { Pane::Chart } else { Pane::History };
        if matches!(self.focus, Pane::History | Pane::Chart) || self.zoomed {
            self.focus = self.lower;
        }
    }

    /// Gives the focus to another pane.
    fn turn(&mut self, onward: bool) {
        let channels = self.wanted().channels > 0;
        let panes: Vec<Pane> = Pane::ALL.into_iter().filter(|pane| channels || *pane != Pane::Channels).collect();
        let at = panes.iter().position(|pane| *pane == self.focus).unwrap_or(0);
        let next = if onward { at + 1 } else { at + panes.len() - 1 } % panes.len();
        self.focus = panes[next];
        if matches!(self.focus, Pane::History | Pane::Chart) {
            self.lower = self.focus;
        }
    }

    /// The lines or steps of a page.
    fn page_of(&self, pane: Pane) -> usize {
        match pane {
            Pane::History | Pane::Chart => PAGE,
            pane => self.shown(pane).1.max(2) - 1,
        }
    }

    /// Moves the choice, the position in the run, or the text of the pane with the focus.
    fn scroll(&mut self, by: isize) {
        match self.focus {
            Pane::Moves => {
                let last = self.session.moves().len().saturating_sub(1);
                self.chosen = self.chosen.saturating_add_signed(by).min(last);
                self.scrolled.retain(|(pane, _)| *pane != Pane::Source);
                self.found = None;
            }
            Pane::History | Pane::Chart => {
                let step = self.session.at().saturating_add_signed(by).min(self.session.len());
                if step != self.session.at() {
                    self.jump(step);
                }
            }
            pane => {
                let first = self.shown(pane).0.saturating_add_signed(by);
                self.scrolled.retain(|(other, _)| *other != pane);
                self.scrolled.push((pane, first));
            }
        }
    }
}
