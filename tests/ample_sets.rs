//! The choice of ample sets: remembered choices are those that would be computed again, and no clock has a say.
//!
//! `KRIPKE_AMPLE` is the number of random programs.

use std::collections::HashSet;
use std::io;
use std::path::Path;
use std::sync::Arc;

use kripke_lang::source::Loader;
use kripke_lang::{LoadOptions, load};
use kripke_model::{Batch, Choice, Interpreter, Model, ProcessStructure, Successors};
use kripke_reduce::por::{AmpleSuccessors, Independence, Preserve};
use kripke_tests::generate::{loose, program};
use kripke_tests::{parallel, places};

const STATES: usize = 3_000;

/// A text in place of files.
struct Text(String);

impl Loader for Text {
    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        Ok(self.0.clone().into_bytes())
    }
}

fn random_model(seed: u64) -> Option<Arc<Model>> {
    let program = if seed.is_multiple_of(5) { program(seed) } else { loose(seed) };
    load(Path::new("random.pml"), &Text(program.text()), &LoadOptions::default()).model.map(Arc::new)
}

/// The first states of a model, breadth first.
fn states(interpreter: &mut Interpreter) -> Vec<Vec<u8>> {
    let mut found = vec![interpreter.initial_state().to_vec()];
    let (mut seen, mut batch, mut at) = (HashSet::from([found[0].clone()]), Batch::new(), 0);
    while at < found.len() && found.len() < STATES {
        batch.clear();
        interpreter.expand(&found[at], Choice::All, &mut batch);
        found.extend(batch.states().filter(|next| seen.insert(next.to_vec())).map(<[u8]>::to_vec));
        at += 1;
    }
    found
}

/// The ample successors of a state, and the postponed ones.
fn expand(successors: &mut impl ProcessStructure, state: &[u8]) -> [Vec<Vec<u8>>; 2] {
    let (mut ample, mut postponed) = (Batch::new(), Batch::new());
    successors.expand_ample(state, &mut ample, &mut postponed);
    [ample, postponed].map(|batch| batch.states().map(<[u8]>::to_vec).collect())
}

/// The number of states with a proper ample set. Two ways to choose must agree in all states, which are passed `rounds`
/// times in turn.
fn compare(
    seed: u64,
    preserve: Preserve,
    rounds: usize,
    ways: [fn(AmpleSuccessors<Interpreter>) -> AmpleSuccessors<Interpreter>; 2],
) -> Result<usize, String> {
    let Some(model) = random_model(seed) else { return Ok(0) };
    let Ok(independence) = Independence::of(&model, preserve).map(Arc::new) else { return Ok(0) };
    let Ok(mut interpreter) = Interpreter::new(model) else { return Ok(0) };
    let [mut one, mut other] =
        ways.map(|way| way(AmpleSuccessors::new(interpreter.for_thread(), independence.clone())));
    let (mut reduced, mut all) = (0, Batch::new());
    let states = states(&mut interpreter);
    for state in (0..rounds).flat_map(|_| &states) {
        let [ample, postponed] = expand(&mut one, state);
        if [&ample, &postponed] != expand(&mut other, state).each_ref() {
            return Err(format!("seed {seed}, {preserve:?}: the choices in {state:?} differ"));
        }
        all.clear();
        interpreter.expand(state, Choice::All, &mut all);
        reduced += usize::from(ample.len() < all.len());
    }
    Ok(reduced)
}

fn compare_all(seeds: u64, rounds: usize, ways: [fn(AmpleSuccessors<Interpreter>) -> AmpleSuccessors<Interpreter>; 2]) {
    let seeds: Vec<u64> = (0..seeds).collect();
    for preserve in [Preserve::Safety, Preserve::StutterLtl] {
        let results = parallel::map(&seeds, |seed| compare(*seed, preserve, rounds, ways));
        let reduced: Vec<usize> = results
            .into_iter()
            .map(|result| result.and_then(|reduced| reduced).unwrap_or_else(|e| panic!("{e}")))
            .collect();
        let models = reduced.iter().filter(|reduced| **reduced > 0).count();
        assert!(models * 5 >= seeds.len(), "{preserve:?}: only {models} of {} models are reduced", seeds.len());
    }
}

#[test]
fn remembered_choices_are_those_computed_again() {
    let ways: [fn(AmpleSuccessors<Interpreter>) -> _; 2] =
        [AmpleSuccessors::without_governor, |successors| successors.without_governor().without_memo()];
    compare_all(places::setting("KRIPKE_AMPLE", 200), 2, ways);
}

/// The decision whether to choose at all depends on counted operations, so two searches of one thread are the same.
#[test]
fn the_governor_is_reproducible() {
    compare_all(places::setting("KRIPKE_AMPLE", 200) / 4, 20, [|successors| successors; 2]);
}
