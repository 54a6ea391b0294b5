//! Layouts are judged by geometry alone: rectangles and sampled lines.

use std::time::Instant;

use kripke_model::Random;

use super::*;

#[derive(Clone, Copy, Debug)]
struct Area {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Area {
    fn overlaps(self, other: Area) -> bool {
        self.left < other.right - 0.5
            && other.left < self.right - 0.5
            && self.top < other.bottom - 0.5
            && other.top < self.bottom - 0.5
    }

    fn contains(self, p: Point) -> bool {
        p.x > self.left + 0.5 && p.x < self.right - 0.5 && p.y > self.top + 0.5 && p.y < self.bottom - 0.5
    }
}

fn areas(graph: &Graph, drawn: &Layout) -> (Vec<Area>, Vec<Option<Area>>) {
    let around = |p: Point, e: &Extent| Area {
        left: p.x - e.left,
        right: p.x + e.right,
        top: p.y - e.height / 2.0,
        bottom: p.y + e.height / 2.0,
    };
    let nodes = graph.nodes.iter().zip(&drawn.nodes).map(|(e, p)| around(*p, e)).collect();
    let label = |(link, route): (&Link, &Route)| {
        let ((w, h), p) = (link.label?, route.label.expect("a labelled edge has a place for its label"));
        Some(Area { left: p.x, right: p.x + w, top: p.y - h / 2.0, bottom: p.y + h / 2.0 })
    };
    (nodes, graph.links.iter().zip(&drawn.routes).map(label).collect())
}

/// Points of a line, with curves as the drawing has them.
fn sampled(knots: &[Point]) -> Vec<Point> {
    let mut out = Vec::new();
    for pair in knots.windows(2) {
        for step in 0..=20 {
            let t = f64::from(step) / 20.0;
            let u = 1.0 - t;
            let bend = t * t * (3.0 * u + t);
            let middle = f64::midpoint(pair[0].y, pair[1].y);
            let y = pair[0].y * u.powi(3) + 3.0 * middle * u * t + pair[1].y * t.powi(3);
            out.push(Point { x: pair[0].x + (pair[1].x - pair[0].x) * bend, y });
        }
    }
    out
}

fn random(random: &mut Random, nodes: usize, links: usize, ranking: Ranking) -> Graph {
    let mut number = |below: usize| random.below(below);
    let extent = |number: &mut dyn FnMut(usize) -> usize| {
        let half = 10.0 + number(40) as f64;
        let beside = if number(5) == 0 { number(60) as f64 } else { 0.0 };
        Extent { left: half, right: half + beside, height: 20.0 + number(40) as f64, ports: half * 1.4 }
    };
    let nodes: Vec<Extent> = (0..nodes).map(|_| extent(&mut number)).collect();
    let count = nodes.len();
    let links = (0..links).filter_map(|i| {
        let (from, to) = if i + 1 < count { (number(i + 1), i + 1) } else { (number(count), number(count)) };
        let label = (number(3) > 0).then(|| (10.0 + number(120) as f64, 15.0 * (1 + number(3)) as f64));
        (from != to).then_some(Link { from, to, label })
    });
    Graph { links: links.collect(), nodes, ranking }
}

fn judge(graph: &Graph) {
    let drawn = layout(graph);
    let (nodes, labels) = areas(graph, &drawn);
    let all: Vec<Area> = nodes.iter().copied().chain(labels.iter().copied().flatten()).collect();
    for (i, a) in all.iter().enumerate() {
        assert!(
            a.left >= -0.5 && a.top >= -0.5 && a.right <= drawn.width + 0.5 && a.bottom <= drawn.height + 0.5,
            "{a:?}"
        );
        for b in &all[i + 1..] {
            assert!(!a.overlaps(*b), "{a:?} {b:?}");
        }
    }
    for (link, route) in graph.links.iter().zip(&drawn.routes) {
        let (first, last) = (route.knots[0], route.knots[route.knots.len() - 1]);
        for (end, node) in [(first, link.from), (last, link.to)] {
            let (area, centre) = (nodes[node], drawn.nodes[node]);
            assert!((end.y - area.top).abs() < 0.5 || (end.y - area.bottom).abs() < 0.5, "a line ends at its node");
            assert!((end.x - centre.x).abs() <= graph.nodes[node].ports / 2.0 + 0.5);
        }
        for p in sampled(&route.knots) {
            assert!(!all.iter().any(|area| area.contains(p)), "a line crosses a node or a label");
        }
    }
}

#[test]
fn nothing_overlaps() {
    let mut source = Random::new(7);
    for round in 0..120 {
        let (nodes, more) = (1 + source.below(40), source.below(60));
        let ranking = if round % 2 == 0 { Ranking::Flow } else { Ranking::Distance };
        judge(&random(&mut source, nodes, nodes + more, ranking));
    }
}

#[test]
fn forward_edges_point_downwards() {
    // A diamond with an edge back.
    let node = Extent { left: 20.0, right: 20.0, height: 20.0, ports: 20.0 };
    let link = |from, to| Link { from, to, label: None };
    let graph = Graph {
        nodes: vec![node; 4],
        links: vec![link(0, 1), link(0, 2), link(1, 3), link(2, 3), link(3, 0)],
        ranking: Ranking::Flow,
    };
    let drawn = layout(&graph);
    let y: Vec<f64> = drawn.nodes.iter().map(|p| p.y).collect();
    assert!(y[0] < y[1] && (y[1] - y[2]).abs() < 0.1 && y[2] < y[3], "{y:?}");
    assert!(drawn.nodes[1].x != drawn.nodes[2].x);
    assert!(drawn.routes[4].knots[0].y > drawn.routes[4].knots[1].y, "the edge back points upwards");
    judge(&graph);
}

#[test]
fn a_tree_has_no_crossings() {
    let node = Extent { left: 10.0, right: 10.0, height: 20.0, ports: 10.0 };
    // The children of a node are far apart in the order of the links.
    let links: Vec<Link> =
        (0..3).flat_map(|c| (0..7).map(move |p| Link { from: p, to: 7 * c + p + 1, label: None })).collect();
    let graph = Graph { nodes: vec![node; 22], links, ranking: Ranking::Flow };
    let mut layered = layers::layered(&graph, &acyclic::reversed(&graph));
    order::reduce_crossings(&mut layered);
    assert_eq!(order::crossings(&layered), 0);
}

#[test]
fn three_hundred_nodes_are_drawn() {
    let graph = random(&mut Random::new(3), 300, 600, Ranking::Distance);
    let start = Instant::now();
    let drawn = layout(&graph);
    println!("300 nodes: {:?}", start.elapsed());
    assert_eq!(drawn.nodes.len(), 300);
}
