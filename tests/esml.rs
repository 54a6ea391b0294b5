//! ESML: the printed models, where the corpus is beside the checkout, and conditions on states.

use std::path::Path;
use std::sync::Arc;
use std::{fs, io};

use kripke_lang::LoadOptions;
use kripke_lang::source::Loader;
use kripke_model::ir::Goal;
use kripke_model::{Interpreter, Successors};
use kripke_search::{Budget, Errors, Options, Progress, explore};
use kripke_tests::measure::{Bounds, Measured, count_all};
use kripke_tests::places;

/// Our own counts: one step for each command and each guard. Those printed with the models are of another grain.
const PRINTED: &[(&str, u64, u64)] = &[
    ("ME.esml", 189, 502),
    ("DP7.esml", 19_008, 81_328),
    ("EL3.esml", 90_924, 388_317),
    ("PS1.esml", 9_696, 35_616),
    ("SW1.esml", 15_400, 62_668),
];

#[test]
fn printed_models_have_no_errors() {
    let Some(corpus) = places::corpus() else { return };
    for (model, states, transitions) in PRINTED {
        let measured = count_all(&corpus.join("esml").join(model), Bounds { states: 1_000_000, seconds: 300 });
        let Measured::Counted(counts) = measured else { panic!("{model}: {measured}") };
        assert_eq!((counts.states, counts.transitions, counts.errors()), (*states, *transitions, 0), "{model}");
    }
}

struct Disk;

impl Loader for Disk {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        fs::read(path)
    }
}

/// In how many states of the model the condition holds.
fn holds(path: &Path, condition: &str) -> u64 {
    errors(path, condition).goals
}

fn errors(path: &Path, condition: &str) -> Errors {
    let mut loaded = kripke_lang::load(path, &Disk, &LoadOptions::default());
    let read = loaded.conditions(&[condition.to_string()]);
    let mut read = read.unwrap_or_else(|errors| panic!("{}: {errors:?}", path.display()));
    let mut model = loaded.model.expect("a model");
    model.goal = Some(Goal { condition: read.remove(0), text: condition.to_string(), span: None });
    let interpreter = Interpreter::new(Arc::new(model)).expect("a model that starts");
    let successors = || -> Box<dyn Successors> { Box::new(interpreter.for_thread()) };
    let options = Options { all_errors: true, threads: Some(1), ..Options::default() };
    explore(&successors, &options, &Budget::default(), &Progress::new()).statistics.errors
}

/// Conditions name the variables of processes; where there are several, with the number of the process.
#[test]
fn mutual_exclusion_is_kept() {
    let mutex = places::root().join("tests/twins/mutex.esml");
    for (a, b) in [(0, 1), (0, 2), (1, 2)] {
        assert_eq!(holds(&mutex, &format!("User[{a}].r = crit & User[{b}].r = crit")), 0, "{a} and {b}");
        assert!(holds(&mutex, &format!("User[{a}].r = crit & User[{b}].r = try")) > 0, "{a} and {b}");
    }
    if let Some(corpus) = places::corpus() {
        let printed = corpus.join("esml/ME.esml");
        assert_eq!(holds(&printed, "(User[0].r = crit) & (User[1].r = crit)"), 0);
        assert!(holds(&printed, "User[0].r = crit & ~Semaphore.free") > 0);
    }
}

#[test]
fn conditions_see_structures() {
    let folder = places::root().join("tests/esml");
    assert_eq!(holds(&folder.join("list-operations.esml"), "LEN(P.q) = 3 & HEAD(P.q) = 3 & P.q = P.r"), 1);
    assert_eq!(holds(&folder.join("assertion.esml"), "P[1].a[1] = 2 & Q.m = bad & P[0].c = green"), 4);
    let peterson = places::root().join("examples/mutex-peterson.esml");
    assert_eq!(holds(&peterson, "User[2].nr = 0 & User[3].nr = 1"), 574);
    // Where a list is empty, asking for its head is a fault, in a condition, too.
    let heads = folder.join("list-head-fault.esml");
    assert_eq!(holds(&heads, "LEN(P.q) > 0 & (HEAD(P.q) = 0 OR HEAD(P.q) # 0)"), 2);
    assert!(errors(&heads, "HEAD(P.q) = 0 OR HEAD(P.q) # 0").faults > 0);
}
