//! The checker on graphs and systems whose answers are known.

use super::ctl::{self, Ctl, Path, Quantifier};
use super::fairness::Fairness;
use super::graph::{Arc, Graph, Node};
use super::labels::Labels;
use super::ltl::{self, Ltl};
use super::question::Question;
use super::state::State;
use super::system::{Chan, Expr, Kind, Language, Loc, Mode, Op, Pattern, Place, Proc, Stmt, System, Transition, Var};
use super::{cycles, print, random, shrink};

/// A graph whose states are numbered: variable 0 is the number of the state. Arcs are `(from, to, mover)`, each a
/// transition of its own.
fn graph(states: usize, processes: usize, arcs: &[(usize, usize, usize)]) -> Graph {
    let mut nodes = vec![Node::default(); states];
    for (transition, (from, to, mover)) in arcs.iter().enumerate() {
        nodes[*from].arcs.push(Arc { to: *to, mover: *mover, transition });
    }
    let state = |n: usize| State { values: vec![n as i64], at: vec![0; processes], queues: Vec::new() };
    Graph { states: (0..states).map(state).collect(), nodes, processes, unclear: false, endless: false }
}

fn var(name: &str, kind: Kind, array: Option<usize>) -> Var {
    Var { name: name.to_string(), kind, array, initial: 0, owner: None }
}

fn numbered() -> System {
    System { language: Language::Promela, vars: vec![var("v", Kind::Byte, None)], chans: Vec::new(), procs: Vec::new() }
}

fn is(v: usize, n: i64) -> Expr {
    Expr::bin(Op::Eq, Expr::Var(v), Expr::Const(n))
}

/// The graph is in this state.
fn at(n: i64) -> Ltl {
    Ltl::Prop(is(0, n))
}

fn f(a: Ltl) -> Ltl {
    Ltl::Eventually(Box::new(a))
}

fn g(a: Ltl) -> Ltl {
    Ltl::Always(Box::new(a))
}

fn x(a: Ltl) -> Ltl {
    Ltl::Next(Box::new(a))
}

fn holds(graph: &Graph, formula: &Ltl, fairness: Fairness) -> bool {
    ltl::holds(&Labels { system: &numbered(), graph, assumed: &[] }, formula, fairness)
}

fn branching(graph: &Graph, formula: &Ctl, fairness: Fairness) -> bool {
    ctl::holds(&Labels { system: &numbered(), graph, assumed: &[] }, formula, fairness)
}

fn path(quantifier: Quantifier, path: Path) -> Ctl {
    Ctl::Path(quantifier, Box::new(path))
}

fn here(n: i64) -> Ctl {
    Ctl::Prop(is(0, n))
}

#[test]
fn formulas_on_a_single_run() {
    // 0, 1, 2, 2, 2 ...
    let run = graph(3, 1, &[(0, 1, 0), (1, 2, 0), (2, 2, 0)]);
    let two = |make: fn(Box<Ltl>, Box<Ltl>) -> Ltl, a: Ltl, b: Ltl| make(Box::new(a), Box::new(b));
    let early = || two(Ltl::Or, at(0), at(1));
    let cases = [
        (at(0), true),
        (at(1), false),
        (x(at(1)), true),
        (x(x(x(at(2)))), true),
        (f(at(2)), true),
        (f(at(3)), false),
        (g(f(at(2))), true),
        (f(g(at(1))), false),
        (two(Ltl::Until, early(), at(2)), true),
        (two(Ltl::Until, at(0), at(2)), false),
        (two(Ltl::WeakUntil, at(0), at(2)), false),
        (two(Ltl::WeakUntil, Ltl::Not(Box::new(at(3))), at(3)), true),
        (two(Ltl::Until, Ltl::Not(Box::new(at(3))), at(3)), false),
        (two(Ltl::Release, at(1), early()), true),
        (two(Ltl::Release, at(2), early()), false),
        (two(Ltl::Implies, f(at(3)), at(3)), true),
    ];
    for (formula, expected) in cases {
        assert_eq!(holds(&run, &formula, Fairness::None), expected, "{formula:?}");
    }
}

#[test]
fn a_run_that_ends_stays_where_it_is() {
    let run = graph(2, 1, &[(0, 1, 0)]);
    assert!(holds(&run, &f(g(at(1))), Fairness::None));
    assert!(holds(&run, &x(x(at(1))), Fairness::Weak));
    assert!(!holds(&run, &g(f(at(0))), Fairness::None));
    // It is not impartial, so there is no run to break anything.
    assert!(holds(&run, &g(at(7)), Fairness::Impartial));
    let next = |q| path(q, Path::Next(here(1)));
    let end = graph(1, 1, &[]);
    assert!(branching(&end, &next(Quantifier::All), Fairness::None));
    assert!(!branching(&end, &next(Quantifier::Some), Fairness::None));
    assert!(branching(&end, &path(Quantifier::Some, Path::Always(here(0))), Fairness::Weak));
    assert!(!branching(&end, &path(Quantifier::Some, Path::Always(here(0))), Fairness::Impartial));
}

#[test]
fn branching_formulas() {
    // 0 may stay or go to 1, which goes to 2, which is the end.
    let tree = graph(3, 1, &[(0, 0, 0), (0, 1, 0), (1, 2, 0)]);
    let (all, some) = (Quantifier::All, Quantifier::Some);
    let cases = [
        (path(some, Path::Eventually(here(2))), true),
        (path(all, Path::Eventually(here(2))), false),
        (path(some, Path::Always(here(0))), true),
        (path(all, Path::Always(path(some, Path::Eventually(here(2))))), true),
        (path(all, Path::Next(here(0))), false),
        (path(some, Path::Next(here(1))), true),
        (path(some, Path::Until(here(0), here(1))), true),
        (path(all, Path::Until(here(0), here(1))), false),
        (path(all, Path::WeakUntil(here(0), here(1))), true),
        (path(all, Path::Release(here(1), here(0))), false),
        (path(some, Path::Release(here(1), here(0))), true),
    ];
    for (formula, expected) in cases {
        assert_eq!(branching(&tree, &formula, Fairness::None), expected, "{formula:?}");
    }
}

/// For each kind of fairness, whether `1` is always reached, by both logics.
fn is_reached(graph: &Graph, target: i64) -> [bool; 5] {
    Fairness::ALL.map(|fairness| {
        let linear = holds(graph, &f(at(target)), fairness);
        let branching = branching(graph, &path(Quantifier::All, Path::Eventually(here(target))), fairness);
        assert_eq!(linear, branching, "{fairness:?}");
        linear
    })
}

#[test]
fn each_kind_of_fairness_by_an_example_of_its_own() {
    // Process 0 goes round, process 1 could always move.
    let weak = graph(2, 2, &[(0, 0, 0), (0, 1, 1), (1, 1, 0), (1, 1, 1)]);
    assert_eq!(is_reached(&weak, 1), [false, true, true, true, true]);
    // Process 1 can move only every second time.
    let strong = graph(3, 2, &[(0, 1, 0), (1, 0, 0), (1, 2, 1), (2, 2, 0), (2, 2, 1)]);
    assert_eq!(is_reached(&strong, 2), [false, false, true, true, true]);
    // One process with two transitions.
    let transitions = graph(2, 1, &[(0, 0, 0), (0, 1, 0), (1, 1, 0)]);
    assert_eq!(is_reached(&transitions, 1), [false, false, false, true, false]);
    // Process 1 can never move at 0, and must.
    let impartial = graph(2, 2, &[(0, 0, 0), (0, 1, 0), (1, 1, 0), (1, 1, 1)]);
    assert_eq!(is_reached(&impartial, 1), [false, false, false, true, true]);
}

/// A cycle that is unfair as a whole may have a fair one inside.
#[test]
fn strong_fairness_looks_inside_components() {
    // 0 and 1 go round by process 0; at 1 process 1 could leave; at 0 process 0 may stay.
    let nested = graph(3, 2, &[(0, 1, 0), (1, 0, 0), (0, 0, 0), (1, 2, 1), (2, 2, 0), (2, 2, 1)]);
    assert!(!holds(&nested, &f(at(2)), Fairness::Strong));
    assert!(holds(&nested, &f(at(2)), Fairness::StrongTransitions));
}

#[test]
fn cycles_of_labels() {
    let mut labels = graph(2, 1, &[(0, 1, 0), (0, 0, 0)]);
    assert!(cycles::no_acceptance(&labels, Fairness::None));
    assert!(!cycles::progress(&labels, Fairness::None));
    // The run that ends there stays there, but is no cycle without progress.
    labels.nodes[1].accept = true;
    labels.nodes[0].progress = true;
    assert!(!cycles::no_acceptance(&labels, Fairness::None));
    assert!(cycles::progress(&labels, Fairness::None));
    assert!(cycles::no_acceptance(&labels, Fairness::Impartial));
}

fn set(var: usize, n: i64) -> Stmt {
    Stmt::Assign(Place { var, index: None }, Expr::Const(n))
}

/// A process with one location.
fn looping(name: &str, options: Vec<(Mode, Vec<Stmt>)>) -> Proc {
    let transitions = options.into_iter().map(|(mode, body)| Transition { mode, body, target: 0 }).collect();
    Proc { name: name.to_string(), locs: vec![Loc { transitions, ..Loc::default() }], provided: None, priority: None }
}

fn promela(vars: Vec<Var>, chans: Vec<Chan>, procs: Vec<Proc>) -> System {
    System { language: Language::Promela, vars, chans, procs }
}

fn explored(system: &System) -> Graph {
    Graph::of(system, 1000).expect("it is small")
}

#[test]
fn an_atomic_sequence_is_a_step_of_its_process() {
    let flip = Stmt::Assign(Place { var: 0, index: None }, Expr::bin(Op::Sub, Expr::Const(1), Expr::Var(0)));
    let whole = vec![Stmt::Guard(is(0, 0).negated().negated()), set(1, 1)];
    let system = promela(
        vec![var("y", Kind::Bit, None), var("z", Kind::Bit, None)],
        Vec::new(),
        vec![
            looping("P0", vec![(Mode::Plain, vec![flip])]),
            looping("P1", vec![(Mode::Atomic, whole), (Mode::Plain, vec![set(1, 0)])]),
        ],
    );
    let graph = explored(&system);
    // Nobody rests inside the sequence.
    assert_eq!(graph.states.len(), 4);
    assert!(graph.nodes.iter().all(|n| n.arcs.iter().any(|a| a.mover == 1)));
    let answer = Question::Ltl(f(Ltl::Prop(is(0, 2)))).answer(&system, &graph, Fairness::Impartial);
    assert_eq!(answer.holds, Some(false));
}

#[test]
fn an_atomic_sequence_that_blocks_lets_others_move() {
    let waits = vec![set(0, 1), Stmt::Guard(is(0, 0))];
    let system = promela(
        vec![var("x", Kind::Byte, None)],
        Vec::new(),
        vec![looping("P0", vec![(Mode::Atomic, waits)]), looping("P1", vec![(Mode::Plain, vec![set(0, 0)])])],
    );
    let graph = explored(&system);
    let blocked = graph.states.iter().filter(|s| s.at[0] != 0).count();
    assert_eq!((graph.states.len(), blocked), (3, 2));
}

#[test]
fn processes_that_pass_control_to_each_other_make_a_step_without_an_end() {
    let echo = || vec![(Mode::Atomic, vec![Stmt::Receive(0, Pattern::Any), Stmt::Send(0, Expr::Const(1))])];
    let first = looping("S", vec![(Mode::Plain, vec![Stmt::Send(0, Expr::Const(1))])]);
    let chan = Chan { name: "c".to_string(), capacity: 0, alias: None };
    let system = |procs| promela(vec![var("v", Kind::Byte, None)], vec![chan.clone()], procs);
    assert!(explored(&system(vec![first.clone(), looping("P", echo()), looping("Q", echo())])).endless);
    assert!(!explored(&system(vec![first, looping("P", echo())])).endless);
}

#[test]
fn a_blocked_indivisible_step_is_a_fault() {
    let step = |first: Stmt| vec![(Mode::DStep, vec![first, Stmt::Guard(is(0, 0))])];
    let system = |first: Stmt| promela(vec![var("x", Kind::Byte, None)], Vec::new(), vec![looping("P0", step(first))]);
    assert!(explored(&system(set(0, 1))).nodes[0].fault);
    let waiting = explored(&system(Stmt::Guard(is(0, 1))));
    assert!(!waiting.nodes[0].fault && waiting.nodes[0].invalid_end);
}

#[test]
fn a_message_through_another_name_of_the_channel() {
    let chan = |name: &str, alias| Chan { name: name.to_string(), capacity: 0, alias };
    let receive = Stmt::Receive(1, Pattern::Store(Place { var: 0, index: None }));
    let system = promela(
        vec![var("x", Kind::Byte, None)],
        vec![chan("c", None), chan("g", Some(0))],
        vec![
            looping("P0", vec![(Mode::Plain, vec![Stmt::Send(0, Expr::Const(2))])]),
            looping("P1", vec![(Mode::Plain, vec![receive])]),
        ],
    );
    let graph = explored(&system);
    assert_eq!(graph.states.len(), 2);
    assert!(graph.nodes.iter().all(|n| n.arcs.len() == 1 && n.arcs[0].mover == 0));
}

/// `&&` decides from left to right whether there is a fault.
#[test]
fn a_proposition_without_a_value_leaves_the_question_open() {
    let count = Stmt::Assign(
        Place { var: 0, index: None },
        Expr::bin(Op::Mod, Expr::bin(Op::Add, Expr::Var(0), Expr::Const(1)), Expr::Const(3)),
    );
    let system = promela(
        vec![var("i", Kind::Byte, None), var("a", Kind::Byte, Some(2))],
        Vec::new(),
        vec![looping("P", vec![(Mode::Plain, vec![count])])],
    );
    let graph = explored(&system);
    let element = Expr::bin(Op::Eq, Expr::Elem(1, Box::new(Expr::Var(0))), Expr::Const(0));
    let inside = Expr::bin(Op::Lt, Expr::Var(0), Expr::Const(2));
    let ask = |a: &Expr, b: &Expr| {
        let invariant = g(Ltl::Prop(Expr::bin(Op::And, a.clone(), b.clone())));
        Question::Ltl(invariant).answer(&system, &graph, Fairness::None)
    };
    assert_eq!(ask(&element, &inside).holds, None);
    assert_eq!(ask(&inside, &element).holds, Some(false));
    assert!(!ask(&inside, &element).proposition_faults);
}

#[test]
fn random_systems_are_reproducible_and_can_be_printed() {
    for seed in 0..300 {
        let (one, other) = (random::system(seed).system, random::system(seed).system);
        assert_eq!(one, other);
        assert!(!print::model(&one).is_empty());
        shrink::systems(&one).iter().for_each(|smaller| assert!(!print::model(smaller).is_empty()));
    }
}
