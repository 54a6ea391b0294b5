//! What is counted, kept and told of errors, by hand.

use kripke_model::ir::{EdgeId, FileId, ProcessId};

use super::*;

fn finding(kind: FindingKind, place: u32) -> Finding {
    let span = Span { file: FileId(0), start: place, end: place + 1 };
    Finding { kind, pid: 0, process: ProcessId(0), edge: EdgeId(0), span, within: Within::Edge }
}

fn assertion(place: u32) -> Finding {
    finding(FindingKind::Assertion, place)
}

fn judge() -> Judge {
    Judge::new(&Options { assertions: true, end_states: true, ..Options::default() })
}

/// Flags of states: an invalid end, a goal, an observer at its end.
fn bad() -> [Flags; 3] {
    let good = Flags::default();
    [Flags { invalid_end: true, ..good }, Flags { goal: true, ..good }, Flags { caught: true, ..good }]
}

fn found(wrong: Wrong) -> Found {
    Found { id: StateId(1), state: vec![1], wrong, ending: Ending::InvalidEnd }
}

#[test]
fn each_kind_of_error_is_counted_and_kept() {
    for (n, flags) in bad().into_iter().enumerate() {
        let mut judge = judge();
        assert!(judge.judge(StateId(1), &[5], flags, &[]));
        assert!(!judge.judge(StateId(2), &[7], flags, &[]), "a greater state");
        assert!(judge.judge(StateId(3), &[3], flags, &[]), "a lesser state");
        let mut haul = judge.hand_over().expect("there are errors");
        let counts = [haul.errors.invalid_ends, haul.errors.goals, haul.errors.caught];
        assert_eq!(counts, std::array::from_fn(|i| if i == n { 3 } else { 0 }));
        assert_eq!(haul.found().map(|f| (f.id, f.state.clone())).collect::<Vec<_>>(), [(StateId(3), vec![3])]);
        // A place is one for all levels.
        assert!(!judge.judge(StateId(4), &[1], flags, &[]));
    }
    let mut judge = judge();
    assert!(judge.judge(StateId(1), &[5], Flags::default(), &[assertion(1), assertion(2)]));
    assert!(judge.judge(StateId(2), &[6], bad()[0], &[assertion(1)]), "only its end is new");
    assert!(judge.judge(StateId(3), &[7], bad()[1], &[assertion(3)]), "both are new");
    assert!(judge.judge(StateId(4), &[4], bad()[1], &[assertion(9)]));
    assert!(judge.judge(StateId(5), &[9], bad()[0], &[assertion(10)]), "only its assertion is new");
    let haul = judge.hand_over().expect("there are errors");
    assert_eq!((haul.errors.assertions, haul.errors.invalid_ends, haul.errors.goals), (6, 2, 2));
    assert!(judge.hand_over().is_none());
}

#[test]
fn of_two_findings_in_a_state_the_first_is_kept() {
    let mut judge = judge();
    assert!(judge.judge(StateId(1), &[5], Flags::default(), &[assertion(2), assertion(1), assertion(1)]));
    let mut haul = judge.hand_over().expect("there are errors");
    let endings: Vec<Ending> = haul.found().map(|f| f.ending).collect();
    assert_eq!(endings, [Ending::Finding(1), Ending::Finding(0)]);
}

#[test]
fn of_sequences_without_an_end_the_least_is_told() {
    for order in [[3, 5], [5, 3], [3, 3]] {
        let mut judge = judge();
        let findings = order.map(|place| finding(FindingKind::EndlessSequence, place));
        assert!(!judge.judge(StateId(1), &[5], Flags::default(), &findings), "that is no error");
        assert!(!judge.is_content());
        let endless = judge.hand_over().and_then(|haul| haul.endless).expect("there is one");
        assert_eq!(endless.span.start, 3);
    }
}

#[test]
fn findings_of_several_workers_are_the_least_of_each_place() {
    let haul = |id: u64, state: u8, places: std::ops::Range<u32>| {
        let mut judge = judge();
        let findings: Vec<Finding> = places.map(assertion).collect();
        judge.judge(StateId(id), &[state], Flags::default(), &findings);
        judge.hand_over()
    };
    let mut all = Findings::new();
    all.collect(haul(1, 9, 0..60).into_iter().chain(haul(2, 4, 30..90)), || 7);
    assert_eq!(all.errors.assertions, 120);
    assert_eq!(all.kept.iter().map(|(found, _)| found.id.0).collect::<Vec<_>>(), [vec![1; 30], vec![2; 60]].concat());
    all.collect(haul(3, 1, 80..200), || 8);
    assert_eq!((all.errors.assertions, all.kept.len()), (240, KEPT));
    let mapped = all.map(|level| level + 1);
    assert_eq!((mapped.errors.assertions, mapped.kept.len()), (240, KEPT));
    assert_eq!([mapped.kept[0].1, mapped.kept[90].1], [8, 9]);
}

#[test]
fn a_poll_and_what_is_wrong_in_a_state_come_before_a_step_that_is_wrong() {
    let step = || found(Wrong::Finding(assertion(1)));
    let poll = || found(Wrong::Finding(finding(FindingKind::Fault(Fault::PollRendezvous), 2)));
    let state = || found(Wrong::InvalidEnd);
    for (before, first) in [
        ([step(), poll()], poll()),
        ([step(), state()], state()),
        ([poll(), state()], poll()),
        ([state(), step()], state()),
    ] {
        let mut all = Findings::new();
        all.kept.extend(before.map(|found| (found, ())));
        all.stop_at_one();
        assert_eq!(all.kept.len(), 1);
        assert_eq!(all.kept[0].0.wrong, first.wrong);
        assert_eq!(all.errors.total(), 1);
    }
}

#[test]
fn only_a_fault_in_the_goal_is_one_of_the_goal() {
    let of_goal = Finding { within: Within::Goal, ..finding(FindingKind::Fault(Fault::DivisionByZero), 0) };
    assert!(found(Wrong::Finding(of_goal)).is_of_goal());
    assert!(!found(Wrong::Finding(finding(FindingKind::Fault(Fault::DivisionByZero), 0))).is_of_goal());
    assert!(!found(Wrong::Goal).is_of_goal());
}
