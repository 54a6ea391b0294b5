//! Breaking cycles: the edges that are drawn upwards.

use std::collections::VecDeque;

use super::{Graph, Ranking};

/// Whether each link is reversed. The graph with these links reversed has no cycle.
pub(super) fn reversed(graph: &Graph) -> Vec<bool> {
    let mut out: Vec<Vec<usize>> = vec![Vec::new(); graph.nodes.len()];
    for (i, link) in graph.links.iter().enumerate() {
        out[link.from].push(i);
    }
    match graph.ranking {
        Ranking::Flow => closing(graph, &out),
        Ranking::Distance => {
            let number = numbers(graph, &out);
            graph.links.iter().map(|link| number[link.to] < number[link.from]).collect()
        }
    }
}

/// The links that lead to a node on the stack of a depth-first search.
fn closing(graph: &Graph, out: &[Vec<usize>]) -> Vec<bool> {
    #[derive(Clone, Copy, PartialEq)]
    enum Colour {
        White,
        Grey,
        Black,
    }
    let mut colour = vec![Colour::White; graph.nodes.len()];
    let mut reversed = vec![false; graph.links.len()];
    for root in 0..graph.nodes.len() {
        if colour[root] != Colour::White {
            continue;
        }
        colour[root] = Colour::Grey;
        let mut stack = vec![(root, 0)];
        while let Some((node, next)) = stack.last_mut() {
            let Some(&link) = out[*node].get(*next) else {
                colour[*node] = Colour::Black;
                stack.pop();
                continue;
            };
            *next += 1;
            let to = graph.links[link].to;
            match colour[to] {
                Colour::Grey => reversed[link] = true,
                Colour::Black => {}
                Colour::White => {
                    colour[to] = Colour::Grey;
                    stack.push((to, 0));
                }
            }
        }
    }
    reversed
}

/// The numbers of the nodes in the order of a breadth-first search.
fn numbers(graph: &Graph, out: &[Vec<usize>]) -> Vec<usize> {
    let mut number = vec![usize::MAX; graph.nodes.len()];
    let mut next = 0;
    for root in 0..graph.nodes.len() {
        if number[root] != usize::MAX {
            continue;
        }
        let mut queue = VecDeque::from([root]);
        number[root] = next;
        next += 1;
        while let Some(node) = queue.pop_front() {
            for &link in &out[node] {
                let to = graph.links[link].to;
                if number[to] == usize::MAX {
                    number[to] = next;
                    next += 1;
                    queue.push_back(to);
                }
            }
        }
    }
    number
}
