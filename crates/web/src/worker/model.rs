//! Questions about a model as a whole: its outline, properties and automata, and the files that it consists of.

use std::path::Path;

use kripke::load::{self, Loaded};
use kripke_model::ir::{Model, PropertyKind, Span};
use kripke_report::list;
use kripke_report::source::Lines;
use serde_json::{Value, json};

use super::failure::Failure;
use super::files::Named;
use super::{Answer, automaton, formula};

pub(super) fn answer(what: &str, request: &Value) -> Answer {
    match what {
        "outline" => outline(&Named::of(request)?),
        "properties" => properties(&Named::of(request)?),
        "automaton" => automaton::named(&Named::of(request)?, request["name"].as_str().unwrap_or_default()),
        "formula" => formula::formula(request),
        "files" => files(Named::of(request)?),
        _ => Err(Failure::new(404, "there is no such request")),
    }
}

/// The model that a request names.
pub(super) fn loaded(named: &Named) -> Result<Loaded, Failure> {
    // A missing file is no error of the text.
    named.text()?;
    Ok(load::load(&named.file, &named.source, &[], &named.files)?)
}

fn outline(named: &Named) -> Answer {
    let loaded = loaded(named)?;
    let listing: Value = serde_json::from_str(&list::json(&loaded.model, &loaded.symbols, None))
        .map_err(|e| Failure::new(500, &format!("the listing is no JSON: {e}")))?;
    let process = |p: &Value| json!({ "name": p["name"], "line": p["line"], "instances": p["instances"] });
    let processes: Vec<Value> = listing["processes"].as_array().into_iter().flatten().map(process).collect();
    Ok(json!({
        "language": listing["language"],
        "processes": processes,
        "variables": listing["variables"],
        "channels": listing["channels"],
        "automata": kripke::picture::names(&loaded.model),
    }))
}

fn properties(named: &Named) -> Answer {
    let loaded = loaded(named)?;
    let lines = Lines::new(&loaded.model);
    let safety = json!({ "name": "safety", "kind": "safety", "formula": null, "file": named.file, "line": null });
    let mut out = vec![safety];
    if let Some(observer) = &loaded.model.observer {
        let (file, line) = place(&loaded.model, &lines, observer.automaton.span);
        let name = &observer.automaton.name;
        out.push(json!({ "name": name, "kind": "claim", "formula": null, "file": file, "line": line }));
    }
    for property in &loaded.model.properties {
        let kind = match property.kind {
            PropertyKind::Ltl => "ltl",
            PropertyKind::Ctl => "ctl",
            PropertyKind::Never | PropertyKind::Process => "claim",
        };
        let formula = Some(property.text.trim()).filter(|text| !text.is_empty());
        let (file, line) = place(&loaded.model, &lines, property.span);
        out.push(json!({ "name": property.name, "kind": kind, "formula": formula, "file": file, "line": line }));
    }
    Ok(out.into())
}

/// The file and the line of a place.
pub(super) fn place(model: &Model, lines: &Lines, span: Span) -> (Option<String>, u32) {
    let line = lines.of(span);
    (model.files.get(line.file.index()).map(|file| shown(&file.name)), line.first)
}

/// The name of a file, relative to the project.
pub(super) fn shown(name: &str) -> String {
    super::files::plain(Path::new(name)).map_or(name.to_string(), |path| path.display().to_string())
}

/// The files that a model consists of, with their texts. A model that can't be read, or that reads files outside of the project, is
/// refused, so that a check of exactly these files reads nothing else.
fn files(named: Named) -> Answer {
    loaded(&named)?;
    let file = named.file.clone();
    let mut texts = serde_json::Map::new();
    for (path, content) in named.files.into_read() {
        let text = String::from_utf8(content).map_err(|_| Failure::wrong(&"a file is not text in UTF-8"))?;
        texts.insert(path.display().to_string(), text.into());
    }
    Ok(json!({ "file": file, "texts": texts }))
}
