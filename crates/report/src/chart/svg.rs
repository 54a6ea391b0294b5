//! A chart as an SVG image: lanes from top to bottom, buffered messages as slanted arrows from send to receive.

use std::fmt::Write;

use super::{Act, Chart, Kind};
use crate::width::{clip, width};

/// The distance between rows, in pixels.
const ROW: f64 = 24.0;
/// The width of a character of the font.
const CHARACTER: f64 = 6.7;
/// The height of the heading.
const HEAD: f64 = 56.0;
/// The smallest distance between lanes.
const GAP: f64 = 60.0;
/// Labels are cut after this many characters; the whole text is in a tooltip.
const LABEL: usize = 34;

const STYLE: &str = "text{font:11px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#1b1f24}\
.l{stroke:#9aa4b0;stroke-width:1}\
.h{fill:#eef2f7;stroke:#5b6775}\
.n{fill:#8a94a0}\
.s{paint-order:stroke;stroke:#fff;stroke-width:3px;stroke-linejoin:round}\
.m{stroke:#1f6feb;stroke-width:1.4;fill:none}\
.r{stroke:#1b1f24;stroke-width:1.6}\
.d{fill:#1b1f24}\
.x{stroke:#cf222e;stroke-width:1.6}\
.e{fill:#cf222e}\
.b{fill:#fff4d6}\
.v{fill:#7a4d00}";

/// The image.
pub fn svg(chart: &Chart) -> String {
    Drawing::new(chart).image()
}

/// The side of a lane that a label is on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
    /// Above an arrow to another lane.
    Between(usize),
}

struct Drawing<'a> {
    chart: &'a Chart,
    /// The position of each lane.
    lanes: Vec<f64>,
    /// The position of the text to the right of all lanes.
    margin: f64,
    width: f64,
    height: f64,
}

impl<'a> Drawing<'a> {
    fn new(chart: &'a Chart) -> Drawing<'a> {
        let front = chart.rows.iter().map(|row| width(&row.line) + row.step.to_string().len()).max().unwrap_or(2);
        let mut gaps = vec![GAP; chart.lanes.len() + 1];
        for (n, lane) in chart.lanes.iter().enumerate() {
            let half = size(&lane.name) / 2.0 + 14.0;
            gaps[n] = gaps[n].max(half + if n > 0 { size(&chart.lanes[n - 1].name) / 2.0 + 14.0 } else { 0.0 });
            gaps[n + 1] = gaps[n + 1].max(half);
        }
        for row in &chart.rows {
            let Some(act) = row.act else { continue };
            let need = size(&clip(&row.text, LABEL)) + 26.0;
            match side(chart, act) {
                Side::Left => gaps[act.lane] = gaps[act.lane].max(need),
                Side::Right => gaps[act.lane + 1] = gaps[act.lane + 1].max(need),
                Side::Between(to) => widen(&mut gaps[act.lane.min(to) + 1..=act.lane.max(to)], need),
            }
        }
        let start = (front as f64 + 4.0) * CHARACTER + 20.0;
        let lanes: Vec<f64> = gaps.iter().scan(start, |at, gap| Some(step(at, *gap))).take(chart.lanes.len()).collect();
        let margin = lanes.last().unwrap_or(&start) + gaps.last().unwrap_or(&GAP);
        let changes = chart.rows.iter().map(|row| size(&changes(row))).fold(0.0, f64::max);
        let title = size(&chart.title).max(chart.error.as_ref().map_or(0.0, |e| size(e)));
        let width = (margin + changes + 10.0).max(title + 40.0);
        let height = HEAD + (chart.rows.len() as f64 + 1.0) * ROW + 28.0;
        Drawing { chart, lanes, margin, width, height }
    }

    fn y(row: usize) -> f64 {
        HEAD + (row as f64 + 0.9) * ROW
    }

    fn image(&self) -> String {
        let mut out = String::new();
        let (w, h) = (self.width.ceil(), self.height.ceil());
        let title = escaped(&self.chart.title);
        let _ = write!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\">\n\
             <title>{title}</title>\n<style>{STYLE}</style>\n<defs>{}{}</defs>\n\
             <rect width=\"{w}\" height=\"{h}\" fill=\"#fff\"/>\n",
            marker("a", "#1f6feb"),
            marker("k", "#1b1f24"),
        );
        self.band(&mut out);
        self.heads(&mut out);
        self.messages(&mut out);
        for row in 0..self.chart.rows.len() {
            self.row(&mut out, row);
        }
        self.foot(&mut out);
        out + "</svg>\n"
    }

    /// The cycle of a lasso as a band with an arrow back to its start.
    fn band(&self, out: &mut String) {
        let Some(first) = self.chart.cycle else { return };
        let last = self.chart.rows.len().max(first + 1);
        let (top, bottom) = (Self::y(first) - ROW / 2.0, Self::y(last - 1) + ROW / 2.0);
        let _ = write!(
            out,
            "<rect class=\"b\" x=\"4\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"4\"/>\n\
             <path class=\"r\" fill=\"none\" d=\"M 16 {:.1} H 9 V {:.1} H 15\" marker-end=\"url(#k)\"/>\n",
            self.width - 8.0,
            bottom - top,
            bottom - 6.0,
            top + 8.0,
        );
    }

    fn heads(&self, out: &mut String) {
        for (lane, x) in self.chart.lanes.iter().zip(&self.lanes) {
            for (from, to) in &lane.alive {
                let top = if *from == 0 { HEAD - 18.0 } else { Self::y(*from) - ROW };
                let bottom = if *to >= self.chart.rows.len() { Self::y(*to) } else { Self::y(to.saturating_sub(1)) };
                let _ =
                    writeln!(out, "<line class=\"l\" x1=\"{x:.1}\" y1=\"{top:.1}\" x2=\"{x:.1}\" y2=\"{bottom:.1}\"/>");
                if *to < self.chart.rows.len() {
                    let _ = writeln!(
                        out,
                        "<line class=\"r\" x1=\"{:.1}\" y1=\"{bottom:.1}\" x2=\"{:.1}\" y2=\"{bottom:.1}\"/>",
                        x - 6.0,
                        x + 6.0
                    );
                }
            }
            let wide = size(&lane.name) + 16.0;
            let _ = writeln!(
                out,
                "<rect class=\"h\" x=\"{:.1}\" y=\"14\" width=\"{wide:.1}\" height=\"24\" rx=\"4\"/>\
                 <text x=\"{x:.1}\" y=\"30\" text-anchor=\"middle\">{}</text>",
                x - wide / 2.0,
                escaped(&lane.name),
            );
        }
    }

    /// The arrows of buffered messages.
    fn messages(&self, out: &mut String) {
        for message in &self.chart.messages {
            let (Some(sent), Some(received)) = (message.sent, message.received) else { continue };
            let lane = |row: usize| self.chart.rows[row].act.map(|act| self.lanes[act.lane]);
            let (Some(x1), Some(x2)) = (lane(sent), lane(received)) else { continue };
            let (y1, y2) = (Self::y(sent), Self::y(received));
            if x1 == x2 {
                let out_to = x1 + 34.0;
                let _ = writeln!(
                    out,
                    "<path class=\"m\" d=\"M {x1:.1} {y1:.1} C {out_to:.1} {y1:.1} {out_to:.1} {y2:.1} {:.1} {y2:.1}\" marker-end=\"url(#a)\"/>",
                    x2 + 5.0
                );
            } else {
                let end = if x2 > x1 { x2 - 5.0 } else { x2 + 5.0 };
                let _ = writeln!(
                    out,
                    "<line class=\"m\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{end:.1}\" y2=\"{y2:.1}\" marker-end=\"url(#a)\"/>"
                );
            }
        }
    }

    fn row(&self, out: &mut String, n: usize) {
        let row = &self.chart.rows[n];
        let y = Self::y(n);
        let last = n + 1 == self.chart.rows.len() && self.chart.error.is_some();
        if row.leads {
            let place = if row.line.is_empty() { String::new() } else { format!("  :{}", row.line) };
            let _ =
                writeln!(out, "<text class=\"n\" x=\"22\" y=\"{:.1}\">{}{}</text>", y + 4.0, row.step, escaped(&place));
        }
        match row.act {
            None => {
                let x = self.lanes.first().copied().unwrap_or(60.0) + 10.0;
                let _ = writeln!(
                    out,
                    "<text class=\"s n\" x=\"{x:.1}\" y=\"{:.1}\">{}</text>",
                    y + 4.0,
                    escaped(&row.text)
                );
            }
            Some(act) => {
                self.act(out, n, act);
                self.label(out, n, act, if last { "s e" } else { "s" });
            }
        }
        if !row.changes.is_empty() {
            let _ = writeln!(
                out,
                "<text class=\"v\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                self.margin,
                y + 4.0,
                escaped(&changes(row))
            );
        }
    }

    fn act(&self, out: &mut String, n: usize, act: Act) {
        let (x, y) = (self.lanes[act.lane], Self::y(n));
        match act.kind {
            Kind::Rendezvous(to) => {
                let to = self.lanes[to];
                let end = if to > x { to - 3.0 } else { to + 3.0 };
                let _ = writeln!(
                    out,
                    "<line class=\"r\" x1=\"{x:.1}\" y1=\"{y:.1}\" x2=\"{end:.1}\" y2=\"{y:.1}\" marker-end=\"url(#k)\"/>"
                );
            }
            Kind::Send(message) if self.chart.messages[message].received.is_none() => self.stub(out, (x, y), false),
            Kind::Lost => self.stub(out, (x, y), true),
            _ => {}
        }
        let class = if matches!(act.kind, Kind::Receive(_)) { "m" } else { "d" };
        let _ = writeln!(out, "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"/>");
    }

    /// A message that is not received during the run; a cross marks a lost one.
    fn stub(&self, out: &mut String, (x, y): (f64, f64), lost: bool) {
        let end = x + 22.0;
        let _ = writeln!(
            out,
            "<line class=\"m\" stroke-dasharray=\"4 3\" x1=\"{x:.1}\" y1=\"{y:.1}\" x2=\"{end:.1}\" y2=\"{:.1}\"/>",
            y + 7.0
        );
        if lost {
            let (x1, x2, y1, y2) = (end - 4.0, end + 4.0, y + 3.0, y + 11.0);
            let _ = writeln!(
                out,
                "<path class=\"x\" d=\"M {x1:.1} {y1:.1} L {x2:.1} {y2:.1} M {x1:.1} {y2:.1} L {x2:.1} {y1:.1}\"/>"
            );
        }
    }

    fn label(&self, out: &mut String, n: usize, act: Act, class: &str) {
        let row = &self.chart.rows[n];
        let (x, y) = (self.lanes[act.lane], Self::y(n));
        let (x, y, anchor) = match side(self.chart, act) {
            Side::Left => (x - 8.0, y + 4.0, "end"),
            Side::Right => (x + 8.0, y + 4.0, "start"),
            Side::Between(to) => ((x + self.lanes[to]) / 2.0, y - 4.0, "middle"),
        };
        let shown = clip(&row.text, LABEL);
        let whole = if shown == row.text { String::new() } else { format!("<title>{}</title>", escaped(&row.text)) };
        let _ = writeln!(
            out,
            "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}{whole}</text>",
            escaped(&shown)
        );
    }

    fn foot(&self, out: &mut String) {
        let y = self.height - 10.0;
        let text = self.chart.error.clone().map(|e| ("e", format!("✗ {e}")));
        let text = text.or_else(|| self.chart.cycle_text().map(|c| ("", format!("↻ {c}"))));
        if let Some((class, text)) = text {
            let _ = writeln!(out, "<text class=\"{class}\" x=\"22\" y=\"{y:.1}\">{}</text>", escaped(&text));
        }
    }
}

/// The side for the label of an action: the one that its arrow does not take.
fn side(chart: &Chart, act: Act) -> Side {
    let other = match act.kind {
        Kind::Local => None,
        Kind::Lost => return Side::Left,
        Kind::Rendezvous(to) => return Side::Between(to),
        Kind::Receive(message) => chart.sender(message),
        Kind::Send(message) => match chart.messages[message].received {
            Some(row) => chart.rows[row].act.map(|act| act.lane),
            None => return Side::Left,
        },
    };
    if other.is_some_and(|other| other >= act.lane) { Side::Left } else { Side::Right }
}

/// Widens the last of several gaps until all together have a width.
fn widen(gaps: &mut [f64], need: f64) {
    let sum: f64 = gaps.iter().sum();
    if let Some(last) = gaps.last_mut() {
        *last += (need - sum).max(0.0);
    }
}

fn step(at: &mut f64, gap: f64) -> f64 {
    *at += gap;
    *at
}

fn changes(row: &super::Row) -> String {
    clip(&row.changes.join(", "), 2 * LABEL)
}

fn size(text: &str) -> f64 {
    width(text) as f64 * CHARACTER
}

fn marker(id: &str, colour: &str) -> String {
    format!(
        "<marker id=\"{id}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" \
         markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M 0 0 L 8 4 L 0 8 z\" fill=\"{colour}\"/></marker>"
    )
}

/// Text in XML. Control characters are escaped when the chart is made.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            _ => out.push(c),
        }
    }
    out
}
