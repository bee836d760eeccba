//! The web UI: files embedded at build time (`build.rs`), and the page for every other path. The pages load their data from the API, so
//! they contain nothing to protect. The viewer is a folder of its own: it reads tapes in the browser, also those of other servers.

use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Redirect, Response};

use super::error::ApiError;

/// A file of the web UI.
struct WebFile {
    /// URL path.
    path: &'static str,
    /// `ETag`, derived from the content.
    tag: &'static str,
    bytes: &'static [u8],
    /// The gzip-compressed content, if it is smaller.
    gzip: Option<&'static [u8]>,
}

/// Empty if the program was built without npm or from a package.
const FILES: &[WebFile] = include!(concat!(env!("OUT_DIR"), "/web_files.rs"));

/// Shown instead of the UI.
const PLAIN: WebFile =
    WebFile { path: "/index.html", tag: "plain", bytes: include_bytes!("plain_page.html"), gzip: None };

/// Scripts, styles and images only from this server, none inline.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; \
    font-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/// The folder of the viewer.
const VIEWER: &str = "/viewer/";

/// What the viewer may do: its worker runs WebAssembly and reads tapes from the server that the user names. Still no script from elsewhere, none
/// inline.
const VIEWER_POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; \
    worker-src 'self'; connect-src 'self' http: https:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/// The viewer of a program that was built without npm.
const NO_VIEWER: &str = "this gametape was built without its web pages: install Node.js 20.19 or newer (npm), and build it again from the repository";

/// Returns a file of the UI, or the page. The script in the page selects the view by the URL.
pub(super) async fn web(method: Method, uri: Uri, headers: HeaderMap) -> Result<Response, ApiError> {
    let path = uri.path();
    if method != Method::GET && method != Method::HEAD {
        return Err(ApiError::wrong_method());
    }
    // Its files are relative to its folder.
    if path == "/viewer" {
        let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
        return Ok(Redirect::permanent(&format!("{VIEWER}{query}")).into_response());
    }
    let file = if path == VIEWER { "/viewer/index.html" } else { path };
    if let Some(file) = FILES.iter().find(|known| known.path == file) {
        return Ok(answer(file, &headers));
    }
    if path.starts_with(VIEWER) {
        return Ok(
            (StatusCode::NOT_FOUND, if FILES.is_empty() { NO_VIEWER } else { "there is no such file" }).into_response()
        );
    }
    // A file of another version, or a misspelt API path, must not get a page.
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
    // Asset names contain a content hash.
    let hashed = ["/assets/", "/viewer/assets/"].iter().any(|folder| file.path.starts_with(folder));
    let keep = if hashed { "public, max-age=31536000, immutable" } else { "no-cache" };
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(keep));
    let policy = if file.path.starts_with(VIEWER) { VIEWER_POLICY } else { POLICY };
    headers.insert("content-security-policy", HeaderValue::from_static(policy));
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
        "wasm" => "application/wasm",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

/// Whether the UI is embedded in this program.
#[cfg(test)]
pub(super) fn is_embedded() -> bool {
    !FILES.is_empty()
}
