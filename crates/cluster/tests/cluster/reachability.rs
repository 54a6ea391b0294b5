//! Reachability over ranks that are threads: the counts, errors and lengths of trails of one process.

use kripke_search::{Budget, End, Limit, Options};
use kripke_tests::parallel;

use crate::systems::{System, own_models, random_systems, threads};

const BOUND: Budget = Budget {
    max_depth: None,
    max_states: Some(60_000),
    memory: None,
    taken: 0,
    deadline: None,
    interrupt: None,
    full: None,
    enough: Vec::new(),
};

fn compare(system: &System, ranks: &[usize]) -> bool {
    for all_errors in [true, false] {
        let options = Options { all_errors, ..Options::default() };
        let plain = system.plain(&options, &BOUND);
        if matches!(plain.end, End::Stopped(Limit::States(_))) {
            return false;
        }
        for ranks in ranks {
            let ours = system.reach(&threads(*ranks), &options, &Budget::default());
            let ours = ours.unwrap_or_else(|failed| panic!("{}: {failed}", system.name));
            assert_eq!(ours.ranks.len(), *ranks);
            system.compare(&plain, &ours.outcome, &format!("{ranks} ranks"));
        }
    }
    true
}

#[test]
fn own_models_have_the_counts_of_one_process() {
    let models = own_models(&["examples", "tests/promela", "tests/esml", "tests/twins"]);
    let results = parallel::map(&models, |model| {
        let compared = |compiled| compare(&System::new(model.clone(), compiled)?, &[1, 2, 3, 4]).then_some(());
        compared(true).and(compared(false)).is_some()
    });
    let wrong: Vec<String> = results.iter().filter_map(|result| result.as_ref().err().cloned()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let compared = results.into_iter().filter(|result| *result == Ok(true)).count();
    println!("{compared} of {} models", models.len());
    assert!(compared > 150, "only {compared} models were compared");
}

#[test]
fn random_models_have_the_counts_of_one_process() {
    let systems = random_systems(0, 150, 3_000);
    let mut errors = 0;
    for system in &systems {
        errors += system.plain(&Options::default(), &BOUND).violations.len();
        assert!(compare(system, &[1, 2, 4]));
    }
    assert!((20..140).contains(&errors), "{errors} of 150 models have an error");
}

#[test]
fn limits_stop_all_ranks() {
    let (large, options) = (own_models(&["examples"]), Options::default());
    let systems: Vec<System> = large.into_iter().filter_map(|model| System::new(model, true)).collect();
    let is_large = |system: &&System| matches!(system.plain(&options, &BOUND).end, End::Stopped(Limit::States(_)));
    let system = systems.iter().find(is_large).or(systems.first()).expect("an example");
    let end = |budget: Budget| system.reach(&threads(3), &options, &budget).expect("an outcome").outcome.end;
    assert!(matches!(end(Budget { max_states: Some(20), ..Budget::default() }), End::Stopped(Limit::States(20))));
    assert!(matches!(end(Budget { max_depth: Some(2), ..Budget::default() }), End::Stopped(Limit::Depth(2))));
}

/// The states that are left at a depth limit may all be those of one rank.
#[test]
fn a_depth_limit_stops_the_ranks_that_have_no_states_left() {
    let (options, mut stopped) = (Options { all_errors: true, ..Options::default() }, 0);
    for (system, depth) in random_systems(1_000, 40, 3_000).iter().flat_map(|system| (0..8).map(move |d| (system, d))) {
        let budget = Budget { max_depth: Some(depth), ..Budget::default() };
        let plain = system.plain(&options, &budget).end;
        let ours = system.reach(&threads(4), &options, &budget).expect("an outcome").outcome.end;
        assert_eq!(format!("{plain:?}"), format!("{ours:?}"), "{} at depth {depth}", system.name);
        stopped += usize::from(matches!(ours, End::Stopped(_)));
    }
    assert!(stopped > 100, "{stopped} searches were stopped");
}
