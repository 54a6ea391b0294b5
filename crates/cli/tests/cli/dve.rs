//! DVE through the whole program: the same screens, trails and results as for any language.

use crate::program::Desk;

const MODEL: &str = "byte x;
process up { state a, b; init a; trans a -> b { guard x < 2; effect x = x + 1; }, b -> a { }; }
process down { state a; init a; trans a -> a { guard x > 0; effect x = x - 1; }; }
system async;
";

#[test]
fn a_model_is_checked_asked_and_replayed() {
    let desk = Desk::new();
    desk.write("m.dve", MODEL);
    desk.run("m.dve").expect(0);
    desk.run("m.dve --reach y").expect(2);
    desk.write("n.dve", MODEL.replace("x < 2", "x < 300"));
    let fault = desk.run("n.dve").expect(1);
    assert!(fault.out.contains("value out of range (x holds 0 to 255, the value is 256)"), "{}", fault.out);
    let again = desk.run("replay n.dve").expect(1);
    assert!(again.out.contains("value out of range"), "{}", again.out);
    let found = desk.run("m.dve --reach up.b --format json").expect(1).json();
    assert_eq!(found["language"], "dve");
    assert_eq!(found["findings"][0]["steps"], 1);
    let run = desk.run("simulate m.dve --seed 1 --steps 3").expect(0);
    assert!(run.out.contains("a -> b guard x < 2; effect x = x + 1;"), "{}", run.out);
}

#[test]
fn the_language_goes_by_the_ending_or_by_option() {
    let desk = Desk::new();
    desk.write("model", MODEL);
    desk.run("check model").expect(2);
    desk.run("check model --lang dve").expect(0);
    desk.write("m.mdve", MODEL.replace("x < 2", "x < N").replace("byte x;", "default(`N', 2)byte x;"));
    let states =
        |args: &str| desk.run(&format!("m.mdve --format json --raw {args}")).expect(0).json()["states"].clone();
    assert_eq!((states(""), states("-DN=5")), (6.into(), 12.into()));
    let warned = desk.run("m.mdve --lang promela").expect(2);
    assert!(warned.err.contains("m.mdve:1"), "{}", warned.err);
}

#[test]
fn a_model_is_combined_with_properties() {
    let desk = Desk::new();
    desk.write("m.dve", MODEL);
    desk.write("p.ltl", "#define some x > 0\n#property G F some\n#property G (some -> F !some)\n");
    let said = desk.run("combine m.dve p.ltl").expect(0);
    assert_eq!(said.out, "written: m.prop1.dve   G F some\nwritten: m.prop2.dve   G (some -> F !some)\n");
    desk.run("m.prop1.dve").expect(0);
    desk.run("m.prop2.dve").expect(1);
    desk.write("bad.ltl", "#property G zork\n");
    assert!(desk.run("combine m.dve bad.ltl").expect(2).err.contains("`zork` is not declared"));
    desk.write("worse.ltl", "\nG x\n");
    assert!(desk.run("combine m.dve worse.ltl").expect(2).err.contains("worse.ltl:2"));
    desk.write("m.mltl", "#define some x > eval(N - 1)\n#property G !some\n");
    desk.run("combine m.dve m.mltl -DN=3").expect(0);
    assert!(std::fs::read_to_string(desk.path("m.prop1.dve")).unwrap().contains("guard (x > 2)"));
}
