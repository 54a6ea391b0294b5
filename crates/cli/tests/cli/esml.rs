//! ESML models are models like any others: checked, replayed, simulated, told in JSON.

use crate::program::Desk;

const QUEUE: &str = "MODEL Queue;
TYPE int = 0..3; queue = LIST [2] OF int; al = {put(int)}; mood = good, bad;
VAR c: al;
PROCESS Producer(OUT c: al);
VAR n: int; m: mood;
BEGIN
  DO TRUE -> n := (n + 1) MOD 3; m := bad; c!put(n); TRACE(\"sent \", n) END
END Producer;
PROCESS Consumer(IN c: al);
VAR q: queue; x: int;
BEGIN
  COMMAND
END Consumer;
BEGIN
  Producer(c); Consumer(c)
END Queue
";

fn desk(command: &str) -> Desk {
    let desk = Desk::new();
    desk.write("queue.esml", QUEUE.replace("COMMAND", command));
    desk
}

#[test]
fn faults_come_with_a_trail_that_replays() {
    for (command, said) in [
        ("DO TRUE -> c?put(x); APPEND(q, x) END", "APPEND to a full list: APPEND(q, x)"),
        ("DO TRUE -> c?put(x); IF x < 2 -> SKIP END END", "no guard of this IF is true: IF"),
        ("DO TRUE -> c?put(x); x := x * 3 END", "value out of range (x holds 0 to 3, the value is 6): x := x * 3"),
        ("c?put(x); x := HEAD(q)", "HEAD of an empty list: x := HEAD(q)"),
    ] {
        let desk = desk(command);
        let checked = desk.run("queue.esml").expect(1);
        assert!(checked.out.contains(said), "{}", checked.out);
        assert!(desk.has("queue.trail.json"));
        let replayed = desk.run("replay queue.esml").expect(1);
        assert!(replayed.out.contains(said), "{}", replayed.out);
        assert!(replayed.out.contains("Producer → Consumer"), "{}", replayed.out);
    }
}

#[test]
fn symbols_and_lists_are_shown_as_such() {
    let desk = desk("DO TRUE -> c?put(x); APPEND(q, x) END");
    let out = desk.run("queue.esml --full").expect(1).out;
    for word in ["q.len", "q[0]", "bad", "c!put(n) → c?put(x)"] {
        assert!(out.contains(word), "{word}: {out}");
    }
}

#[test]
fn simulation_prints_what_trace_says() {
    let desk = desk("DO TRUE -> c?put(x) END");
    let out = desk.run("simulate queue.esml --seed 1 --steps 40").expect(0).out;
    assert!(out.contains("▸ sent 1"), "{out}");
}

#[test]
fn programs_are_told_the_language() {
    let desk = desk("DO TRUE -> c?put(x) END");
    let json = desk.run("queue.esml --format json").expect(0).json();
    assert_eq!(json["language"], "ESML");
    assert_eq!(json["verdict"], "holds");
}

#[test]
fn conditions_can_be_asked_for() {
    let desk = desk("DO TRUE -> c?put(x) END");
    desk.command("check queue.esml --no-trail --reach").arg("Producer.m = bad & Consumer.x = 2").output().map_or_else(
        |e| panic!("{e}"),
        |out| assert_eq!(out.status.code(), Some(1), "{}", String::from_utf8_lossy(&out.stderr)),
    );
    let out = desk.command("check queue.esml --no-trail --reach").arg("Consumer.x = 3").output().unwrap();
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stdout));
}
