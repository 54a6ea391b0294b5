//! Measuring: what is counted and compared, never how long it took.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::program::{Desk, Said};

fn run(desk: &Desk, args: &[&str]) -> Said {
    desk.command("bench").args(args).output().unwrap().into()
}

#[test]
fn a_line_for_each_model_and_set_of_options() {
    let desk = Desk::new();
    let sets = ["--with", "-j1", "--with", "--store tree --search dfs"];
    let said =
        run(&desk, &[&["peterson.pml", "second.pml"][..], &sets, &["--", "--all-errors", "--raw"]].concat()).expect(0);
    let lines: Vec<&str> = said.out.lines().collect();
    assert_eq!(lines.len(), 5, "{}", said.out);
    assert!(lines[0].starts_with("model         options "), "{}", lines[0]);
    assert!(lines[1].starts_with("peterson.pml  -j1 ") && lines[1].ends_with("  holds"), "{}", lines[1]);
    assert!(lines[2].starts_with("peterson.pml  --store tree --search dfs "), "{}", lines[2]);
    assert!(lines[4].starts_with("second.pml ") && lines[4].ends_with("  violated"), "{}", lines[4]);
    assert!(!desk.has("second.trail.json"), "measuring writes no trails");
    assert_eq!(said.err, "");
}

#[test]
fn all_figures_are_there_for_programs() {
    let desk = Desk::new();
    let args = ["second.pml", "--repeat", "3", "--format", "json", "--csv", "out.csv", "--", "--all-errors", "--raw"];
    let report = run(&desk, &args).expect(0).json();
    assert_eq!((&report["schema"], &report["repeat"], &report["problems"]), (&json!(1), &json!(3), &json!([])));
    let row = &report["results"][0];
    assert_eq!((&row["model"], &row["options"]), (&json!("second.pml"), &json!("")));
    assert_eq!((&row["states"], &row["transitions"], &row["errors"]), (&json!(36), &json!(64), &json!(4)));
    assert_eq!((&row["verdict"], &row["complete"]), (&json!("violated"), &json!(true)));
    assert_eq!((&row["speed"], &row["expected"]), (&json!(1.0), &Value::Null));
    let walls: Vec<f64> = row["seconds"]["walls"].as_array().unwrap().iter().map(|w| w.as_f64().unwrap()).collect();
    assert_eq!(walls.len(), 3);
    assert_eq!(row["seconds"]["wall"].as_f64().unwrap(), walls.iter().copied().fold(f64::INFINITY, f64::min));
    let table = desk.read("out.csv");
    assert!(table.starts_with("model,options,verdict,complete,states,transitions,errors,wall,cpu,"), "{table}");
    assert!(table.lines().nth(1).unwrap().starts_with("second.pml,,violated,true,36,64,4,"), "{table}");
}

#[test]
fn counts_are_compared_with_those_expected() {
    let desk = Desk::new();
    desk.write("good.tsv", "model\tstates\ttransitions\terrors\nsecond.pml\t36\t64\t4\npeterson.pml\t-\t-\t0\n");
    desk.write("bad.tsv", "second.pml\t36\t64\t4\npeterson.pml\t39\t-\t0\n");
    let said =
        run(&desk, &["second.pml", "peterson.pml", "--expect", "good.tsv", "--", "--all-errors", "--raw"]).expect(0);
    assert_eq!(said.out.matches('✓').count(), 2, "{}", said.out);
    let said =
        run(&desk, &["second.pml", "peterson.pml", "--expect", "bad.tsv", "--", "--all-errors", "--raw"]).expect(1);
    assert!(said.out.lines().nth(2).unwrap().contains('✗'), "{}", said.out);
    assert!(said.err.contains("but 39 states, 0 errors are expected"), "{}", said.err);
    let said = run(&desk, &["hello.pml", "--expect", "good.tsv"]).expect(0);
    assert!(said.err.contains("hello.pml: no counts are expected"), "{}", said.err);
}

#[test]
fn only_what_must_count_alike_is_compared() {
    let desk = Desk::new();
    desk.write("sized.pml", "#ifndef N\n#define N 2\n#endif\nbyte n;\nactive proctype p() { do :: n < N -> n++ od }\n");
    run(&desk, &["sized.pml", "--with", "-DN=3", "--with", "-DN=7", "--", "-E"]).expect(0);
    // Stopped at the first error, each in its own order.
    run(&desk, &["second.pml", "--with", "--search bfs", "--with", "--search dfs", "--", "--raw"]).expect(0);
    // Moves are left out, each in its own order.
    run(&desk, &["second.pml", "--with", "--search bfs", "--with", "--search dfs", "--", "--all-errors"]).expect(0);
}

#[test]
fn an_incomplete_search_is_no_measurement() {
    let said = run(&Desk::new(), &["endless.pml", "hello.pml", "--with", "--max-states 1000"]).expect(3);
    assert!(said.out.contains("inconclusive (max_states)"), "{}", said.out);
    assert!(said.out.lines().nth(2).unwrap().starts_with("hello.pml"), "{}", said.out);
    assert!(
        said.err.contains("endless.pml --max-states 1000: the search was not complete: max_states"),
        "{}",
        said.err
    );
}

#[test]
fn bad_input_is_refused() {
    let desk = Desk::new();
    desk.write("bad.tsv", "hello.pml\t1\tmany\t0\n");
    for (args, complaint) in [
        (&["hello.pml", "--with", "--stoer tree"][..], "options `--stoer tree`: unexpected argument '--stoer' found"),
        (&["hello.pml", "--with", "other.pml"], "`other.pml` is not an option"),
        (&["hello.pml", "--with", "-D'N"], "a quote is not closed"),
        (&["hello.pml", "--", "--format", "json"], "--format belongs to bench itself"),
        (&["hello.pml", "--expect", "bad.tsv"], "bad.tsv:1: `many` is neither a number nor `-`"),
        (&["hello.pml", "--expect", "none.tsv"], "none.tsv: there is no such file"),
        (&["hello.pml", "--repeat", "0"], "--repeat"),
        (&["hello.pml", "--csv", "no/such/dir.csv"], "can't write no/such/dir.csv: there is no such directory"),
    ] {
        let said = run(&desk, args).expect(2);
        assert!(said.err.contains(complaint), "{args:?}: {}", said.err);
    }
}

#[test]
fn an_unreadable_model_does_not_stop_the_others() {
    let said = run(&Desk::new(), &["bad.pml", "hello.pml", "--with", "-j1", "--with", "-j2"]).expect(2);
    assert!(said.err.contains("bad.pml:1"), "{}", said.err);
    assert_eq!(said.err.matches("-->").count(), 1, "told once: {}", said.err);
    let lines: Vec<&str> = said.out.lines().collect();
    assert!(lines[1].starts_with("bad.pml") && lines[1].ends_with("not readable"), "{}", said.out);
    assert!(lines[4].starts_with("hello.pml"), "{}", said.out);
}

#[cfg(unix)]
#[test]
fn an_interrupt_keeps_what_was_measured() {
    use std::process::{Command, Stdio};
    use std::time::Duration;

    let desk = Desk::new();
    let child = desk
        .command("bench hello.pml endless.pml --format json -- --mem 1G")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(500));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let said: Said = child.wait_with_output().unwrap().into();
    let report = said.expect(3).json();
    assert_eq!(report["results"].as_array().unwrap().len(), 1);
    assert!(report["problems"][0].as_str().unwrap().starts_with("interrupted"), "{report}");
}

/// The models that `bench/` scales up, in their small sizes.
#[test]
fn the_models_we_measure_count_as_recorded() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/models");
    let table = fs::read_to_string(folder.join("expected.tsv")).unwrap();
    let mut checked = 0;
    for line in table.lines().filter(|line| !line.starts_with('#')).skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let counts: Vec<u64> = cells[2..5].iter().map(|cell| cell.parse().unwrap()).collect();
        if counts[0] > 250_000 {
            continue;
        }
        let model = folder.join(cells[0]);
        let options = format!("check {} --raw --all-errors --format json {}", model.display(), cells[1]);
        let report = Desk::new().run(&options).expect(0).json();
        let found =
            [&report["states"], &report["transitions"], &report["errors"]["assertion"]].map(|n| n.as_u64().unwrap());
        assert_eq!(found[..], counts, "{line}");
        checked += 1;
    }
    assert!(checked >= 5, "only {checked} models are small enough");
}

/// A catalogue with models in three languages.
fn catalogue(desk: &Desk, folder: &str) {
    let examples = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    std::fs::create_dir(desk.path(folder)).unwrap();
    let table = std::fs::read_to_string(examples.join("expected.tsv")).unwrap();
    let names = ["mutex-peterson.pml", "mutex-peterson.dve", "mutex-peterson.esml", "bank-transfer.pml"];
    let rows = table.lines().filter(|row| names.iter().any(|name| row.starts_with(&format!("{name}\t"))));
    let rows: Vec<&str> = rows.collect();
    assert_eq!(rows.len(), names.len());
    desk.write(&format!("{folder}/expected.tsv"), rows.join("\n") + "\n");
    for name in names {
        std::fs::copy(examples.join(name), desk.path(&format!("{folder}/{name}"))).unwrap();
    }
}

#[test]
fn a_catalogue_has_characteristics_and_expected_counts() {
    let desk = Desk::new();
    catalogue(&desk, "models");
    let said = desk.run("bench models --characteristics --csv c.csv").expect(0);
    assert_eq!(said.out.lines().count(), 5, "{}", said.out);
    let row = said.out.lines().find(|line| line.starts_with("models/mutex-peterson.pml ")).unwrap();
    let cells: Vec<&str> = row.split_whitespace().skip(1).collect();
    assert_eq!(cells, ["38", "64", "23", "10", "6", "8", "1", "38", "18", "1.68", "10.00"]);
    assert!(desk.read("c.csv").contains("\n\"models/mutex-peterson.dve\",true,38,64,"), "{}", desk.read("c.csv"));
    let table = desk.read("models/expected.tsv").replace("\t38\t64\t", "\t39\t64\t");
    desk.write("models/expected.tsv", table);
    let wrong = desk.run("bench models --characteristics").expect(1);
    assert!(wrong.err.contains("mutex-peterson.pml: the counts are not those of the catalogue"), "{}", wrong.err);
}

#[test]
fn models_are_selected_by_characteristics() {
    let desk = Desk::new();
    catalogue(&desk, "models");
    let said = desk.run("bench models --where states>1000 -- --raw --all-errors").expect(0);
    let models: Vec<&str> = said.out.lines().skip(1).filter_map(|row| row.split_whitespace().next()).collect();
    assert_eq!(models, ["models/bank-transfer.pml"]);
    let said = desk.run("bench models --characteristics --where states<1000&&components>1 --format json").expect(0);
    assert_eq!(said.json().as_array().unwrap().len(), 1);
    desk.run("bench models --where size>3").expect(2);
    std::fs::create_dir(desk.path("empty")).unwrap();
    desk.run("bench empty --characteristics").expect(2);
}

#[test]
fn a_condition_may_be_about_texts() {
    let desk = Desk::new();
    catalogue(&desk, "models");
    let said = desk.run("bench models --characteristics --where language=dve||back_edges=0 --format json").expect(0);
    let models: Vec<String> =
        said.json().as_array().unwrap().iter().map(|m| m["model"].as_str().unwrap().to_string()).collect();
    assert_eq!(models, ["models/bank-transfer.pml", "models/mutex-peterson.dve"]);
}

/// A catalogue with parameters and properties. The counts are SPIN's.
const TABLE: &str = "model\tparameters\tproperty\tstates\tresult\n\
                     sized.pml\t-DN=3\t-\t14\tinvalid-end-state\n\
                     sized.pml\t-DN=5\t-\t22\tinvalid-end-state\n\
                     sized.pml\t-DN=5\t--ltl '<> (n == 5)'\t-\tviolated\n\
                     sized.pml\t-DN=5\t--ltl '<> (n == 5)' -f\t-\tholds\n\
                     wrong.pml\t-\t-\t-\trejected\n";
const SIZED: &str = "#ifndef N\n#define N 2\n#endif\nbyte n; bit b;\nactive proctype p() { do :: n < N -> n++ od }\n\
                     active proctype q() { do :: b = 1 - b od }\n";

fn sized(table: &str) -> Desk {
    let desk = Desk::new();
    std::fs::create_dir(desk.path("c")).unwrap();
    desk.write("c/expected.tsv", table);
    // `q` moves for ever, so `p` in its last location is no invalid end state.
    desk.write("c/sized.pml", SIZED);
    desk.write("c/wrong.pml", "active proctype p() { x = 1 }\n");
    desk
}

#[test]
fn rows_have_parameters_properties_and_results() {
    let table = TABLE.replace("invalid-end-state", "ok");
    let desk = sized(&table);
    let report = desk.run("bench c --format json --plot p.svg -- --raw --all-errors").expect(0).json();
    let results = report["results"].as_array().unwrap();
    let verdicts: Vec<&str> = results.iter().map(|r| r["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts, ["holds", "holds", "violated", "holds"]);
    assert!(results.iter().all(|row| row["expected"] == json!(true)), "{report}");
    assert_eq!((&results[2]["parameters"], &results[2]["property"]), (&json!("-DN=5"), &json!("--ltl '<> (n == 5)'")));
    let plots = desk.read("p.svg");
    assert!(plots.contains("states per second") && plots.contains("<circle"), "{plots}");
    // With reductions only results are compared; another question has no expected result.
    let said = desk.run("bench c --with -E --with -DN=1").expect(0);
    assert!(said.out.contains("rejected, as expected"), "{}", said.out);
}

#[test]
fn wrong_results_are_named() {
    let desk = sized(TABLE);
    let said = desk.run("bench c").expect(1);
    assert!(
        said.err.contains("c/sized.pml -DN=3: holds, but expected is violated (invalid-end-state)"),
        "{}",
        said.err
    );
    let desk = sized(&TABLE.replace("invalid-end-state", "ok").replace("\t14\t", "\t15\t"));
    let said = desk.run("bench c -- --raw --all-errors").expect(1);
    assert!(said.err.contains("c/sized.pml -DN=3: 14 states, "), "{}", said.err);
    assert!(said.err.contains("but 15 states are expected"), "{}", said.err);
    let desk = sized("model\tproperty\nsized.pml\t--ltk x\n");
    let said = desk.run("bench c").expect(2);
    assert!(said.err.contains("c/expected.tsv:2: unexpected argument '--ltk'"), "{}", said.err);
}

#[test]
fn our_table_of_properties_is_right() {
    let desk = Desk::new();
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/properties.tsv");
    let report = desk.run(&format!("bench {} --format json", table.display())).expect(0).json();
    let results = report["results"].as_array().unwrap();
    assert!(results.len() >= 10 && results.iter().all(|row| row["expected"] == json!(true)), "{report}");
}

#[test]
fn spin_is_measured_side_by_side_and_agrees() {
    if !kripke_tests::spin::installed() {
        return;
    }
    let desk = sized(&TABLE.replace("invalid-end-state", "ok"));
    let peer = ["c", "--peer", "spin -DNOREDUCE -o1 -o2 -o3 -c0", "--format", "json", "--", "--raw", "--all-errors"];
    let report = run(&desk, &peer).expect(0).json();
    let results = report["results"].as_array().unwrap();
    let tools: Vec<&str> = results.iter().map(|r| r["tool"].as_str().unwrap()).collect();
    assert_eq!(tools, ["kripke", "spin"].repeat(4));
    assert!(results.iter().all(|row| row["expected"] == json!(true)), "{report}");
    for pair in results.chunks(2) {
        assert_eq!(pair[0]["verdict"], pair[1]["verdict"], "{report}");
    }
    assert_eq!(results[0]["states"], results[1]["states"]);
    assert!(results[1]["seconds"]["preparation"].as_f64().unwrap() > 0.0);
    run(&desk, &["c", "--peer", "nusmv"]).expect(2);
}
