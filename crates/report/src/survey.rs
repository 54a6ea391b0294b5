//! The characteristics of a state space, the profile of statements and the ranges of variables, as text.

use std::collections::BTreeMap;

use kripke_model::ir::{Edge, Model};
use serde::Serialize;

use crate::escape::visible;
use crate::number::{bytes, grouped};
use crate::run::flat;
use crate::source::Lines;

/// The characteristics of a state space: of all interleavings, without reductions.
#[derive(Clone, PartialEq, Default, Debug, Serialize)]
pub struct Survey {
    /// Whether every reachable state was visited.
    pub complete: bool,
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
    /// Collisions of the hash functions: states whose first 32 bits of the hash are those of another state.
    pub collisions: Vec<Collisions>,
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

/// The collisions of a hash function.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Collisions {
    /// The hash function.
    pub function: &'static str,
    /// The number of states that are not the first with their hash.
    pub collisions: u64,
}

/// The strongly connected components.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Components {
    /// All components.
    pub count: u64,
    /// Components of one state without a loop.
    pub trivial: u64,
    /// Components that no transition leaves.
    pub terminal: u64,
    /// The states of the largest.
    pub largest: u64,
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
        let c = &self.components;
        let diameter = format!("{} to {}", grouped(self.diameter.0), grouped(self.diameter.1));
        let each = |c: &Collisions| format!("{} {}", c.function, grouped(c.collisions));
        let collisions: Vec<String> = self.collisions.iter().map(each).collect();
        let collisions = format!("{} (32 bits)", collisions.join(", "));
        let rows = [
            ("unique", grouped(self.unique)),
            ("revisits", grouped(self.revisits)),
            ("loops", grouped(self.loops)),
            ("transitions", grouped(self.transitions)),
            ("transitions/state", format!("{:.2}", self.transitions as f64 / self.unique.max(1) as f64)),
            ("depth", grouped(self.depth)),
            ("ends", grouped(self.ends)),
            ("successors", self.out_degree.text()),
            ("predecessors", self.in_degree.text()),
            ("levels", format!("{}, width at most {}", grouped(self.levels), grouped(self.width))),
            (
                "back-level edges",
                format!(
                    "{}, by at most {} levels",
                    grouped(self.back_level_edges),
                    grouped(self.longest_back_level_edge)
                ),
            ),
            (
                "components",
                format!(
                    "{}: {} trivial, {} terminal, largest {}",
                    grouped(c.count),
                    grouped(c.trivial),
                    grouped(c.terminal),
                    grouped(c.largest)
                ),
            ),
            ("diameter", format!("{diameter} in the largest component")),
            ("hash collisions", collisions),
            ("bytes/state", self.state_bytes.text()),
            ("memory", bytes(self.memory)),
        ];
        let what = if self.complete { "all interleavings" } else { "all interleavings, incomplete" };
        let rows: String = rows.iter().map(|(name, value)| format!("    {name:<17}  {value}\n")).collect();
        format!("  state space ({what}):\n{rows}")
    }
}

/// The characteristics by which models are compared and selected.
pub const CHARACTERISTICS: [&str; 11] = [
    "states",
    "transitions",
    "depth",
    "levels",
    "width",
    "back-level",
    "components",
    "largest",
    "diameter",
    "successors",
    "bytes",
];

/// The header of the table as CSV.
pub const CSV_HEADER: &str =
    "model,complete,states,transitions,depth,levels,width,back-level,components,largest,diameter,successors,bytes";

impl Survey {
    /// The value of a characteristic. The number of successors and the length of states are means, the diameter is a lower bound.
    pub fn value(&self, characteristic: &str) -> Option<f64> {
        let whole = |n: u64| Some(n as f64);
        match characteristic {
            "states" => whole(self.unique),
            "transitions" => whole(self.transitions),
            "depth" => whole(self.depth),
            "levels" => whole(self.levels),
            "width" => whole(self.width),
            "back-level" => whole(self.back_level_edges),
            "components" => whole(self.components.count),
            "largest" => whole(self.components.largest),
            "diameter" => whole(self.diameter.0),
            "successors" => Some(self.out_degree.mean),
            "bytes" => Some(self.state_bytes.mean),
            _ => None,
        }
    }

    fn cells(&self) -> Vec<String> {
        let cell = |name: &&str| match (*name, self.value(name).unwrap_or(0.0)) {
            ("successors" | "bytes", mean) => format!("{mean:.2}"),
            (_, whole) => grouped(whole as u64),
        };
        CHARACTERISTICS.iter().map(cell).collect()
    }
}

/// The characteristics of several models as a table. An incomplete survey is marked.
pub fn table(models: &[(String, Survey)]) -> String {
    let head = std::iter::once("model").chain(CHARACTERISTICS).map(String::from).collect::<Vec<_>>();
    let mark = |survey: &Survey| if survey.complete { "" } else { " (incomplete)" };
    let row = |(name, survey): &(String, Survey)| {
        std::iter::once(format!("{}{}", visible(name), mark(survey))).chain(survey.cells()).collect::<Vec<_>>()
    };
    let rows: Vec<Vec<String>> = std::iter::once(head).chain(models.iter().map(row)).collect();
    let width = |i: usize| rows.iter().map(|row| row[i].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..=CHARACTERISTICS.len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).skip(1).map(|(cell, width)| format!("  {cell:>width$}"));
        format!("{:<width$}{}\n", row[0], cells.collect::<String>(), width = widths[0])
    };
    rows.iter().map(line).collect()
}

/// The same as CSV.
pub fn csv(models: &[(String, Survey)]) -> String {
    let row = |(name, survey): &(String, Survey)| {
        let values = CHARACTERISTICS.iter().map(|name| survey.value(name).unwrap_or(0.0).to_string());
        let values: Vec<String> = values.collect();
        format!("\"{}\",{},{}\n", visible(name).replace('"', "\"\""), survey.complete, values.join(","))
    };
    format!("{CSV_HEADER}\n{}", models.iter().map(row).collect::<String>())
}

/// A condition on characteristics: `states>=1000`.
#[derive(Clone, PartialEq, Debug)]
pub struct Condition {
    characteristic: String,
    operator: &'static str,
    number: f64,
}

impl std::str::FromStr for Condition {
    type Err = String;

    fn from_str(text: &str) -> Result<Condition, String> {
        let operators = [">=", "<=", ">", "<", "="];
        let found = operators.iter().find_map(|operator| Some((*operator, text.split_once(operator)?)));
        let (operator, (name, number)) = found.ok_or("a condition is NAME>=NUMBER, with >=, <=, >, < or =")?;
        let name = name.trim();
        if !CHARACTERISTICS.contains(&name) {
            return Err(format!("unknown characteristic `{name}`; there are {}", CHARACTERISTICS.join(", ")));
        }
        let number = number.trim().parse::<f64>().map_err(|_| format!("`{}` is no number", number.trim()))?;
        Ok(Condition { characteristic: name.to_string(), operator, number })
    }
}

impl Condition {
    /// Whether a state space satisfies the condition.
    pub fn holds(&self, survey: &Survey) -> bool {
        let value = survey.value(&self.characteristic).unwrap_or(f64::NAN);
        match self.operator {
            ">=" => value >= self.number,
            "<=" => value <= self.number,
            ">" => value > self.number,
            "<" => value < self.number,
            _ => (value - self.number).abs() < 1e-9,
        }
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
    fn conditions_are_read_and_evaluated() {
        let survey = Survey { unique: 38, levels: 10, ..Survey::default() };
        for (text, holds) in [("states>=38", true), ("states < 38", false), ("levels=10", true), ("width>0", false)] {
            assert_eq!(text.parse::<Condition>().unwrap().holds(&survey), holds, "{text}");
        }
        for text in ["states", "size>3", "states>many"] {
            assert!(text.parse::<Condition>().is_err(), "{text}");
        }
        let models = [("a,b.pml".to_string(), survey)];
        assert!(csv(&models).ends_with("\n\"a,b.pml\",false,38,0,0,10,0,0,0,0,0,0,0\n"), "{}", csv(&models));
        assert!(table(&models).lines().all(|line| line.len() == table(&models).lines().next().unwrap().len()));
        assert!(CSV_HEADER.ends_with(&CHARACTERISTICS.join(",")));
    }

    #[test]
    fn tables_are_aligned() {
        let range = |name: &str, most| Range { process: None, name: name.to_string(), least: 0, most, holds: (0, 255) };
        let expected = "  ranges of variables:\n    n     0 to 3  of 0 to 255\n    long  0       of 0 to 255\n";
        assert_eq!(ranges_text(&[range("n", 3), range("long", 0)]), expected);
    }
}
