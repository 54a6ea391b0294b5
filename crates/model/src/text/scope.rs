//! The names of a model: from an id to the name that is written, and back.

use std::collections::HashMap;

use super::words;
use crate::ir::{Model, Process};

/// The names of the declarations of one kind. A name means the first declaration that has it.
#[derive(Default, Debug)]
pub(super) struct Table {
    names: Vec<String>,
    first: HashMap<String, usize>,
}

impl Table {
    pub fn add(&mut self, name: &str) {
        self.first.entry(name.to_string()).or_insert(self.names.len());
        self.names.push(name.to_string());
    }

    pub fn has(&self, name: &str) -> bool {
        self.first.contains_key(name)
    }

    /// The name of a declaration, if there is one of this number.
    pub fn name(&self, number: usize) -> Option<&str> {
        self.names.get(number).map(String::as_str)
    }

    /// A reference to a declaration as it is written.
    pub fn written(&self, number: usize) -> String {
        match self.names.get(number) {
            None => format!("#{number}"),
            Some(name) if self.first.get(name) == Some(&number) => words::name(name),
            Some(name) => format!("{}#{number}", words::name(name)),
        }
    }

    /// The declaration with this name, and with this number if one is given.
    pub fn find(&self, name: &str, number: Option<u32>) -> Option<u32> {
        match number {
            Some(number) => (self.name(number as usize) == Some(name)).then_some(number),
            None => self.first.get(name).map(|first| *first as u32),
        }
    }
}

impl<'n> FromIterator<&'n String> for Table {
    fn from_iter<I: IntoIterator<Item = &'n String>>(names: I) -> Table {
        let mut table = Table::default();
        names.into_iter().for_each(|name| table.add(name));
        table
    }
}

/// All names of a model.
#[derive(Default, Debug)]
pub(super) struct Scope {
    pub enums: Table,
    pub channels: Table,
    pub globals: Table,
    pub processes: Table,
    /// The variables of each process type.
    pub locals: Vec<Table>,
}

impl Scope {
    pub fn of(model: &Model) -> Scope {
        Scope {
            enums: model.enums.iter().map(|e| &e.name).collect(),
            channels: model.channels.iter().map(|c| &c.name).collect(),
            globals: model.globals.iter().map(|v| &v.name).collect(),
            processes: model.processes.iter().map(|p| &p.name).collect(),
            locals: model.processes.iter().map(locals).collect(),
        }
    }
}

/// The names of a process's variables.
pub(super) fn locals(process: &Process) -> Table {
    process.locals.iter().map(|v| &v.name).collect()
}
