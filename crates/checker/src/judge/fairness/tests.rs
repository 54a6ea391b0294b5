//! Runs whose fairness is known by hand.

use std::io;
use std::path::Path;
use std::sync::Arc;

use kripke_lang::source::Loader;
use kripke_lang::{LoadOptions, load};
use kripke_model::interpret::Target;
use kripke_model::trail::{Ending, Replayed, Trail};
use kripke_model::{Batch, Choice, Interpreter, Successors};
use kripke_search::Fairness::{Impartial, Strong, StrongTransitions, Weak};

use super::{is_accepting, is_fair, is_without_progress};

pub(in crate::judge) struct Text<'a>(pub &'a str);

impl Loader for Text<'_> {
    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        Ok(self.0.as_bytes().to_vec())
    }
}

fn interpreter(model: &str) -> Interpreter {
    let loaded = load(Path::new("m.pml"), &Text(model), &LoadOptions::default());
    Interpreter::new(Arc::new(loaded.model.expect("a model"))).expect("it starts")
}

/// The successor of a state by a process, and by the statement that its step begins with.
fn choice(interpreter: &mut Interpreter, state: &[u8], (pid, statement): (u8, &str)) -> u32 {
    let mut batch = Batch::new();
    interpreter.expand(state, Choice::All, &mut batch);
    let model = interpreter.model().clone();
    let is_it = |number: &usize| {
        let moves = interpreter.explain(state, Target::Successor(*number)).expect("it is there");
        let label = &model.processes[moves[0].process.index()].edges[moves[0].edge.index()].label;
        moves[0].pid == pid && label == statement
    };
    (0..batch.len()).find(is_it).unwrap_or_else(|| panic!("process {pid} has no step {statement}")) as u32
}

/// A run whose steps from `start` on are repeated for ever.
pub(in crate::judge) fn lasso(interpreter: &mut Interpreter, steps: &[(u8, &str)], start: u32) -> Replayed {
    let mut state = interpreter.initial_state().to_vec();
    let (mut choices, mut batch) = (Vec::new(), Batch::new());
    for step in steps {
        let choice = choice(interpreter, &state, *step);
        batch.clear();
        interpreter.expand(&state, Choice::All, &mut batch);
        state = batch.state(choice as usize).to_vec();
        choices.push(choice);
    }
    Trail { choices, ending: Ending::Cycle(start) }.replay(interpreter).expect("a cycle")
}

/// Weakly, strongly, for transitions, impartially.
type Fair = [bool; 4];
/// A model, the steps of a cycle from its initial state on, and whether that is fair.
type Case<'a> = (&'a str, &'a [(u8, &'a str)], Fair);

fn judged(model: &str, steps: &[(u8, &str)]) -> Fair {
    let mut interpreter = interpreter(model);
    let run = lasso(&mut interpreter, steps, 0);
    [Weak, Strong, StrongTransitions, Impartial].map(|fairness| is_fair(&run, fairness, &mut interpreter))
}

#[test]
fn cycles_are_fair_or_not() {
    let beside_atomic = "bit y, z; active proctype P() { do :: y = 1-y od }
        active proctype Q() { do :: atomic { true -> z = 1 } :: z = 0 od }";
    let door = "bit x; active proctype P() { do :: x == 1 od } active proctype Q() { do :: x = 1-x od }";
    let blocked = "bit x; active proctype P() { false } active proctype Q() { do :: x = 1-x od }";
    let meeting = "chan c = [0] of { bit }; bit x; active proctype P() { do :: c!1 od }
        active proctype Q() { do :: c?1 :: x = 1-x od }";
    let cases: [Case; 9] = [
        // Q is enabled all the time and never moves.
        (beside_atomic, &[(0, "y = 1-y"), (0, "y = 1-y")], [false; 4]),
        // Q moves, but never by its atomic sequence.
        (beside_atomic, &[(0, "y = 1-y"), (0, "y = 1-y"), (1, "z = 0")], [true, true, false, true]),
        (beside_atomic, &[(0, "y = 1-y"), (1, "true"), (0, "y = 1-y"), (1, "z = 0")], [true; 4]),
        // P never moves, and is enabled in every other state.
        (door, &[(1, "x = 1-x"), (1, "x = 1-x")], [true, false, false, false]),
        (door, &[(1, "x = 1-x"), (0, "x==1"), (1, "x = 1-x")], [true; 4]),
        // P is never enabled.
        (blocked, &[(1, "x = 1-x"), (1, "x = 1-x")], [true, true, true, false]),
        // The sender moves at a rendezvous.
        (meeting, &[(0, "c!1")], [false; 4]),
        (meeting, &[(1, "x = 1-x"), (1, "x = 1-x")], [false; 4]),
        (meeting, &[(0, "c!1"), (1, "x = 1-x"), (1, "x = 1-x")], [true; 4]),
    ];
    for (model, steps, fair) in cases {
        assert_eq!(judged(model, steps), fair, "{model}\n{steps:?}");
    }
}

#[test]
fn an_ended_process_is_on_no_impartial_run() {
    let model = "bit x; active proctype P() { do :: x = 1-x od } active proctype Q() { skip }";
    let mut interpreter = interpreter(model);
    let ending: Vec<String> = interpreter.model().processes[1].edges.iter().map(|edge| edge.label.clone()).collect();
    let steps = [(1, &*ending[0]), (1, &*ending[1]), (0, "x = 1-x"), (0, "x = 1-x")];
    let run = lasso(&mut interpreter, &steps, 2);
    assert!(is_fair(&run, Strong, &mut interpreter));
    assert!(!is_fair(&run, Impartial, &mut interpreter));
}

#[test]
fn a_process_created_later_is_asked_to_move_as_well() {
    let model = "bit x; active proctype P() { run Q(); do :: x = 1-x od } proctype Q() { false }";
    let mut interpreter = interpreter(model);
    let created = interpreter.model().processes[0].edges[0].label.clone();
    let run = lasso(&mut interpreter, &[(0, &*created), (0, "x = 1-x"), (0, "x = 1-x")], 1);
    assert!(is_fair(&run, Strong, &mut interpreter));
    assert!(!is_fair(&run, Impartial, &mut interpreter));
}

#[test]
fn a_process_whose_step_is_a_fault_is_enabled() {
    let model =
        "bit x; byte a[2]; active proctype P() { do :: x = 1-x od } active proctype Q() { do :: a[x+2] = 1 od }";
    assert_eq!(judged(model, &[(0, "x = 1-x"), (0, "x = 1-x")]), [false, false, true, false]);
    // A poll of a rendezvous channel is a fault and no step.
    let model = "bit x; chan c = [0] of { bit }; active proctype P() { do :: x = 1-x od }
        active proctype Q() { do :: c?[1] od }";
    assert_eq!(judged(model, &[(0, "x = 1-x"), (0, "x = 1-x")]), [true, true, true, false]);
}

#[test]
fn labels_on_a_cycle_are_seen() {
    let cases = [
        ("", false, true),
        ("accept: ", true, true),
        ("progress: ", false, false),
        ("accept_1: progress_2: ", true, false),
    ];
    for (label, accepting, without_progress) in cases {
        let model = format!("bit x; active proctype P() {{ do :: x = 1; {label}x = 0 od }}");
        let mut interpreter = interpreter(&model);
        let run = lasso(&mut interpreter, &[(0, "x = 1"), (0, "x = 0")], 0);
        assert_eq!(is_accepting(&run, &interpreter), accepting, "{model}");
        assert_eq!(is_without_progress(&run, &interpreter), without_progress, "{model}");
    }
}
