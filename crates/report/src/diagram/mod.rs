//! Diagrams: boxes and arrows, as SVG and for Graphviz. Process automata, Büchi automata and state graphs become diagrams.

mod dot;
mod html;
mod svg;
mod text;

pub use crate::layout::Ranking;
pub use dot::dot;
pub use html::player;
pub use svg::{Frame, Sheet, svg};
pub(crate) use text::{quoted, wrapped};

use crate::escape::xml;

/// A picture of a directed graph.
#[derive(Clone, Debug, Default)]
pub struct Diagram {
    /// The heading.
    pub title: String,
    /// The nodes. An arrow leads to the first one if it is initial.
    pub nodes: Vec<Node>,
    /// The arrows between nodes.
    pub arrows: Vec<Arrow>,
    /// The rule that decides which arrows point upwards.
    pub ranking: Ranking,
    /// The meaning of colours.
    pub legend: Vec<Key>,
}

/// A node of a diagram.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// The text, line by line.
    pub lines: Vec<String>,
    /// The outline.
    pub shape: Shape,
    /// The meaning that decides the colour.
    pub role: Role,
    /// An arrow from nowhere leads to the node.
    pub initial: bool,
    /// The outline is double.
    pub accepting: bool,
    /// A text that a viewer shows when the reader points at the node; none if it is empty.
    pub hint: String,
}

/// The outline of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Shape {
    /// A rectangle with round corners.
    #[default]
    Box,
    /// A circle.
    Circle,
}

/// The meaning of a node's colour.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Role {
    /// Nothing in particular.
    #[default]
    Plain,
    /// A valid end.
    End,
    /// A deadlock: an invalid end state.
    Deadlock,
    /// An error of another kind.
    Error,
    /// A state of a counterexample.
    Trail,
    /// A progress location.
    Progress,
}

impl Role {
    const ALL: [Role; 6] = [Role::Plain, Role::End, Role::Deadlock, Role::Error, Role::Trail, Role::Progress];

    /// The colours of the inside and of the outline.
    fn colours(self) -> (&'static str, &'static str) {
        match self {
            Role::Plain => ("#f7f9fb", "#4a5568"),
            Role::End => ("#e3f4e4", "#2f7d32"),
            Role::Deadlock => ("#fde2e1", "#c62828"),
            Role::Error => ("#f8bfbd", "#b71c1c"),
            Role::Trail => ("#fff1cc", "#b7791f"),
            Role::Progress => ("#e3ecfb", "#2b5cb0"),
        }
    }

    /// The name of the class in a style sheet.
    pub fn word(self) -> &'static str {
        match self {
            Role::Plain => "plain",
            Role::End => "end",
            Role::Deadlock => "deadlock",
            Role::Error => "error",
            Role::Trail => "trail",
            Role::Progress => "progress",
        }
    }
}

/// An arrow of a diagram.
#[derive(Clone, Debug, Default)]
pub struct Arrow {
    /// The source.
    pub from: usize,
    /// The target.
    pub to: usize,
    /// The text, line by line.
    pub label: Vec<String>,
    /// The number of the colour; black if there is none.
    pub ink: Option<usize>,
    /// The line is thick.
    pub bold: bool,
    /// The line is dashed.
    pub dashed: bool,
    /// A text that a viewer shows when the reader points at the arrow; none if it is empty.
    pub hint: String,
}

/// An entry of the legend.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Key {
    /// The colour of a node.
    Role(Role, String),
    /// The colour of an arrow.
    Ink(usize, String),
    /// A double outline.
    Accepting(String),
    /// A thick arrow.
    Bold(String),
    /// The colour of a node with this class of a frame.
    Class(&'static str, String),
}

/// The colours of arrows, which differ also for readers who do not see all colours alike (Okabe and Ito, 2008).
const INKS: [&str; 8] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#56b4e9", "#7b4ab5", "#555555"];

/// The colour of an arrow.
pub(crate) fn ink(number: Option<usize>) -> &'static str {
    number.map_or("#333333", |number| INKS[number % INKS.len()])
}

#[cfg(test)]
mod tests;
