//! Diagrams as SVG. The text has no references to anything outside, and no scripts.

use std::fmt::Write;

use super::text::width;
use super::{Arrow, Diagram, INKS, Key, Node, Role, Shape, ink, xml};
use crate::layout::{Extent, Graph, Layout, Link, Point, layout};

/// Sizes of fonts, and the heights of their lines.
const NODE_FONT: f64 = 12.0;
const LABEL_FONT: f64 = 11.0;
const LINE: f64 = 15.0;
/// Space around the text of a node.
const PADDING: f64 = 8.0;
/// The width of a loop from a node to itself.
const LOOP: f64 = 24.0;
/// Space around the picture.
const MARGIN: f64 = 16.0;
/// The length of the arrow to the initial node.
const START: f64 = 22.0;

/// A diagram whose places are known, to be drawn once or several times.
#[derive(Clone, Debug)]
pub struct Sheet<'d> {
    diagram: &'d Diagram,
    layout: Layout,
    /// The size of the shape of each node.
    shapes: Vec<(f64, f64)>,
    /// The arrows that are laid out, and those from a node to itself.
    links: Vec<usize>,
    /// The width of the widest caption.
    captions: f64,
}

/// Additional classes of nodes and arrows, and a line of text, for one of several drawings of a sheet.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// A line above the picture.
    pub caption: String,
    /// The class of each node.
    pub nodes: Vec<&'static str>,
    /// The class of each arrow.
    pub arrows: Vec<&'static str>,
}

/// The diagram as SVG.
pub fn svg(diagram: &Diagram) -> String {
    Sheet::new(diagram).svg(None)
}

impl<'d> Sheet<'d> {
    /// Lays a diagram out.
    pub fn new(diagram: &'d Diagram) -> Sheet<'d> {
        let shapes: Vec<(f64, f64)> = diagram.nodes.iter().map(size).collect();
        let links: Vec<usize> =
            (0..diagram.arrows.len()).filter(|i| diagram.arrows[*i].from != diagram.arrows[*i].to).collect();
        let extent = |(number, (w, h)): (usize, &(f64, f64))| {
            let label = loop_label(diagram, number);
            let beside = label.as_ref().map_or(0.0, |lines| LOOP + label_size(lines).map_or(0.0, |s| s.0 + 4.0));
            let height = label.as_ref().and_then(|lines| label_size(lines)).map_or(0.0, |s| s.1);
            let ports = if diagram.nodes[number].shape == Shape::Circle { w * 0.6 } else { w * 0.8 };
            Extent { left: w / 2.0, right: w / 2.0 + beside, height: h.max(height), ports }
        };
        let link = |i: &usize| {
            let Arrow { from, to, label, .. } = &diagram.arrows[*i];
            Link { from: *from, to: *to, label: label_size(label) }
        };
        let graph = Graph {
            nodes: shapes.iter().enumerate().map(extent).collect(),
            links: links.iter().map(link).collect(),
            ranking: diagram.ranking,
        };
        // The lines end at the shapes, which may be less high than the space of their nodes.
        Sheet { diagram, layout: layout(&graph), shapes, links, captions: 0.0 }
    }

    /// The sheet with room for the captions of frames.
    #[must_use]
    pub fn with_captions(self, frames: &[Frame]) -> Sheet<'d> {
        let captions = frames.iter().map(|frame| width(&frame.caption, LABEL_FONT)).fold(0.0, f64::max);
        Sheet { captions, ..self }
    }

    /// The height and width of the picture, and the top of the graph.
    fn area(&self, captioned: bool) -> (f64, f64, f64) {
        let title = if self.diagram.title.is_empty() { 0.0 } else { 24.0 };
        let top = MARGIN + title + START + if captioned { LINE + 6.0 } else { 0.0 };
        let width = (self.layout.width + 2.0 * MARGIN)
            .max(width(&self.diagram.title, 14.0) + 2.0 * MARGIN)
            .max(if captioned { (self.captions + 2.0 * MARGIN).max(620.0) } else { 160.0 });
        let rows = self.legend_rows(width);
        (width, top + self.layout.height + MARGIN + rows.len() as f64 * 20.0 + 6.0, top)
    }

    /// The diagram as SVG, with the classes of a frame.
    pub fn svg(&self, frame: Option<&Frame>) -> String {
        let (width, height, top) = self.area(frame.is_some());
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 \
             {width:.0} {height:.0}\" font-family=\"'DejaVu Sans Mono',Menlo,Consolas,monospace\">\n"
        );
        out.push_str("<!-- kripke -->\n");
        out.push_str(&style());
        let _ = writeln!(out, "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>");
        if !self.diagram.title.is_empty() {
            let title = xml(&self.diagram.title);
            let _ = writeln!(out, "<text x=\"{MARGIN}\" y=\"{}\" class=\"title\">{title}</text>", MARGIN + 12.0);
        }
        if let Some(frame) = frame {
            let y = top - START - 4.0;
            let caption = xml(&frame.caption);
            let _ = writeln!(out, "<text id=\"caption\" x=\"{MARGIN}\" y=\"{y:.0}\" class=\"label\">{caption}</text>");
        }
        let _ = writeln!(out, "<g transform=\"translate({MARGIN},{top})\">");
        self.arrows(&mut out, frame);
        self.nodes(&mut out, frame);
        out.push_str("</g>\n");
        self.legend(&mut out, width, top + self.layout.height + MARGIN + 10.0);
        out + "</svg>\n"
    }

    fn arrows(&self, out: &mut String, frame: Option<&Frame>) {
        for (&number, route) in self.links.iter().zip(&self.layout.routes) {
            let arrow = &self.diagram.arrows[number];
            let mut knots = route.knots.clone();
            let downwards = knots.first().map_or(0.0, |p| p.y) <= knots.last().map_or(0.0, |p| p.y);
            if let Some(first) = knots.first_mut() {
                self.attach(first, arrow.from, downwards);
            }
            if let Some(last) = knots.last_mut() {
                self.attach(last, arrow.to, !downwards);
            }
            begin(out, number, arrow, frame);
            let tip = knots.last().copied().unwrap_or_default();
            let back = if downwards { -7.0 } else { 7.0 };
            if let Some(last) = knots.last_mut() {
                last.y += back;
            }
            let _ = write!(out, "<path d=\"{}\"/>", path(&knots));
            let y = tip.y + back;
            let _ = write!(
                out,
                "<polygon points=\"{:.1},{:.1} {:.1},{y:.1} {:.1},{y:.1}\"/>",
                tip.x,
                tip.y,
                tip.x - 4.0,
                tip.x + 4.0
            );
            if let Some(at) = route.label {
                lines(out, &arrow.label, at, ("label", LABEL_FONT), false);
            }
            out.push_str("</g>\n");
        }
        for node in 0..self.diagram.nodes.len() {
            self.self_loop(out, node, frame);
        }
    }

    /// Moves an end of a line to the outline of its node.
    fn attach(&self, end: &mut Point, node: usize, below: bool) {
        let (centre, (w, h)) = (self.layout.nodes[node], self.shapes[node]);
        let reach = match self.diagram.nodes[node].shape {
            Shape::Box => h / 2.0,
            Shape::Circle => ((w / 2.0).powi(2) - (end.x - centre.x).powi(2)).max(0.0).sqrt(),
        };
        end.y = if below { centre.y + reach } else { centre.y - reach };
    }

    /// The arrow from a node to itself. Several of them share a line.
    fn self_loop(&self, out: &mut String, node: usize, frame: Option<&Frame>) {
        let Some(label) = loop_label(self.diagram, node) else { return };
        let Some(number) = self.diagram.arrows.iter().position(|a| a.from == node && a.to == node) else { return };
        let (centre, (w, _)) = (self.layout.nodes[node], self.shapes[node]);
        let side = match self.diagram.nodes[node].shape {
            Shape::Box => w / 2.0,
            Shape::Circle => ((w / 2.0).powi(2) - 25.0).max(0.0).sqrt(),
        };
        let (x, y) = (centre.x + side, centre.y);
        begin(out, number, &self.diagram.arrows[number], frame);
        let far = x + LOOP - 2.0;
        let (up, down) = (y - 5.0, y + 5.0);
        let _ = write!(
            out,
            "<path d=\"M{x:.1} {up:.1}C{far:.1} {:.1} {far:.1} {:.1} {:.1} {down:.1}\"/>",
            y - 14.0,
            y + 14.0,
            x + 6.0
        );
        let _ = write!(
            out,
            "<polygon points=\"{x:.1},{down:.1} {:.1},{:.1} {:.1},{:.1}\"/>",
            x + 7.0,
            down - 3.5,
            x + 7.0,
            down + 3.5
        );
        lines(out, &label, Point { x: x + LOOP - 3.0, y }, ("label", LABEL_FONT), false);
        out.push_str("</g>\n");
    }

    fn nodes(&self, out: &mut String, frame: Option<&Frame>) {
        for (number, node) in self.diagram.nodes.iter().enumerate() {
            let (at, (w, h)) = (self.layout.nodes[number], self.shapes[number]);
            let class = frame.and_then(|frame| frame.nodes.get(number)).copied().unwrap_or("");
            let _ = write!(out, "<g id=\"n{number}\" class=\"node {} {class}\">", node.role.word());
            hint(out, &node.hint);
            if node.initial {
                let (y, tip) = (at.y - h / 2.0, at.y - h / 2.0 - 7.0);
                let _ = write!(
                    out,
                    "<g class=\"start\"><circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\"/><path d=\"M{:.1} {:.1}V{tip:.1}\"/>\
                     <polygon points=\"{:.1},{y:.1} {:.1},{tip:.1} {:.1},{tip:.1}\"/></g>",
                    at.x,
                    y - START + 3.0,
                    at.x,
                    y - START + 3.0,
                    at.x,
                    at.x - 4.0,
                    at.x + 4.0
                );
            }
            shape(out, node.shape, at, (w, h));
            if node.accepting {
                shape(out, node.shape, at, (w - 6.0, h - 6.0));
            }
            lines(out, &node.lines, at, ("text", NODE_FONT), true);
            out.push_str("</g>\n");
        }
    }

    /// The entries of the legend, line by line, each with its place.
    fn legend_rows(&self, most: f64) -> Vec<Vec<(&Key, f64)>> {
        let mut rows: Vec<Vec<(&Key, f64)>> = Vec::new();
        let mut x = f64::INFINITY;
        for key in &self.diagram.legend {
            let wide = 40.0 + width(words(key), LABEL_FONT);
            if x + wide > most - MARGIN {
                rows.push(Vec::new());
                x = MARGIN;
            }
            if let Some(row) = rows.last_mut() {
                row.push((key, x));
            }
            x += wide;
        }
        rows
    }

    fn legend(&self, out: &mut String, most: f64, top: f64) {
        for (number, row) in self.legend_rows(most).iter().enumerate() {
            let y = top + 20.0 * number as f64;
            for (key, x) in row {
                let node = |class: &str| {
                    format!(
                        "<g class=\"node {class}\"><rect x=\"{x:.1}\" y=\"{:.1}\" width=\"18\" height=\"12\" rx=\"3\"/></g>",
                        y - 6.0
                    )
                };
                let line = |colour: &str, wide: f64| {
                    let end = x + 18.0;
                    format!("<path d=\"M{x:.1} {y:.1}H{end:.1}\" stroke=\"{colour}\" stroke-width=\"{wide}\"/>")
                };
                out.push_str(&match key {
                    Key::Role(role, _) => node(role.word()),
                    Key::Class(class, _) => node(&format!("plain {class}")),
                    Key::Accepting(_) => {
                        let (left, above) = (x + 3.0, y - 3.0);
                        let inner =
                            format!("<rect x=\"{left:.1}\" y=\"{above:.1}\" width=\"12\" height=\"6\" rx=\"2\"/></g>");
                        node("plain").replace("</g>", &inner)
                    }
                    Key::Ink(number, _) => line(ink(Some(*number)), 2.0),
                    Key::Bold(_) => line(ink(None), 3.0),
                });
                let at = Point { x: x + 24.0, y };
                lines(out, &[words(key).to_string()], at, ("label", LABEL_FONT), false);
                out.push('\n');
            }
        }
    }
}

/// The style sheet.
fn style() -> String {
    let mut out = String::from(
        "<style>.title{font-size:14px;font-weight:bold;fill:#1a202c}.text{font-size:12px;fill:#1a202c}\
         .label{font-size:11px;fill:#333333}.node rect,.node circle,.node ellipse{stroke-width:1.4}\
         .arrow path{fill:none;stroke-width:1.3}.arrow.bold path{stroke-width:2.8}.arrow.dashed path{stroke-dasharray:5 3}\
         .start path{stroke:#333333;stroke-width:1.3}.start circle,.start polygon{fill:#333333;stroke:none}",
    );
    for role in Role::ALL {
        let (fill, line) = role.colours();
        let word = role.word();
        let _ = write!(out, ".{word}>rect,.{word}>circle{{fill:{fill};stroke:{line}}}");
    }
    let all = INKS.iter().enumerate().map(|(i, colour)| (format!("ink{i}"), *colour));
    for (class, colour) in all.chain([("black".to_string(), ink(None))]) {
        let _ = write!(out, ".{class} path{{stroke:{colour}}}.{class} polygon,.{class} text{{fill:{colour}}}");
    }
    out.push_str(FRAMES);
    out + "</style>\n"
}

/// The classes of frames. They follow the others, so that they are stronger.
const FRAMES: &str = ".new{opacity:.13}.open>rect{fill:#dbe9fb;stroke:#2b5cb0}.stack>rect{fill:#ffe9a8;stroke:#b7791f;stroke-width:2.6}\
    .red>rect{fill:#f9d5c4;stroke:#b34700;stroke-width:2.6}.reddened>rect{fill:#fbeae2;stroke:#c98a6b}\
    .matched>rect{fill:#d7f0dc;stroke:#2f7d32;stroke-width:3}.current>rect{fill:#ffc94d;stroke:#8a5a00;stroke-width:3.6}\
    .bad>rect{fill:#f28b82;stroke:#b71c1c;stroke-width:3.6}.taken path{stroke-width:3}";

fn begin(out: &mut String, number: usize, arrow: &Arrow, frame: Option<&Frame>) {
    let ink = arrow.ink.map_or("black".to_string(), |ink| format!("ink{}", ink % INKS.len()));
    let bold = if arrow.bold { " bold" } else { "" };
    let dashed = if arrow.dashed { " dashed" } else { "" };
    let class = frame.and_then(|frame| frame.arrows.get(number)).copied().unwrap_or("");
    let _ = write!(out, "<g id=\"e{number}\" class=\"arrow {ink}{bold}{dashed} {class}\">");
    hint(out, &arrow.hint);
}

fn hint(out: &mut String, text: &str) {
    if !text.is_empty() {
        let _ = write!(out, "<title>{}</title>", xml(text));
    }
}

fn shape(out: &mut String, shape: Shape, at: Point, (w, h): (f64, f64)) {
    let _ = match shape {
        Shape::Box => write!(
            out,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{w:.1}\" height=\"{h:.1}\" rx=\"6\"/>",
            at.x - w / 2.0,
            at.y - h / 2.0
        ),
        Shape::Circle => write!(out, "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{:.1}\"/>", at.x, at.y, w / 2.0),
    };
}

/// Lines of text about a point, centred or to the right of it.
fn lines(out: &mut String, lines: &[String], at: Point, (class, size): (&str, f64), centred: bool) {
    let anchor = if centred { " text-anchor=\"middle\"" } else { "" };
    let first = at.y - LINE * (lines.len() as f64 - 1.0) / 2.0 + size * 0.35;
    for (i, line) in lines.iter().enumerate() {
        let y = first + LINE * i as f64;
        let _ = write!(
            out,
            "<text class=\"{class}\" x=\"{:.1}\" y=\"{y:.1}\"{anchor} xml:space=\"preserve\">{}</text>",
            at.x,
            xml(line)
        );
    }
}

/// The line through points: straight downwards, curved to the side.
fn path(knots: &[Point]) -> String {
    let mut out = String::new();
    let mut last: Option<Point> = None;
    for knot in knots {
        let _ = match last {
            None => write!(out, "M{:.1} {:.1}", knot.x, knot.y),
            Some(last) if (last.x - knot.x).abs() < 0.05 => write!(out, "V{:.1}", knot.y),
            Some(last) => {
                let middle = f64::midpoint(last.y, knot.y);
                write!(out, "C{:.1} {middle:.1} {:.1} {middle:.1} {:.1} {:.1}", last.x, knot.x, knot.x, knot.y)
            }
        };
        last = Some(*knot);
    }
    out
}

/// The width and height of a node's shape.
fn size(node: &Node) -> (f64, f64) {
    let wide = node.lines.iter().map(|line| width(line, NODE_FONT)).fold(0.0, f64::max) + 2.0 * PADDING;
    let high = node.lines.len().max(1) as f64 * LINE + PADDING;
    let border = if node.accepting { 6.0 } else { 0.0 };
    match node.shape {
        Shape::Box => (wide.max(28.0) + border, high + border),
        Shape::Circle => {
            let size = wide.max(high).max(30.0) + border;
            (size, size)
        }
    }
}

fn label_size(lines: &[String]) -> Option<(f64, f64)> {
    let wide = lines.iter().map(|line| width(line, LABEL_FONT)).fold(0.0, f64::max);
    (wide > 0.0).then_some((wide, lines.len() as f64 * LINE))
}

/// The labels of a node's arrows to itself; none if it has no such arrow.
fn loop_label(diagram: &Diagram, node: usize) -> Option<Vec<String>> {
    let mut loops = diagram.arrows.iter().filter(|arrow| arrow.from == node && arrow.to == node).peekable();
    loops.peek()?;
    Some(loops.flat_map(|arrow| arrow.label.clone()).collect())
}

fn words(key: &Key) -> &str {
    match key {
        Key::Role(_, text) | Key::Ink(_, text) | Key::Class(_, text) | Key::Accepting(text) | Key::Bold(text) => text,
    }
}
