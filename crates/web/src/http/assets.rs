//! The files of the page.

use std::collections::HashMap;
use std::io::Write;
use std::path::PathBuf;
use std::sync::LazyLock;

use axum::body::Body;
use axum::http::header::{ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::refusal::Refusal;

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// The page until there is another one.
const PLACEHOLDER: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Kripke</title>\
    <h1>Kripke</h1><p>This program was built without its page. The interface is at <code>/api</code>.</p></html>";

/// A file and its compressed form.
struct Asset {
    content: &'static [u8],
    compressed: Vec<u8>,
    tag: String,
}

static KNOWN: LazyLock<HashMap<&str, Asset>> =
    LazyLock::new(|| ASSETS.iter().map(|(path, c)| (*path, asset(c))).collect());

fn asset(content: &'static [u8]) -> Asset {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let compressed = encoder.write_all(content).and_then(|()| encoder.finish()).unwrap_or_default();
    let sum = content.iter().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3));
    Asset { content, compressed, tag: format!("\"{sum:016x}\"") }
}

/// The type of a file.
fn kind(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "json" => "application/json",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "webmanifest" => "application/manifest+json",
        _ => "application/octet-stream",
    }
}

/// A file of the page. Paths are those of the table: nothing is looked for on the disk.
pub(super) async fn file(uri: Uri, headers: HeaderMap) -> Response {
    let path = match uri.path().trim_start_matches('/') {
        "" => "index.html",
        path => path,
    };
    if let Some(folder) = std::env::var_os("KRIPKE_PAGE_ASSETS") {
        return from_disk(&PathBuf::from(folder), path);
    }
    let Some(asset) = KNOWN.get(path) else {
        return match path {
            "index.html" => ([(CONTENT_TYPE, kind(path))], PLACEHOLDER).into_response(),
            _ => Refusal::not_found().into_response(),
        };
    };
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if text(IF_NONE_MATCH) == asset.tag {
        return StatusCode::NOT_MODIFIED.into_response();
    }
    let head = [(CONTENT_TYPE, kind(path)), (CACHE_CONTROL, "no-cache"), (ETAG, asset.tag.as_str())];
    let gzip = text(ACCEPT_ENCODING).split(',').any(|name| name.trim().starts_with("gzip"));
    match gzip && asset.compressed.len() < asset.content.len() {
        true => (head, [(CONTENT_ENCODING, "gzip")], Body::from(asset.compressed.as_slice())).into_response(),
        false => (head, Body::from(asset.content)).into_response(),
    }
}

/// A file of a page in development.
fn from_disk(folder: &std::path::Path, path: &str) -> Response {
    let content = crate::worker::plain(path.as_ref()).and_then(|path| std::fs::read(folder.join(path)).ok());
    match content {
        Some(content) => ([(CONTENT_TYPE, kind(path)), (CACHE_CONTROL, "no-store")], content).into_response(),
        None => Refusal::not_found().into_response(),
    }
}
