//! Conditions on states, read after the model: their meaning, and how their errors are shown.

use std::io;
use std::path::Path;

use kripke_lang::diagnostic::Diagnostic;
use kripke_lang::render::render;
use kripke_lang::source::Loader;
use kripke_lang::{LoadOptions, Loaded, load};
use kripke_model::ir::{Expr, Goal};

struct Text<'a>(&'a str);

impl Loader for Text<'_> {
    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        Ok(self.0.as_bytes().to_vec())
    }
}

/// Reads a model, then conditions.
fn read(text: &str, conditions: &[&str]) -> (Loaded, Result<Vec<Expr>, Vec<Diagnostic>>) {
    read_as("m.pml", text, conditions)
}

fn read_as(name: &str, text: &str, conditions: &[&str]) -> (Loaded, Result<Vec<Expr>, Vec<Diagnostic>>) {
    let mut loaded = load(Path::new(name), &Text(text), &LoadOptions::default());
    let conditions: Vec<String> = conditions.iter().map(|c| c.to_string()).collect();
    let read = loaded.conditions(&conditions);
    (loaded, read)
}

const MODEL: &str = "\
#define TWO 2
#define at_cs(i) p[i]@cs
mtype = { red, green };
typedef R { byte n[3] }
R r; mtype light = red; byte x;
chan q = [2] of { mtype, byte };
active [2] proctype p() { byte y; do :: y = x; cs: goto done; done: x++ od }
#undef TWO
#define TWO 22
byte late;
init { progress: (x > 9 || timeout) }
";

/// The condition in the model's own terms.
fn lowered(condition: &str) -> String {
    let (loaded, read) = read(MODEL, &[condition]);
    let read = read.unwrap_or_else(|errors| panic!("{condition}: {errors:?}"));
    let mut model = loaded.model.unwrap_or_else(|| panic!("{condition}: {:?}", loaded.diagnostics));
    let [only] = &read[..] else { panic!("{condition}: {read:?}") };
    model.goal = Some(Goal { condition: only.clone(), text: condition.to_string(), span: None });
    model.validate().unwrap_or_else(|e| panic!("{condition}: {e}"));
    let text = model.to_string();
    text.lines().find_map(|l| l.strip_prefix("goal ")).expect("a goal").to_string()
}

#[test]
fn conditions_mean_what_they_mean_at_the_end_of_the_file() {
    let table = [
        ("x == TWO && late", "((x == 22) && late)"),
        ("light == green", "(light == 1)"),
        ("r.n[x] > 1", "(r.n[x] > 1)"),
        ("at_cs(1)", "p[1]@L0"),
        ("p@done", "p@L0"),
        ("p[1]:y == 2", "(p[1]::y == 2)"),
        ("len(q) == 1 || full(q)", "((len(q) == 1) || full(q))"),
        ("q?[red,_]", "q?[=2, _]"),
        ("timeout", "timeout"),
        ("np_", "nonprogress"),
        ("enabled(1)", "enabled(1)"),
        ("_last == 1", "(last == 1)"),
        ("_nr_pr < 3", "(processes < 3)"),
        ("(x -> 1 : late)", "(x ? 1 : late)"),
        ("x ==\n1", "(x == 1)"),
    ];
    for (condition, expected) in table {
        assert_eq!(lowered(condition), expected, "{condition}");
    }
}

#[test]
fn there_is_one_for_each() {
    assert_eq!(read(MODEL, &["x", "1", "late == 3"]).1.expect("they are correct").len(), 3);
    let (all, error) = read(MODEL, &["x", "y"]);
    assert!(all.model.is_some() && error.is_err_and(|errors| !errors.is_empty()));
    let (none, error) = read("init { z = 1 }", &["1"]);
    assert!(none.model.is_none() && error.is_err_and(|errors| errors == none.diagnostics));
}

/// A model that lacks nothing, and one with a warning; the text of each is read once.
#[test]
fn every_language_has_conditions() {
    let models = [
        ("m.pml", "#define A 1\n#define A 2\nbyte x; active proctype P() { x = A }", "x == A"),
        ("m.dve", "byte x; process P { state a; init a; } system async;", "P.a and x == 0"),
        ("m.esml", "MODEL M; PROCESS P; VAR x: BOOLEAN; BEGIN SKIP END P; BEGIN P END M", "P.x = TRUE"),
    ];
    for (name, text, condition) in models {
        let plain = load(Path::new(name), &Text(text), &LoadOptions::default());
        let (loaded, read) = read_as(name, text, &[condition, condition]);
        assert_eq!(read.unwrap_or_else(|e| panic!("{name}: {e:?}")).len(), 2, "{name}");
        assert_eq!(loaded.diagnostics, plain.diagnostics, "{name}");
        let model = loaded.model.expect("a model");
        let asked: Vec<&str> = model.files.iter().filter(|f| f.asked).map(|f| f.text.as_str()).collect();
        assert_eq!(asked, [condition, condition], "{name}");
        assert_eq!(model.name, name);
        let own = model.files.len() - asked.len();
        assert_eq!(own, plain.model.expect("a model").files.len(), "{name}");
    }
}

#[test]
fn a_condition_includes_no_files() {
    let (_, read) = read("byte x; init { skip }", &["#include \"other\"\nx"]);
    let errors = read.expect_err("it includes a file");
    assert!(errors[0].message.contains("a condition can't include files"), "{errors:?}");
}

#[test]
fn what_they_mention_is_part_of_the_state() {
    let locations =
        |conditions: &[&str]| read(MODEL, conditions).0.model.expect("a model").processes[0].locations.len();
    // A jump that nobody asks about is no place.
    assert_eq!(locations(&["p@cs"]), locations(&[]) + 1);
    let model = |condition: &str| read("byte x; init { x = 1 }", &[condition]).0.model.expect("a model");
    assert!(model("_last == 0").uses_last && !model("x").uses_last);
    assert!(model("timeout").uses_timeout && !model("x").uses_timeout);
}

#[test]
fn mistakes_are_shown_where_they_were_typed() {
    let table = [
        ("x == yy", "error: `yy` is not declared\n --> <condition>:1:6"),
        ("x ==", "error: expected an expression, found the end of the text\n --> <condition>:1:5"),
        ("x x", "error: expected an operator or the end of the condition, found `x`\n --> <condition>:1:3"),
        ("", "error: this condition is empty\n --> <condition>:1:1"),
        ("p[0]@nowhere", "error: `p` has no label `nowhere`\n --> <condition>:1:6"),
        ("_pid == 1", "error: `_pid` and `_priority` belong to a process\n --> <condition>:1:1"),
        ("x = 1", "error: expected an operator or the end of the condition, found `=`\n --> <condition>:1:3"),
        ("ltl", "error: expected an expression, found keyword `ltl`\n --> <condition>:1:1"),
        ("#define A 1", "error: this condition is empty\n --> <condition>:1:1"),
    ];
    for (condition, expected) in table {
        let (loaded, read) = read(MODEL, &["x > 1", condition]);
        let Err(errors) = read else { panic!("no diagnostic for {condition:?}") };
        let shown = render(&loaded.sources, &errors[0], false);
        assert!(shown.starts_with(expected), "{condition}:\n{shown}");
    }
}
