//! SPIN's trail files as text.
//!
//! A line `depth:process:transition` is one step. Lines with negative numbers say something about the run as a whole: `-2` that
//! process 0 is the never claim, `-4` that statements were merged, `-1` that a cycle begins.

use std::fmt::Write;

/// A trail as SPIN writes it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SpinTrail {
    /// Process 0 is the never claim.
    pub claim: bool,
    /// Statements are merged: a line stands for a statement and those merged into it.
    pub merged: bool,
    /// The number of lines in front of the cycle.
    pub cycle: Option<usize>,
    /// The steps.
    pub lines: Vec<Line>,
}

/// One step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Line {
    /// The number of the step.
    pub depth: i64,
    /// The number of the process, counting the claim.
    pub process: i64,
    /// The number of the statement in the whole text.
    pub transition: i64,
}

/// The error that a text is no trail of SPIN.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoTrail {
    /// The number of the line, from 1.
    pub line: usize,
    /// The reason.
    pub why: &'static str,
}

impl std::fmt::Display for NoTrail {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}", self.line, self.why)
    }
}

impl std::error::Error for NoTrail {}

/// The three numbers of a line.
fn numbers(line: &str) -> Option<[i64; 3]> {
    let mut parts = line.trim().split(':').map(|part| part.parse::<i64>().ok());
    let numbers = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then_some(numbers)
}

/// Whether a text looks like a trail of SPIN: its first line has three numbers.
pub fn is_trail(text: &str) -> bool {
    text.lines().next().is_some_and(|line| numbers(line).is_some())
}

impl SpinTrail {
    /// Reads a trail.
    pub fn parse(text: &str) -> Result<SpinTrail, NoTrail> {
        let mut trail = SpinTrail::default();
        for (i, line) in text.lines().enumerate() {
            let wrong = |why| NoTrail { line: i + 1, why };
            if line.trim().is_empty() {
                continue;
            }
            let Some([depth, process, transition]) = numbers(line) else {
                return Err(wrong("expected `depth:process:transition`"));
            };
            match depth {
                -1 => trail.cycle = Some(trail.lines.len()),
                -2 => trail.claim = true,
                -4 => trail.merged = true,
                -8..=-5 => return Err(wrong("the search permuted processes; such trails can't be replayed")),
                0.. => trail.lines.push(Line { depth, process, transition }),
                _ => return Err(wrong("unknown kind of line")),
            }
        }
        Ok(trail)
    }

    /// The text of the trail.
    pub fn text(&self) -> String {
        let mut text = String::new();
        if self.merged {
            text.push_str("-4:-4:-4\n");
        }
        for (i, Line { depth, process, transition }) in self.lines.iter().enumerate() {
            if self.cycle == Some(i) {
                text.push_str("-1:-1:-1\n");
            }
            let _ = writeln!(text, "{depth}:{process}:{transition}");
        }
        if self.cycle == Some(self.lines.len()) {
            text.push_str("-1:-1:-1\n");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trails_are_read_and_written() {
        let text = "-4:-4:-4\n1:0:23\n-1:-1:-1\n2:1:0\n";
        let trail = SpinTrail::parse(text).unwrap();
        assert_eq!(trail.lines.len(), 2);
        assert_eq!((trail.merged, trail.claim, trail.cycle), (true, false, Some(1)));
        assert_eq!(trail.text(), text);
        for (text, line, why) in [
            ("1:0:2\nx\n", 2, "expected `depth:process:transition`"),
            ("1:0:2:3\n", 1, "expected `depth:process:transition`"),
            ("1:0\n", 1, "expected `depth:process:transition`"),
            ("-5:0:0\n", 1, "the search permuted processes; such trails can't be replayed"),
            ("-9:0:0\n", 1, "unknown kind of line"),
        ] {
            assert_eq!(SpinTrail::parse(text), Err(NoTrail { line, why }), "{text}");
        }
        assert!(is_trail("-2:3:-2\n"));
        assert!(!is_trail("{\n"));
    }
}
