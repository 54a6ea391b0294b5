//! Directed graphs as numbers: the targets of all edges, by source. Strongly connected components, distances, depth-first walks.

use std::collections::VecDeque;

/// A directed graph.
#[derive(Clone, Debug)]
pub struct Adjacency {
    /// The first edge of each node, and the end of the last.
    first: Vec<usize>,
    targets: Vec<u32>,
}

impl Default for Adjacency {
    fn default() -> Adjacency {
        Adjacency { first: vec![0], targets: Vec::new() }
    }
}

/// The strongly connected components of a graph.
#[derive(Clone, Debug)]
pub struct Components {
    /// The component of each node. An edge between components leads to a smaller number.
    pub of: Vec<u32>,
    /// The number of nodes of each component.
    pub sizes: Vec<u64>,
}

/// The figures of a depth-first walk from the first node.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct DepthFirst {
    /// The edges to nodes on the stack.
    pub loops: u64,
    /// The longest path on the stack, in edges.
    pub depth: u64,
}

impl Adjacency {
    /// Adds a node with edges to these nodes, which may be added later.
    pub fn push(&mut self, targets: impl IntoIterator<Item = u32>) {
        self.targets.extend(targets);
        self.first.push(self.targets.len());
    }

    /// Adds nodes without edges up to this number of nodes.
    pub fn pad(&mut self, count: usize) {
        self.first.resize(count + 1, self.targets.len());
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.first.len() - 1
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of edges.
    pub fn edges(&self) -> usize {
        self.targets.len()
    }

    /// The targets of the edges of a node.
    pub fn targets(&self, node: usize) -> &[u32] {
        &self.targets[self.first[node]..self.first[node + 1]]
    }

    /// The number of edges to each node.
    pub fn in_degrees(&self) -> Vec<u64> {
        let mut degrees = vec![0; self.len()];
        self.targets.iter().for_each(|target| degrees[*target as usize] += 1);
        degrees
    }

    /// The graph with all edges turned round.
    #[must_use]
    pub fn reversed(&self) -> Adjacency {
        let mut first = vec![0; self.len() + 1];
        self.targets.iter().for_each(|target| first[*target as usize + 1] += 1);
        (1..first.len()).for_each(|i| first[i] += first[i - 1]);
        let (mut next, mut targets) = (first.clone(), vec![0; self.targets.len()]);
        for node in 0..self.len() {
            for target in self.targets(node) {
                let at = &mut next[*target as usize];
                targets[*at] = node as u32;
                *at += 1;
            }
        }
        Adjacency { first, targets }
    }

    /// The largest distance from a node to a node of its component, along edges within the component.
    pub fn eccentricity(&self, from: usize, component: &[u32]) -> u64 {
        let mut seen = vec![false; self.len()];
        let mut queue = VecDeque::from([(from, 0)]);
        seen[from] = true;
        let mut most = 0;
        while let Some((node, distance)) = queue.pop_front() {
            most = distance;
            for target in self.targets(node).iter().map(|target| *target as usize) {
                if component[target] == component[from] && !std::mem::replace(&mut seen[target], true) {
                    queue.push_back((target, distance + 1));
                }
            }
        }
        most
    }

    /// Walks through the graph depth-first from the first node.
    pub fn depth_first(&self) -> DepthFirst {
        let mut out = DepthFirst::default();
        let (mut seen, mut on_stack) = (vec![false; self.len()], vec![false; self.len()]);
        let mut stack: Vec<(usize, usize)> = if self.is_empty() { Vec::new() } else { vec![(0, 0)] };
        while let Some((node, edge)) = stack.last_mut() {
            let (at, next) = (*node, self.targets(*node).get(*edge).map(|target| *target as usize));
            *edge += 1;
            (seen[at], on_stack[at]) = (true, true);
            match next {
                Some(target) if seen[target] => out.loops += u64::from(on_stack[target]),
                Some(target) => {
                    out.depth = out.depth.max(stack.len() as u64);
                    stack.push((target, 0));
                }
                None => {
                    on_stack[at] = false;
                    stack.pop();
                }
            }
        }
        out
    }

    /// The strongly connected components.
    pub fn components(&self) -> Components {
        let mut tarjan = Tarjan::new(self);
        (0..self.len()).for_each(|root| tarjan.visit(root));
        Components { of: tarjan.component, sizes: tarjan.sizes }
    }
}

const NONE: u32 = u32::MAX;

/// Tarjan's algorithm (1972), without recursion.
struct Tarjan<'g> {
    graph: &'g Adjacency,
    /// The order of discovery; [`NONE`] for nodes that were not found yet.
    order: Vec<u32>,
    low: Vec<u32>,
    component: Vec<u32>,
    sizes: Vec<u64>,
    /// The nodes that were found and have no component yet.
    open: Vec<usize>,
    found: u32,
}

impl<'g> Tarjan<'g> {
    fn new(graph: &'g Adjacency) -> Tarjan<'g> {
        let none = || vec![NONE; graph.len()];
        let (order, low, component) = (none(), none(), none());
        Tarjan { graph, order, low, component, sizes: Vec::new(), open: Vec::new(), found: 0 }
    }

    fn visit(&mut self, root: usize) {
        if self.order[root] != NONE {
            return;
        }
        self.enter(root);
        let mut path = vec![(root, 0)];
        while let Some((node, edge)) = path.last_mut() {
            let (at, next) = (*node, self.graph.targets(*node).get(*edge).map(|target| *target as usize));
            *edge += 1;
            match next {
                Some(target) if self.order[target] == NONE => {
                    self.enter(target);
                    path.push((target, 0));
                }
                Some(target) if self.component[target] == NONE => self.low[at] = self.low[at].min(self.order[target]),
                Some(_) => {}
                None => {
                    path.pop();
                    self.leave(at, path.last().map(|(parent, _)| *parent));
                }
            }
        }
    }

    fn enter(&mut self, node: usize) {
        (self.order[node], self.low[node]) = (self.found, self.found);
        self.found += 1;
        self.open.push(node);
    }

    /// A node is left. If it is the root of its component, the component is complete.
    fn leave(&mut self, node: usize, parent: Option<usize>) {
        if let Some(parent) = parent {
            self.low[parent] = self.low[parent].min(self.low[node]);
        }
        if self.low[node] != self.order[node] {
            return;
        }
        let (number, mut size) = (self.sizes.len() as u32, 0);
        while let Some(member) = self.open.pop() {
            self.component[member] = number;
            size += 1;
            if member == node {
                break;
            }
        }
        self.sizes.push(size);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(edges: &[&[u32]]) -> Adjacency {
        let mut graph = Adjacency::default();
        edges.iter().for_each(|targets| graph.push(targets.iter().copied()));
        graph
    }

    #[test]
    fn components_are_in_reverse_topological_order() {
        // 0 → 1 → 2 → 1, 2 → 3 → 3, 0 → 4.
        let components = graph(&[&[1, 4], &[2], &[1, 3], &[3], &[]]).components();
        assert_eq!(components.of, [3, 1, 1, 0, 2]);
        assert_eq!(components.sizes, [1, 2, 1, 1]);
    }

    #[test]
    fn walks_count_loops_and_depth() {
        assert_eq!(graph(&[&[1, 4], &[2], &[1, 3], &[3], &[]]).depth_first(), DepthFirst { loops: 2, depth: 3 });
        assert_eq!(graph(&[]).depth_first(), DepthFirst::default());
    }

    #[test]
    fn distances_are_within_the_component() {
        let cycle = graph(&[&[1], &[2], &[0, 3], &[]]);
        let components = cycle.components();
        assert_eq!(cycle.eccentricity(0, &components.of), 2);
        assert_eq!(cycle.reversed().targets(0), [2]);
        assert_eq!(cycle.in_degrees(), [1, 1, 1, 1]);
    }
}
