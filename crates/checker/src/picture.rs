//! Pictures of automata: of processes, and of the Büchi automata of properties.

use kripke_logic::{Buchi, Generalised, dot, parse, translate};
use kripke_model::Model;
use kripke_model::ir::{Process, PropertyKind};
use kripke_report::automaton::automaton;
use kripke_report::diagram::{Arrow, Diagram, Key, Node, Ranking, Shape};

use crate::load::InputError;
use crate::question::formula_error;

/// A Büchi automaton. Accepting states have a double outline.
pub fn buchi(automaton: &Buchi, title: &str) -> Diagram {
    let initial = automaton.initial.index();
    let accepting = automaton.states.iter().map(|state| state.accepting);
    let arrows = automaton.states.iter().enumerate().flat_map(|(from, state)| {
        state.edges.iter().map(move |edge| (from, edge.to.index(), dot::label(&edge.guard, &automaton.atoms)))
    });
    drawn(title, initial, &accepting.collect::<Vec<_>>(), &arrows.collect::<Vec<_>>())
}

/// A generalised Büchi automaton. Numbers on arrows are acceptance sets.
pub fn generalised(automaton: &Generalised, title: &str) -> Diagram {
    let arrows = automaton.states.iter().enumerate().flat_map(|(from, edges)| {
        edges.iter().map(move |edge| {
            let sets = (0..automaton.sets).filter(|set| edge.marks >> set & 1 == 1).map(|set| format!(" ({set})"));
            let label = format!("{}{}", dot::label(&edge.guard, &automaton.atoms), sets.collect::<String>());
            (from, edge.to.index(), label)
        })
    });
    let none = vec![false; automaton.states.len()];
    drawn(title, automaton.initial.index(), &none, &arrows.collect::<Vec<_>>())
}

/// The diagram of an automaton. The initial state is the first node.
fn drawn(title: &str, initial: usize, accepting: &[bool], edges: &[(usize, usize, String)]) -> Diagram {
    let place = |state: usize| match state {
        state if state == initial => 0,
        state if state < initial => state + 1,
        state => state,
    };
    let mut nodes = vec![Node::default(); accepting.len()];
    for (state, accepting) in accepting.iter().enumerate() {
        let lines = vec![state.to_string()];
        let initial = state == initial;
        nodes[place(state)] = Node { lines, shape: Shape::Circle, accepting: *accepting, initial, ..Node::default() };
    }
    let arrow = |(from, to, label): &(usize, usize, String)| Arrow {
        from: place(*from),
        to: place(*to),
        label: vec![label.clone()],
        ..Arrow::default()
    };
    let legend = accepting.iter().any(|a| *a).then(|| Key::Accepting("accepting".to_string()));
    Diagram {
        title: title.to_string(),
        nodes,
        arrows: edges.iter().map(arrow).collect(),
        ranking: Ranking::Flow,
        legend: legend.into_iter().collect(),
    }
}

/// The names of the automata of a model: processes and linear-time properties.
pub fn names(model: &Model) -> Vec<&str> {
    let processes = model.processes.iter().chain(model.observer.iter().map(|o| &o.automaton));
    let properties = model.properties.iter().filter(|p| p.kind != PropertyKind::Ctl);
    processes.map(|p| p.name.as_str()).chain(properties.map(|p| p.name.as_str())).collect()
}

/// The automaton with this name: of a process, of a claim, or the Büchi automaton of the runs that violate a formula. None if
/// there is no such name.
pub fn named(model: &Model, name: &str) -> Result<Option<Diagram>, InputError> {
    let mut processes = model.processes.iter().chain(model.observer.iter().map(|o| &o.automaton));
    if let Some(process) = processes.find(|process| process.name == name) {
        return Ok(Some(automaton(model, process)));
    }
    let Some(property) = model.properties.iter().find(|p| p.name == name) else { return Ok(None) };
    let titled = |process: &Process| Diagram { title: name.to_string(), ..automaton(model, process) };
    if let Some(observer) = &property.observer {
        return Ok(Some(titled(&observer.automaton)));
    }
    if property.kind != PropertyKind::Ltl {
        return Ok(None);
    }
    let what = format!("ltl {name}");
    let ltl = parse::ltl(&property.formula).map_err(|problem| formula_error(&what, &property.formula, &problem))?;
    let negated = ltl.negated();
    let title = format!("{name}: runs that violate it, {negated}");
    let automata = translate(&negated).map_err(|e| InputError::whole(what.as_ref(), &e.message))?;
    Ok(Some(buchi(&automata.buchi, &title)))
}
