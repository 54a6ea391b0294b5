//! The strongly connected components of a property automaton.
//!
//! All states of a cycle of the product are in one component of the property automaton. So a partition that gives each component to
//! one rank makes every cycle local.

use kripke_model::ir::{Observer, Process};
use kripke_model::layout::Layout;
use kripke_model::{Interpreter, State};

/// A component of the property automaton.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Component {
    /// The number of the component.
    pub number: u32,
    /// Whether a state in it may be accepting.
    pub is_accepting: bool,
}

/// The component of each location of a property automaton.
#[derive(Clone, Debug)]
pub struct Components {
    layout: Option<Layout>,
    locations: Vec<Component>,
}

impl Components {
    /// The components of the observer of a model. None if the model has no observer.
    pub fn of(interpreter: &Interpreter) -> Option<Components> {
        let observer = interpreter.model().observer.as_ref()?;
        Some(Components { layout: Some(interpreter.layout().clone()), locations: components(observer) })
    }

    /// One component with all states.
    pub(crate) fn single() -> Components {
        Components { layout: None, locations: vec![Component { number: 0, is_accepting: true }] }
    }

    /// The component of a state in the layout of the interpreter.
    pub(crate) fn component(&self, state: &State) -> Component {
        let location = self.layout.as_ref().and_then(|layout| layout.observer_location(state));
        let location = location.map_or(0, |location| location.0 as usize);
        self.locations[location]
    }
}

/// Two locations are in one component if each reaches the other. Automata are small: reachability is computed by repetition.
fn components(observer: &Observer) -> Vec<Component> {
    let Process { locations, edges, .. } = &observer.automaton;
    let number = locations.len();
    let mut reaches = vec![vec![false; number]; number];
    for (from, location) in locations.iter().enumerate() {
        reaches[from][from] = true;
        for edge in location.edges.iter().map(|id| &edges[id.index()]) {
            reaches[from][edge.chain.unwrap_or(edge.target).index()] = true;
        }
    }
    for by in 0..number {
        let row = reaches[by].clone();
        for from in reaches.iter_mut().filter(|from| from[by]) {
            from.iter_mut().zip(&row).for_each(|(known, more)| *known |= more);
        }
    }
    let first = |of: usize| (0..number).find(|other| reaches[of][*other] && reaches[*other][of]).unwrap_or(of);
    let accepts = |of: usize| locations[of].accept || observer.labels;
    let is_accepting = |of: usize| (0..number).any(|other| first(other) == first(of) && accepts(other));
    (0..number).map(|of| Component { number: first(of) as u32, is_accepting: is_accepting(of) }).collect()
}

#[cfg(test)]
mod tests {
    use kripke_model::ir::{Edge, EdgeId, FileId, Guard, LocId, Location, Span, Then};

    use super::*;

    /// An automaton by its edges and accepting locations.
    fn observer(edges: &[(u32, u32)], accepting: &[u32], number: u32) -> Observer {
        let span = Span { file: FileId(0), start: 0, end: 0 };
        let edge = |(_, to): &(u32, u32)| Edge {
            level: 0,
            guard: Guard::Always,
            sync: None,
            effects: Vec::new(),
            chain: None,
            target: LocId(*to),
            then: Then::Yield,
            span,
            inside: None,
            label: String::new(),
        };
        let location = |at: u32| Location {
            edges: (0..edges.len()).filter(|n| edges[*n].0 == at).map(|n| EdgeId(n as u32)).collect(),
            accept: accepting.contains(&at),
            ..Location::default()
        };
        let automaton = Process {
            name: String::new(),
            params: 0,
            locals: Vec::new(),
            locations: (0..number).map(location).collect(),
            edges: edges.iter().map(edge).collect(),
            entry: LocId(0),
            provided: None,
            priority: 1,
            claims: Vec::new(),
            span,
        };
        Observer { automaton, stutters: true, labels: false, marks: Vec::new() }
    }

    #[test]
    fn components_are_those_of_the_automaton() {
        let observer = observer(&[(0, 0), (0, 1), (1, 2), (2, 1), (2, 3), (3, 3)], &[2], 4);
        let found: Vec<_> = components(&observer).iter().map(|c| (c.number, c.is_accepting)).collect();
        assert_eq!(found, [(0, false), (1, true), (1, true), (3, false)]);
    }

    #[test]
    fn labels_of_processes_may_accept_everywhere() {
        let observer = Observer { labels: true, ..observer(&[(0, 1)], &[], 2) };
        assert!(components(&observer).iter().all(|component| component.is_accepting));
    }
}
