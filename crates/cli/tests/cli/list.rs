//! Listings, the text after preprocessing, automata of processes and properties.

use std::fs;
use std::path::Path;

use crate::graph::{desk, snapshot};

#[test]
fn listings_of_each_language_are_as_expected() {
    let desk = desk();
    for (ending, process) in [("pml", "Consumer"), ("dve", "Consumer"), ("esml", "Door")] {
        for (name, options) in [
            ("list.txt", String::new()),
            ("list.json", "--format json".to_string()),
            ("list.ir", "--ir".to_string()),
            ("process.svg", format!("--format svg --process {process}")),
            ("process.dot", format!("--format dot --process {process}")),
        ] {
            let said = desk.run(&format!("list small.{ending} {options}")).expect(0);
            snapshot(&format!("{ending}.{name}"), &said.out);
        }
    }
    snapshot("pml.property.svg", &desk.run("list small.pml --format svg --process counts").expect(0).out);
    snapshot(
        "ltl.svg",
        &desk
            .command("ltl --negate --format svg")
            .arg("[] (p -> <> q)")
            .output()
            .map(|o| String::from_utf8(o.stdout).unwrap())
            .unwrap(),
    );
}

#[test]
fn the_text_form_is_read_back() {
    let desk = desk();
    for ending in ["pml", "dve", "esml"] {
        let text = desk.run(&format!("list small.{ending} --ir")).expect(0).out;
        let model = kripke_model::Model::parse(&text).unwrap();
        assert_eq!(model.to_string(), text);
    }
}

/// A text after preprocessing is a model with the same state graph.
#[test]
fn preprocessing_changes_no_model() {
    let desk = desk();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for (name, ending) in [
        ("alternating-bit.pml", "pml"),
        ("dining-philosophers.pml", "pml"),
        ("traffic-light.pml", "pml"),
        ("two-phase-commit.pml", "pml"),
        ("dining-philosophers.mdve", "dve"),
        ("mutex-peterson.dve", "dve"),
        ("mutex-peterson.esml", "esml"),
    ] {
        fs::copy(examples.join(name), desk.path(name)).unwrap();
        let text = desk.run(&format!("list {name} --preprocessed")).expect(0).out;
        assert!(ending != "pml" || !text.contains('#'), "{text}");
        desk.write(&format!("plain.{ending}"), &text);
        let graph = |file: &str| desk.run(&format!("graph {file} --format aut")).expect(0).out;
        assert_eq!(graph(&format!("plain.{ending}")), graph(name), "{name}");
    }
    let out = desk.run("list small.pml --preprocessed -DLAST=7 -ULAST").expect(0).out;
    assert!(out.contains(":: n < LAST -> n++; c!n") || out.contains(":: n < 2 -> n++; c!n"), "{out}");
}

#[test]
fn wrong_arguments_are_refused() {
    let desk = desk();
    for (args, part) in [
        ("list small.pml --process counts", "no automaton `counts`; it has Producer, Consumer"),
        ("list small.pml --process x --format dot", "no automaton `x`; it has Producer, Consumer, counts"),
        ("list small.pml --format svg", "--process names the automaton to draw: Producer, Consumer, counts"),
        ("list bad.pml", "expected `)`"),
        ("list missing.pml --preprocessed", "missing.pml"),
        ("list small.pml --ir --preprocessed", "cannot be used with"),
    ] {
        let said = desk.run(args).expect(2);
        assert!(said.err.contains(part), "{args}: {}", said.err);
    }
}

#[test]
fn texts_are_only_read() {
    let desk = desk();
    let said = desk.run("check --parse-only small.pml small.dve small.esml second.pml").expect(0);
    assert_eq!(said.out, "");
    assert!(!desk.has("second.trail.json"));
    let said = desk.run("check --parse-only small.pml bad.pml").expect(2);
    assert!(said.err.contains("bad.pml:1:20"), "{}", said.err);
    let json = desk.run("check --parse-only bad.pml --format json").expect(2).json();
    assert_eq!(json["error"][0]["line"], 1);
}

#[test]
fn statements_of_an_inline_have_their_own_line() {
    let desk = desk();
    desk.write(
        "inline.pml",
        "byte x;\ninline twice() {\n  x++;\n  x++\n}\nactive proctype P() {\n  twice();\n  twice()\n}\n",
    );
    let said = desk.run("list inline.pml").expect(0).out;
    let lines: Vec<&str> =
        said.lines().filter(|line| line.contains("x++")).filter_map(|line| line.split_whitespace().nth(3)).collect();
    assert_eq!(lines.iter().filter(|line| **line == "3").count(), 2, "{said}");
    assert_eq!(lines.iter().filter(|line| **line == "4").count(), 2, "{said}");
    let said = desk.run("list inline.pml --format json").expect(0).json();
    assert!(said.to_string().contains("\"line\":3"), "{said}");
    let said = desk.run("list inline.pml --process P --format dot").expect(0).out;
    assert!(["\"3a\"", "\"3b\"", "\"4a\"", "\"4b\""].iter().all(|name| said.contains(name)), "{said}");
}

#[test]
fn one_location_is_no_plural() {
    let desk = desk();
    desk.write("one.dve", "process P { state a; init a; trans a -> a {}; }\nsystem async;\n");
    let said = desk.run("list one.dve").expect(0).out;
    assert!(said.contains("process P (1 location, 1 edge, 1 at the start)"), "{said}");
    let said = desk.run("check peterson.pml --statistics").expect(0).out;
    assert!(!said.contains(" 1 levels"), "{said}");
}
