//! What every request passes: its host and origin, its rate, who asks, its size, and the headers of its answer.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::{ConnectInfo, Request, State};
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE, COOKIE, HOST, HeaderName,
    ORIGIN, REFERRER_POLICY, TRANSFER_ENCODING, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, Method};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tokio::time::timeout;

use crate::app::{App, Mode, User};
use crate::refusal::Refusal;
use crate::secret::equal;

/// The policy of the page: nothing from elsewhere, no script and no style inside of the document.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
    font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The most bytes of a request, and the time in which it must arrive.
const MOST_BYTES: usize = 16 << 20;
/// The most bytes of a request of somebody who has not logged in.
const MOST_OPEN_BYTES: usize = 8 << 10;
const ARRIVAL: Duration = Duration::from_secs(15);
/// The longest address.
const ADDRESS: usize = 4096;
/// The name of the cookie of a group's session.
pub(super) const COOKIE_NAME: &str = "kripke-session";

const SAME_ORIGIN: [(&str, &str); 2] =
    [("cross-origin-opener-policy", "same-origin"), ("cross-origin-resource-policy", "same-origin")];

/// Lets a request pass, or refuses it.
pub(super) async fn guard(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let is_api = is_api(&request);
    let mut response = match admit(&app, request).await {
        Ok(request) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    };
    let headers = response.headers_mut();
    let mut set = |name: HeaderName, value: &'static str| {
        headers.insert(name, HeaderValue::from_static(value));
    };
    set(CONTENT_SECURITY_POLICY, POLICY);
    set(X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(X_FRAME_OPTIONS, "DENY");
    set(REFERRER_POLICY, "no-referrer");
    SAME_ORIGIN.iter().for_each(|(name, value)| set(HeaderName::from_static(name), value));
    if is_api {
        set(CACHE_CONTROL, "no-store");
    }
    response
}

fn is_api(request: &Request) -> bool {
    request.uri().path() == "/api" || request.uri().path().starts_with("/api/")
}

async fn admit(app: &App, request: Request) -> Result<Request, Refusal> {
    if request.uri().path_and_query().is_some_and(|address| address.as_str().len() > ADDRESS) {
        return Err(Refusal::new(414, "the address is too long"));
    }
    check_host(app, &request)?;
    check_origin(app, request.headers())?;
    let client = client(app, &request);
    app.rates.request(&client)?;
    if !is_api(&request) {
        return match *request.method() {
            Method::GET | Method::HEAD => Ok(request),
            _ => Err(Refusal::new(405, "the page can only be read")),
        };
    }
    let open = ["/api/hello", "/api/login"].contains(&request.uri().path());
    let user = if open { None } else { Some(user(app, &request)?) };
    let most = if open { MOST_OPEN_BYTES } else { MOST_BYTES };
    let mut request = with_body(request, most).await?;
    request.extensions_mut().insert(Client(client));
    if let Some(user) = user {
        request.extensions_mut().insert(user);
    }
    Ok(request)
}

/// The address of a client.
#[derive(Clone)]
pub(super) struct Client(pub String);

/// A proxy adds the address of its client to the end of a header.
fn client(app: &App, request: &Request) -> String {
    let forwarded = request.headers().get_all("x-forwarded-for").iter().next_back();
    let told = forwarded.and_then(|value| value.to_str().ok()).and_then(|list| list.rsplit(',').next());
    let connection = request.extensions().get::<ConnectInfo<SocketAddr>>();
    let address = connection.map_or(String::new(), |ConnectInfo(address)| address.ip().to_string());
    told.filter(|_| app.behind_proxy).map_or(address, |told| told.trim().chars().take(64).collect())
}

/// A page of another name that leads to this address (DNS rebinding) has another host.
fn check_host(app: &App, request: &Request) -> Result<(), Refusal> {
    let mut hosts = request.headers().get_all(HOST).iter();
    let host = hosts.next().and_then(|host| host.to_str().ok()).unwrap_or_default().to_ascii_lowercase();
    let absolute = request.uri().authority().map(|a| a.as_str().to_ascii_lowercase());
    let own = |host: &str| app.hosts.iter().any(|own| own == host);
    let is_own = own(&host) && hosts.next().is_none() && absolute.is_none_or(|other| own(&other));
    if is_own { Ok(()) } else { Err(Refusal::new(403, "this is not the name of the server")) }
}

/// Pages of other origins may not ask, not even for what needs no permission.
fn check_origin(app: &App, headers: &HeaderMap) -> Result<(), Refusal> {
    let scheme = if app.https { "https" } else { "http" };
    let own = |origin: &HeaderValue| {
        let origin = origin.to_str().unwrap_or_default().to_ascii_lowercase();
        app.hosts.iter().any(|host| origin == format!("{scheme}://{host}"))
    };
    let foreign = headers.get_all(ORIGIN).iter().any(|origin| !own(origin));
    let site = headers.get("sec-fetch-site").map(|site| site.to_str().unwrap_or("cross-site"));
    let navigates = headers.get("sec-fetch-mode").is_some_and(|mode| mode == "navigate");
    let crosses = site.is_some_and(|site| !["same-origin", "none"].contains(&site)) && !navigates;
    if foreign || crosses { Err(Refusal::new(403, "pages of other origins may not ask")) } else { Ok(()) }
}

fn user(app: &App, request: &Request) -> Result<User, Refusal> {
    let stranger = || Refusal::new(401, "who are you?");
    let headers = request.headers();
    match &app.mode {
        Mode::One { token, user, .. } => {
            let given = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
            let given = given.and_then(|value| value.strip_prefix("Bearer ")).ok_or_else(stranger)?;
            if equal(given, token) { Ok(user.clone()) } else { Err(stranger()) }
        }
        Mode::Group(accounts) => {
            let user = accounts.user_of(&session(headers).ok_or_else(stranger)?)?;
            if *request.method() != Method::GET && headers.get(ORIGIN).is_none() {
                return Err(Refusal::new(403, "the request has no origin"));
            }
            Ok(user)
        }
    }
}

/// The session of a group's cookie.
pub(super) fn session(headers: &HeaderMap) -> Option<String> {
    let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == COOKIE_NAME).map(|(_, value)| value.to_string())
}

/// The request with its whole body, which must arrive in time and be of a bounded size.
async fn with_body(request: Request, most: usize) -> Result<Request, Refusal> {
    let (parts, body) = request.into_parts();
    let declared = parts.headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    if declared.and_then(|text| text.parse::<u64>().ok()).is_some_and(|bytes| bytes > most as u64) {
        return Err(Refusal::new(413, "the request is too large"));
    }
    let bytes = match timeout(ARRIVAL, to_bytes(body, most)).await {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(_)) => return Err(Refusal::new(413, "the request is too large, or broken")),
        Err(_) => return Err(Refusal::new(408, "the request arrives too slowly")),
    };
    let is_json =
        parts.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).is_some_and(|kind| {
            kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json")
        });
    let has_body = !bytes.is_empty() || parts.headers.contains_key(TRANSFER_ENCODING);
    if has_body && !is_json {
        return Err(Refusal::new(415, "JSON is expected"));
    }
    Ok(Request::from_parts(parts, Body::from(bytes)))
}
