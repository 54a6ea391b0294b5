//! Layers: each node gets a layer below its predecessors, and each long edge a chain of dummy vertices.

use super::{Extent, Graph, LABEL_GAP};

/// Passes that move nodes to where their edges are shorter.
const TIGHTENING: usize = 8;

/// A graph whose edges join neighbouring layers. The first vertices are the nodes, in order.
#[derive(Debug)]
pub(super) struct Layered {
    pub vertices: Vec<Vertex>,
    /// The vertices of each layer, from left to right.
    pub layers: Vec<Vec<usize>>,
    /// The neighbours of each vertex in the layer above.
    pub up: Vec<Vec<usize>>,
    /// The neighbours of each vertex in the layer below.
    pub down: Vec<Vec<usize>>,
    /// The vertices of each link, from the highest to the lowest.
    pub chains: Vec<Chain>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Vertex {
    pub extent: Extent,
    pub layer: usize,
    pub is_dummy: bool,
}

#[derive(Debug)]
pub(super) struct Chain {
    pub vertices: Vec<usize>,
    /// The index in `vertices` of the label.
    pub label: Option<usize>,
}

/// A link from a higher to a lower node, and the least number of layers between them.
#[derive(Clone, Copy)]
struct Arc {
    from: usize,
    to: usize,
    length: usize,
}

pub(super) fn layered(graph: &Graph, reversed: &[bool]) -> Layered {
    let arcs: Vec<Arc> = graph
        .links
        .iter()
        .zip(reversed)
        .map(|(link, reversed)| {
            let (from, to) = if *reversed { (link.to, link.from) } else { (link.from, link.to) };
            Arc { from, to, length: if link.label.is_some() { 2 } else { 1 } }
        })
        .collect();
    let layer = assign(graph.nodes.len(), &arcs);
    let vertex = |(extent, layer): (&Extent, &usize)| Vertex { extent: *extent, layer: *layer, is_dummy: false };
    let vertices: Vec<Vertex> = graph.nodes.iter().zip(&layer).map(vertex).collect();
    let count = vertices.len();
    let mut layered = Layered {
        vertices,
        layers: Vec::new(),
        up: vec![Vec::new(); count],
        down: vec![Vec::new(); count],
        chains: Vec::new(),
    };
    for (arc, link) in arcs.iter().zip(&graph.links) {
        layered.add_chain(*arc, link.label);
    }
    layered.layers = vec![Vec::new(); layered.vertices.iter().map(|v| v.layer + 1).max().unwrap_or(0)];
    for (i, vertex) in layered.vertices.iter().enumerate() {
        layered.layers[vertex.layer].push(i);
    }
    layered
}

impl Layered {
    fn add_chain(&mut self, arc: Arc, label: Option<(f64, f64)>) {
        let (first, last) = (self.vertices[arc.from].layer, self.vertices[arc.to].layer);
        let middle = (first + last) / 2;
        let mut chain = Chain { vertices: vec![arc.from], label: None };
        for layer in first + 1..last {
            let extent = match label {
                Some((width, height)) if layer == middle => {
                    chain.label = Some(chain.vertices.len());
                    Extent { left: 0.0, right: width + LABEL_GAP, height, ports: 0.0 }
                }
                _ => Extent::default(),
            };
            self.vertices.push(Vertex { extent, layer, is_dummy: true });
            self.up.push(Vec::new());
            self.down.push(Vec::new());
            chain.vertices.push(self.vertices.len() - 1);
        }
        chain.vertices.push(arc.to);
        for pair in chain.vertices.windows(2) {
            self.down[pair[0]].push(pair[1]);
            self.up[pair[1]].push(pair[0]);
        }
        self.chains.push(chain);
    }
}

/// The layer of each node: the longest path from a source, then shortened. No layer is empty.
fn assign(nodes: usize, arcs: &[Arc]) -> Vec<usize> {
    let (mut into, mut out) = (vec![Vec::new(); nodes], vec![Vec::new(); nodes]);
    for arc in arcs {
        into[arc.to].push(*arc);
        out[arc.from].push(*arc);
    }
    let order = topological(&into, &out);
    let mut layer = vec![0; nodes];
    for &node in &order {
        layer[node] = into[node].iter().map(|arc| layer[arc.from] + arc.length).max().unwrap_or(0);
    }
    for pass in 0..TIGHTENING {
        let moved = if pass % 2 == 0 {
            order.iter().rev().filter(|node| tighten(**node, &into, &out, &mut layer)).count()
        } else {
            order.iter().filter(|node| tighten(**node, &into, &out, &mut layer)).count()
        };
        if moved == 0 && pass > 0 {
            break;
        }
    }
    without_gaps(&mut layer, arcs);
    layer
}

/// Moves a node as near as possible to the side on which it has more edges. Returns whether it was moved.
fn tighten(node: usize, into: &[Vec<Arc>], out: &[Vec<Arc>], layer: &mut [usize]) -> bool {
    let highest = into[node].iter().map(|arc| layer[arc.from] + arc.length).max();
    let lowest = out[node].iter().map(|arc| layer[arc.to] - arc.length).min();
    let wanted = match into[node].len().cmp(&out[node].len()) {
        std::cmp::Ordering::Less => lowest,
        std::cmp::Ordering::Greater => highest,
        std::cmp::Ordering::Equal => None,
    };
    match wanted {
        Some(wanted) if wanted != layer[node] && node != 0 => {
            layer[node] = wanted;
            true
        }
        _ => false,
    }
}

/// The nodes in an order in which every arc leads forward.
fn topological(into: &[Vec<Arc>], out: &[Vec<Arc>]) -> Vec<usize> {
    let mut missing: Vec<usize> = into.iter().map(Vec::len).collect();
    let mut order: Vec<usize> = (0..into.len()).filter(|node| missing[*node] == 0).collect();
    let mut at = 0;
    while let Some(&node) = order.get(at) {
        at += 1;
        for arc in &out[node] {
            missing[arc.to] -= 1;
            if missing[arc.to] == 0 {
                order.push(arc.to);
            }
        }
    }
    order
}

/// Removes the layers that have neither a node nor the label of an arc of two layers.
fn without_gaps(layer: &mut [usize], arcs: &[Arc]) {
    let most = layer.iter().copied().max().unwrap_or(0);
    let mut used = vec![false; most + 1];
    layer.iter().for_each(|at| used[*at] = true);
    for arc in arcs.iter().filter(|arc| arc.length > 1) {
        used[(layer[arc.from] + layer[arc.to]) / 2] = true;
    }
    let mut before = 0;
    let number: Vec<usize> = used
        .iter()
        .map(|used| {
            before += usize::from(*used);
            before.saturating_sub(1)
        })
        .collect();
    layer.iter_mut().for_each(|at| *at = number[*at]);
}
