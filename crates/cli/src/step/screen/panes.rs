//! The text of each pane: the lines that fit, and a title.

use kripke::stepping::Session;
use kripke_model::ir::FileId;
use kripke_report::stepping::{self, Group, Mark, Past, Queue, Value, past};
use kripke_report::width::{clip, left, right, width};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::ansi;
use super::app::App;
use super::layout::Pane;
use super::palette::Palette;

/// The contents of a pane.
pub struct Content {
    pub title: String,
    /// The lines that fit.
    pub lines: Vec<Line<'static>>,
    /// The number of lines before the first one that is shown.
    pub first: usize,
}

/// Columns for the names of processes beside the source.
const GUTTER: usize = 16;
/// Free places of a channel that are drawn.
const FREE: usize = 6;

/// The contents of a pane with some columns and rows.
pub fn content(app: &mut App, pane: Pane, columns: usize, rows: usize) -> Content {
    match pane {
        Pane::Moves => moves(app, columns, rows),
        Pane::Source => source(app, columns, rows),
        Pane::Variables => scrolled(app, pane, "Variables", variables(app, columns), rows),
        Pane::Channels => scrolled(app, pane, "Channels", channels(app, columns), rows),
        Pane::History => history(app, columns, rows),
        Pane::Chart => chart(app, columns, rows),
    }
}

/// The first of `total` lines, so that line `wanted` is in the middle.
fn around(wanted: usize, total: usize, rows: usize) -> usize {
    wanted.saturating_sub(rows / 2).min(total.saturating_sub(rows))
}

/// The lines of a pane that starts at its first line unless it is scrolled.
fn scrolled(app: &App, pane: Pane, title: &str, lines: Vec<Line<'static>>, rows: usize) -> Content {
    let last = lines.len().saturating_sub(rows);
    let first = app.scrolled.iter().find(|(scrolled, _)| *scrolled == pane).map_or(0, |(_, first)| *first).min(last);
    let more = if last > 0 {
        format!(" {}-{} of {}", first + 1, (first + rows).min(lines.len()), lines.len())
    } else {
        String::new()
    };
    Content { title: format!("{title}{more}"), lines: lines.into_iter().skip(first).take(rows).collect(), first }
}

fn moves(app: &App, columns: usize, rows: usize) -> Content {
    let session = &app.session;
    let all: Vec<Past> = session.moves().iter().map(|m| past(session.run(), session.names(), m)).collect();
    let name = all.iter().map(|m| width(&m.process)).max().unwrap_or(0).min(columns / 2);
    let number = all.len().to_string().len();
    let first = around(app.chosen, all.len(), rows);
    let mut starred = false;
    let mut lines = Vec::new();
    for (n, (taken, shown)) in session.moves().iter().zip(&all).enumerate() {
        let next = session.is_next(taken);
        starred |= next;
        if !(first..first + rows).contains(&n) {
            continue;
        }
        let front = format!("{}{} ", if next { '*' } else { ' ' }, right(&(n + 1).to_string(), number));
        let rest = columns.saturating_sub(width(&front) + name + 1);
        let text = format!("{}  {}", shown.statement, shown.line);
        let line = Line::from(vec![
            Span::raw(front),
            Span::styled(left(&clip(&shown.process, name), name), process_style(app.palette, shown)),
            Span::raw(format!(" {}", left(&clip(&text, rest), rest))),
        ]);
        lines.push(if n == app.chosen { reversed(app.palette, line, columns) } else { line });
    }
    if all.is_empty() {
        lines.push(Line::styled("no process can move", app.palette.faint()));
    }
    let what = if session.is_on_trail() { "trail" } else { "run" };
    let star = if starred { format!(" (* next of the {what})") } else { String::new() };
    Content { title: format!("Moves {}{star}", all.len()), lines, first }
}

fn process_style(palette: Palette, step: &Past) -> Style {
    step.pid.map_or_else(Style::new, |pid| palette.process(pid))
}

/// The place that the source shows: what the search found, the chosen move, or the last step.
fn place(app: &App) -> (FileId, u32) {
    let session = &app.session;
    let chosen = session.moves().get(app.chosen).and_then(|m| stepping::place_of(session.run(), m));
    app.found.or(chosen).or_else(|| last_place(session)).unwrap_or((FileId(0), 1))
}

/// The place of the step before the current state.
fn last_place(session: &Session) -> Option<(FileId, u32)> {
    let last = session.at().checked_sub(1)?;
    stepping::place_of(session.run(), &session.run().moves()[last])
}

fn source(app: &App, columns: usize, rows: usize) -> Content {
    let session = &app.session;
    let run = session.run();
    let (file, line) = place(app);
    let marks: Vec<Mark> = stepping::marks(run, session.names(), session.at(), session.moves());
    let here: Vec<&Mark> = marks.iter().filter(|mark| mark.file == file).collect();
    let lines = stepping::source_lines(run, file);
    let follow = around((line as usize).saturating_sub(1), lines.len(), rows);
    let manual = app.scrolled.iter().find(|(pane, _)| *pane == Pane::Source).map(|(_, first)| *first);
    let first = manual.unwrap_or(follow).min(lines.len().saturating_sub(rows));
    let labels = |at: u32| here.iter().filter(move |mark| mark.line == at);
    let label_width = |at: u32| labels(at).map(|mark| width(&mark.process) + 1).sum::<usize>().saturating_sub(1);
    let gutter = here.iter().map(|mark| label_width(mark.line)).max().unwrap_or(0).min(GUTTER.min(columns / 3));
    let chosen = session.moves().get(app.chosen).and_then(|m| stepping::place_of(run, m));
    let last = last_place(session);
    let number = lines.len().to_string().len();
    let view = SourceView { app, gutter, number, columns };
    let shown = (1..).zip(&lines).skip(first).take(rows).map(|(at, text)| {
        let marks: Vec<&Mark> = labels(at).copied().collect();
        let style = match Some((file, at)) {
            place if place == app.found => app.palette.chosen(),
            place if place == chosen => app.palette.strong(),
            _ => Style::new(),
        };
        view.line(at, text, &marks, (Some((file, at)) == last, style))
    });
    let title = format!("Source {}", run.lines().file(file));
    Content { title, lines: shown.collect(), first }
}

/// What the lines of the source have in common.
struct SourceView<'a> {
    app: &'a App,
    gutter: usize,
    number: usize,
    columns: usize,
}

impl SourceView<'_> {
    /// A line with the processes that are there: `▶` if one can execute it, `▷` if none can, `•` if it was executed last.
    fn line(&self, at: u32, text: &str, marks: &[&Mark], (last, style): (bool, Style)) -> Line<'static> {
        let palette = self.app.palette;
        let mut spans = self.label(marks);
        let sign = match marks {
            [] if last => "•",
            [] => " ",
            marks if marks.iter().any(|mark| mark.enabled) => "▶",
            _ => "▷",
        };
        spans.push(Span::styled(format!(" {sign}"), palette.strong()));
        spans.push(Span::styled(format!("{} ", right(&at.to_string(), self.number)), palette.faint()));
        let room = self.columns.saturating_sub(self.gutter + self.number + 3);
        spans.extend(self.text(&clip(text, room), style));
        Line::from(spans)
    }

    /// The names of the processes at a line; the number of those for whom there is no place.
    fn label(&self, marks: &[&Mark]) -> Vec<Span<'static>> {
        let (mut spans, mut used) = (Vec::new(), 0);
        for (n, mark) in marks.iter().enumerate() {
            let (gap, others) = (usize::from(n > 0), marks.len() - n - 1);
            let rest = if others == 0 { String::new() } else { format!("+{others}") };
            let room = self.gutter.saturating_sub(used + gap + width(&rest));
            if n > 0 && width(&mark.process) > room {
                let more = format!("+{}", others + 1);
                used += width(&more);
                spans.push(Span::raw(more));
                break;
            }
            let name = clip(&mark.process, room);
            used += gap + width(&name);
            spans.push(Span::raw(" ".repeat(gap)));
            spans.push(Span::styled(name, self.app.palette.process(mark.pid)));
        }
        spans.insert(0, Span::raw(" ".repeat(self.gutter.saturating_sub(used))));
        spans
    }

    /// The text with what the search finds in it.
    fn text(&self, text: &str, style: Style) -> Vec<Span<'static>> {
        let (wanted, lower) = (self.app.search.to_lowercase(), text.to_lowercase());
        // Positions are those of the text only if lower case has as many bytes.
        if wanted.is_empty() || self.app.found.is_none() || lower.len() != text.len() {
            return vec![Span::styled(text.to_string(), style)];
        }
        let (mut spans, mut done) = (Vec::new(), 0);
        for (at, found) in lower.match_indices(&wanted) {
            let (Some(before), Some(part)) = (text.get(done..at), text.get(at..at + found.len())) else { continue };
            spans.push(Span::styled(before.to_string(), style));
            spans.push(Span::styled(part.to_string(), style.patch(self.app.palette.changed())));
            done = at + found.len();
        }
        spans.push(Span::styled(text.get(done..).unwrap_or_default().to_string(), style));
        spans
    }
}

fn variables(app: &App, columns: usize) -> Vec<Line<'static>> {
    let session = &app.session;
    let groups = stepping::variables_of(session.run(), session.names(), session.at());
    let marks = stepping::marks(session.run(), session.names(), session.at(), session.moves());
    let mut lines = flow(app.palette, session.watched(), 0, columns);
    for group in &groups {
        lines.extend(heading(app, group, &marks, columns));
        let indent = if group.owner.is_some() { 2 } else { 0 };
        lines.extend(flow(app.palette, &group.values, indent, columns));
    }
    if lines.is_empty() {
        lines.push(Line::styled("there are none", app.palette.faint()));
    }
    lines
}

/// The name of a process with its current line: `p ▶23 :: x > 0`. Of several lines it is one that can be executed.
fn heading(app: &App, group: &Group, marks: &[Mark], columns: usize) -> Option<Line<'static>> {
    let (pid, name) = group.owner.as_ref()?;
    let enabled = marks.iter().find(|mark| mark.pid == *pid && mark.enabled).map(|mark| (mark.file, mark.line));
    let text = match enabled.or(group.place) {
        None => "at its end".to_string(),
        Some((file, line)) => {
            let text = stepping::source_line(app.session.run(), file, line);
            format!("{}{line} {}", if enabled.is_some() { '▶' } else { '▷' }, text.trim())
        }
    };
    Some(Line::from(vec![
        Span::styled(name.clone(), app.palette.process(*pid)),
        Span::styled(format!(" {}", clip(&text, columns.saturating_sub(width(name) + 1))), app.palette.faint()),
    ]))
}

/// Values one after the other, as many in a line as fit. A changed one says what it was.
fn flow(palette: Palette, values: &[Value], indent: usize, columns: usize) -> Vec<Line<'static>> {
    let (mut lines, mut line, mut used) = (Vec::new(), Vec::new(), 0);
    for value in values {
        let was = value.was.as_ref().map(|was| format!(" (was {was})")).unwrap_or_default();
        let text = clip(&format!("{} = {}{was}", value.name, value.value), columns.saturating_sub(indent).max(1));
        if used > 0 && used + 2 + width(&text) > columns {
            lines.push(Line::from(std::mem::take(&mut line)));
            used = 0;
        }
        let gap = if used == 0 { indent } else { 2 };
        used += gap + width(&text);
        line.push(Span::raw(" ".repeat(gap)));
        line.push(Span::styled(text, if value.was.is_some() { palette.changed() } else { Style::new() }));
    }
    if !line.is_empty() {
        lines.push(Line::from(line));
    }
    lines
}

fn channels(app: &App, columns: usize) -> Vec<Line<'static>> {
    let session = &app.session;
    let queues = stepping::queues(session.run(), session.names(), session.at());
    let name = queues.iter().map(|queue| width(&queue.name)).max().unwrap_or(0).min(columns / 2);
    queues.iter().map(|queue| queue_line(app.palette, queue, name, columns)).collect()
}

/// A channel as a queue: `to_receiver │msg,0,0│·│ 1 of 2`. The message in front is received first.
fn queue_line(palette: Palette, queue: &Queue, name: usize, columns: usize) -> Line<'static> {
    let sign = if queue.changed { "•" } else { " " };
    let front = format!("{sign}{} ", left(&clip(&queue.name, name), name));
    let text = if queue.capacity == 0 {
        "rendezvous".to_string()
    } else {
        let free = queue.capacity.saturating_sub(queue.messages.len()).min(FREE);
        let cells = queue.messages.iter().cloned().chain(std::iter::repeat_n("·".to_string(), free));
        let cells: String = cells.map(|cell| format!("{cell}│")).collect();
        format!("│{cells} {} of {}", queue.messages.len(), queue.capacity)
    };
    let style = if queue.changed { palette.changed() } else { Style::new() };
    let room = columns.saturating_sub(width(&front));
    Line::from(vec![Span::styled(front, palette.strong()), Span::styled(clip(&text, room), style)])
}

fn history(app: &App, columns: usize, rows: usize) -> Content {
    let session = &app.session;
    let (run, at, steps) = (session.run(), session.at(), session.len());
    let first = around(at, steps + 1, rows);
    let shown: Vec<(usize, Option<Past>)> = (first..(first + rows).min(steps + 1))
        .map(|n| (n, n.checked_sub(1).map(|i| past(run, session.names(), &run.moves()[i]))))
        .collect();
    let name = shown.iter().filter_map(|(_, p)| p.as_ref()).map(|p| width(&p.process)).max().unwrap_or(0);
    let line = shown.iter().filter_map(|(_, p)| p.as_ref()).map(|p| width(&p.line)).max().unwrap_or(0);
    let (name, number) = (name.min(columns / 3), steps.to_string().len());
    let cycle = stepping::cycle(run);
    let lines = shown.iter().map(|(n, step)| {
        let sign = if *n == at { '▸' } else { ' ' };
        let front = format!("{}{sign}{} ", band(*n, cycle), right(&n.to_string(), number));
        let Some(step) = step else {
            return highlight(app, *n, Line::raw(format!("{front}initial state")), columns);
        };
        let room = columns.saturating_sub(width(&front) + name + line + 2);
        let mut text = step.statement.clone();
        step.output.lines().for_each(|output| text.push_str(&format!("  ▸ {output}")));
        let spans = vec![
            Span::raw(front),
            Span::styled(left(&clip(&step.process, name), name), process_style(app.palette, step)),
            Span::raw(format!(" {} {}", right(&step.line, line), left(&clip(&text, room), room))),
        ];
        highlight(app, *n, Line::from(spans), columns)
    });
    let title = match session.left() {
        Some(left) => format!("History {at} of {steps}, off the trail since step {}", left + 1),
        None if session.is_replay() => format!("History {at} of {steps}, the trail"),
        None => format!("History {at} of {steps}"),
    };
    Content { title, lines: lines.collect(), first }
}

/// The line of a step: the current one is marked, later ones are dim.
fn highlight(app: &App, step: usize, line: Line<'static>, columns: usize) -> Line<'static> {
    match step.cmp(&app.session.at()) {
        std::cmp::Ordering::Less => line,
        std::cmp::Ordering::Equal => reversed(app.palette, line, columns),
        std::cmp::Ordering::Greater => line.patch_style(app.palette.faint()),
    }
}

/// A line in reversed video up to the border of its pane, without colours of its own.
fn reversed(palette: Palette, line: Line<'static>, columns: usize) -> Line<'static> {
    let blanks = columns.saturating_sub(line.width());
    let style = |style: Style| Style { fg: None, ..style }.patch(palette.chosen());
    let spans = line.spans.into_iter().map(|span| Span::styled(span.content, style(span.style)));
    Line::from_iter(spans.chain([Span::styled(" ".repeat(blanks), palette.chosen())]))
}

/// The sign of the cycle beside a step.
fn band(step: usize, cycle: Option<(usize, usize)>) -> char {
    match cycle {
        Some((first, last)) if step == first && first == last => '↻',
        Some((first, _)) if step == first => '┌',
        Some((first, last)) if step == last && first < last => '└',
        Some((first, last)) if (first..last).contains(&step) => '│',
        _ => ' ',
    }
}

fn chart(app: &mut App, columns: usize, rows: usize) -> Content {
    let at = app.session.at();
    let palette = app.palette;
    let drawn = app.chart(columns);
    let heading = drawn.heading.iter().filter(|text| !text.is_empty());
    let heading: Vec<Line<'static>> = heading.map(|text| ansi::line(text, palette)).collect();
    let all: Vec<(usize, String)> =
        drawn.rows.iter().flat_map(|(step, lines)| lines.iter().map(|line| (*step, line.clone()))).collect();
    let rows = rows.saturating_sub(heading.len());
    let current = all.iter().rposition(|(step, _)| *step <= at).unwrap_or(0);
    let first = around(current, all.len(), rows);
    let shown =
        all.iter().skip(first).take(rows).map(|(step, text)| highlight(app, *step, ansi::line(text, palette), columns));
    let lines: Vec<Line<'static>> = heading.into_iter().chain(shown).collect();
    let title = format!("Chart {at} of {}", app.session.len());
    Content { title, lines, first }
}
