//! A line that is edited, with the lines before it. It knows keys, and nothing of the terminal.

use kripke_report::width::width;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// Characters of a line.
const MOST: usize = 1_000;
/// Lines that are remembered.
const REMEMBERED: usize = 200;

/// A line under edit.
#[derive(Default, Debug)]
pub struct Editor {
    text: Vec<char>,
    cursor: usize,
    history: Vec<String>,
    /// The line of the history that is shown, and the new line that it replaces.
    shown: Option<(usize, Vec<char>)>,
}

/// What a key did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Edited {
    More,
    Entered(String),
    /// The line was given up.
    Cancelled,
    /// There is no more input.
    Ended,
}

impl Editor {
    pub fn text(&self) -> String {
        self.text.iter().collect()
    }

    /// Starts with a text.
    pub fn start(&mut self, text: &str) {
        (self.text, self.shown) = (text.chars().collect(), None);
        self.cursor = self.text.len();
    }

    pub fn key(&mut self, key: KeyEvent) -> Edited {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Enter => return self.enter(),
            KeyCode::Esc => return self.cancel(),
            KeyCode::Char(c) if control => return self.control(c),
            KeyCode::Char(c) if !key.modifiers.contains(KeyModifiers::ALT) => self.insert(c),
            KeyCode::Backspace => self.delete(self.cursor.saturating_sub(1), self.cursor),
            KeyCode::Delete => self.delete(self.cursor, self.cursor + 1),
            KeyCode::Left => self.cursor = self.cursor.saturating_sub(1),
            KeyCode::Right => self.cursor = (self.cursor + 1).min(self.text.len()),
            KeyCode::Home => self.cursor = 0,
            KeyCode::End => self.cursor = self.text.len(),
            KeyCode::Up => self.older(),
            KeyCode::Down => self.newer(),
            _ => {}
        }
        Edited::More
    }

    fn control(&mut self, c: char) -> Edited {
        match c {
            'a' => self.cursor = 0,
            'e' => self.cursor = self.text.len(),
            'b' => self.cursor = self.cursor.saturating_sub(1),
            'f' => self.cursor = (self.cursor + 1).min(self.text.len()),
            'h' => self.delete(self.cursor.saturating_sub(1), self.cursor),
            'k' => self.delete(self.cursor, self.text.len()),
            'u' => self.delete(0, self.cursor),
            'w' => self.delete(self.word(), self.cursor),
            'p' => self.older(),
            'n' => self.newer(),
            // Enter, if it was typed before the prompt: the terminal makes a newline of it.
            'j' => return self.enter(),
            'c' => return self.cancel(),
            'd' if self.text.is_empty() => return Edited::Ended,
            'd' => self.delete(self.cursor, self.cursor + 1),
            _ => {}
        }
        Edited::More
    }

    fn insert(&mut self, c: char) {
        if self.text.len() < MOST && !c.is_control() {
            self.text.insert(self.cursor, c);
            self.cursor += 1;
        }
    }

    fn delete(&mut self, from: usize, to: usize) {
        self.text.drain(from..to.min(self.text.len()));
        self.cursor = from.min(self.text.len());
    }

    /// The start of the word before the cursor.
    fn word(&self) -> usize {
        let before = &self.text[..self.cursor];
        let end = before.iter().rposition(|c| *c != ' ').map_or(0, |at| at + 1);
        before[..end].iter().rposition(|c| *c == ' ').map_or(0, |at| at + 1)
    }

    fn older(&mut self) {
        let at = self.shown.as_ref().map_or(self.history.len(), |(at, _)| *at);
        if let Some(next) = at.checked_sub(1) {
            let new = self.shown.take().map_or_else(|| self.text.clone(), |(_, new)| new);
            self.show(next, new);
        }
    }

    fn newer(&mut self) {
        let Some((at, new)) = self.shown.take() else { return };
        if at + 1 < self.history.len() {
            self.show(at + 1, new);
        } else {
            self.text = new;
            self.cursor = self.text.len();
        }
    }

    fn show(&mut self, at: usize, new: Vec<char>) {
        self.text = self.history[at].chars().collect();
        self.cursor = self.text.len();
        self.shown = Some((at, new));
    }

    fn enter(&mut self) -> Edited {
        let text = self.text();
        if !text.trim().is_empty() && self.history.last() != Some(&text) {
            self.history.push(text.clone());
        }
        if self.history.len() > REMEMBERED {
            self.history.remove(0);
        }
        self.start("");
        Edited::Entered(text)
    }

    fn cancel(&mut self) -> Edited {
        let empty = self.text.is_empty();
        self.start("");
        if empty { Edited::Ended } else { Edited::Cancelled }
    }

    /// The part of the line that fits, and the column of the cursor in it.
    pub fn visible(&self, columns: usize) -> (String, usize) {
        let wide = |from: usize, to: usize| width(&self.text[from..to].iter().collect::<String>());
        let mut first = 0;
        while first < self.cursor && wide(first, self.cursor) + 1 > columns {
            first += 1;
        }
        let mut last = self.text.len();
        while last > self.cursor && wide(first, last) > columns {
            last -= 1;
        }
        (self.text[first..last].iter().collect(), wide(first, self.cursor))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Types keys: `<` and `>` move, `^x` is a control key, `~` is Backspace, `|` is Enter, `↑` and `↓` are arrows.
    fn typed(editor: &mut Editor, keys: &str) -> Edited {
        let mut last = Edited::More;
        let mut keys = keys.chars();
        while let Some(c) = keys.next() {
            let code = match c {
                '<' => KeyCode::Left,
                '>' => KeyCode::Right,
                '~' => KeyCode::Backspace,
                '|' => KeyCode::Enter,
                '↑' => KeyCode::Up,
                '↓' => KeyCode::Down,
                '^' => KeyCode::Char(keys.next().unwrap()),
                c => KeyCode::Char(c),
            };
            let modifiers = if c == '^' { KeyModifiers::CONTROL } else { KeyModifiers::NONE };
            last = editor.key(KeyEvent::new(code, modifiers));
        }
        last
    }

    #[test]
    fn lines_are_edited() {
        for (keys, text) in [
            ("abc", "abc"),
            ("abc<<x", "axbc"),
            ("abc~~", "a"),
            ("one two^w", "one "),
            ("one two  ^wx", "one x"),
            ("abc^ax", "xabc"),
            ("abc<^k", "ab"),
            ("abc<^u", "c"),
            ("abc^a^d", "bc"),
            ("消息<é", "消é息"),
            ("<<~>x", "x"),
        ] {
            let mut editor = Editor::default();
            typed(&mut editor, keys);
            assert_eq!(editor.text(), text, "{keys}");
        }
    }

    #[test]
    fn earlier_lines_come_back() {
        let mut editor = Editor::default();
        assert_eq!(typed(&mut editor, "first|"), Edited::Entered("first".into()));
        assert_eq!(typed(&mut editor, "second^j"), Edited::Entered("second".into()));
        typed(&mut editor, "new↑");
        assert_eq!(editor.text(), "second");
        typed(&mut editor, "↑↑");
        assert_eq!(editor.text(), "first");
        typed(&mut editor, "↓↓");
        assert_eq!(editor.text(), "new");
        assert_eq!(typed(&mut editor, "^c"), Edited::Cancelled);
        assert_eq!(typed(&mut editor, "^c"), Edited::Ended);
        assert_eq!(typed(&mut editor, "^d"), Edited::Ended);
    }

    #[test]
    fn a_long_line_scrolls() {
        let mut editor = Editor::default();
        typed(&mut editor, "0123456789");
        assert_eq!(editor.visible(20), ("0123456789".into(), 10));
        assert_eq!(editor.visible(5), ("6789".into(), 4));
        typed(&mut editor, "^a");
        assert_eq!(editor.visible(5), ("01234".into(), 0));
        let mut wide = Editor::default();
        typed(&mut wide, "消息消息");
        assert_eq!(wide.visible(6), ("消息".into(), 4));
        assert_eq!(wide.visible(0), (String::new(), 0));
    }
}
