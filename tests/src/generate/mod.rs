//! Random small programs, reproducible by their seed, and smaller ones that still show the same difference.

mod claim;
mod loose;
mod program;
mod shrink;

pub use claim::with_claim;
pub use kripke_model::Random;
pub use loose::{condition, formula, loose};
pub use program::program;
pub use shrink::shrink;

/// A piece of program text with parts that can be left out: `open`, then each part's statements joined by `;`, with
/// `between` two parts, then `close`. A statement without parts is just `open`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    pub open: String,
    pub parts: Vec<Vec<Node>>,
    pub between: &'static str,
    pub close: &'static str,
}

impl Node {
    pub fn leaf(text: impl Into<String>) -> Node {
        Node { open: text.into(), parts: Vec::new(), between: "", close: "" }
    }

    pub fn tree(open: impl Into<String>, parts: Vec<Vec<Node>>, between: &'static str, close: &'static str) -> Node {
        Node { open: open.into(), parts, between, close }
    }

    pub fn text(&self) -> String {
        let part = |nodes: &Vec<Node>| nodes.iter().map(Node::text).collect::<Vec<_>>().join("; ");
        let parts: Vec<_> = self.parts.iter().map(part).collect();
        format!("{}{}{}", self.open, parts.join(self.between), self.close)
    }
}

/// A whole program: the declarations, and one tree per process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    pub declarations: String,
    pub processes: Vec<Node>,
}

impl Program {
    pub fn text(&self) -> String {
        let processes: Vec<_> = self.processes.iter().map(|p| p.text() + "\n").collect();
        format!("{}\n{}", self.declarations, processes.concat())
    }
}
