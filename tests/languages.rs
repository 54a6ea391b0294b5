//! The same protocol in several languages: the same verdicts, and the same state spaces where each step of one is a step
//! of the other.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, HashMap};
use std::hash::{Hash, Hasher};
use std::path::Path;
use std::sync::Arc;

use kripke_model::{Batch, Choice, Interpreter, Successors};
use kripke_tests::measure::{Bounds, Measured, count_all, load};
use kripke_tests::places;

const BOUNDS: Bounds = Bounds { states: 1_000_000, seconds: 120 };

/// The successors of each state; the initial state is the first.
fn graph(path: &Path) -> Vec<Vec<usize>> {
    let model = load(path).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
    let mut interpreter = Interpreter::new(Arc::new(model)).expect("the model starts");
    let mut batch = Batch::new();
    interpreter.initial(&mut batch);
    let mut states = vec![batch.state(0).to_vec()];
    let mut numbers = HashMap::from([(states[0].clone(), 0)]);
    let mut edges = Vec::new();
    while edges.len() < states.len() {
        batch.clear();
        interpreter.expand(&states[edges.len()].clone(), Choice::All, &mut batch);
        let number = |state: &[u8]| {
            *numbers.entry(state.to_vec()).or_insert_with(|| {
                states.push(state.to_vec());
                states.len() - 1
            })
        };
        edges.push(batch.states().map(number).collect());
    }
    edges
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// How often each colour occurs when states are told apart by what can be reached from them, and from where they can be
/// reached, as far as that goes. Graphs of the same form give the same.
fn colours(edges: &[Vec<usize>]) -> BTreeMap<u64, usize> {
    let mut sources = vec![Vec::new(); edges.len()];
    for (from, targets) in edges.iter().enumerate() {
        targets.iter().for_each(|to| sources[*to].push(from));
    }
    let mut colour: Vec<u64> = (0..edges.len()).map(|i| hash(i == 0)).collect();
    for _ in 0..edges.len() {
        let sorted = |of: &[usize]| {
            let mut all: Vec<u64> = of.iter().map(|i| colour[*i]).collect();
            all.sort_unstable();
            all
        };
        let next: Vec<u64> =
            (0..edges.len()).map(|i| hash((colour[i], sorted(&edges[i]), sorted(&sources[i])))).collect();
        colour = next;
    }
    let mut counts = BTreeMap::new();
    colour.into_iter().for_each(|c| *counts.entry(c).or_insert(0) += 1);
    counts
}

#[test]
fn verdicts_are_the_same() {
    for name in ["mutex-peterson", "alternating-bit"] {
        let verdict = |ending: &str| {
            let path = places::root().join("examples").join(format!("{name}.{ending}"));
            match count_all(&path, BOUNDS) {
                Measured::Counted(counts) => counts.verdict(),
                other => panic!("{name}.{ending}: {other}"),
            }
        };
        for ending in ["dve", "esml"] {
            assert_eq!(verdict("pml"), verdict(ending), "{name}.{ending}");
        }
    }
}

#[test]
fn step_by_step_they_are_the_same_graph() {
    for (model, endings) in [("examples/mutex-peterson", ["pml", "dve"]), ("tests/twins/mutex", ["pml", "mdve"])] {
        let draw = |ending: &str| colours(&graph(&places::root().join(format!("{model}.{ending}"))));
        let colours = draw(endings[0]);
        // If all states looked alike, the comparison would say little.
        assert!(colours.len() > 15, "{model}: {colours:?}");
        assert_eq!(draw(endings[1]), colours, "{model}");
    }
}
