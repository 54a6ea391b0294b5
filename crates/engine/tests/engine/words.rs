//! States in words: compiled code against the reference interpreter, state by state, on random models and on the corpus. A state
//! that does not fit into its words fails the test, unless it has a set of processes that the layout does not have.
//!
//! `KRIPKE_RANDOM_MODELS` is the number of random models, `KRIPKE_RANDOM_SEED` the first seed.

use crate::compare;
use crate::corpus::{Disk, models};

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use kripke_engine::{Compiled, Options, Words};
use kripke_model::ir::Effect;
use kripke_model::{Batch, Choice, Interpreter, Model, Successors};
use kripke_reduce::words::word_layout;
use kripke_tests::places;
use kripke_tests::random_model::random_model;

/// The words of a model, and its code for them. Nothing if it has no layout in words, or can't be compiled.
fn compile(model: &Arc<Model>, options: Options) -> Option<(Arc<Words>, Compiled)> {
    let interpreter = Interpreter::new(model.clone()).ok()?;
    let words = Arc::new(Words::new(word_layout(&interpreter)?));
    let compiled = Compiled::in_words(model.clone(), options, words.clone()).ok()?;
    Some((words, compiled))
}

/// Whether the set of processes changes.
fn varies(model: &Model) -> bool {
    let effects = model.processes.iter().flat_map(|p| &p.edges).flat_map(|e| &e.effects);
    effects.into_iter().any(|effect| matches!(effect, Effect::Run { .. } | Effect::Remove))
}

#[test]
fn random_models_run_as_interpreted() {
    let (first, count) = (places::setting("KRIPKE_RANDOM_SEED", 0), places::setting("KRIPKE_RANDOM_MODELS", 300));
    let (mut compared, mut states, mut rare, mut escaped) = (0, 0, 0, 0);
    for seed in first..first + count {
        let model = Arc::new(random_model(seed));
        let options = Options {
            coverage: true,
            parts: true,
            verify: true,
            optimise: !seed.is_multiple_of(4),
            general_after: [0, 20][seed as usize % 2],
            cache: seed % 3 > 0,
            ..Options::default()
        };
        let Some((words, code)) = compile(&model, options) else { continue };
        let fits = |state: &[u8]| words.holds(state) || !varies(&model);
        let explore = AssertUnwindSafe(|| compare::explore_while(&model, code, true, 1000, &fits));
        let seen = catch_unwind(explore).unwrap_or_else(|_| panic!("seed {seed} panics\n{model}"));
        match seen {
            Ok(seen) => (compared, states, rare) = (compared + 1, states + seen.states, rare + seen.rare),
            // The difference is a successor that was left out.
            Err(_) if words.has_escaped() && varies(&model) => escaped += 1,
            Err(e) => panic!("seed {seed}: {e}\n{model}"),
        }
    }
    println!(
        "{compared} of {count} models compared, {states} states, {rare} left to the interpreter; {escaped} escaped"
    );
    assert!(compared * 4 > count, "many models must have states in words");
    assert!(rare < states, "most states must be left to compiled code or to the transition cache");
    assert!(escaped * 10 < count, "few models may have sets of processes that were not foreseen");
}

/// A protocol that the transition cache covers: an atomic sequence, a rendezvous, a buffer, and processes that are created and end.
const COVERED: &str = "
chan meet = [0] of { byte };
chan buffer = [2] of { byte, bit };
byte turn, sum[3];
proctype worker(byte id) {
    byte got;
    do
    :: turn == id -> atomic { sum[id] = (sum[id] + 1) % 3; turn = (turn + 1) % 3 }
    :: buffer?got, _ -> meet!got
    :: sum[id] == 2 -> break
    od
}
init {
    byte last;
    run worker(0); run worker(1); run worker(2);
    do
    :: buffer!turn, 1
    :: meet?last
    od
}
";

/// A stack and a ring, whose indices change inside of indivisible sequences.
const INDEXED: &str = "
byte stack[12], ring[10], top, first, count;
proctype pushes(byte value) {
    do
    :: d_step { top < 11 && stack[top] != value -> top++; stack[top] = value }
    :: d_step { top > 0 && stack[top] == value -> stack[top] = 0; top--; stack[top] = (stack[top] + value) % 4 }
    od
}
proctype passes() {
    byte got;
    do
    :: atomic { top > 0 && count < 10 -> ring[(first + count) % 10] = stack[top]; stack[top] = 0; top-- ; count++ }
    :: d_step { count > 0 -> got = ring[first]; ring[first] = 0; first = (first + 1) % 10; count-- }
    :: got > 1 -> got = 0
    od
}
init { atomic { run pushes(1); run pushes(2); run passes() } }
";

/// Values that are handed on in rendezvous among several partners, through a queue that moves up, and through buffers. Copies of them
/// decide nothing until they are read.
const HANDED_ON: &str = "
chan put[2] = [0] of { byte };
chan get = [0] of { byte, byte };
chan buffer = [3] of { byte, bool };
byte total;
proctype queue(byte id) {
    byte items[4], used;
    do
    :: atomic { used < 4; put[id]?items[used]; used++ }
    :: atomic { used > 0; get!items[0], id; items[0] = items[1]; items[1] = items[2]; items[2] = items[3]; items[3] = 0; used-- }
    od
}
proctype source(byte value) {
    byte own = value;
    do
    :: put[value % 2]!own
    :: atomic { get?own, _ -> buffer!own, own > 4 }
    :: d_step { own > 3 -> own = own - 3 }
    od
}
init {
    byte last, before; bool large;
    atomic { run queue(0); run queue(1); run source(1); run source(6) }
    do
    :: get?last, eval(1)
    :: atomic { buffer?last, large; buffer?before, _; last = before }
    :: buffer?before, true -> total = before
    :: d_step { nfull(buffer) && total > 0 -> buffer!total, false; total = 0 }
    od
}
";

fn load(text: &'static str) -> Arc<Model> {
    let loaded = kripke_lang::load(std::path::Path::new("covered.pml"), &Text(text), &Default::default());
    Arc::new(loaded.model.expect("the model is right"))
}

#[test]
fn the_transition_cache_expands_most_states() {
    for text in [COVERED, INDEXED, HANDED_ON] {
        let (_, mut code) = compile(&load(text), Options { cache: true, ..Options::default() }).expect("words suffice");
        let mut batch = Batch::new();
        code.initial(&mut batch);
        let mut queue = vec![batch.state(0).to_vec()];
        let (mut seen, mut at) = (std::collections::HashSet::from([queue[0].clone()]), 0);
        while at < queue.len() && at < 20_000 {
            batch.clear();
            code.expand(&queue[at], Choice::All, &mut batch);
            queue.extend(batch.states().filter(|state| seen.insert(state.to_vec())).map(<[u8]>::to_vec));
            at += 1;
        }
        let cached = code.cached();
        assert!(
            at > 1000 && cached * 10 > at as u64 * 9,
            "{cached} of {at} states are expanded from the cache\n{text}"
        );
    }
}

#[test]
fn the_transition_cache_expands_as_interpreted() {
    for text in [COVERED, INDEXED, HANDED_ON] {
        let model = load(text);
        let options = Options { cache: true, parts: true, ..Options::default() };
        let (_, code) = compile(&model, options).expect("words suffice");
        let seen = compare::explore_while(&model, code, false, 5000, &|_| true);
        assert!(seen.unwrap_or_else(|e| panic!("{e}\n{text}")).states > 1000, "the model is too small\n{text}");
    }
}

/// The youngest process chooses inside of an atomic sequence, where it has values that no stored state has, and ends with the sequence
/// if statements are merged.
const CHOOSES_AND_ENDS: &str = "
active proctype chooses() {
    bool a, b, c;
    if :: a = true :: a = false fi;
    if :: b = true :: b = false fi;
    if :: c = true :: c = false fi;
    a = a && b;
    c = a || c;
    assert(c || !a)
}
";

struct Text(&'static str);

impl kripke_lang::source::Loader for Text {
    fn read(&self, _: &std::path::Path) -> std::io::Result<Vec<u8>> {
        Ok(self.0.into())
    }
}

#[test]
fn a_choice_inside_of_a_sequence_and_the_end_of_a_process_are_compiled() {
    let loaded = kripke_lang::load(std::path::Path::new("chooses.pml"), &Text(CHOOSES_AND_ENDS), &Default::default());
    let model = loaded.model.expect("the model is right");
    for merges in [false, true] {
        let mut model = model.clone();
        if merges {
            assert!(kripke_reduce::merge::merge(&mut model) > 0);
        }
        let model = Arc::new(model);
        // Without code for other shapes, states that the code for the common one leaves go to the interpreter.
        let options = Options { verify: true, general_after: u32::MAX, ..Options::default() };
        let (_, mut code) = compile(&model, options).expect("states fit into words");
        let mut interpreter = Interpreter::new(model.clone()).expect("the model starts");
        let mut queue = vec![interpreter.initial_state().to_vec()];
        let (mut at, whole) = (0, queue[0].len());
        while at < queue.len() {
            let (mut expected, mut found) = (Batch::new(), Batch::new());
            interpreter.expand(&queue[at], Choice::All, &mut expected);
            if queue[at].len() == whole {
                code.expand(&code.encode(&queue[at]), Choice::All, &mut found);
                let found: Vec<Vec<u8>> = found.states().map(|state| code.decode(state)).collect();
                assert_eq!(expected.states().collect::<Vec<_>>(), found, "from {:?}\n{model}", queue[at]);
            }
            queue.extend(expected.states().map(<[u8]>::to_vec));
            at += 1;
        }
        assert_eq!(code.fallbacks(), 0, "states were left to the interpreter\n{model}");
    }
}

/// `KRIPKE_CORPUS_STATES` is the number of states per model.
#[test]
fn the_corpus_runs_as_interpreted() {
    compare_corpus(false);
}

#[test]
fn the_corpus_runs_from_the_transition_cache_as_interpreted() {
    compare_corpus(true);
}

fn compare_corpus(cache: bool) {
    let Some(corpus) = places::corpus() else { return };
    let root = corpus.join("promela");
    let options = Options { coverage: true, parts: true, verify: true, general_after: 0, cache, ..Options::default() };
    let (mut compared, mut one_word, mut wrong, mut escaped) = (0, 0, Vec::new(), Vec::new());
    for path in models(&root) {
        let name = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
        let loaded = kripke_lang::load(&path, &Disk, &Default::default());
        let Some(model) = loaded.model.map(Arc::new) else { continue };
        let Some((words, code)) = compile(&model, options) else { continue };
        let fits = |state: &[u8]| words.holds(state) || !varies(&model);
        match compare::explore_while(&model, code, true, places::setting("KRIPKE_CORPUS_STATES", 300), &fits) {
            Ok(_) => (compared, one_word) = (compared + 1, one_word + usize::from(words.layout().bits() < 64)),
            Err(_) if words.has_escaped() && varies(&model) => escaped.push(name),
            Err(e) => wrong.push(format!("{name}: {e}")),
        }
    }
    println!("{compared} models compared, {one_word} in one word; escaped: {escaped:?}");
    assert!(wrong.is_empty(), "{} models differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(compared > 200 && one_word > 100, "{compared} models compared, {one_word} in one word");
}
