//! Descriptions of errors.

use kripke_model::ir::{Effect, Expr, Guard, Model, Place, Process, VarId, VarRef};
use kripke_model::layout::{ProcessView, View};
use kripke_model::{Fault, Finding, FindingKind, Within};

use crate::names::{Item, Names, What, variables};
use crate::number::counted;
use crate::run::{End, Run, flat};
use crate::source::Lines;

/// The key of a kind of error in machine-readable results.
pub fn kind(finding: &FindingKind) -> &'static str {
    match finding {
        FindingKind::Assertion => "assertion",
        FindingKind::EndlessSequence => "endless_sequence",
        FindingKind::Fault(fault) => match fault {
            Fault::IndexOutOfRange { .. } => "index_out_of_range",
            Fault::DivisionByZero => "division_by_zero",
            Fault::TooManyProcesses => "too_many_processes",
            Fault::TooManyChannels => "too_many_channels",
            Fault::BlockedChain => "blocked_sequence",
            Fault::NoChannel => "no_channel",
            Fault::MessageArity { .. } => "message_arity",
            Fault::HandshakeInChain => "rendezvous_in_sequence",
            Fault::PollRendezvous => "poll_rendezvous",
            Fault::ClaimViolated { .. } => "exclusive_channel",
            Fault::TraceViolated => "trace",
            Fault::ValueOutOfRange { .. } => "value_out_of_range",
            Fault::Required(_) => "requirement",
            Fault::BadPriority(_) => "bad_priority",
            Fault::CircularEnabled => "circular_enabled",
        },
    }
}

/// The headline of an error: `assertion violated: assert(critical==1)`.
pub fn headline(model: &Model, lines: &Lines, finding: &Finding) -> String {
    let observer = model.observer.as_ref().map(|o| &o.automaton);
    let process = model.processes.get(finding.process.index()).or(observer);
    let label = process.and_then(|p| p.edges.get(finding.edge.index())).map(|e| flat(&e.label));
    let statement = match (finding.within, process) {
        (Within::Goal, _) => None,
        (Within::Provided, Some(process)) => Some(format!("the `provided` clause of {}", process.name)),
        _ => label,
    };
    let said = |what: &str| statement.as_ref().map_or(what.to_string(), |statement| format!("{what}: {statement}"));
    match &finding.kind {
        FindingKind::Assertion => said("assertion violated"),
        FindingKind::EndlessSequence => said("atomic sequence does not end"),
        FindingKind::Fault(fault) => said(&describe(lines, fault)),
    }
}

fn describe(lines: &Lines, fault: &Fault) -> String {
    match fault {
        Fault::ClaimViolated { claim } => format!("{fault} ({})", lines.place(*claim)),
        _ => fault.to_string(),
    }
}

/// The place of an error; `None` if it is not in the text of the model.
pub fn place(model: &Model, lines: &Lines, finding: &Finding) -> Option<String> {
    let typed = finding.within == Within::Goal && model.goal.as_ref().is_none_or(|goal| goal.span.is_none());
    let observer = model.observer.as_ref().map(|observer| &observer.automaton);
    let process = model.processes.get(finding.process.index()).or(observer);
    let edge = process.and_then(|process| process.edges.get(finding.edge.index()));
    let inside = edge.filter(|edge| edge.inside.is_some() && edge.span == finding.span);
    (!typed).then(|| inside.map_or_else(|| lines.place(finding.span), |edge| lines.place_of(edge)))
}

/// Whether the error is in the property, not in the model.
pub fn is_of_property(model: &Model, finding: &Finding) -> bool {
    finding.within == Within::Goal || finding.process.index() >= model.processes.len()
}

/// The remark beside the last step: the values that make an assertion false, or the fault.
pub fn remark(run: &Run, names: &Names) -> Option<String> {
    match run.end() {
        End::Fine | End::Goal | End::BadPrefix | End::Refuted | End::Cycle(_) => None,
        End::InvalidEnd => Some("no process can move".to_string()),
        End::Finding(finding) => Some(match &finding.kind {
            FindingKind::Assertion => values(run, names).unwrap_or_else(|| "assertion violated".to_string()),
            FindingKind::EndlessSequence => "does not end".to_string(),
            FindingKind::Fault(Fault::IndexOutOfRange { var, index, len }) => {
                format!("{var} has {}, index is {index}", counted(u64::from(*len), "element"))
            }
            FindingKind::Fault(fault) => {
                let what = describe(run.lines(), fault);
                let detail = values(run, names).filter(|_| *fault == Fault::DivisionByZero);
                detail.map_or(what.clone(), |detail| format!("{what}: {detail}"))
            }
        }),
    }
}

/// The values of the variables in the erroneous statement: `critical is 2`.
fn values(run: &Run, names: &Names) -> Option<String> {
    let view = run.view(run.moves().len().saturating_sub(1));
    let say =
        |item: Item| Some(format!("{} is {}", names.own(run.model(), item), names.read(run.model(), &view, item)?));
    let said: Vec<String> = named(run).into_iter().filter_map(say).collect();
    (!said.is_empty()).then(|| said.join(", "))
}

/// The items that the erroneous statement at the end of a run reads. Inside an indivisible sequence their values at
/// the error are unknown, so the result is empty.
pub fn named(run: &Run) -> Vec<Item> {
    let mut items = Vec::new();
    let (End::Finding(finding), Some(last)) = (run.end(), run.moves().last()) else { return items };
    if !last.chain.is_empty() || finding.within != Within::Edge {
        return items;
    }
    let view = run.view(run.moves().len() - 1);
    let Some(process) = view.processes.iter().find(|p| p.pid == finding.pid) else { return items };
    let edge = run.edge(finding.process, finding.edge);
    let mut note = |place: &Place| {
        let item = place_item(run.model(), &view, process, place);
        items.extend(item.filter(|item| !items.contains(item)));
    };
    if let Guard::When(condition) = &edge.guard {
        loads(condition, &mut note);
    }
    for effect in &edge.effects {
        match effect {
            Effect::Assert(value) => loads(value, &mut note),
            Effect::Assign(place, value) => {
                place.index.iter().for_each(|index| loads(index, &mut note));
                loads(value, &mut note);
            }
            _ => {}
        }
    }
    items
}

/// The item that a place denotes in this state; `None` if its index is not a constant or a variable.
fn place_item(model: &Model, view: &View, process: &ProcessView, place: &Place) -> Option<Item> {
    let (owner, var) = match place.var {
        VarRef::Global(var) => (None, var),
        VarRef::Local(var) => (Some((process.pid, process.process)), var),
    };
    let declared = variables(model, owner).get(var.index())?;
    let mut at = 0u32;
    for (index, dim) in place.index.iter().zip(&declared.dims) {
        let i = match index {
            Expr::Const(i) => *i,
            Expr::Pid => i32::from(process.pid),
            Expr::Load(inner) if inner.index.is_empty() => scalar(view, process, inner.var)?,
            _ => return None,
        };
        at = at * dim + u32::try_from(i).ok().filter(|i| i < dim)?;
    }
    Some(Item { owner, what: What::Element { var, at } })
}

fn scalar(view: &View, process: &ProcessView, var: VarRef) -> Option<i32> {
    let (values, VarId(id)) = match var {
        VarRef::Global(id) => (&view.globals, id),
        VarRef::Local(id) => (&process.locals, id),
    };
    values.get(id as usize)?.first().copied()
}

/// Calls `f` for every place that an expression reads.
fn loads(expr: &Expr, f: &mut impl FnMut(&Place)) {
    match expr {
        Expr::Load(place) => {
            f(place);
            place.index.iter().for_each(|e| loads(e, f));
        }
        Expr::Unary(_, a) | Expr::Channel(_, a) | Expr::Enabled(a) | Expr::Location(a) | Expr::Priority(a) => {
            loads(a, f)
        }
        Expr::Binary(_, a, b) => {
            loads(a, f);
            loads(b, f);
        }
        Expr::Cond(all) => all.iter().for_each(|e| loads(e, f)),
        Expr::Poll { channel, .. } => loads(channel, f),
        Expr::At { pid: Some(pid), .. } | Expr::Remote { pid: Some(pid), .. } => loads(pid, f),
        _ => {}
    }
}

/// A blocked process in a deadlock.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waiting {
    /// The name of the process.
    pub process: String,
    /// The place of its next statement.
    pub place: Option<String>,
    /// The statements it waits for.
    pub statements: Vec<String>,
    /// Whether its location is a valid end.
    pub at_end: bool,
    /// Whether a statement is always executable, so that `provided` or a priority blocks it.
    pub held: bool,
    /// The places of its labels of valid end states.
    pub ends: Vec<String>,
}

/// The processes at the end of a run, with the statements they wait for.
pub fn waiting(run: &Run, names: &Names) -> Vec<Waiting> {
    let view = run.view(run.moves().len());
    let wait = |p: &ProcessView| {
        let process = &run.model().processes[p.process.index()];
        let location = &process.locations[p.location.index()];
        let edges = || location.edges.iter().map(|e| &process.edges[e.index()]);
        let mut statements: Vec<String> = edges().map(|e| flat(&e.label)).collect();
        statements.dedup();
        Waiting {
            process: names.process(run.model(), p.process, p.pid),
            place: edges().next().map(|e| run.lines().place_of(e)),
            statements,
            at_end: location.end,
            ends: labelled_ends(run, process),
            held: edges().any(|e| matches!(e.guard, Guard::Always) && e.sync.is_none() && e.chain.is_none()),
        }
    };
    view.processes.iter().map(wait).collect()
}

/// The places of the locations of a process that a label makes valid end states.
fn labelled_ends(run: &Run, process: &Process) -> Vec<String> {
    let labelled = process.locations.iter().filter(|location| location.end && !location.labels.is_empty());
    let first = labelled.filter_map(|location| process.edges.get(location.edges.first()?.index()));
    first.map(|edge| run.lines().place_of(edge)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn a_failed_assertion_tells_its_values() {
        let (run, _) = sample::counterexample(sample::mutex());
        assert_eq!(remark(&run, &run.names()).unwrap(), "critical is 2");
        let (run, _) = sample::counterexample(sample::counter(3));
        assert_eq!(remark(&run, &run.names()).unwrap(), "n is 3");
        let (run, _) = sample::counterexample(sample::handshake());
        assert_eq!(remark(&run, &run.names()).unwrap(), "no process can move");
    }

    #[test]
    fn everybody_who_waits_is_named() {
        let (run, _) = sample::counterexample(sample::handshake());
        let all = waiting(&run, &run.names());
        let short: Vec<(&str, &str)> = all.iter().map(|w| (w.process.as_str(), w.statements[0].as_str())).collect();
        assert_eq!(short, [("sender", "c!7"), ("receiver(1)", "false"), ("receiver(2)", "false")]);
        assert!(all.iter().all(|w| !w.at_end && !w.held));
    }

    #[test]
    fn a_claim_is_located() {
        let model = sample::mutex();
        let claim = model.processes[0].span;
        let text = describe(&Lines::new(&model), &Fault::ClaimViolated { claim });
        assert_eq!(text, "another process claims this channel for itself (second.pml:2)");
    }
}
