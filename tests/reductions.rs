//! What dead variables, slicing and constants leave of a model is its image: state by state, step by step.
//!
//! `KRIPKE_REDUCED` says how many random programs are looked at.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use kripke_model::ir::{Expr, Sync};
use kripke_model::{Batch, Choice, Interpreter, Model, Successors};
use kripke_reduce::simplify::{Passes, Simplified, simplify};
use kripke_search::{Budget, End, Options, Progress, explore};
use kripke_tests::generate::{Random, program};
use kripke_tests::models::{self, read};
use kripke_tests::random_model::random_model;
use kripke_tests::{measure, parallel, places};

const EVERYTHING: Passes = Passes { dead_variables: true, slicing: true };
const WAYS: [Passes; 3] =
    [EVERYTHING, Passes { dead_variables: true, slicing: false }, Passes { dead_variables: false, slicing: true }];

/// How many states a model and what is left of it have, as far as one looked.
#[derive(Clone, Copy, Debug)]
struct Sizes {
    whole: usize,
    reduced: usize,
}

/// Takes all steps of a model and of its reduced form together: each must be a step of the other, with the same findings
/// and flags, and each state must have one image.
fn compare(whole: &Model, passes: Passes, most: usize, name: &str) -> Option<Sizes> {
    let mut reduced = whole.clone();
    if simplify(&mut reduced, &mut [], passes).is_unchanged() {
        return None;
    }
    reduced.validate().unwrap_or_else(|e| panic!("{name}: {e}\n{reduced}"));
    let mut whole = Interpreter::new(Arc::new(whole.clone())).ok()?;
    let mut reduced = Interpreter::new(Arc::new(reduced)).unwrap_or_else(|e| panic!("{name}: {e}"));
    let first = (whole.initial_state().to_vec(), reduced.initial_state().to_vec());
    let mut images = HashMap::from([first.clone()]);
    let mut queue = VecDeque::from([first]);
    let (mut batch, mut image_batch) = (Batch::new(), Batch::new());
    while let Some((state, image)) = queue.pop_front().filter(|_| images.len() < most) {
        batch.clear();
        image_batch.clear();
        let flags = whole.expand(&state, Choice::All, &mut batch);
        let image_flags = reduced.expand(&image, Choice::All, &mut image_batch);
        let context = || format!("{name}, {passes:?}:\n{}\nbecame\n{}", whole.model(), reduced.model());
        assert_eq!(flags, image_flags, "{}", context());
        assert_eq!(batch.findings(), image_batch.findings(), "{}", context());
        assert_eq!(batch.len(), image_batch.len(), "{}", context());
        for (next, image) in batch.states().zip(image_batch.states()) {
            let known = images.get(next);
            if let Some(known) = known {
                assert_eq!(known, image, "a state has two images; {}", context());
            } else {
                images.insert(next.to_vec(), image.to_vec());
                queue.push_back((next.to_vec(), image.to_vec()));
            }
        }
    }
    let distinct: HashSet<&Vec<u8>> = images.values().collect();
    Some(Sizes { whole: images.len(), reduced: distinct.len() })
}

/// In all ways, together with each property it states.
fn compare_all(model: &Model, most: usize, name: &str) -> Vec<Sizes> {
    let mut models = vec![model.clone()];
    for property in &model.properties {
        models.extend(property.observer.clone().map(|o| Model { observer: Some(o), ..model.clone() }));
    }
    let ways = models.iter().flat_map(|model| WAYS.map(|passes| compare(model, passes, most, name)));
    ways.flatten().collect()
}

fn judge(results: Vec<Result<Vec<Sizes>, String>>, least: usize) {
    let mut sizes = Vec::new();
    for result in results {
        sizes.extend(result.unwrap_or_else(|e| panic!("{e}")));
    }
    let smaller = sizes.iter().filter(|sizes| sizes.reduced < sizes.whole).count();
    places::notice(&format!("{} models compared with what is left of them, {smaller} have fewer states", sizes.len()));
    assert!(smaller >= least, "only {smaller} of {} are smaller", sizes.len());
}

/// States of a program and of its image, in which everything was done that can be.
fn sizes(text: &str) -> (usize, usize) {
    let model = read("model.pml", text);
    for passes in WAYS {
        compare(&model, passes, 2_000, text);
    }
    let Sizes { whole, reduced } = compare(&model, EVERYTHING, 2_000, text).expect("there is something to leave out");
    (whole, reduced)
}

fn reduced(text: &str, passes: Passes) -> (Model, Simplified) {
    let mut model = read("model.pml", text);
    let made = simplify(&mut model, &mut [], passes);
    (model, made)
}

#[test]
fn dead_values_are_forgotten() {
    // The start, two values at each of four places, nobody left.
    let text = "active proctype p() { byte x; if :: x = 1 :: x = 2 fi; assert(x > 0); skip; skip }";
    assert_eq!(sizes(text), (10, 7));
    // A value that is overwritten was never needed.
    assert_eq!(sizes("active proctype p() { byte x; if :: x = 1 :: x = 2 fi; x = 3; assert(x > 0) }"), (6, 5));
    // Nor is the first one, which not every way overwrites.
    let text = "active proctype p() { byte x = 7; if :: x = 1 :: skip fi; skip; x = 2; assert(x == 2) }";
    assert_eq!(sizes(text), (8, 6));
    // A global that nobody else uses.
    assert_eq!(sizes("byte g; active proctype p() { if :: g = 1 :: g = 2 fi; g = 3; assert(g > 0) }"), (6, 5));
    // An array as a whole.
    let text = "active proctype p() { byte a[2]; if :: a[0] = 1 :: a[1] = 1 fi; assert(a[0] + a[1] == 1); skip }";
    assert_eq!(sizes(text), (8, 6));
}

#[test]
fn values_that_others_may_read_stay() {
    let (whole, reduced) = sizes(
        "byte t; active proctype p() { byte x; byte y; x = 1; y = 1; x = 2; y = 2; skip }
         active proctype q() { t = p:x }",
    );
    assert!(reduced < whole, "{reduced} {whole}");
    let text = "byte x; active proctype p() provided (x < 9) { if :: x = 1 :: x = 2 fi; x = 3; skip }";
    assert_eq!(reduced_values(text), 3 + 1);
}

/// How many values the first variable of the first process has in the reduced model.
fn reduced_values(text: &str) -> usize {
    let mut interpreter = Interpreter::new(Arc::new(reduced(text, EVERYTHING).0)).expect("it can start");
    let (mut seen, mut values) = (HashSet::new(), HashSet::new());
    let mut stack = vec![interpreter.initial_state().to_vec()];
    let mut batch = Batch::new();
    while let Some(state) = stack.pop() {
        let view = interpreter.layout().view(&state);
        values.extend(view.processes.first().map(|p| p.locals[0].clone()));
        batch.clear();
        interpreter.expand(&state, Choice::All, &mut batch);
        stack.extend(batch.states().filter(|next| seen.insert(next.to_vec())).map(<[u8]>::to_vec));
    }
    values.len()
}

#[test]
fn parameters_that_nobody_reads_are_all_the_same() {
    let text = "proctype q(byte n, m) { n = 0; assert(m == 3); skip } init { if :: run q(1, 3) :: run q(2, 3) fi }";
    let (whole, reduced) = sizes(text);
    assert!(reduced < whole, "{reduced} {whole}");
    // What goes wrong while an argument is computed goes wrong all the same.
    sizes("byte z; proctype q(byte n) { skip } init { if :: z = 1 :: z = 0 fi; run q(1 / z) }");
}

#[test]
fn what_only_counts_itself_is_left_out() {
    let (_, few) = sizes("int n; active proctype p() { do :: n++ od }");
    assert_eq!(few, 1);
    let (_, few) = sizes("byte a, b; active [2] proctype p() { do :: a = b + 1 :: b = a + 1 od }");
    assert_eq!(few, 1);
    let (model, _) = reduced("byte a, b = 3; active proctype p() { byte x, y; do :: a == 1 :: x++ od }", EVERYTHING);
    let names: Vec<&str> = model.globals.iter().chain(&model.processes[0].locals).map(|v| &*v.name).collect();
    assert!(names.is_empty(), "{names:?}");
}

#[test]
fn what_can_go_wrong_stays() {
    // Comparing finds that the faults are the same.
    sizes("byte g, z = 2; active proctype p() { do :: g = 10 / z; z-- od }");
    sizes("byte a[2]; active proctype p() { byte i, x; do :: a[i] = 1; x++; i++ od }");
    sizes("byte g; chan c; active proctype p() { byte x; do :: x++; g = len(c) od }");
    let (model, _) = reduced("byte g, z = 2; active proctype p() { do :: g = 10 / z; z-- od }", EVERYTHING);
    let names: Vec<&str> = model.globals.iter().chain(&model.processes[0].locals).map(|v| &*v.name).collect();
    assert_eq!(names, ["z"], "of the assignment only the division stays: {model}");
}

#[test]
fn messages_and_indivisible_sequences() {
    sizes(
        "chan r = [0] of { byte, byte }; chan c = [2] of { byte };
         active proctype a() { byte v; do :: v < 3 -> v++; r!v,v; c?v; v = 0 od }
         active proctype b() { byte x, y, z; do :: d_step { r?x,y -> z = x; y = 0 }; c!z :: atomic { r?y,x; x = 1; c!2; y = 7 } od }",
    );
    sizes(
        "byte g; active [2] proctype a() { byte i, j; do :: d_step { i = 0; do :: i < 3 -> i++; j = j + i :: else -> break od; g = j; j = 0 } :: g > 0 -> g = 0 od }",
    );
}

#[test]
fn constants_are_computed() {
    let text = "byte n = 2, g; bit t[3] = 1; active proctype p() {
        byte k = 4; if :: n > 3 -> g = 1 :: n * k == 8 && t[1] -> g = 2 :: else -> g = 3 fi; assert(g == 2) }";
    let (model, made) = reduced(text, Passes { dead_variables: false, slicing: true });
    assert!(made.folded > 0 && made.sliced > 0, "{made:?}");
    let shown = model.to_string();
    assert!(model.globals.is_empty() && model.processes[0].locals.len() == 1, "{shown}");
    sizes(text);
    // Whoever is left without alternatives waits.
    sizes("byte n = 2, g; active proctype p() { g = 1; if :: n > 3 -> g = 1 :: n < 1 -> g = 2 fi; assert(g == 2) }");
}

/// SPIN's rule makes this model larger, from 336 338 to 363 475 states.
#[test]
fn cambridge_does_not_become_larger() {
    let Some(corpus) = places::corpus() else { return };
    let whole = measure::load(&corpus.join("promela/beem/all/cambridge.1.pm")).expect("it can be read");
    let states = |model: Model| {
        let interpreter = Interpreter::new(Arc::new(model)).expect("it can start");
        let worker = || -> Box<dyn Successors> { Box::new(interpreter.for_thread()) };
        let options = Options { all_errors: true, threads: Some(1), ..Options::default() };
        let outcome = explore(&worker, &options, &Budget::default(), &Progress::new());
        assert!(matches!(outcome.end, End::Exhausted(_)));
        outcome.statistics.states
    };
    let mut reduced = whole.clone();
    assert!(simplify(&mut reduced, &mut [], EVERYTHING).resets > 0);
    assert_eq!(states(whole), 336_338);
    assert!(states(reduced) < 300_000);
}

/// Whether there is such an element is asked all the same, and the rest of what can go wrong.
#[test]
fn arrays_that_nobody_reads_are_not_written() {
    let counts = "byte a[3]; active proctype p() { byte i; \
        do :: i < 3 -> if :: a[i]++ :: a[i] = 7 fi; i++ :: else -> break od; a[i] = 1 / i }";
    assert_eq!(sizes(counts), (44, 11));
    // By what a process does not know of itself, and in an order that counts: first the value, then the place.
    for text in [
        "int a[5]; proctype p() { do :: a[_pid]++ od } init { run p(); run p(); do :: a[_pid] = 1 :: a[0] = 2 od }",
        "byte a[2], n; active proctype p() { do :: a[n] = 10 / (3 - n); n++ od }",
        "byte a[2], b[3], n; active proctype p() { do :: n < 5 -> a[b[n] + n] = b[n + 1] + a[n]; n++ :: b[n] = n od }",
    ] {
        sizes(text);
    }
}

#[test]
fn fields_that_nobody_receives_are_all_the_same() {
    let sender = "active proctype p() { byte x; do :: if :: x = 1 :: x = 2 fi; c!5,x od }";
    let smaller = |rest: &str| {
        let (whole, reduced) = sizes(&format!("chan c = [2] of {{ byte, byte }}; {sender} {rest}"));
        reduced < whole
    };
    assert!(smaller("active proctype q() { byte y, z; do :: c?y,z; assert(y == 5) od }"));
    assert!(smaller("active proctype q() { do :: c?5,_ od }"));
    // Who passes on what nobody needs does not need it.
    let passes = "chan d = [1] of { byte }; active proctype q() { byte z; do :: c?_,z; d!z od }";
    assert!(smaller(&format!("{passes} active proctype r() {{ do :: d?_ od }}")));
    let needs = [
        "active proctype q() { do :: c?5,1 :: c?5,2 od }",
        "active proctype q() { do :: c?[5,1]; c?5,_ od }",
        "active proctype q() { byte z; do :: c?5,z; assert(z) od }",
        "active proctype q(){ do :: c?5,_ od } active proctype r() { do :: c!!5,3 od }",
        "chan d; active proctype q() { d = c; do :: d?5,2 :: c?5,_ od }",
        "byte n; chan d; active proctype q() { n = c; d = n; do :: d?5,2 :: c?5,_ od }",
        "proctype q(chan d) { do :: d?5,2 :: c?5,_ od } init { run q(c) }",
        "chan e = [1] of { chan }; active proctype q() { chan d; e!c; e?d; do :: d?5,2 :: c?5,_ od }",
    ];
    for rest in needs {
        let text = format!("chan c = [2] of {{ byte, byte }}; {sender} {rest}");
        assert!(!blanks(&text), "{rest}");
        for passes in WAYS {
            compare(&read("model.pml", &text), passes, 2_000, rest);
        }
    }
    // Its number may be that of another channel later on.
    let owned = "chan c; proctype o() { chan d = [1] of { byte, byte }; c = d } proctype r() { chan e = [1] of { byte, byte }; \
        byte x; do :: if :: x = 1 :: x = 2 fi; e!5,x od } init { run o(); (_nr_pr == 1); run r(); do :: c?5,2 od }";
    assert!(!blanks(owned));
}

/// Whether something is sent as 0 that was not.
fn blanks(text: &str) -> bool {
    zeros(&reduced(text, EVERYTHING).0) > zeros(&read("model.pml", text))
}

/// How many values are sent that are surely 0.
fn zeros(model: &Model) -> usize {
    let syncs = model.processes.iter().flat_map(|p| &p.edges).filter_map(|edge| edge.sync.as_ref());
    let sent = syncs.filter_map(|sync| if let Sync::Send { args, .. } = sync { Some(args) } else { None });
    sent.flatten().filter(|arg| matches!(arg, Expr::Const(0))).count()
}

/// A program of processes that send each other pairs, of which they often drop one, through channels by several names.
fn messages(seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut any = |all: &[&str]| all[random.below(all.len())].to_string();
    let mut text = format!(
        "chan a = [{}] of {{ byte, byte }}; chan b = [{}] of {{ byte, byte }}; chan c; ",
        any(&["0", "1", "2"]),
        any(&["0", "1", "1"])
    );
    text += &any(&["", "byte c2; ", "chan e = [1] of { chan, byte }; "]);
    for process in ["p", "q", "r"] {
        text += &format!("active proctype {process}() {{ byte x, y; chan d; d = {}; ", any(&["a", "b", "0", "c"]));
        text += "do ";
        for _ in 0..3 {
            let name = any(&["a", "b", "a", "b", "d", "c"]);
            let value = any(&["x", "y", "0", "1", "x % 2"]);
            let first = any(&["_", "_", "_", "x", "eval(x)", "1"]);
            let second = any(&["_", "_", "_", "y", "eval(y)", "1"]);
            let step = any(&["send", "send", "receive", "receive", "anywhere", "poll", "set", "pass"]);
            text += &match &*step {
                "send" => format!(":: {name}!{value},{} ", any(&["x", "y", "2"])),
                "receive" => format!(":: {name}?{first},{second} "),
                "anywhere" => format!(":: nempty({name}) -> {name}??{first},{second} "),
                "poll" => format!(":: a?[{first},{second}] -> y = 1 "),
                "pass" => format!(":: {} = {} ", any(&["c", "d"]), any(&["a", "b"])),
                _ => format!(":: x = {} ", any(&["0", "1", "1 - y"])),
            };
        }
        text += ":: x < 2 -> x++ :: break od } ";
    }
    text
}

#[test]
fn random_messages_have_images() {
    let seeds: Vec<u64> = (1..=places::setting("KRIPKE_REDUCED", 300)).collect();
    let results = parallel::map(&seeds, |seed| {
        let text = messages(*seed);
        models::parse("model.pml", &text).map_or(Vec::new(), |model| compare_all(&model, 2_000, &text))
    });
    judge(results, seeds.len() / 5);
    let blank = seeds.iter().filter(|seed| blanks(&messages(**seed))).count();
    assert!(blank > seeds.len() / 10, "only {blank} of {} programs send in vain", seeds.len());
}

#[test]
fn random_programs_have_images() {
    let seeds: Vec<u64> = (1..=places::setting("KRIPKE_REDUCED", 300)).collect();
    let results = parallel::map(&seeds, |seed| {
        let model = models::parse("model.pml", &program(*seed).text());
        model.map_or(Vec::new(), |model| compare_all(&model, 3_000, &format!("program {seed}")))
    });
    judge(results, seeds.len() / 20);
}

#[test]
fn random_models_have_images() {
    let seeds: Vec<u64> = (0..5 * places::setting("KRIPKE_REDUCED", 300)).collect();
    let results = parallel::map(&seeds, |seed| compare_all(&random_model(*seed), 1_000, &format!("model {seed}")));
    judge(results, seeds.len() / 50);
}

#[test]
fn our_models_and_those_of_the_corpus_have_images() {
    let most = places::setting("KRIPKE_REDUCED_STATES", 2_000);
    judge(models::map_all(|model, name| compare_all(&model, most, name)), 20);
}
