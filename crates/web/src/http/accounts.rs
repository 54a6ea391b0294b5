//! Requests about accounts, projects, machines, load and history: those of a group.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::http::header::SET_COOKIE;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post, put};
use axum::{Extension, Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use super::guard::{COOKIE_NAME, Client, session};
use super::jobs::own;
use super::routes::{Answer, Asking, Shared, object};
use crate::accounts::{Accounts, check_password, hashed, is_name, value};
use crate::app::{App, Mode, User};
use crate::jobs::Limits;
use crate::refusal::Refusal;

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/login", post(login))
        .route("/logout", post(logout))
        .route("/me", get(me))
        .route("/password", post(password))
        .route("/users", get(users).post(add_user))
        .route("/users/{name}", put(change_user).delete(remove_user))
        .route("/projects", get(projects).post(add_project))
        .route("/projects/{id}", put(change_project).delete(remove_project))
        .route("/machines", get(machines))
        .route("/load", get(load))
        .route("/history", get(history))
        .route("/compare", get(compare))
}

fn group(app: &App) -> Result<&Accounts, Refusal> {
    match &app.mode {
        Mode::Group(accounts) => Ok(accounts),
        Mode::One { .. } => Err(Refusal::not_found()),
    }
}

fn administrators(app: &App, user: &User) -> Result<(), Refusal> {
    group(app)?;
    if user.admin { Ok(()) } else { Err(Refusal::new(403, "only administrators may do this")) }
}

/// Hashes a password on a thread of its own: it takes long on purpose. Few are hashed at a time, also of clients that went away.
async fn hashing<T: Send + 'static>(
    app: &App,
    work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let permit = Arc::clone(&group(app)?.hashing).acquire_owned().await.map_err(|e| Refusal::internal(&e))?;
    let held = move || {
        let done = work();
        drop(permit);
        done
    };
    tokio::task::spawn_blocking(held).await.map_err(|e| Refusal::internal(&e))?
}

/// Whether a password is that of a user.
async fn verified(app: &Arc<App>, name: &str, password: &str) -> Result<bool, Refusal> {
    let (shared, name, password) = (Arc::clone(app), name.to_string(), password.to_string());
    hashing(app, move || Ok(group(&shared)?.verify(&name, &password))).await
}

async fn hash(app: &App, password: &str) -> Result<String, Refusal> {
    check_password(password)?;
    let password = password.to_string();
    hashing(app, move || hashed(&password)).await
}

async fn login(
    State(app): Shared,
    Extension(Client(client)): Extension<Client>,
    body: Bytes,
) -> Result<Response, Refusal> {
    let accounts = group(&app)?;
    let request = object(&body)?;
    let text = |name: &str| request[name].as_str().unwrap_or_default();
    let (name, given) = (text("name"), text("password"));
    let wrong = || Refusal::new(401, "the name or the password is wrong");
    app.rates.login(&client)?;
    if !is_name(name) {
        return Err(wrong());
    }
    let account = format!("user {name}");
    app.rates.login(&account).inspect_err(|_| app.rates.give_back_login(&client))?;
    if !verified(&app, name, given).await? {
        return Err(wrong());
    }
    app.rates.give_back_login(&client);
    app.rates.give_back_login(&account);
    let user = accounts.user(name)?.ok_or_else(Refusal::not_found)?;
    let word = accounts.begin(name)?;
    let secure = if app.https { "; Secure" } else { "" };
    let cookie = format!("{COOKIE_NAME}={word}; HttpOnly; SameSite=Strict; Path=/; Max-Age=2592000{secure}");
    Ok(([(SET_COOKIE, cookie)], Json(json!({ "user": value(&user) }))).into_response())
}

async fn logout(State(app): Shared, Extension(_): Asking, headers: HeaderMap) -> Result<Response, Refusal> {
    group(&app)?.end(&session(&headers).unwrap_or_default())?;
    let cookie = format!("{COOKIE_NAME}=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0");
    Ok(([(SET_COOKIE, cookie)], Json(json!({}))).into_response())
}

async fn me(State(app): Shared, Extension(user): Asking) -> Answer {
    group(&app)?;
    Ok(Json(json!({ "user": value(&user) })))
}

async fn password(State(app): Shared, Extension(user): Asking, headers: HeaderMap, body: Bytes) -> Answer {
    let request = object(&body)?;
    let text = |name: &str| request[name].as_str().unwrap_or_default();
    let client = format!("user {}", user.name);
    app.rates.login(&client)?;
    if !verified(&app, &user.name, text("old")).await? {
        return Err(Refusal::new(403, "the old password is wrong"));
    }
    app.rates.give_back_login(&client);
    let new = hash(&app, text("new")).await?;
    group(&app)?.set_password(&user.name, &new, session(&headers).as_deref())?;
    Ok(Json(json!({})))
}

async fn users(State(app): Shared, Extension(user): Asking) -> Answer {
    administrators(&app, &user)?;
    Ok(Json(group(&app)?.users()?.into()))
}

/// The limits of a request; those of the group where it has none.
fn limits(accounts: &Accounts, request: &Value) -> Result<Limits, Refusal> {
    match request.get("limits") {
        Some(given) if !given.is_null() => {
            let limits: Limits =
                serde_json::from_value(given.clone()).map_err(|e| Refusal::new(422, &format!("limits: {e}")))?;
            limits.check().map_err(|why| Refusal::new(422, &why))?;
            Ok(limits)
        }
        _ => Ok(accounts.usual.clone()),
    }
}

async fn add_user(State(app): Shared, Extension(user): Asking, body: Bytes) -> Answer {
    administrators(&app, &user)?;
    let (accounts, request) = (group(&app)?, object(&body)?);
    let text = |name: &str| request[name].as_str().unwrap_or_default();
    let hash = hash(&app, text("password")).await?;
    accounts.add_user(text("name"), &hash, request["admin"] == true, &limits(accounts, &request)?)?;
    Ok(Json(json!({})))
}

async fn change_user(State(app): Shared, Extension(user): Asking, Path(name): Path<String>, body: Bytes) -> Answer {
    administrators(&app, &user)?;
    let (accounts, request) = (group(&app)?, object(&body)?);
    let present = accounts.user(&name)?.ok_or_else(Refusal::not_found)?;
    let admin = request["admin"].as_bool().unwrap_or(present.admin);
    let limits = if request["limits"].is_null() { present.limits } else { limits(accounts, &request)? };
    if let Some(new) = request["password"].as_str() {
        accounts.set_password(&name, &hash(&app, new).await?, None)?;
    }
    accounts.change_user(&name, admin, &limits)?;
    app.jobs.wake();
    Ok(Json(json!({})))
}

async fn remove_user(State(app): Shared, Extension(user): Asking, Path(name): Path<String>) -> Answer {
    administrators(&app, &user)?;
    if name == user.name {
        return Err(Refusal::new(409, "you can't remove yourself"));
    }
    group(&app)?.remove_user(&name)?;
    Ok(Json(json!({})))
}

async fn projects(State(app): Shared, Extension(user): Asking) -> Answer {
    match &app.mode {
        Mode::One { .. } => Ok(Json(json!([{ "id": "default", "name": "default", "owner": null, "members": [] }]))),
        Mode::Group(accounts) => Ok(Json(accounts.projects_of(&user)?.into())),
    }
}

async fn add_project(State(app): Shared, Extension(user): Asking, body: Bytes) -> Answer {
    let request = object(&body)?;
    let id = group(&app)?.add_project(&user.name, request["name"].as_str().unwrap_or_default())?;
    Ok(Json(json!({ "id": id.to_string() })))
}

async fn change_project(State(app): Shared, Extension(user): Asking, Path(id): Path<String>, body: Bytes) -> Answer {
    group(&app)?.change_project(&user, &id, &object(&body)?)?;
    Ok(Json(json!({})))
}

async fn remove_project(State(app): Shared, Extension(user): Asking, Path(id): Path<String>) -> Answer {
    group(&app)?.remove_project(&user, &id)?;
    Ok(Json(json!({})))
}

async fn machines(State(app): Shared, Extension(_): Asking) -> Json<Value> {
    let row = |machine: &crate::jobs::Machine| {
        let kind = if machine.command.is_empty() { "local" } else { "command" };
        json!({ "name": machine.name, "kind": kind, "cores": machine.cores, "description": machine.description })
    };
    Json(app.jobs.machines.iter().map(row).collect())
}

/// The load. Names of other users are for administrators.
async fn load(State(app): Shared, Extension(user): Asking) -> Json<Value> {
    let mut load = app.load.value(&app.jobs);
    if let Some(users) = load["users"].as_array_mut() {
        users.retain(|row| user.admin || row["name"] == user.name.as_str());
    }
    Json(load)
}

#[derive(Deserialize)]
struct Selected {
    project: Option<String>,
    file: Option<String>,
}

async fn history(State(app): Shared, Extension(user): Asking, Query(selected): Query<Selected>) -> Answer {
    let (project, _) = app.project(&user, selected.project.as_deref(), false)?;
    let mut all = app.jobs.list(&user.name, Some(&project), selected.file.as_deref(), 1000)?;
    all.retain(|job| job["state"] == "finished");
    all.reverse();
    Ok(Json(all.into()))
}

#[derive(Deserialize)]
struct Compared {
    jobs: String,
}

async fn compare(State(app): Shared, Extension(user): Asking, Query(Compared { jobs }): Query<Compared>) -> Answer {
    let mut all = Vec::new();
    for id in jobs.split(',').take(20) {
        all.push(app.jobs.value(own(&app, &user, id, false)?)?);
    }
    let mut names: Vec<&String> =
        all.iter().filter_map(|job| job["options"].as_object()).flat_map(|o| o.keys()).collect();
    names.sort();
    names.dedup();
    let row = |part: &str, name: &str| json!({ "name": name, "values": all.iter().map(|job| job[part][name].clone()).collect::<Vec<_>>() });
    let options: Vec<Value> = names.iter().map(|name| row("options", name)).collect();
    let figures = ["states", "transitions", "depth", "seconds", "cpu", "peak_rss"];
    let figures: Vec<Value> = figures.iter().map(|name| row("summary", name)).collect();
    Ok(Json(json!({ "jobs": all, "options": options, "figures": figures })))
}
