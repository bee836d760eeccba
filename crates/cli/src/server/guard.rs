//! Checks every request first: `Host`, size, client, rate limit. Adds security headers to every response, which restrict what browsers
//! do with it.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Instant;

use axum::extract::{ConnectInfo, MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use gametape::store::Token;

use super::access::Caller;
use super::blocking::query_store;
use super::clients::RateClass;
use super::error::ApiError;
use super::state::AppState;

/// The largest length of path and query.
const LONGEST_URI: usize = 8 << 10;

/// Headers of every response.
const SECURITY: [(&str, &str); 6] = [
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("content-security-policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
];

/// Passes a request on, or rejects it.
pub(super) async fn guard(State(state): State<AppState>, mut request: Request, next: Next) -> Response {
    let start = Instant::now();
    let method = request.method().clone();
    // Metrics are counted by route pattern: raw paths would create a counter for every lap.
    let route = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let origin = request.headers().get(header::ORIGIN).cloned();
    let mut response = match admit(&state, &mut request).await {
        Ok(()) => next.run(request).await,
        Err(error) => error.into_response(),
    };
    for (name, value) in SECURITY {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    allow_origin(&state, &mut response, origin);
    state.metrics.count(&method, route.as_deref().unwrap_or("other"), response.status(), start.elapsed());
    response
}

async fn admit(state: &AppState, request: &mut Request) -> Result<(), ApiError> {
    if !state.access.is_own_host(host(request)) {
        return Err(ApiError::wrong_host());
    }
    let client = client(state, request);
    let direct = state.access.is_direct(request.headers());
    let token = match request.headers().get(header::AUTHORIZATION).cloned() {
        None => None,
        Some(bearer) => Some(token(state, client, &bearer).await?),
    };
    let (scope, token) = token.map(|token| (token.scope, token.id)).unzip();
    let caller = Caller { client, scope, token, direct };
    if let Err(wait_s) = state.clients.count(caller.client, caller.rate_class(), Instant::now()) {
        return Err(ApiError::too_many(wait_s));
    }
    if request.uri().path_and_query().is_some_and(|asked| asked.as_str().len() > LONGEST_URI) {
        return Err(ApiError::uri_too_long());
    }
    request.extensions_mut().insert(caller);
    Ok(())
}

/// Returns the host that a request names.
fn host(request: &Request) -> Option<&str> {
    let mut named = request.headers().get_all(header::HOST).iter();
    let first = named.next().and_then(|host| host.to_str().ok());
    // Reject several `Host` headers.
    if named.next().is_some() {
        return None;
    }
    first.or_else(|| request.uri().authority().map(|authority| authority.as_str()))
}

/// Returns the client address used for rate limits.
fn client(state: &AppState, request: &Request) -> IpAddr {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    // Requests without a peer address are untrusted.
    let peer = peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.0.ip());
    let forwarded: Vec<_> = request.headers().get_all("x-forwarded-for").iter().map(HeaderValue::as_bytes).collect();
    state.access.client(peer, &forwarded)
}

/// Looks up the token that a client sends.
async fn token(state: &AppState, client: IpAddr, bearer: &HeaderValue) -> Result<Token, ApiError> {
    // Checked before the store is queried: guessing must not cause load on it.
    if let Some(wait_s) = state.clients.used_up(client, RateClass::WrongToken, Instant::now()) {
        return Err(ApiError::too_many(wait_s));
    }
    let secret = bearer.to_str().ok().and_then(|bearer| bearer.split_once(' '));
    let secret = secret.filter(|(kind, _)| kind.eq_ignore_ascii_case("bearer")).map(|(_, secret)| secret.trim());
    let Some(secret) = secret.filter(|secret| secret.len() < 200).map(str::to_owned) else {
        return Err(refuse(state, client));
    };
    let token = query_store(state, move |store| store.token(&secret)).await?;
    token.ok_or_else(|| refuse(state, client))
}

/// Rejects an invalid token and counts the attempt.
fn refuse(state: &AppState, client: IpAddr) -> ApiError {
    match state.clients.count(client, RateClass::WrongToken, Instant::now()) {
        Ok(()) => ApiError::token_needed(),
        Err(wait_s) => ApiError::too_many(wait_s),
    }
}

/// Adds CORS headers for the configured origins.
fn allow_origin(state: &AppState, response: &mut Response, origin: Option<HeaderValue>) {
    let headers = response.headers_mut();
    if state.access.cors_origins.is_empty() {
        return;
    }
    headers.append(header::VARY, HeaderValue::from_static("origin"));
    let known =
        |origin: &HeaderValue| state.access.cors_origins.iter().any(|known| known.as_bytes() == origin.as_bytes());
    if let Some(origin) = origin.filter(known) {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert("cross-origin-resource-policy", HeaderValue::from_static("cross-origin"));
    }
}

/// Checks whether the caller may edit.
pub(super) fn may_write(state: &AppState, caller: Caller, headers: &HeaderMap) -> Result<(), ApiError> {
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    state.access.may_write(caller, text(header::HOST), text(header::ORIGIN))
}
