//! Who takes part after the beginning: groups of processes that may be interchangeable, and single ones.

use std::collections::{HashMap, HashSet};

use super::scalarsets::Encoding;
use super::templates::merge;
use crate::startup::{Beginning, edges_at, reach};
use crate::writes::writes;
use kripke_model::ir::{Guard, Model, Process, VarId, VarRef};

/// What is known of a local variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Local {
    Varies,
    /// It never changes, and is the same in all members.
    Same(Vec<i32>),
    /// It never changes, and tells the members apart, by this encoding: the value of each.
    Own(usize, Vec<i32>),
}

/// Processes that run the same text: a group, or a single one.
#[derive(Debug)]
pub(super) struct Class {
    pub pids: Vec<usize>,
    /// The text, with more locals than each of them has where they differ in constants.
    pub body: Process,
    pub locals: Vec<Local>,
    /// The locations they can still come to.
    pub reached: Vec<bool>,
    /// Whether they can end.
    pub ends: bool,
}

#[derive(Debug)]
pub(super) struct Cast {
    pub classes: Vec<Class>,
    /// By process number.
    pub class_of: Vec<usize>,
    pub codes: Vec<Encoding>,
    /// Globals that nobody changes.
    pub settled: Vec<bool>,
}

impl Cast {
    /// All that could be groups: processes of one text, several of each.
    pub fn candidates(model: &Model, begun: &Beginning) -> Vec<Vec<usize>> {
        let types: Vec<&Process> =
            begun.views[0].processes.iter().map(|p| &model.processes[p.process.index()]).collect();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for (pid, body) in types.iter().enumerate() {
            match groups.iter_mut().find(|group| merge(&[types[group[0]], body]).is_some()) {
                Some(group) => group.push(pid),
                None => groups.push(vec![pid]),
            }
        }
        let split = groups.into_iter().flat_map(|group| split(model, begun, group));
        split.filter(|group| group.len() > 1).collect()
    }

    /// With these groups; everybody else is alone.
    pub fn new(model: &Model, begun: &Beginning, groups: &[Vec<usize>]) -> Cast {
        let count = begun.views[0].processes.len();
        let mut cast = Cast { classes: Vec::new(), class_of: vec![0; count], codes: Vec::new(), settled: Vec::new() };
        let alone = (0..count).filter(|pid| !groups.iter().any(|group| group.contains(pid))).map(|pid| vec![pid]);
        for pids in groups.iter().cloned().chain(alone) {
            cast.add(model, begun, pids);
        }
        let mut changed = HashSet::new();
        for class in &cast.classes {
            changes(&class.body, &class.reached, &mut changed);
        }
        if let Some(observer) = &model.observer {
            changes(&observer.automaton, &vec![true; observer.automaton.locations.len()], &mut changed);
        }
        let global = |n: usize| {
            let same = begun.views.iter().all(|view| view.globals[n] == begun.views[0].globals[n]);
            same && !changed.contains(&VarRef::Global(VarId(n as u32)))
        };
        cast.settled = (0..model.globals.len()).map(global).collect();
        cast
    }

    fn add(&mut self, model: &Model, begun: &Beginning, pids: Vec<usize>) {
        let number = self.classes.len();
        pids.iter().for_each(|pid| self.class_of[*pid] = number);
        let (body, reached, fixed) = text(model, begun, &pids);
        let local = |(n, values): (usize, Option<Vec<Vec<i32>>>)| match values {
            None => Local::Varies,
            Some(mut values) if values.iter().all(|v| *v == values[0]) => Local::Same(values.swap_remove(0)),
            Some(values) => {
                let added = body.locals[n].name.starts_with("constant ");
                let name =
                    if added { "a constant that differs".to_string() } else { format!("`{}`", body.locals[n].name) };
                let values: Vec<i32> = values.iter().map(|v| v[0]).collect();
                let encoding = Encoding { class: number, values: values.clone(), name };
                Local::Own(encoding.number(&mut self.codes), values)
            }
        };
        let locals = fixed.into_iter().enumerate().map(local).collect();
        let ends = edges_at(&body, &reached).any(|e| matches!(e.guard, Guard::Youngest));
        self.classes.push(Class { pids, body, locals, reached, ends });
    }

    pub fn is_group(&self, class: usize) -> bool {
        self.classes[class].pids.len() > 1
    }
}

/// The text of some processes, where they can still come to, and for each local variable its values in each process, if
/// they never change.
type Text = (Process, Vec<bool>, Vec<Option<Vec<Vec<i32>>>>);

fn text(model: &Model, begun: &Beginning, pids: &[usize]) -> Text {
    let types: Vec<&Process> =
        pids.iter().map(|pid| &model.processes[begun.views[0].processes[*pid].process.index()]).collect();
    let (body, added) = merge(&types).expect("they were merged before");
    let mut reached = vec![false; body.locations.len()];
    for view in &begun.views {
        pids.iter().for_each(|pid| reach(&body, view.processes[*pid].location, &mut reached));
    }
    let mut changed = HashSet::new();
    changes(&body, &reached, &mut changed);
    let own = types[0].locals.len();
    let values = |n: usize| {
        let same = |pid: &usize| {
            let value = &begun.views[0].processes[*pid].locals[n];
            begun.views.iter().all(|view| view.processes[*pid].locals[n] == *value).then(|| value.clone())
        };
        let fixed = !changed.contains(&VarRef::Local(VarId(n as u32)));
        if fixed { pids.iter().map(same).collect::<Option<Vec<_>>>() } else { None }
    };
    let mut locals: Vec<Option<Vec<Vec<i32>>>> = (0..own).map(values).collect();
    locals.extend(added.into_iter().map(|values| Some(values.into_iter().map(|v| vec![v]).collect())));
    (body, reached, locals)
}

/// Parts of a group such that what never changes is the same in all members, or different in each.
fn split(model: &Model, begun: &Beginning, group: Vec<usize>) -> Vec<Vec<usize>> {
    if group.len() < 2 {
        return vec![group];
    }
    let (_, _, locals) = text(model, begun, &group);
    for values in locals.into_iter().flatten() {
        let distinct: HashSet<&Vec<i32>> = values.iter().collect();
        let tells = distinct.len() == group.len() && values[0].len() == 1;
        if distinct.len() == 1 || tells {
            continue;
        }
        let mut parts: HashMap<&Vec<i32>, Vec<usize>> = HashMap::new();
        for (pid, value) in group.iter().zip(&values) {
            parts.entry(value).or_default().push(*pid);
        }
        let mut parts: Vec<Vec<usize>> = parts.into_values().collect();
        parts.sort();
        return parts.into_iter().flat_map(|part| split(model, begun, part)).collect();
    }
    vec![group]
}

/// What the process can change from there.
fn changes(process: &Process, reached: &[bool], out: &mut HashSet<VarRef>) {
    for edge in edges_at(process, reached) {
        writes(edge, &mut |var| {
            out.insert(var);
        });
    }
}
