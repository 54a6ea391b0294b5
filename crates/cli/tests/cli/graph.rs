//! State graphs, minimisation, comparison, and the pictures of a search.

use std::fs;
use std::path::{Path, PathBuf};

use crate::program::{Desk, Said};

/// A directory with the models of the snapshots.
pub fn desk() -> Desk {
    let desk = Desk::new();
    for ending in ["pml", "dve", "esml"] {
        let name = format!("small.{ending}");
        fs::copy(folder().join(&name), desk.path(&name)).unwrap();
    }
    desk
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/graphs")
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Compares a text with the expected one. `KRIPKE_SNAPSHOTS=write` writes it instead.
pub fn snapshot(name: &str, text: &str) {
    let path = folder().join("expected").join(name);
    if std::env::var("KRIPKE_SNAPSHOTS").is_ok_and(|value| value == "write") {
        fs::write(&path, text).unwrap();
        return;
    }
    let expected = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{name}: {e}"));
    let differs = expected.lines().zip(text.lines()).position(|(a, b)| a != b);
    assert!(expected == text, "{name} differs, first in line {differs:?}; KRIPKE_SNAPSHOTS=write accepts the new text");
}

fn run(desk: &Desk, args: &str, more: &[&str]) -> Said {
    desk.command(args).args(more).output().unwrap().into()
}

#[test]
fn graphs_of_each_language_are_as_expected() {
    let desk = desk();
    for (ending, project) in [("pml", "n,c"), ("dve", "n,Consumer"), ("esml", "Door,Door.visits")] {
        let model = format!("small.{ending}");
        for (format, options) in
            [("dot", vec![]), ("svg", vec![]), ("json", vec![]), ("aut", vec![]), ("html", vec!["--steps", "dfs"])]
        {
            let args = [&[&model, "--format", format], &options[..]].concat();
            snapshot(&format!("{ending}.graph.{format}"), &run(&desk, "graph", &args).expect(0).out);
        }
        let args = ["graph", &model, "--format", "html", "--steps", "nested", "--all-errors", "--ltl", formula(ending)];
        snapshot(&format!("{ending}.nested.html"), &run(&desk, "", &args).expect(0).out);
        let args = ["graph", &model, "--format", "svg", "--project", project];
        snapshot(&format!("{ending}.projected.svg"), &run(&desk, "", &args).expect(0).out);
        let args = ["graph", &model, "--format", "svg", "--minimise", "branching", "--labels", "process"];
        snapshot(&format!("{ending}.minimised.svg"), &run(&desk, "", &args).expect(0).out);
    }
}

/// A formula that some run violates.
fn formula(ending: &str) -> &'static str {
    match ending {
        "esml" => "F (Door.visits = 100)",
        _ => "<> (n == 100)",
    }
}

/// The states and transitions of the first line of an Aldebaran file.
fn size(aut: &str) -> (u64, u64) {
    let numbers: Vec<u64> = aut
        .lines()
        .next()
        .unwrap()
        .split(|c: char| !c.is_ascii_digit())
        .filter(|part| !part.is_empty())
        .map(|part| part.parse().unwrap())
        .collect();
    (numbers[2], numbers[1])
}

#[test]
fn sizes_are_those_of_a_raw_check() {
    let desk = desk();
    let examples = root().join("examples");
    let example = |name: &str| examples.join(name).display().to_string();
    for (model, options) in [
        ("small.pml".to_string(), &[][..]),
        ("small.pml".to_string(), &["-N", "counts"]),
        ("small.dve".to_string(), &[]),
        ("small.dve".to_string(), &["-a"]),
        ("small.esml".to_string(), &[]),
        (example("mutex-peterson.pml"), &["--ltl", "[] <> (critical == 1)"]),
        (example("dining-philosophers.mdve"), &[]),
        (example("mutex-peterson.esml"), &[]),
        (example("bank-transfer.pml"), &[]),
        (example("leader-election.pml"), &["--reach", "false"]),
    ] {
        let more = [&[&*model], options].concat();
        let check = run(&desk, "check --raw --all-errors --no-trail --format json", &more);
        let json = check.json();
        let counts = &json["properties"][0];
        let counts = if counts["states"].is_u64() { counts } else { &json };
        let aut = run(&desk, "graph --format aut", &more).expect(0).out;
        let want = (counts["states"].as_u64().unwrap(), counts["transitions"].as_u64().unwrap());
        assert_eq!(size(&aut), want, "{model} {options:?}\n{}", check.out);
    }
}

#[test]
fn large_graphs_are_refused_with_a_reason() {
    let desk = desk();
    let said = run(&desk, "graph large.pml", &["-o", "large.svg"]).expect(3);
    assert!(said.err.contains("the graph is too large: large.pml has more than 500 states"), "{}", said.err);
    assert!(said.err.contains("--max-states") && !desk.has("large.svg"), "{}", said.err);
    run(&desk, "graph small.pml --max-states 15", &[]).expect(3);
    run(&desk, "graph small.pml --max-states 16", &[]).expect(0);
}

#[test]
fn wrong_arguments_are_refused() {
    let desk = desk();
    desk.write("bad.aut", "des (0, 1, 1)\n(0, \"a\", 7)\n");
    desk.write("mine.svg", "my own picture");
    for (args, part) in [
        ("graph small.pml --project nothing", "no variable, process or channel is called `nothing`"),
        ("graph small.pml --project ,", "needs the name of a variable"),
        ("graph small.pml --format html", "--format html with --steps"),
        ("graph small.pml --steps dfs --format svg", "-o NAME.svg"),
        ("graph small.pml --steps dfs --format aut", "--steps goes with --format html or svg"),
        ("graph small.pml --project n --format aut", "--project goes with"),
        ("graph small.pml -o mine.svg", "there is such a file already; --force replaces it"),
        ("graph bad.aut", "bad.aut: line 2: there is no state 7"),
        ("graph missing.aut", "missing.aut"),
        ("graph bad.pml", "expected `)`"),
        ("graph small.pml --trail missing.json", "missing.json"),
        ("graph small.pml -N nothing", "no property `nothing`"),
        ("graph bad.aut --project x", "--project goes with models"),
        ("compare small.pml bad.aut", "line 2"),
        ("compare small.pml missing.pml", "missing.pml"),
    ] {
        let said = desk.run(args).expect(2);
        assert!(said.err.contains(part), "{args}: {}", said.err);
    }
    assert_eq!(desk.read("mine.svg"), "my own picture");
    desk.run("graph small.pml -o mine.svg --force").expect(0);
    assert!(desk.read("mine.svg").starts_with("<svg "));
    desk.run("graph small.pml -o mine.svg").expect(0);
}

#[test]
fn aldebaran_files_go_out_and_come_back() {
    let desk = desk();
    for model in ["small.pml", "small.dve", "small.esml", "second.pml"] {
        desk.run(&format!("graph {model} -o a.aut --force")).expect(0);
        let text = desk.read("a.aut");
        assert_eq!(desk.run("graph a.aut --format aut").expect(0).out, text, "{model}");
        for by in ["bisim", "branching", "trace"] {
            desk.run(&format!("compare {model} a.aut --by {by}")).expect(0);
            desk.run(&format!("graph {model} --minimise {by} -o small.aut --force")).expect(0);
            desk.run(&format!("compare {model} small.aut --by {by}")).expect(0);
            assert!(size(&desk.read("small.aut")).0 <= size(&text).0);
        }
    }
}

#[test]
fn differences_are_explained() {
    let desk = desk();
    desk.write("late.aut", "des (0, 3, 4)\n(0, \"coin\", 1)\n(1, \"tea\", 2)\n(1, \"coffee\", 3)\n");
    desk.write("early.aut", "des (0, 4, 5)\n(0, \"coin\", 1)\n(0, \"coin\", 2)\n(1, \"tea\", 3)\n(2, \"coffee\", 4)\n");
    let said = desk.run("compare late.aut early.aut").expect(1);
    let want = "late.aut (4 states, 3 transitions) and early.aut (5 states, 4 transitions) are not strongly bisimilar\n\
                true in the initial state of late.aut, false in that of early.aut:\n  \
                <\"coin\"> (<\"coffee\"> true && <\"tea\"> true)\n";
    assert_eq!(said.out, want);
    assert!(desk.run("compare late.aut early.aut --by trace").expect(0).out.contains("are trace equivalent"));
    let said = desk.run("compare early.aut late.aut --by trace --visible coffee,tea").expect(0);
    assert!(said.out.contains("are trace equivalent"), "{}", said.out);
    desk.write("none.aut", "des (0, 1, 2)\n(0, \"coin\", 1)\n");
    let said = desk.run("compare none.aut late.aut --by trace").expect(1);
    assert!(said.out.ends_with("late.aut has this trace, none.aut has not:\n  coin\n  tea\n"), "{}", said.out);
    let said = desk.run("compare late.aut early.aut --by branching").expect(1);
    assert!(said.out.contains(" U <\"coin\"> "), "{}", said.out);
}

/// Models that are alike step by step in the three languages have bisimilar graphs, whatever their statements are called.
#[test]
fn twins_are_bisimilar() {
    let desk = Desk::new();
    let twin = |ending: &str| root().join(format!("tests/twins/mutex.{ending}")).display().to_string();
    for (a, b) in [("pml", "mdve"), ("pml", "esml"), ("esml", "mdve")] {
        run(&desk, "compare --labels none", &[&twin(a), &twin(b)]).expect(0);
        run(&desk, "compare --labels none --by branching", &[&twin(a), &twin(b)]).expect(0);
    }
    run(&desk, "compare", &[&twin("pml"), &twin("mdve")]).expect(1);
}

#[test]
fn the_neighbourhood_of_a_counterexample() {
    let desk = desk();
    desk.run("check second.pml").expect(1);
    let json = desk.run("graph second.pml --trail second.trail.json --format json").expect(0).json();
    let states = json["states"].as_array().unwrap();
    let marked = states.iter().filter(|s| s["trail"] == true || s["error"] == "error").count();
    let (all, steps) = (states.len(), json["transitions"].as_array().unwrap().len());
    assert!(marked >= 5 && all > marked && steps >= all - 1, "{all} {marked} {steps}");
    let alone = desk.run("graph second.pml --trail second.trail.json --around 0 --format json").expect(0).json();
    assert!(alone["states"].as_array().unwrap().len() < all);
    let svg = desk.run("graph second.pml --trail second.trail.json --format svg").expect(0).out;
    assert!(svg.contains("arrow ink0 bold") && svg.contains(">counterexample<"), "{svg}");
    desk.write("other.pml", "active proctype p() { skip }");
    desk.run("graph other.pml --trail second.trail.json").expect(2);
}

#[test]
fn a_search_is_shown_step_by_step() {
    let desk = desk();
    let said = desk.run("graph small.pml --steps bfs -o s.svg").expect(0);
    let mut numbers: Vec<String> = fs::read_dir(&desk.dir)
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("s.") && name.ends_with(".svg"))
        .collect();
    numbers.sort();
    assert_eq!(numbers[0], "s.0000.svg");
    let last = numbers.last().unwrap();
    assert!(said.err.contains(last) && numbers.len() > 20, "{}", said.err);
    let picture = desk.read(last);
    assert!(picture.contains(" bad\"") && picture.contains("error: a failed assertion"), "{picture}");
    let first = desk.read("s.0000.svg");
    assert_eq!(first.matches("class=\"node ").count(), 16 + 5, "all states and five entries of the legend");
    assert!(first.contains("1 state stored") && !first.contains("error bad"), "{first}");
    let all = desk.run("graph small.pml --steps dfs --all-errors --format html").expect(0).out;
    let page = desk.run("graph small.pml --steps dfs --format html").expect(0).out;
    assert!(all.len() > page.len() && all.contains("16 states stored"));
    let outside = page.replace("http://www.w3.org/2000/svg", "");
    assert!(!outside.contains("http") && !outside.contains("url(") && !outside.contains(" src="));
}

/// Control characters in a model reach no output.
#[test]
fn control_characters_are_escaped() {
    let desk = desk();
    let model = "byte x;\nactive proctype P() { do :: x < 2 -> printf(\"\u{1b}[2J\u{9b}<b>&\u{202e}\\n\"); x++ od }\n";
    desk.write("rude.pml", model);
    for args in [
        "graph rude.pml --format svg",
        "graph rude.pml --format dot",
        "graph rude.pml --format json",
        "graph rude.pml --format aut",
        "graph rude.pml --format html --steps bfs",
        "list rude.pml",
        "list rude.pml --format json",
        "list rude.pml --format svg",
        "list rude.pml --ir",
    ] {
        let out = desk.run(args).expect(0).out;
        let bad = out.chars().find(|c| c.is_control() && *c != '\n' && *c != '\t' || *c == '\u{202e}');
        assert!(bad.is_none(), "{args}: {bad:?}");
        assert!(!args.contains("svg") || !out.contains("<b>"), "{out}");
        if args.contains("json") {
            serde_json::from_str::<serde_json::Value>(&out).unwrap();
        }
    }
    desk.run("graph rude.pml -o rude.aut").expect(0);
    desk.run("compare rude.pml rude.aut").expect(0);
}

#[test]
fn a_file_that_quotes_a_mark_is_kept() {
    let desk = desk();
    for text in [
        "My notes: a graph begins with\ndigraph kripke {\n",
        "<svg width=\"9\">\n<text>the mark is <!-- kripke --></text>\n</svg>\n",
        "<!-- kripke -->\n",
        "{ \"mine\": 1, \"kripke-graph\": 1 }\n",
    ] {
        desk.write("mine", text);
        for command in ["graph small.pml -o mine", "list small.pml -o mine"] {
            desk.run(command).expect(2);
            assert_eq!(desk.read("mine"), text, "{command}");
        }
    }
    for (command, name) in [
        ("graph small.pml --format dot", "a.dot"),
        ("graph small.pml --format svg", "a.svg"),
        ("graph small.pml --format json", "a.json"),
        ("graph small.pml --format html --steps bfs", "a.html"),
        ("list small.pml --format json", "b.json"),
        ("list small.pml --format svg --process Producer", "b.svg"),
    ] {
        desk.run(&format!("{command} -o {name}")).expect(0);
        desk.run(&format!("{command} -o {name}")).expect(0);
    }
    // A text does not tell who wrote it.
    for (command, name) in [("graph small.pml", "c.aut"), ("list small.pml", "c.txt")] {
        desk.run(&format!("{command} -o {name}")).expect(0);
        let said = desk.run(&format!("{command} -o {name}")).expect(2);
        assert!(said.err.contains(&format!("{name}: there is such a file already; --force")), "{}", said.err);
    }
}

#[test]
fn advice_names_options_of_the_command() {
    let desk = desk();
    let said = desk.run("compare small.pml small.pml --max-states 3").expect(3);
    assert!(said.err.contains("--max-states N allows more\n") && !said.err.contains("--project"), "{}", said.err);
    let said = desk.run("graph small.pml --max-states 3").expect(3);
    assert!(said.err.contains("--project"), "{}", said.err);
}
