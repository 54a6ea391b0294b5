//! Permuting symmetric processes maps steps to steps, so no error is lost.
//!
//! `KRIPKE_SYMMETRIC` is the number of random programs.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kripke_model::{Batch, Choice, Interpreter, Model, Random, Successors};
use kripke_reduce::merge::merge;
use kripke_reduce::symmetry::{Permutation, Scratch, Symmetric, Symmetry};
use kripke_search::{Budget, End, ErrorKind, Options, Outcome, Progress, explore};
use kripke_tests::models::{self, read};
use kripke_tests::{parallel, places};

const STATES: usize = 20_000;

fn search(worker: &(dyn Fn() -> Box<dyn Successors> + std::marker::Sync)) -> Option<Outcome> {
    let options = Options { all_errors: true, threads: Some(1), ..Options::default() };
    let deadline = Some(Instant::now() + Duration::from_secs(10));
    let budget = Budget { max_states: Some(STATES as u64), deadline, ..Budget::default() };
    let outcome = explore(&|| worker(), &options, &budget, &Progress::new());
    matches!(outcome.end, End::Exhausted(_)).then_some(outcome)
}

/// Which kinds of errors there are.
fn kinds(outcome: &Outcome) -> [bool; 4] {
    let errors = outcome.statistics.errors;
    [errors.assertions, errors.faults, errors.invalid_ends, errors.goals].map(|n| n > 0)
}

/// All states, if they are not too many.
fn states(interpreter: &mut Interpreter) -> Option<HashSet<Vec<u8>>> {
    let start = interpreter.initial_state().to_vec();
    let mut seen = HashSet::from([start.clone()]);
    let (mut todo, mut batch) = (vec![start], Batch::new());
    while let Some(state) = todo.pop() {
        batch.clear();
        interpreter.expand(&state, Choice::All, &mut batch);
        todo.extend(batch.states().filter(|next| seen.insert(next.to_vec())).map(<[u8]>::to_vec));
        if seen.len() > STATES {
            return None;
        }
    }
    Some(seen)
}

/// The permuted successors of a state, in no order, and its findings.
fn around(
    interpreter: &mut Interpreter,
    state: &[u8],
    image: &mut dyn FnMut(&[u8]) -> Vec<u8>,
) -> (HashMap<Vec<u8>, usize>, Vec<String>, String) {
    let mut batch = Batch::new();
    let flags = interpreter.expand(state, Choice::All, &mut batch);
    let mut successors = HashMap::new();
    for next in batch.states() {
        *successors.entry(image(next)).or_default() += 1;
    }
    let kind = |text: String| text.split('{').next().unwrap_or_default().to_string();
    let mut findings: Vec<String> = batch.findings().iter().map(|f| kind(format!("{:?}", f.kind))).collect();
    findings.sort();
    (successors, findings, format!("{flags:?}"))
}

/// Checks that transposing neighbours in a reachable state gives a reachable state with the same steps.
fn check_permutations(symmetry: &Symmetry, all: &HashSet<Vec<u8>>, interpreter: &mut Interpreter, name: &str) {
    let permutations = &symmetry.permutations;
    let image = |state: &[u8], order: &Permutation| {
        let mut out = state.to_vec();
        if permutations.applies(state) {
            permutations.permute(state, order, &mut out);
        }
        out
    };
    let step = (all.len() / 2000).max(1);
    for state in all.iter().filter(|state| permutations.applies(state)).step_by(step) {
        for group in 0..symmetry.groups.len() {
            for a in 1..symmetry.groups[group].len() {
                let mut order = permutations.identity();
                order[group].swap(a - 1, a);
                let other = image(state, &order);
                assert!(all.contains(&other), "{name}: an image is not reachable");
                assert_eq!(image(&other, &order), *state, "{name}: a transposition is not its own inverse");
                let here = around(interpreter, state, &mut |next| image(next, &order));
                let there = around(interpreter, &other, &mut |next| next.to_vec());
                assert_eq!(here, there, "{name}: other steps after a transposition\n{}", interpreter.model());
            }
        }
    }
}

/// The number of orbits.
fn orbits(symmetry: &Symmetry, all: &HashSet<Vec<u8>>) -> usize {
    let mut left: HashSet<&Vec<u8>> = all.iter().collect();
    let mut count = 0;
    for state in all {
        if !left.remove(state) {
            continue;
        }
        count += 1;
        let mut todo = vec![state.clone()];
        while let Some(state) = todo.pop().filter(|state| symmetry.permutations.applies(state)) {
            for (group, members) in symmetry.groups.iter().enumerate() {
                for a in 1..members.len() {
                    let mut order = symmetry.permutations.identity();
                    order[group].swap(a - 1, a);
                    let mut other = state.clone();
                    symmetry.permutations.permute(&state, &order, &mut other);
                    if left.remove(&other) {
                        todo.push(other);
                    }
                }
            }
        }
    }
    count
}

/// Checks that every error found with representatives is one of the model.
fn check_runs(
    symmetry: &Symmetry,
    outcome: &Outcome,
    original: &mut Interpreter,
    searched: &mut Interpreter,
    name: &str,
) {
    for violation in &outcome.violations {
        let lifted = symmetry.lift(&violation.trail, searched, original);
        let lifted = lifted.unwrap_or_else(|| panic!("{name}: {violation:?} is no run\n{}", original.model()));
        let replayed = lifted.trail.replay(original).unwrap_or_else(|e| panic!("{name}: {e}"));
        if matches!(violation.error, ErrorKind::Finding(_)) {
            assert_eq!(replayed.finding(), lifted.finding.as_ref(), "{name}");
        }
    }
}

/// The numbers of representatives, orbits and states. None if the model has no symmetry, or too many states.
fn compare(model: Model, name: &str) -> Option<(u64, usize, usize)> {
    let model = Model { observer: None, ..model };
    let mut original = Interpreter::new(Arc::new(model)).ok()?;
    let symmetry = Symmetry::of(&original).ok()?;
    symmetry.model.validate().unwrap_or_else(|e| panic!("{name}: {e}"));
    let mut searched = Interpreter::new(symmetry.model.clone()).ok()?;
    let all = states(&mut searched)?;
    check_permutations(&symmetry, &all, &mut searched, name);
    let classes = orbits(&symmetry, &all);
    let raw = search(&|| Box::new(original.for_thread()))?;
    let reduced = search(&|| Box::new(Symmetric::new(searched.for_thread(), symmetry.permutations.clone())))?;
    assert_eq!(kinds(&raw), kinds(&reduced), "{name}\n{}", original.model());
    let representatives = reduced.statistics.states;
    assert!(classes as u64 <= representatives, "{name}: fewer representatives than orbits\n{}", original.model());
    assert!(representatives as usize <= all.len(), "{name}\n{}", original.model());
    assert!(all.len() as u64 <= raw.statistics.states, "{name}\n{}", original.model());
    check_runs(&symmetry, &reduced, &mut original, &mut searched, name);
    let mut scratch = Scratch::default();
    for state in all.iter().take(500) {
        let mut once = state.clone();
        symmetry.permutations.canonicalise(&mut once, &mut scratch);
        assert!(all.contains(&once), "{name}: a representative is not reachable");
    }
    Some((representatives, classes, all.len()))
}

/// What processes wait for; `ME` is their name.
const GUARDS: &[&str] = &[
    "x < 2",
    "flag[ME] == 0",
    "who == ME",
    "who != ME",
    "who == 9",
    "peer == ME",
    "last[ME] == 9",
    "y == l",
    "empty(c)",
    "flag[ME] < 2",
    "true",
    "true",
    "nempty(own[ME])",
    "l < 2",
    "peer != 9 -> flag[peer] == 1",
    "timeout",
    "NOBODY",
    "SOMEBODY",
];

/// What they do. Some words stand for what is said of each of them.
const STEPS: &[&str] = &[
    "x = (x + 1) % 3",
    "flag[ME] = 1",
    "flag[ME] = 0",
    "who = ME",
    "who = 9",
    "peer = who",
    "last[ME] = who",
    "y = 1 - y",
    "l = (l + 1) % 3",
    "c!ME,1",
    "c?peer,l",
    "c?eval(ME),l",
    "c??peer,1",
    "own[ME]!l",
    "own[ME]?l",
    "skip",
    "assert(x < 2 || y == 0)",
    "assert(who != ME)",
    "assert(flag[ME] < 2)",
    "flag[peer] = 1",
    "meet!ME",
    "meet?peer",
    "last[ME] = peer",
    "atomic { who == 9 -> who = ME; y = 1 }",
    "d_step { l = 0; peer = 9 }",
    "peer = last[ME]",
    "if :: ANYBODY fi",
    "assert(NOBODY || x < 2)",
];

/// What is not the same for all.
const ODD: &[&str] = &["x = ME", "ME == 1 -> y = 0", "l = ME + 1", "who > ME", "who = 1", "flag[1] = 1"];

/// What processes do, again and again.
fn body(random: &mut Random, names: &[u64]) -> String {
    let mut text = "byte l, peer = 9;\n".to_string();
    let odd = random.below_u64(6) == 0;
    for _ in 0..1 + random.below_u64(2) {
        text.push_str("  do\n");
        for _ in 0..1 + random.below_u64(3) {
            write!(text, "  :: {}", random.one_of(GUARDS)).expect("text");
            for _ in 0..1 + random.below_u64(2) {
                write!(text, "; {}", random.one_of(STEPS)).expect("text");
            }
            text.push('\n');
        }
        if odd {
            writeln!(text, "  :: {}", random.one_of(ODD)).expect("text");
        }
        text.push_str("  :: break\n  od;\n");
    }
    let each = |form: &str, between: &str| {
        names.iter().map(|n| form.replace('N', &n.to_string())).collect::<Vec<_>>().join(between)
    };
    let text = text.replace("ANYBODY", &each("who = N", " :: "));
    text.replace("NOBODY", &each("flag[N] == 0", " && ")).replace("SOMEBODY", &each("who == N", " || "))
}

/// A program with processes that are often interchangeable, and sometimes only nearly.
fn program(seed: u64) -> String {
    let mut random = Random::new(seed);
    let count = 2 + random.below_u64(2);
    let least = random.below_u64(2);
    let names: Vec<u64> = (least..least + count).collect();
    let mut text = format!(
        "byte x, y; byte flag[{size}]; byte who = 9; byte last[{size}] = 9; chan c = [2] of {{ byte, byte }};\n\
         chan own[{size}] = [1] of {{ byte }}; chan meet = [0] of {{ byte }};\n",
        size = least + count
    );
    let body = body(&mut random, &names);
    match random.below_u64(4) {
        0 => names.iter().for_each(|n| {
            let own = body.replace("ME", &n.to_string());
            writeln!(text, "active proctype p{n}() {{ {own} }}").expect("text");
        }),
        1 if least == 0 => {
            writeln!(text, "active [{count}] proctype p() {{ {} }}", body.replace("ME", "_pid")).expect("text");
        }
        style => {
            let runs: Vec<String> = names.iter().map(|n| format!("run p({n})")).collect();
            let (open, close) = if style == 2 { ("", "") } else { ("atomic { ", " }") };
            let own = body.replace("ME", "me");
            let begin = format!("{open}{}{close}", runs.join("; "));
            writeln!(text, "proctype p(byte me) {{ {own} }}\ninit {{ {begin} }}").expect("text");
        }
    }
    if random.below_u64(3) == 0 {
        text.push_str("active proctype server() { byte client; do :: c?client,_ -> own[client]!1; client = 9 od }\n");
    }
    text
}

#[test]
fn random_programs_have_the_same_errors() {
    let count: u64 = places::setting("KRIPKE_SYMMETRIC", 400);
    let seeds: Vec<u64> = (1..=count).collect();
    let results = parallel::map(&seeds, |seed| {
        let mut model = read("model.pml", &program(*seed));
        if seed % 3 == 0 {
            merge(&mut model);
        }
        compare(model, &format!("program {seed}\n{}", program(*seed)))
    });
    let mut compared = Vec::new();
    for result in results {
        compared.extend(result.unwrap_or_else(|e| panic!("{e}")));
    }
    let least = compared.iter().filter(|(found, classes, _)| *found == *classes as u64).count();
    let fewer = compared.iter().filter(|(found, _, all)| *found < *all as u64).count();
    places::notice(&format!("{} with symmetry, {fewer} smaller, {least} as small as can be", compared.len()));
    assert!(compared.len() as u64 * 8 > count && fewer * 2 > compared.len(), "{} {fewer}", compared.len());
    assert!(least * 10 >= compared.len() * 9, "{least} of {}", compared.len());
}

#[test]
fn our_models_and_those_of_the_corpus_have_the_same_errors() {
    let results = models::map_all(compare);
    let compared = results.into_iter().filter_map(|r| r.unwrap_or_else(|e| panic!("{e}"))).count();
    places::notice(&format!("{compared} models with symmetry"));
    assert!(compared >= 4, "{compared}");
}

/// The descriptions of the groups.
fn groups(name: &str, text: &str) -> Vec<String> {
    let interpreter = Interpreter::new(Arc::new(read(name, text))).expect("it can be run");
    Symmetry::of(&interpreter).map_or_else(|reasons| panic!("{reasons:?}\n{text}"), |symmetry| symmetry.descriptions)
}

#[test]
fn who_is_named_like_the_others_stays() {
    let clock = "guard t[0] != 0 && t[1] != 0 && t[2] != 0; effect t[0] = t[0] - 1, t[1] = t[1] - 1, t[2] = t[2] - 1;";
    let process = |n: u32| {
        format!(
            "process P_{n} {{ state idle, busy; init idle;\n\
             trans idle -> busy {{ guard id == 0; effect t[{n}] = 2, id = {n} + 1; }},\n\
             busy -> idle {{ guard id == {n} + 1 && t[{n}] == 1; effect id = 0, t[{n}] = 255; }}; }}\n"
        )
    };
    let processes: String = (0..3).map(process).collect();
    let model = |clock: &str| {
        format!(
            "byte id; byte t[3] = {{ 255, 255, 255 }};\nprocess Clock {{ state q; init q; trans q -> q {{ {clock} }}; }}\n\
             {processes}\nsystem async;\n"
        )
    };
    assert_eq!(groups("m.dve", &model(clock)), ["P_0, P_1, P_2"]);
    // The second one is left out, so it is not symmetric to the others.
    assert_eq!(groups("m.dve", &model(&clock.replace(", t[1] = t[1] - 1", ""))), ["P_0, P_2"]);
}
