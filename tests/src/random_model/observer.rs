//! Observers and goals of random models.

use kripke_model::ir::{Edge, EdgeId, Effect, Expr, Goal, Guard, LocId, Location, Observer, Process, ProcessId};

use super::{Maker, NOWHERE, blank};

impl Maker {
    pub(super) fn goal(&mut self) {
        let condition = self.seen();
        self.model.goal = Some(Goal { condition, text: "goal".to_string(), span: None });
    }

    pub(super) fn observer(&mut self) {
        let locations = 1 + self.random.below(3);
        let mut automaton = Process {
            name: "observer".to_string(),
            params: 0,
            locals: Vec::new(),
            locations: Vec::new(),
            edges: Vec::new(),
            entry: LocId(0),
            provided: None,
            priority: 1,
            claims: Vec::new(),
            span: NOWHERE,
        };
        for _ in 0..locations {
            let mut location =
                Location { accept: self.random.percent(40), end: self.random.percent(10), ..Location::default() };
            for _ in 0..1 + self.random.below(3) {
                location.edges.push(EdgeId(automaton.edges.len() as u32));
                let edge = self.observer_edge(locations);
                automaton.edges.push(edge);
            }
            location.edges.sort_by_key(|id| matches!(automaton.edges[id.index()].guard, Guard::Else));
            automaton.locations.push(location);
        }
        let (stutters, labels) = (self.random.percent(50), self.random.percent(50));
        let marks = automaton.edges.iter().map(|_| self.random.below(8) as u32).collect();
        self.model.observer = Some(Observer { automaton, stutters, labels, marks });
        if self.random.percent(30)
            && let Some(goal) = &mut self.model.goal
        {
            goal.condition = Expr::ObserverAt(vec![LocId(locations as u32 - 1)]);
        }
    }

    fn observer_edge(&mut self, locations: usize) -> Edge {
        let guard = match self.random.below(10) {
            0..=5 => Guard::Always,
            6..=8 => Guard::When(self.seen()),
            _ => Guard::Else,
        };
        let mut effects = Vec::new();
        if self.random.percent(2) {
            effects.push(Effect::Assign(self.place(|_| true), Expr::Const(1)));
        }
        if self.random.percent(15) {
            effects.push(Effect::Assert(self.seen()));
        }
        let target = LocId(self.random.below(locations) as u32);
        Edge { guard, effects, target, label: "watch".to_string(), ..blank() }
    }

    /// An expression that can be evaluated without a process.
    fn seen(&mut self) -> Expr {
        if self.random.percent(50) {
            let process = self.random.below(self.model.processes.len());
            let location = self.random.below(self.model.processes[process].locations.len());
            return Expr::At { process: ProcessId(process as u32), pid: None, locations: vec![LocId(location as u32)] };
        }
        let place = self.place(|_| true);
        Expr::Load(place)
    }
}
