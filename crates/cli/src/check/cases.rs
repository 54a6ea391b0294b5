//! Answers as cases: the findings with their places, for JSON, JUnit and SARIF.

use kripke::answer::Answer;
use kripke::task::Kind;
use kripke_model::Within;
use kripke_model::ir::{ProcessId, Span};
use kripke_model::layout::ProcessView;
use kripke_report::case::{Case, CaseResult, FlowStep, LONGEST_FLOW, Violation};
use kripke_report::json::Finding;
use kripke_report::run::Run;
use kripke_report::verdict::{Counterexample, Verdict};
use kripke_report::{explanation, screen, source::Lines};
use kripke_search::ErrorKind;

/// The errors of an answer.
pub fn findings(answer: &Answer) -> Vec<Finding> {
    counterexamples(answer).map(|c| finding(answer, c)).collect()
}

/// An answer as a case. The trail file has the first counterexample.
pub fn case(answer: &Answer, trail: Option<String>) -> Case {
    let result = match &answer.verdict {
        Verdict::Holds(_) => CaseResult::Holds,
        Verdict::Inconclusive(reason) => CaseResult::Inconclusive(reason.to_string()),
        Verdict::Violated(_) => {
            let trails = std::iter::once(trail).chain(std::iter::repeat(None));
            let all = counterexamples(answer).zip(trails);
            CaseResult::Violated(all.map(|(c, trail)| violation(answer, c, trail)).collect())
        }
    };
    let Answer { task, elapsed, .. } = answer;
    Case { property: task.name.clone(), kind: task.kind.word(), seconds: elapsed.as_secs_f64(), result }
}

fn counterexamples(answer: &Answer) -> impl Iterator<Item = &Counterexample> {
    let violated = match &answer.verdict {
        Verdict::Violated(violated) => Some(violated),
        _ => None,
    };
    violated.into_iter().flat_map(|violated| std::iter::once(&violated.first).chain(&violated.others))
}

fn finding(answer: &Answer, counterexample: &Counterexample) -> Finding {
    let (model, error) = (&answer.task.model, counterexample.error());
    let lines = Lines::new(model);
    let found = match error {
        ErrorKind::Finding(f) => Some(f),
        _ => None,
    };
    let kind = match error {
        ErrorKind::Finding(f) => explanation::kind(&f.kind),
        ErrorKind::Goal if answer.task.kind == Kind::Reach => "reached",
        ErrorKind::Goal | ErrorKind::BadPrefix | ErrorKind::Cycle | ErrorKind::Refuted => "property",
        ErrorKind::InvalidEnd => "invalid_end_state",
    };
    let span = match error {
        ErrorKind::Finding(f) => explanation::place(model, &lines, f).map(|_| f.span),
        ErrorKind::InvalidEnd => waiting(answer, counterexample),
        ErrorKind::Goal | ErrorKind::BadPrefix | ErrorKind::Cycle | ErrorKind::Refuted => stated(answer),
    };
    Finding {
        kind,
        message: screen::headline_of(model, error, answer.task.property()).0,
        property: answer.task.name.clone(),
        file: Some(span.map_or_else(|| model.name.clone(), |span| lines.file(span.file).to_string())),
        line: span.map(|span| lines.of(span).first),
        process: found.filter(|f| f.within != Within::Goal).map(|f| model.process(f.process).name.clone()),
        steps: counterexample.replayed().moves().len(),
    }
}

/// The place where the model states the property of a task.
fn stated(answer: &Answer) -> Option<Span> {
    let (task, model) = (&answer.task, &answer.task.model);
    match task.kind {
        Kind::Process => model.observer.as_ref().map(|observer| observer.automaton.span),
        Kind::Ltl | Kind::Ctl | Kind::Never if matches!(task.asked, kripke::task::Asked::Property(_)) => {
            model.properties.iter().find(|property| property.name == task.name).map(|property| property.span)
        }
        _ => None,
    }
}

/// The next statement of the first process that is not at a valid end.
fn waiting(answer: &Answer, counterexample: &Counterexample) -> Option<Span> {
    let run = Run::replayed(&answer.interpreter, counterexample.replayed());
    let model = run.model();
    let next = |p: &ProcessView| {
        let process = model.processes.get(p.process.index())?;
        let location = process.locations.get(p.location.index())?;
        let edge = location.edges.first().filter(|_| !location.end)?;
        Some(process.edges[edge.index()].span)
    };
    run.view(run.moves().len()).processes.iter().find_map(next)
}

fn violation(answer: &Answer, counterexample: &Counterexample, trail: Option<String>) -> Violation {
    let short = counterexample.replayed().moves().len() <= LONGEST_FLOW;
    let flow = if short { flow(answer, counterexample) } else { Vec::new() };
    Violation { finding: finding(answer, counterexample), trail, flow }
}

fn flow(answer: &Answer, counterexample: &Counterexample) -> Vec<FlowStep> {
    let run = Run::replayed(&answer.interpreter, counterexample.replayed());
    let names = run.names();
    let mover = |process: ProcessId, pid| match run.model().processes.get(process.index()) {
        Some(_) => names.process(run.model(), process, pid),
        None => run.model().process(process).name.clone(),
    };
    let moves = run.moves().iter().filter(|step| !run.is_pause(step));
    let steps = moves.map(|step| {
        let line = run.lines().of(run.edge(step.process, step.edge).span);
        FlowStep {
            file: run.lines().file(line.file).to_string(),
            line: line.first,
            text: format!("{}: {}", mover(step.process, step.pid), run.statements(step)),
        }
    });
    steps.collect()
}
