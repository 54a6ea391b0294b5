//! CTL formulas, compared with a fixpoint computation over sets of states.

use crate::graph::{FAIRNESS, FORMS, ProcessGraph, Random, action, run, run_in};
use kripke_logic::ctl::{CtlId, CtlNode, Path};
use kripke_logic::partial::{self, Node, PartialStructure};
use kripke_logic::{Ctl as Parsed, parse};
use kripke_model::trail::{Ending, Trail};
use kripke_search::{Budget, CtlFormula, End, ErrorKind, Evidence, Fairness, Limit, Options, Outcome, SubformulaId};

/// A random graph with three atomic propositions.
fn random_graph(random: &mut Random, nodes: u64) -> ProcessGraph {
    let graph = ProcessGraph::random(random, nodes);
    ProcessGraph { atoms: (0..nodes).map(|_| random.below_u64(8)).collect(), ..graph }
}

/// CTL in its textbook syntax.
#[derive(Clone, Debug)]
enum Ctl {
    Atom(u32),
    Not(Box<Ctl>),
    And(Box<Ctl>, Box<Ctl>),
    Or(Box<Ctl>, Box<Ctl>),
    Next(bool, Box<Ctl>),
    Always(bool, Box<Ctl>),
    Finally(bool, Box<Ctl>),
    Until(bool, Box<Ctl>, Box<Ctl>),
}

type Set = Vec<bool>;

fn not(x: &Set) -> Set {
    x.iter().map(|v| !v).collect()
}

fn zip(x: &Set, y: &Set, op: impl Fn(bool, bool) -> bool) -> Set {
    x.iter().zip(y).map(|(x, y)| op(*x, *y)).collect()
}

impl ProcessGraph {
    fn ex(&self, x: &Set) -> Set {
        self.edges.iter().map(|edges| edges.iter().any(|(_, to)| x[*to as usize])).collect()
    }

    fn eu(&self, x: &Set, y: &Set) -> Set {
        let mut set = y.clone();
        loop {
            let more = zip(&set, &zip(x, &self.ex(&set), |a, b| a && b), |a, b| a || b);
            if more == set {
                return set;
            }
            set = more;
        }
    }

    /// The nodes with a fair path that stays in a set.
    fn eg(&self, x: &Set, fairness: Fairness) -> Set {
        let nodes = self.edges.len();
        let mut good: Set =
            (0..nodes).map(|node| x[node] && self.edges[node].is_empty() && fairness != Fairness::Impartial).collect();
        for bits in 1u32..1 << nodes {
            let set: Set = (0..nodes).map(|node| bits >> node & 1 == 1).collect();
            if zip(&set, x, |a, b| !a || b).iter().all(|v| *v) && self.supports(&set, fairness) {
                good = zip(&good, &set, |a, b| a || b);
            }
        }
        self.eu(x, &good)
    }

    fn evaluate(&self, formula: &Ctl, fairness: Fairness) -> Set {
        let of = |f: &Ctl| self.evaluate(f, fairness);
        let fair = self.eg(&vec![true; self.edges.len()], fairness);
        let fairly = |x: &Set| zip(x, &fair, |a, b| a && b);
        let any = vec![true; self.edges.len()];
        match formula {
            Ctl::Atom(bit) => self.atoms.iter().map(|atoms| atoms >> bit & 1 == 1).collect(),
            Ctl::Not(x) => not(&of(x)),
            Ctl::And(x, y) => zip(&of(x), &of(y), |a, b| a && b),
            Ctl::Or(x, y) => zip(&of(x), &of(y), |a, b| a || b),
            Ctl::Next(false, x) => self.ex(&fairly(&of(x))),
            Ctl::Next(true, x) => not(&self.ex(&fairly(&not(&of(x))))),
            Ctl::Always(false, x) => self.eg(&of(x), fairness),
            Ctl::Always(true, x) => not(&self.eu(&any, &fairly(&not(&of(x))))),
            Ctl::Finally(false, x) => self.eu(&any, &fairly(&of(x))),
            Ctl::Finally(true, x) => not(&self.eg(&not(&of(x)), fairness)),
            Ctl::Until(false, x, y) => self.eu(&of(x), &fairly(&of(y))),
            Ctl::Until(true, x, y) => {
                let (x, y) = (of(x), of(y));
                let lost = self.eu(&not(&y), &fairly(&zip(&x, &y, |a, b| !a && !b)));
                zip(&lost, &self.eg(&not(&y), fairness), |a, b| !a && !b)
            }
        }
    }
}

impl Ctl {
    fn of(ctl: &Parsed) -> Ctl {
        let part = |id: CtlId| Box::new(Ctl::of(&ctl.part(id)));
        let all = |path: Path| path == Path::All;
        match ctl.nodes()[ctl.root().index()] {
            CtlNode::Atom(atom) => Ctl::Atom(ctl.atoms.get(atom).text.trim_start_matches('a').parse().unwrap()),
            CtlNode::Not(x) => Ctl::Not(part(x)),
            CtlNode::And(x, y) => Ctl::And(part(x), part(y)),
            CtlNode::Or(x, y) => Ctl::Or(part(x), part(y)),
            CtlNode::Next(path, x) => Ctl::Next(all(path), part(x)),
            CtlNode::Globally(path, x) => Ctl::Always(all(path), part(x)),
            CtlNode::Finally(path, x) => Ctl::Finally(all(path), part(x)),
            CtlNode::Until(path, x, y) => Ctl::Until(all(path), part(x), part(y)),
            node => panic!("{node:?} is not made here"),
        }
    }

    fn random(random: &mut Random, size: u64) -> Ctl {
        if size == 0 {
            return Ctl::Atom(random.below_u64(3) as u32);
        }
        let all = random.below_u64(2) == 0;
        let mut part = |size| Box::new(Ctl::random(random, size));
        let (x, y) = (part(size - 1), part(size / 2));
        match random.below_u64(8) {
            0 => Ctl::Not(x),
            1 => Ctl::And(x, y),
            2 => Ctl::Or(y, x),
            3 => Ctl::Next(all, x),
            4 => Ctl::Always(all, x),
            5 => Ctl::Finally(all, x),
            6 => Ctl::Until(all, x, y),
            _ => Ctl::Until(all, y, x),
        }
    }

    fn text(&self) -> String {
        let path = |all: &bool| if *all { "A" } else { "E" };
        match self {
            Ctl::Atom(bit) => format!("a{bit}"),
            Ctl::Not(x) => format!("!({})", x.text()),
            Ctl::And(x, y) => format!("({}) && ({})", x.text(), y.text()),
            Ctl::Or(x, y) => format!("({}) || ({})", x.text(), y.text()),
            Ctl::Next(all, x) => format!("{}X ({})", path(all), x.text()),
            Ctl::Always(all, x) => format!("{}G ({})", path(all), x.text()),
            Ctl::Finally(all, x) => format!("{}F ({})", path(all), x.text()),
            Ctl::Until(all, x, y) => format!("{}[({}) U ({})]", path(all), x.text(), y.text()),
        }
    }

    fn build(&self, out: &mut CtlFormula) -> SubformulaId {
        match self {
            Ctl::Atom(bit) => out.atom(*bit),
            Ctl::Not(x) => {
                let x = x.build(out);
                out.not(x)
            }
            Ctl::And(x, y) => {
                let (x, y) = (x.build(out), y.build(out));
                out.and(x, y)
            }
            Ctl::Or(x, y) => {
                let (x, y) = (x.build(out), y.build(out));
                out.or(x, y)
            }
            Ctl::Next(all, x) => {
                let x = x.build(out);
                if *all { out.ax(x) } else { out.ex(x) }
            }
            Ctl::Always(all, x) => {
                let x = x.build(out);
                if *all { out.ag(x) } else { out.eg(x) }
            }
            Ctl::Finally(all, x) => {
                let x = x.build(out);
                if *all { out.af(x) } else { out.ef(x) }
            }
            Ctl::Until(all, x, y) => {
                let (x, y) = (x.build(out), y.build(out));
                if *all { out.au(x, y) } else { out.eu(x, y) }
            }
        }
    }
}

fn atom(bit: u32) -> Box<Ctl> {
    Box::new(Ctl::Atom(bit))
}

fn check(system: &ProcessGraph, formula: &Ctl, fairness: Fairness) -> Outcome {
    let mut out = CtlFormula::new(fairness);
    let whole = formula.build(&mut out);
    evaluate(system, out.with_root(whole))
}

/// Evaluates a formula with each store. Values and counts are equal; which fair cycle is shown depends on the store. Returns the
/// outcome of one of them.
fn evaluate(system: &ProcessGraph, formula: CtlFormula) -> Outcome {
    let options = Options { ctl: Some(formula), ..Options::default() };
    let mut outcomes: Vec<Outcome> = (0..FORMS.len() as u64).map(|form| run_in(form, system, &options)).collect();
    let key = |o: &Outcome| (holds(o), o.violations.len(), o.statistics.states, o.statistics.transitions);
    for outcome in &outcomes {
        assert_eq!(key(outcome), key(&outcomes[0]), "{system:?} {:?}", outcome.statistics.store);
    }
    let edges: usize = system.edges.iter().map(Vec::len).sum();
    outcomes.swap_remove((edges + system.atoms[0] as usize) % outcomes.len())
}

/// A formula with one subformula for each node of the syntax tree.
fn parts(ctl: &Parsed, fairness: Fairness) -> (CtlFormula, Vec<SubformulaId>) {
    let mut out = CtlFormula::new(fairness);
    let mut parts: Vec<SubformulaId> = Vec::new();
    for node in ctl.nodes() {
        let part = |id: CtlId| parts[id.index()];
        // Propositions are numbered as in the text.
        let bit = |text: &str| text.trim_start_matches('a').parse().unwrap();
        let made = match *node {
            CtlNode::Constant(value) => out.constant(value),
            CtlNode::Atom(atom) => out.atom(bit(&ctl.atoms.get(atom).text)),
            CtlNode::Not(x) => out.not(part(x)),
            CtlNode::And(x, y) => out.and(part(x), part(y)),
            CtlNode::Or(x, y) => out.or(part(x), part(y)),
            CtlNode::Implies(x, y) => out.implies(part(x), part(y)),
            CtlNode::Equivalent(x, y) => out.equivalent(part(x), part(y)),
            CtlNode::Next(Path::All, x) => out.ax(part(x)),
            CtlNode::Next(Path::Exists, x) => out.ex(part(x)),
            CtlNode::Globally(Path::All, x) => out.ag(part(x)),
            CtlNode::Globally(Path::Exists, x) => out.eg(part(x)),
            CtlNode::Finally(Path::All, x) => out.af(part(x)),
            CtlNode::Finally(Path::Exists, x) => out.ef(part(x)),
            CtlNode::Until(Path::All, x, y) => out.au(part(x), part(y)),
            CtlNode::Until(Path::Exists, x, y) => out.eu(part(x), part(y)),
        };
        parts.push(made);
    }
    (out.with_root(parts[ctl.root().index()]), parts)
}

fn holds(outcome: &Outcome) -> bool {
    matches!(outcome.end, End::Exhausted(_) | End::Decided(_))
}

/// The nodes of a run, including the last one.
fn nodes(system: &ProcessGraph, trail: &Trail) -> Vec<usize> {
    let mut nodes = vec![0];
    for &choice in &trail.choices {
        nodes.push(system.edges[nodes[nodes.len() - 1]][choice as usize].1 as usize);
    }
    nodes
}

#[test]
fn random_formulas_are_evaluated_correctly() {
    let random = &mut Random::new(31);
    let (mut good, mut early) = (0, 0);
    for round in 0..1200 {
        let size = 1 + random.below_u64(7);
        let (system, formula) = (random_graph(random, size), Ctl::random(random, round % 5));
        for fairness in FAIRNESS {
            let outcome = check(&system, &formula, fairness);
            let expected = system.evaluate(&formula, fairness)[0];
            assert_eq!(holds(&outcome), expected, "{fairness:?} {formula:?} {system:?} {outcome:?}");
            good += usize::from(expected);
            early += usize::from(matches!(outcome.end, End::Decided(_)));
            if let [violation] = &outcome.violations[..] {
                let nodes = nodes(&system, &violation.trail);
                if let Ending::Cycle(start) = violation.trail.ending {
                    assert_eq!(nodes.last(), nodes.get(start as usize), "{formula:?} {system:?} {violation:?}");
                    assert!(nodes.len() > start as usize + 1, "an empty cycle: {violation:?}");
                }
            } else {
                assert!(expected, "no run is shown: {outcome:?}");
            }
        }
    }
    assert!(good > 800 && early > 80, "{good} hold, {early} without looking at everything");
}

#[test]
fn a_run_shows_why_an_invariant_or_a_promise_is_broken() {
    let random = &mut Random::new(32);
    let (mut invariants, mut promises) = (0, 0);
    for _ in 0..500 {
        let size = 1 + random.below_u64(7);
        let system = random_graph(random, size);
        let has = |node: usize, bit: u32| system.atoms[node] >> bit & 1 == 1;
        for fairness in FAIRNESS {
            let outcome = check(&system, &Ctl::Always(true, atom(0)), fairness);
            if let [violation] = &outcome.violations[..] {
                let nodes = nodes(&system, &violation.trail);
                assert!(nodes.iter().any(|node| !has(*node, 0)), "{violation:?}");
                assert_eq!(violation.error, ErrorKind::Refuted);
                invariants += 1;
            }
            let promise = Ctl::Or(Box::new(Ctl::Not(atom(0))), Box::new(Ctl::Finally(true, atom(1))));
            let outcome = check(&system, &Ctl::Always(true, Box::new(promise)), fairness);
            let [violation] = &outcome.violations[..] else { continue };
            let nodes = nodes(&system, &violation.trail);
            let asked = nodes.iter().rposition(|node| has(*node, 0)).expect("a state with the premise");
            let cycle = match violation.trail.ending {
                Ending::Cycle(start) => start as usize,
                _ => nodes.len() - 1,
            };
            let first = nodes.iter().position(|node| has(*node, 0)).unwrap_or(0);
            assert!(nodes[cycle.max(first)..].iter().all(|node| !has(*node, 1)), "{system:?} {violation:?} {asked}");
            assert!(cycle < nodes.len() - 1 || system.edges[nodes[cycle]].is_empty(), "{violation:?}");
            promises += 1;
        }
    }
    assert!(invariants > 300 && promises > 300, "{invariants} {promises}");
}

/// The value that the runs and the open claims imply, by the semantics of the formula alone. Open claims must be
/// true.
fn settled(
    system: &ProcessGraph,
    ctl: &Parsed,
    parts: &[SubformulaId],
    fairness: Fairness,
    evidence: &Evidence,
) -> Option<bool> {
    let runs: Vec<Vec<usize>> = evidence.runs.iter().map(|run| nodes(system, &run.trail)).collect();
    let mut numbers: Vec<usize> = Vec::new();
    runs.iter().flatten().for_each(|node| {
        if !numbers.contains(node) {
            numbers.push(*node);
        }
    });
    let number = |node: usize| numbers.iter().position(|n| *n == node);
    let atoms = |node: usize| {
        let bit = |text: &str| text.trim_start_matches('a').parse::<u32>().unwrap();
        let own = ctl.atoms.iter().enumerate();
        own.filter(|(_, (_, a))| system.atoms[node] >> bit(&a.text) & 1 == 1).fold(0, |all, (i, _)| all | 1 << i)
    };
    let node = |node: &usize| {
        let all = &system.edges[*node];
        let next: Vec<usize> = all.iter().filter_map(|(_, to)| number(*to as usize)).collect();
        Node { atoms: atoms(*node), complete: next.len() == all.len(), next }
    };
    let mut rounds = Vec::new();
    for (run, nodes) in evidence.runs.iter().zip(&runs) {
        if let Ending::Cycle(start) = run.trail.ending {
            let round = &nodes[start as usize..];
            assert!(round.len() > 1 && round.first() == round.last(), "{run:?}");
            assert!(is_fair(system, round, &run.trail.choices[start as usize..], fairness), "{run:?} {system:?}");
            rounds.push(round.iter().filter_map(|node| number(*node)).collect());
        }
        if let Some(place) = run.leaves {
            let (own, other) = (&run.trail.choices, &evidence.runs[place.run].trail.choices);
            assert_eq!(own[..place.steps as usize], other[..place.steps as usize]);
        }
    }
    let mut given = Vec::new();
    for (place, claim) in &evidence.open {
        let at = runs[place.run][place.steps as usize];
        let part = parts.iter().position(|part| *part == claim.subformula).expect("a part that was asked for");
        let truth = system.evaluate(&Ctl::of(&ctl.part(CtlId(part as u32))), fairness)[at];
        assert_eq!(truth, claim.value, "{} at {at}", ctl.part(CtlId(part as u32)));
        given.push((number(at).unwrap(), CtlId(part as u32), claim.value));
    }
    let picky = fairness == Fairness::Impartial;
    let graph = PartialStructure { nodes: numbers.iter().map(node).collect(), cycles: rounds, fair_paths_only: picky };
    partial::judge(ctl, &graph, &given)
}

fn is_fair(system: &ProcessGraph, round: &[usize], choices: &[u32], fairness: Fairness) -> bool {
    let able = |node: usize, process: u8| system.edges[node].iter().any(|(p, _)| *p == process);
    let taken: Vec<_> = round.iter().zip(choices).map(|(node, n)| action(&system.edges[*node][*n as usize])).collect();
    let mut steps = round.iter().flat_map(|node| &system.edges[*node]);
    let transitions = fairness == Fairness::StrongTransitions;
    (!transitions || steps.all(|edge| taken.contains(&action(edge))))
        && (0..system.processes).all(|process| {
            round.iter().zip(choices).any(|(node, choice)| system.edges[*node][*choice as usize].0 == process)
                || match fairness {
                    Fairness::None | Fairness::StrongTransitions => true,
                    Fairness::Weak => round.iter().any(|node| !able(*node, process)),
                    Fairness::Strong => round.iter().all(|node| !able(*node, process)),
                    Fairness::Impartial => false,
                }
        })
}

/// The runs show the value of the formula, except for claims that they declare open.
#[test]
fn evidence_settles_the_formula() {
    let random = &mut Random::new(33);
    let (mut trees, mut witnesses, mut without_gaps) = (0, 0, 0);
    for round in 0..2000 {
        let size = 1 + random.below_u64(7);
        let (system, formula) = (random_graph(random, size), Ctl::random(random, round % 6));
        let ctl = parse::ctl(&formula.text()).unwrap();
        for fairness in FAIRNESS {
            let (formula, parts) = parts(&ctl, fairness);
            let outcome = evaluate(&system, formula);
            let holds = holds(&outcome);
            let Some(evidence) = &outcome.evidence else {
                assert!(holds, "{ctl} {system:?}");
                continue;
            };
            assert_eq!(
                settled(&system, &ctl, &parts, fairness, evidence),
                Some(holds),
                "{ctl} {system:?} {evidence:?}"
            );
            trees += usize::from(evidence.runs.len() > 1);
            witnesses += usize::from(holds);
            without_gaps += usize::from(evidence.open.is_empty());
        }
    }
    assert!(trees > 200 && witnesses > 500 && without_gaps > 1000, "{trees} {witnesses} {without_gaps}");
}

/// A long path with a self-loop at its end.
fn line(length: u32) -> ProcessGraph {
    let edges = (0..length).map(|n| vec![(0, (n + 1).min(length - 1))]).collect();
    let atoms = (0..length).map(|n| u64::from(n == 5)).collect();
    ProcessGraph { edges, processes: 1, atoms, accepting: vec![false; length as usize], ..ProcessGraph::default() }
}

#[test]
fn only_relevant_states_are_visited() {
    let system = line(100_000);
    let outcome = check(&system, &Ctl::Finally(true, atom(0)), Fairness::None);
    assert!(holds(&outcome) && outcome.statistics.states < 20, "{outcome:?}");
    let outcome = check(&system, &Ctl::Always(true, Box::new(Ctl::Not(atom(0)))), Fairness::None);
    assert!(!holds(&outcome) && outcome.statistics.states < 20, "{outcome:?}");
    // All states are visited. A deep graph must not overflow the call stack.
    let outcome = check(&system, &Ctl::Always(true, Box::new(Ctl::Not(atom(1)))), Fairness::None);
    assert!(matches!(outcome.end, End::Exhausted(_)) && outcome.statistics.states == 100_000, "{outcome:?}");
}

#[test]
fn limits_give_no_verdict() {
    let mut formula = CtlFormula::new(Fairness::None);
    let x = formula.atom(1);
    let whole = formula.ef(x);
    let options = Options { ctl: Some(formula.with_root(whole)), ..Options::default() };
    let budget = Budget { max_depth: Some(50), ..Budget::default() };
    let outcome = run(&line(1000), &options, &budget);
    assert!(matches!(outcome.end, End::Stopped(Limit::Depth(50))), "{outcome:?}");
    let budget = Budget { max_states: Some(50), ..Budget::default() };
    let outcome = run(&line(1000), &options, &budget);
    assert!(matches!(outcome.end, End::Stopped(Limit::States(50))), "{outcome:?}");
}

/// Options with which two or three workers take over after a few states.
fn in_parallel(formula: CtlFormula, number: u64) -> Options {
    let (threads, on_the_fly) = (Some(2 + number as usize % 2), 1 + number / 2 % 3);
    Options { ctl: Some(formula), threads, on_the_fly, ..Options::default() }
}

#[test]
fn several_workers_evaluate_correctly_and_give_evidence() {
    let random = &mut Random::new(34);
    let (mut good, mut shown) = (0, 0);
    for round in 0..1000 {
        let size = 2 + random.below_u64(6);
        let (system, formula) = (random_graph(random, size), Ctl::random(random, 1 + round % 5));
        let ctl = parse::ctl(&formula.text()).unwrap();
        let (built, parts) = parts(&ctl, Fairness::None);
        let outcome = run_in(round, &system, &in_parallel(built, round / 5));
        let expected = system.evaluate(&formula, Fairness::None)[0];
        assert_eq!(holds(&outcome), expected, "{ctl} {system:?} {outcome:?}");
        good += usize::from(expected);
        if let Some(evidence) = &outcome.evidence {
            let settled = settled(&system, &ctl, &parts, Fairness::None, evidence);
            assert_eq!(settled, Some(expected), "{ctl} {system:?} {evidence:?}");
            shown += 1;
        }
    }
    assert!(good > 300 && shown > 300, "{good} hold, {shown} have evidence");
}

/// Graphs that all workers have a part in. The values are those that one worker finds, and every state is expanded once.
#[test]
fn several_workers_agree_with_one_on_larger_graphs() {
    let random = &mut Random::new(35);
    let (mut good, mut complete) = (0, 0);
    for round in 0..60 {
        let (system, formula) = (random_graph(random, 3000), Ctl::random(random, 1 + round % 6));
        let mut out = CtlFormula::new(Fairness::None);
        let whole = formula.build(&mut out);
        let out = out.with_root(whole);
        let alone = run_in(round, &system, &Options { ctl: Some(out.clone()), ..Options::default() });
        let together = run_in(round, &system, &Options { threads: Some(4), ..in_parallel(out, round) });
        assert_eq!(holds(&together), holds(&alone), "{formula:?} {together:?}");
        good += usize::from(holds(&alone));
        if matches!(alone.end, End::Exhausted(_)) {
            let counts = |outcome: &Outcome| (outcome.statistics.states, outcome.statistics.transitions);
            assert!(matches!(together.end, End::Exhausted(_)), "{together:?}");
            assert_eq!(counts(&together), counts(&alone), "{formula:?}");
            complete += 1;
        }
    }
    assert!(good > 10 && complete > 3, "{good} hold, {complete} depend on all states");
}

#[test]
fn several_workers_observe_limits() {
    let mut formula = CtlFormula::new(Fairness::None);
    let x = formula.atom(1);
    let whole = formula.ef(x);
    let options = in_parallel(formula.with_root(whole), 0);
    let outcome = run(&line(1000), &options, &Budget { max_states: Some(50), ..Budget::default() });
    assert!(matches!(outcome.end, End::Stopped(Limit::States(50))), "{outcome:?}");
    let outcome = run(&line(1000), &options, &Budget { max_depth: Some(50), ..Budget::default() });
    assert!(matches!(outcome.end, End::Stopped(Limit::Depth(50))), "{outcome:?}");
    let outcome = run(&line(1000), &options, &Budget::default());
    assert!(!holds(&outcome) && outcome.statistics.states == 1000, "{outcome:?}");
}
