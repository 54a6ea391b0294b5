//! The table of requests.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::routing::{get, post};
use axum::{Extension, Json, Router, middleware};
use serde_json::{Value, json};

use super::{accounts, assets, files, guard, jobs, sessions};
use crate::app::{App, Mode, User};
use crate::refusal::Refusal;

/// An answer in JSON, or the reason why there is none.
pub(super) type Answer = Result<Json<Value>, Refusal>;
pub(super) type Shared = State<Arc<App>>;
pub(super) type Asking = Extension<User>;

pub(super) fn router(app: Arc<App>) -> Router {
    let api = Router::new()
        .route("/hello", get(hello))
        .route("/files", get(files::list))
        .route("/file", get(files::read).put(files::write).delete(files::remove))
        .route("/examples", get(files::examples))
        .route("/examples/{name}", get(files::example))
        .route("/lang/{what}", post(language))
        .route("/outline", post(outline))
        .route("/automaton", post(automaton))
        .route("/properties", post(properties))
        .route("/formula", post(formula))
        .route("/teach", post(teach))
        .route("/patterns", get(async || Json(crate::patterns::catalogue())))
        .merge(jobs::routes())
        .merge(sessions::routes())
        .merge(accounts::routes())
        .fallback(async || Refusal::not_found());
    Router::new()
        .nest("/api", api)
        .fallback(assets::file)
        .layer(middleware::from_fn_with_state(Arc::clone(&app), guard::guard))
        .with_state(app)
}

async fn hello(State(app): Shared) -> Json<Value> {
    let mode = match app.mode {
        Mode::One { .. } => "ui",
        Mode::Group(_) => "serve",
    };
    Json(json!({ "kripke": env!("CARGO_PKG_VERSION"), "mode": mode }))
}

/// The body of a request: an object.
pub(super) fn object(body: &Bytes) -> Result<Value, Refusal> {
    if body.is_empty() {
        return Ok(json!({}));
    }
    match serde_json::from_slice::<Value>(body) {
        Ok(value @ Value::Object(_)) => Ok(value),
        Ok(_) => Err(Refusal::new(400, "an object is expected")),
        Err(e) => Err(Refusal::new(400, &format!("the request is no JSON: {e}"))),
    }
}

/// Asks a worker in the folder of the project that a request names.
pub(super) async fn ask(app: &App, user: &User, op: &str, mut request: Value) -> Result<Value, Refusal> {
    let (_, folder) = app.project(user, request["project"].as_str(), false)?;
    request["op"] = op.into();
    app.ask(&folder, request).await
}

async fn language(State(app): Shared, Extension(user): Asking, Path(what): Path<String>, body: Bytes) -> Answer {
    Ok(Json(ask(&app, &user, &format!("lang/{what}"), object(&body)?).await?))
}

async fn outline(State(app): Shared, Extension(user): Asking, body: Bytes) -> Answer {
    Ok(Json(ask(&app, &user, "model/outline", object(&body)?).await?))
}

async fn automaton(State(app): Shared, Extension(user): Asking, body: Bytes) -> Answer {
    Ok(Json(ask(&app, &user, "model/automaton", object(&body)?).await?))
}

async fn properties(State(app): Shared, Extension(user): Asking, body: Bytes) -> Answer {
    Ok(Json(ask(&app, &user, "model/properties", object(&body)?).await?))
}

async fn formula(State(app): Shared, Extension(user): Asking, body: Bytes) -> Answer {
    Ok(Json(ask(&app, &user, "model/formula", object(&body)?).await?))
}

async fn teach(State(app): Shared, Extension(user): Asking, body: Bytes) -> Answer {
    Ok(Json(ask(&app, &user, "teach", object(&body)?).await?))
}
