//! Crossing reduction: layers are sorted by the barycentres of their neighbours, downwards and upwards in turn, and the order
//! with the fewest crossings is kept.

use super::layers::Layered;

/// Sweeps at most, and sweeps without improvement.
const SWEEPS: usize = 24;
const PATIENCE: usize = 5;
/// Vertices up to which neighbours are transposed one by one.
const TRANSPOSED: usize = 3000;

pub(super) fn reduce_crossings(graph: &mut Layered) {
    initial(graph);
    let (mut best, mut fewest, mut failures) = (graph.layers.clone(), crossings(graph), 0);
    for sweep in 0..SWEEPS {
        if fewest == 0 || failures >= PATIENCE {
            break;
        }
        sort(graph, sweep % 2 == 0);
        if graph.vertices.len() <= TRANSPOSED {
            transpose(graph);
        }
        let now = crossings(graph);
        failures += 1;
        if now < fewest {
            (best, fewest, failures) = (graph.layers.clone(), now, 0);
        }
    }
    graph.layers = best;
}

/// The position of each vertex in its layer.
pub(super) fn places(graph: &Layered) -> Vec<usize> {
    let mut place = vec![0; graph.vertices.len()];
    for layer in &graph.layers {
        layer.iter().enumerate().for_each(|(at, vertex)| place[*vertex] = at);
    }
    place
}

/// The order in which a depth-first search from the top finds the vertices.
fn initial(graph: &mut Layered) {
    let mut seen = vec![false; graph.vertices.len()];
    let mut layers: Vec<Vec<usize>> = vec![Vec::new(); graph.layers.len()];
    let roots: Vec<usize> = graph.layers.iter().flatten().copied().collect();
    for root in roots {
        let mut stack = vec![root];
        while let Some(vertex) = stack.pop() {
            if !std::mem::replace(&mut seen[vertex], true) {
                layers[graph.vertices[vertex].layer].push(vertex);
                stack.extend(graph.down[vertex].iter().rev());
            }
        }
    }
    graph.layers = layers;
}

/// Sorts every layer by the barycentres of the neighbours above, or below.
fn sort(graph: &mut Layered, downwards: bool) {
    let mut place = places(graph);
    let count = graph.layers.len();
    for step in 1..count {
        let at = if downwards { step } else { count - 1 - step };
        let neighbours = if downwards { &graph.up } else { &graph.down };
        let mut keyed: Vec<(f64, usize)> = Vec::with_capacity(graph.layers[at].len());
        for (i, &vertex) in graph.layers[at].iter().enumerate() {
            let of = &neighbours[vertex];
            let sum: usize = of.iter().map(|n| place[*n]).sum();
            keyed.push((if of.is_empty() { i as f64 } else { sum as f64 / of.len() as f64 }, vertex));
        }
        keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
        graph.layers[at] = keyed.into_iter().map(|(_, vertex)| vertex).collect();
        graph.layers[at].iter().enumerate().for_each(|(i, vertex)| place[*vertex] = i);
    }
}

/// Transposes neighbours in each layer where that removes crossings.
fn transpose(graph: &mut Layered) {
    let mut place = places(graph);
    for at in 0..graph.layers.len() {
        for i in 1..graph.layers[at].len() {
            let (a, b) = (graph.layers[at][i - 1], graph.layers[at][i]);
            let change = |of: &[Vec<usize>]| {
                let before = pairs(&of[a], &of[b], &place) as i64;
                pairs(&of[b], &of[a], &place) as i64 - before
            };
            if change(&graph.up) + change(&graph.down) < 0 {
                graph.layers[at].swap(i - 1, i);
                (place[a], place[b]) = (i, i - 1);
            }
        }
    }
}

/// The crossings between the edges of a left and a right vertex.
fn pairs(left: &[usize], right: &[usize], place: &[usize]) -> usize {
    left.iter().map(|l| right.iter().filter(|r| place[**r] < place[*l]).count()).sum()
}

/// The number of crossings, counted with an accumulator tree (Barth, Mutzel and Jünger, 2004).
pub(super) fn crossings(graph: &Layered) -> u64 {
    let place = places(graph);
    let mut total = 0;
    for (at, layer) in graph.layers.iter().enumerate().skip(1) {
        let width = graph.layers[at - 1].len();
        let mut tree = vec![0u64; width + 1];
        let mut inserted = 0;
        for &vertex in layer {
            let above = &graph.up[vertex];
            total += above.iter().map(|n| inserted - sum(&tree, place[*n] + 1)).sum::<u64>();
            above.iter().for_each(|n| add(&mut tree, place[*n] + 1));
            inserted += above.len() as u64;
        }
    }
    total
}

/// The sum of the first entries of a Fenwick tree.
fn sum(tree: &[u64], mut at: usize) -> u64 {
    let mut sum = 0;
    while at > 0 {
        sum += tree[at];
        at &= at - 1;
    }
    sum
}

fn add(tree: &mut [u64], mut at: usize) {
    while at < tree.len() {
        tree[at] += 1;
        at += at & at.wrapping_neg();
    }
}
