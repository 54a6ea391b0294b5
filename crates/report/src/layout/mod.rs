//! Layered drawing of directed graphs, after Sugiyama, Tagawa and Toda (1981): cycles are broken, nodes are assigned to layers,
//! long edges get a dummy vertex in each layer that they cross, crossings are reduced by barycentres, and coordinates are
//! assigned as Brandes and Köpf (2001) do.
//!
//! The label of an edge is a vertex of its own layer. Within the band of a layer every line is vertical, so that no line
//! crosses a node or a label, and no two of these overlap.

mod acyclic;
mod layers;
mod order;
mod position;
mod route;

/// A graph to be drawn. Edges from a node to itself are not part of it: the space for them belongs to the node.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The sizes of the nodes. The first node is the initial one.
    pub nodes: Vec<Extent>,
    /// The edges.
    pub links: Vec<Link>,
    /// The rule that breaks cycles.
    pub ranking: Ranking,
}

/// The size of a node or a label about its anchor, which lines are attached to.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Extent {
    /// The distance from the left side to the anchor.
    pub left: f64,
    /// The distance from the anchor to the right side.
    pub right: f64,
    /// The height.
    pub height: f64,
    /// The width about the anchor in which lines may be attached.
    pub ports: f64,
}

/// An edge between two different nodes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Link {
    /// The source.
    pub from: usize,
    /// The target.
    pub to: usize,
    /// The width and height of the label.
    pub label: Option<(f64, f64)>,
}

/// The rule that decides which edges point upwards.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Ranking {
    /// Those that close a cycle in a depth-first search. For control-flow graphs.
    #[default]
    Flow,
    /// Those that lead back in a breadth-first search: the layers are close to the distances from the initial node. For state graphs.
    Distance,
}

/// A point of the drawing; `y` grows downwards.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Point {
    /// The distance from the left side.
    pub x: f64,
    /// The distance from the top.
    pub y: f64,
}

/// A drawing.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// The width of all.
    pub width: f64,
    /// The height of all.
    pub height: f64,
    /// The anchor of each node, at half its height.
    pub nodes: Vec<Point>,
    /// The line of each link.
    pub routes: Vec<Route>,
}

/// The line of an edge.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Route {
    /// The points from source to target. Between two of them the line is straight if they have the same `x`, otherwise a curve
    /// with vertical ends.
    pub knots: Vec<Point>,
    /// The left side of the label, at half its height.
    pub label: Option<Point>,
}

/// The distance between neighbours in a layer, and that between two lines.
const GAP: f64 = 16.0;
const LINE_GAP: f64 = 8.0;
/// The distance between a line and its label.
const LABEL_GAP: f64 = 5.0;

/// Draws a graph.
pub fn layout(graph: &Graph) -> Layout {
    if graph.nodes.is_empty() {
        return Layout::default();
    }
    let reversed = acyclic::reversed(graph);
    let mut layered = layers::layered(graph, &reversed);
    order::reduce_crossings(&mut layered);
    let x = position::positions(&layered);
    route::routes(graph, &layered, &reversed, &x)
}

#[cfg(test)]
mod tests;
