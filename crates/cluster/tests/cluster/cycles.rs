//! The distributed algorithms for accepting cycles: the verdicts of nested depth-first search.

use kripke_cluster::{Algorithm, accepting_cycles};
use kripke_model::trail::Ending;
use kripke_model::{Batch, Flags, NextState, Plain, Random, State, Successors, Trail};
use kripke_search::{Budget, End, Outcome, Progress, explore};
use kripke_tests::parallel;

use crate::schedules::cluster;
use crate::systems::{System, cycle_options, end, number, own_models, random_products, threads, with_claims};

/// How often each answer was given.
#[derive(Clone, Copy, Default, Debug)]
struct Tally {
    cycles: usize,
    errors: usize,
    holds: usize,
}

impl Tally {
    fn count(&mut self, outcome: &Outcome) {
        match outcome.end {
            End::Violation if outcome.statistics.errors.cycles > 0 => self.cycles += 1,
            End::Violation => self.errors += 1,
            _ => self.holds += 1,
        }
    }
}

fn compare(system: &System, plain: &Outcome, ranks: &[usize]) {
    for algorithm in Algorithm::ALL {
        for ranks in ranks {
            let what = format!("{} with {ranks} ranks", algorithm.word());
            let ours = system.cycles(&threads(*ranks), algorithm);
            let ours = ours.unwrap_or_else(|failed| panic!("{}, {what}: {failed}", system.name));
            system.compare_cycles(plain, &ours.outcome, &what);
        }
    }
}

#[test]
fn random_models_have_the_verdicts_of_one_process() {
    let mut tally = Tally::default();
    for system in random_products(0, 120, 400) {
        let plain = system.plain(&cycle_options(), &Budget::default());
        tally.count(&plain);
        compare(&system, &plain, &[1, 3]);
    }
    assert!(tally.cycles > 15 && tally.errors > 15 && tally.holds > 15, "{tally:?}");
}

/// `KRIPKE_RANKS_MAX_PRODUCT` says how large products may be.
#[test]
fn own_claims_have_the_verdicts_of_one_process() {
    let models = own_models(&["examples", "tests/promela", "tests/claims"]);
    let products: Vec<_> = models.iter().flat_map(with_claims).collect();
    let most = number("KRIPKE_RANKS_MAX_PRODUCT", 20_000) as u64;
    let budget = Budget { max_states: Some(most), ..Budget::default() };
    let results = parallel::map(&products, |model| {
        let mut tally = Tally::default();
        let Some(system) = System::new(model.clone(), true) else { return tally };
        let plain = system.plain(&cycle_options(), &budget);
        if !matches!(plain.end, End::Stopped(_)) {
            tally.count(&plain);
            compare(&system, &plain, &[1, 2, 3, 4]);
        }
        tally
    });
    let wrong: Vec<String> = results.iter().filter_map(|result| result.as_ref().err().cloned()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let sum = |part: fn(&Tally) -> usize| results.iter().flatten().map(part).sum::<usize>();
    let (cycles, errors, holds) = (sum(|t| t.cycles), sum(|t| t.errors), sum(|t| t.holds));
    println!(
        "{} products, {} decided: {cycles} cycles, {errors} errors, {holds} hold",
        products.len(),
        cycles + errors + holds
    );
    assert!(cycles > 2 && holds > 10, "{cycles} cycles, {errors} errors, {holds} hold");
}

/// A graph by its lists of successors. State 0 is the initial one.
#[derive(Clone, Debug)]
struct Graph {
    next: Vec<Vec<u8>>,
    accepting: Vec<bool>,
}

impl NextState for Graph {
    fn initial(&mut self, out: &mut Batch) {
        out.push(&[0]);
    }

    fn expand(&mut self, state: &State, out: &mut Batch) -> Flags {
        let at = usize::from(state[0]);
        self.next[at].iter().for_each(|next| out.push(&[*next]));
        Flags { accepting: self.accepting[at], ..Flags::default() }
    }
}

fn random_graph(random: &mut Random) -> Graph {
    let states = 2 + random.below(40);
    let degree = random.below(4);
    let list = |random: &mut Random| {
        let length = random.below(degree + 2);
        (0..length).map(|_| random.below(states) as u8).collect()
    };
    let next = (0..states).map(|_| list(random)).collect();
    let rare = 1 + random.below(12);
    Graph { next, accepting: (0..states).map(|_| random.one_in(rare)).collect() }
}

/// Follows a lasso to an accepting cycle.
fn is_lasso(graph: &Graph, trail: &Trail) -> bool {
    let mut states = vec![0];
    for choice in &trail.choices {
        states.push(graph.next[states[states.len() - 1]][*choice as usize] as usize);
    }
    let Ending::Cycle(start) = trail.ending else { return false };
    let around = &states[start as usize..];
    around.len() > 1 && around.first() == around.last() && around.iter().any(|state| graph.accepting[*state])
}

#[test]
fn random_graphs_have_the_verdicts_of_one_process() {
    let (mut random, mut tally) = (Random::new(17), Tally::default());
    for case in 0..number("KRIPKE_GRAPHS", 300) {
        let graph = random_graph(&mut random);
        let factory = || -> Box<dyn Successors> { Box::new(Plain(graph.clone())) };
        let (options, budget) = (cycle_options(), Budget::default());
        let plain = explore(&factory, &options, &budget, &Progress::new());
        tally.count(&plain);
        for algorithm in Algorithm::ALL {
            let cluster = if case % 2 == 0 { threads(1 + case % 3) } else { cluster(case as u64) };
            let ours = accepting_cycles((&cluster, algorithm, None), &factory, &options, &budget, &Progress::new());
            let what = format!("{} of {graph:?} on {cluster:?}", algorithm.word());
            let ours = ours.unwrap_or_else(|failed| panic!("{what}: {failed}")).outcome;
            assert_eq!(end(&plain.end), end(&ours.end), "{what}");
            assert!(ours.violations.iter().all(|v| is_lasso(&graph, &v.trail)), "{what}: {:?}", ours.violations);
        }
    }
    assert!(tally.cycles > 60 && tally.holds > 60, "{tally:?}");
}

/// A long chain of states, with an error near its start.
#[derive(Clone, Debug)]
struct Chain;

impl NextState for Chain {
    fn initial(&mut self, out: &mut Batch) {
        out.push(&0_u32.to_le_bytes());
    }

    fn expand(&mut self, state: &State, out: &mut Batch) -> Flags {
        let at = u32::from_le_bytes(state.try_into().expect("a number"));
        if at < 100_000 {
            out.push(&(at + 1).to_le_bytes());
        }
        Flags { goal: at == 20, ..Flags::default() }
    }
}

#[test]
fn an_error_before_a_limit_is_reported() {
    let factory = || -> Box<dyn Successors> { Box::new(Plain(Chain)) };
    let budget = Budget { max_states: Some(10_000), ..Budget::default() };
    for algorithm in Algorithm::ALL {
        for ranks in [1, 3] {
            let question = (&threads(ranks), algorithm, None);
            let ours = accepting_cycles(question, &factory, &cycle_options(), &budget, &Progress::new());
            let ours = ours.unwrap_or_else(|failed| panic!("{}: {failed}", algorithm.word())).outcome;
            assert_eq!(end(&ours.end), "violation", "{} with {ranks} ranks", algorithm.word());
            assert_eq!(ours.violations[0].trail.choices.len(), 20, "{} with {ranks} ranks", algorithm.word());
        }
    }
}

/// `KRIPKE_SCHEDULES` is the number of schedules.
#[test]
fn every_schedule_gives_the_verdict_of_one_process() {
    let systems = random_products(5_000, 30, 40);
    let plain: Vec<_> = systems.iter().map(|s| s.plain(&cycle_options(), &Budget::default())).collect();
    let (schedules, algorithms) = (number("KRIPKE_SCHEDULES", 1_000), Algorithm::ALL.len());
    for seed in 0..schedules {
        let (algorithm, at) = (Algorithm::ALL[seed % algorithms], seed / algorithms % systems.len());
        let (system, cluster) = (&systems[at], cluster(seed as u64));
        let what = format!("{} on {cluster:?}", algorithm.word());
        let ours = system.cycles(&cluster, algorithm);
        let ours = ours.unwrap_or_else(|failed| panic!("{}, {what}: {failed}", system.name));
        system.compare_cycles(&plain[at], &ours.outcome, &what);
    }
}
