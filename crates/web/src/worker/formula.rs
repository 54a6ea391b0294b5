//! Formulas: their propositions, and the automaton of an LTL formula.

use kripke::picture;
use kripke_logic::{Class, Problem, hoa, never, parse, translate};
use serde_json::{Value, json};

use super::Answer;
use super::automaton::drawn;
use super::failure::Failure;
use super::files::Named;

/// Reads a formula. With a model its propositions are read, too.
pub(super) fn formula(request: &Value) -> Answer {
    let text = request["formula"].as_str().unwrap_or_default();
    let value = match request["logic"].as_str() {
        Some("ctl") => ctl(text)?,
        _ => ltl(text, request["negate"] == true)?,
    };
    if request["file"].is_string() {
        let named = Named::of(request)?;
        let atoms = value["propositions"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let atoms: Vec<String> = atoms.map(String::from).collect();
        kripke::load::load(&named.file, &named.source, &atoms, &named.files)?;
    }
    Ok(value)
}

fn ltl(text: &str, negate: bool) -> Answer {
    let ltl = parse::ltl(text).map_err(|problem| wrong(text, &problem))?;
    let ltl = if negate { ltl.negated() } else { ltl };
    let automata = translate(&ltl).map_err(|e| Failure::wrong(&e.message))?;
    let (buchi, name) = (&automata.buchi, ltl.to_string());
    let class = Class::of_buchi(buchi);
    let kinds = [
        (class.terminal, "terminal: a finite prefix decides that a word is accepted"),
        (class.weak && !class.terminal, "weak: no component has both accepting and other cycles"),
        (class.safety, "safety: a finite prefix decides that a word is not accepted"),
        (class.deterministic, "deterministic"),
    ];
    Ok(json!({
        "formula": name,
        "propositions": ltl.atoms.iter().map(|(_, atom)| atom.text.as_str()).collect::<Vec<_>>(),
        "kinds": kinds.iter().filter(|(is, _)| *is).map(|(_, text)| *text).collect::<Vec<_>>(),
        "states": buchi.states.len(),
        "automaton": drawn(&picture::buchi(buchi, &name)),
        "never": never::write(buchi, &name),
        "hoa": hoa::buchi(buchi, &name),
    }))
}

fn ctl(text: &str) -> Answer {
    let ctl = parse::ctl(text).map_err(|problem| wrong(text, &problem))?;
    let atoms: Vec<&str> = ctl.atoms.iter().map(|(_, atom)| atom.text.as_str()).collect();
    Ok(json!({ "formula": ctl.to_string(), "propositions": atoms }))
}

/// An error in a formula, with its place in the units of scripts.
fn wrong(text: &str, problem: &Problem) -> Failure {
    let units = |at: usize| text.get(..at.min(text.len())).map_or(0, |head| head.encode_utf16().count());
    let message = match problem.here.as_str() {
        "" => problem.message.clone(),
        here => format!("{} ({here})", problem.message),
    };
    Failure::wrong(&message)
        .with("span", json!({ "start": units(problem.span.start), "end": units(problem.span.end) }))
        .with("help", json!(problem.help))
}
