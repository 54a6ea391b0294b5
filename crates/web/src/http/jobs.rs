//! Requests about checks.

use std::convert::Infallible;
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio_stream::wrappers::ReceiverStream;

use super::routes::{Answer, Asking, Shared, ask, object};
use crate::app::{App, Mode, User};
use crate::jobs::{Events, Wanted, words};
use crate::options::{command, form};
use crate::refusal::Refusal;

/// The most jobs of a list.
const MOST_LISTED: usize = 200;

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/options", get(async || Json(form())))
        .route("/command", post(command_line))
        .route("/plan", post(plan))
        .route("/jobs", get(list).post(add))
        .route("/jobs/{id}", get(one).delete(remove))
        .route("/jobs/{id}/events", get(events))
        .route("/jobs/{id}/stop", post(stop))
        .route("/jobs/{id}/restart", post(restart))
        .route("/jobs/{id}/result", get(result))
        .route("/jobs/{id}/model", get(model))
}

async fn command_line(Extension(_): Asking, body: Bytes) -> Answer {
    let request = object(&body)?;
    let file = request["file"].as_str().unwrap_or_default();
    let argv = words(file, &request["options"], &request["define"])?;
    Ok(Json(json!({ "command": format!("kripke {}", command(&argv)), "argv": argv })))
}

/// What is wanted of a job: the options of a request, and the files of its model as a worker has read them.
async fn wanted(app: &App, user: &User, request: Value) -> Result<Wanted, Refusal> {
    let (project, _) = app.project(user, request["project"].as_str(), false)?;
    let (options, define) = (request["options"].clone(), request["define"].clone());
    words("-", &options, &define)?;
    let machine = request["machine"].as_str().unwrap_or("local").to_string();
    let options = if options.is_object() { options } else { json!({}) };
    let model = ask(app, user, "model/files", request).await?;
    Ok(Wanted { user: user.name.clone(), project, options, define, machine, model, limits: user.limits.clone() })
}

async fn plan(State(app): Shared, Extension(user): Asking, body: Bytes) -> Answer {
    let wanted = wanted(&app, &user, object(&body)?).await?;
    Ok(Json(app.jobs.plan(wanted).await?))
}

async fn add(State(app): Shared, Extension(user): Asking, body: Bytes) -> Result<Response, Refusal> {
    let wanted = wanted(&app, &user, object(&body)?).await?;
    Ok((StatusCode::CREATED, Json(app.jobs.add(wanted)?)).into_response())
}

/// The number of a job that the user may see, or change.
pub(super) fn own(app: &App, user: &User, id: &str, changes: bool) -> Result<i64, Refusal> {
    let number: i64 = id.parse().map_err(|_| Refusal::not_found())?;
    let owner = app.jobs.owner(number)?;
    let may = match &app.mode {
        Mode::One { .. } => true,
        Mode::Group(_) if owner.user == user.name || user.admin => true,
        Mode::Group(accounts) => !changes && accounts.project(user, Some(&owner.project), false).is_ok(),
    };
    // Strangers do not learn which jobs there are.
    if may { Ok(number) } else { Err(Refusal::not_found()) }
}

#[derive(Deserialize)]
struct Selected {
    project: Option<String>,
    file: Option<String>,
}

async fn list(State(app): Shared, Extension(user): Asking, Query(selected): Query<Selected>) -> Answer {
    let project = match &selected.project {
        Some(project) => Some(app.project(&user, Some(project), false)?.0),
        None => None,
    };
    let all = app.jobs.list(&user.name, project.as_deref(), selected.file.as_deref(), MOST_LISTED)?;
    Ok(Json(all.into()))
}

async fn one(State(app): Shared, Extension(user): Asking, Path(id): Path<String>) -> Answer {
    Ok(Json(app.jobs.value(own(&app, &user, &id, false)?)?))
}

async fn remove(State(app): Shared, Extension(user): Asking, Path(id): Path<String>) -> Answer {
    app.jobs.remove(own(&app, &user, &id, true)?)?;
    Ok(Json(json!({})))
}

async fn stop(State(app): Shared, Extension(user): Asking, Path(id): Path<String>) -> Answer {
    Ok(Json(app.jobs.stop(own(&app, &user, &id, true)?)?))
}

async fn restart(State(app): Shared, Extension(user): Asking, Path(id): Path<String>) -> Result<Response, Refusal> {
    let id = own(&app, &user, &id, true)?;
    let job = app.jobs.owner(id)?;
    let wanted = Wanted {
        user: user.name.clone(),
        project: job.project,
        options: job.options,
        define: job.define,
        machine: job.machine,
        model: app.jobs.model(id)?,
        limits: user.limits.clone(),
    };
    Ok((StatusCode::CREATED, Json(app.jobs.add(wanted)?)).into_response())
}

async fn result(State(app): Shared, Extension(user): Asking, Path(id): Path<String>) -> Answer {
    Ok(Json(app.jobs.result(own(&app, &user, &id, false)?)?))
}

async fn model(State(app): Shared, Extension(user): Asking, Path(id): Path<String>) -> Answer {
    Ok(Json(app.jobs.model(own(&app, &user, &id, false)?)?))
}

#[derive(Deserialize)]
struct From {
    #[serde(default)]
    from: u64,
}

/// The events of a job, until it ends or the client goes away.
async fn events(
    State(app): Shared,
    Extension(user): Asking,
    Path(id): Path<String>,
    Query(From { from }): Query<From>,
) -> Result<Response, Refusal> {
    let log = app.jobs.events(own(&app, &user, &id, false)?)?;
    let many = || Refusal::new(429, "there are too many streams of events: close some pages");
    let place = app.streams.take(&user.name).ok_or_else(many)?;
    let (sender, receiver) = tokio::sync::mpsc::channel::<Result<Event, Infallible>>(64);
    tokio::spawn(async move {
        let _ = send(&log, from, &sender).await;
        drop(place);
    });
    Ok(Sse::new(ReceiverStream::new(receiver)).keep_alive(KeepAlive::default()).into_response())
}

type Sender = tokio::sync::mpsc::Sender<Result<Event, Infallible>>;

/// Sends events as they come. An error says that the client is gone.
async fn send(log: &Events, mut from: u64, sender: &Sender) -> Result<(), ()> {
    let mut grown = log.subscribe();
    loop {
        grown.borrow_and_update();
        let (events, ended) = log.since(from);
        for event in events {
            from = event.id + 1;
            let told = Event::default().id(event.id.to_string()).event(event.kind).data(event.data.to_string());
            sender.send(Ok(told)).await.map_err(|_| ())?;
        }
        if ended {
            return Ok(());
        }
        tokio::select! {
            changed = grown.changed() => changed.map_err(|_| ())?,
            () = sender.closed() => return Err(()),
        }
    }
}
