//! A chart as text. Buffered messages go down in tracks to the right of the lanes, from their send to their receive.

use std::collections::HashMap;

use super::{Act, Chart, Kind, Row};
use crate::number::counted;
use crate::style::{BAD, FAINT, HEAD, paint};
use crate::table::{CLOSING, Look, OPENING};
use crate::width::{centre, clip, left, right, width};

/// More messages than this in their channels at the same time have no track of their own.
const TRACKS: usize = 10;
/// The usual space for the text of a row.
const TEXT: usize = 36;

/// The chart. Every line ends with a newline.
pub fn text(chart: &Chart, look: Look) -> String {
    let drawing = Drawing::new(chart, look, TEXT);
    let mut out = drawing.header();
    let total = chart.rows.len();
    let elide = !look.full && total > OPENING + CLOSING;
    let mut tracks = Tracks::default();
    for row in 0..total {
        let hidden = elide && (OPENING..total - CLOSING).contains(&row);
        let shown = drawing.row(row, &mut tracks, hidden);
        if !hidden {
            out.push_str(&shown);
        } else if row == OPENING {
            let steps = chart.rows[total - CLOSING].step - chart.rows[OPENING].step;
            let note = format!("  … {} not shown (--full)\n", counted(steps as u64, "step"));
            out.push_str(&paint(FAINT, &note));
        }
    }
    if let Some(cycle) = chart.cycle_text() {
        out.push_str(&format!("\n  {} {cycle}\n", paint(BAD, "↻")));
    }
    if let Some(error) = &chart.error {
        out.push_str(&format!("\n  {} {error}\n", paint(BAD, "✗")));
    }
    out
}

/// The lines of the heading, and the lines of every row, with the number of the step. Nothing is left out.
pub fn rows(chart: &Chart, width: usize) -> (Vec<String>, Vec<(usize, Vec<String>)>) {
    let drawing = Drawing::new(chart, Look { width, full: false }, TEXT / 2);
    let lines = |text: &str| text.lines().map(str::to_string).collect::<Vec<String>>();
    let mut tracks = Tracks::default();
    let row = |n: usize| (chart.rows[n].step, lines(&drawing.row(n, &mut tracks, false)));
    let rows = (0..chart.rows.len()).map(row).collect();
    (lines(&drawing.header()), rows)
}

/// The widths of lanes that fit into a room as far as possible, and whether their names do not: numbers replace them, and the lanes
/// come closer.
fn widths(chart: &Chart, room: usize) -> (bool, Vec<usize>) {
    let lanes = |width_of: &dyn Fn(usize) -> usize, least: usize, gap: usize| -> Vec<usize> {
        (0..chart.lanes.len()).map(|lane| width_of(lane).max(least) + gap).collect()
    };
    let fits = |widths: &Vec<usize>| widths.iter().sum::<usize>() <= room;
    let names = lanes(&|lane| width(&chart.lanes[lane].name), 3, 2);
    if fits(&names) {
        return (false, names);
    }
    let numbers = |least, gap| lanes(&|lane| lane.to_string().len(), least, gap);
    let wide = [numbers(3, 2), numbers(2, 2)].into_iter().find(fits);
    (true, wide.unwrap_or_else(|| numbers(2, 1)))
}

/// The tracks that messages take, by the time they are sent.
#[derive(Default)]
struct Tracks {
    taken: Vec<Option<usize>>,
    of: HashMap<usize, usize>,
}

impl Tracks {
    fn enter(&mut self, message: usize) -> Option<usize> {
        let free = self.taken.iter().position(Option::is_none);
        let at = free.or_else(|| {
            let more = self.taken.len() < TRACKS;
            more.then(|| self.taken.push(None)).map(|()| self.taken.len() - 1)
        })?;
        self.taken[at] = Some(message);
        self.of.insert(message, at);
        Some(at)
    }

    fn leave(&mut self, message: usize) {
        if let Some(at) = self.of.remove(&message) {
            self.taken[at] = None;
        }
    }
}

struct Drawing<'a> {
    chart: &'a Chart,
    look: Look,
    /// The first column of each lane.
    starts: Vec<usize>,
    /// The column of each lane's line.
    columns: Vec<usize>,
    /// The columns of all lanes together.
    lanes: usize,
    /// The number of tracks that are used.
    tracks: usize,
    number: usize,
    line: usize,
    /// Whether the heading has numbers in place of names.
    numbered: bool,
}

impl<'a> Drawing<'a> {
    /// The drawing, with some space for the text of rows that lanes leave free if they can.
    fn new(chart: &'a Chart, look: Look, text: usize) -> Drawing<'a> {
        let number = chart.rows.last().map_or(1, |row| row.step.to_string().len());
        let line = chart.rows.iter().map(|row| width(&row.line)).max().unwrap_or(0).max("line".len());
        let tracks = most_tracks(chart);
        let room = look.width.saturating_sub(4 + number + 2 * tracks + line + 4 + text);
        let (numbered, widths) = widths(chart, room);
        let starts: Vec<usize> = widths.iter().scan(0, |at, w| Some(std::mem::replace(at, *at + w))).collect();
        let columns = starts.iter().zip(&widths).map(|(start, w)| start + (w - 1) / 2).collect();
        Drawing { chart, look, starts, columns, lanes: widths.iter().sum(), tracks, number, line, numbered }
    }

    /// The names of the lanes; numbers with a legend where names do not fit.
    fn header(&self) -> String {
        let mut out = String::new();
        if self.numbered {
            let legend = self.chart.lanes.iter().enumerate().map(|(n, lane)| format!("{n} {}", lane.name));
            let mut at = 0;
            for entry in legend {
                let break_here = at > 0 && at + 3 + width(&entry) > self.look.width;
                out.push_str(if at == 0 {
                    "  "
                } else if break_here {
                    "\n  "
                } else {
                    "   "
                });
                at = if at == 0 || break_here { 2 } else { at + 3 } + width(&entry);
                out.push_str(&entry);
            }
            out.push_str("\n\n");
        }
        let mut names = String::new();
        for (n, lane) in self.chart.lanes.iter().enumerate() {
            let name = if self.numbered { n.to_string() } else { lane.name.clone() };
            let (start, end) = (self.starts[n], self.starts.get(n + 1).copied().unwrap_or(self.lanes));
            names.push_str(&centre_at(&name, self.columns[n] - start, end - start));
        }
        let front = format!("    {}  {}", right("#", self.number), left(&names, self.lanes + 2 * self.tracks));
        let rest = format!("  {}  statement", right("line", self.line));
        out + &paint(HEAD, &(front + &rest)) + "\n"
    }

    /// The lines of a row. Tracks are followed also if the row is `hidden`.
    fn row(&self, n: usize, tracks: &mut Tracks, hidden: bool) -> String {
        let row = &self.chart.rows[n];
        let note = self.follow(n, row, tracks);
        let mut grid = if hidden { Vec::new() } else { self.grid(n, tracks) };
        let (act, message) = (row.act, row.act.and_then(|act| act.message()));
        if let (Some(act), false) = (act, hidden) {
            self.draw(&mut grid, n, act, message.and_then(|m| tracks.of.get(&m)).copied());
        }
        if let Some(Act { kind: Kind::Receive(message), .. }) = act
            && self.chart.messages[message].received == Some(n)
        {
            tracks.leave(message);
        }
        if hidden { String::new() } else { self.line(n, row, &grid, &note) }
    }

    /// Enters a sent message into a track. Returns what the drawing can't show.
    fn follow(&self, n: usize, row: &Row, tracks: &mut Tracks) -> String {
        match row.act.map(|act| act.kind) {
            Some(Kind::Lost) => "lost: the channel is full".to_string(),
            Some(Kind::Send(message)) => match self.chart.messages[message].received {
                None if self.chart.cycle.is_some() => "in the channel when the cycle repeats".to_string(),
                None => "not received".to_string(),
                Some(at) if tracks.enter(message).is_none() => format!("received in step {}", self.chart.rows[at].step),
                Some(_) => String::new(),
            },
            Some(Kind::Receive(message)) => {
                let kept = if self.chart.messages[message].received == Some(n) { "" } else { "stays in the channel" };
                let sent = self.chart.messages[message].sent.filter(|_| !tracks.of.contains_key(&message));
                let sent = sent.map(|at| format!("sent in step {}", self.chart.rows[at].step));
                sent.unwrap_or_else(|| kept.to_string())
            }
            _ => String::new(),
        }
    }

    /// The lanes and tracks of a row.
    fn grid(&self, n: usize, tracks: &Tracks) -> Vec<char> {
        let mut grid = vec![' '; self.lanes + 2 * self.tracks];
        for (lane, column) in self.columns.iter().enumerate() {
            if self.chart.is_alive(lane, n) {
                grid[*column] = '│';
            }
        }
        for (at, taken) in tracks.taken.iter().enumerate() {
            if taken.is_some() {
                grid[self.lanes + 2 * at] = '┊';
            }
        }
        grid
    }

    fn draw(&self, grid: &mut [char], n: usize, act: Act, track: Option<usize>) {
        let own = self.columns[act.lane];
        let track = track.map(|at| self.lanes + 2 * at);
        match act.kind {
            Kind::Rendezvous(to) => {
                let to = self.columns[to];
                cross(grid, own.min(to), own.max(to), ('━', '┿'));
                grid[to] = if to > own { '▶' } else { '◀' };
            }
            Kind::Send(_) | Kind::Receive(_) => {
                let end = track.unwrap_or(own + 2);
                cross(grid, own, end, ('─', '┼'));
                let kept = matches!(act.kind, Kind::Receive(m) if self.chart.messages[m].received != Some(n));
                grid[end.min(grid.len() - 1)] = match (track, act.kind) {
                    (None, _) => '╴',
                    (_, Kind::Send(_)) => '╮',
                    _ if kept => '┤',
                    _ => '╯',
                };
            }
            Kind::Lost => {
                cross(grid, own, own + 2, ('─', '┼'));
                grid[own + 2] = '×';
            }
            Kind::Local => {}
        }
        grid[own] = if matches!(act.kind, Kind::Receive(_)) { '◀' } else { '●' };
    }

    fn line(&self, n: usize, row: &Row, grid: &[char], note: &str) -> String {
        let last = n + 1 == self.chart.rows.len();
        let band = match self.chart.cycle {
            Some(first) if n == first && last => "↻",
            Some(first) if n == first => "┌",
            Some(_) if last && self.chart.cycle.is_some_and(|first| n > first) => "└",
            Some(first) if n > first => "│",
            _ => " ",
        };
        let number = if row.leads { row.step.to_string() } else { String::new() };
        let drawn: String = grid.iter().collect();
        let front = format!(
            "  {} {}  {drawn}  {}  ",
            paint(BAD, band),
            right(&number, self.number),
            right(&row.line, self.line)
        );
        let used = 6 + self.number + self.lanes + 2 * self.tracks + 2 + self.line + 2;
        let room = if self.look.full { usize::MAX } else { self.look.width.saturating_sub(used).max(TEXT / 2) };
        let changes = if row.changes.is_empty() { String::new() } else { format!("   ▹ {}", row.changes.join(", ")) };
        let note = if note.is_empty() { String::new() } else { format!(" ({note})") };
        let text = clip(&format!("{}{note}{changes}", row.text), room);
        let text = if last && self.chart.error.is_some() { paint(BAD, &text) } else { text };
        let mut out = format!("{front}{text}").trim_end().to_string() + "\n";
        for printed in row.output.lines().map(str::trim_end).filter(|text| !text.is_empty()) {
            out.push_str(&format!("{:used$}{}\n", "", paint(FAINT, &format!("▸ {printed}"))));
        }
        out
    }
}

impl Act {
    /// The buffered message of the action.
    fn message(self) -> Option<usize> {
        match self.kind {
            Kind::Send(message) | Kind::Receive(message) => Some(message),
            Kind::Local | Kind::Rendezvous(_) | Kind::Lost => None,
        }
    }
}

/// A horizontal line between two columns, with other signs where it crosses a lane or a track.
fn cross(grid: &mut [char], from: usize, to: usize, (line, crossing): (char, char)) {
    for c in &mut grid[from..=to] {
        *c = if matches!(*c, '│' | '┊') { crossing } else { line };
    }
}

/// A text whose middle is at a column, within `columns`.
fn centre_at(text: &str, middle: usize, columns: usize) -> String {
    let start = middle.saturating_sub(width(text).saturating_sub(1) / 2).min(columns.saturating_sub(width(text)));
    if width(text) > columns { centre(text, columns) } else { left(&format!("{:start$}{text}", ""), columns) }
}

/// The most messages that need a track at the same time.
fn most_tracks(chart: &Chart) -> usize {
    let (mut now, mut most) = (0usize, 0);
    for (n, row) in chart.rows.iter().enumerate() {
        match row.act.map(|act| act.kind) {
            Some(Kind::Send(m)) if chart.messages[m].received.is_some() => now += 1,
            Some(Kind::Receive(m)) if chart.messages[m].received == Some(n) && chart.messages[m].sent.is_some() => {
                now -= 1
            }
            _ => {}
        }
        most = most.max(now);
    }
    most.min(TRACKS)
}
