//! The characteristics of a state space, the profile of statements and the ranges of variables, as text.

pub mod condition;
pub mod table;

use std::collections::BTreeMap;

use kripke_model::ir::{Edge, Model};
use serde::Serialize;

use crate::escape::visible;
use crate::number::{bytes, counted, grouped};
use crate::run::flat;
use crate::source::Lines;

/// The characteristics of a state space: of all interleavings, without reductions.
#[derive(Clone, PartialEq, Default, Debug, Serialize)]
pub struct Survey {
    /// Whether every reachable state was visited.
    pub complete: bool,
    /// Whether the states are those of the product of the model with the automaton of a property.
    pub product: bool,
    /// Distinct states.
    pub unique: u64,
    /// Transitions to states that were visited before and are not on the depth-first stack.
    pub revisits: u64,
    /// Transitions to states on the depth-first stack.
    pub loops: u64,
    /// Transitions. With the step to the initial state they are the sum of the three above.
    pub transitions: u64,
    /// The longest path on the depth-first stack.
    pub depth: u64,
    /// States without a successor.
    pub ends: u64,
    /// Successors of a state.
    pub out_degree: Spread,
    /// Predecessors of a state.
    pub in_degree: Spread,
    /// The number of breadth-first levels.
    pub levels: u64,
    /// The largest number of states in a level.
    pub width: u64,
    /// Transitions to a level that is not deeper.
    pub back_level_edges: u64,
    /// The largest number of levels that a transition goes back.
    pub longest_back_level_edge: u64,
    /// The strongly connected components.
    pub components: Components,
    /// Bounds of the diameter of the largest component.
    pub diameter: (u64, u64),
    /// The hash functions on these states.
    pub hashing: Vec<Hashing>,
    /// Bytes of a packed state.
    pub state_bytes: Spread,
    /// Bytes of the states and transitions.
    pub memory: u64,
}

/// The smallest, the mean and the largest value.
#[derive(Clone, Copy, PartialEq, Default, Debug, Serialize)]
pub struct Spread {
    /// The smallest value.
    pub least: u64,
    /// The mean.
    pub mean: f64,
    /// The largest value.
    pub most: u64,
}

impl Spread {
    /// The spread of values.
    pub fn of(values: impl Iterator<Item = u64>) -> Spread {
        let (mut least, mut most, mut sum, mut count) = (u64::MAX, 0, 0u64, 0u64);
        for value in values {
            (least, most) = (least.min(value), most.max(value));
            (sum, count) = (sum + value, count + 1);
        }
        match count {
            0 => Spread::default(),
            _ => Spread { least, mean: sum as f64 / count as f64, most },
        }
    }

    fn text(&self) -> String {
        format!("{} to {}, mean {:.2}", grouped(self.least), grouped(self.most), self.mean)
    }
}

/// A hash function on the states of a state space.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Hashing {
    /// The hash function.
    pub function: &'static str,
    /// The number of states whose 32 bits of the hash are those of a state before.
    pub collisions: u64,
    /// The slots that are looked at to enter a state into a table with double hashing that is at most half full.
    pub probes: Spread,
}

/// The strongly connected components.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Components {
    /// All components.
    pub count: u64,
    /// Components of one state without a loop.
    pub trivial: u64,
    /// Components that no transition leaves.
    pub terminal: u64,
    /// Components with a cycle and an accepting state.
    pub accepting: u64,
    /// Components with a cycle in which every state is accepting.
    pub fully_accepting: u64,
    /// The states of the largest.
    pub largest: u64,
    /// The numbers of components by size.
    pub sizes: Vec<SizeClass>,
}

/// The components whose size has the same number of digits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct SizeClass {
    /// The smallest size of the class: a power of ten.
    pub from: u64,
    /// The number of components.
    pub components: u64,
}

impl SizeClass {
    /// The classes that are not empty, by size.
    pub fn of(sizes: &[u64]) -> Vec<SizeClass> {
        let mut classes = BTreeMap::new();
        sizes.iter().filter(|size| **size > 0).for_each(|size| *classes.entry(size.ilog10()).or_insert(0) += 1);
        classes.into_iter().map(|(digits, components)| SizeClass { from: 10u64.pow(digits), components }).collect()
    }

    fn text(&self) -> String {
        format!("{} of {} to {} states", grouped(self.components), grouped(self.from), grouped(self.from * 10 - 1))
    }
}

/// The values that a variable had.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Range {
    /// The process type of a local variable.
    pub process: Option<String>,
    /// The variable.
    pub name: String,
    /// The smallest value.
    pub least: i32,
    /// The largest value.
    pub most: i32,
    /// The smallest and the largest value of its type or range.
    pub holds: (i64, i64),
}

/// A statement and how often it was executed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Profiled {
    /// The process type.
    pub process: String,
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The statement.
    pub statement: String,
    /// The number of executions.
    pub count: u64,
}

impl Survey {
    /// The figures as an indented table.
    pub fn text(&self) -> String {
        let what =
            if self.product { "product of the model and the property, all interleavings" } else { "all interleavings" };
        let mark = if self.complete { "" } else { ", incomplete" };
        let row = |(name, value): (&str, String)| format!("    {name:<17}  {value}\n");
        let rows = self.counts().into_iter().chain(self.shape()).chain(self.hashing_rows());
        format!("  state space ({what}{mark}):\n{}", rows.map(row).collect::<String>())
    }

    /// What a depth-first search counts.
    fn counts(&self) -> Vec<(&'static str, String)> {
        vec![
            ("unique", grouped(self.unique)),
            ("revisits", grouped(self.revisits)),
            ("loops", grouped(self.loops)),
            ("transitions", grouped(self.transitions)),
            ("transitions/state", format!("{:.2}", self.transitions as f64 / self.unique.max(1) as f64)),
            ("depth", grouped(self.depth)),
            ("ends", grouped(self.ends)),
        ]
    }

    /// The shape of the graph.
    fn shape(&self) -> Vec<(&'static str, String)> {
        let c = &self.components;
        let (back, by) = (grouped(self.back_level_edges), counted(self.longest_back_level_edge, "level"));
        let kinds = format!("{}: {} trivial, {} terminal", grouped(c.count), grouped(c.trivial), grouped(c.terminal));
        let sizes: Vec<String> = c.sizes.iter().map(SizeClass::text).collect();
        let accepting = format!("{}, {} fully", grouped(c.accepting), grouped(c.fully_accepting));
        let diameter = format!("{} to {}", grouped(self.diameter.0), grouped(self.diameter.1));
        let mut rows = vec![
            ("successors", self.out_degree.text()),
            ("predecessors", self.in_degree.text()),
            ("levels", format!("{}, width at most {}", grouped(self.levels), grouped(self.width))),
            ("back-level edges", format!("{back}, by at most {by}")),
            ("components", format!("{kinds}, largest {}", grouped(c.largest))),
            ("component sizes", sizes.join(", ")),
            ("diameter", format!("{diameter} in the largest component")),
        ];
        if self.product {
            rows.insert(5, ("accepting", format!("{accepting} accepting components with cycles")));
        }
        rows
    }

    fn hashing_rows(&self) -> Vec<(&'static str, String)> {
        let list = |each: &dyn Fn(&Hashing) -> String| {
            let all = self.hashing.iter().map(|h| format!("{} {}", h.function, each(h)));
            all.collect::<Vec<_>>().join(", ")
        };
        let probes = |h: &Hashing| format!("{:.2}/{}", h.probes.mean, grouped(h.probes.most));
        vec![
            ("hash collisions", format!("{} (32 bits)", list(&|h| grouped(h.collisions)))),
            ("probes", format!("{} (mean/most, table half full)", list(&probes))),
            ("bytes/state", self.state_bytes.text()),
            ("memory", bytes(self.memory)),
        ]
    }
}

/// The statements by place with the number of their executions. A statement may have several edges.
pub fn profile(model: &Model, counts: &[Vec<u64>]) -> Vec<Profiled> {
    let lines = Lines::new(model);
    let mut out = Vec::new();
    for (process, counts) in model.processes.iter().zip(counts) {
        let mut statements = BTreeMap::new();
        // The edge of an indivisible sequence stands for the statements in it.
        let sequence = |edge: &Edge| edge.chain.is_some() && edge.sync.is_none();
        for (edge, count) in process.edges.iter().zip(counts).filter(|(edge, _)| !sequence(edge)) {
            *statements.entry((edge.span, flat(&edge.label))).or_insert(0) += count;
        }
        out.extend(statements.into_iter().map(|((span, statement), count)| {
            let line = lines.of(span);
            let file = lines.file(line.file).to_string();
            Profiled { process: visible(&process.name).into_owned(), file, line: line.first, statement, count }
        }));
    }
    out
}

/// The profile as an indented table.
pub fn profile_text(profile: &[Profiled]) -> String {
    let most = profile.iter().map(|p| grouped(p.count).chars().count()).max().unwrap_or(0);
    let process = profile.iter().map(|p| p.process.chars().count()).max().unwrap_or(0);
    let place = |p: &Profiled| format!("{}:{}", p.file, p.line);
    let room = profile.iter().map(|p| place(p).chars().count()).max().unwrap_or(0);
    let row = |p: &Profiled| {
        format!("    {:>most$}  {:<process$}  {:<room$}  {}\n", grouped(p.count), p.process, place(p), p.statement)
    };
    format!("  executions:\n{}", profile.iter().map(row).collect::<String>())
}

/// The ranges as an indented table.
pub fn ranges_text(ranges: &[Range]) -> String {
    let name = |r: &Range| r.process.as_ref().map_or(r.name.clone(), |process| format!("{process}.{}", r.name));
    let width = ranges.iter().map(|r| name(r).chars().count()).max().unwrap_or(0);
    let values = |r: &Range| if r.least == r.most { r.least.to_string() } else { format!("{} to {}", r.least, r.most) };
    let room = ranges.iter().map(|r| values(r).chars().count()).max().unwrap_or(0);
    let row = |r: &Range| {
        let (low, high) = r.holds;
        format!("    {:<width$}  {:<room$}  of {low} to {high}\n", visible(&name(r)), values(r))
    };
    format!("  ranges of variables:\n{}", ranges.iter().map(row).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spreads_are_of_all_values() {
        assert_eq!(Spread::of([3, 1, 5].into_iter()), Spread { least: 1, mean: 3.0, most: 5 });
        assert_eq!(Spread::of([].into_iter()), Spread::default());
    }

    #[test]
    fn sizes_are_in_classes_by_their_digits() {
        let class = |from, components| SizeClass { from, components };
        assert_eq!(SizeClass::of(&[1, 9, 10, 1, 2000]), [class(1, 3), class(10, 1), class(1000, 1)]);
        assert_eq!(class(10, 1).text(), "1 of 10 to 99 states");
    }

    #[test]
    fn tables_are_aligned() {
        let range = |name: &str, most| Range { process: None, name: name.to_string(), least: 0, most, holds: (0, 255) };
        let expected = "  ranges of variables:\n    n     0 to 3  of 0 to 255\n    long  0       of 0 to 255\n";
        assert_eq!(ranges_text(&[range("n", 3), range("long", 0)]), expected);
    }
}
