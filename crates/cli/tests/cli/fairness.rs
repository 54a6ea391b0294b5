//! Fairness beside atomic sequences, whose successors come after those of other processes.

use crate::program::Desk;

/// A model, the question, and whether it holds.
type Case = (&'static str, &'static [&'static str], bool);

const CASES: &[Case] = &[
    // Every process moves for ever, and y is never 2.
    (
        "bit y,z; active proctype P0(){do :: y=1-y od} active proctype P1(){do :: atomic{true->z=1} :: z=0 od}",
        &["--ltl", "<>(y==2)", "--fair", "impartial"],
        false,
    ),
    // P0 is enabled until it moves.
    (
        "byte x,y; active proctype P0(){do :: y==0->y=1 od}
         active proctype P1(){do :: (x==0) :: atomic{(x==0)->x=1} :: (x==1)->x=0 od} ltl q {<>(y==1)}",
        &["--property", "q", "-f"],
        true,
    ),
    (
        "byte x,y; active proctype P0(){do :: y==0->y=1 od}
         active proctype P1(){do :: (x==0) :: atomic{(x==0)->x=1} :: (x==1)->x=0 od}",
        &["--ctl", "AF(y==1)", "--fair", "weak"],
        true,
    ),
    (
        "byte x,y; active proctype P0(){do :: y==0->y=1 od}
         active proctype P1(){do :: (x==0) :: atomic{(x==0)->x=1} :: (x==1)->x=0 od}",
        &["--ctl", "AF(y==1)"],
        false,
    ),
    // The atomic sequence is enabled again and again, so strong fairness lets it be executed.
    (
        "bit x,done; active proctype P0(){atomic{x==1->done=1}} active proctype P1(){do :: x==0->x=1 :: x==1->x=0 od}",
        &["--ltl", "<>(done==1)", "--fair", "strong"],
        true,
    ),
    (
        "bit x,done; active proctype P0(){atomic{x==1->done=1}} active proctype P1(){do :: x==0->x=1 :: x==1->x=0 od}",
        &["--ltl", "<>(done==1)", "--fair", "weak"],
        false,
    ),
    // A process that has ended is on no impartial run, gone or not.
    ("active proctype P0(){byte x; x=0}", &["--ltl", "0==1", "--fair", "impartial"], true),
    (
        "bit x; active proctype P0(){do :: x=1-x od} active proctype P1(){skip}",
        &["--ltl", "<>(x==2)", "--fair", "impartial"],
        true,
    ),
    (
        "bit x; active proctype P1(){skip} active proctype P0(){do :: x=1-x od}",
        &["--ltl", "<>(x==2)", "--fair", "impartial"],
        true,
    ),
    // Acceptance and non-progress cycles.
    (
        "bit y,z; active proctype P0(){accept: do :: y=1-y od} active proctype P1(){do :: atomic{true->z=1} :: z=0 od}",
        &["--acceptance", "--fair", "impartial"],
        false,
    ),
    (
        "byte x,y; active proctype P0(){do :: y==0->progress: y=1 :: y==1->y=0 od}
         active proctype P1(){do :: (x==0) :: atomic{(x==0)->x=1} :: (x==1)->x=0 od}",
        &["--non-progress", "-f"],
        true,
    ),
];

#[test]
fn fairness_knows_who_moves_beside_atomic_sequences() {
    let desk = Desk::new();
    for (model, question, holds) in CASES {
        desk.write("m.pml", model);
        for engine in ["compile", "interpret"] {
            for more in [&[][..], &["--raw"], &["-j2"], &["--compact"]] {
                let mut command = desk.command("check m.pml --no-trail --engine");
                let output = command.arg(engine).args(*question).args(more).output().unwrap();
                let said = String::from_utf8_lossy(&output.stdout);
                assert_eq!(output.status.code(), Some(i32::from(!holds)), "{model}\n{question:?} {more:?}\n{said}");
            }
        }
    }
}
