//! What a verdict covers: the parts of a model that no search of a check looks at.

use kripke_model::Model;
use kripke_model::ir::{Effect, Location, PropertyKind};

use crate::plan::Plan;
use crate::task::{Kind, Task};

/// Questions about cycles whose answer is known from the model, as no label counts for them.
pub fn missing_labels(model: &Model, tasks: &[Task]) -> Vec<&'static str> {
    let asks = |kind: Kind| tasks.iter().find(|task| task.kind == kind);
    let mut out = Vec::new();
    if asks(Kind::Acceptance).is_some_and(|task| !task.is_endless()) {
        out.push("no location has an `accept` label, so there are no acceptance cycles to be found (-a)");
    }
    if asks(Kind::Progress).is_some() && !has_label(model, |location| location.progress) {
        out.push("no location has a `progress` label, so every infinite run is a non-progress cycle (-l)");
    }
    out
}

/// What none of the searches looks at, though the model has it.
pub fn not_checked(model: &Model, tasks: &[Task], plan: &Plan) -> Vec<String> {
    let asked = |kind: Kind| tasks.iter().any(|task| task.kind == kind);
    let mut out = Vec::new();
    if has_assertion(model) && !plan.questions.iter().any(|q| q.search.assertions) {
        out.push("failed assertions".to_string());
    }
    if !plan.questions.iter().any(|q| q.search.end_states) {
        out.push("invalid end states".to_string());
    }
    if has_label(model, |location| location.accept) && !asked(Kind::Acceptance) {
        out.push("acceptance cycles".to_string());
    }
    if has_label(model, |location| location.progress) && !asked(Kind::Progress) {
        out.push("non-progress cycles".to_string());
    }
    out.extend(properties_left_out(model, tasks));
    out
}

/// The properties that the model states and nothing asks for. A never claim takes part in a search for acceptance cycles.
fn properties_left_out(model: &Model, tasks: &[Task]) -> Vec<String> {
    let claim_used = tasks.iter().any(|task| task.kind == Kind::Acceptance && !task.end_states);
    let claim = model.properties.iter().find(|p| p.observer.is_some()).filter(|_| claim_used);
    let is_asked = |name: &str| claim.is_some_and(|p| p.name == name) || tasks.iter().any(|task| task.name == name);
    let stated = model.properties.iter().filter(|p| !is_asked(&p.name)).map(|p| match p.kind {
        PropertyKind::Ltl => format!("ltl {}", p.name),
        PropertyKind::Ctl => format!("ctl {}", p.name),
        PropertyKind::Never => "the never claim".to_string(),
        PropertyKind::Process => "the property process".to_string(),
    });
    let process = model.observer.as_ref().filter(|o| !claim_used && !is_asked(&o.automaton.name));
    stated.chain(process.map(|_| "the property process".to_string())).collect()
}

fn has_label(model: &Model, is_labelled: impl Fn(&Location) -> bool) -> bool {
    model.processes.iter().flat_map(|process| &process.locations).any(is_labelled)
}

fn has_assertion(model: &Model) -> bool {
    let mut effects = model.processes.iter().flat_map(|process| &process.edges).flat_map(|edge| &edge.effects);
    effects.any(|effect| matches!(effect, Effect::Assert(_)))
}
