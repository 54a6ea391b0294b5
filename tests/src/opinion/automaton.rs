//! A process with each of its statements as an edge of its own.

use super::system::{Language, Mode, Proc, Stmt, Transition};

/// The locations of the process come first, then its end, then those inside transitions.
#[derive(Clone, Debug)]
pub struct Automaton {
    /// The edges that leave each location.
    pub edges: Vec<Vec<Edge>>,
    /// The location behind the last statement.
    pub end: usize,
    /// Where a process is that is gone for good.
    pub gone: usize,
    count: usize,
}

#[derive(Clone, Debug)]
pub struct Edge {
    /// Different for every edge of the process.
    pub id: usize,
    pub action: Action,
    pub target: usize,
    /// The process keeps control afterwards, if it can go on.
    pub keeps: bool,
}

#[derive(Clone, Debug)]
pub enum Action {
    /// A single statement.
    One(Stmt),
    /// All of them as one step, deterministic.
    Indivisible(Vec<Stmt>),
    /// Guard, channel operation and effects of DVE.
    Whole(Vec<Stmt>),
    /// The process disappears.
    End,
}

impl Automaton {
    pub fn of(proc: &Proc, language: Language) -> Automaton {
        let end = proc.locs.len();
        let mut out = Automaton { edges: vec![Vec::new(); end + 2], end, gone: end + 1, count: 0 };
        for (from, loc) in proc.locs.iter().enumerate() {
            loc.transitions.iter().for_each(|t| out.transition(from, t));
        }
        if language == Language::Promela {
            out.edge(end, Action::End, end + 1, false);
        }
        out
    }

    fn edge(&mut self, from: usize, action: Action, target: usize, keeps: bool) {
        self.edges[from].push(Edge { id: self.count, action, target, keeps });
        self.count += 1;
    }

    fn transition(&mut self, from: usize, t: &Transition) {
        match t.mode {
            Mode::DStep => self.edge(from, Action::Indivisible(t.body.clone()), t.target, false),
            Mode::Whole => self.edge(from, Action::Whole(t.body.clone()), t.target, false),
            Mode::Plain => self.sequence(from, t.target, &t.body, None),
            Mode::Atomic => self.sequence(from, t.target, &t.body, Some(t.target)),
        }
    }

    /// `leaves`: the sequence is atomic up to there.
    fn sequence(&mut self, from: usize, to: usize, body: &[Stmt], leaves: Option<usize>) {
        let Some((first, rest)) = body.split_first() else { return };
        let next = if rest.is_empty() { to } else { self.fresh() };
        match first {
            Stmt::Choice(options) => options.iter().for_each(|o| self.sequence(from, next, o, leaves)),
            one => self.edge(from, Action::One(one.clone()), next, leaves.is_some_and(|last| last != next)),
        }
        self.sequence(next, to, rest, leaves);
    }

    fn fresh(&mut self) -> usize {
        self.edges.push(Vec::new());
        self.edges.len() - 1
    }
}
