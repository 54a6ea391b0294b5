//! Requests about counterexamples, simulations and state graphs.

use std::path::PathBuf;
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use super::jobs::own;
use super::routes::{Answer, Asking, Shared, object};
use crate::app::{App, User};
use crate::refusal::Refusal;

/// Requests of sessions that are asked with POST, and with GET.
const CHANGES: [&str; 8] = ["take", "go", "random", "until", "watch", "expand", "grow", "project"];
const VIEWS: [&str; 4] = ["trace", "steps", "chart", "node"];
/// The most bytes of a trail.
const MOST_TRAIL: usize = 256 << 20;

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/sessions", get(list).post(open))
        .route("/sessions/{id}", get(whole).delete(close))
        .route("/sessions/{id}/export", get(export))
        .route("/sessions/{id}/simulate", post(simulate))
        .route("/sessions/{id}/{what}", get(view).post(change))
}

async fn list(State(app): Shared, Extension(user): Asking) -> Json<Value> {
    Json(app.sessions.list(&user.name))
}

async fn open(State(app): Shared, Extension(user): Asking, body: Bytes) -> Answer {
    let mut request = object(&body)?;
    let text = |name: &str| request[name].as_str().map(String::from);
    let (kind, job, session) = (text("kind").unwrap_or_default(), text("job"), text("session"));
    let folder = match (kind.as_str(), job, session) {
        ("trace" | "simulation", Some(job), _) => of_job(&app, &user, &job, &mut request)?,
        ("simulation", None, Some(id)) => {
            let (folder, opening) = app.sessions.opening(&user.name, &id)?;
            let at = request["at"].clone();
            request = opening;
            request["kind"] = "simulation".into();
            request["at"] = at;
            folder
        }
        _ => app.project(&user, request["project"].as_str(), false)?.1,
    };
    Ok(Json(app.sessions.open(&app.program, &user.name, folder, request).await?))
}

/// Adds the model and the trail of a job to a request. Returns the folder of the model.
fn of_job(app: &App, user: &User, job: &str, request: &mut Value) -> Result<PathBuf, Refusal> {
    let id = own(app, user, job, false)?;
    let result = app.jobs.result(id)?;
    let name = request["property"].as_str();
    let mut properties = result["properties"].as_array().into_iter().flatten();
    let property = properties.find(|p| p["trail"].is_string() && name.is_none_or(|name| p["name"] == name));
    let trail = property.and_then(|p| p["trail"].as_str()).and_then(|path| crate::worker::plain(path.as_ref()));
    let missing = || Refusal::new(404, "the property has no counterexample");
    let folder = app.jobs.folder(id).join("model");
    let bytes =
        kripke::files::read_regular(&folder.join(trail.ok_or_else(missing)?), MOST_TRAIL).map_err(|_| missing())?;
    let job = app.jobs.owner(id)?;
    request["trail"] = String::from_utf8_lossy(&bytes).into_owned().into();
    request["file"] = job.file.into();
    request["define"] = job.define;
    request["texts"] = json!({});
    Ok(folder)
}

async fn ask(app: &App, user: &User, id: &str, what: &str, mut question: Value) -> Answer {
    question["op"] = what.into();
    Ok(Json(app.sessions.ask(&user.name, id, question).await?))
}

async fn whole(State(app): Shared, Extension(user): Asking, Path(id): Path<String>) -> Answer {
    ask(&app, &user, &id, "get", json!({})).await
}

async fn close(State(app): Shared, Extension(user): Asking, Path(id): Path<String>) -> Answer {
    app.sessions.close(&user.name, &id)?;
    Ok(Json(json!({})))
}

async fn change(
    State(app): Shared,
    Extension(user): Asking,
    Path((id, what)): Path<(String, String)>,
    body: Bytes,
) -> Answer {
    match CHANGES.contains(&what.as_str()) {
        true => ask(&app, &user, &id, &what, object(&body)?).await,
        false => Err(Refusal::not_found()),
    }
}

/// The part of a run that an address names.
#[derive(Deserialize)]
struct Part {
    from: Option<u64>,
    to: Option<u64>,
    count: Option<u64>,
    id: Option<u64>,
}

async fn view(
    State(app): Shared,
    Extension(user): Asking,
    Path((id, what)): Path<(String, String)>,
    Query(part): Query<Part>,
) -> Answer {
    if !VIEWS.contains(&what.as_str()) {
        return Err(Refusal::not_found());
    }
    let from = part.from.unwrap_or(0);
    let question = json!({ "from": from, "to": part.to, "count": part.count.unwrap_or(500), "id": part.id });
    ask(&app, &user, &id, &what, question).await
}

#[derive(Deserialize)]
struct Format {
    format: String,
}

async fn export(
    State(app): Shared,
    Extension(user): Asking,
    Path(id): Path<String>,
    Query(Format { format }): Query<Format>,
) -> Result<Response, Refusal> {
    let Json(file) = ask(&app, &user, &id, "export", json!({ "format": format })).await?;
    let text = |name: &str| file[name].as_str().unwrap_or_default().to_string();
    let kind = format!("{}; charset=utf-8", text("type"));
    let name = format!("attachment; filename=\"run.{}\"", text("ending"));
    Ok(([(CONTENT_TYPE, kind), (CONTENT_DISPOSITION, name)], text("text")).into_response())
}

/// Opens a simulation that has gone along the path to a state of a graph.
async fn simulate(State(app): Shared, Extension(user): Asking, Path(id): Path<String>, body: Bytes) -> Answer {
    let (folder, mut opening) = app.sessions.opening(&user.name, &id)?;
    let Json(moves) = ask(&app, &user, &id, "moves", object(&body)?).await?;
    opening["kind"] = "simulation".into();
    opening["moves"] = moves;
    Ok(Json(app.sessions.open(&app.program, &user.name, folder, opening).await?))
}
