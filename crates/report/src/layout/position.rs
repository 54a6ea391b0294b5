//! Horizontal coordinates, after Brandes and Köpf (2001): vertices are aligned with the medians of their neighbours in four ways,
//! and each vertex gets the mean of the two middle coordinates. Blocks are compacted by longest paths.

use std::collections::HashSet;

use super::layers::{Layered, Vertex};
use super::order::places;
use super::{GAP, LINE_GAP};

/// Edges that must not be aligned, as pairs of vertices, the higher one first.
type Conflicts = HashSet<(usize, usize)>;

/// One of the four alignments.
#[derive(Clone, Copy)]
struct Way {
    /// Vertices are aligned with the layer above.
    up: bool,
    /// Vertices are placed from the left.
    left: bool,
}

pub(super) fn positions(graph: &Layered) -> Vec<f64> {
    let conflicts = conflicts(graph);
    let ways = [(true, true), (true, false), (false, true), (false, false)].map(|(up, left)| Way { up, left });
    let mut all: Vec<Vec<f64>> = ways.iter().map(|way| aligned(graph, &conflicts, *way)).collect();
    let bounds = |x: &Vec<f64>| {
        let sides = graph.vertices.iter().zip(x);
        sides.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (v, x)| {
            (low.min(x - v.extent.left), high.max(x + v.extent.right))
        })
    };
    let sizes: Vec<(f64, f64)> = all.iter().map(bounds).collect();
    let width = |(low, high): &(f64, f64)| high - low;
    let narrowest = sizes.iter().copied().min_by(|a, b| width(a).total_cmp(&width(b))).unwrap_or_default();
    for ((x, way), size) in all.iter_mut().zip(ways).zip(&sizes) {
        let shift = if way.left { narrowest.0 - size.0 } else { narrowest.1 - size.1 };
        x.iter_mut().for_each(|x| *x += shift);
    }
    let middle = |vertex: usize| {
        let mut four = [all[0][vertex], all[1][vertex], all[2][vertex], all[3][vertex]];
        four.sort_by(f64::total_cmp);
        f64::midpoint(four[1], four[2])
    };
    let mut x: Vec<f64> = (0..graph.vertices.len()).map(middle).collect();
    let (low, _) = bounds(&x);
    x.iter_mut().for_each(|x| *x -= low);
    x
}

/// The edges of nodes that cross an edge between two dummy vertices.
fn conflicts(graph: &Layered) -> Conflicts {
    let place = places(graph);
    let mut out = Conflicts::new();
    let inner = |vertex: usize| {
        let v = &graph.vertices[vertex];
        graph.up[vertex].iter().copied().find(|above| v.is_dummy && graph.vertices[*above].is_dummy)
    };
    for (at, layer) in graph.layers.iter().enumerate().skip(1) {
        let (mut left, mut scanned) = (0, 0);
        for (i, &vertex) in layer.iter().enumerate() {
            let crossed = inner(vertex);
            if crossed.is_none() && i + 1 < layer.len() {
                continue;
            }
            let right = crossed.map_or(graph.layers[at - 1].len(), |above| place[above]);
            for &scan in &layer[scanned..=i] {
                for &above in &graph.up[scan] {
                    let both = graph.vertices[scan].is_dummy && graph.vertices[above].is_dummy;
                    if !both && (place[above] < left || place[above] > right) {
                        out.insert((above, scan));
                    }
                }
            }
            (scanned, left) = (i + 1, right);
        }
    }
    out
}

/// The coordinates of one alignment.
fn aligned(graph: &Layered, conflicts: &Conflicts, way: Way) -> Vec<f64> {
    let mut layers = graph.layers.clone();
    if !way.up {
        layers.reverse();
    }
    if !way.left {
        layers.iter_mut().for_each(|layer| layer.reverse());
    }
    let root = blocks(graph, &layers, conflicts, way);
    let x = compact(graph, &layers, &root, way);
    (0..graph.vertices.len()).map(|v| if way.left { x[root[v]] } else { -x[root[v]] }).collect()
}

/// The root of each vertex's block.
fn blocks(graph: &Layered, layers: &[Vec<usize>], conflicts: &Conflicts, way: Way) -> Vec<usize> {
    let count = graph.vertices.len();
    let (mut root, mut align): (Vec<usize>, Vec<usize>) = ((0..count).collect(), (0..count).collect());
    let mut place = vec![0; count];
    for layer in layers {
        layer.iter().enumerate().for_each(|(at, vertex)| place[*vertex] = at);
    }
    let neighbours = if way.up { &graph.up } else { &graph.down };
    for layer in layers {
        let mut last = None;
        for &v in layer {
            let mut near = neighbours[v].clone();
            near.sort_by_key(|n| place[*n]);
            let Some(top) = near.len().checked_sub(1) else { continue };
            for &w in &near[top / 2..=top.div_ceil(2)] {
                let edge = if way.up { (w, v) } else { (v, w) };
                if align[v] == v && last.is_none_or(|last| last < place[w]) && !conflicts.contains(&edge) {
                    align[w] = v;
                    root[v] = root[w];
                    align[v] = root[v];
                    last = Some(place[w]);
                }
            }
        }
    }
    root
}

/// The coordinate of each root: as far left as the neighbours allow, then as far right as the right neighbours allow.
fn compact(graph: &Layered, layers: &[Vec<usize>], root: &[usize], way: Way) -> Vec<f64> {
    let count = graph.vertices.len();
    let (mut before, mut after) = (vec![Vec::new(); count], vec![Vec::new(); count]);
    for pair in layers.iter().flat_map(|layer| layer.windows(2)) {
        let (a, b) = (&graph.vertices[pair[0]], &graph.vertices[pair[1]]);
        let distance = if way.left { distance(a, b) } else { distance(b, a) };
        before[root[pair[1]]].push((root[pair[0]], distance));
        after[root[pair[0]]].push((root[pair[1]], distance));
    }
    let order = sorted(&before, &after, root);
    let mut x = vec![0.0f64; count];
    for &block in &order {
        x[block] = before[block].iter().map(|(b, distance)| x[*b] + distance).fold(0.0, f64::max);
    }
    for &block in order.iter().rev() {
        let most = after[block].iter().map(|(b, distance)| x[*b] - distance).fold(f64::INFINITY, f64::min);
        if most.is_finite() {
            x[block] = x[block].max(most);
        }
    }
    x
}

/// The distance between the anchors of two neighbours.
fn distance(left: &Vertex, right: &Vertex) -> f64 {
    let gap = if left.is_dummy && right.is_dummy { LINE_GAP } else { GAP };
    left.extent.right + gap + right.extent.left
}

/// Blocks with a distance to the next one.
type Distances = Vec<Vec<(usize, f64)>>;

/// The roots from left to right.
fn sorted(before: &Distances, after: &Distances, root: &[usize]) -> Vec<usize> {
    let mut missing: Vec<usize> = before.iter().map(Vec::len).collect();
    let is_root = |v: &usize| root[*v] == *v;
    let mut order: Vec<usize> = (0..root.len()).filter(is_root).filter(|v| missing[*v] == 0).collect();
    let mut at = 0;
    while let Some(&block) = order.get(at) {
        at += 1;
        for &(next, _) in &after[block] {
            missing[next] -= 1;
            if missing[next] == 0 {
                order.push(next);
            }
        }
    }
    order
}
