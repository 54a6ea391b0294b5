//! A run as a table: one row per step, one column per variable. Only changes are shown.

use kripke_model::interpret::Move;
use kripke_model::ir::Span;

use crate::columns::{Column, Priority, columns, groups, spread};
use crate::escape::visible;
use crate::explanation;
use crate::names::Names;
use crate::number::counted;
use crate::run::{End, Run};
use crate::style::{BAD, FAINT, HEAD, paint};

/// Rows shown at the start of a run that is too long to be shown in full.
pub const OPENING: usize = 20;
/// Rows at the end of such a run.
pub const CLOSING: usize = 40;
/// The smallest width of the statement column before columns are dropped.
const NARROW: usize = 30;
const WIDE: usize = 60;
/// Values longer than this, mostly of channels, are truncated.
const VALUE: usize = 30;

/// The size of a table.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// The width of a line in characters.
    pub width: usize,
    /// Whether all rows and all columns are shown, at any width.
    pub full: bool,
}

enum Row {
    Step {
        number: usize,
        /// Whether the step is the first of the cycle.
        returns: bool,
        process: String,
        line: String,
        statement: String,
        cells: Vec<String>,
        output: String,
    },
    /// Omitted steps, and the state after them.
    Gap { steps: usize, returns: bool, cells: Vec<String> },
}

/// The table. Every line ends with a newline.
pub fn table(run: &Run, names: &Names, look: Look) -> String {
    let mut columns = columns(run, names);
    let mut rows = rows(run, names, look, &columns);
    for row in &mut rows {
        for (column, cell) in columns.iter_mut().zip(row.cells_mut()) {
            if !look.full {
                *cell = clip(cell, VALUE);
            }
            column.width = column.width.max(cell.chars().count());
        }
    }
    let mut frame = Frame::measure(&rows);
    let dropped = if look.full { Vec::new() } else { fit(&mut frame, &mut columns, &mut rows, look.width) };
    spread(&mut columns);
    let mut out = frame.header(&columns);
    // An error of a state is shown below the table.
    let remark = explanation::remark(run, names).filter(|_| !run.end().is_of_state());
    let last = rows.len() - 1;
    for (i, row) in rows.iter().enumerate() {
        let remark = remark.as_deref().filter(|_| i == last);
        frame.row(&mut out, row, &columns, remark);
    }
    if !dropped.is_empty() {
        let note = format!("  no room for: {} (--full shows everything)", dropped.join(", "));
        out.push_str(&paint(FAINT, &note));
        out.push('\n');
    }
    out
}

impl Row {
    fn cells_mut(&mut self) -> &mut Vec<String> {
        match self {
            Row::Step { cells, .. } | Row::Gap { cells, .. } => cells,
        }
    }
}

fn rows(run: &Run, names: &Names, look: Look, columns: &[Column]) -> Vec<Row> {
    let total = run.moves().len();
    let elide = !look.full && total > OPENING + CLOSING;
    let read = |steps: usize| -> Vec<Option<String>> {
        let view = run.view(steps);
        columns.iter().map(|c| names.read(run.model(), &view, c.item)).collect()
    };
    let shown = |values: &[Option<String>]| values.iter().map(|v| v.clone().unwrap_or_default()).collect();
    let mut before = read(0);
    let start = Row::Step {
        number: run.forgotten(),
        returns: false,
        process: String::new(),
        line: String::new(),
        statement: String::new(),
        cells: shown(&before),
        output: String::new(),
    };
    let mut rows = vec![start];
    let returns = |steps: std::ops::RangeInclusive<usize>| match run.end() {
        End::Cycle(before) => steps.contains(&(before + 1)),
        _ => false,
    };
    let mut step = 1;
    while step <= total {
        if elide && step == OPENING + 1 {
            step = total - CLOSING;
            before = read(step);
            let returns = returns(OPENING + 1..=step);
            rows.push(Row::Gap { steps: step - OPENING, returns, cells: shown(&before) });
            step += 1;
            continue;
        }
        let after = read(step);
        let cells = before.iter().zip(&after).map(|(a, b)| match b {
            Some(_) if a == b => "·".to_string(),
            Some(value) => value.clone(),
            None => String::new(),
        });
        let cells = cells.collect();
        let taken = &run.moves()[step - 1];
        rows.push(Row::Step {
            number: run.forgotten() + step,
            returns: returns(step..=step),
            process: mover(run, names, taken),
            line: line(run, taken),
            statement: run.statements(taken),
            cells,
            output: visible(&taken.output).into_owned(),
        });
        before = after;
        step += 1;
    }
    rows
}

/// The process that moves, and its partner in a rendezvous.
pub fn mover(run: &Run, names: &Names, step: &Move) -> String {
    if run.is_pause(step) {
        return String::new();
    }
    let own = names.process(run.model(), step.process, step.pid);
    match step.partner {
        Some(p) => format!("{own} → {}", names.process(run.model(), p.process, p.pid)),
        None => own,
    }
}

/// The line of a step, and the line of its partner in a rendezvous.
pub fn line(run: &Run, step: &Move) -> String {
    if run.is_pause(step) {
        return String::new();
    }
    let number = |span: Span| {
        let at = run.lines().of(span);
        if at.file.0 == 0 { at.first.to_string() } else { format!("{}:{}", run.lines().file(at.file), at.first) }
    };
    let own = number(run.edge(step.process, step.edge).span);
    match step.partner {
        Some(p) => format!("{own}→{}", number(run.edge(p.process, p.edge).span)),
        None => own,
    }
}

/// Reduces the table to a width: columns that never change are dropped, then statements are truncated, then the
/// columns with the lowest priority are dropped. Returns the names of the latter.
fn fit(frame: &mut Frame, columns: &mut Vec<Column>, rows: &mut [Row], width: usize) -> Vec<String> {
    frame.statement = frame.statement.min(WIDE);
    if frame.width(columns) > width && columns.iter().any(|c| c.changes) {
        let keep: Vec<bool> = columns.iter().map(|c| c.changes || c.priority == Priority::Named).collect();
        retain(columns, &keep);
        rows.iter_mut().for_each(|r| retain(r.cells_mut(), &keep));
    }
    let over = frame.width(columns).saturating_sub(width);
    frame.statement = frame.statement.saturating_sub(over).max(frame.statement.min(NARROW));
    let mut dropped = Vec::new();
    while frame.width(columns) > width && columns.len() > 1 {
        let Some(least) = (0..columns.len()).rev().min_by_key(|i| columns[*i].priority) else { break };
        dropped.push(columns.remove(least).full_name());
        rows.iter_mut().for_each(|r| drop(r.cells_mut().remove(least)));
    }
    dropped.reverse();
    dropped
}

fn retain<T>(list: &mut Vec<T>, keep: &[bool]) {
    let mut keep = keep.iter();
    list.retain(|_| *keep.next().unwrap_or(&true));
}

/// The widths of the fixed columns.
struct Frame {
    number: usize,
    process: usize,
    line: usize,
    statement: usize,
}

impl Frame {
    fn measure(rows: &[Row]) -> Frame {
        let mut frame = Frame { number: 1, process: "process".len(), line: "line".len(), statement: "statement".len() };
        for row in rows {
            if let Row::Step { number, process, line, statement, .. } = row {
                frame.number = frame.number.max(number.to_string().len());
                frame.process = frame.process.max(process.chars().count());
                frame.line = frame.line.max(line.chars().count());
                frame.statement = frame.statement.max(statement.chars().count());
            }
        }
        frame
    }

    fn width(&self, columns: &[Column]) -> usize {
        self.lead() + self.statement + 2 + groups(columns).map(|(_, width)| width + 1).sum::<usize>()
    }

    /// The start of the statement column.
    fn lead(&self) -> usize {
        2 + self.number + 2 + self.process + 2 + self.line + 2
    }

    fn front(&self, number: &str, process: &str, line: &str, statement: &str) -> String {
        let (n, p, l, s) = (self.number, self.process, self.line, self.statement);
        // Short line numbers are placed below the middle of their heading.
        let line = if line.chars().count() < l { format!("{line} ") } else { line.to_string() };
        format!("  {number:>n$}  {process:<p$}  {line:>l$}  {:<s$}", clip(statement, s))
    }

    /// The names of the columns, below the names of their owners.
    fn header(&self, columns: &[Column]) -> String {
        let mut owners = " ".repeat(self.lead() + self.statement + 2);
        for (group, width) in groups(columns) {
            owners.push_str(&format!(" {:<width$}", group[0].owner.as_deref().unwrap_or("")));
        }
        let mut text = self.front("#", "process", "line", "statement");
        text.push_str("  ");
        columns.iter().for_each(|c| text.push_str(&format!(" {:^1$}", c.name, c.width)));
        let lines = [owners.trim_end(), text.trim_end()];
        lines.iter().filter(|line| !line.is_empty()).map(|line| format!("{}\n", paint(HEAD, line))).collect()
    }

    fn row(&self, out: &mut String, row: &Row, columns: &[Column], remark: Option<&str>) {
        let (front, cells, returns) = match row {
            Row::Step { number, returns, process, line, statement, cells, .. } => {
                (self.front(&number.to_string(), process, line, statement), cells, *returns)
            }
            Row::Gap { steps, returns, cells } => {
                let note = format!("… {} not shown (--full)", counted(*steps as u64, "step"));
                (format!("  {note:<0$}", self.lead() + self.statement - 2), cells, *returns)
            }
        };
        let front = if returns { front.replacen("  ", &format!("{} ", paint(BAD, "↻")), 1) } else { front };
        if let Some(remark) = remark {
            out.push_str(&paint(BAD, &format!("{front}     ✗ {remark}")));
        } else {
            out.push_str(&front);
            out.push_str("  ");
            let faint = paint(FAINT, "·");
            for (cell, column) in cells.iter().zip(columns) {
                let cell = format!(" {cell:^0$}", column.width);
                out.push_str(&cell.replace('·', &faint));
            }
            let end = out.trim_end().len();
            out.truncate(end);
        }
        out.push('\n');
        if let Row::Step { output, .. } = row {
            for text in output.lines().map(str::trim_end).filter(|text| !text.is_empty()) {
                out.push_str(&format!("{:1$}{2}\n", "", self.lead(), paint(FAINT, &format!("▸ {text}"))));
            }
        }
    }
}

/// At most `width` characters. A truncated text ends with `…`.
fn clip(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_string();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use crate::style::plain;

    fn shown(model: kripke_model::Model, width: usize) -> String {
        let (run, _) = sample::counterexample(model);
        plain(&table(&run, &run.names(), Look { width, full: false }))
    }

    #[test]
    fn only_changes_are_shown_and_the_last_step_says_why() {
        let want = "\
\x20 #  process  line  statement             wantp wantq critical
  0                                         0     0      0
  1  q         10   !wantp                  ·     ·      ·
  2  p          3   !wantq                  ·     ·      ·
  3  q         11   wantq = true            ·     1      ·
  4  q         12   critical++              ·     ·      1
  5  p          4   wantp = true            1     ·      ·
  6  p          5   critical++              ·     ·      2
  7  p          6   assert(critical==1)     ✗ critical is 2
";
        assert_eq!(shown(sample::mutex(), 100), want);
    }

    #[test]
    fn partners_messages_and_instances_are_named() {
        let want = "\
\x20                                                          receiver(1) receiver(2)
  #  process               line  statement         d            x           x
  0                                               []            0           0
  1  sender → receiver(2)  3→6   c!7 → c?x         ·            ·           7
  2  sender                  4   d!msg(3)       [msg,3]         ·           ·
  3  sender → receiver(1)  3→6   c!7 → c?x         ·            7           ·
  4  sender                  4   d!msg(3)    [msg,3 msg,3]      ·           ·
";
        assert_eq!(shown(sample::handshake(), 100), want);
    }

    #[test]
    fn a_narrow_table_says_what_it_leaves_out() {
        for width in [20, 60, 70, 90] {
            let text = shown(sample::handshake(), width);
            let rows = text.lines().filter(|l| !l.starts_with("  no room"));
            let widest = rows.map(|l| l.chars().count()).max().unwrap();
            assert!(widest <= width.max(60), "{widest} for {width}:\n{text}");
            assert_eq!(text.contains("receiver(2).x (--full shows everything)"), width < 90, "{text}");
        }
    }

    #[test]
    fn a_long_run_is_shown_from_both_ends() {
        let (run, _) = sample::counterexample(sample::counter(100));
        let names = run.names();
        let short = plain(&table(&run, &names, Look { width: 100, full: false }));
        let lines: Vec<&str> = short.lines().collect();
        assert_eq!(lines.len(), 1 + 1 + OPENING + 1 + CLOSING);
        let gap = lines[2 + OPENING];
        assert!(gap.contains("… 41 steps not shown (--full)") && gap.ends_with("61"), "{gap}");
        assert!(lines[3 + OPENING].starts_with("   62"), "{short}");
        let full = plain(&table(&run, &names, Look { width: 100, full: true }));
        assert_eq!(full.lines().count(), 2 + 101);
    }

    #[test]
    fn output_and_long_statements_stay_in_their_column() {
        assert_eq!(clip("short", 5), "short");
        assert_eq!(clip("longer", 5), "long…");
    }
}
