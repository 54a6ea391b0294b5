//! Ranks that end or stall: the search ends without an answer and names them.

use kripke_cluster::transport::Failure;
use kripke_cluster::transport::simulated::{Mishap, Schedule};
use kripke_cluster::{Cluster, Failed, Medium};
use kripke_model::Random;
use kripke_search::{Budget, Options};

use crate::systems::random_systems;

#[test]
fn a_lost_rank_is_named_and_gives_no_answer() {
    let (systems, options) = (random_systems(2_000, 20, 200), Options { all_errors: true, ..Options::default() });
    let (mut random, mut lost) = (Random::new(5), 0);
    for seed in 0..200 {
        let (system, ranks) = (&systems[seed as usize % systems.len()], 2 + random.below(3));
        let (rank, at) = (random.below(ranks), 1 + random.below_u64(400));
        let mishap = match random.percent(50) {
            true => Mishap::Dies { rank, at },
            false => Mishap::Stalls { rank, at, calls: 1_000_000 },
        };
        let medium = Medium::Simulated(Schedule { seed, delay: 20, mishap: Some(mishap) });
        match system.reach(&Cluster { ranks, medium }, &options, &Budget::default()) {
            Err(Failed::Network(Failure::Silent(who, _) | Failure::Lost(who))) => {
                assert_eq!(who, rank, "{mishap:?}");
                lost += 1;
            }
            // The search was over before.
            Ok(ours) => system.compare(&system.plain(&options, &Budget::default()), &ours.outcome, "mishap"),
            other => panic!("{}, {mishap:?}: {other:?}", system.name),
        }
    }
    assert!(lost > 100, "{lost} of 200 runs lost a rank");
}

#[test]
fn a_slow_rank_is_not_lost() {
    let (systems, options) = (random_systems(3_000, 10, 200), Options { all_errors: true, ..Options::default() });
    for (seed, system) in systems.iter().enumerate() {
        let mishap = Some(Mishap::Stalls { rank: 1, at: 50, calls: 10_000 });
        let medium = Medium::Simulated(Schedule { seed: seed as u64, delay: 20, mishap });
        let ours = system.reach(&Cluster { ranks: 3, medium }, &options, &Budget::default()).expect("an outcome");
        system.compare(&system.plain(&options, &Budget::default()), &ours.outcome, "a slow rank");
    }
}
