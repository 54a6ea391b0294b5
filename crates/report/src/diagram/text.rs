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
    line.chars().map(columns).sum::<usize>() as f64 * CHARACTER * size
}

/// The columns of a character: East Asian wide characters and emoji take two.
fn columns(c: char) -> usize {
    let wide = matches!(u32::from(c), 0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f | 0xff00..=0xff60 | 0xffe0..=0xffe6 | 0x1f300..=0x1faff | 0x20000..=0x3fffd);
    if wide { 2 } else { 1 }
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

/// Text for XML. Control characters become visible.
pub(crate) fn xml(text: &str) -> String {
    let text = visible(text).replace(['\n', '\t'], " ");
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A string of DOT; the lines are separated by line breaks.
pub(crate) fn quoted(lines: &[String]) -> String {
    let escape = |line: &String| visible(line).replace('\\', "\\\\").replace('"', "\\\"").replace(['\n', '\t'], " ");
    format!("\"{}\"", lines.iter().map(escape).collect::<Vec<_>>().join("\\n"))
}
