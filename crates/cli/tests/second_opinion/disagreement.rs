//! Comparing answers, and making what differs small.

use kripke_tests::opinion::graph::Graph;
use kripke_tests::opinion::question::{Opinion, Question};
use kripke_tests::opinion::shrink;
use kripke_tests::opinion::system::{Expr, System};
use serde_json::Value;

use crate::case::{Case, small_graph};
use crate::program::{Program, Reply, property};
use crate::tally::Tally;

/// How many times the program is asked while a disagreement is made smaller.
const ATTEMPTS: usize = 600;

#[derive(Clone, Debug)]
pub struct Disagreement {
    case: Case,
    /// Those of the same sort mostly have the same reason.
    pub sort: String,
    ours: String,
    theirs: String,
}

/// Asks the program everything in one command, and counts what was compared.
pub fn compare(case: &Case, program: &Program) -> (Tally, Vec<Disagreement>) {
    let mut tally = Tally::default();
    match (program.ask(case), &case.questions[..]) {
        (Reply::Answers(answers), _) => {
            let graph = small_graph(&case.system).expect("the system is small");
            let out = case.questions.iter().filter_map(|q| judge(case, q, &graph, &answers, &mut tally));
            let out = out.collect();
            (tally, out)
        }
        (Reply::Refused(why), [_]) => {
            tally.refused(&why);
            (tally, Vec::new())
        }
        (Reply::Broken(why), [question]) => {
            tally.counted(case, question, None);
            let sort = format!("{} {}", case.name(question).0, why.split('`').next().unwrap_or_default());
            let ours = "an answer, or a refusal with its reason".to_string();
            (tally, vec![Disagreement { case: case.clone(), sort, ours, theirs: why }])
        }
        // Which of the questions it was shows when each is asked by itself.
        (Reply::Refused(_) | Reply::Broken(_), _) => one_by_one(case, program),
    }
}

/// Compares the answer to one question.
fn judge(case: &Case, question: &Question, graph: &Graph, answers: &Value, tally: &mut Tally) -> Option<Disagreement> {
    let opinion = question.answer(&case.system, graph, case.fairness);
    let property = property(case, question, answers).unwrap_or(&Value::Null);
    let verdict = property["verdict"].as_str().unwrap_or("no answer");
    tally.compared_one(case, question, &opinion, verdict);
    let undecided = property["undecided"].as_str().map_or("", |_| ", undecided");
    let mut theirs = format!("{verdict}{undecided} ({})", findings(answers));
    let mut ours = words(&opinion);
    let mut wrong = !acceptable(case, question, &opinion, property);
    if let Some(kinds) = unexpected_kinds(case, graph, answers) {
        wrong = true;
        theirs += &kinds;
    }
    if let Some((counts, expected)) = counts(case, question, graph, property) {
        wrong |= counts != expected;
        theirs += &format!(", {} states, {} transitions", counts.0, counts.1);
        ours += &format!(", {} states, {} transitions", expected.0, expected.1);
    }
    let sort = sort(case, question, &opinion, verdict);
    wrong.then(|| Disagreement { case: alone(case, question), sort, ours, theirs })
}

fn sort(case: &Case, question: &Question, opinion: &Opinion, verdict: &str) -> String {
    let mut out = format!("{} {verdict}", case.name(question).0);
    if opinion.proposition_faults {
        out += " although a proposition has no value";
    } else if question.depends_on_fairness() && opinion.holds == Some(verdict == "violated") {
        out += &format!(", fairness {}", crate::case::fairness(case.fairness));
    } else if opinion.holds == Some(verdict == "holds") {
        out += ", beside other errors or counts";
    }
    out
}

fn one_by_one(case: &Case, program: &Program) -> (Tally, Vec<Disagreement>) {
    let (mut tally, mut out) = (Tally::default(), Vec::new());
    for question in &case.questions {
        let (part, more) = compare(&alone(case, question), program);
        tally.add(&part);
        out.extend(more);
    }
    (tally, out)
}

/// The same with one question.
fn alone(case: &Case, question: &Question) -> Case {
    let stated = case.stated.clone().filter(|q| q == question);
    Case { questions: vec![question.clone()], stated, ..case.clone() }
}

/// Whether the verdict is right. A fault or a failed assertion may be what the program finds, whatever is asked.
fn acceptable(case: &Case, question: &Question, opinion: &Opinion, property: &Value) -> bool {
    let cycles = matches!(question, Question::Acceptance | Question::NonProgress);
    // A question about cycles is one about errors, too, if that is not asked by itself.
    let others = opinion.step_errors || cycles && !case.asks_safety() && opinion.invalid_end;
    match (property["verdict"].as_str(), property["undecided"].as_str()) {
        (Some("holds"), None) => opinion.holds == Some(true) && !(cycles && !case.asks_safety() && others),
        (Some("violated"), Some("fault")) => opinion.proposition_faults || opinion.step_errors,
        (Some("violated"), None) => opinion.holds == Some(false) || others,
        (Some("inconclusive"), None) => true,
        _ => false,
    }
}

/// The number of states and transitions, where nothing is reduced and the whole graph is visited.
fn counts(case: &Case, question: &Question, graph: &Graph, property: &Value) -> Option<((u64, u64), (u64, u64))> {
    let whole = case.has("--raw") && case.has("--all-errors") && *question == Question::Safety;
    if !whole {
        return None;
    }
    let counted = (property["states"].as_u64()?, property["transitions"].as_u64()?);
    Some((counted, (graph.states.len() as u64, graph.arcs() as u64)))
}

/// Kinds of errors that a plain check has found and there are not, or that there are and a full search has not found.
fn unexpected_kinds(case: &Case, graph: &Graph, answers: &Value) -> Option<String> {
    let whole = case.has("--raw") && case.has("--all-errors");
    if case.questions != [Question::Safety] {
        return None;
    }
    let kinds = [
        ("assertion", graph.some(|n| n.assertion)),
        ("fault", graph.some(|n| n.fault)),
        ("invalid_end_state", graph.some(|n| n.invalid_end)),
    ];
    let wrong = |kind: &str, is: bool| {
        let found = answers["errors"][kind].as_u64().unwrap_or(0) > 0;
        found && !is || whole && is && !found
    };
    let wrong: Vec<&str> = kinds.into_iter().filter(|(kind, is)| wrong(kind, *is)).map(|(kind, _)| kind).collect();
    (!wrong.is_empty()).then(|| format!(", wrong about {}: {}", wrong.join(", "), answers["errors"]))
}

fn findings(answers: &Value) -> String {
    let kinds = answers["findings"].as_array().into_iter().flatten().filter_map(|f| f["kind"].as_str());
    kinds.collect::<Vec<_>>().join(", ")
}

fn words(opinion: &Opinion) -> String {
    let mut out = vec![match opinion.holds {
        Some(true) => "holds",
        Some(false) => "violated",
        None => "not decided",
    }];
    out.extend(opinion.proposition_faults.then_some("a proposition has no value in some state"));
    out.extend(opinion.step_errors.then_some("some step faults or fails an assertion"));
    out.extend(opinion.invalid_end.then_some("there is an invalid end state"));
    out.join(", ")
}

impl Disagreement {
    /// The smallest that was found.
    pub fn shrunk(self, program: &Program) -> Disagreement {
        let mut best = self;
        let mut attempts = 0;
        'smaller: loop {
            for case in smaller(&best.case) {
                if attempts == ATTEMPTS {
                    return best;
                }
                attempts += 1;
                if let Some(disagreement) = again(&case, program, &best) {
                    best = disagreement;
                    continue 'smaller;
                }
            }
            return best;
        }
    }

    pub fn text(&self, when: &str) -> String {
        let arguments: Vec<String> = self.case.arguments().iter().map(|a| quoted(a)).collect();
        format!(
            "---- disagreement ({when})\n{}kripke {}\nsecond opinion: {}\nkripke: {}\n",
            self.case.model(),
            arguments.join(" "),
            self.ours,
            self.theirs
        )
    }
}

fn quoted(argument: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=.".contains(c);
    if argument.chars().all(plain) { argument.to_string() } else { format!("'{argument}'") }
}

/// The disagreement of a smaller case, if it is one of the same kind.
fn again(case: &Case, program: &Program, before: &Disagreement) -> Option<Disagreement> {
    small_graph(&case.system).ok()?;
    let found = compare(case, program).1.pop()?;
    (found.sort == before.sort).then_some(found)
}

/// Every case with something less, that still makes sense.
fn smaller(case: &Case) -> Vec<Case> {
    let systems = shrink::systems(&case.system).into_iter().map(|system| Case { system, ..case.clone() });
    let questions = shrink::questions(&case.questions[0]).into_iter();
    let questions = questions.map(|q| {
        let stated = case.stated.is_some() && matches!(q, Question::Ltl(_));
        Case { questions: vec![q.clone()], stated: stated.then_some(q), ..case.clone() }
    });
    let asked = case.stated.is_some().then(|| Case { stated: None, ..case.clone() });
    let options = (0..case.options.len()).map(|i| {
        let mut smaller = case.clone();
        smaller.options.remove(i);
        smaller
    });
    systems.chain(questions).chain(options).chain(asked).filter(makes_sense).collect()
}

/// Everything that is mentioned is there.
fn makes_sense(case: &Case) -> bool {
    let system = &case.system;
    let mut fine = true;
    system.statements(&mut |_, s| s.walk(&mut |e| fine &= is_there(system, e)));
    case.questions[0].propositions().iter().for_each(|e| e.walk(&mut |e| fine &= is_there(system, e)));
    fine
}

fn is_there(system: &System, e: &Expr) -> bool {
    match e {
        Expr::At(p, l) => system.procs.get(*p).is_some_and(|p| *l < p.locs.len()),
        Expr::Var(v) | Expr::Elem(v, _) => system.vars[*v].owner.is_none_or(|p| p < system.procs.len()),
        _ => true,
    }
}
