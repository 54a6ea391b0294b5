//! Simulation: the same seed, the same run.

use crate::program::Desk;

#[test]
fn a_seed_names_a_run() {
    let desk = Desk::new();
    for format in ["table", "list"] {
        let run = |seed: u32| desk.run(&format!("simulate choose.pml --seed {seed} --format {format}")).expect(0).out;
        assert_eq!(run(1), run(1));
        assert!((2..20).any(|seed| run(seed) != run(1)));
    }
}

#[test]
fn a_seed_nobody_chose_is_told() {
    let desk = Desk::new();
    let said = desk.run("simulate choose.pml").expect(0);
    let (_, seed) = said.out.trim_end().rsplit_once("--seed ").unwrap();
    let again = desk.run(&format!("simulate choose.pml --seed {seed}")).expect(0);
    let table = |text: &str| text.lines().take_while(|l| !l.is_empty()).map(String::from).collect::<Vec<_>>();
    assert_eq!(table(&said.out), table(&again.out));
}

#[test]
fn output_of_the_model_is_shown() {
    let desk = Desk::new();
    let said = desk.run("simulate hello.pml --quiet --seed 1").expect(0);
    assert_eq!(said.out, "hello 2\nbye 1\n");
    for format in ["table", "list"] {
        let out = desk.run(&format!("simulate hello.pml --format {format} --seed 1")).expect(0).out;
        assert!(out.contains("hello 2\n") && out.contains("bye 1\n"), "{out}");
        assert!(out.contains("ended after 4 steps"), "{out}");
    }
}

#[test]
fn lists_look_as_they_always_did() {
    let said = Desk::new().run("simulate hello.pml -p -n1").expect(0);
    let first = said.out.lines().next().unwrap();
    assert!(first.starts_with("  1:\tproc  0 (greeter:1) hello.pml:3 (state "), "{first}");
    assert!(first.ends_with("\t[printf('hello %d\\n',n)]") || first.contains("[printf("), "{first}");
}

#[test]
fn runs_stop_for_a_reason() {
    let desk = Desk::new();
    assert!(desk.run("simulate endless.pml --steps 50").expect(0).out.contains("stopped after 50 steps"));
    assert!(desk.run("simulate fault.pml").expect(1).out.contains("✗ index out of range"));
    assert!(desk.run("simulate stuck.pml").expect(1).out.contains("✗ invalid end state"));
    assert!(desk.run("simulate define.pml -DN=9").expect(1).out.contains("✗ assertion violated"));
}

#[test]
fn a_person_can_choose_go_back_and_look_around() {
    let desk = Desk::new();
    let said = desk.talk("simulate second.pml --interactive", "1\n2\nb\nv\nc\nj 0\n9\nwhat\n?\nt\nq\n").expect(0);
    for part in [
        "step 0\n   1  q  !wantp   second.pml:18\n   2  p  !wantq   second.pml:7\n> 1\n",
        "step 1  q  !wantp\n",
        "step 2  p  !wantq\n",
        "*  2  p  !wantq ",
        "  global  wantp = 0  wantq = 0  critical = 0\n",
        "  q       at second.pml:19\n",
        "  there are no channels\n",
        "  there is no move 9\n",
        "  unknown command",
        "  b [N]      back by one step",
        "  #  process  line  statement   wantp wantq critical\n  0 ",
    ] {
        assert!(said.out.contains(part), "{part}\n---\n{}", said.out);
    }
}

#[test]
fn a_person_can_reach_the_error() {
    let desk = Desk::new();
    let said = desk.talk("simulate stuck.pml -i", "\n\n\nc\nv").expect(0);
    assert!(said.out.contains("✗ invalid end state"), "{}", said.out);
    assert!(said.out.contains("  there: [] (0 of 1)\n  back: rendezvous\n"), "{}", said.out);
}

#[test]
fn values_that_the_run_cuts_are_told() {
    let desk = Desk::new();
    let text = "byte n = 300;\nbyte m = 255;\nproctype R(byte k) { skip }\nactive proctype P() {\n  run R(256);\n  m++;\n  m = 1000\n}\n";
    desk.write("cut.pml", text);
    let constants = "warning: cut.pml:1: the value 300 is cut to 44: n holds 0 to 255
warning: cut.pml:5: run R(256): the value 256 is cut to 0: k holds 0 to 255
";
    let first = "warning: cut.pml:6: m++: the value 256 is cut: m holds 0 to 255\n";
    for format in ["table", "list"] {
        let said = desk.run(&format!("simulate cut.pml --seed 1 --format {format}")).expect(0);
        assert_eq!(said.err, format!("{constants}{first}"));
    }
    for args in ["simulate cut.pml --overflow error --seed 1", "check cut.pml --overflow error"] {
        assert_eq!(desk.run(args).expect(1).err, constants, "{args}");
    }
    for args in ["--overflow wrap", "--steps 0 --overflow wrap"] {
        assert_eq!(desk.run(&format!("simulate cut.pml --seed 1 {args}")).expect(0).err, "", "{args}");
    }
    assert!(!desk.run("simulate cut.pml --seed 1 -q").expect(0).err.contains("is cut"));
    assert_eq!(desk.run("simulate cut.pml --seed 1 --steps 1").expect(0).err, constants, "nothing was stored yet");
    assert_eq!(desk.talk("simulate cut.pml -i --seed 1", "q").expect(0).err, constants);
    desk.write("other.pml", "byte m;\nactive proctype P() { if :: m = 7 :: m = m - 1 fi }\n");
    let told = |seed: u32| {
        let said = desk.run(&format!("simulate other.pml --seed {seed}")).expect(0);
        assert_eq!(said.err.contains("is cut"), said.out.contains("m = m-1"), "{}{}", said.out, said.err);
        said.err.contains("is cut")
    };
    assert!((1..20).any(told) && !(1..20).all(told));
}
