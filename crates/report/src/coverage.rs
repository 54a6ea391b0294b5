//! Coverage: statements that were never executed.

use std::collections::{BTreeMap, BTreeSet};

use kripke_model::ir::{Edge, Effect, Expr, FileId, Model};

use crate::run::flat;
use crate::source::{Line, Lines};

/// A statement that was never executed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Unreached {
    /// The name of the process type.
    pub process: String,
    /// The line of the statement.
    pub line: Line,
    /// The text of the statement.
    pub statement: String,
}

/// The statements that were never executed, by process and place. A statement is executed if one of its edges is.
pub fn unreached(model: &Model, executed: &[Vec<bool>]) -> Vec<Unreached> {
    let lines = Lines::new(model);
    let mut out = Vec::new();
    for (process, executed) in model.processes.iter().zip(executed) {
        let mut statements = BTreeMap::new();
        for (edge, taken) in process.edges.iter().zip(executed).filter(|(edge, _)| !only_fails(edge)) {
            let line = lines.of(edge.span);
            let key = (edge.span, flat(&edge.label));
            let entry = statements.entry(key).or_insert((line, false));
            entry.1 |= *taken;
        }
        let missed = statements.into_iter().filter(|(_, (_, taken))| !taken);
        out.extend(missed.map(|((_, statement), (line, _))| Unreached {
            process: process.name.clone(),
            line: Line { last: line.first, ..line },
            statement,
        }));
    }
    out
}

/// Whether an edge only stands for a fault. Such edges have no statement in the text.
fn only_fails(edge: &Edge) -> bool {
    matches!(edge.effects.first(), Some(Effect::Require { condition: Expr::Const(0), .. }))
}

/// The places in short form, `proto.pml:88, :131-132`; `None` if every statement was executed.
pub fn summary(model: &Model, missed: &[Unreached]) -> Option<String> {
    let lines = Lines::new(model);
    let mut by_file: BTreeMap<FileId, BTreeSet<u32>> = BTreeMap::new();
    for m in missed {
        by_file.entry(m.line.file).or_default().insert(m.line.first);
    }
    let mut parts = Vec::new();
    for (file, numbers) in by_file {
        for (i, range) in ranges(&numbers, file).iter().enumerate() {
            parts.push(if i == 0 { format!("{}:{range}", lines.file(file)) } else { format!(":{range}") });
        }
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn ranges(numbers: &BTreeSet<u32>, file: FileId) -> Vec<Line> {
    let mut out: Vec<Line> = Vec::new();
    for &n in numbers {
        match out.last_mut() {
            Some(range) if range.last + 1 == n => range.last = n,
            _ => out.push(Line { file, first: n, last: n }),
        }
    }
    out
}

/// One line per statement.
pub fn details(model: &Model, missed: &[Unreached]) -> String {
    let lines = Lines::new(model);
    let width = missed.iter().map(|m| m.process.chars().count()).max().unwrap_or(0);
    let place = |m: &Unreached| format!("{}:{}", lines.file(m.line.file), m.line);
    let room = missed.iter().map(|m| place(m).chars().count()).max().unwrap_or(0);
    missed.iter().map(|m| format!("    {:<width$}  {:<room$}  {}\n", m.process, place(m), m.statement)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn lines_are_gathered_into_ranges() {
        let model = sample::mutex();
        let mut executed = vec![vec![true; 6], vec![true; 6]];
        assert_eq!(summary(&model, &unreached(&model, &executed)), None);
        executed[0][3] = false;
        executed[1][0] = false;
        executed[1][1] = false;
        let missed = unreached(&model, &executed);
        assert_eq!(summary(&model, &missed).unwrap(), "second.pml:6, :10-11");
        let want = "    p  second.pml:6   assert(critical==1)
    q  second.pml:10  !wantp
    q  second.pml:11  wantq = true
";
        assert_eq!(details(&model, &missed), want);
    }
}
