//! The layout of a table: widths, headings, rows.

use super::{Look, Row, wrapped};
use crate::columns::{Column, Priority, groups, spread};
use crate::number::counted;
use crate::style::{BAD, FAINT, HEAD, UNSURE, paint};
use crate::width::{centre, clip, left, right, width};

/// The smallest width of the statement column before columns are dropped.
const NARROW: usize = 30;
const WIDE: usize = 60;
/// The width of the column for processes if not all columns fit otherwise.
const SHORT: usize = 20;
/// The widths of the columns for statements and processes if a single value does not fit otherwise.
const TIGHT: usize = 12;

/// The widths of the fixed columns.
pub struct Frame {
    number: usize,
    process: usize,
    line: usize,
    statement: usize,
    /// Whether each name has a line of its own above the table.
    tall: bool,
}

/// The columns of a table that fits a width.
pub struct Fitted {
    /// The columns of each part of the table, with their positions in the rows.
    pub blocks: Vec<Vec<(usize, Column)>>,
    /// The names of the columns that are left out.
    pub dropped: Vec<String>,
}

impl Fitted {
    /// All columns side by side.
    pub fn all(columns: &[Column]) -> Fitted {
        Fitted { blocks: vec![columns.iter().cloned().enumerate().collect()], dropped: Vec::new() }
    }
}

impl Frame {
    /// The widths that the rows need.
    pub fn measure(rows: &[Row]) -> Frame {
        let mut frame = Frame {
            number: 1,
            process: "process".len(),
            line: "line".len(),
            statement: "statement".len(),
            tall: false,
        };
        for row in rows {
            if let Row::Step { number, process, line, statement, called, .. } = row {
                frame.number = frame.number.max(number.to_string().len());
                frame.process = frame.process.max(width(process));
                frame.line = frame.line.max(width(line));
                frame.statement = frame.statement.max(width(statement) + width(called));
            }
        }
        frame
    }

    /// Reduces the table to a width: columns that never change are dropped, then statements are truncated, then names
    /// get lines of their own, then names of processes are truncated. If this does not suffice, the columns with the lowest
    /// priority are dropped, or the table has several parts if the user has chosen the columns.
    pub fn fit(&mut self, columns: &[Column], most: usize, explicit: bool) -> Fitted {
        let mut kept: Vec<(usize, Column)> = columns.iter().cloned().enumerate().collect();
        self.statement = self.statement.min(WIDE);
        let wanted = self.statement;
        if self.width(&kept) > most && !explicit && columns.iter().any(|c| c.changes) {
            kept.retain(|(_, c)| c.changes || c.priority >= Priority::Named);
        }
        self.shrink(&kept, most, NARROW);
        if self.width(&kept) > most {
            self.tall = true;
            kept.iter_mut().for_each(|(_, c)| c.width = c.values.max(1));
            self.statement = wanted;
            self.shrink(&kept, most, NARROW);
        }
        if self.width(&kept) > most {
            self.process = self.process.min(SHORT);
        }
        let widest = kept.iter().map(|(_, c)| c.width + 1).max().unwrap_or(0);
        if self.lead() + self.statement + 2 + widest > most {
            self.process = self.process.min(TIGHT);
            self.statement = self.statement.min(TIGHT);
        }
        let room = most.saturating_sub(self.lead() + self.statement + 3).max(1);
        kept.iter_mut().for_each(|(_, c)| c.width = c.width.min(room));
        if explicit { self.split(kept, most) } else { self.reduce(kept, most) }
    }

    /// Truncates statements to make the table fit, but not below `least`.
    fn shrink(&mut self, columns: &[(usize, Column)], most: usize, least: usize) {
        let over = self.width(columns).saturating_sub(most);
        self.statement = self.statement.saturating_sub(over).max(self.statement.min(least));
    }

    /// Drops columns until the table fits.
    fn reduce(&self, mut columns: Vec<(usize, Column)>, most: usize) -> Fitted {
        let mut dropped = Vec::new();
        while self.width(&columns) > most && columns.len() > 1 {
            let Some(least) = (0..columns.len()).rev().min_by_key(|i| columns[*i].1.priority) else { break };
            dropped.push(columns.remove(least).1.full_name());
        }
        dropped.reverse();
        Fitted { blocks: vec![columns], dropped }
    }

    /// Splits the columns into parts that fit.
    fn split(&self, columns: Vec<(usize, Column)>, most: usize) -> Fitted {
        let mut blocks: Vec<Vec<(usize, Column)>> = vec![Vec::new()];
        for column in columns {
            let last = blocks.len() - 1;
            blocks[last].push(column);
            if self.width(&blocks[last]) > most && blocks[last].len() > 1 {
                let over = blocks[last].pop();
                blocks.push(over.into_iter().collect());
            }
        }
        Fitted { blocks, dropped: Vec::new() }
    }

    fn width(&self, columns: &[(usize, Column)]) -> usize {
        let cells: usize = if self.tall {
            columns.iter().map(|(_, c)| c.width + 1).sum()
        } else {
            let columns: Vec<Column> = columns.iter().map(|(_, c)| c.clone()).collect();
            groups(&columns).map(|(_, width)| width + 1).sum()
        };
        self.lead() + self.statement + 2 + cells
    }

    /// The start of the statement column.
    fn lead(&self) -> usize {
        2 + self.number + 2 + self.process + 2 + self.line + 2
    }

    /// A statement with the inline that it is in. The statement is truncated first.
    fn statement(&self, statement: &str, called: &str) -> String {
        let room = self.statement.saturating_sub(width(called));
        if room < width(statement).min(TIGHT) {
            statement.to_string()
        } else {
            format!("{}{called}", clip(statement, room))
        }
    }

    fn front(&self, number: &str, process: &str, line: &str, statement: &str) -> String {
        // Short line numbers are placed below the middle of their heading.
        let line = if width(line) < self.line { format!("{line} ") } else { line.to_string() };
        format!(
            "  {}  {}  {}  {}",
            right(number, self.number),
            left(&short_process(process, self.process), self.process),
            right(&line, self.line),
            left(&clip(statement, self.statement), self.statement)
        )
    }

    /// One part of the table.
    pub fn block(&self, out: &mut String, rows: &[Row], columns: &[(usize, Column)], remark: Option<&str>, look: Look) {
        let (positions, mut columns): (Vec<usize>, Vec<Column>) = columns.iter().cloned().unzip();
        if self.tall {
            self.tall_header(out, &columns);
        } else {
            spread(&mut columns);
            self.header(out, &columns);
        }
        for (n, row) in rows.iter().enumerate() {
            let cells: Vec<&str> = positions.iter().map(|at| &*row.cells()[*at]).collect();
            let remark = remark.filter(|_| n + 1 == rows.len());
            self.row(out, row, (&cells, &columns), remark, look);
        }
    }

    /// The names of the columns, below the names of their owners.
    fn header(&self, out: &mut String, columns: &[Column]) {
        let mut owners = " ".repeat(self.lead() + self.statement + 2);
        for (group, width) in groups(columns) {
            owners.push_str(&format!(" {}", left(group[0].owner.as_deref().unwrap_or(""), width)));
        }
        let mut text = self.front("#", "process", "line", "statement");
        text.push_str("  ");
        columns.iter().for_each(|c| text.push_str(&format!(" {}", centre(&c.name, c.width))));
        for line in [owners.trim_end(), text.trim_end()].iter().filter(|line| !line.is_empty()) {
            out.push_str(&format!("{}\n", paint(HEAD, line)));
        }
    }

    /// The names of the columns, each on a line of its own that leads down to the column.
    fn tall_header(&self, out: &mut String, columns: &[Column]) {
        let start = self.lead() + self.statement + 2;
        let middles: Vec<usize> = columns
            .iter()
            .scan(start, |at, c| Some(std::mem::replace(at, *at + c.width + 1) + 1 + (c.width - 1) / 2))
            .collect();
        for (n, column) in columns.iter().enumerate().rev() {
            let name = right(&clip(&column.full_name(), middles[n].saturating_sub(2)), middles[n].saturating_sub(1));
            let mut line = format!("{name} ╮");
            let mut at = middles[n] + 1;
            for middle in &middles[n + 1..] {
                line.push_str(&format!("{:1$}│", "", middle - at));
                at = middle + 1;
            }
            out.push_str(&format!("{}\n", paint(HEAD, &line)));
        }
        let mut line = self.front("#", "process", "line", "statement");
        let mut at = start - 2;
        for middle in &middles {
            line.push_str(&format!("{:1$}│", "", middle - at));
            at = middle + 1;
        }
        out.push_str(&format!("{}\n", paint(HEAD, line.trim_end())));
    }

    fn row(&self, out: &mut String, row: &Row, cells: (&[&str], &[Column]), remark: Option<&str>, look: Look) {
        let (front, returns, marked, minor) = match row {
            Row::Step { number, returns, marked, minor, process, line, statement, called, .. } => {
                let statement = self.statement(statement, called);
                (self.front(&number.to_string(), process, line, &statement), *returns, *marked, *minor)
            }
            Row::Gap { steps, returns, .. } => {
                let note = format!("… {} not shown (--full)", counted(*steps as u64, "step"));
                (format!("  {}", left(&note, self.lead() + self.statement - 2)), *returns, false, false)
            }
        };
        let sign = |set: bool, style, sign: &str| if set { paint(style, sign) } else { " ".to_string() };
        let margin = format!("{}{}", sign(returns, BAD, "↻"), sign(marked, UNSURE, "◆"));
        let front = if minor { paint(FAINT, &front[2..]) } else { front[2..].to_string() };
        let front = format!("{margin}{front}");
        match remark {
            Some(remark) => self.remark(out, &front, remark, look),
            None => fill(out, &front, cells),
        }
        if let Row::Step { output, .. } = row {
            for text in output.lines().map(str::trim_end).filter(|text| !text.is_empty()) {
                out.push_str(&format!("{:1$}{2}\n", "", self.lead(), paint(FAINT, &format!("▸ {text}"))));
            }
        }
    }

    /// The last row of a run with an error. A long remark has lines of its own.
    fn remark(&self, out: &mut String, front: &str, remark: &str, look: Look) {
        let start = self.lead() + self.statement + 5;
        if look.full || start + 2 + width(remark) <= look.width {
            out.push_str(&paint(BAD, &format!("{front}     ✗ {remark}")));
            out.push('\n');
            return;
        }
        out.push_str(&format!("{}\n", paint(BAD, front.trim_end())));
        for line in wrapped(&format!("✗ {remark}"), look.width, 4) {
            out.push_str(&format!("{}\n", paint(BAD, &line)));
        }
    }
}

/// The name of a process, or of both processes of a rendezvous, in at most `most` columns: types are truncated, numbers are
/// not.
fn short_process(name: &str, most: usize) -> String {
    if width(name) <= most {
        return name.to_string();
    }
    let parts: Vec<&str> = name.split(" → ").collect();
    let room = most.saturating_sub(3 * (parts.len() - 1)) / parts.len();
    let short = |part: &&str| {
        let (ty, number) = part.split_at(part.rfind('(').unwrap_or(part.len()));
        format!("{}{number}", clip(ty, room.saturating_sub(width(number))))
    };
    clip(&parts.iter().map(short).collect::<Vec<_>>().join(" → "), most)
}

/// Appends a row with its values.
fn fill(out: &mut String, front: &str, (cells, columns): (&[&str], &[Column])) {
    out.push_str(front);
    out.push_str("  ");
    for (cell, column) in cells.iter().zip(columns) {
        let cell = format!(" {}", centre(&clip(cell, column.width), column.width));
        if cell.contains('·') { out.push_str(&cell.replace('·', &paint(FAINT, "·"))) } else { out.push_str(&cell) }
    }
    let end = out.trim_end().len();
    out.truncate(end);
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_keep_the_numbers_of_processes() {
        for (name, most, short) in [
            ("participant(1)", 20, "participant(1)"),
            ("participant(1)", 12, "particip…(1)"),
            ("participant(12)", 10, "parti…(12)"),
            ("participant", 8, "partici…"),
            ("sender(0) → receiver(1)", 20, "send…(0) → rece…(1)"),
            ("sender → receiver(1)", 19, "sender → rece…(1)"),
            ("a(1) → b(2)", 6, "(1) →…"),
        ] {
            assert_eq!(short_process(name, most), short);
            assert!(width(short) <= most, "{short}");
        }
    }
}
