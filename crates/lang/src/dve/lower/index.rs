//! The meaning of names.
//!
//! Built once for a model; expressions given later, on the command line say, find the same names in it.

use std::collections::HashMap;

use kripke_model::Model;
use kripke_model::ir::{LocId, ProcessId, Span, VarId, VarRef};

use crate::spelling::nearest;

/// The set of symbolic constants in which a model keeps what its `const` names were.
pub(super) const CONSTANTS: &str = "const";

#[derive(Clone, Copy, Debug)]
pub(super) enum Symbol {
    Constant(i32),
    Variable {
        var: VarRef,
        /// The number of elements of an array.
        size: Option<u32>,
        constant: bool,
    },
    /// The number of a channel, as the model counts them.
    Channel(u32),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Declared {
    pub symbol: Symbol,
    pub span: Span,
}

/// A process, as far as names are concerned.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    pub name: String,
    /// None for the property process, which is an observer in the model.
    pub process: Option<ProcessId>,
    pub symbols: HashMap<String, Declared>,
    pub states: HashMap<String, LocId>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    pub globals: HashMap<String, Declared>,
    pub scopes: Vec<Scope>,
    by_name: HashMap<String, usize>,
}

impl Index {
    /// Adds a process; the first one of a name keeps it.
    pub(super) fn add(&mut self, scope: Scope) -> usize {
        let at = self.scopes.len();
        self.by_name.entry(scope.name.clone()).or_insert(at);
        self.scopes.push(scope);
        at
    }

    pub(super) fn scope(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// A name as it is seen from inside a process, or from outside.
    pub(super) fn find(&self, scope: Option<usize>, name: &str) -> Option<Declared> {
        let own = scope.and_then(|s| self.scopes[s].symbols.get(name));
        own.or_else(|| self.globals.get(name)).copied()
    }

    /// A name that can be used there and that looks like this one.
    pub(super) fn similar(&self, scope: Option<usize>, name: &str) -> Option<String> {
        let own = scope.into_iter().flat_map(|s| self.scopes[s].symbols.keys());
        let mut names: Vec<&str> = own.chain(self.globals.keys()).map(String::as_str).collect();
        names.sort_unstable();
        nearest(name, &names).map(String::from)
    }

    /// The names of a model that has been read.
    pub(super) fn of(model: &Model) -> Index {
        let mut index = Index::default();
        for (i, process) in model.processes.iter().enumerate() {
            let mut scope = Scope::new(&process.name, Some(ProcessId(i as u32)));
            for (i, var) in process.locals.iter().enumerate() {
                let var_ref = VarRef::Local(VarId(i as u32));
                scope.symbols.insert(var.name.clone(), declared(var_ref, var));
            }
            scope.name_states(&process.locations);
            index.add(scope);
        }
        for observer in model.properties.iter().filter_map(|p| p.observer.as_ref()) {
            let mut scope = Scope::new(&observer.automaton.name, None);
            scope.name_states(&observer.automaton.locations);
            index.add(scope);
        }
        for (i, var) in model.globals.iter().enumerate() {
            index.insert(&var.name, declared(VarRef::Global(VarId(i as u32)), var));
        }
        let constants = model.enums.iter().filter(|e| e.name == CONSTANTS).flat_map(|e| &e.symbols);
        for (name, value) in constants {
            let nowhere = Span { file: kripke_model::ir::FileId(0), start: 0, end: 0 };
            index.insert(name, Declared { symbol: Symbol::Constant(*value), span: nowhere });
        }
        index
    }

    /// Adds `x`, or `P->x` as an `x` of `P`.
    fn insert(&mut self, name: &str, declared: Declared) {
        match name.split_once("->").and_then(|(owner, own)| Some((self.scope(owner)?, own))) {
            Some((scope, own)) => self.scopes[scope].symbols.insert(own.to_string(), declared),
            None => self.globals.insert(name.to_string(), declared),
        };
    }
}

impl Scope {
    pub(super) fn new(name: &str, process: Option<ProcessId>) -> Scope {
        Scope { name: name.to_string(), process, symbols: HashMap::new(), states: HashMap::new() }
    }

    fn name_states(&mut self, locations: &[kripke_model::ir::Location]) {
        for (i, location) in locations.iter().enumerate() {
            if let Some(name) = location.labels.first() {
                self.states.insert(name.clone(), LocId(i as u32));
            }
        }
    }
}

fn declared(var: VarRef, declaration: &kripke_model::ir::Var) -> Declared {
    let size = declaration.dims.first().copied();
    // (A channel has no value that an expression could use.)
    if let kripke_model::ir::Init::Channels(channel) = declaration.init {
        return Declared { symbol: Symbol::Channel(channel.0 + 1), span: declaration.span };
    }
    Declared { symbol: Symbol::Variable { var, size, constant: false }, span: declaration.span }
}
