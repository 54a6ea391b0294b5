//! Requests about files and examples.

use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::{Extension, Json};
use serde::Deserialize;
use serde_json::{Value, json};

use super::assets::EXAMPLES;
use super::routes::{Answer, Asking, Shared, object};
use crate::projects;
use crate::refusal::Refusal;

/// The project and the file that an address names.
#[derive(Deserialize)]
pub(super) struct Named {
    project: Option<String>,
    #[serde(default)]
    path: String,
}

pub(super) async fn list(State(app): Shared, Extension(user): Asking, Query(named): Query<Named>) -> Answer {
    let (_, folder) = app.project(&user, named.project.as_deref(), false)?;
    Ok(Json(projects::list(&folder)))
}

pub(super) async fn read(State(app): Shared, Extension(user): Asking, Query(named): Query<Named>) -> Answer {
    let (_, folder) = app.project(&user, named.project.as_deref(), false)?;
    Ok(Json(projects::read(&folder, &named.path)?))
}

pub(super) async fn write(State(app): Shared, Extension(user): Asking, body: Bytes) -> Answer {
    let request = object(&body)?;
    let (_, folder) = app.project(&user, request["project"].as_str(), true)?;
    Ok(Json(projects::write(&folder, &request)?))
}

pub(super) async fn remove(State(app): Shared, Extension(user): Asking, Query(named): Query<Named>) -> Answer {
    let (_, folder) = app.project(&user, named.project.as_deref(), true)?;
    Ok(Json(projects::remove(&folder, &named.path)?))
}

pub(super) async fn examples() -> Json<Value> {
    let row = |(name, content): &(&str, &[u8])| {
        let text = String::from_utf8_lossy(content);
        json!({ "name": name, "language": projects::language(name.as_ref()), "title": title(&text) })
    };
    Json(EXAMPLES.iter().map(row).collect())
}

/// The first sentence of the comment at the beginning of a text.
fn title(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    line.trim_start_matches(['/', '*', '(', ' ']).trim_end_matches(['/', '*', ')', ' ']).to_string()
}

pub(super) async fn example(Path(name): Path<String>) -> Answer {
    let found = EXAMPLES.iter().find(|(known, _)| *known == name).ok_or_else(Refusal::not_found)?;
    let text = String::from_utf8_lossy(found.1);
    Ok(Json(json!({ "name": name, "language": projects::language(name.as_ref()), "text": text })))
}
