//! Values that do not fit into their variable.

use kripke_tests::spin;

use crate::program::Desk;

const MODEL: &str = "byte n = 300;
byte m = 254;
short s;
chan q = [2] of { byte, bit };
byte arr[2];
active proctype P() {
  byte l = 257;
  m++;
  m = m + 1;
  q!300,1;
  run R(256)
}
proctype R(byte k) { skip }
";

#[test]
fn the_first_place_and_all_constants_are_told() {
    let desk = Desk::new();
    desk.write("o.pml", MODEL);
    let said = desk.run("check o.pml").expect(0);
    let expected = "warning: o.pml:1: the value 300 is cut to 44: n holds 0 to 255
warning: o.pml:7: the value 257 is cut to 1: l holds 0 to 255
warning: o.pml:10: q!300,1: the value 300 is cut to 44: field 1 of q holds 0 to 255
warning: o.pml:11: run R(256): the value 256 is cut to 0: k holds 0 to 255
warning: o.pml:9: m = m+1: the value 256 is cut: m holds 0 to 255
";
    assert_eq!(said.err, expected);
    let report = desk.run("check o.pml --format json").expect(0).json();
    assert_eq!((&report["cut"][4]["line"], &report["cut"][4]["file"]), (&9.into(), &"o.pml".into()));
    assert_eq!(desk.run("check o.pml --overflow wrap").expect(0).err, "");
    assert_eq!(desk.run("check o.pml -q").expect(0).err, "");
}

#[test]
fn what_cannot_happen_is_not_told() {
    let desk = Desk::new();
    desk.write("fits.pml", "byte n; bit b; short s;\nactive proctype P() { do :: n < 255 -> n++; b = 1 - b; s = n * 100 :: else -> n = 0 od }\n");
    for args in ["", "--raw", "--engine interpret", "--overflow error"] {
        assert_eq!(desk.run(&format!("check fits.pml {args}")).expect(0).err, "", "{args}");
    }
    desk.write(
        "dve.dve",
        "byte x;\nprocess P { state a; init a; trans a -> a { effect x = x + 1; }; }\nsystem async;\n",
    );
    let said = desk.run("check dve.dve").expect(1);
    assert_eq!(said.err, "", "a fault is no warning");
}

#[test]
fn overflow_can_be_an_error() {
    let desk = Desk::new();
    desk.write("o.pml", MODEL);
    for args in ["", "--raw", "--engine interpret", "--search dfs"] {
        let said = desk.run(&format!("check o.pml --overflow error {args}")).expect(1);
        let line = "✗ value out of range (m holds 0 to 255, the value is 256): m = m+1   o.pml:9     ";
        assert!(said.out.starts_with(line), "{}", said.out);
        let again = desk.run("replay o.pml").expect(1);
        assert!(again.out.contains("✗ value out of range (m holds 0 to 255, the value is 256)"), "{}", again.out);
    }
    let said = desk.run("simulate o.pml --overflow error --seed 1").expect(1);
    assert!(said.out.contains("✗ value out of range (m holds"), "{}", said.out);
    desk.write("receive.pml", "chan q = [1] of { int };\nbyte n;\nactive proctype P() { q!1000; q?n }\n");
    assert_eq!(
        desk.run("check receive.pml").expect(0).err,
        "warning: receive.pml:3: q?n: the value 1000 is cut: n holds 0 to 255\n"
    );
    desk.run("check receive.pml --overflow error").expect(1);
}

#[test]
fn fields_of_messages_overflow() {
    let desk = Desk::new();
    let field = "value out of range (field 2 of q holds 0 to 255)";
    for (name, capacity) in [("buffered.pml", 2), ("rendezvous.pml", 0)] {
        let text = "int n = 254;\nactive proctype P() { q!1,n; n++; q!n,n }\nactive proctype Q() { int a, b; do :: q?a,b od }\n";
        desk.write(name, format!("chan q = [{capacity}] of {{ short, byte }};\n{text}"));
        desk.run(&format!("check {name} --no-end-states --overflow error")).expect(0);
        desk.write(name, desk.read(name).replace("n++", "n = n + 2"));
        desk.run(&format!("check {name} --no-end-states --overflow wrap")).expect(0);
        for args in ["", "--raw", "--engine interpret"] {
            let said = desk.run(&format!("check {name} --no-end-states --overflow error {args}")).expect(1);
            assert!(said.out.starts_with(&format!("✗ {field}")), "{name} {args}: {}", said.out);
        }
        let said = desk.run(&format!("simulate {name} --overflow error --seed 1")).expect(1);
        assert!(said.out.contains(field), "{}", said.out);
    }
}

/// SPIN's simulator reports each cut value: of a model with one run, the first assignment it names is ours.
#[test]
fn the_first_place_is_that_of_spin() {
    if !spin::installed() {
        assert!(std::env::var_os("KRIPKE_CI").is_none(), "SPIN is missing");
        return;
    }
    let desk = Desk::new();
    for (i, body) in [
        "m = 255; m = m + 1",
        "short s; s = 32767; s++; m = 1",
        "bit b; b = 1; b++; m = 300",
        "int i; i = 70000; m = i - 69800; m = i",
        "m = 0; m--",
        "chan c = [1] of { int }; c!999; c?m",
    ]
    .iter()
    .enumerate()
    {
        let lines = body.replace("; ", ";\n");
        desk.write("m.pml", format!("byte m;\nactive proctype P() {{\n{lines}\n}}\n"));
        let theirs = std::process::Command::new("spin").arg("-T").arg("m.pml").current_dir(&desk.dir).output().unwrap();
        let theirs = String::from_utf8(theirs.stdout).unwrap();
        let theirs = theirs
            .lines()
            .find(|line| line.contains("truncated in assignment"))
            .map(|line| line.split_once("m.pml:").and_then(|(_, rest)| rest.split(',').next()).unwrap().to_string());
        let said = desk.run("check m.pml --no-slicing");
        let ours =
            said.err.lines().find(|line| line.contains("is cut: ")).map(|line| {
                line.split_once("m.pml:").and_then(|(_, rest)| rest.split(':').next()).unwrap().to_string()
            });
        assert!(theirs.is_some(), "{i}");
        assert_eq!(ours, theirs, "{i}: {body}");
    }
}
