//! What steps can get into each other's way with, as numbers.

use std::collections::HashMap;

use super::instances::{Actor, Cast, Element};
use kripke_model::ir::{Expr, Model, Place, VarId, VarRef};

/// Elements of arrays with more than this are not told apart.
const ELEMENTS: usize = 64;

/// What there is to a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Aspect {
    /// Who receives from it, in which order.
    Head,
    /// Who sends to it, in which order.
    Tail,
    /// That there is something in it.
    Filled,
    /// That there is room in it.
    Space,
    /// How much is in it, and what.
    Content,
    /// Who meets there.
    Meeting,
    /// Who is ready to meet there, for those who do so in the middle of a step, or else interrupt it.
    Ready,
}

const ASPECTS: usize = 7;

/// Processes are created and removed.
pub(super) const TABLE: usize = 0;
/// The trace has moved.
pub(super) const TRACE: usize = 1;
/// Who may move, where some locations are committed.
pub(super) const COMMITTED: usize = 2;
const LOCATIONS: usize = 3;

#[derive(Debug)]
pub(super) struct Resources {
    /// The first number of each global, and how many it has.
    globals: Vec<(usize, usize)>,
    /// Locals that others read, by process type.
    locals: HashMap<(usize, VarId), usize>,
    channels: usize,
    first_channel: usize,
    pub len: usize,
}

impl Resources {
    pub fn new(model: &Model, cast: &Cast) -> Resources {
        let mut len = LOCATIONS + model.processes.len();
        let first_channel = len;
        // One more for all that are not known.
        len += (cast.channels.len() + 1) * ASPECTS;
        let mut globals = Vec::new();
        for var in &model.globals {
            let numbers = if var.len() > ELEMENTS { 1 } else { var.len().max(1) };
            globals.push((len, numbers));
            len += numbers;
        }
        let mut locals = HashMap::new();
        let mut see = |expr: &Expr| {
            if let Expr::Remote { process, place: Place { var: VarRef::Local(var), .. }, .. } = expr {
                locals.entry((process.index(), *var)).or_insert_with(|| {
                    len += 1;
                    len - 1
                });
            }
        };
        model.processes.iter().for_each(|p| p.walk(&mut see));
        model.observer.iter().for_each(|o| o.automaton.walk(&mut see));
        model.goal.iter().for_each(|g| g.condition.walk(&mut see));
        Resources { globals, locals, channels: cast.channels.len(), first_channel, len }
    }

    /// Where the processes of a type are, as far as somebody asks.
    pub fn location(process: usize) -> usize {
        LOCATIONS + process
    }

    pub fn local(&self, process: usize, var: VarId) -> Option<usize> {
        self.locals.get(&(process, var)).copied()
    }

    pub fn global(&self, var: VarId, element: Element) -> std::ops::Range<usize> {
        let (first, numbers) = self.globals[var.index()];
        match element {
            Element::One(at) if at < numbers => first + at..first + at + 1,
            _ => first..first + numbers,
        }
    }

    /// The channels that an expression can name, by number; 0 stands for those not known.
    pub fn channels(&self, model: &Model, cast: &Cast, expr: &Expr, actor: Option<&Actor>) -> Vec<usize> {
        let known = |n: &i32| *n >= 1 && *n as usize <= self.channels;
        match cast.possible(model, expr, actor) {
            Some(numbers) if numbers.iter().all(known) => numbers.into_iter().map(|n| n as usize).collect(),
            _ => (0..=self.channels).collect(),
        }
    }

    pub fn channel(&self, number: usize, aspect: Aspect) -> usize {
        self.first_channel + number * ASPECTS + aspect as usize
    }
}
