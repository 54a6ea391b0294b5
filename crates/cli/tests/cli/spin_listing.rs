//! Runs in SPIN's format: `spin -t` along a trail of real SPIN, compared with real SPIN line by line, and simulations of models with
//! one run.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use kripke_tests::spin;
use tempfile::TempDir;

/// Models with an error behind sends, receives, rendezvous, polls, records, arrays, created processes and output.
const MODELS: [(&str, &str); 4] = [
    (
        "queues.pml",
        "mtype = { req, ack };\nchan q = [2] of { mtype, byte };\nchan r = [0] of { byte };\nbyte x; bool f; int a[2];\n\
         active proctype P() { byte i = 1; do :: i < 3 -> q!req(i); i++ :: else -> break od; r!7; x = 5; a[1] = 3; assert(x == 4) }\n\
         active proctype Q() { byte v, w; q?req(v); printf(\"got %d\\n\", v); q?req(v); r?w; f = 1; w = 2 }\n",
    ),
    (
        "arrays.pml",
        "typedef T { byte u; int w[2] };\nT arr[2]; chan cs[3] = [1] of { byte };\nproctype C(chan c) { c!1 }\n\
         init { byte i; arr[1].u = 3; i = 2; run C(cs[i]); cs[1]!4; cs[i]?i; cs[1]?<i>; cs[1]??[4]; assert(0) }\n",
    ),
    (
        "records.pml",
        "typedef T { byte u; int w[2] };\nbyte x; chan q = [1] of { T };\n\
         active proctype P() { T t; byte z; t.u = 1; z = 2; z = 2; x++; t.w[1] = 4; q!t; end: q?t; printf(\"a\\nb\\n\"); assert(false) }\n",
    ),
    (
        "jumps.pml",
        "byte x; byte y;\nactive proctype A() { do :: atomic { x < 3 -> x++; if :: x == 2 -> goto out :: else fi } od; out: x = 9; y = x }\n\
         active proctype B() { d_step { y = 1; x = x + 0 }; (x == 9); assert(y != 9) }\n",
    ),
];

/// What is shown.
const OPTIONS: [&str; 14] = [
    "-p",
    "-p -g",
    "-p -l",
    "-s",
    "-r",
    "-s -r",
    "-c",
    "-c -s",
    "-g",
    "-l",
    "-p -g -l -s -r",
    "-p -T -B",
    "-j3 -p -g",
    "-u4 -p",
];

/// The model, the options of the verifier and of the listing that differ, and the reason.
const DIFFERENT: [(&str, &str, &str, &str); 1] =
    [("jumps.pml", "", "-u4 -p", "the last state is that behind jumps which SPIN has not executed yet")];

fn shell(folder: &Path, command: &str) -> String {
    let mut shell = Command::new("timeout");
    shell.args(["60", "sh", "-c", command]).current_dir(folder).stdin(Stdio::null());
    let said = shell.output().expect("a shell can be run");
    // SPIN compares the times of files, which have whole seconds for it.
    let is_wanted = |line: &&str| !line.contains(" is newer than ");
    String::from_utf8_lossy(&said.stdout).split_inclusive('\n').filter(is_wanted).collect()
}

#[test]
fn trails_are_shown_as_spin_shows_them() {
    if !spin::installed() {
        return;
    }
    let mut wrong = Vec::new();
    for (name, text) in MODELS {
        for merging in ["", "-o1 -o2 -o3"] {
            let temporary = TempDir::with_prefix("kripke-listing-").expect("a folder can be made");
            let folder = temporary.path();
            fs::write(folder.join(name), text).expect("the model can be written");
            shell(folder, &format!("spin -a {merging} {name} && gcc -w -o pan pan.c && ./pan"));
            assert!(folder.join(format!("{name}.trail")).exists(), "{name} has an error");
            for options in OPTIONS {
                let theirs = shell(folder, &format!("spin -t {options} {name}"));
                let ours = shell(folder, &format!("{} spin -t {options} {name}", env!("CARGO_BIN_EXE_kripke")));
                assert!(theirs.contains("spin: trail ends after"), "{name} {options}: {theirs}");
                let listed = DIFFERENT.iter().any(|(m, v, o, _)| (*m, *v, *o) == (name, merging, options));
                if (theirs != ours) != listed {
                    wrong.push(format!("{name} {merging} {options}\nSPIN:\n{theirs}\nours:\n{ours}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_claim_is_shown_where_it_moves() {
    if !spin::installed() {
        return;
    }
    let temporary = TempDir::with_prefix("kripke-listing-").expect("a folder can be made");
    let folder = temporary.path();
    let text = "byte x;\nactive proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }\n\
                never { T0: do :: (x == 2) -> break :: true od;\naccept: do :: true od }\n";
    fs::write(folder.join("m.pml"), text).expect("the model can be written");
    shell(folder, "spin -a m.pml && gcc -w -o pan pan.c && ./pan -a");
    let lines = |command: &str| -> Vec<String> {
        let said = shell(folder, command);
        // The last state of the claim is not shown by Kripke.
        said.lines().filter(|line| !line.contains("proc  - (")).map(String::from).collect()
    };
    let theirs = lines("spin -t -p -g m.pml");
    assert!(theirs.iter().any(|line| line.starts_with("Never claim moves to line")), "{theirs:?}");
    assert_eq!(lines(&format!("{} spin -t -p -g m.pml", env!("CARGO_BIN_EXE_kripke"))), theirs);
}

#[test]
fn simulations_without_choices_are_those_of_spin() {
    if !spin::installed() {
        return;
    }
    let text = "chan q = [1] of { byte };\nchan r = [0] of { byte };\nbyte x;\n\
                active proctype A() { q!3; r!4; atomic { x = 4; x = 5 } }\n\
                active proctype B() { byte y; q?y; r?y; x == 5; printf(\"hi\\n\"); y = 7; x == 7 }\n";
    let temporary = TempDir::with_prefix("kripke-listing-").expect("a folder can be made");
    let folder = temporary.path();
    fs::write(folder.join("m.pml"), text).expect("the model can be written");
    for options in ["-p", "-p -g -l -s -r", "-c", "-s", "-r", "-u2 -p", "-p -g -B", "-b -p", "-n3 -h"] {
        let theirs = shell(folder, &format!("spin {options} m.pml"));
        let ours = shell(folder, &format!("{} spin {options} m.pml", env!("CARGO_BIN_EXE_kripke")));
        assert_eq!(ours, theirs, "{options}");
    }
}

#[test]
fn a_chart_is_a_picture() {
    let temporary = TempDir::with_prefix("kripke-listing-").expect("a folder can be made");
    let folder = temporary.path();
    fs::write(folder.join(MODELS[0].0), MODELS[0].1).expect("the model can be written");
    let kripke = env!("CARGO_BIN_EXE_kripke");
    for command in ["-n1 -M", "-run", "-t -M"] {
        let said = shell(folder, &format!("{kripke} spin {command} queues.pml"));
        let picture = fs::read_to_string(folder.join("queues.pml.svg")).unwrap_or_default();
        assert!(command == "-run" || said.contains("wrote queues.pml.svg"), "{said}");
        assert!(picture.starts_with("<svg") || picture.starts_with("<?xml"), "{picture}");
        assert!(picture.contains("req"), "{picture}");
    }
}
