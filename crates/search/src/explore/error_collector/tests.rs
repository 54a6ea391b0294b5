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

fn collector() -> ErrorCollector {
    ErrorCollector::new(&Options { assertions: true, end_states: true, ..Options::default() })
}

/// Flags of states: an invalid end, a goal, an observer at its end.
fn bad() -> [Flags; 3] {
    let good = Flags::default();
    [Flags { invalid_end: true, ..good }, Flags { goal: true, ..good }, Flags { bad_prefix: true, ..good }]
}

fn found(error: ErrorKind) -> FoundError {
    FoundError { id: StateId::new(1), state: vec![1], decoded: vec![1], error, ending: Ending::InvalidEnd }
}

fn inspect(collector: &mut ErrorCollector, id: StateId, state: &State, flags: Flags, findings: &[Finding]) -> bool {
    collector.inspect((id, state), flags, findings, || Cow::Borrowed(state))
}

#[test]
fn each_kind_of_error_is_counted_and_kept() {
    for (n, flags) in bad().into_iter().enumerate() {
        let mut collector = collector();
        assert!(inspect(&mut collector, StateId::new(1), &[5], flags, &[]));
        assert!(!inspect(&mut collector, StateId::new(2), &[7], flags, &[]), "a greater state");
        assert!(inspect(&mut collector, StateId::new(3), &[3], flags, &[]), "a lesser state");
        let mut level = collector.take_findings().expect("there are errors");
        let counts = [level.errors.invalid_ends, level.errors.goals, level.errors.bad_prefixes];
        assert_eq!(counts, std::array::from_fn(|i| if i == n { 3 } else { 0 }));
        assert_eq!(level.found().map(|f| (f.id, f.state.clone())).collect::<Vec<_>>(), [(StateId::new(3), vec![3])]);
        // A place is one for all levels.
        assert!(!inspect(&mut collector, StateId::new(4), &[1], flags, &[]));
    }
    let mut collector = collector();
    assert!(inspect(&mut collector, StateId::new(1), &[5], Flags::default(), &[assertion(1), assertion(2)]));
    assert!(inspect(&mut collector, StateId::new(2), &[6], bad()[0], &[assertion(1)]), "only its end is new");
    assert!(inspect(&mut collector, StateId::new(3), &[7], bad()[1], &[assertion(3)]), "both are new");
    assert!(inspect(&mut collector, StateId::new(4), &[4], bad()[1], &[assertion(9)]));
    assert!(inspect(&mut collector, StateId::new(5), &[9], bad()[0], &[assertion(10)]), "only its assertion is new");
    let level = collector.take_findings().expect("there are errors");
    assert_eq!((level.errors.assertions, level.errors.invalid_ends, level.errors.goals), (6, 2, 2));
    assert!(collector.take_findings().is_none());
}

#[test]
fn of_two_findings_in_a_state_the_first_is_kept() {
    let mut collector = collector();
    assert!(inspect(
        &mut collector,
        StateId::new(1),
        &[5],
        Flags::default(),
        &[assertion(2), assertion(1), assertion(1)]
    ));
    let mut level = collector.take_findings().expect("there are errors");
    let endings: Vec<Ending> = level.found().map(|f| f.ending).collect();
    assert_eq!(endings, [Ending::Finding(1), Ending::Finding(0)]);
}

#[test]
fn of_sequences_without_an_end_the_least_is_told() {
    for order in [[3, 5], [5, 3], [3, 3]] {
        let mut collector = collector();
        let findings = order.map(|place| finding(FindingKind::EndlessSequence, place));
        assert!(!inspect(&mut collector, StateId::new(1), &[5], Flags::default(), &findings), "that is no error");
        assert!(!collector.is_empty());
        let endless = collector.take_findings().and_then(|level| level.endless).expect("there is one");
        assert_eq!(endless.0.span.start, 3);
    }
}

#[test]
fn findings_of_several_workers_are_the_least_of_each_place() {
    let level = |id: u64, state: u8, places: std::ops::Range<u32>| {
        let mut collector = collector();
        let findings: Vec<Finding> = places.map(assertion).collect();
        inspect(&mut collector, StateId::new(id), &[state], Flags::default(), &findings);
        collector.take_findings()
    };
    let mut all = Findings::new();
    all.collect(level(1, 9, 0..60).into_iter().chain(level(2, 4, 30..90)), || 7);
    assert_eq!(all.errors.assertions, 120);
    assert_eq!(all.kept.iter().map(|(found, _)| found.id.0).collect::<Vec<_>>(), [vec![1; 30], vec![2; 60]].concat());
    all.collect(level(3, 1, 80..200), || 8);
    assert_eq!((all.errors.assertions, all.kept.len()), (240, KEPT));
    let mapped = all.map(|level| level + 1);
    assert_eq!((mapped.errors.assertions, mapped.kept.len()), (240, KEPT));
    assert_eq!([mapped.kept[0].1, mapped.kept[90].1], [8, 9]);
}

#[test]
fn a_poll_and_what_is_wrong_in_a_state_come_before_a_step_that_is_wrong() {
    let step = || found(ErrorKind::Finding(assertion(1)));
    let poll = || found(ErrorKind::Finding(finding(FindingKind::Fault(Fault::PollRendezvous), 2)));
    let state = || found(ErrorKind::InvalidEnd);
    for (before, first) in [
        ([step(), poll()], poll()),
        ([step(), state()], state()),
        ([poll(), state()], poll()),
        ([state(), step()], state()),
    ] {
        let mut all = Findings::new();
        all.kept.extend(before.map(|found| (found, ())));
        all.keep_first();
        assert_eq!(all.kept.len(), 1);
        assert_eq!(all.kept[0].0.error, first.error);
        assert_eq!(all.errors.total(), 1);
    }
}

#[test]
fn only_a_fault_in_the_goal_is_one_of_the_goal() {
    let of_goal = Finding { within: Within::Goal, ..finding(FindingKind::Fault(Fault::DivisionByZero), 0) };
    assert!(found(ErrorKind::Finding(of_goal)).is_of_goal());
    assert!(!found(ErrorKind::Finding(finding(FindingKind::Fault(Fault::DivisionByZero), 0))).is_of_goal());
    assert!(!found(ErrorKind::Goal).is_of_goal());
}
