//! Text in diagrams: its width, its lines, and its escapes.

use crate::escape::visible;

/// The width of a character, as part of the size of the font. Labels have a font of fixed width.
const CHARACTER: f64 = 0.605;
/// Characters in a line of a label.
const LINE: usize = 40;
/// Lines of a label.
const LINES: usize = 12;

/// The width of a line in pixels.
pub(super) fn width(line: &str, size: f64) -> f64 {
    crate::width::width(line) as f64 * CHARACTER * size
}

/// Breaks a text into lines, at blanks where there are any. A text that is too long ends in `…`.
pub(crate) fn wrapped(text: &str) -> Vec<String> {
    let text = visible(text);
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let mut word: &str = word;
        loop {
            let line = lines.last().map_or(0, |line| line.chars().count());
            let length = word.chars().count();
            match lines.last_mut() {
                Some(last) if line == 0 && length <= LINE => last.push_str(word),
                Some(last) if line > 0 && line + 1 + length <= LINE => last.push_str(&format!(" {word}")),
                Some(last) if line == 0 => {
                    let cut = word.char_indices().nth(LINE).map_or(word.len(), |(at, _)| at);
                    last.push_str(&word[..cut]);
                    word = &word[cut..];
                    lines.push(String::new());
                    continue;
                }
                _ => {
                    lines.push(String::new());
                    continue;
                }
            }
            break;
        }
    }
    if lines.len() > LINES {
        lines.truncate(LINES);
        lines.push("…".to_string());
    }
    lines
}

/// A string of DOT; the lines are separated by line breaks.
pub(crate) fn quoted(lines: &[String]) -> String {
    let escape = |line: &String| visible(line).replace('\\', "\\\\").replace('"', "\\\"").replace(['\n', '\t'], " ");
    format!("\"{}\"", lines.iter().map(escape).collect::<Vec<_>>().join("\\n"))
}
