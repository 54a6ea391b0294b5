//! Positions in a text: lines and characters of a protocol, bytes of the analysis.

/// The unit in which a protocol counts the characters of a line.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// Words of sixteen bits, the usual unit.
    #[default]
    Utf16,
}

/// A line and a character in it, both from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The character, in units of an [`Encoding`].
    pub character: u32,
}

/// The lines of a text.
#[derive(Clone, Debug)]
pub struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    /// Finds the lines of a text. They end with `\n`, `\r\n` or `\r`.
    pub fn new(text: &'t str) -> Lines<'t> {
        let bytes = text.as_bytes();
        let ends = |i: &usize| bytes[*i] == b'\n' || bytes[*i] == b'\r' && bytes.get(i + 1) != Some(&b'\n');
        let starts = std::iter::once(0).chain((0..bytes.len()).filter(ends).map(|i| i + 1)).collect();
        Lines { text, starts }
    }

    /// The text of a line, without its end.
    pub fn line(&self, line: usize) -> &'t str {
        let Some(start) = self.starts.get(line) else { return "" };
        let end = self.starts.get(line + 1).copied().unwrap_or(self.text.len());
        self.text[*start..end].trim_end_matches(['\n', '\r'])
    }

    /// The byte at which a line starts; the end of the text for a line that it does not have.
    pub fn start(&self, line: usize) -> usize {
        self.starts.get(line).copied().unwrap_or(self.text.len())
    }

    /// The byte of a position. A character behind the end of its line is the end; one inside a pair of words is its start.
    pub fn offset(&self, position: Position, encoding: Encoding) -> usize {
        let (start, line) = (self.start(position.line as usize), self.line(position.line as usize));
        let mut units = 0;
        for (at, c) in line.char_indices() {
            let length = width(c, encoding);
            if units + length > position.character as usize {
                return start + at;
            }
            units += length;
        }
        start + line.len()
    }

    /// The position of a byte. A byte inside a character is its start.
    pub fn position(&self, offset: usize, encoding: Encoding) -> Position {
        let offset = offset.min(self.text.len());
        let line = self.starts.partition_point(|start| *start <= offset) - 1;
        let before =
            self.text[self.starts[line]..].char_indices().take_while(|(at, _)| self.starts[line] + at < offset);
        let units = before.filter(|(at, c)| self.starts[line] + at + c.len_utf8() <= offset);
        let character = units.map(|(_, c)| width(c, encoding)).sum::<usize>();
        Position { line: line as u32, character: character as u32 }
    }
}

fn width(c: char, encoding: Encoding) -> usize {
    match encoding {
        Encoding::Utf8 => c.len_utf8(),
        Encoding::Utf16 => c.len_utf16(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_words_of_sixteen_bits() {
        let text = "a\u{1f600}b\r\né\rx";
        let lines = Lines::new(text);
        let at = |line, character| lines.offset(Position { line, character }, Encoding::Utf16);
        assert_eq!([at(0, 0), at(0, 1), at(0, 2), at(0, 3), at(0, 4), at(0, 9)], [0, 1, 1, 5, 6, 6]);
        assert_eq!([at(1, 0), at(1, 1), at(2, 0), at(2, 1), at(9, 3)], [8, 10, 11, 12, 12]);
        for offset in [0, 1, 5, 6, 8, 10, 11, 12] {
            for encoding in [Encoding::Utf8, Encoding::Utf16] {
                let position = lines.position(offset, encoding);
                assert_eq!(lines.offset(position, encoding), offset, "{position:?}");
            }
        }
        assert_eq!(lines.position(5, Encoding::Utf8), Position { line: 0, character: 5 });
    }
}
