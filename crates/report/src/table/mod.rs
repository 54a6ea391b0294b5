//! A run as a table: one row per step, one column per variable. Only changes are shown.

mod frame;

use kripke_model::interpret::Move;
use kripke_model::ir::Span;

use crate::columns::{Column, Source, columns};
use crate::escape::visible;
use crate::explanation;
use crate::names::Names;
use crate::run::{End, Run};
use crate::select::Selection;
use crate::source::Lines;
use crate::style::{BAD, FAINT, paint};
use crate::width::{clip, width};
use frame::{Fitted, Frame};

/// Rows shown at the start of a run that is too long to be shown in full.
pub const OPENING: usize = 20;
/// Rows at the end of such a run.
pub const CLOSING: usize = 40;
/// Values longer than this, mostly of channels, are truncated.
const VALUE: usize = 30;

/// The size of a table.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// The width of a line in columns of the terminal.
    pub width: usize,
    /// Whether all rows and all columns are shown, at any width.
    pub full: bool,
}

enum Row {
    Step {
        number: usize,
        /// Whether the step is the first of the cycle.
        returns: bool,
        /// Whether there is a remark on the state after the step.
        marked: bool,
        /// Whether the error occurs without the step, too.
        minor: bool,
        process: String,
        line: String,
        statement: String,
        /// The inline that the statement is in: `  (in enter(), called at 12)`.
        called: String,
        cells: Vec<String>,
        output: String,
    },
    /// Omitted steps, and the state after them.
    Gap { steps: usize, returns: bool, cells: Vec<String> },
}

/// The table with the usual columns. Every line ends with a newline.
pub fn table(run: &Run, names: &Names, look: Look) -> String {
    selected(run, names, look, &Selection::default())
}

/// The table with a choice of columns and rows. Every line ends with a newline.
pub fn selected(run: &Run, names: &Names, look: Look, selection: &Selection) -> String {
    let mut columns = columns(run, names, selection);
    let mut rows = rows(run, names, look, selection, &columns);
    for row in &mut rows {
        for (column, cell) in columns.iter_mut().zip(row.cells_mut()) {
            if !look.full {
                *cell = clip(cell, VALUE);
            }
            column.values = column.values.max(width(cell));
            column.width = column.width.max(column.values);
        }
    }
    let mut frame = Frame::measure(&rows);
    let fitted =
        if look.full { Fitted::all(&columns) } else { frame.fit(&columns, look.width, selection.is_explicit()) };
    // An error of a state is shown below the table.
    let remark = explanation::remark(run, names).filter(|_| !run.end().is_of_state());
    let ends = rows.last().is_some_and(|row| row.ends(run.forgotten() + run.moves().len()));
    let mut out = String::new();
    for (n, block) in fitted.blocks.iter().enumerate() {
        if n > 0 {
            out.push('\n');
        }
        let remark = remark.as_deref().filter(|_| ends && n + 1 == fitted.blocks.len());
        frame.block(&mut out, &rows, block, remark, look);
    }
    if let Some(remark) = remark.filter(|_| !ends) {
        out.push_str(&format!("{}\n", paint(BAD, &format!("  ✗ {remark}"))));
    }
    if !fitted.dropped.is_empty() {
        let note = format!("no room for: {} (--full shows everything)", fitted.dropped.join(", "));
        wrapped(&note, look.width, 2).iter().for_each(|line| out.push_str(&format!("{}\n", paint(FAINT, line))));
    }
    out
}

/// A text in lines of at most `most` columns, broken at blanks.
pub(crate) fn wrapped(text: &str, most: usize, indent: usize) -> Vec<String> {
    let mut lines = vec![" ".repeat(indent)];
    for word in text.split(' ') {
        let last = lines.len() - 1;
        let blank = usize::from(lines[last].len() > indent);
        if blank == 1 && width(&lines[last]) + 1 + width(word) > most {
            lines.push(format!("{:indent$}{word}", ""));
        } else {
            lines[last].push_str(&format!("{:blank$}{word}", ""));
        }
    }
    lines
}

impl Row {
    fn cells(&self) -> &[String] {
        match self {
            Row::Step { cells, .. } | Row::Gap { cells, .. } => cells,
        }
    }

    /// Whether this is the row of a step.
    fn ends(&self, step: usize) -> bool {
        matches!(self, Row::Step { number, .. } if *number == step)
    }

    fn cells_mut(&mut self) -> &mut Vec<String> {
        match self {
            Row::Step { cells, .. } | Row::Gap { cells, .. } => cells,
        }
    }
}

/// The values of the columns in the states of a run.
struct Values<'a> {
    run: &'a Run,
    names: &'a Names,
    selection: &'a Selection,
    columns: &'a [Column],
}

impl Values<'_> {
    fn after(&self, steps: usize) -> Vec<Option<String>> {
        let view = self.run.view(steps);
        let read = |column: &Column| match column.source {
            Source::Item(item) => self.names.read(self.run.model(), &view, item),
            Source::Watched(n) => {
                let value = self.selection.watched[n].values.get(self.run.forgotten() + steps)?;
                Some(value.map_or_else(|| "fault".to_string(), |value| value.to_string()))
            }
        };
        self.columns.iter().map(read).collect()
    }

    /// The steps that are shown: those of the chosen processes and statements, with `--changes` only those that change a column.
    fn steps(&self) -> Vec<usize> {
        let all = 1..=self.run.moves().len();
        let selection = self.selection;
        if selection.processes.is_empty() && selection.statements.is_empty() && !selection.changes {
            return all.collect();
        }
        let chosen = all.filter(|step| selection.has_row(self.run, self.names, *step));
        let mut before = self.after(0);
        chosen.filter(|step| !selection.changes || self.changes(*step, &mut before)).collect()
    }

    /// Whether a step changes a column or is the last one.
    fn changes(&self, step: usize, before: &mut Vec<Option<String>>) -> bool {
        let after = self.after(step);
        let changed = after != *before || step == self.run.moves().len();
        *before = after;
        changed
    }
}

fn rows(run: &Run, names: &Names, look: Look, selection: &Selection, columns: &[Column]) -> Vec<Row> {
    let values = Values { run, names, selection, columns };
    let steps = values.steps();
    let shown = |values: &[Option<String>]| values.iter().map(|v| v.clone().unwrap_or_default()).collect();
    let marked = |step: usize| selection.marks.iter().any(|(at, _)| *at == run.forgotten() + step);
    let mut before = values.after(0);
    let mut rows = vec![Row::Step {
        number: run.forgotten(),
        returns: false,
        marked: marked(0),
        minor: false,
        process: String::new(),
        line: String::new(),
        statement: String::new(),
        called: String::new(),
        cells: shown(&before),
        output: String::new(),
    }];
    let returns = |from: usize, to: usize| match run.end() {
        End::Cycle(before) => (from..=to).contains(&(before + 1)),
        _ => false,
    };
    let gap = if !look.full && steps.len() > OPENING + CLOSING { OPENING..steps.len() - CLOSING } else { 0..0 };
    let mut last = 0;
    for (n, step) in steps.iter().copied().enumerate() {
        if gap.contains(&n) {
            if n + 1 == gap.end {
                before = values.after(step);
                let returns = returns(last + 1, step);
                rows.push(Row::Gap { steps: gap.len(), returns, cells: shown(&before) });
                last = step;
            }
            continue;
        }
        let after = values.after(step);
        let cells = before.iter().zip(&after).map(|(a, b)| match b {
            Some(_) if a == b => "·".to_string(),
            Some(value) => visible(value).into_owned(),
            None => String::new(),
        });
        let cells = cells.collect();
        let taken = &run.moves()[step - 1];
        rows.push(Row::Step {
            number: run.forgotten() + step,
            returns: returns(last + 1, step),
            marked: marked(step),
            minor: selection.minor.contains(&(run.forgotten() + step)),
            process: mover(run, names, taken),
            line: line(run, taken),
            statement: run.statements(taken),
            called: called(run, taken),
            cells,
            output: visible(&taken.output).into_owned(),
        });
        (before, last) = (after, step);
    }
    rows
}

/// The inline that a step is in.
fn called(run: &Run, step: &Move) -> String {
    let called = run.lines().called(run.edge(step.process, step.edge)).filter(|_| !run.is_pause(step));
    called.map(|called| format!("  ({called})")).unwrap_or_default()
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
    let own = number(Lines::own(run.edge(step.process, step.edge)));
    match step.partner {
        Some(p) => format!("{own}→{}", number(Lines::own(run.edge(p.process, p.edge)))),
        None => own,
    }
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
        for width in [40, 60, 70, 90] {
            let text = shown(sample::handshake(), width);
            assert!(text.lines().all(|line| crate::width::width(line) <= width.max(44)), "{width}:\n{text}");
            let note =
                text.split("no room for: ").nth(1).map(|note| note.split_whitespace().collect::<Vec<_>>().join(" "));
            let left_out = note.as_deref().and_then(|note| note.strip_suffix(" (--full shows everything)"));
            let want = match width {
                40 => Some("receiver(1).x, receiver(2).x"),
                60 => Some("receiver(2).x"),
                _ => None,
            };
            assert_eq!(left_out, want, "{width}:\n{text}");
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
    fn a_table_fits_its_width_and_no_cell_is_broken() {
        let (run, _) = sample::counterexample(sample::handshake());
        let names = run.names();
        for selection in [Selection::default(), Selection { all: true, ..Selection::default() }] {
            for width in [80, 120, 200] {
                let text = plain(&selected(&run, &names, Look { width, full: false }, &selection));
                assert!(text.lines().all(|line| crate::width::width(line) <= width), "{width}:\n{text}");
                assert!(text.contains("[msg,3 msg,3]"), "{text}");
            }
        }
    }

    /// Parts of a table are as wide as they can be, also if the names of processes are long.
    #[test]
    fn chosen_columns_stand_side_by_side() {
        let mut model = sample::handshake();
        for process in &mut model.processes {
            process.name = format!("{}_with_a_name_that_is_longer_than_any_value", process.name);
        }
        let (run, _) = sample::counterexample(model);
        let selection = Selection { show: vec!["*".into()], ..Selection::default() };
        let text = plain(&selected(&run, &run.names(), Look { width: 80, full: false }, &selection));
        assert!(text.lines().all(|line| crate::width::width(line) <= 80), "{text}");
        assert_eq!(text.matches("statement").count(), 1, "{text}");
        assert!(text.contains("sender_… → rece…(2)"), "{text}");
    }

    #[test]
    fn rows_and_columns_are_chosen() {
        let (run, _) = sample::counterexample(sample::mutex());
        let shown =
            |selection: &Selection| plain(&selected(&run, &run.names(), Look { width: 100, full: false }, selection));
        let list = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
        let of_q = Selection { processes: list(&["q"]), show: list(&["critical", "w*q"]), ..Selection::default() };
        let want = "\
\x20 #  process  line  statement      critical wantq
  0                                   0       0
  1  q         10   !wantp            ·       ·
  3  q         11   wantq = true      ·       1
  4  q         12   critical++        1       ·
  ✗ critical is 2
";
        assert_eq!(shown(&of_q), want);
        let changes = Selection { changes: true, hide: list(&["want*"]), ..Selection::default() };
        let numbers: Vec<String> =
            shown(&changes).lines().skip(1).map(|line| line.split_whitespace().next().unwrap().to_string()).collect();
        assert_eq!(numbers, ["0", "4", "6", "7"]);
    }

    #[test]
    fn watched_expressions_and_marks_are_shown() {
        let (run, _) = sample::counterexample(sample::mutex());
        let watched = crate::select::Watched {
            name: "a  >= b".into(),
            values: (0..8).map(|n| Some(i32::from(n >= 5))).collect(),
        };
        let selection = Selection { watched: vec![watched], marks: vec![(5, "here".into())], ..Selection::default() };
        let text = plain(&selected(&run, &run.names(), Look { width: 100, full: false }, &selection));
        assert!(text.lines().next().unwrap().ends_with("critical a >= b"), "{text}");
        assert!(text.contains("\n ◆5  p"), "{text}");
    }

    #[test]
    fn long_names_are_on_lines_of_their_own() {
        let (run, _) = sample::counterexample(sample::handshake());
        let text = shown(sample::handshake(), 80);
        assert!(text.contains("d ╮"), "{text}");
        assert!(text.contains("receiver(2).x ╮"), "{text}");
        let _ = run;
    }

    /// Times are printed, for they depend on the machine.
    #[test]
    fn ten_thousand_steps_are_shown_whole() {
        let (run, _) = sample::counterexample(sample::counter(10_000));
        let names = run.names();
        let start = std::time::Instant::now();
        assert!(table(&run, &names, Look { width: 100, full: true }).lines().count() > 10_000);
        assert!(crate::listing::listing(&run).lines().count() > 10_000);
        println!("10000 steps: {:?}", start.elapsed());
    }
}
