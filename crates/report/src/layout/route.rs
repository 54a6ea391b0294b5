//! Vertical coordinates, and the lines of the edges.

use super::layers::{Chain, Layered};
use super::{Graph, LABEL_GAP, Layout, Point, Route};

/// The space between two layers: at least this much, more where lines run far to the side.
const SPACE: f64 = 22.0;
const MOST_SPACE: f64 = 90.0;
/// The largest distance between two lines at a node.
const PORT: f64 = 16.0;

/// The upper and lower side of a layer.
#[derive(Clone, Copy)]
struct Band {
    top: f64,
    bottom: f64,
}

/// The points at which the chain of a link is attached to its nodes.
#[derive(Clone, Copy, Default)]
struct Ends {
    top: f64,
    bottom: f64,
}

pub(super) fn routes(graph: &Graph, layered: &Layered, reversed: &[bool], x: &[f64]) -> Layout {
    let bands = bands(layered, x);
    let ends = ends(graph, layered, x);
    let centre = |vertex: usize| {
        let band = bands[layered.vertices[vertex].layer];
        Point { x: x[vertex], y: f64::midpoint(band.top, band.bottom) }
    };
    let mut out = Layout { nodes: (0..graph.nodes.len()).map(centre).collect(), ..Layout::default() };
    for ((chain, ends), reversed) in layered.chains.iter().zip(&ends).zip(reversed) {
        let mut knots = knots(chain, *ends, layered, &bands, x);
        if *reversed {
            knots.reverse();
        }
        let label = chain.label.map(|at| centre(chain.vertices[at]));
        out.routes.push(Route { knots, label: label.map(|p| Point { x: p.x + LABEL_GAP, y: p.y }) });
    }
    out.width = layered.vertices.iter().zip(x).map(|(v, x)| x + v.extent.right).fold(0.0, f64::max);
    out.height = bands.last().map_or(0.0, |band| band.bottom);
    out
}

fn bands(layered: &Layered, x: &[f64]) -> Vec<Band> {
    let mut top = 0.0;
    let band = |layer: &Vec<usize>| {
        let height = layer.iter().map(|v| layered.vertices[*v].extent.height).fold(2.0, f64::max);
        let far = layer.iter().flat_map(|v| layered.down[*v].iter().map(|w| (x[*v] - x[*w]).abs())).fold(0.0, f64::max);
        let band = Band { top, bottom: top + height };
        top += height + (SPACE + far / 12.0).min(MOST_SPACE);
        band
    };
    layered.layers.iter().map(band).collect()
}

/// Spreads the lines of each node over its width, in the order of their other ends.
fn ends(graph: &Graph, layered: &Layered, x: &[f64]) -> Vec<Ends> {
    let (mut above, mut below) = (vec![Vec::new(); graph.nodes.len()], vec![Vec::new(); graph.nodes.len()]);
    for (link, chain) in layered.chains.iter().enumerate() {
        let Chain { vertices, .. } = chain;
        let last = vertices.len() - 1;
        below[vertices[0]].push((x[vertices[1]], link));
        above[vertices[last]].push((x[vertices[last - 1]], link));
    }
    let mut out = vec![Ends::default(); layered.chains.len()];
    for (node, extent) in graph.nodes.iter().enumerate() {
        let spread = |lines: &mut Vec<(f64, usize)>| {
            lines.sort_by(|a, b| a.0.total_cmp(&b.0));
            let step = (extent.ports / lines.len().max(1) as f64).min(PORT);
            let first = x[node] - step * (lines.len() as f64 - 1.0) / 2.0;
            lines.iter().enumerate().map(|(i, (_, link))| (*link, first + step * i as f64)).collect::<Vec<_>>()
        };
        spread(&mut below[node]).into_iter().for_each(|(link, at)| out[link].top = at);
        spread(&mut above[node]).into_iter().for_each(|(link, at)| out[link].bottom = at);
    }
    out
}

/// The points of a chain, from top to bottom.
fn knots(chain: &Chain, ends: Ends, layered: &Layered, bands: &[Band], x: &[f64]) -> Vec<Point> {
    let mut out: Vec<Point> = Vec::new();
    let last = chain.vertices.len() - 1;
    for (i, &vertex) in chain.vertices.iter().enumerate() {
        let v = &layered.vertices[vertex];
        let band = bands[v.layer];
        let (middle, half) = (f64::midpoint(band.top, band.bottom), v.extent.height / 2.0);
        match i {
            0 => out.extend([(ends.top, middle + half), (ends.top, band.bottom)].map(point)),
            _ if i == last => out.extend([(ends.bottom, band.top), (ends.bottom, middle - half)].map(point)),
            _ => out.extend([(x[vertex], band.top), (x[vertex], band.bottom)].map(point)),
        }
    }
    out.dedup_by(|b, a| (a.x - b.x).abs() < 0.01 && (a.y - b.y).abs() < 0.01);
    out
}

fn point((x, y): (f64, f64)) -> Point {
    Point { x, y }
}
