//! Sessions that step through runs: every language, forward and back, conditions, saved runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kripke::files::{Disk, Files, Texts};
use kripke::monitor::Silent;
use kripke::replay::TrailRequest;
use kripke::request::Source;
use kripke::stepping::{Origin, Remark, Session, Stop};
use kripke::{load, replay};
use kripke_report::run::{End, Run};
use kripke_report::trail_file::TrailFile;
use kripke_report::verdict::Verdict;

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// A simulation.
fn session(file: &Path, files: &dyn Files, seed: u64) -> Session {
    let source = Source::default();
    let loaded = load::load(file, &source, &[], files).unwrap_or_else(|e| panic!("{}", e.text));
    let mut interpreter = load::interpreter(Arc::new(loaded.model), false).unwrap();
    let initial = interpreter.initial_point();
    let run = Run::new(&interpreter, &initial);
    Session::new(interpreter, run, Origin::Model { file: file.to_path_buf(), source, raw: false }, seed)
}

fn example(name: &str) -> Session {
    session(&examples().join(name), &Disk, 1)
}

fn text(promela: &str) -> Session {
    let file = PathBuf::from("text.pml");
    session(&file, &Texts([(file.clone(), promela.to_string())].into()), 1)
}

/// The run of a trail file, executed again.
fn replayed(file: &Path, text: &str, files: &dyn Files) -> Run {
    let trail = TrailFile::read(text).unwrap();
    let request: TrailRequest = serde_json::from_value(trail.request.clone()).unwrap();
    let mut prepared = replay::prepare(file, &request.request(), &[], files).unwrap();
    let trail = trail.trail(prepared.interpreter.model()).unwrap();
    let (_, replayed) = trail.replay_whole(&mut prepared.interpreter, &mut prepared.searched).unwrap();
    Run::replayed(&prepared.interpreter, &replayed)
}

/// A session that replays the counterexample of a check.
fn replaying(promela: &str) -> Session {
    let file = PathBuf::from("text.pml");
    let texts = Texts([(file.clone(), promela.to_string())].into());
    let request = kripke::Request::default();
    let results = kripke::run::check(&file, &request, &texts, &Silent).unwrap_or_else(|e| panic!("{e}"));
    let answer = results.decisive();
    let Verdict::Violated(violated) = &answer.verdict else { panic!("no counterexample") };
    let found = &violated.first;
    let record = TrailRequest::new(&request, &answer.task);
    let shown = Run::replayed(&answer.interpreter, found.replayed());
    let trail =
        TrailFile::new(&shown, &shown.names(), found.trail(), serde_json::to_value(&record).unwrap(), Some("x".into()));
    let mut prepared = replay::prepare(&file, &record.request(), &[], &texts).unwrap();
    let numbers = trail.trail(prepared.interpreter.model()).unwrap();
    let (_, replayed) = numbers.replay_whole(&mut prepared.interpreter, &mut prepared.searched).unwrap();
    let run = Run::replayed(&prepared.interpreter, &replayed);
    let (request, property) = (Box::new(record.request()), prepared.property);
    let origin = Origin::Trail { file, request, trail: Box::new(trail), property };
    Session::new(prepared.interpreter, run, origin, 1)
}

#[test]
fn the_rest_of_a_run_is_kept_until_another_move_is_taken() {
    let mut session = example("mutex-naive.pml");
    assert_eq!(session.random(3).steps, 3);
    let taken: Vec<_> = session.run().moves().iter().map(|m| (m.pid, m.edge)).collect();
    assert!(session.back(2) && session.at() == 1 && session.len() == 3);
    let next: Vec<bool> = session.moves().iter().map(|m| session.is_next(m)).collect();
    assert_eq!(next.iter().filter(|next| **next).count(), 1, "one move is the next one: {next:?}");
    let same = next.iter().position(|next| *next).unwrap();
    assert!(session.take(same) && session.len() == 3 && session.remarks().is_empty());
    let again: Vec<_> = session.run().moves().iter().map(|m| (m.pid, m.edge)).collect();
    assert_eq!(again, taken);
    session.back(9);
    let other = session.moves().iter().position(|m| !session.is_next(m)).unwrap();
    assert!(session.take(other) && session.len() == 1);
    assert_eq!(session.remarks(), [Remark::Dropped(3)]);
    assert!(!session.take(99) && !session.forward() && !session.jump(2) && session.jump(0) && !session.back(1));
}

#[test]
fn random_steps_are_reproducible_and_stop_at_the_end() {
    let walk = |seed| {
        let mut session = session(&examples().join("alternating-bit.pml"), &Disk, seed);
        let walked = session.random(200);
        assert_eq!((walked.steps, walked.stop, session.at()), (200, Stop::Steps, 200));
        session.run().moves().iter().map(|m| (m.pid, m.edge.0)).collect::<Vec<_>>()
    };
    assert_eq!(walk(7), walk(7));
    assert_ne!(walk(7), walk(8));
    let mut ends = text("byte x; active proctype p() { x = 1; x = 2 }");
    let walked = ends.random(100);
    assert_eq!((walked.stop, ends.remarks()), (Stop::NoMove, vec![Remark::ValidEnd]));
    let mut fails = text("byte x; active proctype p() { x = 1; assert(x == 2); x = 3 }");
    let walked = fails.random(100);
    assert_eq!((walked.steps, walked.stop), (2, Stop::Error));
    assert!(matches!(&fails.remarks()[..], [Remark::Error(what)] if what.contains("assertion violated")));
    let mut stuck = text("chan q = [0] of { byte }; active proctype p() { q!1 }");
    assert_eq!(stuck.random(5).stop, Stop::NoMove);
    assert_eq!(*stuck.run().end(), End::InvalidEnd);
}

#[test]
fn conditions_are_in_the_language_of_the_model() {
    for (model, condition) in [
        ("alternating-bit.pml", "receiver:next == 2 && len(to_sender) == 1"),
        ("alternating-bit.dve", "receiver->next == 1"),
        ("alternating-bit.esml", "Receiver.expected = 1"),
        ("mutex-peterson.pml", "_last == 1"),
    ] {
        let mut session = example(model);
        session.random(5);
        let walked = session.until(condition, 100_000).unwrap_or_else(|e| panic!("{model}: {}", e.full));
        assert_eq!(walked.stop, Stop::Condition, "{model}");
        assert_eq!(session.at(), 5 + walked.steps, "{model}");
        let error = session.until("no_such_name + ", 10).unwrap_err();
        assert!(!error.brief.is_empty() && error.full.contains("no_such_name"), "{model}: {}", error.full);
    }
}

#[test]
fn expressions_are_watched() {
    let mut session = text("byte x; active proctype p() { here: x = 3; x = 0; x = 1 / x }");
    assert!(session.watch("x * 2").unwrap() && session.watch("9 / x").unwrap());
    let values = |session: &Session| -> Vec<(String, Option<String>)> {
        session.watched().iter().map(|v| (v.value.clone(), v.was.clone())).collect()
    };
    let (some, none) = (|text: &str| Some(text.to_string()), None);
    assert_eq!(values(&session), [("0".to_string(), none.clone()), ("?".to_string(), none.clone())]);
    session.take(0);
    assert_eq!(values(&session), [("6".to_string(), some("0")), ("3".to_string(), some("?"))]);
    // The model is replaced for the label; what was watched before is still right.
    assert!(session.watch("p@here").unwrap());
    assert_eq!(values(&session)[0], ("6".to_string(), some("0")));
    assert_eq!(values(&session)[2], ("0".to_string(), some("1")));
    assert!(!session.watch("x * 2").unwrap());
    assert_eq!(values(&session)[0], ("3".to_string(), some("?")));
    assert!(session.watch("nonsense").is_err() && session.watched().len() == 2);
}

/// A label that only a condition mentions becomes part of the model, whose run is executed again.
#[test]
fn a_condition_may_name_a_label() {
    let mut session = text(
        "byte x; active proctype p() { do :: x < 9 -> here: x++ :: x == 9 -> goto out od; out: skip }\n\
         active proctype q() { do :: x = x; x = x od }",
    );
    session.random(4);
    let before: Vec<String> = session.run().moves().iter().map(|m| session.run().statements(m)).collect();
    let walked = session.until("p@here && x == 3", 1000).unwrap_or_else(|e| panic!("{}", e.full));
    assert_eq!(walked.stop, Stop::Condition);
    let after: Vec<String> = session.run().moves().iter().take(4).map(|m| session.run().statements(m)).collect();
    assert_eq!(before, after);
}

/// A run of every example is saved, read, and executed to the same states.
#[test]
fn saved_runs_are_replayed() {
    let mut saved = 0;
    for entry in fs::read_dir(examples()).unwrap() {
        let file = entry.unwrap().path();
        let ending = file.extension().and_then(|e| e.to_str()).unwrap_or_default();
        if !["pml", "dve", "mdve", "esml"].contains(&ending) {
            continue;
        }
        for seed in 0..3 {
            let mut session = session(&file, &Disk, seed);
            session.random(60);
            let trail = session.saved().unwrap_or_else(|e| panic!("{}: {e}", file.display()));
            let run = replayed(&file, &trail.text, &Disk);
            assert_eq!((run.moves().len(), trail.steps + trail.left_out), (trail.steps, session.at()));
            assert!(trail.left_out < 10, "{}: {} left out", file.display(), trail.left_out);
            for step in 0..=trail.steps {
                let (one, other) = (run.view(step), session.run().view(step));
                assert_eq!((one.globals, one.channels), (other.globals, other.channels), "{}", file.display());
            }
            let whole = trail.left_out == 0;
            assert!(!whole || run.end() == session.run().end(), "{}: {:?}", file.display(), run.end());
            saved += 1;
        }
    }
    assert!(saved > 60, "{saved} runs");
}

const LASSO: &str = "byte x; bool done;\n\
    active proctype p() { x = 1; do :: x = 1 - x od }\n\
    active proctype q() { done = true }\n\
    ltl live { <> done }\n";

#[test]
fn a_trail_is_followed_left_and_joined_again() {
    let mut session = replaying(LASSO);
    let steps = session.len();
    let mut said = Vec::new();
    loop {
        said.extend(session.remarks());
        if session.at() < steps {
            assert!(
                session.moves().iter().any(|m| session.is_next(m)),
                "step {} is one of the moves",
                session.at() + 1
            );
        }
        if !session.forward() {
            break;
        }
    }
    assert!(
        matches!(
            &said[..],
            [Remark::CycleStart(..), Remark::CycleEnd(..), Remark::Error(what), Remark::TrailEnd(n)]
                if *n == steps && what.contains("live")
        ),
        "{said:?}"
    );
    assert_eq!(session.until("done", 1000).unwrap().stop, Stop::TrailEnd);
    assert!(session.is_on_trail() && !session.rejoin());
    session.jump(1);
    let other = session.moves().iter().position(|m| !session.is_next(m)).unwrap();
    assert!(session.take(other) && session.left() == Some(1));
    assert_eq!(session.remarks(), [Remark::Left(1)]);
    let saved = session.saved().unwrap();
    assert_eq!((saved.steps, saved.left_out), (2, 0));
    assert_eq!(session.until("x == 0", 1000).unwrap().stop, Stop::Condition);
    assert!(session.rejoin() && session.at() == 1 && session.len() == steps && session.is_on_trail());
}

#[test]
fn the_trail_itself_is_saved_as_it_was() {
    let mut session = replaying(LASSO);
    let steps = session.len();
    session.jump(steps);
    let text = session.saved().unwrap().text;
    let file = PathBuf::from("text.pml");
    let run = replayed(&file, &text, &Texts([(file.clone(), LASSO.to_string())].into()));
    assert!(matches!(run.end(), End::Cycle(_)) && run.moves().len() == steps);
    session.jump(1);
    assert_eq!(session.saved().unwrap().steps, 1);
}

#[test]
fn a_long_run_can_be_walked_and_shown() {
    let mut session = example("alternating-bit.pml");
    session.random(10_000);
    assert_eq!(session.at(), 10_000);
    let chart = session.chart(9_000, 10_000);
    assert_eq!(chart.rows.first().map(|row| row.step), Some(9_001));
    assert_eq!(session.saved().unwrap().steps, 10_000);
}
