//! Random programs through real SPIN and through Kripke, where SPIN is installed.
//!
//! `KRIPKE_RANDOM_PROGRAMS` says how many, `KRIPKE_RANDOM_SEED` where to begin.

use std::fs;
use std::path::{Path, PathBuf};

use kripke_tests::generate::{Program, program, shrink};
use kripke_tests::measure::{Bounds, Measured, count_all};
use kripke_tests::spin::{self, Said};
use kripke_tests::{parallel, places};

const BOUNDS: Bounds = Bounds { states: 500_000, seconds: 20 };

/// What the two say, where they differ; and whether they could be compared at all.
fn compare(program: &Program, folder: &Path) -> (Option<String>, bool) {
    let said = spin::verify(&program.text(), folder);
    let measured = count_all(&folder.join("model.pml"), BOUNDS);
    let agree = match (&said, &measured) {
        (Said::GaveUp | Said::Rejected, _) | (_, Measured::Stopped(_)) => return (None, false),
        (Said::Fault, Measured::Counted(counts)) => counts.faults > 0,
        (Said::Counted { states, transitions, errors }, Measured::Counted(counts)) => {
            [*states, *transitions, *errors] == [counts.states, counts.transitions, counts.errors()]
        }
        _ => false,
    };
    ((!agree).then(|| format!("SPIN: {said:?}\nKripke: {measured}")), true)
}

fn folder(seed: u64) -> PathBuf {
    std::env::temp_dir().join(format!("kripke-random-{}-{seed}", std::process::id()))
}

#[test]
fn random_programs_behave_as_in_spin() {
    if !spin::installed() {
        return;
    }
    let count: u64 = places::setting("KRIPKE_RANDOM_PROGRAMS", 30);
    let first: u64 = places::setting("KRIPKE_RANDOM_SEED", 1);
    let seeds: Vec<u64> = (first..first + count).collect();
    let results = parallel::map(&seeds, |seed| {
        let (folder, made) = (folder(*seed), program(*seed));
        let (difference, compared) = compare(&made, &folder);
        let report = difference.map(|_| {
            let small = shrink(made, |p| compare(p, &folder).0.is_some());
            let how = compare(&small, &folder).0.unwrap_or_default();
            format!("seed {seed}, made smaller:\n{}{how}\n", small.text())
        });
        // What is left over does no harm.
        let _ = fs::remove_dir_all(&folder);
        (report, compared)
    });
    let compared = results.iter().filter(|r| r.as_ref().is_ok_and(|(_, compared)| *compared)).count();
    places::notice(&format!("{compared} of {count} random programs compared with SPIN"));
    let wrong: Vec<_> = results.into_iter().filter_map(|r| r.map_or_else(Some, |(report, _)| report)).collect();
    assert!(wrong.is_empty(), "{} programs differ:\n\n{}", wrong.len(), wrong.join("\n"));
}
