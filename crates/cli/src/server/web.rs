//! The web UI: files that were embedded when this program was built (`build.rs`), and the page for every address that is nothing else.
//! The pages ask the API for what they show; there is nothing in them to protect.

use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};

use super::error::ApiError;

/// A file of the web UI.
struct WebFile {
    /// Where it is asked for.
    path: &'static str,
    /// Another one for other bytes.
    tag: &'static str,
    bytes: &'static [u8],
    /// The same, packed, where that is smaller.
    gzip: Option<&'static [u8]>,
}

/// None where the program was built without npm or from a package.
const FILES: &[WebFile] = include!(concat!(env!("OUT_DIR"), "/web_files.rs"));

/// What is shown instead of the UI.
const PLAIN: WebFile =
    WebFile { path: "/index.html", tag: "plain", bytes: include_bytes!("plain_page.html"), gzip: None };

/// Scripts, styles and pictures come from here alone, and nothing is in the page itself.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; \
    font-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/// A file of the UI, or its page: which page it is, the address says, and the script in it reads that.
pub(super) async fn web(method: Method, uri: Uri, headers: HeaderMap) -> Result<Response, ApiError> {
    let path = uri.path();
    if method != Method::GET && method != Method::HEAD {
        return Err(ApiError::wrong_method());
    }
    if let Some(file) = FILES.iter().find(|file| file.path == path) {
        return Ok(answer(file, &headers));
    }
    // A file that was there in another version, or a misspelt question, must not get a page.
    if path == "/api" || ["/api/", "/assets/"].iter().any(|folder| path.starts_with(folder)) {
        return Err(ApiError::not_found("page"));
    }
    let page = FILES.iter().find(|file| file.path == PLAIN.path).unwrap_or(&PLAIN);
    Ok(answer(page, &headers))
}

fn answer(file: &WebFile, request: &HeaderMap) -> Response {
    let packed = file.gzip.filter(|_| takes_gzip(request));
    let tag = format!("\"{}{}\"", file.tag, if packed.is_some() { "-gz" } else { "" });
    let known = request.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let known = known.flat_map(|line| line.split(',')).any(|known| known.trim() == "*" || known.trim().ends_with(&tag));
    let mut response = match known {
        true => StatusCode::NOT_MODIFIED.into_response(),
        false => packed.unwrap_or(file.bytes).into_response(),
    };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind(file.path)));
    if packed.is_some() && !known {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    headers.append(header::VARY, HeaderValue::from_static("accept-encoding"));
    // Names of assets have a hash of their content in them.
    let keep = if file.path.starts_with("/assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(keep));
    headers.insert("content-security-policy", HeaderValue::from_static(POLICY));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(header::ETAG, tag);
    }
    response
}

fn takes_gzip(request: &HeaderMap) -> bool {
    let lines = request.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    lines.flat_map(|line| line.split(',')).any(|one| {
        let (name, quality) = one.split_once(';').unwrap_or((one, "q=1"));
        let refused = quality.trim().strip_prefix("q=").and_then(|q| q.parse::<f32>().ok()) == Some(0.0);
        name.trim().eq_ignore_ascii_case("gzip") && !refused
    })
}

fn kind(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "json" | "webmanifest" => "application/json",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

/// Whether the UI is in this program.
#[cfg(test)]
pub(super) fn is_embedded() -> bool {
    !FILES.is_empty()
}
