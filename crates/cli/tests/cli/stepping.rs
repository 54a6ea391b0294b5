//! Interactive simulation and replay at a terminal, through the program itself.
#![cfg(unix)]

use std::os::unix::process::ExitStatusExt;

use kripke_tests::pseudo_terminal::PseudoTerminal;

use crate::program::Desk;
use crate::snapshots::example;

/// The program at a terminal. Tests end here where there is no `setsid`.
macro_rules! terminal {
    ($desk:expr, $args:expr, $columns:expr, $rows:expr) => {
        match PseudoTerminal::start(&$desk.command($args), $columns, $rows) {
            Some(terminal) => terminal,
            None => return,
        }
    };
}

const DOWN: &str = "\u{1b}[B";
const LEFT: &str = "\u{1b}[D";
const CONTROL_C: &str = "\u{3}";

#[test]
fn a_simulation_fills_the_screen_and_leaves_it_as_it_was() {
    let desk = Desk::new();
    let mut terminal = terminal!(desk, "simulate second.pml -i --seed 1", 80, 24);
    terminal.wait_for("step 0 of 0");
    assert!(terminal.is_full_screen());
    terminal.wait_for("q quit");
    terminal.type_keys("1");
    terminal.wait_for("step 1 of 1");
    terminal.type_keys(&format!("{DOWN}\r"));
    terminal.wait_for("step 2 of 2");
    terminal.type_keys(LEFT);
    terminal.wait_for("step 1 of 2");
    terminal.type_keys("ucritical == 1\r");
    terminal.wait_for("the condition holds after");
    terminal.type_keys("s\u{15}mine.trail.json\r");
    terminal.wait_for("saved");
    terminal.type_keys("q");
    let ended = terminal.end();
    assert!(ended.status.success() && ended.restored, "{ended:?}");
    let replayed = desk.run("replay second.pml mine.trail.json").expect(0);
    assert!(replayed.out.contains("critical"), "{}", replayed.out);
}

#[test]
fn every_size_is_drawn_at_once() {
    let desk = Desk::new();
    example(&desk, "alternating-bit.pml");
    let mut terminal = terminal!(desk, "simulate alternating-bit.pml -i --seed 1", 80, 24);
    terminal.wait_for("initial state");
    terminal.type_keys("r30\r");
    terminal.wait_for("step 30 of 30");
    terminal.resize(200, 60);
    terminal.wait_for("Chart 30 of 30");
    terminal.resize(20, 6);
    terminal.wait_for("Moves");
    terminal.resize(1, 1);
    terminal.resize(120, 40);
    terminal.wait_for("History 30 of 30");
    terminal.type_keys("q");
    assert!(terminal.end().restored);
}

#[test]
fn the_terminal_is_restored_after_signals() {
    let desk = Desk::new();
    let mut terminal = terminal!(desk, "simulate second.pml -i", 80, 24);
    terminal.wait_for("step 0 of 0");
    terminal.terminate();
    let ended = terminal.end();
    assert!(ended.restored && ended.status.signal() == Some(15), "{ended:?}");
    let mut terminal = terminal!(desk, "simulate second.pml -i", 80, 24);
    terminal.wait_for("step 0 of 0");
    terminal.type_keys(CONTROL_C);
    let ended = terminal.end();
    assert!(ended.restored && ended.status.success(), "{ended:?}");
    let mut terminal = terminal!(desk, "simulate second.pml -i --plain", 80, 24);
    terminal.wait_for("> ");
    terminal.terminate();
    let ended = terminal.end();
    assert!(ended.restored && ended.status.signal() == Some(15), "{ended:?}");
}

/// Ctrl-Z gives the usual screen back. After it the program goes on where it was.
#[test]
fn the_program_can_be_suspended() {
    let desk = Desk::new();
    let mut terminal = terminal!(desk, "simulate second.pml -i", 80, 24);
    terminal.wait_for("step 0 of 0");
    terminal.type_keys("1\u{1a}");
    terminal.wait_for_suspension();
    assert!(!terminal.is_full_screen());
    terminal.resume();
    terminal.wait_for("step 1 of 1");
    terminal.type_keys("r3\r");
    terminal.wait_for("step 4 of 4");
    terminal.type_keys("q");
    assert!(terminal.end().restored);
}

#[test]
fn a_trail_is_stepped_through() {
    let desk = Desk::new();
    desk.write(
        "lasso.pml",
        "byte x; bool done;\nactive proctype p() { x = 1; do :: x = 1 - x od }\n\
         active proctype q() { done = true }\nltl live { <> done }\n",
    );
    desk.run("lasso.pml").expect(1);
    let mut terminal = terminal!(desk, "replay lasso.pml -i", 120, 40);
    terminal.wait_for("trail: ✗");
    terminal.type_keys("\u{1b}[4~");
    terminal.wait_for("end of the trail");
    terminal.wait_for("✗");
    terminal.type_keys("j1\r");
    terminal.wait_for("the cycle starts here");
    terminal.type_keys("j0\r");
    terminal.wait_for("step 0 of");
    terminal.type_keys("1");
    terminal.wait_for("the trail is left at its start");
    terminal.type_keys("o");
    terminal.wait_for("back on the trail");
    terminal.type_keys("q");
    assert!(terminal.end().restored);
}

#[test]
fn the_plain_program_has_a_line_to_edit() {
    let desk = Desk::new();
    let mut terminal = terminal!(desk, "simulate second.pml -i --plain --seed 1", 100, 40);
    terminal.wait_for("> ");
    assert!(!terminal.is_full_screen());
    terminal.type_keys("x\u{7f}1\r");
    terminal.wait_for("step 1  q  !wantp");
    // The line before comes back. Keys are read when the prompt is there.
    terminal.wait_for("!wantq         second.pml:7\n> ");
    terminal.type_keys("\u{1b}[A\r");
    terminal.wait_for("step 2");
    terminal.type_keys("b 2\r\r");
    terminal.wait_for("* is the next step of the run");
    terminal.type_keys("\u{4}");
    let ended = terminal.end();
    assert!(ended.status.success() && ended.restored, "{ended:?}");
}
