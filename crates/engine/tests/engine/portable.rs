//! Portable code: the C++ text of a model, compiled by g++, against the reference interpreter, successor by successor.
//!
//! The tests are skipped where there is no g++ (with `KRIPKE_CI=1` they fail). `KRIPKE_PORTABLE` is the number of random models,
//! `KRIPKE_PORTABLE_STATES` the number of states per model, `KRIPKE_PORTABLE_ONE_OF` the share of the corpus: one model of so many.

use std::collections::{BTreeMap, HashSet};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use kripke_engine::{Compiled, Options, PortableCode, Words};
use kripke_model::{Batch, Choice, FindingKind, Flags, Interpreter, Model, Successors};
use kripke_reduce::words::word_layout;
use kripke_tests::random_model::random_model;
use kripke_tests::{measure, models as own_models, parallel, places};

/// The endings of the names of models.
const ENDINGS: [&str; 7] = ["pml", "prom", "pm", "promela", "dve", "mdve", "esml"];

/// Reads states from standard input. Writes for each the result, whether it is accepting, the number of successors, and the successors.
const MAIN: &str = r#"
#include <cstdio>
struct Print { u64 emitted; State all[4096]; void operator()(const State& s) { if (emitted < 4096) all[emitted++] = s; } };
static Print print;
int main() {
    State s;
    while (fread(&s, sizeof s, 1, stdin) == 1) {
        print.emitted = 0;
        u64 head[3] = {(u64)expand(s, print), (u64)is_accepting(s), 0};
        head[2] = print.emitted;
        fwrite(head, sizeof head, 1, stdout);
        fwrite(print.all, sizeof s, print.emitted, stdout);
    }
}
"#;

/// What was compared for a model.
#[derive(Default)]
struct Compared {
    states: usize,
    left: usize,
    stuck: usize,
    accepting: usize,
}

/// The results of `expand`.
const LEFT: usize = 1;
const STUCK: usize = 2;

fn has_compiler() -> bool {
    let found = Command::new("g++").arg("--version").stdout(Stdio::null()).status().is_ok_and(|s| s.success());
    if !found {
        places::missing("g++");
    }
    found
}

fn portable(model: &Arc<Model>) -> Result<(Arc<Words>, PortableCode), String> {
    let interpreter = Interpreter::new(model.clone()).map_err(|e| e.to_string())?;
    let words = word_layout(&interpreter).ok_or("states in more words")?;
    let words = Arc::new(Words::new(words));
    let code = Compiled::in_words(model.clone(), Options::default(), words.clone()).map_err(|e| e.0)?;
    Ok((words, code.portable().map_err(|e| e.0)?))
}

/// A state of a model that the program expands, and its successors by the interpreter, in words.
struct Case {
    state: Vec<u8>,
    successors: Vec<Vec<u8>>,
    findings: bool,
    flags: Flags,
    /// The interpreter gave up an atomic sequence without end, so it does not give all successors.
    endless: bool,
}

/// The first states of a model. Only those that have words, with all their successors.
fn cases(model: &Arc<Model>, words: &Arc<Words>, limit: usize) -> Vec<Case> {
    let mut interpreter = Interpreter::new(model.clone()).expect("it was made before");
    let encoder = Compiled::in_words(model.clone(), Options::default(), words.clone()).expect("it was made before");
    let mut batch = Batch::new();
    interpreter.initial(&mut batch);
    let mut seen = HashSet::from([batch.state(0).to_vec()]);
    let (mut queue, mut next, mut cases) = (vec![batch.state(0).to_vec()], 0, Vec::new());
    while next < queue.len() && next < limit {
        batch.clear();
        let flags = interpreter.expand(&queue[next], Choice::All, &mut batch);
        queue.extend(batch.states().filter(|state| seen.insert(state.to_vec())).map(<[u8]>::to_vec));
        if words.holds(&queue[next]) && batch.states().all(|state| words.holds(state)) {
            let successors = batch.states().map(|state| encoder.encode(state)).collect();
            let findings = !batch.findings().is_empty();
            let endless = batch.findings().iter().any(|finding| finding.kind == FindingKind::EndlessSequence);
            cases.push(Case { state: encoder.encode(&queue[next]), successors, findings, flags, endless });
        }
        next += 1;
    }
    cases
}

/// The functions of a text that call a function, each with the functions that it calls.
fn calls(text: &str) -> BTreeMap<&str, Vec<&str>> {
    fn word(text: &str) -> &str {
        text.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default()
    }
    let (mut calls, mut caller) = (BTreeMap::<&str, Vec<&str>>::new(), "");
    for line in text.lines() {
        match line.strip_prefix("template <class Em> ").and_then(|rest| rest.split_once('(')) {
            Some((before, _)) => caller = word(before),
            None => line.match_indices("<Em>(").for_each(|(at, _)| {
                calls.entry(caller).or_default().push(word(&line[..at]));
            }),
        }
    }
    calls
}

/// A function that calls itself, perhaps by way of others. Compilers for devices can't tell how much stack it needs.
fn recursive(text: &str) -> Option<String> {
    let mut calls = calls(text);
    while !calls.is_empty() {
        let (ends, rest): (BTreeMap<_, _>, BTreeMap<_, _>) =
            calls.clone().into_iter().partition(|(_, called)| called.iter().all(|name| !calls.contains_key(name)));
        if ends.is_empty() {
            return rest.keys().next().map(ToString::to_string);
        }
        calls = rest;
    }
    None
}

/// Compiles the text of a model, and compares its successors with those of the interpreter.
fn compare(folder: &Path, code: &PortableCode, cases: &[Case]) -> Result<Compared, String> {
    if let Some(name) = recursive(&code.text) {
        return Err(format!("{name} is recursive"));
    }
    let (source, program) = (folder.join("model.cpp"), folder.join("model"));
    std::fs::write(&source, format!("{}{MAIN}", code.text)).map_err(|e| e.to_string())?;
    let output = Command::new("g++").args(["-O0", "-w", "-std=c++17", "-o"]).arg(&program).arg(&source).output();
    let output = output.map_err(|e| e.to_string())?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr).lines().take(6).collect::<Vec<_>>().join("\n");
        return Err(format!("g++: {text}"));
    }
    let size = 8 * code.words;
    let mut child =
        Command::new(&program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(|e| e.to_string())?;
    let mut input = child.stdin.take().expect("it is piped");
    let states: Vec<u8> = cases.iter().flat_map(|case| case.state.iter().copied()).collect();
    let writer = std::thread::spawn(move || input.write_all(&states));
    let output = child.wait_with_output().map_err(|e| e.to_string())?;
    writer.join().expect("the writer ends").map_err(|e| e.to_string())?;
    let mut rest = &output.stdout[..];
    let mut take = |bytes: usize| {
        let (first, other) = rest.split_at_checked(bytes).ok_or("the program ended early")?;
        rest = other;
        Ok::<&[u8], String>(first)
    };
    let mut compared = Compared::default();
    for case in cases {
        let number = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("eight bytes")) as usize;
        let result = number(take(8)?);
        let left = result == LEFT;
        let accepting = number(take(8)?) != 0;
        let count = number(take(8)?);
        let mut found = Vec::new();
        for _ in 0..count {
            found.push(take(size)?.to_vec());
        }
        compare_case(case, result, found)?;
        // The host tells of states that are left.
        if accepting != case.flags.accepting && !(left && case.flags.accepting) {
            return Err(format!("{:?}: accepting is {accepting}, left {left}", case.state));
        }
        compared.accepting += usize::from(accepting);
        compared.states += 1;
        compared.left += usize::from(left);
        compared.stuck += usize::from(result == STUCK);
    }
    Ok(compared)
}

fn compare_case(case: &Case, result: usize, mut found: Vec<Vec<u8>>) -> Result<(), String> {
    let mut expected = case.successors.clone();
    expected.sort();
    found.sort();
    if result == LEFT {
        let known: HashSet<&Vec<u8>> = expected.iter().collect();
        return match found.iter().find(|state| !case.endless && !known.contains(state)) {
            Some(state) => Err(format!("{:?} is left with {state:?}, which is no successor", case.state)),
            None => Ok(()),
        };
    }
    if case.findings {
        return Err(format!("{:?} has findings and is not left", case.state));
    }
    let errors = Flags { invalid_end: result == STUCK, accepting: case.flags.accepting, ..Flags::default() };
    if case.flags != errors {
        return Err(format!("{:?} is {:?}, and the result is {result}", case.state, case.flags));
    }
    if expected != found {
        return Err(format!("{:?} has the successors {expected:?}, not {found:?}", case.state));
    }
    Ok(())
}

/// The comparison of many models.
#[derive(Default)]
struct Tally {
    models: usize,
    states: usize,
    left: usize,
    stuck: usize,
    accepting: usize,
    refused: BTreeMap<String, Vec<String>>,
    wrong: Vec<String>,
}

impl Tally {
    fn add(&mut self, name: &str, model: &Arc<Model>, limit: usize) {
        let (words, code) = match portable(model) {
            Ok(made) => made,
            Err(reason) => return self.refused.entry(reason).or_default().push(name.to_string()),
        };
        let folder = tempfile::tempdir().expect("a folder");
        match compare(folder.path(), &code, &cases(model, &words, limit)) {
            Ok(compared) => {
                self.models += 1;
                self.states += compared.states;
                self.left += compared.left;
                self.stuck += compared.stuck;
                self.accepting += compared.accepting;
                if compared.left * 2 > compared.states && compared.states > 20 {
                    println!("{name}: {} of {} states are left", compared.left, compared.states);
                }
            }
            Err(error) => self.wrong.push(format!("{name}: {error}")),
        }
    }

    fn with(mut self, other: Tally) -> Tally {
        self.models += other.models;
        self.states += other.states;
        self.left += other.left;
        self.stuck += other.stuck;
        self.accepting += other.accepting;
        other.refused.into_iter().for_each(|(why, models)| self.refused.entry(why).or_default().extend(models));
        self.wrong.extend(other.wrong);
        self
    }

    fn report(&self) {
        for (reason, models) in &self.refused {
            println!(
                "{} refused: {reason}: {}",
                models.len(),
                models.iter().take(8).cloned().collect::<Vec<_>>().join(" ")
            );
        }
        let Tally { models, states, left, stuck, accepting, .. } = self;
        let states = format!("{states} states, {left} left to the host, {stuck} stuck, {accepting} accepting");
        places::notice(&format!("{models} models as C++, {states}"));
        assert!(self.wrong.is_empty(), "{} models differ:\n{}", self.wrong.len(), self.wrong.join("\n"));
    }
}

#[test]
fn random_models_have_the_successors_of_the_interpreter() {
    if !has_compiler() {
        return;
    }
    let (count, limit) = (places::setting("KRIPKE_PORTABLE", 12), places::setting("KRIPKE_PORTABLE_STATES", 300));
    let mut tally = Tally::default();
    for seed in 0..count {
        tally.add(&format!("seed {seed}"), &Arc::new(random_model(seed)), limit);
    }
    tally.report();
    assert!(tally.models * 4 > count as usize, "many models must have portable code");
}

/// Whether a process is enabled depends on priorities, which are asked for in guards, too.
#[test]
fn guards_about_priorities_are_not_recursive() {
    if !has_compiler() {
        return;
    }
    let text = "byte x, y;\n\
        active proctype A() priority 2 { do :: get_priority(1) < 4 && x < 5 -> x++ :: x == 5 -> break od }\n\
        active proctype B() priority 3 { do :: get_priority(_pid) > 1 && y < 5 -> y++; set_priority(_pid, y) :: else -> break od }";
    let model = Arc::new(own_models::read("model.pml", text));
    let (words, code) = portable(&model).expect("it has portable code");
    assert_eq!(recursive(&code.text), None);
    let with_one_function = code.text.replace("rt_look", "rt_answer");
    assert!(recursive(&with_one_function).is_some(), "a guard of a process that is asked for asks for priorities");
    let folder = tempfile::tempdir().expect("a folder");
    let compared = compare(folder.path(), &code, &cases(&model, &words, 300)).unwrap_or_else(|e| panic!("{e}"));
    assert!(compared.states > 10 && compared.left * 2 < compared.states, "{} of {}", compared.left, compared.states);
}

/// States are accepting by the location of the observer, and by the locations of processes if their labels count.
#[test]
fn accepting_states_are_those_of_the_interpreter() {
    if !has_compiler() {
        return;
    }
    let text = "byte x; active [2] proctype A() { do :: x < 6 -> x++; accept: skip :: x > 3 -> x = 0 od }\n\
        never { T0: do :: true :: x == 4 -> goto accept_all od; accept_all: do :: x > 2 od }";
    for labels in [false, true] {
        let mut model = own_models::read("model.pml", text);
        let mut claim = model.properties.iter_mut().find_map(|property| property.observer.take()).expect("a claim");
        claim.labels = labels;
        model.observer = Some(claim);
        let model = Arc::new(model);
        let (words, code) = portable(&model).expect("it has portable code");
        let folder = tempfile::tempdir().expect("a folder");
        let compared = compare(folder.path(), &code, &cases(&model, &words, 300)).unwrap_or_else(|e| panic!("{e}"));
        let Compared { states, accepting, left, .. } = compared;
        assert!(accepting > 5 && accepting < states && left * 2 < states, "{accepting} of {states}, {left} left");
    }
}

#[test]
fn models_have_the_successors_of_the_interpreter() {
    if !has_compiler() {
        return;
    }
    let limit = places::setting("KRIPKE_PORTABLE_STATES", 300);
    let files = own_models::files(&["examples", "tests/promela", "tests/esml", "tests/twins"], &ENDINGS);
    let files: Vec<_> = files.into_iter().step_by(places::setting("KRIPKE_PORTABLE_ONE_OF", 20)).collect();
    let tallies = parallel::map(&files, |file| {
        let mut tally = Tally::default();
        if let Ok(model) = measure::load(file) {
            tally.add(&file.display().to_string(), &Arc::new(model), limit);
        }
        tally
    });
    let tally = tallies.into_iter().fold(Tally::default(), |all, one| all.with(one.expect("no panic")));
    tally.report();
    assert!(tally.models > 20, "some models must have portable code");
    assert!(tally.stuck > 10, "{} invalid end states", tally.stuck);
    assert!(tally.left * 4 < tally.states, "most states must be expanded by portable code");
}
