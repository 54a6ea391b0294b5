//! `kripke fmt`.

use std::fs;

use crate::program::Desk;

const UGLY: &str = "active proctype P(){byte x=1;\n\n\n  do::x<3->x++ /* more */\n:: else->break\nod}\n";
const TIDY: &str = "active proctype P() { byte x = 1;\n\n\tdo :: x<3 -> x++ /* more */\n\t:: else -> break\n\tod }\n";

#[test]
fn files_are_formatted_in_place() {
    let desk = Desk::new();
    fs::write(desk.path("ugly.pml"), UGLY).unwrap();
    let said = desk.run("fmt ugly.pml");
    assert_eq!((said.status, said.out.as_str(), said.err.as_str()), (0, "", ""));
    assert_eq!(desk.read("ugly.pml"), TIDY);
    assert_eq!(desk.run("fmt --check ugly.pml").status, 0);
}

#[test]
fn check_names_the_files_and_writes_nothing() {
    let desk = Desk::new();
    fs::write(desk.path("ugly.pml"), UGLY).unwrap();
    fs::write(desk.path("tidy.pml"), TIDY).unwrap();
    let said = desk.run("fmt --check tidy.pml ugly.pml");
    assert_eq!((said.status, said.out.as_str()), (1, "not formatted: ugly.pml\n"));
    assert_eq!(desk.read("ugly.pml"), UGLY);
}

#[test]
fn standard_input_goes_to_standard_output() {
    let desk = Desk::new();
    let said = desk.talk("fmt -", UGLY);
    assert_eq!((said.status, said.out.as_str()), (0, TIDY));
    let said = desk.talk("fmt - --lang dve", "byte x=0;system async;");
    assert_eq!((said.status, said.out.as_str()), (0, "byte x = 0; system async;\n"));
}

#[test]
fn bad_input_is_refused() {
    let desk = Desk::new();
    let said = desk.run("fmt nothing.pml");
    assert_eq!(said.status, 2);
    assert!(said.err.contains("can't read nothing.pml"), "{}", said.err);
    fs::write(desk.path("binary.pml"), [0xff, 0xfe, 0]).unwrap();
    assert_eq!(desk.run("fmt binary.pml").status, 2);
    assert_eq!(fs::read(desk.path("binary.pml")).unwrap(), [0xff, 0xfe, 0]);
}

/// Counts of models without reductions, before and after.
#[test]
fn counts_stay_the_same() {
    let desk = Desk::new();
    let examples = kripke_tests::places::root().join("examples");
    for name in ["mutex-naive.pml", "token-ring.pml", "mutex-peterson.dve", "dining-philosophers.mdve", "fairness.esml"]
    {
        let text = fs::read_to_string(examples.join(name)).unwrap();
        let squeezed: String = text.lines().map(|line| format!("{}\n", line.trim_start())).collect();
        fs::write(desk.path(name), &squeezed).unwrap();
        let count = || {
            let said = desk.run(&format!("check {name} --raw --all-errors --no-trail --format json"));
            let result: serde_json::Value = serde_json::from_str(&said.out).unwrap();
            (result["states"].clone(), result["transitions"].clone(), result["errors"].clone())
        };
        let before = count();
        assert_eq!(desk.run(&format!("fmt {name}")).status, 0);
        assert!(name.ends_with("mdve") || desk.read(name) != squeezed, "{name}: nothing was formatted");
        assert_eq!(count(), before, "{name}");
    }
}
