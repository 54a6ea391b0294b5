//! The judge of counterexamples of systems written in Rust. It calls the system itself, and uses none of the generator that
//! the search explores.

use std::collections::BTreeSet;

use kripke_logic::{Lasso, Ltl, Valuation, lasso};

use super::{Fairness, Steps, SystemRun, TransitionSystem};

/// A process, or a process and its action.
type Agent = (u8, Option<u32>);

/// The steps of a state.
fn steps<T: TransitionSystem>(system: &T, state: &T::State) -> Vec<(u8, u32, T::State)> {
    let mut steps = Vec::new();
    system.expand(state, &mut Steps { steps: &mut steps });
    steps
}

fn bytes<S: serde::Serialize>(state: &S) -> Vec<u8> {
    postcard::to_stdvec(state).expect("states can be serialised")
}

/// Whether a run starts in the initial state, takes steps of the system, and closes its cycle.
pub(super) fn is_run<T: TransitionSystem>(system: &T, run: &SystemRun<T::State>) -> bool {
    let states: Vec<&T::State> = run.steps.iter().map(|step| &step.from).chain([&run.last]).collect();
    let takes = |(number, pair): (usize, &[&T::State])| {
        let (step, all, to) = (&run.steps[number], steps(system, pair[0]), bytes(pair[1]));
        match step.process {
            Some(process) => all.iter().any(|(by, action, next)| {
                *by == process && system.action_name(*action) == step.action && bytes(next) == to
            }),
            None => all.is_empty() && bytes(pair[0]) == to,
        }
    };
    bytes(states[0]) == bytes(&system.initial())
        && states.windows(2).enumerate().all(takes)
        && run.cycle.is_none_or(|start| start < run.steps.len() && bytes(states[start]) == bytes(&run.last))
}

/// Whether a formula is false on a run that ends in a cycle. Its atoms are propositions with these numbers.
pub(super) fn refutes<T: TransitionSystem>(
    system: &T,
    formula: &Ltl,
    numbers: &[usize],
    run: &SystemRun<T::State>,
) -> bool {
    let letter = |state: &T::State| -> Valuation {
        let bits = numbers.iter().enumerate();
        bits.filter(|(_, number)| system.holds(**number, state)).fold(0, |all, (bit, _)| all | 1 << bit)
    };
    let word: Vec<Valuation> = run.steps.iter().map(|step| letter(&step.from)).collect();
    let (stem, cycle) = word.split_at(run.cycle.unwrap_or(word.len()));
    Lasso::new(stem, cycle).is_some_and(|lasso| !lasso::holds(&formula.formula, &lasso))
}

/// Whether the cycle of a run is fair, by the definition of fairness.
pub(super) fn is_fair<T: TransitionSystem>(system: &T, fairness: Fairness, run: &SystemRun<T::State>) -> bool {
    let by_action = fairness == Fairness::StrongTransitions;
    let cycle = &run.steps[run.cycle.unwrap_or(run.steps.len())..];
    let (mut moved, mut enabled): (BTreeSet<Agent>, Vec<BTreeSet<Agent>>) = (BTreeSet::new(), Vec::new());
    for step in cycle {
        let all = steps(system, &step.from);
        let agent = |by: u8, action: u32| (by, by_action.then_some(action));
        let taken = all
            .iter()
            .filter(|(by, action, _)| Some(*by) == step.process && system.action_name(*action) == step.action);
        moved.extend(taken.map(|(by, action, _)| agent(*by, *action)));
        enabled.push(all.iter().map(|(by, action, _)| agent(*by, *action)).collect());
    }
    let somewhere: BTreeSet<Agent> = enabled.iter().flatten().copied().collect();
    match fairness {
        Fairness::None => true,
        Fairness::Impartial => (0..system.processes()).all(|process| moved.contains(&(process, None))),
        Fairness::Weak => {
            somewhere.iter().all(|agent| moved.contains(agent) || enabled.iter().any(|here| !here.contains(agent)))
        }
        Fairness::Strong | Fairness::StrongTransitions => somewhere.is_subset(&moved),
    }
}
