//! Coverage: statements that were never executed.

use std::collections::{BTreeMap, BTreeSet};

use kripke_model::ir::{Edge, Effect, Expr, FileId, Guard, Model, Process, Span};

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

/// A part of a reached location that was never executed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Dead {
    /// The kind.
    pub kind: DeadKind,
    /// The line of the statement.
    pub line: Line,
    /// The text of the statement.
    pub statement: String,
}

/// The kind of a dead part.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum DeadKind {
    /// A condition that was never true where a process waited for it.
    Guard,
    /// An `else` that was never taken.
    Else,
    /// An assertion that was never evaluated.
    Assertion,
}

impl DeadKind {
    /// The kind as a key in machine-readable results.
    pub fn word(self) -> &'static str {
        match self {
            DeadKind::Guard => "guard",
            DeadKind::Else => "else",
            DeadKind::Assertion => "assertion",
        }
    }

    fn words(self, one: bool) -> &'static str {
        match (self, one) {
            (DeadKind::Guard, true) => "guard never true",
            (DeadKind::Guard, false) => "guards never true",
            (DeadKind::Else, _) => "else never taken",
            (DeadKind::Assertion, true) => "assertion never reached",
            (DeadKind::Assertion, false) => "assertions never reached",
        }
    }
}

/// The conditions that were never true though a process came to them, the `else` branches that were never taken there, and the
/// assertions that were never evaluated.
pub fn dead(model: &Model, executed: &[Vec<bool>]) -> Vec<Dead> {
    let lines = Lines::new(model);
    let mut out: BTreeMap<(DeadKind, Span, String), bool> = BTreeMap::new();
    let created = created(model, executed);
    for (number, (process, executed)) in model.processes.iter().zip(executed).enumerate() {
        let mut reached = reached(process, executed);
        reached[process.entry.index()] |= created.contains(&number);
        let owners = process.locations.iter().zip(&reached).flat_map(|(l, r)| l.edges.iter().map(|e| (e.index(), *r)));
        let owners: BTreeMap<usize, bool> = owners.collect();
        for (at, (edge, taken)) in process.edges.iter().zip(executed).enumerate() {
            let here = owners.get(&at).copied().unwrap_or(false);
            let Some(kind) = dead_kind(edge, here).filter(|_| !only_fails(edge)) else { continue };
            *out.entry((kind, edge.span, flat(&edge.label))).or_insert(false) |= *taken;
        }
    }
    let dead = out.into_iter().filter(|(_, taken)| !taken).map(|((kind, span, statement), _)| {
        let line = lines.of(span);
        Dead { kind, line: Line { last: line.first, ..line }, statement }
    });
    dead.collect()
}

/// The kind of an edge that is dead if it was never taken. `here`: its location was reached.
fn dead_kind(edge: &Edge, here: bool) -> Option<DeadKind> {
    match &edge.guard {
        _ if edge.effects.iter().any(|effect| matches!(effect, Effect::Assert(_))) => Some(DeadKind::Assertion),
        Guard::Else if here => Some(DeadKind::Else),
        Guard::When(condition) if here && edge.sync.is_none() && !matches!(condition, Expr::Const(_)) => {
            Some(DeadKind::Guard)
        }
        _ => None,
    }
}

/// The process types of which there was an instance.
fn created(model: &Model, executed: &[Vec<bool>]) -> BTreeSet<usize> {
    let edges = model.processes.iter().zip(executed).flat_map(|(process, executed)| process.edges.iter().zip(executed));
    let effects = edges.filter(|(_, taken)| **taken).flat_map(|(edge, _)| &edge.effects);
    let run = effects.filter_map(|effect| match effect {
        Effect::Run { process, .. } => Some(process.index()),
        _ => None,
    });
    model.start.iter().map(|start| start.process.index()).chain(run).collect()
}

/// The locations that a process was at: sources and targets of executed edges.
fn reached(process: &Process, executed: &[bool]) -> Vec<bool> {
    let mut reached = vec![false; process.locations.len()];
    let mut mark = |location: usize| reached.get_mut(location).into_iter().for_each(|r| *r = true);
    let taken = process.edges.iter().zip(executed).filter(|(_, taken)| **taken).map(|(edge, _)| edge);
    for edge in taken {
        mark(edge.chain.unwrap_or(edge.target).index());
    }
    for (number, location) in process.locations.iter().enumerate() {
        if location.edges.iter().any(|edge| executed.get(edge.index()) == Some(&true)) {
            mark(number);
        }
    }
    reached
}

/// Dead statements of a kind that the summary names. The machine-readable result has all.
const MAX_DEAD_SHOWN: usize = 6;

/// One line: `guard never true: m.pml:7 (x == 5); else never taken: m.pml:9`. `None` if nothing is dead.
pub fn dead_summary(model: &Model, dead: &[Dead]) -> Option<String> {
    let lines = Lines::new(model);
    let part = |d: &Dead| match d.kind {
        DeadKind::Else => format!("{}:{}", lines.file(d.line.file), d.line),
        _ => format!("{}:{} ({})", lines.file(d.line.file), d.line, d.statement),
    };
    let of = |kind: DeadKind| {
        let all: Vec<&Dead> = dead.iter().filter(|d| d.kind == kind).collect();
        let mut parts: Vec<String> = all.iter().take(MAX_DEAD_SHOWN).map(|d| part(d)).collect();
        if all.len() > MAX_DEAD_SHOWN {
            parts.push(format!("{} more", all.len() - MAX_DEAD_SHOWN));
        }
        (!parts.is_empty()).then(|| format!("{}: {}", kind.words(all.len() == 1), parts.join(", ")))
    };
    let kinds: Vec<String> =
        [DeadKind::Guard, DeadKind::Else, DeadKind::Assertion].into_iter().filter_map(of).collect();
    (!kinds.is_empty()).then(|| kinds.join("; "))
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
        let dead = dead(&model, &executed);
        let want =
            "guard never true: second.pml:10 (!wantp); assertion never reached: second.pml:6 (assert(critical==1))";
        assert_eq!(dead_summary(&model, &dead).unwrap(), want);
        let many = vec![dead[0].clone(); MAX_DEAD_SHOWN + 3];
        let line = dead_summary(&model, &many).unwrap();
        assert!(line.starts_with("guards never true: ") && line.ends_with(", 3 more"), "{line}");
        assert_eq!(line.matches("second.pml").count(), MAX_DEAD_SHOWN);
        executed[0] = vec![false; 6];
        executed[1] = vec![true; 6];
        let dead: Vec<&str> = super::dead(&model, &executed).iter().map(|d| d.kind.word()).collect();
        assert_eq!(dead, ["guard", "assertion"], "a guard after an unreached one is not told");
    }
}
