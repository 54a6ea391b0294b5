//! Making a program smaller while it still shows what it is meant to show.

use super::{Node, Program};

/// Tries to leave things out, one at a time, until nothing more can go.
pub fn shrink(program: Program, still: impl Fn(&Program) -> bool) -> Program {
    let mut best = program;
    while let Some(smaller) = candidates(&best).into_iter().find(|candidate| still(candidate)) {
        best = smaller;
    }
    best
}

/// Every program with one thing less, larger cuts first.
fn candidates(program: &Program) -> Vec<Program> {
    let mut out = Vec::new();
    if program.processes.len() > 1 {
        for i in 0..program.processes.len() {
            let mut smaller = program.clone();
            smaller.processes.remove(i);
            out.push(smaller);
        }
    }
    for (i, process) in program.processes.iter().enumerate() {
        for node in smaller_nodes(process) {
            let mut smaller = program.clone();
            smaller.processes[i] = node;
            out.push(smaller);
        }
    }
    out
}

fn smaller_nodes(node: &Node) -> Vec<Node> {
    let mut out = Vec::new();
    for (i, part) in node.parts.iter().enumerate() {
        if node.parts.len() > 1 && node.between == " :: " {
            let mut smaller = node.clone();
            smaller.parts.remove(i);
            out.push(smaller);
        }
        for list in smaller_lists(part) {
            let mut smaller = node.clone();
            smaller.parts[i] = list;
            out.push(smaller);
        }
    }
    out
}

/// A list without one statement, with a statement replaced by what is inside it, or with a smaller statement.
fn smaller_lists(list: &[Node]) -> Vec<Vec<Node>> {
    let mut out = Vec::new();
    for (i, node) in list.iter().enumerate() {
        let with = |replacement: Vec<Node>| [&list[..i], &replacement, &list[i + 1..]].concat();
        if list.len() > 1 {
            out.push(with(Vec::new()));
        }
        out.extend(node.parts.iter().map(|part| with(part.clone())));
        out.extend(smaller_nodes(node).into_iter().map(|smaller| with(vec![smaller])));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::program;

    #[test]
    fn what_matters_remains() {
        let text = |p: &Program| p.processes.iter().map(Node::text).collect::<String>();
        let mut tried = 0;
        for seed in 0..200 {
            let made = program(seed);
            if !text(&made).contains("select") {
                continue;
            }
            tried += 1;
            let small = shrink(made.clone(), |p| text(p).contains("select"));
            assert_eq!(small.processes.len(), 1, "seed {seed}");
            assert!(text(&small).matches(';').count() <= 1, "seed {seed}: {}", text(&small));
        }
        assert!(tried > 10, "the seeds above should make more selects");
    }
}
