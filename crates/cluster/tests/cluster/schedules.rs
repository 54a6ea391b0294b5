//! Searches on a simulated network: whatever the order and the delays of messages, the answer is that of one process.
//! `KRIPKE_SCHEDULES` is the number of schedules.

use kripke_cluster::transport::simulated::Schedule;
use kripke_cluster::{Cluster, Medium};
use kripke_model::Random;
use kripke_search::{Budget, Options};

use crate::systems::{number, random_systems};

/// A cluster of two to four ranks with its schedule.
pub fn cluster(seed: u64) -> Cluster {
    let mut random = Random::new(seed);
    let schedule = Schedule { seed, delay: random.one_of(&[0, 3, 30, 300]), mishap: None };
    Cluster { ranks: 2 + random.below(3), medium: Medium::Simulated(schedule) }
}

#[test]
fn every_schedule_gives_the_counts_of_one_process() {
    let systems = random_systems(1_000, 40, 60);
    let schedules = number("KRIPKE_SCHEDULES", 1_000);
    let options = [true, false].map(|all_errors| Options { all_errors, ..Options::default() });
    let plain: Vec<_> =
        systems.iter().map(|s| options.each_ref().map(|options| s.plain(options, &Budget::default()))).collect();
    for seed in 0..schedules {
        let (at, which) = (seed % systems.len(), seed / systems.len() % 2);
        let (system, cluster) = (&systems[at], cluster(seed as u64));
        let ours = system.reach(&cluster, &options[which], &Budget::default());
        let ours = ours.unwrap_or_else(|failed| panic!("{}, {cluster:?}: {failed}", system.name));
        system.compare(&plain[at][which], &ours.outcome, &format!("{cluster:?}"));
    }
    println!("{schedules} schedules");
}
