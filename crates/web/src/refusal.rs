//! Requests that are refused.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

/// A refused request: a status and a body for the client.
#[derive(Debug)]
pub(crate) struct Refusal {
    status: u16,
    body: Value,
}

impl Refusal {
    pub fn new(status: u16, error: &str) -> Refusal {
        Refusal { status, body: json!({ "error": error }) }
    }

    pub fn with(mut self, name: &str, value: Value) -> Refusal {
        self.body[name] = value;
        self
    }

    /// A failure that a worker has described.
    pub fn of_worker(mut failed: Value) -> Refusal {
        let status = failed["status"].as_u64().and_then(|status| u16::try_from(status).ok()).unwrap_or(500);
        if let Some(body) = failed.as_object_mut() {
            body.remove("status");
        }
        Refusal { status, body: failed }
    }

    /// A failure of the server itself. The reason is for its log only.
    pub fn internal(why: &dyn std::fmt::Display) -> Refusal {
        eprintln!("error: {why}");
        Refusal::new(500, "the server has failed")
    }

    pub fn not_found() -> Refusal {
        Refusal::new(404, "there is no such thing")
    }

    /// The text of the refusal.
    pub fn text(&self) -> &str {
        self.body["error"].as_str().unwrap_or_default()
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        (status, axum::Json(self.body)).into_response()
    }
}

impl From<rusqlite::Error> for Refusal {
    fn from(error: rusqlite::Error) -> Refusal {
        Refusal::internal(&error)
    }
}

impl From<std::io::Error> for Refusal {
    fn from(error: std::io::Error) -> Refusal {
        Refusal::internal(&error)
    }
}
