//! The screen as text, for every language and several sizes, and what keys do to it. `KRIPKE_WRITE_SNAPSHOTS=1` writes the snapshots.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kripke::Request;
use kripke::files::{Disk, Texts};
use kripke::load;
use kripke::monitor::Silent;
use kripke::replay::TrailRequest;
use kripke::request::Source;
use kripke::stepping::{Origin, Session};
use kripke_report::run::Run;
use kripke_report::stepping;
use kripke_report::trail_file::TrailFile;
use kripke_report::verdict::Verdict;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::app::App;
use super::draw::draw;
use super::palette::Palette;

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (200, 60)];

fn app(model: &str) -> App {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(model);
    let source = Source::default();
    let mut loaded = load::load(&file, &source, &[], &Disk).unwrap_or_else(|e| panic!("{}", e.text));
    // The name on the screen is the same on every machine.
    loaded.model.files[0].name = model.to_string();
    let mut interpreter = load::interpreter(Arc::new(loaded.model), false).unwrap();
    let initial = interpreter.initial_point();
    let run = Run::new(&interpreter, &initial);
    let origin = Origin::Model { file: file.clone(), source, raw: false };
    App::new(Session::new(interpreter, run, origin, 1), &file, Palette::new(false))
}

const LASSO: &str = "chan q = [2] of { byte };
bool done;

active proctype producer() {
	do
	:: q!1
	od
}

active proctype consumer() {
	byte x;
	do
	:: q?x
	:: done = true; break
	od
}

ltl live { <> done }
";

/// A replay of the counterexample of a model.
fn replay(text: &str) -> App {
    let file = PathBuf::from("lasso.pml");
    let texts = Texts([(file.clone(), text.to_string())].into());
    let mut request = Request::default();
    request.search.threads = Some(1);
    request.questions.properties.push("live".to_string());
    let results = kripke::run::check(&file, &request, &texts, &Silent).unwrap();
    let answer = results.decisive();
    let Verdict::Violated(violated) = &answer.verdict else { panic!("no counterexample") };
    let (found, record) = (&violated.first, TrailRequest::new(&request, &answer.task));
    let shown = Run::replayed(&answer.interpreter, found.replayed());
    let value = serde_json::to_value(&record).unwrap();
    let trail = TrailFile::new(&shown, &shown.names(), found.trail(), value, Some(String::new()));
    let mut prepared = kripke::replay::prepare(&file, &record.request(), &[], &texts).unwrap();
    let numbers = trail.trail(prepared.interpreter.model()).unwrap();
    let (_, replayed) = numbers.replay_whole(&mut prepared.interpreter, &mut prepared.searched).unwrap();
    let run = Run::replayed(&prepared.interpreter, &replayed);
    let (request, property) = (Box::new(record.request()), prepared.property);
    let origin = Origin::Trail { file: file.clone(), request, trail: Box::new(trail), property };
    App::new(Session::new(prepared.interpreter, run, origin, 1), &file, Palette::new(false))
}

#[test]
fn a_trail_has_its_cycle_and_its_end() {
    let mut app = replay(LASSO);
    let cycle = stepping::cycle(app.session.run()).expect("a lasso").0 - 1;
    app.jump(cycle);
    let start = screen(&mut app, (120, 40));
    assert!(start.contains("the cycle starts here"), "{start}");
    app.jump(app.session.len());
    let end = screen(&mut app, (120, 40));
    assert!(end.contains("end of the trail") && end.contains("end of the cycle"), "{end}");
    typed(&mut app, "m");
    app.jump(cycle);
    for (width, height) in SIZES {
        snapshot(&format!("step-trail-{width}x{height}.txt"), &screen(&mut app, (width, height)));
    }
    let other = app.session.moves().iter().position(|m| !app.session.is_next(m)).unwrap();
    app.take(other);
    let left = screen(&mut app, (120, 40));
    assert!(left.contains("the trail is left") && left.contains("o returns to it"), "{left}");
    typed(&mut app, "o");
    assert!(app.session.is_on_trail());
}

/// The characters on a screen of this size.
fn screen(app: &mut App, (width, height): (u16, u16)) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| draw(frame, app)).unwrap();
    let buffer = terminal.backend().buffer();
    let row = |y: u16| -> String {
        let line: String = (0..width).map(|x| buffer[(x, y)].symbol()).collect();
        line.trim_end().to_string() + "\n"
    };
    (0..height).map(row).collect()
}

/// Types keys: `<`, `>`, `↑` and `↓` are arrows, `|` is Enter, `~` is Tab.
fn typed(app: &mut App, keys: &str) {
    for c in keys.chars() {
        let code = match c {
            '<' => KeyCode::Left,
            '>' => KeyCode::Right,
            '↑' => KeyCode::Up,
            '↓' => KeyCode::Down,
            '|' => KeyCode::Enter,
            '~' => KeyCode::Tab,
            c => KeyCode::Char(c),
        };
        app.key(KeyEvent::new(code, KeyModifiers::NONE));
    }
}

#[track_caller]
fn snapshot(name: &str, text: &str) {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots").join(name);
    if std::env::var_os("KRIPKE_WRITE_SNAPSHOTS").is_some() {
        fs::write(&path, text).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    assert_eq!(kept, text, "{name} differs; the new text:\n{text}");
}

#[test]
fn every_language_fits_every_screen() {
    for language in ["pml", "dve", "esml"] {
        let mut app = app(&format!("alternating-bit.{language}"));
        typed(&mut app, "r12|<<");
        for (width, height) in SIZES {
            let text = screen(&mut app, (width, height));
            snapshot(&format!("step-{language}-{width}x{height}.txt"), &text);
        }
        typed(&mut app, "m");
        snapshot(&format!("step-{language}-chart-80x24.txt"), &screen(&mut app, (80, 24)));
    }
}

/// Nothing panics at any size, with any pane in front.
#[test]
fn every_size_can_be_drawn() {
    let mut app = app("leader-election.pml");
    typed(&mut app, "r50|");
    for keys in ["", "~", "~", "~", "~", "~", "z", "?", "u"] {
        typed(&mut app, keys);
        for size in [(1, 1), (3, 2), (10, 5), (20, 8), (49, 13), (50, 14), (80, 24), (79, 200), (300, 10)] {
            screen(&mut app, size);
        }
    }
}

#[test]
fn the_keys_are_on_the_first_screen() {
    let mut app = app("mutex-naive.pml");
    for size in SIZES {
        let text = screen(&mut app, size);
        for key in ["Enter step", "← back", "j jump", "/ search", "r random", "u until", "s save", "? help", "q quit"]
        {
            assert!(text.contains(key), "{key} at {size:?}\n{text}");
        }
    }
    typed(&mut app, "?");
    let help = screen(&mut app, (80, 24));
    assert!(help.contains("run until a condition holds") && help.contains("q, Ctrl-C"), "{help}");
}

#[test]
fn moves_are_taken_and_taken_back() {
    let mut app = app("mutex-naive.pml");
    typed(&mut app, "1↓|");
    assert_eq!(app.session.at(), 2);
    typed(&mut app, "<<");
    assert_eq!((app.session.at(), app.session.len()), (0, 2));
    assert!(screen(&mut app, (80, 24)).contains("Moves 2 (* next of the run)"));
    typed(&mut app, ">>");
    assert_eq!(app.session.at(), 2);
    typed(&mut app, "<9");
    assert!(app.message.1 && app.message.0.contains("there is no move 9"), "{:?}", app.message);
    typed(&mut app, "g0|g7|");
    assert!(app.session.at() == 0 && app.message.0.contains("the run has only 2 steps"), "{:?}", app.message);
    typed(&mut app, "2");
    assert!(screen(&mut app, (80, 24)).contains("2 steps dropped"));
    typed(&mut app, "9");
    assert!(!screen(&mut app, (80, 24)).contains("dropped"), "the next command is told alone");
    typed(&mut app, "q");
    assert!(app.is_done());
}

#[test]
fn a_condition_is_run_to_and_a_bad_one_is_told() {
    let mut app = app("alternating-bit.pml");
    typed(&mut app, "ureceiver:next == 1|");
    assert!(app.message.0.contains("the condition holds after"), "{:?}", app.message);
    let at = app.session.at();
    typed(&mut app, "unonsense|");
    assert!(app.message.1 && app.message.0.contains("nonsense"), "{:?}", app.message);
    assert_eq!(app.session.at(), at);
    assert!(screen(&mut app, (80, 24)).contains("nonsense"));
}

#[test]
fn an_expression_is_watched() {
    let mut app = app("alternating-bit.pml");
    typed(&mut app, "wlen(to_receiver) * 10||");
    assert!(screen(&mut app, (120, 40)).contains("len(to_receiver) * 10 = 10 (was 0)"));
    typed(&mut app, "wlen(to_receiver) * 10|");
    assert!(!screen(&mut app, (120, 40)).contains("* 10"));
}

#[test]
fn the_source_and_the_history_are_searched() {
    let mut app = app("alternating-bit.pml");
    typed(&mut app, "r300|/assert|");
    let first = app.found.unwrap();
    assert!(screen(&mut app, (120, 40)).contains("assert(data == next)"));
    typed(&mut app, "n");
    assert_eq!(app.found, Some(first), "there is only one");
    typed(&mut app, "/no such text|");
    assert!(app.message.1, "{:?}", app.message);
    typed(&mut app, "~~~~g0|/assert|");
    let at = app.session.at();
    assert!(at > 0 && app.session.run().statements(&app.session.run().moves()[at - 1]).contains("assert"));
    typed(&mut app, "n");
    assert!(app.session.at() > at);
    typed(&mut app, "N");
    assert_eq!(app.session.at(), at);
}

#[test]
fn a_run_is_saved_whole_or_not_at_all() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("run.trail.json");
    let mut app = app("alternating-bit.pml");
    typed(&mut app, "r20|");
    app.entered(super::app::Prompt::Save, path.to_str().unwrap());
    assert!(app.message.0.starts_with("saved 20 steps in "), "{:?}", app.message);
    assert!(fs::read_to_string(&path).unwrap().starts_with("{\n  \"kripke-trail\": 3"));
    let theirs = folder.path().join("theirs.txt");
    fs::write(&theirs, "precious").unwrap();
    app.entered(super::app::Prompt::Save, theirs.to_str().unwrap());
    assert!(app.message.1 && app.message.0.contains("not written by Kripke"), "{:?}", app.message);
    assert_eq!(fs::read_to_string(&theirs).unwrap(), "precious");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "no temporary file is left");
}

/// The texts of a model can't write to the terminal by themselves.
#[test]
fn control_characters_have_no_effect() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("m.pml");
    fs::write(&path, "/* \u{1b}[2J\u{7} */ active proctype p() { printf(\"\\t\u{1b}[31mx\\n\"); skip }\n").unwrap();
    let source = Source::default();
    let loaded = load::load(&path, &source, &[], &Disk).unwrap_or_else(|e| panic!("{}", e.text));
    let mut interpreter = load::interpreter(Arc::new(loaded.model), false).unwrap();
    let initial = interpreter.initial_point();
    let run = Run::new(&interpreter, &initial);
    let origin = Origin::Model { file: path.clone(), source, raw: false };
    let mut app = App::new(Session::new(interpreter, run, origin, 1), &path, Palette::new(true));
    typed(&mut app, "||");
    let text = screen(&mut app, (120, 40));
    assert!(text.contains("\\x1b[2J") && !text.contains('\u{1b}') && !text.contains('\u{7}'), "{text}");
}

/// With 10,000 steps a key and a drawing of the screen are done at once: nothing goes through the whole run.
#[test]
fn a_long_run_is_stepped_through() {
    let mut app = app("alternating-bit.pml");
    typed(&mut app, "r10000|");
    assert_eq!(app.session.at(), 10_000);
    for _ in 0..50 {
        typed(&mut app, "<");
        screen(&mut app, (200, 60));
    }
    assert!(screen(&mut app, (200, 60)).contains("9950"));
}
