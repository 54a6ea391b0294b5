//! The process instances after the startup phase: candidate groups of symmetric processes, and single ones.

use std::collections::{HashMap, HashSet};

use super::scalarsets::Scalarset;
use super::templates::common_template;
use crate::startup::{Startup, edges_at, reach};
use crate::writes::writes;
use kripke_model::ir::{Guard, Model, Process, VarId, VarRef};

/// The values of a local variable in the members of a class.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Local {
    Varies,
    /// It never changes and is equal in all members.
    Same(Vec<i32>),
    /// It never changes and is different in each member: a value of this scalarset.
    Distinct(usize, Vec<i32>),
}

/// Instances of one template: a group, or a single process.
#[derive(Debug)]
pub(super) struct Class {
    pub pids: Vec<usize>,
    /// The template, with additional locals for the constants in which the types differ.
    pub body: Process,
    pub locals: Vec<Local>,
    /// The locations that are reachable after the startup phase.
    pub reached: Vec<bool>,
    /// True if they can end.
    pub ends: bool,
}

#[derive(Debug)]
pub(super) struct Instances {
    pub classes: Vec<Class>,
    /// The class of each process.
    pub class_of: Vec<usize>,
    pub scalarsets: Vec<Scalarset>,
    /// For each global whether it never changes.
    pub constant_globals: Vec<bool>,
}

impl Instances {
    /// The candidate groups: several instances of one template.
    pub fn candidates(model: &Model, startup: &Startup) -> Vec<Vec<usize>> {
        let types: Vec<&Process> =
            startup.views[0].processes.iter().map(|p| &model.processes[p.process.index()]).collect();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for (pid, body) in types.iter().enumerate() {
            match groups.iter_mut().find(|group| common_template(&[types[group[0]], body]).is_some()) {
                Some(group) => group.push(pid),
                None => groups.push(vec![pid]),
            }
        }
        let split = groups.into_iter().flat_map(|group| split(model, startup, group));
        split.filter(|group| group.len() > 1).collect()
    }

    /// The classes for these groups; every other process is a class of its own.
    pub fn new(model: &Model, startup: &Startup, groups: &[Vec<usize>]) -> Instances {
        let count = startup.views[0].processes.len();
        let mut instances = Instances {
            classes: Vec::new(),
            class_of: vec![0; count],
            scalarsets: Vec::new(),
            constant_globals: Vec::new(),
        };
        let alone = (0..count).filter(|pid| !groups.iter().any(|group| group.contains(pid))).map(|pid| vec![pid]);
        for pids in groups.iter().cloned().chain(alone) {
            instances.add(model, startup, pids);
        }
        let mut changed = HashSet::new();
        for class in &instances.classes {
            changes(&class.body, &class.reached, &mut changed);
        }
        if let Some(observer) = &model.observer {
            changes(&observer.automaton, &vec![true; observer.automaton.locations.len()], &mut changed);
        }
        let global = |n: usize| {
            let same = startup.views.iter().all(|view| view.globals[n] == startup.views[0].globals[n]);
            same && !changed.contains(&VarRef::Global(VarId(n as u32)))
        };
        instances.constant_globals = (0..model.globals.len()).map(global).collect();
        instances
    }

    fn add(&mut self, model: &Model, startup: &Startup, pids: Vec<usize>) {
        let number = self.classes.len();
        pids.iter().for_each(|pid| self.class_of[*pid] = number);
        let (body, reached, fixed) = template(model, startup, &pids);
        let local = |(n, values): (usize, Option<Vec<Vec<i32>>>)| match values {
            None => Local::Varies,
            Some(mut values) if values.iter().all(|v| *v == values[0]) => Local::Same(values.swap_remove(0)),
            Some(values) => {
                let added = body.locals[n].name.starts_with("constant ");
                let name =
                    if added { "a constant that differs".to_string() } else { format!("`{}`", body.locals[n].name) };
                let values: Vec<i32> = values.iter().map(|v| v[0]).collect();
                let set = Scalarset { class: number, values: values.clone(), name };
                Local::Distinct(set.number(&mut self.scalarsets), values)
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

/// The template of some processes, its reachable locations, and for each local its values in each process if they
/// never change.
type Template = (Process, Vec<bool>, Vec<Option<Vec<Vec<i32>>>>);

fn template(model: &Model, startup: &Startup, pids: &[usize]) -> Template {
    let types: Vec<&Process> =
        pids.iter().map(|pid| &model.processes[startup.views[0].processes[*pid].process.index()]).collect();
    let (body, added) = common_template(&types).expect("the types have a common template");
    let mut reached = vec![false; body.locations.len()];
    for view in &startup.views {
        pids.iter().for_each(|pid| reach(&body, view.processes[*pid].location, &mut reached));
    }
    let mut changed = HashSet::new();
    changes(&body, &reached, &mut changed);
    let own = types[0].locals.len();
    let values = |n: usize| {
        let same = |pid: &usize| {
            let value = &startup.views[0].processes[*pid].locals[n];
            startup.views.iter().all(|view| view.processes[*pid].locals[n] == *value).then(|| value.clone())
        };
        let fixed = !changed.contains(&VarRef::Local(VarId(n as u32)));
        if fixed { pids.iter().map(same).collect::<Option<Vec<_>>>() } else { None }
    };
    let mut locals: Vec<Option<Vec<Vec<i32>>>> = (0..own).map(values).collect();
    locals.extend(added.into_iter().map(|values| Some(values.into_iter().map(|v| vec![v]).collect())));
    (body, reached, locals)
}

/// Splits a group such that every constant local is equal in all members or different in each.
fn split(model: &Model, startup: &Startup, group: Vec<usize>) -> Vec<Vec<usize>> {
    if group.len() < 2 {
        return vec![group];
    }
    let (_, _, locals) = template(model, startup, &group);
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
        return parts.into_iter().flat_map(|part| split(model, startup, part)).collect();
    }
    vec![group]
}

/// Adds the variables that a process can write from these locations.
fn changes(process: &Process, reached: &[bool], out: &mut HashSet<VarRef>) {
    for edge in edges_at(process, reached) {
        writes(edge, &mut |var| {
            out.insert(var);
        });
    }
}
