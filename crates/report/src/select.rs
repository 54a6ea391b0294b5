//! The choice of columns and rows of a trace table.

use std::collections::{BTreeSet, HashSet};

use kripke_model::ir::{Shows, Var, VarId};

use crate::names::{Item, Names, What, channel_item, variables};
use crate::run::Run;

/// The columns and rows of a table, and what is added to them.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Patterns of the variables that are shown, in this order; empty for the usual choice.
    pub show: Vec<String>,
    /// Patterns of the variables that are not shown.
    pub hide: Vec<String>,
    /// Patterns of the processes whose steps are shown; empty for all.
    pub processes: Vec<String>,
    /// Patterns of the statements that are shown; empty for all.
    pub statements: Vec<String>,
    /// Whether all variables are shown, also those that never change.
    pub all: bool,
    /// Whether only columns and rows with a change are shown.
    pub changes: bool,
    /// Columns with values of expressions.
    pub watched: Vec<Watched>,
    /// Remarks on states, by the number of steps before them.
    pub marks: Vec<(usize, String)>,
    /// Remarks on the run.
    pub notes: Vec<String>,
    /// The steps without which the error occurs, too.
    pub minor: BTreeSet<usize>,
}

/// A column with the values of an expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Watched {
    /// The text of the expression.
    pub name: String,
    /// The value in each state, beginning with the initial one; `None` if its evaluation is a fault.
    pub values: Vec<Option<i32>>,
}

impl Selection {
    /// Whether the user has chosen the columns, so that none is left out for want of space.
    pub fn is_explicit(&self) -> bool {
        self.all || !self.show.is_empty()
    }

    /// The patterns of `--show` that no variable of a run matches.
    pub fn unmatched(&self, run: &Run, names: &Names) -> Vec<String> {
        let all = items(run);
        let used = |pattern: &String| {
            all.iter().any(|item| matches_item(pattern, run, names, *item))
                || self.watched.iter().any(|watched| matches(pattern, &watched.name))
        };
        self.show.iter().filter(|pattern| !used(pattern)).cloned().collect()
    }

    /// The first pattern of `--process` or `--statement` that no step of a run matches, and its option.
    pub fn unmatched_row(&self, run: &Run, names: &Names) -> Option<(&'static str, String)> {
        let has_step = |rows: &Selection| (1..=run.moves().len()).any(|step| rows.has_row(run, names, step));
        let process = |pattern: &&String| {
            let rows = Selection { processes: vec![(*pattern).clone()], ..Selection::default() };
            !has_step(&rows)
        };
        let statement = |pattern: &&String| {
            let rows = Selection { statements: vec![(*pattern).clone()], ..Selection::default() };
            !has_step(&rows)
        };
        let of_processes = self.processes.iter().find(process).map(|pattern| ("--process", pattern.clone()));
        of_processes.or_else(|| self.statements.iter().find(statement).map(|pattern| ("--statement", pattern.clone())))
    }

    /// The items to show, in the order of the patterns.
    pub fn chosen(&self, run: &Run, names: &Names) -> Vec<Item> {
        let all = items(run);
        if self.show.is_empty() {
            return all;
        }
        let mut out = Vec::new();
        for pattern in &self.show {
            let new = |item: &&Item| matches_item(pattern, run, names, **item) && !out.contains(*item);
            let found: Vec<Item> = all.iter().filter(new).copied().collect();
            out.extend(found);
        }
        out
    }

    /// Whether an item is hidden.
    pub fn hides(&self, run: &Run, names: &Names, item: Item) -> bool {
        self.hide.iter().any(|pattern| matches_item(pattern, run, names, item))
    }

    /// Whether a watched expression is hidden.
    pub fn hides_name(&self, name: &str) -> bool {
        self.hide.iter().any(|pattern| matches(pattern, name))
    }

    /// Whether the step is one of a chosen process and statement; `step` counts from 1.
    pub fn has_row(&self, run: &Run, names: &Names, step: usize) -> bool {
        let taken = &run.moves()[step - 1];
        let process = |pattern: &String| {
            let partners = taken.partner.iter().chain(&taken.others).map(|p| (p.pid, p.process));
            partners.chain([(taken.pid, taken.process)]).any(|(pid, process)| {
                let name = names.process(run.model(), process, pid);
                matches(pattern, &name) || matches(pattern, type_name(&name))
            })
        };
        let statement = |pattern: &String| matches(pattern, &run.statements(taken));
        (self.processes.is_empty() || !run.is_pause(taken) && self.processes.iter().any(process))
            && (self.statements.is_empty() || self.statements.iter().any(statement))
    }
}

/// Every variable element and channel that exists in some state of a run.
pub fn items(run: &Run) -> Vec<Item> {
    let mut out = BTreeSet::new();
    let mut seen = HashSet::new();
    for steps in run.generations() {
        let view = run.view(steps);
        let shape: Vec<(u8, u32)> = view.processes.iter().map(|p| (p.pid, p.process.0)).collect();
        if !seen.insert(shape) {
            continue;
        }
        let owners = std::iter::once(None).chain(view.processes.iter().map(|p| Some((p.pid, p.process))));
        for owner in owners {
            let is_shown = |var: &Var| !var.hidden && (owner.is_some() || var.ty.shows != Shows::Channel);
            for (i, var) in variables(run.model(), owner).iter().enumerate().filter(|(_, var)| is_shown(var)) {
                let element = |at| Item { owner, what: What::Element { var: VarId(i as u32), at } };
                out.extend((0..var.len() as u32).map(element));
            }
        }
        out.extend((0..view.channels.len()).filter_map(|i| {
            let buffered = run.model().channels[view.channels[i].declaration.index()].capacity > 0;
            channel_item(&view, i).filter(|_| buffered)
        }));
    }
    out.into_iter().collect()
}

/// Whether a pattern matches an item: its full name, its name without indices, or its name with the process type in
/// place of the process.
fn matches_item(pattern: &str, run: &Run, names: &Names, item: Item) -> bool {
    let own = names.own(run.model(), item);
    let plain = own.split('[').next().unwrap_or(&own);
    let name = |own: &str| match names.owner(run.model(), item) {
        None => vec![own.to_string()],
        Some(owner) => vec![format!("{owner}.{own}"), format!("{}.{own}", type_name(&owner))],
    };
    name(&own).iter().chain(&name(plain)).any(|name| matches(pattern, name))
}

/// The type in the name of a process: `p` in `p(1)`.
fn type_name(process: &str) -> &str {
    process.split('(').next().unwrap_or(process)
}

/// Whether a pattern with `*` (any text) and `?` (any character) matches a text.
pub fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    // The last star, and the text that it had taken when the rest did not match.
    let (mut p, mut t, mut star) = (0, 0, None);
    while t < text.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(c) if *c == '?' || *c == text[t] => (p, t) = (p + 1, t + 1),
            _ => match star {
                Some((at, taken)) => {
                    star = Some((at, taken + 1));
                    (p, t) = (at + 1, taken + 1);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn patterns_are_matched() {
        for (pattern, text, want) in [
            ("x", "x", true),
            ("x", "xy", false),
            ("x*", "xy", true),
            ("*y", "xyxy", true),
            ("a*b*c", "axbxbc", true),
            ("a*b*c", "axbxb", false),
            ("?", "é", true),
            ("", "", true),
            ("*", "", true),
            ("?", "", false),
        ] {
            assert_eq!(matches(pattern, text), want, "{pattern} {text}");
        }
    }

    #[test]
    fn items_are_found_by_process_type_and_by_instance() {
        let (run, _) = sample::counterexample(sample::handshake());
        let names = run.names();
        let chosen = |show: &[&str]| {
            let selection = Selection { show: show.iter().map(ToString::to_string).collect(), ..Selection::default() };
            let found = selection.chosen(&run, &names);
            found.iter().map(|item| names.item(run.model(), *item)).collect::<Vec<_>>()
        };
        assert_eq!(chosen(&["receiver.*", "d"]), ["receiver(1).x", "receiver(2).x", "d"]);
        assert_eq!(chosen(&["receiver(2).x"]), ["receiver(2).x"]);
        let selection = Selection { show: vec!["d".into(), "nothing".into()], ..Selection::default() };
        assert_eq!(selection.unmatched(&run, &names), ["nothing"]);
        let rows = |process: &str, statement: &str| {
            let rows = Selection {
                processes: vec![process.into()],
                statements: vec![statement.into()],
                ..Selection::default()
            };
            rows.unmatched_row(&run, &names)
        };
        assert_eq!(rows("sender", "d!*"), None);
        assert_eq!(rows("receiver(2)", "nothing"), Some(("--statement", "nothing".to_string())));
        assert_eq!(rows("receiver(3)", "*"), Some(("--process", "receiver(3)".to_string())));
    }
}
