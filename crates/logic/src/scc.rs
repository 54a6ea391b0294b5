//! Strongly connected components.

/// The strongly connected components of the part of a graph that is reachable from one node.
pub struct Components {
    /// The component of each reachable node. The numbers are a reverse topological order: an edge never leads to a
    /// component with a larger number.
    pub of: Vec<Option<usize>>,
    /// The number of components.
    pub count: usize,
}

/// Tarjan's algorithm, without recursion.
pub fn components<E>(graph: &[Vec<E>], start: usize, to: impl Fn(&E) -> usize) -> Components {
    let mut of = vec![None; graph.len()];
    let mut count = 0;
    let mut number = vec![usize::MAX; graph.len()];
    let mut low = vec![0; graph.len()];
    let mut next = 0;
    let mut open: Vec<usize> = Vec::new();
    // The nodes on the depth-first path, with the index of the next edge.
    let mut path: Vec<(usize, usize)> = vec![(start, 0)];
    while let Some((node, edge)) = path.pop() {
        if edge == 0 {
            (number[node], low[node]) = (next, next);
            next += 1;
            open.push(node);
        }
        if let Some(e) = graph[node].get(edge) {
            path.push((node, edge + 1));
            let target = to(e);
            if number[target] == usize::MAX {
                path.push((target, 0));
            } else if of[target].is_none() {
                low[node] = low[node].min(number[target]);
            }
            continue;
        }
        if low[node] == number[node] {
            while let Some(member) = open.pop() {
                of[member] = Some(count);
                if member == node {
                    break;
                }
            }
            count += 1;
        }
        if let Some((parent, _)) = path.last() {
            low[*parent] = low[*parent].min(low[node]);
        }
    }
    Components { of, count }
}
