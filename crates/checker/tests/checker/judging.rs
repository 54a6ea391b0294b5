//! The judge refuses evidence that is wrong: real verdicts are judged by questions that they are not about.

use kripke::answer::Results;
use kripke::judge::{confirm, confirm_tree};
use kripke::monitor::Silent;
use kripke::task::Kind;
use kripke::{Check, Fairness, Language, Model};

fn results(text: &str, ask: impl FnOnce(Check<'_>) -> Check<'_>) -> Results {
    let model = Model::parse(Language::PROMELA, text).expect("a model");
    ask(Check::new(&model)).run_with(&Silent).expect("an answer")
}

/// A counterexample to the first formula of each pair does not violate the second one.
#[test]
fn a_counterexample_to_another_formula_is_refused() {
    let switch = "bit x, y; active proctype P() { do :: x = 1 - x od } active proctype Q() { y = 1 }";
    let cases = [
        ("<> (x == 2)", "[] <> (x == 1)"),
        ("<> (x == 2)", "[] (x < 2)"),
        ("[] (y == 0)", "<> (y == 1)"),
        ("[] <> (y == 1)", "<> [] (y == 0) || <> (x == 1)"),
        ("[] (x == 0)", "true"),
    ];
    for (violated, holds) in cases {
        let mut wrong = results(switch, |c| c.ltl(violated)).answers.remove(0);
        let other = results(switch, |c| c.ltl(holds)).answers.remove(0);
        assert_eq!(wrong.verdict.word(), "violated", "{violated}");
        assert!(confirm(&wrong.task, &wrong.verdict, Fairness::None, &mut wrong.interpreter).is_ok(), "{violated}");
        wrong.task.question = other.task.question;
        assert!(confirm(&wrong.task, &wrong.verdict, Fairness::None, &mut wrong.interpreter).is_err(), "{holds}");
    }
}

/// A run that is a counterexample without fairness is none under fairness.
#[test]
fn an_unfair_counterexample_is_refused() {
    let text = "bit x; active proctype P() { x = 1 } active proctype Q() { do :: true od }";
    let mut answer = results(text, |c| c.ltl("<> (x == 1)")).answers.remove(0);
    for (fairness, accepted) in [
        (Fairness::None, true),
        (Fairness::Weak, false),
        (Fairness::Strong, false),
        (Fairness::StrongTransitions, false),
        (Fairness::Impartial, false),
    ] {
        let judged = confirm(&answer.task, &answer.verdict, fairness, &mut answer.interpreter);
        assert_eq!(judged.is_ok(), accepted, "{fairness:?}");
    }
}

/// A cycle is judged by the labels of its states.
#[test]
fn a_cycle_with_other_labels_is_refused() {
    let text = "bit x; active proctype P() { do :: x = 1; x = 0 od }";
    let mut answer = results(text, |c| c.non_progress()).answers.remove(0);
    assert_eq!(answer.verdict.word(), "violated");
    assert!(confirm(&answer.task, &answer.verdict, Fairness::None, &mut answer.interpreter).is_ok());
    let labelled = "bit x; active proctype P() { do :: x = 1; accept: x = 0 od }";
    let mut accepting = results(labelled, |c| c.acceptance()).answers.remove(0);
    assert_eq!(accepting.verdict.word(), "violated");
    assert!(confirm(&accepting.task, &accepting.verdict, Fairness::None, &mut accepting.interpreter).is_ok());
    let plain = results("bit x; active proctype P() { do :: x = 1; progress: x = 0 od }", |c| c.ltl("<> (x == 2)"));
    let mut plain = plain.answers.into_iter().next().expect("an answer");
    plain.task.question = None;
    for (kind, accepted) in [(Kind::Acceptance, true), (Kind::Progress, false), (Kind::Never, true)] {
        plain.task.kind = kind;
        let judged = confirm(&plain.task, &plain.verdict, Fairness::None, &mut plain.interpreter);
        // The observer of an LTL formula has accepting locations, which count as labels.
        assert_eq!(judged.is_ok(), accepted, "{kind:?}");
    }
}

/// Runs that show why a CTL formula is false do not show that it is true, nor anything of another formula.
#[test]
fn evidence_for_another_answer_is_refused() {
    let text = "bit x; active proctype P() { do :: x = 1 :: x = 0 od }";
    let mut answer = results(text, |c| c.ctl("AF (x == 1)")).answers.remove(0);
    let mut holding = results(text, |c| c.ctl("EF (x == 1)")).answers.remove(0);
    assert_eq!((answer.verdict.word(), holding.verdict.word()), ("violated", "holds"));
    for (evidence, verdict, accepted) in [(0, 0, true), (0, 1, false), (1, 1, true), (1, 0, false)] {
        let of = if evidence == 0 { &mut answer } else { &mut holding };
        let verdict = if verdict == evidence {
            of.verdict.clone()
        } else {
            results(text, |c| match evidence {
                0 => c.ctl("EF (x == 1)"),
                _ => c.ctl("AF (x == 1)"),
            })
            .answers
            .remove(0)
            .verdict
        };
        let interpreters = [&mut of.interpreter, &mut of.searched];
        let judged = confirm_tree(&of.task, &verdict, of.tree.as_ref(), Fairness::None, interpreters);
        assert_eq!(judged.is_ok(), accepted, "evidence {evidence}, {}", verdict.word());
    }
}
